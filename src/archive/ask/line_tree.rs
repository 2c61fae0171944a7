//! A tree of moves from the lines of an index, as far as they go.

use crate::ask::branches::Branches;
use crate::ask::find::Answer;
use crate::open::Archive;
use crate::run::Error;
use pgc_chess::{Position, SanText};
use pgc_index::{IndexError, Integers, LineGroup, LineTable, kind};

/// The moves of a line as far as they are needed, with the positions before, between and after
/// them.
struct PlayedLine {
    moves: Vec<SanText>,
    positions: Vec<Position>,
}

impl PlayedLine {
    /// Keeps only the moves that the next line shares with this one.
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
    /// The branches of those games of an answer whose lines have `depth` moves behind the position,
    /// or are whole games; and the games whose lines do not reach so far, which must be read.
    pub(super) fn branches_of_lines(
        &self,
        answer: &Answer,
        depth: usize,
        threads: usize,
    ) -> Result<(Branches, Answer), Error> {
        self.with_index(threads, |index| {
            let mut places = PliesBefore::of(answer, index.games());
            let mut whole = Branches::default();
            if let Some(lines) = index.lines()? {
                let plies = index.column(kind::PLIES)?.whole()?;
                let walk = |group: &LineGroup| {
                    GroupWalk::new(&plies, depth).branches(&lines, group, &places)
                };
                for part in lines.of_groups(threads, walk)? {
                    whole.join(part);
                }
            }
            for &(game, _) in &whole.games {
                places.0[game as usize] = PliesBefore::GONE;
            }
            let unread = places.left_of(answer);
            Ok((whole, unread))
        })
    }
}

/// The positions of an answer: for each game, the number of plies before its position.
struct PliesBefore(Vec<u8>);

impl PliesBefore {
    /// A game that is not in the answer, or whose position lies beyond the end of any line.
    const NONE: u8 = u8::MAX;
    /// A game that the lines have answered.
    const GONE: u8 = u8::MAX - 1;

    fn of(answer: &Answer, games: u32) -> PliesBefore {
        let mut places = vec![PliesBefore::NONE; games as usize];
        let plies = answer.plies.iter().copied().chain(std::iter::repeat(0));
        for (&game, ply) in answer.found.games.iter().zip(plies) {
            if let Some(place) = places.get_mut(game as usize) {
                let ply = u8::try_from(ply)
                    .ok()
                    .filter(|&ply| ply < PliesBefore::GONE);
                *place = ply.unwrap_or(PliesBefore::NONE);
            }
        }
        PliesBefore(places)
    }

    fn get(&self, game: u32) -> Option<usize> {
        let place = self.0.get(game as usize).copied();
        place
            .filter(|&ply| ply != PliesBefore::NONE)
            .map(usize::from)
    }

    /// The part of the answer that the lines have not answered.
    fn left_of(&self, answer: &Answer) -> Answer {
        let mut rest = Answer::default();
        let plies = answer
            .plies
            .iter()
            .copied()
            .map(Some)
            .chain(std::iter::repeat(None));
        for (&game, ply) in answer.found.games.iter().zip(plies) {
            if self.0.get(game as usize) != Some(&PliesBefore::GONE) {
                rest.found.games.push(game);
                rest.plies.extend(ply);
            }
        }
        rest
    }
}

/// A walk through the lines of a group.
struct GroupWalk<'i> {
    plies: &'i Integers<'i>,
    depth: usize,
    line: Vec<u8>,
    played: PlayedLine,
}

impl<'i> GroupWalk<'i> {
    fn new(plies: &'i Integers<'i>, depth: usize) -> GroupWalk<'i> {
        GroupWalk {
            plies,
            depth,
            line: Vec::new(),
            played: PlayedLine {
                moves: Vec::new(),
                positions: vec![Position::initial()],
            },
        }
    }

    fn branches(
        mut self,
        lines: &LineTable<'_>,
        group: &LineGroup,
        places: &PliesBefore,
    ) -> Result<Branches, IndexError> {
        let (mut branches, mut games) = (Branches::default(), Vec::new());
        lines.games(group, &mut games)?;
        if games.iter().all(|&game| places.get(game).is_none()) {
            return Ok(branches);
        }
        // The ply and the last branch of an earlier game, for as long as the lines share the moves
        // of that branch.
        let mut last = None;
        let mut entries = lines.entries(group)?;
        for game in games {
            let Some(entry) = entries.next()? else {
                break;
            };
            self.line.truncate(entry.shared);
            self.line.extend_from_slice(entry.more);
            self.played.back_to(entry.shared);
            last = last.filter(|&(ply, _)| ply + self.depth <= entry.shared);
            let Some(ply) = places.get(game) else {
                continue;
            };
            if let Some((_, branch)) = last.filter(|&(before, _)| before == ply) {
                branches.add_alike(game, &self.played.positions[ply], branch);
                continue;
            }
            let most = ply + self.depth;
            let is_whole = self.plies.get(game as usize) == Some(self.line.len() as u64);
            if self.line.len() < most && !(is_whole && self.line.len() >= ply) {
                continue;
            }
            let Some(()) = self.played.play(&self.line, most) else {
                continue;
            };
            let moves = self.played.moves[ply..].iter().copied();
            let branch = branches.add(game, &self.played.positions[ply], moves);
            last = Some((ply, branch));
        }
        Ok(branches)
    }
}
