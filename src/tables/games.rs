//! The table of games: a row for each.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, Float64Builder, Int32Builder, Int64Builder, ListBuilder, StringBuilder,
    UInt16Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};

use super::annotations::{LineNotes, PlyValues};
use super::indexed::{IndexedGame, TagFacts};
use super::line::each_move;
use super::schema::{ColumnInfo, Selection, TableColumn};
use super::tag_columns::TagColumns;
use pgc::games::facts::Wants;
use pgc::games::walk::BlockGames;
use pgc::run::Error;
use pgc_chess::{NamedOpening, OPENING_PLIES, named_opening, start_position};
use pgc_index::{Extras, Summaries};
use pgc_pgn::game::Wholeness;
use pgc_pgn::text::decoded;

/// Approximate length in bytes of a row, without the parts that grow with the game.
const ROW: usize = 256;

/// Approximate length in bytes of a ply in all lists.
const PLY: usize = 48;

/// The columns that need the annotations of the main line.
const ANNOTATIONS: [TableColumn; 8] = [
    TableColumn::Clocks,
    TableColumn::Elapsed,
    TableColumn::Evals,
    TableColumn::Mates,
    TableColumn::Depths,
    TableColumn::FirstComment,
    TableColumn::Comments,
    TableColumn::Nags,
];

/// Builds rows of the table of games.
pub(super) struct GameRows {
    selection: Selection,
    schema: SchemaRef,
    pub(super) rows: usize,
    /// About the bytes of the rows so far.
    pub(super) bytes: usize,
    built: GameBuilders,
    tags: TagColumns,
    notes: LineNotes,
    /// The summary of the current game, and what it has.
    summary: Summaries,
    wants: Wants,
}

/// The columns that do not come from tags.
#[derive(Default)]
struct GameBuilders {
    archive: StringBuilder,
    number: Int64Builder,
    source: StringBuilder,
    opening: StringBuilder,
    opening_eco: StringBuilder,
    opening_ply: Int32Builder,
    plies: Int32Builder,
    wholeness: StringBuilder,
    moves: ListBuilder<UInt16Builder>,
    san: ListBuilder<StringBuilder>,
    tail: StringBuilder,
    clocks: ListBuilder<Float64Builder>,
    elapsed: ListBuilder<Float64Builder>,
    evals: ListBuilder<Int32Builder>,
    mates: ListBuilder<Int32Builder>,
    depths: ListBuilder<Int32Builder>,
    first_comment: StringBuilder,
    comments: ListBuilder<StringBuilder>,
    nags: ListBuilder<ListBuilder<Int32Builder>>,
    pgn: StringBuilder,
}

/// The archive, number and source of a game, which its block does not have.
#[derive(Clone, Copy)]
pub(super) struct RowPlace<'a> {
    pub(super) archive: &'a str,
    /// From 1.
    pub(super) number: u64,
    pub(super) source: Option<&'a str>,
}

/// The field of a list whose elements are never null.
fn elements(data_type: DataType) -> Field {
    Field::new_list_field(data_type, false)
}

impl GameRows {
    pub(super) fn new(selection: Selection) -> GameRows {
        let numbers = ListBuilder::new(Int32Builder::new()).with_field(elements(DataType::Int32));
        let built = GameBuilders {
            moves: ListBuilder::new(UInt16Builder::new()).with_field(elements(DataType::UInt16)),
            san: ListBuilder::new(StringBuilder::new()).with_field(elements(DataType::Utf8)),
            nags: ListBuilder::new(numbers),
            ..GameBuilders::default()
        };
        GameRows {
            schema: selection.schema(),
            rows: 0,
            bytes: 0,
            built,
            tags: TagColumns::new(selection.clone()),
            notes: LineNotes::default(),
            summary: Summaries::new(),
            wants: Wants::new(Extras::default()),
            selection,
        }
    }

    /// Adds the text of the game added last, if it is wanted.
    pub(super) fn push_text(&mut self, text: &[u8]) {
        self.built.pgn.append_value(decoded(text));
        self.bytes += text.len();
    }

    /// Adds the current game, without its text.
    pub(super) fn push(
        &mut self,
        place: RowPlace<'_>,
        games: &BlockGames<'_>,
    ) -> Result<(), Error> {
        let data = games.game();
        let read = data.game();
        // A stream of another program may have ordinals under rules that nobody knows.
        let is_text = read.wholeness == Wholeness::TextOnly;
        let plies = if is_text { 0 } else { read.plies() };
        self.push_place(place);
        self.summary.clear();
        games.game().summarize(&mut self.summary, &self.wants);
        if let Some(game) = self.summary.iter().next() {
            let facts = TagFacts {
                date: game.date,
                flags: game.flags,
                elos: [game.white_elo, game.black_elo],
                eco: game.eco,
            };
            self.tags.push(data.tags(), &facts);
        }
        self.push_opening(games, is_text);
        self.push_extent(data.plies(), read.wholeness);
        self.built
            .tail
            .append_option(read.tail(data.text()).map(decoded));
        self.push_moves(games, is_text)?;
        if self.selection.has_any(&ANNOTATIONS) {
            let start = start_position(data.tags());
            let black_begins = start.is_ok_and(|position| !position.white_to_move());
            self.notes.read(data.text(), &read, black_begins);
            self.push_notes(plies);
        }
        self.rows += 1;
        self.bytes += ROW + 2 * data.text().len() + PLY * plies;
        Ok(())
    }

    /// Adds what an index says of a game, to a table that has no other columns.
    pub(super) fn push_indexed(&mut self, place: RowPlace<'_>, game: &IndexedGame<'_>) {
        self.push_place(place);
        self.tags.push_indexed(game);
        self.push_extent(game.plies.into(), game.facts.flags.wholeness());
        self.rows += 1;
        self.bytes += ROW + place.archive.len() + game.bytes();
    }

    fn push_place(&mut self, place: RowPlace<'_>) {
        if self.selection.has(TableColumn::Archive) {
            self.built.archive.append_value(place.archive);
        }
        self.built.number.append_value(place.number.cast_signed());
        self.built.source.append_option(place.source);
    }

    fn push_extent(&mut self, plies: u64, wholeness: Wholeness) {
        let plies = match wholeness {
            Wholeness::TextOnly => 0,
            Wholeness::Whole | Wholeness::Tail => plies,
        };
        self.built
            .plies
            .append_value(i32::try_from(plies).unwrap_or(i32::MAX));
        self.built.wholeness.append_value(wholeness.name());
    }

    fn push_opening(&mut self, games: &BlockGames<'_>, is_text: bool) {
        let columns = [
            TableColumn::Opening,
            TableColumn::OpeningEco,
            TableColumn::OpeningPly,
        ];
        let mut opening: Option<NamedOpening> = None;
        if self.selection.has_any(&columns) && !is_text {
            let data = games.game();
            let line: Vec<u8> = data.game().main_line().take(OPENING_PLIES).collect();
            opening = named_opening(data.tags(), &line);
        }
        self.built
            .opening
            .append_option(opening.map(|found| found.name));
        self.built
            .opening_eco
            .append_option(opening.map(|found| found.eco));
        let ply = opening.and_then(|found| i32::try_from(found.ply).ok());
        self.built.opening_ply.append_option(ply);
    }

    fn push_moves(&mut self, games: &BlockGames<'_>, is_text: bool) -> Result<(), Error> {
        let moves = self.selection.has(TableColumn::Moves);
        let san = self.selection.has(TableColumn::San);
        if (moves || san) && !is_text {
            each_move(games, san, |packed, text| {
                self.built.moves.values().append_value(packed);
                if san {
                    self.built.san.values().append_value(text);
                }
            })?;
        }
        self.built.moves.append(true);
        self.built.san.append(true);
        Ok(())
    }

    fn push_notes(&mut self, plies: usize) {
        let notes = &self.notes;
        let first = Some(&notes.first_comment).filter(|text| !text.is_empty());
        self.built.first_comment.append_option(first);
        let seconds = |values: &mut Float64Builder, seconds: Option<&f64>| {
            values.append_option(seconds.copied());
        };
        let number = |values: &mut Int32Builder, number: Option<&i32>| {
            values.append_option(number.copied());
        };
        let text = |values: &mut StringBuilder, text: Option<&String>| values.append_option(text);
        put(&mut self.built.clocks, plies, &notes.clocks, seconds);
        put(&mut self.built.elapsed, plies, &notes.elapsed, seconds);
        put(&mut self.built.evals, plies, &notes.evals, number);
        put(&mut self.built.mates, plies, &notes.mates, number);
        put(&mut self.built.depths, plies, &notes.depths, number);
        put(&mut self.built.comments, plies, &notes.comments, text);
        put_lists(&mut self.built.nags, plies, &notes.nags);
    }

    /// The rows so far, which are removed.
    pub(super) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let columns = self.selection.clone();
        let arrays = columns.columns().map(|info| self.array(info)).collect();
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new(Arc::clone(&self.schema), arrays)
    }

    fn array(&mut self, info: &ColumnInfo) -> ArrayRef {
        let builder: &mut dyn ArrayBuilder = match info.column {
            TableColumn::Archive => &mut self.built.archive,
            TableColumn::Number => &mut self.built.number,
            TableColumn::Source => &mut self.built.source,
            TableColumn::Opening => &mut self.built.opening,
            TableColumn::OpeningEco => &mut self.built.opening_eco,
            TableColumn::OpeningPly => &mut self.built.opening_ply,
            TableColumn::Plies => &mut self.built.plies,
            TableColumn::Wholeness => &mut self.built.wholeness,
            TableColumn::Moves => &mut self.built.moves,
            TableColumn::San => &mut self.built.san,
            TableColumn::Tail => &mut self.built.tail,
            TableColumn::Clocks => &mut self.built.clocks,
            TableColumn::Elapsed => &mut self.built.elapsed,
            TableColumn::Evals => &mut self.built.evals,
            TableColumn::Mates => &mut self.built.mates,
            TableColumn::Depths => &mut self.built.depths,
            TableColumn::FirstComment => &mut self.built.first_comment,
            TableColumn::Comments => &mut self.built.comments,
            TableColumn::Nags => &mut self.built.nags,
            TableColumn::Pgn => &mut self.built.pgn,
            _ => return self.tags.finish(info),
        };
        builder.finish()
    }
}

/// Adds a list with an element for each ply, or null if there are no values.
fn put<B: ArrayBuilder, T>(
    list: &mut ListBuilder<B>,
    plies: usize,
    values: &PlyValues<T>,
    append: impl Fn(&mut B, Option<&T>),
) {
    if values.is_empty() || plies == 0 {
        list.append_null();
        return;
    }
    let mut rest = values.iter().peekable();
    for ply in 0..plies {
        let here = rest.next_if(|value| value.0 as usize == ply);
        append(list.values(), here.map(|value| &value.1));
    }
    list.append(true);
}

/// The same, for plies that may have several values.
fn put_lists(
    list: &mut ListBuilder<ListBuilder<Int32Builder>>,
    plies: usize,
    values: &PlyValues<i32>,
) {
    if values.is_empty() || plies == 0 {
        list.append_null();
        return;
    }
    let mut rest = values.iter().peekable();
    for ply in 0..plies {
        let inner = list.values();
        let mut has_any = false;
        while let Some(&(_, value)) = rest.next_if(|value| value.0 as usize == ply) {
            inner.values().append_value(value);
            has_any = true;
        }
        inner.append(has_any);
    }
    list.append(true);
}
