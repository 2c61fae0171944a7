//! What a player scored: by colour, year, opening and opponent, and the ratings over time.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use crate::ask::facts::GameFacts;
use crate::ask::find::Answer;
use crate::ask::players::{ChosenPlayers, asked};
pub use crate::ask::score::Tally;
use crate::ask::score::{Average, is_played};
use crate::open::Archive;
use crate::run::{Error, go_on};
use pgc_index::{NameField, NamePattern, Query, kind, opening_name};
use pgc_pgn::eco;

/// The number of games whose columns are read together.
const PORTION: usize = 1 << 16;

/// The number of opponents whose names are read from each archive.
const OPPONENTS: usize = 1000;

/// The games of a player.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PlayerStats {
    /// All games. One in which both players are the one asked for counts twice.
    pub all: Tally,
    /// With White, and with Black.
    pub colours: [Tally; 2],
    /// By year, 0 if it is unknown.
    pub years: BTreeMap<u16, Tally>,
    /// With White and with Black, by the number of the ECO code: of the tag, or else of the opening
    /// that was reached (0: none); of games played.
    pub openings: [BTreeMap<u32, Tally>; 2],
    /// The names of the openings that games with an ECO code reached, up to the first comma, with
    /// their numbers of games; none if an index has no list of openings.
    pub opening_names: BTreeMap<u32, BTreeMap<String, u64>>,
    /// By the opponent's rating, rounded down to hundreds (below 100: 1); 0 if it is unknown.
    pub levels: BTreeMap<u32, Tally>,
    /// By opponent: of each archive, the most frequent ones.
    pub opponents: HashMap<String, Tally>,
    /// The names of the player, with their numbers of games.
    pub names: HashMap<String, u64>,
    /// The ratings by year and month (201301), as far as both are known.
    pub ratings: BTreeMap<u32, Average>,
}

impl PlayerStats {
    /// The side whose score a query is about: Black (1) if the first clause that asks for a player
    /// of one colour asks for Black, else White (0).
    pub fn side(query: &Query) -> usize {
        let mut colours = asked(query).map(|asked| asked.0);
        usize::from(colours.find(|colours| colours[0] != colours[1]) == Some([false, true]))
    }

    /// The patterns for the player whose games count; none if a query does not ask for a player.
    pub fn patterns(query: &Query) -> Vec<&str> {
        let patterns = asked(query).next().into_iter().flat_map(|asked| asked.1);
        patterns.map(NamePattern::as_str).collect()
    }

    /// Whether a query asks for a player, so that there is somebody to count for.
    pub fn has_subject(query: &Query) -> bool {
        !PlayerStats::patterns(query).is_empty()
    }

    /// The name of the opening that most games with this ECO code reached.
    pub fn opening_name(&self, eco: u32) -> Option<&str> {
        let names = self.opening_names.get(&eco)?.iter();
        let most = names.max_by_key(|&(name, &games)| (games, std::cmp::Reverse(name)));
        most.map(|(name, _)| name.as_str())
    }

    fn add(&mut self, facts: &GameFacts, (eco, was_played): (u32, bool), colour: usize) {
        let year = facts.year.unwrap_or(0);
        let level = match facts.elo[1 - colour] {
            0 => 0,
            elo => (elo / 100 * 100).max(1),
        };
        let count = |tally: &mut Tally| tally.add(facts, colour, was_played);
        count(&mut self.all);
        count(&mut self.colours[colour]);
        count(self.years.entry(year).or_default());
        count(self.levels.entry(level).or_default());
        if was_played {
            count(self.openings[colour].entry(eco).or_default());
        }
        if let (Some(month), elo @ 1..) = (facts.month, facts.elo[colour]) {
            let key = u32::from(year) * 100 + u32::from(month);
            self.ratings.entry(key).or_default().add(elo);
        }
    }
}

/// The number of the code in a value of the table of openings, behind the name; 0 for `?`.
fn opening_code(value: &str) -> u32 {
    let code = value.rsplit_once(' ').map(|(_, code)| code.as_bytes());
    u32::from(eco::number(code))
}

impl Archive {
    /// Adds the games of an answer to `stats`: those of the player that the query asks for first,
    /// under the chosen names, or else under all that match.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], [`Error::Cancelled`].
    pub fn add_to_stats(
        &self,
        stats: &mut PlayerStats,
        query: &Query,
        answer: &Answer,
        chosen: Option<&ChosenPlayers>,
        threads: usize,
    ) -> Result<(), Error> {
        let Some(subject) = self.asked_players(query, answer, chosen, threads)? else {
            return Ok(());
        };
        let columns = self.fact_columns(true, threads)?;
        let mut opponents: HashMap<u32, Tally> = HashMap::new();
        let mut names: HashMap<u32, u32> = HashMap::new();
        let mut openings: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        // Of openings, for games without an ECO tag.
        let mut codes: HashMap<u32, u32> = HashMap::new();
        for games in answer.found.games.chunks(PORTION) {
            go_on(0)?;
            let (ecos, plies, reached) = self.with_index(threads, |index| {
                let reached = || index.integers(kind::OPENING, games);
                let reached = index.has_openings().then(reached).transpose()?;
                let mut ecos = index.integers(kind::ECO, games)?;
                for (eco, &id) in ecos.iter_mut().zip(reached.iter().flatten()) {
                    if *eco == 0 {
                        *eco = match codes.entry(id) {
                            Entry::Occupied(known) => *known.get(),
                            Entry::Vacant(new) => {
                                *new.insert(opening_code(&index.value(NameField::Opening, id)?))
                            }
                        };
                    }
                }
                let plies = index.integers(kind::PLIES, games)?;
                Ok((ecos, plies, reached.unwrap_or_default()))
            })?;
            for key in ecos.iter().copied().zip(reached) {
                *openings.entry(key).or_default() += 1;
            }
            // Where no game has moves, that says nothing.
            let any = plies.iter().any(|&plies| plies > 0);
            let short = games.iter().zip(&plies).filter(|(_, plies)| **plies < 2);
            let short: Vec<u32> = short.map(|(&game, _)| game).collect();
            let tags = self.tag_values(&short, &["Result", "Termination"], threads)?;
            let mut tags = tags[0].iter().zip(&tags[1]);
            for ((&game, eco), plies) in games.iter().zip(ecos).zip(plies) {
                let facts = columns.facts(game);
                let tags = (plies < 2).then(|| tags.next()).flatten();
                let is_forfeit = tags.is_some_and(|(result, reason)| {
                    let [result, reason] = [result, reason].map(Option::as_deref);
                    is_played(result.unwrap_or_default(), reason.unwrap_or_default()) == Some(false)
                });
                let was_played = !is_forfeit && (!any || plies > 0 || facts.has_text);
                for (colour, player) in subject.of_game(&facts) {
                    stats.add(&facts, (eco, was_played), colour);
                    let opponent = opponents.entry(facts.players[1 - colour]).or_default();
                    opponent.add(&facts, colour, was_played);
                    *names.entry(player).or_default() += 1;
                }
            }
        }
        let named = self.with_index(threads, |index| {
            let value =
                |(&(eco, id), &games)| Ok((eco, index.value(NameField::Opening, id)?, games));
            openings.iter().map(value).collect::<Result<Vec<_>, _>>()
        })?;
        for (eco, value, games) in named {
            if let Some(name) = opening_name(&value).and_then(|name| name.split(',').next()) {
                let names = stats.opening_names.entry(eco).or_default();
                *names.entry(name.to_owned()).or_default() += games;
            }
        }
        let games = |tally: &Tally| u32::try_from(tally.games).unwrap_or(u32::MAX);
        let counts: Vec<(u32, u32)> = opponents.iter().map(|(&id, t)| (id, games(t))).collect();
        for named in self.most_frequent(NameField::Player, counts, OPPONENTS, threads)? {
            let tally = opponents.entry(named.id).or_default();
            stats.opponents.entry(named.value).or_default().join(tally);
        }
        let counts: Vec<(u32, u32)> = names.into_iter().collect();
        for named in self.most_frequent(NameField::Player, counts, usize::MAX, threads)? {
            *stats.names.entry(named.value).or_default() += u64::from(named.games);
        }
        Ok(())
    }
}
