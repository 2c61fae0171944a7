//! The format that a search writes, and whether the options go with it.

use std::path::Path;

use anyhow::bail;

use crate::destination;
use crate::find_args::{FindArgs, FindFormat};
use crate::output::shown;
use crate::places::Places;
#[cfg(feature = "parquet")]
use crate::table_files;

/// The format that --format or the extension of the output names.
pub(super) fn format(args: &FindArgs) -> anyhow::Result<FindFormat> {
    let Some(format) = args.format.or(by_ending(args.file())) else {
        bail!(
            "{}: the extension names no format: use .pgn, .pgc, .pgcz, .csv, .jsonl, .epd, .sgf or .parquet, or give --format",
            shown(args.output.as_deref().unwrap_or(Path::new("")))
        );
    };
    check(args, format)?;
    Ok(format)
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
        // Only tables come in several files.
        _ if destination::is_folder(path) => FindFormat::Parquet,
        _ => return None,
    })
}

/// Refuses options that this format cannot follow.
fn check(args: &FindArgs, format: FindFormat) -> anyhow::Result<()> {
    if format == FindFormat::Pgc && args.file().is_none() {
        bail!("an archive cannot go to standard output: name a file with -o");
    }
    let is_games = matches!(format, FindFormat::Pgn | FindFormat::Pgc | FindFormat::Sgf);
    if args.from_match && !is_games {
        bail!(
            "--from-match writes games: name a .pgn, .pgc, .pgcz or .sgf file with -o, or give --format pgn or sgf"
        );
    }
    if args.from_match && !args.ask.questions.ask_for_place() {
        bail!(
            "--from-match needs a position of the main line: --fen, --pattern, --material, --move, --moves or --moves-to, without --in-variations"
        );
    }
    if !args.columns.is_empty()
        && (is_games || matches!(format, FindFormat::Addresses | FindFormat::Epd))
    {
        bail!("--columns works only with tables, CSV, JSON and Parquet");
    }
    if args.at.is_some() && format != FindFormat::Epd {
        bail!("--at works only with --format epd or -o FILE.epd");
    }
    if args.at == Some(Places::Match) && !args.ask.questions.ask_for_place() {
        bail!(
            "--at match needs a position of the main line: --fen, --pattern, --material, --move, --moves or --moves-to, without --in-variations"
        );
    }
    if args.show.pieces.is_some() && format != FindFormat::Pgn {
        bail!(
            "--pieces changes the moves of games: name a .pgn file with -o, or give --format pgn"
        );
    }
    check_table(args, format)
}

/// Refuses options that do not fit the format.
fn check_table(args: &FindArgs, format: FindFormat) -> anyhow::Result<()> {
    if format != FindFormat::Parquet {
        if args.table.is_some() || !args.with.is_empty() {
            bail!("--table and --with belong to Parquet files: name one with -o FILE.parquet");
        }
        return Ok(());
    }
    if cfg!(not(feature = "parquet")) {
        bail!(
            "this pgc was built without Parquet: build it with `cargo install --path . --features parquet`"
        );
    }
    if args.file().is_none() {
        bail!("Parquet cannot go to standard output: name a file or a folder with -o");
    }
    #[cfg(feature = "parquet")]
    table_files::selection(args)?;
    Ok(())
}
