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
//! puts both together, [`reader`] reads a stream and [`writer`] makes one. None of them knows the
//! rules of chess.

pub(crate) mod item;
pub(crate) mod marker;
pub(crate) mod private;
pub(crate) mod reader;
pub(crate) mod record;
pub(crate) mod structure;
pub(crate) mod writer;

pub(crate) use marker::Marker;
pub(crate) use reader::Dialect;
pub use reader::{ReadError, RecordStream};
pub(crate) use record::Record;
pub use writer::RecordWriter;
