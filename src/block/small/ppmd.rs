//! A stream coded by PPMd, variant H with the range coder of 7-Zip (spec/small.md section 8.1).

use std::fmt;
use std::io::{Read, Write};

use ppmd_rust::{Ppmd7Decoder, Ppmd7Encoder};

/// The length of the contexts.
const ORDER: u32 = 6;

/// Bytes of memory for the model.
const MEMORY: u32 = 2 << 20;

/// The most bytes that are decoded at once.
const CHUNK: u64 = 8 * 1024;

/// Codes bytes; `None` only if there is no memory for the model.
pub(crate) fn encode(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = Ppmd7Encoder::new(Vec::new(), ORDER, MEMORY).ok()?;
    encoder.write_all(bytes).ok()?;
    encoder.finish(false).ok()
}

/// Decodes a part, piece by piece.
pub(crate) struct PartDecoder<'a> {
    decoder: Ppmd7Decoder<&'a [u8]>,
    /// The bytes that are still to come.
    left: u64,
}

impl fmt::Debug for PartDecoder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PartDecoder({} left)", self.left)
    }
}

impl<'a> PartDecoder<'a> {
    /// Of a part of `length` bytes; `None` if it cannot begin so.
    pub(crate) fn new(coded: &'a [u8], length: u64) -> Option<PartDecoder<'a>> {
        let decoder = Ppmd7Decoder::new(coded, ORDER, MEMORY).ok()?;
        Some(PartDecoder {
            decoder,
            left: length,
        })
    }

    /// Appends the next bytes of the part, if it has more; `None` if it is damaged.
    pub(crate) fn more(&mut self, part: &mut Vec<u8>) -> Option<()> {
        let want = self.left.min(CHUNK);
        let read = (&mut self.decoder).take(want).read_to_end(part).ok()?;
        self.left -= want;
        (read as u64 == want && (self.left > 0 || self.is_done())).then_some(())
    }

    /// Whether everything was decoded, and nothing stands behind it.
    pub(crate) fn is_done(&self) -> bool {
        self.left == 0 && self.decoder.get_ref().is_empty()
    }
}
