//! Checks a source against the clauses of the 1994 standard, and writes it in export format
//! (spec/decisions.md D71).

use std::io::{Read, Write};
use std::ops::Range;

use crate::foreign::lint::LONGEST_LINE as LONGEST;
use crate::foreign::lint::epd::lint as lint_lines;
use crate::foreign::lint::fixed::{GameFixer, LooseRegion, LooseText};
use crate::foreign::lint::{LintRules, LintedBlock, RuleCounts, columns, lint as lint_block};
use crate::pipeline::over_source;
use crate::run::{Error, Hooks};
use pgc_block::cut::Block;
use pgc_block::findings::{Class, End, Origin, place};
use pgc_pgn::clause::{Mend, Rule};
use pgc_pgn::finding::Finding;
use pgc_pgn::game::ParsedGames;
use pgc_pgn::source_text::SourceText;
use pgc_pgn::split::{Unit, UnitKind};
use pgc_pgn::tag::is_space;
use pgc_pgn::writer::{Encoding, WIDTH};

/// The most bytes of text outside games that become comments of one game; more is left out.
const MAX_LOOSE: usize = 65_536;

/// What `lint` should do.
#[derive(Clone, Copy, Debug, Default)]
pub struct LintOptions {
    /// Also the rules of export format, and those that the standard only recommends.
    pub strict: bool,
    /// The most findings of each rule that are reported; all are counted.
    pub most: Option<u64>,
    /// Worker threads; 0 is one for each processor.
    pub threads: usize,
    /// The encoding of export format.
    pub encoding: Encoding,
    /// What the source is.
    pub text: SourceText,
}

/// What `lint` found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LintSummary {
    /// What the source is.
    pub text: SourceText,
    /// Games, including those kept as text; or lines of EPD.
    pub games: u64,
    /// Bytes of the source.
    pub bytes_in: u64,
    /// Bytes of export format.
    pub bytes_out: u64,
    /// The number of regions of text outside games that the output lacks, and of their bytes.
    pub left_out: (u64, u64),
    /// Lines of the output that are longer than export format allows.
    pub too_long: u64,
    counts: RuleCounts,
}

impl LintSummary {
    /// The rules that were broken, each with the number of places, in the order of the clauses.
    pub fn broken(&self) -> impl Iterator<Item = (Rule, u64)> {
        self.counts.iter().map(|(&rule, &count)| (rule, count))
    }

    /// Whether the output still breaks a rule, or lacks text of the source.
    pub fn leaves_some(&self) -> bool {
        let stays = |(rule, _): (Rule, u64)| rule.mend() == Mend::Kept;
        self.broken().any(stays) || self.left_out.0 > 0 || self.too_long > 0
    }

    /// The number of findings.
    pub fn findings(&self) -> u64 {
        self.counts.values().sum()
    }
}

/// Checks a source, and passes each finding to `told`, in order. With `fixed`, also writes the
/// games there in export format, and checks all rules.
///
/// # Errors
/// [`Error::Io`], [`Error::Cancelled`].
pub fn lint(
    source: &mut (dyn Read + Send),
    options: &LintOptions,
    fixed: Option<&mut dyn Write>,
    told: &mut dyn FnMut(Rule, &Finding),
    hooks: &mut dyn Hooks,
) -> Result<LintSummary, Error> {
    let rules = LintRules {
        strict: options.strict || fixed.is_some(),
        fix: fixed.is_some(),
        encoding: options.encoding,
        letters: options.text.letters(),
    };
    let mut run = LintRun {
        summary: LintSummary {
            text: options.text,
            ..LintSummary::default()
        },
        most: options.most.unwrap_or(u64::MAX),
        told_of: RuleCounts::new(),
        origin: Origin::default(),
        mending: fixed.map(|out| Mending::new(out, rules)),
    };
    over_source(
        (source, options.text),
        options.threads,
        |block| {
            let mut linted = match options.text {
                SourceText::Epd => lint_lines(block, rules),
                _ => lint_block(&block.src, &block.units, rules),
            };
            let end = place(&mut linted.hits.spots, block);
            (linted, end)
        },
        |block, (linted, end)| {
            run.add(block, &linted, end, told)?;
            hooks.progress(block.src.len() as u64);
            Ok(())
        },
    )?;
    if let Some(mending) = &mut run.mending {
        mending.end(&mut run.summary)?;
    }
    Ok(run.summary)
}

struct LintRun<'a> {
    summary: LintSummary,
    most: u64,
    told_of: RuleCounts,
    origin: Origin,
    mending: Option<Mending<'a>>,
}

impl LintRun<'_> {
    fn add(
        &mut self,
        block: &Block,
        linted: &LintedBlock,
        end: End,
        told: &mut dyn FnMut(Rule, &Finding),
    ) -> Result<(), Error> {
        for spot in &linted.hits.spots {
            let Class::Clause(rule) = spot.class else {
                continue;
            };
            let told_of = self.told_of.entry(rule).or_default();
            if *told_of < self.most {
                *told_of += 1;
                let words = &linted.hits.words;
                told(rule, &self.origin.finding(&block.src, spot, words));
            }
        }
        for (&rule, count) in &linted.hits.counts {
            *self.summary.counts.entry(rule).or_default() += count;
        }
        self.origin.pass(&block.src, end, linted.games);
        self.summary.games += linted.games;
        self.summary.bytes_in += block.src.len() as u64;
        match &mut self.mending {
            Some(mending) if self.summary.text == SourceText::Epd => {
                mending.bytes.extend_from_slice(&linted.fixed);
                mending.flush(&mut self.summary)
            }
            Some(mending) => mending.add(block, linted, &mut self.summary),
            None => Ok(()),
        }
    }
}

/// The number of lines that are longer than lines of export format may be (4.3, 8.2.1).
fn long_lines(text: &[u8]) -> u64 {
    let is_long = |line: &&[u8]| {
        let most = match line.first() {
            Some(b'[' | b'%') => LONGEST,
            _ => WIDTH,
        };
        line.len() > most && columns(line) > most
    };
    text.split(|&byte| byte == b'\n').filter(is_long).count() as u64
}

/// The last game so far, which may still get a comment.
struct HeldGame {
    text: Vec<u8>,
    line_start: bool,
    /// The game in export format, without comments from text outside games.
    fixed: Vec<u8>,
    loose: LooseText,
}

/// Writes the games of a source in export format.
struct Mending<'a> {
    out: &'a mut dyn Write,
    fixer: GameFixer,
    games: ParsedGames,
    held: Option<HeldGame>,
    /// Texts outside games that wait for the next game, or for the end.
    waiting: Vec<LooseRegion>,
    /// The bytes of texts that wait, or belong to the game that is held.
    loose: usize,
    /// Whether the current region of text outside games is left out, with the pieces that continue
    /// it.
    leaves_out: bool,
    bytes: Vec<u8>,
}

impl<'a> Mending<'a> {
    fn new(out: &'a mut dyn Write, rules: LintRules) -> Mending<'a> {
        Mending {
            out,
            fixer: GameFixer::new(rules),
            games: ParsedGames::in_letters(rules.letters),
            held: None,
            waiting: Vec::new(),
            loose: 0,
            leaves_out: false,
            bytes: Vec::new(),
        }
    }

    fn add(
        &mut self,
        block: &Block,
        linted: &LintedBlock,
        summary: &mut LintSummary,
    ) -> Result<(), Error> {
        let mut places = linted.places.iter().cloned();
        for unit in &block.units {
            let text = &block.src[unit.start..unit.end];
            match unit.kind {
                UnitKind::Game => {
                    self.release(summary)?;
                    let fixed = places.next().unwrap_or_default();
                    self.hold(unit, text, &linted.fixed, fixed);
                }
                UnitKind::Stray(continues) => self.stray(unit, text, continues, summary),
                UnitKind::Piece(continues) => {
                    self.release(summary)?;
                    self.fixer.put_piece(&mut self.bytes, text, !continues);
                    self.flush(summary)?;
                }
            }
        }
        Ok(())
    }

    fn hold(&mut self, unit: &Unit, text: &[u8], fixed: &[u8], place: Range<usize>) {
        let before = std::mem::take(&mut self.waiting);
        self.loose = before.iter().map(|region| region.text.len()).sum();
        self.held = Some(HeldGame {
            text: text.to_vec(),
            line_start: unit.line_start,
            fixed: fixed[place].to_vec(),
            loose: LooseText {
                before,
                behind: Vec::new(),
            },
        });
    }

    /// Adds text outside games. It belongs to the last game if it begins on the line on which that
    /// ended, else to the next game.
    fn stray(&mut self, unit: &Unit, text: &[u8], continues: bool, summary: &mut LintSummary) {
        let bare = text.strip_prefix(pgc_pgn::tag::BOM).unwrap_or(text);
        if bare.iter().all(|&byte| is_space(byte)) {
            return;
        }
        if self.loose + text.len() > MAX_LOOSE || (continues && self.leaves_out) {
            summary.left_out.0 += u64::from(!(continues && self.leaves_out));
            summary.left_out.1 += text.len() as u64;
            self.leaves_out = true;
            return;
        }
        self.leaves_out = false;
        self.loose += text.len();
        let region = LooseRegion {
            text: bare.to_vec(),
            line_start: unit.line_start || bare.len() < text.len(),
        };
        match &mut self.held {
            Some(held) if !unit.line_start && self.waiting.is_empty() => {
                held.loose.behind.push(region);
            }
            _ => self.waiting.push(region),
        }
    }

    /// Writes the game that is held, and ends one that is kept in pieces.
    fn release(&mut self, summary: &mut LintSummary) -> Result<(), Error> {
        self.fixer.end_pieces(&mut self.bytes);
        if let Some(held) = self.held.take() {
            if held.loose.is_empty() {
                self.bytes.extend_from_slice(&held.fixed);
            } else {
                self.games.clear();
                let is_read = self.games.read_game(&held.text, held.line_start).is_ok();
                let game = self.games.last().filter(|_| is_read);
                self.fixer
                    .put(&mut self.bytes, &held.text, game.as_ref(), &held.loose);
            }
        }
        summary.too_long += long_lines(&self.bytes);
        self.flush(summary)
    }

    fn flush(&mut self, summary: &mut LintSummary) -> Result<(), Error> {
        self.out.write_all(&self.bytes)?;
        summary.bytes_out += self.bytes.len() as u64;
        self.bytes.clear();
        Ok(())
    }

    /// Texts behind the last game go into it; `%` lines stay behind it.
    fn end(&mut self, summary: &mut LintSummary) -> Result<(), Error> {
        let waiting = std::mem::take(&mut self.waiting);
        let (escapes, texts): (Vec<LooseRegion>, Vec<_>) =
            waiting.into_iter().partition(LooseRegion::are_escapes);
        match &mut self.held {
            Some(held) => held.loose.behind.extend(texts),
            None => texts.iter().for_each(|region| {
                summary.left_out.0 += 1;
                summary.left_out.1 += region.text.len() as u64;
            }),
        }
        self.release(summary)?;
        for region in escapes {
            self.fixer.put_escapes(&mut self.bytes, &region.text);
        }
        self.flush(summary)
    }
}
