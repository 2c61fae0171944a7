//! Reads and writes the values in comments as they are spelled (spec/extension.md 8.2): times,
//! evaluations, decimals.
//!
//! Each has a slow and obvious path, and a fast path for nearly all values, which reads or writes
//! eight bytes at once.

use std::io::Write;

use crate::num::put_word;

/// Eight bytes of this value as one number.
const fn bytes(value: u8) -> u64 {
    u64::from_le_bytes([value; 8])
}

/// The top bit of each byte.
const TOP: u64 = bytes(0x80);

/// The eight bytes at `at` as a number, the first one lowest; `None` if there are fewer.
#[inline]
pub(crate) fn word_at(src: &[u8], at: usize) -> Option<u64> {
    let bytes = src.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

/// Digits, at most eight, without leading zeros.
fn take_digits(src: &mut &[u8]) -> Option<u64> {
    let digits = digits(src, 8)?;
    // No leading zeros: 0 is spelled in one way.
    if digits.len() > 1 && digits[0] == b'0' {
        return None;
    }
    *src = &src[digits.len()..];
    Some(digits.iter().fold(0, with_digit))
}

/// The digits that a text begins with; `None` unless they are one to `most`.
fn digits(src: &[u8], most: usize) -> Option<&[u8]> {
    let n = src.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (1..=most).contains(&n).then(|| &src[..n])
}

/// The number with one more digit.
fn with_digit(number: u64, digit: &u8) -> u64 {
    number * 10 + u64::from(digit - b'0')
}

/// `H:MM:SS` or `H:MM:SS.T`, in tenths, and whether the tenth is there.
#[inline(always)]
pub(crate) fn take_time(src: &mut &[u8]) -> Option<(u64, bool)> {
    let whole = match word_at(src, 0).and_then(quick_time) {
        Some(seconds) => {
            *src = &src[7..];
            seconds * 10
        }
        None => take_whole_time(src)? * 10,
    };
    match **src {
        [b'.', t @ b'1'..=b'9', ..] => {
            *src = &src[2..];
            Some((whole + u64::from(t - b'0'), true))
        }
        _ => Some((whole, false)),
    }
}

/// `H:MM:SS` in seconds.
#[inline(never)]
fn take_whole_time(src: &mut &[u8]) -> Option<u64> {
    let hours = take_digits(src)?;
    let [
        b':',
        a @ b'0'..=b'5',
        b @ b'0'..=b'9',
        b':',
        c @ b'0'..=b'5',
        d @ b'0'..=b'9',
        rest @ ..,
    ] = *src
    else {
        return None;
    };
    let sixty = |tens: &u8, ones: &u8| u64::from(tens - b'0') * 10 + u64::from(ones - b'0');
    *src = rest;
    Some(hours * 3600 + sixty(a, b) * 60 + sixty(c, d))
}

/// `0:00:00` as a word.
const NO_TIME: u64 = u64::from_le_bytes(*b"0:00:00\0");

/// `H:MM:SS` with one digit of hours at the beginning of the word, in seconds.
#[inline(always)]
pub(crate) fn quick_time(word: u64) -> Option<u64> {
    // Adding this sets the top bit of every byte that is greater than its place allows. The last
    // byte may be anything.
    const ROOM: u64 = u64::from_le_bytes([0x76, 0x7f, 0x7a, 0x76, 0x7f, 0x7a, 0x76, 0]);
    let digits = (word ^ NO_TIME) & (u64::MAX >> 8);
    if ((digits + ROOM) | digits) & TOP != 0 {
        return None;
    }
    // Tens and ones together, in the bytes of the tens. The hour has no ones: it becomes ten times
    // as large.
    let pairs = digits * 10 + (digits >> 8);
    Some((pairs & 0xff) * 360 + (pairs >> 16 & 0xff) * 60 + (pairs >> 40 & 0xff))
}

/// Digits, a period and one to `places` decimals, the last of them not 0 if there are several; in
/// units of the last possible place.
pub(crate) fn take_decimal(src: &mut &[u8], places: usize) -> Option<u64> {
    let whole = take_digits(src)?;
    let rest = src.strip_prefix(b".")?;
    let decimals = digits(rest, places)?;
    if decimals.len() > 1 && decimals.ends_with(b"0") {
        return None;
    }
    *src = &rest[decimals.len()..];
    let number = decimals.iter().fold(whole, with_digit);
    Some((decimals.len()..places).fold(number, |number, _| number * 10))
}

/// An evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eval {
    /// Hundredths of a pawn.
    Pawns(i64),
    /// Moves to mate.
    Mate(i64),
}

/// `0.35`, `-1.2`, `#-3`.
#[inline(always)]
pub(crate) fn take_eval(src: &mut &[u8]) -> Option<Eval> {
    match word_at(src, 0).and_then(quick_pawns) {
        Some((pawns, len)) => {
            *src = &src[len..];
            Some(Eval::Pawns(pawns))
        }
        None => take_any_eval(src),
    }
}

#[inline(never)]
fn take_any_eval(src: &mut &[u8]) -> Option<Eval> {
    let has = |src: &mut &[u8], sign: &[u8]| {
        let rest = src.strip_prefix(sign);
        *src = rest.unwrap_or(src);
        rest.is_some()
    };
    let (is_mate, is_negative) = (has(src, b"#"), has(src, b"-"));
    let number = match is_mate {
        true => take_digits(src)?.cast_signed(),
        false => take_decimal(src, 2)?.cast_signed(),
    };
    if is_negative && number == 0 {
        return None;
    }
    let number = if is_negative { -number } else { number };
    let eval = if is_mate { Eval::Mate } else { Eval::Pawns };
    Some(eval(number))
}

/// Hundredths of a pawn, spelled with one digit or two before the period and closed by a bracket,
/// and how many bytes spell them.
#[inline(always)]
pub(crate) fn quick_pawns(word: u64) -> Option<(i64, usize)> {
    const FORM: u64 = u64::from_le_bytes(*b"0.00]\0\0\0");
    // As in `quick_time`.
    const ROOM: u64 = u64::from_le_bytes([0x76, 0x7f, 0x76, 0x76, 0x7f, 0, 0, 0]);
    let is_negative = word & 0xff == u64::from(b'-');
    let mut word = word >> (8 * u32::from(is_negative));
    let (mut tens, mut len) = (0, 5 + usize::from(is_negative));
    if word >> 8 & 0xff != u64::from(b'.') {
        tens = (word & 0xff).wrapping_sub(u64::from(b'0'));
        (word, len) = (word >> 8, len + 1);
        if !(1..=9).contains(&tens) {
            return None;
        }
    }
    // One decimal and the bracket, or two: the second is not 0.
    let form = word ^ FORM;
    let second = form >> 24 & 0xff;
    let has_one = second == u64::from(b']' ^ b'0');
    let digits = form & if has_one { 0x00ff_ffff } else { 0xff_ffff_ffff };
    let pawns =
        tens * 1000 + (digits & 0xff) * 100 + (digits >> 16 & 0xff) * 10 + (digits >> 24 & 0xff);
    let has_other = ((digits + ROOM) | digits) & TOP != 0;
    if has_other | (second == 0) | (is_negative & (pawns == 0)) {
        return None;
    }
    let pawns = pawns.cast_signed();
    let pawns = if is_negative { -pawns } else { pawns };
    Some((pawns, len - 1 - usize::from(has_one)))
}

/// Two digits of each number below 100, the first one lowest.
const TWO: [u16; 100] = {
    let (mut two, mut i) = ([0; 100], 0);
    while i < 100 {
        two[i as usize] = u16::from_le_bytes([b'0' + i / 10, b'0' + i % 10]);
        i += 1;
    }
    two
};

/// The last two digits of a number.
#[inline]
fn two(number: u64) -> u64 {
    u64::from(TWO[(number % 100) as usize])
}

/// Appends the digits of a number, at least one.
pub(crate) fn put_digits(out: &mut Vec<u8>, number: u64) {
    // Writing to a `Vec` cannot fail.
    let _ = write!(out, "{number}");
}

/// Appends a time of `tenths` tenths of a second.
#[inline(always)]
pub(crate) fn put_time(out: &mut Vec<u8>, tenths: u64) {
    let seconds = tenths / 10;
    if seconds >= TEN_HOURS {
        put_digits(out, seconds / TEN_HOURS);
    }
    put_word(out, time_word(seconds % TEN_HOURS), TIME_LEN);
    if !tenths.is_multiple_of(10) {
        put_word(out, u64::from(b'.') | two(tenths) & 0xff00, 2);
    }
}

/// The number of seconds from which on the hours have two digits.
pub(crate) const TEN_HOURS: u64 = 36_000;

/// The length of `H:MM:SS`.
pub(crate) const TIME_LEN: usize = 7;

/// Less than ten hours, spelled as `H:MM:SS`, as a word.
#[inline(always)]
pub(crate) fn time_word(seconds: u64) -> u64 {
    let (minutes, second) = (seconds / 60, seconds % 60);
    let (hour, minute) = (minutes / 60, minutes % 60);
    (NO_TIME & 0x0000_00ff_0000_ff00)
        | (u64::from(b'0') + hour)
        | two(minute) << 16
        | two(second) << 40
}

/// Appends a number of hundredths, with two decimals, or one if the second would be 0.
#[inline]
pub(crate) fn put_hundredths(out: &mut Vec<u8>, number: u64) {
    if number >= 1000 {
        put_digits(out, number / 1000);
    }
    let (word, len) = hundredths_word(number % 1000);
    put_word(out, word, len);
}

/// A number of hundredths below 1000, spelled as [`put_hundredths`] does, and its length.
#[inline(always)]
pub(crate) fn hundredths_word(number: u64) -> (u64, usize) {
    let (whole, rest) = (u64::from(b'0') + number / 100, two(number));
    let word = whole | u64::from(b'.') << 8 | rest << 16;
    (word, 4 - usize::from(rest >> 8 == u64::from(b'0')))
}

/// Appends a number of thousandths, with one to three decimals; only the first of them may be a 0
/// at the end.
pub(crate) fn put_thousandths(out: &mut Vec<u8>, number: u64) {
    put_hundredths(out, number / 10);
    match number % 100 {
        // The hundredths may end in a 0 that was left out.
        rest @ 1..=9 => put_word(out, two(rest), 2),
        rest if rest % 10 > 0 => put_word(out, two(rest) >> 8, 1),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that are values, or nearly look like them.
    fn words() -> impl Iterator<Item = Vec<u8>> {
        let mut state = 1_u64;
        let mut next = move |n: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % n
        };
        let values: [&[u8]; 8] = [
            b"0.17]",
            b"-12.3] ",
            b"-0.0]",
            b"123.45]",
            b"#-12] ",
            b"0:01:59]",
            b"1:60:07.5",
            b"9999.99]",
        ];
        (0..200_000).map(move |_| {
            let mut word = values[next(values.len())].to_vec();
            for _ in 0..next(4) {
                let at = next(word.len());
                word[at] = b"0123456789.-#]:/;\x80\xff "[next(20)];
            }
            word.extend_from_slice(&b"} 1... e5"[next(9)..]);
            word
        })
    }

    #[test]
    fn the_quick_way_reads_what_the_slow_one_does() {
        let mut read = [0; 2];
        for word in words() {
            let (mut quick, mut slow) = (word.as_slice(), word.as_slice());
            let (eval, expected) = (take_eval(&mut quick), take_any_eval(&mut slow));
            assert_eq!(eval, expected, "{word:?}");
            assert!(eval.is_none() || quick == slow, "{word:?}");
            read[0] += usize::from(eval.is_some());
            let mut slow = word.as_slice();
            let (time, expected) = (
                word_at(&word, 0).and_then(quick_time),
                take_whole_time(&mut slow),
            );
            if let Some(time) = time {
                assert_eq!((Some(time), &word[7..]), (expected, slow), "{word:?}");
                read[1] += 1;
            }
        }
        assert!(read[0] > 40_000 && read[1] > 10_000, "{read:?}");
    }

    #[test]
    fn numbers_are_printed_as_they_are_read() {
        let printed = |put: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            put(&mut out);
            out
        };
        for n in (0..20_000).chain([99_999, 100_000, 12_345_678, 1 << 40]) {
            let text = printed(&|out| put_hundredths(out, n));
            assert!(
                n > 999_999 || take_decimal(&mut text.as_slice(), 2) == Some(n),
                "{n}"
            );
            let float = format!(
                "{}",
                f64::from(u32::try_from(n % 1_000_000).unwrap()) / 1000.0
            );
            let float = if float.contains('.') {
                float
            } else {
                float + ".0"
            };
            assert_eq!(
                printed(&|out| put_thousandths(out, n % 1_000_000)),
                float.as_bytes()
            );
            let time = printed(&|out| put_time(out, n));
            assert!(
                n > 1 << 30 || take_time(&mut time.as_slice()) == Some((n, !n.is_multiple_of(10))),
                "{n}"
            );
        }
    }
}
