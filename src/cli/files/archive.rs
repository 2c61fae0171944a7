//! Opens inputs and archives, and runs a command on several of them in turn.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use pgc_io::input::{Counter, Input, Source};
use pgc_io::walk::folder_of;

use crate::failure::{self, Exit, WithName};
use crate::files::indexed::again_if_false;
use crate::files::mistaken;
use crate::interrupt::{Interruptible, Pipe};
use crate::show::output::{is_stdin, shown};

/// The archives in a folder and the folders in it, sorted by name: at least one.
pub(crate) fn in_folder(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let found = folder_of(folder, &[".pgc", ".pgcz"]).at(folder)?;
    if found.is_empty() {
        bail!(
            "{}: no archives in this folder (.pgc, .pgcz)",
            shown(folder)
        );
    }
    Ok(found)
}

/// The archives that the arguments name; a folder stands for the archives in it. A path that does
/// not exist stays in the list: opening it reports the error.
pub(crate) fn collection(arguments: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for path in arguments {
        match !is_stdin(path) && path.is_dir() {
            true => paths.extend(in_folder(path)?),
            false => paths.push(path.clone()),
        }
    }
    Ok(paths)
}

/// Opens an input of any kind by path; `-` is standard input.
pub(crate) fn open_input(
    path: &Path,
    stdin_name: &str,
    counter: &Counter,
) -> anyhow::Result<Input> {
    let input = if is_stdin(path) {
        Input::from_reader(stdin_name, Pipe::stdin()?, counter)
    } else if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Input::from_reader(&name, Pipe::open(path.to_owned()).at(path)?, counter)
    } else {
        Input::open(path, counter)
    };
    input.at(path)
}

/// Opens an archive, which may be compressed; `-` is standard input.
pub(crate) fn open(path: &Path, counter: &Counter) -> anyhow::Result<Source> {
    open_as(path, counter, false)
}

/// As [`open`]; `pgn2pgc` allows the files of that program too.
pub(crate) fn open_as(path: &Path, counter: &Counter, pgn2pgc: bool) -> anyhow::Result<Source> {
    let mut input = open_input(path, "stdin.pgc", counter)?;
    if input.sources() != 1 {
        bail!("{}: holds several files: extract them first", shown(path));
    }
    let source = input.next().context("no source")?.at(path)?;
    let reader = Box::new(Interruptible(source.reader));
    mistaken::refuse_others(Source { reader, ..source }, path, pgn2pgc)
}

/// Calls `work` for each archive. An error ends the work on that archive only, and the gravest
/// outcome is returned, unless the output pipe is closed or the user interrupted.
pub(crate) fn for_each<A: Copy>(
    archives: impl IntoIterator<Item = A>,
    mut work: impl FnMut(A) -> anyhow::Result<Exit>,
) -> anyhow::Result<Exit> {
    let mut gravest = Exit::Done;
    for archive in archives {
        gravest = gravest.max(match again_if_false(true, || work(archive)) {
            Err(error) if failure::is_quiet(&error) => return Err(error),
            done => done.unwrap_or_else(|error| failure::report(&error)),
        });
    }
    Ok(gravest)
}
