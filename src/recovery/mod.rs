//! Recovery data beside an archive (spec/recovery.md): shards of a Reed-Solomon code, from which
//! damaged parts of the archive are computed again, exactly.
//!
//! It knows nothing of archives: what it protects are bytes.

mod code;
pub(crate) mod error;
mod packet;
mod plan;
pub(crate) mod protect;
pub(crate) mod repair;
mod sum;

use std::path::{Path, PathBuf};

/// The path of the recovery file of an archive: `games.pgcr` for `games.pgc`, `games.pgczr` for
/// `games.pgcz`; for a name without these extensions, the name with `.pgcr` appended.
#[must_use]
pub fn recovery_path(archive: &Path) -> PathBuf {
    let mut name = archive.file_name().unwrap_or_default().to_owned();
    let is_named = archive.extension().is_some_and(|ending| {
        ending.eq_ignore_ascii_case("pgc") || ending.eq_ignore_ascii_case("pgcz")
    });
    name.push(if is_named { "r" } else { ".pgcr" });
    archive.with_file_name(name)
}
