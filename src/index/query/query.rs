//! Queries: what can be asked about games (D46 to D49 of spec/decisions.md).

use std::ops::RangeInclusive;

use super::dates::DateTest;
use super::eco::EcoRange;
use super::pattern::{NamePattern, RoundPattern};
use crate::format::Feature;
use pgc_chess::{BoardTest, BoardView, Ending, MaterialChange, MoveTest, Opening, Rules};
use pgc_pgn::time_control::{Seconds, Speed, TimeControl};
use pgc_pgn::writer::Termination;

/// A query: a game matches if it matches every clause.
///
/// A query is built test by test, or parsed from the options of `pgc find`:
///
/// ```
/// use pgc_index::{Query, Test};
///
/// let query = Query::new()
///     .and(Test::parse("white", "carlsen")?)
///     .and_one_of([Test::parse("date", "2019..2020")?, Test::parse("date", "unknown")?])
///     .and(Test::FenStart);
/// let same = Query::parse("--white carlsen --date 2019..2020 --date unknown --setup")?;
/// assert_eq!(query.all.len(), same.all.len());
/// # Ok::<(), pgc_index::ArgumentError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The clauses.
    pub all: Vec<Clause>,
    /// Whether to include games that could match, depending on unknown digits of their dates or
    /// unknown ratings.
    pub maybe: bool,
    /// Which positions of a game are tested.
    pub window: Window,
    /// What comes after the position and the move that `all` asks for.
    pub then: Vec<LaterPlace>,
    /// Other queries: a game matches if it matches this one or one of them.
    pub or: Vec<Query>,
}

/// What comes later in a game: a move, and the position after it.
#[derive(Clone, Debug, Default)]
pub struct LaterPlace {
    /// How many half moves later it comes at most; `None` is any number.
    pub within: Option<u32>,
    /// The clauses, which have tests of moves and positions only.
    pub all: Vec<Clause>,
    /// Which positions are tested.
    pub window: Window,
}

/// The positions of a game that tests of positions and moves look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The numbers of the positions: 0 is the start position, 1 the one after the first half move.
    pub plies: RangeInclusive<u32>,
    /// How many positions in a row must pass.
    pub lasting: u32,
    /// From where the board may also be seen.
    pub seen: BoardView,
    /// Whether those of variations are looked at too.
    pub in_variations: bool,
}

impl Default for Window {
    /// Any one position.
    fn default() -> Window {
        Window {
            plies: 0..=u32::MAX,
            lasting: 1,
            seen: BoardView::default(),
            in_variations: false,
        }
    }
}

/// A clause: a game matches if it passes one of the tests, or with `not`, none of them.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Whether the game must pass none of the tests.
    pub not: bool,
    /// The tests.
    pub any: Vec<Test>,
}

impl Clause {
    /// A game must pass one of these tests.
    pub fn any(any: Vec<Test>) -> Clause {
        Clause { not: false, any }
    }

    /// A game must pass none of these tests.
    pub fn none(any: Vec<Test>) -> Clause {
        Clause { not: true, any }
    }

    /// Whether the index cannot answer the clause, so that the games themselves must be read.
    /// [`Index::find_group`](crate::Index::find_group) ignores such a clause.
    pub fn needs_scan(&self) -> bool {
        self.any.iter().any(|test| test.needs_scan())
    }

    /// Whether the clause asks only for sources.
    pub fn asks_for_source(&self) -> bool {
        self.any.iter().all(|test| matches!(test, Test::Source(_)))
    }

    /// Whether the clause asks for a position or a move. All such clauses of a query ask for the
    /// same one.
    pub fn asks_for_position(&self) -> bool {
        !self.not && self.any.iter().all(Test::is_place)
    }
}

/// Whose moves a test asks for.
#[derive(Clone, Debug)]
pub enum Mover {
    /// Those of either side.
    Either,
    /// Those of White, or of Black.
    White(bool),
    /// Those of players with such a name.
    Players(Vec<NamePattern>),
}

/// A test of one game.
#[derive(Clone, Debug)]
pub enum Test {
    /// Tests the date.
    Date(DateTest),
    /// Tests the tag Event.
    Event(NamePattern),
    /// Tests the tag Round.
    Round(RoundPattern),
    /// One of the players has a matching name.
    Player(NamePattern),
    /// White has a matching name.
    White(NamePattern),
    /// Black has a matching name.
    Black(NamePattern),
    /// One player matches one of the first patterns, the other player one of the second, with
    /// either colour.
    Pairing(Vec<NamePattern>, Vec<NamePattern>),
    /// One of these players won; as parsed, without a name: the player of `--player`, or of
    /// `--white` or `--black`.
    Won(Vec<NamePattern>),
    /// One of these players lost.
    Lost(Vec<NamePattern>),
    /// Tests the rating of the opponent of one of these players; without a range, it is unknown.
    OpponentElo(Vec<NamePattern>, Option<RangeInclusive<u32>>),
    /// Tests the result.
    Result(Termination),
    /// Tests the tag ECO.
    Eco(EcoRange),
    /// Tests ratings. A missing rating could be any. Without a range, the ratings are unknown: both
    /// of them, for any, the average or the difference one of them.
    Elo(EloField, Option<RangeInclusive<u32>>),
    /// Tests the number of plies of the main line.
    Plies(RangeInclusive<u32>),
    /// Tests the rules of the game; `None`: they are unknown.
    Rules(Option<Rules>),
    /// The game has a FEN tag.
    FenStart,
    /// The main line is text, or ends in text.
    Broken,
    /// Result tag and terminator differ.
    ResultMismatch,
    /// Tests any tag; the games must be read.
    Tag {
        /// The name.
        name: String,
        /// The pattern for its value.
        pattern: NamePattern,
    },
    /// The game has one of these NAGs (section 10), in a variation too; the games must be read.
    Nag(RangeInclusive<u32>),
    /// A comment of the game, in a variation too, matches; the games must be read.
    Comment(NamePattern),
    /// The player of a move of the main line then has this many seconds left; the games must be read.
    /// The window says which moves count.
    Clock(Mover, RangeInclusive<u32>),
    /// The evaluation after a move of the main line is this far from the one before it, in
    /// hundredths of a pawn, a mate being 10,000; the games must be read. The window says which
    /// moves count.
    EvalSwing(Mover, RangeInclusive<u32>),
    /// The game has this, or moves of this kind.
    Has(Feature),
    /// The main line ends in this way.
    Ending(Ending),
    /// Tests the tag TimeControl; the games must be read.
    Time(TimeTest),
    /// Tests the name of the source: the file that the game came from. The heads of the archive's
    /// segments answer it.
    Source(NamePattern),
    /// The game begins with these moves; games must be read if their lines in the index do not
    /// tell.
    Moves(Opening),
    /// The opening that the game reached, by its positions
    /// (`Game::opening`), has a matching name; the games must be read.
    Opening(NamePattern),
    /// [`Test::Opening`] for an index that has openings. For the program.
    #[doc(hidden)]
    IndexedOpening(NamePattern),
    /// The material at the end is such that this test can have passed before. For the program.
    #[doc(hidden)]
    MayPrecede(BoardTest),
    /// A position of the main line passes; games must be read if their lines in the index do not
    /// tell. If several clauses have only such tests, or tests of moves, one position must pass all
    /// of them, and the move that led to it.
    Position(BoardTest),
    /// A move of the main line passes; as for [`Test::Position`].
    Move(MoveTest),
    /// A position of the main line occurs this many times; as for [`Test::Position`], the position
    /// is the last of them.
    Repeated(u32),
    /// A side loses material and does not win it back; as for [`Test::Position`], the position is
    /// the last that is looked at.
    MaterialChange(MaterialChange),
}

impl Test {
    /// Whether it asks for a position or a move.
    pub fn is_place(&self) -> bool {
        matches!(
            self,
            Test::Position(_) | Test::Move(_) | Test::Repeated(_) | Test::MaterialChange(_)
        )
    }

    /// Whether it asks for a move by what is written of it.
    pub fn is_of_move(&self) -> bool {
        self.is_of_plies() || matches!(self, Test::Nag(_) | Test::Comment(_))
    }

    /// Whether it asks for a move of the main line, between bounds, by what its comments say.
    pub fn is_of_plies(&self) -> bool {
        matches!(self, Test::Clock(..) | Test::EvalSwing(..))
    }

    /// Whether the index cannot answer the test.
    pub fn needs_scan(&self) -> bool {
        self.is_place()
            || self.is_of_move()
            || matches!(
                self,
                Test::Tag { .. }
                    | Test::Time(_)
                    | Test::Moves(_)
                    | Test::Opening(_)
                    | Test::Source(_)
            )
    }
}

/// A test of a time control (9.6.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeTest {
    /// Exactly this one.
    Is(TimeControl),
    /// The number of seconds that each player begins with is in this range.
    Base(RangeInclusive<u32>),
    /// Any with this speed.
    Speed(Speed),
}

impl TimeTest {
    /// Whether the value of the tag passes.
    pub fn matches(&self, value: &str) -> bool {
        TimeControl::parse(value).is_some_and(|control| match self {
            TimeTest::Is(wanted) => control == *wanted,
            TimeTest::Base(range) => control.base().is_some_and(|(base, _)| {
                (Seconds::whole(*range.start())..=Seconds::whole(*range.end())).contains(&base)
            }),
            TimeTest::Speed(speed) => control.speed() == Some(*speed),
        })
    }
}

/// Which rating is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EloField {
    /// Both players'.
    Each,
    /// At least one player's.
    Any,
    /// White's.
    White,
    /// Black's.
    Black,
    /// The average of both.
    Average,
    /// The difference between them.
    Difference,
}

impl Query {
    /// An empty query, which all games match.
    pub fn new() -> Query {
        Query::default()
    }

    /// Adds a test that games must pass.
    pub fn and(self, test: Test) -> Query {
        self.and_one_of([test])
    }

    /// Adds tests of which games must pass at least one.
    pub fn and_one_of(mut self, tests: impl IntoIterator<Item = Test>) -> Query {
        self.all.push(Clause::any(tests.into_iter().collect()));
        self
    }

    /// The query itself without its alternatives, and these.
    pub fn groups(&self) -> impl Iterator<Item = &Query> {
        [self].into_iter().chain(&self.or)
    }

    /// Whether positions and moves are looked for in variations too.
    pub fn goes_into_variations(&self) -> bool {
        self.window.in_variations || self.then.iter().any(|step| step.window.in_variations)
    }

    /// All clauses: of all groups, and of all that come one after another.
    pub fn clauses(&self) -> impl Iterator<Item = &Clause> {
        self.groups().flat_map(|query| {
            let then = query.then.iter().flat_map(|step| &step.all);
            query.all.iter().chain(then)
        })
    }

    /// The patterns for names of players.
    pub fn players_mut(&mut self) -> impl Iterator<Item = &mut NamePattern> {
        let others = self.or.iter_mut().flat_map(|query| &mut query.all);
        let clauses = self.all.iter_mut().chain(others);
        let tests = clauses.flat_map(|clause| &mut clause.any);
        tests.flat_map(|test| match test {
            Test::Player(one)
            | Test::White(one)
            | Test::Black(one)
            | Test::Tag { pattern: one, .. } => std::slice::from_mut(one).iter_mut().chain(&mut []),
            Test::Pairing(these, those) => these.iter_mut().chain(those),
            Test::Won(these)
            | Test::Lost(these)
            | Test::OpponentElo(these, _)
            | Test::Clock(Mover::Players(these), _)
            | Test::EvalSwing(Mover::Players(these), _) => these.iter_mut().chain(&mut []),
            _ => [].iter_mut().chain(&mut []),
        })
    }

    /// The clauses that [`Index::find_group`](crate::Index::find_group) ignores: they must be tested on
    /// the games that it finds.
    pub fn scan_clauses(&self) -> impl Iterator<Item = &Clause> {
        self.all.iter().filter(|clause| clause.needs_scan())
    }
}
