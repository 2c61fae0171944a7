//! Answers a query about one archive: first from the index, then from the games themselves.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::atomic::Ordering;

use crate::ask::check::{GameCheck, Hit, tag_of};
use crate::ask::line_walk::LineAnswer;
use crate::ask::lines::MainLine;
use crate::ask::names::add_tag_names;
use crate::ask::positions::Place;
use crate::games::walk::BlockGames;
use crate::open::Archive;
use crate::run::Error;
use crate::stream::walk::BlockPlace;
use pgc_block::small::stored::Needs;
use pgc_index::{Clause, Feature, Flags, Found, Query, Test, Window};
use pgc_pgn::text::decoded;

/// The answer to a query.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Answer {
    /// The games as numbered in the index, and further facts from it.
    pub found: Found,
    /// For a query about positions or moves: for each game, the number of plies before the first
    /// position that matches, or of the moves asked for. Else empty.
    pub plies: Vec<u32>,
    /// The number of games that had to be read, since the index does not answer the whole query.
    pub scanned: u64,
    /// The names of the tags of all games, if all were read for their tags.
    pub tag_names: Option<BTreeSet<String>>,
}

impl Answer {
    /// The numbers of the games, from 1, ascending: those for [`Archive::game`], unless games are
    /// lost in an archive that is opened with
    /// [`passes_damage`](crate::open::OpenOptions::passes_damage) and has no index.
    /// Then these numbers do not count the lost games, while `Archive::game` does: pass each
    /// number, less one, to [`Archive::number_of`].
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        self.found.games.iter().map(|&game| u64::from(game) + 1)
    }

    /// The games and their plies, 0 where the query asked for none.
    pub(super) fn hits(&self) -> impl Iterator<Item = Hit> {
        let plies = self.plies.iter().copied().chain(std::iter::repeat(0));
        let games = self.found.games.iter().zip(plies);
        games.map(|(&game, ply)| Hit { game, ply })
    }

    /// Adds the answer of another group of questions.
    fn join(&mut self, other: Answer) {
        let has_plies = !self.plies.is_empty() || !other.plies.is_empty();
        let mut all: Vec<Hit> = self.hits().chain(other.hits()).collect();
        all.sort_unstable();
        all.dedup_by_key(|hit| hit.game);
        let plies = all.iter().filter(|_| has_plies).map(|hit| hit.ply);
        self.plies = plies.collect();
        self.found.games = all.iter().map(|hit| hit.game).collect();
        self.found.could += other.found.could;
        for names in other.found.names {
            if !self.found.names.contains(&names) {
                self.found.names.push(names);
            }
        }
        self.scanned += other.scanned;
        self.tag_names = self.tag_names.take().or(other.tag_names);
    }

    /// Leaves out the games that are not among these, which ascend.
    pub fn keep_only(&mut self, among: &[u32]) {
        let is_kept = |game: &u32| among.binary_search(game).is_ok();
        let mut kept = self.found.games.iter().map(is_kept);
        self.plies.retain(|_| kept.next().unwrap_or(false));
        self.found.games.retain(is_kept);
    }
}

/// Fewer games than this are read, without asking the lines of the index.
const ASK_LINES: usize = 16;

/// The games of a block that pass all checks; and if a check asks for tags, the names of the tags of
/// the games that were read.
type BlockHits = (Vec<Hit>, Vec<Vec<u8>>);

impl Archive {
    /// Finds the games that match a query, with the index.
    ///
    /// If the archive has no usable index ([`Archive::index_state`] tells), a temporary one is made
    /// first, which means reading the whole archive. For tests that the index does not answer
    /// ([`Test::Tag`], [`Test::Nag`], [`Test::Comment`], [`Test::Time`], sometimes [`Test::Moves`],
    /// and questions about positions and moves), the games that match the rest of the query are
    /// read. Alternatives, sequences and variations are answered like the rest: the answer is that of
    /// `pgc find`, except that no file of aliases beside the archive is read
    /// ([`read_aliases`](crate::parts::read_aliases) adds one to a query).
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
    /// [`Error::Damaged`], [`Error::Io`], [`Error::Cancelled`].
    pub fn find(&self, query: &Query, threads: usize) -> Result<Answer, Error> {
        self.again_if_false(|| self.find_groups(query, threads))
    }

    fn find_groups(&self, query: &Query, threads: usize) -> Result<Answer, Error> {
        if query.or.is_empty() {
            return self.find_group(query, threads);
        }
        let ask = |maybe| -> Result<Answer, Error> {
            let mut all = Answer::default();
            for group in query.groups() {
                let group = Query {
                    maybe,
                    ..group.clone()
                };
                all.join(self.find_group(&group, threads)?);
            }
            Ok(all)
        };
        let mut answer = ask(query.maybe)?;
        if answer.found.could > 0 {
            // A game that could match in one group may be found in another.
            // The second answer can be that of another index, if the first one turned out to be false.
            let could = ask(true)?.found.games.len();
            answer.found.could = could.saturating_sub(answer.found.games.len()) as u64;
        }
        Ok(answer)
    }

    /// As [`Archive::find`], without the alternatives of the query.
    fn find_group(&self, query: &Query, threads: usize) -> Result<Answer, Error> {
        let indexed = match self.with_index(threads, |index| Ok(index.has_openings()))? {
            true => &by_openings(query.clone()),
            false => query,
        };
        let narrowed = narrowed(indexed);
        if self.proves && asks_for_play(query) {
            self.plays.store(true, Ordering::Relaxed);
        }
        let mut found = self.with_index(threads, |index| index.find_group(&narrowed, threads))?;
        let proven = self.proves && self.index().is_some();
        let mut checks = self.checks_of(if proven { query } else { indexed }, threads)?;
        let sources = query.all.iter().filter(|clause| clause.asks_for_source());
        let sources = sources.map(|of| Ok((of.not, self.games_of_sources(of, threads)?)));
        let sources = sources.collect::<Result<Vec<_>, Error>>()?;
        if checks.is_empty() && sources.is_empty() {
            return Ok(Answer {
                found,
                ..Answer::default()
            });
        }
        // Games that could match by their date are read too, if only to be counted.
        let mut games = std::mem::take(&mut found.games);
        let sure = (found.could > 0).then(|| games.clone());
        if sure.is_some() {
            let query = Query {
                maybe: true,
                ..narrowed
            };
            let could = self.with_index(threads, |index| index.find_group(&query, threads))?;
            games = could.games;
        }
        let fits = |game, (not, of): &(bool, Vec<Range<u64>>)| holds(of, game) != *not;
        games.retain(|&game| sources.iter().all(|source| fits(game, source)));
        if games.len() >= ASK_LINES {
            self.ask_lines(&mut checks, &games, threads)?;
        }
        let proves = self.proves && !checks.is_empty();
        let (mut hits, unread) = answered(&checks, &games, proves);
        let (mut passed, names) = self.check(&checks, &unread, threads)?;
        hits.append(&mut passed);
        hits.sort_unstable();
        let has_all_names =
            checks.iter().any(GameCheck::asks_for_tag) && unread.len() as u64 == self.len()?;
        let names = names.iter().map(|name| decoded(name).into_owned());
        if let Some(sure) = sure {
            let all = hits.len();
            hits.retain(|hit| sure.binary_search(&hit.game).is_ok());
            found.could = (all - hits.len()) as u64;
        }
        found.games = hits.iter().map(|hit| hit.game).collect();
        let has_plies = checks.iter().any(GameCheck::finds_positions);
        let plies = hits.iter().filter(|_| has_plies).map(|hit| hit.ply);
        Ok(Answer {
            found,
            plies: plies.collect(),
            // What is only read to prove an answer of the index does not count.
            scanned: match indexed.scan_clauses().next() {
                Some(_) => unread.len() as u64,
                None => 0,
            },
            tag_names: has_all_names.then(|| names.collect()),
        })
    }

    /// Asks the lines of the index what they know of these games.
    fn ask_lines(&self, checks: &mut [GameCheck], of: &[u32], threads: usize) -> Result<(), Error> {
        for check in checks {
            if let Some(question) = check.question() {
                let variations = check.goes_into_variations();
                check.known = self.with_index(threads, |index| {
                    LineAnswer::of(index, &question, of, variations, threads)
                })?;
            }
        }
        Ok(())
    }

    /// Reads the values of tags in games (from 0, in any order), once for all tags: for each tag a
    /// list with a value for each game; `None` if a game has no such tag, or is in a damaged block.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn tag_values(
        &self,
        games: &[u32],
        tags: &[&str],
        threads: usize,
    ) -> Result<Vec<Vec<Option<String>>>, Error> {
        let mut values = vec![vec![None; games.len()]; tags.len()];
        if tags.is_empty() {
            return Ok(values);
        }
        let of = |games: &mut BlockGames<'_>| {
            let found = tags.iter().map(|tag| tag_of(games, tag.as_bytes()));
            Ok(found.map(|value| value.map(Cow::into_owned)).collect())
        };
        self.each_of(games, Needs::Tags, threads, of, |at, found: Vec<_>| {
            for (values, value) in values.iter_mut().zip(found) {
                values[at] = value;
            }
            Ok(())
        })?;
        Ok(values)
    }

    /// Reads the sites of games (from 0, in any order) from the games; `?` in a damaged block.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn sites(&self, games: &[u32], threads: usize) -> Result<Vec<String>, Error> {
        let sites = self.tag_values(games, &["Site"], threads)?;
        let sites = sites.into_iter().flatten();
        let sites = sites.map(|site| site.unwrap_or_else(|| "?".to_owned()));
        Ok(sites.collect())
    }

    /// Prepares the clauses that the index cannot answer. Those that ask for a position become one
    /// check.
    fn checks_of(&self, query: &Query, threads: usize) -> Result<Vec<GameCheck>, Error> {
        let (positions, others): (Vec<&Clause>, Vec<&Clause>) = query
            .scan_clauses()
            .filter(|clause| !clause.asks_for_source())
            .partition(|clause| clause.asks_for_position());
        let mut checks = Vec::new();
        for clause in others {
            checks.push(self.check_of(clause, query, threads)?);
        }
        if !positions.is_empty() {
            let first = Place::of(positions.into_iter(), &query.window, None);
            let steps = query.then.iter();
            let later = steps.map(|step| Place::of(step.all.iter(), &step.window, step.within));
            checks.push(GameCheck {
                places: [first].into_iter().chain(later).collect(),
                ..GameCheck::default()
            });
        }
        Ok(checks)
    }

    /// The games of the sources that pass one of the clause's tests: ranges, from 0, ascending.
    fn games_of_sources(&self, clause: &Clause, threads: usize) -> Result<Vec<Range<u64>>, Error> {
        let passes = |name: Option<&str>| {
            let (Some(name), mut tests) = (name, clause.any.iter()) else {
                return false;
            };
            tests.any(|test| matches!(test, Test::Source(pattern) if pattern.matches(name)))
        };
        let (mut games, mut next) = (Vec::new(), 0);
        // A source whose head is damaged passes no test, but its games have numbers.
        self.each_segment(threads, |name, count| {
            let first = next;
            next += count;
            if passes(name) {
                games.push(first..next);
            }
            Ok(())
        })?;
        Ok(games)
    }

    /// Prepares the part of a clause that the index cannot answer.
    fn check_of(&self, clause: &Clause, query: &Query, threads: usize) -> Result<GameCheck, Error> {
        let mut check = GameCheck {
            not: clause.not,
            window: query.window.clone(),
            ..GameCheck::default()
        };
        let (mut known, mut asks_for_source) = (Vec::new(), false);
        for test in &clause.any {
            match test {
                Test::Tag { .. }
                | Test::Nag(_)
                | Test::Comment(_)
                | Test::Clock(..)
                | Test::EvalSwing(..)
                | Test::Time(_) => check.reads.push(test.clone()),
                Test::Moves(opening) => check.openings.push(opening.clone()),
                Test::Opening(name) => check.names.push(name.clone()),
                // All of the clause at once.
                test if test.is_place() => {
                    check.places = vec![Place::of([clause].into_iter(), &query.window, None)];
                }
                // Asked below, for all of the clause's sources at once.
                Test::Source(_) => asks_for_source = true,
                test => known.push(test.clone()),
            }
        }
        if asks_for_source {
            let games = self.games_of_sources(clause, threads)?.into_iter();
            let games = games.flatten().map(u32::try_from);
            check.sure.extend(games.filter_map(Result::ok));
        }
        if !known.is_empty() {
            let query = Query::new().and_one_of(known);
            let found = self.with_index(threads, |index| index.find_group(&query, threads))?;
            check.sure.extend(found.games);
        }
        check.sure.sort_unstable();
        Ok(check)
    }

    /// Checks these games (from 0, ascending).
    fn check(
        &self,
        checks: &[GameCheck],
        games: &[u32],
        threads: usize,
    ) -> Result<(Vec<Hit>, HashSet<Vec<u8>>), Error> {
        let (mut passed, mut names) = (Vec::new(), HashSet::new());
        self.over_blocks(
            games,
            threads,
            |place, range| self.check_block(checks, place, &games[range]),
            |(mut found, of_block)| {
                names.extend(of_block);
                passed.append(&mut found);
                Ok(())
            },
        )?;
        Ok((passed, names))
    }

    fn check_block(
        &self,
        checks: &[GameCheck],
        place: &BlockPlace,
        wanted: &[u32],
    ) -> Result<BlockHits, Error> {
        let mut left: Vec<Hit> = wanted.iter().map(|&game| Hit { game, ply: 0 }).collect();
        for check in checks.iter().filter(|check| check.reads.is_empty()) {
            let games: Vec<u32> = left.iter().map(|hit| hit.game).collect();
            let (mut search, mut plies) = (check.search(), vec![None; games.len()]);
            if check.asks_for_moves() {
                let question = check.question();
                let extent = check.extent(question.as_ref());
                self.each_main_line(place, &games, extent, &mut |at, line| {
                    plies[at] = search.ply_of(line);
                })?;
            }
            let mut plies = plies.into_iter();
            left.retain_mut(|left| {
                let at = check.passes(left.game, plies.next().flatten(), None);
                left.ply = at.filter(|_| check.finds_positions()).unwrap_or(left.ply);
                at.is_some()
            });
        }
        let reading = checks.iter().filter(|check| !check.reads.is_empty());
        self.read_block(&reading.collect::<Vec<_>>(), place, left)
    }

    /// The hits that pass checks for which games must be read as a whole.
    fn read_block(
        &self,
        checks: &[&GameCheck],
        place: &BlockPlace,
        hits: Vec<Hit>,
    ) -> Result<BlockHits, Error> {
        let ([_, ..], Some(first), Some(last)) = (checks, hits.first(), hits.last()) else {
            return Ok((hits, Vec::new()));
        };
        let with_names = checks.iter().any(|check| check.asks_for_tag());
        let first = u64::from(first.game);
        let range = first..u64::from(last.game) + 1;
        let read = |games: &mut BlockGames<'_>| {
            let wanted: Vec<u32> = hits.iter().map(|hit| hit.game).collect();
            let mut searches: Vec<_> = checks.iter().map(|check| check.search()).collect();
            let (mut passed, mut names) = (Vec::new(), Vec::new());
            games.visit(&wanted, |at, games| {
                if with_names {
                    add_tag_names(games, &mut names);
                }
                let mut hit = hits[at];
                let mut checks = checks.iter().zip(&mut searches);
                if checks.all(|(check, search)| {
                    let has_line = check.asks_for_moves() && !games.game().is_text();
                    let line = has_line.then(|| MainLine::new(games.game(), check.extent(None)));
                    let found = line.and_then(|line| search.ply_of(&line));
                    let at = check.passes(hit.game, found, Some(games));
                    // The ply of a position comes before that of a clock.
                    if hit.ply == 0 && check.finds_positions() {
                        hit.ply = at.unwrap_or(0);
                    }
                    at.is_some()
                }) {
                    passed.push(hit);
                }
                Ok(())
            })?;
            Ok((passed, names))
        };
        let needs = checks.iter().map(|check| check.needs());
        let needs = needs.fold(Needs::Tags, Needs::and);
        self.with_block(place, range, needs, read)
    }
}

/// Of the `games`, those that are known to pass, and those that must be read: with `proves` all
/// that are not known to fail.
fn answered(checks: &[GameCheck], games: &[u32], proves: bool) -> (Vec<Hit>, Vec<u32>) {
    let (mut hits, mut unread) = (Vec::new(), Vec::new());
    for &game in games {
        let (mut ply, mut passes) = (0, Some(true));
        for check in checks {
            match check.verdict(game) {
                Some((false, _)) => {
                    passes = Some(false);
                    break;
                }
                Some((true, at)) if check.finds_positions() => ply = at,
                Some((true, _)) => {}
                None => passes = None,
            }
        }
        match passes {
            Some(true) if !proves => hits.push(Hit { game, ply }),
            Some(false) => {}
            _ => unread.push(game),
        }
    }
    (hits, unread)
}

/// Whether one of these ranges, which ascend, has a game.
fn holds(ranges: &[Range<u64>], game: u32) -> bool {
    let game = u64::from(game);
    let behind = ranges.partition_point(|games| games.start <= game);
    ranges[..behind]
        .last()
        .is_some_and(|games| games.contains(&game))
}

/// For a clause that asks for positions: what the material at the end must be.
fn possible_ends(clause: &Clause, window: &Window) -> Option<Vec<Test>> {
    let mut ends = Vec::new();
    for test in clause.any.iter().filter(|_| !clause.not) {
        let Test::Position(board) = test else {
            return None;
        };
        ends.push(Test::MayPrecede(board.clone()));
        if window.seen.flip {
            ends.push(Test::MayPrecede(board.seen(window.seen)));
        }
    }
    (!ends.is_empty()).then_some(ends)
}

/// Whether a query asks for what an index knows by playing the games.
fn asks_for_play(query: &Query) -> bool {
    let mut tests = query.all.iter().flat_map(|clause| &clause.any);
    tests.any(|test| match test {
        Test::Ending(_) => true,
        Test::Has(feature) => Flags::from_bits(*feature as u32).unplayed() == Flags::default(),
        _ => false,
    })
}

/// The query with the openings of the index, if it has those of the list of this build.
fn by_openings(mut query: Query) -> Query {
    for test in query.all.iter_mut().flat_map(|clause| &mut clause.any) {
        if let Test::Opening(name) = test {
            *test = Test::IndexedOpening(name.clone());
        }
    }
    query
}

/// The query, with clauses added that the index can answer: a least number of plies for each clause
/// on moves or positions, and "has NAGs" or "has comments" for each clause on one.
fn narrowed(query: &Query) -> Query {
    let mut query = query.clone();
    let in_variations = query.goes_into_variations();
    // What is known of the main line says nothing of variations.
    let or_variations = |mut any: Vec<Test>| {
        any.extend(in_variations.then_some(Test::Has(Feature::Variations)));
        Clause::any(any)
    };
    let (first, lasting) = (*query.window.plies.start(), query.window.lasting);
    let last = first.saturating_add(lasting.saturating_sub(1));
    let least = |test: &Test| match test {
        Test::Moves(opening) => u32::try_from(opening.plies()).ok(),
        Test::Position(_) | Test::Repeated(_) | Test::MaterialChange(_) => Some(last),
        // The first move leads to position 1.
        Test::Move(_) => Some(last.max(lasting)),
        _ => None,
    };
    let plies: Vec<Clause> = query
        .scan_clauses()
        .filter(|clause| !clause.not)
        // The least of all is `None` if one test says nothing.
        .filter_map(|clause| clause.any.iter().map(least).min()?)
        .filter(|&least| least > 0)
        .map(|least| or_variations(vec![Test::Plies(least..=u32::MAX)]))
        .collect();
    let feature = |test: &Test| match test {
        Test::Nag(_) => Some(Test::Has(Feature::Nags)),
        Test::Comment(_) | Test::Clock(..) | Test::EvalSwing(..) => {
            Some(Test::Has(Feature::Comments))
        }
        _ => None,
    };
    let features = |clause: &Clause| clause.any.iter().map(feature).collect::<Option<Vec<_>>>();
    let asked = query.all.iter().filter(|clause| !clause.not);
    let features: Vec<Clause> = asked.filter_map(features).map(Clause::any).collect();
    let steps = query.then.iter();
    let steps = steps.flat_map(|step| step.all.iter().map(|clause| (clause, &step.window)));
    let places = query.scan_clauses().map(|clause| (clause, &query.window));
    let ends = places.chain(steps);
    let ends: Vec<Clause> = ends
        .filter_map(|(clause, window)| possible_ends(clause, window))
        .map(or_variations)
        .collect();
    query.all.extend([plies, features, ends].concat());
    query
}
