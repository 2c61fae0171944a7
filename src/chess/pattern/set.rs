//! Many positions at once.

use std::collections::HashMap;

use shakmaty::Bitboard;

use super::error::BoardError;
use super::placement::Placement;
use super::reach::Most;
use super::seen::BoardView;
use super::state::{StateTest, fields};
use crate::pieces::Pieces;
use crate::position::Position;

/// Where the pieces of each kind stand, and White's.
type SetKey = [Bitboard; 7];

/// With more positions than this, [`PositionSet::is_out_of_reach`] does not test each of them.
const FEW: usize = 8;

/// With more boards than this, the material at the end of games is not compared with each.
const MANY: usize = 256;

/// Positions whose boards leave nothing open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PositionSet {
    by_board: HashMap<SetKey, (Placement, Vec<StateTest>)>,
    /// The fewest pieces that one of them has.
    fewest: usize,
}

impl PositionSet {
    /// `texts` are the first fields of FENs, the board and at least the side to move.
    pub(super) fn new<'a>(
        texts: impl IntoIterator<Item = &'a str>,
    ) -> Result<PositionSet, BoardError> {
        let mut set = PositionSet {
            fewest: usize::MAX,
            ..PositionSet::default()
        };
        for text in texts {
            let mut fields = fields(text);
            let placement = Placement::from_board(fields.next().ok_or(BoardError::Empty)?)?;
            let state = StateTest::from_fields(&placement, fields)?;
            let pieces = placement.pieces();
            set.fewest = set.fewest.min((pieces.white | pieces.black).count());
            let (_, states) = set
                .by_board
                .entry(key(&pieces))
                .or_insert_with(|| (placement, Vec::new()));
            if !states.contains(&state) {
                states.push(state);
            }
        }
        Ok(set)
    }

    /// How many pieces of each kind each of the positions has; `None` if there are too many.
    pub(super) fn most(&self) -> Option<impl Iterator<Item = Most>> {
        let few = self.by_board.len() <= MANY;
        few.then(|| {
            self.by_board
                .values()
                .map(|(placement, _)| placement.most())
        })
    }

    pub(super) fn seen(&self, seen: BoardView) -> PositionSet {
        let turned = |(placement, states): &(Placement, Vec<StateTest>)| {
            let placement = placement.seen(seen);
            let states = states.iter().map(|state| state.seen(seen)).collect();
            (key(&placement.pieces()), (placement, states))
        };
        PositionSet {
            by_board: self.by_board.values().map(turned).collect(),
            fewest: self.fewest,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_board.is_empty()
    }

    #[inline]
    pub(super) fn matches(&self, position: &Position) -> bool {
        self.by_board
            .get(&key(&position.pieces()))
            .is_some_and(|(_, states)| {
                let is = |state: &StateTest| state.may_match(position) && state.matches(position);
                states.iter().any(is)
            })
    }

    pub(super) fn is_out_of_reach(&self, position: &Position, pieces: &Pieces) -> bool {
        if (pieces.white | pieces.black).count() < self.fewest {
            return true;
        }
        self.by_board.len() <= FEW
            && self.by_board.values().all(|(placement, states)| {
                placement.is_out_of_reach(pieces)
                    || states.iter().all(|state| state.is_out_of_reach(position))
            })
    }
}

fn key(pieces: &Pieces) -> SetKey {
    let [_, pawns, knights, bishops, rooks, queens, kings, _] = pieces.roles;
    [pawns, knights, bishops, rooks, queens, kings, pieces.white]
}
