//! The lines below the answer of a search: the names that matched, similar names, and games that
//! could also match.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use pgc::ask::names::NameCount;
use pgc::{Answer, Archive};
use pgc_index::NameField;

use super::output::{counted, counted_as, grouped, note_lines};

/// The number of names shown for each pattern.
const SHOWN: usize = 5;

/// If several archives are searched: the number of names taken from each, with their counts.
const KEPT: usize = 1000;

/// The names that one pattern matched in all archives.
struct Matched {
    field: NameField,
    pattern: String,
    as_spelled: FoundNames,
    /// Names that matched by initials, by transliteration or as aliases.
    otherwise: FoundNames,
    near: HashMap<String, u64>,
}

/// Names that matched, with their numbers of games.
#[derive(Default)]
struct FoundNames {
    /// The number of different names; of several archives a lower bound, at least the number of the
    /// archive with the most.
    names: u64,
    games: HashMap<String, u64>,
}

pub(super) struct Footer {
    /// The number of matching names taken from each archive.
    kept: usize,
    matched: Vec<Matched>,
    could: u64,
    scanned: u64,
    /// The names of the tags of all games, if all were read for their tags.
    pub(super) tag_names: Option<BTreeSet<String>>,
}

impl Footer {
    /// `several`: the search covers more than one archive.
    pub(super) fn new(several: bool) -> Footer {
        Footer {
            kept: if several { KEPT } else { SHOWN },
            matched: Vec::new(),
            could: 0,
            scanned: 0,
            tag_names: Some(BTreeSet::new()),
        }
    }

    /// Adds the answer of an archive.
    pub(super) fn add(
        &mut self,
        archive: &Archive,
        answer: &Answer,
        threads: usize,
    ) -> Result<(), pgc::Error> {
        self.could += answer.found.could;
        self.scanned += answer.scanned;
        let names = answer.tag_names.clone();
        self.tag_names = self.tag_names.take().zip(names).map(|(mut all, names)| {
            all.extend(names);
            all
        });
        for (i, names) in answer.found.names.iter().enumerate() {
            let same = |field, pattern: &str| field == names.field && pattern == names.pattern;
            if answer.found.names[..i]
                .iter()
                .any(|earlier| same(earlier.field, &earlier.pattern))
            {
                continue;
            }
            let place = self
                .matched
                .iter()
                .position(|matched| same(matched.field, &matched.pattern));
            let place = place.unwrap_or(self.matched.len());
            if place == self.matched.len() {
                self.matched.push(Matched {
                    field: names.field,
                    pattern: names.pattern.clone(),
                    as_spelled: FoundNames::default(),
                    otherwise: FoundNames::default(),
                    near: HashMap::new(),
                });
            }
            let matched = &mut self.matched[place];
            for (taken, values) in [
                (&mut matched.as_spelled, &names.values),
                (&mut matched.otherwise, &names.otherwise),
            ] {
                taken.add(
                    archive.most_frequent(names.field, values, self.kept, threads)?,
                    values.len(),
                );
            }
            if matched.is_empty() {
                let asked = (names.field, names.pattern.as_str());
                add_near(&mut matched.near, archive, asked, threads)?;
            }
        }
        Ok(())
    }

    /// Leaves out the lines for these patterns.
    pub(super) fn leave_out(&mut self, field: NameField, patterns: &[&str]) {
        let is_one = |matched: &Matched| patterns.contains(&matched.pattern.as_str());
        self.matched
            .retain(|matched| matched.field != field || !is_one(matched));
    }

    pub(super) fn print(&self, found: u64, maybe: bool) {
        note_lines(self.lines(found, maybe));
    }

    /// The lines for an answer with `found` games; `maybe`: games that could match are among them.
    pub(super) fn lines(&self, found: u64, maybe: bool) -> Vec<String> {
        let mut lines: Vec<String> = self.matched.iter().map(Matched::line).collect();
        if self.could > 0 && !maybe {
            let (games, verb) = (
                counted(self.could, "game"),
                if found > 0 { "more " } else { "" },
            );
            let games = games.replacen(' ', &format!(" {verb}"), 1);
            lines.push(format!(
                "{games} could match: their date or Elo is incomplete (add them with --maybe)"
            ));
        }
        if self.scanned > 0 {
            lines.push(format!(
                "{} read one by one, as the index cannot answer this",
                counted_as(self.scanned, "game was", "games were")
            ));
        }
        lines
    }
}

/// Sorts names by their numbers of games, the most first, then by name.
pub(super) fn by_games(names: &HashMap<String, u64>) -> Vec<(&String, &u64)> {
    let mut names: Vec<_> = names.iter().collect();
    names.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    names
}

/// The field as `pgc names --field` takes it.
pub(super) fn field_name(field: NameField) -> &'static str {
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
    let mut line = String::new();
    for (place, (name, games)) in by_games(names).into_iter().take(SHOWN).enumerate() {
        let gap = if place > 0 { "; " } else { "" };
        let _ = write!(line, "{gap}{name} ({})", grouped(*games));
    }
    line
}

/// As [`list`], with the number of the others.
pub(super) fn most_frequent(names: &HashMap<String, u64>) -> String {
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {}", counted(more as u64, "more name")),
    };
    format!("{}{more}", list(names))
}

/// The line for a pattern that no value of this field matches; `near`: values with a similar
/// spelling.
pub(super) fn nothing_matches(field: &str, pattern: &str, near: &HashMap<String, u64>) -> String {
    let near = if near.is_empty() {
        format!("list all with `pgc names --field {field}`")
    } else {
        format!("similar: {}", list(near))
    };
    format!("{field} \"{pattern}\": nothing matches; {near}")
}

/// Adds the names of an archive whose spelling is similar to that of a pattern.
pub(super) fn add_near(
    near: &mut HashMap<String, u64>,
    archive: &Archive,
    (field, pattern): (NameField, &str),
    threads: usize,
) -> Result<(), pgc::Error> {
    for NameCount { name, games } in archive.near_names(field, pattern, SHOWN, threads)? {
        *near.entry(name).or_default() += games;
    }
    Ok(())
}

impl FoundNames {
    fn add(&mut self, counts: Vec<(u32, NameCount)>, names: usize) {
        for (_, NameCount { name, games }) in counts {
            *self.games.entry(name).or_default() += games;
        }
        let known = self.games.len().max(names);
        self.names = self.names.max(known as u64);
    }

    fn not_shown(&self) -> u64 {
        self.names.saturating_sub(SHOWN as u64)
    }
}

impl Matched {
    fn is_empty(&self) -> bool {
        self.as_spelled.games.is_empty() && self.otherwise.games.is_empty()
    }

    fn line(&self) -> String {
        let field = field_name(self.field);
        if self.is_empty() {
            return nothing_matches(field, &self.pattern, &self.near);
        }
        let mut taken = list(&self.as_spelled.games);
        if !self.otherwise.games.is_empty() {
            let gap = if taken.is_empty() { "" } else { "; also " };
            let _ = write!(
                taken,
                "{gap}by initials, spelling or alias: {}",
                list(&self.otherwise.games)
            );
        }
        let mut line = format!("{field} \"{}\": {taken}", self.pattern);
        let more = self.as_spelled.not_shown() + self.otherwise.not_shown();
        if more > 0 {
            let _ = write!(
                line,
                " and {} (list them with `pgc names --field {field}`)",
                counted(more, "more name")
            );
        }
        line
    }
}
