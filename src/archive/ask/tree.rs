//! The moves played from a position, and how they fared.

use std::collections::{BTreeMap, HashMap};

use crate::archive::ask::continuation::Continuation;
use crate::archive::ask::find::Answer;
use crate::archive::ask::score::{Average, Performance, as_float};
use crate::archive::open::Archive;
use crate::chess::{Position, SanText};
use crate::index::{Date, Flags, Index, IndexError, Integers, NameField, kind};
use crate::pgn::writer::Termination;
use crate::run::Error;

/// The number of players whose names are read, for each move and archive.
const PLAYERS: usize = 1000;

/// A move, and the moves after it. The root is the position itself.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TreeNode {
    /// The games with this move.
    pub games: u64,
    /// The games that White won, that were drawn, that Black won.
    pub results: [u64; 3],
    /// The ratings of the players who made the move.
    pub ratings: Average,
    /// What they scored against their opponents.
    pub performance: Performance,
    /// The years of the first and the last game whose year is known.
    pub years: Option<(u16, u16)>,
    /// The players who made the move, with their games: only for the first move.
    pub players: HashMap<String, u64>,
    /// The next moves, by their SAN.
    pub next: BTreeMap<SanText, TreeNode>,
}

/// What the index knows of a game.
pub(super) struct GameFacts {
    pub(super) result: Termination,
    /// 0: unknown.
    pub(super) elo: [u32; 2],
    pub(super) year: Option<u16>,
    /// 1 to 12.
    pub(super) month: Option<u8>,
    pub(super) players: [u32; 2],
}

impl TreeNode {
    /// White's score from 0 to 1; `None` without a game that has a result.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let [white, draws, black] = self.results.map(as_float);
        let all = white + draws + black;
        (all > 0.0).then(|| (white + draws / 2.0) / all)
    }

    /// The performance of the players who made the move.
    #[must_use]
    pub fn performance(&self) -> Option<u64> {
        self.performance.rating()
    }

    /// Adds a game; `mover` is who made the move: 0 White, 1 Black, `None` at the root.
    fn add(&mut self, facts: &GameFacts, mover: Option<usize>) {
        self.games += 1;
        let result = match facts.result {
            Termination::WhiteWins => Some(0),
            Termination::Draw => Some(1),
            Termination::BlackWins => Some(2),
            Termination::Unknown => None,
        };
        if let Some(result) = result {
            self.results[result] += 1;
        }
        if let Some(mover) = mover {
            self.ratings.add(facts.elo[mover]);
            if let Some(result) = result {
                let half_points = if mover == 0 { 2 - result } else { result };
                self.performance
                    .add(facts.elo[1 - mover], half_points as u64);
            }
        }
        if let Some(year) = facts.year {
            let (first, last) = self.years.unwrap_or((year, year));
            self.years = Some((first.min(year), last.max(year)));
        }
    }

    fn join(&mut self, other: TreeNode) {
        self.games += other.games;
        for (sum, more) in self.results.iter_mut().zip(other.results) {
            *sum += more;
        }
        self.ratings.join(other.ratings);
        self.performance.join(other.performance);
        self.years = match (self.years, other.years) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        for (name, games) in other.players {
            *self.players.entry(name).or_default() += games;
        }
        for (san, node) in other.next {
            self.next.entry(san).or_default().join(node);
        }
    }
}

/// The part of a tree that a block gives, with players by their numbers in the index.
#[derive(Default)]
pub(super) struct Part {
    root: TreeNode,
    players: BTreeMap<SanText, hashbrown::HashMap<u32, u32>>,
}

impl Part {
    /// Adds a game: what is known of it, and its moves from the position on.
    pub(super) fn add(
        &mut self,
        facts: &GameFacts,
        white_begins: bool,
        moves: impl Iterator<Item = SanText>,
    ) {
        let mut node = &mut self.root;
        node.add(facts, None);
        for (ply, san) in moves.enumerate() {
            let mover = (usize::from(!white_begins) + ply) % 2;
            if ply == 0 {
                let players = self.players.entry(san).or_default();
                *players.entry(facts.players[mover]).or_default() += 1;
            }
            node = node.next.entry(san).or_default();
            node.add(facts, Some(mover));
        }
    }

    pub(super) fn join(&mut self, other: Part) {
        self.root.join(other.root);
        for (san, players) in other.players {
            let all = self.players.entry(san).or_default();
            for (id, games) in players {
                *all.entry(id).or_default() += games;
            }
        }
    }
}

/// The position of the first of some games.
#[derive(Default)]
pub(super) struct FirstPosition {
    game: Option<(u32, Position)>,
    /// Whether others come from another one.
    is_mixed: bool,
}

impl FirstPosition {
    pub(super) fn add(&mut self, game: u32, position: &Position) {
        match &mut self.game {
            Some((first, known)) => {
                self.is_mixed |= !known.is_same_board(position);
                if game < *first {
                    (*first, *known) = (game, position.clone());
                }
            }
            None => self.game = Some((game, position.clone())),
        }
    }

    pub(super) fn join(&mut self, other: FirstPosition) {
        self.is_mixed |= other.is_mixed;
        if let Some((game, position)) = other.game {
            self.add(game, &position);
        }
    }
}

impl Archive {
    /// Adds to `tree` the moves that follow the positions of an answer, `depth` plies deep. Returns
    /// the position of the first game, and whether others come from another one. A damaged block is
    /// passed over if the archive was opened so.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], [`Error::Cancelled`].
    #[doc(hidden)]
    pub fn add_to_tree(
        &self,
        tree: &mut TreeNode,
        answer: &Answer,
        depth: usize,
        threads: usize,
    ) -> Result<(Option<Position>, bool), Error> {
        let dates = self.with_index(threads, |index| index.dates())?;
        let columns = self.fact_columns(&dates, threads)?;
        let of_lines = self.tree_of_lines(answer, depth, &columns, threads)?;
        let (mut whole, unread) = (of_lines.tree, of_lines.unread);
        let mut first = of_lines.first;
        self.continuations(
            &unread,
            threads,
            |games: &[Continuation]| {
                let mut part = Part::default();
                let mut first = FirstPosition::default();
                for game in games {
                    let mut position = game.position.clone();
                    first.add(game.game, &position);
                    let ordinals = game.ordinals.iter().take(depth);
                    let moves = ordinals.map_while(|&ordinal| position.play_ordinal(ordinal));
                    let facts = columns.facts(game.game);
                    part.add(&facts, game.position.white_to_move(), moves);
                }
                Ok((part, first))
            },
            |(part, others)| {
                first.join(others);
                whole.join(part);
            },
        )?;
        for (san, players) in std::mem::take(&mut whole.players) {
            let players: Vec<(u32, u32)> = players.into_iter().collect();
            let players = self.most_frequent(NameField::Player, &players, PLAYERS, threads)?;
            let node = whole.root.next.entry(san).or_default();
            let named = players
                .into_iter()
                .map(|player| (player.name, player.games));
            node.players.extend(named);
        }
        tree.join(whole.root);
        Ok((first.game.map(|first| first.1), first.is_mixed))
    }

    /// The columns of the index that facts come from; `dates` are its dates.
    pub(super) fn fact_columns<'a>(
        &'a self,
        dates: &'a [(Date, u32)],
        threads: usize,
    ) -> Result<FactColumns<'a>, Error> {
        self.with_index(threads, |index| FactColumns::of(index, dates))
    }
}

/// The columns of an index that facts come from, and its dates.
pub(super) struct FactColumns<'i> {
    columns: [Integers<'i>; 6],
    dates: &'i [(Date, u32)],
}

impl<'i> FactColumns<'i> {
    /// Verifies the columns.
    fn of<D: AsRef<[u8]>>(
        index: &'i Index<D>,
        dates: &'i [(Date, u32)],
    ) -> Result<FactColumns<'i>, IndexError> {
        let column = |kind| index.column(kind)?.whole();
        Ok(FactColumns {
            columns: [
                column(kind::FLAGS)?,
                column(kind::WHITE_ELO)?,
                column(kind::BLACK_ELO)?,
                column(kind::DATE)?,
                column(kind::WHITE)?,
                column(kind::BLACK)?,
            ],
            dates,
        })
    }

    /// What the index knows of a game.
    pub(super) fn facts(&self, game: u32) -> GameFacts {
        let [flags, white_elo, black_elo, date, white, black] = self.columns.map(|column| {
            let integer = column.get(game as usize).unwrap_or_default();
            u32::try_from(integer).unwrap_or(u32::MAX)
        });
        let date = usize::try_from(date)
            .ok()
            .and_then(|date| self.dates.get(date));
        let date = date.filter(|date| date.0.known() >= 4);
        let month = date.filter(|date| date.0.known() >= 6);
        let month = month.and_then(|date| u8::try_from(date.0.digits() / 100 % 100).ok());
        GameFacts {
            result: Flags::from_bits(u16::try_from(flags).unwrap_or_default()).result(),
            elo: [white_elo, black_elo],
            year: date.and_then(|date| u16::try_from(date.0.digits() / 10_000).ok()),
            month: month.filter(|month| (1..=12).contains(month)),
            players: [white, black],
        }
    }
}
