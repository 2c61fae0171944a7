//! Writes `--report`: a line of JSON for every finding, and a summary as the last line.
//!
//! ```json
//! {"type":"finding","data":{"source":"games.pgn","kind":"text-tail","what":"illegal move","offset":1234,"line":120,
//!  "column":3,"game":12,"text":"Qxh9"}}
//! {"type":"summary","data":{...}}
//! ```

use std::io;
use std::path::{Path, PathBuf};

use pgc::Finding;
use pgc_io::output::Output;
use serde_json::{Value, json};

use super::destination;
use super::output::{put_json, text_of};

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
        let taken = taken.then_some("--report -: standard output already carries other data");
        let output = destination::asked(path, taken, force, inputs)?;
        let error = None;
        Ok(output.map(|output| Report { output, error }))
    }

    pub(super) fn finding(&mut self, source: &str, finding: &Finding) {
        let mut data = finding_json(source, finding);
        data["kind"] = finding.kind.into();
        self.line(&json!({ "type": "finding", "data": data }));
    }

    pub(super) fn gap(&mut self, gap: &Value) {
        self.line(&json!({ "type": "gap", "data": gap }));
    }

    fn line(&mut self, value: &Value) {
        if self.error.is_none() {
            self.error = put_json(&mut self.output, value).err();
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

/// What every report says of a finding.
pub(super) fn finding_json(source: &str, finding: &Finding) -> Value {
    json!({
        "source": source,
        "what": finding.what,
        "offset": finding.offset,
        "line": finding.line,
        "column": finding.column,
        "game": finding.game,
        "text": text_of(&finding.text),
    })
}
