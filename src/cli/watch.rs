//! The callbacks of a long run: progress, findings, Ctrl-C.

use pgc::{Finding, Hooks};

use super::interrupt;
use super::output::{counted, note, text_of};
use super::progress::Bar;
use super::report::Report;

/// Findings that are shown; the report has all of them.
const SHOWN: usize = 10;

/// What was found so far.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) report: Option<Report>,
    pub(super) shown: Vec<String>,
    pub(super) hidden: u64,
}

/// The callbacks for one source.
pub(super) struct Watch<'a> {
    pub(super) bar: &'a Bar,
    pub(super) findings: Option<&'a mut Findings>,
    pub(super) source: &'a str,
}

impl Hooks for Watch<'_> {
    fn progress(&mut self, _bytes: u64) {
        // The bar shows bytes before decoding, and those have a counter of their own.
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

    fn wants_repairs(&self) -> bool {
        self.findings
            .as_ref()
            .is_some_and(|findings| findings.report.is_some())
    }

    fn cancelled(&mut self) -> bool {
        interrupt::requested()
    }
}

/// The callbacks for an archive that is read. An unfinished addition is told of at once, for the
/// rest of the run may fail.
pub(super) struct Reading<'a> {
    pub(super) bar: Option<&'a Bar>,
    pub(super) archive: String,
    /// Bytes of an unfinished addition.
    pub(super) unfinished: u64,
}

impl<'a> Reading<'a> {
    pub(super) fn new(archive: String, bar: Option<&'a Bar>) -> Reading<'a> {
        Reading {
            bar,
            archive,
            unfinished: 0,
        }
    }
}

impl Hooks for Reading<'_> {
    fn progress(&mut self, _bytes: u64) {
        if let Some(bar) = self.bar {
            bar.update();
        }
    }

    fn unfinished(&mut self, _offset: u64, bytes: u64) {
        self.unfinished = bytes;
        if let Some(bar) = self.bar {
            bar.finish();
        }
        note(&unfinished(&self.archive, bytes));
    }

    fn cancelled(&mut self) -> bool {
        interrupt::requested()
    }
}

/// What is said of an addition that was never finished.
pub(super) fn unfinished(archive: &str, bytes: u64) -> String {
    let bytes = counted(bytes, "byte", "bytes");
    format!(
        "{archive}: an unfinished addition of {bytes} behind the last segment is ignored (pgc add cuts it off)"
    )
}

fn line_of(source: &str, finding: &Finding) -> String {
    let Finding {
        line,
        column,
        game,
        what,
        ..
    } = finding;
    let mut out = format!("{source}:{line}:{column}: ");
    if *game > 0 {
        out += &format!("game {game}: ");
    }
    out += what;
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
