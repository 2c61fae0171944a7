//! Copies of games, and archives with corrected games.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pgc::edit::edits::{EditError, Edits};
use pgc::edit::plan::EditPlan;
use pgc::edit::write::write_edited;
use pgc::{OpenOptions, Query};
use pgc_io::output::Output;

use crate::convert::{Failed, at, indexing_beside, place};
use crate::watch::Watch;

/// The values of tags, the tags without one, and new names of players.
pub(crate) type Changes = (
    BTreeMap<String, String>,
    Vec<String>,
    BTreeMap<String, String>,
);

/// What to change in games.
pub(crate) fn edits(changes: Changes, delete: bool) -> Result<Edits, EditError> {
    let (set, unset, rename_player) = changes;
    let mut edits = match delete {
        true => Edits::deletion(),
        false => Edits::default(),
    };
    for (name, value) in &set {
        edits.set(name, value)?;
    }
    for name in &unset {
        edits.unset(name)?;
    }
    for (old, new) in &rename_player {
        edits.rename_player(old, new)?;
    }
    Ok(edits)
}

/// Writes an archive with the changes, and its index. Returns the number of changed games: of those
/// that match the query, or of some games, or of all.
pub(crate) fn write(
    archive: &Path,
    output: &Path,
    edits: &Edits,
    (query, games): (Option<&Query>, Option<&[u32]>),
    (force, jobs): (bool, usize),
) -> Result<u64, Failed> {
    // The games themselves say which of them are changed, not the index.
    let options = OpenOptions::default().with_index(false);
    let open = pgc::Archive::open_with(archive, options).map_err(at(archive))?;
    let answer = query.map(|query| open.find(query, jobs)).transpose();
    let mut answer = answer.map_err(at(archive))?;
    if let (Some(answer), Some(games)) = (&mut answer, games) {
        answer.keep_only(games);
    }
    let wanted = answer.as_ref().map(|answer| &*answer.found.games);
    let wanted = wanted.or(games);
    let plan = EditPlan::new(&open, wanted, edits, jobs, false, &mut |_| Ok(()));
    let plan = plan.map_err(at(archive))?;
    let sources: [PathBuf; 1] = [archive.to_owned()];
    let mut out = Output::create_from(output, force, &sources).map_err(at(output))?;
    let mut indexing = indexing_beside(output);
    let index = Some(&mut indexing);
    let written = write_edited(&open, &plan, &mut out, jobs, &mut Watch::default(), index);
    written.map_err(at(archive))?;
    place(out, output, indexing)?;
    Ok(plan.len())
}
