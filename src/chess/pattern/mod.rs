//! Questions about one position: which pieces stand where, and how many there are.

mod error;
mod letters;
mod material;
mod placement;
mod state;

pub use self::error::BoardError;
use self::material::MaterialTest;
use self::placement::Placement;
use self::state::State;
use super::position::Position;

/// A test of one position.
///
/// ```
/// use pgc::internals::chess::{BoardTest, Position};
///
/// let start = Position::initial();
/// assert!(BoardTest::fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w")?.matches(&start));
/// assert!(BoardTest::pieces("Ke1 ke8 [PN]b1")?.matches(&start));
/// assert!(!BoardTest::material("KRP KR")?.matches(&start));
/// # Ok::<(), pgc::internals::chess::BoardError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardTest(Sought);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Sought {
    Placement(Box<Placement>, State),
    Material(MaterialTest),
}

impl BoardTest {
    /// A position, as FEN (16.1) or as 64 characters from a8 to h1: the pieces, and as many of the
    /// fields behind them as are given. `?` stands for any content of a square, and in place of a
    /// later field for any value; move counters are ignored (D58).
    ///
    /// # Errors
    /// The text is neither.
    pub fn fen(text: &str) -> Result<BoardTest, BoardError> {
        let text = text.trim();
        let text = text.strip_prefix("fen:").unwrap_or(text).trim();
        let mut fields = text.split_whitespace();
        let board = fields.next().ok_or(BoardError::Empty)?;
        let placement = Placement::of_board(board)?;
        let state = State::of_fields(board, &placement, fields)?;
        Ok(BoardTest(Sought::Placement(Box::new(placement), state)))
    }

    /// Pieces on squares: `Pa4 pb5 Kg1`.
    ///
    /// # Errors
    /// A word is not a piece with a square.
    pub fn pieces(text: &str) -> Result<BoardTest, BoardError> {
        let placement = Placement::of_pieces(text)?;
        Ok(BoardTest(Sought::Placement(
            Box::new(placement),
            State::default(),
        )))
    }

    /// The pieces of both sides: `KRP KR` of either colour, `KRP kr` of White and Black.
    ///
    /// # Errors
    /// The text does not name the pieces of two sides.
    pub fn material(text: &str) -> Result<BoardTest, BoardError> {
        Ok(BoardTest(Sought::Material(text.parse()?)))
    }

    /// This position: its pieces, the side to move, castling rights, and a capture en passant.
    pub(crate) fn of(position: &Position) -> BoardTest {
        BoardTest(Sought::Placement(
            Box::new(Placement::of(&position.pieces())),
            State::of(position),
        ))
    }

    /// Whether the position is one.
    #[inline]
    #[must_use]
    pub fn matches(&self, position: &Position) -> bool {
        match &self.0 {
            Sought::Placement(placement, state) => {
                state.may_match(position)
                    && placement.matches(&position.pieces())
                    && state.matches(position)
            }
            Sought::Material(material) => material.matches(&position.pieces()),
        }
    }

    /// Whether no game of chess that goes on from the position can reach one that matches: a piece
    /// that was taken, or a pawn that has moved, does not come back.
    #[inline]
    pub(crate) fn is_out_of_reach(&self, position: &Position) -> bool {
        if !position.is_standard() {
            return false;
        }
        let pieces = position.pieces();
        match &self.0 {
            Sought::Placement(placement, _) => placement.is_out_of_reach(&pieces),
            Sought::Material(material) => material.is_out_of_reach(&pieces),
        }
    }
}
