//! Reads any bytes as the streams of a coded block whose head is right. That must end in an error
//! or a result, without a panic, and in bounded memory. So must reading its moves alone, as a
//! reader with an index does. (Checksums are not checked here.)
#![no_main]

use std::io;

use libfuzzer_sys::fuzz_target;
use pgc::join::convert::copy_segments;
use pgc::listing::records;
use pgc::stream::head::{SegmentHead, SegmentTail};
use pgc::{NoHooks, PackOptions, SegmentForm, UnpackOptions, unpack};
use pgc_block::head::BlockHead;
use pgc_block::small::UsualLines;
use pgc_block::small::stream::CodedStream;
use pgc_block::style::Style;

#[path = "../../support/nothing.rs"]
mod nothing;

use nothing::Nothing;

/// An archive of one block. The first bytes say how many games, plies and records its head
/// promises, and how long its first six streams are; the last one
/// has all the others.
fn archive_of(data: &[u8]) -> Option<Vec<u8>> {
    let ([games, plies, a, b, lens @ ..], mut rest) = data.split_first_chunk::<10>()?;
    let mut streams = Vec::new();
    let stored = rest;
    for (&kind, &len) in b"TSMNXC".iter().zip(lens) {
        let (stream, more) = rest.split_at(rest.len().min(usize::from(len)));
        streams.push((kind, stream.len()));
        rest = more;
    }
    streams.push((b'L', rest.len()));
    streams.retain(|&(_, len)| len > 0);
    let list = |&(kind, len): &(u8, usize)| CodedStream {
        kind,
        len: u32::try_from(len).unwrap_or(u32::MAX),
        crc: 0,
    };
    let mut out = Vec::new();
    SegmentHead {
        form: SegmentForm::Small,
        name: "x".into(),
        ..SegmentHead::default()
    }
    .put(&mut out);
    BlockHead {
        number: 0,
        games: u64::from(*games),
        plies: u64::from(*plies),
        source: 1 << 16,
        records: u64::from(u16::from_le_bytes([*a, *b])) << 4,
        style: Style::default(),
        shapes: vec![b" [%clk \x01] ".to_vec()],
        streams: Some(streams.iter().map(list).collect()),
        crc: 0,
    }
    .put(&mut out);
    out.extend_from_slice(stored);
    SegmentTail {
        blocks: 1,
        games: u64::from(*games),
        whole: u64::from(*games),
        plies: u64::from(*plies),
        source: 1 << 16,
        ..SegmentTail::default()
    }
    .put(&mut out);
    Some(out)
}

/// Reads the moves of every third of forty games as if the bytes were their runs.
fn read_moves(bytes: &[u8]) {
    let plies: Vec<Option<u32>> = bytes
        .iter()
        .take(40)
        .map(|&plies| Some(plies.into()))
        .collect();
    let wanted: Vec<usize> = (0..plies.len()).step_by(3).collect();
    if UsualLines::can_read(&plies, &wanted) {
        let each = |moves: &[u8]| assert!(moves.len() <= 255);
        let _ = UsualLines::new(bytes).read(&plies, &wanted, |moves| moves.len() < 40, each);
    }
}

fuzz_target!(|data: &[u8]| {
    read_moves(data);
    let Some(archive) = archive_of(data) else {
        return;
    };
    let unpacking = UnpackOptions {
        threads: 1,
        ..UnpackOptions::default()
    };
    drop(unpack(
        &mut archive.as_slice(),
        &mut Nothing,
        &unpacking,
        &mut NoHooks,
    ));
    drop(records(
        &mut archive.as_slice(),
        &mut io::sink(),
        false,
        &mut NoHooks,
    ));
    let packing = PackOptions {
        threads: 1,
        ..PackOptions::default()
    };
    drop(copy_segments(
        &mut archive.as_slice(),
        &mut io::sink(),
        &packing,
        &mut NoHooks,
        None,
    ));
});
