//! The table of positions: a row for each position of the main lines.

use arrow_array::RecordBatch;
use arrow_array::builder::{ArrayBuilder, BooleanBuilder, Int32Builder, ListBuilder};
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt16Type, UInt64Type};
use arrow_schema::ArrowError;

use super::builders::ColumnBuilders;
use super::games::RowPlace;
use super::schema::{Selection, TableColumn as C};
use pgc::games::positions::{PositionRow, PositionWalk, WantedFacts};
use pgc::games::walk::BlockGames;
use pgc::run::Error;
use pgc_chess::EpSquare;

/// Approximate length in bytes of a row, without the path of the archive.
const ROW: usize = 100;

/// The columns that need the annotations of the main line.
const ANNOTATIONS: [C; 7] = [
    C::Clock,
    C::MoveElapsed,
    C::Eval,
    C::Mate,
    C::Depth,
    C::Comment,
    C::MoveNags,
];

/// Builds rows of the table of positions.
pub(super) struct PositionRows {
    columns: ColumnBuilders,
    pub(super) rows: usize,
    /// About the bytes of the rows so far.
    pub(super) bytes: usize,
    walk: PositionWalk,
}

impl PositionRows {
    pub(super) fn new(selection: Selection) -> PositionRows {
        PositionRows {
            columns: ColumnBuilders::new(selection),
            rows: 0,
            bytes: 0,
            walk: PositionWalk::default(),
        }
    }

    /// Adds the positions of the current game.
    pub(super) fn push(
        &mut self,
        place: RowPlace<'_>,
        games: &BlockGames<'_>,
    ) -> Result<(), Error> {
        let selection = &self.columns.selection;
        let wanted = WantedFacts {
            key: selection.has_any(&[C::Key, C::Repetition]),
            san: selection.has(C::MoveSan),
            uci: selection.has(C::Uci),
            notes: selection.has_any(&ANNOTATIONS),
        };
        let mut walk = std::mem::take(&mut self.walk);
        let walked = walk.each(games, wanted, |row| self.push_row(place, row));
        self.walk = walk;
        walked
    }

    fn push_row(&mut self, place: RowPlace<'_>, row: &PositionRow<'_>) {
        let columns = &mut self.columns;
        let number = place.number.cast_signed();
        columns.text(C::Archive, Some(place.archive));
        columns.number::<Int64Type>(C::Number, Some(number));
        columns.number::<Int32Type>(C::Ply, i32::try_from(row.ply).ok());
        columns.number::<UInt64Type>(C::Key, row.key);
        columns.number::<Int32Type>(C::Repetition, row.repetition);
        if columns.selection.has(C::PositionFen) {
            columns.text(C::PositionFen, Some(row.position.fen()));
        }
        if columns.selection.has(C::FenAlways) {
            let fen = row.position.fen_with(EpSquare::Always);
            columns.text(C::FenAlways, Some(fen));
        }
        columns.text(C::Side, Some(row.side()));
        if let Some(last) = columns.of::<BooleanBuilder>(C::IsLast) {
            last.append_value(row.packed.is_none());
        }
        columns.number::<UInt16Type>(C::Move, row.packed);
        columns.text(C::MoveSan, row.san());
        columns.text(C::Uci, row.uci());
        self.push_material(row);
        self.push_notes(row);
        self.rows += 1;
        self.bytes += ROW + place.archive.len();
    }

    fn push_material(&mut self, row: &PositionRow<'_>) {
        let columns = &mut self.columns;
        if (columns.selection).has_any(&[C::WhiteMaterial, C::BlackMaterial]) {
            let [white, black] = row.points();
            columns.number::<Int32Type>(C::WhiteMaterial, Some(white));
            columns.number::<Int32Type>(C::BlackMaterial, Some(black));
        }
        if columns.selection.has(C::Material) {
            columns.text(C::Material, Some(row.material()));
        }
        if columns.selection.has(C::Phase) {
            columns.text(C::Phase, Some(row.phase()));
        }
    }

    fn push_notes(&mut self, row: &PositionRow<'_>) {
        let columns = &mut self.columns;
        if !columns.selection.has_any(&ANNOTATIONS) {
            return;
        }
        for (column, time) in [C::Clock, C::MoveElapsed].into_iter().zip(row.times()) {
            columns.number::<Float64Type>(column, time);
        }
        let numbers = [C::Eval, C::Mate, C::Depth];
        for (column, value) in numbers.into_iter().zip(row.evaluation()) {
            columns.number::<Int32Type>(column, value);
        }
        columns.text(C::Comment, row.comment());
        if let Some(list) = columns.of::<ListBuilder<Int32Builder>>(C::MoveNags) {
            let before = list.values().len();
            list.values().extend(row.nags().map(Some));
            let has_nags = list.values().len() > before;
            list.append(has_nags);
        }
    }

    /// The rows so far, which are removed.
    pub(super) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        (self.rows, self.bytes) = (0, 0);
        self.columns.finish()
    }
}
