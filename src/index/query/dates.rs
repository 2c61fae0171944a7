//! Tests of dates (D49): that a date begins with given digits, lies in a range, is unknown, or is
//! odd.

use std::ops::RangeInclusive;
use std::str::FromStr;

use super::error::ArgumentError;
use crate::format::date::{Date, number};

/// Number of digits of a date.
const DIGITS: usize = 8;
const LARGEST: u32 = 99_999_999;

/// How well a game fits a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// Not at all.
    No,
    /// Possibly: it depends on unknown digits of its date, or on unknown ratings.
    Could,
    /// For certain.
    Certain,
}

impl Fit {
    /// The fit for the opposite test.
    pub fn inverted(self) -> Fit {
        match self {
            Fit::No => Fit::Certain,
            Fit::Could => Fit::Could,
            Fit::Certain => Fit::No,
        }
    }
}

impl From<bool> for Fit {
    fn from(is_certain: bool) -> Fit {
        if is_certain { Fit::Certain } else { Fit::No }
    }
}

/// A test of dates: `1992`, `199?`, `1992.05`, `1992-5-3`, `1992.05..1992.07`, `1992..`,
/// `..1992.06`, `1992-1995`, `unknown`, `odd`.
///
/// A given date matches the dates that begin with it. A range matches dates that certainly lie
/// inside it: every day that the date could be, with its unknown digits filled in.
///
/// ```
/// use pgc_index::{Date, DateTest, Fit};
///
/// let test: DateTest = "1992.05..1992.07".parse()?;
/// assert_eq!(test.fit(Date::from_tags(Some(b"1992.06.??"), None)), Fit::Certain);
/// assert_eq!(test.fit(Date::from_tags(Some(b"1992.??.??"), None)), Fit::Could);
/// assert_eq!(test.fit(Date::from_tags(Some(b"1991.??.??"), None)), Fit::No);
/// # Ok::<(), pgc_index::ArgumentError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateTest(DateTestKind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum DateTestKind {
    /// The number of given digits, at least one, and the number that they form.
    Prefix(usize, u32),
    Range(u32, u32),
    Unknown,
    Odd,
}

impl FromStr for DateTest {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<DateTest, ArgumentError> {
        let given = text.trim();
        match given.to_ascii_lowercase().as_str() {
            "unknown" => return Ok(DateTest(DateTestKind::Unknown)),
            "odd" => return Ok(DateTest(DateTestKind::Odd)),
            _ => {}
        }
        let Some((from, to)) = given.split_once("..").or_else(|| dashed(given)) else {
            let (known, digits) = prefix(given)?;
            return Ok(DateTest(DateTestKind::Prefix(known, digits)));
        };
        let (from, to) = (from.trim(), to.trim());
        if from.is_empty() && to.is_empty() {
            return Err(ArgumentError::NoDigit(given.to_owned()));
        }
        let days = |end| match end {
            "" => Ok(0..=LARGEST),
            date => prefix(date).map(filled),
        };
        let (from, to) = (*days(from)?.start(), *days(to)?.end());
        if from > to {
            return Err(ArgumentError::Backwards(given.to_owned()));
        }
        Ok(DateTest(DateTestKind::Range(from, to)))
    }
}

/// The two ends of a range with a `-` before a year: `1992-1995`, `1992.05-1992.07`; or before
/// nothing: `1992-`.
fn dashed(text: &str) -> Option<(&str, &str)> {
    let dashes = text.match_indices('-');
    let ends = dashes.map(|(at, _)| (text[..at].trim(), text[at + 1..].trim()));
    let is_year = |text: &str| text.find(['.', '-', '/']).unwrap_or(text.len()) == 4;
    let mut ends = ends.filter(|(from, to)| !from.is_empty() && (to.is_empty() || is_year(to)));
    ends.next()
}

/// The number of given digits, and the number that they form.
fn prefix(text: &str) -> Result<(usize, u32), ArgumentError> {
    let wrong = || ArgumentError::Date(text.to_owned());
    let mut characters = Vec::with_capacity(DIGITS);
    for (i, part) in text.split(['.', '-', '/']).enumerate() {
        let usual = if i == 0 { 4 } else { 2 };
        match part.len() {
            len if len == usual => {}
            1 if i > 0 => characters.push(if part == "?" { b'?' } else { b'0' }),
            _ => return Err(wrong()),
        }
        characters.extend_from_slice(part.as_bytes());
    }
    if characters.len() > DIGITS || !characters.iter().all(|&c| c.is_ascii_digit() || c == b'?') {
        return Err(wrong());
    }
    let known = characters.iter().take_while(|&&c| c != b'?').count();
    if characters[known..].iter().any(|&c| c != b'?') {
        return Err(ArgumentError::DateGap(text.to_owned()));
    }
    if known == 0 {
        return Err(ArgumentError::NoDigit(text.to_owned()));
    }
    let digits = characters[..known].iter().map(|c| u32::from(c - b'0'));
    Ok((known, number(digits)))
}

/// 10 to the power of the number of digits after the first `known`.
fn scale(known: usize) -> u32 {
    (known..DIGITS).fold(1, |scale, _| scale * 10)
}

/// The range of eight-digit numbers that begin with these digits.
fn filled((known, digits): (usize, u32)) -> RangeInclusive<u32> {
    digits * scale(known)..=digits * scale(known) + (scale(known) - 1)
}

impl DateTest {
    /// How well a date fits.
    pub fn fit(&self, date: Date) -> Fit {
        let (digits, known) = (date.digits(), usize::from(date.known()));
        // Bounds with zeros and nines for all digits that may be unknown. They often suffice.
        let least = digits / scale(known) * scale(known);
        let largest = least + (scale(known) - 1);
        match self.0 {
            DateTestKind::Unknown => Fit::from(digits == 0 && known == 0),
            DateTestKind::Odd => Fit::from(date.is_odd()),
            DateTestKind::Prefix(given, number) => {
                let range = filled((given, number));
                if known >= given {
                    return Fit::from(range.contains(&digits));
                }
                // Of the months only 05 ends in 5, so that a date may still fit for certain.
                DateTest(DateTestKind::Range(*range.start(), *range.end())).fit(date)
            }
            DateTestKind::Range(from, to) => {
                if known >= DIGITS {
                    return Fit::from((from..=to).contains(&digits));
                }
                if largest < from || to < least {
                    return Fit::No;
                }
                if from <= least && largest <= to {
                    return Fit::Certain;
                }
                let days = Days::new(date);
                if from <= days.end(<[u32]>::first) && days.end(<[u32]>::last) <= to {
                    Fit::Certain
                } else if days.any_in(from, to) {
                    Fit::Could
                } else {
                    Fit::No
                }
            }
        }
    }
}

/// The days that a date may stand for: its unknown digits filled in, if possible so that the month
/// and the day exist.
struct Days {
    /// Ascending.
    years: Vec<u32>,
    months: Vec<u32>,
    days: Vec<u32>,
}

/// The numbers with these known digits: those of the calendar, or all of two digits if it has none.
fn numbers(digits: &[Option<u32>], calendar: RangeInclusive<u32>) -> Vec<u32> {
    let fits = |&number: &u32| {
        let mut rest = number;
        digits.iter().rev().all(|known| {
            let digit = rest % 10;
            rest /= 10;
            known.is_none_or(|known| known == digit)
        })
    };
    let of_calendar: Vec<u32> = calendar.filter(fits).collect();
    match of_calendar.is_empty() {
        true => (0..=99).filter(fits).collect(),
        false => of_calendar,
    }
}

impl Days {
    fn new(date: Date) -> Days {
        let known = usize::from(date.known());
        // After the first unknown digit, a 0 stands for an unknown digit; any other digit is known.
        let digits: [_; DIGITS] = std::array::from_fn(|i| {
            let digit = date.digits() / scale(i + 1) % 10;
            (i < known || digit != 0).then_some(digit)
        });
        Days {
            years: numbers(&digits[..4], 0..=9999),
            months: numbers(&digits[4..6], 1..=12),
            days: numbers(&digits[6..], 1..=31),
        }
    }

    /// The first of the days, or the last.
    fn end(&self, of: fn(&[u32]) -> Option<&u32>) -> u32 {
        let parts = [&self.years, &self.months, &self.days];
        let [year, month, day] = parts.map(|part| of(part).copied().unwrap_or(0));
        year * 10_000 + month * 100 + day
    }

    fn any_in(&self, from: u32, to: u32) -> bool {
        let years = from / 10_000..=to / 10_000;
        let mut years = self.years.iter().filter(|&year| years.contains(year));
        years.any(|year| {
            let mut months = self.months.iter().map(|month| year * 100 + month);
            months.any(|month| {
                let mut days = self.days.iter().map(|day| month * 100 + day);
                days.any(|day| (from..=to).contains(&day))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(text: &str) -> DateTest {
        text.parse().unwrap()
    }

    fn date(text: &str) -> Date {
        Date::from_tags(Some(text.as_bytes()), None)
    }

    #[test]
    fn parses() {
        let same = |a: &str, b: &str| assert_eq!(test(a), test(b));
        same("1992.5.3", "1992-05-03");
        same("1992/05", " 1992.05.?? ");
        same("199?", "199?.??.?");
        same("1992.?", "1992");
        same("1992 .. 1993", "1992..1993");
        same("Unknown", "unknown");
        assert_eq!(test("1992.1?"), DateTest(DateTestKind::Prefix(5, 19_921)));
        assert_eq!(
            test("1992.05..1992.07"),
            DateTest(DateTestKind::Range(19_920_500, 19_920_799))
        );
        assert_eq!(
            test("1992.."),
            DateTest(DateTestKind::Range(19_920_000, LARGEST))
        );
        assert_eq!(
            test("..1992.06"),
            DateTest(DateTestKind::Range(0, 19_920_699))
        );
        let error = |text: &str| text.parse::<DateTest>().unwrap_err();
        for text in [
            "",
            "92",
            "1992.",
            "1992.005",
            "1992.05.03.01",
            "May",
            "1992...1993",
            "1992..x",
            "-1",
            "1992.\u{e9}",
        ] {
            assert!(matches!(error(text), ArgumentError::Date(_)), "{text}");
        }
        for text in ["19?2", "1992.??.03", "1992.?5"] {
            assert!(matches!(error(text), ArgumentError::DateGap(_)), "{text}");
        }
        for text in ["..", "????", "????.??.??"] {
            assert!(matches!(error(text), ArgumentError::NoDigit(_)), "{text}");
        }
        assert!(matches!(error("1993..1992"), ArgumentError::Backwards(_)));
    }

    #[test]
    fn fits() {
        use Fit::{Certain, Could, No};
        for (asked, value, fit) in [
            ("1992", "1992.05.03", Certain),
            ("1992", "1992.??.??", Certain),
            ("1992", "199?.??.??", Could),
            ("1992", "198?.??.??", No),
            ("1992", "????.??.??", Could),
            ("1992", "nonsense", Could),
            ("1992", "199?.05.03", Could),
            ("199?", "199?.??.??", Certain),
            ("199?", "19??.??.??", Could),
            ("1992.05", "1992.??.03", Could),
            ("1992.05", "1992.?6.03", No),
            ("2011", "2011.19.11", Certain),
            ("2011.19", "2011.19.11", Certain),
            ("2011.19", "2011.??.11", No),
            ("1992.05..1992.07", "1992.05.??", Certain),
            ("1992.05-1992.07", "1992.05.??", Certain),
            ("1992-05 - 1992-07", "1992.05.??", Certain),
            ("1992-1995", "1995.05.??", Certain),
            ("1992-", "2024.??.??", Certain),
            ("1992-05", "1993.05.??", No),
            ("1992.05..1992.07", "1992.0?.??", Could),
            ("1992.05..1992.07", "1992.1?.??", No),
            ("1992.05.02..1992.07", "1992.05.??", Could),
            ("1992.05.01..1992.07", "1992.05.??", Certain),
            ("1992.01..1992.12", "1992.??.??", Certain),
            ("1992.01.01..1992.12.30", "1992.??.??", Could),
            ("1990..", "199?.??.??", Certain),
            ("1991..", "199?.??.??", Could),
            ("..1999", "199?.??.??", Certain),
            ("..1998", "199?.??.??", Could),
            ("..1989", "199?.??.??", No),
            ("..1989", "????.??.??", Could),
            ("1992.05..1992.07", "????.06.??", Could),
            ("1992.05..1992.07", "????.08.??", No),
            ("2011.12..2012", "2011.19.??", Certain),
            ("2011..2011.12", "2011.19.??", No),
            ("unknown", "????.??.??", Certain),
            ("unknown", "May 1992", No),
            ("1992.05", "May 1992", Certain),
            ("unknown", "in May", Certain),
            ("unknown", "????.05.??", No),
            ("odd", "May 1992", Certain),
            ("odd", "1992-05-03", Certain),
            ("odd", "1992.05.03", No),
        ] {
            assert_eq!(test(asked).fit(date(value)), fit, "{asked}: {value}");
        }
    }

    /// Every pattern of known digits and every range, against trying all days.
    #[test]
    fn fits_as_trying_all_days_does() {
        let values = [
            "20", "1?", "?2", "??", "0?", "?0", "31", "99", "00", "3?", "?9",
        ];
        let mut dates = Vec::new();
        for year in ["1999", "200?", "20?1", "????", "2?01", "?000"] {
            for month in values {
                for day in values {
                    dates.push(date(&format!("{year}.{month}.{day}")));
                }
            }
        }
        let two = |known: [Option<u32>; 2], calendar: RangeInclusive<u32>| {
            let fits = |n: &u32| {
                known[0].is_none_or(|d| n / 10 == d) && known[1].is_none_or(|d| n % 10 == d)
            };
            let usual: Vec<u32> = calendar.filter(fits).collect();
            if usual.is_empty() {
                (0..100).filter(fits).collect()
            } else {
                usual
            }
        };
        let ranges = [
            "1999..2001",
            "2000.05..2001.02.03",
            "..2000.02.30",
            "2001.12.31..",
            "2001.12.05..2001.12.11",
            "0005..0012",
        ];
        for date in dates {
            let digit = |i: usize| {
                let digit = format!("{:08}", date.digits()).as_bytes()[i] - b'0';
                (i < usize::from(date.known()) || digit != 0).then_some(u32::from(digit))
            };
            let years: Vec<u32> = (0..10_000)
                .filter(|y| {
                    (0..4).all(|i| {
                        digit(i)
                            .is_none_or(|d| y / 10_u32.pow(3 - u32::try_from(i).unwrap()) % 10 == d)
                    })
                })
                .collect();
            let (months, days) = (
                two([digit(4), digit(5)], 1..=12),
                two([digit(6), digit(7)], 1..=31),
            );
            for range in ranges {
                let asked = test(range);
                let inside = match asked.0 {
                    DateTestKind::Prefix(known, digits) => filled((known, digits)),
                    DateTestKind::Range(from, to) => from..=to,
                    _ => unreachable!("only these are asked"),
                };
                let mut seen = [false; 2];
                // Of the years only those near the ends make a difference.
                for year in years
                    .iter()
                    .filter(|&&y| y < 20 || (1990..2100).contains(&y) || y > 9990)
                {
                    for month in &months {
                        for day in &days {
                            seen[usize::from(
                                inside.contains(&(year * 10_000 + month * 100 + day)),
                            )] = true;
                        }
                    }
                }
                let expected = match seen {
                    [false, _] => Fit::Certain,
                    [true, true] => Fit::Could,
                    [true, false] => Fit::No,
                };
                assert_eq!(
                    asked.fit(date),
                    expected,
                    "{range}: {date} {}",
                    date.known()
                );
            }
        }
    }
}
