//! Values of tag pairs that are coded as numbers: ratings, times, dates, addresses (spec/small.md
//! section 4).

/// A number as it would be printed again, of at most nine digits.
pub(super) fn number(text: &[u8]) -> Option<i64> {
    let is_plain = matches!(text, [b'0'] | [b'1'..=b'9', ..]) && text.len() <= 9;
    is_plain.then(|| digits(text))?
}

fn digits(text: &[u8]) -> Option<i64> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
    text.iter()
        .try_fold(0, |number, byte| Some(number * 10 + digit(byte)?))
}

pub(super) fn signed_number(text: &[u8]) -> Option<i64> {
    let (&sign, rest) = text.split_first()?;
    match (sign, number(rest)?) {
        (b'+', number) => Some(number),
        (b'-', number @ 1..) => Some(-number),
        _ => None,
    }
}

/// `12:34:56` in seconds.
pub(super) fn time(text: &[u8]) -> Option<i64> {
    let [a, b, b':', c, d, b':', e, f] = *text else {
        return None;
    };
    let (h, m, s) = (digits(&[a, b])?, digits(&[c, d])?, digits(&[e, f])?);
    (h < 24 && m < 60 && s < 60).then_some(h * 3600 + m * 60 + s)
}

pub(super) fn spell_time(time: i64) -> Option<Vec<u8>> {
    let (h, m, s) = (time / 3600, time / 60 % 60, time % 60);
    let is_time = (0..86_400).contains(&time);
    is_time.then(|| format!("{h:02}:{m:02}:{s:02}").into_bytes())
}

/// `1994.03.12` as a number in which each month has 31 days.
pub(super) fn date(text: &[u8]) -> Option<i64> {
    let [a, b, c, d, b'.', e, f, b'.', g, h] = *text else {
        return None;
    };
    let (year, month, day) = (digits(&[a, b, c, d])?, digits(&[e, f])?, digits(&[g, h])?);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then_some(year * 372 + (month - 1) * 31 + day - 1)
}

pub(super) fn spell_date(date: i64) -> Option<Vec<u8>> {
    let (year, month, day) = (date / 372, date / 31 % 12 + 1, date % 31 + 1);
    let is_date = (0..372 * 10_000).contains(&date);
    is_date.then(|| format!("{year:04}.{month:02}.{day:02}").into_bytes())
}

const SITE: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The number of pairs of letters.
pub(super) const SITE_PAIRS: u32 = 62 * 62;

/// A text that ends in eight letters and digits: what is before them, and they in pairs.
pub(super) fn site(text: &[u8]) -> Option<(&[u8], [u32; 4])> {
    let (head, tail) = text.split_last_chunk::<8>()?;
    let (mut pairs, mut digits) = ([0; 4], [0; 8]);
    for (digit, byte) in digits.iter_mut().zip(tail) {
        *digit = (0..).zip(SITE).find(|(_, letter)| *letter == byte)?.0;
    }
    for (pair, [a, b]) in pairs.iter_mut().zip(digits.as_chunks().0) {
        *pair = a * 62 + b;
    }
    Some((head, pairs))
}

/// The letters of a pair.
pub(super) fn site_pair(pair: u32) -> [u8; 2] {
    [pair / 62, pair % 62].map(|digit| SITE[digit as usize % 62])
}
