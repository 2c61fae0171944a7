//! What `pgc edit` changes: counts, the lines of --dry-run, and the log.

use std::collections::{BTreeMap, BTreeSet};

use pgc::Error;
use pgc::edit::edits::FieldChange;
use pgc::edit::plan::{GameChange, GameEdit};
use pgc_io::output::Output;
use serde_json::{Map, Value, json};

use crate::show::output::{grouped, print_lines, put_json, text_of};

/// Counts what changes, and writes or prints it.
#[derive(Default)]
pub(crate) struct ChangeLog {
    file: Option<Output>,
    /// Whether to print a line for each change.
    prints: bool,
    pub(crate) deleted: u64,
    /// The number of games in which each field changes, by the name of the field in messages.
    fields: BTreeMap<String, u64>,
}

/// The name of the termination marker in messages. No tag has it, since tags begin with a capital.
const TERMINATION: &str = "termination";

impl ChangeLog {
    /// A log in the file of --log; without one, `prints`: print a line for each change.
    pub(crate) fn new(file: Option<Output>, prints: bool) -> ChangeLog {
        ChangeLog {
            prints: prints && file.is_none(),
            file,
            ..ChangeLog::default()
        }
    }

    /// Counts, prints and logs a game that changes.
    pub(crate) fn add(&mut self, game: &GameChange) -> Result<(), Error> {
        match &game.what {
            GameEdit::Deleted(_) => self.deleted += 1,
            GameEdit::Fields(changes) => {
                for name in changes.iter().map(name_of).collect::<BTreeSet<_>>() {
                    *self.fields.entry(name.to_owned()).or_default() += 1;
                }
            }
        }
        if self.prints {
            print_lines(lines_of(game))?;
        }
        if let Some(file) = &mut self.file {
            put_json(file, &as_json(game))?;
        }
        Ok(())
    }

    /// Flushes the log to disk, so that completing it cannot fail because the disk is full.
    pub(crate) fn sync(&mut self) -> anyhow::Result<()> {
        Ok(self.file.as_mut().map_or(Ok(()), Output::sync)?)
    }

    /// Completes the log.
    pub(crate) fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.file.take().map_or(Ok(()), Output::commit)?)
    }

    /// `312 Event, 3 deleted`.
    pub(crate) fn counts(&self) -> String {
        let fields = self.fields.iter();
        let fields = fields.map(|(name, count)| format!("{} {name}", grouped(*count)));
        let deleted = format!("{} deleted", grouped(self.deleted));
        let deleted = Some(deleted).filter(|_| self.deleted > 0);
        fields.chain(deleted).collect::<Vec<_>>().join(", ")
    }

    /// The number of games in which each field changes.
    pub(crate) fn fields(&self) -> Map<String, Value> {
        let field = |(name, count): (&String, &u64)| (name.clone(), (*count).into());
        self.fields.iter().map(field).collect()
    }
}

fn name_of(change: &FieldChange) -> &str {
    change.tag.as_deref().unwrap_or(TERMINATION)
}

/// `12: Event "Worl Cup" -> "World Cup"`.
fn lines_of(game: &GameChange) -> Vec<String> {
    let number = game.number;
    let quoted = |value: &Option<String>| match value {
        Some(value) => format!("\"{value}\""),
        None => "none".to_owned(),
    };
    let line = |change: &FieldChange| {
        let (before, after) = (quoted(&change.before), quoted(&change.after));
        format!("{number}: {} {before} -> {after}", name_of(change))
    };
    match &game.what {
        GameEdit::Deleted(_) => vec![format!("{number}: deleted")],
        GameEdit::Fields(changes) => changes.iter().map(line).collect(),
    }
}

fn as_json(game: &GameChange) -> Value {
    match &game.what {
        GameEdit::Deleted(text) => {
            json!({ "game": game.number, "deleted": true, "text": text_of(text) })
        }
        GameEdit::Fields(changes) => {
            let change = |change: &FieldChange| {
                let (key, tag) = match &change.tag {
                    Some(tag) => ("tag", json!(tag)),
                    None => (TERMINATION, json!(true)),
                };
                json!({ key: tag, "before": change.before, "after": change.after })
            };
            let changes: Value = changes.iter().map(change).collect();
            json!({ "game": game.number, "changes": changes })
        }
    }
}
