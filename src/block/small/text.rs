//! Texts one after another, by PPMd (spec/small.md section 8).

use std::io::{Read, Write};

use ppmd_rust::{Ppmd7Decoder, Ppmd7Encoder};

const ORDER: u32 = 6;
const MEMORY: u32 = 2 << 20;

/// The text coded.
pub(crate) fn pack(text: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = Ppmd7Encoder::new(Vec::new(), ORDER, MEMORY).ok()?;
    encoder.write_all(text).ok()?;
    encoder.finish(false).ok()
}

/// So many bytes of text.
pub(crate) fn unpack(coded: &[u8], len: usize) -> Option<Vec<u8>> {
    let mut decoder = Ppmd7Decoder::new(coded, ORDER, MEMORY).ok()?;
    let mut text = vec![0; len];
    decoder.read_exact(&mut text).ok()?;
    Some(text)
}
