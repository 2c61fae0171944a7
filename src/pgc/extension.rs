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

/// Stands in the place of the first bytes of a head as long as an addition to an archive is not
/// finished (extension.md 3.1). No marker begins so, and no single changed byte makes a head of it
/// or it of a head.
pub const UNFINISHED: [u8; 8] = [0xff; 8];

/// Whether an unfinished addition begins here, if `rest` is all that follows a whole segment, noops
/// aside: with the mark, or with its beginning where the file ends in it.
#[must_use]
pub fn is_unfinished(rest: &[u8]) -> bool {
    !rest.is_empty() && UNFINISHED.starts_with(&rest[..rest.len().min(UNFINISHED.len())])
}

/// What the payload of an escape-string says, if it has the prefix and a kind.
#[must_use]
pub fn private(payload: &[u8]) -> Option<Private<'_>> {
    let (&letter, data) = payload.strip_prefix(PREFIX)?.split_first()?;
    let (kind, continues) = Kind::from_letter(letter)?;
    Some(Private {
        kind,
        continues,
        data,
    })
}

/// Bytes of an escape-string record before its data: marker, length, prefix, letter.
const OPENING: usize = 3 + PREFIX.len() + 1;

/// Appends the escape-string records that carry `data`, in as many pieces as it takes.
pub fn put_private(out: &mut Vec<u8>, kind: Kind, data: &[u8]) {
    let begin = begin_private(out, kind);
    stuff(out, data);
    end_private(out, kind, begin);
}

/// Appends the opening of a private escape, and tells where its data begins, which the caller
/// stuffs onto `out`.
pub fn begin_private(out: &mut Vec<u8>, kind: Kind) -> usize {
    put_escape(out, kind as u8, b"");
    out.len()
}

/// Ends the escape whose data begins there: tells its length, or cuts it into as many pieces as it
/// takes.
pub fn end_private(out: &mut Vec<u8>, kind: Kind, begin: usize) {
    if out.len() - begin <= MAX_PIECE {
        let len = payload_len(out.len() - begin);
        out[begin - OPENING + 1..][..2].copy_from_slice(&len.to_le_bytes());
        return;
    }
    let data = out.split_off(begin);
    out.truncate(begin - OPENING);
    let mut pieces = data.chunks(MAX_PIECE).peekable();
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        put_escape(
            out,
            if is_last {
                kind as u8
            } else {
                (kind as u8).to_ascii_lowercase()
            },
            piece,
        );
    }
}

/// Of an escape with so much data.
fn payload_len(data: usize) -> u16 {
    debug_assert!(data <= MAX_PIECE, "the caller cuts pieces");
    u16::try_from(PREFIX.len() + 1 + data).unwrap_or(u16::MAX)
}

fn put_escape(out: &mut Vec<u8>, letter: u8, piece: &[u8]) {
    out.push(Marker::Escape.byte());
    put_int2(out, payload_len(piece.len()));
    out.extend_from_slice(PREFIX);
    out.push(letter);
    out.extend_from_slice(piece);
}

/// Appends a `%` line of the source: as it is, or quoted where it looks private. `line` has at most
/// [`MAX_PIECE`] bytes.
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

/// So many bytes are looked at together: one that stuffing makes two of is rare, and all others can
/// be written at once.
const CHUNK: usize = 32;

/// Appends `data` without LF and CR (spec/extension.md 1.1).
pub fn stuff(out: &mut Vec<u8>, data: &[u8]) {
    out.reserve(data.len());
    let (chunks, rest) = data.as_chunks::<CHUNK>();
    for chunk in chunks {
        stuff_chunk(out, chunk, CHUNK);
    }
    let mut last = [0; CHUNK];
    last[..rest.len()].copy_from_slice(rest);
    stuff_chunk(out, &last, rest.len());
}

/// The first `len` bytes of a chunk.
#[inline]
fn stuff_chunk(out: &mut Vec<u8>, chunk: &[u8; CHUNK], len: usize) {
    if any(chunk, [LF, CR, AS_IS]) {
        return stuff_bytewise(out, &chunk[..len]);
    }
    let end = out.len() + len;
    out.extend_from_slice(&replaced(chunk, [(b'\n', LF), (b'\r', CR)]));
    out.truncate(end);
}

/// One of `values` is in the chunk.
#[inline]
fn any(chunk: &[u8; CHUNK], values: [u8; 3]) -> bool {
    let [a, b, c] = values;
    chunk.iter().fold(0, |any, &byte| {
        any | u8::from((byte == a) | (byte == b) | (byte == c))
    }) != 0
}

/// The chunk, with the second of a pair wherever the first one stands.
#[inline]
fn replaced(chunk: &[u8; CHUNK], pairs: [(u8, u8); 2]) -> [u8; CHUNK] {
    let [(a, for_a), (b, for_b)] = pairs;
    let mut chunk = *chunk;
    for byte in &mut chunk {
        let was = *byte;
        *byte = if was == a { for_a } else { was };
        *byte = if was == b { for_b } else { *byte };
    }
    chunk
}

fn stuff_bytewise(out: &mut Vec<u8>, data: &[u8]) {
    for &byte in data {
        match byte {
            b'\n' => out.push(LF),
            b'\r' => out.push(CR),
            LF => out.extend_from_slice(&[AS_IS, 0]),
            CR => out.extend_from_slice(&[AS_IS, 1]),
            AS_IS => out.extend_from_slice(&[AS_IS, 2]),
            byte => out.push(byte),
        }
    }
}

/// Stuffed data that says what it is: [`unstuff`] would give the same bytes.
#[must_use]
pub(crate) fn is_as_it_was(stuffed: &[u8]) -> bool {
    memchr::memchr3(LF, CR, AS_IS, stuffed).is_none()
        && memchr::memchr2(b'\n', b'\r', stuffed).is_none()
}

/// Undoes [`stuff`]; `None` if the data was never stuffed.
#[must_use]
pub fn unstuff(out: &mut Vec<u8>, data: &[u8]) -> Option<()> {
    out.reserve(data.len());
    let mut rest = data;
    while let Some((chunk, after)) = rest.split_first_chunk() {
        if any(chunk, [b'\n', b'\r', AS_IS]) {
            unstuff_bytewise(out, &mut rest, CHUNK)?;
        } else {
            out.extend_from_slice(&replaced(chunk, [(LF, b'\n'), (CR, b'\r')]));
            rest = after;
        }
    }
    let len = rest.len();
    unstuff_bytewise(out, &mut rest, len)
}

/// The same for `len` bytes at most, and one more where a pair begins with the last of them.
fn unstuff_bytewise(out: &mut Vec<u8>, src: &mut &[u8], len: usize) -> Option<()> {
    for _ in 0..len {
        let Some((&byte, after)) = src.split_first() else {
            break;
        };
        *src = after;
        out.push(match byte {
            b'\n' | b'\r' => return None,
            LF => b'\n',
            CR => b'\r',
            AS_IS => match take_byte(src)? {
                0 => LF,
                1 => CR,
                2 => AS_IS,
                _ => return None,
            },
            byte => byte,
        });
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
    match num_word(number) {
        Some((word, len)) => put_word(out, word, len),
        None => put_huge_num(out, number),
    }
}

/// A num of one byte or two as the low bytes of a word, and which it is; without a branch on that,
/// since nobody can tell what comes next.
#[inline]
fn num_word(number: u64) -> Option<(u64, usize)> {
    let is_long = number >= LONG;
    let long = ((LONG << 8) - LONG).wrapping_add(number).swap_bytes() >> 48;
    (number < HUGE).then_some((
        if is_long { long } else { number },
        1 + usize::from(is_long),
    ))
}

/// Appends the low `len` bytes of `word`, the lowest first: a copy of known length is one
/// instruction.
#[inline(always)]
pub fn put_word(out: &mut Vec<u8>, word: u64, len: usize) {
    let end = out.len() + len;
    out.extend_from_slice(&word.to_le_bytes());
    out.truncate(end);
}

#[cold]
fn put_huge_num(out: &mut Vec<u8>, number: u64) {
    out.push(0xff);
    let mut rest = number - HUGE;
    while rest >= 0x80 {
        out.push(u8::try_from(rest & 0x7f | 0x80).unwrap_or(0));
        rest >>= 7;
    }
    out.push(u8::try_from(rest).unwrap_or(0));
}

/// Takes a num; `None` if it is cut off or too large.
#[inline]
pub fn take_num(src: &mut &[u8]) -> Option<u64> {
    let (number, rest) = split_num(src)?;
    *src = rest;
    Some(number)
}

/// The num that `src` begins with, and what follows it: for those who take several, since what has
/// a place in memory is not kept in registers.
#[inline(always)]
fn split_num(src: &[u8]) -> Option<(u64, &[u8])> {
    let (&first, rest) = src.split_first()?;
    let first = u64::from(first);
    if first < LONG {
        Some((first, rest))
    } else {
        split_long_num(first, rest)
    }
}

/// The same for one that begins with this byte.
#[inline(never)]
fn split_long_num(first: u64, mut rest: &[u8]) -> Option<(u64, &[u8])> {
    if first < 0xff {
        let (&second, rest) = rest.split_first()?;
        return Some((LONG + ((first - LONG) << 8) + u64::from(second), rest));
    }
    let mut number = 0_u64;
    for shift in (0..63).step_by(7) {
        let byte = take_byte(&mut rest)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number
                .checked_add(HUGE)
                .filter(|&n| n < 1 << 63)
                .map(|number| (number, rest));
        }
    }
    None
}

/// Appends an snum.
#[inline]
pub fn put_snum(out: &mut Vec<u8>, number: i64) {
    put_num(out, zigzag(number));
}

/// Takes an snum.
#[inline]
pub fn take_snum(src: &mut &[u8]) -> Option<i64> {
    take_num(src).map(unzigzag)
}

/// 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ...
#[must_use]
#[inline]
pub fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

/// Undoes [`zigzag`].
#[must_use]
#[inline]
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
        put_private(&mut out, Kind::Stray, &vec![b'x'; 2 * MAX_PIECE + 1]);
        assert_eq!(out[..7], *b"\x0a\xff\xffpgcs");
        assert_eq!(out[2 * (MAX_PIECE + 7)..], *b"\x0a\x05\x00pgcSx");
        let mut out = Vec::new();
        put_private(&mut out, Kind::Stray, b"");
        assert_eq!(out, b"\x0a\x04\x00pgcS");
        put_source_escape(&mut out, b"pgcH");
        assert_eq!(out[7..], *b"\x0a\x08\x00pgcQpgcH");
    }
}
