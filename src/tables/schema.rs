//! The columns of the tables (spec/tables.md).

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};

use crate::index::near_texts;

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
    Archive,
    Game,
    Source,
    Event,
    Site,
    Date,
    Year,
    Month,
    Day,
    FullDate,
    Round,
    White,
    Black,
    Result,
    WhiteElo,
    BlackElo,
    WhiteTitle,
    BlackTitle,
    Eco,
    EcoCode,
    Opening,
    Variation,
    TimeControl,
    BaseSeconds,
    IncrementSeconds,
    Termination,
    Variant,
    Fen,
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
    Move,
    MoveSan,
}

/// Columns that are selected together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ColumnGroup {
    /// The columns that every selection by groups has.
    Head,
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
#[derive(Clone, Copy)]
enum ValueType {
    Text,
    Int8,
    Int16,
    Int32,
    Int64,
    Key,
    Move,
    Date,
    Tags,
    MoveList,
    /// A list whose elements are never null.
    TextList,
    SparseTexts,
    Seconds,
    Numbers,
    NumberLists,
}

/// The name, type and group of a column.
struct ColumnInfo {
    column: TableColumn,
    name: &'static str,
    values: ValueType,
    nullable: bool,
    group: ColumnGroup,
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
    }
}

const fn never_null(info: ColumnInfo) -> ColumnInfo {
    ColumnInfo {
        nullable: false,
        ..info
    }
}

const GAMES: &[ColumnInfo] = {
    use ColumnGroup::*;
    use TableColumn as C;
    use ValueType as V;
    &[
        never_null(info(C::Archive, "archive", V::Text, Head)),
        never_null(info(C::Game, "game", V::Int64, Head)),
        info(C::Source, "source", V::Text, Head),
        info(C::Event, "event", V::Text, Head),
        info(C::Site, "site", V::Text, Head),
        info(C::Date, "date", V::Text, Head),
        info(C::Year, "year", V::Int16, Head),
        info(C::Month, "month", V::Int8, Head),
        info(C::Day, "day", V::Int8, Head),
        info(C::FullDate, "full_date", V::Date, Head),
        info(C::Round, "round", V::Text, Head),
        info(C::White, "white", V::Text, Head),
        info(C::Black, "black", V::Text, Head),
        never_null(info(C::Result, "result", V::Text, Head)),
        info(C::WhiteElo, "white_elo", V::Int32, Head),
        info(C::BlackElo, "black_elo", V::Int32, Head),
        info(C::WhiteTitle, "white_title", V::Text, Head),
        info(C::BlackTitle, "black_title", V::Text, Head),
        info(C::Eco, "eco", V::Text, Head),
        info(C::EcoCode, "eco_code", V::Text, Head),
        info(C::Opening, "opening", V::Text, Head),
        info(C::Variation, "variation", V::Text, Head),
        info(C::TimeControl, "time_control", V::Text, Head),
        info(C::BaseSeconds, "base_seconds", V::Int32, Head),
        info(C::IncrementSeconds, "increment_seconds", V::Int32, Head),
        info(C::Termination, "termination", V::Text, Head),
        info(C::Variant, "variant", V::Text, Head),
        info(C::Fen, "fen", V::Text, Head),
        never_null(info(C::Plies, "plies", V::Int32, Head)),
        never_null(info(C::Wholeness, "wholeness", V::Text, Head)),
        never_null(info(C::Tags, "tags", V::Tags, Tags)),
        never_null(info(C::Moves, "moves", V::MoveList, Moves)),
        info(C::Tail, "tail", V::Text, Moves),
        never_null(info(C::San, "san", V::TextList, San)),
        info(C::Clocks, "clocks", V::Seconds, Clocks),
        info(C::Elapsed, "elapsed", V::Seconds, Clocks),
        info(C::Evals, "evals", V::Numbers, Evals),
        info(C::Mates, "mates", V::Numbers, Evals),
        info(C::Depths, "depths", V::Numbers, Evals),
        info(C::FirstComment, "first_comment", V::Text, Comments),
        info(C::Comments, "comments", V::SparseTexts, Comments),
        info(C::Nags, "nags", V::NumberLists, Nags),
        never_null(info(C::Pgn, "pgn", V::Text, Pgn)),
    ]
};

const POSITIONS: &[ColumnInfo] = {
    use ColumnGroup::*;
    use TableColumn as C;
    use ValueType as V;
    &[
        never_null(info(C::Archive, "archive", V::Text, Head)),
        never_null(info(C::Game, "game", V::Int64, Head)),
        never_null(info(C::Ply, "ply", V::Int32, Head)),
        info(C::Key, "key", V::Key, Key),
        never_null(info(C::PositionFen, "fen", V::Text, Fen)),
        info(C::Move, "move", V::Move, Moves),
        info(C::MoveSan, "san", V::Text, San),
    ]
};

impl TableKind {
    fn infos(self) -> &'static [ColumnInfo] {
        match self {
            TableKind::Games => GAMES,
            TableKind::Positions => POSITIONS,
        }
    }

    /// The name of the table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TableKind::Games => "games",
            TableKind::Positions => "positions",
        }
    }

    /// Whether the table has columns of this group.
    #[must_use]
    pub fn has_group(self, group: ColumnGroup) -> bool {
        self.infos().iter().any(|info| info.group == group)
    }

    /// The names of all columns, in their order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.infos().iter().map(|info| info.name)
    }
}

/// Some columns of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    kind: TableKind,
    /// A bit for each column, by its number.
    bits: u64,
}

/// A name that no column has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no column is called {name}{near}: {} has {}", .kind.name(), .kind.names().collect::<Vec<_>>().join(", "))]
pub struct NoSuchColumn {
    name: String,
    /// The names that are spelled alike, in parentheses.
    near: String,
    kind: TableKind,
}

impl Selection {
    fn of(kind: TableKind, is_selected: impl Fn(&ColumnInfo) -> bool) -> Selection {
        let selected = kind.infos().iter().filter(|info| is_selected(info));
        let bits = selected.fold(0, |bits, info| bits | 1 << info.column as u32);
        Selection { kind, bits }
    }

    /// The columns that a table has by default.
    #[must_use]
    pub fn usual(kind: TableKind) -> Selection {
        Selection::of(kind, |info| {
            !matches!(info.group, ColumnGroup::San | ColumnGroup::Pgn)
        })
    }

    /// The columns of these groups, and those that are always there.
    #[must_use]
    pub fn of_groups(kind: TableKind, groups: &[ColumnGroup]) -> Selection {
        Selection::of(kind, |info| {
            info.group == ColumnGroup::Head || groups.contains(&info.group)
        })
    }

    /// The columns with these names.
    ///
    /// # Errors
    /// A name that no column has.
    pub fn named<S: AsRef<str>>(kind: TableKind, names: &[S]) -> Result<Selection, NoSuchColumn> {
        for name in names {
            if kind.names().all(|known| known != name.as_ref()) {
                let near = near_texts(name.as_ref(), kind.names()).join(", ");
                return Err(NoSuchColumn {
                    name: name.as_ref().to_owned(),
                    near: if near.is_empty() {
                        near
                    } else {
                        format!(" (similar: {near})")
                    },
                    kind,
                });
            }
        }
        Ok(Selection::of(kind, |info| {
            names.iter().any(|name| name.as_ref() == info.name)
        }))
    }

    /// The table.
    #[must_use]
    pub fn kind(self) -> TableKind {
        self.kind
    }

    pub(super) const fn has(self, column: TableColumn) -> bool {
        self.bits >> column as u32 & 1 != 0
    }

    pub(super) fn has_any(self, columns: &[TableColumn]) -> bool {
        columns.iter().any(|&column| self.has(column))
    }

    /// The columns, in their order.
    pub(super) fn columns(self) -> impl Iterator<Item = TableColumn> {
        let columns = self.kind.infos().iter().map(|info| info.column);
        columns.filter(move |&column| self.has(column))
    }

    /// The schema of a table with these columns.
    #[must_use]
    pub fn schema(self) -> SchemaRef {
        let infos = self.kind.infos().iter();
        let fields: Fields = infos
            .filter(|info| self.has(info.column))
            .map(|info| Field::new(info.name, info.values.data_type(), info.nullable))
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
            ValueType::Int8 => DataType::Int8,
            ValueType::Int16 => DataType::Int16,
            ValueType::Int32 => DataType::Int32,
            ValueType::Int64 => DataType::Int64,
            ValueType::Key => DataType::UInt64,
            ValueType::Move => DataType::UInt16,
            ValueType::Date => DataType::Date32,
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
            ValueType::Seconds => list(DataType::Float64, true),
            ValueType::Numbers => list(DataType::Int32, true),
            ValueType::NumberLists => list(list(DataType::Int32, false), true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_bit_of_its_own() {
        for kind in [TableKind::Games, TableKind::Positions] {
            let all: Vec<&str> = kind.names().collect();
            let selection = Selection::named(kind, &all).unwrap();
            assert_eq!(selection.bits.count_ones() as usize, all.len());
            let schema = selection.schema();
            let names: Vec<_> = schema.fields().iter().map(|field| field.name()).collect();
            assert_eq!(names, all);
        }
        let error = Selection::named(TableKind::Positions, &["ply", "san2"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no column is called san2 (similar: san): positions has archive, game, ply, key, fen, move, san"
        );
    }
}
