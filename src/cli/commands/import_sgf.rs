//! `pgc import-sgf`.

use std::path::{Path, PathBuf};
use std::slice;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::ValueHint;
use pgc::foreign::sgf::read::{SgfSummary, sgf_to_pgn};
use pgc_io::input::Counter;
use serde_json::json;

use crate::failure::{Exit, WithName};
use crate::files::{archive::open_input, destination, inputs::note_hidden};
use crate::interrupt;
use crate::show::output::{counted, counted_as, is_stdin, print_json, shown, shown_output};
use crate::show::watch::{Bar, Watch};
use crate::show::{screen::TextOutput, summary::speed};

/// Turn chess games in SGF, the Smart Game Format, into PGN
///
/// Each game tree becomes a game in export format, in UTF-8. What PGN has no place for stays in
/// comments, as `[%sgf N[name]]`, and becomes a property again when `find` or `get` write SGF.
/// spec/sgf.md says which property means which tag, glyph or comment.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/import-sgf.txt"))]
pub(crate) struct ImportSgfArgs {
    /// The collection, which may be compressed, or `-` for standard input
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath)]
    input: PathBuf,
    /// The file to write, `-` for standard output [default: the input's name with the extension
    /// .pgn]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Print the summary as JSON on standard output
    #[arg(long)]
    json: bool,
    /// Print no summary and no progress
    #[arg(short, long)]
    quiet: bool,
    /// Replace an existing file
    #[arg(short, long)]
    force: bool,
}

pub(crate) fn run(args: &ImportSgfArgs) -> anyhow::Result<Exit> {
    let target = match &args.output {
        Some(path) => path.clone(),
        None if is_stdin(&args.input) => PathBuf::from("-"),
        None => destination::beside(&args.input, &["sgf"], "pgn"),
    };
    let to_stdout = is_stdin(&target);
    if to_stdout && args.json {
        bail!("standard output cannot carry both the games and --json");
    }
    let started = Instant::now();
    let counter = Counter::default();
    let mut input = open_input(&args.input, "stdin.sgf", &counter)?;
    note_hidden(&input, &args.input, args.quiet);
    if input.sources() > 1 {
        let input = shown(&args.input);
        bail!("{input}: has several files: unpack them first");
    }
    let bar = Bar::new(input.raw_len(), &counter, args.quiet || to_stdout);
    let file = Some(target.as_path()).filter(|_| !to_stdout);
    let output = destination::asked(file, None, args.force, slice::from_ref(&args.input))?;
    let mut output = output.map_or_else(TextOutput::stdout, |file| TextOutput::new(file, false));
    let source = input.next().context("is empty").at(&args.input)?;
    let mut source = source.at(&args.input)?;
    let read = sgf_to_pgn(&mut source.reader, &mut output, &mut Watch::silent(&bar));
    bar.finish();
    let found = read.at(&args.input)?;
    interrupt::cancelled()?;
    output.commit().at(&target)?;
    args.tell(&target, &found, started.elapsed().as_secs_f64())?;
    Ok(Exit::partly_if(found.text_lines + found.outside > 0))
}

impl ImportSgfArgs {
    fn tell(&self, target: &Path, found: &SgfSummary, seconds: f64) -> anyhow::Result<()> {
        if self.json {
            return Ok(print_json(&json!({
                "input": self.input.display().to_string(),
                "output": target.display().to_string(),
                "games": found.games,
                "plies": found.plies,
                "text_lines": found.text_lines,
                "kept_properties": found.kept,
                "left_out": found.outside,
                "bytes_in": found.bytes_in,
                "bytes_out": found.bytes_out,
                "seconds": seconds,
            }))?);
        }
        if self.quiet {
            return Ok(());
        }
        let (input, output) = (shown(&self.input), shown_output(target));
        let (games, plies) = (counted(found.games, "game"), counted(found.plies, "ply"));
        let speed = speed(found.bytes_in, seconds);
        note_line!("{input} -> {output}: {games}, {plies}, {speed}");
        for (count, one, many) in [
            (
                found.text_lines,
                "line of play is not legal chess and became a comment",
                "lines of play are not legal chess and became comments",
            ),
            (
                found.kept,
                "property without a place in PGN is kept in a comment",
                "properties without a place in PGN are kept in comments",
            ),
            (
                found.outside,
                "byte outside game trees was left out",
                "bytes outside game trees were left out",
            ),
        ] {
            if count > 0 {
                note_line!("  {}", counted_as(count, one, many));
            }
        }
        Ok(())
    }
}
