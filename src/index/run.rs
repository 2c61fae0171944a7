//! The games since the last spill, in memory; then sorted, as sections like those of an index.

use std::hash::BuildHasher;
use std::io::{self, Write};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::layout::{Section, kind, put_varint};
use super::order::{Key, OPENING, PLAY, key};
use super::output::Sections;
use super::round::compare_rounds;
use super::sites::Sketch;
use super::summary::Fixed;

/// Distinct values of a table, numbered as they come.
#[derive(Debug, Default)]
struct Values {
    /// Keyed, so that nobody can choose values that all hash alike. The hash shows in nothing that is written.
    hasher: DefaultHashBuilder,
    known: HashTable<Known>,
    hashes: Vec<u64>,
    bytes: Vec<u8>,
    /// Where each begins; at the end, where the next will.
    begins: Vec<u32>,
    last: u32,
}

/// Where a value is. It stands in the table itself, for most of the time goes into waiting for memory.
#[derive(Clone, Copy, Debug)]
struct Known {
    id: u32,
    at: u32,
    len: u32,
}

/// A run with so many bytes of values in one table is full, whatever memory there is: places in them are u32.
const MAX_BYTES: usize = 1 << 31;

impl Values {
    fn get(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let end = self.begins.get(id + 1).map_or(self.bytes.len(), |&end| end as usize);
        &self.bytes[self.begins[id] as usize..end]
    }

    fn len(&self) -> usize {
        self.begins.len()
    }

    /// The number of this value.
    #[inline]
    fn id(&mut self, value: &[u8]) -> u32 {
        // Mostly that of the game before.
        if self.len() > 0 && self.get(self.last) == value {
            return self.last;
        }
        let hash = self.hasher.hash_one(value);
        let is_same = |known: &Known| {
            known.len as usize == value.len() && &self.bytes[known.at as usize..][..known.len as usize] == value
        };
        self.last = match self.known.find(hash, is_same) {
            Some(known) => known.id,
            None => self.insert(hash, value),
        };
        self.last
    }

    #[cold]
    fn insert(&mut self, hash: u64, value: &[u8]) -> u32 {
        // A run is spilled long before one of these is too much: see `MAX_BYTES`.
        let [id, at, len] = [self.len(), self.bytes.len(), value.len()].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        self.bytes.extend_from_slice(value);
        self.begins.push(at);
        self.hashes.push(hash);
        let hashes = &self.hashes;
        self.known.insert_unique(hash, Known { id, at, len }, |known| hashes[known.id as usize]);
        id
    }

    /// Bytes that it takes, and that sorting it will.
    fn memory(&self) -> usize {
        let sorting = self.len() * (size_of::<(u64, u32)>() + size_of::<u32>());
        let lists = self.hashes.capacity() * size_of::<u64>() + self.begins.capacity() * size_of::<u32>();
        self.bytes.capacity() + lists + self.known.allocation_size() + sorting
    }

    /// The numbers in the order of the values.
    fn sorted(&self, is_rounds: bool) -> Vec<u32> {
        let prefix = |id: u32| {
            let (value, mut first) = (self.get(id), [0; 8]);
            let n = value.len().min(8);
            first[..n].copy_from_slice(&value[..n]);
            u64::from_le_bytes(first).swap_bytes()
        };
        let all = 0..u32::try_from(self.len()).unwrap_or(u32::MAX);
        if is_rounds {
            let mut ids: Vec<u32> = all.collect();
            ids.sort_unstable_by(|&a, &b| compare_rounds(self.get(a), self.get(b)));
            return ids;
        }
        let mut ids: Vec<(u64, u32)> = all.map(|id| (prefix(id), id)).collect();
        ids.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.get(a.1).cmp(self.get(b.1))));
        ids.into_iter().map(|(_, id)| id).collect()
    }
}

/// Games with their values, in the order of the archive.
#[derive(Debug, Default)]
pub(super) struct Run {
    events: Values,
    sites: Values,
    rounds: Values,
    players: Values,
    date: Vec<u32>,
    event: Vec<u32>,
    site: Vec<u32>,
    round: Vec<u32>,
    white: Vec<u32>,
    black: Vec<u32>,
    plies: Vec<u32>,
    white_elo: Vec<u16>,
    black_elo: Vec<u16>,
    eco: Vec<u16>,
    flags: Vec<u16>,
    play: Vec<u64>,
    opening: Vec<u64>,
    /// Empty where none are asked for.
    hash: Vec<u64>,
}

/// Bytes of a game in the columns, without the hash.
const COLUMNS: usize = 7 * size_of::<u32>() + 4 * size_of::<u16>() + 2 * size_of::<u64>();

impl Run {
    pub(super) fn games(&self) -> usize {
        self.date.len()
    }

    pub(super) fn push(&mut self, game: &Fixed, values: [&[u8]; 5], with_hash: bool) {
        let [event, site, round, white, black] = values;
        self.event.push(self.events.id(event));
        self.site.push(self.sites.id(site));
        self.round.push(self.rounds.id(round));
        self.white.push(self.players.id(white));
        self.black.push(self.players.id(black));
        self.date.push(game.date.bits());
        self.plies.push(game.plies);
        self.white_elo.push(game.white_elo);
        self.black_elo.push(game.black_elo);
        self.eco.push(game.eco);
        self.flags.push(game.flags.bits());
        self.play.push(game.play);
        self.opening.push(game.opening);
        if with_hash {
            self.hash.push(game.hash);
        }
    }

    /// Bytes that it takes, and that sorting it will; all there are if it is full.
    pub(super) fn memory(&self) -> usize {
        let games = self.date.capacity() * COLUMNS + self.hash.capacity() * size_of::<u64>();
        let tables = [&self.events, &self.sites, &self.rounds, &self.players];
        if tables.iter().any(|table| table.bytes.len() > MAX_BYTES) {
            return usize::MAX;
        }
        games + self.games() * size_of::<Key>() + tables.iter().map(|table| table.memory()).sum::<usize>()
    }

    /// Sorts all, and writes it as sections, the first at `offset`. They hold what those of an index do, but for words; Site always.
    pub(super) fn seal(mut self, out: &mut dyn Write, offset: u64) -> io::Result<(Vec<Section>, u64, Sketch)> {
        let mut out = Sections::new(out, offset);
        let mut sketch = Sketch::default();
        for id in 0..self.sites.len() {
            sketch.add(self.sites.get(u32::try_from(id).unwrap_or(u32::MAX)));
        }
        let take = std::mem::take::<Values>;
        put_table(&mut out, kind::EVENTS, &take(&mut self.events), &mut [&mut self.event])?;
        put_table(&mut out, kind::SITES, &take(&mut self.sites), &mut [&mut self.site])?;
        put_table(&mut out, kind::ROUNDS, &take(&mut self.rounds), &mut [&mut self.round])?;
        put_table(&mut out, kind::PLAYERS, &take(&mut self.players), &mut [&mut self.white, &mut self.black])?;
        self.put_order(&mut out)?;
        put_column(&mut out, kind::DATE, std::mem::take(&mut self.date))?;
        put_column(&mut out, kind::EVENT, std::mem::take(&mut self.event))?;
        put_column(&mut out, kind::SITE, std::mem::take(&mut self.site))?;
        put_column(&mut out, kind::ROUND, std::mem::take(&mut self.round))?;
        put_column(&mut out, kind::WHITE, std::mem::take(&mut self.white))?;
        put_column(&mut out, kind::BLACK, std::mem::take(&mut self.black))?;
        put_column(&mut out, kind::PLIES, std::mem::take(&mut self.plies))?;
        put_column(&mut out, kind::WHITE_ELO, self.white_elo)?;
        put_column(&mut out, kind::BLACK_ELO, self.black_elo)?;
        put_column(&mut out, kind::ECO, self.eco)?;
        put_column(&mut out, kind::FLAGS, self.flags)?;
        put_column(&mut out, kind::HASH, self.hash)?;
        put_column(&mut out, PLAY, self.play)?;
        put_column(&mut out, OPENING, self.opening)?;
        let (sections, end) = out.end();
        Ok((sections, end, sketch))
    }

    /// The numbers of the games by the seven keys, then by number.
    fn put_order<W: Write>(&self, out: &mut Sections<W>) -> io::Result<()> {
        let wide = u64::from;
        let mut keys: Vec<Key> = (0..self.games())
            .map(|i| {
                let names = [self.event[i], self.site[i], self.round[i], self.white[i], self.black[i]].map(wide);
                key(wide(self.date[i]), names, self.flags[i].into(), u32::try_from(i).unwrap_or(u32::MAX))
            })
            .collect();
        keys.sort_unstable();
        out.integers(kind::ORDER, keys.len().saturating_sub(1) as u64)?;
        // The number of the game is the low half of the last word.
        out.all(keys.iter().map(|key| key[3] & wide(u32::MAX)))?;
        out.end_section()
    }
}

/// Writes a column, and lets go of it.
fn put_column<W: Write, T: Copy + Ord + Into<u64>>(out: &mut Sections<W>, kind: u32, column: Vec<T>) -> io::Result<()> {
    out.integers(kind, column.iter().copied().max().map_or(0, Into::into))?;
    out.all(column.iter().map(|&number| number.into()))?;
    out.end_section()
}

/// Writes a table; its columns have the places of the values in it from now on.
fn put_table<W: Write>(
    out: &mut Sections<W>,
    table: u32,
    values: &Values,
    columns: &mut [&mut Vec<u32>],
) -> io::Result<()> {
    let order = values.sorted(table == kind::ROUNDS);
    let mut places = vec![0_u32; order.len()];
    for (place, &id) in (0_u32..).zip(&order) {
        places[id as usize] = place;
    }
    columns.iter_mut().flat_map(|column| column.iter_mut()).for_each(|id| *id = places[*id as usize]);
    drop(places);

    out.integers(table + kind::OFFSETS, values.bytes.len() as u64)?;
    let mut at = 0;
    out.integer(0)?;
    for &id in &order {
        at += values.get(id).len() as u64;
        out.integer(at)?;
    }
    out.end_section()?;
    out.entries(table + kind::VALUES)?;
    for &id in &order {
        let value = values.get(id);
        out.bytes(value, value.len() as u64)?;
    }
    out.end_section()?;
    if table == kind::ROUNDS { Ok(()) } else { put_postings(out, table, order.len(), columns) }
}

/// Writes the games of each of `count` values.
fn put_postings<W: Write>(
    out: &mut Sections<W>,
    table: u32,
    count: usize,
    columns: &[&mut Vec<u32>],
) -> io::Result<()> {
    let games = columns.first().map_or(0, |column| column.len());
    // What each game adds: its values, but a value only once.
    let of_game = |game: usize| {
        let first = columns[0][game];
        let second = columns.get(1).map(|column| column[game]).filter(|&id| id != first);
        std::iter::once(first).chain(second)
    };
    let mut ends = vec![0_usize; count + 1];
    for id in (0..games).flat_map(of_game) {
        ends[id as usize + 1] += 1;
    }
    for i in 1..ends.len() {
        ends[i] += ends[i - 1];
    }
    // `ends` is where the next game of each value goes, and so becomes where its list ends.
    let mut lists = vec![0_u32; ends.last().copied().unwrap_or(0)];
    for (number, game) in (0_u32..).zip(0..games) {
        for id in of_game(game) {
            lists[ends[id as usize]] = number;
            ends[id as usize] += 1;
        }
    }
    let mut list = Vec::new();
    let (mut all, mut offsets) = (Vec::new(), Vec::with_capacity(count + 1));
    let mut from = 0;
    offsets.push(0);
    for &end in &ends[..count] {
        list.clear();
        put_list(&mut list, &lists[from..end]);
        all.extend_from_slice(&list);
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

/// Appends the postings of a value: these games, ascending.
pub(super) fn put_list(out: &mut Vec<u8>, games: &[u32]) {
    put_varint(out, games.len() as u64);
    let mut before = None;
    for &game in games {
        let less = before.map_or(0, |before: u32| before + 1);
        put_varint(out, u64::from(game - less));
        before = Some(game);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_of_the_text() {
        let mut out = Vec::new();
        put_list(&mut out, &[0, 1, 5, 300]);
        // Four; 0; 1 - 0 - 1; 5 - 1 - 1; 300 - 5 - 1 = 294.
        assert_eq!(out, [4, 0, 0, 3, 0xa6, 0x02]);
        out.clear();
        put_list(&mut out, &[200]);
        assert_eq!(out, [1, 0xc8, 0x01]);
    }

    #[test]
    fn values_get_one_number_each() {
        let mut values = Values::default();
        let ids: Vec<u32> = ["b", "a", "b", "", "", "a", "ab"].map(|value| values.id(value.as_bytes())).to_vec();
        assert_eq!(ids, [0, 1, 0, 2, 2, 1, 3]);
        assert_eq!(values.sorted(false), [2, 1, 3, 0]);
    }
}
