//! Tie-breaks (FIDE Handbook C.07, as of 2024). Scores are in half points.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

use super::{Played, Scorer, Scores};

/// The codes of the tie-breaks; -C1 and -C2 cut the lowest values, -M1 and -M2 the highest too.
pub const CODES: [&str; 21] = [
    "DE", "WIN", "WON", "BPG", "BWG", "BH", "BH-C1", "BH-C2", "BH-M1", "BH-M2", "SB", "SB-C1",
    "SB-C2", "SB-M1", "KS", "PS", "ARO", "ARO-C1", "ARO-C2", "TPR", "PTP",
];

/// Those that are usual for the kinds of tournaments.
pub(super) const ROUND_ROBIN: [&str; 4] = ["SB", "DE", "WIN", "KS"];
pub(super) const SWISS: [&str; 3] = ["BH-C1", "BH", "SB"];

/// The differences of rating for scores of 50 to 100 % (FIDE Handbook B.02, 8.1.1).
const DIFFERENCES: [u16; 51] = [
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158,
    166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366,
    383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
];

/// The tournament performance rating (C.07, 10.2): the average of these ratings, and the difference
/// that the score has in FIDE's table.
pub(super) fn performance(elos: &[u16], half_points: usize) -> Option<f64> {
    let average = average(elos)?;
    let percent = (100 * half_points + elos.len()) / (2 * elos.len());
    let difference = f64::from(DIFFERENCES[percent.abs_diff(50).min(50)]);
    let sign = if percent < 50 { -1.0 } else { 1.0 };
    Some(average + sign * difference)
}

/// The largest differences of rating at which 50, 51 ... 99 % are expected (B.02, 8.1.2).
const LARGEST: [u16; 50] = [
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162,
    170, 179, 188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374,
    391, 411, 432, 456, 484, 517, 559, 619, 735,
];

/// The perfect tournament performance (C.07, 10.3): the lowest rating whose expected score against
/// these is no less than this one; without points 800 below the lowest.
fn perfect(elos: &[u16], half_points: usize) -> Option<f64> {
    let expected = |rating: i32| {
        let of = |&elo: &u16| {
            let difference = rating - i32::from(elo);
            let above = |most: &u16| u32::from(*most) < difference.unsigned_abs();
            let share = LARGEST.partition_point(above);
            if difference < 0 {
                50 - share
            } else {
                50 + share
            }
        };
        elos.iter().map(of).sum::<usize>()
    };
    let lowest = i32::from(*elos.iter().min()?) - 800;
    let is_enough = |rating: &i32| half_points == 0 || expected(*rating) >= 50 * half_points;
    (lowest..).find(is_enough).map(f64::from)
}

/// Rounded, halves up.
fn average(elos: &[u16]) -> Option<f64> {
    let sum: f64 = elos.iter().copied().map(f64::from).sum();
    (!elos.is_empty()).then(|| (sum / elos.len() as f64).round())
}

/// What a round adds to a Buchholz or Sonneborn-Berger score.
struct Share {
    /// Whether the player chose not to play: such rounds are cut first (C.07, 16.5).
    is_absence: bool,
    /// The points of the opponent, real or virtual.
    score: u32,
    value: u32,
}

impl Scores {
    /// Divides groups of players who are equal by a tie-break, the best first, and adds its value to
    /// those of each player.
    pub(super) fn split(&mut self, groups: Vec<Vec<usize>>, code: &str) -> Vec<Vec<usize>> {
        let points = |met: &(f64, usize)| Some(met.0 / 2.0);
        for group in &groups {
            let values: Vec<Option<f64>> = match code {
                "DE" if group.len() < 2 => vec![None],
                "DE" => self.encounters(group).iter().map(points).collect(),
                _ => group.iter().map(|&place| self.value(place, code)).collect(),
            };
            for (&place, value) in group.iter().zip(values) {
                // An empty sum is -0.
                let value = value.map(|value| value + 0.0);
                self.players[place].values.push(value);
            }
        }
        if code == "DE" {
            return self.split_by_encounters(groups);
        }
        let value = |place: usize| self.players[place].values.last().copied().flatten();
        let mut divided = Vec::new();
        for mut group in groups {
            group.sort_by(|&a, &b| value(b).partial_cmp(&value(a)).unwrap_or(Ordering::Equal));
            let parts = group.chunk_by(|&a, &b| value(a) == value(b));
            divided.extend(parts.map(<[_]>::to_vec));
        }
        divided
    }

    fn value(&self, place: usize, code: &str) -> Option<f64> {
        let player = &self.players[place];
        let games = &player.games;
        let count = |is: &dyn Fn(&&Played) -> bool| Some(games.iter().filter(is).count() as f64);
        let points = |game: &Played| f64::from(game.half_points) / 2.0;
        let cut = match code.split_once('-').map(|(_, cut)| cut.as_bytes()) {
            Some(&[b'M', digit]) => [usize::from(digit - b'0'); 2],
            Some(&[_, digit]) => [usize::from(digit - b'0'), 0],
            _ => [0, 0],
        };
        match &code[..2] {
            "WI" => count(&|game| game.half_points == 2),
            "WO" => count(&|game| game.half_points == 2 && game.is_played),
            "BP" => count(&|game| game.is_black && game.is_played),
            "BW" => count(&|game| game.is_black && game.is_played && game.half_points == 2),
            "BH" => Some(f64::from(self.sum(player, cut, false)) / 2.0),
            "SB" => Some(f64::from(self.sum(player, cut, true)) / 4.0),
            "KS" => {
                let has_half = |of: usize| self.players[of].half_points() as usize >= self.most;
                let is_good = |game: &&Played| game.opponent.is_some_and(has_half);
                Some(games.iter().filter(is_good).map(points).sum())
            }
            "PS" if games.iter().all(|game| game.round > 0) => {
                let so_far = |game: &Played| f64::from(self.last_round - game.round) + 1.0;
                Some(games.iter().map(|game| points(game) * so_far(game)).sum())
            }
            "AR" => {
                let (mut elos, _) = player.rated();
                elos.sort_unstable();
                average(elos.get(cut[0]..)?)
            }
            "TP" => player.performance(),
            "PT" => {
                let (elos, half_points) = player.rated();
                perfect(&elos, half_points).filter(|_| elos.len() > 1)
            }
            _ => None,
        }
    }

    /// The Buchholz score in half points, or the Sonneborn-Berger score in quarters (C.07, 8.1, 9.1
    /// and 16).
    pub(super) fn sum(&self, player: &Scorer, cut: [usize; 2], is_berger: bool) -> u32 {
        let share = |opponent: Option<usize>, half_points: u8| {
            let score = match opponent {
                Some(opponent) => self.adjusted(&self.players[opponent]),
                // A virtual opponent, who has as many points as the player.
                None => player.half_points(),
            };
            let value = if is_berger { u32::from(half_points) } else { 1 } * score;
            let is_absence = opponent.is_none() && half_points < 2;
            Share {
                is_absence,
                score,
                value,
            }
        };
        let counts = |game: &Played| game.is_played || self.is_round_robin;
        let games = player.games.iter();
        let games = games.map(|game| (game.opponent.filter(|_| counts(game)), game.half_points));
        let missing = (self.rounds as usize).saturating_sub(games.len());
        let rounds = games.chain(std::iter::repeat_n((None, 0), missing));
        let rounds = rounds.filter(|round| round.0.is_some() || !self.is_round_robin);
        let mut shares: Vec<Share> = rounds.map(|round| share(round.0, round.1)).collect();
        shares.sort_by_key(|share| (share.score, share.value));
        for _ in 0..cut[0].min(shares.len()) {
            let absence = shares.iter().position(|share| share.is_absence);
            let absence = absence.filter(|&place| shares[0].value <= shares[place].value);
            shares.remove(absence.unwrap_or(0));
        }
        shares.truncate(shares.len().saturating_sub(cut[1]));
        shares.iter().map(|share| share.value).sum()
    }

    /// A score as it counts for others: who left a tournament by the Swiss system early has a draw for
    /// each round behind (C.07, 16.3).
    fn adjusted(&self, player: &Scorer) -> u32 {
        if self.is_round_robin || self.rounds == 0 {
            return player.half_points();
        }
        let is_here = |game: &&Played| game.is_played || game.half_points == 2;
        let here = player.games.iter().filter(is_here);
        let last = here.map(|game| game.round).max().unwrap_or(0);
        let has_game = |round: &u32| player.games.iter().any(|game| game.round == *round);
        let missed = (last + 1..=self.rounds).filter(|round| !has_game(round));
        player.half_points() + missed.fold(0, |count, _| count + 1)
    }

    /// By what players who are equal scored against each other (C.07, 6): if all met, the average
    /// against each; else only those come first whom nobody could have reached.
    fn split_by_encounters(&self, groups: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        let (mut divided, mut rest) = (Vec::new(), groups);
        rest.reverse();
        while let Some(group) = rest.pop() {
            let mut met: Vec<_> = group.iter().zip(self.encounters(&group)).collect();
            met.sort_by(|a, b| b.1.0.total_cmp(&a.1.0));
            let missing = |n: usize| (group.len() - 1 - met[n].1.1) as f64;
            let have_met = self.is_round_robin || (0..met.len()).all(|n| missing(n) == 0.0);
            // Whether the one at a place is ahead of all behind.
            let is_ahead = |n: usize| match have_met {
                true => met[n].1.0 > met[n + 1].1.0,
                false => (n + 1..met.len()).all(|m| met[n].1.0 > met[m].1.0 + 2.0 * missing(m)),
            };
            let mut parts: Vec<Vec<usize>> = Vec::new();
            for (n, (place, _)) in met.iter().enumerate() {
                let is_part = n == 0 || is_ahead(n - 1) && (have_met || parts.len() == n);
                match parts.last_mut().filter(|_| !is_part) {
                    Some(part) => part.push(**place),
                    None => parts.push(vec![**place]),
                }
            }
            match parts.len() {
                1 => divided.push(group),
                _ => rest.extend(parts.into_iter().rev()),
            }
        }
        divided
    }

    /// What each of a group scored against the others, on average against each, and how many of them
    /// were met.
    fn encounters(&self, group: &[usize]) -> Vec<(f64, usize)> {
        let members: HashSet<usize> = group.iter().copied().collect();
        let of = |&place: &usize| {
            let mut met: BTreeMap<usize, [f64; 2]> = BTreeMap::new();
            let games = self.players[place].games.iter();
            for game in games.filter(|game| game.is_played || self.is_round_robin) {
                if let Some(opponent) = game.opponent.filter(|other| members.contains(other)) {
                    let [scored, count] = met.entry(opponent).or_default();
                    *scored += f64::from(game.half_points);
                    *count += 1.0;
                }
            }
            let shares = met.values().map(|[scored, count]| scored / count);
            (shares.sum(), met.len())
        };
        group.iter().map(of).collect()
    }
}
