//! Any text is looked at, and written in export format, which a second time changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc::NoHooks;
use pgc::lint::{LintOptions, lint};

fn fixed(text: &[u8]) -> Vec<u8> {
    let options = LintOptions {
        threads: 1,
        ..LintOptions::default()
    };
    let mut out = Vec::new();
    lint(
        &mut &*text,
        &options,
        Some(&mut out),
        &mut |_, _| {},
        &mut NoHooks,
    )
    .expect("reading from memory");
    out
}

fuzz_target!(|text: &[u8]| {
    let once = fixed(text);
    assert!(fixed(&once) == once);
});
