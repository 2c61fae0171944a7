//! Passes the blank and the number before a usual move in one comparison.

use super::MovetextReader;
use crate::game::Gap;
use crate::words::word;

/// Half moves whose numbers have at most three digits.
const PLIES: usize = 2000;

/// The number of a move with its periods, `12.` or `12...`, as a word whose highest byte is its
/// length. By twice the number of the move, plus one for Black.
static NUMBERS: [u64; PLIES] = {
    let mut words = [0; PLIES];
    let mut num = 2;
    while num < PLIES {
        let digits = [num / 200, num / 20 % 10, num / 2 % 10];
        let (mut bytes, mut len) = ([0; 8], 0);
        let mut i = 0;
        while i < digits.len() {
            if len > 0 || digits[i] > 0 {
                bytes[len] = b"0123456789"[digits[i]];
                len += 1;
            }
            i += 1;
        }
        let dots = if num % 2 == 0 { 1 } else { 3 };
        let end = len + dots;
        while len < end {
            bytes[len] = b'.';
            len += 1;
        }
        words[num] = u64::from_le_bytes(bytes) | (end as u64) << 56;
        num += 1;
    }
    words
};

impl MovetextReader<'_, '_> {
    /// Passes the blank before a move and the right move number, if one stands there. Returns what
    /// [`MovetextReader::plain_move`] says of the move behind, and the gap before it; `None`: only a
    /// closer look can tell what follows.
    #[inline(always)]
    pub(super) fn next_move(&mut self) -> Option<(usize, usize, Gap)> {
        let line = self.line.as_ref()?;
        let (blank @ (b' ' | b'\n'), rest) = self.src.get(self.at..)?.split_first()? else {
            return None;
        };
        let bytes = word(rest)?;
        let (mut skipped, mut gap) = (1, Gap::Blank);
        if rest[0].is_ascii_digit() {
            let num = line.now.num();
            let entry = *NUMBERS.get(num as usize)?;
            let len = entry >> 56;
            if len == 0 || (bytes ^ entry) << (64 - 8 * len) != 0 {
                return None;
            }
            let has_blank = bytes >> (8 * len) & 0xff == u64::from(b' ');
            gap = match (num % 2 == 0, has_blank) {
                (true, false) => Gap::Number,
                (true, true) => Gap::NumberBlank,
                (false, true) => Gap::PeriodsBlank,
                // Periods that touch a move may mean something else.
                (false, false) => return None,
            };
            skipped += len as usize + usize::from(has_blank);
        }
        if !self.src.get(self.at + skipped)?.is_ascii_alphabetic() {
            return None;
        }
        let (core, len) = self.plain_move(self.at + skipped)?;
        let gap = if *blank == b' ' {
            self.gap(gap)
        } else {
            Gap::Any
        };
        self.at += skipped;
        Some((core, len, gap))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::ParsedGames;

    /// The gaps that the reader knows, and how many it does not.
    fn known(text: &[u8]) -> (Vec<String>, usize) {
        let mut games = ParsedGames::default();
        games.read_game(text, true).expect("is short");
        let elems = games.last().expect("was read").elems;
        let (mut known, mut unknown, mut at) = (Vec::new(), 0, 0);
        for elem in elems {
            let gap = String::from_utf8_lossy(&text[at..elem.start as usize]).into_owned();
            let number = elem.num >> 1;
            let expected = match elem.gap {
                Gap::Any => None,
                Gap::Blank => Some(" ".to_owned()),
                Gap::Number => Some(format!(" {number}.")),
                Gap::NumberBlank => Some(format!(" {number}. ")),
                Gap::PeriodsBlank => Some(format!(" {number}... ")),
            };
            match expected {
                Some(expected) => {
                    assert_eq!(gap, expected);
                    known.push(gap);
                }
                None => unknown += 1,
            }
            at = elem.end as usize;
        }
        (known, unknown)
    }

    #[test]
    fn the_gaps_told_are_those_of_the_source() {
        let usual = b"1. e4 { a } 1... e5 { b } 2. Nf3 Nc6 3.Bb5 a6 { c } 4. O-O 1-0";
        let gaps = [" ", " 1... ", " ", " 2. ", " ", " 3.", " ", " "];
        assert_eq!(known(usual), (gaps.map(String::from).to_vec(), 3));
        // Blanks, numbers and signs that a reader passes over are part of the gap.
        let odd: [&[u8]; 8] = [
            b"1.  e4 1. e5 2.\nNf3",
            b"1. e4 = e5 +- 2. Nf3 $1 Nc6 ( 2... d6 3. d4 ) 3. Bb5",
            b"1.e4\ne5\n2.Nf3\n2...Nc6 3 . Bb5",
            b"1. e4 e5 2. Ke9 d5 { x } 3. d4",
            b"1. e4 (1. d4 d5) (1. Ke9 {a} 2. e4) 1... e5 {b} 2. Nf3",
            b"1. e4 e5 12. Nf3 2... Nc6 { c } { d } } 3. Bb5",
            b"[Event \"x\"] 1. e4 e5\r\n2. Nf3 \x0bNc6",
            b"e4 {a {b} c} e5 ; d\n 2. Nf3 e.p. Nc6",
        ];
        for text in odd {
            known(text);
        }
    }
}
