//! Why a text is not a question about a position.

/// Why a text is not a question about a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// The text is empty.
    #[error("no position given")]
    Empty,
    /// A board that has not eight ranks.
    #[error(
        "{0:?} is not a board: write eight ranks separated by /, from the eighth on, or 64 squares"
    )]
    Ranks(String),
    /// A rank that has not eight squares.
    #[error("rank {rank} does not have eight squares: {text:?}")]
    Rank {
        /// The number of the rank, from 1.
        rank: usize,
        /// The rank as given.
        text: String,
    },
    /// A rank with two `*`.
    #[error("rank {0} has two *: one stands for all squares that are missing")]
    Stars(usize),
    /// Contents of one square that exclude each other, such as two pieces.
    #[error("the contents asked for on {0} exclude each other")]
    Contradiction(String),
    /// A letter that stands for no piece.
    #[error(
        "{0:?} is not a piece: use PNBRQK for White, pnbrqk for Black, ? for anything, ! for any piece, A or a for any piece of White or Black, . for an empty square, [...] for one of several"
    )]
    Piece(char),
    /// A bracket that is not closed, or has nothing in it.
    #[error("write one or more pieces in brackets: [Qq]")]
    Bracket,
    /// A word that is not a piece with a square.
    #[error(
        "{0:?} is not a piece with a square: write them like Pa4 pb5 Kg1, R>k (attacks) or B>n>k (pins); or isolated, doubled, passed with a number, white: or black: before it; same-bishops, opposite-bishops"
    )]
    Place(String),
    /// A field of a FEN that has no such value.
    #[error("{0:?} is not {1}")]
    Field(String, &'static str),
    /// Material that does not name two sides.
    #[error("{0:?} does not name the pieces of two sides: write them like \"KRP KR\"")]
    Sides(String),
    /// A letter or number in material that means nothing.
    #[error(
        "{0:?} is not material: write the pieces of each side with KQRBNP, and P2, P2..4, P+ (one or more) or P* (any number)"
    )]
    Material(String),
    /// Not what one side has more.
    #[error(
        "{0:?} is not what each side has more: write the pieces with QRBNP, as \"PP v N\"; - is nothing; or points: 3, 3.., -1..1"
    )]
    Imbalance(String),
    /// Not the SAN of a move.
    #[error(
        "{0:?} is not a move: write SAN, as Bxh7+ or O-O-O, with ? for one character and * for any; =N is a promotion, Nf1-d5/3 a way of at most three moves, white: or black: before it the side"
    )]
    Move(String),
    /// Not a capture.
    #[error(
        "{0:?} is not a capture: write the pieces that take and are taken, as \"KP x Q\"; * is any piece, - behind the x none"
    )]
    Capture(String),
    /// Not a change of material.
    #[error(
        "{0:?} is no change of material: write the points that a side loses, from 1 to 64, and for how many half moves, from 1 to 100: 3, 3.., white:2..4/6"
    )]
    Change(String),
    /// Not a number of pieces, or a range that ends before it begins.
    #[error("{0:?} is not a number of pieces from 0 to 64")]
    Count(String),
}

/// The beginning of a text, for a message.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
