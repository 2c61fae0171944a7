//! Packs any bytes and gets them back. Verifying changes nothing.
#![no_main]

use std::io;

use libfuzzer_sys::fuzz_target;
use pgc::pack;
use pgc::unpack;
use pgc::{NoHooks, PackOptions, SegmentForm, Sink, UnpackOptions};
use pgc_pgn::records::reader::{Dialect, Records};

#[derive(Default)]
struct Collected(Vec<u8>);

impl Sink for Collected {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

fn packed(source: &[u8], verify: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let options = PackOptions {
        verify,
        threads: 1,
        form: SegmentForm::Plain,
        ..PackOptions::default()
    };
    pack(&mut &*source, "x", &mut out, &options, &mut NoHooks).expect("everything packs");
    out
}

fuzz_target!(|source: &[u8]| {
    let archive = packed(source, false);
    let mut back = Collected::default();
    let options = UnpackOptions {
        threads: 1,
        ..UnpackOptions::default()
    };
    unpack(&mut archive.as_slice(), &mut back, &options, &mut NoHooks)
        .expect("what was packed unpacks");
    assert!(back.0 == source);
    assert!(packed(source, true) == archive);
    assert!(Records::new(&archive, Dialect::Standard).all(|record| record.is_ok()));
});
