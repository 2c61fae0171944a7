//! Collects which rules were broken, and where.

use std::ops::Range;

use crate::foreign::lint::LintRules;
use pgc_block::findings::{Class, FindingWords, Spot, Why};
use pgc_pgn::clause::{Level, Mend, Rule};

/// The number of times that each rule was broken.
pub(crate) type RuleCounts = [u64; Rule::ALL.len()];

/// The most findings that are listed of one block; the others are counted.
const LISTED: usize = 1 << 17;

/// The rules that were broken.
pub(crate) struct RuleHits {
    /// What is checked.
    pub rules: LintRules,
    /// The first findings, in no particular order.
    pub spots: Vec<Spot>,
    /// All findings.
    pub counts: RuleCounts,
    /// What is wrong with lines of EPD: [`Why::Epd`] has the position in this list.
    pub words: Vec<FindingWords>,
    /// Where the current unit begins, and the number of its game.
    base: usize,
    game: u32,
    /// The number of findings in the current unit that export format mends: they say why it is not
    /// in export format.
    pub mended: u64,
}

impl RuleHits {
    pub(super) fn new(rules: LintRules) -> RuleHits {
        RuleHits {
            rules,
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
        if rule.level() == Level::Strict && !self.rules.strict {
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
            let (class, why) = (Class::Clause(rule), Why::Rule(rule));
            self.spots.push(Spot::new(class, why, span, self.game));
        }
    }

    /// A rule of export format is broken there.
    pub(super) fn strict(&mut self, rule: Rule, span: Range<usize>) {
        if self.rules.strict {
            self.hit(rule, span);
        }
    }
}
