//! Players, year and result of games, from the indexes.

use crate::dups::names::{players, split};
use crate::dups::same::GameFields;
use crate::fault::ArchiveFault;
use crate::open::Archive;
use pgc_index::{Date, Flags, Temp, kind};
use pgc_pgn::writer::Termination;

/// Reads the fields of games of several archives.
pub(super) struct FieldReader<'a> {
    archives: &'a [&'a Archive],
    threads: usize,
    /// The number of each player, for each archive.
    players: Vec<Vec<u32>>,
    /// The year of each date, for each archive; 0 is unknown.
    years: Vec<Vec<u16>>,
}

impl<'a> FieldReader<'a> {
    pub(super) fn new(
        archives: &'a [&'a Archive],
        games: &[Vec<u32>],
        temp: &Temp,
        threads: usize,
    ) -> Result<FieldReader<'a>, ArchiveFault> {
        let mut years = Vec::with_capacity(archives.len());
        for (number, archive) in archives.iter().enumerate() {
            let dates = archive
                .with_index(threads, |index| index.dates())
                .map_err(ArchiveFault::of(number))?;
            years.push(dates.iter().map(|date| year(date.0)).collect());
        }
        Ok(FieldReader {
            archives,
            threads,
            players: players(archives, games, temp, threads)?,
            years,
        })
    }

    /// The fields of games, each `archive << 32 | game`, ascending.
    pub(super) fn of(&self, games: &[u64]) -> Result<Vec<GameFields>, ArchiveFault> {
        const COLUMNS: [u32; 4] = [kind::WHITE, kind::BLACK, kind::DATE, kind::FLAGS];
        let mut fields = Vec::with_capacity(games.len());
        for of_archive in games.chunk_by(|&a, &b| split(a).0 == split(b).0) {
            let archive = split(of_archive[0]).0 as usize;
            let list: Vec<u32> = of_archive.iter().map(|&game| split(game).1).collect();
            let columns = self.archives[archive].with_index(self.threads, |index| {
                let columns = COLUMNS.iter();
                let columns = columns.map(|&column| index.integers(column, &list));
                columns.collect::<Result<Vec<_>, _>>()
            });
            let columns = columns.map_err(ArchiveFault::of(archive))?;
            let (players, years) = (&self.players[archive], &self.years[archive]);
            fields.extend((0..list.len()).map(|at| {
                let [white, black, date, flags] = std::array::from_fn(|i| columns[i][at]);
                let player = |id: u32| players.get(id as usize).copied().unwrap_or(0);
                GameFields([
                    player(white),
                    player(black),
                    years.get(date as usize).copied().unwrap_or(0).into(),
                    result_of(flags),
                ])
            }));
        }
        Ok(fields)
    }
}

/// The year of a date; 0 is unknown.
pub(crate) fn year(date: Date) -> u16 {
    let [year, ..] = date.parts();
    year.map_or(0, |year| u16::try_from(year).unwrap_or(0))
}

/// The number of a result; 0 is unknown.
pub(crate) fn result_number(result: Termination) -> u16 {
    match result {
        Termination::Unknown => 0,
        Termination::WhiteWins => 1,
        Termination::Draw => 2,
        Termination::BlackWins => 3,
    }
}

fn result_of(flags: u32) -> u32 {
    let flags = Flags::from_bits(flags);
    result_number(flags.result()).into()
}
