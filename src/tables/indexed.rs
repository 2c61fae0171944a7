//! Rows of the table of games that the index alone gives: no block is read.

use super::schema::{Selection, TableColumn, TableKind};
use crate::index::{
    Date, Flags, Index, IndexError, IntegerColumn, MAX_VALUE, NameField, ValueReader, kind,
};
use crate::pgn::game::Wholeness;
use crate::pgn::writer::Termination;

/// The columns that an index gives exactly. Those of names need a look at each value, since an
/// index cuts long ones; `source` comes from the heads of the segments, as for all tables.
const INDEXED: [TableColumn; 18] = [
    TableColumn::Archive,
    TableColumn::Game,
    TableColumn::Source,
    TableColumn::Event,
    TableColumn::Site,
    TableColumn::Year,
    TableColumn::Month,
    TableColumn::Day,
    TableColumn::FullDate,
    TableColumn::Round,
    TableColumn::White,
    TableColumn::Black,
    TableColumn::Result,
    TableColumn::WhiteElo,
    TableColumn::BlackElo,
    TableColumn::EcoCode,
    TableColumn::Plies,
    TableColumn::Wholeness,
];

/// The columns of names, in the order of [`IndexedGame::names`], with their columns and tables in
/// an index.
const NAMES: [(TableColumn, u32, NameField); 5] = [
    (TableColumn::Event, kind::EVENT, NameField::Event),
    (TableColumn::Site, kind::SITE, NameField::Site),
    (TableColumn::Round, kind::ROUND, NameField::Round),
    (TableColumn::White, kind::WHITE, NameField::Player),
    (TableColumn::Black, kind::BLACK, NameField::Player),
];

/// An index keeps the whole characters of the first [`MAX_VALUE`] bytes, and a character has at
/// most four: a value that was cut has at least this length.
const PERHAPS_CUT: usize = MAX_VALUE - 3;

/// What the tags say in numbers; taken from them, or from an index.
pub(super) struct TagFacts {
    pub(super) date: Date,
    pub(super) result: Termination,
    /// The ratings of White and Black; 0 is unknown.
    pub(super) elos: [u16; 2],
    /// The number of the ECO code.
    pub(super) eco: u16,
}

/// What an index says of a game.
pub(super) struct IndexedGame<'r> {
    /// Event, Site, Round, White, Black; `None` if the table does not have the column.
    pub(super) names: [Option<&'r str>; NAMES.len()],
    pub(super) facts: TagFacts,
    pub(super) plies: u32,
    pub(super) wholeness: Wholeness,
}

/// Reads from an index the columns that a table has.
pub(super) struct IndexedGames<'a> {
    names: [Option<(IntegerColumn<'a>, ValueReader<'a>)>; NAMES.len()],
    /// The places of the dates, and the dates.
    dates: Option<(IntegerColumn<'a>, IntegerColumn<'a>)>,
    flags: Option<IntegerColumn<'a>>,
    elos: [Option<IntegerColumn<'a>>; 2],
    eco: Option<IntegerColumn<'a>>,
    plies: Option<IntegerColumn<'a>>,
}

impl<'a> IndexedGames<'a> {
    /// Prepares for the columns of a table that [`is_indexed`]; `None` if the index leaves out the
    /// sites that it has.
    pub(super) fn of<D: AsRef<[u8]>>(
        index: &'a Index<D>,
        selection: Selection,
    ) -> Result<Option<IndexedGames<'a>>, IndexError> {
        if selection.has(TableColumn::Site) && !index.has_sites() {
            return Ok(None);
        }
        let column = |columns: &[TableColumn], kind| {
            let is_wanted = selection.has_any(columns);
            is_wanted.then(|| index.column(kind)).transpose()
        };
        let mut names = [const { None }; NAMES.len()];
        for (place, (wanted, kind, field)) in names.iter_mut().zip(NAMES) {
            *place = match column(&[wanted], kind)? {
                Some(column) => Some((column, index.values(field)?)),
                None => None,
            };
        }
        let parts = [
            TableColumn::Year,
            TableColumn::Month,
            TableColumn::Day,
            TableColumn::FullDate,
        ];
        let dates = column(&parts, kind::DATE)?.zip(column(&parts, kind::DATES)?);
        Ok(Some(IndexedGames {
            names,
            dates,
            flags: column(
                &[
                    TableColumn::Result,
                    TableColumn::Plies,
                    TableColumn::Wholeness,
                ],
                kind::FLAGS,
            )?,
            elos: [
                column(&[TableColumn::WhiteElo], kind::WHITE_ELO)?,
                column(&[TableColumn::BlackElo], kind::BLACK_ELO)?,
            ],
            eco: column(&[TableColumn::EcoCode], kind::ECO)?,
            plies: column(&[TableColumn::Plies], kind::PLIES)?,
        }))
    }

    /// What the index says of a game (from 0); `None` if it may have cut one of the values.
    pub(super) fn game(&mut self, game: u32) -> Result<Option<IndexedGame<'_>>, IndexError> {
        let short = |column: &Option<IntegerColumn<'_>>| match column {
            Some(column) => u16::try_from(column.get32(game)?)
                .map_err(|_| column.damaged("a value too large for its column")),
            None => Ok(0),
        };
        let date = match &self.dates {
            Some((places, dates)) => Date::from_bits(dates.get32(places.get32(game)?)?),
            None => Date::default(),
        };
        let flags = Flags::from_bits(short(&self.flags)?);
        let facts = TagFacts {
            date,
            result: flags.result(),
            elos: [short(&self.elos[0])?, short(&self.elos[1])?],
            eco: short(&self.eco)?,
        };
        let wholeness = match (flags.text(), flags.tail()) {
            (true, _) => Wholeness::TextOnly,
            (_, true) => Wholeness::Tail,
            _ => Wholeness::Whole,
        };
        let plies = self.plies.map_or(Ok(0), |column| column.get32(game))?;
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
        Ok(Some(IndexedGame {
            names,
            facts,
            plies,
            wholeness,
        }))
    }
}

/// Whether an index can have all columns of a table.
pub(super) fn is_indexed(selection: Selection) -> bool {
    selection.kind() == TableKind::Games
        && selection.columns().all(|column| INDEXED.contains(&column))
}
