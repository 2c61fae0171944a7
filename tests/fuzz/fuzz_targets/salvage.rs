//! Salvages any bytes, and passes over whatever is damaged in them: no panic, bounded memory, time
//! that grows with the length. (Checksums are not checked here, so nothing is known of the result.)
#![no_main]

use std::io;

use libfuzzer_sys::fuzz_target;
use pgc::salvage::salvage;
use pgc::{NoHooks, SegmentForm, TestOptions, test};

fuzz_target!(|data: &[u8]| {
    for form in [SegmentForm::Plain, SegmentForm::Small] {
        drop(salvage(&mut &*data, &mut io::sink(), form, 1, &mut NoHooks));
    }
    let options = TestOptions {
        passes_damage: true,
        threads: 1,
        ..TestOptions::default()
    };
    drop(test(&mut &*data, &options, &mut NoHooks));
});
