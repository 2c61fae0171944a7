//! Tests games against the clauses of a query, column by column, some thousand games at a time.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use super::aliases::Life;
use super::dates::Fit;
use super::eco::EcoRange;
use super::query::EloField;
use crate::format::flags::Flags;
use crate::format::layout::{IndexError, kind};
use crate::read::view::View;
use pgc_chess::Rules;
use pgc_io::threads;
use pgc_pgn::writer::Termination;

/// The number of games tested together.
const BATCH: u32 = 4096;
/// The number of games that a thread takes at once.
const PORTION: u32 = 16 * BATCH;

/// A set of numbers below a limit: a bit for each.
#[derive(Clone, Debug, Default)]
pub struct BitSet(pub(super) Vec<u64>);

impl BitSet {
    /// The set of these numbers; one that is not below the limit is left out.
    pub fn new(limit: u32, numbers: &[u32]) -> BitSet {
        let mut set = BitSet(vec![0; limit.div_ceil(64) as usize]);
        numbers.iter().for_each(|&number| set.put(number));
        set
    }

    pub(super) fn put(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word |= 1 << (number % 64);
        }
    }

    /// Whether the set has a number.
    #[inline]
    pub fn has(&self, number: u32) -> bool {
        let word = self.0.get(number as usize / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub(super) fn ascending(&self) -> Vec<u32> {
        let mut numbers = Vec::new();
        for (first, &word) in (0..).step_by(64).zip(&self.0) {
            let mut word = word;
            while word != 0 {
                numbers.push(first + word.trailing_zeros());
                word &= word - 1;
            }
        }
        numbers
    }
}

/// A set of values of a table, by position.
#[derive(Clone, Debug, Default)]
pub(super) struct Ids {
    /// Ascending.
    pub(super) list: Vec<u32>,
    /// Those in the list.
    pub(super) bits: BitSet,
    /// Sum of the numbers of games of the values.
    pub(super) games: u64,
    /// What is known of the lives of people that values name, and these values.
    pub(super) lives: BTreeMap<Life, Vec<u32>>,
}

impl Ids {
    pub(super) fn new(values: u32, list: Vec<u32>) -> Ids {
        Ids {
            bits: BitSet::new(values, &list),
            list,
            ..Ids::default()
        }
    }
}

/// A [`super::query::Test`] with its names looked up in the tables.
pub(super) enum IndexTest {
    /// How well each date of the list fits.
    Date(Vec<Fit>),
    /// The value of this column is one of these values.
    Id(u32, Ids),
    Player(Ids),
    /// The game passes the test, and none of these players lived only before it was played or behind
    /// it: for each date of the list whether it is excluded.
    Lived(Box<IndexTest>, Vec<(Ids, Vec<bool>)>),
    Pairing(Ids, Ids),
    /// The flags pass.
    Flags(Box<FlagsTest>),
    /// The material at the end is one of these values, or the game is not one of chess.
    MayPrecede(Ids),
    /// One of these players won; with `false`, lost.
    Decided(Ids, bool),
    /// The rating of the opponent of one of these players; `None`: it is unknown.
    OpponentElo(Ids, Option<RangeInclusive<u32>>),
    Eco(EcoRange),
    /// How well each rating from 0 on fits; those beyond the list do not. Of an average or a
    /// difference, it is unknown if one of the two is.
    Rating(EloField, Vec<Fit>),
    /// The average or the difference of the ratings.
    Elo(EloField, RangeInclusive<u32>),
    Plies(RangeInclusive<u32>),
}

/// Improves the verdicts on games with these flags.
type FlagsTest = dyn Fn(&[u32], &mut [Fit]) + Send + Sync;

/// A [`super::query::Clause`] with its names looked up in the tables.
pub(super) struct CheckedClause {
    pub(super) not: bool,
    pub(super) any: Vec<IndexTest>,
}

/// The games that match all clauses, and the number of further games that could. `candidates`, in
/// ascending order, are all that may match; `None`: any game may.
pub(super) fn run(
    view: View<'_>,
    clauses: &[&CheckedClause],
    candidates: Option<&[u32]>,
    maybe: bool,
    threads: usize,
) -> Result<(Vec<u32>, u64), IndexError> {
    if clauses.is_empty() {
        let all = || (0..view.games()).collect();
        return Ok((candidates.map_or_else(all, <[u32]>::to_vec), 0));
    }
    let count = match candidates {
        Some(games) => u32::try_from(games.len()).unwrap_or(u32::MAX),
        None => view.games(),
    };
    let portions = (0..count).step_by(PORTION as usize);
    let portions = portions.map(|from| from..count.min(from.saturating_add(PORTION)));
    let portions: Vec<Range<u32>> = portions.collect();
    let search = |portion: &Range<u32>| {
        let mut search = Search {
            view,
            games: Vec::new(),
            fits: Vec::new(),
            verdicts: Vec::new(),
            range: None,
            columns: Vec::new(),
        };
        let mut found = (Vec::new(), 0);
        for from in portion.clone().step_by(BATCH as usize) {
            let places = from..portion.end.min(from.saturating_add(BATCH));
            search.begin(candidates, places);
            search.look(clauses)?;
            search.put(maybe, &mut found);
        }
        Ok::<_, IndexError>(found)
    };
    let mut all = (Vec::new(), 0);
    threads::in_order(&portions, threads, search, |(games, could)| {
        all.0.extend(games);
        all.1 += could;
    })?;
    Ok(all)
}

/// Tests games, a batch at a time; keeps its buffers from one batch to the next.
struct Search<'a> {
    view: View<'a>,
    /// The games of the batch.
    games: Vec<u32>,
    /// How well each of them fits all clauses so far, and the current one.
    fits: Vec<Fit>,
    verdicts: Vec<Fit>,
    /// Set if the batch is a range of games.
    range: Option<Range<u32>>,
    /// The columns read so far: kind, whether the integers are of the current games, integers.
    columns: Vec<(u32, bool, Vec<u32>)>,
}

impl Search<'_> {
    /// Tests the games of the batch against the clauses.
    fn look(&mut self, clauses: &[&CheckedClause]) -> Result<(), IndexError> {
        for clause in clauses {
            self.verdicts.clear();
            self.verdicts.resize(self.games.len(), Fit::No);
            for check in &clause.any {
                self.check(check)?;
            }
            // Loops that do one thing each are compiled to one for many games at once.
            if clause.not {
                for verdict in &mut self.verdicts {
                    *verdict = verdict.inverted();
                }
            }
            for (fit, &verdict) in self.fits.iter_mut().zip(&self.verdicts) {
                *fit = (*fit).min(verdict);
            }
            let left = self.fits.chunks(usize::from(u8::MAX)).map(|fits| {
                // Sums of bytes: many at once.
                let left: u8 = fits.iter().map(|&fit| u8::from(fit != Fit::No)).sum();
                usize::from(left)
            });
            let left = left.sum::<usize>();
            if left < self.games.len() / 4 {
                self.shrink();
            }
            if left == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Adds the games of the batch that fit, and the number of further ones that could.
    fn put(&self, maybe: bool, (games, could): &mut (Vec<u32>, u64)) {
        if self.fits.iter().all(|&fit| fit == Fit::Certain) {
            return games.extend_from_slice(&self.games);
        }
        for (&game, &fit) in self.games.iter().zip(&self.fits) {
            match fit {
                Fit::Certain => games.push(game),
                Fit::Could if maybe => games.push(game),
                Fit::Could => *could += 1,
                Fit::No => {}
            }
        }
        debug_assert!(self.games.iter().all(|&game| game < self.view.games()));
    }

    /// Takes the candidates at these places, or the games with these numbers if all are candidates.
    fn begin(&mut self, candidates: Option<&[u32]>, places: Range<u32>) {
        self.games.clear();
        match candidates {
            Some(games) => {
                let places = places.start as usize..places.end as usize;
                self.games.extend_from_slice(&games[places]);
            }
            None => self.games.extend(places.clone()),
        }
        self.range = candidates.is_none().then_some(places);
        self.fits.clear();
        self.fits.resize(self.games.len(), Fit::Certain);
        self.columns.iter_mut().for_each(|column| column.1 = false);
    }

    /// Removes the games that do not fit.
    fn shrink(&mut self) {
        let mut fits = self.fits.iter().map(|&fit| fit != Fit::No);
        self.games.retain(|_| fits.next().unwrap_or(false));
        self.fits.retain(|&fit| fit != Fit::No);
        self.range = None;
        self.columns.iter_mut().for_each(|column| column.1 = false);
    }

    /// Reads a column unless it has been read; returns its position in `columns`.
    fn load(&mut self, kind: u32) -> Result<usize, IndexError> {
        let place = match self.columns.iter().position(|column| column.0 == kind) {
            Some(place) => place,
            None => {
                self.columns.push((kind, false, Vec::new()));
                self.columns.len() - 1
            }
        };
        let (_, is_read, integers) = &mut self.columns[place];
        if !*is_read {
            let column = self.view.column(kind)?;
            match &self.range {
                Some(range) => column.range(range.start, range.end, integers)?,
                None => column.gather(&self.games, integers)?,
            }
            *is_read = true;
        }
        Ok(place)
    }

    /// Improves the verdicts by how well games fit by one column.
    fn one<F: Into<Fit>>(
        &mut self,
        kind: u32,
        mut fit: impl FnMut(u32) -> F,
    ) -> Result<(), IndexError> {
        let place = self.load(kind)?;
        for (verdict, &integer) in self.verdicts.iter_mut().zip(&self.columns[place].2) {
            *verdict = (*verdict).max(fit(integer).into());
        }
        Ok(())
    }

    /// Improves the verdicts by how well games fit by two columns.
    fn two<F: Into<Fit>>(
        &mut self,
        kinds: [u32; 2],
        mut fit: impl FnMut(u32, u32) -> F,
    ) -> Result<(), IndexError> {
        let (a, b) = (self.load(kinds[0])?, self.load(kinds[1])?);
        let columns = self.columns[a].2.iter().zip(&self.columns[b].2);
        for (verdict, (&a, &b)) in self.verdicts.iter_mut().zip(columns) {
            *verdict = (*verdict).max(fit(a, b).into());
        }
        Ok(())
    }

    fn check(&mut self, check: &IndexTest) -> Result<(), IndexError> {
        // Set if a column holds a position outside the table.
        let mut wrong = false;
        let mut has = |ids: &Ids, id: u32| {
            let word = ids.bits.0.get(id as usize / 64);
            wrong |= word.is_none();
            word.copied().unwrap_or(0) >> (id % 64) & 1 == 1
        };
        let players = [kind::WHITE, kind::BLACK];
        match check {
            IndexTest::Date(fits) => self.one(kind::DATE, |place| {
                let fit = fits.get(place as usize);
                wrong |= fit.is_none();
                fit.copied().unwrap_or(Fit::No)
            })?,
            IndexTest::Id(column, ids) => match ids.list.as_slice() {
                [] => {}
                &[only] => self.one(*column, |id| id == only)?,
                _ => self.one(*column, |id| has(ids, id))?,
            },
            IndexTest::Player(ids) => match ids.list.as_slice() {
                [] => {}
                &[only] => self.two(players, |white, black| white == only || black == only)?,
                _ => self.two(players, |white, black| has(ids, white) | has(ids, black))?,
            },
            IndexTest::Lived(test, lives) => {
                let kept = std::mem::replace(&mut self.verdicts, vec![Fit::No; self.games.len()]);
                self.check(test)?;
                let mut excluded = vec![false; kept.len()];
                for (ids, dates) in lives {
                    for player in players {
                        let (date, player) = (self.load(kind::DATE)?, self.load(player)?);
                        let columns = self.columns[date].2.iter().zip(&self.columns[player].2);
                        for (excluded, (&date, &player)) in excluded.iter_mut().zip(columns) {
                            *excluded |=
                                dates.get(date as usize) == Some(&true) && has(ids, player);
                        }
                    }
                }
                let verdicts = self.verdicts.iter_mut().zip(excluded);
                for ((verdict, excluded), kept) in verdicts.zip(kept) {
                    *verdict = kept.max(if excluded { Fit::No } else { *verdict });
                }
            }
            IndexTest::Pairing(first, second)
                if first.list.is_empty() || second.list.is_empty() => {}
            IndexTest::Pairing(first, second) => self.two(players, |white, black| {
                (has(first, white) & has(second, black)) | (has(second, white) & has(first, black))
            })?,
            IndexTest::Flags(improve) => {
                let place = self.load(kind::FLAGS)?;
                improve(&self.columns[place].2, &mut self.verdicts);
            }
            IndexTest::MayPrecede(ids) => {
                self.two([kind::MATERIAL, kind::FLAGS], |material, flags| {
                    let rules = Flags::from_bits(flags).rules();
                    let is_chess = matches!(rules, Some(Rules::Chess | Rules::Chess960));
                    has(ids, material) || !is_chess
                })?
            }
            IndexTest::Decided(ids, won) => {
                let results = match won {
                    true => [Termination::WhiteWins, Termination::BlackWins],
                    false => [Termination::BlackWins, Termination::WhiteWins],
                };
                for (player, result) in players.into_iter().zip(results) {
                    self.two([kind::FLAGS, player], |flags, id| {
                        Flags::from_bits(flags).result() == result && has(ids, id)
                    })?;
                }
            }
            IndexTest::OpponentElo(ids, range) => {
                for (player, elo) in players.into_iter().zip(ELOS.into_iter().rev()) {
                    self.two([player, elo], |player, elo| match range {
                        _ if !has(ids, player) => Fit::No,
                        Some(range) => rating_fit(range, elo),
                        None => Fit::from(elo == 0),
                    })?;
                }
            }
            IndexTest::Eco(range) => self.one(kind::ECO, |eco| range.contains(eco))?,
            IndexTest::Plies(range) => self.one(kind::PLIES, |plies| range.contains(&plies))?,
            IndexTest::Rating(field, fits) => {
                let fit = |elo: u32| fits.get(elo as usize).copied().unwrap_or(Fit::No);
                match field {
                    EloField::White => self.one(kind::WHITE_ELO, fit)?,
                    EloField::Black => self.one(kind::BLACK_ELO, fit)?,
                    EloField::Each => self.two(ELOS, |a, b| fit(a).min(fit(b)))?,
                    EloField::Any | EloField::Average | EloField::Difference => {
                        self.two(ELOS, |a, b| fit(a).max(fit(b)))?
                    }
                }
            }
            IndexTest::Elo(field, range) => {
                self.two(ELOS, |white, black| elo_fit(*field, range, white, black))?
            }
        }
        if wrong {
            return Err(self.view.damaged(kind::EVENT, "number of a value"));
        }
        Ok(())
    }
}

/// The columns of ratings, and the highest one that they hold.
const ELOS: [u32; 2] = [kind::WHITE_ELO, kind::BLACK_ELO];
const HIGHEST: u32 = u16::MAX as u32;

/// How well a rating fits a range. One of 0 is unknown: it could be any, so it never fits for
/// certain.
fn rating_fit(range: &RangeInclusive<u32>, elo: u32) -> Fit {
    match elo {
        0 if *range.start() <= HIGHEST && *range.end() > 0 => Fit::Could,
        elo => Fit::from(elo > 0 && range.contains(&elo)),
    }
}

/// The fit of each rating, up to the last that fits.
pub(super) fn rating_fits(range: &RangeInclusive<u32>) -> Vec<Fit> {
    let all = 0..=HIGHEST.min(*range.end());
    all.map(|elo| rating_fit(range, elo)).collect()
}

/// How well the average of two ratings, or else their difference, fits a range.
#[inline(always)]
fn elo_fit(field: EloField, range: &RangeInclusive<u32>, white: u32, black: u32) -> Fit {
    let knows_both = white != 0 && black != 0;
    // The bounds of a rating.
    let span = |elo: u32| if elo == 0 { (1, HIGHEST) } else { (elo, elo) };
    let (white, black) = (span(white), span(black));
    // `from` and `to` bound the tested number; every number between is possible.
    let fit = |(from, to): (u32, u32), range: &RangeInclusive<u32>| {
        if knows_both && *range.start() <= from && to <= *range.end() {
            Fit::Certain
        } else if from <= *range.end() && *range.start() <= to {
            Fit::Could
        } else {
            Fit::No
        }
    };
    if field == EloField::Average {
        // The sum is compared with twice the range, so that half points count.
        let twice = range.start().saturating_mul(2)..=range.end().saturating_mul(2);
        return fit((white.0 + black.0, white.1 + black.1), &twice);
    }
    let gap = |low: (u32, u32), high: (u32, u32)| high.0.saturating_sub(low.1);
    let least = gap(white, black).max(gap(black, white));
    let most = white.1.abs_diff(black.0).max(black.1.abs_diff(white.0));
    fit((least, most), range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_elo_that_is_not_known_could_be_any() {
        let each = |range: RangeInclusive<u32>, white: usize, black: usize| {
            let fits = rating_fits(&range);
            let fit = |elo: usize| fits.get(elo).copied().unwrap_or(Fit::No);
            for elo in [white, black] {
                assert_eq!(fit(elo), rating_fit(&range, u32::try_from(elo).unwrap()));
            }
            fit(white).min(fit(black))
        };
        assert_eq!(each(2600..=2800, 2700, 2650), Fit::Certain);
        assert_eq!(each(2600..=2800, 2700, 0), Fit::Could);
        assert_eq!(each(2600..=2800, 2500, 0), Fit::No);
        assert_eq!(rating_fit(&(2600..=2800), 0), Fit::Could);
        // What is not known is not known to be in any range.
        assert_eq!(rating_fit(&(1..=65_535), 0), Fit::Could);
        assert_eq!(rating_fit(&(65_536..=u32::MAX), 0), Fit::No);
        assert_eq!(rating_fit(&(0..=0), 0), Fit::No);
        assert_eq!(
            elo_fit(EloField::Average, &(1200..=u32::MAX), 2700, 0),
            Fit::Could
        );
        assert_eq!(
            elo_fit(EloField::Difference, &(0..=u32::MAX), 2700, 0),
            Fit::Could
        );
        // An average of 1 cannot be reached by a player of 2700, one of 2800 can.
        let average = |range, white, black| elo_fit(EloField::Average, &range, white, black);
        assert_eq!(
            [average(1..=1, 2700, 0), average(2800..=2800, 2700, 0)],
            [Fit::No, Fit::Could]
        );
        assert_eq!(
            [
                average(2400..=2500, 2400, 2601),
                average(2400..=2500, 2400, 2600)
            ],
            [Fit::No, Fit::Certain]
        );
        let difference = |range, white, black| elo_fit(EloField::Difference, &range, white, black);
        assert_eq!(
            [difference(400..=500, 2700, 0), difference(400..=500, 0, 0)],
            [Fit::Could, Fit::Could]
        );
        assert_eq!(
            [
                difference(400..=500, 2700, 2250),
                difference(400..=500, 2250, 2700)
            ],
            [Fit::Certain; 2]
        );
        assert_eq!(difference(400..=500, 2700, 2600), Fit::No);
    }
}
