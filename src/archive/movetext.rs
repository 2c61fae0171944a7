//! The moves of a game with their annotations, as the library returns them.

use std::mem::take;

use pgc_chess::{Check, Position};
pub use pgc_pgn::command::Evaluation;
use pgc_pgn::command::{EngineNote, command, has_hours, may_be_hours, seconds};
use pgc_pgn::game::{Elem, ElemKind, ParsedGame};
use pgc_pgn::text::decoded;

/// Variations inside more than this many others are left out.
const MAX_DEPTH: usize = 32;

/// How a null move is written.
const NULL: &str = "--";

/// A move, played.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PlayedMove {
    /// In SAN, with its check mark: `Nf3`, `exd8=Q#`. A null move is `--`.
    pub san: String,
    /// In UCI notation: `g1f3`, `e7d8q`, `P@e4`. Castling is the king's move; in Chess960, the
    /// king's move onto its rook. A null move is `0000`.
    pub uci: String,
    /// The numbers of its numeric annotation glyphs: 1 for `!`.
    pub nags: Vec<u32>,
    /// The comments before it, if it is the first of a variation.
    pub before: Vec<String>,
    /// The numbers of the glyphs before it, if it is the first of a variation.
    pub nags_before: Vec<u32>,
    /// The comments after it, without their braces.
    pub comments: Vec<String>,
    /// What could have been played instead of it. Variations inside more than 32 others are in the
    /// text of the game only.
    pub variations: Vec<Vec<PlayedMove>>,
    /// Black played it.
    black: bool,
    /// Another clock of the game has hours.
    hours: bool,
    /// Another comment of the game has an evaluation from White's side.
    of_white: bool,
}

impl PlayedMove {
    /// For copies of a move that another program keeps: what the rest of the game says of how its
    /// clock and its evaluation are read.
    #[doc(hidden)]
    pub fn context(&mut self) -> [&mut bool; 3] {
        [&mut self.black, &mut self.hours, &mut self.of_white]
    }

    /// Plays the move with this ordinal; `None` if there is none.
    pub(crate) fn play(position: &mut Position, ordinal: u8) -> Option<PlayedMove> {
        let m = position.select(ordinal)?;
        let mut san = text(position.san(m).as_bytes());
        let uci = position.uci(m);
        let black = position.num() % 2 == 1;
        position.play(m);
        match position.check() {
            Check::None => {}
            Check::Check => san.push('+'),
            Check::Mate => san.push('#'),
        }
        Some(PlayedMove {
            san,
            uci,
            black,
            ..PlayedMove::default()
        })
    }

    /// Plays a null move; `None` where none is possible.
    fn pass(position: &mut Position) -> Option<PlayedMove> {
        let black = position.num() % 2 == 1;
        position.pass().then(|| PlayedMove {
            san: NULL.to_owned(),
            uci: "0000".to_owned(),
            black,
            ..PlayedMove::default()
        })
    }

    /// Plays a move of a game again.
    pub(crate) fn again(&self, position: &mut Position) -> Option<()> {
        if self.san == NULL {
            return position.pass().then_some(());
        }
        let m = position.resolve(self.san.as_bytes()).ok()?.m;
        position.play(m);
        Some(())
    }

    /// The time left on the player's clock in seconds: `[%clk 0:03:00]` in a comment, or the `tl=`
    /// of an engine match.
    #[must_use]
    pub fn clock(&self) -> Option<f64> {
        let Some(time) = self.command("clk") else {
            return self.engine_note()?.clock;
        };
        let is_hours = self.hours && may_be_hours(time);
        Some(if is_hours { 60.0 } else { 1.0 } * seconds(time)?)
    }

    /// The time that the move took, in seconds: `[%emt 0:00:05]`, or as engine matches write it.
    #[must_use]
    pub fn elapsed(&self) -> Option<f64> {
        match self.command("emt") {
            Some(time) => seconds(time),
            None => self.engine_note()?.elapsed,
        }
    }

    /// The evaluation of the position after the move: `[%eval -0.31]`, `[%eval #5]`, or as engine
    /// matches write it.
    #[must_use]
    pub fn evaluation(&self) -> Option<Evaluation> {
        match self.command("eval") {
            Some(value) => Evaluation::parse(value).map(|found| found.0),
            None => self.engine_note()?.evaluation(self.black, self.of_white),
        }
    }

    /// The depth of the search behind the evaluation, in plies: `[%eval -0.31,22]`.
    #[must_use]
    pub fn depth(&self) -> Option<u32> {
        match self.command("eval") {
            Some(value) => Evaluation::parse(value)?.1,
            None => self.engine_note()?.depth,
        }
    }

    fn engine_note(&self) -> Option<EngineNote> {
        self.comments.iter().find_map(|text| EngineNote::read(text))
    }

    /// Tells the moves of a game how the comments of the others are written.
    fn tell_each_other(moves: &mut [PlayedMove]) {
        let mut clocks = moves.iter().filter_map(|played| played.command("clk"));
        let hours = clocks.any(has_hours);
        let mut notes = moves.iter().filter_map(PlayedMove::engine_note);
        let of_white = notes.any(|note| note.is_of_white == Some(true));
        if hours || of_white {
            PlayedMove::tell(moves, hours, of_white);
        }
    }

    /// Tells the moves, and those of their variations, whether clocks of the game have hours, and
    /// evaluations are from White's side.
    fn tell(moves: &mut [PlayedMove], hours: bool, of_white: bool) {
        for played in moves {
            (played.hours, played.of_white) = (hours, of_white);
            for variation in &mut played.variations {
                PlayedMove::tell(variation, hours, of_white);
            }
        }
    }

    /// The value of a command in its comments: the first `[%name value]`.
    fn command(&self, name: &str) -> Option<&str> {
        self.comments.iter().find_map(|text| command(text, name))
    }
}

/// The movetext of a game, or a variation.
#[derive(Default)]
pub(crate) struct Movetext {
    /// The main line.
    pub(crate) moves: Vec<PlayedMove>,
    /// The comments before the first move.
    pub(crate) comments: Vec<String>,
    /// The glyphs before the first move.
    pub(crate) nags: Vec<u32>,
}

/// A line that is being read: the main line or a variation.
struct OpenLine {
    /// Its comments and glyphs go into the next move, if that is the first.
    read: Movetext,
    now: Position,
    /// The position before the last move.
    last: Option<Position>,
}

impl OpenLine {
    fn new(now: Position) -> OpenLine {
        let (read, last) = (Movetext::default(), None);
        OpenLine { read, now, last }
    }

    fn take(&mut self, elem: &Elem, source: &[u8], has_variations: bool) -> Result<(), u8> {
        match elem.kind {
            ElemKind::Move | ElemKind::Null => {
                if has_variations {
                    self.last = Some(self.now.clone());
                }
                let played = match elem.kind {
                    ElemKind::Null => PlayedMove::pass(&mut self.now),
                    _ => PlayedMove::play(&mut self.now, elem.ordinal),
                };
                self.read.moves.push(PlayedMove {
                    before: take(&mut self.read.comments),
                    nags_before: take(&mut self.read.nags),
                    ..played.ok_or(elem.ordinal)?
                });
            }
            ElemKind::Nag => match self.read.moves.last_mut() {
                Some(last) => last.nags.push(elem.num),
                None => self.read.nags.push(elem.num),
            },
            ElemKind::Brace | ElemKind::Line => {
                let comment = text(&source[elem.inner()]);
                match self.read.moves.last_mut() {
                    Some(last) => last.comments.push(comment),
                    None => self.read.comments.push(comment),
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Movetext {
    /// Reads the moves of a game, `source` being what its positions refer to.
    ///
    /// # Errors
    /// The ordinal that no legal move has.
    pub(crate) fn read(source: &[u8], game: &ParsedGame<'_>, start: Position) -> Result<Self, u8> {
        let has_variations = game.kinds.any(&[ElemKind::RavOpen]);
        let mut main = OpenLine::new(start);
        let mut open: Vec<OpenLine> = Vec::new();
        // The number of open variations that are left out.
        let mut left_out = 0_u32;
        for elem in &game.elems[game.tag_elems..] {
            let line = open.last_mut().unwrap_or(&mut main);
            match elem.kind {
                ElemKind::RavOpen => match line.last.clone() {
                    Some(before) if left_out == 0 && open.len() < MAX_DEPTH => {
                        open.push(OpenLine::new(before));
                    }
                    _ => left_out += 1,
                },
                ElemKind::RavClose if left_out > 0 => left_out -= 1,
                ElemKind::RavClose => close(&mut open, &mut main),
                _ if left_out > 0 => {}
                _ => line.take(elem, source, has_variations)?,
            }
        }
        while !open.is_empty() {
            close(&mut open, &mut main);
        }
        let mut read = main.read;
        PlayedMove::tell_each_other(&mut read.moves);
        if let Some(first) = read.moves.first_mut() {
            (read.comments, read.nags) = (take(&mut first.before), take(&mut first.nags_before));
        }
        Ok(read)
    }

    /// The comments and glyphs of a game without a usable start position, which has no moves.
    pub(crate) fn without_moves(source: &[u8], game: &ParsedGame<'_>) -> Movetext {
        let elems = &game.elems[game.tag_elems..];
        let is_comment = |elem: &&Elem| matches!(elem.kind, ElemKind::Brace | ElemKind::Line);
        let comments = elems.iter().filter(is_comment);
        let nags = elems.iter().filter(|elem| elem.kind == ElemKind::Nag);
        Movetext {
            moves: Vec::new(),
            comments: comments.map(|elem| text(&source[elem.inner()])).collect(),
            nags: nags.map(|elem| elem.num).collect(),
        }
    }
}

/// The moves of the main line with their comments. They are not played: this is for their clocks
/// and evaluations. `black`: Black has the first move.
pub(crate) fn annotated(source: &[u8], game: &ParsedGame<'_>, black: bool) -> Vec<PlayedMove> {
    let (mut moves, mut depth) = (Vec::<PlayedMove>::new(), 0_u32);
    for elem in &game.elems[game.tag_elems..] {
        match elem.kind {
            ElemKind::RavOpen => depth += 1,
            ElemKind::RavClose => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            ElemKind::Move | ElemKind::Null => moves.push(PlayedMove {
                black: black != (moves.len() % 2 == 1),
                ..PlayedMove::default()
            }),
            ElemKind::Brace | ElemKind::Line => {
                if let Some(last) = moves.last_mut() {
                    last.comments.push(text(&source[elem.inner()]));
                }
            }
            _ => {}
        }
    }
    PlayedMove::tell_each_other(&mut moves);
    moves
}

/// Ends the last open variation: it belongs to the last move of the line around it.
fn close(open: &mut Vec<OpenLine>, main: &mut OpenLine) {
    let Some(variation) = open.pop() else { return };
    let around = open.last_mut().unwrap_or(main);
    let moves = variation.read.moves;
    if let (Some(last), false) = (around.read.moves.last_mut(), moves.is_empty()) {
        last.variations.push(moves);
    }
}

/// Text of a source, as UTF-8.
pub(crate) fn text(bytes: &[u8]) -> String {
    decoded(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_in_comments() {
        let played = |comments: &[&str]| PlayedMove {
            comments: comments.iter().map(|&comment| comment.to_owned()).collect(),
            ..PlayedMove::default()
        };
        let both = played(&[
            "book",
            " [%eval\n-0.31,12] [%clk 1:02:03.5] then [%clk 0:00:01]",
        ]);
        assert_eq!(both.evaluation(), Some(Evaluation::Pawns(-0.31)));
        assert_eq!((both.clock(), both.elapsed()), (Some(3723.5), None));
        let mate = played(&["[%eval #-3][%emt 2:05]"]);
        assert_eq!(
            (mate.evaluation(), mate.elapsed()),
            (Some(Evaluation::Mate(-3)), Some(125.0))
        );
        for nothing in [
            "[%clk]",
            "[%clk 1:xx]",
            "[%clk inf]",
            "[%eval NaN]",
            "[%eval 1e3]",
            "[%eval #]",
            "%clk 1",
            "[%clk 1:02",
        ] {
            let nothing = played(&[nothing]);
            assert_eq!((nothing.clock(), nothing.evaluation()), (None, None));
        }
    }
}
