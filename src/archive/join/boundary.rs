//! Joins games that were not neighbours, so that each stays a game of its own.

use std::iter;

use pgc_pgn::split::{Splitter, UnitKind};
use pgc_pgn::tag::{BOM, leading};

/// Up to this number of unclosed variations, the exact number is tried; for more, one is closed for
/// every one that was opened.
const DEEP: usize = 8;

/// Joins games into one text: pass each game to [`Joiner::next`] and write the parts it returns.
///
/// Games keep their text. Between two games a `Joiner` adds what is missing: a line end, an empty
/// line, and if that is not enough, the end of a comment or of variations, and the terminator `*`.
/// It removes byte order marks except the first. It keeps empty lines and blanks at the beginning
/// of a game, unless the text after them would then not be recognised as a game.
///
/// # Examples
/// ```
/// use pgc::join::boundary::Joiner;
///
/// let mut joiner = Joiner::default();
/// let mut text = Vec::new();
/// for game in ["1. e4 *\r\n", "1. d4 *", "1. c4 *\n\n"] {
///     for part in joiner.next(game.as_bytes()) {
///         text.extend_from_slice(part);
///     }
/// }
/// assert_eq!(text, b"1. e4 *\r\n\r\n1. d4 *\r\n\r\n1. c4 *\n\n");
/// ```
#[derive(Debug, Default)]
pub struct Joiner {
    /// The previous game.
    last: Option<Last>,
    /// The text to write between it and the next.
    between: Vec<u8>,
    closed: u64,
    run_together: u64,
}

#[derive(Debug, Default)]
struct Last {
    text: Vec<u8>,
    /// The line end of the text.
    newline: &'static [u8],
}

impl Joiner {
    /// Returns what to write for this game: the separator from the previous game, and the game.
    pub fn next<'a>(&'a mut self, mut game: &'a [u8]) -> [&'a [u8]; 2] {
        if let Some(last) = &self.last {
            game = game.strip_prefix(BOM).unwrap_or(game);
            self.between.clear();
            last.separate(&mut self.between);
            let bare = &game[leading(game)..];
            let closed = last.close(&mut self.between, game).or_else(|| {
                // Without its blanks the game begins a line, which a tag pair with an unquoted
                // value needs.
                let closed = last.close(&mut self.between, bare)?;
                game = bare;
                Some(closed)
            });
            self.closed += u64::from(closed == Some(true));
            self.run_together += u64::from(closed.is_none());
        }
        let before = self.last.as_ref().map(|last| last.newline);
        let last = self.last.get_or_insert_default();
        last.text.clear();
        last.text.extend_from_slice(game);
        last.newline = newline_of(game).or(before).unwrap_or(b"\n");
        [&self.between, game]
    }

    /// The number of games so far that needed more than an empty line after them.
    pub fn closed(&self) -> u64 {
        self.closed
    }

    /// The number of games so far that could not be separated from the one before.
    pub fn run_together(&self) -> u64 {
        self.run_together
    }
}

/// The first line end of a text.
pub(crate) fn newline_of(text: &[u8]) -> Option<&'static [u8]> {
    let at = memchr::memchr2(b'\n', b'\r', text)?;
    Some(match &text[at..] {
        [b'\r', b'\n', ..] => b"\r\n",
        [b'\r', ..] => b"\r",
        _ => b"\n",
    })
}

impl Last {
    /// Appends missing line ends.
    fn separate(&self, out: &mut Vec<u8>) {
        let is_blank = |b: &&u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r');
        let blanks = self.text.iter().rev().take_while(is_blank).count();
        let end = &self.text[self.text.len() - blanks..];
        let count = |wanted| end.iter().filter(|&&b| b == wanted).count();
        let ends = match count(b'\n') {
            0 => count(b'\r'),
            feeds => feeds,
        };
        for _ in ends..2 {
            out.extend_from_slice(self.newline);
        }
        // The last line must be empty, not blank.
        if ends >= 2 && matches!(end.last(), Some(b' ' | b'\t')) {
            out.extend_from_slice(self.newline);
        }
    }

    /// Appends whatever else is needed to separate `next`. Returns whether anything was; `None` if
    /// nothing helps.
    fn close(&self, out: &mut Vec<u8>, next: &[u8]) -> Option<bool> {
        let plain = out.len();
        for closer in self.closers() {
            out.extend_from_slice(&closer);
            if self.stays_apart(out, next) {
                return Some(!closer.is_empty());
            }
            out.truncate(plain);
        }
        None
    }

    /// The closers to try after the empty line, shortest first: movetext without a terminator needs
    /// one, and an unclosed comment or variation swallows what follows.
    fn closers(&self) -> impl Iterator<Item = Vec<u8>> {
        let opened = || memchr::memchr_iter(b'(', &self.text).count();
        let depths = (0..=DEEP).chain(iter::once_with(opened));
        let with = depths.flat_map(|depth| {
            let variations = match depth {
                0 => String::new(),
                _ => ")".repeat(depth) + "\n",
            };
            ["", "}\n"].map(|comment| format!("{comment}{variations}*\n\n").into_bytes())
        });
        iter::once(Vec::new()).chain(with)
    }

    /// Whether the first unit after this game is the next game. (Text before its first character
    /// belongs to this one.)
    fn stays_apart(&self, between: &[u8], next: &[u8]) -> bool {
        let first = self.text.len() + between.len() + leading(next);
        let text = [&self.text, between, next].concat();
        let mut splitter = Splitter::in_letters(None);
        while let Some(unit) = splitter.next_unit(&text, true) {
            if unit.start >= self.text.len() {
                return unit.start == first && unit.kind == UnitKind::Game;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(games: &[&str]) -> (String, u64) {
        let mut joiner = Joiner::default();
        let mut text = Vec::new();
        for game in games {
            joiner
                .next(game.as_bytes())
                .iter()
                .for_each(|part| text.extend_from_slice(part));
        }
        (String::from_utf8(text).unwrap(), joiner.closed())
    }

    fn games(text: &str) -> usize {
        let mut splitter = Splitter::in_letters(None);
        let mut games = 0;
        while let Some(unit) = splitter.next_unit(text.as_bytes(), true) {
            games += usize::from(unit.kind == UnitKind::Game);
        }
        games
    }

    #[test]
    fn every_two_stay_two() {
        let long = "a long comment ".repeat(600);
        let long = [
            format!("{{{long}}}\n1. e4 *\n"),
            format!("\n\n; {long}\n1. e4 e5"),
            format!("[A \"1\"]\n\n{{{long}}} 1. e4 {{{long}"),
            format!("\t\n{}1. e4 *", "% a line\n".repeat(600)),
            format!("1. e4 {{{}}} e5\n", "b".repeat(1 << 20)),
            format!("1. e4 ({{{}", "c".repeat(1 << 20)),
        ];
        let all = [
            "1. e4 *\n\n",
            "1. e4 *",
            "1. e4 e5\n",
            "1. e4 { lost\n",
            "1. e4 {unclosed\n\n",
            "1. e4 (1. d4 { lost",
            "1. e4 (1. d4\n\n",
            "1. e4 (1. d4 (1. c4 d5 (1... e5 { lost",
            "1. e4 (1. d4 (1. c4 d5 (1... e5\n",
            "1. e4 (((((((((( e5",
            "[A \"1\"]\n\n",
            "[A \"1\"]\n[B \"2\"]\n[C \"3\"]\n\n1. d4 1-0\n",
            "[C \"3\"]\n",
            "% a line\n1. e4 *\n",
            "1. e4 ; comment",
            "1. e4\n% line",
            "\u{feff}1. c4 *\n",
            "\n[A \"1\"]\n\n1. e4 *\n",
            " [A \"1\"]\n\n1. e4 *\n",
            "\t[A \"1\"]\n\n1. e4 {",
            " \t\r\n\r\n  \n1. d4",
            "\u{feff}\n\n[A \"1\"]\n[B \"2\"]\n[C \"3\"]\n",
            "\n*\n",
            " 1-0",
            "\x0b\x0c[A \"1\"]",
            "[A \"1\"]\n[B \"2",
            "\u{200b}\u{3000}[A \"1\"]\n\n1. e4 *\n\u{1a}",
            "> > [A \"1\"]\n> > [B \"2\"]\n\n1. e4 *\n",
        ];
        for a in all.into_iter().chain(long.iter().map(String::as_str)) {
            for b in all.into_iter().chain(long.iter().map(String::as_str)) {
                let (text, _) = joined(&[a, b]);
                let shown = |text: &str| text.chars().take(80).collect::<String>();
                assert_eq!(games(&text), 2, "{:?} {:?}", shown(a), shown(b));
                assert!(text.starts_with(a) && text.ends_with(b.trim_start_matches('\u{feff}')));
            }
        }
    }

    #[test]
    fn three_stay_three_when_each_begins_with_an_empty_line() {
        for game in [
            "\n[A \"1\"]\n\n1. e4 *\n",
            "\n[A \"1\"]\n\n1. e4 {",
            "\r\n\t1. e4",
        ] {
            assert_eq!(games(&joined(&[game; 3]).0), 3, "{game:?}");
        }
    }

    #[test]
    fn blanks_go_where_the_game_would_be_none_behind_them() {
        let game = " [A 1]\n\n1. e4 *\n";
        assert_eq!(games(game), 1);
        assert_eq!(
            joined(&[game, game]).0,
            " [A 1]\n\n1. e4 *\n\n[A 1]\n\n1. e4 *\n"
        );
    }

    #[test]
    fn what_no_addition_keeps_apart_is_counted() {
        let mut joiner = Joiner::default();
        joiner.next(b"1. e4 *\n\n");
        joiner.next(b"no game\n");
        assert_eq!((joiner.closed(), joiner.run_together()), (0, 1));
    }

    #[test]
    fn no_more_than_is_needed() {
        assert_eq!(
            joined(&["1. e4 *\n\n", "1. d4 *\n\n"]).0,
            "1. e4 *\n\n1. d4 *\n\n"
        );
        assert_eq!(
            joined(&["1. e4 *\n", "1. d4 *"]),
            ("1. e4 *\n\n1. d4 *".into(), 0)
        );
        assert_eq!(
            joined(&["1. e4 *\r\n", "1. d4 *"]).0,
            "1. e4 *\r\n\r\n1. d4 *"
        );
        assert_eq!(joined(&["1. e4", "1. d4"]), ("1. e4\n\n1. d4".into(), 0));
        assert_eq!(
            joined(&["1. e4 {", "1. d4"]),
            ("1. e4 {\n\n}\n*\n\n1. d4".into(), 1)
        );
        assert_eq!(
            joined(&["1. e4 *\n\n", "\n[A \"1\"]\n"]),
            ("1. e4 *\n\n\n[A \"1\"]\n".into(), 0)
        );
        assert_eq!(
            joined(&["1. e4 (1. d4 (1. c4", "1. d4"]),
            ("1. e4 (1. d4 (1. c4\n\n))\n*\n\n1. d4".into(), 1)
        );
    }
}
