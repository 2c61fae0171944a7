//! Copies the segments of an archive into another one, in the form that this one has.

use std::io::{self, Read, Write};

use crate::games::facts::{IndexedBlock, Wants};
use crate::games::walk::damage;
use crate::indexing::{Indexing, indexed_block};
use crate::part_walk::{PartPlace, walk_parts};
use crate::run::{Error, Hooks, PackOptions, SegmentForm, Summary};
use crate::storing::{has_form, store};
use crate::stream::head::SegmentHead;
use crate::stream::reader::{ArchiveReader, Part};
use pgc_block::head::BlockHead;
use pgc_block::small::stored::{records, take_block};

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
    let wants = indexing.as_deref().map(|indexing| indexing.wants);
    let mut copy = CopyRun {
        out,
        hooks: &mut *hooks,
        form: options.form,
        indexing,
        sum: Summary::default(),
        segments: Vec::new(),
    };
    walk_parts(
        &mut reader,
        options.threads,
        |head, stored, at, place| copied(head, stored, (at, place), options, wants.as_ref()),
        |part, place| copy.take(part, &place.record),
    )?;
    let segments = copy.segments;
    reader.finish(hooks)?;
    Ok(segments)
}

fn copied(
    head: &BlockHead,
    stored: &[u8],
    (at, place): (u64, &PartPlace),
    options: &PackOptions,
    wants: Option<&Wants>,
) -> Result<CopiedBlock, Error> {
    let records = records(head, stored).map_err(|d| damage(d, head, at, place.games))?;
    let place_of = (place.begin, at, place.games);
    let indexed = wants.map(|wants| indexed_block(head, &records, place_of, wants));
    let indexed = indexed.transpose()?;
    if has_form(head, options.form) {
        let bytes = [&place.record, stored].concat();
        return Ok(CopiedBlock { bytes, indexed });
    }
    let (mut bytes, mut new) = (Vec::new(), head.clone());
    let is_right = store(&mut bytes, &mut new, &records, options.form, |mut bytes| {
        !options.verify || take_block(&mut bytes).is_some_and(|(_, again)| again == records)
    });
    match is_right {
        true => Ok(CopiedBlock { bytes, indexed }),
        false => Err(Error::Verify(head.number)),
    }
}

/// The writing side.
struct CopyRun<'a, 'i> {
    out: &'a mut dyn Write,
    hooks: &'a mut dyn Hooks,
    form: SegmentForm,
    indexing: Option<&'a mut Indexing<'i>>,
    /// The sums over the blocks of the segment.
    sum: Summary,
    segments: Vec<Summary>,
}

impl CopyRun<'_, '_> {
    fn take(&mut self, part: Part<Result<CopiedBlock, Error>>, record: &[u8]) -> Result<(), Error> {
        match part {
            Part::Head(head) => {
                let (mut bytes, form) = (Vec::new(), self.form);
                SegmentHead { form, ..head }.put(&mut bytes);
                self.out.write_all(&bytes)?;
                if let Some(indexing) = &mut self.indexing {
                    indexing.begin(&bytes);
                }
                self.sum = Summary {
                    bytes_out: bytes.len() as u64,
                    ..Summary::default()
                };
            }
            Part::Block(head, copied, _) => {
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
            Part::Tail(tail) => {
                let sum = &mut self.sum;
                self.out.write_all(record)?;
                if let Some(indexing) = &mut self.indexing {
                    indexing.end(record)?;
                }
                (sum.whole, sum.text_tail, sum.text_only) = (tail.whole, tail.tails, tail.text);
                sum.bytes_out += record.len() as u64;
                self.segments.push(std::mem::take(sum));
            }
            // The reader stops at damage.
            Part::Gap(_) | Part::Gaps(_) | Part::NoTail => {}
        }
        Ok(())
    }
}
