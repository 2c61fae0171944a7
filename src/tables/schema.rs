//! The columns of the tables (spec/tables.md).

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrow_array::builder::{
    ArrayBuilder, Float64Builder, Int32Builder, ListBuilder, MapBuilder, MapFieldNames,
    StringBuilder, UInt16Builder, make_builder,
};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};

use pgc::open::Needs;
use pgc_index::near_texts;
use pgc_pgn::tag_column::{TAG_COLUMNS, TagColumn, TagKind, is_same_name, is_tag_name};

/// A table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableKind {
    /// A row for each game.
    #[default]
    Games,
    /// A row for each position of the main lines.
    Positions,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableColumn {
    /// One with what tags say; its name distinguishes it.
    Tag,
    Archive,
    Number,
    Source,
    Date,
    Year,
    Month,
    Day,
    FullDate,
    Result,
    WhiteElo,
    BlackElo,
    Eco,
    Opening,
    OpeningEco,
    OpeningPly,
    Variant,
    HasFen,
    HasComments,
    HasVariations,
    HasNags,
    ResultMismatch,
    OddDate,
    Plies,
    Wholeness,
    Tags,
    Moves,
    Tail,
    San,
    Clocks,
    Elapsed,
    Evals,
    Mates,
    Depths,
    FirstComment,
    Comments,
    Nags,
    Pgn,
    Ply,
    Key,
    PositionFen,
    FenAlways,
    Move,
    MoveSan,
    Uci,
    Side,
    Clock,
    MoveElapsed,
    Eval,
    Mate,
    Depth,
    Comment,
    MoveNags,
    WhiteMaterial,
    BlackMaterial,
    Material,
    Phase,
    Repetition,
    IsLast,
}

/// Columns that are selected together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ColumnGroup {
    /// The columns that every selection by groups has.
    Head,
    /// Columns that only their names select.
    Further,
    Tags,
    Moves,
    San,
    Clocks,
    Evals,
    Comments,
    Nags,
    Pgn,
    Key,
    Fen,
}

/// The type of the values of a column.
#[derive(Clone, Copy, Debug)]
enum ValueType {
    Text,
    Flag,
    Int8,
    Int16,
    Int32,
    Int64,
    Key,
    Move,
    Date,
    Time,
    Seconds,
    Tags,
    MoveList,
    /// A list whose elements are never null.
    TextList,
    SparseTexts,
    Times,
    Numbers,
    NumberList,
    NumberLists,
}

/// The name, type and group of a column.
#[derive(Debug)]
pub(super) struct ColumnInfo {
    pub(super) column: TableColumn,
    pub(super) name: &'static str,
    values: ValueType,
    nullable: bool,
    group: ColumnGroup,
    /// The tags, if it is a column of [`TableColumn::Tag`].
    pub(super) tag: Option<&'static TagColumn>,
}

const fn info(
    column: TableColumn,
    name: &'static str,
    values: ValueType,
    group: ColumnGroup,
) -> ColumnInfo {
    ColumnInfo {
        column,
        name,
        values,
        nullable: true,
        group,
        tag: None,
    }
}

/// A column with what tags say.
const fn of_tag(tag: &'static TagColumn, group: ColumnGroup) -> ColumnInfo {
    let values = match tag.kind {
        TagKind::Text(_) => ValueType::Text,
        TagKind::Number(_) => ValueType::Int32,
        TagKind::Seconds(_) => ValueType::Seconds,
        TagKind::Date(_) => ValueType::Date,
        TagKind::Time(_) => ValueType::Time,
    };
    ColumnInfo {
        tag: Some(tag),
        ..info(TableColumn::Tag, tag.name, values, group)
    }
}

const fn never_null(info: ColumnInfo) -> ColumnInfo {
    ColumnInfo {
        nullable: false,
        ..info
    }
}

/// The room that a new builder has, in values.
const ROOM: usize = 1024;

impl ColumnInfo {
    /// A builder of its values.
    pub(super) fn builder(&self) -> Box<dyn ArrayBuilder> {
        fn list<B: ArrayBuilder>(values: B, field: &FieldRef) -> Box<dyn ArrayBuilder> {
            Box::new(ListBuilder::new(values).with_field(Arc::clone(field)))
        }
        match self.values.data_type() {
            DataType::List(field) => match field.data_type() {
                DataType::UInt16 => list(UInt16Builder::new(), &field),
                DataType::Float64 => list(Float64Builder::new(), &field),
                DataType::Int32 => list(Int32Builder::new(), &field),
                DataType::List(numbers) => {
                    let numbers =
                        ListBuilder::new(Int32Builder::new()).with_field(Arc::clone(numbers));
                    list(numbers, &field)
                }
                _ => list(StringBuilder::new(), &field),
            },
            DataType::Map(..) => {
                let names = MapFieldNames {
                    entry: "entries".to_owned(),
                    key: "key".to_owned(),
                    value: "value".to_owned(),
                };
                let texts =
                    MapBuilder::new(Some(names), StringBuilder::new(), StringBuilder::new());
                Box::new(texts.with_values_field(Field::new("value", DataType::Utf8, false)))
            }
            other => make_builder(&other, ROOM),
        }
    }
}

/// The columns of games, without those of tags.
const GAMES: &[ColumnInfo] = {
    use ColumnGroup::*;
    use TableColumn as C;
    use ValueType as V;
    &[
        never_null(info(C::Archive, "archive", V::Text, Head)),
        never_null(info(C::Number, "number", V::Int64, Head)),
        info(C::Source, "source", V::Text, Head),
        info(C::Date, "date", V::Text, Head),
        info(C::Year, "year", V::Int16, Head),
        info(C::Month, "month", V::Int8, Head),
        info(C::Day, "day", V::Int8, Head),
        info(C::FullDate, "full_date", V::Date, Head),
        never_null(info(C::Result, "result", V::Text, Head)),
        info(C::WhiteElo, "white_elo", V::Int32, Head),
        info(C::BlackElo, "black_elo", V::Int32, Head),
        info(C::Eco, "eco", V::Text, Head),
        never_null(info(C::Variant, "variant", V::Text, Head)),
        never_null(info(C::Plies, "plies", V::Int32, Head)),
        never_null(info(C::Wholeness, "wholeness", V::Text, Head)),
        never_null(info(C::Tags, "tags", V::Tags, Tags)),
        never_null(info(C::Moves, "moves", V::MoveList, Moves)),
        info(C::Tail, "tail", V::Text, Moves),
        never_null(info(C::San, "san", V::TextList, San)),
        info(C::Clocks, "clocks", V::Times, Clocks),
        info(C::Elapsed, "elapsed", V::Times, Clocks),
        info(C::Evals, "evals", V::Numbers, Evals),
        info(C::Mates, "mates", V::Numbers, Evals),
        info(C::Depths, "depths", V::Numbers, Evals),
        info(C::FirstComment, "first_comment", V::Text, Comments),
        info(C::Comments, "comments", V::SparseTexts, Comments),
        info(C::Nags, "nags", V::NumberLists, Nags),
        never_null(info(C::Pgn, "pgn", V::Text, Pgn)),
        info(C::Opening, "opening", V::Text, Further),
        info(C::OpeningEco, "opening_eco", V::Text, Further),
        info(C::OpeningPly, "opening_ply", V::Int32, Further),
        never_null(info(C::HasFen, "has_fen", V::Flag, Further)),
        never_null(info(C::HasComments, "has_comments", V::Flag, Further)),
        never_null(info(C::HasVariations, "has_variations", V::Flag, Further)),
        never_null(info(C::HasNags, "has_nags", V::Flag, Further)),
        never_null(info(C::ResultMismatch, "result_mismatch", V::Flag, Further)),
        never_null(info(C::OddDate, "odd_date", V::Flag, Further)),
    ]
};

/// The columns of [`ColumnGroup::Head`] in their usual order, those of tags among them.
const HEAD: &str = "archive number source event site date year month day full_date round white black result white_elo \
    black_elo white_title black_title eco eco_tag opening_tag variation time_control base_seconds increment_seconds \
    speed termination variant fen plies wholeness";

/// All columns of games.
static ALL_GAMES: LazyLock<Vec<ColumnInfo>> = LazyLock::new(|| {
    let place = |name: &str| HEAD.split_whitespace().position(|known| known == name);
    let group =
        |tag: &TagColumn| place(tag.name).map_or(ColumnGroup::Further, |_| ColumnGroup::Head);
    let own = GAMES.iter().map(|own| ColumnInfo { ..*own });
    let tags = TAG_COLUMNS.iter().map(|tag| of_tag(tag, group(tag)));
    let mut all: Vec<ColumnInfo> = own.chain(tags).collect();
    all.sort_by_key(|info| place(info.name).unwrap_or(usize::MAX));
    all
});

/// The column with the text of any tag.
static ANY_TAG: ColumnInfo = of_tag(&ANY_TEXT, ColumnGroup::Further);
static ANY_TEXT: TagColumn = TagColumn::text("", &[""]);

/// A column of a selection.
#[derive(Clone, Debug)]
pub(super) struct SelectedColumn {
    info: &'static ColumnInfo,
    /// The name of the tag, if it is [`ANY_TAG`].
    pub(super) any: Option<Arc<str>>,
}

impl SelectedColumn {
    pub(super) fn name(&self) -> &str {
        self.any.as_deref().unwrap_or(self.info.name)
    }
}

impl From<&'static ColumnInfo> for SelectedColumn {
    fn from(info: &'static ColumnInfo) -> SelectedColumn {
        SelectedColumn { info, any: None }
    }
}

impl std::ops::Deref for SelectedColumn {
    type Target = ColumnInfo;

    fn deref(&self) -> &ColumnInfo {
        self.info
    }
}

const POSITIONS: &[ColumnInfo] = {
    use ColumnGroup::*;
    use TableColumn as C;
    use ValueType as V;
    &[
        never_null(info(C::Archive, "archive", V::Text, Head)),
        never_null(info(C::Number, "number", V::Int64, Head)),
        never_null(info(C::Ply, "ply", V::Int32, Head)),
        info(C::Key, "key", V::Key, Key),
        never_null(info(C::PositionFen, "fen", V::Text, Fen)),
        never_null(info(C::FenAlways, "fen_always", V::Text, Further)),
        info(C::Move, "move", V::Move, Moves),
        info(C::MoveSan, "san", V::Text, San),
        info(C::Uci, "uci", V::Text, Further),
        never_null(info(C::Side, "side", V::Text, Further)),
        info(C::Clock, "clock", V::Seconds, Clocks),
        info(C::MoveElapsed, "elapsed", V::Seconds, Clocks),
        info(C::Eval, "eval", V::Int32, Evals),
        info(C::Mate, "mate", V::Int32, Evals),
        info(C::Depth, "depth", V::Int32, Evals),
        info(C::Comment, "comment", V::Text, Comments),
        info(C::MoveNags, "nags", V::NumberList, Nags),
        never_null(info(C::WhiteMaterial, "white_material", V::Int32, Further)),
        never_null(info(C::BlackMaterial, "black_material", V::Int32, Further)),
        never_null(info(C::Material, "material", V::Text, Further)),
        never_null(info(C::Phase, "phase", V::Text, Further)),
        info(C::Repetition, "repetition", V::Int32, Further),
        never_null(info(C::IsLast, "is_last", V::Flag, Further)),
    ]
};

impl TableKind {
    fn infos(self) -> &'static [ColumnInfo] {
        match self {
            TableKind::Games => &ALL_GAMES,
            TableKind::Positions => POSITIONS,
        }
    }

    /// The name of the table.
    pub const fn name(self) -> &'static str {
        match self {
            TableKind::Games => "games",
            TableKind::Positions => "positions",
        }
    }

    /// Whether the table has columns of this group.
    pub fn has_group(self, group: ColumnGroup) -> bool {
        self.infos().iter().any(|info| info.group == group)
    }

    /// The names of all columns, in their order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.infos().iter().map(|info| info.name)
    }
}

/// Some columns of a table, in an order.
#[derive(Clone, Debug)]
pub struct Selection {
    kind: TableKind,
    /// A bit for each column, by its number.
    bits: u64,
    columns: Arc<[SelectedColumn]>,
}

/// A name that no column has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no column is called {name}{near}: {} has {}{}", .kind.name(), .kind.names().collect::<Vec<_>>().join(", "),
    match .kind { TableKind::Games => ", and any tag by its name, as in WhiteTeam", TableKind::Positions => "" }
)]
pub struct NoSuchColumn {
    name: String,
    /// The names that are spelled alike, in parentheses.
    near: String,
    kind: TableKind,
}

impl Selection {
    fn new(kind: TableKind, columns: Vec<SelectedColumn>) -> Selection {
        let bits = columns.iter().map(|info| 1 << info.column as u32);
        Selection {
            kind,
            bits: bits.fold(0, |all, bit: u64| all | bit),
            columns: columns.into(),
        }
    }

    fn of(kind: TableKind, is_selected: impl Fn(&ColumnInfo) -> bool) -> Selection {
        let selected = kind.infos().iter().filter(|info| is_selected(info));
        Selection::new(kind, selected.map(SelectedColumn::from).collect())
    }

    /// The columns that a table has by default.
    pub fn usual(kind: TableKind) -> Selection {
        use ColumnGroup::*;
        let is_usual = |group| match kind {
            TableKind::Games => !matches!(group, San | Pgn | Further),
            TableKind::Positions => matches!(group, Head | Key | Fen | Moves),
        };
        Selection::of(kind, |info| is_usual(info.group))
    }

    /// All columns.
    pub fn all(kind: TableKind) -> Selection {
        Selection::of(kind, |_| true)
    }

    /// The columns of these groups, and those that are always there.
    pub fn of_groups(kind: TableKind, groups: &[ColumnGroup]) -> Selection {
        Selection::of(kind, |info| {
            info.group == ColumnGroup::Head || groups.contains(&info.group)
        })
    }

    /// The columns with these names, in this order. A name that begins with a capital is that of a
    /// tag; in other names case does not matter, and `_` may be `-` or left out.
    ///
    /// # Errors
    /// A name that no column has.
    pub fn named<S: AsRef<str>>(kind: TableKind, names: &[S]) -> Result<Selection, NoSuchColumn> {
        let mut columns: Vec<SelectedColumn> = Vec::new();
        for name in names {
            let name = name.as_ref().trim();
            let mut known = kind.infos().iter();
            let column = match known.find(|info| is_same_name(info.name, name)) {
                _ if kind == TableKind::Games && is_tag_name(name) => SelectedColumn {
                    info: &ANY_TAG,
                    any: Some(name.into()),
                },
                Some(column) => column.into(),
                None => {
                    let near = near_texts(name, kind.names()).join(", ");
                    return Err(NoSuchColumn {
                        name: name.to_owned(),
                        near: if near.is_empty() {
                            near
                        } else {
                            format!(" (similar: {near})")
                        },
                        kind,
                    });
                }
            };
            if columns.iter().all(|known| known.name() != column.name()) {
                columns.push(column);
            }
        }
        Ok(Selection::new(kind, columns))
    }

    /// The table.
    pub fn kind(&self) -> TableKind {
        self.kind
    }

    pub(super) const fn has(&self, column: TableColumn) -> bool {
        self.bits >> column as u32 & 1 != 0
    }

    /// What is read of games for these columns.
    pub(super) fn needs(&self) -> Needs {
        use TableColumn::*;
        let playing = [Moves, San, Pgn, Opening, OpeningEco, OpeningPly];
        match self.kind == TableKind::Positions || self.has_any(&playing) {
            true => Needs::All,
            false => Needs::Elements,
        }
    }

    pub(super) fn has_any(&self, columns: &[TableColumn]) -> bool {
        columns.iter().any(|&column| self.has(column))
    }

    /// The columns, in their order.
    pub(super) fn columns(&self) -> impl Iterator<Item = &SelectedColumn> {
        self.columns.iter()
    }

    /// The schema of a table with these columns.
    pub fn schema(&self) -> SchemaRef {
        let fields: Fields = self
            .columns()
            .map(|info| Field::new(info.name(), info.values.data_type(), info.nullable))
            .collect();
        // The number is the version of spec/tables.md.
        let label = ("pgc.table".to_owned(), format!("{} 1", self.kind.name()));
        Arc::new(Schema::new_with_metadata(fields, HashMap::from([label])))
    }
}

impl ValueType {
    fn data_type(self) -> DataType {
        let list = |data_type, nullable| {
            DataType::List(Arc::new(Field::new_list_field(data_type, nullable)))
        };
        match self {
            ValueType::Text => DataType::Utf8,
            ValueType::Flag => DataType::Boolean,
            ValueType::Int8 => DataType::Int8,
            ValueType::Int16 => DataType::Int16,
            ValueType::Int32 => DataType::Int32,
            ValueType::Int64 => DataType::Int64,
            ValueType::Key => DataType::UInt64,
            ValueType::Move => DataType::UInt16,
            ValueType::Date => DataType::Date32,
            // Parquet has no timestamps in whole seconds.
            ValueType::Time => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
            ValueType::Seconds => DataType::Float64,
            ValueType::Tags => {
                let pair = Fields::from(vec![
                    Field::new("key", DataType::Utf8, false),
                    Field::new("value", DataType::Utf8, false),
                ]);
                let entries = Field::new("entries", DataType::Struct(pair), false);
                DataType::Map(Arc::new(entries), false)
            }
            ValueType::MoveList => list(DataType::UInt16, false),
            ValueType::TextList => list(DataType::Utf8, false),
            ValueType::SparseTexts => list(DataType::Utf8, true),
            ValueType::Times => list(DataType::Float64, true),
            ValueType::Numbers => list(DataType::Int32, true),
            ValueType::NumberList => list(DataType::Int32, false),
            ValueType::NumberLists => list(list(DataType::Int32, false), true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_by_name() {
        for kind in [TableKind::Games, TableKind::Positions] {
            let all: Vec<&str> = kind.names().collect();
            let selection = Selection::named(kind, &all).unwrap();
            let mut own: Vec<_> = selection.columns().map(|info| info.column).collect();
            own.retain(|column| *column != TableColumn::Tag);
            own.dedup();
            let bits = selection.bits & !(1 << TableColumn::Tag as u32);
            assert_eq!(bits.count_ones() as usize, own.len());
            let schema = selection.schema();
            let names: Vec<_> = schema.fields().iter().map(|field| field.name()).collect();
            assert_eq!(names, all);
        }
        let asked = ["WhiteTeam", "white-elo", "result", "year", "result", "ECO"];
        let selection = Selection::named(TableKind::Games, &asked).unwrap();
        let names: Vec<_> = selection.columns().map(SelectedColumn::name).collect();
        assert_eq!(names, ["WhiteTeam", "white_elo", "result", "year", "ECO"]);
        // The memory for the names of tags ends with their selection.
        let name: Arc<str> = selection.columns[4].any.clone().unwrap();
        assert_eq!(Arc::strong_count(&name), 2);
        drop(selection);
        assert_eq!(Arc::strong_count(&name), 1);
        let error = Selection::named(TableKind::Positions, &["ply", "san2"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no column is called san2 (similar: san): positions has archive, number, ply, key, fen, fen_always, move, san, uci, side, clock, elapsed, \
             eval, mate, depth, comment, nags, white_material, black_material, material, phase, repetition, is_last"
        );
    }
}
