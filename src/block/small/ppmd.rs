//! A stream coded by PPMd, variant H with the range coder of 7-Zip (spec/small.md section 8.1).

use std::io::{Read, Write};

use ppmd_rust::{Ppmd7Decoder, Ppmd7Encoder};

/// The length of the contexts.
const ORDER: u32 = 6;

/// Bytes of memory for the model.
const MEMORY: u32 = 2 << 20;

/// The bytes of room that are made at once for each byte of a stream; most bytes stand for fewer.
/// (None stands for 2,840: no symbol of the model is more likely than 16,352 in 16,384.)
const USUAL: usize = 16;

/// Codes bytes; `None` only if there is no memory for the model.
pub(crate) fn encode(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = Ppmd7Encoder::new(Vec::new(), ORDER, MEMORY).ok()?;
    encoder.write_all(bytes).ok()?;
    encoder.finish(false).ok()
}

/// Decodes a stream of `length` bytes.
///
/// # Errors
/// What is wrong with the stream.
pub(crate) fn decode(mut coded: &[u8], length: u64) -> Result<Vec<u8>, &'static str> {
    let most = coded.len().saturating_mul(USUAL);
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(most).min(most));
    let mut decoder =
        Ppmd7Decoder::new(&mut coded, ORDER, MEMORY).map_err(|_| "its beginning is wrong")?;
    let read = (&mut decoder).take(length).read_to_end(&mut bytes);
    if read.is_err() {
        return Err("it is not well-formed");
    }
    if bytes.len() as u64 != length {
        return Err("it ends early");
    }
    drop(decoder);
    if coded.is_empty() {
        Ok(bytes)
    } else {
        Err("bytes stand behind its end")
    }
}
