//! The arguments of the commands that make archives of games: `pack`, `add`, `merge` and `split`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgAction, ValueEnum, ValueHint};
use pgc::Loss;
use pgc::join::split::SplitBy;

use crate::args::options::{InputOptions, WorkOptions, WriteOptions};

/// Turn PGN files into an archive, or convert archives
///
/// Inputs may be compressed (gzip, bzip2, xz, zstd) or packed together (zip, tar); pgc recognises
/// each by its content. Each file becomes a source of its own in the archive, under its name, or
/// its path inside the zip file, the tar file or the folder (with -r); if a zip file holds two files
/// with the same path, the second is named games-2.pgn, and so on. An archive among the inputs adds
/// its sources, under their names. Before pgc writes a block, it decodes the block and
/// compares the text with the source (--no-verify skips that).
///
/// A file whose name ends in .epd (or .epd.gz and so on), or any file with --epd, is read as EPD:
/// each line is a game without moves, with its position and its operations. With --pieces, moves
/// are read with the piece letters of another language; the archive stores which, so no other
/// command needs the option.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/pack.txt"))]
pub(crate) struct PackArgs {
    #[command(flatten)]
    pub(crate) sources: InputOptions,
    /// The archive to write; a name that ends in .pgcz asks for the small form [default: the
    /// input's name with the extension .pgc]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Write to standard output
    #[arg(short = 'c', long, conflicts_with_all = ["output", "json"])]
    pub(crate) stdout: bool,
    /// Write the small form, which takes less space and more time: games.pgcz instead of games.pgc
    #[arg(long, conflicts_with = "standard")]
    pub(crate) small: bool,
    /// Write only what the 1994 standard defines; stop at anything it cannot represent
    #[arg(long)]
    pub(crate) standard: bool,
    /// With --standard, drop these kinds of data (or `all`) instead of stopping; count and list
    /// them
    #[arg(long, value_name = "KIND,...", requires = "standard", value_delimiter = ',', action = ArgAction::Append,
          value_parser = loss_names())]
    pub(crate) drop: Vec<String>,
    /// Keep the readable part of a compressed input that is cut off
    #[arg(long)]
    pub(crate) partial: bool,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
    #[command(flatten)]
    pub(crate) to: WriteOptions,
}

/// Add PGN files, or the sources of archives, to an archive, at its end
///
/// Each input becomes a source of its own, as with pack. The existing bytes of the archive never
/// change: an addition that fails or is interrupted, for any reason, leaves the archive as it was.
/// If only the index cannot be written, the games are in the archive; pgc says so, with exit code
/// 2.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/add.txt"))]
pub(crate) struct AddArgs {
    /// The archive
    #[arg(value_name = "ARCHIVE", value_hint = ValueHint::FilePath)]
    pub(crate) archive: PathBuf,
    #[command(flatten)]
    pub(crate) sources: InputOptions,
    /// Leave out games that the archive already has, with the same tags and moves
    #[arg(long)]
    pub(crate) skip_known: bool,
    /// Leave out games that the archive already has, with the same moves, players, year and result,
    /// whatever their other tags
    #[arg(long, conflicts_with = "skip_known")]
    pub(crate) skip_duplicates: bool,
    /// Cut off an unfinished addition even if it holds complete blocks
    #[arg(long)]
    pub(crate) discard_unfinished: bool,
    /// Do not update the index beside the archive (it will be out of date)
    #[arg(long)]
    pub(crate) no_index: bool,
    /// Replace an existing report
    #[arg(short, long, requires = "report")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
}

/// Merge several archives into one
///
/// The segments of the archives are copied one after another, and converted if the output is in
/// another form (.pgc or .pgcz); the input archives stay. With --sorted there is one segment, with all
/// games in order: by date, event, round, players and result.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/merge.txt"))]
pub(crate) struct MergeArgs {
    /// Archives, or folders of archives
    #[arg(value_name = "ARCHIVE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) archives: Vec<PathBuf>,
    /// The archive to write
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Write one segment, its games in collating order
    #[arg(long, conflicts_with_all = ["json", "no_index", "no_positions"])]
    pub(crate) sorted: bool,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
    #[command(flatten)]
    pub(crate) to: WriteOptions,
}

/// Split an archive into files
///
/// The files are named as section 11 of the standard says: 1992, 199205, 19920531, the event, or
/// the last name of the player (the part before the comma). Each game keeps its text, and games
/// keep the order of the archive; text outside games is left out, and counted.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/split.txt"))]
pub(crate) struct SplitArgs {
    /// An archive
    #[arg(value_name = "ARCHIVE", value_hint = ValueHint::FilePath)]
    pub(crate) archive: PathBuf,
    /// How to split: by year, month, day, event, player, or games=N for N games a file [default
    /// with --tree: day]
    #[arg(long, value_name = "WHAT", value_parser = by, required_unless_present = "tree")]
    pub(crate) by: Option<SplitBy>,
    /// Make the directory tree of sections 11.4 and 11.5 of the standard: a folder for each year
    /// with its days (or months, with --by month), Players, or Events
    #[arg(long)]
    pub(crate) tree: bool,
    /// The folder for the files [default: the archive's name without its extension]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,
    /// The format of the files [default: pgcz for an archive of that name, else pgc]
    #[arg(long, value_enum)]
    pub(crate) format: Option<SplitFormat>,
    /// Write the files even if damage took some of their games
    #[arg(long)]
    pub(crate) partial: bool,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
    #[command(flatten)]
    pub(crate) to: WriteOptions,
}

/// What `split` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SplitFormat {
    /// Archives
    Pgc,
    /// Archives in the small form
    Pgcz,
    /// Text
    Pgn,
}

fn loss_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Loss::ALL.map(|known| known.0).into_iter().chain(["all"]))
}

/// The value of `--by`.
fn by(text: &str) -> Result<SplitBy, String> {
    match text {
        "year" => Ok(SplitBy::Year),
        "month" => Ok(SplitBy::Month),
        "day" => Ok(SplitBy::Day),
        "event" => Ok(SplitBy::Event),
        "player" => Ok(SplitBy::Player),
        _ => match text.strip_prefix("games=").map(str::parse::<u64>) {
            Some(Ok(games)) if games > 0 => Ok(SplitBy::Games(games)),
            _ => Err("use year, month, day, event, player or games=N".to_owned()),
        },
    }
}
