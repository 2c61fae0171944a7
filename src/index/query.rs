//! What can be asked of the games of an index, and what comes of it (D46 to D49 of
//! spec/decisions.md).

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::dates::DateTest;
use super::fold::{NamePattern, RoundPattern};
use super::layout::IndexError;
use super::plan::Plan;
use super::reader::Index;
use super::table::NameField;
use crate::pgn::eco;

/// What is asked: every clause has to be fulfilled.
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
    /// a clause is passed over by [`Index::find`].
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
    /// 0 `*`, 1 `0-1`, 2 `1-0`, 3 `1/2-1/2`.
    Result(u8),
    /// Of the tag ECO.
    Eco(EcoRange),
    /// Of ratings. One that is missing could be any.
    Elo(EloField, RangeInclusive<u32>),
    /// Of the number of moves in the main line, each player's counted.
    Plies(RangeInclusive<u32>),
    /// The number of the rules (spec/index.md 3.2).
    Rules(u8),
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

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Numbers from 0, ascending.
    pub games: Vec<u32>,
    /// So many more fit if what is not known of their date or ratings makes them. 0 if they were
    /// asked for: then they are among the games.
    pub could: u64,
    /// What the tests of names found, in the order of the clauses and their tests; of a pairing,
    /// one for each name.
    pub names: Vec<MatchedNames>,
}

/// The values that a test of names found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedNames {
    /// Where: see [`Index::value`].
    pub field: NameField,
    /// What was asked for, as it was given.
    pub pattern: String,
    /// Places in the table, ascending, and in how many games each value is.
    pub values: Vec<(u32, u32)>,
}

impl Query {
    /// The clauses that [`Index::find`] passes over: the games that it finds have to be looked at.
    pub fn scan_clauses(&self, has_sites: bool) -> impl Iterator<Item = &Clause> {
        self.all
            .iter()
            .filter(move |clause| clause.needs_scan(has_sites))
    }
}

impl<D: AsRef<[u8]>> Index<D> {
    /// The games that fulfil all clauses, but for those of [`Query::scan_clauses`], which are
    /// passed over.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn find(&self, query: &Query) -> Result<Found, IndexError> {
        self.find_with(query, 0)
    }

    /// As [`Index::find`], on so many threads; 0 is one for each processor.
    ///
    /// # Errors
    /// The index is damaged, or a thread cannot be started.
    pub fn find_with(&self, query: &Query, threads: usize) -> Result<Found, IndexError> {
        let (plan, names) = Plan::of(self.view(), query)?;
        let (games, could) = plan.run(query.maybe, threads)?;
        Ok(Found {
            games,
            could,
            names,
        })
    }
}

/// Why an argument cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// Not a number or a range of numbers.
    #[error("{0:?} is no range of numbers: write 2700, 2700.., 2700..2800 or ..2800")]
    Numbers(String),
    /// Not an ECO code or a range of codes.
    #[error("{0:?} is no ECO code: write B33, B30-B39, B3, B, none or other")]
    Eco(String),
    /// A range that ends before it begins.
    #[error("{0:?} ends before it begins")]
    Backwards(String),
    /// Not a result.
    #[error("{0:?} is no result: write 1-0, 0-1, 1/2 or *")]
    Result(String),
}

/// A range of numbers: `2700`, `2700..`, `2700..2800`, `..2800`.
///
/// # Errors
/// It is none.
pub fn numbers(text: &str) -> Result<RangeInclusive<u32>, ArgumentError> {
    let wrong = || ArgumentError::Numbers(text.to_owned());
    let number = |part: &str| {
        let part = part.trim();
        part.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| part.parse::<u32>().ok())
            .flatten()
            .ok_or_else(wrong)
    };
    let Some((from, to)) = text.split_once("..") else {
        return number(text).map(|n| n..=n);
    };
    let (open_from, open_to) = (from.trim().is_empty(), to.trim().is_empty());
    if open_from && open_to {
        return Err(wrong());
    }
    let from = if open_from { 0 } else { number(from)? };
    let to = if open_to { u32::MAX } else { number(to)? };
    if from > to {
        Err(ArgumentError::Backwards(text.to_owned()))
    } else {
        Ok(from..=to)
    }
}

/// The number of a result: 0 `*`, 1 `0-1`, 2 `1-0`, 3 `1/2-1/2`, `1/2` or `draw`.
///
/// # Errors
/// It is none.
pub fn result(text: &str) -> Result<u8, ArgumentError> {
    match text.trim() {
        "*" => Ok(0),
        "0-1" => Ok(1),
        "1-0" => Ok(2),
        "1/2-1/2" | "1/2" | "draw" => Ok(3),
        _ => Err(ArgumentError::Result(text.to_owned())),
    }
}

/// ECO codes, as the index has them (spec/index.md section 3): `B33`, `B3`, `B`, `B30-B39`,
/// `B9-C1`; `none` is games without a code, `other` what is there instead of one.
///
/// ```
/// use pgc::index::EcoRange;
///
/// let range: EcoRange = "b30-B39".parse()?;
/// assert_eq!(range.to_string(), "B30-B39");
/// assert_eq!("B3".parse::<EcoRange>()?, range);
/// # Ok::<(), pgc::index::ArgumentError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcoRange {
    from: u16,
    to: u16,
}

impl EcoRange {
    /// Whether a number of the column is in it.
    #[must_use]
    pub fn contains(&self, eco: u32) -> bool {
        (u32::from(self.from)..=u32::from(self.to)).contains(&eco)
    }
}

impl FromStr for EcoRange {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<EcoRange, ArgumentError> {
        let given = text.trim();
        let wrong = || ArgumentError::Eco(text.to_owned());
        match given.to_ascii_lowercase().as_str() {
            "none" => {
                return Ok(EcoRange {
                    from: eco::NONE,
                    to: eco::NONE,
                });
            }
            "other" => {
                return Ok(EcoRange {
                    from: eco::OTHER,
                    to: eco::OTHER,
                });
            }
            _ => {}
        }
        let (from, to) = given
            .split_once("..")
            .or_else(|| given.split_once('-'))
            .unwrap_or((given, given));
        let (from, _) = eco::that_begin(from.trim()).ok_or_else(wrong)?;
        let (_, to) = eco::that_begin(to.trim()).ok_or_else(wrong)?;
        if from > to {
            Err(ArgumentError::Backwards(text.to_owned()))
        } else {
            Ok(EcoRange { from, to })
        }
    }
}

impl fmt::Display for EcoRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = |number: u16| eco::code(number.into()).unwrap_or_default();
        match (self.from, self.to) {
            (eco::NONE, _) => f.write_str("none"),
            (_, eco::OTHER) => f.write_str("other"),
            (from, to) if from == to => f.write_str(&code(from)),
            (from, to) => write!(f, "{}-{}", code(from), code(to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(numbers("2700"), Ok(2700..=2700));
        assert_eq!(numbers("2700.."), Ok(2700..=u32::MAX));
        assert_eq!(numbers(" 2700 .. 2800"), Ok(2700..=2800));
        assert_eq!(numbers("..2800"), Ok(0..=2800));
        for text in ["", "..", "x", "1..x", "-1", "+1", "1...2", "4294967296"] {
            assert!(
                matches!(numbers(text), Err(ArgumentError::Numbers(_))),
                "{text}"
            );
        }
        assert!(matches!(numbers("2..1"), Err(ArgumentError::Backwards(_))));
        assert_eq!(
            ["1-0", "0-1", "1/2", "*"].map(result),
            [Ok(2), Ok(1), Ok(3), Ok(0)]
        );
        assert!(result("2-0").is_err());
    }

    #[test]
    fn eco_codes() {
        let range = |text: &str| text.parse::<EcoRange>().map(|range| (range.from, range.to));
        assert_eq!(range("A00"), Ok((1, 1)));
        assert_eq!(range("e99"), Ok((500, 500)));
        assert_eq!(range("B"), Ok((101, 200)));
        assert_eq!(range("B3"), Ok((131, 140)));
        assert_eq!(range("B30-B39"), Ok((131, 140)));
        assert_eq!(range("B9..c1"), Ok((191, 220)));
        assert_eq!(
            (range("none"), range("Other")),
            (Ok((0, 0)), Ok((501, 501)))
        );
        for text in ["", "F00", "B333", "33", "B-", "-B", "Bx", "B33a"] {
            assert!(matches!(range(text), Err(ArgumentError::Eco(_))), "{text}");
        }
        assert!(matches!(range("C-B"), Err(ArgumentError::Backwards(_))));
        for text in ["A00", "B30-B39", "none", "other"] {
            assert_eq!(text.parse::<EcoRange>().unwrap().to_string(), text);
        }
    }
}
