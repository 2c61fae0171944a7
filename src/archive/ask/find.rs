//! Answers a query about one archive: first from the index, then from the games themselves.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::archive::ask::moves::{Opening, scan};
use crate::archive::games::walk::BlockGames;
use crate::archive::open::Archive;
use crate::archive::pipeline::ordered;
use crate::archive::stream::walk::BlockPlace;
use crate::index::{Clause, Found, MAX_VALUE, NamePattern, Query, Test};
use crate::pgn::text::decoded;
use crate::run::Error;

/// The answer to a query.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Answer {
    /// For the program: the games as numbered in the index, and further facts from it.
    #[doc(hidden)]
    pub found: Found,
    /// The number of games that had to be read, since no index answers the query.
    pub scanned: u64,
    /// Damaged blocks among those read: their games are not in the answer, whether they match or
    /// not.
    pub damage: Vec<Error>,
}

impl Answer {
    /// The numbers of the games for [`Archive::game`], from 1, ascending.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        self.found.games.iter().map(|&game| u64::from(game) + 1)
    }
}

impl Archive {
    /// Finds the games that match a query, with the index.
    ///
    /// If the archive has no usable index ([`Archive::index_state`] tells), a temporary one is made
    /// first, which means reading the whole archive. For tests that no index answers
    /// ([`Test::Tag`], [`Test::Moves`], sometimes [`Test::Site`]), the games that match the rest of
    /// the query are read.
    ///
    /// # Examples
    /// ```
    /// use pgc::{Archive, NoHooks, PackOptions, Query, pack};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("two.pgc");
    /// let mut bytes = Vec::new();
    /// let pgn = b"[White \"Tal, Mihail\"]\n\n1. e4 c5 *\n\n[White \"Anand\"]\n\n1. d4 *\n";
    /// pack(&mut &pgn[..], "two.pgn", &mut bytes, &PackOptions::default(), &mut NoHooks)?;
    /// std::fs::write(&path, bytes)?;
    ///
    /// let archive = Archive::open(&path)?;
    /// let query = Query::parse("--white 'mihail t' --moves '1.e4 c5'")?;
    /// let answer = archive.find(&query, 0)?;
    /// assert_eq!(answer.numbers().collect::<Vec<_>>(), [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`]; moves that cannot be parsed are an [`Error::Io`] of
    /// invalid input.
    pub fn find(&self, query: &Query, threads: usize) -> Result<Answer, Error> {
        let (mut found, has_sites) = self.with_index(threads, |index| {
            let has_sites = index.has_sites();
            Ok((
                index.find_with(&narrowed(query, has_sites), threads)?,
                has_sites,
            ))
        })?;
        let checks = query
            .scan_clauses(has_sites)
            .map(|clause| self.check_of(clause, has_sites, threads))
            .collect::<Result<Vec<_>, Error>>()?;
        if checks.is_empty() {
            return Ok(Answer {
                found,
                scanned: 0,
                damage: Vec::new(),
            });
        }
        // Games that could match by their date are read too, if only to be counted.
        let mut games = std::mem::take(&mut found.games);
        let sure = (found.could > 0).then(|| games.clone());
        if sure.is_some() {
            let query = Query {
                maybe: true,
                ..narrowed(query, has_sites)
            };
            games = self.with_index(threads, |index| {
                index.find_with(&query, threads).map(|found| found.games)
            })?;
        }
        let scanned = games.len() as u64;
        let mut damage = Vec::new();
        games = self.check(&checks, &games, threads, &mut damage)?;
        if let Some(sure) = sure {
            let all = games.len();
            games.retain(|game| sure.binary_search(game).is_ok());
            found.could = (all - games.len()) as u64;
        }
        found.games = games;
        Ok(Answer {
            found,
            scanned,
            damage,
        })
    }

    /// Reads the sites of games (from 0, ascending), for an index that leaves them out.
    pub(crate) fn sites(&self, games: &[u32], threads: usize) -> Result<Vec<String>, Error> {
        let mut sites = Vec::with_capacity(games.len());
        self.scan(
            Some(games),
            threads,
            |_, games, out: &mut Vec<String>| {
                out.push(tag_of(games, b"Site").map_or_else(|| "?".to_owned(), Cow::into_owned));
                Ok(())
            },
            |mut found| {
                sites.append(&mut found);
                Ok(())
            },
        )?;
        Ok(sites)
    }

    /// Calls `each` with the site of each game.
    pub(crate) fn each_site(
        &self,
        threads: usize,
        mut each: impl FnMut(String) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.scan(
            None,
            threads,
            |_, games, out: &mut Vec<String>| {
                out.push(tag_of(games, b"Site").map_or_else(|| "?".to_owned(), Cow::into_owned));
                Ok(())
            },
            |found| {
                if self.is_cancelled() {
                    return Err(Error::Cancelled);
                }
                found.into_iter().try_for_each(&mut each)
            },
        )
    }

    /// Prepares the part of a clause that the index cannot answer.
    fn check_of(
        &self,
        clause: &Clause,
        has_sites: bool,
        threads: usize,
    ) -> Result<GameCheck, Error> {
        let mut check = GameCheck {
            not: clause.not,
            sure: Vec::new(),
            values: Vec::new(),
            openings: Vec::new(),
        };
        let mut known = Vec::new();
        for test in &clause.any {
            match test {
                Test::Tag { name, pattern } => check.values.push((name.clone(), pattern.clone())),
                Test::Site(pattern) if !has_sites => {
                    check.values.push(("Site".to_owned(), pattern.clone()))
                }
                Test::Moves(moves) => {
                    let opening = moves.parse::<Opening>();
                    let invalid =
                        |error| std::io::Error::new(std::io::ErrorKind::InvalidInput, error);
                    check.openings.push(opening.map_err(invalid)?);
                }
                test => known.push(test.clone()),
            }
        }
        if !known.is_empty() {
            let query = Query {
                all: vec![Clause::any(known)],
                maybe: false,
            };
            check.sure = self.with_index(threads, |index| {
                index.find_with(&query, threads).map(|found| found.games)
            })?;
        }
        Ok(check)
    }

    /// The games among `games` (from 0, ascending) that pass all checks. Each block is read once; a
    /// damaged block is skipped and added to `damage`.
    fn check(
        &self,
        checks: &[GameCheck],
        games: &[u32],
        threads: usize,
        damage: &mut Vec<Error>,
    ) -> Result<Vec<u32>, Error> {
        let mut rest = games;
        let mut passed = Vec::new();
        ordered(
            if games.len() < 1000 { 1 } else { threads },
            || {
                let Some(&first) = rest.first() else {
                    return Ok(None);
                };
                let Some(place) = self.place(u64::from(first))? else {
                    return Ok(None);
                };
                let end = place.before.saturating_add(place.games);
                let (here, more) =
                    rest.split_at(rest.partition_point(|&game| u64::from(game) < end));
                rest = more;
                let cost = self.cost(&place);
                Ok(Some(((place, here), cost)))
            },
            |(place, here)| (place, self.check_block(checks, &place, here)),
            |(place, found)| {
                match found {
                    Ok(mut found) => passed.append(&mut found),
                    Err(error) if self.passes_damage() => self.pass_over(&place, error)?,
                    Err(error @ Error::Damaged { .. }) => damage.push(error),
                    Err(error) => return Err(error),
                }
                if self.is_cancelled() {
                    Err(Error::Cancelled)
                } else {
                    Ok(())
                }
            },
        )?;
        Ok(passed)
    }

    fn check_block(
        &self,
        checks: &[GameCheck],
        place: &BlockPlace,
        wanted: &[u32],
    ) -> Result<Vec<u32>, Error> {
        // The moves are checked in the records of the whole block.
        let all = place.before..place.before.saturating_add(place.games);
        self.with_block(place, all, |games| {
            let mut left = wanted.to_vec();
            for check in checks.iter().filter(|check| check.values.is_empty()) {
                let played = check.played(place, games, &left)?;
                left.retain(|game| check.passes(*game, &played, None));
            }
            let checks: Vec<&GameCheck> = checks
                .iter()
                .filter(|check| !check.values.is_empty())
                .collect();
            let Some(&first) = left.first().filter(|_| !checks.is_empty()) else {
                return Ok(left);
            };
            let played = checks.iter().map(|check| check.played(place, games, &left));
            let played = played.collect::<Result<Vec<_>, Error>>()?;
            games.pass(u64::from(first).saturating_sub(place.before))?;
            let mut passed = Vec::new();
            for game in left {
                while games.number() != u64::from(game) + 1 {
                    if !games.next()? {
                        return Err(place.too_few());
                    }
                }
                if checks
                    .iter()
                    .zip(&played)
                    .all(|(check, played)| check.passes(game, played, Some(games)))
                {
                    passed.push(game);
                }
            }
            Ok(passed)
        })
    }
}

/// The query, with a clause on the number of plies added for each clause on moves: a game that
/// begins with N plies has at least N.
fn narrowed(query: &Query, has_sites: bool) -> Query {
    let mut query = query.clone();
    let least = |test: &Test| match test {
        Test::Moves(moves) => moves
            .parse::<Opening>()
            .ok()
            .and_then(|opening| u32::try_from(opening.plies()).ok()),
        _ => None,
    };
    let plies: Vec<Clause> = query
        .scan_clauses(has_sites)
        .filter(|clause| !clause.not)
        .filter_map(|clause| {
            clause
                .any
                .iter()
                .map(least)
                .collect::<Option<Vec<u32>>>()?
                .into_iter()
                .min()
        })
        .map(|least| Clause::any(vec![Test::Plies(least..=u32::MAX)]))
        .collect();
    query.all.extend(plies);
    query
}

/// A clause that must be checked against the games themselves.
struct GameCheck {
    not: bool,
    /// Games that match the clause according to the index.
    sure: Vec<u32>,
    /// Tag names, and the pattern for the value of each.
    values: Vec<(String, NamePattern)>,
    openings: Vec<Opening>,
}

impl GameCheck {
    /// The games of a block that begin with one of the openings.
    fn played(
        &self,
        place: &BlockPlace,
        games: &BlockGames<'_>,
        wanted: &[u32],
    ) -> Result<HashSet<u32>, Error> {
        let mut played = HashSet::new();
        if self.openings.is_empty() {
            return Ok(played);
        }
        let local = |game: u32| u32::try_from(u64::from(game) - place.before).unwrap_or(u32::MAX);
        let wanted: Vec<u32> = wanted.iter().copied().map(local).collect();
        let records = games.records();
        let mut found = Vec::new();
        for opening in &self.openings {
            found.clear();
            scan(opening, records, &wanted, &mut found).map_err(|error| Error::Damaged {
                offset: place.offset.saturating_add(error.offset),
                game: place.before.saturating_add(error.game),
                item: error.item,
                what: error.fault.to_string(),
            })?;
            played.extend(
                found
                    .iter()
                    .filter_map(|&game| u32::try_from(place.before + u64::from(game)).ok()),
            );
        }
        Ok(played)
    }

    /// Whether a game passes. `games` is positioned at the game if tag values must be checked.
    fn passes(&self, game: u32, played: &HashSet<u32>, games: Option<&BlockGames<'_>>) -> bool {
        let fits = played.contains(&game) || self.sure.binary_search(&game).is_ok() || {
            games.is_some_and(|games| {
                self.values.iter().any(|(name, pattern)| {
                    tag_of(games, name.as_bytes()).is_some_and(|value| pattern.matches(&value))
                })
            })
        };
        fits != self.not
    }
}

/// The first value of a tag of the current game, decoded as UTF-8 or else as Latin-1.
fn tag_of<'g>(games: &'g BlockGames<'_>, wanted: &[u8]) -> Option<Cow<'g, str>> {
    let value = games
        .game()
        .tags()
        .find(|tag| tag.0 == wanted)
        .map(|tag| tag.1);
    // A missing Site counts as the value `?`, as in an index.
    let value = value.or((wanted == b"Site").then_some(b"?"))?;
    Some(match decoded(value) {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..text.floor_char_boundary(MAX_VALUE)]),
        Cow::Owned(mut text) => {
            text.truncate(text.floor_char_boundary(MAX_VALUE));
            Cow::Owned(text)
        }
    })
}
