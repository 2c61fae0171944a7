//! What the style of the block before says about the gaps of movetext: the reader looks there
//! first, and need not take them apart.

use crate::block::layout::{
    BLACK, Lead, Marks, NOTED, Rule, Short, Style, WHITE, Wrap, column_after, next_class,
    prev_class,
};
use crate::pgn::game::Kind;

/// Lines of producers that break them are not longer. So far is looked back, now and then.
const MAX_WIDTH: u16 = 255;

/// The gaps that most movetext has, behind a move and behind a comment in braces. A style of which
/// the same is guessed predicts moves with their usual spelling, and closed comments, wherever they
/// stand as guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guess {
    /// Behind a move and before a comment, with its brace.
    comment: Short,
    /// Behind a move and behind a comment: before a move of White's, before one of Black's, and
    /// before one of White's where the line is full.
    moves: [[Lead; 3]; 2],
    /// From so many bytes on a line is full.
    width: usize,
    /// The length of what ends it.
    pub(super) newline: usize,
}

impl Guess {
    /// As this style has it; `None` if it says too little, or what is seldom said.
    #[must_use]
    pub fn of(style: &Style) -> Option<Guess> {
        let width = match style.wrap {
            Wrap {
                rule: Rule::Beyond(width @ ..=MAX_WIDTH),
                trailing: false,
                ..
            } => width.into(),
            wrap if wrap == Wrap::default() => usize::MAX,
            _ => return None,
        };
        let newline = Short::spelled(b"\n", style.newline)?;
        let [a_move, a_comment] = [Kind::Move, Kind::Brace].map(prev_class);
        let is_kept = |prev, next| width == usize::MAX || !style.template(prev, next).ends_line;
        let lead = |prev, next| {
            style
                .template(prev, next)
                .lead()
                .filter(|_| is_kept(prev, next))
        };
        let moves = |prev| {
            let white = lead(prev, WHITE)?;
            // What is behind a move is not known yet when the gap before it is looked at.
            let is_black = style.template(prev, BLACK) == style.template(prev, NOTED);
            Some([
                white,
                lead(prev, BLACK).filter(|_| is_black)?,
                if width == usize::MAX {
                    white
                } else {
                    white.broken(newline)?
                },
            ])
        };
        let comment = lead(a_move, next_class(Kind::Brace, 0, None))?
            .without_number()?
            .and(b'{')?;
        let guess = Guess {
            comment,
            moves: [moves(a_move)?, moves(a_comment)?],
            width,
            newline: newline.len(),
        };
        (style.marks == Marks::Standard && !style.squares).then_some(guess)
    }

    /// The length of the gap behind a move at the beginning of `rest`, if it is the guessed one and
    /// a comment follows.
    #[inline(always)]
    pub(super) fn before_comment(&self, rest: &[u8]) -> Option<usize> {
        self.comment.begins(rest).then_some(self.comment.len() - 1)
    }

    /// The length of the gap at the beginning of `rest`, behind a move or a comment, if it is what
    /// is guessed before the move `num`, on a line that [is full](Guess::is_full) or is not.
    #[inline(always)]
    pub(super) fn before_move(
        &self,
        rest: &[u8],
        is_behind_comment: bool,
        num: u32,
        is_full: bool,
    ) -> Option<usize> {
        let which = (num & 1) as usize + 2 * usize::from(is_full);
        let gap = self.moves[usize::from(is_behind_comment)]
            .get(which)?
            .with(num >> 1)?;
        gap.begins(rest).then_some(gap.len())
    }

    /// The line, of which so many bytes stand before the gap, ends there if the move `num` follows.
    /// No branch: it could not be foreseen.
    #[inline(always)]
    pub(super) fn is_full(&self, num: u32, column: usize) -> bool {
        (column >= self.width) & (num & 1 == 0)
    }

    /// Where the line begins on which `text` ends; or, if it is full by then, some place that makes
    /// it so.
    pub(super) fn line(&self, text: &[u8]) -> usize {
        let (_, end) = text.split_at(text.len().saturating_sub(self.width));
        text.len() - column_after(0, end)
    }

    /// Lines have an end.
    pub(super) fn wraps(&self) -> bool {
        self.width < usize::MAX
    }
}
