//! The fields of a FEN behind the board: the side to move, castling rights, en passant.

use shakmaty::fen::Fen;
use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, File, FromSetup, Position as _, Rank, Square,
};

use super::error::{BoardError, short};
use super::placement::Placement;
use super::seen::BoardView;
use crate::position::{Position, repaired};
use crate::squares::turned;

/// What is wanted besides the pieces; `None` is anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StateTest {
    turn: Option<Color>,
    /// The rooks that may castle.
    rights: Option<Bitboard>,
    /// The square behind a pawn that can be taken en passant.
    en_passant: Option<Option<Square>>,
}

impl StateTest {
    /// Reads the fields behind the board.
    pub(super) fn from_fields<'a>(
        placement: &Placement,
        fields: impl Iterator<Item = &'a str>,
    ) -> Result<StateTest, BoardError> {
        let fields: Vec<&str> = fields.collect();
        let field = |i: usize| fields.get(i).copied().filter(|&field| field != "?");
        let wrong = |i: usize, what| BoardError::Field(short(fields[i]), what);
        if fields.len() > 5 {
            return Err(wrong(5, "a field of a FEN, which has six"));
        }
        let turn = match field(0) {
            None => None,
            Some("w") => Some(Color::White),
            Some("b") => Some(Color::Black),
            Some(_) => return Err(wrong(0, "a side to move: use w, b or ?")),
        };
        let rights = match field(1) {
            None => None,
            Some(text) => Some(
                castling(placement, text)
                    .ok_or_else(|| wrong(1, "castling rights: use KQkq, some of them, - or ?"))?,
            ),
        };
        let en_passant = match field(2) {
            None => None,
            Some("-") => Some(None),
            Some(square) => {
                let square = square.parse::<Square>().ok();
                let is_behind =
                    |square: &Square| matches!(square.rank(), Rank::Third | Rank::Sixth);
                let square = square
                    .filter(is_behind)
                    .ok_or_else(|| wrong(2, "an en passant square: use e3, - or ?"))?;
                Some(capturable(placement, &fields, square))
            }
        };
        for (i, what) in [(3, "a number of half moves"), (4, "a move number")] {
            if field(i).is_some_and(|field| field.parse::<u32>().is_err()) {
                return Err(wrong(i, what));
            }
        }
        Ok(StateTest {
            turn,
            rights,
            en_passant,
        })
    }

    pub(super) fn seen(&self, seen: BoardView) -> StateTest {
        StateTest {
            turn: self.turn.map(|turn| seen.color(turn)),
            rights: self.rights.map(|rights| seen.squares(rights)),
            en_passant: self
                .en_passant
                .map(|at| at.map(|square| seen.square(square))),
        }
    }

    /// The state of this position.
    pub(super) fn exactly(position: &Position) -> StateTest {
        StateTest {
            turn: Some(Color::from_white(position.white_to_move())),
            rights: Some(position.rights()),
            en_passant: Some(position.en_passant()),
        }
    }

    /// Whether the side to move is the one that is wanted.
    #[inline(always)]
    pub(super) fn may_match(&self, position: &Position) -> bool {
        self.turn
            .is_none_or(|turn| turn.is_white() == position.white_to_move())
    }

    /// Whether a castling right that is wanted is lost for good.
    #[inline]
    pub(super) fn is_out_of_reach(&self, position: &Position) -> bool {
        self.rights
            .is_some_and(|rights| (rights & !position.rights()).any())
    }

    #[inline]
    pub(super) fn matches(&self, position: &Position) -> bool {
        self.rights.is_none_or(|rights| rights == position.rights())
            && self
                .en_passant
                .is_none_or(|square| square == position.en_passant())
    }
}

/// The fields of a FEN, without the checks of Three-check (`3+3`).
pub(super) fn fields(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter(|field| !field.contains('+'))
}

/// The rooks of these castling rights: on a board without wildcards the outermost ones, as in
/// Chess960, else those in the corners.
fn castling(placement: &Placement, text: &str) -> Option<Bitboard> {
    if let Some(board) = placement.to_fen()
        && let Ok(fen) = Fen::from_ascii(format!("{board} w {text} -").as_bytes())
    {
        return Some(fen.into_setup().castling_rights.flip_diagonal());
    }
    let mut rights = Bitboard::EMPTY;
    for letter in text.chars().filter(|&letter| text != "-" || letter != '-') {
        let file = match letter.to_ascii_lowercase() {
            'k' => File::H,
            'q' => File::A,
            file => File::from_char(file)?,
        };
        let rank = if letter.is_ascii_uppercase() {
            Rank::First
        } else {
            Rank::Eighth
        };
        rights.add(turned(Square::from_coords(file, rank)));
    }
    Some(rights)
}

/// The en passant square, if a pawn can take there. Many programs write the square after each
/// double step.
fn capturable(placement: &Placement, fields: &[&str], square: Square) -> Option<Square> {
    let here = Some(turned(square));
    let Some(board) = placement.to_fen() else {
        return here;
    };
    let turn = if square.rank() == Rank::Third {
        "b"
    } else {
        "w"
    };
    let turn = fields
        .first()
        .filter(|&&field| field != "?")
        .unwrap_or(&turn);
    let Ok(fen) = Fen::from_ascii(format!("{board} {turn} - {square}").as_bytes()) else {
        return here;
    };
    match repaired(Chess::from_setup(fen.into_setup(), CastlingMode::Chess960)) {
        Ok(position) => position.legal_ep_square().map(turned),
        // Not a position that a game can have; a variant may.
        Err(_) => here,
    }
}
