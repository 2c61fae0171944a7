//! The proof that a block gives its source back, and the proof of that proof.

pub(crate) mod deep;
#[cfg(test)]
mod faults;
pub(crate) mod prove;
pub(crate) mod spelling;
