//! Names in questions that nothing has: says so, with the names that are spelled alike.

use std::collections::BTreeSet;
use std::path::PathBuf;

use pgc::Archive;
use pgc_chess::opening_names;
use pgc_index::{Clause, Test, near_texts};

use crate::failure::WithName;

/// For games read because of a question for a tag: the names of the tags that they have.
#[derive(Default)]
pub(crate) struct TagNames(BTreeSet<String>);

impl TagNames {
    /// Adds the names of the tags of all games of an archive, or of these.
    pub(crate) fn add(
        &mut self,
        archive: &Archive,
        games: Option<&[u32]>,
        threads: usize,
    ) -> anyhow::Result<()> {
        let names = archive.tag_names(games, threads);
        self.0.append(&mut names.at(archive.path())?);
        Ok(())
    }

    /// Says that no game has a tag, unless one has it.
    pub(crate) fn tell(&self, tag: &str) {
        if !self.0.contains(tag) {
            let names = self.0.iter().map(String::as_str);
            tell(&format!("tag {tag}: none of the games has it"), tag, names);
        }
    }
}

/// The tags that clauses ask for, if the games must be read for that.
pub(crate) fn tags(clauses: &[Clause]) -> impl Iterator<Item = &str> {
    asked(clauses).filter_map(|test| match test {
        Test::Tag { name, .. } => Some(name.as_str()),
        _ => None,
    })
}

/// Says of each opening that clauses ask for that no game of these archives reached it, if their
/// indexes say so, or else that there is none with this name.
pub(crate) fn tell_openings(clauses: &[Clause], paths: &[PathBuf]) -> anyhow::Result<()> {
    let asked = asked(clauses).filter_map(|test| match test {
        Test::Opening(pattern) => Some(pattern),
        _ => None,
    });
    let asked: Vec<_> = asked.collect();
    if asked.is_empty() {
        return Ok(());
    }
    let mut names = BTreeSet::new();
    for path in paths {
        let archive = Archive::open(path).at(path)?;
        let reached = archive.opening_names().at(path)?;
        names.extend(reached.unwrap_or_else(|| opening_names().map(str::to_owned).collect()));
    }
    for pattern in asked {
        if !names.iter().any(|name| pattern.matches_opening(name)) {
            let text = pattern.as_str();
            let what = format!("opening \"{text}\": none of the games has one with this name");
            tell(&what, text, names.iter().map(String::as_str));
        }
    }
    Ok(())
}

fn asked(clauses: &[Clause]) -> impl Iterator<Item = &Test> {
    let clauses = clauses.iter().filter(|clause| !clause.not);
    clauses.flat_map(|clause| &clause.any)
}

fn tell<'t>(what: &str, text: &str, names: impl Iterator<Item = &'t str>) {
    note_line!("{what}{}", similar(text, names));
}

/// The names that are spelled like `text`, as the end of a message.
pub(crate) fn similar<'t>(text: &str, names: impl IntoIterator<Item = &'t str>) -> String {
    match near_texts(text, names) {
        near if near.is_empty() => String::new(),
        near => format!("; similar: {}", near.join("; ")),
    }
}
