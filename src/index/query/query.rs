//! What can be asked of the games of an index (D46 to D49 of spec/decisions.md).

use std::ops::RangeInclusive;

use super::dates::DateTest;
use super::eco::EcoRange;
use super::pattern::{NamePattern, RoundPattern};
use crate::index::format::GameRules;
use crate::pgn::writer::Termination;

/// What is asked: every clause has to be fulfilled.
///
/// A query is put together test by test, or read from the options of `pgc find`:
///
/// ```
/// use pgc::internals::index::{Query, Test};
///
/// let query = Query::new()
///     .and(Test::parse("white", "carlsen")?)
///     .and_one_of([Test::parse("date", "2019..2020")?, Test::parse("date", "unknown")?])
///     .and_none_of([Test::Broken]);
/// let same = Query::parse("--white carlsen --date 2019..2020 --date unknown --not-broken")?;
/// assert_eq!(query.all.len(), same.all.len());
/// # Ok::<(), pgc::internals::index::ArgumentError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The clauses.
    pub all: Vec<Clause>,
    /// Take the games too that fit only if what is not known of their date or ratings makes them.
    pub maybe: bool,
}

/// Is fulfilled if one of the tests is; or if none is.
#[derive(Clone, Debug)]
pub struct Clause {
    /// None of the tests may be fulfilled.
    pub not: bool,
    /// The tests.
    pub any: Vec<Test>,
}

impl Clause {
    /// One of these tests.
    #[must_use]
    pub fn any(any: Vec<Test>) -> Clause {
        Clause { not: false, any }
    }

    /// None of these tests.
    #[must_use]
    pub fn none(any: Vec<Test>) -> Clause {
        Clause { not: true, any }
    }

    /// Whether it takes more than an index to tell: the games themselves have to be looked at. Such
    /// a clause is passed over by [`Index::find`](crate::index::Index::find).
    #[must_use]
    pub fn needs_scan(&self, has_sites: bool) -> bool {
        self.any.iter().any(|test| test.needs_scan(has_sites))
    }
}

/// A test of one game.
#[derive(Clone, Debug)]
pub enum Test {
    /// Of its date.
    Date(DateTest),
    /// Of the tag Event.
    Event(NamePattern),
    /// Of the tag Site. Where the index has no sites, the games have to be looked at.
    Site(NamePattern),
    /// Of the tag Round.
    Round(RoundPattern),
    /// One of the players has such a name.
    Player(NamePattern),
    /// White has.
    White(NamePattern),
    /// Black has.
    Black(NamePattern),
    /// One player has one of the first names, the other one of the second, with whatever colours.
    Pairing(Vec<NamePattern>, Vec<NamePattern>),
    /// How it ended.
    Result(Termination),
    /// Of the tag ECO.
    Eco(EcoRange),
    /// Of ratings. One that is missing could be any.
    Elo(EloField, RangeInclusive<u32>),
    /// Of the number of moves in the main line, each player's counted.
    Plies(RangeInclusive<u32>),
    /// The rules it is played by.
    Rules(GameRules),
    /// There is a FEN tag.
    FenStart,
    /// The main line is text, or ends in it.
    Broken,
    /// Result tag and terminator differ.
    ResultMismatch,
    /// A tag pair: what is done with it is the scan's matter.
    Tag {
        /// Its name.
        name: String,
        /// What its value has to be.
        pattern: NamePattern,
    },
    /// The game begins with these moves: the scan's matter.
    Moves(String),
}

impl Test {
    /// Whether it takes more than an index.
    #[must_use]
    pub fn needs_scan(&self, has_sites: bool) -> bool {
        match self {
            Test::Tag { .. } | Test::Moves(_) => true,
            Test::Site(_) => !has_sites,
            _ => false,
        }
    }
}

/// Which rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EloField {
    /// Both players'.
    Each,
    /// White's.
    White,
    /// Black's.
    Black,
    /// The average of both.
    Average,
    /// How far they are apart.
    Difference,
}

impl Query {
    /// Asks nothing: all games fulfil it.
    #[must_use]
    pub fn new() -> Query {
        Query::default()
    }

    /// Asks for this test too.
    #[must_use]
    pub fn and(self, test: Test) -> Query {
        self.and_one_of([test])
    }

    /// Asks for one of these tests too.
    #[must_use]
    pub fn and_one_of(mut self, tests: impl IntoIterator<Item = Test>) -> Query {
        self.all.push(Clause::any(tests.into_iter().collect()));
        self
    }

    /// Asks for none of these tests too.
    #[must_use]
    pub fn and_none_of(mut self, tests: impl IntoIterator<Item = Test>) -> Query {
        self.all.push(Clause::none(tests.into_iter().collect()));
        self
    }

    /// Takes the games too that only could fit: see [`Query::maybe`](#structfield.maybe).
    #[must_use]
    pub fn with_maybe(mut self) -> Query {
        self.maybe = true;
        self
    }

    /// The clauses that [`Index::find`](crate::index::Index::find) passes over: the games that it finds have to be looked at.
    pub fn scan_clauses(&self, has_sites: bool) -> impl Iterator<Item = &Clause> {
        self.all
            .iter()
            .filter(move |clause| clause.needs_scan(has_sites))
    }
}
