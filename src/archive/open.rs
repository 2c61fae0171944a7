//! An archive, mapped or read, and any game of it.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::archive::game::Game;
use crate::archive::games::walk::{Games as BlockGames, continued};
use crate::archive::map::{compressed, map_file, open};
use crate::archive::stream::reader::is_archive;
use crate::archive::stream::slice::{Frame, Framed, behind_noops, frame_at, records_of};
use crate::archive::stream::walk::{Place, Stream, Walk};
use crate::index::{Index, IndexError};
use crate::io::Format;
use crate::io::mmap::Map;
use crate::io::read_at::{OpenFile, ReadAt};
use crate::run::Error;

/// What became of the index beside an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexState {
    /// It is used.
    Used,
    /// There is none.
    Missing,
    /// There is one, of another archive, or of this one as it was.
    NotMine(String),
    /// There is one that cannot be used: damaged, or of a newer version.
    Damaged(String),
}

/// How to open an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// Do without the index.
    pub no_index: bool,
    /// The stream is of the old `pgn2pgc` program. (An index says so too.)
    pub pgn2pgc: bool,
    /// It is read and not mapped: for those who go through it in order. Where it cannot be read, or
    /// is cut short meanwhile, that is an error; on a map it raises SIGBUS. (Its index is mapped.)
    pub read: bool,
}

/// An archive that can be asked. Streams of section 20 that somebody else wrote are archives too;
/// their games have the text of export format.
///
/// # Examples
/// ```
/// use pgc::{NoHooks, PackOptions};
/// use pgc::pack;
/// use pgc::Archive;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("two.pgc");
/// let pgn = b"1. e4 e5 *\n\n[White \"Anand\"]\n\n1. d4 *\n";
/// let mut bytes = Vec::new();
/// pack(&mut &pgn[..], "two.pgn", &mut bytes, &PackOptions::default(), &mut NoHooks)?;
/// std::fs::write(&path, bytes)?;
///
/// let archive = Archive::open(&path)?;
/// assert_eq!(archive.len()?, 2);
/// let game = archive.game(2)?;
/// assert_eq!(game.tag("White"), Some("Anand"));
/// assert_eq!(game.moves[0].uci, "d2d4");
/// assert_eq!(game.pgn, b"[White \"Anand\"]\n\n1. d4 *\n");
/// # Ok::<(), pgc::Error>(())
/// ```
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    bytes: Box<dyn ReadAt>,
    stream: Stream,
    index: Option<Index<Map>>,
    state: IndexState,
    /// Set when the index turns out to be damaged later.
    late: OnceLock<IndexState>,
    /// An index made because there is none.
    pub(crate) stand_in: OnceLock<Index<Map>>,
    cancelled: Option<fn() -> bool>,
    temp_dir: PathBuf,
    walk: Mutex<Walk>,
}

impl Archive {
    /// Opens an archive, and the index beside it if it belongs to it.
    ///
    /// # Errors
    /// [`Error::Io`]: it cannot be mapped or read, or is compressed.
    pub fn open(path: &Path) -> Result<Archive, Error> {
        Archive::open_with(path, OpenOptions::default())
    }

    /// Opens an archive.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn open_with(path: &Path, options: OpenOptions) -> Result<Archive, Error> {
        let file = open(path)?;
        let bytes: Box<dyn ReadAt> = if options.read {
            Box::new(OpenFile::new(file, path)?)
        } else {
            Box::new(map_file(&file, path)?)
        };
        if let Some(format) = compressed(&bytes.read_at(0, Format::HEAD as u64)?) {
            let what = format!(
                "is compressed ({}): games can be fetched only from an uncompressed archive",
                format.name()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what).into());
        }
        // An empty file is an archive of nothing.
        let is_ours = || {
            let begin = behind_noops(&*bytes, 0)?;
            io::Result::Ok(begin.is_some_and(|(_, bytes)| is_archive(&bytes) == Some(true)))
        };
        let mut stream = if bytes.size() == 0 || !options.pgn2pgc && is_ours()? {
            Stream::Ours
        } else {
            Stream::Foreign {
                pgn2pgc: options.pgn2pgc,
            }
        };
        let (mut index, mut state) = (None, IndexState::Missing);
        if !options.no_index {
            match map_index(&index_path(path)) {
                Ok(found) => {
                    // It says what the archive is, where the archive does not.
                    let theirs = match stream {
                        Stream::Foreign { .. } if found.is_pgn2pgc() => {
                            Stream::Foreign { pgn2pgc: true }
                        }
                        stream => stream,
                    };
                    state = admitted(&*bytes, theirs, &found)?;
                    if state == IndexState::Used {
                        (index, stream) = (Some(found), theirs);
                    }
                }
                Err(found) => state = found,
            }
        }
        let (late, walk) = (OnceLock::new(), Mutex::new(Walk::new()));
        let (stand_in, temp_dir) = (OnceLock::new(), std::env::temp_dir());
        let path = path.to_owned();
        Ok(Archive {
            path,
            bytes,
            stream,
            index,
            state,
            late,
            stand_in,
            cancelled: None,
            temp_dir,
            walk,
        })
    }

    /// Asked now and then while [`Archive::find`] reads the archive; `true` ends that with
    /// [`Error::Cancelled`].
    #[must_use]
    pub fn cancelled_by(self, asked: fn() -> bool) -> Archive {
        Archive {
            cancelled: Some(asked),
            ..self
        }
    }

    /// The folder for temporary files, where a question needs some (an index in place of one that
    /// is missing, names beyond memory), in place of the system's.
    #[must_use]
    pub fn with_temp_dir(self, folder: &Path) -> Archive {
        Archive {
            temp_dir: folder.to_owned(),
            ..self
        }
    }

    pub(crate) fn temp_dir(&self) -> &Path {
        &self.temp_dir
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.is_some_and(|asked| asked())
    }

    /// Where it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is of this program (or empty), not a stream of somebody else.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.stream == Stream::Ours
    }

    /// Bytes of an unfinished addition behind it (spec/extension.md 3.1), which are ignored; as far
    /// as is known: without an index the archive is not walked to its end for this.
    #[must_use]
    pub fn unfinished(&self) -> u64 {
        match self.index().or(self.stand_in.get()) {
            Some(index) if self.is_ours() => self.size().saturating_sub(index.archive_length()),
            _ => self.walk().unfinished,
        }
    }

    /// What became of the index beside it.
    #[must_use]
    pub fn index_state(&self) -> &IndexState {
        self.late.get().unwrap_or(&self.state)
    }

    /// The index, if it is used.
    #[must_use]
    pub fn index(&self) -> Option<&Index<Map>> {
        if self.late.get().is_some() {
            None
        } else {
            self.index.as_ref()
        }
    }

    /// Whether the index was used until it turned out to be damaged.
    #[must_use]
    pub fn index_failed_late(&self) -> bool {
        self.late.get().is_some()
    }

    /// What would become of this index beside the archive. Only its frame and the places of the
    /// segments are looked at.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn admits<D: AsRef<[u8]>>(&self, index: &Index<D>) -> Result<IndexState, Error> {
        admitted(&*self.bytes, self.stream, index)
    }

    /// The index is not asked again: it is damaged.
    pub(crate) fn give_up_index(&self, error: &IndexError) {
        // The first reason is as good as the next.
        let _ = self.late.set(IndexState::Damaged(error.to_string()));
    }

    /// The number of games.
    ///
    /// # Errors
    /// [`Error::Damaged`]; without an index all heads are read for this.
    pub fn len(&self) -> Result<u64, Error> {
        if let Some(index) = self.index() {
            return Ok(u64::from(index.games()));
        }
        self.walk().count(&*self.bytes, self.stream)
    }

    /// Whether it has no game.
    ///
    /// # Errors
    /// As [`Archive::len`].
    pub fn is_empty(&self) -> Result<bool, Error> {
        self.place(0).map(|place| place.is_none())
    }

    /// A game by its number, from 1. At most one block is decoded (and those that the pieces of a
    /// very long game go on in).
    ///
    /// # Errors
    /// [`Error::NoSuchGame`], [`Error::Damaged`].
    pub fn game(&self, number: u64) -> Result<Game, Error> {
        self.with_game(number, |place, games| self.game_at_hand(place, games))
    }

    /// Writes a game as it was written: what [`Game::pgn`] is, of any length.
    ///
    /// # Errors
    /// As [`Archive::game`]; [`Error::Io`] of `out`.
    pub fn copy_game(&self, number: u64, out: &mut dyn Write) -> Result<(), Error> {
        self.with_game(number, |place, games| {
            self.text_of(place, games, &mut |bytes| {
                out.write_all(bytes).map_err(Error::from)
            })
        })
    }

    /// All games, in their order. Every block is decoded once. An error ends it.
    #[must_use]
    pub fn games(&self) -> Games<'_> {
        self.range(1, u64::MAX)
    }

    /// The games with these numbers, from 1 and both included, in their order, as far as there are
    /// so many. Every block is decoded once.
    #[must_use]
    pub fn range(&self, first: u64, last: u64) -> Games<'_> {
        Games {
            archive: self,
            block: VecDeque::new(),
            next: first.saturating_sub(1),
            last,
            done: false,
        }
    }

    /// The archive as it stands in the file, perhaps with an unfinished addition behind it.
    pub(crate) fn bytes(&self) -> &dyn ReadAt {
        &*self.bytes
    }

    /// What stream it is.
    pub(crate) fn stream(&self) -> Stream {
        self.stream
    }

    /// Bytes of the archive, with those of an unfinished addition.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes.size()
    }

    fn walk(&self) -> std::sync::MutexGuard<'_, Walk> {
        // What a panic left is right as far as it goes.
        self.walk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The block with this game (from 0).
    pub(crate) fn place(&self, game: u64) -> Result<Option<Place>, Error> {
        if let Some(index) = self.index() {
            let Some(number) = u32::try_from(game)
                .ok()
                .filter(|&number| number < index.games())
            else {
                return Ok(None);
            };
            match index.place(number) {
                Ok(at) => {
                    return Ok(Some(Place {
                        offset: at.offset,
                        end: at.end,
                        before: at.first_game.into(),
                        games: at.games.into(),
                        crc: Some(at.crc),
                    }));
                }
                Err(error) => self.give_up_index(&error),
            }
        }
        self.walk().find(&*self.bytes, self.stream, game)
    }

    /// Does something with the games of a block, which is checked against all that is known of it.
    pub(crate) fn with_block<T>(
        &self,
        place: &Place,
        work: impl FnOnce(&mut BlockGames<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let damaged = |item, what: &str| Error::Damaged {
            offset: place.offset,
            game: place.before,
            item,
            what: what.into(),
        };
        match self.stream {
            Stream::Foreign { pgn2pgc } => {
                if place.end > self.size() {
                    return Err(damaged("block", "is cut off: the archive ends here"));
                }
                let bytes = &self.bytes.read_at(place.offset, place.end)?;
                if place.crc.is_some_and(|crc| crc != crc32fast::hash(bytes)) {
                    return Err(damaged("block", "is not the one that the index describes"));
                }
                work(&mut BlockGames::foreign(
                    bytes,
                    pgn2pgc,
                    place.offset,
                    place.before,
                ))
            }
            Stream::Ours => {
                let framed = frame_at(&*self.bytes, place.offset)
                    .map_err(|e| Error::from(e).after_game(place.before))?;
                let Some(
                    framed @ Framed {
                        frame: Frame::Block(_),
                        ..
                    },
                ) = &framed
                else {
                    return Err(damaged(
                        "block head",
                        "is missing: another record is in its place",
                    ));
                };
                let Frame::Block(head) = &framed.frame else {
                    return Err(damaged("block head", "is missing"));
                };
                if head.games != place.games
                    || place.crc.is_some_and(|crc| crc != head.crc)
                    || framed.next() > place.end
                {
                    return Err(damaged(
                        "block head",
                        "is not the one that the index describes",
                    ));
                }
                let records = records_of(&*self.bytes, framed, head)
                    .map_err(|e| Error::from(e).after_game(place.before))?;
                work(&mut BlockGames::ours(
                    head,
                    &records,
                    framed.end,
                    place.before,
                ))
            }
        }
    }

    /// Does something with a game, which is at hand among those of its block.
    fn with_game<T>(
        &self,
        number: u64,
        work: impl FnOnce(&Place, &mut BlockGames<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let missing = |games| Error::NoSuchGame { number, games };
        let Some(game) = number.checked_sub(1) else {
            return Err(missing(self.len()?));
        };
        let Some(place) = self.place(game)? else {
            return Err(missing(self.len()?));
        };
        self.with_block(&place, |games| {
            games.pass(game - place.before)?;
            if !games.next()? {
                return Err(place.too_few());
            }
            work(&place, games)
        })
    }

    fn game_at_hand(&self, place: &Place, games: &mut BlockGames<'_>) -> Result<Game, Error> {
        let mut pgn = Vec::new();
        let mut game = Game::new(games)?;
        self.text_of(place, games, &mut |bytes| {
            pgn.extend_from_slice(bytes);
            Ok(())
        })?;
        game.pgn = pgn;
        Ok(game)
    }

    /// Gives the text of the game at hand, which may go on in the blocks behind its own.
    pub(crate) fn text_of(
        &self,
        place: &Place,
        games: &mut BlockGames<'_>,
        out: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut text = Vec::new();
        let mut more = games.text(&mut text)?;
        out(&text)?;
        if !more {
            return Ok(());
        }
        let before = place.before.saturating_add(place.games);
        let located = |error| Error::from(error).after_game(before);
        // The block's own frame, whose records tell where the next one begins.
        let mut framed = frame_at(&*self.bytes, place.offset).map_err(located)?;
        while more {
            let Some(last) = &framed else { break };
            framed = frame_at(&*self.bytes, last.next()).map_err(located)?;
            let Some(Framed {
                end,
                frame: Frame::Block(head),
                ..
            }) = &framed
            else {
                break;
            };
            let Some(block) = &framed else { break };
            let records = records_of(&*self.bytes, block, head).map_err(located)?;
            text.clear();
            more = continued(head, &records, *end, before, &mut text)?;
            out(&text)?;
        }
        Ok(())
    }
}

/// See [`Archive::games`].
#[derive(Debug)]
pub struct Games<'a> {
    archive: &'a Archive,
    /// Those of the block at hand that are still to come.
    block: VecDeque<Game>,
    /// The first game behind them, from 0.
    next: u64,
    /// The last game that is wanted, from 1.
    last: u64,
    done: bool,
}

impl Games<'_> {
    fn read_block(&mut self) -> Result<bool, Error> {
        if self.next >= self.last {
            return Ok(false);
        }
        let Some(place) = self.archive.place(self.next)? else {
            return Ok(false);
        };
        let end = place.before.saturating_add(place.games).min(self.last);
        self.archive.with_block(&place, |games| {
            games.pass(self.next - place.before)?;
            while games.number() < end && games.next()? {
                self.block
                    .push_back(self.archive.game_at_hand(&place, games)?);
            }
            Ok(())
        })?;
        if self.block.len() as u64 != end - self.next {
            return Err(place.too_few());
        }
        self.next = end;
        Ok(true)
    }
}

impl Iterator for Games<'_> {
    type Item = Result<Game, Error>;

    fn next(&mut self) -> Option<Result<Game, Error>> {
        if self.block.is_empty() && !self.done {
            match self.read_block() {
                Ok(true) => {}
                Ok(false) => self.done = true,
                Err(error) => {
                    self.done = true;
                    self.block.clear();
                    return Some(Err(error));
                }
            }
        }
        self.block.pop_front().map(Ok)
    }
}

/// Where the index of an archive is: `games.pgci` beside `games.pgc`; of a name with another
/// ending, or none, that with `.pgci` behind it.
#[must_use]
pub fn index_path(archive: &Path) -> PathBuf {
    let mut name = archive.file_name().unwrap_or_default().to_owned();
    let is_pgc = archive
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("pgc"));
    name.push(if is_pgc { "i" } else { ".pgci" });
    archive.with_file_name(name)
}

/// What becomes of an index beside such an archive.
fn admitted<D: AsRef<[u8]>>(
    archive: &dyn ReadAt,
    stream: Stream,
    index: &Index<D>,
) -> Result<IndexState, Error> {
    Ok(match index.belongs(archive) {
        Ok(true) if fits(stream, index) => IndexState::Used,
        Ok(true) => IndexState::NotMine(OTHER_KIND.to_owned()),
        Ok(false) => IndexState::NotMine(OTHER_ARCHIVE.to_owned()),
        // That is not the fault of the index.
        Err(IndexError::Io(error)) => return Err(error.into()),
        Err(error) => IndexState::Damaged(error.to_string()),
    })
}

/// Maps an index, whatever it belongs to.
///
/// # Errors
/// [`IndexState::Missing`], [`IndexState::Damaged`].
pub fn map_index(path: &Path) -> Result<Index<Map>, IndexState> {
    let bytes = match open(path).and_then(|file| map_file(&file, path)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(IndexState::Missing),
        Err(error) => return Err(IndexState::Damaged(error.to_string())),
    };
    Index::open(bytes).map_err(|error| IndexState::Damaged(error.to_string()))
}

const OTHER_ARCHIVE: &str = "it belongs to another archive, or to an older state of this one";
const OTHER_KIND: &str = "it was made with another --dialect";

/// Whether the index takes the archive for what it is.
fn fits<D: AsRef<[u8]>>(stream: Stream, index: &Index<D>) -> bool {
    match stream {
        Stream::Ours => !index.is_foreign(),
        Stream::Foreign { pgn2pgc } => index.is_foreign() && index.is_pgn2pgc() == pgn2pgc,
    }
}
