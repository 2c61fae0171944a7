//! Fetches movetexts and sites of games from the archive for the builder of an index, block by
//! block.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use crate::archive::games::walk::{BlockGames, damage};
use crate::archive::pipeline::ordered;
use crate::archive::stream::slice::{FrameRecord, frame_at, stored_of};
use crate::block::head::MAX_RECORDS;
use crate::block::small::stored::records_of_games;
use crate::foreign::export::{GameExport, apply};
use crate::index::{Facts, Fetch, Summaries};
use crate::records::reader::{Dialect, RecordStream};
use crate::records::record::Record;
use crate::run::Error;

/// The number of bytes of a movetext that the collating order compares (spec/index.md section 5).
const MAX_MOVETEXT: usize = 65_536;

/// The offset of a block, and the number (from 0) of its first game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockAt {
    pub offset: u64,
    pub first: u32,
}

/// Who wrote the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveKind {
    Ours,
    Foreign { pgn2pgc: bool },
}

/// A seekable archive, and the positions of its blocks.
pub(crate) struct Fetcher<'r, R> {
    pub archive: &'r mut R,
    pub blocks: &'r [BlockAt],
    /// An upper bound for the end of the last block.
    pub end: u64,
    pub stream: ArchiveKind,
    pub threads: usize,
}

/// Texts of games of one block, one after another.
#[derive(Default)]
struct FetchedTexts {
    bytes: Vec<u8>,
    games: Vec<(u32, usize)>,
}

impl FetchedTexts {
    fn push(&mut self, game: u32, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.games.push((game, self.bytes.len()));
    }

    fn each(&self, each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut start = 0;
        for &(game, end) in &self.games {
            each(game, &self.bytes[start..end])?;
            start = end;
        }
        Ok(())
    }
}

/// What to fetch of a game.
#[derive(Clone, Copy)]
enum FetchedField {
    Movetext,
    Site,
}

impl<R: Read + Seek> Fetcher<'_, R> {
    fn fetch(
        &mut self,
        games: &[u32],
        wanted: FetchedField,
        each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let fetched = match self.stream {
            ArchiveKind::Ours => self.ours(games, wanted, each),
            ArchiveKind::Foreign { pgn2pgc } => self.foreign(games, wanted, pgn2pgc, each),
        };
        fetched.map_err(|error| match error {
            Error::Io(error) => error,
            error => io::Error::other(error),
        })
    }

    /// The position in `blocks` of the block with a game. (A block without games comes before the
    /// block with the same first game.)
    fn block_of(&self, game: u32) -> Result<usize, Error> {
        let at = self.blocks.partition_point(|block| block.first <= game);
        at.checked_sub(1)
            .ok_or_else(|| io::Error::other("a game before the first was asked for").into())
    }

    fn ours(
        &mut self,
        games: &[u32],
        wanted: FetchedField,
        each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>,
    ) -> Result<(), Error> {
        let mut rest = games;
        ordered(
            self.threads,
            || {
                let Some(&game) = rest.first() else {
                    return Ok(None);
                };
                let at = self.block_of(game)?;
                let block = self.blocks[at];
                let behind = self.blocks.get(at + 1);
                let last = behind.map_or(u32::MAX, |next| next.first);
                let (here, more) = rest.split_at(rest.partition_point(|&game| game < last).max(1));
                rest = more;
                let bytes = self.read(block.offset, behind.map_or(self.end, |next| next.offset))?;
                let cost = bytes.len();
                Ok(Some(((block, bytes, here), cost)))
            },
            |(block, bytes, here)| texts_of(block, &bytes, here, wanted),
            |texts: Result<FetchedTexts, Error>| Ok(texts?.each(each)?),
        )
    }

    /// Reads a block, and perhaps bytes after it.
    fn read(&mut self, from: u64, to: u64) -> Result<Vec<u8>, Error> {
        // No block is longer, whatever lies between it and the next.
        let most = to.saturating_sub(from).min(MAX_RECORDS + (1 << 17));
        self.archive.seek(SeekFrom::Start(from))?;
        // Allocated at once: growing in steps costs more than reading.
        let mut bytes = Vec::with_capacity(usize::try_from(most).unwrap_or(0));
        (&mut self.archive).take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Foreign games may have any length, so they are read record by record.
    fn foreign(
        &mut self,
        games: &[u32],
        wanted: FetchedField,
        pgn2pgc: bool,
        each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>,
    ) -> Result<(), Error> {
        let dialect = if pgn2pgc {
            Dialect::Pgn2pgc
        } else {
            Dialect::Standard
        };
        let mut export = GameExport::new(true, pgn2pgc);
        let mut rest = games;
        while let Some(&first) = rest.first() {
            let at = self.block_of(first)?;
            let block = self.blocks[at];
            let last = self.blocks.get(at + 1).map_or(u32::MAX, |next| next.first);
            let (here, more) = rest.split_at(rest.partition_point(|&game| game < last).max(1));
            rest = more;
            self.archive.seek(SeekFrom::Start(block.offset))?;
            let mut records = RecordStream::new(&mut *self.archive, dialect);
            let mut game = block.first;
            let mut here = here.iter().copied().peekable();
            while here.peek().is_some() {
                let Some((_, record)) =
                    records.next_record().map_err(|e| moved(e.into(), &block))?
                else {
                    return Err(io::Error::from(ErrorKind::UnexpectedEof).into());
                };
                let ends = matches!(record, Record::Game { .. } | Record::GameEnd);
                let is_wanted = here.peek() == Some(&game);
                if is_wanted
                    && begin_of_movetext(export.bytes())
                        .is_none_or(|text| text.len() < MAX_MOVETEXT)
                {
                    let marker = record.marker();
                    if let Err(error) =
                        apply(&mut export, &record, &mut crate::run::Summary::default())
                    {
                        let what = error.to_string();
                        return Err(Error::Damaged {
                            offset: block.offset + records.offset(),
                            game: u64::from(game) + 1,
                            item: marker.name(),
                            what,
                        });
                    }
                }
                if ends {
                    if is_wanted {
                        here.next();
                        let text = begin_of_movetext(export.bytes()).unwrap_or_default();
                        match wanted {
                            FetchedField::Movetext => {
                                each(game, &text[..text.len().min(MAX_MOVETEXT)])?
                            }
                            // An index of a foreign stream is never appended to another.
                            FetchedField::Site => {
                                return Err(io::Error::from(ErrorKind::Unsupported).into());
                            }
                        }
                    }
                    export.clear();
                    game = game.saturating_add(1);
                }
            }
        }
        Ok(())
    }
}

/// Turns an error relative to a block into one relative to the archive.
fn moved(mut error: Error, block: &BlockAt) -> Error {
    if let Error::Damaged { offset, game, .. } = &mut error {
        *offset += block.offset;
        *game += u64::from(block.first);
    }
    error
}

/// The movetext follows the first empty line: no tag pair of export format contains a newline.
fn begin_of_movetext(game: &[u8]) -> Option<&[u8]> {
    memchr::memmem::find(game, b"\n\n").map(|at| &game[at + 2..])
}

fn texts_of(
    block: BlockAt,
    bytes: &[u8],
    wanted: &[u32],
    what: FetchedField,
) -> Result<FetchedTexts, Error> {
    let before = u64::from(block.first);
    let located = |error| moved(Error::from(error), &block);
    let framed = frame_at(bytes, 0).map_err(located)?;
    let Some((framed, FrameRecord::Block(head))) =
        framed.as_ref().map(|framed| (framed, &framed.frame))
    else {
        let what = "is missing: another record is in its place".to_owned();
        return Err(Error::Damaged {
            offset: block.offset,
            game: before,
            item: "block head",
            what,
        });
    };
    let stored = stored_of(bytes, framed, head).map_err(located)?;
    let numbers: Vec<u64> = wanted
        .iter()
        .map(|&game| u64::from(game) - before)
        .collect();
    let at = block.offset + framed.end;
    let range = numbers.first().copied().unwrap_or(0)..numbers.last().map_or(0, |last| last + 1);
    let some = records_of_games(head, &stored, range).map_err(|d| damage(d, head, at, before))?;
    let mut games = BlockGames::some(head, &some, at, before);
    let mut texts = FetchedTexts::default();
    let places = games.places(&numbers)?;
    let fewer = |games: &BlockGames<'_>| {
        games.fault("block", "has fewer games than its index says".to_owned())
    };
    if places.len() < wanted.len() {
        return Err(fewer(&games));
    }
    let mut here = (some.first, 0);
    for ((&game, number), place) in wanted.iter().zip(numbers).zip(places) {
        games.jump(number - here.0, place - here.1);
        here = (number, place);
        if !games.next()? {
            return Err(fewer(&games));
        }
        match what {
            FetchedField::Movetext => texts.push(game, games.movetext(MAX_MOVETEXT)?),
            FetchedField::Site => {
                let mut summary = Summaries::new();
                summary.push(games.game().tags(), &Facts::default());
                texts.push(
                    game,
                    summary
                        .iter()
                        .next()
                        .map_or("?", |game| game.site)
                        .as_bytes(),
                );
            }
        }
    }
    Ok(texts)
}

impl<R: Read + Seek> Fetch for Fetcher<'_, R> {
    fn movetexts(
        &mut self,
        games: &[u32],
        each: &mut dyn FnMut(u32, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        self.fetch(games, FetchedField::Movetext, each)
    }

    fn sites(
        &mut self,
        games: &[u32],
        each: &mut dyn FnMut(u32, &str) -> io::Result<()>,
    ) -> io::Result<()> {
        self.fetch(games, FetchedField::Site, &mut |game, site| {
            each(game, std::str::from_utf8(site).map_err(io::Error::other)?)
        })
    }
}
