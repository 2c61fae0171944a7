//! The small form of a block: its records coded, in streams by kind (spec/small.md).

#[expect(
    clippy::cast_possible_truncation,
    reason = "chances and weights are of 32 bits, and tables small"
)]
mod bits;
mod decode;
mod dissect;
mod encode;
#[expect(
    clippy::cast_possible_truncation,
    reason = "plies and places of guesses are below 1,024"
)]
mod foretold;
#[expect(
    clippy::cast_possible_truncation,
    reason = "numbers and places of texts are below the length of the records"
)]
mod known;
mod models;
mod moves;
mod note;
#[expect(
    clippy::cast_possible_truncation,
    reason = "lengths and places are below 4,096"
)]
mod notes;
#[expect(clippy::cast_possible_truncation, reason = "sizes are below 64")]
mod numbers;
mod parts;
mod play;
mod ppmd;
pub mod stored;
pub mod stream;
mod sums;
#[expect(
    clippy::cast_possible_truncation,
    reason = "numbers of texts are below the length of the records, and contexts keep the low bits"
)]
mod tags;
mod texts;
mod trial;
mod values;

use std::ops::Range;

pub use crate::small::moves::UsualLines;

use crate::decode::block::Damage;
use crate::head::BlockHead;
use crate::num::take_slice;
use crate::small::decode::BlockUncoder;
use crate::small::encode::BlockCoder;
use crate::small::parts::{ShapeFields, come_back};
use crate::small::stream::CodedStream;
use crate::small::sums::{Groups, SumReader};

/// The kinds of streams, in their order: tags, tokens, moves, numbers, texts, moves in comments,
/// layouts, checksums of groups of games.
const KINDS: [u8; 8] = *b"TSMNXCLK";

/// A coded block: the list of its streams, and their bytes.
pub(crate) struct Coded {
    pub streams: Vec<CodedStream>,
    pub bytes: Vec<u8>,
}

/// Codes the records of a block. `None`: the block is stored plain, since it has records that pgc
/// does not write.
pub(crate) fn encode(head: &BlockHead, records: &[u8]) -> Option<Coded> {
    let fields = ShapeFields::new(&head.shapes);
    if !come_back(records, &fields)? {
        return None;
    }
    let block = BlockCoder::new(&head.shapes, &fields).code(records, Groups::of(head))?;
    let (mut streams, mut bytes) = (Vec::new(), Vec::new());
    for (kind, stream) in KINDS.into_iter().zip(&block) {
        if !stream.is_empty() {
            let len = u32::try_from(stream.len()).ok()?;
            let crc = crc32fast::hash(stream);
            streams.push(CodedStream { kind, len, crc });
            bytes.extend_from_slice(stream);
        }
    }
    Some(Coded { streams, bytes })
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

/// The readers of the streams of a block, and the checksums of its groups, if it has some.
fn readers<'b>(head: &'b BlockHead, stored: &'b [u8]) -> Result<BlockUncoder<'b>, Damage> {
    let streams = split(head, stored).ok_or_else(other_streams)?;
    let sums = match streams[7] {
        b"" => None,
        sums => Some(SumReader::new(head, sums).ok_or_else(|| bad_stream(b'K'))?),
    };
    Ok(BlockUncoder::new(head, streams, sums))
}

/// Decodes the records of a coded block, exactly as many bytes as its head says. `stored` are the
/// bytes behind the head, as many as the streams have.
pub(crate) fn decode(head: &BlockHead, stored: &[u8]) -> Result<Vec<u8>, Damage> {
    let records = readers(head, stored)?.all();
    let records = records.map_err(|bad| bad_stream(bad.0))?;
    if records.len() as u64 != head.records {
        let what = format!("its streams give {} bytes of records", records.len());
        return Err(Damage::of_block(what));
    }
    Ok(records)
}

/// Decodes at least the records of these games (from 0 in the block), from the beginning of a unit
/// on, and checks them; also returns the number of the first game that begins there. If the last of
/// these games is kept as text, all its pieces are there, and the beginning of the unit behind
/// them, if there is one. `None`: only the records of the whole block can be checked.
pub(crate) fn decode_games(
    head: &BlockHead,
    stored: &[u8],
    games: Range<u64>,
) -> Result<Option<(Vec<u8>, u64)>, Damage> {
    let some = readers(head, stored)?.some(&games).transpose();
    some.map_err(|bad| bad_stream(bad.0))
}

/// Records of the games of a coded block with their tags and nothing else; `None` if these are not
/// all in the stream of tags.
pub(crate) fn decode_tags(head: &BlockHead, stored: &[u8]) -> Result<Option<Vec<u8>>, Damage> {
    let tags = readers(head, stored)?.tags_only();
    tags.map_err(|bad| bad_stream(bad.0))
}

/// Records of at least these games of a coded block, beginning with the first of them, in which each
/// ordinal is 0.
pub(crate) fn decode_elements(
    head: &BlockHead,
    stored: &[u8],
    games: &Range<u64>,
) -> Result<Vec<u8>, Damage> {
    let records = readers(head, stored)?.elements(games);
    records.map_err(|bad| bad_stream(bad.0))
}

/// Records of at least these games of a coded block, beginning with the first of them, with tags,
/// moves and variations alone; `None` if a game is kept as text, or, with `only_notes`, the block has
/// more than comments, NAGs, layout, and `%` lines in games that is left out.
pub(crate) fn decode_moves(
    head: &BlockHead,
    stored: &[u8],
    games: &Range<u64>,
    only_notes: bool,
) -> Result<Option<Vec<u8>>, Damage> {
    let records = readers(head, stored)?.moves(games, only_notes);
    records.map_err(|bad| bad_stream(bad.0))
}

/// Calls `each` with the moves of the `wanted` games of a coded block (from 0 in the block,
/// ascending), at most `most` of each. `plies`: for each game of the block that begins from the
/// usual position and has no variations, its number of plies. No game may be kept as text. `false`:
/// this does not suffice to find the moves, and `each` was not called.
pub fn each_usual_line(
    head: &BlockHead,
    stored: &[u8],
    plies: &[Option<u32>],
    wanted: &[u32],
    most: usize,
    each: impl FnMut(&[u8]),
) -> Result<bool, Damage> {
    let wanted: Vec<usize> = wanted.iter().map(|&game| game as usize).collect();
    // What the head and the index say must agree, so that no loop is longer than the records.
    let all: u64 = plies.iter().flatten().map(|&plies| u64::from(plies)).sum();
    if all > head.plies.min(head.records) || !UsualLines::can_read(plies, &wanted) {
        return Ok(false);
    }
    let [_, _, moves, ..] = split(head, stored).ok_or_else(other_streams)?;
    let read = UsualLines::new(moves).read(plies, &wanted, most, each);
    read.map(|()| true).ok_or_else(|| bad_stream(b'M'))
}

fn other_streams() -> Damage {
    Damage::of_block("has streams that no block has".to_owned())
}

fn bad_stream(kind: u8) -> Damage {
    let kind = char::from(kind);
    Damage::of_block(format!("stream {kind} cannot be decoded"))
}
