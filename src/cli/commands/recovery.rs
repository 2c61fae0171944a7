//! `pgc protect` and `pgc repair`.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::ValueHint;
use pgc::beside::{index_path, map_index, recovery_path};
use pgc::indexing::IndexOptions;
use pgc::recovery::protect::protect;
use pgc::recovery::repair::{Cover, Harm, Repair};
use pgc::{Archive, Error, ErrorKind, IndexState, TestDepth, TestOptions};
use pgc_io::input::Counter;
use pgc_io::output::folder_of;
use pgc_io::read_at::{OpenFile, ReadAt};
use serde_json::json;

use crate::args::options::{RunOptions, build_options};
use crate::commands::index::renew;
use crate::failure::{Exit, WithName};
use crate::files::archive;
use crate::files::destination;
use crate::files::indexed;
use crate::interrupt;
use crate::show::output::{
    counted, grouped, is_stdin, note_line, percent, print_json, print_line, shown, shown_output,
};
use crate::show::watch::{ArchiveWatch, Bar};

/// Write recovery data, from which a damaged archive can be repaired
///
/// pgc divides the archive into shards of 512 to 4,096 bytes, and computes spare shards: --percent
/// of their number. They go to the file games.pgcr beside games.pgc. As long as no group of up to
/// 8,192 shards has more damaged shards than spare shards, `pgc repair` restores every byte. The
/// recovery file may be damaged too: a damaged spare shard counts as a damaged shard of the
/// archive, and half of the checksums are enough.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/protect.txt"))]
pub(crate) struct ProtectArgs {
    /// Archives (files, not standard input), or folders of archives
    #[arg(value_name = "ARCHIVE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    archives: Vec<PathBuf>,
    /// Spare shards for each hundred shards, from 0.01 to 100
    #[arg(long, value_name = "N", default_value = "5", value_parser = share)]
    percent: u64,
    /// The file to write, or `-` for standard output [default: beside the archive]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(short, long)]
    force: bool,
    /// Print the summary as JSON on standard output, one object on each line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    run: RunOptions,
}

/// Repair a damaged archive with its recovery data
///
/// Without -o, pgc only says what is damaged, and whether it can be repaired. With -o, it writes
/// the archive as it was when `pgc protect` ran, followed by the bytes that were added since. A
/// digest proves that every protected byte is right, before the file appears.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/repair.txt"))]
pub(crate) struct RepairArgs {
    /// The archive
    #[arg(value_name = "ARCHIVE", value_hint = ValueHint::FilePath)]
    archive: PathBuf,
    /// The recovery data [default: beside the archive]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    recovery: Option<PathBuf>,
    /// The file to write, or `-` for standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Write the archive even if some shards cannot be repaired; these stay damaged
    #[arg(long, requires = "output")]
    partial: bool,
    /// Replace an existing file
    #[arg(short, long, requires = "output")]
    force: bool,
    /// Print the summary as JSON on standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    run: RunOptions,
}

/// Parses a percentage, into hundredths of a percent.
fn share(text: &str) -> Result<u64, String> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part:0<2}");
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = matches!((whole.len(), part.len()), (1..=3, ..=2));
    match digits.parse() {
        Ok(share @ 1..=10_000) if are_digits && is_short => Ok(share),
        _ => Err("write a percentage from 0.01 to 100, such as 5 or 2.5".to_owned()),
    }
}

/// Opens a file to be read in pieces.
fn open(path: &Path) -> anyhow::Result<OpenFile> {
    if is_stdin(path) {
        bail!("standard input cannot be read twice: name a file");
    }
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        bail!("{}: is not a file", shown(path));
    }
    let file = File::open(path).at(path)?;
    OpenFile::new(file, path).at(path)
}

/// A progress bar for `total` bytes.
fn bar(total: u64, run: &RunOptions) -> Bar {
    Bar::new(Some(total), &Counter::default(), run.quiet)
}

pub(crate) fn run_protect(args: &ProtectArgs) -> anyhow::Result<Exit> {
    let paths = archive::collection(&args.archives)?;
    if args.output.is_some() && paths.len() > 1 {
        bail!(
            "-o names one file, but there are several archives: without -o, each gets a file beside it"
        );
    }
    archive::for_each(&paths, |path| protect_one(args, path))
}

/// Tests lengths and checksums only.
fn quick(run: &RunOptions) -> TestOptions {
    TestOptions {
        threads: run.jobs,
        ..TestDepth::Quick.into()
    }
}

/// Checks the lengths and checksums of an archive; returns its length without an unfinished
/// addition.
fn whole_length(path: &Path, args: &ProtectArgs) -> anyhow::Result<u64> {
    let counter = Counter::default();
    let mut source = archive::open(path, &counter)?;
    let bar = Bar::new(source.raw_len, &counter, args.run.quiet);
    let mut watch = ArchiveWatch::new(shown(path), Some(&bar));
    pgc::test(&mut source.reader, &quick(&args.run), &mut watch).at(path)?;
    let size = path.metadata().at(path)?.len();
    Ok(size - watch.unfinished.min(size))
}

fn protect_one(args: &ProtectArgs, path: &Path) -> anyhow::Result<Exit> {
    let bytes = open(path)?;
    let length = whole_length(path, args)?;
    let place = args.output.clone().unwrap_or_else(|| recovery_path(path));
    let mut output = match is_stdin(&place) {
        true => destination::create(&place, args.force, &[])?,
        false => {
            destination::clear(folder_of(&place));
            destination::begin_beside(&place, args.force, path)?
        }
    };
    let bar = bar(2 * length, &args.run);
    let made = protect(&bytes, length, args.percent, &mut output, &mut &bar).at(path)?;
    bar.finish();
    output.commit().at(&place)?;
    if args.json && !is_stdin(&place) {
        let mut json = json!(made);
        json["archive"] = path.display().to_string().into();
        json["recovery"] = place.display().to_string().into();
        json["protected"] = length.into();
        print_json(&json)?;
    } else if !args.run.quiet {
        let (name, bytes) = (shown_output(&place), counted(made.bytes, "byte"));
        let share = percent(made.bytes, length);
        note_line!("{name}: {bytes}, {share} of the archive");
        let spares = counted(made.spares, "spare shard");
        let shards = counted(made.shards, "shard");
        let (each, groups) = (grouped(made.shard_bytes), counted(made.groups, "group"));
        note_line!("  {spares} for {shards} of {each} bytes, in {groups}");
    }
    Ok(Exit::Done)
}

pub(crate) fn run_repair(args: &RepairArgs) -> anyhow::Result<Exit> {
    let path = &args.archive;
    let place = args.recovery.clone().unwrap_or_else(|| recovery_path(path));
    let bytes = open(path)?;
    if !place.exists() {
        let (path, place) = (shown(path), shown(&place));
        bail!(
            "{path}: has no recovery data ({place}): run `pgc protect` while an archive is whole"
        );
    }
    let recovery = open(&place)?;
    let blamed = |error: Error| match error.kind() {
        ErrorKind::Damaged => error.within(&place),
        _ => error.within(path),
    };
    let seen = bar(bytes.size(), &args.run);
    let repair = Repair::new(&bytes, &recovery, &mut &seen).map_err(blamed)?;
    seen.finish();
    let harm = repair.harm();
    let is_written = match &args.output {
        Some(to) if harm.lost == 0 || args.partial => {
            let inputs = [path.clone(), place.clone()];
            let mut output = destination::create(to, args.force, &inputs)?;
            let seen = bar(harm.length, &args.run);
            repair.write(&mut output, &mut &seen).map_err(blamed)?;
            seen.finish();
            output.commit().at(to)?;
            true
        }
        _ => false,
    };
    let behind = bytes.size().saturating_sub(harm.length);
    let result = RepairResult {
        args,
        place: &place,
        harm,
        behind,
        is_sound: behind == 0 || is_sound(path, harm.length, args)?,
        is_written,
        is_whole: harm.damaged.is_empty() || (is_written && harm.lost == 0),
    };
    result.tell()?;
    let to = args.output.as_deref().filter(|to| !is_stdin(to));
    if let Some(to) = to.filter(|_| is_written) {
        renew_index(to, result.is_whole && result.is_sound, args)?;
        if !args.run.quiet && !destination::is_same(&recovery_path(to), &place) {
            indexed::tell_unprotected(to);
        }
    }
    Ok(Exit::damaged_if(!result.is_whole || !result.is_sound))
}

/// Whether the bytes from `from` on are segments, or an unfinished addition, as `pgc add` appends
/// them.
fn is_sound(path: &Path, from: u64, args: &RepairArgs) -> anyhow::Result<bool> {
    let mut file = File::open(path).at(path)?;
    file.seek(SeekFrom::Start(from)).at(path)?;
    // Zeros behind an archive mean nothing, but they are no archive.
    if BufReader::new(&file)
        .bytes()
        .all(|byte| matches!(byte, Ok(0)))
    {
        return Ok(true);
    }
    file.seek(SeekFrom::Start(from)).at(path)?;
    let mut watch = ArchiveWatch::new(shown(path), None);
    match pgc::test(&mut file, &quick(&args.run), &mut watch) {
        Ok(_) => Ok(true),
        Err(Error::Io(error)) => Err(error).at(path),
        Err(_) => interrupt::cancelled().map(|()| false).map_err(Into::into),
    }
}

/// Makes the index beside a repaired archive again, if it is that of the archive which was replaced.
/// Removes it if the archive is still damaged, so that none can be made.
fn renew_index(to: &Path, is_whole: bool, args: &RepairArgs) -> anyhow::Result<()> {
    let place = index_path(to);
    let fits = || Archive::open(to).is_ok_and(|it| *it.index_state() == IndexState::Used);
    match indexed::may_replace(&place, false) {
        Ok(true) if !fits() => {}
        Err(error) if error.root_cause().is::<io::Error>() => return Err(error),
        // Another file of this name stays.
        _ => return Ok(()),
    }
    let lines = map_index(&place).ok().is_none_or(|index| index.has_lines());
    let build = build_options(MEMORY, None, &place, lines);
    let options = IndexOptions::new(build, args.run.jobs);
    let made = renew(to, &place, &options, args.run.quiet);
    interrupt::cancelled()?;
    let told = match made {
        Ok((bytes, games)) => indexed::line(&place, bytes, games),
        // The old one stays: whoever asks the archive is told that it belongs to another.
        Err(error) if is_whole => return Err(error),
        Err(_) => {
            fs::remove_file(&place).at(&place)?;
            let (place, to) = (shown(&place), shown(to));
            format!("{place}: was removed, since it is not the index of {to}, which is damaged")
        }
    };
    if !args.run.quiet {
        note_line(&told);
    }
    Ok(())
}

/// The damage of an archive, and whether a repaired copy was written.
struct RepairResult<'a> {
    args: &'a RepairArgs,
    /// The recovery file.
    place: &'a Path,
    harm: &'a Harm,
    /// Bytes of the archive behind those that are protected.
    behind: u64,
    /// Whether those are whole, as far as they show.
    is_sound: bool,
    is_written: bool,
    /// Whether the archive is whole, or its copy.
    is_whole: bool,
}

impl RepairResult<'_> {
    fn tell(&self) -> anyhow::Result<()> {
        let args = self.args;
        // If the archive goes to standard output, the lines go to standard error; damage that stays
        // is told there with --quiet too.
        let to_stdout = args.output.as_deref().is_some_and(is_stdin);
        if args.json && !to_stdout {
            print_json(&self.json())?;
        } else if !(args.run.quiet && self.is_whole && self.is_sound) {
            for line in self.lines() {
                match to_stdout || args.run.quiet {
                    true => note_line(&line),
                    false => print_line(&line)?,
                }
            }
        }
        Ok(())
    }

    fn json(&self) -> serde_json::Value {
        let harm = self.harm;
        json!({
            "archive": self.args.archive.display().to_string(),
            "recovery": self.place.display().to_string(),
            "ok": harm.damaged.is_empty() && self.is_sound,
            "protected": harm.length,
            "not_protected": self.behind,
            "shards": harm.shards,
            "shard_bytes": harm.shard_bytes,
            "damaged": harm.damaged,
            "lost": harm.lost,
            "damaged_packets": harm.packets.0,
            "written": self.is_written,
        })
    }

    fn lines(&self) -> Vec<String> {
        let (harm, place) = (self.harm, shown(self.place));
        let mut lines = vec![format!("{}: {}", shown(&self.args.archive), self.found())];
        let runs = harm.damaged.chunk_by(|one, next| one + 1 == *next);
        for run in runs.take(SHOWN) {
            let from = run[0] * harm.shard_bytes;
            let to = harm.length.min((run[run.len() - 1] + 1) * harm.shard_bytes);
            lines.push(format!("  damaged: bytes {from} to {to}"));
        }
        if harm.packets.0 > 0 {
            lines.push(format!(
                "  {place}: {} of {} packets are damaged: make it again with `pgc protect -f` once the archive is whole",
                grouped(harm.packets.0),
                grouped(harm.packets.1)
            ));
        }
        if self.behind > 0 {
            let bytes = counted(self.behind, "byte");
            lines.push(match self.is_sound {
                true => format!("  the last {bytes} are not protected: they were added later"),
                false => format!(
                    "  the last {bytes} are not protected, and are damaged or no part of an archive: `pgc test {}` says more",
                    shown(&self.args.archive)
                ),
            });
        }
        if 2 * harm.damaged.len() as u64 > harm.shards {
            lines.push(format!(
                "  is {place} of another archive? The right one can be named with -r"
            ));
        }
        lines.extend(self.outcome());
        lines
    }

    /// How many shards are damaged, and how many of these are lost.
    fn found(&self) -> String {
        let harm = self.harm;
        let (shards, bytes) = (counted(harm.shards, "shard"), grouped(harm.shard_bytes));
        let shards = format!("{shards} of {bytes} bytes");
        let damaged = grouped(harm.damaged.len() as u64);
        let is_as = match harm.shards {
            1 => "is as it was",
            _ => "are as they were",
        };
        match (harm.damaged.is_empty(), harm.lost) {
            (true, _) if self.is_sound => format!("ok: {shards} {is_as}"),
            (true, _) => format!("{shards} {is_as}, but not what follows"),
            (false, 0) => format!("{damaged} of {shards} damaged, and all can be restored"),
            (false, lost) => format!(
                "{damaged} of {shards} damaged, and {} of them cannot be restored",
                grouped(lost)
            ),
        }
    }

    /// What was written, or why nothing was.
    fn outcome(&self) -> Option<String> {
        match (&self.args.output, self.is_written) {
            (Some(to), true) if !is_stdin(to) => Some(format!("{}: written", shown(to))),
            (Some(_), false) => {
                Some("  nothing is written: --partial writes what can be restored".to_owned())
            }
            (None, _) if !self.harm.damaged.is_empty() => {
                Some("  nothing is written: name a file with -o".to_owned())
            }
            _ => None,
        }
    }
}

/// The recovery file beside an archive, and which part of the archive it protects.
pub(crate) struct Covered {
    place: PathBuf,
    /// `None` if no packet is whole.
    cover: Option<Cover>,
    size: u64,
}

impl Covered {
    /// `None` if there is no such file.
    pub(crate) fn beside(path: &Path) -> Option<Covered> {
        let place = recovery_path(path);
        let file = File::open(&place).ok()?;
        let file = OpenFile::new(file, &place).ok()?;
        Some(Covered {
            cover: Cover::read(&file).ok()?,
            size: path.metadata().ok()?.len(),
            place,
        })
    }

    /// A message if the recovery file is damaged or out of date; it says what to do.
    pub(crate) fn complaint(&self) -> Option<String> {
        let place = shown(&self.place);
        let Some(cover) = &self.cover else {
            return Some(format!(
                "{place}: is not a recovery file, or no part of it is whole"
            ));
        };
        let behind = self.size.saturating_sub(cover.length);
        let (damaged, all) = (grouped(cover.packets.0), grouped(cover.packets.1));
        let what = match (behind, cover.packets.0) {
            (0, 0) => return None,
            (0, _) => format!("{damaged} of {all} packets are damaged"),
            _ => format!("the last {} are not protected", counted(behind, "byte")),
        };
        Some(format!(
            "{place}: {what}: make it again with `pgc protect -f`"
        ))
    }

    /// A line of `pgc info`.
    pub(crate) fn line(&self) -> String {
        let share = match &self.cover {
            Some(cover) => format!("{} % of spare shards", cover.share as f64 / 100.0),
            None => "damaged".to_owned(),
        };
        format!("  recovery data: {share}")
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        json!(self.cover.as_ref().map(|cover| json!({
            "protected": cover.length,
            "not_protected": self.size.saturating_sub(cover.length),
            "percent": cover.share as f64 / 100.0,
            "damaged_packets": cover.packets.0,
        })))
    }
}

/// The memory of a run that makes an index.
const MEMORY: usize = 256 << 20;

/// The most damaged ranges that are listed.
const SHOWN: usize = 20;

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn percentages() {
        for (text, expected) in [
            ("5", 500),
            ("2.5", 250),
            ("0.01", 1),
            ("100", 10_000),
            ("12.34", 1234),
        ] {
            assert_eq!(share(text), Ok(expected), "{text}");
        }
        for text in ["", "0", "0.001", "100.01", "-1", "5%", "1e2", ".5", "1000"] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
