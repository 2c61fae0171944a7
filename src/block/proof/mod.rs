//! The proof that a block gives its source back, and the proof of that proof.

pub mod deep;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod line_faults;
pub(crate) mod lines;
pub mod prove;
pub(crate) mod spelling;
