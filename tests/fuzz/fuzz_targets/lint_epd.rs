//! Any text is looked at as EPD, and written as the standard has it, which a second time changes
//! nothing; what was mended is not found again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc::lint::{LintOptions, LintSummary, lint};
use pgc::{NoHooks, SourceText};
use pgc_pgn::clause::Mend;

fn fixed(text: &[u8]) -> (Vec<u8>, LintSummary) {
    let options = LintOptions {
        threads: 1,
        text: SourceText::Epd,
        ..LintOptions::default()
    };
    let mut out = Vec::new();
    let summary = lint(
        &mut &*text,
        &options,
        Some(&mut out),
        &mut |_, _| {},
        &mut NoHooks,
    )
    .expect("reading from memory");
    (out, summary)
}

fuzz_target!(|text: &[u8]| {
    let (once, summary) = fixed(text);
    if summary.findings() == 0 {
        assert_eq!(once, text);
    }
    let (twice, again) = fixed(&once);
    assert!(twice == once);
    assert!(again.broken().all(|(rule, _)| rule.mend() == Mend::Kept));
});
