//! What PGC needs of the rules of chess.
//!
//! The rules themselves are shakmaty's. What is ours is the *ordinal* (PGN 1994, 20.2): the place
//! of a move in the list of legal moves sorted by canonical SAN.

mod census;
mod fast;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod lenient;
mod masks;
mod ordinal;
mod pawns;
pub mod position;
mod san;
mod shared;
mod squares;
mod standard;
pub mod start;
mod variant;

pub use lenient::Rung;
pub(crate) use lenient::stands_for;
pub(crate) use position::Past;
pub use position::{Check, Position, Resolved, Rules, SanText, StartError, Unresolved, core_len};
pub use san::coordinates;
pub use shakmaty::Move;
pub(crate) use start::is_reliable;
pub use start::start_position;
