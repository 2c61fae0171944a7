//! The walk over the parts of an archive that works on its blocks in parallel.

use std::io::Read;

use crate::pipeline::{Spare, ordered};
use crate::run::Error;
use crate::stream::reader::{ArchiveReader, Part};
use pgc_block::head::BlockHead;

/// The place of a part.
pub(crate) struct PartPlace {
    /// The offsets of its record and of the byte behind it.
    pub begin: u64,
    pub end: u64,
    /// The record of the part; empty if that is lost.
    pub record: Vec<u8>,
    /// The number of games before it, those included that are known to be missing.
    pub games: u64,
}

/// Reads an archive, runs `work` on its blocks (head, stored bytes and their offset) in parallel,
/// and passes all parts to `take` in their order. The next block is read into the buffer that `work`
/// leaves.
pub(crate) fn walk_parts<R: Read, B: Send>(
    reader: &mut ArchiveReader<R>,
    threads: usize,
    work: impl Fn(&mut BlockHead, &mut Vec<u8>, u64, &PartPlace) -> B + Sync,
    mut take: impl FnMut(Part<B>, PartPlace) -> Result<(), Error>,
) -> Result<(), Error> {
    let spare = Spare::default();
    let next = || {
        reader.recycle(spare.take());
        let part = reader.next_part();
        let part = part.map_err(|error| error.after_game(reader.games()))?;
        Ok(part.map(|part| {
            // The reader has counted the games of a block.
            let (own, cost) = match &part {
                Part::Block(head, ..) => (head.games, head.cost()),
                _ => (0, 0),
            };
            let place = PartPlace {
                begin: reader.begin(),
                end: reader.offset(),
                record: reader.record().to_vec(),
                games: reader.games().saturating_sub(own),
            };
            (cost, (part, place))
        }))
    };
    let worked = |(part, place): (Part<Vec<u8>>, PartPlace)| {
        let part = match part {
            Part::Block(mut head, mut stored, at) => {
                let done = work(&mut head, &mut stored, at, &place);
                spare.give(stored);
                Part::Block(head, done, at)
            }
            Part::Head(head) => Part::Head(head),
            Part::Tail(tail) => Part::Tail(tail),
            Part::Gap(gap) => Part::Gap(gap),
            Part::Gaps(gaps) => Part::Gaps(gaps),
            Part::NoTail => Part::NoTail,
        };
        (part, place)
    };
    ordered(threads, next, worked, |(part, place)| take(part, place))
}
