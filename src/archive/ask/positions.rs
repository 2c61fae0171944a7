//! Finds the first position of a game, and the move that led to it, that pass tests, and what comes
//! after them.

use crate::ask::lines::MainLine;
use pgc_chess::{
    BoardTest, BoardView, Lasting, MaterialChange, MoveTest, Position, SeenMove, Ways,
};
use pgc_index::{Clause, Test, Window};

/// A test of a position, or of the move that led to it.
#[derive(Debug)]
enum PlaceTest {
    Board(BoardTest),
    Move(MoveTest),
    /// The position occurs for this time, or a later one.
    Repeated(usize),
    Change(MaterialChange),
}

impl PlaceTest {
    fn new(test: &Test, seen: BoardView) -> Option<PlaceTest> {
        Some(match test {
            Test::Position(board) => PlaceTest::Board(board.seen(seen)),
            Test::Move(played) => PlaceTest::Move(played.seen(seen)),
            Test::Repeated(times) => PlaceTest::Repeated(usize::try_from(*times).ok()?),
            Test::MaterialChange(change) => PlaceTest::Change(change.seen(seen)),
            _ => return None,
        })
    }

    fn matches(&self, state: &SearchState) -> bool {
        match self {
            PlaceTest::Board(test) => test.matches(&state.position),
            PlaceTest::Repeated(times) => {
                let same = |key: &&u64| Some(*key) == state.keys.last();
                // Nobody is back on the same squares before four half moves.
                let can = state.keys.len() > 4 * times.saturating_sub(1);
                can && state.keys.iter().filter(same).count() >= *times
            }
            PlaceTest::Change(change) => change.matches(&state.balances),
            PlaceTest::Move(test) => {
                let played = state.played.as_ref();
                played.is_some_and(|played| test.matches(played, &state.ways, &state.position))
            }
        }
    }

    fn is_out_of_reach(&self, position: &Position) -> bool {
        matches!(self, PlaceTest::Board(test) if test.is_out_of_reach(position))
    }
}

/// Tests that one position, and the move that led to it, must pass.
#[derive(Debug)]
pub(super) struct Place {
    /// How many half moves after the place before it, at most; else anywhere later.
    within: Option<u32>,
    /// From each view of the board: one test of each group must pass.
    views: Vec<Vec<Vec<PlaceTest>>>,
    pub(super) window: Window,
}

impl Place {
    /// The place that clauses ask for.
    pub(super) fn of<'c>(
        clauses: impl Iterator<Item = &'c Clause> + Clone,
        window: &Window,
        within: Option<u32>,
    ) -> Place {
        let group = |clause: &Clause, seen| -> Vec<PlaceTest> {
            let tests = clause.any.iter();
            tests
                .filter_map(|test| PlaceTest::new(test, seen))
                .collect()
        };
        let view = |seen| clauses.clone().map(|clause| group(clause, seen)).collect();
        Place {
            within,
            views: window.seen.all().map(view).collect(),
            window: window.clone(),
        }
    }

    /// Goes on with the runs of positions that have passed, one for each view; the length of the
    /// longest.
    fn go_on(&self, runs: &mut Runs, state: &SearchState) -> u32 {
        let passes = |any: &Vec<PlaceTest>| any.iter().any(|test| test.matches(state));
        let is_asked = self.window.plies.contains(&state.ply);
        for (run, all) in runs.iter_mut().zip(&self.views) {
            let passes = is_asked && all.iter().all(passes);
            *run = if passes { *run + 1 } else { 0 };
        }
        runs.iter().copied().max().unwrap_or(0)
    }

    fn is_out_of_reach(&self, position: &Position) -> bool {
        let is_gone = |any: &Vec<PlaceTest>| any.iter().all(|test| test.is_out_of_reach(position));
        self.views.iter().all(|all| all.iter().any(is_gone))
    }
}

/// How many positions in a row have passed, for each view of the board.
type Runs = [u32; 4];

/// A search for places that come one after another.
pub(super) struct PositionSearch<'a> {
    places: &'a [Place],
    asks_for_move: bool,
    asks_for_way: bool,
    asks_for_board: bool,
    asks_for_repetition: bool,
    asks_for_change: bool,
}

/// A game that is being searched: its current position.
#[derive(Clone)]
pub(super) struct SearchState {
    position: Position,
    ply: u32,
    /// For one place.
    runs: Runs,
    /// The keys of the positions that can come again, if a test asks for repetitions.
    keys: Vec<u64>,
    /// How many points White has more than Black in all positions so far, if a test asks for it.
    balances: Vec<i32>,
    /// The move that led to the position, if a test asks for moves.
    played: Option<SeenMove>,
    /// Where pieces went, if a test asks for it.
    ways: Ways,
    /// The lasting features of the position, if a test asks for boards or repetitions.
    lasting: Option<Lasting>,
    /// Whether they have changed since the last test of reach.
    has_lost: bool,
}

/// What is known of a game, or of all games that begin with the same moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outlook {
    /// The game passes: the number of plies before the position.
    Found(u32),
    /// The game does not pass, however it goes on.
    Never,
    /// Later positions decide.
    Open,
}

impl<'a> PositionSearch<'a> {
    pub(super) fn new(places: &'a [Place]) -> PositionSearch<'a> {
        let views = || places.iter().flat_map(|place| &place.views);
        let asks = |is: fn(&PlaceTest) -> bool| views().flatten().flatten().any(is);
        PositionSearch {
            places,
            asks_for_move: asks(|test| matches!(test, PlaceTest::Move(_))),
            asks_for_way: asks(|test| matches!(test, PlaceTest::Move(of) if of.asks_for_way())),
            asks_for_board: asks(|test| matches!(test, PlaceTest::Board(_))),
            asks_for_repetition: asks(|test| matches!(test, PlaceTest::Repeated(_))),
            asks_for_change: asks(|test| matches!(test, PlaceTest::Change(_))),
        }
    }

    /// Begins a game.
    pub(super) fn begin(&self, position: Position) -> SearchState {
        let mut state = SearchState {
            keys: Vec::new(),
            balances: Vec::new(),
            position,
            ply: 0,
            runs: Runs::default(),
            played: None,
            ways: Ways::default(),
            lasting: None,
            has_lost: false,
        };
        self.note(&mut state);
        state
    }

    /// Notes of the current position what tests of later ones ask for.
    fn note(&self, state: &mut SearchState) {
        if self.asks_for_board || self.asks_for_repetition {
            let lasting = state.position.lasting();
            if state.lasting.replace(lasting) != Some(lasting) {
                state.has_lost = self.asks_for_board;
                // Under other rules pieces may be dropped again.
                if state.position.is_standard() {
                    state.keys.clear();
                }
            }
        }
        if self.asks_for_repetition {
            state.keys.push(state.position.repetition_key());
        }
        if self.asks_for_change {
            let balance = MaterialChange::balance(&state.position);
            state.balances.push(balance);
        }
    }

    /// Plays a move; `None` if there is none with this ordinal.
    pub(super) fn play(&self, state: &mut SearchState, ordinal: u8) -> Option<()> {
        if self.asks_for_move {
            let ways = self.asks_for_way.then_some(&mut state.ways);
            state.played = Some(state.position.play_seen(ordinal, ways)?);
        } else {
            state.position.advance(ordinal, None)?;
        }
        self.note(state);
        state.ply += 1;
        Some(())
    }

    /// The number of plies before the first place of the first sequence that passes, in the main
    /// line or else in the first variation that has one.
    pub(super) fn first(&self, line: &MainLine<'_>) -> Option<u32> {
        if self.places.is_empty() {
            return None;
        }
        let start = line.position()?;
        let mut lines = line.lines();
        lines.find_map(|ordinals| self.first_of(self.begin(start.clone()), &ordinals))
    }

    /// The number of plies before the first place of the first sequence that passes in one line.
    fn first_of(&self, mut state: SearchState, ordinals: &[u8]) -> Option<u32> {
        if self.places.len() > 1 {
            return self.sequence(state, ordinals);
        }
        let mut ordinals = ordinals.iter();
        loop {
            match self.look(&mut state) {
                Outlook::Found(ply) => return Some(ply),
                Outlook::Never => return None,
                Outlook::Open => self.play(&mut state, *ordinals.next()?)?,
            }
        }
    }

    /// As [`PositionSearch::first`], for several places.
    fn sequence(&self, mut state: SearchState, ordinals: &[u8]) -> Option<u32> {
        let last = self.places.last()?;
        let mut runs = vec![Runs::default(); self.places.len()];
        // For each place, and each ply at which a sequence up to this place ends: where it begins.
        let mut begun: Vec<Vec<Option<u32>>> = vec![Vec::new(); self.places.len()];
        let mut ordinals = ordinals.iter();
        loop {
            for (i, place) in self.places.iter().enumerate() {
                let from = (place.go_on(&mut runs[i], &state) >= place.window.lasting)
                    .then(|| state.ply + 1 - place.window.lasting);
                let begin = from.and_then(|from| {
                    let Some(before) = i.checked_sub(1) else {
                        return Some(from);
                    };
                    let nearest = place.within.map_or(0, |most| from.saturating_sub(most));
                    let before = begun[before].get(nearest as usize..from as usize)?;
                    before.iter().copied().flatten().next()
                });
                begun[i].push(begin);
            }
            if let Some(begin) = begun.last()?.last().copied().flatten() {
                return Some(begin);
            }
            if state.ply > *last.window.plies.end()
                || std::mem::take(&mut state.has_lost) && last.is_out_of_reach(&state.position)
            {
                return None;
            }
            self.play(&mut state, *ordinals.next()?)?;
        }
    }

    /// Looks at the current position of a game, for one place. Callers pass each position once, from
    /// the first on.
    pub(super) fn look(&self, state: &mut SearchState) -> Outlook {
        let [place] = self.places else {
            return Outlook::Open;
        };
        if state.ply > *place.window.plies.end() {
            return Outlook::Never;
        }
        let mut runs = state.runs;
        let longest = place.go_on(&mut runs, state);
        state.runs = runs;
        if longest >= place.window.lasting {
            return Outlook::Found(state.ply + 1 - longest);
        }
        let has_lost = longest == 0 && std::mem::take(&mut state.has_lost);
        if has_lost && place.is_out_of_reach(&state.position) {
            return Outlook::Never;
        }
        Outlook::Open
    }
}
