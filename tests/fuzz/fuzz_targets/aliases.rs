//! Takes any bytes as an alias file, and matches names with what it says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc_index::{NamePattern, read_aliases};

fuzz_target!(|data: &[u8]| {
    // The first line is the question, the second a name.
    let mut lines = data.splitn(3, |&byte| byte == b'\n');
    let mut text = || String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
    let (asked, name) = (text(), text());
    let Ok(pattern) = NamePattern::person(&asked) else {
        return;
    };
    let mut patterns = [pattern];
    let before = patterns[0].matches(&name);
    let read = read_aliases(&mut lines.next().unwrap_or_default(), &mut patterns);
    // A file adds names, and takes none away.
    assert!(read.is_err() || !before || patterns[0].matches(&name));
});
