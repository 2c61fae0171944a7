//! What the comments and NAGs of a main line say, ply by ply.

use pgc_pgn::command::Evaluation;
use pgc_pgn::game::{ElemKind, ParsedGame};
use pgc_pgn::says::{CommentForms, Says};
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
    /// What the comments say of the moves that have any, with their plies.
    says: PlyValues<Says>,
}

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
        self.says.clear();
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
        self.end(black_begins);
    }

    /// Takes the commands with columns out of a comment, and keeps the rest.
    fn take(&mut self, ply: u32, comment: &str) {
        if self.says.last().is_none_or(|last| last.0 != ply) {
            self.says.push((ply, Says::default()));
        }
        let comments = &mut self.comments;
        if let Some((_, says)) = self.says.last_mut() {
            says.comment(comment, |part| keep(comments, ply, part));
        }
    }

    /// Fills the columns with what the comments say.
    fn end(&mut self, black_begins: bool) {
        let forms = CommentForms::new(self.says.iter().map(|(_, says)| says));
        for (ply, says) in &mut self.says {
            let ply = *ply;
            forms.settle(says, black_begins != (ply % 2 == 1));
            self.clocks.extend(says.clock.map(|clock| (ply, clock)));
            self.elapsed.extend(says.elapsed.map(|time| (ply, time)));
            match says.evaluation {
                Some(Evaluation::Mate(moves)) => self.mates.push((ply, moves)),
                Some(pawns) => match pawns.centipawns() {
                    Some(centipawns) => self.evals.push((ply, centipawns)),
                    None => continue,
                },
                None => continue,
            }
            let depth = says.depth.and_then(|depth| depth.try_into().ok());
            self.depths.extend(depth.map(|depth| (ply, depth)));
        }
    }
}

/// Adds a part of a comment to those of its ply.
fn keep(comments: &mut PlyValues<String>, ply: u32, part: &str) {
    let part = part.trim();
    if part.is_empty() {
        return;
    }
    match comments.last_mut().filter(|last| last.0 == ply) {
        Some((_, text)) => add(text, part),
        None => comments.push((ply, part.to_owned())),
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
