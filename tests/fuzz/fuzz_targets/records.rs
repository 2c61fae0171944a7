//! Exports and lists any bytes as a stream of section 20.
#![no_main]

use std::io;

use libfuzzer_sys::fuzz_target;
use pgc::foreign::export::export;
use pgc::listing::records;
use pgc::{NoHooks, UnpackOptions};
use pgc_pgn::records::RecordStream;
use pgc_pgn::records::reader::{Dialect, Records};

fuzz_target!(|data: &[u8]| {
    let Some((&flags, stream)) = data.split_first() else {
        return;
    };
    let options = UnpackOptions {
        utf8: flags & 1 != 0,
        pgn2pgc: flags & 2 != 0,
        foreign: true,
        ..UnpackOptions::default()
    };
    drop(export(
        &mut &*stream,
        &mut io::sink(),
        &options,
        &mut NoHooks,
    ));
    let dialect = if options.pgn2pgc {
        Dialect::Pgn2pgc
    } else {
        Dialect::Standard
    };
    drop(records(&mut &*stream, &mut io::sink(), false, &mut NoHooks));
    // Both readers of records must agree.
    let mut slow = RecordStream::new(stream, dialect);
    for expected in Records::new(stream, dialect) {
        match (expected, slow.next_record()) {
            (Ok(a), Ok(Some(b))) => assert!(a == b),
            (Err(_), Err(_)) => return,
            (a, b) => panic!("{a:?} and {b:?}"),
        }
    }
    assert!(matches!(slow.next_record(), Ok(None)));
});
