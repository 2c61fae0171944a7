//! The order of rounds (spec/index.md section 5).

use std::cmp::Ordering;

/// `?`, `-`, values that begin with a digit, others.
fn class(round: &[u8]) -> u8 {
    match round {
        b"?" => 0,
        b"-" => 1,
        [b'0'..=b'9', ..] => 2,
        _ => 3,
    }
}

/// The integers that stand at the beginning with single full stops between them, as digits without zeros before them.
fn integers(round: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(round);
    std::iter::from_fn(move || {
        let text = rest?;
        let (digits, behind) = text.split_at(text.iter().take_while(|b| b.is_ascii_digit()).count());
        rest = behind.strip_prefix(b".");
        let zeros = digits.iter().take_while(|&&b| b == b'0').count();
        (!digits.is_empty()).then(|| &digits[zeros..])
    })
}

/// Compares rounds as they are sorted.
pub(crate) fn compare_rounds(a: &[u8], b: &[u8]) -> Ordering {
    // Of two numbers the one with more digits is larger.
    let by_integers = || integers(a).map(|d| (d.len(), d)).cmp(integers(b).map(|d| (d.len(), d)));
    class(a).cmp(&class(b)).then_with(|| if class(a) == 2 { by_integers() } else { Ordering::Equal }).then(a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_sorted() {
        let sorted = [
            "?",
            "-",
            "0",
            "00",
            "0.1",
            "01",
            "1",
            "1 (2)",
            "1.",
            "1.a",
            "1.1",
            "1.1.9",
            "1.01.10",
            "1.2",
            "2",
            "3",
            "3-1",
            "3.9",
            "3.10",
            "10",
            "99999999999999999999",
            "100000000000000000000",
            "",
            "(3)",
            "?1",
            "Final",
            "\u{e9}",
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(compare_rounds(a.as_bytes(), b.as_bytes()), i.cmp(&j), "{a} {b}");
            }
        }
    }
}
