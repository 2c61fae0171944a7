//! EPD as a source of games: where its lines end, and each line as a game without play
//! (spec/epd.md 5).

use std::borrow::Cow;

use super::line::{EpdError, EpdLine, Operand};
use crate::clause::Rule;
use crate::tag::{BOM, put_tag_pair};
use crate::text::decoded;
use pgc_chess::Rules;

/// A longer line is text. The standard asks for 1,024 characters (16.2.3). A tag pair must hold
/// twice as much as this, since quotes get backslashes.
pub const MAX_LINE: usize = 32 * 1024;

/// The opcode whose string each tag has (9.3, 9.4, D69).
pub(super) const TAGS: [(&str, &str); 5] = [
    ("ECO", "eco"),
    ("NIC", "nic"),
    ("Opening", "v0"),
    ("SubVariation", "v2"),
    ("Variation", "v1"),
];

/// The tag that holds the rest of the line, behind the position.
pub(crate) const EPD_TAG: &str = "EPD";

/// Where the line that begins at `at` ends, without and with its line end.
pub fn line_end(bytes: &[u8], at: usize) -> (usize, usize) {
    let Some(found) = memchr::memchr2(b'\n', b'\r', &bytes[at..]) else {
        return (bytes.len(), bytes.len());
    };
    let end = at + found;
    let is_crlf = bytes[end..].starts_with(b"\r\n");
    (end, end + 1 + usize::from(is_crlf))
}

/// Where the first line that reaches `least` bytes ends. A line longer than [`MAX_LINE`], which is
/// not EPD, may be cut. `None`: more bytes are needed.
pub fn lines_end(bytes: &[u8], least: usize, eof: bool) -> Option<usize> {
    let reach = least + MAX_LINE + 1;
    let window = &bytes[..bytes.len().min(reach)];
    let from = least.saturating_sub(1).min(window.len());
    match memchr::memchr2(b'\n', b'\r', &window[from..]) {
        Some(found) => {
            let (_, end) = line_end(bytes, from + found);
            let may_go_on = bytes[from + found] == b'\r' && end == bytes.len();
            (eof || !may_go_on).then_some(end)
        }
        None if bytes.len() >= reach => Some(reach),
        None => eof.then_some(bytes.len()),
    }
}

/// The line of a unit: without its line end, and without a byte order mark.
pub fn line_of_unit(text: &[u8]) -> &[u8] {
    let line = &text[..line_end(text, 0).0];
    line.strip_prefix(BOM).unwrap_or(line)
}

/// A line of a source that is EPD.
#[derive(Clone, Debug)]
pub struct SourceLine<'t> {
    /// What it says.
    pub line: EpdLine,
    raw: &'t [u8],
    /// The rest of the line behind the position and the blanks that follow it.
    rest: &'t [u8],
}

impl<'t> SourceLine<'t> {
    /// Reads a line, without line end and byte order mark.
    ///
    /// # Errors
    /// The line is not EPD, or too long.
    pub fn read(raw: &'t [u8]) -> Result<SourceLine<'t>, EpdError> {
        let refused = |what: &str| EpdError {
            column: 1,
            rule: Rule::NotEpd,
            what: what.to_owned(),
            text: decoded(&raw[..raw.len().min(80)]).into_owned(),
        };
        if raw.len() > MAX_LINE {
            return Err(refused("longer than 32,768 bytes"));
        }
        if raw.trim_ascii_start().starts_with(b"#") {
            return Err(refused("a comment"));
        }
        let line = EpdLine::parse(&decoded(raw))?;
        // Only blanks stand before and between the fields. The checks of Three-check, which may
        // stand in two places, belong to the rest.
        let mut at = 0;
        for field in line.position.split(' ').take(4) {
            let found = memchr::memmem::find(&raw[at..], field.as_bytes()).unwrap_or(0);
            at += found + field.len();
        }
        Ok(SourceLine {
            line,
            raw,
            rest: raw.get(at..).unwrap_or_default().trim_ascii_start(),
        })
    }

    /// The tag pairs of the game, in the order of export format.
    pub fn tags(&self) -> Vec<(&'static str, Cow<'t, [u8]>)> {
        let mut tags: Vec<(&str, Cow<'t, [u8]>)> = vec![
            (EPD_TAG, self.rest.into()),
            ("FEN", self.line.fen().into_bytes().into()),
            ("SetUp", b"1".as_slice().into()),
        ];
        for (tag, opcode) in TAGS {
            tags.extend(self.string(opcode).map(|value| (tag, value)));
        }
        let needed = || match self.line.rules() {
            Rules::Chess => None,
            rules => Some(rules.name().as_bytes().into()),
        };
        let variant = self.string("Variant").or_else(needed);
        tags.extend(variant.map(|value| ("Variant", value)));
        tags.sort_unstable_by_key(|tag| tag.0);
        tags.insert(0, ("Result", b"*".as_slice().into()));
        tags
    }

    /// The operand of an operation that has a single string, in the encoding of the line.
    fn string(&self, opcode: &str) -> Option<Cow<'t, [u8]>> {
        let operation = self.line.operation(opcode)?;
        let [Operand::Text(text)] = operation.operands.as_slice() else {
            return None;
        };
        let is_utf8 = std::str::from_utf8(self.raw).is_ok();
        let bytes: Vec<u8> = match is_utf8 {
            true => text.clone().into_bytes(),
            // Latin-1 has no other characters.
            false => text.chars().filter_map(|c| u8::try_from(c).ok()).collect(),
        };
        (!bytes.is_empty()).then(|| bytes.into())
    }
}

/// For each error, the byte at which the part of the line that it names begins. The errors must be
/// in the order of their columns.
pub fn places<'t, 'e>(
    raw: &'t [u8],
    errors: &'e [EpdError],
) -> impl Iterator<Item = (usize, &'e EpdError)> + use<'t, 'e> {
    let text = std::str::from_utf8(raw).ok();
    let (mut column, mut at) = (1, 0);
    errors.iter().map(move |error| {
        let more = error.column.saturating_sub(column);
        at += match text.map(|text| &text[at..]) {
            Some(rest) => {
                let next = rest.char_indices().nth(more);
                next.map_or(rest.len(), |(at, _)| at)
            }
            None => more.min(raw.len() - at),
        };
        column = column.max(error.column);
        (at, error)
    })
}

/// Appends the line of EPD that the tags FEN and EPD make, with its line end; `None` if there is no
/// such tag, or no FEN in it.
pub fn put_said<'t>(
    out: &mut Vec<u8>,
    tags: impl Iterator<Item = (&'t [u8], &'t [u8])> + Clone,
    newline: &[u8],
) -> Option<()> {
    let value = |wanted: &str| tags.clone().find(|tag| tag.0 == wanted.as_bytes());
    let (fen, rest) = (value("FEN")?.1, value(EPD_TAG)?.1);
    let fourth = memchr::memchr_iter(b' ', fen).nth(3)?;
    out.extend_from_slice(&fen[..fourth]);
    if !rest.is_empty() {
        out.push(b' ');
        out.extend_from_slice(rest);
    }
    out.extend_from_slice(newline);
    Some(())
}

/// The line of EPD that the tags make, if they make one that is not too long.
pub fn said<'t>(tags: impl Iterator<Item = (&'t [u8], &'t [u8])> + Clone) -> Option<EpdLine> {
    let mut line = Vec::new();
    put_said(&mut line, tags, b"")?;
    let line = Some(line).filter(|line| line.len() <= MAX_LINE)?;
    EpdLine::parse(&decoded(&line)).ok()
}

/// Appends a game without play, as PGN.
pub fn put_pgn<'t>(out: &mut Vec<u8>, tags: impl Iterator<Item = (&'t [u8], &'t [u8])>) {
    for (name, value) in tags {
        put_tag_pair(out, name, value);
        out.push(b'\n');
    }
    out.extend_from_slice(b"\n*\n\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_where_lines_do() {
        let ends = |bytes: &[u8], eof| lines_end(bytes, 4, eof);
        assert_eq!(ends(b"ab\ncd", false), None);
        assert_eq!(ends(b"ab\ncd", true), Some(5));
        assert_eq!(ends(b"abc\nde", false), Some(4));
        assert_eq!(ends(b"ab\ncde\nf", false), Some(7));
        assert_eq!(ends(b"abcd\r\nf", false), Some(6));
        // An LF may follow.
        assert_eq!(ends(b"abcd\r", false), None);
        assert_eq!(ends(b"abcd\r", true), Some(5));
        assert_eq!(ends(b"abcd\rf", false), Some(5));
        let long = vec![b'x'; 2 * MAX_LINE];
        assert_eq!(ends(&long, false), Some(4 + MAX_LINE + 1));
        assert_eq!(ends(&long[..MAX_LINE], false), None);
        assert_eq!(ends(b"", true), Some(0));
    }

    #[test]
    fn a_line_becomes_tags_and_tags_a_line() {
        let line = "4k3/8/8/8/8/8/8/4K2R w K - bm O-O; eco \"C\u{f6}0\"; fmvn 30; hmvc 4;";
        let expected = "Result *|ECO C\u{f6}0|EPD bm O-O; eco \"C\u{f6}0\"; fmvn 30; hmvc 4;\
                        |FEN 4k3/8/8/8/8/8/8/4K2R w K - 4 30|SetUp 1";
        let latin1: Vec<u8> = line.chars().map(|c| u8::try_from(c).unwrap()).collect();
        for raw in [line.as_bytes(), &latin1] {
            let tags = SourceLine::read(raw).unwrap().tags();
            let said: Vec<String> = tags
                .iter()
                .map(|(name, value)| format!("{name} {}", decoded(value)))
                .collect();
            assert_eq!(said.join("|"), expected);
            let mut again = Vec::new();
            let tags = tags.iter().map(|(name, value)| (name.as_bytes(), &**value));
            put_said(&mut again, tags, b"").unwrap();
            assert_eq!(again, raw);
        }
        let tags = [(&b"FEN"[..], &b"8/8 w -"[..]), (b"EPD", b"")];
        assert!(put_said(&mut Vec::new(), tags.into_iter(), b"").is_none());
    }
}
