//! Chooses the paths of outputs and creates them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail};
use pgc::SegmentForm;
use pgc::beside::{index_path, recovery_path};
use pgc_io::dir::DirSink;
use pgc_io::output::{Output, folder_of};
use pgc_io::temp::clear_abandoned;

use crate::failure::WithName;
use crate::show::output::{is_stdin, shown};

/// The extension of archives in the small form.
pub(crate) const SMALL: &str = "pgcz";

/// The extensions of archives.
pub(crate) const ARCHIVES: [&str; 2] = ["pgc", SMALL];

/// The form of an archive that is written to this path.
pub(crate) fn form_of(path: &Path) -> SegmentForm {
    match has_ending(path, &[SMALL]) {
        true => SegmentForm::Small,
        false => SegmentForm::Plain,
    }
}

/// The path with the extension `ending` in the folder of `path`. Removes the extension of a
/// compression, then an extension listed in `old`; no other, so that `games 2024.05` is not cut.
pub(crate) fn beside(path: &Path, old: &[&str], ending: &str) -> PathBuf {
    const COMPRESSED: [&str; 7] = ["gz", "gzip", "bz2", "xz", "zst", "zstd", "zip"];
    let mut path = path.to_owned();
    if has_ending(&path, &COMPRESSED) {
        path.set_extension("");
    }
    if has_ending(&path, old) {
        path.set_extension("");
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    path.with_file_name(name)
}

/// Whether the path has one of these extensions.
pub(crate) fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let found = path.extension().unwrap_or_default();
    let mut endings = endings.iter();
    endings.any(|ending| found.eq_ignore_ascii_case(ending))
}

/// The folder that files from this archive go to by default: its path without the extension. `None`
/// if there is no extension to remove.
pub(crate) fn without_ending(path: &Path) -> Option<PathBuf> {
    path.extension().map(|_| path.with_extension(""))
}

/// Whether `-o` names a folder.
pub(crate) fn is_folder(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.ends_with(b"/") || (cfg!(windows) && bytes.ends_with(b"\\")) || path.is_dir()
}

/// Creates an output of bytes, a file or standard output. An input is never replaced, even with
/// `force`, nor an archive that `pgc add` is working on.
pub(crate) fn create(path: &Path, force: bool, inputs: &[PathBuf]) -> anyhow::Result<Output> {
    if is_stdin(path) {
        return Output::stdout_binary().context("standard output");
    }
    clear(path.parent().unwrap_or(path));
    let mut output = begin(path, force, inputs)?;
    output.lock_replaced().at(path)?;
    Ok(output)
}

/// Creates a folder for outputs, which never replace inputs.
pub(crate) fn folder(path: &Path, force: bool, inputs: &[PathBuf]) -> anyhow::Result<DirSink> {
    let mut sink = DirSink::new(path, force).at(path)?;
    clear(path);
    sink.protect(inputs);
    Ok(sink)
}

/// Opens the output that an option names, if it does; `-` is standard output, unless that is `taken`,
/// for the reason given.
pub(crate) fn asked(
    path: Option<&Path>,
    taken: Option<&'static str>,
    force: bool,
    inputs: &[PathBuf],
) -> anyhow::Result<Option<Output>> {
    Ok(Some(match (path, taken) {
        (None, _) => return Ok(None),
        (Some(path), _) if !is_stdin(path) => create(path, force, inputs)?,
        (Some(_), Some(why)) => bail!(why),
        (Some(_), None) => Output::stdout(),
    }))
}

/// Refuses the name of an archive that has the extension of another kind of file.
pub(crate) fn refuse_other_ending(path: &Path) -> anyhow::Result<()> {
    const OTHERS: [&str; 16] = [
        "pgn", "txt", "csv", "jsonl", "json", "zip", "gz", "bz2", "xz", "zst", "pgci", "pgczi",
        "pgcr", "pgczr", "7z", "tar",
    ];
    if has_ending(path, &OTHERS) {
        let path = shown(path);
        bail!("{path}: the output is an archive: name it .pgc, or .pgcz for the small form");
    }
    Ok(())
}

/// Refuses a report that is the same file as the output, its index or its recovery file, even if
/// the path is spelled differently.
pub(crate) fn refuse_same(report: Option<&Path>, output: Option<&Path>) -> anyhow::Result<()> {
    let (Some(report), Some(output)) = (report.filter(|path| !is_stdin(path)), output) else {
        return Ok(());
    };
    let (place, target) = (resolved(report), resolved(output));
    let is_taken = |output: &Path| {
        let beside = [index_path(output), recovery_path(output)];
        resolved(output) == place || beside.iter().any(|path| resolved(path) == place)
    };
    if is_taken(output) || is_taken(&target) {
        let report = shown(report);
        bail!("{report}: the output and the report must be different files");
    }
    Ok(())
}

/// The path without links; if the file does not exist yet, the links of its folder are resolved.
fn resolved(path: &Path) -> PathBuf {
    let in_folder = || {
        let name = path.file_name()?;
        Some(fs::canonicalize(folder_of(path)).ok()?.join(name))
    };
    let found = fs::canonicalize(path).ok().or_else(in_folder);
    found.unwrap_or_else(|| path.to_owned())
}

/// Whether two paths name the same file.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    one == other || resolved(one) == resolved(other)
}

/// Removes temporary files of killed runs from a folder, once in a run: a run may write thousands
/// of files to one folder.
pub(crate) fn clear(folder: &Path) {
    static CLEARED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut cleared = CLEARED.lock().unwrap_or_else(PoisonError::into_inner);
    if !cleared.insert(folder.to_owned()) {
        return;
    }
    for path in clear_abandoned(folder) {
        let path = shown(&path);
        note!("{path}: removed this temporary file of a run that was killed");
    }
}

/// As [`create`], for a file that `pgc add` never works on, such as an index.
pub(crate) fn begin(path: &Path, force: bool, inputs: &[PathBuf]) -> anyhow::Result<Output> {
    refuse_inputs(path, inputs)?;
    Output::create_from(path, force, inputs).at(path)
}

/// As [`begin`], for a file that belongs to an archive and gets its permissions and its owner.
pub(crate) fn begin_beside(path: &Path, force: bool, archive: &Path) -> anyhow::Result<Output> {
    refuse_inputs(path, &[archive.to_owned()])?;
    Output::create_beside(path, force, archive).at(path)
}

fn refuse_inputs(path: &Path, inputs: &[PathBuf]) -> anyhow::Result<()> {
    let is_input = |target: PathBuf| {
        let mut inputs = inputs.iter().flat_map(fs::canonicalize);
        inputs.any(|input| input == target && input.is_file())
    };
    if fs::canonicalize(path).is_ok_and(is_input) {
        let path = shown(path);
        bail!(
            "{path}: is also an input, and inputs are never replaced: choose another name with -o"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Path, beside};

    #[test]
    fn names_beside() {
        for (path, expected) in [
            ("games.pgn", "games.pgc"),
            ("a/games.PGN.zst", "a/games.pgc"),
            ("games.zip", "games.pgc"),
            ("games", "games.pgc"),
            ("games 2024.05", "games 2024.05.pgc"),
            ("games.2024.pgn.gz", "games.2024.pgc"),
            ("/tmp/x.txt", "/tmp/x.pgc"),
            (".pgn", ".pgn.pgc"),
        ] {
            assert_eq!(
                beside(Path::new(path), &["pgn", "txt"], "pgc"),
                Path::new(expected)
            );
        }
        assert_eq!(
            beside(Path::new("a/games.pgc"), &["pgc"], "pgn"),
            Path::new("a/games.pgn")
        );
        assert_eq!(
            beside(Path::new("games.bin"), &["pgc"], "pgn"),
            Path::new("games.bin.pgn")
        );
    }
}
