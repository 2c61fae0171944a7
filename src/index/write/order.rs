//! Sorts the games into the collating order (spec/index.md section 5).

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io::{self, Write};

use super::fetch::Fetch;
use super::merge::MergedTables;
use super::sort::{Least, Sequence, Sorted};
use super::spill::{Cursor, IndexPart, Loaded, Stored, Temp, damaged};
use super::ties::{Placed, PlayDigest, Ties};
use crate::index::format::date::Date;
use crate::index::format::layout::kind;
use crate::index::format::round::EqualRounds;

/// The sort key of a game before its movetext, and the number of the game: date and Event; Site and
/// Round; White and Black; the result and the number, 32 bits each.
pub(super) type Key = [u64; 4];

/// A key, and the digest of the movetext.
type Entry = (Key, PlayDigest);

/// Length of an entry in a file.
const ENTRY: usize = size_of::<Key>() + 2 * size_of::<u64>();

/// A section that only runs have, not indexes: [`super::summary::Facts::play`] of each game.
pub(super) const PLAY: u32 = u32::MAX;

/// Another such section: [`super::summary::Facts::opening`] of each game.
pub(super) const OPENING: u32 = u32::MAX - 1;

/// The key of a game, from its date and flags as in the columns, the positions of Event, Site,
/// Round, White and Black, and its number.
pub(super) fn key(date: u64, names: [u64; 5], flags: u64, game: u32) -> Key {
    let [event, site, round, white, black] = names;
    // The date is a u32.
    let digits = Date::from_bits(u32::try_from(date).unwrap_or(0)).digits();
    let result = flags & 3;
    [
        u64::from(digits) << 32 | event,
        site << 32 | round,
        white << 32 | black,
        result << 32 | u64::from(game),
    ]
}

/// The first seven keys of the order, without the number.
fn seven(key: &Key) -> Key {
    [key[0], key[1], key[2], key[3] >> 32]
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the low half is the number of the game"
)]
fn game(key: &Key) -> u32 {
    key[3] as u32
}

/// Which keys to compute.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyParts {
    All,
    /// Only date and Event; the others are 0.
    First,
}

/// Computes the keys of the games of a part, in its order, from positions in the merged tables.
struct PartKeys<'p> {
    part: &'p IndexPart<'p>,
    order: Cursor<'p>,
    width: u8,
    date: Loaded<'p>,
    event: ValueColumn<'p>,
    others: Option<Others<'p>>,
}

struct Others<'p> {
    /// Site, Round.
    site: Option<ValueColumn<'p>>,
    round: ValueColumn<'p>,
    equal_rounds: &'p EqualRounds,
    white: Loaded<'p>,
    black: Loaded<'p>,
    players: Option<Vec<u32>>,
    flags: Loaded<'p>,
    /// Play and opening, if the part was a run.
    play: Option<[Loaded<'p>; 2]>,
}

/// A column of values, and their positions in the merged table if these differ.
struct ValueColumn<'p>(Loaded<'p>, Option<Vec<u32>>);

impl ValueColumn<'_> {
    #[inline]
    fn get(&self, game: u32) -> io::Result<u64> {
        place(self.0.get(game)?, self.1.as_deref())
    }
}

#[inline]
pub(super) fn place(id: u64, map: Option<&[u32]>) -> io::Result<u64> {
    match map {
        None => Ok(id),
        Some(map) => {
            let id = usize::try_from(id).ok().and_then(|id| map.get(id));
            id.map(|&id| u64::from(id))
                .ok_or_else(|| damaged("number of a value"))
        }
    }
}

impl<'p> PartKeys<'p> {
    fn new(
        parts: &'p [IndexPart<'p>],
        at: usize,
        tables: &'p MergedTables,
        wanted: KeyParts,
        room: usize,
    ) -> io::Result<PartKeys<'p>> {
        let part = &parts[at];
        // With only one part, its positions are those of the merged tables.
        let map = |table: u32| {
            if parts.len() == 1 {
                Ok(None)
            } else {
                tables.map(table, at)
            }
        };
        let column =
            |kind: u32, table: u32| Ok::<_, io::Error>(ValueColumn(part.load(kind)?, map(table)?));
        let others = match wanted {
            KeyParts::First => None,
            KeyParts::All => Some(Others {
                site: if part.has_sites() {
                    Some(column(kind::SITE, kind::SITES)?)
                } else {
                    None
                },
                round: column(kind::ROUND, kind::ROUNDS)?,
                equal_rounds: &tables.get(kind::ROUNDS)?.equal_rounds,
                white: part.load(kind::WHITE)?,
                black: part.load(kind::BLACK)?,
                players: map(kind::PLAYERS)?,
                flags: part.load(kind::FLAGS)?,
                play: if part.is_index {
                    None
                } else {
                    Some([part.load(PLAY)?, part.load(OPENING)?])
                },
            }),
        };
        Ok(PartKeys {
            part,
            order: part.cursor(kind::ORDER, room)?,
            width: part.section(kind::ORDER)?.width,
            date: part.load(kind::DATE)?,
            event: column(kind::EVENT, kind::EVENTS)?,
            others,
        })
    }

    fn next(&mut self) -> io::Result<Option<Entry>> {
        if self.order.left() == 0 {
            return Ok(None);
        }
        let local = self.order.integer(self.width)?;
        let local = u32::try_from(local)
            .ok()
            .filter(|&n| n < self.part.games)
            .ok_or_else(|| damaged("the order"))?;
        let (date, event) = (self.date.get(local)?, self.event.get(local)?);
        let number = self.part.first_game + local;
        let Some(others) = &self.others else {
            return Ok(Some((
                key(date, [event, 0, 0, 0, 0], 0, number),
                PlayDigest::default(),
            )));
        };
        let site = others.site.as_ref().map_or(Ok(0), |site| site.get(local))?;
        let [white, black] = [&others.white, &others.black].map(|column| {
            let id = column.get(local)?;
            place(id, others.players.as_deref())
        });
        let round = others.equal_rounds.rank(others.round.get(local)?);
        let names = [event, site, round, white?, black?];
        let play = match &others.play {
            Some([play, opening]) => PlayDigest {
                hash: play.get(local)?,
                opening: opening.get(local)?,
            },
            None => PlayDigest::default(),
        };
        Ok(Some((
            key(date, names, others.flags.get(local)?, number),
            play,
        )))
    }
}

/// Where the keys of a part come from.
enum KeySource<'p> {
    Part(Box<PartKeys<'p>>),
    Spooled(Cursor<'p>),
}

impl KeySource<'_> {
    fn next(&mut self) -> io::Result<Option<Entry>> {
        match self {
            KeySource::Part(keys) => keys.next(),
            KeySource::Spooled(cursor) if cursor.left() == 0 => Ok(None),
            KeySource::Spooled(cursor) => {
                let mut key = [0; 4];
                for word in &mut key {
                    *word = cursor.integer(8)?;
                }
                let play = PlayDigest {
                    hash: cursor.integer(8)?,
                    opening: cursor.integer(8)?,
                };
                Ok(Some((key, play)))
            }
        }
    }
}

/// Calls `each` with the keys of all games and their parts, sorted by the first seven keys; equal
/// games part by part.
fn merged(
    parts: &[IndexPart<'_>],
    tables: &MergedTables,
    wanted: KeyParts,
    temp: &Temp,
    mut each: impl FnMut(&Key, PlayDigest, usize) -> io::Result<()>,
) -> io::Result<()> {
    let room = temp.room(parts.len());
    // Computing keys needs the columns of a part and its positions in all tables. For parts in
    // memory the keys are computed on demand, as long as the positions fit; for other parts they
    // are written to a file first, one part after the other.
    let mut left = temp.memory / 4;
    let (mut spool, mut spans) = (temp.spool(), Vec::with_capacity(parts.len()));
    for (i, part) in parts.iter().enumerate() {
        let places = tables.map_bytes(i);
        if part.is_in_memory() && (parts.len() == 1 || places <= left) {
            left = left.saturating_sub(places);
            spans.push(None);
            continue;
        }
        let (from, mut keys) = (spool.len(), PartKeys::new(parts, i, tables, wanted, room)?);
        while let Some((key, play)) = keys.next()? {
            let (mut bytes, words) = ([0; ENTRY], key.into_iter().chain([play.hash, play.opening]));
            bytes
                .chunks_exact_mut(8)
                .zip(words)
                .for_each(|(place, word)| place.copy_from_slice(&word.to_le_bytes()));
            spool.write_all(&bytes)?;
        }
        spans.push(Some((from, spool.len() - from)));
    }
    let stored = spool.finish()?;
    let mut sources = BinaryHeap::with_capacity(parts.len());
    for (i, span) in spans.into_iter().enumerate() {
        let mut source = match span {
            None => KeySource::Part(Box::new(PartKeys::new(parts, i, tables, wanted, room)?)),
            Some((from, len)) => KeySource::Spooled(stored.store.cursor(from, len, room)?),
        };
        if let Some((key, play)) = source.next()? {
            sources.push(Least(NextGame {
                key,
                play,
                part: i,
                source,
            }));
        }
    }
    while let Some(mut least) = sources.peek_mut() {
        let head = &mut least.0;
        each(&head.key, head.play, head.part)?;
        match head.source.next()? {
            Some((key, play)) => (head.key, head.play) = (key, play),
            None => drop(PeekMut::pop(least)),
        }
    }
    Ok(())
}

/// The next game of a part.
struct NextGame<'p> {
    key: Key,
    play: PlayDigest,
    part: usize,
    source: KeySource<'p>,
}

/// Compares by the seven keys, then by part: within an index equal games are already sorted by
/// their movetexts.
impl Sequence for NextGame<'_> {
    fn compare(&self, other: &NextGame<'_>) -> Ordering {
        (seven(&self.key), self.part).cmp(&(seven(&other.key), other.part))
    }
}

/// For each part without sites, the games (ascending, numbered in the part) that share date and
/// Event with a game of another part: only for these the site decides the order.
pub(super) fn need_sites(
    parts: &[IndexPart<'_>],
    tables: &MergedTables,
    temp: &Temp,
) -> io::Result<Vec<Vec<u32>>> {
    let mut needed = vec![Vec::new(); parts.len()];
    // The candidates of the current group, the part of its first game, and whether the group has
    // games of another part.
    let (mut waiting, mut group, mut is_mixed) = (Vec::new(), None, false);
    let mut end_group = |waiting: &mut Vec<(usize, u32)>, is_mixed: bool| {
        for (part, game) in waiting.drain(..).filter(|_| is_mixed) {
            needed[part].push(game);
        }
    };
    merged(parts, tables, KeyParts::First, temp, |key, _, part| {
        match group {
            Some((first, of)) if first == key[0] => is_mixed |= of != part,
            _ => {
                end_group(&mut waiting, is_mixed);
                (group, is_mixed) = (Some((key[0], part)), false);
            }
        }
        if !parts[part].has_sites() {
            waiting.push((part, game(key) - parts[part].first_game));
        }
        Ok(())
    })?;
    end_group(&mut waiting, is_mixed);
    for games in &mut needed {
        games.sort_unstable();
        if !games.is_sorted_by(|a, b| a < b) {
            return Err(damaged("a game listed twice in the order"));
        }
    }
    Ok(needed)
}

/// The games in the order of their keys, and the order of equal games by movetext.
#[derive(Debug)]
pub(super) struct Order {
    games: Stored,
    ties: Sorted,
    /// Games whose movetext was asked for.
    pub(super) movetexts: u64,
}

impl Order {
    pub(super) fn new(
        parts: &[IndexPart<'_>],
        tables: &MergedTables,
        temp: &Temp,
        fetch: &mut dyn Fetch,
    ) -> io::Result<Order> {
        let mut games = temp.spool();
        let (mut equal, mut before) = (Ties::new(parts, temp), None);
        merged(parts, tables, KeyParts::All, temp, |key, play, part| {
            let game = game(key);
            games.write_all(&game.to_le_bytes())?;
            let now = Some(seven(key));
            equal.push(Placed { game, part, play }, now == before)?;
            before = now;
            Ok(())
        })?;
        let (ties, movetexts) = equal.sort(temp, fetch)?;
        let games = games.finish()?;
        Ok(Order {
            games,
            ties,
            movetexts,
        })
    }

    /// Calls `each` with the games in order.
    pub(super) fn each(
        &self,
        temp: &Temp,
        mut each: impl FnMut(u32) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut games = self.games.cursor(temp.room(2))?;
        let mut ties = self.ties.read()?;
        let mut tied = None;
        let mut next_tied = || {
            let next = ties
                .next()?
                .map(|(at, _, game)| (at, u32::try_from(game).unwrap_or(u32::MAX)));
            Ok::<_, io::Error>(next)
        };
        for at in 0_u32.. {
            if games.left() == 0 {
                break;
            }
            if tied.is_none() {
                tied = next_tied()?;
            }
            let game = u32::try_from(games.integer(4)?).unwrap_or(u32::MAX);
            // The sorted games of a group take its positions, starting with the first.
            match tied {
                Some((group, first)) if group <= at => {
                    tied = None;
                    each(first)?;
                }
                _ => each(game)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_compare_like_what_they_are_made_of() {
        // Digits, not how many of them are known, nor whether it is odd.
        let date = |bits| key(bits, [1, 2, 3, 4, 5], 2, 7);
        assert_eq!(date(0x412f_f677), date(0xc12f_f677));
        assert_eq!(
            date(19_920_503),
            [19_920_503 << 32 | 1, 2 << 32 | 3, 4 << 32 | 5, 2 << 32 | 7]
        );
        assert_eq!(seven(&date(0)), seven(&key(0, [1, 2, 3, 4, 5], 0xfff2, 8)));
    }
}
