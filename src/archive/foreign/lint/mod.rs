//! Checks PGN against the clauses of the 1994 standard (`pgc lint`), with what the reader found in
//! each game: elements, the gaps between them, and issues.
//!
//! `chars` looks at bytes and lines, `tags` and `values` at tag pairs, `moves` at movetext,
//! `spelling` at moves that are not SAN, `layout` at the layout of export format; `fixed` writes a
//! game in export format. `epd` looks at lines of EPD.

mod chars;
pub(crate) mod epd;
pub(crate) mod fixed;
mod layout;
mod moves;
mod spelling;
mod tags;
mod values;

use std::collections::BTreeMap;
use std::ops::Range;

use crate::foreign::lint::fixed::{GameFixer, LooseText};
use crate::foreign::loose::{LoosePart, LooseParts};
use pgc_block::findings::{Class, FindingWords, Spot, Why};
use pgc_pgn::clause::{Level, Mend, Rule};
use pgc_pgn::game::{Elem, ElemKind, ParsedGame, ParsedGames};
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::split::{Unit, UnitKind};
use pgc_pgn::tag::is_newline;
use pgc_pgn::writer::Encoding;

/// The most characters of a line, without the newline character (4.3).
pub(crate) const LONGEST_LINE: usize = 254;

/// The characters of a text: one of UTF-8 counts once, though the file should be Latin-1.
pub(crate) fn columns(text: &[u8]) -> usize {
    std::str::from_utf8(text).map_or(text.len(), |text| text.chars().count())
}

/// A checked block.
pub(crate) struct LintedBlock {
    pub hits: RuleHits,
    pub games: u64,
    /// The games in export format, and where each stands there; none without [`LintRules::strict`].
    pub fixed: Vec<u8>,
    pub places: Vec<Range<usize>>,
}

/// Which rules are checked, and for which output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LintRules {
    /// Also the rules of export format, and those that are only recommended.
    pub strict: bool,
    /// Whether the games are written in export format (`lint --fix`).
    pub fix: bool,
    /// The encoding of export format.
    pub encoding: Encoding,
    /// The piece letters of the moves.
    pub letters: Option<&'static PieceLetters>,
}

/// The number of times that each rule was broken, of those that were.
pub(crate) type RuleCounts = BTreeMap<Rule, u64>;

/// The most findings that are listed of one block; the others are counted.
const LISTED: usize = 1 << 17;

/// The rules that were broken.
#[derive(Default)]
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
            ..RuleHits::default()
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
        *self.counts.entry(rule).or_default() += 1;
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

/// Checks the units of a block.
pub(crate) fn lint(src: &[u8], units: &[Unit], rules: LintRules) -> LintedBlock {
    let mut hits = RuleHits::new(rules);
    let mut fixer = GameFixer::new(rules);
    let mut games = ParsedGames::in_letters(rules.letters);
    let (mut fixed, mut places) = (Vec::new(), Vec::new());
    let mut number = 0;
    for (at, unit) in units.iter().enumerate() {
        let text = &src[unit.start..unit.end];
        let is_game = matches!(unit.kind, UnitKind::Game | UnitKind::Piece(false));
        number += u64::from(is_game);
        hits.begin(unit.start, if is_game { number } else { 0 });
        match unit.kind {
            UnitKind::Game => {
                let begin = fixed.len();
                games.clear();
                one_game(&mut hits, &mut games, text, unit.line_start);
                if let (Some(game), Some(next)) = (games.last(), units.get(at + 1)) {
                    let goes_on = next.kind == UnitKind::Game && src[next.start] == b'[';
                    comments_in_tags(&mut hits, &game, goes_on);
                }
                if rules.strict {
                    let game = games.last();
                    if let Some(game) = &game {
                        spelling::check_letters(&mut hits, text, game);
                    }
                    fixer.put(&mut fixed, text, game.as_ref(), &LooseText::default());
                    if let Some(game) = game.filter(|_| fixed[begin..] != *text) {
                        layout::check(&mut hits, text, &game);
                        differs(&mut hits, text, &fixed[begin..]);
                    }
                    places.push(begin..fixed.len());
                }
            }
            UnitKind::Piece(continues) => {
                if !continues {
                    hits.hit(Rule::TooLong, 0..text.len());
                }
                chars::lines(&mut hits, text, text.len());
            }
            UnitKind::Stray(continues) => stray(&mut hits, text, continues, unit.line_start),
        }
    }
    LintedBlock {
        hits,
        games: number,
        fixed,
        places,
    }
}

fn one_game(hits: &mut RuleHits, games: &mut ParsedGames, text: &[u8], line_start: bool) {
    if games.read_game(text, line_start).is_err() {
        hits.hit(Rule::TooMany, 0..text.len());
        return chars::lines(hits, text, text.len());
    }
    let Some(game) = games.last() else { return };
    chars::lines(hits, text, game.tags_end());
    chars::check(hits, text, &game);
    tags::check(hits, text, &game);
    moves::check(hits, text, &game);
    if hits.rules.strict {
        spelling::check(hits, text, &game);
    }
}

/// Comments between tag pairs, behind which another game begins (D11). `goes_on`: a tag pair
/// follows directly.
fn comments_in_tags(hits: &mut RuleHits, game: &ParsedGame<'_>, goes_on: bool) {
    let (tags, rest) = game.elems.split_at(game.tag_elems);
    let is_comment = |elem: &Elem| matches!(elem.kind, ElemKind::Brace | ElemKind::Line);
    if let Some(first) = rest.first()
        && goes_on
        && !tags.is_empty()
        && rest.iter().all(is_comment)
    {
        hits.hit(Rule::CommentInTags, first.span());
    }
}

/// Checks text outside games: comments, `%` lines, and other text.
fn stray(hits: &mut RuleHits, text: &[u8], continues: bool, line_start: bool) {
    chars::lines(hits, text, text.len());
    let mut told = continues;
    for (part, span) in LooseParts::new(text, line_start) {
        let rest = text[span.clone()].iter().position(|&byte| is_newline(byte));
        let line = span.start..rest.map_or(span.end, |len| span.start + len);
        match part {
            LoosePart::Escape => hits.strict(Rule::Escape, line),
            LoosePart::Comment => hits.strict(Rule::LooseComment, line),
            LoosePart::Words if told => {}
            LoosePart::Words => {
                hits.hit(Rule::Stray, line);
                told = true;
            }
        }
    }
}

/// Reports a difference from export format that no other finding explains.
fn differs(hits: &mut RuleHits, text: &[u8], fixed: &[u8]) {
    if hits.mended == 0 {
        let at = text.iter().zip(fixed).take_while(|(a, b)| a == b).count();
        let end = text.len().min(at + 40);
        hits.hit(Rule::ExportBytes, at.min(text.len().saturating_sub(1))..end);
    }
}
