//! Opens archives, and runs a command on several of them in turn.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use pgc_io::input::{Counter, Source};
use pgc_io::walk::folder_of;

use super::failure::{self, Exit, WithName};
use super::interrupt;
use super::mistaken;
use super::open::open_input;
use super::output::{is_stdin, shown};

/// The endings of the archives in a folder.
const ENDINGS: [&str; 2] = [".pgc", ".pgcz"];

/// The archives in a folder and the folders in it, sorted by name.
pub(super) fn in_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    folder_of(folder, &ENDINGS)
}

/// The archives that the arguments name; a folder stands for the archives in it. A path that does
/// not exist stays in the list: opening it reports the error.
pub(super) fn collection(arguments: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for path in arguments {
        if is_stdin(path) || !path.is_dir() {
            paths.push(path.clone());
            continue;
        }
        let found = in_folder(path)?;
        if found.is_empty() {
            bail!("{}: no archives in this folder (.pgc, .pgcz)", shown(path));
        }
        paths.extend(found);
    }
    Ok(paths)
}

/// Opens an archive, which may be compressed; `-` is standard input.
pub(super) fn open(path: &Path, counter: &Counter) -> anyhow::Result<Source> {
    open_as(path, counter, false)
}

/// As [`open`]; `pgn2pgc` allows the files of that program too.
pub(super) fn open_as(path: &Path, counter: &Counter, pgn2pgc: bool) -> anyhow::Result<Source> {
    let mut input = open_input(path, "stdin.pgc", counter)?;
    if input.sources() != 1 {
        bail!("{}: holds several files: extract them first", shown(path));
    }
    let source = input.next().context("no source")?.at(path)?;
    let reader = Box::new(InterruptibleReader(source.reader));
    mistaken::refuse_others(Source { reader, ..source }, path, pgn2pgc)
}

/// A reader that fails once the user interrupts. Some functions of the library never call
/// [`pgc::Hooks::cancelled`], but all of them read.
struct InterruptibleReader(Box<dyn Read + Send>);

impl Read for InterruptibleReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        interrupt::check()?;
        self.0.read(buf)
    }
}

/// Calls `work` for each archive. An error ends the work on that archive only; the gravest outcome
/// is returned.
pub(super) fn for_each<A>(
    archives: impl IntoIterator<Item = A>,
    mut work: impl FnMut(A) -> anyhow::Result<Exit>,
) -> Exit {
    let mut gravest = Exit::Done;
    for archive in archives {
        match work(archive) {
            Ok(exit) => gravest = gravest.max(exit),
            Err(error) => match failure::report(&error) {
                // The output pipe is closed, or the user interrupted.
                end @ (Exit::Done | Exit::Interrupted) => return end,
                exit => gravest = gravest.max(exit),
            },
        }
    }
    gravest
}
