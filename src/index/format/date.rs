//! Dates as an index stores them (spec/index.md 3.1).

use std::fmt;
use std::io::Write;

use pgc_pgn::tag_column::days;

/// Number of bits of the eight digits.
const DIGITS: u32 = 27;
const KNOWN: u32 = 0xf;
const ODD: u32 = 1 << 31;

/// A date: eight digits, how many of them are known, and whether it is odd.
///
/// ```
/// use pgc_index::Date;
///
/// let date = Date::from_tags(Some(b"1992.05.??"), None);
/// assert_eq!((date.digits(), date.known(), date.is_odd()), (1992_05_00, 6, false));
/// assert_eq!(date.to_string(), "1992.05.??");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Date(u32);

impl Date {
    /// The date of a game with these values of Date and UTCDate.
    pub fn from_tags(date: Option<&[u8]>, utc: Option<&[u8]>) -> Date {
        let known = |value: &[u8]| value.iter().any(u8::is_ascii_digit);
        match date.filter(|value| known(value)).or(utc).or(date) {
            Some(value) => Date::from_value(value),
            None => Date::default(),
        }
    }

    fn from_value(value: &[u8]) -> Date {
        if let Some(date) = Date::full(value) {
            return date;
        }
        let Some((characters, dotted)) = before_time(value).or_else(|| characters(value)) else {
            return Date(ODD);
        };
        let digits = number(characters.iter().map(|&c| digit(c).unwrap_or(0)));
        let known = characters.iter().take_while(|c| c.is_ascii_digit());
        let known = known.count();
        let odd = !dotted || !is_in_calendar(&characters);
        // `digits` is at most 99,999,999, and `known` at most 8.
        Date(digits | u32::try_from(known).unwrap_or(0) << DIGITS | if odd { ODD } else { 0 })
    }

    /// Whether a date is made of all that this value says; unknown parts may be `?`.
    pub fn says_all(value: &[u8]) -> bool {
        eight(value).is_some() || in_words(value).is_some_and(|(_, is_all)| is_all)
    }

    /// Parses a complete date as the standard writes it, of a day that every year has; most dates
    /// are of this form.
    fn full(value: &[u8]) -> Option<Date> {
        let &[a, b, c, d, b'.', e, f, b'.', g, h] = value else {
            return None;
        };
        let (mut digits, mut all) = (0, true);
        for c in [a, b, c, d, e, f, g, h] {
            all &= c.is_ascii_digit();
            digits = digits * 10 + u32::from(c & 0xf);
        }
        let (month, day) = (digits / 100 % 100, digits % 100);
        let is_fine = all && (1..=12).contains(&month) && (1..=28).contains(&day);
        is_fine.then_some(Date(digits | 8 << DIGITS))
    }

    /// The bits, as stored in an index.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The value in the table of dates: the eight digits, the number of those that are known from the
    /// first on, and `!` if the date is odd.
    pub(crate) fn put(self, out: &mut Vec<u8>) {
        let odd = if self.is_odd() { "!" } else { "" };
        let _ = write!(out, "{:08}{}{odd}", self.digits(), self.known());
    }

    /// The date with this value in the table of dates.
    pub fn from_table(value: &str) -> Option<Date> {
        let number = value.strip_suffix('!').unwrap_or(value);
        let odd = if number == value { 0 } else { ODD };
        if number.len() != 9 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let (digits, known) = number.split_at(8);
        let (digits, known): (u32, u32) = (digits.parse().ok()?, known.parse().ok()?);
        (known <= 8).then_some(Date(digits | known << DIGITS | odd))
    }

    /// The eight digits as a decimal number, with 0 for an unknown one.
    pub const fn digits(self) -> u32 {
        self.0 & ((1 << DIGITS) - 1)
    }

    /// The number of leading digits that are known.
    pub const fn known(self) -> u8 {
        (self.0 >> DIGITS & KNOWN) as u8
    }

    /// Year, month and day; the month only if the year is known, the day only if the month is.
    #[inline]
    pub fn parts(self) -> [Option<u32>; 3] {
        let (digits, known) = (self.digits(), self.known());
        let in_range = |value: u32, last| Some(value).filter(|value| (1..=last).contains(value));
        let year = Some(digits / 10_000).filter(|_| known >= 4);
        let month = in_range(digits / 100 % 100, 12).filter(|_| year.is_some() && known >= 6);
        let day = in_range(digits % 100, 31).filter(|_| month.is_some() && known >= 8);
        [year, month, day]
    }

    /// The days from 1 January 1970 to this date, if it is complete and of the calendar.
    pub fn days(self) -> Option<i32> {
        let [year, month, day] = self.parts().map(|part| part?.try_into().ok());
        days(year?, month?, day?)
    }

    /// Whether there is a value that is not written as the standard requires, or not a day of the
    /// calendar.
    pub const fn is_odd(self) -> bool {
        self.0 & ODD != 0
    }
}

/// As `yyyy.mm.dd`. After an unknown digit, a 0 is shown as unknown, since nothing tells whether it
/// is known; but not that of a month or day with another digit behind the unknown one.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:08}", self.digits());
        for (i, c) in digits.chars().enumerate() {
            if i == 4 || i == 6 {
                f.write_str(".")?;
            }
            let known = usize::from(self.known());
            let field = &digits[i & !1..(i & !1) + 2];
            let is_whole = i >= 4 && known < (i & !1) && field != "00";
            let known = i < known || c != '0' || is_whole;
            write!(f, "{}", if known { c } else { '?' })?;
        }
        Ok(())
    }
}

/// The number that decimal digits form.
pub(crate) fn number(digits: impl IntoIterator<Item = u32>) -> u32 {
    digits.into_iter().fold(0, |all, digit| all * 10 + digit)
}

fn digit(c: u8) -> Option<u32> {
    c.is_ascii_digit().then(|| u32::from(c - b'0'))
}

/// The eight characters of a date that pgc understands, and whether it was written `yyyy.mm.dd`.
fn eight(value: &[u8]) -> Option<([u8; 8], bool)> {
    let mut parts = value.splitn(3, |b| matches!(b, b'.' | b'-' | b'/'));
    let mut characters = [b'?'; 8];
    let all = |part: &[u8]| part.iter().all(|&c| c.is_ascii_digit() || c == b'?');
    let year = parts.next().filter(|year| year.len() == 4 && all(year))?;
    characters[..4].copy_from_slice(year);
    for (at, part) in [4, 6].into_iter().zip(parts) {
        match *part {
            [c] if all(part) => {
                characters[at..at + 2].copy_from_slice(&[if c == b'?' { c } else { b'0' }, c])
            }
            [a, b] if all(part) => characters[at..at + 2].copy_from_slice(&[a, b]),
            _ => return None,
        }
    }
    let dotted = value.len() == 10 && value[4] == b'.' && value[7] == b'.';
    Some((characters, dotted))
}

/// The eight characters of a date in any form, and whether it was written `yyyy.mm.dd`.
fn characters(value: &[u8]) -> Option<([u8; 8], bool)> {
    eight(value).or_else(|| in_words(value).map(|(characters, _)| (characters, false)))
}

/// The date of a value that goes on with a time: `2024-01-17 04:53:18`, `2024.01.17T10:00Z`,
/// `Wed Jan 17 2024 04:53:18 GMT+0100`, `Wed Jan 17 04:53:18 2024`.
fn before_time(value: &[u8]) -> Option<([u8; 8], bool)> {
    let begin = |colon: usize| {
        let (before, minutes) = (&value[..colon], value[colon + 1..].iter().take(3));
        let minutes = minutes.take_while(|byte| byte.is_ascii_digit()).count();
        let hours = before.iter().rev().take(3);
        let hours = hours.take_while(|byte| byte.is_ascii_digit()).count();
        let is_time = minutes == 2 && (1..=2).contains(&hours);
        let date = before.get(..colon - hours).filter(|_| is_time)?;
        let is_gap = |byte: &u8| matches!(byte, b' ' | b',');
        let last = date
            .iter()
            .rposition(|byte| !is_gap(byte))
            .map_or(0, |at| at + 1);
        match date {
            [.., b'0'..=b'9', b'T'] => Some(colon - hours - 1),
            _ => Some(last).filter(|&last| last < date.len()),
        }
    };
    let (date, behind) = memchr::memchr_iter(b':', value)
        .find_map(|colon| Some((&value[..begin(colon)?], &value[colon + 3..])))?;
    let with_year = || match behind.trim_ascii_end() {
        [.., b' ', a, b, c, d] => characters(&[date, &[b' ', *a, *b, *c, *d]].concat()),
        _ => None,
    };
    let (found, _) = characters(date).or_else(with_year)?;
    Some((found, false))
}

const DAYS: &str = "monday tuesday wednesday thursday friday saturday sunday";

const MONTHS: &str =
    "january february march april may june july august september october november december";

/// The number, from 1, of the month or day with this name, perhaps cut to three letters or more.
fn place_of(word: &[u8], names: &str) -> Option<usize> {
    let word = std::str::from_utf8(word).ok()?.to_ascii_lowercase();
    let is_named = |name: &str| word.len() >= 3 && name.starts_with(&word);
    let at = names.split(' ').position(is_named)?;
    Some(at + 1)
}

/// The eight characters of a date in another form that has a year: `31.05.1999`, `May 1999`; month
/// and day only where no other reading is possible. Also whether they say all that the value says.
fn in_words(value: &[u8]) -> Option<([u8; 8], bool)> {
    let class = |c: u8| match c {
        b'0'..=b'9' | b'?' => 1,
        b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => 2,
        _ => 0,
    };
    let (mut year, mut is_first, mut is_all) = (None, false, true);
    let (mut months, mut numbers) = (Vec::new(), Vec::new());
    let fields = value.chunk_by(|&a, &b| class(a) == class(b));
    for field in fields.filter(|field| class(field[0]) > 0) {
        match (class(field[0]), field.len()) {
            (1, 1 | 2) => numbers.push(field),
            (1, 3) => is_all = false,
            (1, 4) if field.iter().any(u8::is_ascii_digit) && year.is_none() => {
                (year, is_first) = (Some(field), numbers.is_empty());
            }
            (1, _) => return None,
            _ if let Some(month) = place_of(field, MONTHS) => months.push(month),
            _ if place_of(field, DAYS).is_some() => {}
            _ => {
                let is_ordinal = [&b"st"[..], b"nd", b"rd", b"th"].contains(&field);
                is_all &= is_ordinal && numbers.len() == 1;
            }
        }
    }
    let mut eight = [b'?'; 8];
    eight[..4].copy_from_slice(year?);
    let number = |field: &[u8]| std::str::from_utf8(field).ok()?.parse::<usize>().ok();
    // Month and day; a day of 0 is unknown.
    let mut readings = match (&months[..], &numbers[..]) {
        _ if !is_all => vec![],
        ([month], []) => vec![Some((*month, 0))],
        ([month], [day]) => vec![number(day).map(|day| (*month, day))],
        ([], [month]) => vec![number(month).map(|month| (month, 0))],
        ([], [a, b]) => {
            let (a, b) = (number(a), number(b));
            let swapped = (!is_first).then(|| b.zip(a));
            [Some(a.zip(b)), swapped].into_iter().flatten().collect()
        }
        _ => vec![],
    };
    let read = |&(month, day): &(usize, usize)| {
        let mut read = eight;
        let digits = format!("{month:02}{day:02}");
        // A reading is of one part of the value or of two.
        let len = 2 * (numbers.len() + months.len());
        read[4..4 + len].copy_from_slice(&digits.as_bytes()[..len]);
        is_in_calendar(&read).then_some(read)
    };
    readings.dedup();
    let mut read = readings.iter().flatten().filter_map(read);
    match (read.next(), read.next()) {
        (Some(only), None) => Some((only, true)),
        _ => {
            let says_none = |field: &&[u8]| field.iter().all(|&c| c == b'?');
            let is_all = is_all && months.is_empty() && numbers.iter().all(says_none);
            Some((eight, is_all))
        }
    }
}

/// Whether the known digits of month and day fit a day of some year.
fn is_in_calendar(characters: &[u8; 8]) -> bool {
    let two = |at: usize| Some(digit(characters[at])? * 10 + digit(characters[at + 1])?);
    let days = match two(4) {
        None | Some(1 | 3 | 5 | 7 | 8 | 10 | 12) => 31,
        Some(4 | 6 | 9 | 11) => 30,
        Some(2) => 29,
        Some(_) => return false,
    };
    two(6).is_none_or(|day| (1..=days).contains(&day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(value: &str) -> u32 {
        Date::from_tags(Some(value.as_bytes()), None).bits()
    }

    /// The table of spec/index.md 3.1.
    #[test]
    fn examples_of_the_text() {
        let table = [
            ("1992.05.03", 0x412f_f677),
            ("1992.05.??", 0x312f_f674),
            ("199?.??.??", 0x192f_a660),
            ("????.05.03", 0x0000_01f7),
            ("1992-5-3", 0xc12f_f677),
            ("1992", 0xa12f_f480),
            ("2011.19.11", 0xc132_e227),
            ("May 1992", 0xb12f_f674),
            ("13.05.1992", 0xc12f_f681),
            ("3.5.1992", 0xa12f_f480),
            ("May", 0x8000_0000),
            ("", 0x8000_0000),
            ("????.??.??", 0),
        ];
        for (value, date) in table {
            assert_eq!(bits(value), date, "{value}");
        }
        assert_eq!(Date::from_tags(None, None).bits(), 0);
    }

    #[test]
    fn what_is_understood_and_what_is_odd() {
        let odd = |value| bits(value) & ODD != 0;
        for value in [
            "1992.02.29",
            "1991.02.29",
            "1992.??.31",
            "1992.1?.31",
            "1992.?1.31",
            "1992.12.3?",
            "0000.01.01",
        ] {
            assert!(!odd(value) && bits(value) != 0, "{value}");
        }
        for value in [
            "1992.02.30",
            "1992.04.31",
            "1992.00.01",
            "1992.13.01",
            "1992.01.00",
            "1992.??.32",
            "1992.??.00",
        ] {
            assert!(odd(value) && bits(value) != ODD, "{value}");
        }
        for value in [
            "1992.5.03",
            "1992.05",
            "1992.?.?",
            "1992/05/03",
            "1992.05-03",
            "1992.05.3",
        ] {
            assert!(odd(value) && bits(value) != ODD, "{value}");
        }
        for value in [
            "92",
            "19x2",
            "1992/1993",
            "19920503",
            "??.??.????",
            "5/3/92",
            "3 May",
        ] {
            assert_eq!(bits(value), ODD, "{value}");
        }
        assert_eq!(bits("1992.?.3") & !ODD, 4 << DIGITS | 19_920_003);
    }

    /// The year always, and month and day where there is one reading.
    #[test]
    fn dates_in_other_forms() {
        for (value, date, is_all) in [
            ("31.05.1999", "1999.05.31", true),
            ("05/31/1999", "1999.05.31", true),
            ("31-5-1999", "1999.05.31", true),
            ("5.5.1999", "1999.05.05", true),
            ("01.05.1999", "1999.??.??", false),
            ("5/1/1999", "1999.??.??", false),
            ("31.31.1999", "1999.??.??", false),
            ("30.02.1999", "1999.??.??", false),
            ("??.??.1999", "1999.??.??", true),
            ("??.05.1999", "1999.??.??", false),
            ("05.1999", "1999.05.??", true),
            ("13/1999", "1999.??.??", false),
            ("May 1999", "1999.05.??", true),
            ("1 may 1999", "1999.05.01", true),
            ("Sept. 1st, 1999", "1999.09.01", true),
            ("1999 December 31", "1999.12.31", true),
            ("31 June 1999", "1999.??.??", false),
            ("Mai 1999", "1999.??.??", false),
            ("ca. 1999", "1999.??.??", false),
            ("1999 05 01", "1999.05.01", true),
            ("1999.05.01.", "1999.05.01", true),
            (" 1999", "1999.??.??", true),
            ("1999..03", "1999.03.??", true),
            ("1999.005.03", "1999.??.??", false),
            ("1999.05.01 12:00", "1999.05.01", false),
            ("2024-01-17 04:53:18", "2024.01.17", false),
            ("2024.01.17T10:00Z", "2024.01.17", false),
            ("2024/1/7, 4:53:18 PM", "2024.01.07", false),
            (
                "Wed Jan 17 2024 04:53:18 GMT+0100 (Central European Standard Time)",
                "2024.01.17",
                false,
            ),
            ("Wed Jan 17 04:53:18 UTC 2024", "2024.01.17", false),
            ("Wednesday, January 17, 2024", "2024.01.17", true),
            ("01.05.199?", "199?.??.??", false),
        ] {
            let read = Date::from_tags(Some(value.as_bytes()), None);
            assert_eq!(
                (read.to_string().as_str(), read.is_odd()),
                (date, true),
                "{value}"
            );
            assert_eq!(Date::says_all(value.as_bytes()), is_all, "{value}");
        }
        assert!(
            ["1999.05.01", "1999/5/1", "1999", "????.??.??"]
                .iter()
                .all(|value| Date::says_all(value.as_bytes()))
        );
        assert!(
            ["?", "", "yesterday", "5/1/99"]
                .iter()
                .all(|value| !Date::says_all(value.as_bytes()))
        );
    }

    #[test]
    fn utc_date_where_date_has_no_digit() {
        let from = |date: Option<&str>, utc: Option<&str>| {
            Date::from_tags(date.map(str::as_bytes), utc.map(str::as_bytes)).bits()
        };
        let may = bits("1992.05.03");
        for date in [None, Some("????.??.??"), Some("?"), Some(""), Some("May")] {
            assert_eq!(from(date, Some("1992.05.03")), may, "{date:?}");
        }
        assert_eq!(
            from(Some("199?.??.??"), Some("1992.05.03")),
            bits("199?.??.??")
        );
        assert_eq!(from(Some("May"), None), ODD);
        assert_eq!(from(Some("1992.05.03"), Some("x")), may);
        assert_eq!(from(Some("????.??.??"), Some("x")), ODD);
    }

    #[test]
    fn shown() {
        for value in [
            "1992.05.03",
            "1992.05.??",
            "199?.??.??",
            "1992.10.00",
            "????.??.??",
            "????.12.31",
            "????.01.17",
            "2024.??.07",
            "199?.10.20",
        ] {
            assert_eq!(Date(bits(value)).to_string(), value);
        }
    }

    #[test]
    fn parts_of_dates() {
        let parts = |value: &str| Date::from_tags(Some(value.as_bytes()), None).parts();
        assert_eq!(parts("1992.05.03"), [Some(1992), Some(5), Some(3)]);
        assert_eq!(parts("1992-5-3"), [Some(1992), Some(5), Some(3)]);
        assert_eq!(parts("1992.??.03"), [Some(1992), None, None]);
        assert_eq!(parts("199?.05.03"), [None, None, None]);
        assert_eq!(parts("2011.19.11"), [Some(2011), None, None]);
        assert_eq!(parts("2011.11.31"), [Some(2011), Some(11), Some(31)]);
        assert_eq!(parts("????.??.??"), [None, None, None]);
    }
}
