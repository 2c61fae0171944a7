//! A tree of moves from the lines of an index, as far as they go.

use crate::archive::ask::find::Answer;
use crate::archive::ask::tree::{FactColumns, FirstPosition, Part};
use crate::archive::open::Archive;
use crate::chess::{Position, SanText};
use crate::index::{IndexError, Integers, LineGroup, LineTable, kind};
use crate::run::Error;

/// The part of a tree that the lines of an index give.
#[derive(Default)]
pub(super) struct LineTree {
    pub(super) tree: Part,
    pub(super) first: FirstPosition,
    /// The games whose lines do not reach so far: they must be read.
    pub(super) unread: Answer,
}

/// The moves of a line up to where they are needed, with the position before each and after them.
struct Played {
    moves: Vec<SanText>,
    positions: Vec<Position>,
}

impl Played {
    /// Goes back to a line that shares so many moves with the last one.
    fn back_to(&mut self, shared: usize) {
        self.moves.truncate(shared);
        self.positions.truncate(shared + 1);
    }

    /// Plays on, so that the first `most` moves of the line are played, and no others.
    fn play(&mut self, line: &[u8], most: usize) -> Option<()> {
        self.back_to(most);
        for &ordinal in line.iter().take(most).skip(self.moves.len()) {
            let mut position = self.positions.last()?.clone();
            self.moves.push(position.play_ordinal(ordinal)?);
            self.positions.push(position);
        }
        Some(())
    }
}

impl Archive {
    /// The tree of those games of an answer whose lines have `depth` moves behind the position, or
    /// are whole games.
    pub(super) fn tree_of_lines(
        &self,
        answer: &Answer,
        depth: usize,
        facts: &FactColumns<'_>,
        threads: usize,
    ) -> Result<LineTree, Error> {
        self.with_index(threads, |index| {
            let places = Places::of(answer, index.games());
            let mut whole = LineTree::default();
            let mut covered = Vec::new();
            if let Some(lines) = index.lines()? {
                let plies = index.column(kind::PLIES)?.whole()?;
                let walk = |group: &LineGroup| {
                    GroupWalk::new(&plies, depth).tree(&lines, group, &places, facts)
                };
                for part in lines.of_groups(threads, walk)? {
                    whole.tree.join(part.tree);
                    whole.first.join(part.first);
                    covered.extend(part.games);
                }
            }
            whole.unread = places.without(&covered, answer);
            Ok(whole)
        })
    }
}

/// The positions of an answer: for each game, the number of plies before its position.
struct Places(Vec<u8>);

impl Places {
    /// A game that is not in the answer, or whose position is behind any line.
    const NONE: u8 = u8::MAX;
    /// A game that the lines have answered.
    const GONE: u8 = u8::MAX - 1;

    fn of(answer: &Answer, games: u32) -> Places {
        let mut places = vec![Places::NONE; games as usize];
        let plies = answer.plies.iter().copied().chain(std::iter::repeat(0));
        for (&game, ply) in answer.found.games.iter().zip(plies) {
            if let Some(place) = places.get_mut(game as usize) {
                let ply = u8::try_from(ply).ok().filter(|&ply| ply < Places::GONE);
                *place = ply.unwrap_or(Places::NONE);
            }
        }
        Places(places)
    }

    fn get(&self, game: u32) -> Option<usize> {
        let place = self.0.get(game as usize).copied();
        place.filter(|&ply| ply != Places::NONE).map(usize::from)
    }

    /// The answer without these games.
    fn without(mut self, games: &[u32], answer: &Answer) -> Answer {
        for &game in games {
            self.0[game as usize] = Places::GONE;
        }
        let mut rest = Answer::default();
        let plies = answer
            .plies
            .iter()
            .copied()
            .map(Some)
            .chain(std::iter::repeat(None));
        for (&game, ply) in answer.found.games.iter().zip(plies) {
            if self.0.get(game as usize) != Some(&Places::GONE) {
                rest.found.games.push(game);
                rest.plies.extend(ply);
            }
        }
        rest
    }
}

/// What the lines of a group give.
#[derive(Default)]
struct GroupTree {
    tree: Part,
    first: FirstPosition,
    /// The games that are in it.
    games: Vec<u32>,
}

/// A walk through the lines of a group.
struct GroupWalk<'i> {
    plies: &'i Integers<'i>,
    depth: usize,
    line: Vec<u8>,
    played: Played,
}

impl<'i> GroupWalk<'i> {
    fn new(plies: &'i Integers<'i>, depth: usize) -> GroupWalk<'i> {
        GroupWalk {
            plies,
            depth,
            line: Vec::new(),
            played: Played {
                moves: Vec::new(),
                positions: vec![Position::initial()],
            },
        }
    }

    fn tree(
        mut self,
        lines: &LineTable<'_>,
        group: &LineGroup,
        places: &Places,
        facts: &FactColumns<'_>,
    ) -> Result<GroupTree, IndexError> {
        let (mut tree, mut games) = (GroupTree::default(), Vec::new());
        lines.games(group, &mut games)?;
        if games.iter().all(|&game| places.get(game).is_none()) {
            return Ok(tree);
        }
        let mut entries = lines.entries(group)?;
        for game in games {
            let Some(entry) = entries.next()? else {
                break;
            };
            self.line.truncate(entry.shared);
            self.line.extend_from_slice(entry.more);
            self.played.back_to(entry.shared);
            let Some(ply) = places.get(game) else {
                continue;
            };
            let most = ply + self.depth;
            let is_whole = self.plies.get(game as usize) == Some(self.line.len() as u64);
            if self.line.len() < most && !(is_whole && self.line.len() >= ply) {
                continue;
            }
            let Some(()) = self.played.play(&self.line, most) else {
                continue;
            };
            let position = &self.played.positions[ply];
            tree.first.add(game, position);
            tree.games.push(game);
            let moves = self.played.moves[ply..].iter().cloned();
            tree.tree
                .add(&facts.facts(game), position.white_to_move(), moves);
        }
        Ok(tree)
    }
}
