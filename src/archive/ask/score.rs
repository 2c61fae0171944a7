//! Averages of ratings, and the performance that a score against rated opponents is worth; and
//! whether a game was played.

use pgc_pgn::writer::Termination;

use crate::ask::facts::GameFacts;

/// Words of the tag Termination for games that nobody played, and for games that somebody did, though
/// their moves are not known.
const UNPLAYED: [&str; 5] = ["forfeit", "bye", "unplayed", "walkover", "default"];
const PLAYED: [&str; 4] = ["normal", "time", "adjudication", "rules"];

/// Whether a game of at most one ply was played, as far as its tags Result and Termination say so.
pub(crate) fn is_played(result: &str, reason: &str) -> Option<bool> {
    let reason = reason.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| reason.contains(word));
    // `0-0`, `+/-`: more than a result.
    let is_forfeit = !Termination::is_all_of(result.as_bytes()) || says(&UNPLAYED);
    says(&PLAYED)
        .then_some(true)
        .or(is_forfeit.then_some(false))
}

/// A sum of numbers, and how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Average {
    sum: u64,
    count: u64,
}

impl Average {
    /// Adds a rating, if it is known: not 0.
    pub(super) fn add(&mut self, rating: u32) {
        self.sum += u64::from(rating);
        self.count += u64::from(rating > 0);
    }

    fn join(&mut self, other: Average) {
        self.sum += other.sum;
        self.count += other.count;
    }

    /// The average, rounded; `None` without numbers.
    pub fn value(&self) -> Option<u64> {
        (self.sum + self.count / 2).checked_div(self.count)
    }

    /// How many numbers there are.
    pub fn count(&self) -> u64 {
        self.count
    }
}

/// The results of games against rated opponents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Performance {
    /// The ratings of the opponents, in games with a result.
    pub opponents: Average,
    /// Half points scored in those games.
    half_points: u64,
}

impl Performance {
    fn join(&mut self, other: Performance) {
        self.opponents.join(other.opponents);
        self.half_points += other.half_points;
    }

    /// The rating at which one would have been expected to score this against these opponents, at
    /// most 800 points above or below their average.
    pub fn rating(&self) -> Option<u64> {
        let opponents = as_float(self.opponents.sum) / as_float(self.opponents.count);
        let score = as_float(self.half_points) / as_float(2 * self.opponents.count);
        let difference = (400.0 * (score / (1.0 - score)).log10()).clamp(-800.0, 800.0);
        let rating = (opponents + difference).round();
        #[expect(clippy::cast_possible_truncation, reason = "a rating")]
        #[expect(clippy::cast_sign_loss, reason = "it is not negative")]
        (self.opponents.count > 0).then_some(rating.max(0.0) as u64)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of games")]
fn as_float(number: u64) -> f64 {
    number as f64
}

/// Some games of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// The number of games.
    pub games: u64,
    /// Those that the player won.
    pub wins: u64,
    /// Those that were drawn.
    pub draws: u64,
    /// Those that the player lost.
    pub losses: u64,
    /// The player's ratings.
    pub ratings: Average,
    /// The ratings of the opponents, and what was scored against them.
    pub performance: Performance,
}

impl Tally {
    /// Counts a game as White (0) or Black (1) sees it. A game without moves was not played, or nobody
    /// knows how; nor was a forfeit after one ply.
    pub(super) fn add(&mut self, facts: &GameFacts, colour: usize, was_played: bool) {
        self.games += 1;
        self.ratings.add(facts.elo[colour]);
        let Some(points) = facts.result.half_points().map(|points| points[colour]) else {
            return;
        };
        if was_played {
            let opponent = facts.elo[1 - colour];
            self.performance.opponents.add(opponent);
            self.performance.half_points += u64::from(points) * u64::from(opponent > 0);
        }
        // No branch: which result comes next cannot be foreseen.
        self.losses += u64::from(points == 0);
        self.draws += u64::from(points == 1);
        self.wins += u64::from(points > 1);
    }

    pub(super) fn join(&mut self, other: &Tally) {
        self.games += other.games;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.ratings.join(other.ratings);
        self.performance.join(other.performance);
    }

    /// The score from 0 to 1; `None` without a game that has a result.
    pub fn score(&self) -> Option<f64> {
        let known = self.wins + self.draws + self.losses;
        (known > 0).then(|| as_float(2 * self.wins + self.draws) / as_float(2 * known))
    }
}
