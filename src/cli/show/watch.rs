//! The callbacks of a long run: progress, findings and their report, interrupts.
//!
//! `--report` gets a line of JSON for every finding, and a summary as the last line:
//!
//! ```json
//! {"type":"finding","data":{"source":"games.pgn","kind":"text-tail","what":"illegal move","offset":1234,"line":120,
//!  "column":3,"game":12,"text":"Qxh9"}}
//! {"type":"summary","data":{...}}
//! ```

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pgc::{Finding, Gap, Hooks};
use pgc_io::input::Counter;
use pgc_io::output::Output;
use serde_json::{Value, json};

use crate::failure::Exit;
use crate::files::destination;
use crate::interrupt;
use crate::show::gaps;
use crate::show::output::{counted, harmless_json, note, note_lines, text_of};

/// The most findings that are printed; a report has all of them.
const SHOWN: usize = 10;

/// The findings so far: irregularities, losses, text that is not chess.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) report: Option<Report>,
    pub(crate) shown: Vec<String>,
    pub(crate) hidden: u64,
}

impl Findings {
    /// Completes the report, also after a run that failed (`is_whole` is false), and prints the
    /// first findings.
    pub(crate) fn tell(self, summary: &Value, is_whole: bool, quiet: bool) -> anyhow::Result<()> {
        if interrupt::requested() {
            return Ok(());
        }
        let more = match &self.report {
            Some(_) => "the report lists all",
            None => "--report FILE lists all",
        };
        if let Some(report) = self.report {
            let written = report.finish(summary);
            if is_whole {
                written.context("the report could not be written")?;
            }
        }
        if !quiet {
            note_lines(self.shown);
            if self.hidden > 0 {
                note_line!("... and {} more ({more})", self.hidden);
            }
        }
        Ok(())
    }
}

/// The file or the output of `--report`.
pub(crate) struct Report {
    output: Output,
    /// The callbacks cannot fail, so the first error is kept until [`Report::finish`].
    error: Option<io::Error>,
}

impl Report {
    /// Opens the report if the user asked for one; `taken`: standard output carries other data.
    pub(crate) fn open(
        path: Option<&Path>,
        taken: bool,
        force: bool,
        inputs: &[PathBuf],
    ) -> anyhow::Result<Option<Report>> {
        let taken = taken.then_some("--report -: standard output already carries other data");
        let output = destination::asked(path, taken, force, inputs)?;
        Ok(output.map(Report::new))
    }

    pub(crate) fn new(output: Output) -> Report {
        let error = None;
        Report { output, error }
    }

    pub(crate) fn finding(&mut self, source: &str, finding: &Finding) {
        let mut data = finding_json(source, finding);
        data["kind"] = finding.kind.into();
        self.object("finding", &data);
    }

    pub(crate) fn object(&mut self, kind: &str, data: &Value) {
        self.line(&harmless_json(&json!({ "type": kind, "data": data })));
    }

    pub(crate) fn line(&mut self, line: &str) {
        if self.error.is_none() {
            self.error = writeln!(self.output, "{line}").err();
        }
    }

    pub(crate) fn finish(mut self, summary: &Value) -> io::Result<()> {
        self.object("summary", summary);
        self.end()
    }

    pub(crate) fn end(self) -> io::Result<()> {
        self.error.map_or_else(|| self.output.commit(), Err)
    }
}

/// What every report says of a finding.
pub(crate) fn finding_json(source: &str, finding: &Finding) -> Value {
    json!({
        "source": source, "what": finding.what, "offset": finding.offset, "line": finding.line,
        "column": finding.column, "game": finding.game, "text": text_of(&finding.text),
    })
}

/// A bar on stderr, hidden in a quiet run, which vanishes when it is dropped.
#[derive(Clone)]
pub(crate) struct Bar {
    bar: ProgressBar,
    counter: Counter,
}

impl Bar {
    pub(crate) fn new(total: Option<u64>, counter: &Counter, quiet: bool) -> Bar {
        let known = "{wide_bar} {bytes}/{total_bytes}  {bytes_per_sec}  {eta}";
        let unknown = "{spinner} {bytes}  {bytes_per_sec}  {elapsed}";
        Bar::with_templates(total, [known, unknown], counter, quiet)
    }

    /// A bar for a counter of rows of a table.
    #[cfg(feature = "parquet")]
    pub(crate) fn for_rows(total: Option<u64>, counter: &Counter, quiet: bool) -> Bar {
        let known = "{wide_bar} {human_pos}/{human_len} rows  {eta}";
        let unknown = "{spinner} {human_pos} rows  {elapsed}";
        Bar::with_templates(total, [known, unknown], counter, quiet)
    }

    /// `known` is the template if the total is known.
    fn with_templates(
        total: Option<u64>,
        [known, unknown]: [&str; 2],
        counter: &Counter,
        quiet: bool,
    ) -> Bar {
        // indicatif draws on a terminal only.
        let target = match quiet {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(total, target);
        if let Ok(style) = ProgressStyle::with_template(total.map_or(unknown, |_| known)) {
            bar.set_style(style.progress_chars("=> "));
        }
        let counter = counter.clone();
        Bar { bar, counter }
    }

    pub(crate) fn update(&self) {
        self.bar.set_position(self.counter.bytes());
    }

    /// Counts bytes that no reader counts.
    pub(crate) fn advance(&self, bytes: u64) {
        self.counter.add(bytes);
        self.update();
    }

    /// Hides the bar while `print` prints.
    pub(crate) fn aside(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Removes the bar before something is printed.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Default for Bar {
    fn default() -> Bar {
        Bar::new(None, &Counter::default(), true)
    }
}

/// The callbacks for one source.
pub(crate) struct Watch<'a> {
    pub(crate) bar: &'a Bar,
    pub(crate) findings: Option<&'a mut Findings>,
    pub(crate) source: &'a str,
}

impl<'a> Watch<'a> {
    /// Callbacks that only show progress.
    pub(crate) fn silent(bar: &'a Bar) -> Watch<'a> {
        Watch {
            bar,
            findings: None,
            source: "",
        }
    }
}

impl Hooks for Watch<'_> {
    fn progress(&mut self, _bytes: u64) {
        // The bar shows bytes before decompression, which the counter of the input counts.
        self.bar.update();
    }

    fn finding(&mut self, finding: &Finding) {
        let Some(findings) = self.findings.as_deref_mut() else {
            return;
        };
        if let Some(report) = &mut findings.report {
            report.finding(self.source, finding);
        }
        if !matches!(finding.kind, "text-tail" | "text-only" | "loss") {
            return;
        }
        if findings.shown.len() < SHOWN {
            findings.shown.push(line_of(self.source, finding));
        } else {
            findings.hidden += 1;
        }
    }
}

impl Hooks for &Bar {
    fn progress(&mut self, bytes: u64) {
        self.advance(bytes);
    }
}

/// The callbacks for reading an archive. Gaps are printed as they are passed over. An unfinished
/// addition is reported at once, since the rest of the run may fail.
#[derive(Default)]
pub(crate) struct ArchiveWatch {
    bar: Bar,
    archive: String,
    /// Length of an unfinished addition.
    pub(crate) unfinished: u64,
    /// The bytes of the blocks that were read (`salvage`: that are whole).
    pub(crate) progressed: u64,
    /// The first [`LISTED`] gaps, as JSON.
    pub(crate) gaps: Vec<Value>,
    /// The number of all gaps.
    pub(crate) gap_count: usize,
    pub(crate) report: Option<Report>,
}

/// The most gaps that are listed as JSON.
const LISTED: usize = 10_000;

impl ArchiveWatch {
    pub(crate) fn new(archive: String, bar: Option<&Bar>) -> ArchiveWatch {
        ArchiveWatch {
            bar: bar.cloned().unwrap_or_default(),
            archive,
            ..ArchiveWatch::default()
        }
    }

    /// The exit code of a run that passed over damage, if there was any.
    pub(crate) fn exit(&self) -> Exit {
        Exit::damaged_if(!self.gaps.is_empty())
    }
}

impl Hooks for ArchiveWatch {
    fn progress(&mut self, bytes: u64) {
        self.progressed += bytes;
        self.bar.update();
    }

    fn unfinished(&mut self, _offset: u64, bytes: u64) {
        self.unfinished = bytes;
        self.bar.finish();
        note(&unfinished(&self.archive, bytes));
    }

    fn gap(&mut self, gap: &Gap) {
        let json = json!(gap);
        if let Some(report) = &mut self.report {
            report.object("gap", &json);
        }
        if self.gaps.len() < LISTED {
            self.gaps.push(json);
        }
        if let Some(line) = gaps::told(gap, self.gap_count) {
            self.bar.aside(|| note!("{}: {line}", self.archive));
        }
        self.gap_count += 1;
    }
}

/// The message about an addition that was never finished.
pub(crate) fn unfinished(archive: &str, bytes: u64) -> String {
    let bytes = counted(bytes, "byte");
    format!(
        "{archive}: an unfinished addition of {bytes} after the last segment is ignored (pgc add cuts it off, or says why it cannot)"
    )
}

/// `games.pgn:120:3: game 12: `, the beginning of a line about a finding.
pub(crate) fn place_of(source: &str, finding: &Finding) -> String {
    let game = match finding.game {
        0 => String::new(),
        game => format!("game {game}: "),
    };
    format!("{source}:{}:{}: {game}", finding.line, finding.column)
}

fn line_of(source: &str, finding: &Finding) -> String {
    let mut out = place_of(source, finding) + &finding.what;
    if !finding.text.is_empty() {
        out += &format!(": \"{}\"", text_of(&finding.text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Finding, line_of};

    #[test]
    fn finding_as_a_line() {
        let mut finding = Finding {
            kind: "text-tail",
            what: "illegal move".into(),
            offset: 4000,
            line: 120,
            column: 3,
            game: 12,
            text: b"Qxh9".to_vec(),
        };
        assert_eq!(
            line_of("games.pgn", &finding),
            "games.pgn:120:3: game 12: illegal move: \"Qxh9\""
        );
        (finding.game, finding.text) = (0, Vec::new());
        assert_eq!(
            line_of("games.pgn", &finding),
            "games.pgn:120:3: illegal move"
        );
    }
}
