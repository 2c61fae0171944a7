//! The command line: every argument and every word of help.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgAction, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use pgc::Loss;
use pgc::internals::archive::SplitBy;

use super::find_args::{Find, Names};
use super::options::{Archives, Run, Sources, To, Work};

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    nothing found, or something dropped because you allowed it
  2    wrong usage, or reading or writing failed
  3    an archive is damaged, or is not what it is compared with
  130  interrupted";

/// Keeps chess archives: PGN to PGC and back, to the byte.
#[derive(Debug, Parser)]
#[command(name = "pgc", version, after_help = EXIT_CODES, propagate_version = true, arg_required_else_help = true)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Pack(Pack),
    Add(Add),
    Merge(Merge),
    Split(Split),
    Unpack(Unpack),
    Test(Test),
    Try(Try),
    List(List),
    Index(Index),
    Get(Get),
    Info(Info),
    Find(Box<Find>),
    Names(Names),
    Records(Records),
    Completions(Completions),
    Man(Man),
}

/// Turn PGN files into an archive
///
/// Inputs may be compressed (gzip, bzip2, xz, zstd, zip); what they are is told by their content.
/// Each is a source of its own, kept with its file name; of several files with one path in a zip
/// file, the second is games-2.pgn, and so on. Unless told otherwise, every block is decoded again
/// and compared with its source before it is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pgc pack games.pgn                      writes games.pgc beside it, and its index games.pgci
  pgc pack 2023.pgn.zst 2024.pgn.zst -o both.pgc
  pgc pack -r ~/chess -o all.pgc          every PGN file in the folder
  zcat games.pgn.gz | pgc pack - -o games.pgc
  pgc pack --standard --drop comment,nag games.pgn

A file that exists is replaced only with -f. Inputs are never deleted.")]
pub(super) struct Pack {
    #[command(flatten)]
    pub(super) sources: Sources,
    /// The archive to write [default: the input's name with the ending .pgc]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,
    /// Write to standard output
    #[arg(short = 'c', long, conflicts_with_all = ["output", "json"])]
    pub(super) stdout: bool,
    /// Write nothing that the 1994 standard does not know; stop at what that cannot carry
    #[arg(long)]
    pub(super) standard: bool,
    /// With --standard, drop these kinds of things (or `all`), and count and list them
    #[arg(long, value_name = "KIND", requires = "standard", value_delimiter = ',', action = ArgAction::Append,
          value_parser = loss_names())]
    pub(super) drop: Vec<String>,
    /// Keep what could be read of a compressed input that ends early
    #[arg(long)]
    pub(super) partial: bool,
    #[command(flatten)]
    pub(super) work: Work,
    #[command(flatten)]
    pub(super) to: To,
}

/// Add PGN files to an archive, at its end
///
/// Each input becomes a source of its own, as with pack. Bytes that are in the archive already are
/// never changed, and an addition that is stopped, by whatever, leaves the archive as it was.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pgc add all.pgc twic1500.pgn
  pgc add all.pgc --skip-known downloads/*.pgn.zst

With --skip-known a game is left out if one with the same tags and the same moves is in the archive already, or comes again in the inputs; \
comments and variations play no part. The source that is kept is what remains of the input, and of an input with nothing new there is none.

An addition that was stopped by force (a power cut, say) may leave its beginning behind the archive, which all commands ignore. The next add cuts \
it off, unless blocks that are whole stand in it, or the index knows more of the archive: then --discard-unfinished has to ask for that.")]
pub(super) struct Add {
    /// The archive
    #[arg(value_name = "ARCHIVE", value_hint = ValueHint::FilePath)]
    pub(super) archive: PathBuf,
    #[command(flatten)]
    pub(super) sources: Sources,
    /// Leave out games whose tags and moves are in the archive already
    #[arg(long)]
    pub(super) skip_known: bool,
    /// Cut off an addition that was never finished, whatever still stands in it
    #[arg(long)]
    pub(super) discard_unfinished: bool,
    /// Leave the index beside the archive as it is: it no longer fits
    #[arg(long)]
    pub(super) no_index: bool,
    /// Replace a report that exists
    #[arg(short, long, requires = "report")]
    pub(super) force: bool,
    #[command(flatten)]
    pub(super) work: Work,
}

/// Make one archive of several
///
/// Their segments follow one another, byte for byte; the archives stay. With --sorted there is one
/// segment with all games in the order that the standard of 1994 defines: by date, event, site,
/// round, players, result and moves.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pgc merge 2023.pgc 2024.pgc -o both.pgc
  pgc merge --sorted *.pgc -o all.pgc

With --sorted each game is kept as it was written; text outside games is left out, and counted.")]
pub(super) struct Merge {
    /// Archives
    #[arg(value_name = "ARCHIVE", required = true, value_hint = ValueHint::FilePath)]
    pub(super) archives: Vec<PathBuf>,
    /// The archive to write
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) output: PathBuf,
    /// One segment, its games in collating order
    #[arg(long)]
    pub(super) sorted: bool,
    /// With --sorted, do not decode and compare each block before it is written
    #[arg(long, requires = "sorted")]
    pub(super) no_verify: bool,
    #[command(flatten)]
    pub(super) work: Work,
    #[command(flatten)]
    pub(super) to: To,
}

/// Deal the games of an archive to files
///
/// The files are named as section 11 of the standard says: 1992, 199205, the event, or the last
/// name of the player (what stands before the comma). Each game is kept as it was written, in the
/// order of the archive; text outside games is left out, and counted.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pgc split all.pgc --by year              all/1992.pgc, all/1993.pgc and so on
  pgc split all.pgc --by player --format pgn -o players
  pgc split all.pgc --by games=100000      all/all-01.pgc, all/all-02.pgc and so on

Digits of a date that are not known are 0. By player, a game is in the files of both. Names are changed where a file system could not take \
them, and get a number where it would take two for one.")]
pub(super) struct Split {
    /// An archive
    #[arg(value_name = "ARCHIVE", value_hint = ValueHint::FilePath)]
    pub(super) archive: PathBuf,
    /// What decides: year, month, event, player, or games=N for N games to a file
    #[arg(long, value_name = "WHAT", value_parser = by)]
    pub(super) by: SplitBy,
    /// The folder for the files [default: the archive's name without its ending]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) output: Option<PathBuf>,
    /// What files are written
    #[arg(long, value_enum, default_value = "pgc")]
    pub(super) format: SplitFormat,
    #[command(flatten)]
    pub(super) work: Work,
    #[command(flatten)]
    pub(super) to: To,
}

/// What `split` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SplitFormat {
    /// Archives
    Pgc,
    /// Text
    Pgn,
}

fn loss_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Loss::ALL.into_iter().map(Loss::name).chain(["all"]))
}

/// Turn archives back into the files they were made from
///
/// An archive of `pgc` gives back the bytes of its sources; any other PGC stream gives PGN in
/// export format.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pgc unpack games.pgc                    writes games.pgn beside it
  pgc unpack all.pgc -o chess/            each source by its name, in a folder
  pgc unpack -c games.pgc | less

In a folder, a name that comes again gets a number: games.pgn, games-2.pgn. A name that would leave the folder, or that no \
file can have, is changed, and the exit code is 1. With -c the sources follow one another.")]
pub(super) struct Unpack {
    #[command(flatten)]
    pub(super) of: Archives,
    /// The file to write, or a folder (one that exists, or a name that ends in `/`) [default: the
    /// archive's name with the ending .pgn]
    #[arg(short, long, value_name = "FILE|DIR/", value_hint = ValueHint::AnyPath)]
    pub(super) output: Option<PathBuf>,
    /// Write to standard output
    #[arg(short = 'c', long, conflicts_with = "output")]
    pub(super) stdout: bool,
    /// Write export format instead of the bytes of the source
    #[arg(long)]
    pub(super) export: bool,
    /// Write export format in UTF-8 instead of Latin-1
    #[arg(long)]
    pub(super) utf8: bool,
    /// Read the files of another program
    #[arg(long, value_name = "NAME", value_enum)]
    pub(super) dialect: Option<Dialect>,
    /// Treat the private escapes of archives as `%` lines
    #[arg(long)]
    pub(super) foreign: bool,
    #[command(flatten)]
    pub(super) run: Run,
    /// Replace files that exist
    #[arg(short, long)]
    pub(super) force: bool,
}

/// Programs whose PGC is not quite the standard's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Dialect {
    /// The program pgn2pgc
    Pgn2pgc,
}

/// Check archives: lengths, checksums, every ordinal, the digest of every source, and the index
/// beside it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pgc test *.pgc
  pgc test games.pgc --against games.pgn.zst
  pgc test --sha256 games.pgc             prints the SHA-256 of each source

Exit code 3: an archive is damaged, or does not unpack to the file it is compared with.")]
pub(super) struct Test {
    #[command(flatten)]
    pub(super) of: Archives,
    /// Only lengths and checksums
    #[arg(long, conflicts_with_all = ["sha256", "against"])]
    pub(super) quick: bool,
    /// Print the SHA-256 of each source too
    #[arg(long)]
    pub(super) sha256: bool,
    /// Compare what the archive unpacks to with this file (it may be compressed)
    #[arg(long, value_name = "PGN", value_hint = ValueHint::FilePath)]
    pub(super) against: Option<PathBuf>,
    #[command(flatten)]
    pub(super) work: Work,
}

/// See what an archive of a PGN file would be like
///
/// Packs the file, unpacks it again, compares every byte, and says where the bytes of the archive
/// go. Nothing stays on the disk.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pgc try games.pgn
  pgc try -j 1 2024.pgn.zst")]
pub(super) struct Try {
    /// PGN files, which may be compressed
    #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::FilePath)]
    pub(super) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) run: Run,
}

/// List the sources in archives
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  pgc list all.pgc

The digest is BLAKE3: `b3sum` prints the same for the file.")]
pub(super) struct List {
    #[command(flatten)]
    pub(super) of: Archives,
    /// Print one JSON object for each archive
    #[arg(long)]
    pub(super) json: bool,
}

/// Make the index of archives anew
///
/// `pack` and `add` write it themselves: this is for archives of other programs, and for an index
/// that is lost, damaged or out of date. It stands beside the archive, `games.pgci` beside
/// `games.pgc`, and is the same, byte for byte, however it is made.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pgc index games.pgc                     writes games.pgci
  pgc index --verify *.pgc                makes them again and compares
  pgc index --dialect pgn2pgc old.pgc")]
pub(super) struct Index {
    /// Archives, which must be files
    #[arg(value_name = "ARCHIVE", required = true, value_hint = ValueHint::FilePath)]
    pub(super) archives: Vec<PathBuf>,
    /// The index to write [default: beside the archive]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,
    /// Check the index that is there against the archive
    #[arg(long, conflicts_with_all = ["hashes", "force"])]
    pub(super) verify: bool,
    /// Add hashes of the games, by which games that come again are found
    #[arg(long)]
    pub(super) hashes: bool,
    /// Read the files of another program
    #[arg(long, value_name = "NAME", value_enum)]
    pub(super) dialect: Option<Dialect>,
    #[command(flatten)]
    pub(super) work: Work,
    /// Replace a file that is no index
    #[arg(short, long)]
    pub(super) force: bool,
}

/// Get games by their numbers, as they were written
///
/// Games count from 1. Numbers belong to the archive before them; an address like games.pgc:12
/// names both.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pgc get games.pgc 12
  pgc get games.pgc 5-9 12..20 100
  pgc get a.pgc:12 b.pgc:3
  pgc get games.pgc 12 --format board --ply 40
  pgc find games.pgc -p Tal --format addresses | pgc get -

Exit code 1: there is no such game.")]
pub(super) struct Get {
    /// An archive and numbers (12), ranges (5-9, 12..20, 12..) or `-` for those on standard input;
    /// or addresses
    #[arg(value_name = "ARCHIVE|NUMBER|ADDRESS", required = true, value_hint = ValueHint::FilePath)]
    pub(super) games: Vec<String>,
    /// What to print of each game
    #[arg(long, value_enum, default_value_t = GetFormat::Pgn)]
    pub(super) format: GetFormat,
    /// With --format board: the position behind so many plies [default: the last]
    #[arg(long, value_name = "K")]
    pub(super) ply: Option<usize>,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,
    /// Do without the index
    #[arg(long, conflicts_with = "require_index")]
    pub(super) no_index: bool,
    /// Fail where the index is missing, damaged or out of date
    #[arg(long)]
    pub(super) require_index: bool,
    /// Say nothing of an index that cannot be used
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Replace files that exist
    #[arg(short, long)]
    pub(super) force: bool,
}

/// Forms of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum GetFormat {
    /// The text as it was written
    Pgn,
    /// An object with tags and moves, one a line
    Json,
    /// A diagram
    Board,
}

/// Show what is in archives: games, plies, and where the bytes go
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  pgc info --json games.pgc")]
pub(super) struct Info {
    #[command(flatten)]
    pub(super) of: Archives,
    /// Print one JSON object for each archive
    #[arg(long)]
    pub(super) json: bool,
}

/// Print the records of an archive, readable, with their offsets
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  pgc records games.pgc | less")]
pub(super) struct Records {
    /// An archive, or `-` for standard input
    #[arg(value_name = "ARCHIVE", value_hint = ValueHint::FilePath)]
    pub(super) archive: PathBuf,
}

/// Print shell completions
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  pgc completions bash > ~/.local/share/bash-completion/completions/pgc")]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(super) shell: Shell,
}

/// Print the manual page of the program or of a command, or write all of them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pgc man | man -l -
  pgc man find | man -l -                 the options of find
  pgc man --out-dir ~/.local/share/man/man1")]
pub(super) struct Man {
    /// The command, for its options
    #[arg(value_name = "COMMAND", conflicts_with = "out_dir")]
    pub(super) of: Option<String>,
    /// Write pgc.1, pgc-pack.1 and so on to this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) out_dir: Option<PathBuf>,
}

/// The value of `--by`.
fn by(text: &str) -> Result<SplitBy, String> {
    match text {
        "year" => Ok(SplitBy::Year),
        "month" => Ok(SplitBy::Month),
        "event" => Ok(SplitBy::Event),
        "player" => Ok(SplitBy::Player),
        _ => match text.strip_prefix("games=").map(str::parse::<u64>) {
            Some(Ok(games)) if games > 0 => Ok(SplitBy::Games(games)),
            _ => Err("is none of year, month, event, player, games=N".to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn command_line_is_sound() {
        super::Args::command().debug_assert();
    }

    /// Text that is wrapped by hand would be wrapped a second time, into lines of which every other
    /// one is short.
    #[test]
    fn help_is_wrapped_once() {
        const WIDTH: usize = 80;
        for command in super::Args::command().get_subcommands() {
            let help = command
                .clone()
                .term_width(WIDTH)
                .render_long_help()
                .to_string();
            let is_prose =
                |line: &str| !line.is_empty() && !line.starts_with(' ') && !line.ends_with(':');
            for (line, next) in help.lines().zip(help.lines().skip(1)) {
                if is_prose(line) && is_prose(next) {
                    let word = next.split(' ').next().unwrap_or_default();
                    assert!(
                        line.chars().count() + 1 + word.len() > WIDTH,
                        "{}: {line}",
                        command.get_name()
                    );
                }
            }
        }
    }
}
