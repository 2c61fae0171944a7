//! Collects which rules were broken, and where.

use std::ops::Range;

use pgc_block::findings::{Class, FindingWords, Spot, Why};
use pgc_pgn::clause::{Level, Mend, Rule};

/// The number of times that each rule was broken.
pub(crate) type RuleCounts = [u64; Rule::ALL.len()];

/// The most findings that are listed of one block; the others are counted.
const LISTED: usize = 1 << 17;

pub(super) struct RuleHits {
    /// Whether rules of [`Level::Strict`] count.
    pub strict: bool,
    /// Whether UTF-8 is asked for, not Latin-1.
    pub utf8: bool,
    /// Whether the games are written in export format: then the rules hold for that text too.
    pub fix: bool,
    pub spots: Vec<Spot>,
    pub counts: RuleCounts,
    /// What is wrong with lines of EPD: [`Why::Epd`] has the position in this list.
    pub words: Vec<FindingWords>,
    /// Where the current unit begins, and the number of its game.
    base: usize,
    game: u32,
    /// The number of findings in the current unit that export format mends.
    mended: u64,
}

impl RuleHits {
    pub(super) fn new(strict: bool) -> RuleHits {
        RuleHits {
            strict,
            utf8: false,
            fix: false,
            spots: Vec::new(),
            counts: [0; Rule::ALL.len()],
            words: Vec::new(),
            base: 0,
            game: 0,
            mended: 0,
        }
    }

    /// Begins a unit.
    pub(super) fn begin(&mut self, base: usize, game: u64) {
        (self.base, self.mended) = (base, 0);
        self.game = u32::try_from(game).unwrap_or(u32::MAX);
    }

    /// A rule for EPD is broken there, in these words.
    pub(super) fn tell(&mut self, rule: Rule, at: usize, words: FindingWords) {
        if rule.level() == Level::Strict && !self.strict {
            return;
        }
        let number = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let told = self.spots.len();
        self.hit(rule, at..at);
        if let Some(spot) = self.spots.get_mut(told) {
            spot.why = Why::Epd(number);
            self.words.push(words);
        }
    }

    /// A rule of import format is broken at these bytes of the unit.
    pub(super) fn hit(&mut self, rule: Rule, span: Range<usize>) {
        self.counts[rule as usize] += 1;
        self.mended += u64::from(rule.mend() != Mend::Kept);
        if self.spots.len() < LISTED {
            let span = self.base + span.start..self.base + span.end;
            self.spots.push(Spot::new(
                Class::Clause(rule),
                Why::Rule(rule),
                span,
                self.game,
            ));
        }
    }

    /// A rule of export format is broken there.
    pub(super) fn strict(&mut self, rule: Rule, span: Range<usize>) {
        if self.strict {
            self.hit(rule, span);
        }
    }

    /// Whether a finding says why the unit is not in export format.
    pub(super) fn found_layout(&self) -> bool {
        self.mended > 0
    }
}
