//! Passes the usual move number in one comparison.

use super::MovetextReader;
use crate::words::word;

/// Half moves whose numbers have at most three digits.
const PLIES: usize = 2000;

/// What stands behind the blank before a move: `12. ` or `12... ` as a word, whose highest byte is
/// its length. By twice the number of the move, plus one for Black.
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
        bytes[end] = b' ';
        words[num] = u64::from_le_bytes(bytes) | (end as u64 + 1) << 56;
        num += 1;
    }
    words
};

impl MovetextReader<'_, '_> {
    /// Passes a blank and the right move number with its periods and one more blank, if they stand
    /// here; returns whether they do.
    #[inline(always)]
    pub(super) fn is_numbered(&mut self) -> bool {
        let Some(line) = self.line.as_ref().filter(|_| self.text.is_none()) else {
            return false;
        };
        let Some((b' ', rest)) = self.src.get(self.at..).and_then(<[u8]>::split_first) else {
            return false;
        };
        let (Some(&entry), Some(word)) = (NUMBERS.get(line.now.num() as usize), word(rest)) else {
            return false;
        };
        let len = entry >> 56;
        let is_right = len > 0 && (word ^ entry) << (64 - 8 * len) == 0;
        if is_right {
            self.at += 1 + len as usize;
        }
        is_right
    }
}
