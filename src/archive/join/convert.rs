//! Copies the segments of an archive into another one, in the form that this one has.

use std::io::{self, Read, Write};

use crate::archive::games::facts::{IndexedBlock, Wants};
use crate::archive::games::walk::damage;
use crate::archive::indexing::{Indexing, indexed_block};
use crate::archive::pipeline::ordered;
use crate::archive::storing::store;
use crate::archive::stream::head::{SegmentHead, SegmentTail};
use crate::archive::stream::reader::{ArchivePart, ArchiveReader};
use crate::block::head::BlockHead;
use crate::block::small::stored::{records, take_block};
use crate::run::{Error, Hooks, PackOptions, SegmentForm, Summary};

/// A part of the archive that is read.
enum PartToCopy {
    Head(SegmentHead),
    Block(Box<BlockToCopy>),
    /// The tail and its record.
    Tail(SegmentTail, Vec<u8>),
}

struct BlockToCopy {
    head: Box<BlockHead>,
    stored: Vec<u8>,
    /// The record of the head.
    record: Vec<u8>,
    /// The offsets of the head and of the stored bytes, and the number of games before.
    place: (u64, u64, u64),
    /// Whether the block is copied unchanged.
    same: bool,
}

/// The part as it is written.
enum CopiedPart {
    Head(Vec<u8>),
    Block(Box<BlockHead>, Result<CopiedBlock, Error>),
    Tail(SegmentTail, Vec<u8>),
}

struct CopiedBlock {
    bytes: Vec<u8>,
    indexed: Option<IndexedBlock>,
}

/// Copies the segments of an archive, in the form that the options ask for, and adds their games to
/// the index of the archive that `out` continues. Blocks in the other form are decoded to their
/// records and coded again, which gives the bytes that packing the sources in that form gives; with
/// `verify` each of these blocks is decoded once more. Returns a summary of each segment.
///
/// Checks what `test --quick` checks, and the checksums of all records.
///
/// # Errors
/// See [`Error`]; [`Error::Io`] with `options.standard`, for which the sources must be unpacked.
pub fn copy_segments(
    archive: &mut (dyn Read + Send),
    out: &mut dyn Write,
    options: &PackOptions,
    hooks: &mut dyn Hooks,
    indexing: Option<&mut Indexing<'_>>,
) -> Result<Vec<Summary>, Error> {
    if options.standard.is_some() {
        let what = "the segments of an archive cannot be part of a plain stream";
        return Err(io::Error::new(io::ErrorKind::Unsupported, what).into());
    }
    let reader = ArchiveReader::new(archive);
    let wants = indexing.as_deref().map(|indexing| indexing.wants().clone());
    let mut copy = CopyRun {
        out,
        hooks,
        indexing,
        head: Vec::new(),
        sum: Summary::default(),
        segments: Vec::new(),
    };
    let mut source = PartSource {
        reader,
        form: options.form,
        told: 0,
        same: true,
    };
    ordered(
        options.threads,
        || {
            Ok(source.next()?.map(|part| {
                let cost = part.cost();
                (part, cost)
            }))
        },
        |part| part.copy(options, wants.as_ref()),
        |part| copy.take(part),
    )?;
    let mut reader = source.reader;
    let segments = copy.segments;
    if let Some(offset) = reader.unfinished() {
        hooks.unfinished(offset, reader.pass_unfinished()?);
    }
    Ok(segments)
}

/// The reading side.
struct PartSource<R> {
    reader: ArchiveReader<R>,
    /// The form that is written.
    form: SegmentForm,
    /// The number of games before, as the heads of blocks tell it.
    told: u64,
    /// Whether the segment has the form that is written.
    same: bool,
}

impl<R: Read> PartSource<R> {
    fn next(&mut self) -> Result<Option<PartToCopy>, Error> {
        let part = self.reader.next_part();
        let part = part.map_err(|error| Error::from(error).after_game(self.reader.games()))?;
        Ok(Some(match part {
            Some(ArchivePart::Head(head)) => {
                self.same = head.form == self.form;
                PartToCopy::Head(head)
            }
            Some(ArchivePart::Block(head, stored, at)) => {
                PartToCopy::Block(Box::new(self.block(head, stored, at)))
            }
            Some(ArchivePart::Tail(tail)) => PartToCopy::Tail(tail, self.reader.record()),
            // The reader stops at damage.
            Some(ArchivePart::Gap(_) | ArchivePart::Gaps(_) | ArchivePart::NoTail) | None => {
                return Ok(None);
            }
        }))
    }

    fn block(&mut self, head: Box<BlockHead>, stored: Vec<u8>, at: u64) -> BlockToCopy {
        let place = (self.reader.begin(), at, self.told);
        self.told = self.told.saturating_add(head.games);
        BlockToCopy {
            head,
            stored,
            record: self.reader.record(),
            place,
            same: self.same,
        }
    }
}

impl PartToCopy {
    fn cost(&self) -> usize {
        match self {
            PartToCopy::Block(block) => block.head.cost(),
            PartToCopy::Head(_) | PartToCopy::Tail(..) => 0,
        }
    }

    fn copy(self, options: &PackOptions, wants: Option<&Wants>) -> CopiedPart {
        match self {
            PartToCopy::Head(head) => {
                let mut bytes = Vec::new();
                let form = options.form;
                SegmentHead { form, ..head }.put(&mut bytes);
                CopiedPart::Head(bytes)
            }
            PartToCopy::Block(mut block) => {
                let copied = block.copy(options, wants);
                CopiedPart::Block(block.head, copied)
            }
            PartToCopy::Tail(tail, record) => CopiedPart::Tail(tail, record),
        }
    }
}

impl BlockToCopy {
    fn copy(&mut self, options: &PackOptions, wants: Option<&Wants>) -> Result<CopiedBlock, Error> {
        let (_, at, before) = self.place;
        let records =
            records(&self.head, &self.stored).map_err(|d| damage(d, &self.head, at, before))?;
        let indexed = wants
            .map(|wants| indexed_block(&self.head, &records, self.place, wants))
            .transpose()?;
        if self.same {
            let bytes = [self.record.as_slice(), &self.stored].concat();
            return Ok(CopiedBlock { bytes, indexed });
        }
        let mut head = BlockHead::clone(&self.head);
        let mut bytes = Vec::new();
        let is_right = store(
            &mut bytes,
            &mut head,
            &records,
            options.form,
            |mut bytes| {
                !options.verify || take_block(&mut bytes).is_some_and(|(_, again)| again == records)
            },
        );
        if !is_right {
            return Err(Error::Verify(self.head.number));
        }
        Ok(CopiedBlock { bytes, indexed })
    }
}

/// The writing side.
struct CopyRun<'a, 'i> {
    out: &'a mut dyn Write,
    hooks: &'a mut dyn Hooks,
    indexing: Option<&'a mut Indexing<'i>>,
    /// The record of the head of the segment.
    head: Vec<u8>,
    /// The sums over the blocks of the segment.
    sum: Summary,
    segments: Vec<Summary>,
}

impl CopyRun<'_, '_> {
    fn take(&mut self, part: CopiedPart) -> Result<(), Error> {
        if self.hooks.cancelled() {
            return Err(Error::Cancelled);
        }
        match part {
            CopiedPart::Head(bytes) => {
                self.out.write_all(&bytes)?;
                if let Some(indexing) = &mut self.indexing {
                    indexing.begin(&bytes);
                }
                self.sum = Summary {
                    bytes_out: bytes.len() as u64,
                    ..Summary::default()
                };
                self.head = bytes;
            }
            CopiedPart::Block(head, copied) => {
                let CopiedBlock { bytes, indexed } = copied?;
                self.out.write_all(&bytes)?;
                if let (Some(indexing), Some(indexed)) = (&mut self.indexing, indexed) {
                    indexing.block(bytes.len() as u64, indexed)?;
                }
                let sum = &mut self.sum;
                // The counts of heads may be forged and overflow.
                sum.games = sum.games.saturating_add(head.games);
                sum.plies = sum.plies.saturating_add(head.plies);
                sum.bytes_in = sum.bytes_in.saturating_add(head.source);
                sum.bytes_out += bytes.len() as u64;
                self.hooks.progress(head.stored());
            }
            CopiedPart::Tail(tail, record) => {
                let sum = &mut self.sum;
                self.out.write_all(&record)?;
                if let Some(indexing) = &mut self.indexing {
                    indexing.end(&self.head, &record)?;
                }
                (sum.whole, sum.text_tail, sum.text_only) = (tail.whole, tail.tails, tail.text);
                sum.bytes_out += record.len() as u64;
                self.segments.push(std::mem::take(sum));
            }
        }
        Ok(())
    }
}
