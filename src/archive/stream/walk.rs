//! Finds the blocks of an archive without an index: from head to head, or in a stream of another
//! program record by record.

use std::ops::ControlFlow;

use crate::archive::stream::frame::FrameRecord;
use crate::archive::stream::slice::{Framed, frame_at, unfinished_at};
use crate::io::read_at::ReadAt;
use crate::records::reader::{Dialect, Fault, ReadError, Records, StructureError};
use crate::records::{Marker, Record};
use crate::run::Error;

/// A block of a foreign stream ends after the first game that ends at least this far from the start
/// of the block (spec/index.md section 2).
pub(crate) const FOREIGN_BLOCK: u64 = 262_144;

/// A block, or the run of games that counts as one in a foreign stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockPlace {
    /// Its offset.
    pub offset: u64,
    /// An upper bound of its end.
    pub end: u64,
    /// The number of games before it in the archive.
    pub before: u64,
    /// The number of games in it.
    pub games: u64,
    /// Its checksum according to the index.
    pub crc: Option<u32>,
}

impl BlockPlace {
    /// The error for a block with fewer games than its head counts.
    pub(crate) fn too_few(&self) -> Error {
        Error::Damaged {
            offset: self.offset,
            game: self.before,
            item: "block",
            what: "has fewer games than its head says".to_owned(),
        }
    }
}

/// The kind of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamKind {
    /// An archive made by pgc.
    Ours,
    /// A stream of another program.
    Foreign,
}

/// The next block, or `None` at the end; `Continue` if more bytes are needed to tell.
type Found = ControlFlow<Option<BlockPlace>>;

/// The blocks found so far.
#[derive(Debug)]
pub(crate) struct BlockWalk {
    places: Vec<BlockPlace>,
    /// The offset where the search for the next block goes on.
    next: u64,
    games: u64,
    /// Within a segment: its blocks so far, and the number of games before it.
    segment: Option<(u64, u64)>,
    done: bool,
    /// Length of an unfinished addition; 0 until the end has been reached.
    pub(crate) unfinished: u64,
}

impl BlockWalk {
    pub(crate) fn new() -> BlockWalk {
        BlockWalk {
            places: Vec::new(),
            next: 0,
            games: 0,
            segment: None,
            done: false,
            unfinished: 0,
        }
    }

    /// The block that holds a game (from 0); `None` if there are not so many games.
    pub(crate) fn find(
        &mut self,
        archive: &dyn ReadAt,
        stream: StreamKind,
        game: u64,
    ) -> Result<Option<BlockPlace>, Error> {
        while self.games <= game && self.step(archive, stream)? {}
        if self.games <= game {
            return Ok(None);
        }
        let at = self.places.partition_point(|place| place.before <= game);
        Ok(at.checked_sub(1).map(|at| self.places[at]))
    }

    /// The number of all games.
    pub(crate) fn count(&mut self, archive: &dyn ReadAt, stream: StreamKind) -> Result<u64, Error> {
        while self.step(archive, stream)? {}
        Ok(self.games)
    }

    /// Finds one more block; `false` at the end.
    fn step(&mut self, archive: &dyn ReadAt, stream: StreamKind) -> Result<bool, Error> {
        if self.done {
            return Ok(false);
        }
        let place = match stream {
            StreamKind::Ours => self.next_block(archive)?,
            StreamKind::Foreign => self.next_run(archive)?,
        };
        let Some(place) = place else {
            self.done = true;
            return Ok(false);
        };
        self.games = place.before.saturating_add(place.games);
        self.next = place.end;
        self.places.push(place);
        Ok(true)
    }

    /// The next block of an archive made by pgc.
    fn next_block(&mut self, archive: &dyn ReadAt) -> Result<Option<BlockPlace>, Error> {
        loop {
            let damaged = |offset, item, what: String| Error::Damaged {
                offset,
                game: self.games,
                item,
                what,
            };
            // An unfinished addition may follow any segment.
            if self.segment.is_none()
                && self.next > 0
                && let Some(at) = unfinished_at(archive, self.next)?
            {
                self.unfinished = archive.size() - at;
                return Ok(None);
            }
            let framed =
                frame_at(archive, self.next).map_err(|e| Error::from(e).after_game(self.games))?;
            let Some(Framed { begin, end, frame }) = &framed else {
                return match self.segment {
                    None => Ok(None),
                    Some(_) => Err(damaged(
                        archive.size(),
                        "tail",
                        "is missing: the archive ends early".into(),
                    )),
                };
            };
            match (frame, &mut self.segment) {
                (FrameRecord::Head(_), segment @ None) => *segment = Some((0, self.games)),
                (FrameRecord::Block(head), Some((number, _))) if head.number == *number => {
                    *number += 1;
                    let end = framed.as_ref().map_or(0, Framed::next);
                    if end > archive.size() {
                        return Err(damaged(
                            *begin,
                            "block",
                            "is cut off: the archive ends here".into(),
                        ));
                    }
                    return Ok(Some(BlockPlace {
                        offset: *begin,
                        end,
                        before: self.games,
                        games: head.games,
                        crc: None,
                    }));
                }
                (FrameRecord::Block(head), Some((number, _))) => {
                    return Err(damaged(
                        *begin,
                        "block head",
                        format!("is number {}, not {number}", head.number),
                    ));
                }
                (FrameRecord::Tail(tail), Some((number, before))) => {
                    if (tail.blocks, tail.games) != (*number, self.games - *before) {
                        return Err(damaged(
                            *begin,
                            "tail",
                            "its numbers of blocks or games are wrong".into(),
                        ));
                    }
                    self.segment = None;
                }
                (_, segment) => {
                    let item = if segment.is_some() {
                        "block head"
                    } else {
                        "head"
                    };
                    return Err(damaged(
                        *begin,
                        item,
                        "is missing: another record is in its place".into(),
                    ));
                }
            }
            self.next = *end;
        }
    }

    /// The next block of a foreign stream.
    fn next_run(&self, archive: &dyn ReadAt) -> Result<Option<BlockPlace>, Error> {
        let mut window = 2 * FOREIGN_BLOCK;
        loop {
            let rest = archive.read_at(self.next, self.next.saturating_add(window))?;
            let is_all = (rest.len() as u64) < window;
            match self.run_in(&rest, is_all)? {
                ControlFlow::Break(place) => return Ok(place),
                ControlFlow::Continue(()) => window = window.saturating_mul(2),
            }
        }
    }

    /// The block at the start of `rest`, a part of a foreign stream; `Continue` if the block may
    /// extend beyond it. `is_all`: the stream ends with `rest`.
    fn run_in(&self, rest: &[u8], is_all: bool) -> Result<Found, Error> {
        let is_cut = |error: &ReadError| {
            let unfinished = Fault::Structure(StructureError::UnfinishedGame);
            !is_all && (error.fault == unfinished || matches!(error.fault, Fault::Truncated { .. }))
        };
        let mut records = Records::new(rest, Dialect::Standard);
        let (mut games, mut length) = (0, 0);
        while let Some(record) = records.next() {
            let record = match record {
                Ok((_, record)) => record,
                Err(error) if is_cut(&error) => return Ok(ControlFlow::Continue(())),
                // The games before the damage can be used; the next step meets the damage again.
                Err(_) if games > 0 => return Ok(self.run(length, games)),
                Err(mut error) => {
                    error.offset += self.next;
                    error.game += self.games;
                    return Err(error.into());
                }
            };
            if matches!(record.marker(), Marker::ReducedGame | Marker::GameEnd) {
                games += 1;
                length = records.offset();
                if length >= FOREIGN_BLOCK {
                    break;
                }
            }
        }
        // Records between games belong to the block of the next game; after the last game, to the
        // last block.
        let behind = &rest[usize::try_from(length).unwrap_or(0)..];
        let mut behind = Records::new(behind, Dialect::Standard)
            .filter(|record| !matches!(record, Ok((_, Record::Noop | Record::Escape(_)))));
        Ok(match behind.next() {
            Some(Err(error)) if is_cut(&error) => ControlFlow::Continue(()),
            None if !is_all => ControlFlow::Continue(()),
            _ if games == 0 => ControlFlow::Break(None),
            // An error after this block belongs to the next step.
            Some(_) if length >= FOREIGN_BLOCK => self.run(length, games),
            _ => self.run(rest.len() as u64, games),
        })
    }

    fn run(&self, length: u64, games: u64) -> Found {
        ControlFlow::Break(Some(BlockPlace {
            offset: self.next,
            end: self.next + length,
            before: self.games,
            games,
            crc: None,
        }))
    }
}
