//! Faults between text and bytes, each of which the proof must find.

mod faults;
mod line_faults;
