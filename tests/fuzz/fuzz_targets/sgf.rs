//! Any bytes are a collection of SGF or refused; what was read is written, and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc::NoHooks;
use pgc::foreign::sgf::read::sgf_to_pgn;
use pgc::foreign::sgf::write::put_sgf;

fn pgn(sgf: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    sgf_to_pgn(&mut &*sgf, &mut out, &mut NoHooks).ok()?;
    Some(out)
}

fuzz_target!(|data: &[u8]| {
    let _ = put_sgf(&mut Vec::new(), data);
    if let Some(read) = pgn(data) {
        let mut written = Vec::new();
        let _ = put_sgf(&mut written, &read);
        pgn(&written).expect("what was written is read again");
    }
});
