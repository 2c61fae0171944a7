//! PGN to PGC.

use std::io::{Read, Write};

use super::decode::{BlockDecoder, Decoded, Unit as Got};
use super::encode::{BlockEncoder, Counts, Form, Parsed, count, is_repair, read_units};
use super::pipeline::ordered;
use super::render::render;
use super::{Error, Finding, Hooks, PackOptions, Summary};
use crate::archive::{BlockHead, SegmentHead, Tail};
use crate::pgn::game::{Note, What};
use crate::pgn::split::{Splitter, Unit, UnitKind};
use crate::pgn::tag::is_newline;

/// A block is cut at the first boundary behind so many bytes of source.
const BLOCK_BYTES: usize = 256 * 1024;

/// The source is read in portions of this size.
const READ_BYTES: usize = 512 * 1024;

/// A finding shows so much of the offending text.
const SHOWN: usize = 120;

/// A block of source, with its units.
struct Job {
    number: u64,
    src: Vec<u8>,
    units: Vec<Unit>,
    /// The last byte of the block before.
    before: Option<u8>,
    want_repairs: bool,
    verify: bool,
}

/// A block of archive.
struct Done {
    bytes: Vec<u8>,
    source: u64,
    counts: Counts,
    /// Offset, line and column count from the beginning of the block (column: of its first line).
    findings: Vec<Finding>,
    newlines: u64,
    /// Bytes behind its last newline, and whether it has one.
    last_line: (u64, bool),
    verified: bool,
}

/// Cuts a source into blocks.
struct Blocks<'a> {
    source: &'a mut (dyn Read + Send),
    buffer: Vec<u8>,
    splitter: Splitter,
    units: Vec<Unit>,
    eof: bool,
    before: Option<u8>,
    number: u64,
}

impl Blocks<'_> {
    fn next(&mut self) -> Result<Option<(Vec<u8>, Vec<Unit>, Option<u8>)>, Error> {
        loop {
            while let Some(unit) = self.splitter.next_unit(&self.buffer, self.eof) {
                self.units.push(unit);
                if unit.end >= BLOCK_BYTES {
                    return Ok(Some(self.cut(unit.end)));
                }
            }
            if self.eof {
                let end = self.units.last().map_or(0, |u| u.end);
                return Ok((end > 0).then(|| self.cut(end)));
            }
            self.fill()?;
        }
    }

    fn fill(&mut self) -> Result<(), Error> {
        let at = self.buffer.len();
        self.buffer.resize(at + READ_BYTES, 0);
        let n = loop {
            match self.source.read(&mut self.buffer[at..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.buffer.truncate(at + n.as_ref().map_or(0, |n| *n));
        self.eof = n? == 0;
        Ok(())
    }

    fn cut(&mut self, end: usize) -> (Vec<u8>, Vec<Unit>, Option<u8>) {
        let mut rest = Vec::with_capacity(self.buffer.len() - end + READ_BYTES);
        rest.extend_from_slice(&self.buffer[end..]);
        let mut src = std::mem::replace(&mut self.buffer, rest);
        src.truncate(end);
        let last = src.last().copied();
        if let Some(last) = last {
            self.splitter.drained(end, last);
        }
        let before = std::mem::replace(&mut self.before, last);
        (src, std::mem::take(&mut self.units), before)
    }
}

/// Packs one source as one segment (spec/extension.md section 3).
///
/// # Errors
/// See [`Error`].
pub fn pack(
    source: &mut (dyn Read + Send),
    name: &str,
    out: &mut (dyn Write + Send),
    options: &PackOptions,
    hooks: &mut dyn Hooks,
) -> Result<Summary, Error> {
    let mut bytes = Vec::new();
    SegmentHead { name: name.to_owned() }.put(&mut bytes);
    out.write_all(&bytes)?;
    let mut blocks = Blocks {
        source,
        buffer: Vec::new(),
        splitter: Splitter::new(),
        units: Vec::new(),
        eof: false,
        before: None,
        number: 0,
    };
    let mut hasher = blake3::Hasher::new();
    let want_repairs = hooks.wants_repairs();
    let mut total =
        Totals { summary: Summary { bytes_out: bytes.len() as u64, ..Summary::default() }, ..Totals::default() };
    ordered(
        options.threads,
        || {
            let Some((src, units, before)) = blocks.next()? else { return Ok(None) };
            hasher.update(&src);
            let number = blocks.number;
            blocks.number += 1;
            let cost = src.len();
            Ok(Some((Job { number, src, units, before, want_repairs, verify: options.verify }, cost)))
        },
        encode,
        |done| total.add(&done, out, hooks),
    )?;
    let summary = &mut total.summary;
    let tail = Tail {
        blocks: blocks.number,
        games: summary.games,
        whole: summary.whole,
        tails: summary.text_tail,
        text: summary.text_only,
        plies: summary.plies,
        source: summary.bytes_in,
        digest: *hasher.finalize().as_bytes(),
    };
    bytes.clear();
    tail.put(&mut bytes);
    out.write_all(&bytes)?;
    summary.bytes_out += bytes.len() as u64;
    Ok(total.summary)
}

/// Sums over blocks, and where the next one begins in the source.
#[derive(Default)]
struct Totals {
    summary: Summary,
    blocks: u64,
    newlines: u64,
    /// Bytes on the line so far.
    column: u64,
}

impl Totals {
    fn add(&mut self, done: &Done, out: &mut (dyn Write + Send), hooks: &mut dyn Hooks) -> Result<(), Error> {
        if hooks.cancelled() {
            return Err(Error::Cancelled);
        }
        if !done.verified {
            return Err(Error::Verify(self.blocks));
        }
        out.write_all(&done.bytes)?;
        for finding in &done.findings {
            let mut finding = finding.clone();
            if finding.line == 0 {
                finding.column += self.column;
            }
            finding.line += self.newlines + 1;
            finding.offset += self.summary.bytes_in;
            if finding.game > 0 {
                finding.game += self.summary.games;
            }
            hooks.finding(&finding);
        }
        let (summary, counts) = (&mut self.summary, &done.counts);
        summary.games += counts.games;
        summary.whole += counts.whole;
        summary.text_tail += counts.tails;
        summary.text_only += counts.text;
        summary.plies += counts.plies;
        summary.stray_regions += counts.stray_regions;
        summary.stray_bytes += counts.stray_bytes;
        summary.repairs += counts.repairs;
        summary.rav_text += counts.rav_texts;
        summary.bytes_in += done.source;
        summary.bytes_out += done.bytes.len() as u64;
        self.blocks += 1;
        self.newlines += done.newlines;
        self.column = if done.last_line.1 { done.last_line.0 } else { self.column + done.last_line.0 };
        hooks.progress(done.source);
        Ok(())
    }
}

/// The work on one block.
fn encode(job: Job) -> Done {
    let mut parsed = read_units(&job.src, &job.units);
    let mut bytes = Vec::new();
    let mut verified = !job.verify;
    let mut counts;
    // Twice, at the very most: records that do not give the source back are joined by its text, or replaced by it.
    let mut attempts = 0;
    loop {
        counts = count(&parsed);
        bytes.clear();
        let head = BlockEncoder::new(&job.src, &parsed).put_block(&mut bytes, job.number, &parsed, &counts);
        attempts += 1;
        if verified || attempts > 3 {
            break;
        }
        verified =
            verify(&job.src, &head, &bytes[bytes.len() - usize::try_from(head.records).unwrap_or(0)..], &mut parsed);
    }
    let mut lines = Lines::new(&job.src, job.before);
    let findings = findings(&job, &parsed, &mut lines);
    let (newlines, column) = lines.place(job.src.len());
    let last_line = (column - 1, newlines > 0);
    Done { bytes, source: job.src.len() as u64, counts, findings, newlines, last_line, verified }
}

/// Decodes the block and compares. Where a unit comes out wrong its form is changed.
fn verify(src: &[u8], head: &BlockHead, records: &[u8], parsed: &mut [Parsed]) -> bool {
    let mut decoder = BlockDecoder::new(head, records);
    let (mut unit, mut out, mut spelling) = (Decoded::default(), Vec::new(), Vec::new());
    let mut all = true;
    for part in parsed {
        let expected = &src[part.unit.start..part.unit.end];
        let right = match decoder.next(&mut unit) {
            Ok(Some(Got::Game)) => {
                out.clear();
                let rendered = render(&mut out, &unit, &head.style, &mut spelling);
                rendered.is_ok() && out == expected && unit.wholeness() == part.game.wholeness
            }
            Ok(Some(Got::Stray(_) | Got::Piece(_))) => unit.raw == expected,
            Ok(None) | Err(_) => false,
        };
        if !right {
            all = false;
            part.form = match part.form {
                Form::Records => Form::WholeText,
                Form::WholeText | Form::Text => Form::Text,
            };
            if part.form == Form::Text && part.unit.kind == UnitKind::Game {
                part.game.clear();
                part.game.wholeness = crate::pgn::game::Wholeness::TextOnly;
            }
        }
    }
    all && matches!(decoder.next(&mut unit), Ok(None))
}

/// Counts the lines of a block, LF, CRLF and CR ending them, as it is asked for places further and further on.
struct Lines<'a> {
    src: &'a [u8],
    newlines: memchr::Memchr2<'a>,
    /// The newline that was looked at but lies behind the last place.
    next: Option<usize>,
    count: u64,
    /// Where the line at hand begins.
    start: usize,
    /// The LF of a CRLF that was counted with its CR.
    skip: bool,
}

impl<'a> Lines<'a> {
    fn new(src: &'a [u8], before: Option<u8>) -> Lines<'a> {
        let skip = before == Some(b'\r') && src.first() == Some(&b'\n');
        Lines { src, newlines: memchr::memchr2_iter(b'\n', b'\r', src), next: None, count: 0, start: 0, skip }
    }

    /// Goes on to a place: the newlines before it, and its column from 1. On line 0, the one that the block begins in, columns count from
    /// the beginning of the block.
    fn place(&mut self, at: usize) -> (u64, u64) {
        while let Some(newline) = self.next.take().or_else(|| self.newlines.next()) {
            if newline >= at {
                self.next = Some(newline);
                break;
            }
            if std::mem::take(&mut self.skip) {
                continue;
            }
            self.skip = self.src[newline] == b'\r' && self.src.get(newline + 1) == Some(&b'\n');
            self.start = newline + 1 + usize::from(self.skip);
            self.count += 1;
        }
        (self.count, (at - self.start.min(at)) as u64 + 1)
    }
}

fn findings(job: &Job, parsed: &[Parsed], lines: &mut Lines<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut games = 0;
    for Parsed { unit, game, .. } in parsed {
        let is_game = matches!(unit.kind, UnitKind::Game | UnitKind::Piece(false));
        games += u64::from(is_game);
        // Their order is that in which the reader understood them.
        let mut notes = game.notes.clone();
        notes.sort_by_key(|note| note.start);
        for note in &notes {
            let kind = kind_of(note, game.wholeness);
            if kind == "repair" && !job.want_repairs {
                continue;
            }
            let start = unit.start + note.start as usize;
            let end = unit.start + note.end as usize;
            let (line, column) = lines.place(start);
            let text = &job.src[start..end.min(start + SHOWN)];
            // Of text outside games, its first line tells enough.
            let text = match text.iter().position(|&b| is_newline(b)) {
                Some(n) if note.what == What::Stray => &text[..n],
                _ => text,
            };
            findings.push(Finding {
                kind,
                what: note.what.text().to_owned(),
                offset: start as u64,
                line,
                column,
                game: if is_game { games } else { 0 },
                text: text.to_vec(),
            });
        }
    }
    findings
}

fn kind_of(note: &Note, wholeness: crate::pgn::game::Wholeness) -> &'static str {
    use crate::pgn::game::Wholeness;
    match note.what {
        What::Stray => "stray",
        _ if note.main => match wholeness {
            Wholeness::Tail => "text-tail",
            _ => "text-only",
        },
        what if is_repair(what) => "repair",
        // The rules or the start cannot be used, but there is no play.
        What::BadStart => "repair",
        _ => "rav-text",
    }
}
