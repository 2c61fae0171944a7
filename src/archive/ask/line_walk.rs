//! Answers questions about moves and positions from the lines of an index (spec/index.md section
//! 7), as far as they go: games that begin with the same moves are answered together.

use crate::ask::positions::{Outlook, PositionSearch, SearchState};
use pgc_chess::Position;
use pgc_index::{Flags, Index, IndexError, LineEntry, LineGroup, kind};

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
    /// Walks through the lines of the index; `None` if it has none. `variations`: the question is
    /// about them too.
    pub(super) fn of<D: AsRef<[u8]> + Sync>(
        index: &Index<D>,
        question: &LineQuestion<'_>,
        variations: bool,
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
                if sight == Outlook::Open && plies.get32(game)? as usize == walk.kept {
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
        let mut flags = Vec::new();
        if variations || lines.count() < u64::from(index.games()) {
            let column = index.column(kind::FLAGS)?;
            column.range(0, index.games(), &mut flags)?;
        }
        let flags = || flags.iter().map(|&bits| Flags::from_bits(bits));
        // Games without a line stay open.
        for (known, flags) in known.iter_mut().zip(flags()) {
            if !flags.has_line() {
                *known = OPEN;
            }
        }
        for (game, sight) in lines.of_groups(threads, walk)?.into_iter().flatten() {
            known[game as usize] = sight;
        }
        // So do games of which only the main line is known not to pass.
        for (known, flags) in known.iter_mut().zip(flags()).filter(|_| variations) {
            if *known == NEVER && flags.has(Flags::VARIATIONS) {
                *known = OPEN;
            }
        }
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

/// A walk through the lines of a group. Moves that two lines share are examined once.
struct LineWalk<'a> {
    question: &'a LineQuestion<'a>,
    /// The moves of the current line that were examined.
    path: Vec<u8>,
    /// For positions: the start position, and the one after each move of the path.
    states: Vec<SearchState>,
    /// The number of moves that the answer follows from, and the answer.
    answer: (usize, Outlook),
    /// The length of the current line.
    kept: usize,
}

impl<'a> LineWalk<'a> {
    fn new(question: &'a LineQuestion<'a>) -> LineWalk<'a> {
        let mut walk = LineWalk {
            question,
            path: Vec::new(),
            states: Vec::new(),
            answer: (0, Outlook::Open),
            kept: 0,
        };
        if let LineQuestion::Positions(search) = question {
            let mut start = search.begin(Position::initial());
            walk.answer.1 = search.look(&mut start);
            walk.states.push(start);
        }
        walk
    }

    /// Goes on to the next line of the group.
    fn next(&mut self, entry: LineEntry<'_>) -> Outlook {
        self.kept = entry.shared + entry.more.len();
        if self.answer.1 != Outlook::Open {
            if entry.shared >= self.answer.0 {
                return self.answer.1;
            }
            self.answer.1 = Outlook::Open;
        }
        self.path.truncate(entry.shared);
        self.states.truncate(entry.shared + 1);
        for &ordinal in entry.more {
            let sight = self.play(ordinal);
            if sight != Outlook::Open {
                self.answer = (self.path.len(), sight);
                return sight;
            }
        }
        Outlook::Open
    }

    /// Adds a move to the path, and examines the position after it.
    fn play(&mut self, ordinal: u8) -> Outlook {
        self.path.push(ordinal);
        match self.question {
            LineQuestion::Openings(openings) => {
                if openings.contains(&&*self.path) {
                    Outlook::Found(u32::try_from(self.path.len()).unwrap_or(u32::MAX))
                } else if openings.iter().any(|of| of.starts_with(&self.path)) {
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
