//! Values of tag pairs that are coded as numbers: ratings, times, dates, addresses (spec/small.md
//! section 4).

/// A number as it would be printed again, of at most nine digits.
pub(super) fn number(text: &[u8]) -> Option<i64> {
    let is_plain = matches!(text, [b'0'] | [b'1'..=b'9', ..]) && text.len() <= 9;
    is_plain.then(|| digits(text))?
}

fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0_i64, |number, byte| {
        byte.is_ascii_digit()
            .then(|| number * 10 + i64::from(byte - b'0'))
    })
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
    (0..86_400)
        .contains(&time)
        .then(|| format!("{h:02}:{m:02}:{s:02}").into_bytes())
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
    (0..372 * 10_000)
        .contains(&date)
        .then(|| format!("{year:04}.{month:02}.{day:02}").into_bytes())
}

/// A text that ends in a number: what is before it, and the number.
pub(super) fn counted(text: &[u8]) -> Option<(&[u8], i64)> {
    let digits = text
        .iter()
        .rev()
        .take(9)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (head, tail) = text.split_at(text.len() - digits);
    Some((head, number(tail)?))
}

const SITE: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A text that ends in eight letters and digits: what is before them, and they as a number.
pub(super) fn site(text: &[u8]) -> Option<(&[u8], u64)> {
    let (head, tail) = text.split_at(text.len().checked_sub(8)?);
    let number = tail.iter().try_fold(0, |number, byte| {
        let digit = SITE.iter().position(|letter| letter == byte)?;
        Some(number * 62 + digit as u64)
    });
    Some((head, number?))
}

pub(super) fn spell_site(mut number: u64) -> Option<Vec<u8>> {
    let mut text = vec![0; 8];
    for letter in text.iter_mut().rev() {
        *letter = SITE[(number % 62) as usize];
        number /= 62;
    }
    (number == 0).then_some(text)
}
