//! What comments say of moves: commands (`[%clk 0:01:00]`), and the notes of engine matches.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::blanks::{is_newline, is_space};

/// The value of the first command with this name in a comment.
pub fn command<'c>(comment: &'c str, name: &str) -> Option<&'c str> {
    let mut parts = comment.split("[%").skip(1);
    parts.find_map(|part| {
        // Lines of a comment may break anywhere.
        let value = part.split_once(']')?.0.strip_prefix(name)?;
        let is_apart = value.bytes().next().is_some_and(is_space);
        is_apart.then(|| value.trim())
    })
}

/// Whether one of the comments of a game tells a clock, and whether one tells an evaluation
/// (spec/index.md section 3.2); `text` holds them all.
pub fn tell<'c>(text: &[u8], mut comments: impl Iterator<Item = &'c [u8]>) -> [bool; 2] {
    /// Most games that have either have it in these.
    const FIRST: usize = 8;
    static COMMANDS: LazyLock<[[Finder<'static>; 2]; 2]> =
        LazyLock::new(|| [["[%clk", "tl="], ["[%eval", "v="]].map(|kind| kind.map(Finder::new)));
    let mut found = [false; 2];
    for comment in comments.by_ref().take(FIRST) {
        tells(comment, &mut found);
        if found == [true; 2] {
            return found;
        }
    }
    let Some(next) = comments.next() else {
        return found;
    };
    // Nearly all comments of a game with clocks are a command. What the whole text does not have
    // need not be looked for in each of them.
    let is_possible = std::iter::zip(&*COMMANDS, found).any(|(commands, found)| {
        !found && commands.iter().any(|command| command.find(text).is_some())
    });
    for comment in std::iter::once(next).chain(comments) {
        let is_command = matches!(comment, [b'[', b'%', ..] | [b' ', b'[', b'%', ..]);
        if is_possible || !is_command {
            tells(comment, &mut found);
        }
    }
    found
}

/// Whether a comment tells a clock, and whether it tells an evaluation.
fn tells(comment: &[u8], found: &mut [bool; 2]) {
    let mut rest = comment;
    while let Some(at) = memchr::memchr(b'%', rest) {
        let is_command = rest[..at].ends_with(b"[");
        rest = &rest[at + 1..];
        match rest {
            [b'c', b'l', b'k', blank, ..] => found[0] |= is_command && is_space(*blank),
            [b'e', b'v', b'a', b'l', blank, ..] => found[1] |= is_command && is_space(*blank),
            _ => {}
        }
    }
    let has = |field: &[u8]| memchr::memmem::find(comment, field).is_some();
    if memchr::memchr(b'=', comment).is_some() && (has(b"wv=") || has(b"ev=")) {
        *found = [found[0] || has(b"tl="), true];
    } else {
        found[1] |= begins_with_score(comment.trim_ascii_start());
    }
}

/// Lines of a comment may break where a number goes on.
const BREAKS: [char; 2] = ['\r', '\n'];

/// Whether a comment begins with a score, a slash and a digit, as `+0.35/21`. A line may break
/// behind the period and the slash.
fn begins_with_score(comment: &[u8]) -> bool {
    let is_break = |byte: &&u8| is_newline(**byte);
    let sign = usize::from(comment.starts_with(b"+") || comment.starts_with(b"-"));
    let is_score = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'.' | b'M' | b'#') || is_break(byte);
    let score = comment[sign..].iter().take_while(is_score).count();
    let (score, behind) = comment[sign..].split_at(score);
    let Some(behind) = behind.strip_prefix(b"/") else {
        return false;
    };
    let is_note = score.iter().any(|byte| matches!(byte, b'.' | b'M' | b'#'));
    is_note
        && behind
            .iter()
            .find(|byte| !is_break(byte))
            .is_some_and(u8::is_ascii_digit)
}

/// Parses `1:02:03`, `2:03` or `3.5` into seconds; the fraction may have a comma.
pub fn seconds(text: &str) -> Option<f64> {
    let is_time = |byte| matches!(byte, b'0'..=b'9' | b':' | b'.' | b',');
    if !text.bytes().all(is_time) || text.matches(':').count() > 2 {
        return None;
    }
    let mut parts = text.split(':');
    let number = |part: &str| part.replace(',', ".").parse::<f64>().ok();
    let first = number(parts.next()?)?;
    let sum = parts.try_fold(first, |sum, part| Some(60.0 * sum + number(part)?))?;
    sum.is_finite().then_some(sum)
}

/// Whether a time of a game whose other times have hours, is hours and minutes: `1:59`.
pub fn may_be_hours(time: &str) -> bool {
    let time = time.as_bytes();
    matches!(time, [b'0'..=b'9', b':', b'0'..=b'5', b'0'..=b'9'])
}

/// Whether a time has hours, minutes and seconds.
pub fn has_hours(time: &str) -> bool {
    time.matches(':').count() == 2
}

/// An evaluation by an engine, from White's side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evaluation {
    /// In pawns.
    Pawns(f64),
    /// The number of moves to mate; negative if White is mated.
    Mate(i32),
}

impl Evaluation {
    /// Parses the value of `[%eval]`: `-0.31` in pawns, `-31` in hundredths of one, `#5` or `M5`,
    /// and the depth behind it: `-0.31,22`, `0.16/16`.
    pub fn parse(text: &str) -> Option<(Evaluation, Option<u32>)> {
        Evaluation::read(text, 100.0)
    }

    /// As [`Evaluation::parse`], with what a number without a period has in a pawn.
    fn read(text: &str, in_pawn: f64) -> Option<(Evaluation, Option<u32>)> {
        let (value, depth) = match text.split_once([',', '/']) {
            Some((value, depth)) => (value.trim(), depth.trim().parse().ok()),
            None => (text, None),
        };
        let (sign, bare) = match value.strip_prefix('-') {
            Some(bare) => (-1, bare),
            None => (1, value.strip_prefix('+').unwrap_or(value)),
        };
        let value = match bare.strip_prefix(['#', 'M']) {
            Some(moves) => Evaluation::Mate(moves.parse::<i32>().ok()?.checked_mul(sign)?),
            None if value.contains(|c: char| !matches!(c, '0'..='9' | '.' | '+' | '-')) => {
                return None;
            }
            None => {
                let number: f64 = value.parse().ok()?;
                Evaluation::Pawns(if value.contains('.') {
                    number
                } else {
                    number / in_pawn
                })
            }
        };
        Some((value, depth))
    }

    /// In hundredths of a pawn, as tables and JSON have it; `None`: a mate, or more than a million
    /// pawns.
    #[expect(clippy::cast_possible_truncation, reason = "it is at most 100,000,000")]
    pub fn centipawns(self) -> Option<i32> {
        match self {
            Evaluation::Pawns(pawns) if pawns.abs() <= 1e6 => Some((100.0 * pawns).round() as i32),
            _ => None,
        }
    }

    /// In hundredths of a pawn, at most 10,000 for either side; a mate counts as that.
    #[expect(clippy::cast_possible_truncation, reason = "it is at most 10,000")]
    pub fn hundredths(self) -> i32 {
        match self {
            Evaluation::Pawns(pawns) => (100.0 * pawns).round().clamp(-10_000.0, 10_000.0) as i32,
            Evaluation::Mate(moves) if moves < 0 => -10_000,
            Evaluation::Mate(_) => 10_000,
        }
    }

    /// From the other side.
    pub fn turned(self) -> Evaluation {
        match self {
            // Not -0.
            Evaluation::Pawns(pawns) => Evaluation::Pawns(0.0 - pawns),
            Evaluation::Mate(moves) => Evaluation::Mate(-moves),
        }
    }
}

/// What the comment of an engine match says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EngineNote {
    /// The seconds left.
    pub clock: Option<f64>,
    /// The seconds that the move took.
    pub elapsed: Option<f64>,
    /// The depth of the search, in plies.
    pub depth: Option<u32>,
    /// The evaluation, from the side that the next field tells.
    pub evaluation: Option<Evaluation>,
    /// Whether it evaluates from White's side, or from that of the player; `None`: from that of the
    /// player, unless other notes of the game are from White's side.
    pub is_of_white: Option<bool>,
}

impl EngineNote {
    /// Reads what cutechess and fastchess write (`+0.35/21 1.2s`, from the side of the player),
    /// ChessBase's programs (`0.35/21 12`, from White's side) or TCEC (`wv=0.39, d=31, mt=00:01:05`
    /// or `ev=0.39`, from White's side).
    pub fn read(comment: &str) -> Option<EngineNote> {
        match comment.contains("wv=") || comment.contains("ev=") {
            true => EngineNote::from_fields(comment),
            false => EngineNote::from_score(comment.trim()),
        }
    }

    fn from_score(comment: &str) -> Option<EngineNote> {
        // Most comments are none, and need not be copied.
        if !begins_with_score(comment.as_bytes()) {
            return None;
        }
        // ChessBase breaks lines behind a period and the slash.
        let joined = comment.replace("\r\n", "\n").replace(".\n", ".");
        let (score, rest) = joined.split_once('/')?;
        let score = &score.replace(BREAKS, "");
        let mut words = rest
            .trim_start_matches(BREAKS)
            .split(|c: char| c == ',' || c.is_ascii_whitespace());
        let depth = words.next()?.parse().ok()?;
        // Without one of these it may be a date, or a half.
        if !score.contains(['.', 'M', '#']) {
            return None;
        }
        let evaluation = score_of(score)?;
        let time = words.find(|word| !word.is_empty());
        let (time, in_s) = match time.and_then(|word| word.strip_suffix('s')) {
            Some(time) => (Some(time), true),
            None => (time, false),
        };
        let elapsed = time.filter(|time| !time.contains(':')).and_then(seconds);
        let is_signed = score.starts_with(['+', '-']) || evaluation == Evaluation::Pawns(0.0);
        // ChessBase tells which move was expected.
        let expected = words.find(|word| !word.is_empty());
        let is_chessbase = !is_signed || expected.is_some_and(|word| word.starts_with('('));
        let is_of_white = match elapsed {
            Some(_) if in_s || score.starts_with('+') => Some(false),
            Some(_) if is_chessbase => Some(true),
            _ => None,
        };
        Some(EngineNote {
            elapsed,
            evaluation: Some(evaluation),
            depth: Some(depth),
            is_of_white,
            clock: None,
        })
    }

    fn from_fields(comment: &str) -> Option<EngineNote> {
        // Lines may break within a field.
        let joined = comment.replace(BREAKS, "");
        let fields = joined.split([',', ';']);
        let fields = fields.filter_map(|field| field.trim().split_once('='));
        // TCEC writes H:MM:SS, or thousandths of a second.
        let time = |value: &str| match value.contains(':') {
            true => seconds(value),
            false => Some(f64::from(value.parse::<u32>().ok()?) / 1000.0),
        };
        let mut note = EngineNote {
            is_of_white: Some(true),
            ..EngineNote::default()
        };
        for (name, value) in fields {
            match name {
                "wv" | "ev" => note.evaluation = Some(score_of(value)?),
                "d" => note.depth = value.parse().ok(),
                "mt" => note.elapsed = time(value),
                "tl" => note.clock = time(value),
                _ => {}
            }
        }
        note.evaluation.is_some().then_some(note)
    }
}

/// The evaluation of an engine match, which counts the plies to mate with `M`, and the moves with
/// `#`.
fn score_of(score: &str) -> Option<Evaluation> {
    Some(match Evaluation::read(score, 1.0)?.0 {
        Evaluation::Mate(plies) if score.contains('M') => Evaluation::Mate(plies / 2 + plies % 2),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, expected) in [
            ("1:02:03", Some(3723.0)),
            ("2:03", Some(123.0)),
            ("3.5", Some(3.5)),
            ("0:00:01,5", Some(1.5)),
            ("71:59:34", Some(259_174.0)),
            ("1:2:3:4", None),
            ("-0:10", None),
            ("1:xx", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn evaluations() {
        use Evaluation::{Mate, Pawns};
        for (text, expected) in [
            ("-0.31", Some((Pawns(-0.31), None))),
            ("0.3,20", Some((Pawns(0.3), Some(20)))),
            ("0.16/16", Some((Pawns(0.16), Some(16)))),
            ("+0.25/18", Some((Pawns(0.25), Some(18)))),
            // As ChessBase and ChessOK write it, and Lichess.
            ("25,18", Some((Pawns(0.25), Some(18)))),
            ("-131,24", Some((Pawns(-1.31), Some(24)))),
            ("25.0,18", Some((Pawns(25.0), Some(18)))),
            ("7", Some((Pawns(0.07), None))),
            ("0", Some((Pawns(0.0), None))),
            ("#-3,20", Some((Mate(-3), Some(20)))),
            ("#+3", Some((Mate(3), None))),
            ("-#3", Some((Mate(-3), None))),
            ("-M5", Some((Mate(-5), None))),
            ("M5", Some((Mate(5), None))),
            ("x", None),
            ("#", None),
            ("1e3", None),
        ] {
            assert_eq!(Evaluation::parse(text), expected, "{text}");
        }
    }

    /// As cutechess-cli, fastchess and TCEC write them: mates in plies, and scores of cutechess from
    /// the side of the engine that moved.
    #[test]
    fn notes_of_engine_matches() {
        use Evaluation::{Mate, Pawns};
        let note = |text: &str, black| {
            let note = EngineNote::read(text)?;
            let is_turned = black && note.is_of_white != Some(true);
            let evaluation = note.evaluation?;
            Some((
                if is_turned {
                    evaluation.turned()
                } else {
                    evaluation
                },
                note.depth?,
                note.elapsed,
                note.clock,
            ))
        };
        let of = |evaluation, depth, elapsed, clock| Some((evaluation, depth, elapsed, clock));
        assert_eq!(
            note("+0.35/21 1.2s", false),
            of(Pawns(0.35), 21, Some(1.2), None)
        );
        assert_eq!(
            note("+0.35/21 1.2s", true),
            of(Pawns(-0.35), 21, Some(1.2), None)
        );
        assert_eq!(note("0.00/1 0s", true), of(Pawns(0.0), 1, Some(0.0), None));
        assert_eq!(
            note("-M8/30 0.5s, Black mates", false),
            of(Mate(-4), 30, Some(0.5), None)
        );
        assert_eq!(
            note("+M15/23 0.5s", true),
            of(Mate(-8), 23, Some(0.5), None)
        );
        assert_eq!(
            note("+M1/5, White mates", false),
            of(Mate(1), 5, None, None)
        );
        assert_eq!(
            note(
                "d=31, sd=40, mt=00:01:05, tl=01:58:55, pv=Nf3 d5, wv=0.39, R50=50",
                true
            ),
            of(Pawns(0.39), 31, Some(65.0), Some(7135.0))
        );
        assert_eq!(
            note("d=31, mt=65000, tl=7135000, wv=-M12", false),
            of(Mate(-6), 31, Some(65.0), Some(7135.0))
        );
        // ChessBase's programs write seconds without a unit, and evaluate from White's side; their
        // comments are broken behind a period or slash. TCEC had `ev` first.
        for (text, white, black) in [
            ("0.44/22 278 \n(exd6)", Pawns(0.44), Pawns(0.44)),
            ("0.\r\n60/21 826", Pawns(0.6), Pawns(0.6)),
            ("0.61/\n20 103", Pawns(0.61), Pawns(0.61)),
            ("+0.3\r\n5\n/\n21\t1.\n2s", Pawns(0.35), Pawns(-0.35)),
            (
                "d=3\n1, mt=00:\n01:05, wv=\r\n0.\n39",
                Pawns(0.39),
                Pawns(0.39),
            ),
            ("#43/27 709 (Ke3)", Mate(43), Mate(43)),
            ("+0.44/22 278", Pawns(0.44), Pawns(-0.44)),
            ("0.44/22 2.78s", Pawns(0.44), Pawns(-0.44)),
            ("-#24/59 0", Mate(-24), Mate(24)),
            ("-1.21/27 185 \n(Nf3)", Pawns(-1.21), Pawns(-1.21)),
            ("ev=-#24, d=22, mt=00:00:26, pd=Kc3", Mate(-24), Mate(-24)),
        ] {
            let of = |black| note(text, black).map(|note| note.0);
            assert_eq!((of(false), of(true)), (Some(white), Some(black)), "{text}");
        }
        let negative = EngineNote::read("-1.21/27 185").unwrap();
        assert_eq!(negative.is_of_white, None);
        for text in [
            "book",
            "1/2",
            "5/6 won",
            "+0.35",
            "a +0.35/21 1.2s",
            "x=1, d=3",
            "wv=?",
            "",
        ] {
            assert_eq!(note(text, false), None, "{text}");
        }
    }
}
