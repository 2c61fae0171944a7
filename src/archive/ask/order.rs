//! Sorts games, also of several archives, by columns of their indexes.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use crate::fault::ArchiveFault;
use crate::games::walk::BlockGames;
use crate::open::Archive;
use crate::run::Error;
use crate::stream::walk::BlockPlace;
use pgc_block::small::stored::Needs;
use pgc_index::{
    EqualRounds, Index, IndexError, Sorter, Temp, collate_rounds, compare_rounds, kind,
};

/// The number of bytes of a movetext that are compared.
const MAX_MOVETEXT: usize = 65_536;

/// Memory for sorting games by movetext; the sorter uses an eighth of it.
const TIE_MEMORY: usize = 256 << 20;

/// The sort keys, ascending. Equal games keep the order of archives and games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SortKey {
    /// Date, event, round, White, Black, result: the order of spec/index.md section 5.
    Date,
    /// The collating order of the standard, section 12: the same keys, with the site behind the
    /// event, and then the movetext. Games that only site or movetext tell apart are decoded.
    Standard,
    /// The tag Event, compared by bytes, as are Site, White and Black.
    Event,
    /// The tag Site.
    Site,
    /// The tag Round, in the order of spec/index.md section 5.
    Round,
    /// The tag White.
    White,
    /// The tag Black.
    Black,
    /// The result: `*`, `0-1`, `1-0`, `1/2-1/2`.
    Result,
    /// The ECO code.
    Eco,
    /// The average Elo, or the Elo of the one player who has one.
    Elo,
    /// The Elo of White.
    WhiteElo,
    /// The Elo of Black.
    BlackElo,
    /// The plies of the main line.
    Plies,
}

/// Sorts games; each is the position of its archive in `archives` and its number there, from 0. On
/// entry they are ascending.
///
/// # Errors
/// [`Error::Damaged`], [`Error::Io`].
pub fn sort(
    archives: &[&Archive],
    games: &mut Vec<(u32, u32)>,
    key: SortKey,
    threads: usize,
) -> Result<(), ArchiveFault> {
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); archives.len()];
    for games in games.chunk_by(|a, b| a.0 == b.0) {
        lists[games[0].0 as usize].extend(games.iter().map(|game| game.1));
    }
    // There may be very many games; sorting needs the memory.
    *games = Vec::new();
    for (number, (archive, list)) in archives.iter().zip(&mut lists).enumerate() {
        sort_one(archive, list, key, threads).map_err(ArchiveFault::of(number))?;
    }
    if key == SortKey::Standard {
        return standard(archives, &lists, games, threads);
    }
    let mut full = (0..).zip(&lists).filter(|(_, list)| !list.is_empty());
    if let (Some((archive, list)), None) = (full.next(), full.next()) {
        games.extend(list.iter().map(|&game| (archive, game)));
        return Ok(());
    }
    merge(archives, &lists, games, key, threads)
}

/// Sorts games of one archive.
fn sort_one(
    archive: &Archive,
    games: &mut Vec<u32>,
    key: SortKey,
    threads: usize,
) -> Result<(), Error> {
    if games.len() < 2 {
        return Ok(());
    }
    match key {
        SortKey::Date | SortKey::Standard => {
            *games = archive.with_index(threads, |index| collate(index, games))?;
        }
        SortKey::Site => {
            let mut sites: Vec<_> = archive
                .sites(games, threads)?
                .into_iter()
                .zip(games.iter().copied())
                .collect();
            sites.sort();
            games.clear();
            games.extend(sites.into_iter().map(|(_, game)| game));
        }
        key => {
            let keys = archive.with_index(threads, |index| numbers(index, games, key))?;
            let mut keyed: Vec<(u32, u32)> = keys.into_iter().zip(games.iter().copied()).collect();
            keyed.sort_unstable();
            games.clear();
            games.extend(keyed.into_iter().map(|(_, game)| game));
        }
    }
    Ok(())
}

/// The sort keys of games within their archive. A value's position in its table stands for the
/// value, since tables are sorted.
fn numbers<D: AsRef<[u8]>>(
    index: &Index<D>,
    games: &[u32],
    key: SortKey,
) -> Result<Vec<u32>, IndexError> {
    let column = match key {
        SortKey::Date | SortKey::Standard => kind::DATE,
        SortKey::Event => kind::EVENT,
        SortKey::Round => kind::ROUND,
        SortKey::White => kind::WHITE,
        SortKey::Black => kind::BLACK,
        SortKey::Eco => kind::ECO,
        SortKey::WhiteElo => kind::WHITE_ELO,
        SortKey::BlackElo => kind::BLACK_ELO,
        SortKey::Plies => kind::PLIES,
        // No index has it.
        SortKey::Site => return Ok(Vec::new()),
        SortKey::Result => {
            let flags = index.integers(kind::FLAGS, games)?;
            return Ok(flags.into_iter().map(|bits| bits & 3).collect());
        }
        SortKey::Elo => {
            let (white, black) = (
                index.integers(kind::WHITE_ELO, games)?,
                index.integers(kind::BLACK_ELO, games)?,
            );
            return Ok(white
                .into_iter()
                .zip(black)
                .map(|(white, black)| twice_average(white, black))
                .collect());
        }
    };
    index.integers(column, games)
}

fn twice_average(white: u32, black: u32) -> u32 {
    if white == 0 || black == 0 {
        2 * (white + black)
    } else {
        white + black
    }
}

/// The keys of the collating order behind the date, as numbers in the same order.
fn collating<D: AsRef<[u8]>>(
    index: &Index<D>,
    games: &[u32],
    equal_rounds: &EqualRounds,
) -> Result<Vec<[u32; 5]>, IndexError> {
    let mut keys = vec![[0; 5]; games.len()];
    let mut put = |place: usize, numbers: Vec<u32>| {
        keys.iter_mut()
            .zip(numbers)
            .for_each(|(key, number)| key[place] = number);
    };
    put(0, numbers(index, games, SortKey::Event)?);
    let rounds = numbers(index, games, SortKey::Round)?.into_iter();
    put(1, rounds.map(|place| equal_rounds.rank(place)).collect());
    put(2, numbers(index, games, SortKey::White)?);
    put(3, numbers(index, games, SortKey::Black)?);
    put(4, numbers(index, games, SortKey::Result)?);
    Ok(keys)
}

/// Sorts games into collating order: by date first, so that few keys are in memory at a time.
fn collate<D: AsRef<[u8]>>(index: &Index<D>, games: &[u32]) -> Result<Vec<u32>, IndexError> {
    let dates = numbers(index, games, SortKey::Date)?;
    let mut dated: Vec<(u32, u32)> = dates.into_iter().zip(games.iter().copied()).collect();
    dated.sort_unstable();
    let equal_rounds = index.equal_rounds()?;
    let mut sorted = Vec::with_capacity(games.len());
    for same in dated.chunk_by(|a, b| a.0 == b.0) {
        let games: Vec<u32> = same.iter().map(|dated| dated.1).collect();
        let keys = collating(index, &games, &equal_rounds)?;
        let mut keyed: Vec<([u32; 5], u32)> = keys.into_iter().zip(games).collect();
        keyed.sort_unstable();
        sorted.extend(keyed.into_iter().map(|(_, game)| game));
    }
    Ok(sorted)
}

/// The digits of a date, its known ones and whether it is odd: the order of the dates in an index.
type DateOrder = (u32, u32);

/// A sort key that can be compared between archives.
#[derive(Clone, Debug)]
enum SortValue {
    Number(u32),
    Text(String),
    Round(String),
    Collating(DateOrder, Box<[String; 5]>, u32),
}

impl Ord for SortValue {
    fn cmp(&self, other: &SortValue) -> Ordering {
        match (self, other) {
            (SortValue::Number(a), SortValue::Number(b)) => a.cmp(b),
            (SortValue::Text(a), SortValue::Text(b)) => a.cmp(b),
            (SortValue::Round(a), SortValue::Round(b)) => {
                compare_rounds(a.as_bytes(), b.as_bytes())
            }
            (
                SortValue::Collating(date, values, result),
                SortValue::Collating(other_date, others, other_result),
            ) => {
                let [event, site, round, white, black] = &**values;
                let [
                    other_event,
                    other_site,
                    other_round,
                    other_white,
                    other_black,
                ] = &**others;
                (date, event, site)
                    .cmp(&(other_date, other_event, other_site))
                    .then_with(|| collate_rounds(round.as_bytes(), other_round.as_bytes()))
                    .then_with(|| {
                        (white, black, result).cmp(&(other_white, other_black, other_result))
                    })
            }
            // All keys of one sort are of the same kind.
            _ => Ordering::Equal,
        }
    }
}

impl PartialOrd for SortValue {
    fn partial_cmp(&self, other: &SortValue) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SortValue {
    fn eq(&self, other: &SortValue) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SortValue {}

/// The sites of games, which no index has.
type Sites = HashMap<(usize, u32), String>;

/// The key of a game from the index, and from its site if that counts.
fn key_of(
    archive: &Archive,
    game: u32,
    key: SortKey,
    site: Option<&String>,
    threads: usize,
) -> Result<SortValue, Error> {
    archive.with_index(threads, |index| {
        let row = index.row(game)?;
        let site = site.cloned().unwrap_or_default();
        Ok(match key {
            SortKey::Event => SortValue::Text(row.event),
            SortKey::Site => SortValue::Text(site),
            SortKey::White => SortValue::Text(row.white),
            SortKey::Black => SortValue::Text(row.black),
            SortKey::Round => SortValue::Round(row.round),
            SortKey::Date | SortKey::Standard => {
                let values = [row.event, site, row.round, row.white, row.black];
                let date = (row.date.digits(), row.date.bits().rotate_left(1));
                SortValue::Collating(date, Box::new(values), row.flags.bits() & 3)
            }
            key => SortValue::Number(numbers(index, &[game], key)?.first().copied().unwrap_or(0)),
        })
    })
}

/// The next game of a list: its key, its archive, its position in the list.
type NextInOrder = Reverse<(SortValue, usize, usize)>;

/// Merges sorted lists: calls `each` with the games in the order of their keys, equal ones in the
/// order of the archives.
fn in_order(
    lists: &[Vec<u32>],
    key_of: impl Fn(usize, u32) -> Result<SortValue, Error>,
    mut each: impl FnMut(SortValue, usize, u32),
) -> Result<(), ArchiveFault> {
    let mut heap = BinaryHeap::new();
    let next = |archive: usize, at: usize| -> Result<Option<NextInOrder>, ArchiveFault> {
        let Some(&game) = lists[archive].get(at) else {
            return Ok(None);
        };
        Ok(Some(Reverse((
            key_of(archive, game).map_err(ArchiveFault::of(archive))?,
            archive,
            at,
        ))))
    };
    for archive in 0..lists.len() {
        heap.extend(next(archive, 0)?);
    }
    while let Some(Reverse((found, archive, at))) = heap.pop() {
        heap.extend(next(archive, at + 1)?);
        each(found, archive, lists[archive][at]);
    }
    Ok(())
}

/// Merges the sorted lists of several archives.
fn merge(
    archives: &[&Archive],
    lists: &[Vec<u32>],
    games: &mut Vec<(u32, u32)>,
    key: SortKey,
    threads: usize,
) -> Result<(), ArchiveFault> {
    let sites = match key {
        SortKey::Site => sites_of(archives, lists, threads)?,
        _ => Sites::new(),
    };
    let key_of = |archive: usize, game: u32| {
        let site = sites.get(&(archive, game));
        key_of(archives[archive], game, key, site, threads)
    };
    in_order(lists, key_of, |_, archive, game| {
        games.push((at32(archive), game))
    })
}

/// The sites of these games.
fn sites_of(
    archives: &[&Archive],
    lists: &[Vec<u32>],
    threads: usize,
) -> Result<Sites, ArchiveFault> {
    let mut sites = Sites::new();
    for (number, (archive, list)) in archives.iter().zip(lists).enumerate() {
        let fault = ArchiveFault::of(number);
        let mut games = list.clone();
        games.sort_unstable();
        let found = archive.sites(&games, threads).map_err(&fault)?;
        sites.extend(games.into_iter().map(|game| (number, game)).zip(found));
    }
    Ok(sites)
}

/// Merges lists that are sorted by date and event into the collating order of the standard, section
/// 12.
fn standard(
    archives: &[&Archive],
    lists: &[Vec<u32>],
    games: &mut Vec<(u32, u32)>,
    threads: usize,
) -> Result<(), ArchiveFault> {
    // Groups of games with one date and one event.
    let (mut groups, mut last): (Vec<usize>, Option<(DateOrder, String)>) = (Vec::new(), None);
    let key = |archive: usize, game: u32| {
        key_of(archives[archive], game, SortKey::Standard, None, threads)
    };
    in_order(lists, key, |found, archive, game| {
        if let SortValue::Collating(date, values, _) = found {
            let [event, ..] = *values;
            let first = (date, event);
            if last.as_ref() != Some(&first) {
                groups.push(games.len());
                last = Some(first);
            }
        }
        games.push((at32(archive), game));
    })?;
    let of_several = ranges(&groups, games.len()).filter(|group| group.len() > 1);
    let of_several: Vec<_> = of_several.collect();
    let mut needed: Vec<Vec<u32>> = vec![Vec::new(); archives.len()];
    for &(archive, game) in of_several.iter().flat_map(|group| &games[group.clone()]) {
        needed[archive as usize].push(game);
    }
    let sites = sites_of(archives, &needed, threads)?;
    let mut ties = Vec::new();
    for group in of_several {
        let mut keyed = Vec::with_capacity(group.len());
        for &(number, game) in &games[group.clone()] {
            let archive = number as usize;
            let site = sites.get(&(archive, game));
            let key = key_of(archives[archive], game, SortKey::Standard, site, threads);
            keyed.push((key.map_err(ArchiveFault::of(archive))?, (number, game)));
        }
        keyed.sort();
        let mut at = group.start;
        for equal in keyed.chunk_by(|a, b| a.0 == b.0) {
            ties.push(at..at + equal.len());
            at += equal.len();
        }
        for (place, (_, game)) in games[group].iter_mut().zip(keyed) {
            *place = game;
        }
    }
    ties.retain(|tie| tie.len() > 1);
    by_movetext(archives, games, &ties, threads)
}

/// The ranges that begin at these places, of which the last ends at `end`.
fn ranges(begins: &[usize], end: usize) -> impl Iterator<Item = Range<usize>> {
    let ends = begins.iter().skip(1).copied().chain([end]);
    begins
        .iter()
        .copied()
        .zip(ends)
        .map(|(begin, end)| begin..end)
}

/// The number of an archive among several.
fn at32(archive: usize) -> u32 {
    u32::try_from(archive).unwrap_or(u32::MAX)
}

/// Sorts groups of games that only their movetexts can tell apart. Each block is read once; a
/// temporary file holds what does not fit into memory.
fn by_movetext(
    archives: &[&Archive],
    games: &mut [(u32, u32)],
    groups: &[Range<usize>],
    threads: usize,
) -> Result<(), ArchiveFault> {
    let mut tied: Vec<Vec<(u32, u32)>> = vec![Vec::new(); archives.len()];
    for group in groups {
        let begin = u32::try_from(group.start).unwrap_or(u32::MAX);
        games[group.clone()]
            .iter()
            .for_each(|&(archive, game)| tied[archive as usize].push((game, begin)));
    }
    let Some(first) = archives.first() else {
        return Ok(());
    };
    let mut sorter = Sorter::new(&Temp {
        dir: first.temp_dir().to_owned(),
        memory: TIE_MEMORY,
    });
    for (number, (archive, mut tied)) in (0_u64..).zip(archives.iter().zip(tied)) {
        tied.sort_unstable();
        let list: Vec<u32> = tied.iter().map(|tied| tied.0).collect();
        let text_of =
            |_: &BlockPlace, games: &mut BlockGames<'_>, out: &mut Vec<(u64, Vec<u8>)>| {
                out.push((games.number(), games.movetext(MAX_MOVETEXT)?.to_vec()));
                Ok(())
            };
        let fault = ArchiveFault::of(usize::try_from(number).unwrap_or(usize::MAX));
        let mut is_read = vec![false; tied.len()];
        let scanned = archive.scan(
            Some(&list),
            Needs::All,
            if list.len() < 1000 { 1 } else { threads },
            text_of,
            |texts| {
                for (game, text) in texts {
                    let game = u32::try_from(game - 1).unwrap_or(u32::MAX);
                    if let Ok(at) = tied.binary_search_by_key(&game, |tied| tied.0) {
                        is_read[at] = true;
                        sorter.push(tied[at].1, &text, number << 32 | u64::from(game))?;
                    }
                }
                Ok(())
            },
        );
        scanned.map_err(&fault)?;
        // A game of a damaged block has no movetext to compare, but keeps a place in its group.
        for (&(game, group), _) in tied.iter().zip(is_read).filter(|(_, is_read)| !is_read) {
            let pushed = sorter.push(group, b"", number << 32 | u64::from(game));
            pushed.map_err(|error| fault(error.into()))?;
        }
    }
    let sorted = sorter.finish()?;
    let (mut sorted, mut at) = (sorted.read()?, 0);
    while let Some((group, _, number)) = sorted.next()? {
        // A group's games fill its positions, starting with the first.
        at = at.max(group as usize);
        if let Some(place) = games.get_mut(at) {
            let half = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
            *place = (half(number >> 32), half(number & u64::from(u32::MAX)));
        }
        at += 1;
    }
    Ok(())
}
