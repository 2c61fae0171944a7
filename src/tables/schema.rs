//! The columns of the tables (spec/manual/tables.md).

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrow_array::builder::{
    ArrayBuilder, Float64Builder, Int32Builder, ListBuilder, MapBuilder, MapFieldNames,
    StringBuilder, UInt16Builder, make_builder,
};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};

use pgc::games::positions::{COLUMNS, NODE_COLUMNS, PositionColumn};
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
    /// A row for each move, variations too.
    Nodes,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableColumn {
    /// One with what tags say; its name distinguishes it.
    Tag,
    /// One of the table of positions; its name distinguishes it.
    Position,
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
}

/// By what a column is selected, besides its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    /// Every selection by groups has it.
    Head,
    /// Only its name selects it.
    Further,
    /// The name of a group.
    With(&'static str),
}

impl Group {
    fn has_name(self, name: &str) -> bool {
        matches!(self, Group::With(known) if known == name)
    }
}

/// The name, type and group of a column.
#[derive(Clone, Debug)]
pub(super) struct ColumnInfo {
    pub(super) column: TableColumn,
    pub(super) name: Cow<'static, str>,
    values: DataType,
    nullable: bool,
    group: Group,
    /// The tags, if it is a column of [`TableColumn::Tag`].
    pub(super) tag: Option<&'static TagColumn>,
    /// What it shows, if it is a column of [`TableColumn::Position`].
    pub(super) position: Option<&'static PositionColumn>,
}

fn info(column: TableColumn, name: &'static str, values: DataType, group: Group) -> ColumnInfo {
    ColumnInfo {
        column,
        name: name.into(),
        values,
        nullable: true,
        group,
        tag: None,
        position: None,
    }
}

/// A column with what tags say.
fn of_tag(tag: &'static TagColumn, group: Group) -> ColumnInfo {
    let values = match tag.kind {
        TagKind::Text(_) => DataType::Utf8,
        TagKind::Number(_) => DataType::Int32,
        TagKind::Seconds(_) => DataType::Float64,
        TagKind::Date(_) => DataType::Date32,
        // Parquet has no timestamps in whole seconds.
        TagKind::Time(_) => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
    };
    ColumnInfo {
        tag: Some(tag),
        ..info(TableColumn::Tag, tag.name, values, group)
    }
}

/// A column of positions.
fn position(name: &'static str, values: DataType, group: Group) -> ColumnInfo {
    ColumnInfo {
        position: (COLUMNS.iter().chain(&NODE_COLUMNS)).find(|column| column.0 == name),
        ..info(TableColumn::Position, name, values, group)
    }
}

fn never_null(info: ColumnInfo) -> ColumnInfo {
    ColumnInfo {
        nullable: false,
        ..info
    }
}

/// The type of a list; `nullable`: its elements may be null.
fn list(values: DataType, nullable: bool) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(values, nullable)))
}

/// The type of texts by their names.
fn texts_by_name() -> DataType {
    let pair = Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", DataType::Utf8, false),
    ]);
    let entries = Field::new("entries", DataType::Struct(pair), false);
    DataType::Map(Arc::new(entries), false)
}

/// The room that a new builder has, in values.
const ROOM: usize = 1024;

impl ColumnInfo {
    /// The name of the tag, if it is the column of any tag.
    pub(super) fn any_tag(&self) -> Option<&str> {
        self.tag?.name.is_empty().then_some(&*self.name)
    }

    /// A builder of its values.
    pub(super) fn builder(&self) -> Box<dyn ArrayBuilder> {
        fn list<B: ArrayBuilder>(values: B, field: &FieldRef) -> Box<dyn ArrayBuilder> {
            Box::new(ListBuilder::new(values).with_field(Arc::clone(field)))
        }
        match &self.values {
            DataType::List(field) => match field.data_type() {
                DataType::UInt16 => list(UInt16Builder::new(), field),
                DataType::Float64 => list(Float64Builder::new(), field),
                DataType::Int32 => list(Int32Builder::new(), field),
                DataType::List(numbers) => {
                    let numbers =
                        ListBuilder::new(Int32Builder::new()).with_field(Arc::clone(numbers));
                    list(numbers, field)
                }
                _ => list(StringBuilder::new(), field),
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
            other => make_builder(other, ROOM),
        }
    }
}

/// The columns of games, without those of tags.
fn games() -> Vec<ColumnInfo> {
    use DataType::*;
    use Group::{Further, Head, With};
    use TableColumn as C;
    let glyphs = list(list(Int32, false), true);
    vec![
        never_null(info(C::Archive, "archive", Utf8, Head)),
        never_null(info(C::Number, "number", Int64, Head)),
        info(C::Source, "source", Utf8, Head),
        info(C::Date, "date", Utf8, Head),
        info(C::Year, "year", Int16, Head),
        info(C::Month, "month", Int8, Head),
        info(C::Day, "day", Int8, Head),
        info(C::FullDate, "full_date", Date32, Head),
        never_null(info(C::Result, "result", Utf8, Head)),
        info(C::WhiteElo, "white_elo", Int32, Head),
        info(C::BlackElo, "black_elo", Int32, Head),
        info(C::Eco, "eco", Utf8, Head),
        never_null(info(C::Variant, "variant", Utf8, Head)),
        never_null(info(C::Plies, "plies", Int32, Head)),
        never_null(info(C::Wholeness, "wholeness", Utf8, Head)),
        never_null(info(C::Tags, "tags", texts_by_name(), With("tags"))),
        never_null(info(C::Moves, "moves", list(UInt16, false), With("moves"))),
        info(C::Tail, "tail", Utf8, With("moves")),
        never_null(info(C::San, "san", list(Utf8, false), With("san"))),
        info(C::Clocks, "clocks", list(Float64, true), With("clocks")),
        info(C::Elapsed, "elapsed", list(Float64, true), With("clocks")),
        info(C::Evals, "evals", list(Int32, true), With("evals")),
        info(C::Mates, "mates", list(Int32, true), With("evals")),
        info(C::Depths, "depths", list(Int32, true), With("evals")),
        info(C::FirstComment, "first_comment", Utf8, With("comments")),
        info(C::Comments, "comments", list(Utf8, true), With("comments")),
        info(C::Nags, "nags", glyphs, With("nags")),
        never_null(info(C::Pgn, "pgn", Utf8, With("pgn"))),
        info(C::Opening, "opening", Utf8, Further),
        info(C::OpeningEco, "opening_eco", Utf8, Further),
        info(C::OpeningPly, "opening_ply", Int32, Further),
        never_null(info(C::HasFen, "has_fen", Boolean, Further)),
        never_null(info(C::HasComments, "has_comments", Boolean, Further)),
        never_null(info(C::HasVariations, "has_variations", Boolean, Further)),
        never_null(info(C::HasNags, "has_nags", Boolean, Further)),
        never_null(info(C::ResultMismatch, "result_mismatch", Boolean, Further)),
        never_null(info(C::OddDate, "odd_date", Boolean, Further)),
    ]
}

/// The columns of [`Group::Head`] in their usual order, those of tags among them.
const HEAD: &str = "archive number source event site date year month day full_date round white black result white_elo \
    black_elo white_title black_title eco eco_tag opening_tag variation time_control base_seconds increment_seconds \
    speed termination variant fen plies wholeness";

/// All columns of games.
static ALL_GAMES: LazyLock<Vec<ColumnInfo>> = LazyLock::new(|| {
    let place = |name: &str| HEAD.split_whitespace().position(|known| known == name);
    let group = |tag: &TagColumn| place(tag.name).map_or(Group::Further, |_| Group::Head);
    let mut all = games();
    all.extend(TAG_COLUMNS.iter().map(|tag| of_tag(tag, group(tag))));
    all.sort_by_key(|info| place(&info.name).unwrap_or(usize::MAX));
    all
});

/// What any tag says, as text.
static ANY_TEXT: TagColumn = TagColumn::text("", &[""]);

/// All columns of positions.
static POSITIONS: LazyLock<Vec<ColumnInfo>> = LazyLock::new(|| {
    use DataType::*;
    use Group::{Further, Head, With};
    vec![
        never_null(position("archive", Utf8, Head)),
        never_null(position("number", Int64, Head)),
        never_null(position("ply", Int32, Head)),
        position("key", UInt64, With("key")),
        never_null(position("fen", Utf8, With("fen"))),
        never_null(position("fen_always", Utf8, Further)),
        position("move", UInt16, With("moves")),
        position("san", Utf8, With("san")),
        position("uci", Utf8, Further),
        never_null(position("side", Utf8, Further)),
        position("clock", Float64, With("clocks")),
        position("elapsed", Float64, With("clocks")),
        position("eval", Int32, With("evals")),
        position("mate", Int32, With("evals")),
        position("depth", Int32, With("evals")),
        position("comment", Utf8, With("comments")),
        position("nags", list(Int32, false), With("nags")),
        never_null(position("white_material", Int32, Further)),
        never_null(position("black_material", Int32, Further)),
        never_null(position("material", Utf8, Further)),
        never_null(position("phase", Utf8, Further)),
        position("repetition", Int32, Further),
        never_null(position("is_last", Boolean, Further)),
    ]
});

/// All columns of nodes: those of positions, but for what is counted over a main line.
static NODES: LazyLock<Vec<ColumnInfo>> = LazyLock::new(|| {
    let number = |name| never_null(position(name, DataType::Int32, Group::Head));
    let mut all = POSITIONS.clone();
    all.retain(|info| !matches!(&*info.name, "repetition" | "is_last"));
    for info in &mut all {
        info.nullable &= !matches!(&*info.name, "move" | "san" | "uci");
    }
    let at = |name: &str| all.iter().position(|info| info.name == name).unwrap_or(0);
    let (ply, nags) = (at("ply"), at("nags"));
    let before = position("before", DataType::Utf8, Group::With("comments"));
    all.insert(nags, before);
    all.splice(ply..ply, ["node", "parent", "variation"].map(number));
    all
});

impl TableKind {
    fn infos(self) -> &'static [ColumnInfo] {
        match self {
            TableKind::Games => &ALL_GAMES,
            TableKind::Positions => &POSITIONS,
            TableKind::Nodes => &NODES,
        }
    }

    /// The name of the table.
    pub const fn name(self) -> &'static str {
        match self {
            TableKind::Games => "games",
            TableKind::Positions => "positions",
            TableKind::Nodes => "nodes",
        }
    }

    /// Whether the table has columns of the group with this name (spec/manual/tables.md).
    pub fn has_group(self, name: &str) -> bool {
        self.infos().iter().any(|info| info.group.has_name(name))
    }

    /// The names of all columns, in their order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.infos().iter().map(|info| &*info.name)
    }
}

/// Some columns of a table, in an order.
#[derive(Clone, Debug)]
pub struct Selection {
    kind: TableKind,
    /// So many columns, the first ones, are there without that anybody asked for them.
    pub(super) unasked: usize,
    /// A bit for each column, by its number.
    bits: u64,
    columns: Arc<[ColumnInfo]>,
}

/// A name that no column has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no column is called {name}{near}: {} has {}{}", .kind.name(), .kind.names().collect::<Vec<_>>().join(", "),
    match .kind { TableKind::Games => ", and any tag by its name, as in WhiteTeam", _ => "" }
)]
pub struct NoSuchColumn {
    name: String,
    /// The names that are spelled alike, in parentheses.
    near: String,
    kind: TableKind,
}

impl Selection {
    fn new(kind: TableKind, columns: Vec<ColumnInfo>) -> Selection {
        let bits = columns.iter().map(|info| 1 << info.column as u32);
        Selection {
            kind,
            unasked: 0,
            bits: bits.fold(0, |all, bit: u64| all | bit),
            columns: columns.into(),
        }
    }

    fn chosen(kind: TableKind, is_selected: impl Fn(&ColumnInfo) -> bool) -> Selection {
        let selected = kind.infos().iter().filter(|info| is_selected(info));
        Selection::new(kind, selected.cloned().collect())
    }

    /// The columns that a table has by default.
    pub fn usual(kind: TableKind) -> Selection {
        use Group::{Further, Head, With};
        let is_usual = |group| match kind {
            TableKind::Games => !matches!(group, Further | With("san" | "pgn")),
            TableKind::Positions => matches!(group, Head | With("key" | "moves")),
            TableKind::Nodes => !matches!(group, Further | With("key" | "fen")),
        };
        let usual = Selection::chosen(kind, |info| is_usual(info.group));
        Selection {
            unasked: usual.columns.len(),
            ..usual
        }
    }

    /// All columns.
    pub fn all(kind: TableKind) -> Selection {
        Selection::chosen(kind, |_| true)
    }

    /// The columns of the groups with these names, and those that are always there.
    pub fn from_groups(kind: TableKind, names: &[&str]) -> Selection {
        let is_named = |group: Group| names.iter().any(|name| group.has_name(name));
        Selection::chosen(kind, |info| {
            info.group == Group::Head || is_named(info.group)
        })
    }

    /// The columns with these names, in this order. A name that begins with a capital is that of a
    /// tag; in other names case does not matter, and `_` may be `-` or left out. `+` before a name
    /// adds it to the columns that a table has by default.
    ///
    /// # Errors
    /// A name that no column has.
    pub fn named<S: AsRef<str>>(kind: TableKind, names: &[S]) -> Result<Selection, NoSuchColumn> {
        let usual = match names
            .iter()
            .any(|name| name.as_ref().trim().starts_with('+'))
        {
            true => Selection::usual(kind),
            false => Selection::new(kind, Vec::new()),
        };
        let mut columns = usual.columns.to_vec();
        for name in names {
            let name = name.as_ref().trim().trim_start_matches('+');
            let mut known = kind.infos().iter();
            let column = match known.find(|info| is_same_name(&info.name, name)) {
                _ if kind == TableKind::Games && is_tag_name(name) => ColumnInfo {
                    name: name.to_owned().into(),
                    ..of_tag(&ANY_TEXT, Group::Further)
                },
                Some(column) => column.clone(),
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
            if columns.iter().all(|known| known.name != column.name) {
                columns.push(column);
            }
        }
        Ok(Selection {
            unasked: usual.unasked,
            ..Selection::new(kind, columns)
        })
    }

    /// These columns, and those of another selection that are not among them.
    #[cfg(feature = "parquet")]
    pub fn with(&self, others: &Selection) -> Selection {
        let mut columns = self.columns.to_vec();
        let is_new = |info: &&ColumnInfo| self.columns().all(|known| known.name != info.name);
        columns.extend(others.columns().filter(is_new).cloned());
        Selection::new(self.kind, columns)
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
        match self.kind != TableKind::Games || self.has_any(&playing) {
            true => Needs::All,
            false => Needs::Elements,
        }
    }

    pub(super) fn has_any(&self, columns: &[TableColumn]) -> bool {
        columns.iter().any(|&column| self.has(column))
    }

    /// The columns, in their order.
    pub(super) fn columns(&self) -> impl Iterator<Item = &ColumnInfo> {
        self.columns.iter()
    }

    /// The schema of a table with these columns.
    pub fn schema(&self) -> SchemaRef {
        let field = |info: &ColumnInfo| Field::new(&*info.name, info.values.clone(), info.nullable);
        let fields: Fields = self.columns().map(field).collect();
        // The number is the version of spec/manual/tables.md.
        let label = ("pgc.table".to_owned(), format!("{} 1", self.kind.name()));
        Arc::new(Schema::new_with_metadata(fields, HashMap::from([label])))
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
            let named = [TableColumn::Tag, TableColumn::Position];
            own.retain(|column| !named.contains(column));
            own.dedup();
            let named = named
                .iter()
                .fold(0, |all, column| all | 1 << *column as u32);
            let bits = selection.bits & !named;
            assert_eq!(bits.count_ones() as usize, own.len());
            let schema = selection.schema();
            let names: Vec<_> = schema.fields().iter().map(|field| field.name()).collect();
            assert_eq!(names, all);
        }
        let all = Selection::all(TableKind::Positions);
        assert!(all.columns().all(|info| info.position.is_some()));
        let usual = Selection::usual(TableKind::Games);
        let more =
            Selection::named(TableKind::Games, &["+utc_time", " +white", "+WhiteTeam"]).unwrap();
        let names: Vec<_> = more.columns().map(|info| &*info.name).collect();
        assert_eq!(
            names[..usual.unasked],
            usual.columns().map(|info| &*info.name).collect::<Vec<_>>()
        );
        assert_eq!(
            (&names[usual.unasked..], more.unasked),
            (&["utc_time", "WhiteTeam"][..], usual.unasked)
        );
        let asked = ["WhiteTeam", "white-elo", "result", "year", "result", "ECO"];
        let selection = Selection::named(TableKind::Games, &asked).unwrap();
        let names: Vec<_> = selection.columns().map(|info| &*info.name).collect();
        assert_eq!(names, ["WhiteTeam", "white_elo", "result", "year", "ECO"]);
        // The memory for the names of tags ends with their selection.
        assert!(matches!(selection.columns[4].name, Cow::Owned(_)));
        let error = Selection::named(TableKind::Positions, &["ply", "san2"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no column is called san2 (similar: san): positions has archive, number, ply, key, fen, fen_always, move, san, uci, side, clock, elapsed, \
             eval, mate, depth, comment, nags, white_material, black_material, material, phase, repetition, is_last"
        );
    }
}
