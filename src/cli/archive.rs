//! Opens archives, and takes several of them one after another.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use pgc::internals::io::{Counter, Source};

use super::exit::Exit;
use super::failure;
use super::interrupt;
use super::mistaken;
use super::open::open_input;
use super::output::shown;

/// Opens an archive, which may be compressed; `-` is standard input.
pub(super) fn open(path: &Path, counter: &Counter) -> anyhow::Result<Source> {
    open_as(path, counter, false)
}

/// The same, perhaps of the program pgn2pgc.
pub(super) fn open_as(path: &Path, counter: &Counter, pgn2pgc: bool) -> anyhow::Result<Source> {
    let mut input = open_input(path, "stdin.pgc", counter)?;
    if input.sources() != 1 {
        bail!(
            "{}: a zip file with several files in it: unpack it first",
            shown(path)
        );
    }
    let source = input
        .next()
        .context("no source")?
        .with_context(|| shown(path))?;
    let reader = Box::new(Interruptible(source.reader));
    mistaken::refuse_others(Source { reader, ..source }, path, pgn2pgc)
}

/// Not all of the library's functions ask whether to go on, but all of them read.
struct Interruptible(Box<dyn Read + Send>);

impl Read for Interruptible {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        interrupt::check()?;
        self.0.read(buf)
    }
}

/// Does the same to each archive. An error ends the work on one of them only; the gravest outcome
/// counts.
pub(super) fn for_each(
    archives: &[PathBuf],
    mut work: impl FnMut(&Path) -> anyhow::Result<Exit>,
) -> Exit {
    let mut gravest = Exit::Done;
    for archive in archives {
        match work(archive) {
            Ok(exit) => gravest = gravest.max(exit),
            Err(error) => match failure::report(&error) {
                // Nobody reads on, or nobody wants to.
                end @ (Exit::Done | Exit::Interrupted) => return end,
                exit => gravest = gravest.max(exit),
            },
        }
    }
    gravest
}
