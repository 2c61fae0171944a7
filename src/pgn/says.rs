//! What the comments of a game say of its moves: clocks, times and evaluations.

use crate::blanks::is_space;
use crate::command::{EngineNote, Evaluation, has_hours, may_be_hours, seconds};

/// The commands whose values are read.
const COMMANDS: [&str; 3] = ["clk", "emt", "eval"];

/// What the comments behind a move say of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Says {
    /// Seconds left on the player's clock: `[%clk 0:03:00]`, or the `tl=` of an engine match.
    pub clock: Option<f64>,
    /// Seconds that the move took: `[%emt 0:00:05]`, or as engine matches write it.
    pub elapsed: Option<f64>,
    /// The evaluation of the position after the move, from White's side: `[%eval -0.31]`,
    /// `[%eval #5]`, or as engine matches write it.
    pub evaluation: Option<Evaluation>,
    /// The depth of the search behind the evaluation, in plies: `[%eval -0.31,22]`.
    pub depth: Option<u32>,
    /// Which commands there were: the first one of a name decides, whatever its value.
    seen: [bool; COMMANDS.len()],
    /// There was a note of an engine, and whether it evaluates from White's side, if that is sure.
    has_note: bool,
    note_of_white: Option<bool>,
    has_hours: bool,
    may_be_hours: bool,
}

impl PartialEq for Says {
    /// Whether the values are the same, however they were written.
    fn eq(&self, other: &Says) -> bool {
        let values = |says: &Says| (says.clock, says.elapsed, says.evaluation, says.depth);
        values(self) == values(other)
    }
}

impl Says {
    /// Reads a comment. `rest` gets the parts of it that are no command with a value.
    pub fn comment(&mut self, comment: &str, mut rest: impl FnMut(&str)) {
        if !self.has_note
            && let Some(note) = EngineNote::read(comment)
        {
            self.note(note);
        }
        let mut kept = 0;
        for (at, _) in comment.match_indices("[%") {
            let inside = &comment[at + 2..];
            let inside = inside.split("[%").next().unwrap_or_default();
            let Some((command, _)) = inside.split_once(']') else {
                continue;
            };
            if self.obey(command).is_some() {
                rest(&comment[kept..at]);
                kept = at + 2 + command.len() + 1;
            }
        }
        rest(&comment[kept..]);
    }

    /// Takes what a note says, unless commands say it.
    fn note(&mut self, note: EngineNote) {
        let [clock, elapsed, evaluation] = self.seen.map(|seen| !seen);
        (self.has_note, self.note_of_white) = (true, note.is_of_white);
        self.clock = note.clock.filter(|_| clock).or(self.clock);
        self.elapsed = note.elapsed.filter(|_| elapsed).or(self.elapsed);
        if evaluation {
            (self.evaluation, self.depth) = (note.evaluation, note.depth);
        }
    }

    fn obey(&mut self, command: &str) -> Option<()> {
        // Lines of a comment may break anywhere.
        let (name, value) = command.split_at(command.bytes().position(is_space)?);
        let number = COMMANDS.iter().position(|&known| known == name)?;
        if std::mem::replace(&mut self.seen[number], true) {
            return None;
        }
        let value = value.trim();
        match number {
            0 => {
                self.clock = seconds(value);
                self.clock?;
                (self.has_hours, self.may_be_hours) = (has_hours(value), may_be_hours(value));
            }
            1 => {
                self.elapsed = seconds(value);
                self.elapsed?;
            }
            _ => {
                let parsed = Evaluation::parse(value);
                self.evaluation = parsed.map(|parsed| parsed.0);
                self.depth = parsed.and_then(|parsed| parsed.1);
                let evaluation = self.evaluation?;
                let is_pawns = matches!(evaluation, Evaluation::Pawns(_));
                // A larger one than tables hold stays in its comment.
                return (!is_pawns || evaluation.centipawns().is_some()).then_some(());
            }
        }
        Some(())
    }
}

/// How the comments of a main line are written, as far as some of them tell it of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommentForms {
    /// Some clock has hours, so `1:59` is hours and minutes.
    hours: bool,
    /// The evaluations of some note of an engine are from White's side, so all are.
    of_white: bool,
}

impl CommentForms {
    /// The forms of these comments.
    pub fn new<'s>(line: impl IntoIterator<Item = &'s Says>) -> CommentForms {
        let mut forms = CommentForms::default();
        for says in line {
            forms.hours |= says.has_hours;
            forms.of_white |= says.note_of_white == Some(true);
        }
        forms
    }

    /// Ends the comments of a move, which Black played or White: its values are as the comments of
    /// the game mean them.
    pub fn settle(self, says: &mut Says, black: bool) {
        if self.hours && std::mem::take(&mut says.may_be_hours) {
            says.clock = says.clock.map(|clock| 60.0 * clock);
        }
        let is_of_note = std::mem::take(&mut says.has_note) && !says.seen[2];
        if is_of_note && black && !says.note_of_white.unwrap_or(self.of_white) {
            says.evaluation = says.evaluation.map(Evaluation::turned);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Evaluation::{Mate, Pawns};

    /// What the comments of a move say, and what is left of them.
    fn read(comments: &[&str]) -> (Says, Vec<String>) {
        let (mut says, mut rest) = (Says::default(), Vec::new());
        for comment in comments {
            says.comment(comment, |part| rest.push(part.trim().to_owned()));
        }
        CommentForms::new([&says]).settle(&mut says, false);
        rest.retain(|part| !part.is_empty());
        (says, rest)
    }

    #[test]
    fn commands_in_comments() {
        let (both, rest) = read(&[
            "book",
            " [%eval\n-0.31,12] [%clk 1:02:03.5] then [%clk 0:00:01]",
        ]);
        assert_eq!(
            (both.evaluation, both.depth),
            (Some(Pawns(-0.31)), Some(12))
        );
        assert_eq!((both.clock, both.elapsed), (Some(3723.5), None));
        assert_eq!(rest, ["book", "then [%clk 0:00:01]"]);
        let (mate, rest) = read(&["a [%eval #-3] b [%csl Gd4]", "[%emt 2:05]"]);
        assert_eq!(
            (mate.evaluation, mate.elapsed),
            (Some(Mate(-3)), Some(125.0))
        );
        assert_eq!(rest, ["a", "b [%csl Gd4]"]);
        for kept in [
            "[%clk]",
            "[%clk 1:xx]",
            "[%clk inf]",
            "[%eval NaN]",
            "[%eval 1e3]",
            "[%eval #]",
            "%clk 1",
            "[%clk 1:02",
            "[%CLK 1:02]",
            "[% clk 1]",
            // The first one decides.
            "[%clk 1:xx][%clk 0:01:00]",
        ] {
            let (says, rest) = read(&[kept]);
            assert_eq!((says.clock, says.evaluation), (None, None), "{kept}");
            assert_eq!(rest, [kept]);
        }
        let (far, rest) = read(&["[%eval 9999999.0,3]"]);
        assert_eq!(
            (far.evaluation, far.depth),
            (Some(Pawns(9_999_999.0)), Some(3))
        );
        assert_eq!(rest, ["[%eval 9999999.0,3]"]);
        assert_eq!(read(&["[%clk 1 [%emt 2]"]).1, ["[%clk 1"]);
    }

    #[test]
    fn commands_count_before_notes() {
        let note = "+0.35/21 1.2s";
        for comments in [
            [note, "[%eval 1.5] [%emt 7]"],
            ["[%eval 1.5] [%emt 7]", note],
        ] {
            let says = read(&comments).0;
            assert_eq!(
                (says.evaluation, says.depth, says.elapsed),
                (Some(Pawns(1.5)), None, Some(7.0))
            );
        }
        for comments in [[note, "[%eval x]"], ["[%eval x]", note]] {
            let says = read(&comments).0;
            assert_eq!(
                (says.evaluation, says.depth, says.elapsed),
                (None, None, Some(1.2))
            );
        }
        // The first note decides.
        assert_eq!(read(&[note, "-0.1/9 5s"]).0.evaluation, Some(Pawns(0.35)));
    }

    #[test]
    fn other_comments_of_the_game_tell_how_one_is_meant() {
        let line = |comments: &[&str]| {
            let moves = comments.iter().map(|comment| {
                let mut says = Says::default();
                says.comment(comment, |_| ());
                says
            });
            let mut line: Vec<Says> = moves.collect();
            let forms = CommentForms::new(&line);
            let plies = (0..).zip(&mut line);
            plies.for_each(|(ply, says)| forms.settle(says, ply % 2 == 1));
            line
        };
        let clocks = |comments: &[&str]| {
            let line = line(comments);
            line.iter().map(|says| says.clock).collect::<Vec<_>>()
        };
        let (hours, minutes) = ("[%clk 2:01:00]", "[%clk 1:59]");
        assert_eq!(clocks(&[hours, minutes]), [Some(7260.0), Some(7140.0)]);
        // What is no time tells nothing.
        assert_eq!(clocks(&["[%clk 1:xx:00]", minutes]), [None, Some(119.0)]);
        let evaluations = line(&["0.2/9 3", "-0.4/9 5", "", "-#3/9 1"]);
        let evaluations = evaluations.iter().map(|says| says.evaluation);
        assert_eq!(
            evaluations.collect::<Vec<_>>(),
            [Some(Pawns(0.2)), Some(Pawns(-0.4)), None, Some(Mate(-3))]
        );
    }
}
