//! The error of the library: what went wrong, where, and what helps.

use std::io;
use std::path::{Path, PathBuf};

use pgc_io::is_named;
use pgc_pgn::finding::{Finding, Loss};

/// Errors of the library. [`kind`](Error::kind), [`place`](Error::place) and [`hint`](Error::hint)
/// say of every error what a program needs to go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(io::Error),
    /// An error of a function that reads several files: it is about this one.
    #[error("{}: {error}", file.display())]
    Within {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        error: Box<Error>,
    },
    /// The archive is damaged.
    #[error("byte {offset}, {} {}, {item}: {what}", which(*game, item), game.max(&1))]
    Damaged {
        /// Byte offset in the archive, from 0.
        offset: u64,
        /// Number of the damaged game in the archive, from 1. If a head or a block is damaged: the
        /// number of the last game before it, 0 if there is none.
        game: u64,
        /// The item being read.
        item: &'static str,
        /// What is wrong with it.
        what: String,
    },
    /// The index beside an archive says something else of a game than the archive. The index is not
    /// used any more.
    #[error("{}: {why}", index.display())]
    FalseIndex {
        /// The archive.
        archive: PathBuf,
        /// The index.
        index: PathBuf,
        /// What is false.
        why: String,
    },
    /// A newer pgc wrote the archive.
    #[error("archive format version {found}, this pgc reads up to {known}")]
    Version {
        /// Version in the head.
        found: u32,
        /// Newest version this program reads.
        known: u32,
    },
    /// A trial version of pgc wrote the archive, in a small form that changed later.
    #[error(
        "archive in the small form of a trial version before 0.1.0, which this pgc does not read"
    )]
    TrialForm,
    /// The standard cannot represent this part of the source, and
    /// [`PackOptions::standard`](crate::PackOptions::standard) does not allow its loss.
    #[error("{0}")]
    Loss(Box<Finding>, Loss),
    /// The block, by its number from 0, does not decode to its source: a bug in pgc. The block is
    /// not written.
    #[error("block {} does not decode to its source", .0.saturating_add(1))]
    Verify(u64),
    /// The game number is out of range.
    #[error("there is no game {number}: {}", match .games { 0 => "the archive has none".to_owned(), n => format!("the archive has games 1 to {n}") })]
    NoSuchGame {
        /// The number that was asked for.
        number: u64,
        /// The number of games in the archive.
        games: u64,
    },
    /// What [`asked_by`](crate::stop::asked_by) has set returned `true`.
    #[error("interrupted")]
    Cancelled,
    /// Another program adds to the archive or replaces it.
    #[error("another program is adding to it or replacing it")]
    Busy,
    /// The path is that of a folder, a pipe or a device.
    #[error("is not a regular file")]
    NoFile,
    /// There is nothing in it, or only no-operation bytes.
    #[error("is empty")]
    Empty,
    /// The file does not begin with the head of a segment.
    #[error("is not an archive made by pgc")]
    Foreign,
    /// The unfinished addition holds data that may still be valid: nothing is cut off.
    #[error("byte {offset}, {} {}, unfinished addition: {what}", which(*games, "head"), games.max(&1))]
    Precious {
        /// The offset of the addition in the archive, from 0.
        offset: u64,
        /// The number of games before it.
        games: u64,
        /// The reason not to cut it off.
        what: String,
    },
    /// The path of an archive names another file now.
    #[error("another program has replaced the file: nothing was added to the new one")]
    Replaced,
    /// Recovery data have no whole packet.
    #[error("is not a recovery file of pgc, or no part of it is whole")]
    NoPacket,
    /// Too little is left of the checksums of recovery data.
    #[error("too few of its checksums are whole: {whole} of {all} pages, and {all} are needed")]
    NoTable {
        /// Pages, and spares of pages, that are whole.
        whole: u64,
        /// Pages that must be.
        all: u64,
    },
    /// The checksums of all shards agree, but not the digest of the protected bytes.
    #[error("does not fit: its checksums agree, but not the digest of the whole")]
    Digest,
    /// A file has no game tree of SGF.
    #[error("has no game tree of SGF, which begins with \"(;\"")]
    NoTree,
    /// A game tree of SGF that cannot be read.
    #[error("line {line}, column {column}, game {game}: {what}: \"{text}\"")]
    Tree {
        /// The line of the fault, from 1.
        line: u64,
        /// The column of the fault in characters, from 1.
        column: u64,
        /// Number of the game tree, from 1.
        game: u64,
        /// What is wrong.
        what: &'static str,
        /// The text there.
        text: String,
    },
}

/// What kind of error it is: by this a program chooses how to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading or writing failed.
    Io(io::ErrorKind),
    /// Stored data are damaged, or contradict others.
    Damaged,
    /// Another version of pgc reads the data.
    Version,
    /// The standard cannot represent the source.
    Loss,
    /// What was asked for is not there.
    Missing,
    /// The file is not what the function works on, or another program uses it.
    Refused,
    /// The run was cancelled.
    Cancelled,
    /// A bug in pgc.
    Bug,
}

/// Where an error is, as far as is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place<'e> {
    /// The file, if the function reads several.
    pub file: Option<&'e Path>,
    /// The offset of the byte, from 0, as messages and dumps count it.
    pub byte: Option<u64>,
    /// The number of the block in its segment, from 1.
    pub block: Option<u64>,
    /// The number of the game, from 1. If a head or a block is damaged: that of the next game.
    pub game: Option<u64>,
}

impl From<io::Error> for Error {
    /// An error that came through a reader or writer comes out as it was.
    fn from(error: io::Error) -> Error {
        error.downcast().unwrap_or_else(Error::Io)
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        match error {
            Error::Io(error) => error,
            error => io::Error::other(error),
        }
    }
}

impl From<reed_solomon_simd::Error> for Error {
    fn from(error: reed_solomon_simd::Error) -> Error {
        Error::Io(io::Error::other(format!(
            "the Reed-Solomon code failed: {error}"
        )))
    }
}

/// Whether damage in this item stands between games: after so many, not in one.
fn is_between(item: &str) -> bool {
    matches!(
        item,
        "head" | "block head" | "block" | "tail" | "games of the block"
    )
}

/// How damage stands to the game of a message.
fn which(game: u64, item: &str) -> &'static str {
    match game {
        0 => "before game",
        _ if is_between(item) => "after game",
        _ => "game",
    }
}

impl Error {
    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Io(error) => ErrorKind::Io(error.kind()),
            Error::Within { error, .. } => error.kind(),
            Error::Damaged { .. }
            | Error::FalseIndex { .. }
            | Error::Precious { .. }
            | Error::NoPacket
            | Error::NoTable { .. }
            | Error::Digest => ErrorKind::Damaged,
            Error::Version { .. } | Error::TrialForm => ErrorKind::Version,
            Error::Loss(..) => ErrorKind::Loss,
            Error::NoSuchGame { .. } => ErrorKind::Missing,
            Error::Cancelled => ErrorKind::Cancelled,
            Error::Verify(_) => ErrorKind::Bug,
            Error::Busy
            | Error::NoFile
            | Error::Empty
            | Error::Foreign
            | Error::Replaced
            | Error::NoTree
            | Error::Tree { .. } => ErrorKind::Refused,
        }
    }

    /// Where it is.
    pub fn place(&self) -> Place<'_> {
        let mut place = Place::default();
        match self {
            Error::Within { file, error } => {
                place = error.place();
                place.file = Some(file);
            }
            &Error::Damaged {
                offset, game, item, ..
            } => {
                place.byte = Some(offset);
                place.game = Some(game.saturating_add(is_between(item).into()).max(1));
            }
            &Error::Precious { offset, games, .. } => {
                place.byte = Some(offset);
                place.game = Some(games.saturating_add(1));
            }
            Error::FalseIndex { index, .. } => place.file = Some(index),
            Error::Loss(finding, _) => {
                place.byte = Some(finding.offset);
                place.game = Some(finding.game).filter(|&game| game > 0);
            }
            Error::Verify(block) => place.block = Some(block.saturating_add(1)),
            Error::NoSuchGame { number: game, .. } | Error::Tree { game, .. } => {
                place.game = Some(*game);
            }
            _ => {}
        }
        place
    }

    /// What its user can do, as a sentence without an end, if there is something.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Error::Within { error, .. } => return error.hint(),
            Error::Damaged { .. } => {
                "pgc salvage makes a whole archive of what is left of a damaged one".to_owned()
            }
            Error::FalseIndex { archive, .. } => {
                format!("make it again with `pgc index {}`", archive.display())
            }
            Error::Version { .. } => "use a newer pgc".to_owned(),
            Error::TrialForm => {
                "unpack it with the pgc that wrote it, and pack it again".to_owned()
            }
            Error::Loss(_, loss) => format!("allow it with --drop {}", loss.name()),
            Error::Verify(_) => "please report this".to_owned(),
            Error::Precious { .. } => "to cut it off anyway, use --discard-unfinished".to_owned(),
            _ => return None,
        })
    }

    /// The error without the file that it is about.
    pub fn bare(self) -> Error {
        match self {
            Error::Within { error, .. } => error.bare(),
            error => error,
        }
    }

    /// The error, which is about this file unless it already names one.
    pub fn within(self, file: &Path) -> Error {
        match self {
            Error::Within { .. } | Error::FalseIndex { .. } | Error::Cancelled => self,
            Error::Io(error) if is_named(&error) => Error::Io(error),
            error => Error::Within {
                file: file.to_owned(),
                error: Box::new(error),
            },
        }
    }

    /// Damage at an offset of the archive, in this game or after so many games.
    pub(crate) fn damaged(
        offset: u64,
        game: u64,
        item: &'static str,
        what: impl Into<String>,
    ) -> Error {
        let what = what.into();
        Error::Damaged {
            offset,
            game,
            item,
            what,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_and_blocks_are_numbered_from_1() {
        let game = |game, item| Error::damaged(7, game, item, "is wrong").place().game;
        // Damage in the third game, in a block after three games, and before all games.
        assert_eq!(game(3, "marker"), Some(3));
        assert_eq!(game(3, "block"), Some(4));
        assert_eq!(game(0, "head"), Some(1));
        assert_eq!(game(0, "marker"), Some(1));
        assert_eq!(Error::Verify(0).place().block, Some(1));
        assert_eq!(
            Error::Verify(0).to_string(),
            "block 1 does not decode to its source"
        );
        let precious = Error::Precious {
            offset: 40,
            games: 2,
            what: "its 9 bytes hold a complete head or tail".into(),
        };
        assert_eq!(precious.place().game, Some(3));
        assert_eq!(
            precious.to_string(),
            "byte 40, after game 2, unfinished addition: its 9 bytes hold a complete head or tail"
        );
    }

    #[test]
    fn a_file_is_named_once() {
        let path = Path::new("a.pgc");
        let damaged = Error::damaged(7, 1, "marker", "is wrong").within(path);
        let damaged = damaged.within(Path::new("b.pgc"));
        assert_eq!(
            damaged.to_string(),
            "a.pgc: byte 7, game 1, marker: is wrong"
        );
        assert_eq!(damaged.kind(), ErrorKind::Damaged);
        let place = damaged.place();
        assert_eq!(
            (place.file, place.byte, place.game),
            (Some(path), Some(7), Some(1))
        );
        assert!(damaged.hint().unwrap().contains("pgc salvage"));
        assert!(matches!(damaged.bare(), Error::Damaged { game: 1, .. }));
        assert!(matches!(Error::Cancelled.within(path), Error::Cancelled));
    }

    #[test]
    fn an_error_comes_back_out_of_a_reader_as_it_was() {
        let through = Error::from(io::Error::from(Error::Busy));
        assert_eq!(through.kind(), ErrorKind::Refused);
        let absent = Error::from(io::Error::from(io::ErrorKind::NotFound));
        assert_eq!(absent.kind(), ErrorKind::Io(io::ErrorKind::NotFound));
    }
}
