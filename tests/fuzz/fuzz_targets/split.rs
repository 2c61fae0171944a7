//! Units make up the input, and do not depend on the sizes in which it is read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pgc_pgn::split::{Splitter, UnitKind};

type Units = Vec<(UnitKind, usize, usize, bool)>;

fn split(text: &[u8], block: usize, mut read: impl FnMut() -> usize) -> Units {
    let mut splitter = Splitter::in_letters(None);
    let mut units = Units::new();
    let (mut begin, mut have) = (0, 0);
    loop {
        let eof = have == text.len();
        while let Some(unit) = splitter.next_unit(&text[begin..have], eof) {
            units.push((
                unit.kind,
                begin + unit.start,
                begin + unit.end,
                unit.line_start,
            ));
            if unit.end >= block {
                splitter.drained(unit.end, text[begin + unit.end - 1]);
                begin += unit.end;
            }
        }
        if eof {
            return units;
        }
        have = (have + read().max(1)).min(text.len());
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&size, text)) = data.split_first() else {
        return;
    };
    let whole = split(text, usize::MAX, || text.len());
    let mut at = 0;
    for &(_, start, end, _) in &whole {
        assert!(start == at && end > start);
        at = end;
    }
    assert!(at == text.len());
    let mut sizes = text.iter().map(|&b| usize::from(b & 7)).cycle();
    assert!(split(text, usize::from(size), || sizes.next().unwrap_or(1)) == whole);
    assert!(split(text, 1, || usize::from(size)) == whole);
});
