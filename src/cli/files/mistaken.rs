//! Recognises by its first bytes a file given by mistake: an archive as an input, or PGN as an
//! archive.

use std::path::Path;

use anyhow::{anyhow, bail};
use pgc::SourceEncoding;
use pgc::other_files::{INDEX_MAGIC, begins_game, no_record, other_file, seems_to_be};
use pgc::stream::reader::is_archive;
use pgc::stream::sniff::{SEARCHED, first_frame};
use pgc_io::input::{Counter, Source};
use pgc_io::{Format, Peeked};

use crate::failure::WithName;
use crate::files::archive::open_input;
use crate::files::destination::{ARCHIVES, has_ending};
use crate::files::encodings::AskedEncoding;
use crate::show::output::{is_stdin, shown};

/// The number of leading bytes that are examined.
const HEAD: usize = 1 << 16;

/// The most leading bytes that are examined for a guess of the encoding.
const SAMPLE: usize = 1 << 23;

/// A source among the inputs of `pack`, `add` and `lint`.
pub(crate) enum Given {
    /// Text, PGN or EPD, and the encoding to decode it from.
    Pgn(Source, Option<SourceEncoding>),
    /// An archive made by pgc; its sources are the inputs.
    Archive(Source),
}

/// Distinguishes text from archives. Refuses an index, and PGC of another program: their bytes
/// would be packed as text outside games. `tell`: the label of the source in a message about its
/// encoding. Also returns what else a text seems to be, for a message if it has no game.
pub(crate) fn sorted_out(
    source: Source,
    encoding: AskedEncoding,
    tell: Option<&str>,
) -> anyhow::Result<(Given, String)> {
    let mut peeked = Peeked::new(source.reader, HEAD);
    let is_named_pgc = has_ending(Path::new(&source.name), &ARCHIVES);
    if is_named_pgc && peeked.is_empty()? {
        bail!("is empty");
    }
    let head = peeked.head();
    let is_ours = is_archive(head) == Some(true);
    if head.starts_with(INDEX_MAGIC) {
        bail!("is the index of an archive and has no games to pack");
    }
    if is_named_pgc && begins_game(head) {
        bail!("is PGC made by another program: turn it into PGN with pgc unpack, then pack that");
    }
    // Text has no control characters below the tab.
    if is_named_pgc && !is_ours && head.iter().any(|&byte| byte < b'\t') {
        bail!(
            "is named as an archive, but does not begin as one: if it is damaged, use pgc salvage"
        );
    }
    let seems = match (seems_to_be(head), head.is_empty()) {
        (Some(what), _) => format!(": it seems to be {what}"),
        (None, true) => ": it is empty".to_owned(),
        (None, false) => String::new(),
    };
    // A sample for a guess has enough that is not ASCII, if possible.
    if !is_ours && encoding.looks_ahead() && head.is_ascii() {
        peeked.look(SAMPLE);
    }
    let (found, told) = match is_ours {
        true => (None, None),
        false => encoding.chosen_for(peeked.head()),
    };
    let source = Source {
        reader: Box::new(peeked),
        ..source
    };
    if is_ours {
        return Ok((Given::Archive(source), seems));
    }
    if let (Some(label), Some(told)) = (tell, told) {
        note!("{label}: {told}");
    }
    Ok((Given::Pgn(source, found), seems))
}

/// Refuses a source that is recognisably not an archive, or empty, and says what to do with it.
pub(crate) fn refuse_others(source: Source, path: &Path, pgn2pgc: bool) -> anyhow::Result<Source> {
    let mut peeked = Peeked::new(source.reader, HEAD);
    if peeked.is_empty().at(path)? {
        bail!("{}: is empty", shown(path));
    }
    let why = other_file(peeked.head(), path, pgn2pgc);
    if let Some(why) = why.or_else(|| no_record(peeked.head())) {
        // An archive that has lost its beginning may look like anything.
        peeked.look(SEARCHED);
        if first_frame(peeked.head()).is_none() {
            bail!("{}: {why}", shown(path));
        }
    }
    Ok(Source {
        reader: Box::new(peeked),
        ..source
    })
}

/// As [`refuse_others`], for an archive file that the caller opens itself; also refuses a
/// compressed archive. Accepts a file that cannot be read, since opening it reports the error.
pub(crate) fn refuse_other_file(path: &Path) -> anyhow::Result<()> {
    if is_stdin(path) || !path.is_file() {
        return Ok(());
    }
    let input = open_input(path, "", &Counter::default());
    let Some(Ok(source)) = input.ok().and_then(|mut input| input.next()) else {
        return Ok(());
    };
    let source = refuse_others(source, path, false)?;
    if source.format != Format::Plain {
        let (path, format) = (shown(path), source.format.name());
        bail!("{path}: is compressed ({format}): decompress it first");
    }
    Ok(())
}

/// Why an archive of another program cannot be merged, edited or added to.
pub(crate) fn not_ours(path: &Path) -> anyhow::Error {
    let path = shown(path);
    anyhow!(
        "{path}: is not an archive made by pgc: turn it into PGN with pgc unpack, then pack that"
    )
}
