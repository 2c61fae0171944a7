//! The table of positions: a row for each position of the main lines.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, Int32Builder, Int64Builder, StringBuilder, UInt16Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, SchemaRef};

use super::games::RowPlace;
use super::line::play;
use super::schema::{Selection, TableColumn};
use crate::archive::games::walk::BlockGames;
use crate::chess::{Position, start_position};
use crate::pgn::game::Wholeness;
use crate::run::Error;

/// Approximate length in bytes of a row, without the path of the archive.
const ROW: usize = 100;

/// Builds rows of the table of positions.
pub(super) struct PositionRows {
    selection: Selection,
    schema: SchemaRef,
    rows: usize,
    bytes: usize,
    archive: StringBuilder,
    number: Int64Builder,
    ply: Int32Builder,
    key: UInt64Builder,
    fen: StringBuilder,
    moves: UInt16Builder,
    san: StringBuilder,
}

impl PositionRows {
    pub(super) fn new(selection: Selection) -> PositionRows {
        PositionRows {
            schema: selection.schema(),
            selection,
            rows: 0,
            bytes: 0,
            archive: StringBuilder::new(),
            number: Int64Builder::new(),
            ply: Int32Builder::new(),
            key: UInt64Builder::new(),
            fen: StringBuilder::new(),
            moves: UInt16Builder::new(),
            san: StringBuilder::new(),
        }
    }

    /// About the bytes of the rows so far.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Adds the positions of the current game.
    pub(super) fn push(
        &mut self,
        place: RowPlace<'_>,
        games: &BlockGames<'_>,
    ) -> Result<(), Error> {
        let data = games.game();
        let read = data.game();
        let Ok(mut position) = start_position(data.tags()) else {
            return Ok(());
        };
        let wants_san = self.selection.has(TableColumn::MoveSan);
        let mut san = String::new();
        let mut ply = 0;
        if !data.is_text() && read.wholeness != Wholeness::TextOnly {
            for ordinal in read.main_line() {
                self.push_position(place, ply, &position);
                let text = wants_san.then_some(&mut san);
                let packed = play(games, &mut position, ordinal, text)?;
                self.moves.append_value(packed);
                if wants_san {
                    self.san.append_value(&san);
                }
                ply += 1;
            }
        }
        self.push_position(place, ply, &position);
        self.moves.append_null();
        self.san.append_null();
        Ok(())
    }

    fn push_position(&mut self, place: RowPlace<'_>, ply: i32, position: &Position) {
        self.archive.append_value(place.archive);
        self.number.append_value(place.number.cast_signed());
        self.ply.append_value(ply);
        if self.selection.has(TableColumn::Key) {
            self.key.append_option(position.polyglot_key());
        }
        if self.selection.has(TableColumn::PositionFen) {
            self.fen.append_value(position.fen());
        }
        self.rows += 1;
        self.bytes += ROW + place.archive.len();
    }

    /// The rows so far, which are removed.
    pub(super) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let columns = self.selection.clone();
        let arrays = columns
            .columns()
            .map(|info| self.array(info.column))
            .collect();
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new(Arc::clone(&self.schema), arrays)
    }

    fn array(&mut self, column: TableColumn) -> ArrayRef {
        let builder: &mut dyn ArrayBuilder = match column {
            TableColumn::Archive => &mut self.archive,
            TableColumn::Number => &mut self.number,
            TableColumn::Ply => &mut self.ply,
            TableColumn::Key => &mut self.key,
            TableColumn::PositionFen => &mut self.fen,
            TableColumn::Move => &mut self.moves,
            _ => &mut self.san,
        };
        builder.finish()
    }
}
