//! Players, year and result of games, from the indexes; the players of several archives are numbered
//! so that equal names have equal numbers.

use crate::dups::same::GameFields;
use crate::open::Archive;
use crate::run::Error;
use pgc_index::{Date, Flags, IndexError, NameField, Sorter, Temp, fold, kind, words};
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
    ) -> Result<FieldReader<'a>, Error> {
        let mut years = Vec::with_capacity(archives.len());
        for archive in archives {
            let dates = archive.with_index(threads, |index| index.date_list());
            let dates = dates.map_err(|error| archive.named(error))?;
            years.push(dates.into_iter().map(year).collect());
        }
        Ok(FieldReader {
            archives,
            threads,
            players: players(archives, games, temp, threads)?,
            years,
        })
    }

    /// The fields of games, each `archive << 32 | game`, ascending.
    pub(super) fn read(&self, games: &[u64]) -> Result<Vec<GameFields>, Error> {
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
            let columns = columns.map_err(|error| self.archives[archive].named(error))?;
            let (players, years) = (&self.players[archive], &self.years[archive]);
            fields.extend((0..list.len()).map(|at| {
                let [white, black, date, flags] = std::array::from_fn(|i| columns[i][at]);
                let player = |id: u32| players.get(id as usize).copied().unwrap_or(0);
                GameFields([
                    player(white),
                    player(black),
                    years.get(date as usize).copied().unwrap_or(0).into(),
                    result_number(Flags::from_bits(flags).result()).into(),
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

/// With fewer games than this fraction of the names, only the names of their players are read.
const FEW: usize = 4;

/// For each archive, the number of each player in its table. Equal numbers mean names with the same
/// words, whatever their order, case and accents. 0 means a name without words, such as `?`; and
/// perhaps a player of none of `games`, which has a list for each archive.
fn players(
    archives: &[&Archive],
    games: &[Vec<u32>],
    temp: &Temp,
    threads: usize,
) -> Result<Vec<Vec<u32>>, Error> {
    let mut sorter = Sorter::new(temp);
    let (mut numbers, mut folded) = (Vec::with_capacity(archives.len()), String::new());
    let mut put = |name: &str, place: u64| match name_key(name, &mut folded) {
        key if key.is_empty() => Ok(()),
        key => sorter.push(0, key.as_bytes(), place),
    };
    for ((archive, games), lead) in archives.iter().zip(games).zip(0_u64..) {
        let named = |error| archive.named(error);
        if let Some((count, few)) = names_of_few(archive, games, threads).map_err(named)? {
            numbers.push(vec![0; count]);
            for (at, name) in few {
                put(&name, lead << 32 | u64::from(at))?;
            }
            continue;
        }
        let mut count = 0;
        let each = &mut |name: &str, _| {
            put(name, lead << 32 | count as u64)?;
            count += 1;
            Ok(())
        };
        let read = archive.each_name(NameField::Player, None, threads, each);
        read.map_err(named)?;
        numbers.push(vec![0; count]);
    }
    let sorted = sorter.finish()?;
    let (mut reader, mut number, mut last) = (sorted.read()?, 0_u32, Vec::new());
    while let Some((_, name, place)) = reader.next()? {
        if number == 0 || name != last {
            number += 1;
            last.clear();
            last.extend_from_slice(name);
        }
        let (archive, at) = split(place);
        if let Some(slot) = numbers[archive as usize].get_mut(at as usize) {
            *slot = number;
        }
    }
    Ok(numbers)
}

/// The number of players of an archive, and the names of some of them.
type FewNames = (usize, Vec<(u32, String)>);

/// The number of players of an archive, and the names of those of these games, if that is less work
/// than to read all names.
fn names_of_few(
    archive: &Archive,
    games: &[u32],
    threads: usize,
) -> Result<Option<FewNames>, Error> {
    archive.with_index(threads, |index| {
        let count = index.values(NameField::Player)?.count() as usize;
        if games.len() >= count / FEW {
            return Ok(None);
        }
        let mut ids = index.integers(kind::WHITE, games)?;
        ids.append(&mut index.integers(kind::BLACK, games)?);
        ids.sort_unstable();
        ids.dedup();
        let named = |&id: &u32| Ok((id, index.value(NameField::Player, id)?));
        let named = ids.iter().map(named).collect::<Result<_, IndexError>>()?;
        Ok(Some((count, named)))
    })
}

/// The folded words of a name, sorted; equal for names that are taken for one. Empty for an unknown
/// name.
pub(crate) fn name_key(name: &str, folded: &mut String) -> String {
    fold(name, folded);
    let mut parts: Vec<&str> = words(folded).collect();
    parts.sort_unstable();
    parts.join(" ")
}

/// The archive and the number in it, of `archive << 32 | number`.
pub(crate) fn split(place: u64) -> (u32, u32) {
    let half = |number: u64| u32::try_from(number & u64::from(u32::MAX)).unwrap_or(u32::MAX);
    (half(place >> 32), half(place))
}
