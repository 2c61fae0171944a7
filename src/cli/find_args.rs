//! The command lines of `pgc find` and `pgc names`.

use std::path::PathBuf;

use clap::{ValueEnum, ValueHint};

use super::columns::{self, Column};
use super::indexed::Unusable;
use super::options::{Run, size};
use super::questions::Questions;

/// Find games by date, event, player and more
///
/// Answers from the index beside the archive (`games.pgci` beside `games.pgc`); where there is none
/// that fits, the archive is read, which takes longer. Options that are given several times mean
/// either, different options mean both, and there is a `--not-` form for each question:
/// `--not-event blitz`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Names match by their words, in any order, without regard to case and accents: every word given is a word of the name, \
the last one and single letters may be a beginning, `*` stands for any letters, `=Name` is the whole name exactly. \
A date matches what begins so; a range what lies in it for certain, --maybe adds what could.

Examples:
  pgc find games.pgc -p 'carlsen m' --vs anand -d 2013
  pgc find games.pgc -w tal --result 1-0 --eco B70..B79 -o dragons.pgn
  pgc find ~/chess --event candidates --not-event women -d 1985..1995 --count
  pgc find games.pgc --moves '1.e4 c5' --elo 2600.. --sort date --limit 20
  pgc find games.pgc --tag Annotator=tal --format csv --columns white,black
  pgc find games.pgc --broken --format addresses | pgc get -

Games are written as they were; where one lacks a line end or an empty line before the next, it gets them, and what never \
ends (a comment, moves without a result) is ended, so that each stays a game of its own.

Exit code 1: nothing was found. Exit code 3: a part of an archive is damaged; what was found is in the others.")]
pub(super) struct Find {
    /// Archives, which must be files, or folders of archives (with the folders in them)
    #[arg(value_name = "ARCHIVE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub(super) archives: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) questions: Questions,
    /// Add games whose date or Elo is not known well enough to be sure
    #[arg(long)]
    pub(super) maybe: bool,
    /// Write the games to a file: .pgn as they were written, .pgc packed again, .csv, .jsonl; `-`
    /// is standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,
    /// What to write [default: by the ending of the output, else a table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(super) format: Option<Format>,
    /// The columns of a table, CSV or JSON: address, archive, number, date, white, white_elo,
    /// black, black_elo, result, eco, plies, event, site, round, variant, fen, broken,
    /// result_mismatch, comments, variations, nags, odd_date
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = columns::by_name)]
    pub(super) columns: Vec<&'static Column>,
    /// Print nothing but the number of games
    #[arg(long, conflicts_with_all = ["output", "format", "columns", "sort", "reverse", "limit", "offset", "sample"])]
    pub(super) count: bool,
    /// The order; `date` is that of the 1994 standard, section 12 [default: that of the archives]
    #[arg(long, value_enum, value_name = "KEY")]
    pub(super) sort: Option<Sort>,
    /// The opposite order
    #[arg(long)]
    pub(super) reverse: bool,
    /// At most so many games; 0 is all [default: 40 in a table, else all]
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<u64>,
    /// Pass over so many games first
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(super) offset: u64,
    /// So many of the games, picked at random, each as likely as any other
    #[arg(long, value_name = "N")]
    pub(super) sample: Option<u64>,
    /// Another seed picks others; the same seed picks the same
    #[arg(long, value_name = "S", default_value_t = 0, requires = "sample")]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) lookup: Lookup,
    /// Memory for games in another order than that of their archives, as in 256M
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size)]
    pub(super) memory: usize,
    /// Replace a file that exists
    #[arg(short, long, requires = "output")]
    pub(super) force: bool,
}

/// What `pgc find` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A line for each game, for people
    Table,
    /// The games as they were written
    Pgn,
    /// The games packed again
    Pgc,
    /// A line for each game, with a line of names before
    Csv,
    /// A JSON object for each game, one a line
    Jsonl,
    /// file.pgc:N, which `pgc get` takes
    Addresses,
}

/// By what games are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Sort {
    /// Date, event, site, round, White, Black, result, moves
    Date,
    /// Order of the archives
    Number,
    /// Name of White
    White,
    /// Name of Black
    Black,
    /// Name of the event
    Event,
    /// Name of the site
    Site,
    /// Round
    Round,
    /// Result
    Result,
    /// ECO code
    Eco,
    /// Average Elo, or that of the one player who has one
    Elo,
    /// Elo of White
    WhiteElo,
    /// Elo of Black
    BlackElo,
    /// Half moves
    Plies,
}

/// List the names in archives, with the number of games of each
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pgc names games.pgc carlsen
  pgc names games.pgc --field event candidates --sort name
  pgc names games.pgc --field eco --limit 10

A pattern matches as in `pgc find`.")]
pub(super) struct Names {
    /// Archives, which must be files, or folders of archives; the last argument that is neither,
    /// nor looks like a path, is a pattern
    #[arg(value_name = "ARCHIVE|DIR|PATTERN", required = true, value_hint = ValueHint::AnyPath)]
    pub(super) archives: Vec<PathBuf>,
    /// Which names
    #[arg(long, value_enum, value_name = "FIELD", default_value_t = Field::Player)]
    pub(super) field: Field,
    /// The order: by the number of games, or by name
    #[arg(long, value_enum, value_name = "KEY", default_value_t = NameSort::Count)]
    pub(super) sort: NameSort,
    /// At most so many names; 0 is all
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(super) limit: u64,
    /// How they are written
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = NameFormat::Table)]
    pub(super) format: NameFormat,
    /// Print a JSON object for each name
    #[arg(long, conflicts_with = "format")]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) lookup: Lookup,
}

/// What `find` and `names` take.
#[derive(Debug, clap::Args)]
pub(super) struct Lookup {
    /// Do not read an archive without an index that fits: exit with 3
    #[arg(long)]
    pub(super) require_index: bool,
    /// Folder for temporary files [default: that of the output, or of the system]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) temp_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(super) run: Run,
}

impl Lookup {
    pub(super) fn unusable(&self) -> Unusable {
        Unusable {
            refuse: self.require_index,
            quiet: self.run.quiet,
        }
    }
}

/// Which names are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Field {
    /// Players of either colour
    Player,
    /// Events
    Event,
    /// Sites
    Site,
    /// Rounds
    Round,
    /// ECO codes
    Eco,
    /// The files that the archives were made from
    Source,
}

/// The order of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum NameSort {
    /// The most games first
    Count,
    /// The bytes of the name
    Name,
}

/// How names are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum NameFormat {
    /// A line for each name, for people
    Table,
    /// With a line of names before
    Csv,
    /// A JSON object for each name
    Jsonl,
}
