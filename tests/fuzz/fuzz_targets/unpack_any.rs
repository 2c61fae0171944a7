//! Reads any bytes as an archive, or as the records of a block whose head is right. That must end
//! in an error or a result, without a panic, and in bounded memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc::stream::head::{SegmentHead, SegmentTail};
use pgc::{NoHooks, TestDepth, TestOptions, UnpackOptions};
use pgc::{test, unpack};
use pgc_block::head::BlockHead;
use pgc_block::style::Style;

#[path = "../../support/nothing.rs"]
mod nothing;

use nothing::Nothing;

/// An archive with these records.
fn archive_of(records: &[u8]) -> Vec<u8> {
    let shapes = [
        b" [%eval \x02] [%clk \x01] ".as_slice(),
        b"\x06[%clk \x01]\x05",
        b"[%emt \x03][%emt \x04]",
        b"x",
    ];
    let head = BlockHead {
        number: 0,
        games: 1,
        plies: 2,
        source: 1 << 16,
        records: records.len() as u64,
        style: Style::default(),
        shapes: shapes.map(<[u8]>::to_vec).to_vec(),
        streams: None,
        crc: 0,
    };
    let mut out = Vec::new();
    SegmentHead {
        name: "x".into(),
        ..SegmentHead::default()
    }
    .put(&mut out);
    head.put(&mut out);
    out.extend_from_slice(records);
    SegmentTail {
        blocks: 1,
        games: 1,
        whole: 1,
        plies: 2,
        source: 1 << 16,
        ..SegmentTail::default()
    }
    .put(&mut out);
    out
}

fuzz_target!(|data: &[u8]| {
    let archive = match data.split_first() {
        Some((flag, records)) if flag & 1 == 1 => archive_of(records),
        _ => data.to_vec(),
    };
    let options = UnpackOptions {
        threads: 1,
        ..UnpackOptions::default()
    };
    drop(unpack(
        &mut archive.as_slice(),
        &mut Nothing,
        &options,
        &mut NoHooks,
    ));
    let quick = TestOptions {
        threads: 1,
        ..TestDepth::Quick.into()
    };
    drop(test(&mut archive.as_slice(), &quick, &mut NoHooks));
});
