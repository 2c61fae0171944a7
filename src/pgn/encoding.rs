//! The encodings of sources that are not stored as they are, but in UTF-8 (spec/encodings.md).
//! What is decoded comes back: bytes that would not are kept as escapes.

use std::borrow::Cow;
use std::io::{self, Cursor, Read};

use crate::code_page::CodePage;
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, X_USER_DEFINED};

/// The encoding of a source, other than UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceEncoding(Table);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    /// An encoding of the Encoding Standard.
    Web(&'static Encoding),
    /// A code page of DOS.
    Dos(&'static CodePage),
}

/// Text is decoded in pieces of this length, and one that has a byte that does not come back,
/// character by character.
const PIECE: usize = 1 << 12;

/// The longest character of any encoding in bytes.
const LONGEST: usize = 4;

/// The first byte of the two that stand for a byte that does not come back; its low two bits are the
/// high bits of that byte. UTF-8 never has it.
const ESCAPE: u8 = 0xf8;

impl SourceEncoding {
    /// UTF-16 with the low byte of each unit first.
    pub const UTF_16LE: SourceEncoding = SourceEncoding(Table::Web(UTF_16LE));
    /// UTF-16 with the high byte of each unit first.
    pub const UTF_16BE: SourceEncoding = SourceEncoding(Table::Web(UTF_16BE));

    /// The encoding with this label of the Encoding Standard, ignoring case, or the code page of DOS
    /// (`cp437`, `cp850`, `cp852`). `None` also for UTF-8, and for encodings in which a byte may mean
    /// one thing here and another there.
    pub fn for_label(label: &str) -> Option<SourceEncoding> {
        if let Some(page) = CodePage::for_label(label) {
            return Some(SourceEncoding(Table::Dos(page)));
        }
        let found = Encoding::for_label(label.as_bytes())?;
        let unfit = [UTF_8, ISO_2022_JP, REPLACEMENT, X_USER_DEFINED];
        (!unfit.contains(&found)).then_some(SourceEncoding(Table::Web(found)))
    }

    /// The name in the Encoding Standard; `IBM850` and so on of a code page.
    pub fn name(self) -> &'static str {
        match self.0 {
            Table::Web(web) => web.name(),
            Table::Dos(page) => page.name,
        }
    }

    /// Whether it is UTF-16.
    pub fn is_utf16(self) -> bool {
        matches!(self.0, Table::Web(web) if !web.is_ascii_compatible())
    }

    /// UTF-16 if a source begins with its mark, or if one byte of each pair is often zero, the other
    /// seldom, and all are text.
    pub fn utf16_of(head: &[u8]) -> Option<SourceEncoding> {
        let (pairs, _) = head[..head.len().min(1 << 10)].as_chunks::<2>();
        let head = pairs.as_flattened();
        let zeros = |at: usize| pairs.iter().filter(|pair| pair[at] == 0).count();
        let often = (head.len() / 8).max(2);
        // Text with some zeros in it, rather than characters that look like two letters.
        let is_letter = |byte: &u8| matches!(byte, b' '..=b'~');
        let letters = pairs.iter().filter(|pair| pair.iter().all(is_letter));
        let (letters, all, zero_pairs) = (letters.count(), pairs.len(), zeros(0).max(zeros(1)));
        let is_other = zero_pairs * 2 < all && letters * 2 > all - zero_pairs;
        let found = match head {
            [0xff, 0xfe, 0, 0, ..] => return None,
            [0xff, 0xfe, ..] => return Some(SourceEncoding::UTF_16LE),
            [0xfe, 0xff, ..] => return Some(SourceEncoding::UTF_16BE),
            _ if is_other => return None,
            _ if zeros(0) * 4 <= zeros(1) && zeros(1) >= often => SourceEncoding::UTF_16LE,
            _ if zeros(1) * 4 <= zeros(0) && zeros(0) >= often => SourceEncoding::UTF_16BE,
            _ => return None,
        };
        let units = pairs
            .iter()
            .map(|&[first, second]| match found == SourceEncoding::UTF_16LE {
                true => u16::from_le_bytes([first, second]),
                false => u16::from_le_bytes([second, first]),
            });
        let is_text = |unit: u16| unit >= 0x20 || matches!(unit, 9..=13 | 0x1a);
        { units }.all(is_text).then_some(found)
    }

    /// Decodes what is complete, and all if it is the `last` piece. Returns the number of bytes decoded, and
    /// of those kept as escapes.
    pub fn decode(self, bytes: &[u8], last: bool, text: &mut Vec<u8>) -> (usize, u64) {
        let (mut at, mut kept) = (0, 0);
        while at < bytes.len() {
            let piece = &bytes[at..bytes.len().min(at + PIECE)];
            // A character may be cut off at the end of the piece.
            let longest = piece.len().saturating_sub(LONGEST - 1).max(1)..=piece.len();
            if let Some(len) = { longest }
                .rev()
                .find(|&len| self.exact(&piece[..len], text))
            {
                at += len;
                continue;
            }
            let end = at + piece.len();
            while at < end {
                let rest = &bytes[at..bytes.len().min(at + LONGEST)];
                match (1..=rest.len()).find(|&len| self.exact(&rest[..len], text)) {
                    Some(len) => at += len,
                    None if rest.len() < LONGEST && !last => return (at, kept),
                    None => {
                        // What follows half of a pair is a whole unit again.
                        let unit = rest.len().min(if self.is_utf16() { 2 } else { 1 });
                        for byte in &rest[..unit] {
                            text.extend([ESCAPE | byte >> 6, 0x80 | byte & 0x3f]);
                        }
                        at += unit;
                        kept += unit as u64;
                    }
                }
            }
        }
        (at, kept)
    }

    /// Decodes bytes that come back.
    fn exact(self, bytes: &[u8], text: &mut Vec<u8>) -> bool {
        if bytes.is_ascii() && !self.is_utf16() {
            text.extend_from_slice(bytes);
            return true;
        }
        let decoded = match self.0 {
            Table::Web(web) => web.decode_without_bom_handling_and_without_replacement(bytes),
            Table::Dos(page) => Some(page.decode(bytes).into()),
        };
        let decoded = decoded.filter(|text| self.encoded(text).as_deref() == Some(bytes));
        text.extend_from_slice(decoded.as_deref().unwrap_or_default().as_bytes());
        decoded.is_some()
    }

    /// The bytes of characters; `None` if it does not have one of them.
    fn encoded(self, text: &str) -> Option<Cow<'_, [u8]>> {
        let bytes = |pair: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(pair).collect();
        match self.0 {
            _ if self == SourceEncoding::UTF_16LE => Some(Cow::Owned(bytes(u16::to_le_bytes))),
            _ if self == SourceEncoding::UTF_16BE => Some(Cow::Owned(bytes(u16::to_be_bytes))),
            Table::Web(web) => {
                let (bytes, _, has_errors) = web.encode(text);
                (!has_errors).then_some(bytes)
            }
            Table::Dos(page) => text.chars().map(|char| page.byte(char)).collect(),
        }
    }
}

/// Encodes a decoded source again, piece by piece.
#[derive(Debug)]
pub struct SourceEncoder {
    /// The encoding into which it encodes.
    pub encoding: SourceEncoding,
    /// The beginning of a character.
    rest: Vec<u8>,
    /// The first character that the encoding does not have; its bytes are written as they are.
    pub lacking: Option<char>,
}

impl SourceEncoder {
    /// Encodes into this encoding.
    pub fn new(encoding: SourceEncoding) -> SourceEncoder {
        SourceEncoder {
            encoding,
            rest: Vec::new(),
            lacking: None,
        }
    }

    /// Encodes what is complete, and all if it is the `last` piece.
    pub fn encode(&mut self, text: &[u8], last: bool, out: &mut Vec<u8>) {
        let joined = match self.rest.is_empty() {
            true => Cow::Borrowed(text),
            false => Cow::Owned([&std::mem::take(&mut self.rest), text].concat()),
        };
        let mut left = &*joined;
        while let Err(error) = std::str::from_utf8(left) {
            let (text, bad) = left.split_at(error.valid_up_to());
            self.put(&String::from_utf8_lossy(text), out);
            left = match bad {
                [lead, low @ 0x80..=0xbf, rest @ ..] if lead & !3 == ESCAPE => {
                    out.push(lead << 6 | low & 0x3f);
                    rest
                }
                _ if !last
                    && (error.error_len().is_none() || bad.len() == 1 && bad[0] & !3 == ESCAPE) =>
                {
                    self.rest = bad.to_vec();
                    return;
                }
                [byte, rest @ ..] => {
                    out.push(*byte);
                    rest
                }
                [] => return,
            };
        }
        self.put(&String::from_utf8_lossy(left), out);
    }

    fn put(&mut self, text: &str, out: &mut Vec<u8>) {
        if let Some(bytes) = self.encoding.encoded(text) {
            out.extend_from_slice(&bytes);
            return;
        }
        for char in text.chars() {
            let utf8 = &mut [0; 4];
            let utf8 = &*char.encode_utf8(utf8);
            match self.encoding.encoded(utf8) {
                Some(bytes) => out.extend_from_slice(&bytes),
                None => {
                    self.lacking = self.lacking.or(Some(char));
                    out.extend_from_slice(utf8.as_bytes());
                }
            }
        }
    }
}

/// Reads a source in UTF-8.
#[derive(Debug)]
pub struct DecodedSource<R> {
    inner: R,
    encoding: Option<SourceEncoding>,
    raw: Vec<u8>,
    ended: bool,
    text: Cursor<Vec<u8>>,
    /// The number of bytes given.
    pub len: u64,
    /// The number of bytes of the source kept as escapes.
    pub kept: u64,
}

impl<R: Read> DecodedSource<R> {
    /// Reads a source in this encoding; `None`: as it is.
    pub fn new(inner: R, encoding: Option<SourceEncoding>) -> DecodedSource<R> {
        DecodedSource {
            inner,
            encoding,
            raw: Vec::new(),
            ended: false,
            text: Cursor::default(),
            len: 0,
            kept: 0,
        }
    }

    fn refill(&mut self, encoding: SourceEncoding) -> io::Result<()> {
        const CHUNK: u64 = 1 << 16;
        let read = self.inner.by_ref().take(CHUNK).read_to_end(&mut self.raw)?;
        self.ended = read == 0;
        self.text.set_position(0);
        self.text.get_mut().clear();
        let (done, kept) = encoding.decode(&self.raw, self.ended, self.text.get_mut());
        self.raw.drain(..done);
        self.kept += kept;
        Ok(())
    }
}

impl<R: Read> Read for DecodedSource<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = match self.encoding {
            None => self.inner.read(buf)?,
            Some(encoding) => loop {
                let read = self.text.read(buf)?;
                if read > 0 || self.ended || buf.is_empty() {
                    break read;
                }
                self.refill(encoding)?;
            },
        };
        self.len += read as u64;
        Ok(read)
    }
}

/// Reads a text in UTF-8 as bytes of an encoding.
#[derive(Debug)]
pub struct Reencoded<R> {
    inner: R,
    encoder: Option<SourceEncoder>,
    bytes: Cursor<Vec<u8>>,
}

impl<R: Read> Reencoded<R> {
    /// Reads a text in this encoding; `None`: as it is.
    pub fn new(inner: R, encoding: Option<SourceEncoding>) -> Reencoded<R> {
        Reencoded {
            inner,
            encoder: encoding.map(SourceEncoder::new),
            bytes: Cursor::default(),
        }
    }
}

impl<R: Read> Read for Reencoded<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let Some(encoder) = &mut self.encoder else {
            return self.inner.read(buf);
        };
        let mut ended = false;
        loop {
            let read = self.bytes.read(buf)?;
            if read > 0 || ended || buf.is_empty() {
                return Ok(read);
            }
            let read = self.inner.read(buf)?;
            ended = read == 0;
            self.bytes.set_position(0);
            self.bytes.get_mut().clear();
            encoder.encode(&buf[..read], ended, self.bytes.get_mut());
            if let Some(lacking) = encoder.lacking {
                let name = encoder.encoding.name();
                let what = format!(
                    "the source is in {name}, which has no {lacking:?}: unpack it with --utf8, and pack that"
                );
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(name: &str, bytes: &[u8], size: usize) -> (Vec<u8>, u64) {
        let encoding = SourceEncoding::for_label(name).unwrap();
        let mut decoded = DecodedSource::new(bytes, Some(encoding));
        let mut text = Vec::new();
        decoded.read_to_end(&mut text).unwrap();
        let mut encoder = SourceEncoder::new(encoding);
        let mut again = Vec::new();
        text.chunks(size)
            .for_each(|piece| encoder.encode(piece, false, &mut again));
        encoder.encode(b"", true, &mut again);
        assert!(again == bytes && encoder.lacking.is_none(), "{name} {size}");
        (text, decoded.kept)
    }

    #[test]
    fn every_byte_comes_back_in_every_encoding() {
        let mut state = 1_u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_le_bytes()[3]
        };
        let bytes: Vec<u8> = (0..60_000)
            .map(|at| match at / 10_000 % 2 {
                0 => noise(),
                _ => noise() & 0x7f,
            })
            .collect();
        for name in [
            "utf-16",
            "utf-16be",
            "cp1251",
            "koi8-r",
            "ibm866",
            "latin1",
            "gbk",
            "gb18030",
            "big5",
            "euc-jp",
            "shift_jis",
            "euc-kr",
            "iso-8859-2",
            "macintosh",
            "windows-874",
            "cp437",
            "cp850",
            "IBM852",
        ] {
            for size in [1, 3, 1000] {
                round(name, &bytes, size);
            }
            round(name, &bytes[..59_999], 7);
        }
    }

    #[test]
    fn the_text_is_what_the_encoding_means() {
        // From the tables of the Encoding Standard: cp1251 has К at 0xca and а at 0xe0.
        assert_eq!(round("cp1251", b"\xca\xe0", 1), ("Ка".into(), 0));
        assert_eq!(round("koi8-r", b"\xeb\xc1", 1), ("Ка".into(), 0));
        // From the tables at unicode.org: 0x81 is ü in all three, 0x9f is ƒ, ƒ and č.
        assert_eq!(round("cp437", b"\x81\x9f", 1), ("üƒ".into(), 0));
        assert_eq!(round("cp850", b"\x81\x9f\xd0", 1), ("üƒð".into(), 0));
        assert_eq!(round("cp852", b"\x81\x9f\xfd", 1), ("üčř".into(), 0));
        // The table of cp1257 has nothing for 0xa1.
        assert_eq!(round("cp1257", b"a\xa1b", 1), (b"a\xfa\xa1b".to_vec(), 1));
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut bytes: Vec<u8> = utf16("\u{feff}[White \"Ка♔😀\"]");
        assert_eq!(
            SourceEncoding::utf16_of(&bytes),
            SourceEncoding::for_label("utf-16le")
        );
        assert_eq!(
            SourceEncoding::utf16_of(&bytes[2..]),
            SourceEncoding::for_label("utf-16le")
        );
        assert_eq!(
            round("utf-16le", &bytes, 2),
            ("\u{feff}[White \"Ка♔😀\"]".into(), 0)
        );
        // Half a surrogate pair, and half a unit.
        bytes.extend([0x00, 0xd8, 0x41, 0x00, 0x41]);
        assert_eq!(round("utf-16le", &bytes, 2).1, 3);
        for text in [
            "utf-8",
            "iso-2022-jp",
            "replacement",
            "x-user-defined",
            "cp1200",
            "",
        ] {
            assert_eq!(SourceEncoding::for_label(text), None, "{text}");
        }
        for text in [
            &b"1. e4 e5\0 2. Nf3"[..],
            // A quarter of the pairs has a zero, on one side only.
            b"[\0White\0\"A\"\0]\n\n1. e4 *\n",
            b"",
            b"\0\0\0\0\0\0",
            b"1\0",
            b"\x01\0\x02\0\x03\0",
        ] {
            assert_eq!(SourceEncoding::utf16_of(text), None, "{text:?}");
        }
    }
}
