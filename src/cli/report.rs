//! Writes `--report`: a line of JSON for every finding, and a summary as the last line.
//!
//! ```json
//! {"type":"finding","data":{"source":"games.pgn","kind":"text-tail","what":"illegal move","offset":1234,"line":120,
//!  "column":3,"game":12,"text":"Qxh9"}}
//! {"type":"summary","data":{...}}
//! ```

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use pgc::Finding;
use pgc_io::output::Output;
use serde_json::{Value, json};

use super::destination;
use super::open::is_stdin;
use super::output::{harmless_json, text_of};

pub(super) struct Report {
    output: Output,
    /// The callbacks cannot fail, so the first error is kept until [`Report::finish`].
    error: Option<io::Error>,
}

impl Report {
    /// Opens the report if the user asked for one; `taken`: standard output carries other data.
    pub(super) fn open(
        path: Option<&Path>,
        taken: bool,
        force: bool,
        inputs: &[PathBuf],
    ) -> anyhow::Result<Option<Report>> {
        let output = match path {
            None => return Ok(None),
            Some(path) if !is_stdin(path) => destination::create(path, force, inputs)?,
            Some(_) if taken => bail!("--report -: standard output already carries other data"),
            Some(_) => Output::stdout(),
        };
        Ok(Some(Report {
            output,
            error: None,
        }))
    }

    pub(super) fn finding(&mut self, source: &str, finding: &Finding) {
        self.line(&json!({ "type": "finding", "data": {
            "source": source,
            "kind": finding.kind,
            "what": finding.what,
            "offset": finding.offset,
            "line": finding.line,
            "column": finding.column,
            "game": finding.game,
            "text": text_of(&finding.text),
        }}));
    }

    pub(super) fn gap(&mut self, gap: &Value) {
        self.line(&json!({ "type": "gap", "data": gap }));
    }

    fn line(&mut self, value: &Value) {
        if self.error.is_none() {
            self.error = writeln!(self.output, "{}", harmless_json(value)).err();
        }
    }

    pub(super) fn finish(mut self, summary: &Value) -> io::Result<()> {
        self.line(&json!({ "type": "summary", "data": summary }));
        match self.error {
            Some(error) => Err(error),
            None => self.output.commit(),
        }
    }
}
