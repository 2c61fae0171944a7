//! The standings as an answer, with the keys that spec/manual/json.md has for `pgc table`.

use serde::Serialize;

use super::{MOST_CROSSED, Played, RatingList, Scores};

/// The results of a player against another, by the half points.
const SIGNS: [char; 3] = ['0', '\u{bd}', '1'];

/// The standings of an event.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Standings {
    /// The players, the best first.
    pub players: Vec<Standing>,
    /// The comparison of the two players of a match; `None` if there are others.
    #[serde(rename = "match")]
    pub comparison: Option<Comparison>,
    /// Games without a result.
    pub unfinished: u64,
    /// Games that nobody played.
    pub unplayed: u64,
    /// Games without a named player, or of a player against himself.
    pub left_out: u64,
    /// For each player of several spellings all of them.
    pub joined: Vec<Vec<String>>,
    /// The number of copies of games, if the caller has counted them.
    pub copies: Option<u64>,
    /// The games, in the order of their rounds, if they are listed.
    pub rounds: Option<Vec<RoundGame>>,
    /// The rating list, if it was asked for.
    pub ratings: Option<RatingList>,
}

/// What a player scored.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Standing {
    /// The name.
    pub player: String,
    /// The points.
    pub points: f64,
    /// All games.
    pub games: usize,
    /// Games won.
    pub won: u32,
    /// Games drawn.
    pub drawn: u32,
    /// Games lost.
    pub lost: u32,
    /// The Sonneborn-Berger score.
    pub sonneborn_berger: f64,
    /// The Buchholz score.
    pub buchholz: f64,
    /// The tie-breaks of the ranking, the first one first.
    pub tie_breaks: Vec<TieBreak>,
    /// The performance; `None` of fewer than two rated games.
    pub performance: Option<f64>,
    /// Games against rated opponents.
    pub rated: usize,
    /// The results against each other player, in their order; none if there are too many players.
    pub against: Vec<String>,
}

/// What a tie-break says of a player.
#[derive(Debug, Serialize)]
pub struct TieBreak {
    /// One of [`CODES`](super::CODES).
    pub code: &'static str,
    /// The value, if the player has one.
    pub value: Option<f64>,
}

/// The comparison of the players of a match; what is open is infinite or no number.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// The Elo difference.
    pub elo: f64,
    /// The lower bound of the difference (95 %).
    pub low: f64,
    /// The upper bound of the difference (95 %).
    pub high: f64,
    /// The likelihood that the first is the stronger one.
    pub los: f64,
}

/// The result of a game.
#[derive(Debug, Serialize)]
pub struct RoundGame {
    /// The tag Round.
    pub round: String,
    /// The name of White.
    pub white: String,
    /// The result, also `0-0`.
    pub result: &'static str,
    /// The name of Black.
    pub black: String,
}

impl Scores {
    /// The answer; games without a result are not known here.
    pub(super) fn standings(&self) -> Standings {
        let joined = self.players.iter().map(|player| &player.names);
        let joined = joined.filter(|names| names.len() > 1);
        Standings {
            players: self.order.iter().map(|&player| self.row(player)).collect(),
            comparison: self.comparison(),
            unplayed: self.unplayed,
            left_out: self.left_out,
            joined: joined.cloned().collect(),
            ..Standings::default()
        }
    }

    fn row(&self, player: usize) -> Standing {
        let found = &self.players[player];
        let is_crossed = self.order.len() <= MOST_CROSSED;
        let others = self.order.iter().filter(|_| is_crossed);
        let others = others.filter(|&&other| other != player);
        let tie_breaks = self.tie_breaks.iter().zip(&found.values);
        let tie_breaks = tie_breaks.map(|(&code, &value)| TieBreak { code, value });
        let [won, drawn, lost] = found.results;
        Standing {
            player: found.name.clone(),
            points: f64::from(found.half_points()) / 2.0,
            games: found.games.len(),
            won,
            drawn,
            lost,
            sonneborn_berger: f64::from(self.sum(found, [0, 0], true)) / 4.0,
            buchholz: f64::from(self.sum(found, [0, 0], false)) / 2.0,
            tie_breaks: tie_breaks.collect(),
            performance: found.performance(),
            rated: found.rated().0.len(),
            against: others.map(|&other| self.cell(player, other)).collect(),
        }
    }

    /// The results of a player against another, in the order of the games.
    fn cell(&self, player: usize, other: usize) -> String {
        let games = self.players[player].games.iter();
        let games = games.filter(|game| game.opponent == Some(other));
        let sign = |game: &Played| match (game.is_played, game.half_points) {
            (false, 0) => '-',
            (false, 2) => '+',
            (_, half_points) => SIGNS[usize::from(half_points)],
        };
        games.map(sign).collect()
    }
}
