//! Files given in the place of others: archives as inputs, PGN as an archive. What a file is, its
//! first bytes tell.

use std::io::{self, Cursor, Read};
use std::path::Path;

use anyhow::bail;
use pgc::internals::archive::is_archive;
use pgc::internals::archive::{index_path, map_index};
use pgc::internals::io::Format;
use pgc::internals::io::{Counter, Source};
use pgc::internals::records::{Dialect, Marker, Record, Records};

use super::open::{is_stdin, open_input};
use super::output::shown;

/// What an index begins with.
pub(super) const INDEX_MAGIC: &[u8; 8] = b"\x89PGCI\r\n\x1a";

/// So many bytes tell what a file is.
const HEAD: u64 = 1 << 16;

/// A reader whose first bytes were looked at, and are given again; so is the error that ended them.
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

impl Read for Peeked {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.head.read(buf)? {
            0 => self.failed.take().map_or_else(|| self.rest.read(buf), Err),
            read => Ok(read),
        }
    }
}

/// A source that is to be packed, which must be no PGC: that would be kept as text outside games.
pub(super) fn refuse_pgc(source: Source) -> anyhow::Result<Source> {
    let peeked = Peeked::new(source.reader);
    let head = peeked.head.get_ref();
    if is_archive(head) == Some(true) {
        bail!("is an archive already: pgc merge makes one archive of several");
    }
    if head.starts_with(INDEX_MAGIC) {
        bail!("is the index of an archive: there are no games in it");
    }
    let is_named_pgc = Path::new(&source.name)
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("pgc"));
    if is_named_pgc && begins_game(head) {
        bail!("is PGC of another program: pgc unpack makes PGN of it, which can be packed");
    }
    Ok(Source {
        reader: Box::new(peeked),
        ..source
    })
}

/// Whether the first record begins a game.
fn begins_game(head: &[u8]) -> bool {
    let first = head.iter().find(|&&byte| byte != Marker::Noop.byte());
    first
        .is_some_and(|&byte| byte == Marker::ReducedGame.byte() || byte == Marker::GameBegin.byte())
}

/// A source that should be an archive, and must not be something else that people have.
pub(super) fn refuse_others(source: Source, path: &Path, pgn2pgc: bool) -> anyhow::Result<Source> {
    let peeked = Peeked::new(source.reader);
    if let Some(what) = other(peeked.head.get_ref(), path, pgn2pgc) {
        bail!("{}: {what}", shown(path));
    }
    Ok(Source {
        reader: Box::new(peeked),
        ..source
    })
}

/// The same for an archive that will be opened to be asked. What cannot be opened is told of by who does that.
pub(super) fn refuse_other_file(path: &Path, pgn2pgc: bool) -> anyhow::Result<()> {
    if is_stdin(path) || !path.is_file() {
        return Ok(());
    }
    let Some(Ok(source)) = open_input(path, "", &Counter::default())
        .ok()
        .and_then(|mut input| input.next())
    else {
        return Ok(());
    };
    let source = refuse_others(source, path, pgn2pgc)?;
    if source.format != Format::Plain {
        bail!(
            "{}: is compressed ({}): decompress it first",
            shown(path),
            source.format.name()
        );
    }
    Ok(())
}

/// What a file that begins so is, if it is no archive, and what to do with it.
fn other(head: &[u8], path: &Path, pgn2pgc: bool) -> Option<String> {
    if head.starts_with(INDEX_MAGIC) {
        return Some("is the index of an archive: give the archive".to_owned());
    }
    if is_pgn(head, path) {
        let name = if is_stdin(path) {
            "-".into()
        } else {
            path.display().to_string()
        };
        return Some(format!("is PGN: pack it first (`pgc pack {name}`)"));
    }
    // An index may say so too.
    let known = || pgn2pgc || map_index(&index_path(path)).is_ok_and(|index| index.is_pgn2pgc());
    (is_pgn2pgc(head) && !known()).then(|| {
        "is a file of the program pgn2pgc: give `pgc unpack` or `pgc index` --dialect pgn2pgc (with such an index \
         other commands read it too)"
            .to_owned()
    })
}

/// Begins with a tag pair, blank space and a byte order mark aside; or is named so, and begins with
/// no record.
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

/// Whether the first game can be read in the dialect of that program, and not otherwise.
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
