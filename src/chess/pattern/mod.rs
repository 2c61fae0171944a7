//! Questions about one position: which pieces stand where, and how many there are.

mod change;
mod error;
mod letters;
mod material;
mod moves;
mod placement;
mod reach;
mod seen;
mod set;
mod sight;
mod state;
mod structure;
mod way;

use std::sync::Arc;

pub use self::change::MaterialChange;
pub use self::error::BoardError;
use self::material::{ImbalanceTest, MaterialTest};
pub use self::moves::{MoveTest, SeenMove, side};
use self::placement::Placement;
use self::reach::precedes;
pub use self::seen::BoardView;
use self::set::PositionSet;
use self::state::{StateTest, fields};
pub use self::way::Ways;
use super::played::Material;
use super::position::Position;

/// A test of one position.
///
/// ```
/// use pgc_chess::{BoardTest, Position};
///
/// let start = Position::initial();
/// assert!(BoardTest::fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w")?.matches(&start));
/// assert!(BoardTest::pieces("Ke1 ke8 [PN]b1")?.matches(&start));
/// assert!(!BoardTest::material("KRP KR")?.matches(&start));
/// # Ok::<(), pgc_chess::BoardError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardTest(Sought);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Sought {
    Placement(Box<Placement>, StateTest),
    Material(Box<MaterialTest>),
    Imbalance(ImbalanceTest),
    OneOf(Arc<PositionSet>),
}

impl BoardTest {
    /// A position, as FEN (16.1) or as 64 characters from a8 to h1: the pieces, and as many of the
    /// fields behind them as are given. `?` stands for any content of a square, and in place of a
    /// later field for any value; move counters are ignored (D63).
    ///
    /// # Errors
    /// The text is neither.
    pub fn fen(text: &str) -> Result<BoardTest, BoardError> {
        let text = text.trim();
        let text = text.strip_prefix("fen:").unwrap_or(text).trim();
        let mut fields = fields(text);
        let board = fields.next().ok_or(BoardError::Empty)?;
        let placement = Placement::from_board(board)?;
        let state = StateTest::from_fields(&placement, fields)?;
        Ok(BoardTest(Sought::Placement(Box::new(placement), state)))
    }

    /// Pieces on squares, pawns that stand in some way, and attacks: `Pa4 Kg1 white:passed R>k`.
    ///
    /// # Errors
    /// A word is not a piece with a square.
    pub fn pieces(text: &str) -> Result<BoardTest, BoardError> {
        let placement = Placement::from_pieces(text)?;
        Ok(BoardTest(Sought::Placement(
            Box::new(placement),
            StateTest::default(),
        )))
    }

    /// The pieces of both sides: `KRP KR` of either colour, `KRP kr` of White and Black.
    ///
    /// # Errors
    /// The text does not name the pieces of two sides.
    pub fn material(text: &str) -> Result<BoardTest, BoardError> {
        Ok(BoardTest(Sought::Material(Box::new(text.parse()?))))
    }

    /// What one side has more than the other: `PP v N` of either colour, `PP n` of White and Black,
    /// `3..` three points or more.
    ///
    /// # Errors
    /// The text does not name the pieces of two sides.
    pub fn imbalance(text: &str) -> Result<BoardTest, BoardError> {
        Ok(BoardTest(Sought::Imbalance(text.parse()?)))
    }

    /// One of these positions, each given as the first fields of a FEN without wildcards; `None` if
    /// there are none. It takes the same time for any number of them.
    ///
    /// # Errors
    /// A text is not such a position.
    pub fn one_of<'a>(
        texts: impl IntoIterator<Item = &'a str>,
    ) -> Result<Option<BoardTest>, BoardError> {
        let set = PositionSet::new(texts)?;
        Ok((!set.is_empty()).then(|| BoardTest(Sought::OneOf(Arc::new(set)))))
    }

    /// This position: its pieces, the side to move, castling rights, and a capture en passant.
    pub fn exactly(position: &Position) -> BoardTest {
        BoardTest(Sought::Placement(
            Box::new(Placement::exactly(&position.pieces())),
            StateTest::exactly(position),
        ))
    }

    /// The test that positions pass whose boards, seen so, pass this one.
    pub fn seen(&self, seen: BoardView) -> BoardTest {
        BoardTest(match &self.0 {
            Sought::Placement(placement, state) => {
                Sought::Placement(Box::new(placement.seen(seen)), state.seen(seen))
            }
            Sought::Material(material) => Sought::Material(material.seen(seen).into()),
            Sought::Imbalance(test) => Sought::Imbalance(test.seen(seen)),
            Sought::OneOf(set) => Sought::OneOf(Arc::new(set.seen(seen))),
        })
    }

    /// Whether the position passes the test.
    #[inline]
    pub fn matches(&self, position: &Position) -> bool {
        match &self.0 {
            Sought::Placement(placement, state) => {
                state.may_match(position)
                    && placement.matches(&position.pieces())
                    && state.matches(position)
            }
            Sought::Material(material) => material.matches(&position.pieces()),
            Sought::Imbalance(test) => test.matches(&position.pieces()),
            Sought::OneOf(set) => set.matches(position),
        }
    }

    /// Whether no game of chess that goes on from the position can reach one that matches. It
    /// depends on [`Position::lasting`] alone.
    #[inline]
    pub fn is_out_of_reach(&self, position: &Position) -> bool {
        if !position.is_standard() {
            return false;
        }
        let pieces = position.pieces();
        match &self.0 {
            Sought::Placement(placement, state) => {
                state.is_out_of_reach(position) || placement.is_out_of_reach(&pieces)
            }
            Sought::Material(material) => material.is_out_of_reach(&pieces),
            Sought::Imbalance(_) => false,
            Sought::OneOf(set) => set.is_out_of_reach(position, &pieces),
        }
    }

    /// Whether a game of chess that ends with this material (of White and of Black, kings to pawns)
    /// can have had a position that matches: what was taken does not come back, and only pawns
    /// become other pieces.
    pub fn may_precede(&self, end: &Material) -> bool {
        match &self.0 {
            Sought::Placement(placement, _) => precedes(&placement.most(), end),
            Sought::Material(material) => material.most().any(|most| precedes(&most, end)),
            // Both sides may lose the same pieces.
            Sought::Imbalance(_) => true,
            Sought::OneOf(set) => set
                .most()
                .is_none_or(|mut sets| sets.any(|most| precedes(&most, end))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rules;

    fn position(fen: &str) -> Position {
        Position::start(Rules::Chess960, Some(fen.as_bytes())).unwrap()
    }

    fn is(question: Result<BoardTest, BoardError>, fen: &str) -> bool {
        question.unwrap().matches(&position(fen))
    }

    #[test]
    fn boards_and_their_fields() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        let standard = format!("{start} w KQkq - 0 1");
        for (question, fits) in [
            (start, true),
            (
                "rnbqkbnrpppppppp................................PPPPPPPPRNBQKBNR w",
                true,
            ),
            ("fen:r??qkbnr/8p/*/8/8/8/*P/R*R", false),
            ("fen: r??qkbnr/*p/*/8/8/8/P*/R*R ? ? - 17 40", true),
            ("[rq]nbqkbn[^R]/aaaaaaaa/____4/8/8/8/AAAAAAA!/R6?", false),
            ("[rq]nbqkbn[^R]/aaaaaaaa/____4/8/8/8/AAAAAAA!/R*", true),
            ("*/*/*/*/*/*/*/* b", false),
            ("*/*/*/*/*/*/*/* w KQkq", true),
            ("*/*/*/*/*/*/*/* w KQk", false),
            ("*/*/*/*/*/*/*/* w HAha", true),
            ("*/*/*/*/*/*/*/* w - -", false),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Qp] w KQkq - 3+3 0 1",
                true,
            ),
        ] {
            assert_eq!(
                BoardTest::fen(question).is_ok_and(|test| test.matches(&position(&standard))),
                fits,
                "{question}"
            );
        }
        // Black can take on e3, or not; the same square in the question counts only if it can.
        let (can, cannot) = (
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1",
            "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1",
        );
        assert!(is(BoardTest::fen(can), can) && is(BoardTest::fen(cannot), cannot));
        assert!(!is(BoardTest::fen("4k3/8/8/8/3pP3/8/8/4K3 b - -"), can));
        assert!(is(BoardTest::fen("4k3/8/8/8/4P3/8/8/4K3 b - -"), cannot));
        assert!(is(BoardTest::fen("4k3/8/8/8/3pP3/8/8/4K3 b"), can));
        // There is no pawn before d3, so that nothing can be taken: as with `-`.
        assert!(is(BoardTest::fen("4k3/8/8/8/4P3/8/8/4K3 b - d3"), cannot));
        // Exact boards in other spellings are the same.
        assert!(is(
            BoardTest::fen("4k3/8/8/8/....P.../8/8/____[K]3 b - e3"),
            cannot
        ));
        // In Chess960 a K is the outermost rook of the king's side.
        let nine = "1r2kr2/8/8/8/8/8/8/1R2KR2 w KQkq - 0 1";
        assert!(is(BoardTest::fen(nine), nine));
        assert!(is(BoardTest::fen("1r2kr2/8/8/8/8/8/8/1R2KR2 w FBfb"), nine));
        assert!(is(BoardTest::fen(".r2kr2/8/8/8/8/8/8/1R2KR2 w KQkq"), nine));
        assert!(!is(BoardTest::fen("1r2kr2/8/8/8/8/8/8/1R2KR2 w FBf"), nine));
    }

    #[test]
    fn what_is_no_board() {
        for wrong in [
            "",
            "fen:",
            "8/8/8/8/8/8/8",
            "9/8/8/8/8/8/8/8",
            "7/8/8/8/8/8/8/8",
            "8p/8/8/8/8/8/8/8",
            "x7/8/8/8/8/8/8/8",
            "[]7/8/8/8/8/8/8/8",
            "[p7/8/8/8/8/8/8/8",
            "[^]7/8/8/8/8/8/8/8",
            "*p*/8/8/8/8/8/8/8",
            "é7/8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/8 x",
            "8/8/8/8/8/8/8/8 w xx",
            "8/8/8/8/8/8/8/8 w - e9",
            "8/8/8/8/8/8/8/8 w - e4",
            "8/8/8/8/8/8/8/8 w - - x",
            "8/8/8/8/8/8/8/8 w - - 0 x",
            "8/8/8/8/8/8/8/8 w - - 0 1 2",
            "pppppppp",
        ] {
            assert!(BoardTest::fen(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "  ", "P", "Pe9", "Xe4", "e4", "Pe4e5", "[Pe4", "é"] {
            assert!(BoardTest::pieces(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn pieces_on_squares() {
        let fen = "r3k2r/8/8/8/4P3/8/8/R3K2R w KQkq - 0 1";
        assert!(is(
            BoardTest::pieces("Ke1 ra8,[NR]h1 .e5 _d4 !a1 Ae4 ah8 ?c3"),
            fen
        ));
        assert!(!is(BoardTest::pieces("[NB]h1"), fen) && !is(BoardTest::pieces("ae4"), fen));
        assert_eq!(
            BoardTest::pieces("Ke1 ke1"),
            Err(BoardError::Contradiction("e1".to_owned()))
        );
        assert_eq!(
            BoardTest::fen("**/8/8/8/8/8/8/8"),
            Err(BoardError::Stars(8))
        );
    }

    #[test]
    fn material_of_both_sides() {
        let (krp, kr) = (
            "4k3/8/8/8/8/P7/8/R3K2r w - - 0 1",
            "r3k3/p7/8/8/8/8/8/4K2R w - - 0 1",
        );
        let fits = |text: &str| [krp, kr].map(|fen| is(BoardTest::material(text), fen));
        for text in [
            "KRP KR",
            "KR KRP",
            "KRPvKR",
            "KRP vs KR",
            "krp kr",
            "RP R",
            "KRP+ KR",
            "KRP1..3 K*R",
        ] {
            assert_eq!(fits(text), [true, true], "{text}");
        }
        assert_eq!(fits("KRP kr"), [true, false]);
        assert_eq!(fits("KRPkr"), [true, false]);
        assert_eq!(fits("kr KRP"), [true, false]);
        assert_eq!(fits("krp KR"), [false, true]);
        assert_eq!(fits("KRP *"), [true, true]);
        assert_eq!(fits("KRPP KR"), [false, false]);
        assert_eq!(fits("KRP2.. KR"), [false, false]);
        assert_eq!(fits("KR KR"), [false, false]);
        assert_eq!(fits("KRQ?P? KRP*"), [true, true]);
        for wrong in [
            "", "KRP", "KRP KR K", "KRx KR", "KrP KR", "KR3..2 K", "KR99 K", "KR.. K", "v", "KRv",
            "K é",
        ] {
            assert!(BoardTest::material(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_cannot_come_again() {
        let gone = |test: Result<BoardTest, BoardError>, fen: &str| {
            test.unwrap().is_out_of_reach(&position(fen))
        };
        let fen = "4k3/p7/8/8/4P3/8/8/R3K3 w Q - 0 1";
        for (question, is_gone) in [
            ("Pe2", true),
            ("Pe3", true),
            ("Pe4", false),
            ("Pf7", false),
            ("Pe5 Pf5", true),
            ("Pa4", true),
            ("Ph7", false),
            ("pa5", false),
            ("pb7", true),
            // The pawn may promote, but only one.
            ("Qa3", false),
            ("Qa3 Nb3", true),
            ("Pe6 Qa3", true),
            ("Ra1 Rb1", false),
            ("Ra1 Rb1 Rc1", true),
        ] {
            assert_eq!(
                gone(BoardTest::pieces(question), fen),
                is_gone,
                "{question}"
            );
        }
        // Bishops stay on their colour, and castling rights do not come back.
        let bishop = "4k3/8/8/8/8/8/8/2B1K2R w K - 0 1";
        assert!(!gone(BoardTest::pieces("Bh8"), bishop) && gone(BoardTest::pieces("Bh7"), bishop));
        assert!(!gone(BoardTest::fen("?*/*/*/*/*/*/*/* w K"), bishop));
        assert!(gone(BoardTest::fen("?*/*/*/*/*/*/*/* w KQ"), bishop));
        assert!(!gone(BoardTest::fen("?*/*/*/*/*/*/*/* w -"), bishop));
        assert!(
            gone(BoardTest::material("KRRN KR"), fen) && !gone(BoardTest::material("KR KR"), fen)
        );
        assert!(
            gone(BoardTest::material("KPP K"), fen) && !gone(BoardTest::material("KQR K"), fen)
        );
        assert!(gone(BoardTest::fen("4k3/pp6/8/8/4P3/8/8/4K3"), fen));
        assert!(!gone(BoardTest::fen("4k3/8/p7/8/4P3/8/8/4K3"), fen));
    }
}
