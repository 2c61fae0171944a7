//! The command lines of `pgc find` and `pgc names`, and which formats go with which options.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Command, FromArgMatches, ValueEnum, ValueHint};
use pgc::ask::order::SortKey;
use pgc::{Answer, Archive, OpenOptions, Query};
use pgc_chess::EpSquare;
use pgc_index::NameField;
use pgc_io::output::folder_of;

use crate::args::options::{OUTPUT, RARE, RunOptions, ShowPieces, ep_square, size};
use crate::args::places::{self, Places};
use crate::args::{
    people::PeopleOptions,
    questions::{self, Questions},
};
use crate::failure::WithName;
#[cfg(feature = "parquet")]
use crate::files::table_files;
use crate::files::{destination, indexed::Unusable};
use crate::show::footer::{Footer, field_name};
use crate::show::output::{is_stdin, shown};
use crate::show::{
    columns::{self, CsvOptions},
    unknown::similar,
};

/// The groups of optional columns of tables, and what stands for none of them.
const GROUPS: [&str; 11] = [
    "tags", "moves", "san", "clocks", "evals", "comments", "nags", "pgn", "key", "fen", NOTHING,
];
pub(crate) const NOTHING: &str = "nothing";

/// The end of the help of `pgc find`.
fn after_find() -> String {
    let tables = match cfg!(feature = "parquet") {
        true => "  pgc find games.pgc -o games.parquet\n",
        false => "",
    };
    include_str!("../help/find.txt").replace("{tables}", tables)
}

/// Find games by date, event, player and more
#[derive(Debug, clap::Args)]
#[command(next_help_heading = OUTPUT, after_help = after_find())]
pub(crate) struct FindArgs {
    /// Archives (files, not standard input), or folders, searched recursively
    #[arg(help_heading = None, value_name = "ARCHIVE|DIR", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) archives: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) ask: Questions,
    /// Write a file: .pgn games as they were written, .pgc and .pgcz packed again, .csv, .jsonl, .epd,
    /// .sgf, .parquet (needs a pgc built with the feature parquet)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// The format [default: by the extension of the file, else a table]: table, pgn, pgc, csv, jsonl,
    /// addresses (games.pgc:12), epd, sgf, parquet
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true)]
    pub(crate) format: Option<FindFormat>,
    /// Print a JSON object for each game, one a line (as --format jsonl; spec/manual/json.md)
    #[arg(long, conflicts_with_all = ["format", "output"])]
    pub(crate) json: bool,
    /// Print only the number of games
    #[arg(long, conflicts_with_all = ["output", "format", "at", "ep", "columns", "csv_safe", "table", "with", "sort", "reverse", "limit", "offset", "sample"])]
    pub(crate) count: bool,
    /// The columns of a table, CSV, JSON or Parquet: date,white,black,opening (a wrong name lists all);
    /// or any tag, spelled as in PGN: PlyCount. In Parquet +utc_time is one more than usual
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
    #[command(flatten)]
    pub(crate) csv: CsvOptions,
    /// The rows of CSV, JSON and Parquet: games, positions (all of each game), or nodes (all moves,
    /// variations too) [default: games]
    #[arg(long, value_enum, value_name = "TABLE", hide_possible_values = true)]
    pub(crate) table: Option<TableName>,
    /// Sort by date, standard (section 12 of the standard), number, white, black, event, site, round,
    /// result, eco, elo, white-elo, black-elo or plies [default: number]
    #[arg(long, value_parser = sort_key(), value_name = "KEY", hide_possible_values = true)]
    pub(crate) sort: Option<SortKey>,
    /// Reverse the order
    #[arg(long)]
    pub(crate) reverse: bool,
    /// Show at most N games; 0 shows all [default: 40 in a table, else all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    /// Skip the first N games
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) offset: u64,
    /// Of several copies of a game (as `pgc dups` finds them) show only the best: with the most
    /// comments, NAGs and variations, then with the most tags, then the first
    #[arg(long)]
    pub(crate) unique: bool,
    /// Replace an existing file
    #[arg(short, long, requires = "output")]
    pub(crate) force: bool,
    /// The positions that --format epd writes: match (what a question asks for), end, start, all, 40
    /// (after 40 half moves), 20..40 [default: match if a question asks for one, else end]
    #[arg(long, value_name = "WHERE", value_parser = places::places, help_heading = RARE)]
    pub(crate) at: Option<Places>,
    /// When FEN and EPD have the en passant square: legal (where a capture is legal, as chess
    /// libraries and Lichess write it) or always (after each double step of a pawn, 16.1.3.4)
    /// [default: legal]
    #[arg(long, value_name = "WHEN", value_parser = ep_square)]
    pub(crate) ep: Option<EpSquare>,
    #[command(flatten, next_help_heading = RARE)]
    pub(crate) show: ShowPieces,
    /// More columns of Parquet files. Of games: tags, moves, san, clocks, evals, comments, nags,
    /// pgn; of positions and nodes: key, fen, moves, san, clocks, evals, comments, nags; or nothing
    /// [default: all but san and pgn; key,moves; all but key and fen]
    #[arg(long, value_parser = GROUPS, value_name = "NAME,...", hide = cfg!(not(feature = "parquet")))]
    #[arg(value_delimiter = ',', hide_possible_values = true, help_heading = RARE)]
    pub(crate) with: Vec<String>,
    /// The most rows of a row group of a Parquet file [default: 122880 games, 1966080 positions]
    #[arg(long, value_name = "N", help_heading = RARE, hide = cfg!(not(feature = "parquet")))]
    pub(crate) group_rows: Option<usize>,
    /// The level of Zstandard of a Parquet file, 1 to 22 [default: 9]
    #[arg(long, value_name = "LEVEL", help_heading = RARE, hide = cfg!(not(feature = "parquet")))]
    #[arg(value_parser = clap::value_parser!(i32).range(1..=22))]
    pub(crate) zstd: Option<i32>,
    /// Write a folder of Parquet files, divided by the values of a column: -o FOLDER --partition year
    #[arg(long, value_name = "COLUMN", requires = "output", help_heading = RARE, hide = cfg!(not(feature = "parquet")))]
    pub(crate) partition: Option<String>,
    /// Pick N of the games at random, each with equal probability
    #[arg(long, value_name = "N", help_heading = RARE)]
    pub(crate) sample: Option<u64>,
    /// Seed of --sample: the same seed picks the same games
    #[arg(long, value_name = "S", default_value_t = 0, requires = "sample", help_heading = RARE)]
    pub(crate) seed: u64,
    /// Write the file even if damage took some of its games, or an archive cannot be read
    #[arg(long, help_heading = RARE)]
    pub(crate) partial: bool,
    /// Memory for games in another order than that of the archive, for example 1G
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = size, help_heading = RARE)]
    pub(crate) memory: usize,
    #[command(flatten)]
    pub(crate) lookup: Lookup,
}

fn sort_key() -> impl TypedValueParser<Value = SortKey> {
    PossibleValuesParser::new(SortKey::names()).try_map(|name| {
        let key = SortKey::from_name(&name);
        key.ok_or("there is no such key")
    })
}

impl FindArgs {
    /// The arguments that name all games of these archives, with the defaults of the options.
    pub(crate) fn all_of(archives: Vec<PathBuf>) -> anyhow::Result<FindArgs> {
        let command = FindArgs::augment_args(Command::new("find"));
        let matches = command.try_get_matches_from(["find", "-"])?;
        let args = FindArgs::from_arg_matches(&matches)?;
        Ok(FindArgs { archives, ..args })
    }

    /// The file to write, if it is not standard output.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| !is_stdin(path))
    }

    /// Whether the rows are positions or moves.
    pub(crate) fn lists_positions(&self) -> bool {
        self.table.is_some_and(|table| table != TableName::Games)
    }

    /// The folder for temporary files.
    pub(crate) fn temp_dir(&self) -> PathBuf {
        self.lookup.temp_dir_beside(self.file())
    }

    /// The format that --format or the extension of the output names, if the options go with it.
    pub(crate) fn checked_format(&self) -> anyhow::Result<FindFormat> {
        let json = self.json.then_some(FindFormat::Jsonl);
        let folders = self.partition.as_ref().map(|_| FindFormat::Parquet);
        let by_ending = by_ending(self.file());
        let Some(format) = json.or(self.format).or(by_ending).or(folders) else {
            bail!(
                "{}: the extension names no format: use .pgn, .pgc, .pgcz, .csv, .jsonl, .epd, .sgf or .parquet, or give --format",
                shown(self.output.as_deref().unwrap_or(Path::new("")))
            );
        };
        check(self, format)?;
        check_table(self, format)?;
        Ok(format)
    }
}

/// The format that the extension of an output names; on standard output a table.
fn by_ending(file: Option<&Path>) -> Option<FindFormat> {
    let Some(path) = file else {
        return Some(FindFormat::Table);
    };
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    Some(match ending.to_str() {
        Some("pgn") => FindFormat::Pgn,
        Some("pgc" | destination::SMALL) => FindFormat::Pgc,
        Some("csv") => FindFormat::Csv,
        Some("jsonl" | "ndjson") => FindFormat::Jsonl,
        Some("epd") => FindFormat::Epd,
        Some("sgf") => FindFormat::Sgf,
        Some("parquet") => FindFormat::Parquet,
        _ => return None,
    })
}

/// What --at match needs.
const NEEDS_PLACE: &str = "needs a position of the main line: --fen, --pattern, --material, --move, --moves, --moves-to, --clock, --eval-swing, --comment or --nag, without --in-variations";

/// Refuses options that this format cannot follow.
fn check(args: &FindArgs, format: FindFormat) -> anyhow::Result<()> {
    if format == FindFormat::Pgc && args.file().is_none() {
        bail!("an archive cannot go to standard output: name a file with -o");
    }
    let is_games = matches!(format, FindFormat::Pgn | FindFormat::Pgc | FindFormat::Sgf);
    let has_none = is_games || matches!(format, FindFormat::Addresses | FindFormat::Epd);
    if !args.columns.is_empty() && has_none {
        bail!("--columns works only with tables, CSV, JSON and Parquet");
    }
    args.csv.check(format == FindFormat::Csv)?;
    if args.at.is_some() && format != FindFormat::Epd {
        bail!("--at works only with --format epd or -o FILE.epd");
    }
    if args.ep.is_some() && format != FindFormat::Epd {
        bail!("--ep works only with --format epd; Parquet files have the column fen_always");
    }
    if args.at == Some(Places::Match) && !args.ask.ask_for_place() {
        bail!("--at match {NEEDS_PLACE}");
    }
    if args.show.pieces.is_some() && format != FindFormat::Pgn {
        bail!(
            "--pieces changes the moves of games: name a .pgn file with -o, or give --format pgn"
        );
    }
    Ok(())
}

/// Refuses options of tables with other formats, and tables that cannot be written.
fn check_table(args: &FindArgs, format: FindFormat) -> anyhow::Result<()> {
    if format != FindFormat::Parquet {
        if !args.with.is_empty() {
            bail!(
                "--with belongs to Parquet files: name one with -o FILE.parquet, or use --columns"
            );
        }
        let are_rows = matches!(format, FindFormat::Csv | FindFormat::Jsonl);
        if args.group_rows.is_some() || args.zstd.is_some() || args.partition.is_some() {
            bail!("--group-rows, --zstd and --partition work only with Parquet");
        }
        if args.table.is_some() && !are_rows {
            bail!("--table works only with CSV, JSON and Parquet");
        }
        return Ok(());
    }
    if cfg!(not(feature = "parquet")) {
        bail!(
            "this pgc was built without Parquet: build it with `cargo install --path . --features parquet`"
        );
    }
    let Some(file) = args.file() else {
        bail!("Parquet cannot go to standard output: name a file with -o");
    };
    if args.partition.is_some() && (args.lists_positions() || file.exists()) {
        bail!("--partition divides a table of games, in a new folder: name one with -o FOLDER");
    }
    #[cfg(feature = "parquet")]
    table_files::selection(args)?;
    Ok(())
}

/// The questions of find, tree, stats, table, dups and edit
///
/// All of them may be asked together. A question given several times matches any of its values;
/// different questions must all match. Each has an opposite: `--not-event blitz`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = include_str!("../help/questions.txt"))]
#[command(
    override_usage = "pgc find ARCHIVE [QUESTION]...",
    disable_version_flag = true,
    mut_args(questions::on_its_page)
)]
pub(crate) struct QuestionsArgs {
    #[command(flatten)]
    ask: Questions,
}

/// What `pgc find` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindFormat {
    /// A line for each game, for people
    Table,
    /// The games as they were written
    Pgn,
    /// The games packed again
    Pgc,
    /// A line for each game, after a line with the column names
    Csv,
    /// A JSON object for each game, one line each
    Jsonl,
    /// file.pgc:N, which `pgc get` takes
    Addresses,
    /// Positions of each game as EPD, one line each (--at says which)
    Epd,
    /// The games as a collection of SGF (spec/sgf.md)
    Sgf,
    /// A table for other programs (spec/manual/tables.md); needs a pgc with the feature parquet
    Parquet,
}

impl FindFormat {
    /// Whether the games themselves are written, not only what the index says of them.
    pub(crate) fn has_games(self) -> bool {
        use FindFormat::{Epd, Parquet, Pgc, Pgn, Sgf};
        matches!(self, Pgn | Pgc | Epd | Sgf | Parquet)
    }
}

/// The tables of `pgc find`, as CSV, JSON and Parquet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableName {
    /// A row for each game
    #[default]
    Games,
    /// A row for each position of the main line of each game
    Positions,
    /// A row for each move of each game, those of variations too
    Nodes,
}

impl TableName {
    /// What a row is.
    pub(crate) fn row(self) -> &'static str {
        match self {
            TableName::Games => "game",
            TableName::Positions => "position",
            TableName::Nodes => "move",
        }
    }
}

/// List the names in archives, with the number of games of each
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/names.txt"))]
pub(crate) struct NamesArgs {
    /// Archives (files, not standard input), or folders of archives. If the last of several
    /// arguments is neither an existing path nor looks like one, it is a pattern
    #[arg(value_name = "ARCHIVE|DIR|PATTERN", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) archives: Vec<PathBuf>,
    /// Which names to list: player, event, site, round, eco, source (the files that the archives
    /// were made from), or the name of any tag, as in Annotator
    #[arg(long, value_name = "FIELD", default_value = "player", value_parser = FieldChoice::parse)]
    pub(crate) field: FieldChoice,
    /// Sort by the number of games, or by name
    #[arg(long, value_enum, value_name = "KEY", default_value_t = NameSort::Count)]
    pub(crate) sort: NameSort,
    /// List at most N names; 0 lists all
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) limit: u64,
    /// The output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = NameFormat::Table)]
    pub(crate) format: NameFormat,
    /// Print a JSON object for each name
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) csv: CsvOptions,
    #[command(flatten)]
    pub(crate) lookup: Lookup,
}

/// Options that `find`, `names`, `tree`, `stats`, `dups`, `edit` and `serve` share. The help of
/// these commands puts them last.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = RARE, disable_help_flag = true, disable_version_flag = true)]
pub(crate) struct Lookup {
    #[command(flatten)]
    pub(crate) people: PeopleOptions,
    /// Fail (exit code 3) if an archive has no usable index
    #[arg(long)]
    pub(crate) require_index: bool,
    /// Folder for temporary files [default: the folder of the output, or the system's]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) temp_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunOptions,
    /// Print help
    #[arg(id = "help", short = 'h', long = "help", action = ArgAction::Help)]
    _help: Option<bool>,
}

impl Lookup {
    pub(crate) fn unusable(&self) -> Unusable {
        let (refuse, quiet) = (self.require_index, self.run.quiet);
        Unusable { refuse, quiet }
    }

    /// Opens an archive, passing over damage, and answers a query about it; also returns the query
    /// with the names that the alias file beside the archive adds.
    pub(crate) fn ask(
        &self,
        query: &Query,
        (path, options): (&Path, OpenOptions),
        temp_dir: PathBuf,
        footer: &mut Footer,
    ) -> anyhow::Result<(Archive, Query, Answer)> {
        let unusable = self.unusable();
        let archive = unusable.open(path, options.passing_damage(true))?;
        let archive = archive.with_temp_dir(temp_dir);
        let query = self.people.beside(query, path)?;
        let answer = archive.find(&query, self.run.jobs).at(path)?;
        if !self.run.quiet {
            footer
                .add(&archive, (&query, &answer), self.run.jobs)
                .at(path)?;
        }
        unusable.check_late(&archive)?;
        Ok((archive, query, answer))
    }

    /// The folder for temporary files of a command without an output file.
    pub(crate) fn temp_dir(&self) -> PathBuf {
        self.temp_dir_beside(None)
    }

    /// The folder for temporary files of a command that writes this file.
    pub(crate) fn temp_dir_beside(&self, output: Option<&Path>) -> PathBuf {
        match (&self.temp_dir, output) {
            (Some(folder), _) => folder.clone(),
            (None, Some(file)) => folder_of(file).to_owned(),
            (None, None) => std::env::temp_dir(),
        }
    }
}

/// The tags whose values `pgc names` lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldChoice {
    /// One that the index has.
    Indexed(NameField),
    /// ECO codes.
    Eco,
    /// The files that the archives were made from.
    Source,
    /// Any other tag.
    Tag(String),
}

impl FieldChoice {
    /// The name that chooses the field.
    pub(crate) fn name(&self) -> &str {
        match self {
            FieldChoice::Indexed(field) => field_name(*field),
            FieldChoice::Eco => "eco",
            FieldChoice::Source => "source",
            FieldChoice::Tag(tag) => tag,
        }
    }

    fn parse(text: &str) -> Result<FieldChoice, String> {
        Ok(match text {
            "player" => FieldChoice::Indexed(NameField::Player),
            "event" => FieldChoice::Indexed(NameField::Event),
            "site" => FieldChoice::Tag("Site".to_owned()),
            "round" => FieldChoice::Indexed(NameField::Round),
            "eco" => FieldChoice::Eco,
            "source" => FieldChoice::Source,
            _ => {
                let column = columns::by_name(text).ok();
                let Some(tag) = column.and_then(|column| column.tags().first()) else {
                    let known = ["player", "event", "site", "round", "eco", "source"];
                    let (alike, known) = (similar(text, known), known.join(", "));
                    return Err(format!(
                        "no such field{alike}; use {known}, or the name of any tag, as in Annotator"
                    ));
                };
                FieldChoice::Tag((*tag).to_owned())
            }
        })
    }
}

/// The sort keys of `pgc names`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NameSort {
    /// The most games first
    Count,
    /// By name, byte for byte
    Name,
}

/// The output formats of `pgc names`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NameFormat {
    /// A line for each name, for people
    Table,
    /// A line for each name, after a line with the column names
    Csv,
    /// A JSON object for each name
    Jsonl,
}
