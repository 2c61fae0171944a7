//! Sorts a run, and writes it as sections like those of an index.

use std::io::{self, Write};

use hashbrown::HashMap;

use super::dated::put_ranks;
use super::output::Sections;
use super::run::GameRun;
use super::spill::Temp;
use super::tables::TableCoder;
use super::values::Values;
use crate::index::format::date::Date;
use crate::index::format::layout::{Section, kind};
use crate::index::format::round::EqualRounds;

/// A run with sorted games and values.
#[derive(Debug)]
pub(super) struct Collated {
    /// The columns, which hold positions in the tables; the values have moved to the tables.
    run: GameRun,
    /// The distinct dates in their order, and the number of games of each.
    dates: Vec<(u32, u32)>,
    events: RunTable,
    rounds: RunTable,
    players: RunTable,
    /// The games in the collating order.
    order: Vec<u32>,
}

impl Collated {
    /// Sorts a run.
    pub(super) fn new(mut run: GameRun) -> Collated {
        let dates = number_dates(&mut run.date);
        let take = std::mem::take::<Values>;
        let events = RunTable::new(kind::EVENTS, take(&mut run.events), &mut [&mut run.event]);
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
        cards.sort(events.len(), |game| run.event[game]);
        cards.sort(dates.len(), |game| run.date[game]);
        Collated {
            run,
            dates,
            events,
            rounds,
            players,
            order: cards.order,
        }
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
        self.put_columns(&mut out)?;
        put_column(&mut out, kind::HASH, &self.run.hash)?;
        self.put_dates(&mut out)?;
        let run = &self.run;
        for (table, columns) in [
            (&self.events, &[&*run.event][..]),
            (&self.rounds, &[]),
            (&self.players, &[&*run.white, &*run.black]),
        ] {
            table.put(&mut out, columns, run.games(), temp)?;
        }
        Ok(out.end())
    }

    fn put_dates<W: Write>(&self, out: &mut Sections<W>) -> io::Result<()> {
        let dates: Vec<u32> = self.dates.iter().map(|date| date.0).collect();
        put_column(out, kind::DATES, &dates)?;
        let counts = self.dates.iter().map(|date| Ok(u64::from(date.1)));
        put_ranks(
            out,
            counts,
            u32::try_from(self.run.games()).unwrap_or(u32::MAX),
        )
    }

    fn put_columns<W: Write>(&self, out: &mut Sections<W>) -> io::Result<()> {
        let run = &self.run;
        put_column(out, kind::DATE, &run.date)?;
        put_column(out, kind::EVENT, &run.event)?;
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
}

/// Replaces dates by their places in the list of the distinct ones; returns that list, and the
/// number of games of each.
fn number_dates(dates: &mut [u32]) -> Vec<(u32, u32)> {
    // In order of appearance; consecutive games often have the same date.
    let (mut numbers, mut list, mut last) = (HashMap::new(), Vec::new(), (0, 0_u32));
    for (game, date) in dates.iter_mut().enumerate() {
        if game == 0 || last.0 != *date {
            let number = *numbers.entry(*date).or_insert_with(|| {
                list.push((*date, 0_u32));
                u32::try_from(list.len() - 1).unwrap_or(u32::MAX)
            });
            last = (*date, number);
        }
        *date = last.1;
        list[last.1 as usize].1 += 1;
    }
    let mut order: Vec<u32> = (0..u32::try_from(list.len()).unwrap_or(u32::MAX)).collect();
    order.sort_unstable_by_key(|&number| {
        let bits = list[number as usize].0;
        (Date::from_bits(bits).digits(), bits)
    });
    let mut places = vec![0; list.len()];
    for (place, &number) in (0_u32..).zip(&order) {
        places[number as usize] = place;
    }
    for date in dates {
        *date = places[*date as usize];
    }
    order.iter().map(|&number| list[number as usize]).collect()
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
        let lists = (!columns.is_empty()).then(|| GameLists::new(self.len(), columns));
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
