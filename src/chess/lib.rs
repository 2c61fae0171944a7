//! The part of chess that archives of the PGN standard of 1994 need: positions, moves in SAN, and
//! the *ordinal* of a move (section 20.2), which is its place, from 0, among the legal moves sorted
//! by canonical SAN. The crate shakmaty knows the rules, also those of variants.
//!
//! ```
//! use pgc_chess::Position;
//!
//! let mut position = Position::initial();
//! // The move is found and played, and its ordinal returned.
//! assert_eq!(position.follow(b"e4"), Some(13));
//! let reply = position.resolve(b"g8f6").expect("a spelling that has only one meaning");
//! assert_eq!(position.select(reply.ordinal.unwrap()), Some(reply.m));
//! ```
//!
//! Beside that: names of openings ([`named_opening`]), tests of boards and moves ([`BoardTest`],
//! [`MoveTest`]), how a game ended ([`Ending`]), and a model that gives each legal move a frequency,
//! by which moves are coded ([`CodedLine`], spec/moves.md).

mod attacks;
mod census;
mod fen;
mod lenient;
mod named;
mod named_enum;
mod opening;
mod ordinal;
mod packed_move;
mod pattern;
mod pawns;
mod pieces;
mod played;
mod ply;
mod policy;
mod polyglot;
pub(crate) mod position;
mod rules;
mod san;
mod shared;
mod squares;
mod standard;
pub(crate) mod start;
mod variant;

pub use fen::mended_fen;
pub use lenient::{Unresolved, stands_for};
pub use named::{NamedOpening, OPENING_LIST, OPENING_PLIES, named_opening, opening_names};
pub use opening::{MovesError, Opening};
pub use pattern::{
    BoardError, BoardTest, BoardView, MaterialChange, MoveTest, SeenMove, Ways, side,
};
pub use played::{Ending, PlayedFacts, Playing, material_of};
pub use ply::has_vectors;
pub use policy::{BadCode, CodedLine, RangeDecoder, RangeEncoder};
pub use polyglot::polyglot_move;
pub use position::{EpSquare, Lasting, Position, Resolved, SanText, SavedPosition, core_len};
pub use rules::Rules;
pub use san::coordinates;
pub use shakmaty::{Move, variant::Variant};
pub use standard::{Check, special};
pub use start::{
    is_reliable, is_start_tag, known_start, lacks_chess960, misnamed_start, names_position,
    start_position,
};
