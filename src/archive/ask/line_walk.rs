//! Answers questions about moves and positions from the lines of an index (spec/index.md section
//! 7), as far as they go: games that begin with the same moves are answered together.

use crate::archive::ask::positions::{PositionSearch, SearchState, Sight};
use crate::chess::Position;
use crate::index::{Flags, Index, IndexError, LineEntry, LineGroup, kind};

/// What the lines of an index say of each game.
#[derive(Debug)]
pub(super) struct LineAnswer(Vec<Known>);

/// A [`Sight`] in a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known(u8);

impl Known {
    const NEVER: Known = Known(u8::MAX);
    const OPEN: Known = Known(u8::MAX - 1);
}

impl From<Sight> for Known {
    fn from(sight: Sight) -> Known {
        match sight {
            // A line has fewer plies than 254.
            Sight::Found(ply) => Known(u8::try_from(ply).unwrap_or(Known::OPEN.0)),
            Sight::Never => Known::NEVER,
            Sight::Open => Known::OPEN,
        }
    }
}

impl LineAnswer {
    /// Walks through the lines of the index; `None` if it has none.
    pub(super) fn of<D: AsRef<[u8]> + Sync>(
        index: &Index<D>,
        question: &LineQuestion<'_>,
        threads: usize,
    ) -> Result<Option<LineAnswer>, IndexError> {
        let Some(lines) = index.lines()? else {
            return Ok(None);
        };
        let plies = index.column(kind::PLIES)?;
        let walk = |group: &LineGroup| {
            let mut walk = LineWalk::new(question);
            let (mut games, mut found) = (Vec::new(), Vec::new());
            lines.games(group, &mut games)?;
            let mut entries = lines.entries(group)?;
            for game in games {
                let Some(entry) = entries.next()? else {
                    break;
                };
                let mut sight = walk.next(entry);
                if sight == Sight::Open && plies.get32(game)? as usize == walk.kept {
                    // The line is the whole game.
                    sight = Sight::Never;
                }
                if sight != Sight::Never {
                    found.push((game, Known::from(sight)));
                }
            }
            Ok(found)
        };
        let mut known = LineAnswer::without_lines(index, lines.count())?;
        for (game, sight) in lines.of_groups(threads, walk)?.into_iter().flatten() {
            known.0[game as usize] = sight;
        }
        Ok(Some(known))
    }

    /// The answer before any line is read: games without a line stay open.
    fn without_lines<D: AsRef<[u8]>>(
        index: &Index<D>,
        lines: u64,
    ) -> Result<LineAnswer, IndexError> {
        let games = index.games();
        if lines == u64::from(games) {
            return Ok(LineAnswer(vec![Known::NEVER; games as usize]));
        }
        let mut flags = Vec::new();
        index.column(kind::FLAGS)?.range(0, games, &mut flags)?;
        let known = flags.into_iter().map(|flags| {
            let flags = Flags::from_bits(u16::try_from(flags).unwrap_or_default());
            if flags.has_line() {
                Known::NEVER
            } else {
                Known::OPEN
            }
        });
        Ok(LineAnswer(known.collect()))
    }

    /// What is known of a game.
    pub(super) fn of_game(&self, game: u32) -> Sight {
        match self.0.get(game as usize) {
            Some(&Known::NEVER) => Sight::Never,
            None | Some(&Known::OPEN) => Sight::Open,
            Some(&Known(ply)) => Sight::Found(u32::from(ply)),
        }
    }
}

/// A question to a line.
pub(super) enum LineQuestion<'a> {
    /// Does it begin with one of these?
    Openings(Vec<&'a [u8]>),
    /// Does it lead to a position?
    Positions(PositionSearch<'a>),
}

/// A walk through the lines of a group. Moves that two lines share are examined once.
struct LineWalk<'a> {
    question: &'a LineQuestion<'a>,
    /// The moves of the current line that were examined.
    path: Vec<u8>,
    /// For positions: the start position, and the one after each move of the path.
    states: Vec<SearchState>,
    /// The number of moves that the answer follows from, and the answer.
    answer: (usize, Sight),
    /// The length of the current line.
    kept: usize,
}

impl<'a> LineWalk<'a> {
    fn new(question: &'a LineQuestion<'a>) -> LineWalk<'a> {
        let mut walk = LineWalk {
            question,
            path: Vec::new(),
            states: Vec::new(),
            answer: (0, Sight::Open),
            kept: 0,
        };
        if let LineQuestion::Positions(search) = question {
            let mut start = SearchState::new(Position::initial());
            walk.answer.1 = search.look(&mut start);
            walk.states.push(start);
        }
        walk
    }

    /// Goes on to the next line of the group.
    fn next(&mut self, entry: LineEntry<'_>) -> Sight {
        self.kept = entry.shared + entry.more.len();
        if self.answer.1 != Sight::Open {
            if entry.shared >= self.answer.0 {
                return self.answer.1;
            }
            self.answer.1 = Sight::Open;
        }
        self.path.truncate(entry.shared);
        self.states.truncate(entry.shared + 1);
        for &ordinal in entry.more {
            let sight = self.play(ordinal);
            if sight != Sight::Open {
                self.answer = (self.path.len(), sight);
                return sight;
            }
        }
        Sight::Open
    }

    /// Adds a move to the path, and examines the position after it.
    fn play(&mut self, ordinal: u8) -> Sight {
        self.path.push(ordinal);
        match self.question {
            LineQuestion::Openings(openings) => {
                if openings.contains(&&*self.path) {
                    Sight::Found(u32::try_from(self.path.len()).unwrap_or(u32::MAX))
                } else if openings
                    .iter()
                    .any(|opening| opening.starts_with(&self.path))
                {
                    Sight::Open
                } else {
                    Sight::Never
                }
            }
            LineQuestion::Positions(search) => {
                let Some(mut state) = self.states.last().cloned() else {
                    return Sight::Never;
                };
                let sight = match state.play(ordinal) {
                    Some(()) => search.look(&mut state),
                    None => Sight::Never,
                };
                self.states.push(state);
                sight
            }
        }
    }
}
