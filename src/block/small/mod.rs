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
pub(crate) mod stored;
pub(crate) mod stream;
#[expect(
    clippy::cast_possible_truncation,
    reason = "numbers of texts are below the length of the records, and contexts keep the low bits"
)]
mod tags;
mod texts;
mod trial;

use std::ops::Range;

use crate::block::decode::block::Damage;
use crate::block::head::BlockHead;
use crate::block::num::take_slice;
use crate::block::small::decode::BlockUncoder;
use crate::block::small::encode::BlockCoder;
use crate::block::small::parts::{ShapeFields, come_back};
use crate::block::small::stream::CodedStream;

/// The kinds of streams, in their order: tags, tokens, moves, numbers, texts, moves in
/// comments, layouts.
const KINDS: [u8; 7] = *b"TSMNXCL";

/// Codes the records of a block; returns the streams and their bytes. `None`: the block is stored
/// plain, since it has records that pgc does not write.
pub(crate) fn encode(head: &BlockHead, records: &[u8]) -> Option<(Vec<CodedStream>, Vec<u8>)> {
    let fields = ShapeFields::new(&head.shapes);
    if !come_back(records, &fields)? {
        return None;
    }
    let coded = BlockCoder::new(&head.shapes, &fields).code(records)?;
    let (mut streams, mut bytes) = (Vec::new(), Vec::new());
    for (kind, stream) in KINDS.into_iter().zip(&coded) {
        if !stream.is_empty() {
            streams.push(CodedStream {
                kind,
                len: u32::try_from(stream.len()).ok()?,
                crc: crc32fast::hash(stream),
            });
            bytes.extend_from_slice(stream);
        }
    }
    Some((streams, bytes))
}

/// The bytes of each kind of stream; `None` if others are there, or not in their order.
fn split<'s>(head: &BlockHead, mut stored: &'s [u8]) -> Option<[&'s [u8]; 7]> {
    let mut streams = head.streams().iter().peekable();
    let mut bytes = [&[][..]; 7];
    for (to, kind) in bytes.iter_mut().zip(KINDS) {
        if let Some(stream) = streams.next_if(|stream| stream.kind == kind) {
            *to = take_slice(&mut stored, stream.len.into())?;
        }
    }
    streams.next().is_none().then_some(bytes)
}

fn decode_wanted(head: &BlockHead, stored: &[u8], wanted: Range<u64>) -> Result<Vec<u8>, Damage> {
    let Some(streams) = split(head, stored) else {
        return Err(Damage::of_block("has streams that no block has".to_owned()));
    };
    let records = BlockUncoder::new(head, streams, wanted).records();
    records.map_err(|bad| {
        let kind = char::from(bad.0);
        Damage::of_block(format!("stream {kind} cannot be decoded"))
    })
}

/// Decodes the records of a coded block, exactly as many bytes as its head says. `stored` are the
/// bytes behind the head, as many as the streams have.
pub(crate) fn decode(head: &BlockHead, stored: &[u8]) -> Result<Vec<u8>, Damage> {
    let records = decode_wanted(head, stored, 0..head.games)?;
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
) -> Result<(Vec<u8>, u64), Damage> {
    let first = games.start;
    Ok((decode_wanted(head, stored, games)?, first))
}
