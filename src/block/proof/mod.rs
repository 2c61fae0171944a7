//! The proof that a block gives its source back, and the proof of that proof.

pub mod deep;
mod named_move;
pub mod prove;
pub(crate) mod spelling;

#[cfg(test)]
mod tests;
