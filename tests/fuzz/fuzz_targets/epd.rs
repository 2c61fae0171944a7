//! Any line is EPD or refused; what was written is read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc::internals::pgn::{EpdLine, read_positions};

fuzz_target!(|data: &[u8]| {
    drop(read_positions(data));
    let text = pgc::internals::pgn::decoded(data);
    let Ok(line) = EpdLine::parse(&text) else {
        return;
    };
    drop(line.check());
    let written = line.to_string();
    let again = EpdLine::parse(&written).expect("what was written is read again");
    assert_eq!(again.to_string(), written);
    assert_eq!(again.fen(), line.fen());
});
