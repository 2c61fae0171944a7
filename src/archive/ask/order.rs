//! Sorts games, also of several archives, by columns of their indexes.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use crate::dups::fields::split;
use crate::games::walk::BlockGames;
use crate::open::Archive;
use crate::run::Error;
use pgc_block::small::stored::Needs;
use pgc_index::{EqualRounds, Index, IndexError, Sorter, Temp, collate_rounds, kind};
use pgc_pgn::tag_column::is_same_name;

/// The number of bytes of a movetext that are compared.
const MAX_MOVETEXT: usize = 65_536;

/// Memory for sorting games by movetext; the sorter uses an eighth of it.
const TIE_MEMORY: usize = 256 << 20;

/// The sort keys, ascending. Equal games keep the order of archives and games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SortKey {
    /// The order of the archives and of the games in each.
    Number,
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

impl SortKey {
    /// All keys, by their names on the command line, each with the column of the index that sorts
    /// the games of one archive, if one column does.
    const ALL: [(&str, SortKey, Option<u32>); 14] = [
        ("date", SortKey::Date, Some(kind::DATE)),
        ("standard", SortKey::Standard, Some(kind::DATE)),
        ("number", SortKey::Number, None),
        ("white", SortKey::White, Some(kind::WHITE)),
        ("black", SortKey::Black, Some(kind::BLACK)),
        ("event", SortKey::Event, Some(kind::EVENT)),
        ("site", SortKey::Site, None),
        ("round", SortKey::Round, Some(kind::ROUND)),
        ("result", SortKey::Result, None),
        ("eco", SortKey::Eco, Some(kind::ECO)),
        ("elo", SortKey::Elo, None),
        ("white-elo", SortKey::WhiteElo, Some(kind::WHITE_ELO)),
        ("black-elo", SortKey::BlackElo, Some(kind::BLACK_ELO)),
        ("plies", SortKey::Plies, Some(kind::PLIES)),
    ];

    /// The names of all keys.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SortKey::ALL.iter().map(|known| known.0)
    }

    /// The key with this name, in which `_` may stand for `-`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<SortKey> {
        let mut all = SortKey::ALL.iter();
        let found = all.find(|known| is_same_name(known.0, name));
        found.map(|known| known.1)
    }
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
) -> Result<(), Error> {
    if key == SortKey::Number {
        return Ok(());
    }
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); archives.len()];
    for games in games.chunk_by(|a, b| a.0 == b.0) {
        lists[games[0].0 as usize].extend(games.iter().map(|game| game.1));
    }
    // There may be very many games; sorting needs the memory.
    *games = Vec::new();
    for (archive, list) in archives.iter().zip(&mut lists) {
        sort_one(archive, list, key, threads).map_err(|error| archive.named(error))?;
    }
    if key == SortKey::Standard {
        return standard(archives, &lists, games, threads);
    }
    let mut full = (0..).zip(&lists).filter(|(_, list)| !list.is_empty());
    if let (Some((archive, list)), None) = (full.next(), full.next()) {
        games.extend(list.iter().map(|&game| (archive, game)));
        return Ok(());
    }
    let sites = match key {
        SortKey::Site => sites_of(archives, &lists, threads)?,
        _ => Sites::new(),
    };
    let key_of = |archive: usize, game: u32| {
        let site = sites.get(&(archive, game));
        key_of(archives[archive], game, key, site, threads)
    };
    in_order(&lists, key_of, |_, archive, game| {
        games.push((at32(archive), game))
    })
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
    *games = match key {
        SortKey::Date | SortKey::Standard => {
            archive.with_index(threads, |index| collate(index, games))?
        }
        SortKey::Site => by_keys(archive.sites(games, threads)?, games),
        key => {
            let keys = archive.with_index(threads, |index| numbers(index, games, key))?;
            by_keys(keys, games)
        }
    };
    Ok(())
}

/// The games in the order of their keys, equal ones in that of their numbers.
fn by_keys<K: Ord>(keys: Vec<K>, games: &[u32]) -> Vec<u32> {
    let mut keyed: Vec<(K, u32)> = keys.into_iter().zip(games.iter().copied()).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, game)| game).collect()
}

/// The sort keys of games within their archive. A value's position in its table stands for the
/// value, since tables are sorted.
fn numbers<D: AsRef<[u8]>>(
    index: &Index<D>,
    games: &[u32],
    key: SortKey,
) -> Result<Vec<u32>, IndexError> {
    match key {
        SortKey::Result => {
            let flags = index.integers(kind::FLAGS, games)?;
            Ok(flags.into_iter().map(|bits| bits & 3).collect())
        }
        SortKey::Elo => {
            let white = index.integers(kind::WHITE_ELO, games)?.into_iter();
            let elos = white.zip(index.integers(kind::BLACK_ELO, games)?);
            let twice_average = |(white, black)| match white == 0 || black == 0 {
                true => 2 * (white + black),
                false => white + black,
            };
            Ok(elos.map(twice_average).collect())
        }
        key => match SortKey::ALL.iter().find(|known| known.1 == key) {
            Some(&(_, _, Some(column))) => index.integers(column, games),
            // No index has the site.
            _ => Ok(Vec::new()),
        },
    }
}

/// The keys of the collating order behind the date, as numbers in the same order.
fn collating<D: AsRef<[u8]>>(
    index: &Index<D>,
    games: &[u32],
    equal_rounds: &EqualRounds,
) -> Result<Vec<[u32; 5]>, IndexError> {
    let column = |key| numbers(index, games, key);
    let rank = |place: u32| equal_rounds.rank(place);
    let columns = [
        column(SortKey::Event)?,
        column(SortKey::Round)?.into_iter().map(rank).collect(),
        column(SortKey::White)?,
        column(SortKey::Black)?,
        column(SortKey::Result)?,
    ];
    let key = |at: usize| columns.each_ref().map(|column| column[at]);
    Ok((0..games.len()).map(key).collect())
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
        sorted.extend(by_keys(collating(index, &games, &equal_rounds)?, &games));
    }
    Ok(sorted)
}

/// The digits of a date, its known ones and whether it is odd: the order of the dates in an index.
type DateOrder = (u32, u32);

/// A sort key that can be compared between archives; all keys of one sort are of the same kind.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum SortValue {
    Number(u32),
    Text(String),
    /// The order of a table: rounds that the collating order takes for one are sorted by their bytes.
    Round(CollatedRound, String),
    Collating(Box<CollatingKey>),
}

/// Date, event and site, round, White and Black, result.
type CollatingKey = (DateOrder, [String; 2], CollatedRound, [String; 2], u32);

/// A round in the collating order.
struct CollatedRound(String);

impl Ord for CollatedRound {
    fn cmp(&self, other: &CollatedRound) -> Ordering {
        collate_rounds(self.0.as_bytes(), other.0.as_bytes())
    }
}

impl PartialOrd for CollatedRound {
    fn partial_cmp(&self, other: &CollatedRound) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for CollatedRound {
    fn eq(&self, other: &CollatedRound) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for CollatedRound {}

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
    let value = archive.with_index(threads, |index| {
        let row = index.row(game)?;
        let site = site.cloned().unwrap_or_default();
        Ok(match key {
            SortKey::Event => SortValue::Text(row.event),
            SortKey::Site => SortValue::Text(site),
            SortKey::White => SortValue::Text(row.white),
            SortKey::Black => SortValue::Text(row.black),
            SortKey::Round => SortValue::Round(CollatedRound(row.round.clone()), row.round),
            SortKey::Date | SortKey::Standard => {
                let date = (row.date.digits(), row.date.bits().rotate_left(1));
                let (place, players) = ([row.event, site], [row.white, row.black]);
                let (round, result) = (CollatedRound(row.round), row.flags.bits() & 3);
                SortValue::Collating(Box::new((date, place, round, players, result)))
            }
            key => SortValue::Number(numbers(index, &[game], key)?.first().copied().unwrap_or(0)),
        })
    });
    value.map_err(|error| archive.named(error))
}

/// Merges sorted lists: calls `each` with the games in the order of their keys, equal ones in the
/// order of the archives.
fn in_order(
    lists: &[Vec<u32>],
    key_of: impl Fn(usize, u32) -> Result<SortValue, Error>,
    mut each: impl FnMut(SortValue, usize, u32),
) -> Result<(), Error> {
    let mut heap = BinaryHeap::new();
    // The next game of a list: its key, its archive, its position in the list.
    let next = |archive: usize, at: usize| {
        let key = lists[archive].get(at).map(|&game| key_of(archive, game));
        let key = key.transpose()?;
        Ok::<_, Error>(key.map(|key| Reverse((key, archive, at))))
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

/// The sites of these games.
fn sites_of(archives: &[&Archive], lists: &[Vec<u32>], threads: usize) -> Result<Sites, Error> {
    let mut sites = Sites::new();
    for (number, (archive, list)) in archives.iter().zip(lists).enumerate() {
        let found = archive.sites(list, threads);
        let found = found.map_err(|error| archive.named(error))?;
        sites.extend(list.iter().map(|&game| (number, game)).zip(found));
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
) -> Result<(), Error> {
    // Groups of games with one date and one event.
    let (mut groups, mut last): (Vec<Range<usize>>, Option<(DateOrder, String)>) =
        Default::default();
    let key = |archive: usize, game: u32| {
        key_of(archives[archive], game, SortKey::Standard, None, threads)
    };
    in_order(lists, key, |found, archive, game| {
        if let SortValue::Collating(key) = found {
            let (date, [event, _], ..) = *key;
            let first = Some((date, event));
            match groups.last_mut() {
                Some(group) if last == first => group.end += 1,
                _ => groups.push(games.len()..games.len() + 1),
            }
            last = first;
        }
        games.push((at32(archive), game));
    })?;
    groups.retain(|group| group.len() > 1);
    let mut needed: Vec<Vec<u32>> = vec![Vec::new(); archives.len()];
    for &(archive, game) in groups.iter().flat_map(|group| &games[group.clone()]) {
        needed[archive as usize].push(game);
    }
    let sites = sites_of(archives, &needed, threads)?;
    let mut ties = Vec::new();
    for group in groups {
        let mut keyed = Vec::with_capacity(group.len());
        for &(number, game) in &games[group.clone()] {
            let archive = number as usize;
            let site = sites.get(&(archive, game));
            let key = key_of(archives[archive], game, SortKey::Standard, site, threads);
            keyed.push((key?, (number, game)));
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
) -> Result<(), Error> {
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
        dir: first.temp_dir.clone(),
        memory: TIE_MEMORY,
    });
    for (number, (archive, mut tied)) in (0_u64..).zip(archives.iter().zip(tied)) {
        tied.sort_unstable();
        let list: Vec<u32> = tied.iter().map(|tied| tied.0).collect();
        let named = |error| archive.named(error);
        let mut is_read = vec![false; tied.len()];
        let of = |games: &mut BlockGames<'_>| Ok(games.movetext(MAX_MOVETEXT)?.to_vec());
        let read = archive.each_of(&list, Needs::All, threads, of, |at, text: Vec<u8>| {
            let (game, group) = tied[at];
            is_read[at] = true;
            Ok(sorter.push(group, &text, number << 32 | u64::from(game))?)
        });
        read.map_err(named)?;
        // A game of a damaged block has no movetext to compare, but keeps a place in its group.
        for (&(game, group), _) in tied.iter().zip(is_read).filter(|(_, is_read)| !is_read) {
            sorter.push(group, b"", number << 32 | u64::from(game))?;
        }
    }
    let sorted = sorter.finish()?;
    let (mut sorted, mut at) = (sorted.read()?, 0);
    while let Some((group, _, number)) = sorted.next()? {
        // A group's games fill its positions, starting with the first.
        at = at.max(group as usize);
        if let Some(place) = games.get_mut(at) {
            *place = split(number);
        }
        at += 1;
    }
    Ok(())
}
