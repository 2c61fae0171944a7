//! The moves of games, in runs of the move model's coder (spec/small.md section 6).

use crate::decode::game::Decoded;
use crate::num::{put_str, take_str};
use crate::small::models::start;
use crate::small::walk::LineWalk;
use crate::stop;
use pgc_chess::{CodedLine, Position, RangeDecoder, RangeEncoder};
use pgc_pgn::game::{Elem, ElemKind};

/// The number of games that share a run.
pub(crate) const RUN: usize = 4;

/// The walk along a game from its start.
fn walk(start: Position, elems: &[Elem]) -> LineWalk<CodedLine> {
    let has_variations = elems.iter().any(|elem| elem.kind == ElemKind::RavOpen);
    LineWalk::new(CodedLine::new(start), has_variations)
}

/// Writes the moves of one game after another.
#[derive(Debug, Default)]
pub(crate) struct MoveWriter {
    out: Vec<u8>,
    run: RangeEncoder,
    games: usize,
}

impl MoveWriter {
    /// Adds the moves of a game; `None` if they are not legal.
    pub(crate) fn put(&mut self, game: &Decoded) -> Option<()> {
        if !game.ordinals.is_empty() {
            let mut walk = walk(start(game)?, game.play());
            for elem in game.play() {
                walk.step(elem.kind, |line| {
                    line.put(elem.ordinal, &mut self.run)?;
                    Some(elem.ordinal)
                })?;
            }
        }
        self.games += 1;
        if self.games.is_multiple_of(RUN) {
            self.end_run();
        }
        Some(())
    }

    fn end_run(&mut self) {
        let bytes = std::mem::take(&mut self.run).finish();
        put_str(&mut self.out, &bytes);
    }

    /// The stream.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        if !self.games.is_multiple_of(RUN) {
            self.end_run();
        }
        self.out
    }
}

/// Takes the moves of one game after another.
pub(crate) struct MoveReader<'a> {
    src: &'a [u8],
    run: RangeDecoder<'a>,
    games: usize,
    /// The games of this run that were passed: they are decoded if one behind them is wanted.
    passed: Vec<(Position, Vec<Elem>)>,
}

impl<'a> MoveReader<'a> {
    pub(crate) fn new(src: &'a [u8]) -> MoveReader<'a> {
        MoveReader {
            src,
            run: RangeDecoder::new(&[]),
            games: 0,
            passed: Vec::new(),
        }
    }

    /// Takes the moves of the next game, for those among its elements; or passes them, if they are
    /// not wanted.
    pub(crate) fn take(&mut self, game: &mut Decoded, wanted: bool) -> Option<()> {
        if self.games.is_multiple_of(RUN) {
            let run = RangeDecoder::new(take_str(&mut self.src)?);
            let done = std::mem::replace(&mut self.run, run);
            if self.games > 0 && self.passed.is_empty() {
                done.finish().ok()?;
            }
            self.passed.clear();
        }
        self.games += 1;
        let is_move = |elem: &&Elem| elem.kind == ElemKind::Move;
        if !game.play().iter().any(|elem| is_move(&elem)) {
            return Some(());
        }
        let start = start(game)?;
        if !wanted {
            self.passed.push((start, game.play().to_vec()));
            return Some(());
        }
        for (start, mut elems) in std::mem::take(&mut self.passed) {
            self.game(start, &mut elems)?;
        }
        let elems = &mut game.elems[game.tag_elems..];
        self.game(start, elems)?;
        let moves = elems.iter().filter(is_move);
        game.ordinals.extend(moves.map(|elem| elem.ordinal));
        Some(())
    }

    fn game(&mut self, start: Position, elems: &mut [Elem]) -> Option<()> {
        let mut walk = walk(start, elems);
        elems.iter_mut().try_for_each(|elem| {
            walk.step(elem.kind, |line| {
                elem.ordinal = line.take(&mut self.run).ok()?;
                Some(elem.ordinal)
            })
        })
    }

    /// Checks that everything was taken.
    pub(crate) fn finish(self) -> Option<()> {
        self.run.finish().ok().filter(|()| self.src.is_empty())
    }
}

/// Reads the moves of games that begin from the usual position and have no variations, from the
/// runs that hold them.
#[derive(Debug)]
pub struct UsualLines<'a> {
    src: &'a [u8],
    /// The number of the next run.
    next: usize,
    line: CodedLine,
    ordinals: Vec<u8>,
}

impl<'a> UsualLines<'a> {
    /// `src`: the runs of a block.
    pub fn new(src: &'a [u8]) -> UsualLines<'a> {
        UsualLines {
            src,
            next: 0,
            line: CodedLine::new(Position::initial()),
            ordinals: Vec::new(),
        }
    }

    /// Calls `each` with the moves of the `wanted` games (from 0 in the block, ascending): with all of
    /// them, or of the last game of a run with those up to where `goes_on` is false of the moves so
    /// far. `plies`: the number of plies of each game of the block that is such a game. `None`: the
    /// moves cannot be decoded, or not by themselves (see [`UsualLines::can_read`]).
    pub fn read(
        mut self,
        plies: &[Option<u32>],
        wanted: &[usize],
        mut goes_on: impl FnMut(&[u8]) -> bool,
        mut each: impl FnMut(&[u8]),
    ) -> Option<()> {
        for wanted in wanted.chunk_by(is_one_run) {
            let mut run = RangeDecoder::new(self.run(wanted.first()? / RUN)?);
            let last = *wanted.last()?;
            for game in wanted.first()? / RUN * RUN..=last {
                let plies = plies.get(game)?.filter(|_| !stop::is_set())?;
                self.game(plies, &mut run, |moves| game < last || goes_on(moves))?;
                if wanted.contains(&game) {
                    each(&self.ordinals);
                }
            }
        }
        Some(())
    }

    /// Whether the wanted games, and those before them in their runs, are all such games.
    pub fn can_read(plies: &[Option<u32>], wanted: &[usize]) -> bool {
        wanted.chunk_by(is_one_run).all(|wanted| {
            let (first, last) = (wanted[0] / RUN * RUN, wanted[wanted.len() - 1]);
            let games = plies.get(first..=last);
            games.is_some_and(|games| games.iter().all(Option::is_some))
        })
    }

    /// The bytes of a run. Runs can only be asked for in ascending order.
    fn run(&mut self, number: usize) -> Option<&'a [u8]> {
        for _ in self.next..number {
            take_str(&mut self.src)?;
        }
        self.next = number + 1;
        take_str(&mut self.src)
    }

    fn game(
        &mut self,
        plies: u32,
        run: &mut RangeDecoder<'_>,
        mut goes_on: impl FnMut(&[u8]) -> bool,
    ) -> Option<()> {
        let mut line = CodedLine::new(Position::initial());
        line.take_over(&mut self.line);
        self.line = line;
        self.ordinals.clear();
        while self.ordinals.len() < plies as usize && goes_on(&self.ordinals) {
            self.ordinals.push(self.line.take(run).ok()?);
        }
        Some(())
    }
}

fn is_one_run(a: &usize, b: &usize) -> bool {
    a / RUN == b / RUN
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of random bytes, of too few or too many games, end in moves or in none.
    #[test]
    fn any_bytes_as_runs() {
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 40).unwrap() % below
        };
        let (mut read, mut given) = (0, 0);
        for _ in 0..500 {
            let bytes: Vec<u8> = (0..random(80))
                .map(|_| u8::try_from(random(256)).unwrap())
                .collect();
            let mut stream = Vec::new();
            for run in bytes.chunks(1 + random(80)) {
                put_str(&mut stream, run);
            }
            let plies = |_| (random(8) > 0).then(|| u32::try_from(random(30)).unwrap());
            let plies: Vec<Option<u32>> = (0..40).map(plies).collect();
            let wanted: Vec<usize> = (0..48).filter(|_| random(6) == 0).collect();
            let most = random(20);
            if UsualLines::can_read(&plies, &wanted) {
                let goes_on = |moves: &[u8]| moves.len() < most;
                let count = |_: &[u8]| given += 1;
                let done = UsualLines::new(&stream).read(&plies, &wanted, goes_on, count);
                read += usize::from(done.is_some());
            }
        }
        assert!(read > 0 && given > read, "{read} {given}");
    }
}
