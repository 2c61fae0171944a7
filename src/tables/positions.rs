//! The table of positions: a row for each position of the main lines.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, ListBuilder,
    StringBuilder, UInt16Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};

use super::games::RowPlace;
use super::schema::{Selection, TableColumn as C};
use pgc::games::positions::{PositionRow, PositionWalk, WantedFacts};
use pgc::games::walk::BlockGames;
use pgc::run::Error;
use pgc_chess::EpSquare;

/// Approximate length in bytes of a row, without the path of the archive.
const ROW: usize = 100;

/// The columns of text.
const TEXTS: [C; 8] = [
    C::PositionFen,
    C::FenAlways,
    C::MoveSan,
    C::Uci,
    C::Side,
    C::Comment,
    C::Material,
    C::Phase,
];

/// The columns of whole numbers.
const NUMBERS: [C; 7] = [
    C::Ply,
    C::Eval,
    C::Mate,
    C::Depth,
    C::WhiteMaterial,
    C::BlackMaterial,
    C::Repetition,
];

/// The columns of seconds.
const TIMES: [C; 2] = [C::Clock, C::MoveElapsed];

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
    selection: Selection,
    schema: SchemaRef,
    pub(super) rows: usize,
    /// About the bytes of the rows so far.
    pub(super) bytes: usize,
    archive: StringBuilder,
    number: Int64Builder,
    key: UInt64Builder,
    moves: UInt16Builder,
    texts: [StringBuilder; TEXTS.len()],
    numbers: [Int32Builder; NUMBERS.len()],
    times: [Float64Builder; TIMES.len()],
    nags: ListBuilder<Int32Builder>,
    last: BooleanBuilder,
    walk: PositionWalk,
}

impl PositionRows {
    pub(super) fn new(selection: Selection) -> PositionRows {
        let field = Field::new_list_field(DataType::Int32, false);
        PositionRows {
            schema: selection.schema(),
            selection,
            rows: 0,
            bytes: 0,
            archive: StringBuilder::new(),
            number: Int64Builder::new(),
            key: UInt64Builder::new(),
            moves: UInt16Builder::new(),
            texts: Default::default(),
            numbers: Default::default(),
            times: Default::default(),
            nags: ListBuilder::new(Int32Builder::new()).with_field(field),
            last: BooleanBuilder::new(),
            walk: PositionWalk::default(),
        }
    }

    /// Adds the positions of the current game.
    pub(super) fn push(
        &mut self,
        place: RowPlace<'_>,
        games: &BlockGames<'_>,
    ) -> Result<(), Error> {
        let wanted = WantedFacts {
            key: self.selection.has_any(&[C::Key, C::Repetition]),
            san: self.selection.has(C::MoveSan),
            uci: self.selection.has(C::Uci),
            notes: self.selection.has_any(&ANNOTATIONS),
        };
        let mut walk = std::mem::take(&mut self.walk);
        let walked = walk.each(games, wanted, |row| self.push_row(place, row));
        self.walk = walk;
        walked
    }

    /// Adds a value to a column of text, if the table has it.
    fn text(&mut self, column: C, value: Option<&str>) {
        if self.selection.has(column)
            && let Some(place) = TEXTS.iter().position(|&known| known == column)
        {
            self.texts[place].append_option(value);
        }
    }

    /// Adds a value to a column of whole numbers, if the table has it.
    fn number(&mut self, column: C, value: Option<i32>) {
        if self.selection.has(column)
            && let Some(place) = NUMBERS.iter().position(|&known| known == column)
        {
            self.numbers[place].append_option(value);
        }
    }

    fn push_row(&mut self, place: RowPlace<'_>, row: &PositionRow<'_>) {
        self.archive.append_value(place.archive);
        self.number.append_value(place.number.cast_signed());
        self.number(C::Ply, i32::try_from(row.ply).ok());
        if self.selection.has(C::Key) {
            self.key.append_option(row.key);
        }
        self.number(C::Repetition, row.repetition);
        if self.selection.has(C::PositionFen) {
            self.text(C::PositionFen, Some(&row.position.fen()));
        }
        if self.selection.has(C::FenAlways) {
            let fen = row.position.fen_with(EpSquare::Always);
            self.text(C::FenAlways, Some(&fen));
        }
        self.text(C::Side, Some(row.side()));
        self.last.append_value(row.packed.is_none());
        self.moves.append_option(row.packed);
        self.text(C::MoveSan, row.san());
        self.text(C::Uci, row.uci());
        self.push_material(row);
        self.push_notes(row);
        self.rows += 1;
        self.bytes += ROW + place.archive.len();
    }

    fn push_material(&mut self, row: &PositionRow<'_>) {
        if self
            .selection
            .has_any(&[C::WhiteMaterial, C::BlackMaterial])
        {
            let [white, black] = row.points();
            self.number(C::WhiteMaterial, Some(white));
            self.number(C::BlackMaterial, Some(black));
        }
        if self.selection.has(C::Material) {
            self.text(C::Material, Some(&row.material()));
        }
        if self.selection.has(C::Phase) {
            self.text(C::Phase, Some(row.phase()));
        }
    }

    fn push_notes(&mut self, row: &PositionRow<'_>) {
        if !self.selection.has_any(&ANNOTATIONS) {
            return;
        }
        for (builder, time) in self.times.iter_mut().zip(row.times()) {
            builder.append_option(time);
        }
        for (column, value) in [C::Eval, C::Mate, C::Depth]
            .into_iter()
            .zip(row.evaluation())
        {
            self.number(column, value);
        }
        self.text(C::Comment, row.comment());
        let mut has_nags = false;
        for nag in row.nags() {
            self.nags.values().append_value(nag);
            has_nags = true;
        }
        self.nags.append(has_nags);
    }

    /// The rows so far, which are removed.
    pub(super) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let columns = self.selection.clone();
        let arrays = columns.columns();
        let arrays = arrays.map(|info| self.array(info.column)).collect();
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new(Arc::clone(&self.schema), arrays)
    }

    fn array(&mut self, column: C) -> ArrayRef {
        let place = |columns: &[C]| columns.iter().position(|&known| known == column);
        let builder: &mut dyn ArrayBuilder = match column {
            C::Archive => &mut self.archive,
            C::Number => &mut self.number,
            C::Key => &mut self.key,
            C::Move => &mut self.moves,
            C::MoveNags => &mut self.nags,
            C::IsLast => &mut self.last,
            _ => match (place(&TEXTS), place(&NUMBERS), place(&TIMES)) {
                (Some(place), ..) => &mut self.texts[place],
                (_, Some(place), _) => &mut self.numbers[place],
                (.., Some(place)) => &mut self.times[place],
                _ => unreachable!("the table of positions has no column {column:?}"),
            },
        };
        builder.finish()
    }
}
