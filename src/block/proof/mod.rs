//! The proof that a block gives its source back, and the proof of that proof.

pub(crate) mod deep;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod line_faults;
pub(crate) mod lines;
pub(crate) mod prove;
pub(crate) mod spelling;
