//! The table of games: a row for each.

use arrow_array::builder::{
    ArrayBuilder, Float64Builder, Int32Builder, ListBuilder, StringBuilder, UInt16Builder,
};
use arrow_array::types::{Int32Type, Int64Type};

use super::builders::ColumnBuilders;
use super::indexed::{IndexedGame, bytes_of_names};
use super::schema::{Selection, TableColumn as C};
use super::tag_columns::TagColumns;
use pgc::games::annotations::{LineNotes, MoveNotes};
use pgc::games::facts::Wants;
use pgc::games::line::each_move;
use pgc::games::walk::BlockGames;
use pgc::run::Error;
use pgc_chess::{NamedOpening, OPENING_PLIES, named_opening, start_position};
use pgc_index::Summaries;
use pgc_pgn::game::Wholeness;
use pgc_pgn::text::decoded;

/// Approximate length in bytes of a row, without the parts that grow with the game.
const ROW: usize = 256;

/// Approximate length in bytes of a ply in all lists.
const PLY: usize = 48;

/// The columns that need the annotations of the main line.
const ANNOTATIONS: [C; 8] = [
    C::Clocks,
    C::Elapsed,
    C::Evals,
    C::Mates,
    C::Depths,
    C::FirstComment,
    C::Comments,
    C::Nags,
];

/// Builds rows of the table of games.
pub(super) struct GameRows {
    pub(super) columns: ColumnBuilders,
    tags: TagColumns,
    notes: LineNotes,
    /// The moves of the current game.
    moves: Vec<u16>,
    /// The summary of the current game, and what it has.
    summary: Summaries,
    wants: Wants,
}

/// The archive, number and source of a game, which its block does not have.
#[derive(Clone, Copy)]
pub(super) struct RowPlace<'a> {
    pub(super) archive: &'a str,
    /// From 1.
    pub(super) number: u64,
    pub(super) source: Option<&'a str>,
}

impl GameRows {
    pub(super) fn new(selection: Selection) -> GameRows {
        GameRows {
            tags: TagColumns::new(&selection),
            notes: LineNotes::default(),
            moves: Vec::new(),
            summary: Summaries::default(),
            wants: Wants::new(false),
            columns: ColumnBuilders::new(selection),
        }
    }

    /// Adds the text of the game added last, if it is wanted.
    pub(super) fn push_text(&mut self, text: &[u8]) {
        self.columns.text(C::Pgn, Some(decoded(text)));
        self.columns.bytes += text.len();
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
            self.tags.push(&mut self.columns, data.tags(), &game);
        }
        self.push_opening(games, is_text);
        self.push_extent(data.plies(), read.wholeness);
        let tail = read.tail(data.text());
        self.columns.text(C::Tail, tail.map(decoded));
        self.push_moves(games, is_text)?;
        if self.columns.selection.has_any(&ANNOTATIONS) {
            let start = start_position(data.tags());
            let black_begins = start.is_ok_and(|position| !position.white_to_move());
            self.notes.read(data.text(), &read, black_begins, false);
            self.push_notes(plies);
        }
        self.columns.rows += 1;
        self.columns.bytes += ROW + 2 * data.text().len() + PLY * plies;
        Ok(())
    }

    /// Adds what an index says of a game, to a table that has no other columns.
    pub(super) fn push_indexed(&mut self, place: RowPlace<'_>, game: &IndexedGame<'_>) {
        self.push_place(place);
        self.tags.push_indexed(&mut self.columns, game);
        self.push_extent(game.plies.into(), game.flags.wholeness());
        self.columns.rows += 1;
        self.columns.bytes += ROW + place.archive.len() + bytes_of_names(game);
    }

    fn push_place(&mut self, place: RowPlace<'_>) {
        let number = place.number.cast_signed();
        self.columns.text(C::Archive, Some(place.archive));
        self.columns.number::<Int64Type>(C::Number, Some(number));
        self.columns.text(C::Source, place.source);
    }

    fn push_extent(&mut self, plies: u64, wholeness: Wholeness) {
        let plies = match wholeness {
            Wholeness::TextOnly => 0,
            Wholeness::Whole | Wholeness::Tail => plies,
        };
        let plies = i32::try_from(plies).unwrap_or(i32::MAX);
        self.columns.number::<Int32Type>(C::Plies, Some(plies));
        self.columns.text(C::Wholeness, Some(wholeness.name()));
    }

    fn push_opening(&mut self, games: &BlockGames<'_>, is_text: bool) {
        let columns = [C::Opening, C::OpeningEco, C::OpeningPly];
        let mut opening: Option<NamedOpening> = None;
        if self.columns.selection.has_any(&columns) && !is_text {
            let data = games.game();
            let line: Vec<u8> = data.game().main_line().take(OPENING_PLIES).collect();
            opening = named_opening(data.tags(), &line);
        }
        let [name, eco, ply_column] = columns;
        self.columns.text(name, opening.map(|found| found.name));
        self.columns.text(eco, opening.map(|found| found.eco));
        let ply = opening.and_then(|found| i32::try_from(found.ply).ok());
        self.columns.number::<Int32Type>(ply_column, ply);
    }

    fn push_moves(&mut self, games: &BlockGames<'_>, is_text: bool) -> Result<(), Error> {
        let has_moves = self.columns.selection.has(C::Moves);
        let mut sans: Option<&mut ListBuilder<StringBuilder>> = self.columns.builder(C::San);
        self.moves.clear();
        if (has_moves || sans.is_some()) && !is_text {
            each_move(games, sans.is_some(), |packed, san| {
                self.moves.push(packed);
                if let Some(sans) = &mut sans {
                    sans.values().append_value(san);
                }
            })?;
        }
        if let Some(sans) = sans {
            sans.append(true);
        }
        if let Some(moves) = self.columns.builder::<ListBuilder<UInt16Builder>>(C::Moves) {
            moves.values().append_slice(&self.moves);
            moves.append(true);
        }
        Ok(())
    }

    fn push_notes(&mut self, plies: usize) {
        let notes = &self.notes;
        // Most games have none: their columns are null.
        let plies = if notes.is_empty() { 0 } else { plies };
        let moves = (0_u32..).take(plies).map(|ply| notes.of_ply(ply));
        let moves: Vec<Option<&MoveNotes>> = moves.collect();
        let first = Some(&notes.first_comment).filter(|text| !text.is_empty());
        let columns = &mut self.columns;
        columns.text(C::FirstComment, first);
        let mut put_seconds = |column, value: fn(&MoveNotes) -> Option<f64>| {
            let list = columns.builder(column);
            put(list, &moves, value, Float64Builder::append_option);
        };
        put_seconds(C::Clocks, |notes| notes.says.clock);
        put_seconds(C::Elapsed, |notes| notes.says.elapsed);
        let mut put_numbers = |column, value: fn(&MoveNotes) -> Option<i32>| {
            let list = columns.builder(column);
            put(list, &moves, value, Int32Builder::append_option);
        };
        put_numbers(C::Evals, |notes| notes.evaluation()[0]);
        put_numbers(C::Mates, |notes| notes.evaluation()[1]);
        put_numbers(C::Depths, |notes| notes.evaluation()[2]);
        let (list, append) = (columns.builder(C::Comments), StringBuilder::append_option);
        put(list, &moves, MoveNotes::comment, append);
        let put_nags = |list: &mut ListBuilder<Int32Builder>, nags: Option<&[i32]>| {
            list.values().append_slice(nags.unwrap_or_default());
            list.append(nags.is_some());
        };
        put(columns.builder(C::Nags), &moves, MoveNotes::nags, put_nags);
    }
}

/// Adds a list with an element for each ply, or null if there are no values, to a column that the
/// table may have. `append` gets the value of the ply.
fn put<'n, B: ArrayBuilder, T>(
    list: Option<&mut ListBuilder<B>>,
    moves: &[Option<&'n MoveNotes>],
    value: impl Fn(&'n MoveNotes) -> Option<T>,
    append: impl Fn(&mut B, Option<T>),
) {
    let Some(list) = list else {
        return;
    };
    let values = moves.iter().map(|notes| value((*notes)?));
    let has_some = values.clone().any(|value| value.is_some());
    for value in values.filter(|_| has_some) {
        append(list.values(), value);
    }
    list.append(has_some);
}
