//! `pgc lint`.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::bail;
use clap::ValueHint;
use pgc::lint::{LintOptions, LintSummary, lint};
use pgc::{Finding, SourceText};
use pgc_io::input::Counter;
use pgc_io::output::Output;
use pgc_pgn::clause::{Level, Rule};
use pgc_pgn::encoding::DecodedSource;
use pgc_pgn::writer::Encoding;
use serde_json::{Value, json};

use crate::args::options::{InputPaths, ReadAs, RunOptions};
use crate::failure::{Exit, WithName};
use crate::files::destination;
use crate::files::inputs;
use crate::files::mistaken::Given;
use crate::show::output::{
    counted, counted_as, grouped, harmless_json, is_stdin, note_line, printable, shown, text_of,
};
use crate::show::summary::speed;
use crate::show::watch::{Bar, Report, Watch, finding_json, place_of};

/// The default of --max without --json.
const SHOWN: u64 = 10;

/// The most characters of the offending text in a line of the listing.
const TEXT: usize = 60;

/// Check PGN or EPD against the 1994 standard, clause by clause, or rewrite it to conform
///
/// Each finding has file, line, column, number of the game, the clause that is broken, and the text
/// that breaks it; a summary counts the findings by clause. Without --strict, pgc checks what
/// import format forbids (sections 4 to 10, 18, and the seven tags of 8.1.1). With --strict, it
/// also checks export format (order and layout of tag pairs, canonical SAN, lines filled up to 79
/// characters, move numbers) and what the standard only recommends (names, capital letters). In EPD
/// (files named .epd, or --epd) it checks section 16.2: fields, operations, and the operands of
/// each opcode.
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("../help/lint.txt"))]
pub(crate) struct LintArgs {
    #[command(flatten)]
    paths: InputPaths,
    #[command(flatten)]
    read_as: ReadAs,
    /// Check export format too, and recommendations
    #[arg(long)]
    strict: bool,
    /// Write the games in export format to the file of -o, and list what changes (checks as
    /// --strict does)
    #[arg(long, requires = "output")]
    fix: bool,
    /// With --fix, the file to write (`-` for standard output; the findings then go to standard
    /// error)
    #[arg(short, long, value_name = "FILE", requires = "fix", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// With --fix, write UTF-8 instead of Latin-1, which the standard asks for
    #[arg(long, requires = "fix")]
    utf8: bool,
    /// List at most N findings of each rule and input; 0 lists all [default: 10, with --json all]
    #[arg(long, value_name = "N")]
    max: Option<u64>,
    /// Print findings and summaries as JSON Lines on standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    run: RunOptions,
    /// Replace an existing file
    #[arg(short, long)]
    force: bool,
}

pub(crate) fn run(args: &LintArgs) -> anyhow::Result<Exit> {
    let inputs = inputs::collect(&args.paths, args.read_as)?;
    let to_stdout = args.output.as_deref().is_some_and(is_stdin);
    if to_stdout && args.json {
        bail!("standard output cannot carry both the games and --json");
    }
    let fixed = destination::asked(args.output.as_deref(), None, args.force, &inputs.paths)?;
    let counter = Counter::default();
    let mut job = LintJob {
        args,
        fixed,
        kind: None,
        listing: LintListing {
            args,
            bar: Bar::new(inputs.bytes, &counter, args.run.quiet),
            output: (!to_stdout).then(|| Report::new(Output::stdout())),
        },
        exit: Exit::Done,
    };
    inputs::each_source(&inputs, None, &counter, args.run.quiet, |given, label| {
        job.one(given, label)
    })?;
    job.listing.finish()?;
    if let Some(output) = job.fixed {
        let name = args.output.as_deref().map(shown).unwrap_or_default();
        output.commit().named(|| name)?;
    }
    Ok(job.exit)
}

struct LintJob<'a> {
    args: &'a LintArgs,
    /// The games in export format.
    fixed: Option<Output>,
    /// What `fixed` holds, PGN or EPD; `None` before the first input.
    kind: Option<SourceText>,
    listing: LintListing<'a>,
    exit: Exit,
}

impl LintJob<'_> {
    fn one(&mut self, given: Given, label: &str) -> anyhow::Result<bool> {
        match given {
            Given::Pgn(source, encoding) => {
                let kind = self.args.read_as.text_of(&source.name);
                let mut text = DecodedSource::new(source.reader, encoding);
                self.text(&mut text, kind, label)
            }
            Given::Archive(source) => {
                let (bar, jobs) = (self.listing.bar.clone(), self.args.run.jobs);
                inputs::each_text(source, label, &bar, jobs, |name, kind, text| {
                    self.text(text, kind, &format!("{label}: {name}"))
                })
            }
        }?;
        // Text without games is linted too.
        Ok(true)
    }

    fn text(
        &mut self,
        source: &mut (dyn Read + Send),
        kind: SourceText,
        label: &str,
    ) -> anyhow::Result<()> {
        if self.fixed.is_some() && *self.kind.get_or_insert(kind) != kind {
            bail!("{label}: PGN and EPD cannot go into one file: write them one after the other");
        }
        let (started, args, bar) = (Instant::now(), self.args, self.listing.bar.clone());
        let most = args.max.or((!args.json).then_some(SHOWN));
        let options = LintOptions {
            strict: args.strict,
            text: kind,
            most: most.filter(|&most| most > 0),
            threads: args.run.jobs,
            encoding: [Encoding::Latin1, Encoding::Utf8][usize::from(args.utf8)],
        };
        let mut told = |rule, finding: &Finding| self.listing.finding(label, rule, finding);
        let fixed = self.fixed.as_mut().map(|output| output as &mut dyn Write);
        let found = lint(source, &options, fixed, &mut told, &mut Watch::silent(&bar));
        let found = found.named(|| label.to_owned())?;
        let is_clean = match args.fix {
            true => !found.leaves_some(),
            false => found.findings() == 0,
        };
        self.exit = self.exit.max(Exit::partly_if(!is_clean));
        let seconds = started.elapsed().as_secs_f64();
        self.listing.summary(label, &found, seconds);
        Ok(())
    }
}

/// Prints findings and summaries.
struct LintListing<'a> {
    args: &'a LintArgs,
    bar: Bar,
    /// `None`: standard error.
    output: Option<Report>,
}

impl LintListing<'_> {
    fn line(&mut self, line: &str) {
        match &mut self.output {
            None => self.bar.aside(|| note_line(line)),
            Some(output) => output.line(line),
        }
    }

    /// How `--fix` mends what breaks a rule; `None` without `--fix`.
    fn fix(&self, rule: Rule) -> Option<&'static str> {
        self.args.fix.then(|| rule.mend().name())
    }

    fn finding(&mut self, source: &str, rule: Rule, finding: &Finding) {
        if self.args.json {
            let mut data = finding_json(source, finding);
            data["clause"] = rule.clause().into();
            data["level"] = match rule.level() {
                Level::Import => "import".into(),
                Level::Strict => "strict".into(),
            };
            data["fix"] = json!(self.fix(rule));
            return self.line(&harmless_json(&json!({ "type": "finding", "data": data })));
        }
        let place = place_of(source, finding);
        let mut line = format!("{place}{}: {}", rule.clause(), finding.what);
        let text = text_of(&finding.text);
        let shown: String = text.trim().chars().take(TEXT).collect();
        if !shown.is_empty() {
            line += &format!(": \"{shown}\"");
        }
        line.extend(self.fix(rule).map(|fix| format!(" ({fix})")));
        self.line(&printable(&line));
    }

    fn summary(&mut self, source: &str, found: &LintSummary, seconds: f64) {
        if self.args.json {
            let rules = found.broken().map(|(rule, count)| {
                let (clause, what, fix) = (rule.clause(), rule.text(), self.fix(rule));
                json!({ "clause": clause, "what": what, "count": count, "fix": fix })
            });
            let rules: Value = rules.collect();
            let (regions, bytes) = found.left_out;
            let summary = json!({ "type": "summary", "data": {
                "source": source, "kind": found.text.name(), "games": found.games, "rules": rules,
                "bytes": found.bytes_in, "findings": found.findings(),
                "left_out": { "regions": regions, "bytes": bytes },
                "too_long": self.args.fix.then_some(found.too_long),
            }});
            return self.line(&harmless_json(&summary));
        }
        if !self.args.run.quiet {
            for line in lines(self.args, source, found, seconds) {
                self.line(&printable(&line));
            }
        }
    }

    fn finish(self) -> io::Result<()> {
        self.bar.finish();
        self.output.map_or(Ok(()), Report::end)
    }
}

fn lines(args: &LintArgs, source: &str, found: &LintSummary, seconds: f64) -> Vec<String> {
    let is_epd = found.text == SourceText::Epd;
    let games = match is_epd {
        true => counted_as(found.games, "line of EPD", "lines of EPD"),
        false => counted(found.games, "game"),
    };
    let (findings, speed) = (found.findings(), speed(found.bytes_in, seconds));
    let findings = counted(findings, "finding");
    let mut lines = vec![format!("{source}: {games}, {findings}, {speed}")];
    let width = found.broken().map(|(_, count)| grouped(count).len()).max();
    for (rule, count) in found.broken() {
        let (clause, what, count) = (rule.clause(), rule.text(), grouped(count));
        let fix = match args.fix {
            true => format!(" ({})", rule.mend().name()),
            false => String::new(),
        };
        let width = width.unwrap_or_default();
        lines.push(format!("  {clause:<8} {count:>width$}  {what}{fix}"));
    }
    if found.left_out.0 > 0 {
        let regions = counted(found.left_out.0, "region");
        let bytes = counted(found.left_out.1, "byte");
        lines.push(format!(
            "  left out: {regions} of text outside games, {bytes}"
        ));
    }
    if args.fix {
        let bytes = counted(found.bytes_out, "byte");
        if found.too_long > 0 {
            let long = counted_as(found.too_long, "line is", "lines are");
            lines.push(format!("  {long} longer than a new layout could make them"));
        }
        let form = if is_epd { "EPD" } else { "export format" };
        lines.push(format!("  {form}: {bytes}"));
    }
    lines
}
