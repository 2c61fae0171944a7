//! Names in questions that nothing has: says so, with the names that are spelled alike.

use std::collections::BTreeSet;

use pgc_chess::opening_names;
use pgc_index::{Query, Test, near_texts};

/// Says of each opening in a query that there is none with this name, and of each tag that no game has
/// it, if `tags` are the names of all tags of the games.
pub(crate) fn tell(query: &Query, tags: Option<&BTreeSet<String>>) {
    let asked = query.clauses().filter(|clause| !clause.not);
    for test in asked.flat_map(|clause| &clause.any) {
        match (test, tags) {
            (Test::Opening(pattern), _)
                if !opening_names().any(|name| pattern.matches_opening(name)) =>
            {
                let text = pattern.as_str();
                let near = similar(text, opening_names());
                note_line!("opening \"{text}\": there is none with this name{near}");
            }
            (Test::Tag { name, .. }, Some(tags)) if !tags.contains(name) => {
                let near = similar(name, tags.iter().map(String::as_str));
                note_line!("tag {name}: none of the games has it{near}");
            }
            _ => {}
        }
    }
}

/// The names that are spelled like `text`, as the end of a message.
pub(crate) fn similar<'t>(text: &str, names: impl IntoIterator<Item = &'t str>) -> String {
    match near_texts(text, names) {
        near if near.is_empty() => String::new(),
        near => format!("; similar: {}", near.join("; ")),
    }
}
