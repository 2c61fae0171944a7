//! PGN to PGC.

pub mod run;
