//! Says what a file is that is not what it should be: an archive, or a text with games.

use std::path::Path;

use crate::map::compressed;
use pgc_pgn::encoding::SourceEncoding;
use pgc_pgn::epd::source::{MAX_LINE, SourceLine};
use pgc_pgn::records::Marker;
use pgc_pgn::records::reader::{Dialect, Records};
use pgc_pgn::records::record::Record;
use pgc_pgn::source_text::SourceText;
use pgc_pgn::tag::is_newline;

/// The first bytes of an index.
pub const INDEX_MAGIC: &[u8; 8] = b"\x89PGCI\r\n\x1a";

/// Files by their first bytes.
const SIGNATURES: [(&[u8], &str); 10] = [
    (INDEX_MAGIC, "the index of an archive"),
    (b"\xff\xfe\0\0", "text in UTF-32"),
    (b"\0\0\xfe\xff", "text in UTF-32"),
    (b"7z\xbc\xaf'\x1c", "a 7z archive: extract its files first"),
    (b"Rar!\x1a\x07", "a RAR archive: extract its files first"),
    (b"\x1f\x9d", "a file of compress: decompress it first"),
    (b"\x04\x22\x4d\x18", "an lz4 file: decompress it first"),
    (
        b"\0\0\x2c\0\x2e\x01",
        "part of a database of ChessBase: export PGN from it first",
    ),
    (
        b"Scid.si\0",
        "part of a database of Scid: export PGN from it first",
    ),
    (b"(;", "SGF: turn it into PGN with pgc import-sgf"),
];

/// What a file without games that begins with these bytes seems to be.
pub fn seems_to_be(head: &[u8]) -> Option<String> {
    if let Some((_, what)) = SIGNATURES.iter().find(|(begin, _)| head.starts_with(begin)) {
        return Some((*what).to_owned());
    }
    if let Some(utf16) = SourceEncoding::utf16_of(head) {
        return Some(format!("text in {}", utf16.name()));
    }
    if let Some(format) = compressed(head) {
        return Some(format!("a {} file", format.name()));
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let begin = text.trim_ascii_start();
    let begin = begin[..begin.len().min(16)].to_ascii_lowercase();
    let begins = |text: &str| begin.starts_with(text.as_bytes());
    let what = match () {
        () if begins("<!doctype html") || begins("<html") || begins("<head") => {
            "a web page, perhaps an error message instead of the file"
        }
        () if begins("<?xml") || begins("<") => "XML",
        () if begins("{\"") || begins("[{") || begins("[\"") => "JSON",
        () if begins_game(head) => "PGC of another program: turn it into PGN with pgc unpack",
        () if head.contains(&0) => "no text",
        () if begins_with_position(text) => "positions as EPD or FEN: take them with --epd",
        () => return None,
    };
    Some(what.to_owned())
}

/// Whether the first line that is not empty is EPD or FEN.
fn begins_with_position(text: &[u8]) -> bool {
    let begin = text.trim_ascii_start();
    let line = &begin[..begin.len().min(MAX_LINE)];
    let line = line.split(|&byte| is_newline(byte)).next().unwrap_or(line);
    SourceLine::read(line).is_ok()
}

/// Why a file with these first bytes, in which no part of an archive was found, is no archive.
pub fn no_record(head: &[u8]) -> Option<String> {
    let first = head.iter().find(|&&byte| byte != Marker::Noop.byte());
    first.filter(|&&byte| Marker::from_byte(byte).is_none())?;
    let seems = seems_to_be(head).map(|what| format!(": it seems to be {what}"));
    Some("is not a PGC archive".to_owned() + &seems.unwrap_or_default())
}

/// Whether the first record that is not a no-operation begins a game.
pub fn begins_game(head: &[u8]) -> bool {
    let begins = [Marker::ReducedGame, Marker::GameBegin].map(Marker::byte);
    let first = head.iter().find(|&&byte| byte != Marker::Noop.byte());
    first.is_some_and(|byte| begins.contains(byte))
}

/// Whether a file begins, but not with a record.
fn begins_no_record(head: &[u8]) -> bool {
    let first = head.first();
    first.is_some_and(|&byte| Marker::from_byte(byte).is_none())
}

/// What a file with these first bytes is, if not an archive, and what the user can do.
pub fn other_file(head: &[u8], path: &Path, pgn2pgc: bool) -> Option<String> {
    if head.starts_with(INDEX_MAGIC) {
        return Some("is the index of an archive: name the archive instead".to_owned());
    }
    let is_named_epd = SourceText::from_name(&path.to_string_lossy(), None) == SourceText::Epd;
    let is_epd = is_named_epd && begins_no_record(head);
    if is_epd || is_pgn(head, path) {
        let name = path.display();
        let what = if is_epd { "EPD" } else { "PGN" };
        return Some(format!("is {what}: pack it first (`pgc pack {name}`)"));
    }
    (!pgn2pgc && is_pgn2pgc(head)).then(|| {
        "is a file of the program pgn2pgc: make it PGN with `pgc unpack --dialect pgn2pgc`, and pack that".to_owned()
    })
}

/// Whether the text begins with a tag pair, apart from a byte order mark and white space; or the
/// file is named as PGN and does not begin with a record.
fn is_pgn(head: &[u8], path: &Path) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let text = text.trim_ascii_start();
    let has_tag = matches!(text, [b'[', letter, ..] if letter.is_ascii_alphanumeric());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_lowercase();
    let is_named_pgn = name.ends_with(".pgn") || name.contains(".pgn.");
    has_tag || (is_named_pgn && begins_no_record(head))
}

/// Whether the first game can be read in the dialect of pgn2pgc but not in that of the standard.
fn is_pgn2pgc(head: &[u8]) -> bool {
    let reads = |dialect| {
        let is_end = |record: &Result<(u64, Record<'_>), _>| match record {
            Ok((_, record)) => matches!(record, Record::GameEnd | Record::Game { .. }),
            Err(_) => true,
        };
        let end = Records::new(head, dialect).find(is_end);
        end.is_some_and(|record| record.is_ok())
    };
    begins_game(head) && !reads(Dialect::Standard) && reads(Dialect::Pgn2pgc)
}
