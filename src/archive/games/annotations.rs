//! What the comments and NAGs of a main line say, ply by ply.

use pgc_pgn::command::Evaluation;
use pgc_pgn::game::{ElemKind, ParsedGame};
use pgc_pgn::says::{CommentForms, Says};
use pgc_pgn::text::decoded;

/// What comments and NAGs say of a move.
#[derive(Debug, Default, PartialEq)]
pub struct MoveNotes {
    /// The ply, from 0.
    ply: u32,
    /// Clocks and evaluations.
    pub says: Says,
    /// The comments without what other columns have.
    comment: String,
    nags: Vec<i32>,
}

impl MoveNotes {
    /// The evaluation in hundredths of a pawn, the moves to mate, and the depth of the search.
    pub fn evaluation(&self) -> [Option<i32>; 3] {
        let (pawns, mate) = match self.says.evaluation {
            Some(Evaluation::Mate(moves)) => (None, Some(moves)),
            other => (other.and_then(Evaluation::centipawns), None),
        };
        let depth = self.says.depth.and_then(|depth| depth.try_into().ok());
        let has_value = pawns.is_some() || mate.is_some();
        [pawns, mate, depth.filter(|_| has_value)]
    }

    /// The comments without what other columns have, if something is left of them.
    pub fn comment(&self) -> Option<&str> {
        Some(self.comment.as_str()).filter(|comment| !comment.is_empty())
    }

    /// The NAGs, if there are some.
    pub fn nags(&self) -> Option<&[i32]> {
        Some(self.nags.as_slice()).filter(|nags| !nags.is_empty())
    }
}

/// The annotations of a main line. It is reused for the next game, to save allocations.
#[derive(Debug, Default, PartialEq)]
pub struct LineNotes {
    /// The comments before the first move.
    pub first_comment: String,
    /// Those of the moves that have some, in the order of the plies.
    moves: Vec<MoveNotes>,
}

impl LineNotes {
    /// Replaces the annotations by those of a game; its elements are ranges of `text`, and
    /// `black_begins` if Black has the first move.
    pub fn read(&mut self, text: &[u8], game: &ParsedGame<'_>, black_begins: bool) {
        self.first_comment.clear();
        self.moves.clear();
        let annotations = [ElemKind::Nag, ElemKind::Brace, ElemKind::Line];
        if !game.kinds.any(&annotations) {
            return;
        }
        let mut plies = 0_u32;
        for elem in game.main_elems() {
            match elem.kind {
                ElemKind::Move => plies += 1,
                ElemKind::Nag => {
                    if let (Some(ply), Ok(nag)) = (plies.checked_sub(1), elem.num.try_into()) {
                        self.begin(ply).nags.push(nag);
                    }
                }
                ElemKind::Brace | ElemKind::Line => {
                    let text = decoded(&text[elem.inner()]);
                    if let Some(ply) = plies.checked_sub(1) {
                        let MoveNotes { says, comment, .. } = self.begin(ply);
                        says.comment(&text, |part| add(comment, part));
                    } else {
                        add(&mut self.first_comment, &text);
                    }
                }
                _ => {}
            }
        }
        let forms = CommentForms::new(self.moves.iter().map(|notes| &notes.says));
        for notes in &mut self.moves {
            forms.settle(&mut notes.says, black_begins != (notes.ply % 2 == 1));
        }
    }

    /// The annotations of the last ply, to which more are added.
    fn begin(&mut self, ply: u32) -> &mut MoveNotes {
        if self.moves.last().is_none_or(|last| last.ply != ply) {
            self.moves.push(MoveNotes {
                ply,
                ..MoveNotes::default()
            });
        }
        let last = self.moves.len() - 1;
        &mut self.moves[last]
    }

    /// Whether no move has annotations.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The annotations of a ply, from 0.
    pub fn of_ply(&self, ply: u32) -> Option<&MoveNotes> {
        let at = self.moves.binary_search_by_key(&ply, |notes| notes.ply);
        at.ok().map(|at| &self.moves[at])
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
