//! Rows of the table of games that the index alone gives: no block is read.

use super::schema::{ColumnInfo, Selection, TableColumn, TableKind};
use pgc_index::{
    Date, Flags, Index, IndexError, IntegerColumn, MAX_VALUE, NameField, Row, ValueReader, kind,
};

/// The columns of names that an index gives, with their columns and tables in it. They need a look
/// at each value, since an index cuts long ones.
const NAMES: [(&str, u32, NameField); 4] = [
    ("event", kind::EVENT, NameField::Event),
    ("round", kind::ROUND, NameField::Round),
    ("white", kind::WHITE, NameField::Player),
    ("black", kind::BLACK, NameField::Player),
];

/// Whether an index gives a column exactly; `source` comes from the heads of the segments, as for
/// all tables.
fn has_column(info: &ColumnInfo) -> bool {
    use TableColumn as C;
    match info.column {
        C::Tag => NAMES.iter().any(|known| known.0 == info.name),
        C::Archive | C::Number | C::Source | C::WhiteElo | C::BlackElo | C::Eco => true,
        column => DATES.contains(&column) || FLAGS.contains(&column),
    }
}

/// The columns that come from dates.
const DATES: [TableColumn; 6] = [
    TableColumn::Date,
    TableColumn::Year,
    TableColumn::Month,
    TableColumn::Day,
    TableColumn::FullDate,
    TableColumn::OddDate,
];

/// The columns that come from flags, at least in part.
const FLAGS: [TableColumn; 9] = [
    TableColumn::Result,
    TableColumn::Variant,
    TableColumn::HasFen,
    TableColumn::HasComments,
    TableColumn::HasVariations,
    TableColumn::HasNags,
    TableColumn::ResultMismatch,
    TableColumn::Plies,
    TableColumn::Wholeness,
];

/// An index keeps the whole characters of the first [`MAX_VALUE`] bytes, and a character has at
/// most four: a value that was cut has at least this length.
const PERHAPS_CUT: usize = MAX_VALUE - 3;

/// What an index says of a game; `None` if the table does not have the column of a name.
pub(super) type IndexedGame<'r> = Row<Option<&'r str>>;

/// The names, in the order of [`NAMES`].
fn names<'r>(game: &IndexedGame<'r>) -> [Option<&'r str>; NAMES.len()] {
    [game.event, game.round, game.white, game.black]
}

/// The value of a column of names.
pub(super) fn name<'r>(game: &IndexedGame<'r>, column: &str) -> Option<&'r str> {
    let place = NAMES.iter().position(|known| known.0 == column)?;
    names(game)[place]
}

/// About the bytes of the names.
pub(super) fn bytes_of_names(game: &IndexedGame<'_>) -> usize {
    names(game).iter().flatten().map(|name| name.len()).sum()
}

/// Reads from an index the columns that a table has.
pub(super) struct IndexedGames<'a> {
    names: [Option<(IntegerColumn<'a>, ValueReader<'a>)>; NAMES.len()],
    dates: Option<(IntegerColumn<'a>, ValueReader<'a>)>,
    flags: Option<IntegerColumn<'a>>,
    elos: [Option<IntegerColumn<'a>>; 2],
    eco: Option<IntegerColumn<'a>>,
    plies: Option<IntegerColumn<'a>>,
}

impl<'a> IndexedGames<'a> {
    /// Prepares for the columns of a table that [`is_indexed`].
    pub(super) fn new<D: AsRef<[u8]>>(
        index: &'a Index<D>,
        selection: &Selection,
    ) -> Result<IndexedGames<'a>, IndexError> {
        let has_name = |name| selection.columns().any(|info| info.name == name);
        let column = |columns: &[TableColumn], kind| {
            let is_wanted = selection.has_any(columns);
            is_wanted.then(|| index.column(kind)).transpose()
        };
        let mut names = [const { None }; NAMES.len()];
        for (place, (wanted, kind, field)) in names.iter_mut().zip(NAMES) {
            if has_name(wanted) {
                *place = Some((index.column(kind)?, index.values(field)?));
            }
        }
        let dates = match column(&DATES, kind::DATE)? {
            Some(places) => Some((places, index.date_values()?)),
            None => None,
        };
        Ok(IndexedGames {
            names,
            dates,
            flags: column(&FLAGS, kind::FLAGS)?,
            elos: [
                column(&[TableColumn::WhiteElo], kind::WHITE_ELO)?,
                column(&[TableColumn::BlackElo], kind::BLACK_ELO)?,
            ],
            eco: column(&[TableColumn::Eco], kind::ECO)?,
            plies: column(&[TableColumn::Plies], kind::PLIES)?,
        })
    }

    /// What the index says of a game (from 0); `None` if it may have cut one of the values.
    pub(super) fn game(&mut self, game: u32) -> Result<Option<IndexedGame<'_>>, IndexError> {
        let short = |column: &Option<IntegerColumn<'_>>| match column {
            Some(column) => u16::try_from(column.get32(game)?)
                .map_err(|_| column.damaged("a value too large for its column")),
            None => Ok(0),
        };
        let number = |column: Option<IntegerColumn<'_>>| match column {
            Some(column) => column.get32(game),
            None => Ok(0),
        };
        let date = match &mut self.dates {
            Some((places, dates)) => Date::from_table(dates.value(places.get32(game)?)?)
                .ok_or_else(|| places.damaged("a date"))?,
            None => Date::default(),
        };
        let mut names = [None; NAMES.len()];
        for (name, reader) in names.iter_mut().zip(&mut self.names) {
            if let Some((column, values)) = reader {
                let value = values.value(column.get32(game)?)?;
                if value.len() >= PERHAPS_CUT {
                    return Ok(None);
                }
                *name = Some(value);
            }
        }
        let [event, round, white, black] = names;
        Ok(Some(Row {
            date,
            event,
            material: None,
            round,
            white,
            black,
            white_elo: short(&self.elos[0])?,
            black_elo: short(&self.elos[1])?,
            eco: short(&self.eco)?,
            plies: number(self.plies)?,
            flags: Flags::from_bits(number(self.flags)?),
        }))
    }
}

/// Whether an index can have all columns of a table.
pub(super) fn is_indexed(selection: &Selection) -> bool {
    selection.kind() == TableKind::Games && selection.columns().all(has_column)
}
