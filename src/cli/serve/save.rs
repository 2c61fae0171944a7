//! The games of a search as a file that the browser saves, written as `pgc find -o` writes it.

use std::fs::File;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use anyhow::{Context as _, bail};
use clap::Parser;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use pgc_index::command_words;
use tempfile::TempDir;

use super::api::QuestionParameters;
use super::shelf::{Edition, Shelf};
use crate::failure::Exit;
use crate::find;
use crate::find_args::FindArgs;
use crate::indexed::again_if_false;

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

impl Body for SavedGames {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut SavedGames>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let mut bytes = Vec::new();
        let read = (&mut self.file).take(256 << 10).read_to_end(&mut bytes);
        Poll::Ready(match read {
            Ok(0) => None,
            read => Some(read.map(|_| Frame::data(bytes.into()))),
        })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length)
    }
}

/// Writes the games of a search. `line`: the questions as options of `pgc find`; `asked` has the
/// ending of the file and the order too.
pub(super) fn save(
    shelf: &Shelf,
    edition: &Edition,
    line: &str,
    asked: &QuestionParameters,
) -> anyhow::Result<SavedGames> {
    let format = asked.one("format").unwrap_or("pgn");
    let kind = KINDS.into_iter().find(|(name, _)| *name == format);
    let (ending, media_type) = kind.with_context(|| format!("{format}: use pgn, pgc or csv"))?;
    let folder = tempfile::tempdir_in(shelf.lookup.temp_dir())?;
    let path = folder.path().join(format!("games.{ending}"));
    let mut words = vec!["find".to_owned()];
    words.extend(command_words(line)?);
    words.extend(asked.one("sort").map(|key| format!("--sort={key}")));
    words.extend(asked.one("reverse").map(|_| "--reverse".to_owned()));
    // Some archive must be named; the served ones take its place.
    words.extend(["--", "-"].map(str::to_owned));
    let mut args = FindLine::try_parse_from(words)?.find;
    let served = edition.archives.iter();
    let served = served.filter(|served| served.lost.is_none());
    args.archives = served
        .map(|served| served.archive.path().to_owned())
        .collect();
    args.output = Some(path.clone());
    args.lookup = shelf.lookup.clone();
    args.lookup.run.quiet = true;
    match again_if_false(false, || find::run(&args))? {
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
