//! Answers questions about moves and positions from the lines of an index (spec/index.md section
//! 7), as far as they go: games that begin with the same moves are answered together.

use crate::ask::positions::{Outlook, PositionSearch, SearchState};
use pgc_chess::Position;
use pgc_index::{BitSet, Flags, Index, IndexError, LineEntry, LineGroup, kind};

/// What the lines of an index say of each game: an [`Outlook`] in a byte.
#[derive(Debug)]
pub(super) struct LineAnswer(Vec<u8>);

const NEVER: u8 = u8::MAX;
const OPEN: u8 = u8::MAX - 1;

fn packed(sight: Outlook) -> u8 {
    match sight {
        // A line has fewer plies than 254.
        Outlook::Found(ply) => u8::try_from(ply).unwrap_or(OPEN),
        Outlook::Never => NEVER,
        Outlook::Open => OPEN,
    }
}

impl LineAnswer {
    /// Walks through the lines of these games; `None` if the index has none. `variations`: the
    /// question is about them too.
    pub(super) fn of<D: AsRef<[u8]> + Sync>(
        index: &Index<D>,
        question: &LineQuestion<'_>,
        asked: &[u32],
        variations: bool,
        threads: usize,
    ) -> Result<Option<LineAnswer>, IndexError> {
        let Some(lines) = index.lines()? else {
            return Ok(None);
        };
        let asked = BitSet::new(index.games(), asked);
        let plies = index.column(kind::PLIES)?;
        let walk = |group: &LineGroup| {
            let mut walk = LineWalk::new(question);
            let (mut games, mut found) = (Vec::new(), Vec::new());
            let (shared, more) = (0, lines.shared_by_all(group)?);
            walk.next(LineEntry { shared, more });
            let sight = walk.look();
            if sight == Outlook::Never {
                return Ok(found);
            }
            lines.games(group, &mut games)?;
            if sight != Outlook::Open {
                // The moves that all of them share have answered.
                games.retain(|&game| asked.has(game));
                found.extend(games.into_iter().map(|game| (game, packed(sight))));
                return Ok(found);
            }
            while games.pop_if(|game| !asked.has(*game)).is_some() {}
            let mut entries = lines.entries(group)?;
            for game in games {
                let Some(entry) = entries.next()? else {
                    break;
                };
                walk.next(entry);
                if !asked.has(game) {
                    continue;
                }
                let mut sight = walk.look();
                if sight == Outlook::Open && plies.get32(game)? as usize == walk.line.len() {
                    // The line is the whole game.
                    sight = Outlook::Never;
                }
                if sight != Outlook::Never {
                    found.push((game, packed(sight)));
                }
            }
            Ok(found)
        };
        let mut known = vec![NEVER; index.games() as usize];
        if variations || lines.count() < u64::from(index.games()) {
            let (column, mut flags) = (index.column(kind::FLAGS)?, Vec::new());
            column.range(0, index.games(), &mut flags)?;
            for (known, bits) in known.iter_mut().zip(flags) {
                let flags = Flags::from_bits(bits);
                // A main line that does not pass says nothing of the variations.
                if !flags.has_line() || variations && flags.has(Flags::VARIATIONS) {
                    *known = OPEN;
                }
            }
        }
        lines.each_group(threads, walk, |found| {
            for (game, sight) in found {
                known[game as usize] = sight;
            }
        })?;
        Ok(Some(LineAnswer(known)))
    }

    /// What is known of a game.
    pub(super) fn of_game(&self, game: u32) -> Outlook {
        match self.0.get(game as usize) {
            Some(&NEVER) => Outlook::Never,
            None | Some(&OPEN) => Outlook::Open,
            Some(&ply) => Outlook::Found(u32::from(ply)),
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

/// A walk through lines. Moves that two lines share are examined once.
pub(super) struct LineWalk<'a> {
    question: &'a LineQuestion<'a>,
    /// The moves of the current line.
    line: Vec<u8>,
    /// How many of them were examined.
    examined: usize,
    /// For positions: the start position, and the one after each move that was examined.
    states: Vec<SearchState>,
    /// The number of moves that the answer follows from, and the answer.
    answer: (usize, Outlook),
}

impl<'a> LineWalk<'a> {
    pub(super) fn new(question: &'a LineQuestion<'a>) -> LineWalk<'a> {
        let mut walk = LineWalk {
            question,
            line: Vec::new(),
            examined: 0,
            states: Vec::new(),
            answer: (0, Outlook::Open),
        };
        if let LineQuestion::Positions(search) = question {
            let mut start = search.begin(Position::initial());
            walk.answer.1 = search.look(&mut start);
            walk.states.push(start);
        }
        walk
    }

    /// Whether later moves of a game from the usual start decide, behind these; to be asked of none
    /// of its moves, and after each.
    pub(super) fn goes_on(&mut self, moves: &[u8]) -> bool {
        let shared = moves.len().saturating_sub(1);
        let more = &moves[shared..];
        self.next(LineEntry { shared, more });
        self.look() == Outlook::Open
    }

    /// Goes on to the next line.
    fn next(&mut self, entry: LineEntry<'_>) {
        if self.answer.1 != Outlook::Open && entry.shared >= self.answer.0 {
            return;
        }
        self.answer = (0, Outlook::Open);
        self.line.truncate(entry.shared);
        self.line.extend_from_slice(entry.more);
        self.examined = self.examined.min(entry.shared);
        self.states.truncate(self.examined + 1);
    }

    /// Examines the moves of the line that are not examined yet.
    fn look(&mut self) -> Outlook {
        while self.answer.1 == Outlook::Open && self.examined < self.line.len() {
            let sight = self.play(self.line[self.examined]);
            if sight != Outlook::Open {
                self.answer = (self.examined, sight);
            }
        }
        self.answer.1
    }

    /// Examines one more move: the position after it.
    fn play(&mut self, ordinal: u8) -> Outlook {
        self.examined += 1;
        let path = &self.line[..self.examined];
        match self.question {
            LineQuestion::Openings(openings) => {
                if openings.contains(&path) {
                    Outlook::Found(u32::try_from(path.len()).unwrap_or(u32::MAX))
                } else if openings.iter().any(|of| of.starts_with(path)) {
                    Outlook::Open
                } else {
                    Outlook::Never
                }
            }
            LineQuestion::Positions(search) => {
                let Some(mut state) = self.states.last().cloned() else {
                    return Outlook::Never;
                };
                let sight = match search.play(&mut state, ordinal) {
                    Some(()) => search.look(&mut state),
                    None => Outlook::Never,
                };
                self.states.push(state);
                sight
            }
        }
    }
}
