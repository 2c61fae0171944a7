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
pub(crate) mod primer;
pub(crate) mod stored;
pub(crate) mod stream;
#[expect(
    clippy::cast_possible_truncation,
    reason = "numbers of texts are below the length of the records, and contexts keep the low bits"
)]
mod tags;
mod texts;
mod trial;
mod values;

use std::ops::Range;

pub use crate::block::small::moves::UsualLines;

use crate::block::decode::block::Damage;
use crate::block::head::BlockHead;
use crate::block::num::take_slice;
use crate::block::small::decode::{Begin, BlockUncoder, uncode_primer};
use crate::block::small::encode::{BlockCoder, Start};
use crate::block::small::parts::{ShapeFields, come_back};
use crate::block::small::primer::{MAX_PRIMER, Primer, Priming};
use crate::block::small::stream::{CodedStream, OWN_PRIMER, PRIMER};

/// The kinds of streams, in their order behind a primer: tags, tokens, moves, numbers, texts, moves
/// in comments, layouts.
const KINDS: [u8; 7] = *b"TSMNXCL";

/// A coded block: the list of its streams, their bytes, and the primer that its first units became.
pub(crate) struct Coded {
    pub streams: Vec<CodedStream>,
    pub bytes: Vec<u8>,
    pub primer: Option<Vec<u8>>,
}

/// Codes the records of a block. `None`: the block is stored plain, since it has records that pgc
/// does not write.
pub(crate) fn encode(head: &BlockHead, records: &[u8], priming: Priming<'_>) -> Option<Coded> {
    let fields = ShapeFields::new(&head.shapes);
    if !come_back(records, &fields)? {
        return None;
    }
    let code = |start| BlockCoder::new(&head.shapes, &fields).code(records, start);
    let block = match priming {
        Priming::Empty => None,
        Priming::First { blocks } => {
            let saved = |bytes| BlockCoder::new(&head.shapes, &fields).saved(records, bytes);
            let bytes = primer_bytes(blocks, saved);
            bytes.and_then(|bytes| code(Start::First { bytes }))
        }
        Priming::Use { primer, .. } => code(Start::Primed(primer)),
    };
    let block = block.filter(|block| {
        let is_sound =
            |own: &Vec<u8>| own.len() <= MAX_PRIMER as usize && uncode_primer(own).is_some();
        block.primer.as_ref().is_none_or(is_sound)
    });
    let is_primed = block.is_some();
    let block = match block {
        Some(block) => block,
        None => code(Start::Empty)?,
    };
    let (mut streams, mut bytes) = (Vec::new(), Vec::new());
    let mut put = |kind, stream: &[u8], crc| {
        let len = u32::try_from(stream.len()).ok()?;
        streams.push(CodedStream { kind, len, crc });
        bytes.extend_from_slice(stream);
        Some(())
    };
    match priming {
        Priming::Use { primer, copy } if is_primed => {
            let stream = if copy { primer.bytes() } else { b"" };
            put(PRIMER, stream, primer.crc())?;
        }
        _ => {
            if let Some(own) = &block.primer {
                put(OWN_PRIMER, own, crc32fast::hash(own))?;
            }
        }
    }
    for (kind, stream) in KINDS.into_iter().zip(&block.streams) {
        if !stream.is_empty() {
            put(kind, stream, crc32fast::hash(stream))?;
        }
    }
    Some(Coded {
        streams,
        bytes,
        primer: block.primer,
    })
}

/// What a primer costs besides its bytes: entries in heads, and streams that end twice; and a
/// reserve, since its saving is an estimate.
const MARGIN: u64 = 128;

/// About the bytes that the primer of a segment of at least `blocks` blocks should have; `None` if
/// it does not pay. `saved`: what a primer of that many bytes saves of the second half of the first
/// block. A copy of the primer stands in the last block.
fn primer_bytes(blocks: u64, saved: impl FnOnce(usize) -> Option<usize>) -> Option<usize> {
    let bytes: usize = match blocks {
        0..3 => return None,
        3..16 => 1024,
        16..32 => 3 * 1024,
        _ => 6 * 1024,
    };
    let saved = saved(bytes)? as u64 * (blocks - 1);
    (saved > bytes as u64 + MARGIN).then_some(bytes)
}

/// The bytes of each kind of stream, behind those of a primer; `None` if there are streams of other
/// kinds, or in another order.
fn split<'s>(head: &BlockHead, mut stored: &'s [u8]) -> Option<[&'s [u8]; 7]> {
    let mut streams = head.streams().iter().peekable();
    let mut bytes = [&[][..]; 7];
    if let Some(primer) = streams.next_if(|stream| matches!(stream.kind, OWN_PRIMER | PRIMER)) {
        take_slice(&mut stored, primer.len.into())?;
    }
    for (to, kind) in bytes.iter_mut().zip(KINDS) {
        if let Some(stream) = streams.next_if(|stream| stream.kind == kind) {
            *to = take_slice(&mut stored, stream.len.into())?;
        }
    }
    streams.next().is_none().then_some(bytes)
}

fn decode_wanted(
    head: &BlockHead,
    stored: &[u8],
    wanted: Range<u64>,
    primer: Option<&Primer>,
) -> Result<Vec<u8>, Damage> {
    let streams = split(head, stored).ok_or_else(other_streams)?;
    let own;
    let begin = match head.streams() {
        [first, ..] if first.kind == OWN_PRIMER => {
            Begin::Own(&stored[..(first.len as usize).min(stored.len())])
        }
        [first, ..] if first.kind == PRIMER => match primer {
            Some(primer) if primer.crc() == first.crc => Begin::Primed(primer),
            _ if first.len > 0 => {
                let bytes = &stored[..(first.len as usize).min(stored.len())];
                own = Primer::new(bytes.to_vec());
                Begin::Primed(&own)
            }
            _ => {
                let what = format!("needs the primer {:08x}, which is lost", first.crc);
                return Err(Damage::of_block(what));
            }
        },
        _ => Begin::Empty,
    };
    let records = BlockUncoder::new(head, streams, wanted, begin).and_then(BlockUncoder::records);
    records.map_err(|bad| bad_stream(bad.0))
}

/// Decodes the records of a coded block, exactly as many bytes as its head says. `stored` are the
/// bytes behind the head, as many as the streams have; `primer` is the one that the block needs, if
/// it needs one.
pub(crate) fn decode(
    head: &BlockHead,
    stored: &[u8],
    primer: Option<&Primer>,
) -> Result<Vec<u8>, Damage> {
    let records = decode_wanted(head, stored, 0..head.games, primer)?;
    if records.len() as u64 != head.records {
        let what = format!("its streams give {} bytes of records", records.len());
        return Err(Damage::of_block(what));
    }
    Ok(records)
}

/// Decodes at least the records of these games (from 0 in the block), from the beginning of a unit
/// on; also returns the number of the first game that begins there. If the last of these games is
/// kept as text, all its pieces are there, and the beginning of the unit behind them, if there is
/// one.
pub(crate) fn decode_games(
    head: &BlockHead,
    stored: &[u8],
    games: Range<u64>,
    primer: Option<&Primer>,
) -> Result<(Vec<u8>, u64), Damage> {
    let first = games.start;
    Ok((decode_wanted(head, stored, games, primer)?, first))
}

/// Calls `each` with the moves of the `wanted` games of a coded block (from 0 in the block,
/// ascending), at most `most` of each. `plies`: for each game of the block that begins from the
/// usual position and has no variations, its number of plies. No game may be kept as text. `false`:
/// this does not suffice to find the moves, and `each` was not called.
pub(crate) fn each_usual_line(
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
