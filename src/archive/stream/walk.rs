//! Where the blocks of an archive stand, found without an index: from head to head, or record by
//! record where there are none.

use crate::archive::stream::slice::{Frame, Framed, frame_at, unfinished_at};
use crate::records::reader::{Dialect, Records};
use crate::records::{Marker, Record};
use crate::run::Error;

/// A block of a foreign stream ends behind the first game that ends so far behind its beginning
/// (spec/index.md section 2).
pub(crate) const FOREIGN_BLOCK: u64 = 262_144;

/// A block, or what stands for one in a foreign stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where it begins.
    pub offset: u64,
    /// It ends here at the latest.
    pub end: u64,
    /// Games before it in the archive.
    pub before: u64,
    /// Games in it.
    pub games: u64,
    /// What the index says its checksum is.
    pub crc: Option<u32>,
}

impl Place {
    /// The block ended before a game that its head counts.
    pub(crate) fn too_few(&self) -> Error {
        Error::Damaged {
            offset: self.offset,
            game: self.before,
            item: "block",
            what: "has fewer games than its head says".to_owned(),
        }
    }
}

/// What stream it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// An archive of ours.
    Ours,
    /// One of somebody else.
    Foreign {
        /// In the dialect of that program.
        pgn2pgc: bool,
    },
}

/// How far the blocks are known.
#[derive(Debug)]
pub(crate) struct Walk {
    places: Vec<Place>,
    /// Where the next one is looked for.
    next: u64,
    games: u64,
    /// In a segment: its blocks so far and the games before it.
    segment: Option<(u64, u64)>,
    done: bool,
    /// Bytes of an unfinished addition, once the end is known.
    pub(crate) unfinished: u64,
}

impl Walk {
    pub(crate) fn new() -> Walk {
        Walk {
            places: Vec::new(),
            next: 0,
            games: 0,
            segment: None,
            done: false,
            unfinished: 0,
        }
    }

    /// The block with this game (from 0); `None` if there are not so many.
    pub(crate) fn find(
        &mut self,
        archive: &[u8],
        stream: Stream,
        game: u64,
    ) -> Result<Option<Place>, Error> {
        while self.games <= game && self.step(archive, stream)? {}
        if self.games <= game {
            return Ok(None);
        }
        let at = self.places.partition_point(|place| place.before <= game);
        Ok(at.checked_sub(1).map(|at| self.places[at]))
    }

    /// All games.
    pub(crate) fn count(&mut self, archive: &[u8], stream: Stream) -> Result<u64, Error> {
        while self.step(archive, stream)? {}
        Ok(self.games)
    }

    /// Goes on to the next block; `false` at the end.
    fn step(&mut self, archive: &[u8], stream: Stream) -> Result<bool, Error> {
        if self.done {
            return Ok(false);
        }
        let place = match stream {
            Stream::Ours => self.next_block(archive)?,
            Stream::Foreign { pgn2pgc } => self.next_run(archive, pgn2pgc)?,
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

    /// The next block of an archive of ours.
    fn next_block(&mut self, archive: &[u8]) -> Result<Option<Place>, Error> {
        loop {
            let from = usize::try_from(self.next).unwrap_or(usize::MAX);
            let damaged = |offset: usize, item, what: String| Error::Damaged {
                offset: offset as u64,
                game: self.games,
                item,
                what,
            };
            // Behind the first segment an addition may stand that was never finished.
            if self.segment.is_none()
                && self.next > 0
                && let Some(at) = unfinished_at(archive, from)
            {
                self.unfinished = (archive.len() - at) as u64;
                return Ok(None);
            }
            let framed =
                frame_at(archive, from).map_err(|e| Error::from(e).after_game(self.games))?;
            let Some(Framed { begin, end, frame }) = &framed else {
                return match self.segment {
                    None => Ok(None),
                    Some(_) => Err(damaged(
                        archive.len(),
                        "tail",
                        "is missing: the archive ends early".into(),
                    )),
                };
            };
            match (frame, &mut self.segment) {
                (Frame::Head(_), segment @ None) => *segment = Some((0, self.games)),
                (Frame::Block(head), Some((number, _))) if head.number == *number => {
                    *number += 1;
                    let end = framed.as_ref().map_or(0, Framed::next);
                    if end > archive.len() {
                        return Err(damaged(*begin, "block", "the archive ends in it".into()));
                    }
                    return Ok(Some(Place {
                        offset: *begin as u64,
                        end: end as u64,
                        before: self.games,
                        games: head.games,
                        crc: None,
                    }));
                }
                (Frame::Block(head), Some((number, _))) => {
                    return Err(damaged(
                        *begin,
                        "block head",
                        format!("is number {}, not {number}", head.number),
                    ));
                }
                (Frame::Tail(tail), Some((number, before))) => {
                    if (tail.blocks, tail.games) != (*number, self.games - *before) {
                        return Err(damaged(
                            *begin,
                            "tail",
                            "counts other blocks or games than there are".into(),
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
                        "something else stands in its place".into(),
                    ));
                }
            }
            self.next = *end as u64;
        }
    }

    /// The next block of a foreign stream.
    fn next_run(&self, archive: &[u8], pgn2pgc: bool) -> Result<Option<Place>, Error> {
        let from = usize::try_from(self.next).unwrap_or(usize::MAX);
        let rest = archive.get(from..).unwrap_or_default();
        let dialect = if pgn2pgc {
            Dialect::Pgn2pgc
        } else {
            Dialect::Standard
        };
        let mut records = Records::new(rest, dialect);
        let (mut games, mut length) = (0, 0);
        while let Some(record) = records.next() {
            let record = match record {
                Ok((_, record)) => record,
                // What came before the damage may be used; the next step finds it again.
                Err(_) if games > 0 => {
                    return Ok(Some(Place {
                        offset: self.next,
                        end: self.next + length,
                        before: self.games,
                        games,
                        crc: None,
                    }));
                }
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
        if games == 0 {
            return Ok(None);
        }
        // What follows the last game belongs to the last block.
        let end = if length >= FOREIGN_BLOCK
            && !only_between(&rest[usize::try_from(length).unwrap_or(0)..])
        {
            length
        } else {
            rest.len() as u64
        };
        Ok(Some(Place {
            offset: self.next,
            end: self.next + end,
            before: self.games,
            games,
            crc: None,
        }))
    }
}

/// Whether no game follows: records between games belong to the block of the next game, behind the
/// last game to the last block.
fn only_between(rest: &[u8]) -> bool {
    // An error is none of the last block's: it stays where it is.
    !Records::new(rest, Dialect::Standard).any(|record| {
        !record.is_ok_and(|(_, record)| matches!(record, Record::Noop | Record::Escape(_)))
    })
}
