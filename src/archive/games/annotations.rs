//! What the comments and NAGs of a game say, move by move.

use pgc_pgn::command::Evaluation;
use pgc_pgn::game::{ElemKind, ParsedGame};
use pgc_pgn::says::{CommentForms, Says};
use pgc_pgn::text::decoded;

/// Variations inside more than this many others are left out.
pub(crate) const MAX_DEPTH: usize = 32;

/// The lines that are open while the elements of a game are read, and the moves so far.
#[derive(Debug)]
pub(super) struct OpenLines {
    /// Of each line the number of its last move, or 0, and the plies before it.
    lines: Vec<(u32, u32)>,
    /// Whether variations are read.
    variations: bool,
    /// The number of open variations that are left out.
    left_out: u32,
    pub(super) moves: u32,
}

impl OpenLines {
    pub(super) fn new(variations: bool) -> OpenLines {
        OpenLines {
            lines: vec![(0, 0)],
            variations,
            left_out: 0,
            moves: 0,
        }
    }

    /// Takes the next element; returns whether it is one of a line that is read.
    pub(super) fn take(&mut self, kind: ElemKind) -> bool {
        let deepest = if self.variations { MAX_DEPTH } else { 0 };
        let (last, ply) = self.last();
        match kind {
            ElemKind::RavOpen if self.left_out == 0 && self.depth() < deepest && last > 0 => {
                self.lines.push((0, ply));
            }
            ElemKind::RavOpen => self.left_out += 1,
            ElemKind::RavClose if self.left_out > 0 => self.left_out -= 1,
            ElemKind::RavClose if self.depth() > 0 => drop(self.lines.pop()),
            ElemKind::Move if self.left_out == 0 => {
                self.moves += 1;
                let line = self.lines.len() - 1;
                self.lines[line] = (self.moves, ply + u32::from(last > 0));
            }
            _ => {}
        }
        self.left_out == 0
    }

    /// The number of variations around the place.
    pub(super) fn depth(&self) -> usize {
        self.lines.len() - 1
    }

    /// The last move of the line, or 0, and the plies before it, or before the next one.
    pub(super) fn last(&self) -> (u32, u32) {
        self.lines.last().copied().unwrap_or_default()
    }
}

/// What comments and NAGs say of a move.
#[derive(Debug, Default, PartialEq)]
pub struct MoveNotes {
    /// The number of the move among those read, and of the plies before it.
    place: (u32, u32),
    is_main: bool,
    /// The comments before it, if it is the first of a line.
    pub(super) before: String,
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

/// The annotations of a game. It is reused for the next game, to save allocations.
#[derive(Debug, Default, PartialEq)]
pub struct LineNotes {
    /// The comments before the first move.
    pub first_comment: String,
    /// Those of the moves that have some, in the order of the moves.
    moves: Vec<MoveNotes>,
}

impl LineNotes {
    /// Replaces the annotations by those of a game, with its variations or without; its elements
    /// are ranges of `text`, and `black_begins` if Black has the first move.
    pub fn read(
        &mut self,
        text: &[u8],
        game: &ParsedGame<'_>,
        black_begins: bool,
        variations: bool,
    ) {
        self.first_comment.clear();
        self.moves.clear();
        let annotations = [ElemKind::Nag, ElemKind::Brace, ElemKind::Line];
        if !game.kinds.any(&annotations) {
            return;
        }
        let (mut open, mut before) = (OpenLines::new(variations), String::new());
        for elem in &game.elems[game.tag_elems..] {
            if !open.take(elem.kind) {
                continue;
            }
            let has_move = open.last().0 > 0;
            match elem.kind {
                ElemKind::RavOpen | ElemKind::RavClose => before.clear(),
                ElemKind::Move if !before.is_empty() => {
                    self.begin(&open).before = std::mem::take(&mut before);
                }
                ElemKind::Nag if has_move => {
                    let nags = &mut self.begin(&open).nags;
                    nags.extend(i32::try_from(elem.num));
                }
                ElemKind::Brace | ElemKind::Line => {
                    let text = decoded(&text[elem.inner()]);
                    if has_move {
                        let MoveNotes { says, comment, .. } = self.begin(&open);
                        says.comment(&text, |part| add(comment, part));
                        continue;
                    }
                    if open.depth() == 0 {
                        add(&mut self.first_comment, &text);
                    }
                    if variations {
                        add(&mut before, &text);
                    }
                }
                _ => {}
            }
        }
        let main = self.moves.iter().filter(|notes| notes.is_main);
        let forms = CommentForms::new(main.map(|notes| &notes.says));
        for notes in &mut self.moves {
            forms.settle(&mut notes.says, black_begins != (notes.place.1 % 2 == 1));
        }
    }

    /// The annotations of the last move of a line, to which more are added.
    fn begin(&mut self, open: &OpenLines) -> &mut MoveNotes {
        let place = open.last();
        let at = match self.moves.last() {
            Some(last) if last.place >= place => {
                self.moves.binary_search_by_key(&place, |notes| notes.place)
            }
            _ => Err(self.moves.len()),
        };
        let at = at.unwrap_or_else(|at| {
            let notes = MoveNotes {
                place,
                is_main: open.depth() == 0,
                ..MoveNotes::default()
            };
            self.moves.insert(at, notes);
            at
        });
        &mut self.moves[at]
    }

    /// Whether no move has annotations.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The annotations of a move, from 0: of a main line, a ply.
    pub fn of_ply(&self, ply: u32) -> Option<&MoveNotes> {
        let at = self
            .moves
            .binary_search_by_key(&(ply + 1), |notes| notes.place.0);
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
