//! The tables of positions and of nodes: a row for each position of the main lines, or for each
//! move of all lines.

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, ListBuilder, StringBuilder,
    UInt16Builder, UInt64Builder,
};

use super::builders::ColumnBuilders;
use super::games::RowPlace;
use super::schema::{Selection, TableKind};
use pgc::games::positions::{
    PositionColumn, PositionRow, PositionValue, PositionWalk, WantedFacts,
};
use pgc::games::walk::BlockGames;
use pgc::run::Error;

/// Approximate length in bytes of a row, without the path of the archive.
const ROW: usize = 100;

/// Builds rows of the table of positions.
pub(super) struct PositionRows {
    pub(super) columns: ColumnBuilders,
    /// What the columns show.
    shown: Vec<&'static PositionColumn>,
    wanted: WantedFacts,
    walk: PositionWalk,
}

impl PositionRows {
    pub(super) fn new(selection: Selection) -> PositionRows {
        let names = selection.columns().map(|info| &*info.name);
        PositionRows {
            wanted: WantedFacts {
                nodes: selection.kind() == TableKind::Nodes,
                ..WantedFacts::shown_by(names)
            },
            shown: (selection.columns().filter_map(|info| info.position)).collect(),
            columns: ColumnBuilders::new(selection),
            walk: PositionWalk::default(),
        }
    }

    /// Adds the positions of the current game.
    pub(super) fn push(
        &mut self,
        place: RowPlace<'_>,
        games: &BlockGames<'_>,
    ) -> Result<(), Error> {
        let (archive, wanted) = (place.archive, self.wanted);
        let mut walk = std::mem::take(&mut self.walk);
        let walked = walk.each(games, (archive, place.number), wanted, |row| {
            self.push_row(row);
            self.columns.bytes += ROW + archive.len();
        });
        self.walk = walk;
        walked
    }

    fn push_row(&mut self, row: &PositionRow<'_>) {
        let columns = &mut self.columns;
        for (place, (_, value)) in self.shown.iter().enumerate() {
            match value(row) {
                PositionValue::Text(text) => columns.at::<StringBuilder>(place).append_option(text),
                PositionValue::Number(number) => {
                    columns.at::<Int32Builder>(place).append_option(number);
                }
                PositionValue::Game(number) => {
                    let number = number.cast_signed();
                    columns.at::<Int64Builder>(place).append_value(number);
                }
                PositionValue::Key(key) => columns.at::<UInt64Builder>(place).append_option(key),
                PositionValue::Move(packed) => {
                    columns.at::<UInt16Builder>(place).append_option(packed);
                }
                PositionValue::Seconds(time) => {
                    columns.at::<Float64Builder>(place).append_option(time);
                }
                PositionValue::Flag(flag) => columns.at::<BooleanBuilder>(place).append_value(flag),
                PositionValue::Numbers(numbers) => {
                    let list = columns.at::<ListBuilder<Int32Builder>>(place);
                    list.values().append_slice(&numbers);
                    list.append(!numbers.is_empty());
                }
            }
        }
        self.columns.rows += 1;
    }
}
