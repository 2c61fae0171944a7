//! One run over an archive made by pgc, which unpacks all its sources, tests them, or counts their
//! bytes.

use std::io::{self, Read};

use sha2::{Digest, Sha256};

use crate::games::facts::IndexedBlock;
use crate::games::walk::damage;
use crate::indexing::Indexing;
use crate::part_walk::{PartPlace, walk_parts};
use crate::run::{Error, Gap, Hooks, Sink, SourceInfo, Summary};
use crate::stream::head::SegmentTail;
use crate::stream::reader::{ArchiveReader, OnDamage, Part};
use crate::unpack::block::{Buffers, DecodedBlock, Depth, decode};
use crate::unpack::sums::SegmentSums;
use pgc_block::breakdown::{Breakdown, StoredBytes, add_count};
use pgc_block::decode::block::Damage;
use pgc_block::head::BlockHead;
use pgc_block::small::stored::records_of_games;

/// The end of a game kept as text, in export format.
const END_OF_GAME: &[u8] = b"*\n\n";

/// A receiver that discards the text.
pub(super) struct Nowhere;

impl Sink for Nowhere {
    fn write(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// A run over an archive made by pgc, which checks everything that its depth allows.
pub(super) struct ArchiveRun<'h, 'i> {
    depth: Depth,
    pub(super) sha256: bool,
    /// Whether texts stay in UTF-8.
    pub(super) utf8: bool,
    threads: usize,
    passes_damage: bool,
    hooks: &'h mut dyn Hooks,
    /// The index that is made at the same time, if any.
    pub(super) indexing: Option<&'h mut Indexing<'i>>,
    pub(super) sources: Vec<SourceInfo>,
    /// The games found in the sources. (The tail of a damaged source counts missing games too.)
    pub(super) found: Summary,
    pub(super) breakdown: Breakdown,
    pub(super) stored: StoredBytes,
    /// Length of the text written.
    pub(super) written: u64,
    /// Regions of text outside games: their number and total length.
    pub(super) stray: (u64, u64),
    /// Whether the last block left a game open.
    is_open: bool,
}

impl<'h, 'i> ArchiveRun<'h, 'i> {
    pub(super) fn new(
        depth: Depth,
        threads: usize,
        passes_damage: bool,
        hooks: &'h mut dyn Hooks,
    ) -> Self {
        ArchiveRun {
            depth,
            sha256: false,
            utf8: false,
            threads,
            passes_damage,
            hooks,
            indexing: None,
            sources: Vec::new(),
            found: Summary::default(),
            breakdown: Breakdown::default(),
            stored: StoredBytes::default(),
            written: 0,
            stray: (0, 0),
            is_open: false,
        }
    }

    pub(super) fn over(
        &mut self,
        archive: &mut (dyn Read + Send),
        target: &mut dyn Sink,
    ) -> Result<(), Error> {
        let mut reader = ArchiveReader::passing(archive, OnDamage::passing(self.passes_damage));
        let buffers = Buffers {
            travel: self.threads != 1,
            ..Buffers::default()
        };
        let depth = self.depth;
        let indexing = self.indexing.as_deref();
        let wants = indexing.map(|indexing| indexing.wants);
        let mut segment = SegmentSums::default();
        walk_parts(
            &mut reader,
            self.threads,
            |head, stored, _, _| match depth {
                Depth::Quick => Ok(DecodedBlock::default()),
                _ => records_of_games(head, stored, 0..head.games, depth.needs()).and_then(
                    |(records, _)| decode(head, &records, depth, wants.as_ref(), &buffers),
                ),
            },
            |part, place| {
                let done = self.take(part, &place, &mut segment, target)?;
                buffers.texts.give(done.source);
                Ok(())
            },
        )?;
        let end = reader.finish(self.hooks)?;
        if let Some(indexing) = &mut self.indexing {
            indexing.go_to(end);
        }
        Ok(())
    }

    /// Processes the next part in order; returns the block, whose buffer can be reused.
    fn take(
        &mut self,
        part: Part<Result<DecodedBlock, Damage>>,
        place: &PartPlace,
        segment: &mut SegmentSums,
        target: &mut dyn Sink,
    ) -> Result<DecodedBlock, Error> {
        match part {
            Part::Head(head) => {
                let begin = segment.begin;
                let sha256 = self.sha256.then(Sha256::new);
                *segment = SegmentSums::new(head, begin, sha256);
                if let Some(indexing) = &mut self.indexing {
                    indexing.go_to(place.begin);
                    indexing.begin(&place.record);
                }
                target.begin(Some(&segment.name), segment.text)?;
            }
            Part::Block(head, block, at) => {
                return self.take_block(&head, block, (place, at), segment, target);
            }
            Part::Gap(gap) => self.take_gap(&gap, segment, target)?,
            Part::Gaps(gaps) => gaps.iter().for_each(|gap| self.hooks.gap(gap)),
            Part::NoTail => {
                self.write_rest(segment, target)?;
                let tail = segment.tail();
                let info = segment.info_without_tail(&tail, place.end);
                self.end_segment(info, place.end, &[], segment, target)?;
            }
            Part::Tail(tail) => {
                self.write_rest(segment, target)?;
                let info = self.checked(&tail, place, segment)?;
                self.end_segment(info, place.end, &place.record, segment, target)?;
            }
        }
        Ok(DecodedBlock::default())
    }

    fn take_block(
        &mut self,
        head: &BlockHead,
        block: Result<DecodedBlock, Damage>,
        (place, at): (&PartPlace, u64),
        segment: &mut SegmentSums,
        target: &mut dyn Sink,
    ) -> Result<DecodedBlock, Error> {
        let block = block.and_then(|block| segment.follow(&block).map(|()| block));
        let mut block = match block {
            Ok(block) => block,
            Err(wrong) => {
                let error = damage(wrong, head, at, place.games);
                if !self.passes_damage {
                    return Err(error);
                }
                let gap = segment.gap_of(head, place, error);
                self.take_gap(&gap, segment, target)?;
                self.hooks.gap(&gap);
                return Ok(DecodedBlock::default());
            }
        };
        segment.add(head, &block, self.depth);
        self.breakdown.add(&block.breakdown);
        count_stored(&mut self.stored, head);
        self.stray.0 += block.counts.stray_regions;
        self.stray.1 += block.counts.stray_bytes;
        self.end_open_game(block.goes_on, target)?;
        self.is_open = block.is_open;
        let text = match self.utf8 || !self.depth.has_text() {
            true => &block.source,
            false => segment.source_text(&block.source),
        };
        self.written += text.len() as u64;
        target.write(text)?;
        if let Some(indexing) = &mut self.indexing {
            let games = std::mem::take(&mut block.summaries);
            let crc = head.crc;
            indexing.go_to(place.begin);
            indexing.block(place.end - place.begin, IndexedBlock { games, crc })?;
        }
        self.hooks.progress(head.stored());
        Ok(block)
    }

    /// Writes what is left of the text behind the last block of a segment.
    fn write_rest(
        &mut self,
        segment: &mut SegmentSums,
        target: &mut dyn Sink,
    ) -> Result<(), Error> {
        let rest = segment.rest();
        if rest.is_empty() || self.utf8 {
            return Ok(());
        }
        self.written += rest.len() as u64;
        Ok(target.write(rest)?)
    }

    fn take_gap(
        &mut self,
        gap: &Gap,
        segment: &mut SegmentSums,
        target: &mut dyn Sink,
    ) -> Result<(), Error> {
        if !gap.is_harmless() {
            (segment.damaged, segment.behind_gap) = (true, true);
            self.end_open_game(false, target)?;
            // A character that the lost block would have completed.
            self.write_rest(segment, target)?;
        }
        Ok(())
    }

    /// Compares a segment that ends with its tail, and returns its source.
    fn checked(
        &mut self,
        tail: &SegmentTail,
        place: &PartPlace,
        segment: &mut SegmentSums,
    ) -> Result<SourceInfo, Error> {
        if segment.damaged {
            return Ok(segment.info(tail, place.end));
        }
        let error = match segment.finish(tail, place.end, self.depth) {
            Ok(info) => return Ok(info),
            Err((item, what)) => Error::damaged(place.begin, place.games, item, what),
        };
        if !self.passes_damage {
            return Err(error);
        }
        self.hooks.gap(&segment.gap_of_tail(place, error));
        segment.damaged = true;
        Ok(segment.info(tail, place.end))
    }

    fn end_segment(
        &mut self,
        info: SourceInfo,
        end: u64,
        tail: &[u8],
        segment: &mut SegmentSums,
        target: &mut dyn Sink,
    ) -> Result<(), Error> {
        segment.begin = end;
        let found = &segment.sum;
        self.found.whole += found.whole;
        self.found.text_tail += found.text_tail;
        self.found.text_only += found.text_only;
        self.found.plies += found.plies;
        self.end_open_game(false, target)?;
        if let Some(indexing) = &mut self.indexing {
            indexing.go_to(end - tail.len() as u64);
            indexing.end(tail)?;
        }
        self.sources.push(info);
        Ok(target.end()?)
    }

    /// Ends the game that the last block left open, unless the next block continues it.
    fn end_open_game(&mut self, goes_on: bool, target: &mut dyn Sink) -> Result<(), Error> {
        if self.is_open && !goes_on {
            target.write(END_OF_GAME)?;
            self.written += END_OF_GAME.len() as u64;
            self.is_open = false;
        }
        Ok(())
    }
}

fn count_stored(stored: &mut StoredBytes, head: &BlockHead) {
    if !head.is_coded() {
        stored.plain += head.records;
    }
    for stream in head.streams() {
        add_count(&mut stored.streams, stream.kind, stream.len.into());
    }
}
