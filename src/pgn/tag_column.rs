//! The columns that show what tags say: one list for tables of text, CSV, JSON and Arrow
//! (spec/manual/tables.md, 2).

use super::time_control::{Seconds, TimeControl};

/// A column that shows what a tag says, or two tags together.
#[derive(Debug)]
pub struct TagColumn {
    /// The name.
    pub name: &'static str,
    /// The tags.
    pub tags: &'static [&'static str],
    /// The type of its values, and how they are found.
    pub kind: TagKind,
}

/// The values of the tags of a column, first and second, where they are known.
pub type TagTexts<'t> = [Option<&'t str>; 2];

/// The type of the values of a column, with what finds them.
#[derive(Clone, Copy, Debug)]
pub enum TagKind {
    /// Text.
    Text(for<'t> fn(TagTexts<'t>) -> Option<&'t str>),
    /// A whole number.
    Number(fn(TagTexts<'_>) -> Option<i32>),
    /// Seconds, perhaps with a fraction.
    Seconds(fn(TagTexts<'_>) -> Option<Seconds>),
    /// Days since 1 January 1970.
    Date(fn(TagTexts<'_>) -> Option<i32>),
    /// Seconds since 1 January 1970 in UTC.
    Time(fn(TagTexts<'_>) -> Option<i64>),
}

impl TagColumn {
    /// The column with the value of a tag as it is written.
    pub const fn text(name: &'static str, tags: &'static [&'static str]) -> TagColumn {
        TagColumn::new(name, tags, TagKind::Text(|[text, _]| text))
    }

    /// The column with the whole number that is the value of a tag.
    const fn number(name: &'static str, tags: &'static [&'static str]) -> TagColumn {
        TagColumn::new(name, tags, TagKind::Number(|[text, _]| text?.parse().ok()))
    }

    const fn new(name: &'static str, tags: &'static [&'static str], kind: TagKind) -> TagColumn {
        TagColumn { name, tags, kind }
    }

    /// The values of its tags, where they are known (8.1.1).
    pub fn texts<'t>(
        &self,
        mut of_tag: impl FnMut(&'static str) -> Option<&'t str>,
    ) -> TagTexts<'t> {
        let mut known = self
            .tags
            .iter()
            .map(|tag| of_tag(tag).filter(|text| !matches!(*text, "" | "?")));
        [known.next().flatten(), known.next().flatten()]
    }
}

/// Whether two names are the same but for case and for `_`, which may be `-` or left out.
pub fn is_same_name(a: &str, b: &str) -> bool {
    let bare = |name: &str| name.to_ascii_lowercase().replace(['-', '_'], "");
    bare(a) == bare(b)
}

/// Whether a column with this name shows the tag with this name.
pub fn is_tag_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

const CONTROL: &[&str] = &["TimeControl"];

fn control([text, _]: TagTexts<'_>) -> Option<TimeControl> {
    TimeControl::parse(text?)
}

const BASE: TagKind = TagKind::Seconds(|texts| Some(control(texts)?.base()?.0));
const INCREMENT: TagKind = TagKind::Seconds(|texts| Some(control(texts)?.base()?.1));
const SPEED: TagKind = TagKind::Text(|texts| Some(control(texts)?.speed()?.name()));
const DAY: TagKind = TagKind::Date(|[day, _]| date(day?));
const MOMENT: TagKind =
    TagKind::Time(|[day, hours]| Some(86_400 * i64::from(date(day?)?) + time(hours?)?));
const ADDRESS: TagKind =
    TagKind::Text(|texts| texts.into_iter().flatten().find(|text| is_address(text)));

/// The columns of tags, the usual ones of a table of games first.
pub static TAG_COLUMNS: [TagColumn; 38] = [
    TagColumn::text("event", &["Event"]),
    TagColumn::text("site", &["Site"]),
    TagColumn::text("round", &["Round"]),
    TagColumn::text("white", &["White"]),
    TagColumn::text("black", &["Black"]),
    TagColumn::text("white_title", &["WhiteTitle"]),
    TagColumn::text("black_title", &["BlackTitle"]),
    TagColumn::text("eco_tag", &["ECO"]),
    TagColumn::text("opening_tag", &["Opening"]),
    TagColumn::text("variation", &["Variation"]),
    TagColumn::text("time_control", CONTROL),
    TagColumn::new("base_seconds", CONTROL, BASE),
    TagColumn::new("increment_seconds", CONTROL, INCREMENT),
    TagColumn::new("speed", CONTROL, SPEED),
    TagColumn::text("termination", &["Termination"]),
    TagColumn::text("fen", &["FEN"]),
    TagColumn::text("sub_variation", &["SubVariation"]),
    TagColumn::new("utc_date", &["UTCDate"], DAY),
    TagColumn::new("utc_time", &["UTCDate", "UTCTime"], MOMENT),
    TagColumn::number("white_rating_diff", &["WhiteRatingDiff"]),
    TagColumn::number("black_rating_diff", &["BlackRatingDiff"]),
    TagColumn::new("url", &["Site", "Link"], ADDRESS),
    TagColumn::text("white_fide_id", &["WhiteFideId"]),
    TagColumn::text("black_fide_id", &["BlackFideId"]),
    TagColumn::text("white_team", &["WhiteTeam"]),
    TagColumn::text("black_team", &["BlackTeam"]),
    TagColumn::text("white_type", &["WhiteType"]),
    TagColumn::text("black_type", &["BlackType"]),
    TagColumn::text("annotator", &["Annotator"]),
    TagColumn::text("board", &["Board"]),
    TagColumn::text("epd", &["EPD"]),
    TagColumn::new("event_date", &["EventDate"], DAY),
    TagColumn::text("id", &["id"]),
    TagColumn::text("mode", &["Mode"]),
    TagColumn::text("section", &["Section"]),
    TagColumn::text("stage", &["Stage"]),
    TagColumn::text("study_name", &["StudyName"]),
    TagColumn::text("chapter_name", &["ChapterName"]),
];

/// Whether a text is the address of a game: of something behind the name of the machine.
fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("http").unwrap_or_default();
    let rest = rest.strip_prefix('s').unwrap_or(rest);
    let place = rest.strip_prefix("://").unwrap_or_default().split_once('/');
    place.is_some_and(|(host, path)| !host.is_empty() && !path.is_empty())
        && !text.contains(char::is_whitespace)
}

/// Whole numbers of so many digits, with a character between them.
fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> Option<[i32; N]> {
    let mut parts = text.split(between);
    let mut numbers = [0; N];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| part.len() == digits)?;
        let is_number = part.bytes().all(|b| b.is_ascii_digit());
        *number = part.parse().ok().filter(|_| is_number)?;
    }
    parts.next().is_none().then_some(numbers)
}

/// The days from 1 January 1970 to a date as the standard writes it (8.1.1.3).
fn date(text: &str) -> Option<i32> {
    let [year, month, day] = numbers(text, '.', [4, 2, 2])?;
    days(year, month, day)
}

/// The seconds since midnight of a time as the standard writes it (9.5.2).
fn time(text: &str) -> Option<i64> {
    let [hours, minutes, seconds] = numbers(text, ':', [2, 2, 2])?;
    let is_time = hours < 24 && minutes < 60 && seconds < 60;
    is_time.then(|| (3600 * hours + 60 * minutes + seconds).into())
}

/// The days from 1 January 1970 to a date; `None` if the calendar does not have it.
pub fn days(year: i32, month: i32, day: i32) -> Option<i32> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if year == 0 || !(1..=12).contains(&month) || !(1..=last).contains(&day) {
        return None;
    }
    // A year that begins in March has its leap day at its end.
    let (year, month) = match month {
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let centuries = year.div_euclid(100);
    let before = 365 * year + year.div_euclid(4) - centuries + centuries.div_euclid(4);
    Some(before + (153 * month + 2) / 5 + day - 1 - 719_468)
}

/// The date so many days after 1 January 1970, as `yyyy-mm-dd`.
pub fn iso_date(days: i32) -> String {
    // As in `days`, a year begins in March; an era has 400 years.
    let days = i64::from(days) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year + i64::from(month > 9);
    format!("{year:04}-{:02}-{day:02}", (month + 2) % 12 + 1)
}

/// The time so many seconds after 1 January 1970, as `yyyy-mm-ddThh:mm:ssZ`.
pub fn iso_time(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let date = iso_date(i32::try_from(days).unwrap_or(i32::MAX));
    let (hours, minutes) = (rest / 3600, rest / 60 % 60);
    format!("{date}T{hours:02}:{minutes:02}:{:02}Z", rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of days by Python's `datetime.date(...).toordinal() - 719163`.
    #[test]
    fn days_of_the_calendar() {
        for ((year, month, day), expected) in [
            ((1970, 1, 1), Some(0)),
            ((1969, 12, 31), Some(-1)),
            ((2000, 2, 29), Some(11_016)),
            ((1900, 2, 28), Some(-25_509)),
            ((1900, 3, 1), Some(-25_508)),
            ((2024, 12, 31), Some(20_088)),
            ((1851, 6, 21), Some(-43_293)),
            ((1, 1, 1), Some(-719_162)),
            ((0, 1, 1), None),
            ((1900, 2, 29), None),
            ((2023, 4, 31), None),
        ] {
            assert_eq!(days(year, month, day), expected, "{year}-{month}-{day}");
            if let Some(expected) = expected {
                let text = format!("{year:04}-{month:02}-{day:02}");
                assert_eq!(iso_date(expected), text);
            }
        }
    }

    #[test]
    fn what_tags_say() {
        let value = |name: &str, tags: &[(&str, &'static str)]| {
            let column = TAG_COLUMNS.iter().find(|column| column.name == name);
            let column = column.unwrap();
            let of_tag = |tag| tags.iter().find(|known| known.0 == tag).map(|tag| tag.1);
            let texts = column.texts(of_tag);
            match column.kind {
                TagKind::Text(read) => read(texts).map(str::to_owned),
                TagKind::Number(read) => read(texts).map(|number| number.to_string()),
                TagKind::Seconds(read) => read(texts).map(|time| format!("{time:?}")),
                TagKind::Date(read) => read(texts).map(|days| days.to_string()),
                TagKind::Time(read) => read(texts).map(|time| time.to_string()),
            }
        };
        let is = |found: Option<String>, expected: &str| assert_eq!(found.unwrap(), expected);
        let day = ("UTCDate", "2013.01.31");
        let time = |text| value("utc_time", &[day, ("UTCTime", text)]);
        // 15,736 days by Python's `datetime`.
        is(value("utc_date", &[day]), "15736");
        is(value("event_date", &[("EventDate", "2013.01.31")]), "15736");
        assert_eq!(value("event_date", &[("EventDate", "2013.01.??")]), None);
        is(time("22:17:05"), &(86_400 * 15_736 + 80_225).to_string());
        for odd in ["24:00:00", "22:17", "22:60:00", "+2:17:05", "?"] {
            assert_eq!(time(odd), None, "{odd}");
        }
        let diff = |text| value("white_rating_diff", &[("WhiteRatingDiff", text)]);
        for (text, number) in [("+5", "5"), ("-7", "-7"), ("0", "0")] {
            is(diff(text), number);
        }
        assert_eq!(diff("?"), None);
        let url = |site, link| value("url", &[("Site", site), ("Link", link)]);
        let lichess = "https://lichess.org/abcdefgh";
        is(url(lichess, "?"), lichess);
        is(url("Chess.com", lichess), lichess);
        for site in [
            "https://lichess.org",
            "https://lichess.org/",
            "Oslo",
            "https:///x",
        ] {
            assert_eq!(url(site, ""), None, "{site}");
        }
        let base = |text| value("base_seconds", &[("TimeControl", text)]);
        is(base("180+2"), "180");
        is(base("40/7200:3600"), "7200");
        assert_eq!(base("-"), None);
    }
}
