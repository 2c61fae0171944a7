//! Which player statistics are about: of the names that a question matches, those that can be one
//! person's (D67).

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::ask::facts::GameFacts;
use crate::ask::find::Answer;
use crate::dups::fields::name_key;
use crate::open::Archive;
use crate::run::{Error, go_on};
use pgc_index::{NameField, NamePattern, Query, ReadName, Test};

/// Names beyond this many, the least frequent ones, are never taken together with others.
const COMPARED: usize = 10_000;

/// The players that are asked for, in the index of an archive.
pub(super) struct AskedPlayers {
    /// Whether they are asked for with White, and with Black.
    colours: [bool; 2],
    ids: HashSet<u32>,
}

impl AskedPlayers {
    /// The first clause that asks for a player says whose games they are.
    pub(super) fn new(query: &Query, answer: &Answer) -> Option<AskedPlayers> {
        let (colours, patterns) = asked(query).next()?;
        let ids = patterns.iter().flat_map(|of| matched(answer, of)).collect();
        Some(AskedPlayers { colours, ids })
    }

    /// Those of a game: the colour and the number of each.
    pub(super) fn of_game(&self, facts: &GameFacts) -> impl Iterator<Item = (usize, u32)> {
        let players = facts.players.into_iter().enumerate();
        players.filter(|&(colour, id)| self.colours[colour] && self.ids.contains(&id))
    }
}

/// The colours and patterns of each clause that asks for a player.
pub(super) fn asked(query: &Query) -> impl Iterator<Item = ([bool; 2], Vec<&NamePattern>)> {
    let clauses = query.all.iter().filter(|clause| !clause.not);
    clauses.filter_map(|clause| {
        let (mut colours, mut patterns) = ([false; 2], Vec::new());
        for test in &clause.any {
            let (both, pattern) = match test {
                Test::Player(pattern) => ([true, true], pattern),
                Test::White(pattern) => ([true, false], pattern),
                Test::Black(pattern) => ([false, true], pattern),
                _ => return None,
            };
            colours = [colours[0] | both[0], colours[1] | both[1]];
            patterns.push(pattern);
        }
        (!patterns.is_empty()).then_some((colours, patterns))
    })
}

/// The numbers of the players whose names a pattern matched.
fn matched(answer: &Answer, pattern: &NamePattern) -> impl Iterator<Item = u32> {
    let names = answer.found.names.iter();
    let names = names.filter(|names| names.field == NameField::Player);
    let names = names.filter(|names| names.pattern == pattern.as_str());
    let values = names.flat_map(|names| names.values.iter().chain(&names.otherwise));
    values.map(|value| value.0)
}

/// Among more people only names with the same words are taken together.
const COMPARED_PAIRWISE: usize = 1000;

/// The names that the questions for a player matched in archives, with the games that were found.
#[derive(Debug, Default)]
pub struct MatchedPlayers {
    /// For each pattern its names.
    patterns: Vec<(NamePattern, HashMap<String, PlayerName>)>,
}

/// A name that matched.
#[derive(Debug, Default)]
struct PlayerName {
    games: u64,
    /// The first name that an alias file has of the same person.
    alias: Option<String>,
}

/// The names whose games count.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ChosenPlayers {
    /// Those that do.
    counted: HashSet<String>,
    /// The other names that match, with their numbers of games.
    pub others: HashMap<String, u64>,
    /// The name that a pattern gave whole, or else its most frequent one: for each pattern that
    /// matched others.
    pub chosen: Vec<ChosenName>,
}

/// The name that stands for a pattern.
#[derive(Debug)]
pub struct ChosenName {
    /// The pattern.
    pub pattern: String,
    /// The name.
    pub name: String,
}

impl MatchedPlayers {
    fn add(&mut self, pattern: &NamePattern, name: &str, games: u64) {
        let text = pattern.as_str();
        let mut patterns = self.patterns.iter();
        let known = patterns.position(|known| known.0.as_str() == text);
        let place = known.unwrap_or_else(|| {
            self.patterns.push((pattern.clone(), HashMap::new()));
            self.patterns.len() - 1
        });
        let known = self.patterns[place].1.entry(name.to_owned()).or_default();
        known.games += games;
        // The alias files of two archives can differ.
        if known.alias.is_none() {
            known.alias = pattern.alias(name).map(str::to_owned);
        }
    }

    /// Chooses for each pattern the names that can be one person's; `all`: all names.
    #[must_use]
    pub fn choose(self, all: bool) -> ChosenPlayers {
        let mut chosen = ChosenPlayers::default();
        for (pattern, names) in self.patterns {
            let key = |name: &str| name_key(name, &mut String::new());
            let typed = key(pattern.exact().unwrap_or(pattern.as_str()));
            let candidate = |(name, of): (String, PlayerName)| CandidateName {
                is_typed: key(&name) == typed,
                is_taken: all,
                name,
                of,
            };
            let mut names: Vec<CandidateName> = names.into_iter().map(candidate).collect();
            names.sort_unstable_by(|a, b| {
                let key = |name: &CandidateName| (!name.is_typed, Reverse(name.of.games));
                key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
            });
            if !all {
                take_one_person(&mut names, pattern.is_person());
            }
            if let Some(first) = names.first()
                && names.iter().any(|name| !name.is_taken)
            {
                chosen.chosen.push(ChosenName {
                    pattern: pattern.as_str().to_owned(),
                    name: first.name.clone(),
                });
            }
            for name in names {
                if name.is_taken {
                    chosen.counted.insert(name.name);
                } else {
                    chosen.others.insert(name.name, name.of.games);
                }
            }
        }
        let others = &mut chosen.others;
        others.retain(|name, _| !chosen.counted.contains(name));
        chosen
    }
}

/// Takes names together that can be one person's, and no other's: for each its person's most frequent
/// name. `names` have their numbers of games; `are_two` knows of two names that they are two people.
pub(crate) fn people(
    names: &[(&str, usize)],
    are_two: &dyn Fn(usize, usize) -> bool,
) -> Vec<usize> {
    let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, (name, _)) in names.iter().enumerate() {
        let key = name_key(name, &mut String::new());
        by_key.entry(key).or_default().push(place);
    }
    let mut same: Vec<(String, Vec<usize>)> = by_key.into_iter().collect();
    // The fullest names first: a shorter one that fits two of them is nobody's.
    same.sort_unstable_by_key(|(key, _)| (Reverse(key.len()), key.clone()));
    let most = if same.len() > COMPARED_PAIRWISE {
        0
    } else {
        same.len()
    };
    let mut people: Vec<(Vec<usize>, Vec<ReadName>)> = Vec::new();
    for (_, own) in same {
        let read = ReadName::new(names[own[0]].0);
        let fits = |(taken, known): &&mut (Vec<usize>, Vec<ReadName>)| {
            let can_be = known.iter().filter_map(|known| known.can_be(&read)).min();
            can_be == Some(true) && !taken.iter().any(|&a| own.iter().any(|&b| are_two(a, b)))
        };
        let mut fitting = people.iter_mut().take(most).filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some((taken, known)), None) => {
                taken.extend(own);
                known.push(read);
            }
            _ => people.push((own, vec![read])),
        }
    }
    let mut of = vec![0; names.len()];
    for (taken, _) in people {
        let key = |place: &usize| (names[*place].1, Reverse(*place));
        let first = taken.iter().copied().max_by_key(key).unwrap_or(0);
        taken.iter().for_each(|&place| of[place] = first);
    }
    of
}

/// A name of a pattern.
struct CandidateName {
    name: String,
    of: PlayerName,
    is_typed: bool,
    is_taken: bool,
}

/// Takes the first name, and in their order those that can be names of the same person as all taken
/// before; unless `by_initials`, only those with the same words.
fn take_one_person(names: &mut [CandidateName], by_initials: bool) {
    let Some(first) = names.first_mut() else {
        return;
    };
    first.is_taken = true;
    let key = |name: &str| name_key(name, &mut String::new());
    let first_key = key(&first.name);
    let mut alias = first.of.alias.clone();
    let mut person = vec![ReadName::new(&first.name)];
    let mut has_grown = true;
    while std::mem::take(&mut has_grown) {
        let compared = names.iter_mut().take(COMPARED);
        for name in compared.filter(|name| !name.is_taken) {
            let read = ReadName::new(&name.name);
            let is_alias = match (&alias, &name.of.alias) {
                (Some(alias), Some(other)) if alias != other => continue,
                (alias, other) => alias.is_some() && alias == other,
            };
            let verdicts = || person.iter().filter_map(|known| known.can_be(&read));
            let fits = by_initials && verdicts().min() == Some(true);
            if is_alias || fits || key(&name.name) == first_key {
                name.is_taken = true;
                // An alias learned now may be that of a name before.
                has_grown |= alias.is_none() && name.of.alias.is_some();
                alias = alias.or_else(|| name.of.alias.clone());
                person.push(read);
            }
        }
    }
}

impl Archive {
    /// Adds the names of the players that a query asks for first, with their games in an answer.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`], [`Error::Cancelled`].
    pub fn add_to_players(
        &self,
        players: &mut MatchedPlayers,
        query: &Query,
        answer: &Answer,
        threads: usize,
    ) -> Result<(), Error> {
        let Some(subject) = AskedPlayers::new(query, answer) else {
            return Ok(());
        };
        let columns = self.fact_columns(false, threads)?;
        let mut games: HashMap<u32, u64> = HashMap::new();
        for game in &answer.found.games {
            for (_, player) in subject.of_game(&columns.facts(*game)) {
                *games.entry(player).or_default() += 1;
            }
        }
        go_on(0)?;
        for pattern in asked(query).next().into_iter().flat_map(|asked| asked.1) {
            for id in matched(answer, pattern) {
                if let Some(&games) = games.get(&id) {
                    let name =
                        self.with_index(threads, |index| index.value(NameField::Player, id))?;
                    players.add(pattern, &name, games);
                }
            }
        }
        Ok(())
    }

    /// Leaves in an answer only the games of chosen players.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn keep_players(
        &self,
        answer: &mut Answer,
        query: &Query,
        chosen: &ChosenPlayers,
        threads: usize,
    ) -> Result<(), Error> {
        let Some(subject) = self.asked_players(query, answer, Some(chosen), threads)? else {
            return Ok(());
        };
        let columns = self.fact_columns(false, threads)?;
        let games = answer.found.games.iter().copied();
        let games = games.filter(|&game| subject.of_game(&columns.facts(game)).next().is_some());
        let games: Vec<u32> = games.collect();
        answer.keep_only(&games);
        Ok(())
    }

    /// The players of an archive that are asked for, and chosen if there was a choice.
    pub(super) fn asked_players(
        &self,
        query: &Query,
        answer: &Answer,
        chosen: Option<&ChosenPlayers>,
        threads: usize,
    ) -> Result<Option<AskedPlayers>, Error> {
        let mut subject = AskedPlayers::new(query, answer);
        if let (Some(subject), Some(chosen)) = (&mut subject, chosen) {
            subject.ids = self.with_index(threads, |index| {
                let mut ids = HashSet::new();
                for &id in &subject.ids {
                    let name = index.value(NameField::Player, id)?;
                    ids.extend(chosen.counted.contains(&*name).then_some(id));
                }
                Ok(ids)
            })?;
        }
        Ok(subject)
    }
}
