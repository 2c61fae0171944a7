//! A rating list: strengths by maximum likelihood in the model of Bradley and Terry, with draws as
//! half points and an advantage of White.

use std::collections::{HashMap, HashSet};
use std::f64::consts::LN_10;
use std::mem::replace;

use serde::Serialize;

use super::{Played, Scores, StandingsError, normal};

/// Points of Elo in a unit of strength, a natural logarithm.
const ELO: f64 = 400.0 / LN_10;

/// What is known of White's advantage beforehand: 0 points of Elo, give or take 200. So it stays
/// finite if White won all games. This is 1 / (200 / [`ELO`])².
const PRIOR: f64 = 0.754;

/// The chance of all results that a bound leaves where the other side is open.
const CHANCE: f64 = 0.025;

/// The normal distribution has 95 % within so many standard deviations.
const DEVIATIONS: f64 = 1.96;

/// More players are too many for a matrix.
const MOST_RATED: usize = 2000;

/// A game of two players of a group, by their places in it.
struct Game {
    white: usize,
    black: usize,
    /// White's.
    points: f64,
    round: u32,
}

impl Game {
    /// What the two games of a pair have in common.
    fn pair(&self) -> (usize, usize, u32) {
        let (white, black) = (self.white, self.black);
        (white.min(black), white.max(black), self.round)
    }
}

/// How strong the players of a group are.
struct Fit {
    /// In the order of the pairs.
    games: Vec<Game>,
    /// Behind those of the players White's advantage; the average of the players is 0.
    strengths: Vec<f64>,
    /// The covariances of these if there were no draws, with a constant in those of players.
    covariances: Vec<Vec<f64>>,
    /// How the variance compares with this: see [`Fit::dispersion`].
    dispersion: f64,
    /// The place of a player in the group, and the rating; otherwise the average is 0.
    anchor: Option<(usize, f64)>,
}

impl Fit {
    /// The most likely strengths, by Newton's method.
    fn new(mut games: Vec<Game>, players: usize) -> Fit {
        games.sort_by_key(Game::pair);
        let zeros = vec![0.0; players + 1];
        let mut fit = Fit {
            games,
            strengths: zeros.clone(),
            covariances: Vec::new(),
            dispersion: 1.0,
            anchor: None,
        };
        for _ in 0..100 {
            // A constant in the cells of players makes the matrix positive definite and keeps their average.
            let mut information = vec![vec![1.0; players + 1]; players + 1];
            information.iter_mut().for_each(|row| row[players] = 0.0);
            information[players].clone_from(&zeros);
            information[players][players] = PRIOR;
            let mut rest = zeros.clone();
            rest[players] = -PRIOR * fit.strengths[players];
            for game in &fit.games {
                let (error, variance) = fit.error(game);
                let parts = [(game.white, 1.0), (game.black, -1.0), (players, 1.0)];
                for (a, sign) in parts {
                    rest[a] += sign * error;
                    for (b, other) in parts {
                        information[a][b] += sign * other * variance;
                    }
                }
            }
            invert(&mut information);
            fit.covariances = information;
            let dot = |row: &Vec<f64>| row.iter().zip(&rest).map(|(a, b)| a * b).sum();
            let step: Vec<f64> = fit.covariances.iter().map(dot).collect();
            let largest = step.iter().copied().map(f64::abs).fold(0.0, f64::max);
            for (strength, part) in fit.strengths.iter_mut().zip(step) {
                *strength += part * (2.0 / largest).min(1.0);
            }
            if largest < 1e-6 {
                break;
            }
        }
        fit
    }

    /// By how much White's score exceeds what was expected, and the variance if there were no draws.
    fn error(&self, game: &Game) -> (f64, f64) {
        let advantage = self.strengths[self.strengths.len() - 1];
        let behind = self.strengths[game.black] - self.strengths[game.white] - advantage;
        let expected = 1.0 / (1.0 + behind.exp());
        (game.points - expected, expected * (1.0 - expected))
    }

    /// How the squares of the errors compare with those of games without draws. Mostly they are less,
    /// since there are draws, and less still in pairs of games with colours reversed, where an opening
    /// favours each player once. Also the number of pairs, and of other games.
    fn dispersion(&self) -> (f64, [usize; 2]) {
        let (mut squares, mut variance, mut units) = (0.0, 0.0, [0_usize; 2]);
        for games in self.games.chunk_by(|a, b| a.pair() == b.pair()) {
            let is_pair = matches!(games, [a, b] if a.round > 0 && a.white != b.white);
            for unit in games.chunks(1 + usize::from(is_pair)) {
                let mut sum: f64 = 0.0;
                for game in unit {
                    let (error, of_game) = self.error(game);
                    sum += match game.white == unit[0].white {
                        true => error,
                        false => -error,
                    };
                    variance += of_game;
                }
                squares += sum.powi(2);
                units[usize::from(!is_pair)] += 1;
            }
        }
        let count = units[0] + units[1];
        // As many parameters are fitted as there are players: White's advantage is one, but the average
        // strength is none. If all went as expected: as if a half point had not.
        let free = count.saturating_sub(self.strengths.len() - 1);
        let dispersion = squares.max(0.25) / variance * count as f64 / free as f64;
        (if free > 0 { dispersion } else { 1.0 }, units)
    }

    fn variance_between(&self, a: usize, b: usize) -> f64 {
        let of = |a: usize, b: usize| self.covariances[a][b];
        of(a, a) + of(b, b) - 2.0 * of(a, b)
    }

    fn elo(&self, strength: f64) -> f64 {
        let anchor = self.anchor.map(|(at, elo)| (self.strengths[at], elo));
        let (zero, shift) = anchor.unwrap_or_default();
        shift + ELO * (strength - zero)
    }

    fn deviation(&self, variance: f64) -> f64 {
        (self.dispersion * variance.max(0.0)).sqrt()
    }

    /// The error of a rating, on each side, in points of Elo.
    fn bounds(&self, variance: f64) -> f64 {
        DEVIATIONS * ELO * self.deviation(variance)
    }

    fn error_of(&self, at: usize) -> f64 {
        let count = self.strengths.len() - 1;
        self.bounds(match self.anchor {
            Some((anchor, _)) => self.variance_between(at, anchor),
            None => self.covariances[at][at] - 1.0 / (count * count) as f64,
        })
    }

    /// The rating with which all wins, or all losses, against these have a chance of 2.5 %, as if each
    /// were as strong as they are on average.
    fn bound(&self, opponents: &[usize], sign: f64) -> f64 {
        let games = opponents.len() as f64;
        let sum: f64 = opponents.iter().map(|&at| self.strengths[at]).sum();
        let share = CHANCE.powf(1.0 / games);
        self.elo(sum / games + sign * (share / (1.0 - share)).ln())
    }

    /// The likelihood that a player is stronger than the next one.
    fn superiority(&self, at: usize, next: usize) -> f64 {
        let ahead = self.strengths[at] - self.strengths[next];
        normal(ahead / self.deviation(self.variance_between(at, next)))
    }
}

/// Inverts a positive definite matrix, by elimination.
fn invert(rows: &mut [Vec<f64>]) {
    for n in 0..rows.len() {
        let pivot = replace(&mut rows[n][n], 1.0);
        rows[n].iter_mut().for_each(|cell| *cell /= pivot);
        let row = rows[n].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|(m, _)| *m != n) {
            let factor = replace(&mut other[n], 0.0);
            let cells = other.iter_mut().zip(&row);
            cells.for_each(|(cell, part)| *cell -= factor * part);
        }
    }
}

impl Scores {
    /// The games of a player that were played, with the opponents.
    fn met(&self, player: usize) -> impl Iterator<Item = (usize, &Played)> {
        let games = self.players[player].games.iter();
        let games = games.filter(|game| game.is_played);
        games.filter_map(|game| Some((game.opponent?, game)))
    }

    /// Those whom a player reaches by way of such games.
    fn reached(&self, start: usize, is_way: impl Fn(usize, u8) -> bool) -> HashSet<usize> {
        let (mut found, mut next) = (HashSet::from([start]), vec![start]);
        while let Some(player) = next.pop() {
            let met = self.met(player);
            let ways = met.filter_map(|(to, game)| is_way(to, game.half_points).then_some(to));
            next.extend(ways.filter(|to| found.insert(*to)));
        }
        found
    }

    /// The largest set of players in which each has points from each other, if only by way of others:
    /// only then there are most likely strengths.
    fn comparable(&self) -> Vec<usize> {
        let (mut largest, mut is_in_set) = (Vec::new(), vec![false; self.players.len()]);
        for &start in &self.order {
            if is_in_set[start] || self.met(start).next().is_none() {
                continue;
            }
            let below = self.reached(start, |to, half_points| !is_in_set[to] && half_points > 0);
            let above = self.reached(start, |to, half_points| !is_in_set[to] && half_points < 2);
            let set: Vec<usize> = below.intersection(&above).copied().collect();
            set.iter().for_each(|&player| is_in_set[player] = true);
            if set.len() > largest.len() {
                largest = set;
            }
        }
        largest.sort_unstable();
        largest
    }

    /// The rating list: of the players who can be compared, and of those who won, or lost, all games
    /// against these. `anchor`: the name of a player, and the rating that he is to have; otherwise the
    /// average of those with a rating is 0.
    pub(super) fn ratings(
        &self,
        anchor: Option<&(String, f64)>,
    ) -> Result<RatingList, StandingsError> {
        let members = self.comparable();
        let count = members.len();
        if count > MOST_RATED {
            return Err(StandingsError::TooMany(MOST_RATED));
        }
        let places: HashMap<usize, usize> = members.iter().copied().zip(0..).collect();
        let met = |player: usize| {
            let met = self.met(player);
            met.filter_map(|(other, game)| Some((*places.get(&other)?, game)))
        };
        let played = |(white, &player): (usize, &usize)| {
            let played = met(player).filter(|(_, game)| !game.is_black);
            played.map(move |(black, game)| Game {
                white,
                black,
                points: f64::from(game.half_points) / 2.0,
                round: game.round,
            })
        };
        let games = members.iter().enumerate().flat_map(played);
        let mut fit = Fit::new(games.collect(), count);
        let (dispersion, [pairs, single]) = fit.dispersion();
        fit.dispersion = dispersion;
        if let Some((name, elo)) = anchor {
            let is_anchor = |own: &String| own.eq_ignore_ascii_case(name);
            let names = |&of: &usize| self.players[of].names.iter().any(is_anchor);
            let place = members.iter().position(names);
            let place = place.ok_or_else(|| StandingsError::Anchor(name.clone()))?;
            fit.anchor = Some((place, *elo));
        }
        // By what they are sorted, the place of a member, and what is said of the player.
        let mut list: Vec<(f64, Option<usize>, RatedPlayer)> = Vec::new();
        let mut left_out = 0;
        for player in 0..self.players.len() {
            let mut row = self.on_board(player);
            if let Some(&at) = places.get(&player) {
                let (rating, error) = (fit.elo(fit.strengths[at]), fit.error_of(at));
                row.rating = Some(rating);
                // The anchor has none.
                if error > 1e-6 {
                    row.error = Some(error);
                    (row.low, row.high) = (Some(rating - error), Some(rating + error));
                }
                list.push((rating, Some(at), row));
            } else if let Some((_, game)) = met(player).next() {
                let sign = f64::from(game.half_points) - 1.0;
                let opponents: Vec<usize> = met(player).map(|(at, _)| at).collect();
                let bound = fit.bound(&opponents, sign);
                let side = if sign > 0.0 {
                    &mut row.low
                } else {
                    &mut row.high
                };
                *side = Some(bound);
                // Who won all games comes first, who lost all last.
                list.push((bound + sign * 1e6, None, row));
            } else {
                left_out += usize::from(row.games > 0);
            }
        }
        list.sort_by(|a, b| b.0.total_cmp(&a.0));
        for n in 0..list.len() {
            let next = list.get(n + 1).and_then(|next| next.1);
            let pair = list[n].1.zip(next);
            list[n].2.los = pair.map(|(at, next)| fit.superiority(at, next));
            list[n].2.rank = n + 1;
        }
        Ok(RatingList {
            players: list.into_iter().map(|(_, _, row)| row).collect(),
            left_out,
            pairs,
            single,
            white_advantage: ELO * fit.strengths[count],
            white_error: fit.bounds(fit.covariances[count][count]),
        })
    }

    /// What is said of a player without a rating.
    fn on_board(&self, player: usize) -> RatedPlayer {
        let half_points = |(_, game): (usize, &Played)| f64::from(game.half_points);
        let half_points: Vec<f64> = self.met(player).map(half_points).collect();
        let (games, points) = (half_points.len(), half_points.iter().sum::<f64>() / 2.0);
        let drawn = half_points.iter().filter(|&&points| points == 1.0).count();
        RatedPlayer {
            player: self.players[player].name.clone(),
            points,
            games,
            score: points / games as f64,
            draws: drawn as f64 / games as f64,
            ..RatedPlayer::default()
        }
    }
}

/// A rating list.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct RatingList {
    /// The players, the best first.
    pub players: Vec<RatedPlayer>,
    /// The number of players who never met these.
    pub left_out: usize,
    /// Pairs of games with colours reversed.
    pub pairs: usize,
    /// Other games.
    pub single: usize,
    /// White's advantage in points of Elo.
    pub white_advantage: f64,
    /// The error of White's advantage (95 %).
    pub white_error: f64,
}

/// A player of a rating list.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct RatedPlayer {
    /// From 1.
    pub rank: usize,
    /// The name.
    pub player: String,
    /// `None` if all games were won or lost.
    pub rating: Option<f64>,
    /// The error of the rating (95 %); `None` if it is open, and of the anchor.
    pub error: Option<f64>,
    /// The lower bound; `None` if it is open.
    pub low: Option<f64>,
    /// The upper bound; `None` if it is open.
    pub high: Option<f64>,
    /// The points, in games that were played.
    pub points: f64,
    /// Games that were played.
    pub games: usize,
    /// From 0 to 1.
    pub score: f64,
    /// The share of draws, from 0 to 1.
    pub draws: f64,
    /// The likelihood of being stronger than the next player.
    pub los: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::super::{EventGame, EventGames};
    use super::*;

    /// A generator of random numbers: xorshift64*, by Vigna.
    struct Random(u64);

    impl Random {
        /// From 0 to 1.
        fn share(&mut self) -> f64 {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 53) as f64
        }

        /// Of a normal distribution.
        fn normal(&mut self) -> f64 {
            let [a, b] = [self.share(), self.share()];
            (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos()
        }
    }

    /// The rating list of games: the players, White's half points, and the round.
    fn rated(games: &[([usize; 2], u8, u32)], anchor: Option<&(String, f64)>) -> RatingList {
        let mut all = EventGames::default();
        for &(players, points, round) in games {
            let game = EventGame {
                names: players.map(|player| all.number_of(&format!("p{player}"))),
                elos: [0; 2],
                half_points: [points, 2 - points],
                is_played: Some(true),
                round,
            };
            all.add(None, game);
        }
        all.scores(true, Vec::new()).ratings(anchor).unwrap()
    }

    fn player(list: &RatingList, number: usize) -> &RatedPlayer {
        let name = format!("p{number}");
        let mut players = list.players.iter();
        players.find(|found| found.player == name).unwrap()
    }

    /// Tournaments in which everybody plays each other twice with each colour, in pairs of one opening
    /// that favours a side at random. White is 35 points ahead, and the more equal the players, the more
    /// draws there are. Returns in how many of 1,000 cases the interval has the rating that the games
    /// were made with.
    fn coverage(tournaments: usize, count: usize, is_paired: bool, draws: f64, seed: u64) -> f64 {
        let mut random = Random(seed);
        let (mut all, mut within) = (0, 0);
        for _ in 0..tournaments {
            let truth: Vec<f64> = (0..count).map(|_| 150.0 * random.normal()).collect();
            let mut games = Vec::new();
            for a in 0..count {
                for b in a + 1..count {
                    for round in 1..3 {
                        let opening = if is_paired {
                            150.0 * random.normal()
                        } else {
                            0.0
                        };
                        for [white, black] in [[a, b], [b, a]] {
                            let ahead = truth[white] - truth[black] + 35.0 + opening;
                            let expected = 1.0 / (1.0 + (-ahead / ELO).exp());
                            let drawn = draws * 4.0 * expected * (1.0 - expected);
                            let drawn = drawn.min(2.0 * expected.min(1.0 - expected));
                            let share = random.share();
                            let points = match share {
                                _ if share < expected - drawn / 2.0 => 2,
                                _ if share < expected + drawn / 2.0 => 1,
                                _ => 0,
                            };
                            games.push(([white, black], points, if is_paired { round } else { 0 }));
                        }
                    }
                }
            }
            let list = rated(&games, None);
            let is_rated = |of: &usize| player(&list, *of).rating.is_some();
            let rated: Vec<usize> = (0..count).filter(is_rated).collect();
            let average = rated.iter().map(|&of| truth[of]).sum::<f64>() / rated.len() as f64;
            for (number, rating) in truth.iter().enumerate() {
                let found = player(&list, number);
                let low = found.low.unwrap_or(f64::NEG_INFINITY);
                let high = found.high.unwrap_or(f64::INFINITY);
                within += usize::from((low..=high).contains(&(rating - average)));
                all += 1;
            }
        }
        within as f64 * 1000.0 / all as f64
    }

    #[test]
    fn intervals_of_simulated_tournaments() {
        let effort = std::env::var("PGC_TEST_EFFORT").map_or(1, |effort| effort.parse().unwrap());
        for (count, is_paired, draws) in [
            (8, false, 0.4),
            (8, true, 0.4),
            (6, true, 0.7),
            (12, false, 0.0),
        ] {
            let share = coverage(40 * effort, count, is_paired, draws, 20_261_128);
            assert!(
                (930.0..970.0).contains(&share),
                "{count} {is_paired} {draws}: {share}"
            );
        }
    }
}
