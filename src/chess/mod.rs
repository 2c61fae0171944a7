//! What PGC needs of the rules of chess.
//!
//! The rules themselves are shakmaty's. What is ours is the *ordinal* (PGN 1994 §20.2): the place of a
//! move in the list of legal moves sorted by canonical SAN.

pub mod position;
pub mod start;

pub use position::{Check, Position, Resolved, Rules, SanText, StartError, Unresolved};
pub use shakmaty::Move;
pub use start::start_position;
