//! What the comments and NAGs of a main line say, ply by ply.

use pgc_pgn::command::{EngineNote, Evaluation, has_hours, may_be_hours, seconds};
use pgc_pgn::game::{ElemKind, ParsedGame};
use pgc_pgn::text::decoded;

/// Values of some plies, in the order of the plies, each with its ply from 0.
pub type PlyValues<T> = Vec<(u32, T)>;

/// The annotations of a main line. It is reused for the next game, to save allocations.
#[derive(Debug, Default, PartialEq)]
pub struct LineNotes {
    /// The comments before the first move.
    pub first_comment: String,
    /// Comments without what other columns have.
    pub comments: PlyValues<String>,
    /// NAGs.
    pub nags: PlyValues<i32>,
    /// Seconds left.
    pub clocks: PlyValues<f64>,
    /// Seconds taken.
    pub elapsed: PlyValues<f64>,
    /// Evaluations in hundredths of a pawn.
    pub evals: PlyValues<i32>,
    /// Moves to mate.
    pub mates: PlyValues<i32>,
    /// Depths of search.
    pub depths: PlyValues<i32>,
    /// Black played the current move.
    black: bool,
    /// What the comments of an engine match say of the current move.
    engine: Option<EngineNote>,
    /// The clocks that are hours and minutes if another one of the game has hours.
    short: Vec<usize>,
    hours: bool,
    /// The numbers of the evaluations and mates that are from White's side as they are, if others of
    /// the game are.
    unsaid: [Vec<usize>; 2],
    of_white: bool,
    /// Which commands the comments after the current move have had.
    seen: [bool; COMMANDS.len()],
}

/// The commands that have columns.
const COMMANDS: [&str; 3] = ["clk", "emt", "eval"];

impl LineNotes {
    /// Replaces the annotations by those of a game; its elements are ranges of `text`, and
    /// `black_begins` if Black has the first move.
    pub fn read(&mut self, text: &[u8], game: &ParsedGame<'_>, black_begins: bool) {
        self.first_comment.clear();
        self.comments.clear();
        self.nags.clear();
        self.clocks.clear();
        self.elapsed.clear();
        self.evals.clear();
        self.mates.clear();
        self.depths.clear();
        self.short.clear();
        self.unsaid.iter_mut().for_each(Vec::clear);
        (self.engine, self.hours, self.of_white) = (None, false, false);
        let annotations = [ElemKind::Nag, ElemKind::Brace, ElemKind::Line];
        if !game.kinds.any(&annotations) {
            return;
        }
        let mut plies = 0_u32;
        for elem in game.main_elems() {
            match elem.kind {
                ElemKind::Move => {
                    self.end_move(plies);
                    self.black = black_begins != (plies % 2 == 1);
                    plies += 1;
                    self.seen = [false; COMMANDS.len()];
                }
                ElemKind::Nag => {
                    if let (Some(ply), Ok(nag)) = (plies.checked_sub(1), elem.num.try_into()) {
                        self.nags.push((ply, nag));
                    }
                }
                ElemKind::Brace | ElemKind::Line => {
                    let comment = decoded(&text[elem.inner()]);
                    match plies.checked_sub(1) {
                        Some(ply) => self.take(ply, &comment),
                        None => add(&mut self.first_comment, &comment),
                    }
                }
                _ => {}
            }
        }
        self.end_move(plies);
        for &clock in self.short.iter().filter(|_| self.hours) {
            self.clocks[clock].1 *= 60.0;
        }
        if self.of_white {
            let [evals, mates] = &self.unsaid;
            evals.iter().for_each(|&at| self.evals[at].1 *= -1);
            mates.iter().for_each(|&at| self.mates[at].1 *= -1);
        }
    }

    /// Stores what engines said of a move where no command says it.
    fn end_move(&mut self, plies: u32) {
        let Some((note, ply)) = self.engine.take().zip(plies.checked_sub(1)) else {
            return;
        };
        let [clock, elapsed, eval] = self.seen;
        if let Some(time) = note.clock.filter(|_| !clock) {
            self.clocks.push((ply, time));
        }
        if let Some(time) = note.elapsed.filter(|_| !elapsed) {
            self.elapsed.push((ply, time));
        }
        self.of_white |= note.is_of_white == Some(true);
        if eval {
            return;
        }
        let ends = (self.evals.len(), self.mates.len());
        if let Some(evaluation) = note.evaluation(self.black, false) {
            self.evaluate(ply, evaluation, note.depth);
        }
        if self.black && note.is_of_white.is_none() {
            self.unsaid[0].extend(ends.0..self.evals.len());
            self.unsaid[1].extend(ends.1..self.mates.len());
        }
    }

    /// Takes the commands with columns out of a comment, and keeps the rest.
    fn take(&mut self, ply: u32, comment: &str) {
        self.engine = self.engine.or_else(|| EngineNote::read(comment));
        let mut kept = 0;
        for (at, _) in comment.match_indices("[%") {
            let inside = &comment[at + 2..];
            let inside = inside.split("[%").next().unwrap_or_default();
            let Some((command, _)) = inside.split_once(']') else {
                continue;
            };
            if self.obey(ply, command).is_some() {
                self.keep(ply, &comment[kept..at]);
                kept = at + 2 + command.len() + 1;
            }
        }
        self.keep(ply, &comment[kept..]);
    }

    fn keep(&mut self, ply: u32, part: &str) {
        let part = part.trim();
        if part.is_empty() {
            return;
        }
        match self.comments.last_mut().filter(|last| last.0 == ply) {
            Some((_, text)) => add(text, part),
            None => self.comments.push((ply, part.to_owned())),
        }
    }

    /// Stores the value of a command, if a column has it.
    fn obey(&mut self, ply: u32, command: &str) -> Option<()> {
        let (name, value) = command.split_once(char::is_whitespace)?;
        let number = COMMANDS.iter().position(|&known| known == name)?;
        if std::mem::replace(&mut self.seen[number], true) {
            return None;
        }
        let value = value.trim();
        match number {
            0 => {
                let time = seconds(value)?;
                self.hours |= has_hours(value);
                if may_be_hours(value) {
                    self.short.push(self.clocks.len());
                }
                self.clocks.push((ply, time));
            }
            1 => self.elapsed.push((ply, seconds(value)?)),
            _ => {
                let (evaluation, depth) = Evaluation::parse(value)?;
                self.evaluate(ply, evaluation, depth)?;
            }
        }
        Some(())
    }

    /// Stores an evaluation, if a column can have it.
    fn evaluate(&mut self, ply: u32, evaluation: Evaluation, depth: Option<u32>) -> Option<()> {
        match evaluation {
            Evaluation::Mate(moves) => self.mates.push((ply, moves)),
            // A larger one stays in its comment.
            Evaluation::Pawns(_) => self.evals.push((ply, evaluation.centipawns()?)),
        }
        if let Some(depth) = depth.and_then(|depth| depth.try_into().ok()) {
            self.depths.push((ply, depth));
        }
        Some(())
    }
}

/// Adds a part of a comment, after a blank.
fn add(text: &mut String, part: &str) {
    let part = part.trim();
    if !text.is_empty() && !part.is_empty() {
        text.push(' ');
    }
    text.push_str(part);
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgc_pgn::game::ParsedGames;

    #[test]
    fn commands_leave_the_comments() {
        let notes = |comments: &[&str]| {
            let mut notes = LineNotes::default();
            for comment in comments {
                notes.take(7, comment);
            }
            notes
        };
        let one = |text: &str| vec![(7, text.to_owned())];
        assert_eq!(
            notes(&[" [%eval -0.31,12] [%clk 1:02:03.5] "]),
            LineNotes {
                clocks: vec![(7, 3723.5)],
                evals: vec![(7, -31)],
                depths: vec![(7, 12)],
                hours: true,
                seen: [true, false, true],
                ..LineNotes::default()
            }
        );
        let mixed = notes(&["book", "a [%emt 5] b [%csl Gd4]", "[%eval #-3]"]);
        assert_eq!(mixed.comments, one("book a b [%csl Gd4]"));
        assert_eq!(
            (mixed.elapsed, mixed.mates),
            (vec![(7, 5.0)], vec![(7, -3)])
        );
        // An engine's score without a sign shows that another one is from White's side too.
        let (text, mut games) = (
            b"1. e4 {0.2/9 3} e5 {-0.4/9 5} 2. d4 d5 {-#3/9 1}",
            ParsedGames::default(),
        );
        games.read_game(text, true).unwrap();
        let mut chessbase = LineNotes::default();
        chessbase.read(text, &games.last().unwrap(), false);
        assert_eq!(
            (chessbase.evals, chessbase.mates),
            (vec![(0, 20), (1, -40)], vec![(3, -3)])
        );
        // The first one decides, even if it has no value that a column can hold.
        let twice = notes(&["[%clk 1:xx][%clk 0:01:00]", "[%clk 0:02:00]"]);
        assert_eq!(twice.clocks, vec![]);
        assert_eq!(
            twice.comments,
            one("[%clk 1:xx][%clk 0:01:00] [%clk 0:02:00]")
        );
        for kept in [
            "[%clk]",
            "[%clk 1:02",
            "[%eval 9999999.0]",
            "[%CLK 1:02]",
            "[% clk 1]",
        ] {
            let notes = notes(&[kept]);
            assert_eq!(notes.comments, one(kept));
            assert_eq!((notes.clocks, notes.evals), (vec![], vec![]));
        }
        assert_eq!(notes(&["[%clk 1 [%emt 2]"]).comments, one("[%clk 1"));
    }
}
