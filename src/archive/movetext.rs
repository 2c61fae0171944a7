//! The moves of a game with their annotations, as the library returns them.

use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use crate::games::annotations::MAX_DEPTH;
use crate::games::data::GameData;
use pgc_chess::{Position, SanText, known_start};
pub use pgc_pgn::command::Evaluation;
use pgc_pgn::game::{Elem, ElemKind, ParsedGame, ParsedGames};
use pgc_pgn::says::{CommentForms, Says};
use pgc_pgn::text::decoded;

/// How a null move is written.
const NULL: &str = "--";

/// A move, played. What is written of it is read and changed as if these were its own fields: see
/// [`MoveNotes`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PlayedMove {
    /// In SAN, with its check mark: `Nf3`, `exd8=Q#`. A null move is `--`.
    pub san: SanText,
    /// In UCI notation: `g1f3`, `e7d8q`, `P@e4`. Castling is the king's move; in Chess960, the
    /// king's move onto its rook. A null move is `0000`.
    pub uci: SanText,
    /// Most moves have none, and a game may have a million moves.
    notes: Option<Box<MoveNotes>>,
}

/// What is written of a move.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MoveNotes {
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
    /// What the comments say of it.
    pub says: Says,
}

impl PartialEq for PlayedMove {
    fn eq(&self, other: &PlayedMove) -> bool {
        (self.san, self.uci) == (other.san, other.uci) && **self == **other
    }
}

impl Deref for PlayedMove {
    type Target = MoveNotes;

    fn deref(&self) -> &MoveNotes {
        static NONE: LazyLock<MoveNotes> = LazyLock::new(MoveNotes::default);
        self.notes.as_deref().unwrap_or(&NONE)
    }
}

impl DerefMut for PlayedMove {
    fn deref_mut(&mut self) -> &mut MoveNotes {
        self.notes.get_or_insert_default()
    }
}

impl PlayedMove {
    /// Plays the move with this ordinal; `None` if there is none.
    fn play(position: &mut Position, ordinal: u8) -> Option<PlayedMove> {
        let m = position.select(ordinal)?;
        Some(PlayedMove {
            uci: position.uci(m),
            san: position.play_san(m),
            notes: None,
        })
    }

    /// Plays a null move; `None` where none is possible.
    fn pass(position: &mut Position) -> Option<PlayedMove> {
        position.pass().then(|| PlayedMove {
            san: NULL.into(),
            uci: "0000".into(),
            notes: None,
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
    pub fn clock(&self) -> Option<f64> {
        self.says.clock
    }

    /// The time that the move took, in seconds: `[%emt 0:00:05]`, or as engine matches write it.
    pub fn elapsed(&self) -> Option<f64> {
        self.says.elapsed
    }

    /// The evaluation of the position after the move: `[%eval -0.31]`, `[%eval #5]`, or as engine
    /// matches write it.
    pub fn evaluation(&self) -> Option<Evaluation> {
        self.says.evaluation
    }

    /// The depth of the search behind the evaluation, in plies: `[%eval -0.31,22]`.
    pub fn depth(&self) -> Option<u32> {
        self.says.depth
    }

    /// Ends the comments of the moves of a line and its variations; Black has the first, or White.
    fn settle(moves: &mut [PlayedMove], forms: CommentForms, mut black: bool) {
        for played in moves {
            if let Some(notes) = &mut played.notes {
                forms.settle(&mut notes.says, black);
                let lines = notes.variations.iter_mut();
                lines.for_each(|line| PlayedMove::settle(line, forms, black));
            }
            black = !black;
        }
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
    /// The comments and glyphs of a variation go into its first move.
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
                self.read.moves.push(played.ok_or(elem.ordinal)?);
            }
            ElemKind::Nag => match self.read.moves.last_mut() {
                Some(last) => last.nags.push(elem.num),
                None => self.read.nags.push(elem.num),
            },
            ElemKind::Brace | ElemKind::Line => {
                let comment = text(&source[elem.inner()]);
                match self.read.moves.last_mut() {
                    Some(last) => {
                        let last = &mut **last;
                        last.says.comment(&comment, |_| ());
                        // Most moves have one.
                        last.comments
                            .reserve_exact(usize::from(last.comments.is_empty()));
                        last.comments.push(comment);
                    }
                    None => self.read.comments.push(comment),
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Movetext {
    /// Reads the moves of a game, `source` being what its positions refer to. A game without a usable
    /// start position has no moves, but comments and glyphs.
    ///
    /// # Errors
    /// The ordinal that no legal move has.
    pub(crate) fn read(
        source: &[u8],
        game: &ParsedGame<'_>,
        start: Option<Position>,
    ) -> Result<Self, u8> {
        let has_moves = start.is_some();
        let start = start.unwrap_or_else(Position::initial);
        let has_variations = game.kinds.any(&[ElemKind::RavOpen]);
        let black = !start.white_to_move();
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
                ElemKind::Move | ElemKind::Null if !has_moves => {}
                _ => line.take(elem, source, has_variations)?,
            }
        }
        while !open.is_empty() {
            close(&mut open, &mut main);
        }
        let mut read = main.read;
        let forms = CommentForms::new(read.moves.iter().map(|played| &played.says));
        PlayedMove::settle(&mut read.moves, forms, black);
        Ok(read)
    }
}

/// What the comments say of each move of the main line, null moves too.
fn main_line_says(source: &[u8], game: &ParsedGame<'_>, says: &mut Vec<Says>) {
    for elem in game.main_elems() {
        match elem.kind {
            ElemKind::Move | ElemKind::Null => says.push(Says::default()),
            ElemKind::Brace | ElemKind::Line => {
                if let Some(last) = says.last_mut() {
                    last.comment(&decoded(&source[elem.inner()]), |_| ());
                }
            }
            _ => {}
        }
    }
}

/// What the comments say of each move of the main line of a decoded game. Where null moves begin, it
/// ends in text (D35), which is read here.
pub(crate) fn says_of(data: &GameData) -> Vec<Says> {
    let (game, mut says) = (data.game(), Vec::new());
    let start = known_start(data.tags()).ok();
    let black = (start.as_ref()).is_some_and(|position| !position.white_to_move());
    main_line_says(data.text(), &game, &mut says);
    if let (Some(tail), Some(mut position)) = (game.tail(data.text()), start)
        && (game.main_line()).all(|ordinal| position.advance(ordinal, None).is_some())
    {
        let rules = text(data.tag(b"Variant").unwrap_or(b"chess"));
        let fen = position.fen();
        let mut rest = format!("[Variant \"{rules}\"]\n[FEN \"{fen}\"]\n\n").into_bytes();
        rest.extend_from_slice(tail);
        let mut games = ParsedGames::with_null_moves(None);
        if let Some(game) = games.read_one(&rest) {
            main_line_says(&rest, &game, &mut says);
        }
    }
    let forms = CommentForms::new(&says);
    let sides = [black, !black].into_iter().cycle();
    (says.iter_mut().zip(sides)).for_each(|(says, black)| forms.settle(says, black));
    says
}

/// Ends the last open variation: it belongs to the last move of the line around it.
fn close(open: &mut Vec<OpenLine>, main: &mut OpenLine) {
    let Some(variation) = open.pop() else { return };
    let around = open.last_mut().unwrap_or(main);
    let mut read = variation.read;
    if let (Some(last), Some(first)) = (around.read.moves.last_mut(), read.moves.first_mut()) {
        if !(read.comments.is_empty() && read.nags.is_empty()) {
            (first.before, first.nags_before) = (read.comments, read.nags);
        }
        last.variations.push(read.moves);
    }
}

/// Text of a source, as UTF-8.
pub(crate) fn text(bytes: &[u8]) -> String {
    decoded(bytes).into_owned()
}
