//! The binary form: PGN 1994 section 20, made exact in `spec/pgc.md`.
//!
//! ```text
//! stream = (noop | escape-string | reduced-game | game)*
//! game   = game-begin (noop | escape-string | tag-pair | moves | simple-nag | rav)* game-end
//! rav    = rav-begin (noop | escape-string | tag-pair | moves | simple-nag | rav)* rav-end
//! moves  = short-moves | long-moves
//! ```
//!
//! [`marker`] names the first bytes of records, [`item`] reads and writes their parts, [`record`]
//! puts both together, and [`reader`] reads a stream. None of them knows the rules of chess.

pub mod item;
pub mod marker;
pub mod private;
pub mod reader;
pub mod record;
pub mod structure;

pub use marker::Marker;
pub use reader::{Dialect, ReadError, RecordStream};
pub use record::Record;
