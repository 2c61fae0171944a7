//! The lines below the answer of a search: the names that matched, similar names, and games that
//! could also match.

use std::collections::{BTreeSet, HashMap};

use pgc::ask::names::TagValues;
use pgc::{Answer, Archive, Query};
use pgc_index::{NameField, NamedValue, Test};

use crate::show::output::{counted, counted_as, grouped, note_lines};

/// The number of names shown for each pattern.
const SHOWN: usize = 5;

/// If several archives are searched: the number of names taken from each, with their counts.
const KEPT: usize = 1000;

/// The names that one pattern matched in all archives.
struct Matched {
    field: NameField,
    pattern: String,
    /// Those that matched as they are spelled, and those that did by initials, by transliteration or
    /// as aliases.
    names: [FoundNames; 2],
    near: HashMap<String, u64>,
}

/// Names that matched, with their numbers of games.
#[derive(Default)]
struct FoundNames {
    /// The number of different names; of several archives a lower bound, at least the number of the
    /// archive with the most.
    names: usize,
    games: HashMap<String, u64>,
}

pub(crate) struct Footer {
    /// The number of matching names taken from each archive.
    kept: usize,
    matched: Vec<Matched>,
    could: u64,
    /// Whether games that could match are in the answer.
    maybe: bool,
    /// Whether the questions ask for an Elo, and for a date.
    asks: [bool; 2],
    scanned: u64,
    /// The values of tags that matched.
    tags: TagValues,
    /// The names of the tags of all games, if all were read for their tags.
    pub(crate) tag_names: Option<BTreeSet<String>>,
}

impl Footer {
    /// `several`: the search covers more than one archive.
    pub(crate) fn new(several: bool) -> Footer {
        Footer {
            kept: if several { KEPT } else { SHOWN },
            matched: Vec::new(),
            could: 0,
            maybe: false,
            asks: [false; 2],
            scanned: 0,
            tags: TagValues::new(),
            tag_names: Some(BTreeSet::new()),
        }
    }

    /// Adds the answer of an archive to a query.
    pub(crate) fn add(
        &mut self,
        archive: &Archive,
        (query, answer): (&Query, &Answer),
        threads: usize,
    ) -> Result<(), pgc::Error> {
        for test in query.clauses().flat_map(|clause| &clause.any) {
            self.asks[0] |= matches!(test, Test::Elo(_, Some(_)) | Test::OpponentElo(..));
            self.asks[1] |= matches!(test, Test::Date(_));
        }
        self.maybe |= query.maybe;
        self.could += answer.found.could;
        self.scanned += answer.scanned;
        for (test, values) in &answer.tag_values {
            let known = self.tags.entry(test.clone()).or_default();
            for (value, games) in values {
                *known.entry(value.clone()).or_default() += games;
            }
        }
        let names = answer.tag_names.clone();
        self.tag_names = self.tag_names.take().zip(names).map(|(mut all, names)| {
            all.extend(names);
            all
        });
        for (i, names) in answer.found.names.iter().enumerate() {
            let asked = (names.field, names.pattern.as_str());
            let mut earlier = answer.found.names[..i].iter();
            if earlier.any(|earlier| (earlier.field, &*earlier.pattern) == asked) {
                continue;
            }
            let is_it = |matched: &Matched| (matched.field, &*matched.pattern) == asked;
            let place = self.matched.iter().position(is_it).unwrap_or_else(|| {
                self.matched.push(Matched {
                    field: names.field,
                    pattern: names.pattern.clone(),
                    names: Default::default(),
                    near: HashMap::new(),
                });
                self.matched.len() - 1
            });
            let matched = &mut self.matched[place];
            let lists = [&names.values, &names.otherwise];
            for (taken, values) in matched.names.iter_mut().zip(lists) {
                let counts =
                    archive.most_frequent(names.field, values.to_vec(), self.kept, threads)?;
                add_games(&mut taken.games, counts);
                taken.names = taken.names.max(taken.games.len()).max(values.len());
            }
            if matched.is_empty() {
                add_near(&mut matched.near, archive, asked, threads)?;
            }
        }
        Ok(())
    }

    /// Leaves out the lines for these patterns.
    pub(crate) fn leave_out(&mut self, field: NameField, patterns: &[&str]) {
        let is_one = |matched: &Matched| patterns.contains(&matched.pattern.as_str());
        self.matched
            .retain(|matched| matched.field != field || !is_one(matched));
    }

    pub(crate) fn print(&self) {
        note_lines(self.lines());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.matched.iter().map(Matched::line).collect();
        for ((tag, pattern), values) in &self.tags {
            let counts = values.iter().map(|(value, games)| (value.clone(), *games));
            let mut line = format!("tag {tag} \"{pattern}\": {}", list(&counts.collect()));
            if let more @ 1.. = values.len().saturating_sub(SHOWN) {
                line += &format!(" and {}", counted(more as u64, "more value"));
            }
            lines.push(line);
        }
        if self.could > 0 && !self.maybe {
            let why = match self.asks {
                [true, true] => "without an Elo or a complete date",
                [true, false] => "without an Elo",
                _ => "without a complete date",
            };
            let one = format!("game {why} was left out (--maybe adds it)");
            let many = format!("games {why} were left out (--maybe adds them)");
            lines.push(counted_as(self.could, &one, &many));
        }
        if self.scanned > 0 {
            let games = counted_as(self.scanned, "game was", "games were");
            lines.push(format!("slow: the index cannot answer this, {games} read"));
        }
        lines
    }
}

/// Sorts names by their numbers of games, the most first, then by name.
pub(crate) fn by_games(names: &HashMap<String, u64>) -> Vec<(&String, &u64)> {
    let mut names: Vec<_> = names.iter().collect();
    names.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    names
}

/// The field as `pgc names --field` takes it.
pub(crate) fn field_name(field: NameField) -> &'static str {
    match field {
        NameField::Event => "event",
        NameField::Round => "round",
        NameField::Player => "player",
        NameField::Material => "material",
        NameField::Opening => "opening",
    }
}

/// The names with the most games, with these numbers.
fn list(names: &HashMap<String, u64>) -> String {
    let names = by_games(names).into_iter().take(SHOWN);
    let names = names.map(|(name, games)| format!("{name} ({})", grouped(*games)));
    names.collect::<Vec<_>>().join("; ")
}

/// As [`list`], with the number of the others.
pub(crate) fn most_frequent(names: &HashMap<String, u64>) -> String {
    let shown = list(names);
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {}", counted(more as u64, "more name")),
    }
}

/// The line for a pattern that no value of this field matches; `near`: values with a similar
/// spelling.
pub(crate) fn nothing_matches(field: &str, pattern: &str, near: &HashMap<String, u64>) -> String {
    let near = match near.is_empty() {
        true => format!("list all with `pgc names --field {field}`"),
        false => format!("similar: {}", list(near)),
    };
    format!("{field} \"{pattern}\": nothing matches; {near}")
}

/// Adds the names of an archive whose spelling is similar to that of a pattern.
pub(crate) fn add_near(
    near: &mut HashMap<String, u64>,
    archive: &Archive,
    (field, pattern): (NameField, &str),
    threads: usize,
) -> Result<(), pgc::Error> {
    add_games(near, archive.near_names(field, pattern, SHOWN, threads)?);
    Ok(())
}

fn add_games(all: &mut HashMap<String, u64>, more: Vec<NamedValue>) {
    for NamedValue { value, games, .. } in more {
        *all.entry(value).or_default() += u64::from(games);
    }
}

impl Matched {
    fn is_empty(&self) -> bool {
        self.names.iter().all(|found| found.games.is_empty())
    }

    fn line(&self) -> String {
        let field = field_name(self.field);
        if self.is_empty() {
            return nothing_matches(field, &self.pattern, &self.near);
        }
        let [as_spelled, otherwise] = &self.names;
        let mut line = format!("{field} \"{}\": {}", self.pattern, list(&as_spelled.games));
        if !otherwise.games.is_empty() {
            let gap = if as_spelled.games.is_empty() {
                ""
            } else {
                "; also "
            };
            let names = list(&otherwise.games);
            line += &format!("{gap}by initials, spelling or alias: {names}");
        }
        let not_shown = |found: &FoundNames| found.names.saturating_sub(SHOWN);
        if let more @ 1.. = self.names.iter().map(not_shown).sum::<usize>() {
            let names = counted(more as u64, "more name");
            line += &format!(" and {names} (list them with `pgc names --field {field}`)");
        }
        line
    }
}
