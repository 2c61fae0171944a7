//! The rules of chess, as far as PGC needs them.
//!
//! The crate shakmaty knows the rules. This folder adds the *ordinal* of a move (PGN 1994, 20.2):
//! its place, from 0, among the legal moves sorted by canonical SAN.

mod attacks;
mod census;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod lenient;
mod named;
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

pub use lenient::stands_for;
pub use lenient::{Rung, Unresolved};
pub use named::{KNOWS_OPENINGS, OPENING_LIST, OPENING_PLIES, named_opening};
pub use named::{NamedOpening, known_openings};
pub use opening::{MovesError, Opening};
pub use pattern::SeenMove;
pub use pattern::{BoardError, BoardTest, BoardView, MoveTest};
pub use played::{Ending, PlayedFacts};
pub use played::{Playing, material_of};
pub use policy::{BadCode, CodedLine, RangeDecoder, RangeEncoder};
pub use polyglot::polyglot_move;
pub use position::Lasting;
pub use position::Resolved;
pub use position::SanText;
pub use position::SavedPosition;
pub use position::{Position, core_len};
pub use rules::Rules;
pub use san::coordinates;
pub use shakmaty::Move;
pub use standard::Check;
pub use standard::special;
pub use start::is_reliable;
pub use start::{lacks_chess960, names_position, start_position};
