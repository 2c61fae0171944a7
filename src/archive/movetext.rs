//! The moves of a game with their annotations, as the library returns them.

use std::mem::take;

use crate::games::data::GameData;
use pgc_chess::{Check, Position, known_start};
pub use pgc_pgn::command::Evaluation;
use pgc_pgn::game::{Elem, ElemKind, ParsedGame, ParsedGames};
use pgc_pgn::says::{CommentForms, Says};
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
    /// What the comments say of it.
    #[doc(hidden)]
    pub says: Says,
}

impl PlayedMove {
    /// Plays the move with this ordinal; `None` if there is none.
    pub(crate) fn play(position: &mut Position, ordinal: u8) -> Option<PlayedMove> {
        let m = position.select(ordinal)?;
        let mut san = text(position.san(m).as_bytes());
        let uci = position.uci(m);
        let says = Says::new(position.num() % 2 == 1);
        position.play(m);
        match position.check() {
            Check::None => {}
            Check::Check => san.push('+'),
            Check::Mate => san.push('#'),
        }
        Some(PlayedMove {
            san,
            uci,
            says,
            ..PlayedMove::default()
        })
    }

    /// Plays a null move; `None` where none is possible.
    fn pass(position: &mut Position) -> Option<PlayedMove> {
        let says = Says::new(position.num() % 2 == 1);
        position.pass().then(|| PlayedMove {
            san: NULL.to_owned(),
            uci: "0000".to_owned(),
            says,
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

    /// Ends the comments of the moves of a line and its variations.
    fn settle(moves: &mut [PlayedMove], forms: CommentForms) {
        for played in moves {
            forms.settle(&mut played.says);
            for variation in &mut played.variations {
                PlayedMove::settle(variation, forms);
            }
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
                    Some(last) => {
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
        let forms = CommentForms::new(read.moves.iter().map(|played| &played.says));
        PlayedMove::settle(&mut read.moves, forms);
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

/// What the comments say of each move of the main line, null moves too. `black`: Black has the first
/// move.
fn main_line_says(source: &[u8], game: &ParsedGame<'_>, black: bool, says: &mut Vec<Says>) {
    for elem in game.main_elems() {
        match elem.kind {
            ElemKind::Move | ElemKind::Null => {
                says.push(Says::new(black != (says.len() % 2 == 1)));
            }
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
    let black = (start.as_ref()).is_some_and(|position| position.num() % 2 == 1);
    main_line_says(data.text(), &game, black, &mut says);
    if let (Some(tail), Some(mut position)) = (game.tail(data.text()), start)
        && (game.main_line()).all(|ordinal| position.play_ordinal(ordinal).is_some())
    {
        let rules = text(data.tag(b"Variant").unwrap_or(b"chess"));
        let mut rest = format!(
            "[Variant \"{rules}\"]
[FEN \"{}\"]

",
            position.fen()
        )
        .into_bytes();
        rest.extend_from_slice(tail);
        let mut games = ParsedGames::with_null_moves(None);
        if games.read_game(&rest, true).is_ok()
            && let Some(game) = games.last()
        {
            main_line_says(&rest, &game, black, &mut says);
        }
    }
    let forms = CommentForms::new(&says);
    says.iter_mut().for_each(|says| forms.settle(says));
    says
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
