//! Recognises by its first bytes a file given by mistake: an archive as an input, or PGN as an
//! archive.

use std::io::{self, Cursor, Read};
use std::path::Path;

use anyhow::bail;
use pgc::SourceText;
use pgc::internals::archive::{SEARCHED, has_frame, is_archive};
use pgc::internals::io::Format;
use pgc::internals::io::{Counter, Source};
use pgc::internals::records::{Dialect, Marker, Record, Records};

use super::open::{is_stdin, open_input};
use super::output::shown;

/// The first bytes of an index.
pub(super) const INDEX_MAGIC: &[u8; 8] = b"\x89PGCI\r\n\x1a";

/// The number of leading bytes that are examined.
const HEAD: u64 = 1 << 16;

/// A reader whose first bytes have been examined. It returns them again, followed by the error that
/// ended the examination, if there was one.
struct Peeked {
    head: Cursor<Vec<u8>>,
    failed: Option<io::Error>,
    rest: Box<dyn Read + Send>,
}

impl Peeked {
    fn new(mut rest: Box<dyn Read + Send>) -> Peeked {
        let mut head = Vec::new();
        let failed = rest.by_ref().take(HEAD).read_to_end(&mut head).err();
        Peeked {
            head: Cursor::new(head),
            failed,
            rest,
        }
    }
}

impl Peeked {
    /// The first byte that is not a no-operation, if it begins no record. `None` also if part of an
    /// archive follows: then the archive has perhaps lost its beginning.
    fn no_record(&mut self) -> Option<u8> {
        let head = self.head.get_ref();
        let first = head.iter().find(|&&byte| byte != Marker::Noop.byte());
        let first = *first.filter(|&&byte| Marker::from_byte(byte).is_none())?;
        let more = (SEARCHED - head.len().min(SEARCHED)) as u64;
        if self.failed.is_none() {
            let searched = self.rest.by_ref().take(more);
            self.failed = { searched }.read_to_end(self.head.get_mut()).err();
        }
        (!has_frame(self.head.get_ref())).then_some(first)
    }
}

impl Read for Peeked {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.head.read(buf)? {
            0 => self.failed.take().map_or_else(|| self.rest.read(buf), Err),
            read => Ok(read),
        }
    }
}

/// A source among the inputs of `pack`, `add` and `lint`.
pub(super) enum Given {
    /// Text: PGN or EPD.
    Pgn(Source),
    /// An archive made by pgc; its sources are the inputs.
    Archive(Source),
}

/// Distinguishes text from archives. Refuses an index, and PGC of another program: their bytes
/// would be packed as text outside games.
pub(super) fn sorted_out(source: Source) -> anyhow::Result<Given> {
    let peeked = Peeked::new(source.reader);
    let head = peeked.head.get_ref();
    let is_ours = is_archive(head) == Some(true);
    if head.starts_with(INDEX_MAGIC) {
        bail!("is the index of an archive and has no games to pack");
    }
    let is_named_pgc = Path::new(&source.name).extension().is_some_and(|ending| {
        ending.eq_ignore_ascii_case("pgc") || ending.eq_ignore_ascii_case("pgcz")
    });
    if is_named_pgc && begins_game(head) {
        bail!("is PGC made by another program: turn it into PGN with pgc unpack, then pack that");
    }
    // Text has no control characters below the tab.
    if is_named_pgc && !is_ours && head.iter().any(|&byte| byte < b'\t') {
        bail!(
            "is named as an archive, but does not begin as one: if it is damaged, use pgc salvage"
        );
    }
    let source = Source {
        reader: Box::new(peeked),
        ..source
    };
    Ok(if is_ours {
        Given::Archive(source)
    } else {
        Given::Pgn(source)
    })
}

/// Refuses an input that is not text.
pub(super) fn refuse_pgc(source: Source) -> anyhow::Result<Source> {
    match sorted_out(source)? {
        Given::Pgn(source) => Ok(source),
        Given::Archive(_) => bail!("is already an archive"),
    }
}

/// Whether the first record that is not a no-operation begins a game.
fn begins_game(head: &[u8]) -> bool {
    let first = head.iter().find(|&&byte| byte != Marker::Noop.byte());
    first
        .is_some_and(|&byte| byte == Marker::ReducedGame.byte() || byte == Marker::GameBegin.byte())
}

/// Refuses a source that is recognisably not an archive, and says what to do with it.
pub(super) fn refuse_others(source: Source, path: &Path, pgn2pgc: bool) -> anyhow::Result<Source> {
    let mut peeked = Peeked::new(source.reader);
    if let Some(what) = other(peeked.head.get_ref(), path, pgn2pgc) {
        bail!("{}: {what}", shown(path));
    }
    if let Some(byte) = peeked.no_record() {
        bail!(
            "{}: is no archive: it begins with 0x{byte:02x}, which begins no record, and no part of an archive of pgc is near (if it was one, try pgc salvage)",
            shown(path)
        );
    }
    Ok(Source {
        reader: Box::new(peeked),
        ..source
    })
}

/// As [`refuse_others`], for an archive file that the caller opens itself; also refuses a
/// compressed archive. Accepts a file that cannot be read, since opening it reports the error.
pub(super) fn refuse_other_file(path: &Path) -> anyhow::Result<()> {
    if is_stdin(path) || !path.is_file() {
        return Ok(());
    }
    let Some(Ok(source)) = open_input(path, "", &Counter::default())
        .ok()
        .and_then(|mut input| input.next())
    else {
        return Ok(());
    };
    let source = refuse_others(source, path, false)?;
    if source.format != Format::Plain {
        bail!(
            "{}: is compressed ({}): decompress it first",
            shown(path),
            source.format.name()
        );
    }
    Ok(())
}

/// Says what a file is in which no part of an archive was found, if pgc recognises it.
pub(super) fn what_is(path: &Path) -> Option<String> {
    if is_stdin(path) {
        return None;
    }
    let source = open_input(path, "", &Counter::default()).ok()?.next()?;
    let peeked = Peeked::new(source.ok()?.reader);
    let head = peeked.head.get_ref();
    let what = other(head, path, false).or_else(|| {
        let what = "is perhaps PGC of another program, which has no checksums: --unproved saves the games that decode to legal play";
        begins_game(head).then(|| what.to_owned())
    });
    what.map(|what| format!("; it {what}"))
}

/// What a file with these first bytes is, if not an archive, and what the user can do.
fn other(head: &[u8], path: &Path, pgn2pgc: bool) -> Option<String> {
    if head.starts_with(INDEX_MAGIC) {
        return Some("is the index of an archive: name the archive instead".to_owned());
    }
    let is_text = head
        .first()
        .is_some_and(|&byte| Marker::from_byte(byte).is_none());
    let is_epd = is_text && SourceText::of_name(&path.to_string_lossy()) == SourceText::Epd;
    if is_epd || is_pgn(head, path) {
        let name = if is_stdin(path) {
            "-".into()
        } else {
            path.display().to_string()
        };
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
    let text = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    let has_tag = matches!(text, [b'[', letter, ..] if letter.is_ascii_alphanumeric());
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let is_named_pgn = name.ends_with(".pgn") || name.contains(".pgn.");
    has_tag
        || (is_named_pgn
            && head
                .first()
                .is_some_and(|&byte| Marker::from_byte(byte).is_none()))
}

/// Whether the first game can be read in the dialect of pgn2pgc but not in that of the standard.
fn is_pgn2pgc(head: &[u8]) -> bool {
    let reads = |dialect| {
        let is_end = |record: &Result<(u64, Record<'_>), _>| match record {
            Ok((_, record)) => matches!(record, Record::GameEnd | Record::Game { .. }),
            Err(_) => true,
        };
        Records::new(head, dialect)
            .find(is_end)
            .is_some_and(|record| record.is_ok())
    };
    begins_game(head) && !reads(Dialect::Standard) && reads(Dialect::Pgn2pgc)
}
