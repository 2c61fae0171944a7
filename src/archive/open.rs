//! Opens an archive, mapped or read, and fetches any game of it.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::beside::{
    IndexState, OTHER_ARCHIVE, OTHER_PLACES, index_path, map_index, segments_agree,
};
use crate::game::Game;
use crate::games::walk::{BlockGames, continued, damage};
use crate::map::{compressed, map_file, open};
use crate::other_files::{no_record, other_file};
use crate::run::{Error, Gap};
use crate::stream::frame::{FrameRecord, behind_noops, frame_at, stored_of};
use crate::stream::reader::{OnDamage, is_archive};
use crate::stream::sniff::{SEARCHED, is_left};
use crate::stream::walk::{BlockPlace, BlockWalk};
pub use pgc_block::small::stored::Needs;
use pgc_block::small::stored::records;
use pgc_index::{Index, IndexError};
use pgc_io::Format;
use pgc_io::mmap::Map;
use pgc_io::read_at::{OpenFile, ReadAt};
use pgc_pgn::game::ElemKind;

/// The number of leading bytes by which something else is recognised.
const HEAD: u64 = 1 << 16;

mod blocks;
mod converted;
mod damage;

/// How to open an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// Do not use the index.
    pub no_index: bool,
    /// Read the archive instead of mapping it, for a caller that reads it in order. If the archive
    /// cannot be read, or becomes shorter meanwhile, that is an error; on a map it raises SIGBUS.
    /// (The index is always mapped.)
    pub read: bool,
    /// Pass over damaged blocks instead of stopping at the first: [`Archive::gaps`] lists those
    /// met.
    pub passes_damage: bool,
    /// Read the moves of games that the index finds by its lines or its openings, for a caller that
    /// writes or prints the games found. Other answers of an index are compared with each game when
    /// that is read.
    pub proves: bool,
}

impl OpenOptions {
    /// These options, with or without the use of the index.
    #[must_use]
    pub const fn with_index(self, is_used: bool) -> OpenOptions {
        let no_index = !is_used;
        OpenOptions { no_index, ..self }
    }

    /// These options, for a caller that passes over damage or stops at it.
    #[must_use]
    pub const fn passing_damage(self, passes_damage: bool) -> OpenOptions {
        OpenOptions {
            passes_damage,
            ..self
        }
    }
}

/// An open archive. A stream of section 20 that another program wrote is converted to an archive in a
/// temporary file; its games have the text of export format, in UTF-8.
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
    is_ours: bool,
    index: Option<Index<Map>>,
    state: IndexState,
    /// Whether the index has all blocks: `pgc index --partial` leaves out damaged ones.
    has_all: bool,
    /// Whether the archive can be walked from head to head to its end, once that was asked.
    is_whole: OnceLock<bool>,
    /// Set when the index turns out to be damaged while it is used.
    late: OnceLock<IndexState>,
    /// The stand-in: an index made because there is no usable one.
    pub(crate) stand_in: OnceLock<Index<Map>>,
    pub(crate) temp_dir: PathBuf,
    walk: Mutex<BlockWalk>,
    passes_damage: bool,
    pub(crate) proves: bool,
    /// Whether a question asked the index for what only playing tells: this is compared too then.
    pub(crate) plays: AtomicBool,
    /// The gaps met, by offset and whether they have bytes: where a head was cut away, there is a
    /// gap without bytes, and the block that begins at the same offset may be another gap.
    gaps: Mutex<BTreeMap<(u64, bool), Gap>>,
}

impl Archive {
    /// Opens an archive, and the index beside it if that fits.
    ///
    /// # Errors
    /// [`Error::Io`]: it cannot be mapped or read, is compressed, or is no archive.
    pub fn open(path: impl AsRef<Path>) -> Result<Archive, Error> {
        Archive::open_with(path, OpenOptions::default())
    }

    /// Opens an archive with options.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn open_with(path: impl AsRef<Path>, options: OpenOptions) -> Result<Archive, Error> {
        let path = path.as_ref();
        let file = open(path)?;
        let bytes: Box<dyn ReadAt> = match options.read {
            true => Box::new(OpenFile::new(file, path)?),
            false => Box::new(map_file(&file, path)?),
        };
        if let Some(format) = compressed(&bytes.read_at(0, Format::HEAD as u64)?) {
            let what = format!(
                "is compressed ({}): games can be fetched only from an uncompressed archive",
                format.name()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what).into());
        }
        let on_damage = OnDamage::passing(options.passes_damage);
        let begin = behind_noops(&*bytes, 0)?;
        // What is left of an archive that lost its beginning counts too.
        let is_ours = match &begin {
            Some((_, begin)) if is_archive(begin) == Some(true) => true,
            Some((at, _)) => {
                let begin = bytes.read_at(*at, at.saturating_add(SEARCHED as u64))?;
                is_left(&begin, on_damage)
            }
            None => false,
        };
        let head = bytes.read_at(0, HEAD)?;
        let other = match &*head {
            _ if is_ours => None,
            [] => Some("is empty".to_owned()),
            head => other_file(head, path, false).or_else(|| no_record(head)),
        };
        if let Some(what) = other {
            return Err(io::Error::new(io::ErrorKind::InvalidData, what).into());
        }
        drop((begin, head));
        let bytes = match is_ours {
            true => bytes,
            false => Box::new(converted::converted(&*bytes)?),
        };
        let mut archive = Archive {
            path: path.to_owned(),
            bytes,
            is_ours,
            index: None,
            state: IndexState::Missing,
            has_all: true,
            is_whole: OnceLock::new(),
            late: OnceLock::new(),
            stand_in: OnceLock::new(),
            temp_dir: std::env::temp_dir(),
            walk: Mutex::new(BlockWalk::new(on_damage)),
            passes_damage: options.passes_damage,
            proves: options.proves,
            plays: AtomicBool::new(false),
            gaps: Mutex::default(),
        };
        if is_ours && !options.no_index {
            archive.use_index()?;
        }
        Ok(archive)
    }

    /// Uses the index beside the archive, if it fits.
    fn use_index(&mut self) -> Result<(), Error> {
        match map_index(&index_path(&self.path)) {
            Ok(index) => {
                (self.state, self.has_all) = self.admitted(&index)?;
                self.index = (self.state == IndexState::Used).then_some(index);
            }
            Err(state) => self.state = state,
        }
        Ok(())
    }

    /// Whether this index can be used with the archive, and whether it has all blocks.
    fn admitted<D: AsRef<[u8]>>(&self, index: &Index<D>) -> Result<(IndexState, bool), Error> {
        let has_all = segments_agree(self.bytes(), index);
        let state = match index.belongs(&*self.bytes) {
            Ok(true) if has_all || self.leaves_out_damage(index) => IndexState::Used,
            Ok(true) => IndexState::Damaged(OTHER_PLACES.to_owned()),
            Ok(false) => IndexState::NotMine(OTHER_ARCHIVE.to_owned()),
            // Reading the archive failed; the index may be fine.
            Err(IndexError::Io(error)) => return Err(error.into()),
            Err(error) => IndexState::Damaged(error.to_string()),
        };
        Ok((state, has_all))
    }

    /// Sets the folder for temporary files, instead of the system's. Some questions need them: for
    /// an index in place of a missing one, or for names beyond the memory limit.
    #[must_use]
    pub fn with_temp_dir(self, folder: impl AsRef<Path>) -> Archive {
        let temp_dir = folder.as_ref().to_owned();
        Archive { temp_dir, ..self }
    }

    /// The path of the archive.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An error of the archive, with its path.
    pub fn named(&self, error: Error) -> Error {
        error.within(&self.path)
    }

    /// Whether pgc made the archive (or it is empty), not another program.
    pub fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// Length of an unfinished addition after the archive (spec/extension.md 3.1), which is
    /// ignored. Without an index the length counts only once the archive has been walked to its
    /// end.
    pub fn unfinished(&self) -> u64 {
        match self.index().or(self.stand_in.get()) {
            Some(index) => self.size().saturating_sub(index.archive_length()),
            _ => self.walk().unfinished,
        }
    }

    /// Whether the index beside the archive is used, and if not, why.
    pub fn index_state(&self) -> &IndexState {
        self.late.get().unwrap_or(&self.state)
    }

    /// The index, if it is used.
    pub fn index(&self) -> Option<&Index<Map>> {
        self.index.as_ref().filter(|_| self.late.get().is_none())
    }

    /// Whether the index was used until it turned out to be damaged.
    pub fn index_failed_late(&self) -> bool {
        self.late.get().is_some()
    }

    /// Whether this index could be used with the archive: its frame and its segments are checked.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn admits<D: AsRef<[u8]>>(&self, index: &Index<D>) -> Result<IndexState, Error> {
        self.admitted(index).map(|admitted| admitted.0)
    }

    /// Stops using the index: it is damaged.
    pub fn give_up_index(&self, error: &IndexError) {
        // If another thread was first, its reason stays.
        let _ = self.late.set(IndexState::Damaged(error.to_string()));
    }

    /// The number of games.
    ///
    /// # Errors
    /// [`Error::Damaged`]: without an index all heads are read.
    pub fn len(&self) -> Result<u64, Error> {
        if let Some(index) = self.index() {
            return Ok(u64::from(index.games()));
        }
        self.walk().count(&*self.bytes)
    }

    /// Whether the archive has no games.
    ///
    /// # Errors
    /// As [`Archive::len`].
    pub fn is_empty(&self) -> Result<bool, Error> {
        self.place(0).map(|place| place.is_none())
    }

    /// Fetches a game by its number, from 1. At most one block is decoded, plus those that hold the
    /// rest of a very long game.
    ///
    /// # Errors
    /// [`Error::NoSuchGame`], [`Error::Damaged`].
    pub fn game(&self, number: u64) -> Result<Game, Error> {
        self.with_game(number, |place, games| {
            self.game_at_hand(place, games, usize::MAX)
        })
    }

    /// As [`Archive::game`], unless the game has more elements (moves, comments, glyphs and the
    /// like), or more bytes of text.
    ///
    /// # Errors
    /// As [`Archive::game`].
    pub fn game_within(
        &self,
        number: u64,
        elems: usize,
        text: usize,
    ) -> Result<Option<Game>, Error> {
        self.with_game(number, |place, games| {
            if games.game().game().elems.len() > elems {
                return Ok(None);
            }
            match self.game_at_hand(place, games, text) {
                Err(Error::Cancelled) => Ok(None),
                game => game.map(Some),
            }
        })
    }

    /// Writes the text of a game, as in [`Game::pgn`], whatever its length.
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

    /// Iterates over all games in order, decoding every block once. The first error ends the
    /// iteration.
    pub fn games(&self) -> Games<'_> {
        self.range(1, u64::MAX)
    }

    /// Iterates over the games `first` to `last`, both included and counted from 1, as far as they
    /// exist. Every block is decoded once.
    pub fn range(&self, first: u64, last: u64) -> Games<'_> {
        Games {
            archive: self,
            block: VecDeque::new(),
            next: first.saturating_sub(1),
            last,
            done: false,
        }
    }

    /// The bytes of the file, perhaps with an unfinished addition at the end.
    pub(crate) fn bytes(&self) -> &dyn ReadAt {
        &*self.bytes
    }

    /// The length of the archive, including an unfinished addition.
    pub fn size(&self) -> u64 {
        self.bytes.size()
    }

    fn walk(&self) -> std::sync::MutexGuard<'_, BlockWalk> {
        // The walk stays valid after a panic: it only knows fewer blocks.
        self.walk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The block that holds a game of the index or, if there is none, of the stand-in (from 0).
    pub(crate) fn place(&self, game: u64) -> Result<Option<BlockPlace>, Error> {
        if self.index().is_none()
            && let Some(place) = self.stand_in_place(game)
        {
            return Ok(Some(place));
        }
        self.numbered_place(game)
    }

    /// The block that holds the game with this number in the archive (from 0), or, if that is lost,
    /// the next one. The games that a stand-in leaves out count.
    fn numbered_place(&self, game: u64) -> Result<Option<BlockPlace>, Error> {
        if let Some(index) = self.index() {
            let number = u32::try_from(game).unwrap_or(u32::MAX);
            if number >= index.games() {
                return Ok(None);
            }
            match index.place(number) {
                Ok(at) => return Ok(Some(BlockPlace::from_index(at, self.has_all))),
                Err(error) => self.give_up_index(&error),
            }
        }
        self.walk().find(&*self.bytes, game)
    }

    /// Calls `work` with the games of a block, positioned at a game; again, if the index turns out
    /// to be false.
    fn with_game<T>(
        &self,
        number: u64,
        mut work: impl FnMut(&BlockPlace, &mut BlockGames<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.again_if_false(|| self.try_game(number, &mut work))
    }

    fn try_game<T>(
        &self,
        number: u64,
        work: &mut impl FnMut(&BlockPlace, &mut BlockGames<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let missing = |games| Error::NoSuchGame { number, games };
        let Some(game) = number.checked_sub(1) else {
            return Err(missing(self.len()?));
        };
        let Some(place) = self.numbered_place(game)? else {
            let games = self.len()?;
            return Err(match game < games {
                true => self.lost(game),
                false => missing(games),
            });
        };
        if game < place.before {
            return Err(self.lost(game));
        }
        self.with_block(&place, game..game + 1, Needs::All, |games| {
            games.pass(game - place.before)?;
            if !games.next()? {
                return Err(place.too_few());
            }
            work(&place, games)
        })
    }

    fn game_at_hand(
        &self,
        place: &BlockPlace,
        games: &mut BlockGames<'_>,
        most: usize,
    ) -> Result<Game, Error> {
        let mut pgn = Vec::new();
        let mut game = Game::new(games)?;
        let has_text = games.game().game().kinds.any(&[ElemKind::Text]);
        self.text_of(place, games, &mut |bytes| {
            pgn.extend_from_slice(bytes);
            match pgn.len() > most {
                true => Err(Error::Cancelled),
                false => Ok(()),
            }
        })?;
        game.pgn = pgn;
        if has_text {
            game.take_null_moves();
        }
        Ok(game)
    }

    /// Passes the text of the current game to `out`; a very long game continues in the following
    /// blocks. Before, the game is compared with its row in the index.
    pub fn text_of(
        &self,
        place: &BlockPlace,
        games: &mut BlockGames<'_>,
        out: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.compare(games)?;
        let mut text = Vec::new();
        let mut more = games.text(&mut text)?;
        out(&text)?;
        if !more {
            return Ok(());
        }
        let before = place.before.saturating_add(place.games);
        let located = |error: Error| error.after_game(before);
        // The block's own frame tells where its records end, and so where the next block begins.
        let mut framed = frame_at(&*self.bytes, place.offset).map_err(located)?;
        while more && let Some(last) = &framed {
            framed = frame_at(&*self.bytes, last.next()).map_err(located)?;
            let Some(block) = &framed else { break };
            let FrameRecord::Block(head) = &block.frame else {
                break;
            };
            let stored = stored_of(&*self.bytes, block.end, head).map_err(located)?;
            let records = records(head, &stored).map_err(|d| damage(d, head, block.end, before))?;
            text.clear();
            more = continued(head, &records, block.end, before, &mut text)?;
            out(&text)?;
        }
        Ok(())
    }
}

/// About the bytes of the games that an iterator has decoded ahead: a block of a few bytes can hold
/// many millions of moves.
const AT_ONCE: usize = 64 << 20;

/// Iterator over games, returned by [`Archive::games`] and [`Archive::range`].
#[derive(Debug)]
pub struct Games<'a> {
    archive: &'a Archive,
    /// Decoded games of the current block that have not been returned yet.
    block: VecDeque<Game>,
    /// The first game after these, from 0.
    next: u64,
    /// The last game to return, from 1.
    last: u64,
    done: bool,
}

impl Games<'_> {
    fn read_block(&mut self) -> Result<bool, Error> {
        if self.next >= self.last {
            return Ok(false);
        }
        let Some(place) = self.archive.numbered_place(self.next)? else {
            return Ok(false);
        };
        self.next = self.next.max(place.before);
        if self.next >= self.last {
            return Ok(false);
        }
        let end = place.end_game().min(self.last);
        let (archive, mut weight) = (self.archive, 0);
        let read = archive.with_block(&place, self.next..end, Needs::All, |games| {
            games.pass(self.next - place.before)?;
            while weight < AT_ONCE && games.number() < end {
                if !games.next()? {
                    return Err(place.too_few());
                }
                let elems = games.game().game().elems.len();
                let game = archive.game_at_hand(&place, games, usize::MAX)?;
                weight += elems * 256 + game.pgn.len();
                self.block.push_back(game);
            }
            Ok(())
        });
        match read {
            Ok(()) => self.next += self.block.len() as u64,
            // The index is not used any more: the same games once more.
            Err(Error::FalseIndex { .. }) => self.block.clear(),
            Err(error) => {
                self.block.clear();
                archive.pass_over(&place, error)?;
                self.next = end;
            }
        }
        Ok(true)
    }
}

impl Iterator for Games<'_> {
    type Item = Result<Game, Error>;

    fn next(&mut self) -> Option<Result<Game, Error>> {
        while self.block.is_empty() && !self.done {
            let more = self.read_block();
            self.done = !matches!(more, Ok(true));
            if let Err(error) = more {
                return Some(Err(error));
            }
        }
        self.block.pop_front().map(Ok)
    }
}
