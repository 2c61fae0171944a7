//! The command line: every argument and every word of help. Commands with many options of their own
//! have them in files beside this one.

pub(crate) mod addresses;
pub(crate) mod find;
pub(crate) mod options;
pub(crate) mod pack;
pub(crate) mod people;
pub(crate) mod places;
pub(crate) mod questions;
pub(crate) mod suggestions;

use std::env;
use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use pgc_chess::{EpSquare, has_vectors};
use pgc_pgn::epd::game::Plies;

use crate::args::find::{FindArgs, NamesArgs, QuestionsArgs};
use crate::args::options::{
    Archives, RunOptions, ShowPieces, WorkOptions, WriteOptions, ep_square,
};
use crate::args::pack::{AddArgs, MergeArgs, PackArgs, SplitArgs};
use crate::commands::dups::DupsArgs;
use crate::commands::edit::EditArgs;
use crate::commands::import_sgf::ImportSgfArgs;
use crate::commands::lint::LintArgs;
use crate::commands::recovery::{ProtectArgs, RepairArgs};
use crate::commands::stats::StatsArgs;
use crate::commands::table::TableArgs;
use crate::commands::tree::TreeArgs;
use crate::commands::view::ViewArgs;
#[cfg(feature = "serve")]
use crate::serve::ServeArgs;

/// The commands as help groups them; hidden ones are in no group.
const GROUPS: [(&str, &str); 6] = [
    ("Begin", "try"),
    ("Make archives", "pack add merge edit split"),
    ("Get files and games back", "unpack get view"),
    ("Ask", "find tree stats table names dups serve"),
    (
        "Check and repair",
        "info test lint index protect repair salvage",
    ),
    ("More", "import-sgf completions"),
];

/// The commands in groups, and the exit codes; `all` is built.
fn commands(all: &clap::Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        text += &format!("{title}:\n");
        let commands = names.split(' ');
        for command in commands.filter_map(|name| all.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            text += &format!("  {:<12} {about}\n", command.get_name());
        }
        text.push('\n');
    }
    text + "`pgc help COMMAND` says more, `pgc help questions` what can be asked.\n\n" + EXIT_CODES
}

/// Help without clap's own list of commands.
const HELP: &str = "{about}\n\n{usage-heading} {usage}{after-help}";

const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    nothing was found, something was dropped, games ran together, files were renamed, or lint has findings
  2    wrong usage, or reading or writing failed
  3    an archive is damaged, differs from its file, or lacks a required index
  130  interrupted";

/// The version, and which code this processor runs.
fn long_version() -> &'static str {
    if has_vectors() {
        concat!(env!("CARGO_PKG_VERSION"), "\nvectors: AVX2")
    } else {
        concat!(
            env!("CARGO_PKG_VERSION"),
            "\nvectors: none (AVX2 is faster)"
        )
    }
}

/// Pack chess games from PGN into archives, search them, and get every byte back
#[derive(Debug, Parser)]
#[command(name = "pgc", version, long_version = long_version(), help_template = HELP, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// `defer`: clap makes the arguments of a command when the command is asked for. Whoever wants to see
/// them all calls `clap::Command::build` before.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    Pack(PackArgs),
    Add(AddArgs),
    Edit(Box<EditArgs>),
    Merge(MergeArgs),
    Split(SplitArgs),
    Unpack(UnpackArgs),
    Test(TestArgs),
    Salvage(SalvageArgs),
    Try(TryArgs),
    Lint(LintArgs),
    ImportSgf(ImportSgfArgs),
    Index(IndexArgs),
    Get(GetArgs),
    Info(InfoArgs),
    Find(Box<FindArgs>),
    Names(NamesArgs),
    Tree(Box<TreeArgs>),
    Dups(Box<DupsArgs>),
    Stats(Box<StatsArgs>),
    Table(Box<TableArgs>),
    View(ViewArgs),
    #[cfg(feature = "serve")]
    Serve(ServeArgs),
    Protect(ProtectArgs),
    Repair(RepairArgs),
    #[command(hide = true)]
    Records(RecordsArgs),
    Completions(CompletionsArgs),
    #[command(hide = true)]
    Man(ManArgs),
    #[command(hide = true)]
    Questions(Box<QuestionsArgs>),
}

/// The command line. Commands show a dozen questions in their help, `pgc help questions` shows all.
pub(crate) fn command() -> clap::Command {
    let mut built = Args::command();
    built.build();
    let all = Args::command().after_help(commands(&built));
    // Completions of `pgc help` show what commands do before their arguments are made.
    all.mut_subcommands(|one| match built.find_subcommand(one.get_name()) {
        Some(same) => one.about(same.get_about().cloned().unwrap_or_default()),
        None => one,
    })
}

/// The command line, to parse these arguments. The list of commands is not made for a command, whose
/// help does not show it.
pub(crate) fn command_for(mut arguments: env::ArgsOs) -> clap::Command {
    let all = Args::command();
    match arguments.nth(1) {
        Some(word) if all.find_subcommand(&word).is_some() => all,
        _ => command(),
    }
}

/// Restore the files that archives were made from
///
/// From an archive made by `pgc`, the files come back byte for byte; from any other PGC stream, the
/// games in export format.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/unpack.txt"))]
pub(crate) struct UnpackArgs {
    #[command(flatten)]
    pub(crate) of: Archives,
    /// The file to write, or a folder (an existing one, or a name that ends in `/`) [default: the
    /// archive's name with the extension .pgn]
    #[arg(short, long, value_name = "FILE|DIR/", value_hint = ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,
    /// Write to standard output
    #[arg(short = 'c', long, conflicts_with = "output")]
    pub(crate) stdout: bool,
    /// Write export format instead of the bytes of the source
    #[arg(long)]
    pub(crate) export: bool,
    /// Write reduced export format (3.2.4): the seven tag pairs of the roster and the main line,
    /// nothing else
    #[arg(long, conflicts_with = "export")]
    pub(crate) reduced: bool,
    /// Write UTF-8: export format instead of Latin-1, and sources instead of the encoding that they had
    #[arg(long)]
    pub(crate) utf8: bool,
    /// With --export or --reduced: write null moves as `--`, and the moves behind them as moves,
    /// which export format keeps in comments
    #[arg(long)]
    pub(crate) null_moves: bool,
    #[command(flatten)]
    pub(crate) show: ShowPieces,
    /// Read the PGC dialect of another program
    #[arg(long, value_name = "NAME", value_parser = ["pgn2pgc"])]
    pub(crate) dialect: Option<String>,
    /// Treat pgc's private escapes as ordinary `%` lines
    #[arg(long)]
    pub(crate) foreign: bool,
    /// Write files even from a damaged archive, with every block that is whole (standard output
    /// gets those anyway)
    #[arg(long)]
    pub(crate) partial: bool,
    /// Print the summary as JSON on standard output, one object for each archive
    #[arg(long, conflicts_with = "stdout")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) run: RunOptions,
    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Check archives and their indexes: lengths, checksums, every move, the digest of every source
///
/// Messages name every damaged block, with the games and the bytes of the source that are missing.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/test.txt"))]
pub(crate) struct TestArgs {
    #[command(flatten)]
    pub(crate) of: Archives,
    /// Check lengths and checksums only
    #[arg(long, conflicts_with_all = ["sha256", "against"])]
    pub(crate) quick: bool,
    /// Also unpack each game, parse its text again, and compare the result with its records
    #[arg(long, conflicts_with = "quick")]
    pub(crate) deep: bool,
    /// Also print the SHA-256 of each source
    #[arg(long)]
    pub(crate) sha256: bool,
    /// Compare the unpacked text with this file (which may be compressed)
    #[arg(long, value_name = "PGN", value_hint = ValueHint::FilePath)]
    pub(crate) against: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
}

/// Make a whole archive of what is left of a damaged one
///
/// Finds every whole block, wherever it stands: behind damage, without a beginning or an end, or
/// among pieces of other files. Messages say which games and which bytes of the sources are missing.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/salvage.txt"))]
pub(crate) struct SalvageArgs {
    /// The damaged archive, or `-` for standard input
    #[arg(value_name = "BROKEN", value_hint = ValueHint::FilePath)]
    pub(crate) archive: PathBuf,
    /// The archive to write (.pgc, or .pgcz for the small form)
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Write every gap to a file, as JSON Lines (`-` for standard output)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
    #[command(flatten)]
    pub(crate) to: WriteOptions,
}

/// Try pgc on PGN files, without leaving a file behind
///
/// Packs each file into a temporary archive, unpacks it again, compares every byte, and shows which
/// kinds of data take how many bytes.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/try.txt"))]
pub(crate) struct TryArgs {
    /// PGN files, which may be compressed
    #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunOptions,
}

/// Make the indexes of archives again
///
/// Commands that write an archive write its index too. This command is for archives of other
/// programs, and for an index that is lost, damaged or out of date. The index of `games.pgc` is the
/// file `games.pgci` beside it; its bytes are the same whichever command makes it.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/index.txt"))]
pub(crate) struct IndexArgs {
    /// Archives (files, not standard input), or folders of archives
    #[arg(value_name = "ARCHIVE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) archives: Vec<PathBuf>,
    /// The index to write [default: beside the archive]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Check the existing index: make it again and compare
    #[arg(long, conflicts_with_all = ["no_positions", "force"])]
    pub(crate) verify: bool,
    /// Leave out the first moves of the games: the index is smaller, and questions about moves and
    /// positions read the games
    #[arg(long)]
    pub(crate) no_positions: bool,
    /// Index a damaged archive: only the games that are whole, numbered as if there were no others
    #[arg(long, conflicts_with = "verify")]
    pub(crate) partial: bool,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
    /// Replace an existing file that is not an index
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Get games by their numbers, as they were written
///
/// Games are numbered from 1. A number belongs to the archive named before it; an address like
/// games.pgc:12 names both.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/get.txt"))]
pub(crate) struct GetArgs {
    /// An archive followed by numbers (12), ranges (5-9, 12..20, 12..) or `-` to read numbers from
    /// standard input; or addresses
    #[arg(value_name = "ARCHIVE|NUMBER|ADDRESS", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) games: Vec<String>,
    /// What to print of each game [default: what the ending of -o says (.sgf, .epd, .json), else pgn,
    /// or with --ply board]
    #[arg(long, value_enum)]
    pub(crate) format: Option<GetFormat>,
    /// Print a position as FEN, in one line (short for --format fen)
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(crate) fen: bool,
    /// Print a JSON object for each game, one line each (short for --format json)
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// The position after K plies (half moves); with --fen and --format epd also several: 20..40,
    /// 20.., all [default: the last]
    #[arg(long, value_name = "K", value_parser = places::plies)]
    pub(crate) ply: Option<Plies>,
    /// When FEN and EPD have the en passant square: legal (where a capture is legal, as chess
    /// libraries and Lichess write it) or always (after each double step of a pawn, 16.1.3.4)
    /// [default: legal]
    #[arg(long, value_name = "WHEN", value_parser = ep_square)]
    pub(crate) ep: Option<EpSquare>,
    #[command(flatten)]
    pub(crate) show: ShowPieces,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Write the file even if damage took some of its games
    #[arg(long)]
    pub(crate) partial: bool,
    /// Do not use the index
    #[arg(long, conflicts_with = "require_index")]
    pub(crate) no_index: bool,
    /// Fail if the index is missing, damaged or out of date
    #[arg(long)]
    pub(crate) require_index: bool,
    /// Do not warn about an unusable index
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Replace existing files
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// Forms of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GetFormat {
    /// The text as it was written (a line of EPD as PGN)
    Pgn,
    /// A JSON object with tags and moves, one line for each game
    Json,
    /// A diagram of a position
    Board,
    /// A position as FEN, in one line
    Fen,
    /// A position as EPD, in one line: with its counters, the move played there, and the game
    Epd,
    /// A game tree of SGF (spec/sgf.md)
    Sgf,
}

/// Summarise archives: games, plies, and which kinds of data take how many bytes
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/info.txt"))]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) of: Archives,
    /// List only the sources, each with its digest, which is quicker
    #[arg(long)]
    pub(crate) sources: bool,
    /// Print one JSON object for each archive
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the records of an archive in readable form, with their offsets
///
/// In the small form, the records of a block are shown decoded, after the head of the block; their
/// offsets count from the beginning of the decoded block, and begin with `+`.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/records.txt"))]
pub(crate) struct RecordsArgs {
    /// An archive, or `-` for standard input
    #[arg(value_name = "ARCHIVE", value_hint = ValueHint::FilePath)]
    pub(crate) archive: PathBuf,
}

/// Print shell completions
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/completions.txt"))]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Print the manual page of the program or of a command, or write all of them
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/man.txt"))]
pub(crate) struct ManArgs {
    /// Print the page of this command, with its options
    #[arg(value_name = "COMMAND", conflicts_with = "out_dir")]
    pub(crate) of: Option<String>,
    /// Write pgc.1, pgc-pack.1 and so on to this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out_dir: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    /// No command pays for the arguments of the others.
    #[test]
    fn arguments_are_made_when_they_are_asked_for() {
        let all = super::Args::command();
        let made = all.get_subcommands().map(|one| one.get_arguments().count());
        assert_eq!(made.sum::<usize>(), 0);
        // Completions of `pgc help` say what commands do all the same.
        let all = super::command();
        assert!(all.get_subcommands().all(|one| one.get_about().is_some()));
    }

    #[test]
    fn command_line_is_sound() {
        super::command().debug_assert();
    }

    /// Clap wraps the help texts: a text that is also wrapped by hand would have every other line
    /// short.
    #[test]
    fn help_is_wrapped_once() {
        const WIDTH: usize = 80;
        for command in super::command().get_subcommands() {
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
