//! Passes the blank and the number before a usual move in one comparison.

use super::MovetextReader;
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
    /// [`MovetextReader::plain_move`] says of the move behind; `None`: only a closer look can tell
    /// what follows.
    #[inline(always)]
    pub(super) fn next_move(&mut self) -> Option<(usize, usize)> {
        let line = self.line.as_ref()?;
        let (b' ' | b'\n', rest) = self.src.get(self.at..)?.split_first()? else {
            return None;
        };
        let bytes = word(rest)?;
        let mut skipped = 1;
        if rest[0].is_ascii_digit() {
            let num = line.now.num();
            let entry = *NUMBERS.get(num as usize)?;
            let len = entry >> 56;
            if len == 0 || (bytes ^ entry) << (64 - 8 * len) != 0 {
                return None;
            }
            let has_blank = bytes >> (8 * len) & 0xff == u64::from(b' ');
            // Periods that touch a move of Black may mean something else.
            if !has_blank && num % 2 > 0 {
                return None;
            }
            skipped += len as usize + usize::from(has_blank);
        }
        if !self.src.get(self.at + skipped)?.is_ascii_alphabetic() {
            return None;
        }
        let found = self.plain_move(self.at + skipped)?;
        self.at += skipped;
        Some(found)
    }
}
