//! Reads and counts the units of a block of source.

use crate::num::at32;
use crate::stop;
use pgc_pgn::game::{Issue, IssueKind, ParsedGame, ParsedGames, Wholeness};
use pgc_pgn::split::{Unit, UnitKind};

/// A unit, with what the reader found in it. A whole game that is stored as text alone is a
/// [`UnitKind::Piece`].
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Parsed<'g> {
    pub unit: Unit,
    pub game: ParsedGame<'g>,
}

/// Reads the units of a block.
pub fn read_units<'g>(games: &'g mut ParsedGames, src: &[u8], units: &[Unit]) -> Vec<Parsed<'g>> {
    games.reserve(src.len());
    let mut read = units.to_vec();
    for unit in read.iter_mut().take_while(|_| !stop::is_set()) {
        let text = &src[unit.start..unit.end];
        let why = match unit.kind {
            UnitKind::Game if games.read_game(text, unit.line_start).is_ok() => continue,
            UnitKind::Game => {
                unit.kind = UnitKind::Piece(false);
                Some(IssueKind::TooMany)
            }
            UnitKind::Piece(false) => Some(IssueKind::TooLong),
            UnitKind::Stray(false) => Some(IssueKind::Stray),
            UnitKind::Piece(true) | UnitKind::Stray(true) => None,
        };
        games.push_text(why.map(|what| Issue {
            what,
            start: 0,
            end: at32(text.len()),
            main: true,
        }));
    }
    let read = read.into_iter().zip(games.iter());
    read.map(|(unit, game)| Parsed { unit, game }).collect()
}

/// Counts of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Counts {
    pub games: u64,
    pub whole: u64,
    pub tails: u64,
    pub text: u64,
    pub plies: u64,
    pub stray_regions: u64,
    pub stray_bytes: u64,
    pub repairs: u64,
    pub rav_texts: u64,
}

impl Counts {
    /// Whether both count the same games, moves and text outside games.
    pub fn agree_with(&self, other: &Counts) -> bool {
        let (repairs, rav_texts) = (other.repairs, other.rav_texts);
        let ours = Counts {
            repairs,
            rav_texts,
            ..*self
        };
        ours == *other
    }

    /// Counts a game with `plies` moves.
    pub(crate) fn game(&mut self, wholeness: Wholeness, plies: u64) {
        self.games += 1;
        self.plies += plies;
        match wholeness {
            Wholeness::Whole => self.whole += 1,
            Wholeness::Tail => self.tails += 1,
            Wholeness::TextOnly => self.text += 1,
        }
    }

    /// Counts what was decoded: a game, or text.
    pub fn decoded(&mut self, kind: UnitKind, game: &ParsedGame<'_>, raw: &[u8]) {
        match kind {
            UnitKind::Game => self.game(game.wholeness, game.ordinals.len() as u64),
            UnitKind::Stray(continues) => self.stray(continues, raw.len()),
            UnitKind::Piece(false) => self.game(Wholeness::TextOnly, 0),
            UnitKind::Piece(true) => {}
        }
    }

    /// Counts a piece of text outside games; `continues`: it belongs to the region before.
    pub(crate) fn stray(&mut self, continues: bool, bytes: usize) {
        self.stray_regions += u64::from(!continues);
        self.stray_bytes += bytes as u64;
    }
}

/// Counts what a block adds to the summary.
pub fn count(parsed: &[Parsed<'_>]) -> Counts {
    let mut counts = Counts::default();
    for Parsed { unit, game, .. } in parsed {
        match unit.kind {
            UnitKind::Stray(continues) => counts.stray(continues, unit.end - unit.start),
            UnitKind::Piece(true) => {}
            UnitKind::Piece(false) | UnitKind::Game => {
                counts.game(game.wholeness, game.ordinals.len() as u64);
                counts.rav_texts += game.rav_texts;
                counts.repairs += game.issues.iter().filter(|n| is_repair(n.what)).count() as u64;
            }
        }
    }
    counts
}

/// Whether the reader understood the text despite this issue, or the text means nothing.
pub fn is_repair(what: IssueKind) -> bool {
    matches!(
        what,
        IssueKind::RavUnclosed
            | IssueKind::CommentUnclosed
            | IssueKind::CommentNested
            | IssueKind::Number
            | IssueKind::Spelling
            | IssueKind::Junk
            | IssueKind::TagForm
            | IssueKind::LongEscape
    )
}
