//! `pgc index`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::bail;
use pgc::beside::{index_path, map_index};
use pgc::{Hooks, IndexState, indexing::IndexOptions};
use pgc_index::{BuildOptions, Index};
use pgc_io::{input::Counter, mmap::Map, named};
use serde_json::json;

use crate::args;
use crate::args::options::{WorkOptions, build_options};
use crate::failure::{Exit, WithName};
use crate::files::still::{Stamp, TRIES};
use crate::files::{archive, indexed, mistaken};
use crate::interrupt::{self, Interruptible};
use crate::show::output::{counted, is_stdin, print_json, shown};
use crate::show::watch::{ArchiveWatch, Bar, Watch};

pub(crate) fn run(args: &args::IndexArgs) -> anyhow::Result<Exit> {
    let paths = archive::collection(&args.archives)?;
    if args.output.is_some() && paths.len() > 1 {
        bail!(
            "-o names one index, but there are several archives: without -o, each index goes beside its archive"
        );
    }
    archive::for_each(&paths, |path| one(args, path))
}

fn one(args: &args::IndexArgs, path: &Path) -> anyhow::Result<Exit> {
    if is_stdin(path) {
        bail!("standard input cannot be read twice: name a file");
    }
    let started = Instant::now();
    let place = args.output.clone().unwrap_or_else(|| index_path(path));
    mistaken::refuse_other_file(path)?;
    // Opened for its errors, which say why a file cannot have an index.
    let options = indexed::IN_ORDER.with_index(false);
    let archive = indexed::open(path, options.passing_damage(args.partial))?;
    if args.verify {
        let (games, is_compared) = verify(path, &place, &args.work)?;
        if args.work.json {
            print_json(
                &json!({ "archive": path.display().to_string(), "index": place.display().to_string(), "ok": true, "games": games }),
            )?;
        } else if !args.work.run.quiet {
            let games = counted(games, "game");
            let only = match is_compared {
                true => "",
                false => " (its checksums; an index of a later version is not compared)",
            };
            print_line!("{}: ok{only}: {games}", shown(&place))?;
        }
        return Ok(Exit::Done);
    }
    indexed::tell_unfinished(&archive);
    drop(archive);
    let (bytes, games, exit) = placed(path, &place, args)?;
    let seconds = started.elapsed().as_secs_f64();
    if args.work.json {
        print_json(&json!({
            "archive": path.display().to_string(),
            "index": place.display().to_string(),
            "games": games,
            "bytes": bytes,
            "seconds": seconds,
        }))?;
    } else if !args.work.run.quiet {
        let line = indexed::line(&place, bytes, games);
        note_line!("{line}, {}, {seconds:.1} s", counted(games, "game"));
    }
    Ok(exit)
}

/// Makes the index of an archive that may be damaged, and moves it to its place; returns its length,
/// the number of games, and the exit code. Starts again if another program changes the archive
/// meanwhile, and perhaps writes a newer index.
fn placed(path: &Path, place: &Path, args: &args::IndexArgs) -> anyhow::Result<(u64, u64, Exit)> {
    let mut force = args.force;
    for _ in 0..TRIES {
        let before = Stamp::new(path);
        let mut output = indexed::create(place, force, path)?;
        let options = IndexOptions {
            passes_damage: args.partial,
            ..args.work.index(place, !args.no_positions)
        };
        let mut watch = ArchiveWatch::new(shown(path), None);
        let archive = (path, &mut File::open(path).at(path)?);
        let (bytes, games) = match args.partial {
            true => make_with(archive, &options, &mut output, &mut watch)?,
            false => make(archive, &options, &mut output, args.work.run.quiet)?,
        };
        let fits = || !before.archive_differs();
        if !output.commit_beside(path, fits).at(place)? {
            continue;
        }
        let is_right = || Against::new(path, place, &args.work)?.structure();
        if !before.has_changed_archive() || is_right().is_ok() {
            return Ok((bytes, games, watch.exit()));
        }
        force = true;
    }
    let path = shown(path);
    bail!("{path}: other programs keep changing it: make its index again later")
}

/// Writes the index of an archive, which may not have its name yet; returns its length and the number
/// of games.
pub(crate) fn make(
    archive: (&Path, &mut File),
    options: &IndexOptions,
    out: &mut dyn Write,
    quiet: bool,
) -> anyhow::Result<(u64, u64)> {
    let length = archive.1.metadata().map(|metadata| metadata.len()).ok();
    let counter = Counter::default();
    let bar = Bar::new(length, &counter, quiet);
    let made = make_with(archive, options, out, &mut Watch::silent(&bar));
    bar.finish();
    made
}

/// Makes the index of an archive, in the place of an older one; returns its length and the number of
/// games.
pub(crate) fn renew(
    path: &Path,
    place: &Path,
    options: &IndexOptions,
    quiet: bool,
) -> anyhow::Result<(u64, u64)> {
    let mut output = indexed::create(place, false, path)?;
    let archive = (path, &mut File::open(path).at(path)?);
    let made = make(archive, options, &mut output, quiet)?;
    output.commit().at(place)?;
    Ok(made)
}

fn make_with(
    (path, file): (&Path, &mut File),
    options: &IndexOptions,
    out: &mut dyn Write,
    hooks: &mut dyn Hooks,
) -> anyhow::Result<(u64, u64)> {
    let out = &mut Interruptible(out);
    let made = pgc::indexing::index(file, out, options, hooks);
    interrupt::cancelled()?;
    let (sizes, games) = made.at(path)?;
    Ok((sizes.total, games))
}

/// Makes the index again and compares it with the existing one, if it [can be](Against::is_comparable);
/// returns the number of games, and whether it was compared.
pub(crate) fn verify(path: &Path, place: &Path, work: &WorkOptions) -> anyhow::Result<(u64, bool)> {
    let against = Against::new(path, place, work)?;
    let options = IndexOptions::new(against.build(), work.run.jobs);
    let mut file = File::open(path).at(path)?;
    let make = |out: &mut dyn Write| make((path, &mut file), &options, out, work.run.quiet);
    let (_, games) = against.compare(make)?;
    Ok((games, against.is_comparable()))
}

/// An existing index that is checked against its archive.
pub(crate) struct Against<'p> {
    path: &'p Path,
    place: &'p Path,
    index: Index<Map>,
    work: &'p WorkOptions,
}

impl<'p> Against<'p> {
    pub(crate) fn new(
        path: &'p Path,
        place: &'p Path,
        work: &'p WorkOptions,
    ) -> anyhow::Result<Against<'p>> {
        let index = map_index(place).map_err(|state| match (state, File::open(place)) {
            (IndexState::Damaged(why), Ok(_)) => wrong(path, place, &why),
            // An index that may not be read is not damaged.
            (IndexState::Damaged(_), Err(error)) => named(error, shown(place)).into(),
            _ => wrong(path, place, "is missing"),
        })?;
        Ok(Against {
            path,
            place,
            index,
            work,
        })
    }

    fn wrong(&self, what: &str) -> anyhow::Error {
        wrong(self.path, self.place, what)
    }

    /// Options for making the index again.
    pub(crate) fn build(&self) -> BuildOptions {
        let (memory, folder) = (self.work.memory, self.work.temp_dir.clone());
        let folder = folder.unwrap_or_else(std::env::temp_dir);
        build_options(memory, Some(&folder), self.place, self.index.has_lines())
    }

    /// Checks that the index is undamaged and belongs to the archive, without making it again.
    pub(crate) fn structure(&self) -> anyhow::Result<()> {
        let verified = self.index.verify(self.work.run.jobs);
        verified.map_err(|error| self.wrong(&error.to_string()))?;
        let archive = indexed::open(self.path, indexed::IN_ORDER.with_index(false))?;
        match archive.admits(&self.index).at(self.path)? {
            IndexState::Used => {
                let proven = archive.proves_blocks(&self.index);
                proven.map_err(|error| self.wrong(&error.to_string()))
            }
            IndexState::NotMine(why) | IndexState::Damaged(why) => Err(self.wrong(&why)),
            _ => Err(self.wrong("cannot be used")),
        }
    }

    /// Whether the index can be compared with one that this program makes: a later minor version may
    /// have what this program does not make.
    pub(crate) fn is_comparable(&self) -> bool {
        !self.index.frame().is_later()
    }

    /// Compares the index with the bytes that `make` writes, if that is possible. Equal bytes need no
    /// further check. If they differ, the error comes from [`Against::structure`] if possible, which
    /// says more.
    pub(crate) fn compare<T>(
        &self,
        make: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        if !self.is_comparable() {
            self.structure()?;
            return make(&mut io::sink());
        }
        let mut same = Same::new(File::open(self.place)?);
        let made = make(&mut same);
        if made.is_ok() && !same.is_other && same.at == self.index.data().len() as u64 {
            return made;
        }
        self.structure()?;
        made?;
        let at = same.at;
        Err(self.wrong(&format!(
            "is not the index of this archive: it differs at byte {at}"
        )))
    }
}

/// A writer that compares bytes with those of a reader, up to the first difference. An index is read
/// instead of mapped for that: mapped pages count as used memory, and an index can be large.
pub(crate) struct Same<R> {
    pub(crate) other: R,
    /// The last bytes read.
    there: Vec<u8>,
    /// The number of bytes that are the same.
    pub(crate) at: u64,
    pub(crate) is_other: bool,
    /// Whether the reader ended first.
    pub(crate) is_short: bool,
}

impl<R: Read> Same<R> {
    pub(crate) fn new(other: R) -> Same<R> {
        Same {
            other,
            there: Vec::new(),
            at: 0,
            is_other: false,
            is_short: false,
        }
    }

    /// Compares further bytes; returns whether all are the same until now.
    pub(crate) fn goes_on(&mut self, bytes: &[u8]) -> io::Result<bool> {
        if !self.is_other {
            self.there.clear();
            let mut other = self.other.by_ref().take(bytes.len() as u64);
            other.read_to_end(&mut self.there)?;
            let same = self.there.iter().zip(bytes).take_while(|(a, b)| a == b);
            let same = match self.there == bytes {
                true => bytes.len(),
                false => same.count(),
            };
            self.at += same as u64;
            self.is_other = same < bytes.len();
            self.is_short = self.is_other && same == self.there.len();
        }
        Ok(!self.is_other)
    }
}

impl<R: Read> Write for Same<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.goes_on(bytes).map(|_| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn wrong(path: &Path, place: &Path, what: &str) -> anyhow::Error {
    let (place, path) = (shown(place), shown(path));
    Exit::Damaged.error(format!(
        "{place}: {what} (make it again with `pgc index {path}`)"
    ))
}
