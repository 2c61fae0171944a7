//! A tree of moves from the lines of an index, as far as they go.

use crate::ask::branches::Branches;
use crate::ask::check::Hit;
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
                let walk = |group: &LineGroup| branches_of(&lines, group, &plies, &places, depth);
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
        for Hit { game, ply } in answer.hits() {
            if let Some(place) = places.get_mut(game as usize) {
                let ply = u8::try_from(ply).ok();
                let ply = ply.filter(|&ply| ply < PliesBefore::GONE);
                *place = ply.unwrap_or(PliesBefore::NONE);
            }
        }
        PliesBefore(places)
    }

    fn get(&self, game: u32) -> Option<usize> {
        let place = self.0.get(game as usize);
        let place = place.filter(|&&ply| ply != PliesBefore::NONE);
        place.map(|&ply| ply.into())
    }

    /// The part of the answer that the lines have not answered.
    fn left_of(&self, answer: &Answer) -> Answer {
        let mut rest = Answer::default();
        for (at, &game) in answer.found.games.iter().enumerate() {
            if self.0.get(game as usize) != Some(&PliesBefore::GONE) {
                rest.found.games.push(game);
                rest.plies.extend(answer.plies.get(at));
            }
        }
        rest
    }
}

/// The branches of the games of a group. `plies` has the length of each game of the index.
fn branches_of(
    lines: &LineTable<'_>,
    group: &LineGroup,
    plies: &Integers<'_>,
    places: &PliesBefore,
    depth: usize,
) -> Result<Branches, IndexError> {
    let (mut branches, mut games) = (Branches::default(), Vec::new());
    lines.games(group, &mut games)?;
    if games.iter().all(|&game| places.get(game).is_none()) {
        return Ok(branches);
    }
    let (mut line, positions) = (Vec::new(), vec![Position::initial()]);
    let mut played = PlayedLine {
        moves: Vec::new(),
        positions,
    };
    // The ply and the last branch of an earlier game, for as long as the lines share the moves
    // of that branch.
    let mut last = None;
    let mut entries = lines.entries(group)?;
    for game in games {
        let Some(entry) = entries.next()? else {
            break;
        };
        line.truncate(entry.shared);
        line.extend_from_slice(entry.more);
        played.back_to(entry.shared);
        last = last.filter(|&(ply, _)| ply + depth <= entry.shared);
        let Some(ply) = places.get(game) else {
            continue;
        };
        if let Some((_, branch)) = last.filter(|&(before, _)| before == ply) {
            branches.add_alike(game, &played.positions[ply], branch);
            continue;
        }
        let most = ply + depth;
        let is_whole = plies.get(game as usize) == Some(line.len() as u64);
        let is_enough = line.len() >= most || is_whole && line.len() >= ply;
        if is_enough && played.play(&line, most).is_some() {
            let moves = played.moves[ply..].iter().copied();
            let branch = branches.add(game, &played.positions[ply], moves);
            last = Some((ply, branch));
        }
    }
    Ok(branches)
}
