//! Lines of EPD (PGN 1994 16.2; spec/epd.md 6).

use std::ops::Range;

use crate::foreign::lint::{LintRules, LintedBlock, RuleHits};
use pgc_block::cut::Block;
use pgc_pgn::clause::Rule;
use pgc_pgn::epd::source::{MAX_LINE, SourceLine, line_end, line_of_unit, places};
use pgc_pgn::tag::{BOM, is_newline};
use pgc_pgn::text::decoded;

/// Checks the lines of a block of EPD; those that are EPD count as games.
pub(crate) fn lint(block: &Block, rules: LintRules) -> LintedBlock {
    let mut lines = EpdReport {
        hits: RuleHits::new(rules),
        games: 0,
        is_epd: false,
        fixed: Vec::new(),
    };
    let src = &block.src;
    let (mut at, is_start) = (0, block.before.is_none());
    // The rest of a line that is too long stays with its beginning.
    let goes_on = block.before.is_some_and(|byte| !is_newline(byte));
    while at < src.len() {
        let (end, next) = line_end(src, at);
        lines.is_epd = false;
        let is_text = if at == 0 && goes_on {
            lines.fixed.extend_from_slice(&src[..end]);
            true
        } else {
            lines.line(src, at..end, is_start && at == 0)
        };
        lines.end(src, end..next, is_text);
        at = next;
    }
    if !rules.strict {
        lines.fixed.clear();
    }
    LintedBlock {
        hits: lines.hits,
        games: lines.games,
        fixed: lines.fixed,
        places: Vec::new(),
    }
}

struct EpdReport {
    hits: RuleHits,
    games: u64,
    /// Whether the current line is EPD.
    is_epd: bool,
    /// The lines as the standard has them.
    fixed: Vec<u8>,
}

impl EpdReport {
    /// Checks a line; returns whether it is not empty.
    fn line(&mut self, src: &[u8], line: Range<usize>, is_first: bool) -> bool {
        let raw = match is_first {
            true => line_of_unit(&src[line.clone()]),
            false => &src[line.clone()],
        };
        // Files that were concatenated have a byte order mark in the middle, which makes a line
        // text.
        let text = without_marks(raw);
        let start = line.end - text.len();
        if start > line.start {
            self.hits.begin(line.start, 0);
            self.hits.hit(Rule::ByteOrderMark, 0..start - line.start);
        }
        if text.trim_ascii().is_empty() {
            self.hits.begin(start, 0);
            self.hits.strict(Rule::EpdEmpty, 0..text.len());
            return false;
        }
        // A line that is too long may go on in the next block.
        let is_long = raw.len() > MAX_LINE;
        let (errors, before) = match SourceLine::read(if is_long { raw } else { text }) {
            Ok(read) => {
                self.is_epd = true;
                self.games += u64::from(text.len() == raw.len());
                let mended = read.line.mended().to_string();
                self.fixed.extend_from_slice(mended.as_bytes());
                (read.line.lint(&decoded(text)), "")
            }
            Err(error) => {
                self.fixed.extend_from_slice(text);
                (vec![error], "not EPD: ")
            }
        };
        let game = if before.is_empty() { self.games } else { 0 };
        self.hits.begin(start, game);
        for (at, error) in places(text, &errors) {
            let words = (format!("{before}{}", error.what), error.text.clone());
            self.hits.tell(error.rule, at, words);
        }
        true
    }

    /// Checks the end of a line. It may be missing at the end of the source, and where a line is
    /// too long for one block; no such line is EPD. Empty lines are left out.
    fn end(&mut self, src: &[u8], newline: Range<usize>, is_text: bool) {
        let is_cut = newline.is_empty() && !self.is_epd;
        if src[newline.clone()] != *b"\n" && !is_cut {
            self.hits.begin(newline.start, 0);
            self.hits.strict(Rule::Newline, 0..newline.len());
        }
        if is_text && !is_cut {
            self.fixed.push(b'\n');
        }
    }
}

/// The line behind its byte order marks.
fn without_marks(mut line: &[u8]) -> &[u8] {
    while let Some(rest) = line.strip_prefix(BOM) {
        line = rest;
    }
    line
}
