//! Standings of an event: points, ranks, performance, the Elo difference of a match, and ratings.

mod answer;
mod ratings;
mod tiebreak;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

pub use answer::{Comparison, RoundGame, Standing, Standings, TieBreak};
pub use ratings::{RatedPlayer, RatingList};
pub use tiebreak::CODES;

use crate::ask::players::people;
use crate::ask::score::is_played;
use crate::{Archive, Error};
use pgc_index::{Row, collate_rounds};
use pgc_pgn::game::Wholeness;
use pgc_pgn::writer::Termination;
use tiebreak::performance;

/// What the standings are to have.
#[derive(Clone, Debug, Default)]
pub struct StandingsOptions {
    /// How to rank players with equal points: [`CODES`], the first one first; none: those that are
    /// usual for such an event.
    pub tie_breaks: Vec<String>,
    /// Keep spellings of one name apart.
    pub as_written: bool,
    /// Make a rating list too.
    pub ratings: bool,
    /// The name of a player, and the rating that he is to have; otherwise the average is 0.
    pub anchor: Option<(String, f64)>,
}

/// Why there are no such standings; the options are those of `pgc table`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StandingsError {
    /// There is no such tie-break.
    #[error("--tiebreak: there is no {0}")]
    TieBreak(String),
    /// There are too many players for a rating list.
    #[error("--ratings: more than {0} players met: ask for fewer games")]
    TooMany(usize),
    /// The player who is to have a given rating has none.
    #[error("--anchor: {0} has no rating")]
    Anchor(String),
}

/// With more players there is no crosstable, and nobody meets all.
const MOST_CROSSED: usize = 30;

/// The games whose columns are read at once.
const GAMES_AT_ONCE: usize = 1 << 16;

/// The games of an event, as they are read.
#[derive(Debug, Default)]
pub struct EventGames {
    /// The names of the players as written, with their games: when, and the opponent.
    names: Vec<(String, Vec<(Occasion, usize)>)>,
    by_name: HashMap<String, usize>,
    games: Vec<EventGame>,
    unfinished: u64,
    /// All games, if they are to be listed.
    listed: Option<Vec<RoundGame>>,
}

/// A day and a round, in which a player has one game; `None` if one of them is not known.
type Occasion = Option<(u32, u32)>;

/// A game with a result: of each side the name, the rating (0 if unknown) and the half points.
#[derive(Debug)]
struct EventGame {
    names: [usize; 2],
    elos: [u16; 2],
    half_points: [u8; 2],
    /// Whether it was played; `None` if there are no moves and nothing says why.
    is_played: Option<bool>,
    /// The number that Round begins with, or 0.
    round: u32,
}

impl EventGames {
    /// `rounds`: keep the result of each game for a list.
    pub fn new(rounds: bool) -> EventGames {
        EventGames {
            listed: rounds.then(Vec::new),
            ..EventGames::default()
        }
    }

    /// Adds games of an archive, by their numbers from 0.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], [`Error::Cancelled`].
    pub fn add_games(
        &mut self,
        archive: &Archive,
        games: &[u32],
        jobs: usize,
    ) -> Result<(), Error> {
        for games in games.chunks(GAMES_AT_ONCE) {
            let rows = archive.rows(games, jobs)?;
            let doubtful = games.iter().zip(&rows).filter(|(_, row)| is_doubtful(row));
            let doubtful: Vec<u32> = doubtful.map(|(&game, _)| game).collect();
            let tags = archive.tag_values(&doubtful, &["Result", "Termination"], jobs)?;
            let mut tags = tags[0].iter().zip(&tags[1]);
            for row in rows {
                let tags = is_doubtful(&row).then(|| tags.next()).flatten();
                let (result, reason) = tags.unwrap_or((&None, &None));
                self.add_row(row, result.as_deref(), reason.as_deref());
            }
        }
        Ok(())
    }

    /// Adds a game with these tags Result and Termination, as far as they may say more.
    fn add_row(&mut self, row: Row, result: Option<&str>, reason: Option<&str>) {
        let result = result.unwrap_or_default();
        // `0-0`: a result for each player.
        let is_more = !Termination::is_all_of(result.as_bytes());
        let stated = Termination::from_tag(result.as_bytes()).filter(|_| is_more);
        let known = row.flags.result();
        let half_points = known.half_points().or(stated.map(|_| [0, 0]));
        let is_played = match (row.plies, is_played(result, reason.unwrap_or_default())) {
            (0 | 1, Some(is_played)) => Some(is_played),
            (0, None) if row.flags.wholeness() == Wholeness::Whole => None,
            _ => Some(true),
        };
        let digits = row.round.split(|c: char| !c.is_ascii_digit()).next();
        let round = digits.and_then(|digits| digits.parse().ok()).unwrap_or(0);
        let occasion = (row.date.known() == 8).then_some((row.date.bits(), round));
        if let Some(half_points) = half_points {
            let game = EventGame {
                names: [&*row.white, &row.black].map(|name| self.number_of(name)),
                elos: [row.white_elo, row.black_elo],
                half_points,
                is_played,
                round,
            };
            self.add(occasion.filter(|_| round > 0), game);
        } else {
            self.unfinished += 1;
        }
        if let Some(listed) = &mut self.listed {
            let result = [known.as_str(), "0-0"][usize::from(half_points == Some([0, 0]))];
            listed.push(RoundGame {
                round: row.round,
                white: row.white,
                result,
                black: row.black,
            });
        }
    }

    fn number_of(&mut self, name: &str) -> usize {
        let next = self.names.len();
        let number = *self.by_name.entry(name.to_owned()).or_insert(next);
        if number == next {
            self.names.push((name.to_owned(), Vec::new()));
        }
        number
    }

    fn add(&mut self, occasion: Occasion, game: EventGame) {
        let [white, black] = game.names;
        self.names[white].1.push((occasion, black));
        self.names[black].1.push((occasion, white));
        self.games.push(game);
    }

    /// For each name the one that stands for the person; `None` for nobody's.
    fn people(&self, as_written: bool) -> Vec<Option<usize>> {
        // Who played each other, or others on one occasion, are two people.
        let are_two = |a: usize, b: usize| {
            let mut games = self.names[a].1.iter();
            games.any(|&(occasion, opponent)| {
                let is_other = |game: &(Occasion, usize)| game.0 == occasion && game.1 != opponent;
                opponent == b || occasion.is_some() && self.names[b].1.iter().any(is_other)
            })
        };
        let names = self.names.iter();
        let counts: Vec<_> = names.map(|(name, games)| (&**name, games.len())).collect();
        let people = match as_written {
            true => (0..counts.len()).collect(),
            false => people(&counts, &are_two),
        };
        let people = people.into_iter().zip(counts);
        people
            .map(|(person, (name, _))| (!is_nobody(name)).then_some(person))
            .collect()
    }

    /// The standings of these games.
    ///
    /// # Errors
    /// An option asks for what there is not.
    pub fn standings(mut self, options: &StandingsOptions) -> Result<Standings, StandingsError> {
        let code = |asked: &String| {
            let mut codes = CODES.into_iter();
            let code = codes.find(|code| code.eq_ignore_ascii_case(asked));
            code.ok_or_else(|| StandingsError::TieBreak(asked.clone()))
        };
        let tie_breaks: Result<Vec<_>, _> = options.tie_breaks.iter().map(code).collect();
        let (unfinished, mut rounds) = (self.unfinished, self.listed.take());
        if let Some(games) = &mut rounds {
            games.sort_by(|a, b| collate_rounds(a.round.as_bytes(), b.round.as_bytes()));
        }
        let scores = self.scores(options.as_written, tie_breaks?);
        let ratings = || scores.ratings(options.anchor.as_ref());
        Ok(Standings {
            unfinished,
            rounds,
            ratings: options.ratings.then(ratings).transpose()?,
            ..scores.standings()
        })
    }

    /// The scores, ranked by these tie-breaks, or by those that are usual for such an event.
    fn scores(self, as_written: bool, tie_breaks: Vec<&'static str>) -> Scores {
        let people = self.people(as_written);
        let mut scores = Scores::default();
        let mut places = HashMap::new();
        for (name, person) in people.iter().enumerate() {
            let Some(person) = *person else { continue };
            let players = &mut scores.players;
            let place = *places.entry(person).or_insert(players.len());
            if place == players.len() {
                players.push(Scorer::default());
            }
            players[place].name.clone_from(&self.names[person].0);
            players[place].names.push(self.names[name].0.clone());
        }
        // A list of results alone says nothing of who was there.
        let has_moves = self.games.iter().any(|game| game.is_played == Some(true));
        for game in self.games {
            let players = game.names.map(|name| Some(places[&people[name]?]));
            if players[0] == players[1] {
                scores.left_out += 1;
                continue;
            }
            let is_played = game.is_played.unwrap_or(!has_moves);
            scores.unplayed += u64::from(!is_played);
            for (own, other) in [(0, 1), (1, 0)] {
                let Some(place) = players[own] else { continue };
                let player = &mut scores.players[place];
                player.results[2 - usize::from(game.half_points[own])] += 1;
                player.games.push(Played {
                    opponent: players[other],
                    half_points: game.half_points[own],
                    is_black: own == 1,
                    is_played,
                    elo: game.elos[other],
                    round: game.round,
                });
            }
        }
        for player in &mut scores.players {
            player.games.sort_by_key(|game| game.round);
        }
        scores.rank(tie_breaks);
        scores
    }
}

/// Whether tags may say more of a game than the index: that nobody played it, that nobody got a point.
fn is_doubtful(row: &Row) -> bool {
    row.plies < 2 || row.flags.result() == Termination::Unknown
}

/// Whether a name stands for no person: of a bye, or of somebody unknown.
fn is_nobody(name: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    let letters: String = letters.flat_map(char::to_lowercase).collect();
    matches!(&*letters, "" | "bye" | "nn")
}

/// A game as one of its players sees it.
struct Played {
    /// `None`: nobody, or somebody without a name.
    opponent: Option<usize>,
    half_points: u8,
    is_black: bool,
    is_played: bool,
    /// The opponent's rating, 0 if unknown.
    elo: u16,
    /// 0 if unknown.
    round: u32,
}

/// What a player scored.
#[derive(Default)]
struct Scorer {
    name: String,
    /// All spellings of the name.
    names: Vec<String>,
    /// Games won, drawn and lost.
    results: [u32; 3],
    games: Vec<Played>,
    /// The values of the tie-breaks.
    values: Vec<Option<f64>>,
}

impl Scorer {
    fn half_points(&self) -> u32 {
        2 * self.results[0] + self.results[1]
    }

    /// The ratings of the opponents in games that were played, and the half points against them.
    fn rated(&self) -> (Vec<u16>, usize) {
        let games = self.games.iter();
        let rated = games.filter(|game| game.is_played && game.elo > 0);
        let rated = rated.map(|game| (game.elo, usize::from(game.half_points)));
        let (elos, half_points): (Vec<u16>, Vec<usize>) = rated.unzip();
        (elos, half_points.iter().sum())
    }

    /// The performance, of two rated games and more: one says nothing.
    fn performance(&self) -> Option<f64> {
        let (elos, half_points) = self.rated();
        performance(&elos, half_points).filter(|_| elos.len() > 1)
    }
}

/// The scores of all players.
#[derive(Default)]
struct Scores {
    players: Vec<Scorer>,
    /// The places of the players, the best first.
    order: Vec<usize>,
    /// Whether each met nearly every other, so that who did not come would have had a game.
    is_round_robin: bool,
    /// The number of rounds of a tournament by the Swiss system, if they are known.
    rounds: u32,
    /// The last round, and the most games of a player.
    last_round: u32,
    most: usize,
    tie_breaks: Vec<&'static str>,
    /// Games that nobody played.
    unplayed: u64,
    /// Games without a named player, or of a player against himself.
    left_out: u64,
}

impl Scores {
    fn rank(&mut self, tie_breaks: Vec<&'static str>) {
        let has_games = |player: &&Scorer| !player.games.is_empty();
        let players = || self.players.iter().filter(has_games);
        let opponents = |player: &Scorer| {
            let met = player.games.iter().filter_map(|game| game.opponent);
            met.collect::<HashSet<_>>().len()
        };
        let count = players().count();
        self.is_round_robin = count <= MOST_CROSSED
            && players().map(opponents).sum::<usize>() * 5 >= count * count.saturating_sub(1) * 4;
        // The rounds are known if nobody has two games in one, and somebody a game in each.
        let rounds = players().flat_map(|player| player.games.iter().map(|game| game.round));
        self.last_round = rounds.max().unwrap_or(0);
        let most = players().map(|player| player.games.len()).max();
        self.most = most.unwrap_or(0);
        let is_one_each = |player: &Scorer| {
            let rounds: HashSet<u32> = player.games.iter().map(|game| game.round).collect();
            rounds.len() == player.games.len() && !rounds.contains(&0)
        };
        if players().all(is_one_each) && self.last_round as usize == self.most {
            self.rounds = self.last_round;
        }
        self.tie_breaks = match (tie_breaks.is_empty(), self.is_round_robin) {
            (true, true) => tiebreak::ROUND_ROBIN.to_vec(),
            (true, false) => tiebreak::SWISS.to_vec(),
            (false, _) => tie_breaks,
        };
        let mut order: Vec<usize> = (0..self.players.len()).collect();
        order.retain(|&place| !self.players[place].games.is_empty());
        order.sort_by_cached_key(|&place| {
            let player = &self.players[place];
            (Reverse(player.half_points()), player.name.clone())
        });
        let points = |&place: &usize| self.players[place].half_points();
        let groups = order.chunk_by(|a, b| points(a) == points(b));
        let mut groups: Vec<Vec<usize>> = groups.map(<[_]>::to_vec).collect();
        for code in self.tie_breaks.clone() {
            groups = self.split(groups, code);
        }
        self.order = groups.concat();
    }

    /// The comparison of the players of a match; `None` if there are not two players.
    fn comparison(&self) -> Option<Comparison> {
        let &[first, _] = &self.order[..] else {
            return None;
        };
        let games = self.players[first].games.iter();
        let games = games.filter(|game| game.is_played && game.opponent.is_some());
        let games: Vec<&Played> = games.collect();
        // Two games of a round with the colours reversed, as engines play them from one opening, depend
        // on each other: the pair is what varies.
        let is_pair = |pair: &[&Played]| match pair {
            [a, b] => a.is_black != b.is_black && a.round == b.round && a.round > 0,
            _ => false,
        };
        let size = if games.chunks(2).all(is_pair) { 2 } else { 1 };
        let points = |game: &&Played| f64::from(game.half_points) / 2.0;
        let score = |unit: &[&Played]| unit.iter().map(points).sum::<f64>() / size as f64;
        let units: Vec<f64> = games.chunks(size).map(score).collect();
        let count = units.len() as f64;
        let score = units.iter().sum::<f64>() / count;
        let squares: f64 = units.iter().map(|unit| (unit - score).powi(2)).sum();
        let error = squares.sqrt() / count;
        let bounds = if error > 0.0 {
            [score - 1.96 * error, score + 1.96 * error]
        } else {
            // All are the same: as many others as leave a chance of 2.5 % for that.
            let other = 1.0 - 0.025_f64.powf(1.0 / count);
            [score * (1.0 - other), score + (1.0 - score) * other]
        };
        let won = games.iter().map(|game| f64::from(game.half_points) - 1.0);
        let decided: f64 = won.clone().map(f64::abs).sum();
        let deviations = match size {
            2 if error > 0.0 => (score - 0.5) / error,
            _ => won.sum::<f64>() / decided.sqrt(),
        };
        let [low, high] = bounds.map(|score| elo(score.clamp(0.0, 1.0)));
        Some(Comparison {
            elo: elo(score),
            low,
            high,
            los: normal(deviations),
        })
    }
}

/// The Elo difference that gives this expected score.
fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The normal distribution.
fn normal(x: f64) -> f64 {
    libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standings of games: the players, their half points, whether they played, and the round.
    fn standings(
        games: &[([&str; 2], [u8; 2], bool, u32)],
        elos: impl Fn(&str) -> u16,
        codes: &'static str,
    ) -> Scores {
        let mut all = EventGames::default();
        for &(names, half_points, is_played, round) in games {
            let game = EventGame {
                names: names.map(|name| all.number_of(name)),
                elos: names.map(&elos),
                half_points,
                is_played: Some(is_played),
                round,
            };
            all.add(None, game);
        }
        all.scores(false, codes.split(' ').collect())
    }

    /// Each player with the points and the values of the tie-breaks.
    fn lines(standings: &Scores) -> Vec<String> {
        let line = |&place: &usize| {
            let player = &standings.players[place];
            let points = f64::from(player.half_points()) / 2.0;
            let value = |value: &Option<f64>| value.map_or("-".to_owned(), |v| v.to_string());
            let values: Vec<String> = player.values.iter().map(value).collect();
            format!("{} {points} {}", player.name, values.join(" "))
        };
        standings.order.iter().map(line).collect()
    }

    /// Hand-made: A beats B and draws C; B beats C.
    #[test]
    fn three_players() {
        let games = [
            (["A", "B"], [2, 0], true, 1),
            (["C", "A"], [1, 1], true, 2),
            (["B", "C"], [2, 0], true, 3),
        ];
        let elos = |name: &str| [2000, 2100, 2200][usize::from(name.as_bytes()[0] - b'A')];
        let found = standings(&games, elos, "SB BH KS PS BPG WIN ARO TPR");
        // SB of A: B's point, and half of C's half point. Koya: two rounds are two games, so a point
        // is enough. Ratings: A scored 75 % against 2150 on average, B half against 2100, C a quarter
        // against 2050; FIDE's table has 193 for 75 %. PS: A 1, 1.5, 1.5.
        let expected = [
            "A 1.5 1.25 1.5 1 4 1 1 2150 2343",
            "B 1 0.5 2 0 1 1 1 2100 2100",
            "C 0.5 0.75 2.5 0.5 1 1 0 2050 1857",
        ];
        assert_eq!(lines(&found), expected);
        assert!(found.is_round_robin);
    }

    /// As the program of FIDE's commission (TEC-FIDE/TieBreakServer) computes them. C has half a point
    /// against 2000 and 2400: from 1954 on 44 and 6 % are expected, 50 of 200.
    #[test]
    fn perfect_performances() {
        let games = [
            (["A", "B"], [2, 0], true, 1),
            (["A", "D"], [2, 0], true, 2),
            (["B", "D"], [0, 2], true, 3),
            (["C", "B"], [1, 1], true, 4),
            (["C", "A"], [0, 2], true, 5),
        ];
        let elos = |name: &str| match name {
            "A" => 2400,
            "B" => 2000,
            _ => 2200,
        };
        let found = standings(&games, elos, "PTP");
        let expected = ["A 3 2936", "D 1 2198", "B 0.5 1975", "C 0.5 1954"];
        assert_eq!(lines(&found), expected);
    }

    /// 60 won, 100 drawn, 40 lost: 55 %, 400 log10(11/9) = 34.9; the variance of a game is
    /// (60 * 0.45² + 100 * 0.05² + 40 * 0.55²) / 200 = 0.1225, so the error of the score is
    /// 1.96 * 0.35 / sqrt(200) = 0.0485. 20 / sqrt(100) is two standard deviations: 97.7 %.
    #[test]
    fn a_match() {
        let results = [(60, [2, 0]), (100, [1, 1]), (40, [0, 2])].into_iter();
        let results = results.flat_map(|(count, points)| std::iter::repeat_n(points, count));
        let games: Vec<_> = results
            .map(|points| (["A", "B"], points, true, 0))
            .collect();
        let found = standings(&games, |_| 0, "DE");
        let Comparison {
            elo: difference,
            low,
            high,
            los: likelihood,
        } = found.comparison().unwrap();
        assert!((difference - 34.86).abs() < 0.01, "{difference}");
        let bound = |score: f64| 400.0 * (score / (1.0 - score)).log10();
        assert!(
            (low - bound(0.55 - 0.04851)).abs() < 0.05
                && (high - bound(0.55 + 0.04851)).abs() < 0.05
        );
        assert!((likelihood - 0.97725).abs() < 0.0001, "{likelihood}");
    }

    /// Ten wins: the score at which ten wins in a row have a chance of 2.5 % is 0.025 to the power of
    /// 1/10 = 0.6915, 140 points of rating. Ten draws: with as many wins, half of 0.3085 above 0.5.
    #[test]
    fn matches_without_variance() {
        let found = |points| standings(&[(["A", "B"], points, true, 0); 10], |_| 0, "DE");
        let won = found([2, 0]).comparison().unwrap();
        assert!(won.elo.is_infinite() && won.high.is_infinite());
        assert_eq!(
            (won.low.round(), (won.los * 1000.0).round()),
            (140.0, 999.0)
        );
        let drawn = found([1, 1]).comparison().unwrap();
        let bounds = [drawn.elo, drawn.low, drawn.high].map(f64::round);
        assert_eq!(bounds, [0.0, -111.0, 111.0]);
        assert!(drawn.los.is_nan());
    }

    /// Byes, a forfeit and a player who leaves: three rounds by the Swiss system, by hand from C.07, 16.
    #[test]
    fn rounds_that_nobody_played() {
        let games = [
            (["A", "B"], [2, 0], true, 1),
            (["C", "D"], [2, 0], false, 1),
            (["E", "BYE"], [2, 0], false, 1),
            (["F", "G"], [2, 0], true, 1),
            (["A", "C"], [1, 1], true, 2),
            (["E", "F"], [0, 2], true, 2),
            (["B", "?"], [2, 0], false, 2),
            (["A", "F"], [1, 1], true, 3),
            (["C", "E"], [2, 0], true, 3),
        ];
        let found = standings(&games, |_| 2000, "BH BH-C1 SB");
        // G left after round 1, B after round 2, D never came. For others G has 0 + 2 halves = 1, B 1 +
        // half = 1.5. A: B 1.5, C 2.5, F 2.5. C: a virtual opponent with 2.5, A 2, E 1. F: G 1, E 1,
        // A 2. E: itself 1 (a bye of a full point), F 2.5, C 2.5.
        let expected = [
            "C 2.5 5.5 4.5 4.5",
            "F 2.5 4 3 3",
            "A 2 6.5 5 4",
            "E 1 6 5 1",
            "B 1 4 3 1",
            "G 0 2.5 2.5 0",
            "D 0 0 0 0",
        ];
        assert_eq!(
            (lines(&found), found.rounds),
            (expected.map(str::to_owned).to_vec(), 3)
        );
        assert_eq!(found.unplayed, 3);
        // 2.5 of 3, but only two of the games were played: 75 % against 2000.
        assert_eq!(found.players[found.order[0]].performance(), Some(2193.0));
        assert_eq!(found.players[found.order[5]].performance(), None);
    }

    /// Four players who are equal in a tournament by the Swiss system, where not all have met. Z beat B
    /// and C, but D could have beaten all three. Once Z has beaten D too, nobody can reach three points.
    #[test]
    fn direct_encounters() {
        let won = |a, b| ([a, b], [2, 0], true, 0);
        let mut games = vec![won("Z", "B"), won("Z", "C")];
        let (equal, others) = (["B", "C", "D"], ["U", "V", "W", "X"]);
        games.extend(
            equal
                .iter()
                .flat_map(|&a| [won(a, others[0]), won(a, others[1])]),
        );
        games.push(won(others[2], others[3]));
        let found = standings(&games, |_| 0, "DE");
        assert_eq!(lines(&found)[..4], ["B 2 0", "C 2 0", "D 2 0", "Z 2 2"]);
        assert!(!found.is_round_robin);
        games.push(won("Z", "D"));
        games.extend(equal.map(|a| won(a, others[2])));
        let found = standings(&games, |_| 0, "DE");
        assert_eq!(lines(&found)[..4], ["Z 3 3", "B 3 0", "C 3 0", "D 3 0"]);
    }
}
