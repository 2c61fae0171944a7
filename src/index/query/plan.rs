//! Plans how to answer a query: looks up names in their tables, and lets the most selective clause
//! choose the candidates.

use std::borrow::Cow;

use super::calendar;
use super::dates::Fit;
use super::eval::{Candidates, CheckedClause, Ids, IndexTest, run};
use super::matching;
use super::names::MatchedNames;
use super::pattern::NamePattern;
use super::query::{Clause, Query, Test};
use crate::format::Flags;
use crate::format::layout::{IndexError, kind};
use crate::read::table::{IndexTable, NameField, opening_name};
use crate::read::view::View;
use pgc_chess::{BoardTest, material_of};

/// A query with its names looked up in an index.
pub(super) struct QueryPlan<'a> {
    view: View<'a>,
    clauses: Vec<CheckedClause>,
}

/// The values of a table whose games are the candidates for a test.
struct CandidateSource<'p> {
    table: IndexTable<'p>,
    ids: Cow<'p, Ids>,
}

impl<'a> QueryPlan<'a> {
    /// Looks up the names of a query.
    pub(super) fn of(
        view: View<'a>,
        query: &Query,
    ) -> Result<(QueryPlan<'a>, Vec<MatchedNames>), IndexError> {
        let mut names = Vec::new();
        let mut clauses = Vec::new();
        for clause in query.all.iter().filter(|clause| !clause.needs_scan()) {
            clauses.push(checked(view, clause, &mut names)?);
        }
        Ok((QueryPlan { view, clauses }, names))
    }

    /// The games that match, and the number of further games that could.
    pub(super) fn run(&self, maybe: bool, threads: usize) -> Result<(Vec<u32>, u64), IndexError> {
        if let [clause] = self.clauses.as_slice()
            && let Some(found) = self.by_date(clause, maybe)?
        {
            return Ok(found);
        }
        let (mut candidates, found_by) = self.candidates()?;
        if let (Candidates::These(games), Some(clause)) = (&mut candidates, found_by) {
            *games = self.prove(&self.clauses[clause], std::mem::take(games), maybe)?;
        }
        // A clause that was answered by postings removes no game.
        let clauses = self
            .clauses
            .iter()
            .enumerate()
            .filter(|&(i, _)| Some(i) != found_by)
            .map(|(_, clause)| clause);
        run(
            self.view,
            &clauses.collect::<Vec<_>>(),
            candidates,
            maybe,
            threads,
        )
    }

    /// For a query that asks only for dates: the list of dates answers it alone.
    fn by_date(
        &self,
        clause: &CheckedClause,
        maybe: bool,
    ) -> Result<Option<(Vec<u32>, u64)>, IndexError> {
        let mut tests = Vec::with_capacity(clause.any.len());
        for check in &clause.any {
            let IndexTest::Date(fits) = check else {
                return Ok(None);
            };
            tests.push(fits);
        }
        let places = 0..self.view.count(kind::DATES + kind::VALUES) as usize;
        let fits = places.map(|place| {
            let fit = tests.iter().map(|fits| fits[place]).max();
            let fit = fit.unwrap_or(Fit::No);
            if clause.not { fit.inverted() } else { fit }
        });
        let fits: Vec<Fit> = fits.collect();
        let least = if maybe { Fit::Could } else { Fit::Certain };
        let dated = calendar::dated(self.view, &fits, |fit| fit >= least)?;
        if dated.games > u64::from(self.view.games()) / 4 {
            // For so many games, testing the column is faster than collecting them.
            return Ok(None);
        }
        let could = match maybe {
            true => 0,
            false => calendar::dated(self.view, &fits, |fit| fit == Fit::Could)?.games,
        };
        let mut set = GameSet::new(self.view.games(), dated.games);
        let table = IndexTable::of_dates(self.view)?;
        put_all(&table, &dated, &mut set)?;
        let games = self.prove(clause, set.into_games(), maybe)?;
        Ok(Some((games, could)))
    }

    /// Checks games that postings or the list of dates name against the columns, which hold what
    /// the games themselves are compared with.
    fn prove(
        &self,
        clause: &CheckedClause,
        games: Vec<u32>,
        maybe: bool,
    ) -> Result<Vec<u32>, IndexError> {
        let named = games.len();
        let (games, _) = run(self.view, &[clause], Candidates::These(games), maybe, 1)?;
        match games.len() == named {
            true => Ok(games),
            false => Err(self
                .view
                .damaged(kind::EVENTS, "a list that names other games")),
        }
    }

    /// The candidates, and the clause that they all match, if there is one.
    fn candidates(&self) -> Result<(Candidates, Option<usize>), IndexError> {
        let mut best: Option<(u64, usize, Vec<CandidateSource<'_>>)> = None;
        for (number, clause) in self.clauses.iter().enumerate() {
            let Some(sources) = self.sources(clause)? else {
                continue;
            };
            let games = sources.iter().map(|source| source.ids.games).sum();
            if best.as_ref().is_none_or(|best| games < best.0) {
                best = Some((games, number, sources));
            }
        }
        // Testing all games in order costs little for each.
        let all = u64::from(self.view.games());
        let Some((games, number, sources)) = best.filter(|best| best.0 < all / 4 || best.0 < 1024)
        else {
            return Ok((Candidates::All, None));
        };
        let mut set = GameSet::new(self.view.games(), games);
        for source in &sources {
            put_all(&source.table, &source.ids, &mut set)?;
        }
        let is_exact = self.clauses[number]
            .any
            .iter()
            .all(|check| matches!(check, IndexTest::Player(_) | IndexTest::Id(kind::EVENT, _)));
        Ok((
            Candidates::These(set.into_games()),
            is_exact.then_some(number),
        ))
    }

    fn table(&self, field: NameField) -> Result<IndexTable<'a>, IndexError> {
        IndexTable::of(self.view, field)
    }

    /// The sources of candidates for a clause; `None` if a test of it has no source.
    fn sources<'p>(
        &'p self,
        clause: &'p CheckedClause,
    ) -> Result<Option<Vec<CandidateSource<'p>>>, IndexError> {
        if clause.not {
            return Ok(None);
        }
        let mut sources = Vec::new();
        for check in &clause.any {
            let (table, ids) = match check {
                IndexTest::Date(fits) => {
                    let ids = calendar::dated(self.view, fits, |fit| fit >= Fit::Could)?;
                    (IndexTable::of_dates(self.view)?, Cow::Owned(ids))
                }
                IndexTest::Id(kind::EVENT, ids) => {
                    (self.table(NameField::Event)?, Cow::Borrowed(ids))
                }
                IndexTest::Id(kind::WHITE | kind::BLACK, ids)
                | IndexTest::Player(ids)
                | IndexTest::Decided(ids, _)
                | IndexTest::OpponentElo(ids, _) => {
                    (self.table(NameField::Player)?, Cow::Borrowed(ids))
                }
                IndexTest::Pairing(first, second) => {
                    let fewer = if first.games <= second.games {
                        first
                    } else {
                        second
                    };
                    (self.table(NameField::Player)?, Cow::Borrowed(fewer))
                }
                _ => return Ok(None),
            };
            sources.push(CandidateSource { table, ids });
        }
        Ok(Some(sources))
    }
}

/// Adds the games of these values to `set`.
fn put_all(table: &IndexTable<'_>, ids: &Ids, set: &mut GameSet) -> Result<(), IndexError> {
    let mut each = |&id: &u32| table.each_game(id, |game| set.put(game));
    ids.list.iter().try_for_each(&mut each)
}

/// A set of candidates.
enum GameSet {
    List(Vec<u32>),
    Bits(Vec<u64>),
}

impl GameSet {
    /// An empty set for at most `expected` of `all` games.
    fn new(all: u32, expected: u64) -> GameSet {
        if expected.saturating_mul(64) < u64::from(all) {
            GameSet::List(Vec::new())
        } else {
            GameSet::Bits(vec![0; usize::try_from(all.div_ceil(64)).unwrap_or(0)])
        }
    }

    /// Adds a game, whose number must be below the number of games.
    fn put(&mut self, game: u32) {
        match self {
            GameSet::List(games) => games.push(game),
            GameSet::Bits(bits) => {
                if let Some(word) = usize::try_from(game / 64)
                    .ok()
                    .and_then(|i| bits.get_mut(i))
                {
                    *word |= 1 << (game % 64);
                }
            }
        }
    }

    /// The games in ascending order, without duplicates.
    fn into_games(self) -> Vec<u32> {
        match self {
            GameSet::List(mut games) => {
                games.sort_unstable();
                games.dedup();
                games
            }
            GameSet::Bits(bits) => {
                let mut games = Vec::new();
                for (first, mut word) in (0..).step_by(64).zip(bits) {
                    while word != 0 {
                        games.push(first + word.trailing_zeros());
                        word &= word - 1;
                    }
                }
                games
            }
        }
    }
}

/// The values that match one of the patterns.
fn look_up(
    view: View<'_>,
    names: &mut Vec<MatchedNames>,
    field: NameField,
    patterns: &[NamePattern],
) -> Result<Ids, IndexError> {
    let table = IndexTable::of(view, field)?;
    let (mut all, mut games) = (Vec::new(), 0);
    for pattern in patterns {
        let found = matching::names(&table, pattern)?;
        let mut counted = |ids: Vec<u32>| -> Result<Vec<(u32, u32)>, IndexError> {
            let counts = table.counts(&ids)?;
            games += counts.iter().map(|&n| u64::from(n)).sum::<u64>();
            all.extend_from_slice(&ids);
            Ok(ids.into_iter().zip(counts).collect())
        };
        names.push(MatchedNames {
            field,
            pattern: pattern.as_str().to_owned(),
            values: counted(found.as_spelled)?,
            otherwise: counted(found.otherwise)?,
        });
    }
    all.sort_unstable();
    all.dedup();
    Ok(Ids {
        games,
        ..Ids::of(table.len(), all)
    })
}

fn flags(passes: impl Fn(Flags) -> bool + Send + Sync + 'static) -> IndexTest {
    IndexTest::Flags(Box::new(passes))
}

/// The values of a table that pass.
fn passing(
    table: &IndexTable<'_>,
    mut passes: impl FnMut(&str) -> bool,
) -> Result<Ids, IndexError> {
    let (mut list, mut values) = (Vec::new(), table.reader());
    for id in 0..table.len() {
        if passes(values.value(id)?) {
            list.push(id);
        }
    }
    Ok(Ids::of(table.len(), list))
}

/// The openings whose names match.
fn openings(view: View<'_>, pattern: &NamePattern) -> Result<Ids, IndexError> {
    let table = IndexTable::of(view, NameField::Opening)?;
    passing(&table, |value| {
        opening_name(value).is_some_and(|name| pattern.matches_opening(name))
    })
}

/// The material that games with a matching position can end with. What is not known may be any.
fn materials(view: View<'_>, test: &BoardTest) -> Result<Ids, IndexError> {
    let table = IndexTable::of(view, NameField::Material)?;
    passing(&table, |value| {
        material_of(value).is_none_or(|end| test.may_precede(&end))
    })
}

/// Looks up the names of a clause.
fn checked(
    view: View<'_>,
    clause: &Clause,
    names: &mut Vec<MatchedNames>,
) -> Result<CheckedClause, IndexError> {
    let mut any = Vec::with_capacity(clause.any.len());
    for test in &clause.any {
        any.push(match test {
            Test::Date(test) => IndexTest::Date(calendar::fits(view, test)?),
            Test::Event(name) => IndexTest::Id(
                kind::EVENT,
                look_up(view, names, NameField::Event, std::slice::from_ref(name))?,
            ),
            Test::White(name) => IndexTest::Id(
                kind::WHITE,
                look_up(view, names, NameField::Player, std::slice::from_ref(name))?,
            ),
            Test::Black(name) => IndexTest::Id(
                kind::BLACK,
                look_up(view, names, NameField::Player, std::slice::from_ref(name))?,
            ),
            Test::Player(name) => IndexTest::Player(look_up(
                view,
                names,
                NameField::Player,
                std::slice::from_ref(name),
            )?),
            Test::Pairing(first, second) => IndexTest::Pairing(
                look_up(view, names, NameField::Player, first)?,
                look_up(view, names, NameField::Player, second)?,
            ),
            Test::Round(round) => {
                let table = IndexTable::of(view, NameField::Round)?;
                IndexTest::Id(
                    kind::ROUND,
                    Ids::of(table.len(), matching::rounds(&table, round)?),
                )
            }
            Test::Won(players) | Test::Lost(players) => IndexTest::Decided(
                look_up(view, names, NameField::Player, players)?,
                matches!(test, Test::Won(_)),
            ),
            Test::OpponentElo(players, range) => IndexTest::OpponentElo(
                look_up(view, names, NameField::Player, players)?,
                range.clone(),
            ),
            Test::Result(result) => {
                let result = *result;
                flags(move |flags| flags.result() == result)
            }
            Test::Rules(rules) => {
                let rules = *rules;
                flags(move |flags| flags.rules() == rules)
            }
            Test::Ending(ending) => {
                let ending = *ending;
                flags(move |flags| flags.ending() == ending)
            }
            Test::Has(feature) => {
                let feature = *feature;
                flags(move |flags| feature.is_in(flags))
            }
            Test::FenStart => flags(Flags::fen),
            Test::Broken => flags(|flags| flags.tail() || flags.text()),
            Test::ResultMismatch => flags(Flags::mismatch),
            Test::Eco(range) => IndexTest::Eco(*range),
            Test::Elo(field, range) => IndexTest::Elo(*field, range.clone()),
            Test::Plies(range) => IndexTest::Plies(range.clone()),
            Test::NoElo(field) => IndexTest::NoElo(*field),
            Test::IndexedOpening(pattern) => IndexTest::Id(kind::OPENING, openings(view, pattern)?),
            Test::MayPrecede(test) => IndexTest::MayPrecede(materials(view, test)?),
            // Clauses with such a test are not planned.
            Test::Tag { .. } | Test::Nag(_) | Test::Comment(_) | Test::Time(_) => continue,
            Test::Clock(_) | Test::EvalSwing(_) => continue,
            Test::Moves(_) | Test::Opening(_) | Test::Source(_) => continue,
            Test::Position(_) | Test::Move(_) => continue,
            Test::Repeated(_) | Test::MaterialChange(_) => continue,
        });
    }
    Ok(CheckedClause {
        not: clause.not,
        any,
    })
}
