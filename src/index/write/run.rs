//! Holds the games since the last spill in memory.

use super::summary::{Fixed, ValueLists};
use super::values::{Joined, Values};

/// A run with this many bytes of values in one table is full, whatever the memory limit: offsets of
/// values are u32.
const MAX_BYTES: usize = 1 << 31;

/// Games with their values, in the order of the archive.
#[derive(Debug, Default)]
pub(super) struct GameRun {
    pub(super) events: Values,
    pub(super) rounds: Values,
    pub(super) players: Values,
    pub(super) date: Vec<u32>,
    pub(super) event: Vec<u32>,
    pub(super) round: Vec<u32>,
    pub(super) white: Vec<u32>,
    pub(super) black: Vec<u32>,
    pub(super) plies: Vec<u32>,
    pub(super) white_elo: Vec<u16>,
    pub(super) black_elo: Vec<u16>,
    pub(super) eco: Vec<u16>,
    pub(super) flags: Vec<u16>,
    /// Empty if no hashes are wanted.
    pub(super) hash: Vec<u64>,
}

/// Memory for a game in the columns, without the hash.
const COLUMNS: usize = 6 * size_of::<u32>() + 4 * size_of::<u16>();

/// Further memory for a game while the run is sorted and written.
const SORTING: usize = 7 * size_of::<u32>();

/// Initial capacity for games, and for values in each list, if the memory limit is much higher:
/// growing means copying, while memory that is never touched costs nothing.
const ROOM: (usize, usize) = (1 << 16, 1 << 10);

impl GameRun {
    /// An empty run, for a builder with this memory limit.
    pub(super) fn new(memory: usize) -> GameRun {
        let games = ROOM.0.min(memory / 8 / COLUMNS);
        let values = || Values::with_room(ROOM.1.min(memory / 4096));
        let [event, round, white, black, date, plies] = [(); 6].map(|()| Vec::with_capacity(games));
        let [white_elo, black_elo, eco, flags] = [(); 4].map(|()| Vec::with_capacity(games));
        GameRun {
            events: values(),
            rounds: values(),
            players: values(),
            date,
            event,
            round,
            white,
            black,
            plies,
            white_elo,
            black_elo,
            eco,
            flags,
            hash: Vec::new(),
        }
    }

    pub(super) fn games(&self) -> usize {
        self.date.len()
    }

    /// Events, rounds, players.
    pub(super) fn tables(&self) -> [&Values; 3] {
        [&self.events, &self.rounds, &self.players]
    }

    /// Appends games of a block with its lists of values; `joined` has begun with these lists.
    pub(super) fn extend(
        &mut self,
        games: &[Fixed],
        values: &ValueLists,
        joined: &mut [Joined; 3],
        with_hash: bool,
    ) {
        let [events, rounds, players] = joined;
        let ids = |place: usize| games.iter().map(move |game| game.ids[place]);
        self.event
            .extend(ids(0).map(|id| events.id(id, &values.events, &mut self.events)));
        self.round
            .extend(ids(1).map(|id| rounds.id(id, &values.rounds, &mut self.rounds)));
        self.white
            .extend(ids(2).map(|id| players.id(id, &values.players, &mut self.players)));
        self.black
            .extend(ids(3).map(|id| players.id(id, &values.players, &mut self.players)));
        self.date.extend(games.iter().map(|game| game.date.bits()));
        self.plies.extend(games.iter().map(|game| game.plies));
        self.white_elo
            .extend(games.iter().map(|game| game.white_elo));
        self.black_elo
            .extend(games.iter().map(|game| game.black_elo));
        self.eco.extend(games.iter().map(|game| game.eco));
        self.flags
            .extend(games.iter().map(|game| game.flags.bits()));
        if with_hash {
            self.hash.extend(games.iter().map(|game| game.hash));
        }
    }

    /// The memory that the run takes and that sorting it will take; the maximum if the run is full.
    pub(super) fn memory(&self) -> usize {
        let games = self.date.capacity() * COLUMNS + self.hash.capacity() * size_of::<u64>();
        let tables = self.tables();
        if tables.iter().any(|table| table.byte_len() > MAX_BYTES) {
            return usize::MAX;
        }
        games + self.games() * SORTING + tables.iter().map(|table| table.memory()).sum::<usize>()
    }
}
