//! Copies the segments of an archive into another one, in the form that this one has.

use std::io::{self, Read, Write};
use std::sync::Arc;

use crate::archive::games::facts::{IndexedBlock, Wants};
use crate::archive::games::walk::damage;
use crate::archive::indexing::{Indexing, indexed_block};
use crate::archive::pipeline::ordered;
use crate::archive::primers::{Ahead, Planned, PrimerSlot};
use crate::archive::stream::head::{SegmentHead, SegmentTail};
use crate::archive::stream::reader::{ArchivePart, ArchiveReader};
use crate::block::head::BlockHead;
use crate::block::small::primer::Primer;
use crate::block::small::stored::{BlockForm, put_block, records, take_block};
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
    /// The primer that it uses, if it is coded.
    primer: Option<Arc<Primer>>,
    /// The primer of the segment that is written.
    slot: Arc<PrimerSlot>,
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
    let mut reader = ArchiveReader::new(archive);
    let wants = indexing.as_deref().map(|indexing| indexing.wants().clone());
    let mut copy = CopyRun {
        out,
        hooks,
        indexing,
        head: Vec::new(),
        sum: Summary::default(),
        segments: Vec::new(),
    };
    let (mut told, mut same) = (0_u64, true);
    let mut slot = Arc::default();
    let mut ahead = Ahead::new();
    let looks_ahead = options.form == SegmentForm::Small;
    ordered(
        options.threads,
        || {
            let next = ahead.next(|| {
                let part = reader.next_part();
                let Some(part) =
                    part.map_err(|error| Error::from(error).after_game(reader.games()))?
                else {
                    return Ok(None);
                };
                Ok(Some(match part {
                    ArchivePart::Head(head) => {
                        same = head.form == options.form;
                        slot = Arc::default();
                        (PartToCopy::Head(head), None)
                    }
                    ArchivePart::Block(head, stored, at) => {
                        let place = (reader.begin(), at, told);
                        told = told.saturating_add(head.games);
                        let source = (looks_ahead && !same).then_some(head.source);
                        let block = BlockToCopy {
                            head,
                            stored,
                            record: reader.record(),
                            place,
                            primer: reader.primer(),
                            slot: Arc::clone(&slot),
                            same,
                        };
                        (PartToCopy::Block(Box::new(block)), source)
                    }
                    ArchivePart::Tail(tail) => {
                        let part = PartToCopy::Tail(tail, reader.record());
                        (part, None)
                    }
                    // The reader stops at damage.
                    ArchivePart::Gap(_) | ArchivePart::Gaps(_) | ArchivePart::NoTail => {
                        return Ok(None);
                    }
                }))
            })?;
            Ok(next.map(|(part, planned)| {
                let cost = match &part {
                    PartToCopy::Block(block) => block.head.cost(),
                    PartToCopy::Head(_) | PartToCopy::Tail(..) => 0,
                };
                ((part, planned), cost)
            }))
        },
        |(part, planned)| match part {
            PartToCopy::Head(head) => {
                let mut bytes = Vec::new();
                let form = options.form;
                SegmentHead { form, ..head }.put(&mut bytes);
                CopiedPart::Head(bytes)
            }
            PartToCopy::Block(mut block) => {
                let copied = block.copy(options, wants.as_ref(), planned);
                CopiedPart::Block(block.head, copied)
            }
            PartToCopy::Tail(tail, record) => CopiedPart::Tail(tail, record),
        },
        |part| copy.take(part),
    )?;
    let segments = copy.segments;
    if let Some(offset) = reader.unfinished() {
        hooks.unfinished(offset, reader.pass_unfinished()?);
    }
    Ok(segments)
}

impl BlockToCopy {
    fn copy(
        &mut self,
        options: &PackOptions,
        wants: Option<&Wants>,
        planned: Option<Planned>,
    ) -> Result<CopiedBlock, Error> {
        let (_, at, before) = self.place;
        let primer = self.slot.begin(planned);
        let records = records(&self.head, &self.stored, self.primer.as_deref())
            .map_err(|d| damage(d, &self.head, at, before))?;
        let indexed = wants
            .map(|wants| indexed_block(&self.head, &records, self.place, wants))
            .transpose()?;
        if self.same {
            let bytes = [self.record.as_slice(), &self.stored].concat();
            return Ok(CopiedBlock { bytes, indexed });
        }
        let forms: &[BlockForm] = match options.form {
            SegmentForm::Plain => &[BlockForm::Plain],
            SegmentForm::Small => &[BlockForm::Coded, BlockForm::Uncoded],
        };
        let mut head = BlockHead::clone(&self.head);
        let mut bytes = Vec::new();
        for &form in forms {
            bytes.clear();
            let begun = put_block(&mut bytes, &mut head, &records, form, primer.priming());
            let is_right = || {
                let again = take_block(&mut bytes.as_slice(), primer.used());
                again.is_some_and(|(_, again)| again == records)
            };
            if !options.verify || is_right() {
                primer.done(begun);
                return Ok(CopiedBlock { bytes, indexed });
            }
        }
        Err(Error::Verify(self.head.number))
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
