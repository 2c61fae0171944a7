//! Any line is EPD or refused; what was written is read again. Any bytes, packed as EPD, come back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc::{NoHooks, PackOptions, Sink, SourceText, UnpackOptions};
use pgc::{TestDepth, TestOptions, pack, test, unpack};
use pgc_pgn::epd::line::EpdLine;
use pgc_pgn::epd::list::read_positions;

#[derive(Default)]
struct Back(Vec<u8>);

impl Sink for Back {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

fuzz_target!(|data: &[u8]| {
    drop(read_positions(data));
    let options = PackOptions {
        threads: 1,
        text: Some(SourceText::Epd),
        // Nothing falls back on text.
        verify: false,
        ..PackOptions::default()
    };
    let (mut archive, mut back) = (Vec::new(), Back::default());
    pack(&mut &*data, "x", &mut archive, &options, &mut NoHooks).expect("anything can be packed");
    let unpacking = UnpackOptions {
        threads: 1,
        ..UnpackOptions::default()
    };
    unpack(&mut archive.as_slice(), &mut back, &unpacking, &mut NoHooks).expect("it unpacks");
    assert_eq!(back.0, data);
    let deep = TestOptions {
        threads: 1,
        ..TestDepth::Deep.into()
    };
    test(&mut archive.as_slice(), &deep, &mut NoHooks).expect("records and lines agree");
    let text = pgc_pgn::text::decoded(data);
    let Ok(line) = EpdLine::parse(&text) else {
        return;
    };
    drop(line.check());
    let written = line.to_string();
    let again = EpdLine::parse(&written).expect("what was written is read again");
    assert_eq!(again.to_string(), written);
    assert_eq!(again.fen(), line.fen());
});
