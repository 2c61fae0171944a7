//! The texts of a block, one after another, in parts that PPMd codes: its variant H with the range
//! coder of 7-Zip (spec/small.md section 8).

use std::io::{Read, Write};

use ppmd_rust::{Ppmd7Decoder, Ppmd7Encoder};

use crate::num::{put_num, take_num, take_slice};

/// A part ends behind the text with which it reaches this many bytes, so that no game is far behind
/// the beginning of a part.
const PART: usize = 128 * 1024;

/// Gathers texts.
#[derive(Default)]
pub(crate) struct TextWriter {
    part: Vec<u8>,
    texts: u64,
    out: Vec<u8>,
}

impl TextWriter {
    /// Adds a text. 0 ends it; a 0 or 1 in it stands behind a 1.
    pub(crate) fn put(&mut self, text: &[u8]) -> Option<()> {
        for piece in text.split_inclusive(|&byte| byte < 2) {
            match piece.split_last() {
                Some((&last @ (0 | 1), before)) => {
                    self.part.extend_from_slice(before);
                    self.part.extend_from_slice(&[1, last]);
                }
                _ => self.part.extend_from_slice(piece),
            }
        }
        self.part.push(0);
        self.texts += 1;
        if self.part.len() >= PART {
            self.end_part()?;
        }
        Some(())
    }

    fn end_part(&mut self) -> Option<()> {
        let coded = encode(&self.part)?;
        for number in [self.texts, self.part.len() as u64, coded.len() as u64] {
            put_num(&mut self.out, number);
        }
        self.out.extend_from_slice(&coded);
        self.part.clear();
        self.texts = 0;
        Some(())
    }

    /// The stream.
    pub(crate) fn finish(mut self) -> Option<Vec<u8>> {
        if self.texts > 0 {
            self.end_part()?;
        }
        Some(self.out)
    }
}

/// Takes texts from a stream. Parts are decoded as far as texts are wanted.
#[derive(Default)]
pub(crate) struct TextReader<'a> {
    src: &'a [u8],
    /// The texts of the part that are still to come.
    texts: u64,
    /// Texts that were passed and must be decoded before the next.
    passed: u64,
    /// The part, as far as it is decoded, and its decoder.
    part: Vec<u8>,
    decoder: Option<PartDecoder<'a>>,
    /// The beginning of the part that is not decoded yet: its coded bytes and its length.
    coded: Option<(&'a [u8], u64)>,
    at: usize,
    /// The bytes that all further parts together may have.
    room: u64,
}

impl<'a> TextReader<'a> {
    /// `records`: the bytes of the records that the texts belong to.
    pub(crate) fn new(src: &'a [u8], records: u64) -> TextReader<'a> {
        TextReader {
            src,
            // A text is at worst a 1 before each byte and a 0 behind them; in the records it has a
            // byte before it.
            room: 2 * records,
            ..TextReader::default()
        }
    }

    /// Begins the next part if this one is at its end.
    fn begin(&mut self) -> Option<()> {
        if self.texts > 0 {
            return Some(());
        }
        if self.passed == 0 && !self.is_done() {
            return None;
        }
        self.texts = take_num(&mut self.src).filter(|&texts| texts > 0)?;
        let len = take_num(&mut self.src)?;
        let coded = take_num(&mut self.src)?;
        self.room = self.room.checked_sub(len)?;
        self.coded = Some((take_slice(&mut self.src, coded)?, len));
        self.passed = 0;
        Some(())
    }

    /// Takes a text, or only passes it if it is not wanted.
    pub(crate) fn take(&mut self, wanted: bool) -> Option<Vec<u8>> {
        self.begin()?;
        self.texts -= 1;
        if !wanted {
            self.passed += 1;
            return Some(Vec::new());
        }
        if let Some((coded, len)) = self.coded.take() {
            self.part.clear();
            self.at = 0;
            self.decoder = Some(PartDecoder::new(coded, len)?);
        }
        for _ in 0..std::mem::take(&mut self.passed) {
            self.text()?;
        }
        self.text()
    }

    fn text(&mut self) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            let rest = self.part.get(self.at..)?;
            let len = rest.iter().position(|&byte| byte < 2);
            text.extend_from_slice(&rest[..len.unwrap_or(rest.len())]);
            self.at += len.unwrap_or(rest.len());
            if len.is_some() && self.byte()? == 0 {
                return Some(text);
            }
            match self.byte()? {
                byte @ (0 | 1) if len.is_some() => text.push(byte),
                _ if len.is_some() => return None,
                // Goes on behind what is decoded.
                _ => self.at -= 1,
            }
        }
    }

    /// The next byte of the part.
    fn byte(&mut self) -> Option<u8> {
        if self.at == self.part.len() {
            self.decoder.as_mut()?.more(&mut self.part)?;
        }
        let byte = self.part.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    /// Whether the part was taken to its end.
    fn is_done(&self) -> bool {
        let is_decoded = self.decoder.as_ref().is_none_or(PartDecoder::is_done);
        is_decoded && self.coded.is_none() && self.at == self.part.len()
    }

    /// Whether everything was taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.src.is_empty() && self.texts == 0 && self.is_done()
    }
}

/// The length of the contexts.
const ORDER: u32 = 6;

/// Bytes of memory for the model.
const MEMORY: u32 = 2 << 20;

/// The most bytes that are decoded at once.
const CHUNK: u64 = 8 * 1024;

/// Codes bytes; `None` only if there is no memory for the model.
fn encode(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = Ppmd7Encoder::new(Vec::new(), ORDER, MEMORY).ok()?;
    encoder.write_all(bytes).ok()?;
    encoder.finish(false).ok()
}

/// Decodes a part, piece by piece.
struct PartDecoder<'a> {
    decoder: Ppmd7Decoder<&'a [u8]>,
    /// The bytes that are still to come.
    left: u64,
}

impl<'a> PartDecoder<'a> {
    /// Of a part of `left` bytes; `None` if it cannot begin so.
    fn new(coded: &'a [u8], left: u64) -> Option<PartDecoder<'a>> {
        let decoder = Ppmd7Decoder::new(coded, ORDER, MEMORY).ok()?;
        Some(PartDecoder { decoder, left })
    }

    /// Appends the next bytes of the part, if it has more; `None` if it is damaged.
    fn more(&mut self, part: &mut Vec<u8>) -> Option<()> {
        let want = self.left.min(CHUNK);
        let read = (&mut self.decoder).take(want).read_to_end(part).ok()?;
        self.left -= want;
        (read as u64 == want && (self.left > 0 || self.is_done())).then_some(())
    }

    /// Whether everything was decoded, and nothing stands behind it.
    fn is_done(&self) -> bool {
        self.left == 0 && self.decoder.get_ref().is_empty()
    }
}
