//! Sorts the tables of a run, and writes it as sections like those of an index.

use std::io::{self, Write};

use super::output::Sections;
use super::run::GameRun;
use super::spill::Temp;
use super::tables::TableCoder;
use super::values::Values;
use crate::format::layout::{
    Section, VALUE_COLUMNS, has_postings, kind, known_tables, table_place,
};

/// A run with sorted tables.
#[derive(Debug)]
pub(super) struct SortedRun {
    /// The columns, which hold places in the tables; the values have moved to the tables.
    run: GameRun,
    tables: Vec<RunTable>,
}

impl SortedRun {
    /// Sorts the tables of a run.
    pub(super) fn new(mut run: GameRun) -> SortedRun {
        let tables = known_tables().map(|table| {
            let values = std::mem::take(&mut run.tables[table_place(table)]);
            let columns = run.ids.iter_mut().zip(VALUE_COLUMNS);
            let columns = columns.filter(|(_, (_, of))| *of == table);
            RunTable::new(table, values, columns.map(|(column, _)| column))
        });
        let tables = tables.collect();
        SortedRun { run, tables }
    }

    /// Writes the sections, the first at `offset`. They are those of an index without
    /// words.
    pub(super) fn put(
        &self,
        out: &mut dyn Write,
        offset: u64,
        temp: &Temp,
    ) -> io::Result<(Vec<Section>, u64)> {
        let mut out = Sections::new(out, offset);
        let run = &self.run;
        for ((column, _), ids) in VALUE_COLUMNS.iter().zip(&run.ids) {
            put_column(&mut out, *column, ids)?;
        }
        put_column(&mut out, kind::WHITE_ELO, &run.white_elo)?;
        put_column(&mut out, kind::BLACK_ELO, &run.black_elo)?;
        put_column(&mut out, kind::ECO, &run.eco)?;
        put_column(&mut out, kind::PLIES, &run.plies)?;
        put_column(&mut out, kind::FLAGS, &run.flags)?;
        put_column(&mut out, kind::HASH, &run.hash)?;
        for table in &self.tables {
            let columns = run.ids.iter().zip(VALUE_COLUMNS);
            let columns = columns.filter(|(_, (_, of))| *of == table.kind);
            let columns: Vec<&[u32]> = columns.map(|(column, _)| &**column).collect();
            table.put(&mut out, &columns, run.games(), temp)?;
        }
        Ok(out.end())
    }
}

/// A table of a run.
#[derive(Debug)]
struct RunTable {
    kind: u32,
    values: Values,
    /// The numbers of the values, in the order of the values.
    order: Vec<u32>,
}

impl RunTable {
    /// Sorts the values of a list, and replaces their numbers in the columns by positions in the
    /// table.
    fn new<'c>(
        kind: u32,
        mut values: Values,
        columns: impl Iterator<Item = &'c mut Vec<u32>>,
    ) -> RunTable {
        values.complete();
        let order = values.sorted(kind == kind::ROUNDS);
        let mut places = vec![0_u32; order.len()];
        for (place, &id) in (0_u32..).zip(&order) {
            places[id as usize] = place;
        }
        columns.flatten().for_each(|id| *id = places[*id as usize]);
        RunTable {
            kind,
            values,
            order,
        }
    }

    fn len(&self) -> usize {
        self.order.len()
    }

    fn values(&self) -> impl Iterator<Item = &[u8]> {
        self.order.iter().map(|&id| self.values.get(id))
    }

    /// Writes the values, and the games of each, by these columns.
    fn put<W: Write>(
        &self,
        out: &mut Sections<W>,
        columns: &[&[u32]],
        games: usize,
        temp: &Temp,
    ) -> io::Result<()> {
        let games = u32::try_from(games).unwrap_or(u32::MAX);
        let mut coder = TableCoder::new(self.kind, games, temp);
        let lists = has_postings(self.kind).then(|| GameLists::new(self.len(), columns));
        for (id, value) in self.values().enumerate() {
            coder.value(value)?;
            if let Some(lists) = &lists {
                lists.of(id).iter().for_each(|&game| coder.game(game));
                coder.end_games();
            }
        }
        drop(lists);
        coder.finish()?.put(out, temp)
    }
}

/// Writes a column.
fn put_column<W: Write, T: Copy + Ord + Into<u64>>(
    out: &mut Sections<W>,
    kind: u32,
    column: &[T],
) -> io::Result<()> {
    out.integers(kind, column.iter().copied().max().map_or(0, Into::into))?;
    out.all(column.iter().map(|&number| number.into()))?;
    out.end_section()
}

/// The games of each value.
struct GameLists {
    games: Vec<u32>,
    ends: Vec<usize>,
}

impl GameLists {
    /// The games of each of `count` values in one or two columns.
    fn new(count: usize, columns: &[&[u32]]) -> GameLists {
        let games = columns.first().map_or(0, |column| column.len());
        // The values of a game, without duplicates.
        let of_game = |game: usize| {
            let first = columns[0][game];
            let second = columns
                .get(1)
                .map(|column| column[game])
                .filter(|&id| id != first);
            std::iter::once(first).chain(second)
        };
        let mut ends = vec![0_usize; count + 1];
        for id in (0..games).flat_map(of_game) {
            ends[id as usize + 1] += 1;
        }
        for i in 1..ends.len() {
            ends[i] += ends[i - 1];
        }
        // `ends` is where the next game of each value goes, and finally where the list of each
        // value ends.
        let mut lists = vec![0_u32; ends.last().copied().unwrap_or(0)];
        for (number, game) in (0_u32..).zip(0..games) {
            for id in of_game(game) {
                lists[ends[id as usize]] = number;
                ends[id as usize] += 1;
            }
        }
        GameLists { games: lists, ends }
    }

    fn of(&self, id: usize) -> &[u32] {
        let from = id.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.games[from..self.ends[id]]
    }
}
