//! Private escapes: what the 1994 text has no record for (spec/extension.md sections 1 and 2).

use super::item::put_int2;
use super::marker::Marker;

/// Whose escapes these are.
pub const PREFIX: &[u8; 3] = b"pgc";

/// Data of one piece, stuffed: a payload without the prefix and the kind.
pub const MAX_PIECE: usize = 0xffff - 4;

/// The kinds of private escapes. The letters stand nowhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Head of a segment.
    Head = b'H',
    /// Block head.
    Block = b'B',
    /// Tail of a segment.
    Tail = b'E',
    /// Tags that a tag pair record cannot carry.
    Tags = b'T',
    /// Comments and other things without a record.
    Annotations = b'A',
    /// Layout of a game.
    Layout = b'L',
    /// Text outside games.
    Stray = b'S',
    /// A game kept as text, or a piece of one.
    Piece = b'P',
    /// A `%` line of the source that looks like one of these.
    Quoted = b'Q',
}

impl Kind {
    /// The kind that a letter stands for, and whether its data goes on in the next escape.
    #[must_use]
    pub fn from_letter(letter: u8) -> Option<(Kind, bool)> {
        let kind = match letter.to_ascii_uppercase() {
            b'H' => Kind::Head,
            b'B' => Kind::Block,
            b'E' => Kind::Tail,
            b'T' => Kind::Tags,
            b'A' => Kind::Annotations,
            b'L' => Kind::Layout,
            b'S' => Kind::Stray,
            b'P' => Kind::Piece,
            b'Q' => Kind::Quoted,
            _ => return None,
        };
        let continues = letter.is_ascii_lowercase();
        let whole = matches!(kind, Kind::Head | Kind::Block | Kind::Tail | Kind::Quoted);
        (!(continues && whole)).then_some((kind, continues))
    }
}

/// A private escape among the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Private<'a> {
    /// Its kind.
    pub kind: Kind,
    /// Its data goes on in the next one.
    pub continues: bool,
    /// Its data, stuffed.
    pub data: &'a [u8],
}

/// Stands where a head may stand, for the first byte of it, as long as an addition to an archive is not finished (extension.md 3.1). No marker.
pub const UNFINISHED: u8 = 0xff;

/// What the payload of an escape-string says, if it has the prefix and a kind.
#[must_use]
pub fn private(payload: &[u8]) -> Option<Private<'_>> {
    let (&letter, data) = payload.strip_prefix(PREFIX)?.split_first()?;
    let (kind, continues) = Kind::from_letter(letter)?;
    Some(Private { kind, continues, data })
}

/// Appends the escape-string records that carry `data`, in as many pieces as it takes. `scratch` is overwritten.
pub fn put_private(out: &mut Vec<u8>, kind: Kind, data: &[u8], scratch: &mut Vec<u8>) {
    scratch.clear();
    stuff(scratch, data);
    let mut rest = scratch.as_slice();
    loop {
        let (piece, after) = rest.split_at(rest.len().min(MAX_PIECE));
        let letter = if after.is_empty() { kind as u8 } else { (kind as u8).to_ascii_lowercase() };
        put_escape(out, letter, piece);
        if after.is_empty() {
            return;
        }
        rest = after;
    }
}

fn put_escape(out: &mut Vec<u8>, letter: u8, piece: &[u8]) {
    out.push(Marker::Escape.byte());
    let len = PREFIX.len() + 1 + piece.len();
    debug_assert!(len <= 0xffff, "the caller cuts pieces");
    put_int2(out, u16::try_from(len).unwrap_or(u16::MAX));
    out.extend_from_slice(PREFIX);
    out.push(letter);
    out.extend_from_slice(piece);
}

/// Appends a `%` line of the source: as it is, or quoted where it looks private. `line` has at most [`MAX_PIECE`] bytes.
pub fn put_source_escape(out: &mut Vec<u8>, line: &[u8]) {
    if line.starts_with(PREFIX) {
        put_escape(out, Kind::Quoted as u8, line);
    } else {
        out.push(Marker::Escape.byte());
        put_int2(out, u16::try_from(line.len()).unwrap_or(u16::MAX));
        out.extend_from_slice(line);
    }
}

/// Stuffing: bytes that stand in for LF and CR, and what announces a byte that does not.
const LF: u8 = 0xfa;
const CR: u8 = 0xfd;
const AS_IS: u8 = 0xfe;

/// So many bytes are looked at together for one that stuffing knows.
const CHUNK: usize = 16;

/// The first bytes of `data`, in whole chunks, that are the same stuffed and not.
fn plain_prefix(data: &[u8]) -> &[u8] {
    // All from the first of the three on, though stuffing knows but these: simple enough to be done for the chunk at once.
    let special = |&byte: &u8| (byte >= LF) | (byte == b'\n') | (byte == b'\r');
    let is_plain = |chunk: &&[u8; CHUNK]| !chunk.iter().fold(false, |any, byte| any | special(byte));
    let chunks = data.as_chunks().0.iter().take_while(is_plain).count();
    &data[..chunks * CHUNK]
}

/// Appends `data` without LF and CR (spec/extension.md 1.1).
pub fn stuff(out: &mut Vec<u8>, data: &[u8]) {
    out.reserve(data.len());
    let mut rest = data;
    while !rest.is_empty() {
        let plain = plain_prefix(rest);
        out.extend_from_slice(plain);
        let (chunk, after) = rest[plain.len()..].split_at(CHUNK.min(rest.len() - plain.len()));
        for &byte in chunk {
            match byte {
                b'\n' => out.push(LF),
                b'\r' => out.push(CR),
                LF => out.extend_from_slice(&[AS_IS, 0]),
                CR => out.extend_from_slice(&[AS_IS, 1]),
                AS_IS => out.extend_from_slice(&[AS_IS, 2]),
                byte => out.push(byte),
            }
        }
        rest = after;
    }
}

/// Undoes [`stuff`]; `None` if the data was never stuffed.
#[must_use]
pub fn unstuff(out: &mut Vec<u8>, data: &[u8]) -> Option<()> {
    out.reserve(data.len());
    let mut rest = data;
    while !rest.is_empty() {
        let plain = plain_prefix(rest);
        out.extend_from_slice(plain);
        rest = &rest[plain.len()..];
        for _ in 0..CHUNK {
            let Some((&byte, after)) = rest.split_first() else { break };
            rest = after;
            out.push(match byte {
                b'\n' | b'\r' => return None,
                LF => b'\n',
                CR => b'\r',
                AS_IS => match take_byte(&mut rest)? {
                    0 => LF,
                    1 => CR,
                    2 => AS_IS,
                    _ => return None,
                },
                byte => byte,
            });
        }
    }
    Some(())
}

/// First byte from which on a num has more than one.
const LONG: u64 = 0xf0;
/// First number that takes the LEB128 form.
const HUGE: u64 = LONG + 15 * 256;

/// Appends a num.
#[inline]
pub fn put_num(out: &mut Vec<u8>, number: u64) {
    match u8::try_from(number) {
        Ok(byte) if number < LONG => out.push(byte),
        _ => put_long_num(out, number),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "each cast is of what a mask or a range left")]
fn put_long_num(out: &mut Vec<u8>, number: u64) {
    if number < HUGE {
        let rest = number - LONG;
        out.push((LONG + (rest >> 8)) as u8);
        out.push((rest & 0xff) as u8);
    } else {
        out.push(0xff);
        let mut rest = number - HUGE;
        while rest >= 0x80 {
            out.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
    }
}

/// Takes a num; `None` if it is cut off or too large.
#[inline]
pub fn take_num(src: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = src.split_first()?;
    *src = rest;
    let first = u64::from(first);
    if first < LONG { Some(first) } else { take_long_num(src, first) }
}

/// The rest of a num that began with this byte.
fn take_long_num(src: &mut &[u8], first: u64) -> Option<u64> {
    if first < 0xff {
        return Some(LONG + ((first - LONG) << 8) + u64::from(take_byte(src)?));
    }
    let mut number = 0_u64;
    for shift in (0..63).step_by(7) {
        let byte = take_byte(src)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number.checked_add(HUGE).filter(|&n| n < 1 << 63);
        }
    }
    None
}

/// Appends an snum.
pub fn put_snum(out: &mut Vec<u8>, number: i64) {
    put_num(out, zigzag(number));
}

/// Takes an snum.
pub fn take_snum(src: &mut &[u8]) -> Option<i64> {
    take_num(src).map(unzigzag)
}

/// 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ...
#[must_use]
pub fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

/// Undoes [`zigzag`].
#[must_use]
pub fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// Takes one byte.
#[inline]
pub fn take_byte(src: &mut &[u8]) -> Option<u8> {
    let (&byte, rest) = src.split_first()?;
    *src = rest;
    Some(byte)
}

/// Takes `len` bytes.
pub fn take_slice<'a>(src: &mut &'a [u8], len: u64) -> Option<&'a [u8]> {
    let (taken, rest) = src.split_at_checked(usize::try_from(len).ok()?)?;
    *src = rest;
    Some(taken)
}

/// Appends a str.
pub fn put_str(out: &mut Vec<u8>, bytes: &[u8]) {
    put_num(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Takes a str.
pub fn take_str<'a>(src: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = take_num(src)?;
    take_slice(src, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nums_of_the_spec() {
        let pairs: [(u64, &[u8]); 8] = [
            (0, &[0]),
            (239, &[0xef]),
            (240, &[0xf0, 0]),
            (4079, &[0xfe, 0xff]),
            (4080, &[0xff, 0]),
            (4208, &[0xff, 0x80, 0x01]),
            (495, &[0xf0, 0xff]),
            (496, &[0xf1, 0]),
        ];
        for (number, bytes) in pairs {
            let mut out = Vec::new();
            put_num(&mut out, number);
            assert_eq!(out, bytes, "{number}");
            let mut src = bytes;
            assert_eq!(take_num(&mut src), Some(number));
            assert!(src.is_empty());
            assert_eq!(take_num(&mut &bytes[..bytes.len() - 1]), None);
        }
        let mut out = Vec::new();
        put_num(&mut out, (1 << 63) - 1);
        assert_eq!(take_num(&mut out.as_slice()), Some((1 << 63) - 1));
        assert_eq!(take_num(&mut [0xff; 12].as_slice()), None);
    }

    #[test]
    fn snums() {
        for n in [0, -1, 1, -2, 2, 119, -120, i64::MAX / 2, i64::MIN / 2] {
            assert_eq!(unzigzag(zigzag(n)), n);
        }
        assert_eq!([0, -1, 1, -2, 2].map(zigzag), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn every_byte_survives_stuffing() {
        let data: Vec<u8> = (0..=255).collect();
        let mut stuffed = Vec::new();
        stuff(&mut stuffed, &data);
        assert!(!stuffed.contains(&b'\n') && !stuffed.contains(&b'\r'));
        let mut back = Vec::new();
        assert_eq!(unstuff(&mut back, &stuffed), Some(()));
        assert_eq!(back, data);
        for wrong in [b"\n".as_slice(), b"\r", b"\xfe", b"\xfe\x03"] {
            assert_eq!(unstuff(&mut Vec::new(), wrong), None);
        }
    }

    #[test]
    fn pieces() {
        let mut out = Vec::new();
        put_private(&mut out, Kind::Stray, &vec![b'x'; 2 * MAX_PIECE + 1], &mut Vec::new());
        assert_eq!(out[..7], *b"\x0a\xff\xffpgcs");
        assert_eq!(out[2 * (MAX_PIECE + 7)..], *b"\x0a\x05\x00pgcSx");
        let mut out = Vec::new();
        put_private(&mut out, Kind::Stray, b"", &mut Vec::new());
        assert_eq!(out, b"\x0a\x04\x00pgcS");
        put_source_escape(&mut out, b"pgcH");
        assert_eq!(out[7..], *b"\x0a\x08\x00pgcQpgcH");
    }
}
