//! Sorts a run, and writes it as sections like those of an index.

use std::io::{self, Write};

use super::order::{OPENING, PLAY};
use super::output::Sections;
use super::run::GameRun;
use super::sites::Sketch;
use super::values::Values;
use crate::index::format::date::Date;
use crate::index::format::integers::put_postings_of;
use crate::index::format::layout::{Section, kind};
use crate::index::format::round::EqualRounds;

/// A run with sorted games and values.
#[derive(Debug)]
pub(super) struct Collated {
    /// The columns, which hold positions in the tables; the values have moved to the tables.
    run: GameRun,
    events: RunTable,
    sites: RunTable,
    rounds: RunTable,
    players: RunTable,
    /// The games in the collating order.
    order: Vec<u32>,
}

impl Collated {
    /// Sorts a run. Games with equal first seven keys are in the order of their numbers.
    pub(super) fn new(mut run: GameRun) -> Collated {
        let take = std::mem::take::<Values>;
        let events = RunTable::new(kind::EVENTS, take(&mut run.events), &mut [&mut run.event]);
        let sites = RunTable::new(kind::SITES, take(&mut run.sites), &mut [&mut run.site]);
        let rounds = RunTable::new(kind::ROUNDS, take(&mut run.rounds), &mut [&mut run.round]);
        let players = RunTable::new(
            kind::PLAYERS,
            take(&mut run.players),
            &mut [&mut run.white, &mut run.black],
        );
        let mut cards = Cards::new(run.games());
        cards.sort(4, |game| u32::from(run.flags[game] & 3));
        cards.sort(players.len(), |game| run.black[game]);
        cards.sort(players.len(), |game| run.white[game]);
        let equal_rounds = EqualRounds::of(rounds.values());
        // Ranks begin with 1.
        cards.sort(rounds.len() + 1, |game| {
            u32::try_from(equal_rounds.rank(run.round[game].into())).unwrap_or(u32::MAX)
        });
        cards.sort(sites.len(), |game| run.site[game]);
        cards.sort(events.len(), |game| run.event[game]);
        // The digits have 27 bits, sorted in two halves.
        cards.sort(1 << 14, |game| {
            Date::from_bits(run.date[game]).digits() & 0x3fff
        });
        cards.sort(1 << 13, |game| {
            Date::from_bits(run.date[game]).digits() >> 14
        });
        Collated {
            run,
            events,
            sites,
            rounds,
            players,
            order: cards.order,
        }
    }

    /// The sketch of the sites: their least hashes.
    pub(super) fn sketch(&self) -> Vec<u64> {
        let mut sketch = Sketch::default();
        self.sites.values().for_each(|site| sketch.add(site));
        sketch.into_hashes()
    }

    /// Writes the sections, the first at `offset`. They are those of an index without words and
    /// dates, and always with sites.
    pub(super) fn put(&self, out: &mut dyn Write, offset: u64) -> io::Result<(Vec<Section>, u64)> {
        let mut out = Sections::new(out, offset);
        self.put_columns(&mut out)?;
        put_column(&mut out, kind::HASH, &self.run.hash)?;
        for table in [&self.events, &self.sites, &self.rounds, &self.players] {
            self.put_table(&mut out, table)?;
        }
        put_column(&mut out, PLAY, &self.run.play)?;
        put_column(&mut out, OPENING, &self.run.opening)?;
        Ok(out.end())
    }

    fn put_columns<W: Write>(&self, out: &mut Sections<W>) -> io::Result<()> {
        let run = &self.run;
        put_column(out, kind::DATE, &run.date)?;
        put_column(out, kind::EVENT, &run.event)?;
        put_column(out, kind::SITE, &run.site)?;
        put_column(out, kind::ROUND, &run.round)?;
        put_column(out, kind::WHITE, &run.white)?;
        put_column(out, kind::BLACK, &run.black)?;
        put_column(out, kind::WHITE_ELO, &run.white_elo)?;
        put_column(out, kind::BLACK_ELO, &run.black_elo)?;
        put_column(out, kind::ECO, &run.eco)?;
        put_column(out, kind::PLIES, &run.plies)?;
        put_column(out, kind::FLAGS, &run.flags)?;
        put_column(out, kind::ORDER, &self.order)
    }

    /// Writes the values of a table and their games.
    fn put_table<W: Write>(&self, out: &mut Sections<W>, table: &RunTable) -> io::Result<()> {
        table.put_values(out)?;
        let run = &self.run;
        match table.kind {
            kind::EVENTS => put_postings(out, table.kind, table.len(), &[&run.event]),
            kind::SITES => put_postings(out, table.kind, table.len(), &[&run.site]),
            kind::PLAYERS => put_postings(out, table.kind, table.len(), &[&run.white, &run.black]),
            _ => Ok(()),
        }
    }
}

/// Radix sort of game numbers: by the least significant key first, without comparisons.
struct Cards {
    order: Vec<u32>,
    /// Buffer for the next order.
    next: Vec<u32>,
}

impl Cards {
    fn new(games: usize) -> Cards {
        Cards {
            order: (0..u32::try_from(games).unwrap_or(u32::MAX)).collect(),
            next: vec![0; games],
        }
    }

    /// Sorts stably by a key of the games, which is below `numbers`.
    fn sort(&mut self, numbers: usize, number: impl Fn(usize) -> u32) {
        let mut places = vec![0; numbers + 1];
        for game in 0..self.order.len() {
            places[number(game) as usize + 1] += 1;
        }
        if numbers < 2 || places.contains(&self.order.len()) {
            return;
        }
        for i in 1..places.len() {
            places[i] += places[i - 1];
        }
        for &game in &self.order {
            let place = &mut places[number(game as usize) as usize];
            self.next[*place] = game;
            *place += 1;
        }
        std::mem::swap(&mut self.order, &mut self.next);
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
    fn new(kind: u32, mut values: Values, columns: &mut [&mut Vec<u32>]) -> RunTable {
        values.complete();
        let order = values.sorted(kind == kind::ROUNDS);
        let mut places = vec![0_u32; order.len()];
        for (place, &id) in (0_u32..).zip(&order) {
            places[id as usize] = place;
        }
        columns
            .iter_mut()
            .flat_map(|column| column.iter_mut())
            .for_each(|id| *id = places[*id as usize]);
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

    fn put_values<W: Write>(&self, out: &mut Sections<W>) -> io::Result<()> {
        out.integers(self.kind + kind::OFFSETS, self.values.byte_len() as u64)?;
        let mut at = 0;
        out.integer(0)?;
        for value in self.values() {
            at += value.len() as u64;
            out.integer(at)?;
        }
        out.end_section()?;
        out.entries(self.kind + kind::VALUES)?;
        self.values()
            .try_for_each(|value| out.bytes(value, value.len() as u64))?;
        out.end_section()
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

/// Writes the games of each of `count` values.
fn put_postings<W: Write>(
    out: &mut Sections<W>,
    table: u32,
    count: usize,
    columns: &[&[u32]],
) -> io::Result<()> {
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
    // `ends` is where the next game of each value goes, and finally where the list of each value
    // ends.
    let mut lists = vec![0_u32; ends.last().copied().unwrap_or(0)];
    for (number, game) in (0_u32..).zip(0..games) {
        for id in of_game(game) {
            lists[ends[id as usize]] = number;
            ends[id as usize] += 1;
        }
    }
    let (mut all, mut offsets) = (
        Vec::with_capacity(2 * lists.len()),
        Vec::with_capacity(count + 1),
    );
    let mut from = 0;
    offsets.push(0);
    for &end in &ends[..count] {
        put_postings_of(&mut all, &lists[from..end]);
        offsets.push(all.len() as u64);
        from = end;
    }
    drop(lists);
    out.integers(table + kind::POSTING_OFFSETS, all.len() as u64)?;
    out.all(offsets.iter().copied())?;
    out.end_section()?;
    out.entries(table + kind::POSTINGS)?;
    out.bytes(&all, all.len() as u64)?;
    out.end_section()
}
