//! Finds the blocks of an archive without an index: from head to head.

use std::io;
use std::ops::Range;

use crate::run::{Error, Gap};
use crate::stream::reader::{ArchivePart, ArchiveReader, OnDamage};
use pgc_index::BlockPosition;
use pgc_io::read_at::{Onward, ReadAt};

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPlace {
    /// The offset of the block.
    pub offset: u64,
    /// An upper bound of its end.
    pub end: u64,
    /// The number of games before it in the archive.
    pub before: u64,
    /// The number of games in it.
    pub games: u64,
    /// The checksum of the block according to the index.
    pub crc: Option<u32>,
    /// The number of the block in its segment, by an index that leaves out no block; then `end` is
    /// where the next block or the tail begins.
    pub number: Option<u32>,
}

impl BlockPlace {
    /// A block of an index, which `is_all` if it leaves out no block.
    pub(crate) fn from_index(at: BlockPosition, is_all: bool) -> BlockPlace {
        BlockPlace {
            offset: at.offset,
            end: at.end,
            before: at.first_game.into(),
            games: at.games.into(),
            crc: Some(at.crc),
            number: is_all.then_some(at.number),
        }
    }

    /// The number of games in the archive before the next block.
    pub(crate) fn end_game(&self) -> u64 {
        self.before.saturating_add(self.games)
    }

    /// The numbers of its games in an index.
    pub(crate) fn numbers(&self) -> Range<u32> {
        let number = |game| u32::try_from(game).unwrap_or(u32::MAX);
        number(self.before)..number(self.end_game())
    }

    /// Converts numbers of games in the archive into their numbers in the block.
    pub(crate) fn local(&self, games: &[u32]) -> Vec<u32> {
        let local = |&game: &u32| u32::try_from(u64::from(game) - self.before).unwrap_or(u32::MAX);
        games.iter().map(local).collect()
    }

    /// The error for a block with fewer games than its head counts.
    pub(crate) fn too_few(&self) -> Error {
        let what = "has fewer games than its head says";
        Error::damaged(self.offset, self.before, "block", what)
    }
}

/// The blocks found so far.
#[derive(Debug, Default)]
pub(crate) struct BlockWalk {
    places: Vec<BlockPlace>,
    games: u64,
    /// Reads an archive made by pgc; between two steps it has nothing to read from.
    reader: ArchiveReader<io::Empty>,
    on_damage: OnDamage,
    /// The first block behind the last gap in the segment that took an unknown number of games.
    unknown: Option<usize>,
    done: bool,
    /// Length of an unfinished addition; 0 until the end has been reached.
    pub(crate) unfinished: u64,
    /// The damage passed over.
    pub(crate) gaps: Vec<Gap>,
}

impl BlockWalk {
    pub(crate) fn new(on_damage: OnDamage) -> BlockWalk {
        BlockWalk {
            reader: ArchiveReader::for_heads(io::empty(), on_damage),
            on_damage,
            ..BlockWalk::default()
        }
    }

    /// The block that holds a game (from 0), or, if that is lost, the next one; `None` if there are
    /// not so many games.
    pub(crate) fn find(
        &mut self,
        archive: &dyn ReadAt,
        game: u64,
    ) -> Result<Option<BlockPlace>, Error> {
        while (self.games <= game || self.unknown.is_some()) && self.step(archive)? {}
        let places = &self.places;
        let at = places.partition_point(|place| place.end_game() <= game);
        Ok(places.get(at).copied())
    }

    /// The number of all games, those included that are known to be missing.
    pub(crate) fn count(&mut self, archive: &dyn ReadAt) -> Result<u64, Error> {
        while self.step(archive)? {}
        Ok(self.games)
    }

    /// The blocks found.
    pub(crate) fn places(&self) -> &[BlockPlace] {
        &self.places
    }

    /// The number of games before a block, by its number; it must have been found.
    pub(crate) fn games_before_block(&self, block: u64) -> Option<u64> {
        let place = self.places.get(usize::try_from(block).ok()?);
        place.map(|place| place.before)
    }

    /// The number of games before the block at this offset; all blocks must have been found.
    pub(crate) fn games_before(&self, offset: u64) -> Option<u64> {
        let places = &self.places;
        let at = places.binary_search_by_key(&offset, |place| place.offset);
        at.ok().map(|at| places[at].before)
    }

    /// Finds one more block; `false` at the end.
    fn step(&mut self, archive: &dyn ReadAt) -> Result<bool, Error> {
        if self.done {
            return Ok(false);
        }
        let reader = std::mem::take(&mut self.reader);
        let from = Onward::from(archive, reader.offset());
        let mut reader = reader.over(from);
        let place = self.next_block(&mut reader, archive.size());
        self.reader = reader.over(io::empty());
        let Some(place) = place? else {
            self.done = true;
            return Ok(false);
        };
        self.games = place.end_game();
        self.places.push(place);
        Ok(true)
    }

    /// The next block of an archive made by pgc.
    fn next_block(
        &mut self,
        reader: &mut ArchiveReader<Onward<'_>>,
        size: u64,
    ) -> Result<Option<BlockPlace>, Error> {
        let stops = self.on_damage == OnDamage::Stop;
        loop {
            let part = reader.next_head();
            let part = part.map_err(|error| error.after_game(self.games))?;
            match part {
                None => {
                    self.unfinished = reader.unfinished().map_or(0, |at| size.saturating_sub(at));
                    return Ok(None);
                }
                Some(ArchivePart::Head(_) | ArchivePart::NoTail) => self.unknown = None,
                Some(ArchivePart::Block(head, ..)) => {
                    if reader.offset() > size && stops {
                        let what = "is cut off: the archive ends here";
                        return Err(Error::damaged(reader.begin(), self.games, "block", what));
                    }
                    return Ok(Some(BlockPlace {
                        offset: reader.begin(),
                        end: reader.offset(),
                        before: self.games,
                        games: head.games,
                        crc: None,
                        number: None,
                    }));
                }
                Some(ArchivePart::Tail(_)) => self.end_segment(reader.games()),
                Some(ArchivePart::Gap(gap)) => match gap.games {
                    Some(games) => self.games = self.games.saturating_add(games),
                    None => self.unknown = Some(self.places.len()),
                },
                Some(ArchivePart::Gaps(mut gaps)) => {
                    // The end of the last block is that of its head, and may be beyond the archive.
                    for gap in &mut gaps {
                        [gap.begin, gap.end, gap.offset] =
                            [gap.begin, gap.end, gap.offset].map(|at| at.min(size));
                    }
                    self.gaps.extend(gaps);
                }
            }
        }
    }

    /// The tail of a segment tells how many games (`all`) there were up to its end: those behind
    /// the last gap get the numbers that they had.
    fn end_segment(&mut self, all: u64) {
        if let Some(first) = self.unknown.take() {
            let missing = all.saturating_sub(self.games);
            for place in &mut self.places[first..] {
                place.before = place.before.saturating_add(missing);
            }
            self.games = self.games.saturating_add(missing);
        }
    }
}
