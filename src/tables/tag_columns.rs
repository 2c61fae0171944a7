//! The columns that come from the tag pairs of a game.

use std::collections::HashSet;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    ArrayBuilder, Date32Builder, Int8Builder, Int16Builder, Int32Builder, MapBuilder,
    MapFieldNames, StringBuilder,
};
use arrow_schema::{DataType, Field};

use super::indexed::{IndexedGame, TagFacts};
use super::schema::{Selection, TableColumn};
use crate::index::{Date, elo};
use crate::pgn::eco;
use crate::pgn::text::decoded;
use crate::pgn::time_control::{Period, Seconds, TimeControl};
use crate::pgn::writer::Termination;

/// Columns that have the value of a tag as text, those of [`IndexedGame::names`] first.
const TEXTS: [(TableColumn, &[u8]); 14] = [
    (TableColumn::Event, b"Event"),
    (TableColumn::Site, b"Site"),
    (TableColumn::Round, b"Round"),
    (TableColumn::White, b"White"),
    (TableColumn::Black, b"Black"),
    (TableColumn::WhiteTitle, b"WhiteTitle"),
    (TableColumn::BlackTitle, b"BlackTitle"),
    (TableColumn::Eco, b"ECO"),
    (TableColumn::Opening, b"Opening"),
    (TableColumn::Variation, b"Variation"),
    (TableColumn::TimeControl, b"TimeControl"),
    (TableColumn::Termination, b"Termination"),
    (TableColumn::Variant, b"Variant"),
    (TableColumn::Fen, b"FEN"),
];
const ECO: usize = 7;
const TIME_CONTROL: usize = 10;

/// Tags whose values a column gives parsed.
const DATE: usize = TEXTS.len();
const RESULT: usize = DATE + 1;
const WHITE_ELO: usize = DATE + 2;
const BLACK_ELO: usize = DATE + 3;
const UTC_DATE: usize = DATE + 4;
const KNOWN: usize = DATE + 5;

/// With more tag pairs than this, a hash set finds repeated names.
const FEW: usize = 32;

/// The place of a tag in the lists above.
fn known_tag(name: &[u8]) -> Option<usize> {
    Some(match name {
        b"Date" => DATE,
        b"Result" => RESULT,
        b"WhiteElo" => WHITE_ELO,
        b"BlackElo" => BLACK_ELO,
        b"UTCDate" => UTC_DATE,
        _ => return TEXTS.iter().position(|known| known.1 == name),
    })
}

fn is_unknown(value: &[u8]) -> bool {
    matches!(value, b"" | b"?")
}

fn has_digit(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
}

/// The first value of each tag that a column uses.
#[derive(Default)]
struct FirstValues<'t>([Option<&'t [u8]>; KNOWN]);

/// Builds the columns that come from tags.
pub(super) struct TagColumns {
    selection: Selection,
    texts: [StringBuilder; TEXTS.len()],
    date: StringBuilder,
    year: Int16Builder,
    month: Int8Builder,
    day: Int8Builder,
    full_date: Date32Builder,
    result: StringBuilder,
    elos: [Int32Builder; 2],
    eco_code: StringBuilder,
    base: Int32Builder,
    increment: Int32Builder,
    others: MapBuilder<StringBuilder, StringBuilder>,
}

impl TagColumns {
    pub(super) fn new(selection: Selection) -> TagColumns {
        let names = MapFieldNames {
            entry: "entries".to_owned(),
            key: "key".to_owned(),
            value: "value".to_owned(),
        };
        let value = Field::new("value", DataType::Utf8, false);
        let others = MapBuilder::new(Some(names), StringBuilder::new(), StringBuilder::new())
            .with_values_field(value);
        TagColumns {
            selection,
            texts: Default::default(),
            date: StringBuilder::new(),
            year: Int16Builder::new(),
            month: Int8Builder::new(),
            day: Int8Builder::new(),
            full_date: Date32Builder::new(),
            result: StringBuilder::new(),
            elos: Default::default(),
            eco_code: StringBuilder::new(),
            base: Int32Builder::new(),
            increment: Int32Builder::new(),
            others,
        }
    }

    /// Adds a row: tag pairs (names, unescaped values) and the terminator of a game.
    pub(super) fn push<'t>(
        &mut self,
        tags: impl Iterator<Item = (&'t [u8], &'t [u8])> + Clone,
        terminator: Option<Termination>,
    ) {
        let mut first = FirstValues::default();
        for (name, value) in tags.clone() {
            if let Some(place) = known_tag(name) {
                first.0[place].get_or_insert(value);
            }
        }
        let selection = self.selection;
        for (place, (column, _)) in TEXTS.iter().enumerate() {
            if selection.has(*column) {
                let value = first.0[place].filter(|value| !is_unknown(value));
                self.texts[place].append_option(value.map(decoded));
            }
        }
        self.push_date(&first);
        let of_tag = first.0[RESULT].and_then(Termination::from_tag);
        let facts = TagFacts {
            date: Date::from_tags(first.0[DATE], first.0[UTC_DATE]),
            result: Termination::of(of_tag, terminator),
            elos: [WHITE_ELO, BLACK_ELO].map(|place| elo(first.0[place])),
            eco: eco::number(first.0[ECO]),
        };
        self.push_facts(&facts);
        let (base, increment) = first.0[TIME_CONTROL].map_or((None, None), time_control);
        self.base.append_option(base);
        self.increment.append_option(increment);
        if selection.has(TableColumn::Tags) {
            self.push_others(tags, facts.result.as_str());
        }
    }

    /// Adds a row of a table that has only columns of an index.
    pub(super) fn push_indexed(&mut self, game: &IndexedGame<'_>) {
        for (builder, name) in self.texts.iter_mut().zip(game.names) {
            builder.append_option(name.filter(|name| !is_unknown(name.as_bytes())));
        }
        self.push_facts(&game.facts);
    }

    fn push_facts(&mut self, facts: &TagFacts) {
        let (year, month, day) = parts(facts.date);
        self.year.append_option(year);
        self.month.append_option(month);
        self.day.append_option(day);
        let full = year.zip(month).zip(day);
        self.full_date
            .append_option(full.and_then(|((year, month), day)| days(year, month, day)));
        self.result.append_value(facts.result.as_str());
        for (builder, &rating) in self.elos.iter_mut().zip(&facts.elos) {
            builder.append_option((rating > 0).then_some(i32::from(rating)));
        }
        let code = eco::characters(facts.eco);
        let code = code.as_ref().and_then(|code| str::from_utf8(code).ok());
        self.eco_code.append_option(code);
    }

    fn push_date(&mut self, first: &FirstValues<'_>) {
        let (date, utc) = (first.0[DATE], first.0[UTC_DATE]);
        let known = |value: Option<&'_ [u8]>| value.is_some_and(has_digit);
        let written = if known(date) { date } else { utc };
        let written = written.filter(|value| has_digit(value));
        self.date.append_option(written.map(decoded));
    }

    /// Adds the tag pairs that no other column gives.
    fn push_others<'t>(
        &mut self,
        tags: impl Iterator<Item = (&'t [u8], &'t [u8])> + Clone,
        result: &str,
    ) {
        let is_short = tags.clone().nth(FEW).is_none();
        let mut names = HashSet::new();
        for (i, (name, value)) in tags.clone().enumerate() {
            let is_first = if is_short {
                tags.clone().take(i).all(|(before, _)| before != name)
            } else {
                names.insert(name)
            };
            let is_given = known_tag(name).is_some_and(|place| {
                let decimal = |value: &[u8]| elo(Some(value)).to_string().into_bytes() == value;
                match place {
                    UTC_DATE => false,
                    RESULT => is_unknown(value) || value == result.as_bytes(),
                    WHITE_ELO | BLACK_ELO => is_unknown(value) || value != b"0" && decimal(value),
                    _ => true,
                }
            });
            if is_first && !is_given {
                let (keys, values) = self.others.entries();
                keys.append_value(decoded(name));
                values.append_value(decoded(value));
            }
        }
        // Keys and values are added in pairs, so the lengths are the same.
        let _ = self.others.append(true);
    }

    /// Finishes a column that comes from tags.
    pub(super) fn finish(&mut self, column: TableColumn) -> ArrayRef {
        let text = TEXTS.iter().position(|known| known.0 == column);
        let builder: &mut dyn ArrayBuilder = match (column, text) {
            (_, Some(place)) => &mut self.texts[place],
            (TableColumn::Date, _) => &mut self.date,
            (TableColumn::Year, _) => &mut self.year,
            (TableColumn::Month, _) => &mut self.month,
            (TableColumn::Day, _) => &mut self.day,
            (TableColumn::FullDate, _) => &mut self.full_date,
            (TableColumn::Result, _) => &mut self.result,
            (TableColumn::WhiteElo, _) => &mut self.elos[0],
            (TableColumn::BlackElo, _) => &mut self.elos[1],
            (TableColumn::EcoCode, _) => &mut self.eco_code,
            (TableColumn::BaseSeconds, _) => &mut self.base,
            (TableColumn::IncrementSeconds, _) => &mut self.increment,
            _ => &mut self.others,
        };
        builder.finish()
    }
}

/// Year, month and day; the month only if the year is known, the day only if the month is known.
fn parts(date: Date) -> (Option<i16>, Option<i8>, Option<i8>) {
    let (digits, known) = (date.digits(), date.known());
    let year = i16::try_from(digits / 10_000).ok().filter(|_| known >= 4);
    let in_range = |value: u32, last: i8| {
        let value = i8::try_from(value).ok();
        value.filter(|value| (1..=last).contains(value))
    };
    let month = in_range(digits / 100 % 100, 12).filter(|_| year.is_some() && known >= 6);
    let day = in_range(digits % 100, 31).filter(|_| month.is_some() && known >= 8);
    (year, month, day)
}

/// Days from 1 January 1970 to a date; `None` if the calendar does not have it.
fn days(year: i16, month: i8, day: i8) -> Option<i32> {
    let (year, month, day) = (i32::from(year), i32::from(month), i32::from(day));
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
    let (year, month) = if month < 3 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };
    let centuries = year.div_euclid(100);
    let before = 365 * year + year.div_euclid(4) - centuries + centuries.div_euclid(4);
    Some(before + (153 * month + 2) / 5 + day - 1 - 719_468)
}

/// Base time and increment of a time control of one period, where they are whole seconds.
fn time_control(value: &[u8]) -> (Option<i32>, Option<i32>) {
    let of = |seconds: Seconds| seconds.to_whole()?.try_into().ok();
    one_period(value).map_or((None, None), |(base, more)| (of(base), of(more)))
}

fn one_period(value: &[u8]) -> Option<(Seconds, Seconds)> {
    let control = TimeControl::parse(std::str::from_utf8(value).ok()?)?;
    match *control.periods() {
        [Period::SuddenDeath(_) | Period::Increment(..)] => control.base(),
        _ => None,
    }
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
        }
    }

    #[test]
    fn parts_of_dates() {
        let parts = |value: &str| parts(Date::from_tags(Some(value.as_bytes()), None));
        assert_eq!(parts("1992.05.03"), (Some(1992), Some(5), Some(3)));
        assert_eq!(parts("1992-5-3"), (Some(1992), Some(5), Some(3)));
        assert_eq!(parts("1992.??.03"), (Some(1992), None, None));
        assert_eq!(parts("199?.05.03"), (None, None, None));
        assert_eq!(parts("2011.19.11"), (Some(2011), None, None));
        assert_eq!(parts("2011.11.31"), (Some(2011), Some(11), Some(31)));
        assert_eq!(parts("????.??.??"), (None, None, None));
    }

    #[test]
    fn time_controls() {
        for (value, expected) in [
            ("300", Some((300, 0))),
            ("180+2", Some((180, 2))),
            ("0+1", Some((0, 1))),
            ("40/7200:3600", None),
            ("*180", None),
            ("+2", None),
            ("180+", None),
            ("180+-2", None),
            ("5+3+1", None),
            ("99999999999", None),
            ("-", None),
            ("", None),
        ] {
            let expected: Option<(i32, i32)> = expected;
            assert_eq!(time_control(value.as_bytes()), expected.unzip(), "{value}");
        }
        assert_eq!(time_control(b"10+0.1"), (Some(10), None));
    }
}
