//! The small form of a block: its records coded, in streams by kind (spec/small.md).

mod ppmd;
pub(crate) mod stored;
pub(crate) mod stream;

use std::ops::Range;

use crate::block::decode::block::Damage;
use crate::block::head::BlockHead;
use crate::block::small::stream::CodedStream;

/// The stream with all records, by PPMd.
const RECORDS: u8 = b'R';

/// Codes the records of a block; returns the streams and their bytes. `None`: the block is stored
/// plain, since coding would not be smaller.
pub(crate) fn encode(_: &BlockHead, records: &[u8]) -> Option<(Vec<CodedStream>, Vec<u8>)> {
    let bytes = ppmd::encode(records)?;
    let stream = CodedStream {
        kind: RECORDS,
        len: u32::try_from(bytes.len()).ok()?,
        crc: crc32fast::hash(&bytes),
    };
    Some((vec![stream], bytes))
}

/// Decodes the records of a coded block, exactly as many bytes as its head says. `stored` are the
/// bytes behind the head, as many as the streams have.
pub(crate) fn decode(head: &BlockHead, stored: &[u8]) -> Result<Vec<u8>, Damage> {
    let [CodedStream { kind: RECORDS, .. }] = head.streams() else {
        return Err(Damage::of_block("has streams that no block has".to_owned()));
    };
    ppmd::decode(stored, head.records)
        .map_err(|what| Damage::of_block(format!("stream R cannot be decoded: {what}")))
}

/// Decodes at least the records of these games (from 0 in the block), from the beginning of a unit
/// on; also returns the number of the first game that begins there. If the last of these games is
/// kept as text, all its pieces must be there, and the beginning of the unit behind them, if there
/// is one. `None`: only all records together can be decoded.
pub(crate) fn decode_games(
    _: &BlockHead,
    _: &[u8],
    _: Range<u64>,
) -> Result<Option<(Vec<u8>, u64)>, Damage> {
    Ok(None)
}
