//! The proof that a block gives its source back, and the proof of that proof.

#[cfg(test)]
mod faults;
pub(crate) mod deep;
pub(crate) mod prove;
pub(crate) mod spelling;
