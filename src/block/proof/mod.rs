//! The proof that a block gives its source back, and the proof of that proof.

pub mod deep;
pub(crate) mod lines;
pub mod prove;
pub(crate) mod spelling;

#[cfg(test)]
mod tests;
