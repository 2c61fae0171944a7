//! The columns that come from the tag pairs of a game, or from what an index says of it.

use std::borrow::Cow;
use std::collections::HashMap;

use arrow_array::builder::{
    BooleanBuilder, Date32Builder, Float64Builder, Int32Builder, MapBuilder, StringBuilder,
    TimestampMillisecondBuilder,
};
use arrow_array::types::{Date32Type, Int8Type, Int16Type, Int32Type};

use super::builders::ColumnBuilders;
use super::indexed::{IndexedGame, name};
use super::schema::{Selection, TableColumn};
use pgc_index::{Date, Flags, Row, rules_word};
use pgc_pgn::eco;
use pgc_pgn::tag_column::{TagColumn, TagKind, TagTexts};
use pgc_pgn::text::decoded;
use pgc_pgn::time_control::Seconds;

/// With more tag pairs than this, a hash map finds repeated names.
const FEW: usize = 32;

fn is_unknown(value: &[u8]) -> bool {
    matches!(value, b"" | b"?")
}

fn has_digit(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
}

/// The columns that come from tags.
pub(super) struct TagColumns {
    /// Those of [`TableColumn::Tag`], with their places in the table, and the tag of a column of any
    /// tag.
    of_tags: Vec<(usize, &'static TagColumn, Option<String>)>,
    /// The tags of these columns.
    names: Vec<String>,
}

/// The tags whose text a usual column gives, unless it is unknown.
const WITH_COLUMN: [&str; 13] = [
    "Event",
    "Site",
    "Round",
    "White",
    "Black",
    "WhiteTitle",
    "BlackTitle",
    "ECO",
    "Opening",
    "Variation",
    "TimeControl",
    "Termination",
    "FEN",
];

impl TagColumns {
    pub(super) fn new(selection: &Selection) -> TagColumns {
        let columns = selection.columns().enumerate();
        let of_tags: Vec<_> = columns
            .filter_map(|(place, info)| Some((place, info.tag?, info.any_tag().map(str::to_owned))))
            .collect();
        let mut names: Vec<String> = Vec::new();
        for (_, column, any) in &of_tags {
            match any {
                Some(tag) => names.push(tag.clone()),
                None => names.extend(column.tags.iter().map(|&tag| tag.to_owned())),
            }
        }
        names.sort_unstable();
        names.dedup();
        TagColumns { of_tags, names }
    }

    /// Adds a row: tag pairs (names, unescaped values) and other facts of a game.
    pub(super) fn push<'t>(
        &self,
        columns: &mut ColumnBuilders,
        tags: impl Iterator<Item = (&'t [u8], &'t [u8])> + Clone,
        facts: &Row<&str>,
    ) {
        // The last value of each tag counts.
        let mut last: Vec<Option<Cow<'_, str>>> = vec![None; self.names.len()];
        if !last.is_empty() {
            for (name, value) in tags.clone() {
                let place = self.names.iter().position(|known| known.as_bytes() == name);
                if let Some(place) = place {
                    last[place] = Some(decoded(value));
                }
            }
        }
        for (place, column, any) in &self.of_tags {
            let of_tag = |name| {
                let name = any.as_deref().unwrap_or(name);
                let place = self.names.iter().position(|known| known == name)?;
                last[place].as_deref()
            };
            push_tag(columns, *place, column.kind, column.texts(of_tag));
        }
        push_facts(columns, facts);
        if let Some(others) = columns.builder(TableColumn::Tags) {
            push_others(others, tags, facts);
        }
    }

    /// Adds a row of a table that has only columns of an index.
    pub(super) fn push_indexed(&self, columns: &mut ColumnBuilders, game: &IndexedGame<'_>) {
        for (place, column, _) in &self.of_tags {
            let texts = column.texts(|_| name(game, column.name));
            push_tag(columns, *place, column.kind, texts);
        }
        push_facts(columns, game);
    }
}

/// Adds what tags with these texts say to the column at a place.
fn push_tag(columns: &mut ColumnBuilders, place: usize, kind: TagKind, texts: TagTexts<'_>) {
    match kind {
        TagKind::Text(read) => columns
            .at::<StringBuilder>(place)
            .append_option(read(texts)),
        TagKind::Number(read) => columns.at::<Int32Builder>(place).append_option(read(texts)),
        TagKind::Seconds(read) => {
            let seconds = read(texts).map(Seconds::as_f64);
            columns.at::<Float64Builder>(place).append_option(seconds);
        }
        TagKind::Date(read) => columns
            .at::<Date32Builder>(place)
            .append_option(read(texts)),
        TagKind::Time(read) => {
            let thousandths = read(texts).map(|seconds| 1000 * seconds);
            columns
                .at::<TimestampMillisecondBuilder>(place)
                .append_option(thousandths);
        }
    }
}

fn push_facts<N>(columns: &mut ColumnBuilders, facts: &Row<N>) {
    use TableColumn as C;
    let (date, flags) = (facts.date, facts.flags);
    let [year, month, day] = date.parts();
    let short = |part: Option<u32>| part.and_then(|part| i8::try_from(part).ok());
    columns.number::<Int16Type>(C::Year, year.and_then(|year| year.try_into().ok()));
    columns.number::<Int8Type>(C::Month, short(month));
    columns.number::<Int8Type>(C::Day, short(day));
    columns.number::<Date32Type>(C::FullDate, date.days());
    if columns.selection.has(C::Date) {
        columns.text(C::Date, date_text(date));
    }
    columns.text(C::Result, Some(flags.result().as_str()));
    let code = eco::characters(facts.eco);
    let code = code.as_ref().and_then(|code| str::from_utf8(code).ok());
    columns.text(C::Eco, code);
    columns.text(C::Variant, Some(rules_word(flags.rules())));
    let elo = |rating: u16| (rating > 0).then_some(rating.into());
    columns.number::<Int32Type>(C::WhiteElo, elo(facts.white_elo));
    columns.number::<Int32Type>(C::BlackElo, elo(facts.black_elo));
    for (column, flag) in [
        (C::HasFen, flags.has(Flags::FEN)),
        (C::HasComments, flags.has(Flags::COMMENTS)),
        (C::HasVariations, flags.has(Flags::VARIATIONS)),
        (C::HasNags, flags.has(Flags::NAGS)),
        (C::ResultMismatch, flags.has(Flags::MISMATCH)),
        (C::OddDate, date.is_odd()),
    ] {
        if let Some(builder) = columns.builder::<BooleanBuilder>(column) {
            builder.append_value(flag);
        }
    }
}

/// Adds the tag pairs that no usual column gives.
fn push_others<'t>(
    others: &mut MapBuilder<StringBuilder, StringBuilder>,
    tags: impl Iterator<Item = (&'t [u8], &'t [u8])> + Clone,
    facts: &Row<&str>,
) {
    let is_short = tags.clone().nth(FEW).is_none();
    let mut last = HashMap::new();
    if !is_short {
        last.extend(tags.clone().enumerate().map(|(i, (name, _))| (name, i)));
    }
    for (i, (name, value)) in tags.clone().enumerate() {
        let is_last = match is_short {
            true => tags.clone().skip(i + 1).all(|(later, _)| later != name),
            false => last.get(name) == Some(&i),
        };
        let is_rating =
            |rating: u16| is_unknown(value) || rating > 0 && rating.to_string().as_bytes() == value;
        let is_given = match name {
            b"Date" => {
                !has_digit(value)
                    || date_text(facts.date).is_some_and(|date| date.as_bytes() == value)
            }
            b"Result" => is_unknown(value) || value == facts.flags.result().as_str().as_bytes(),
            b"WhiteElo" => is_rating(facts.white_elo),
            b"BlackElo" => is_rating(facts.black_elo),
            _ => WITH_COLUMN.iter().any(|tag| tag.as_bytes() == name),
        };
        if is_last && !is_given {
            let (keys, values) = others.entries();
            keys.append_value(decoded(name));
            values.append_value(decoded(value));
        }
    }
    // Keys and values are added in pairs, so the lengths are the same.
    let _ = others.append(true);
}

/// A date as the standard writes it; `None` if no digit is known.
fn date_text(date: Date) -> Option<String> {
    Some(date.to_string()).filter(|text| has_digit(text.as_bytes()))
}
