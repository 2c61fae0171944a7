//! The small form of a block: its records coded, in streams by kind (spec/small.md).

#[expect(clippy::cast_possible_truncation, reason = "chances are of 32 bits")]
mod bits;
mod decode;
mod dissect;
mod encode;
#[expect(clippy::cast_possible_truncation, reason = "plies are below 1,024")]
mod foretold;
#[expect(clippy::cast_possible_truncation, reason = "records are below 4 GiB")]
mod known;
mod models;
mod moves;
mod note;
#[expect(clippy::cast_possible_truncation, reason = "all are below 4,096")]
mod notes;
#[expect(clippy::cast_possible_truncation, reason = "sizes are below 64")]
mod numbers;
mod parts;
pub mod stored;
pub mod stream;
mod sums;
#[expect(clippy::cast_possible_truncation, reason = "records are below 4 GiB")]
mod tags;
mod texts;
mod values;
mod walk;

pub use crate::small::moves::UsualLines;

use crate::decode::block::Damage;
use crate::head::BlockHead;
use crate::num::take_slice;
use crate::small::decode::{BadStream, BlockUncoder};
use crate::small::encode::BlockCoder;
use crate::small::parts::ShapeFields;
use crate::small::stream::CodedStream;
use crate::small::sums::SumReader;

/// The kinds of streams, in their order: tags, tokens, moves, numbers, texts, moves in comments,
/// layouts, checksums of groups of games.
const KINDS: [u8; 8] = *b"TSMNXCLK";

/// Codes the records of a block: the list of its streams, and their bytes. `None`: the block is
/// stored plain, since it has records that pgc does not write.
pub(crate) fn encode(head: &BlockHead, records: &[u8]) -> Option<(Vec<CodedStream>, Vec<u8>)> {
    let fields = ShapeFields::new(&head.shapes);
    let block = BlockCoder::new(head, &fields).code(records)?;
    let (mut streams, mut bytes) = (Vec::new(), Vec::new());
    for (kind, stream) in KINDS.into_iter().zip(&block) {
        if !stream.is_empty() {
            let len = u32::try_from(stream.len()).ok()?;
            let crc = crc32fast::hash(stream);
            streams.push(CodedStream { kind, len, crc });
            bytes.extend_from_slice(stream);
        }
    }
    Some((streams, bytes))
}

/// The bytes of each kind of stream; `None` if there are streams of other
/// kinds, or in another order.
fn split<'s>(head: &BlockHead, mut stored: &'s [u8]) -> Option<[&'s [u8]; 8]> {
    let mut streams = head.streams().iter().peekable();
    let mut bytes = [&[][..]; 8];
    for (to, kind) in bytes.iter_mut().zip(KINDS) {
        if let Some(stream) = streams.next_if(|stream| stream.kind == kind) {
            *to = take_slice(&mut stored, stream.len.into())?;
        }
    }
    streams.next().is_none().then_some(bytes)
}

/// The readers of the streams of a block, and the checksums of its groups, if it has some. `stored`
/// are the bytes behind the head, as many as the streams have.
fn readers<'b>(head: &'b BlockHead, stored: &'b [u8]) -> Result<BlockUncoder<'b>, Damage> {
    let streams = split(head, stored).ok_or_else(other_streams)?;
    let sums = match streams[7] {
        b"" => None,
        sums => Some(SumReader::new(head, sums).ok_or(BadStream(b'K'))?),
    };
    Ok(BlockUncoder::new(head, streams, sums))
}

/// Calls `each` with the moves of the `wanted` games of a coded block (from 0 in the block,
/// ascending), of some only as far as `goes_on` says of the moves so far. `plies`: for each game of
/// the block that begins from the usual position and has no variations, its number of plies. No game
/// may be kept as text. `false`: this does not suffice to find the moves, and `each` was not called.
pub fn each_usual_line(
    head: &BlockHead,
    stored: &[u8],
    plies: &[Option<u32>],
    wanted: &[u32],
    goes_on: impl FnMut(&[u8]) -> bool,
    each: impl FnMut(&[u8]),
) -> Result<bool, Damage> {
    let wanted: Vec<usize> = wanted.iter().map(|&game| game as usize).collect();
    // What the head and the index say must agree, so that no loop is longer than the records.
    let all: u64 = plies.iter().flatten().map(|&plies| u64::from(plies)).sum();
    if all > head.plies.min(head.records) || !UsualLines::can_read(plies, &wanted) {
        return Ok(false);
    }
    let [_, _, moves, ..] = split(head, stored).ok_or_else(other_streams)?;
    let read = UsualLines::new(moves).read(plies, &wanted, goes_on, each);
    Ok(read.map(|()| true).ok_or(BadStream(b'M'))?)
}

fn other_streams() -> Damage {
    Damage::for_block("has streams that no block has")
}
