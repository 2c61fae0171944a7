//! The splitter: units make up the input without gaps, and do not depend on how it was read.

use pgc_pgn::split::{MAX_UNIT, Splitter, UnitKind};

use crate::support::assert_holds;
use crate::support::gen_pgn::{document, mutate};
use crate::support::random::Random;

/// Kind, beginning, end and line start of each unit, in places of the whole input.
type Units = Vec<(UnitKind, usize, usize, bool)>;

/// Splits as `pack` does: more is read when the splitter asks for it, and behind `block` bytes of
/// units the buffer is cut.
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

fn check(text: &[u8], seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let whole = split(text, usize::MAX, || text.len());
    let mut at = 0;
    let mut before = None;
    for &(kind, start, end, line_start) in &whole {
        if start != at || end <= start {
            return Err(format!(
                "a unit from {start} to {end} follows one that ends at {at}"
            ));
        }
        if line_start != (start == 0 || matches!(text[start - 1], b'\n' | b'\r')) {
            return Err(format!("line start of the unit at {start}"));
        }
        let continues = matches!(kind, UnitKind::Stray(true) | UnitKind::Piece(true));
        if continues && end - start < MAX_UNIT && before.is_none_or(|n| n < MAX_UNIT) {
            return Err(format!("the unit at {start} continues a short one"));
        }
        before = Some(end - start);
        at = end;
    }
    if at != text.len() {
        return Err(format!("the units end at {at}"));
    }
    for (sizes, block) in [(1, usize::MAX), (2, 1), (7, 50), (100, 1000), (5000, 1)] {
        let fixed = split(text, block, || sizes);
        // Up to one byte more or less than one is one.
        let varied = (sizes > 1).then(|| split(text, block, || random.below(2 * sizes)));
        if fixed != whole || varied.as_ref().is_some_and(|varied| *varied != whole) {
            return Err(format!(
                "reads of {sizes} bytes, blocks of {block}: {fixed:?} or {varied:?}, not {whole:?}"
            ));
        }
    }
    Ok(())
}

#[test]
fn documents() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let games = 1 + random.below(6);
        let mut text = document(&mut random, games);
        assert_holds(&format!("seed {seed}"), &text, &|text| check(text, seed));
        for _ in 0..3 {
            mutate(&mut random, &mut text);
            assert_holds(&format!("seed {seed}"), &text, &|text| check(text, seed));
        }
    }
}

#[test]
fn noise() {
    let signs = b"[]{}()\"%;*-/10. \n\r\\AaeN42\x0b\x00\xef\xbb\xbf";
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let len = random.below(600);
        let text: Vec<u8> = (0..len).map(|_| random.pick(signs)).collect();
        assert_holds(&format!("signs of seed {seed}"), &text, &|text| {
            check(text, seed)
        });
        let text = random.bytes(len);
        assert_holds(&format!("noise of seed {seed}"), &text, &|text| {
            check(text, seed)
        });
    }
}

/// Where a long unit is cut does not depend on what was read with it.
#[test]
fn at_the_limit() {
    let ends: [&[u8]; 9] = [
        b"",
        b" *\n1. d4 *",
        b"1-0\n",
        b"1/2-1/2",
        b"}\r\n[A \"b\"]*",
        b"\n\n[A \"b\"]\n[B \"c\"]\n[C \"d\"]\n",
        b"[A \"b\"] *",
        b"\r\n",
        b"\n%x\n*",
    ];
    let begins = [
        ("1. e4 ", b'.'),
        ("1. e4 {", b'x'),
        ("1. e4 (", b' '),
        ("words", b' '),
        ("%", b'x'),
        ("", b'\n'),
    ];
    for (nr, (begin, fill)) in begins.into_iter().enumerate() {
        let mut text = begin.as_bytes().to_vec();
        text.resize(MAX_UNIT, fill);
        for (number, end) in ends.into_iter().enumerate() {
            // Each beginning and each end stands at every place.
            for short in [[0, 2], [1, 5]][(nr + number) % 2] {
                text.truncate(MAX_UNIT - 5);
                text.resize(MAX_UNIT - short, fill);
                text.extend_from_slice(end);
                let whole = split(&text, usize::MAX, || usize::MAX / 2);
                // The first reads stop short of the limit: what matters happens there.
                let mut first = true;
                let slow = split(&text, 1 << 18, || {
                    if std::mem::take(&mut first) {
                        MAX_UNIT - 40
                    } else {
                        1
                    }
                });
                assert_eq!(
                    whole,
                    slow,
                    "{begin:?} {fill} {:?} {short}",
                    end.escape_ascii().to_string()
                );
                assert_eq!(whole.last().unwrap().2, text.len());
            }
        }
    }
}
