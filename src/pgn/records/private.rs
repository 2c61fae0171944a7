//! Private escapes: what the 1994 text has no record for (spec/extension.md sections 1 and 2).

use super::marker::Marker;

/// Marks an escape as one of ours.
pub const PREFIX: &[u8; 3] = b"pgc";

/// The most stuffed data that one piece can hold: the longest payload, less the prefix and the
/// letter of the kind.
pub const MAX_PIECE: usize = 0xffff - 4;

/// The kinds of private escapes. No other file spells their letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EscapeKind {
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

impl EscapeKind {
    /// The kind that a letter stands for, and whether its data goes on in the next escape.
    pub fn from_letter(letter: u8) -> Option<(EscapeKind, bool)> {
        use EscapeKind::*;
        let continues = letter.is_ascii_lowercase();
        let whole = [Head, Block, Tail, Quoted].into_iter();
        let cut = [Tags, Annotations, Layout, Stray, Piece].into_iter();
        let mut kinds = cut.chain(whole.filter(|_| !continues));
        let kind = kinds.find(|&kind| kind as u8 == letter.to_ascii_uppercase())?;
        Some((kind, continues))
    }
}

/// A private escape among the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Private<'a> {
    /// The kind.
    pub kind: EscapeKind,
    /// Whether its data goes on in the next escape.
    pub continues: bool,
    /// The data, stuffed.
    pub data: &'a [u8],
}

/// Takes the place of the first bytes of a head while an addition to an archive is not finished
/// (extension.md 3.1). No record begins with this mark, and changing one byte turns neither the
/// mark into a head nor a head into the mark.
pub const UNFINISHED: [u8; 8] = [0xff; 8];

/// Whether an unfinished addition begins here. `rest` is what follows a whole segment and any noops
/// behind it. An addition begins with the mark, or the file ends within the mark.
pub fn is_unfinished(rest: &[u8]) -> bool {
    !rest.is_empty() && UNFINISHED.starts_with(&rest[..rest.len().min(UNFINISHED.len())])
}

/// Parses the payload of an escape-string, if it has the prefix and a kind.
pub fn private(payload: &[u8]) -> Option<Private<'_>> {
    let (&letter, data) = payload.strip_prefix(PREFIX)?.split_first()?;
    let (kind, continues) = EscapeKind::from_letter(letter)?;
    Some(Private {
        kind,
        continues,
        data,
    })
}

/// Bytes of an escape-string record before its data: marker, length, prefix, letter.
const OPENING: usize = 3 + PREFIX.len() + 1;

/// Appends the escape-string records that carry `data`, in as many pieces as it takes.
pub fn put_private(out: &mut Vec<u8>, kind: EscapeKind, data: &[u8]) {
    let begin = begin_private(out, kind);
    stuff(out, data);
    end_private(out, kind, begin);
}

/// Appends the opening of a private escape, and returns where its data begins; the caller stuffs
/// the data onto `out`.
pub fn begin_private(out: &mut Vec<u8>, kind: EscapeKind) -> usize {
    put_escape(out, kind as u8, b"");
    out.len()
}

/// Ends the escape whose data begins at `begin`: fills in its length, or cuts it into as many
/// pieces as it takes.
pub fn end_private(out: &mut Vec<u8>, kind: EscapeKind, begin: usize) {
    if out.len() - begin <= MAX_PIECE {
        let len = payload_len(out.len() - begin);
        out[begin - OPENING + 1..][..2].copy_from_slice(&len.to_le_bytes());
        return;
    }
    let data = out.split_off(begin);
    out.truncate(begin - OPENING);
    let mut pieces = data.chunks(MAX_PIECE).peekable();
    while let Some(piece) = pieces.next() {
        // A small letter says that the data goes on.
        let small = if pieces.peek().is_some() { 0x20 } else { 0 };
        put_escape(out, kind as u8 | small, piece);
    }
}

/// The length of the payload of an escape with so much data.
fn payload_len(data: usize) -> u16 {
    debug_assert!(data <= MAX_PIECE, "the caller cuts pieces");
    u16::try_from(PREFIX.len() + 1 + data).unwrap_or(u16::MAX)
}

fn put_escape(out: &mut Vec<u8>, letter: u8, piece: &[u8]) {
    out.push(Marker::Escape.byte());
    out.extend_from_slice(&payload_len(piece.len()).to_le_bytes());
    out.extend_from_slice(PREFIX);
    out.push(letter);
    out.extend_from_slice(piece);
}

/// Appends a `%` line of the source: as it is, or quoted where it looks private. `line` has at most
/// [`MAX_PIECE`] bytes.
pub fn put_source_escape(out: &mut Vec<u8>, line: &[u8]) {
    if line.starts_with(PREFIX) {
        put_escape(out, EscapeKind::Quoted as u8, line);
    } else {
        out.push(Marker::Escape.byte());
        let length = u16::try_from(line.len()).unwrap_or(u16::MAX);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(line);
    }
}

/// Stuffing writes `LF` for a line feed, `CR` for a carriage return, and for each of these three
/// bytes `AS_IS` followed by its number: 0, 1 or 2.
const LF: u8 = 0xfa;
const CR: u8 = 0xfd;
const AS_IS: u8 = 0xfe;

/// Appends `data` without LF and CR (spec/extension.md 1.1).
pub fn stuff(out: &mut Vec<u8>, data: &[u8]) {
    if memchr::memchr3(LF, CR, AS_IS, data).is_none() {
        // As nearly always, no byte becomes two.
        return replace(out, data, [(b'\n', LF), (b'\r', CR)]);
    }
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

/// Appends `data`, with the first byte of each pair replaced by the second.
fn replace(out: &mut Vec<u8>, data: &[u8], [(a, for_a), (b, for_b)]: [(u8, u8); 2]) {
    let begin = out.len();
    out.extend_from_slice(data);
    // Without branches, so that the compiler makes vectors of this.
    for byte in &mut out[begin..] {
        let was = *byte;
        *byte = if was == a { for_a } else { was };
        *byte = if was == b { for_b } else { *byte };
    }
}

/// Undoes [`stuff`]; `None` if `data` is nothing that [`stuff`] writes.
pub fn unstuff(out: &mut Vec<u8>, data: &[u8]) -> Option<()> {
    if memchr::memchr3(b'\n', b'\r', AS_IS, data).is_none() {
        replace(out, data, [(LF, b'\n'), (CR, b'\r')]);
        return Some(());
    }
    let mut bytes = data.iter();
    while let Some(&byte) = bytes.next() {
        out.push(match byte {
            b'\n' | b'\r' => return None,
            LF => b'\n',
            CR => b'\r',
            AS_IS => match bytes.next()? {
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

#[cfg(test)]
mod tests {
    use super::*;

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
        put_private(&mut out, EscapeKind::Stray, &vec![b'x'; 2 * MAX_PIECE + 1]);
        assert_eq!(out[..7], *b"\x0a\xff\xffpgcs");
        assert_eq!(out[2 * (MAX_PIECE + 7)..], *b"\x0a\x05\x00pgcSx");
        let mut out = Vec::new();
        put_private(&mut out, EscapeKind::Stray, b"");
        assert_eq!(out, b"\x0a\x04\x00pgcS");
        put_source_escape(&mut out, b"pgcH");
        assert_eq!(out[7..], *b"\x0a\x08\x00pgcQpgcH");
    }
}
