//! The columns that come from the tag pairs of a game, or from what an index says of it.

use std::borrow::Cow;
use std::collections::HashSet;

use arrow_array::ArrayRef;
use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Date32Builder, Float64Builder, Int8Builder, Int16Builder,
    Int32Builder, MapBuilder, MapFieldNames, StringBuilder, TimestampMillisecondBuilder,
};
use arrow_schema::{DataType, Field};

use super::indexed::{IndexedGame, TagFacts};
use super::schema::{ColumnInfo, Selection, TableColumn};
use pgc_index::{Date, Flags};
use pgc_pgn::eco;
use pgc_pgn::tag_column::{TagColumn, TagKind, TagValue};
use pgc_pgn::text::decoded;

/// With more tag pairs than this, a hash set finds repeated names.
const FEW: usize = 32;

fn is_unknown(value: &[u8]) -> bool {
    matches!(value, b"" | b"?")
}

fn has_digit(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
}

/// Builds a column of [`TableColumn::Tag`].
struct TagBuilder {
    column: &'static TagColumn,
    values: ValueBuilder,
}

enum ValueBuilder {
    Text(StringBuilder),
    Number(Int32Builder),
    Seconds(Float64Builder),
    Date(Date32Builder),
    Time(TimestampMillisecondBuilder),
}

impl ValueBuilder {
    fn new(kind: TagKind) -> ValueBuilder {
        match kind {
            TagKind::Text => ValueBuilder::Text(StringBuilder::new()),
            TagKind::Number => ValueBuilder::Number(Int32Builder::new()),
            TagKind::Seconds => ValueBuilder::Seconds(Float64Builder::new()),
            TagKind::Date => ValueBuilder::Date(Date32Builder::new()),
            TagKind::Time => {
                let builder = TimestampMillisecondBuilder::new();
                ValueBuilder::Time(builder.with_timezone("UTC"))
            }
        }
    }

    /// Adds a value of its type; any other is null.
    fn push(&mut self, value: Option<TagValue<'_>>) {
        match (self, value) {
            (ValueBuilder::Text(values), Some(TagValue::Text(text))) => values.append_value(text),
            (ValueBuilder::Text(values), _) => values.append_null(),
            (ValueBuilder::Number(values), Some(TagValue::Number(n))) => values.append_value(n),
            (ValueBuilder::Number(values), _) => values.append_null(),
            (ValueBuilder::Seconds(values), Some(TagValue::Seconds(time))) => {
                values.append_value(time.as_f64());
            }
            (ValueBuilder::Seconds(values), _) => values.append_null(),
            (ValueBuilder::Date(values), Some(TagValue::Date(days))) => values.append_value(days),
            (ValueBuilder::Date(values), _) => values.append_null(),
            (ValueBuilder::Time(values), Some(TagValue::Time(seconds))) => {
                values.append_value(1000 * seconds);
            }
            (ValueBuilder::Time(values), _) => values.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        let builder: &mut dyn ArrayBuilder = match self {
            ValueBuilder::Text(values) => values,
            ValueBuilder::Number(values) => values,
            ValueBuilder::Seconds(values) => values,
            ValueBuilder::Date(values) => values,
            ValueBuilder::Time(values) => values,
        };
        builder.finish()
    }
}

/// Builds the columns that come from tags.
pub(super) struct TagColumns {
    selection: Selection,
    of_tags: Vec<TagBuilder>,
    /// The tags of these columns.
    names: Vec<&'static str>,
    texts: [StringBuilder; TEXTS.len()],
    year: Int16Builder,
    month: Int8Builder,
    day: Int8Builder,
    full_date: Date32Builder,
    elos: [Int32Builder; 2],
    flags: [BooleanBuilder; FLAGS.len()],
    others: MapBuilder<StringBuilder, StringBuilder>,
}

/// Further columns of text.
const TEXTS: [TableColumn; 4] = [
    TableColumn::Date,
    TableColumn::Result,
    TableColumn::Eco,
    TableColumn::Variant,
];

/// The columns of flags.
const FLAGS: [TableColumn; 6] = [
    TableColumn::HasFen,
    TableColumn::HasComments,
    TableColumn::HasVariations,
    TableColumn::HasNags,
    TableColumn::ResultMismatch,
    TableColumn::OddDate,
];

/// The tags whose text a usual column gives, unless it is unknown.
fn has_text_column(name: &[u8]) -> bool {
    matches!(
        name,
        b"Event"
            | b"Site"
            | b"Round"
            | b"White"
            | b"Black"
            | b"WhiteTitle"
            | b"BlackTitle"
            | b"ECO"
            | b"Opening"
            | b"Variation"
            | b"TimeControl"
            | b"Termination"
            | b"FEN"
    )
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
        let tags = selection.columns().filter_map(|info| info.tag);
        let of_tags: Vec<TagBuilder> = tags
            .map(|column| TagBuilder {
                column,
                values: ValueBuilder::new(column.kind),
            })
            .collect();
        let mut names: Vec<&str> = of_tags
            .iter()
            .flat_map(|tag| tag.column.tags)
            .copied()
            .collect();
        names.sort_unstable();
        names.dedup();
        TagColumns {
            selection,
            of_tags,
            names,
            texts: Default::default(),
            year: Int16Builder::new(),
            month: Int8Builder::new(),
            day: Int8Builder::new(),
            full_date: Date32Builder::new(),
            elos: Default::default(),
            flags: Default::default(),
            others,
        }
    }

    /// Adds a row: tag pairs (names, unescaped values) and other facts of a game.
    pub(super) fn push<'t>(
        &mut self,
        tags: impl Iterator<Item = (&'t [u8], &'t [u8])> + Clone,
        facts: &TagFacts,
    ) {
        // The first value of each tag counts.
        let mut first: Vec<Option<Cow<'_, str>>> = vec![None; self.names.len()];
        if !first.is_empty() {
            for (name, value) in tags.clone() {
                let place = self.names.iter().position(|known| known.as_bytes() == name);
                if let Some(place) = place {
                    first[place].get_or_insert_with(|| decoded(value));
                }
            }
        }
        for tag in &mut self.of_tags {
            let of_tag = |name| {
                let place = self.names.iter().position(|known| *known == name)?;
                first[place].as_deref()
            };
            tag.values.push(tag.column.value(of_tag));
        }
        self.push_facts(facts);
        if self.selection.has(TableColumn::Tags) {
            self.push_others(tags, facts);
        }
    }

    /// Adds a row of a table that has only columns of an index.
    pub(super) fn push_indexed(&mut self, game: &IndexedGame<'_>) {
        for tag in &mut self.of_tags {
            let value = game.name(tag.column.name);
            tag.values.push(tag.column.value(|_| value));
        }
        self.push_facts(&game.facts);
    }

    fn push_facts(&mut self, facts: &TagFacts) {
        let [year, month, day] = facts.date.parts();
        let short = |part: Option<u32>| part.and_then(|part| i8::try_from(part).ok());
        self.year
            .append_option(year.and_then(|year| year.try_into().ok()));
        self.month.append_option(short(month));
        self.day.append_option(short(day));
        self.full_date.append_option(facts.date.days());
        let [date, result, eco, variant] = &mut self.texts;
        if self.selection.has(TableColumn::Date) {
            date.append_option(date_text(facts.date));
        }
        result.append_value(facts.flags.result().as_str());
        let code = eco::characters(facts.eco);
        eco.append_option(code.as_ref().and_then(|code| str::from_utf8(code).ok()));
        variant.append_value(facts.flags.rules().name());
        for (builder, &rating) in self.elos.iter_mut().zip(&facts.elos) {
            builder.append_option((rating > 0).then_some(i32::from(rating)));
        }
        let flags = facts.flags;
        let values = [
            flags.has(Flags::FEN),
            flags.has(Flags::COMMENTS),
            flags.has(Flags::VARIATIONS),
            flags.has(Flags::NAGS),
            flags.has(Flags::MISMATCH),
            facts.date.is_odd(),
        ];
        for (builder, value) in self.flags.iter_mut().zip(values) {
            builder.append_value(value);
        }
    }

    /// Adds the tag pairs that no usual column gives.
    fn push_others<'t>(
        &mut self,
        tags: impl Iterator<Item = (&'t [u8], &'t [u8])> + Clone,
        facts: &TagFacts,
    ) {
        let is_short = tags.clone().nth(FEW).is_none();
        let mut names = HashSet::new();
        for (i, (name, value)) in tags.clone().enumerate() {
            let is_first = if is_short {
                tags.clone().take(i).all(|(before, _)| before != name)
            } else {
                names.insert(name)
            };
            let is_rating = |rating: u16| {
                is_unknown(value) || rating > 0 && rating.to_string().as_bytes() == value
            };
            let is_given = match name {
                b"Date" => {
                    !has_digit(value)
                        || date_text(facts.date).is_some_and(|date| date.as_bytes() == value)
                }
                b"Result" => is_unknown(value) || value == facts.flags.result().as_str().as_bytes(),
                b"WhiteElo" => is_rating(facts.elos[0]),
                b"BlackElo" => is_rating(facts.elos[1]),
                _ => has_text_column(name),
            };
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
    pub(super) fn finish(&mut self, info: &ColumnInfo) -> ArrayRef {
        let of_tag = self.of_tags.iter_mut();
        if let Some(tag) = of_tag.into_iter().find(|tag| tag.column.name == info.name) {
            return tag.values.finish();
        }
        let place = |columns: &[TableColumn]| columns.iter().position(|&c| c == info.column);
        let builder: &mut dyn ArrayBuilder = match info.column {
            TableColumn::Year => &mut self.year,
            TableColumn::Month => &mut self.month,
            TableColumn::Day => &mut self.day,
            TableColumn::FullDate => &mut self.full_date,
            TableColumn::WhiteElo => &mut self.elos[0],
            TableColumn::BlackElo => &mut self.elos[1],
            _ => match (place(&TEXTS), place(&FLAGS)) {
                (Some(place), _) => &mut self.texts[place],
                (_, Some(place)) => &mut self.flags[place],
                _ => &mut self.others,
            },
        };
        builder.finish()
    }
}

/// A date as the standard writes it; `None` if no digit is known.
fn date_text(date: Date) -> Option<String> {
    Some(date.to_string()).filter(|text| has_digit(text.as_bytes()))
}
