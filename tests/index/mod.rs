//! Questions and the index behind them, also false ones.

pub(crate) mod false_index;
pub(crate) mod false_places;
pub(crate) mod false_sections;
pub(crate) mod find_corpus;
pub(crate) mod index_builder;
pub(crate) mod people;
pub(crate) mod played;
pub(crate) mod positions;
pub(crate) mod questions;
pub(crate) mod scans;
