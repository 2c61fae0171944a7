//! A tree of moves from the lines of an index, as far as they go.

use crate::ask::branches::Branches;
use crate::ask::find::Answer;
use crate::open::Archive;
use crate::run::Error;
use pgc_chess::{Position, SanText};
use pgc_index::{BitSet, IndexError, Integers, LineGroup, LineTable, kind};

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
    /// or are whole games; for each game of the archive the last of them (see [`Branches::join`]);
    /// and the games whose lines do not reach so far, which must be read.
    pub(super) fn branches_of_lines(
        &self,
        answer: &Answer,
        depth: usize,
        threads: usize,
    ) -> Result<(Branches, Vec<u32>, Answer), Error> {
        self.with_index(threads, |index| {
            let places = PliesBefore::new(answer, index.games());
            let mut whole = Branches::default();
            // Pages of zeros cost nothing until they are written to.
            let mut last = vec![0; index.games() as usize];
            if let Some(lines) = index.lines()? {
                let plies = index.column(kind::PLIES)?.whole()?;
                let walk = |group: &LineGroup| branches_of(&lines, group, &plies, &places, depth);
                lines.each_group(threads, walk, |part| whole.join(part, &mut last))?;
            }
            let mut unread = Answer::default();
            for (at, &game) in answer.found.games.iter().enumerate() {
                if last.get(game as usize).is_none_or(|&last| last == 0) {
                    unread.found.games.push(game);
                    unread.plies.extend(answer.plies.get(at));
                }
            }
            Ok((whole, last, unread))
        })
    }
}

/// The positions of an answer: for each game, the number of plies before its position.
struct PliesBefore {
    /// The games of the answer. A bit a game is in the processor's cache where a byte is not.
    asked: BitSet,
    /// The number of plies, if it is the same for all games.
    common: u8,
    /// Else one for each game of the index.
    plies: Vec<u8>,
}

impl PliesBefore {
    fn new(answer: &Answer, games: u32) -> PliesBefore {
        // The largest is beyond the end of any line.
        let short = |ply: u32| u8::try_from(ply).unwrap_or(u8::MAX);
        let first = answer.plies.first().copied().unwrap_or(0);
        let mut before = PliesBefore {
            asked: BitSet::new(games, &answer.found.games),
            common: short(first),
            plies: Vec::new(),
        };
        if answer.plies.iter().any(|&ply| ply != first) {
            before.plies = vec![0; games as usize];
            for hit in answer.hits() {
                let ply = before.plies.get_mut(hit.game as usize);
                ply.into_iter().for_each(|ply| *ply = short(hit.ply));
            }
        }
        before
    }

    /// The number of plies before the position of a game of the answer.
    fn ply(&self, game: u32) -> usize {
        let ply = self.plies.get(game as usize);
        ply.copied().unwrap_or(self.common).into()
    }

    /// That of all of these games, if it is the same.
    fn common(&self, games: &[u32]) -> Option<usize> {
        let first = self.ply(*games.first()?);
        let mut others = games.iter();
        others.all(|&game| self.ply(game) == first).then_some(first)
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
    let mut asked = games.clone();
    asked.retain(|&game| places.asked.has(game));
    let Some((&first, others)) = asked.split_first() else {
        return Ok(branches);
    };
    let (mut line, positions) = (Vec::new(), vec![Position::initial()]);
    let mut played = PlayedLine {
        moves: Vec::new(),
        positions,
    };
    let shared = lines.shared_by_all(group)?;
    let common = places.common(&asked);
    if let Some(ply) = common.filter(|ply| ply + depth <= shared.len())
        && played.play(shared, ply + depth).is_some()
    {
        let moves = played.moves[ply..].iter().copied();
        let branch = branches.add(first, &played.positions[ply], moves);
        branches.add_alike(others, &played.positions[ply], branch);
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
        line.truncate(entry.shared);
        line.extend_from_slice(entry.more);
        played.back_to(entry.shared);
        last = last.filter(|&(ply, _)| ply + depth <= entry.shared);
        if !places.asked.has(game) {
            continue;
        }
        let ply = places.ply(game);
        if let Some((_, branch)) = last.filter(|&(before, _)| before == ply) {
            branches.add_alike(&[game], &played.positions[ply], branch);
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
