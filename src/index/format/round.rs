//! The order of rounds (spec/index.md section 5).

use std::cmp::Ordering;

/// The class of a round: `?`, `-`, values that begin with a digit, others.
fn class(round: &[u8]) -> u8 {
    match round {
        b"?" => 0,
        b"-" => 1,
        [b'0'..=b'9', ..] => 2,
        _ => 3,
    }
}

/// The integers at the beginning, separated by single full stops, as digits without leading zeros.
fn integers(round: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(round);
    std::iter::from_fn(move || {
        let text = rest?;
        let (digits, behind) =
            text.split_at(text.iter().take_while(|b| b.is_ascii_digit()).count());
        rest = behind.strip_prefix(b".");
        let zeros = digits.iter().take_while(|&&b| b == b'0').count();
        (!digits.is_empty()).then(|| &digits[zeros..])
    })
}

/// The text after these integers.
fn behind_integers(round: &[u8]) -> &[u8] {
    let mut rest = round;
    loop {
        rest = &rest[rest.iter().take_while(|b| b.is_ascii_digit()).count()..];
        match rest {
            [b'.', b'0'..=b'9', ..] => rest = &rest[1..],
            _ => return rest,
        }
    }
}

/// Compares rounds in the collating order, where `01` equals `1` (PGN 1994 12).
pub fn collate_rounds(a: &[u8], b: &[u8]) -> Ordering {
    // The number with more digits is larger.
    let by_integers = || {
        integers(a)
            .map(|d| (d.len(), d))
            .cmp(integers(b).map(|d| (d.len(), d)))
    };
    class(a).cmp(&class(b)).then_with(|| match class(a) {
        2 => by_integers().then_with(|| behind_integers(a).cmp(behind_integers(b))),
        _ => a.cmp(b),
    })
}

/// Compares rounds as a table sorts them, where no two are equal.
pub(crate) fn compare_rounds(a: &[u8], b: &[u8]) -> Ordering {
    collate_rounds(a, b).then(a.cmp(b))
}

/// Tells which values of a table of rounds are equal in the collating order.
#[derive(Debug, Default)]
pub struct EqualRounds {
    last: Vec<u8>,
    ranks: Vec<u32>,
}

impl EqualRounds {
    /// Adds the next value of the table.
    pub(crate) fn push(&mut self, value: &[u8]) {
        let is_new = self.ranks.is_empty() || collate_rounds(&self.last, value).is_ne();
        let before = self.ranks.last().copied().unwrap_or(0);
        self.ranks.push(before + u32::from(is_new));
        self.last.clear();
        self.last.extend_from_slice(value);
    }

    /// The rank of a position in the table: equal for equal values, and ascending.
    pub fn rank(&self, place: u32) -> u32 {
        self.ranks.get(place as usize).copied().unwrap_or(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal_of<S: AsRef<str>>(values: &[S]) -> EqualRounds {
        let mut equal = EqualRounds::default();
        values
            .iter()
            .for_each(|value| equal.push(value.as_ref().as_bytes()));
        equal
    }

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
        let equal = equal_of(&sorted);
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(
                    compare_rounds(a.as_bytes(), b.as_bytes()),
                    i.cmp(&j),
                    "{a} {b}"
                );
                let as_key = equal.ranks[i].cmp(&equal.ranks[j]);
                assert_eq!(
                    collate_rounds(a.as_bytes(), b.as_bytes()),
                    as_key,
                    "{a} {b}"
                );
            }
        }
    }

    #[test]
    fn rounds_with_zeros_before_their_digits_are_equal() {
        let are_equal = |a: &str, b: &str| collate_rounds(a.as_bytes(), b.as_bytes()).is_eq();
        for (a, b) in [
            ("1", "01"),
            ("0", "00"),
            ("3.1", "03.01"),
            ("1 (2)", "001 (2)"),
            ("?", "?"),
        ] {
            assert!(are_equal(a, b) && are_equal(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("1", "1."),
            ("1", "1 (2)"),
            ("1.a", "1.b"),
            ("?", "-"),
            ("", "(3)"),
            ("1", "10"),
        ] {
            assert!(!are_equal(a, b) && !are_equal(b, a), "{a} {b}");
        }
        let values: Vec<String> = (0..200)
            .flat_map(|n| [format!("0{n}"), n.to_string()])
            .collect();
        let equal = equal_of(&values);
        let ranks: Vec<u32> = (0..400).map(|place| equal.rank(place)).collect();
        assert_eq!(
            ranks,
            (0..200).flat_map(|n| [n + 1, n + 1]).collect::<Vec<u32>>()
        );
    }
}
