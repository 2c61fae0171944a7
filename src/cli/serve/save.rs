//! The games of a search as a file that the browser saves, written as `pgc find -o` writes it.

use std::fs::File;
use std::io::Read;

use anyhow::{Context, bail};
use clap::Parser;
use pgc_index::command_words;
use tempfile::TempDir;

use super::shelf::{Edition, Shelf};
use crate::failure::Exit;
use crate::find;
use crate::find_args::FindArgs;

/// The kinds of files: the ending of the name, and the media type.
const KINDS: [(&str, &str); 3] = [
    ("pgn", "application/x-chess-pgn"),
    ("pgc", "application/octet-stream"),
    ("csv", "text/csv; charset=utf-8"),
];

/// The command line of `pgc find`.
#[derive(Parser)]
struct FindLine {
    #[command(flatten)]
    find: FindArgs,
}

/// A file of games. It is removed when it has been read.
pub(super) struct SavedGames {
    pub(super) name: String,
    pub(super) media_type: &'static str,
    pub(super) length: u64,
    file: File,
    _folder: TempDir,
}

impl SavedGames {
    /// The next bytes; none at the end.
    pub(super) fn read(&mut self) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&mut self.file).take(256 << 10).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// What to write: the questions as options of `pgc find`, the ending of the file, and the order.
pub(super) struct Wish<'a> {
    pub(super) line: &'a str,
    pub(super) format: &'a str,
    pub(super) sort: Option<&'a str>,
    pub(super) reverse: bool,
}

/// Writes the games of a search.
pub(super) fn save(
    shelf: &Shelf,
    edition: &Edition,
    wish: &Wish<'_>,
) -> anyhow::Result<SavedGames> {
    let format = wish.format;
    let kind = KINDS.into_iter().find(|(name, _)| *name == format);
    let (ending, media_type) = kind.with_context(|| format!("{format}: use pgn, pgc or csv"))?;
    let folder = tempfile::tempdir_in(shelf.lookup.temp_dir())?;
    let path = folder.path().join(format!("games.{ending}"));
    let mut words = vec!["find".to_owned()];
    words.extend(command_words(wish.line)?);
    words.extend(wish.sort.map(|key| format!("--sort={key}")));
    words.extend(wish.reverse.then(|| "--reverse".to_owned()));
    words.push("--".to_owned());
    // Some archive must be named; the served ones take its place.
    words.push("-".to_owned());
    let mut args = FindLine::try_parse_from(words)?.find;
    let served = edition.archives.iter();
    args.archives = served
        .filter(|served| served.lost.is_none())
        .map(|served| served.archive.path().to_owned())
        .collect();
    args.output = Some(path.clone());
    args.lookup = shelf.lookup.clone();
    args.lookup.run.quiet = true;
    match find::run(&args)? {
        Exit::Done => {}
        Exit::Partly => bail!("no game matches"),
        Exit::Failure | Exit::Damaged => bail!("games cannot be read: try `pgc find`"),
        Exit::Interrupted => bail!("interrupted"),
    }
    let file = File::open(&path)?;
    Ok(SavedGames {
        name: format!("games.{ending}"),
        media_type,
        length: file.metadata()?.len(),
        file,
        _folder: folder,
    })
}
