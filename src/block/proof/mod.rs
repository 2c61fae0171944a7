//! The proof that a block gives its source back, and the proof of that proof.

pub mod deep;
pub(crate) mod lines;
mod named_move;
pub mod prove;
pub(crate) mod spelling;

#[cfg(test)]
mod tests;
