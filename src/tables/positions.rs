//! The table of positions: a row for each position of the main lines.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int32Builder, Int64Builder, ListBuilder,
    StringBuilder, UInt16Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};

use super::annotations::{LineNotes, PlyValues};
use super::games::RowPlace;
use super::line::play;
use super::schema::{Selection, TableColumn as C};
use pgc::games::walk::BlockGames;
use pgc::run::Error;
use pgc_chess::{EpSquare, Position, start_position};
use pgc_pgn::game::Wholeness;

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

/// The letters of pawn to king, and their values in pawns.
const PIECES: [(char, usize); 6] = [('P', 1), ('N', 3), ('B', 3), ('R', 5), ('Q', 9), ('K', 0)];

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
    notes: LineNotes,
    /// How often each position of the current game was there.
    seen: HashMap<u64, i32>,
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
            notes: LineNotes::default(),
            seen: HashMap::new(),
        }
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
        self.seen.clear();
        if self.selection.has_any(&ANNOTATIONS) {
            self.notes
                .read(data.text(), &read, !position.white_to_move());
        }
        let wants_san = self.selection.has(C::MoveSan);
        let wants_uci = self.selection.has(C::Uci);
        let mut san = String::new();
        let mut ply = 0;
        if !data.is_text() && read.wholeness != Wholeness::TextOnly {
            for ordinal in read.main_line() {
                self.push_position(place, ply, &position, false);
                let uci = || Some(position.uci(position.select(ordinal)?));
                let uci = if wants_uci { uci() } else { None };
                let text = wants_san.then_some(&mut san);
                let packed = play(games, &mut position, ordinal, text)?;
                self.moves.append_value(packed);
                self.text(C::MoveSan, Some(&san));
                self.text(C::Uci, uci.as_deref());
                self.push_notes(u32::try_from(ply).ok());
                ply += 1;
            }
        }
        self.push_position(place, ply, &position, true);
        self.moves.append_null();
        self.text(C::MoveSan, None);
        self.text(C::Uci, None);
        self.push_notes(None);
        Ok(())
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

    fn push_position(&mut self, place: RowPlace<'_>, ply: i32, position: &Position, is_last: bool) {
        self.archive.append_value(place.archive);
        self.number.append_value(place.number.cast_signed());
        self.number(C::Ply, Some(ply));
        if self.selection.has_any(&[C::Key, C::Repetition]) {
            let key = position.polyglot_key();
            self.key.append_option(key);
            let times = key.map(|key| {
                let times = self.seen.entry(key).or_default();
                *times += 1;
                *times
            });
            self.number(C::Repetition, times);
        }
        if self.selection.has(C::PositionFen) {
            self.text(C::PositionFen, Some(&position.fen()));
        }
        if self.selection.has(C::FenAlways) {
            let fen = position.fen_with(EpSquare::Always);
            self.text(C::FenAlways, Some(&fen));
        }
        let side = ["black", "white"][usize::from(position.white_to_move())];
        self.text(C::Side, Some(side));
        self.last.append_value(is_last);
        self.push_material(position);
        self.rows += 1;
        self.bytes += ROW + place.archive.len();
    }

    fn push_material(&mut self, position: &Position) {
        let columns = [C::WhiteMaterial, C::BlackMaterial, C::Material, C::Phase];
        if !self.selection.has_any(&columns) {
            return;
        }
        let counts = position.counts();
        for (column, counts) in columns.into_iter().zip(counts) {
            let values = PIECES.iter().zip(counts);
            let sum: usize = values.map(|(piece, count)| piece.1 * count).sum();
            self.number(column, i32::try_from(sum).ok());
        }
        if self.selection.has(C::Material) {
            let of_side = |counts: [usize; 6]| -> String {
                let pieces = PIECES.iter().zip(counts).rev();
                pieces
                    .flat_map(|(piece, count)| std::iter::repeat_n(piece.0, count))
                    .collect()
            };
            let [white, black] = counts.map(of_side);
            self.text(C::Material, Some(&format!("{white} {black}")));
        }
        let pieces: usize = counts.iter().flat_map(|side| &side[1..5]).sum();
        let phase = match pieces {
            ..=6 => "endgame",
            7..=10 => "middlegame",
            _ => "opening",
        };
        self.text(C::Phase, Some(phase));
    }

    /// Adds what is said of the move after so many plies; `None`: there is no move.
    fn push_notes(&mut self, ply: Option<u32>) {
        if !self.selection.has_any(&ANNOTATIONS) {
            return;
        }
        let notes = std::mem::take(&mut self.notes);
        for (builder, values) in self.times.iter_mut().zip([&notes.clocks, &notes.elapsed]) {
            builder.append_option(at(values, ply).first().map(|value| value.1));
        }
        for (column, values) in [
            (C::Eval, &notes.evals),
            (C::Mate, &notes.mates),
            (C::Depth, &notes.depths),
        ] {
            self.number(column, at(values, ply).first().map(|value| value.1));
        }
        let comment = at(&notes.comments, ply).first();
        self.text(C::Comment, comment.map(|comment| &*comment.1));
        let nags = at(&notes.nags, ply);
        for nag in nags {
            self.nags.values().append_value(nag.1);
        }
        self.nags.append(!nags.is_empty());
        self.notes = notes;
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
                _ => &mut self.archive,
            },
        };
        builder.finish()
    }
}

/// The values of a ply.
fn at<T>(values: &PlyValues<T>, ply: Option<u32>) -> &[(u32, T)] {
    let Some(ply) = ply else {
        return &[];
    };
    let begin = values.partition_point(|value| value.0 < ply);
    let end = begin + values[begin..].partition_point(|value| value.0 == ply);
    &values[begin..end]
}
