//! Finds the games that match a query: looks up names in their tables, and lets the most selective
//! clause choose the candidates.

use std::collections::BTreeMap;

use super::aliases::Life;
use super::dates::{DateTest, Fit};
use super::eval::{BitSet, CheckedClause, Ids, IndexTest, rating_fits, run};
use super::matching;
use super::names::MatchedNames;
use super::pattern::NamePattern;
use super::query::{Clause, EloField, Query, Test};
use crate::format::Flags;
use crate::format::layout::{IndexError, kind};
use crate::read::reader::Index;
use crate::read::table::{IndexTable, NameField, opening_name};
use crate::read::view::View;
use pgc_chess::{BoardTest, material_of};

/// The games that were found, and details of the search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Numbers from 0, ascending.
    pub games: Vec<u32>,
    /// The number of further games that could match, depending on unknown digits of their dates or
    /// unknown ratings. 0 if the query asks for them: then they are among the games.
    pub could: u64,
    /// The values matched by the tests of names, in the order of the clauses and their tests; a
    /// pairing has an entry for each name.
    pub names: Vec<MatchedNames>,
}

impl<D: AsRef<[u8]>> Index<D> {
    /// Finds the games that match all clauses of the first group of a query, except
    /// [`Query::scan_clauses`] and sequences, which only the games themselves answer. Other groups
    /// ([`Query::groups`]) are questions of their own. `threads`: 0 is one for each processor.
    ///
    /// # Errors
    /// The index is damaged, or a thread cannot be started.
    pub fn find_group(&self, query: &Query, threads: usize) -> Result<Found, IndexError> {
        let (view, mut names) = (self.view(), Vec::new());
        let answered = query.all.iter().filter(|clause| !clause.needs_scan());
        let clauses = answered.map(|clause| checked(view, clause, &mut names));
        let clauses = clauses.collect::<Result<Vec<_>, _>>()?;
        let (candidates, found_by) = candidates(view, &clauses)?;
        if let (Some(games), Some(clause)) = (&candidates, found_by) {
            // The columns hold what the games themselves are compared with.
            let (proven, _) = run(view, &[&clauses[clause]], Some(games), query.maybe, 1)?;
            if proven.len() != games.len() {
                return Err(view.damaged(kind::PLAYERS, "a list that names other games"));
            }
        }
        // A clause that was answered by postings removes no game.
        let open = clauses.iter().enumerate();
        let open = open.filter(|&(i, _)| Some(i) != found_by);
        let open: Vec<_> = open.map(|(_, clause)| clause).collect();
        let (games, could) = run(view, &open, candidates.as_deref(), query.maybe, threads)?;
        Ok(Found {
            games,
            could,
            names,
        })
    }
}

/// The candidates, `None` if all games are, and the clause that they all match, if there is one.
fn candidates(
    view: View<'_>,
    clauses: &[CheckedClause],
) -> Result<(Option<Vec<u32>>, Option<usize>), IndexError> {
    let players = clauses.iter().enumerate();
    let players = players.filter_map(|(number, clause)| Some((number, players_of(clause)?)));
    let games = |players: &[&Ids]| players.iter().map(|ids| ids.games).sum::<u64>();
    let best = players.map(|(number, players)| (games(&players), number, players));
    // Testing all games in order costs little for each.
    let few = u64::from(view.games() / 4).max(1024);
    let best = best.min_by_key(|best| best.0).filter(|best| best.0 < few);
    let Some((_, number, players)) = best else {
        return Ok((None, None));
    };
    let table = IndexTable::named(view, NameField::Player)?;
    let mut found = BitSet::new(view.games(), &[]);
    for id in players.iter().flat_map(|ids| &ids.list) {
        table.each_game(*id, |game| found.put(game))?;
    }
    let mut checks = clauses[number].any.iter();
    let is_exact = checks.all(|check| matches!(check, IndexTest::Player(_)));
    Ok((Some(found.ascending()), is_exact.then_some(number)))
}

/// The players one of whom each game of a clause has; `None` if a test of it does not tell.
fn players_of(clause: &CheckedClause) -> Option<Vec<&Ids>> {
    fn ids(test: &IndexTest) -> Option<&Ids> {
        match test {
            IndexTest::Id(kind::WHITE | kind::BLACK, ids)
            | IndexTest::Player(ids)
            | IndexTest::Decided(ids, _)
            | IndexTest::OpponentElo(ids, _) => Some(ids),
            IndexTest::Lived(test, _) => ids(test),
            IndexTest::Pairing(first, second) if first.games <= second.games => Some(first),
            IndexTest::Pairing(_, second) => Some(second),
            _ => None,
        }
    }
    (!clause.not).then(|| clause.any.iter().map(ids).collect())?
}

/// The values that match one of the patterns.
fn look_up(
    view: View<'_>,
    names: &mut Vec<MatchedNames>,
    field: NameField,
    patterns: &[NamePattern],
) -> Result<Ids, IndexError> {
    let table = IndexTable::named(view, field)?;
    let (mut all, mut games, mut counts) = (Vec::new(), 0, table.counts()?);
    let mut lives: BTreeMap<Life, Vec<u32>> = BTreeMap::new();
    for pattern in patterns {
        let found = matching::names(&table, pattern)?;
        for (ids, as_spelled) in [(&found.as_spelled, true), (&found.otherwise, false)] {
            let person = pattern.person.as_ref();
            let Some(person) = person.filter(|person| person.knows_lives()) else {
                continue;
            };
            for &id in ids {
                let life = person.life(&table.value(id)?, as_spelled);
                if life != Life::default() {
                    lives.entry(life).or_default().push(id);
                }
            }
        }
        let mut counted = |ids: Vec<u32>| {
            let with_games = ids.into_iter().map(|id| Ok((id, counts.games(id)?)));
            let counted = with_games.collect::<Result<Vec<_>, IndexError>>()?;
            games += counted.iter().map(|&(_, n)| u64::from(n)).sum::<u64>();
            all.extend(counted.iter().map(|&(id, _)| id));
            Ok::<_, IndexError>(counted)
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
        lives,
        ..Ids::new(table.len(), all)
    })
}

/// The test, which also looks at the years of birth and death that are known of its players.
fn with_lives(view: View<'_>, test: IndexTest) -> Result<IndexTest, IndexError> {
    let ids = match &test {
        IndexTest::Id(_, ids)
        | IndexTest::Player(ids)
        | IndexTest::Decided(ids, _)
        | IndexTest::OpponentElo(ids, _) => [Some(ids), None],
        IndexTest::Pairing(first, second) => [Some(first), Some(second)],
        _ => [None, None],
    };
    let lives = ids.into_iter().flatten().flat_map(|ids| {
        let values = u32::try_from(64 * ids.bits.0.len()).unwrap_or(u32::MAX);
        let lives = ids.lives.iter();
        lives.map(move |(&life, lived)| (life, Ids::new(values, lived.clone())))
    });
    let lives: Vec<_> = lives.collect();
    if lives.is_empty() {
        return Ok(test);
    }
    let dates = IndexTable::open(view, kind::DATES)?.dates()?;
    let excluded = |life: Life| dates.iter().map(|&date| life.excludes(date)).collect();
    let lives = lives.into_iter().map(|(life, ids)| (ids, excluded(life)));
    Ok(IndexTest::Lived(Box::new(test), lives.collect()))
}

fn flags(passes: impl Fn(Flags) -> bool + Send + Sync + 'static) -> IndexTest {
    IndexTest::Flags(Box::new(move |flags: &[u32], verdicts: &mut [Fit]| {
        for (verdict, &bits) in verdicts.iter_mut().zip(flags) {
            // Unknown bits are ignored.
            *verdict = (*verdict).max(passes(Flags::from_bits(bits)).into());
        }
    }))
}

/// The values of a table that pass.
fn passing(
    view: View<'_>,
    field: NameField,
    passes: impl FnMut(&str) -> bool,
) -> Result<Ids, IndexError> {
    let table = IndexTable::named(view, field)?;
    let list = table.passing(0..table.len(), passes)?;
    Ok(Ids::new(table.len(), list))
}

/// How well each date of the table fits a test.
fn fits(view: View<'_>, test: &DateTest) -> Result<Vec<Fit>, IndexError> {
    let dates = IndexTable::open(view, kind::DATES)?.dates()?;
    Ok(dates.into_iter().map(|date| test.fit(date)).collect())
}

/// The openings whose names match.
fn openings(view: View<'_>, pattern: &NamePattern) -> Result<Ids, IndexError> {
    passing(view, NameField::Opening, |value| {
        opening_name(value).is_some_and(|name| pattern.matches_opening(name))
    })
}

/// The material that games with a matching position can end with. What is not known may be any.
fn materials(view: View<'_>, test: &BoardTest) -> Result<Ids, IndexError> {
    passing(view, NameField::Material, |value| {
        material_of(value).is_none_or(|end| test.may_precede(&end))
    })
}

/// Looks up the names of a clause.
fn checked(
    view: View<'_>,
    clause: &Clause,
    names: &mut Vec<MatchedNames>,
) -> Result<CheckedClause, IndexError> {
    let one = std::slice::from_ref::<NamePattern>;
    let mut named = |field, patterns: &[NamePattern]| look_up(view, names, field, patterns);
    let mut any = Vec::with_capacity(clause.any.len());
    for test in &clause.any {
        let test = match test {
            Test::Date(test) => IndexTest::Date(fits(view, test)?),
            Test::Event(name) => IndexTest::Id(kind::EVENT, named(NameField::Event, one(name))?),
            Test::White(name) => IndexTest::Id(kind::WHITE, named(NameField::Player, one(name))?),
            Test::Black(name) => IndexTest::Id(kind::BLACK, named(NameField::Player, one(name))?),
            Test::Player(name) => IndexTest::Player(named(NameField::Player, one(name))?),
            Test::Pairing(first, second) => {
                let first = named(NameField::Player, first)?;
                IndexTest::Pairing(first, named(NameField::Player, second)?)
            }
            Test::Round(round) => {
                let ids = passing(view, NameField::Round, |value| round.matches(value))?;
                IndexTest::Id(kind::ROUND, ids)
            }
            Test::Won(players) => IndexTest::Decided(named(NameField::Player, players)?, true),
            Test::Lost(players) => IndexTest::Decided(named(NameField::Player, players)?, false),
            Test::OpponentElo(players, range) => {
                IndexTest::OpponentElo(named(NameField::Player, players)?, range.clone())
            }
            &Test::Result(result) => flags(move |flags| flags.result() == result),
            &Test::Rules(rules) => flags(move |flags| flags.rules() == rules),
            &Test::Ending(ending) => flags(move |flags| flags.ending().is_at_least(ending)),
            &Test::Has(feature) => flags(move |flags| flags.has(feature as u32)),
            Test::FenStart => flags(|flags| flags.has(Flags::FEN)),
            Test::Broken => flags(|flags| flags.has(Flags::TAIL | Flags::TEXT)),
            Test::ResultMismatch => flags(|flags| flags.has(Flags::MISMATCH)),
            Test::Eco(range) => IndexTest::Eco(*range),
            // An unknown rating is 0.
            Test::Elo(field, None) => IndexTest::Rating(*field, vec![Fit::Certain]),
            Test::Elo(field @ (EloField::Average | EloField::Difference), Some(range)) => {
                IndexTest::Elo(*field, range.clone())
            }
            Test::Elo(field, Some(range)) => IndexTest::Rating(*field, rating_fits(range)),
            Test::Plies(range) => IndexTest::Plies(range.clone()),
            Test::IndexedOpening(pattern) => IndexTest::Id(kind::OPENING, openings(view, pattern)?),
            Test::MayPrecede(test) => IndexTest::MayPrecede(materials(view, test)?),
            // Clauses with such a test are not planned.
            Test::Tag { .. } | Test::Nag(_) | Test::Comment(_) | Test::Time(_) => continue,
            Test::Clock(..) | Test::EvalSwing(..) => continue,
            Test::Moves(_) | Test::Opening(_) | Test::Source(_) => continue,
            Test::Position(_) | Test::Move(_) => continue,
            Test::Repeated(_) | Test::MaterialChange(_) => continue,
        };
        any.push(with_lives(view, test)?);
    }
    let not = clause.not;
    Ok(CheckedClause { not, any })
}
