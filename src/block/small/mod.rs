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
    Ok(read.map(|()| true).ok_or(BadStream(b'M'))?)
}

fn other_streams() -> Damage {
    Damage::of_block("has streams that no block has")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::Style;
    use pgc_pgn::records::private::{EscapeKind, put_private};
    use pgc_pgn::records::record::{Record, put_record};

    /// What comes back of a block of one game with these records, if it can be coded.
    fn again(records: &[u8]) -> Option<Vec<u8>> {
        let mut head = BlockHead {
            number: 0,
            games: 1,
            plies: 9,
            source: 1 << 17,
            records: records.len() as u64,
            style: Style::default(),
            shapes: Vec::new(),
            streams: None,
            crc: crc32fast::hash(records),
        };
        let (streams, bytes) = encode(&head, records)?;
        head.streams = Some(streams);
        Some(stored::records(&head, &bytes).unwrap().into_owned())
    }

    /// The records of a game with two moves, some records before and some behind them.
    fn game(before: &[Record<'_>], behind: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let moves = [Record::ShortMoves(&[13, 12])];
        for record in [&[Record::GameBegin], before, &moves].concat() {
            put_record(&mut out, &record).unwrap();
        }
        out.extend_from_slice(behind);
        put_record(&mut out, &Record::GameEnd).unwrap();
        out
    }

    fn escape(kind: EscapeKind, data: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        put_private(&mut out, kind, data);
        out
    }

    /// Nothing but what the coder compares keeps a block of another writer from coming back changed,
    /// and what it cannot tell from pgc's comes back as it is, whatever it means.
    #[test]
    fn only_what_comes_back_is_coded() {
        let notes = |data: &[u8]| escape(EscapeKind::Annotations, data);
        let tags = escape(EscapeKind::Tags, b"\x00\x01\x01a\x01b");
        let tag = Record::TagPair {
            name: b"A",
            value: b"b",
        };
        let long = [b'x'; 0xffff];
        for coded in [
            game(&[tag], &notes(b"\x08\x01a")),
            game(&[tag], &[tags.clone(), notes(b"\x08\x01a")].concat()),
            // A line that ends within itself, a terminator and a T that mean nothing.
            game(&[Record::Escape(b"a\nb"), tag], &[]),
            game(&[tag, Record::Escape(b"a\nb")], &[]),
            game(&[Record::Escape(b"pgcQpgcH")], &[]),
            game(&[], &notes(b"\x14\x09")),
            game(&[], &escape(EscapeKind::Tags, b"\x09\x09")),
            game(&[], &escape(EscapeKind::Tags, b"")),
        ] {
            assert_eq!(again(&coded), Some(coded));
        }
        for uncoded in [
            game(&[], &[notes(b"\x08\x01a"), tags].concat()),
            // Annotations that are cut off, behind the last element, or none.
            game(&[], &notes(b"\x08\x02a")),
            game(&[], &notes(b"\x18\x01a")),
            game(&[], &notes(b"")),
            // A longer number, and a group, than there need be.
            game(&[], &notes(b"\x0b\xff\x80\x00")),
            game(&[], &notes(b"\x08\x01a\x08\x01b")),
            game(&[Record::ShortMoves(&[13])], &[]),
            game(&[Record::Noop], &[]),
            game(&[Record::Escape(&long)], &[]),
        ] {
            assert_eq!(again(&uncoded), None);
        }
        assert!(again(&game(&[Record::Escape(&long[..1000])], &[])).is_some());
    }
}
