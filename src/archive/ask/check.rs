//! Checks games against the clauses of a query that the index cannot answer.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::ask::line_walk::{LineAnswer, LineQuestion};
use crate::ask::lines::{LineExtent, MainLine};
use crate::ask::openings::OpeningSearch;
use crate::ask::positions::{Outlook, Place, PositionSearch};
use crate::games::walk::BlockGames;
use crate::movetext::{Evaluation, says_of};
use pgc_block::small::stored::Needs;
use pgc_chess::{OPENING_PLIES, Opening, known_start};
use pgc_index::{MAX_VALUE, Mover, NamePattern, Test, Window};
use pgc_pgn::epd::line::Operand;
use pgc_pgn::epd::source::said;
use pgc_pgn::game::{Elem, ElemKind};
use pgc_pgn::says::Says;
use pgc_pgn::text::decoded;

/// A game that passes a check of its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    /// The number of the game in the archive, from 0.
    pub(super) game: u32,
    /// The number of plies before the first position that passes.
    pub(super) ply: u32,
}

/// Where the current game passes a test for which it must be read as a whole: the ply, or 0.
/// `plies`: those of the moves that count.
fn passes(test: &Test, plies: &RangeInclusive<u32>, games: &BlockGames<'_>) -> Option<u32> {
    let value = |name: &str| tag_of(games, name.as_bytes());
    let fits = match test {
        Test::Tag { name, pattern } => value(name).is_some_and(|v| pattern.matches(&v)),
        Test::Time(test) => value("TimeControl").is_some_and(|v| test.matches(&v)),
        Test::Comment(pattern) => {
            let text = games.game().text();
            return first_elem(games, |elem| {
                matches!(elem.kind, ElemKind::Brace | ElemKind::Line)
                    && pattern.matches(&decoded(&text[elem.inner()]))
            });
        }
        Test::Clock(mover, range) => {
            let (least, most) = (f64::from(*range.start()), f64::from(*range.end()));
            return first_move(mover, plies, games, |moves, at| {
                Some((least..=most).contains(&moves[at].clock?))
            });
        }
        Test::EvalSwing(mover, range) => {
            return first_move(mover, plies, games, |moves, at| {
                let eval = |at: usize| moves[at].evaluation.map(Evaluation::hundredths);
                Some(range.contains(&eval(at.checked_sub(1)?)?.abs_diff(eval(at)?)))
            });
        }
        Test::Nag(nags) => {
            return first_elem(games, |elem| {
                elem.kind == ElemKind::Nag && nags.contains(&elem.num)
            });
        }
        _ => false,
    };
    fits.then_some(0)
}

/// The number of plies of the main line before the first such element; in a variation the move that
/// it replaces counts too.
fn first_elem(games: &BlockGames<'_>, fits: impl Fn(&Elem) -> bool) -> Option<u32> {
    let (mut depth, mut ply) = (0_u32, 0);
    games.game().game().elems.iter().find_map(|elem| {
        match elem.kind {
            ElemKind::RavOpen => depth += 1,
            ElemKind::RavClose => depth = depth.saturating_sub(1),
            ElemKind::Move if depth == 0 => ply += 1,
            _ => {}
        }
        fits(elem).then_some(ply)
    })
}

/// The first of these plies whose move, of this player, passes.
fn first_move(
    mover: &Mover,
    plies: &RangeInclusive<u32>,
    games: &BlockGames<'_>,
    fits: impl Fn(&[Says], usize) -> Option<bool>,
) -> Option<u32> {
    let [white, black] = ["White", "Black"].map(|name| match mover {
        Mover::Either => true,
        Mover::White(white) => *white == (name == "White"),
        Mover::Players(players) => tag_of(games, name.as_bytes())
            .is_some_and(|value| players.iter().any(|player| player.matches(&value))),
    });
    if !white && !black {
        return None;
    }
    let moves = says_of(games.game());
    let begins = || known_start(games.game().tags()).map_or(true, |start| start.white_to_move());
    // White's moves lead to odd plies if White begins.
    let odd = (white != black).then(|| u32::from(white == begins()));
    let last = u32::try_from(moves.len()).unwrap_or(u32::MAX);
    (1.max(*plies.start())..=last.min(*plies.end()))
        .filter(|ply| odd.is_none_or(|odd| ply % 2 == odd))
        .find(|&ply| fits(&moves, ply as usize - 1) == Some(true))
}

/// A clause that must be checked against the games themselves, or several clauses that ask for one
/// position.
#[derive(Default)]
pub(super) struct GameCheck {
    pub(super) not: bool,
    /// Games that match the clause according to the index.
    pub(super) sure: Vec<u32>,
    /// Tests for which a game must be read as a whole.
    pub(super) reads: Vec<Test>,
    /// Which moves of such a game count.
    pub(super) window: Window,
    pub(super) openings: Vec<Opening>,
    /// Patterns for the name of the opening that was reached.
    pub(super) names: Vec<NamePattern>,
    /// The places of the main line that are asked for, one after another.
    pub(super) places: Vec<Place>,
    /// What the lines of the index say, if they were asked.
    pub(super) known: Option<LineAnswer>,
}

impl GameCheck {
    pub(super) fn search(&self) -> MoveSearch<'_> {
        MoveSearch {
            check: self,
            positions: PositionSearch::new(&self.places),
            names: OpeningSearch::new(&self.names),
        }
    }

    /// Whether the moves of games are looked at.
    pub(super) fn asks_for_moves(&self) -> bool {
        !(self.openings.is_empty() && self.places.is_empty() && self.names.is_empty())
    }

    /// Whether it asks for a tag that the index leaves out.
    pub(super) fn asks_for_tag(&self) -> bool {
        let mut reads = self.reads.iter();
        reads.any(|test| matches!(test, Test::Tag { .. }))
    }

    /// What is looked at in games.
    pub(super) fn needs(&self) -> Needs {
        let read = |test: &Test| match test {
            Test::Tag { .. } | Test::Time(_) => Needs::Tags,
            _ => Needs::Elements,
        };
        let played = self.asks_for_moves().then_some(Needs::Moves);
        let needs = self.reads.iter().map(read).chain(played);
        needs.fold(Needs::Tags, Needs::and)
    }

    /// Whether the places are looked for in variations too.
    pub(super) fn goes_into_variations(&self) -> bool {
        self.places.iter().any(|place| place.window.in_variations)
    }

    /// How much of a game is looked at, if it need not be more than the answer to the question.
    pub(super) fn extent<'q>(&self, question: Option<&'q LineQuestion<'q>>) -> LineExtent<'q> {
        let begun = self.openings.iter().map(Opening::plies);
        let named = self.names.iter().map(|_| OPENING_PLIES);
        let places = self.places.iter().map(|_| usize::MAX);
        LineExtent {
            most: begun.chain(named).chain(places).max().unwrap_or(0),
            variations: self.goes_into_variations(),
            question,
        }
    }

    /// The question for the lines of an index. `None` if the check asks for neither moves nor
    /// positions, for both, or for the name of an opening: a line ends soon after it differs from
    /// its neighbours, and nearly every game may reach a named position after that.
    pub(super) fn question(&self) -> Option<LineQuestion<'_>> {
        match (&*self.openings, &*self.places, &*self.names) {
            ([], [_], []) => Some(LineQuestion::Positions(PositionSearch::new(&self.places))),
            (openings @ [_, ..], [], []) => {
                let usual = openings.iter().filter_map(Opening::usual);
                Some(LineQuestion::Openings(usual.collect()))
            }
            _ => None,
        }
    }

    /// Whether a game passes, and where, if that is known without reading it.
    pub(super) fn verdict(&self, game: u32) -> Option<(bool, u32)> {
        let fits = match self.known.as_ref()?.of_game(game) {
            Outlook::Found(ply) => return Some((!self.not, ply)),
            Outlook::Never if self.reads.is_empty() => self.sure.binary_search(&game).is_ok(),
            _ => return None,
        };
        Some((fits != self.not, 0))
    }

    /// Whether the check tells at which ply a game passes.
    pub(super) fn finds_positions(&self) -> bool {
        let asks = !self.places.is_empty() || !self.openings.is_empty() || !self.reads.is_empty();
        // The ply of a variation would be taken for one of the main line.
        asks && !self.not && self.reads.iter().all(Test::is_of_move) && !self.goes_into_variations()
    }

    /// Where a game passes: the ply, or 0. `hit`: where its moves pass. `games` is positioned at the
    /// game if it must be read as a whole.
    pub(super) fn passes(
        &self,
        game: u32,
        hit: Option<u32>,
        games: Option<&BlockGames<'_>>,
    ) -> Option<u32> {
        let is_sure = || self.sure.binary_search(&game).ok().map(|_| 0);
        let plies = &self.window.plies;
        let reads = self.reads.iter();
        let read = || reads.filter_map(|test| passes(test, plies, games?)).min();
        let at = hit.or_else(is_sure).or_else(read);
        if self.not {
            at.is_none().then_some(0)
        } else {
            at
        }
    }
}

/// Looks for what a check asks of moves.
pub(super) struct MoveSearch<'c> {
    check: &'c GameCheck,
    positions: PositionSearch<'c>,
    names: OpeningSearch<'c>,
}

impl MoveSearch<'_> {
    /// The ply at which the moves of a game pass.
    pub(super) fn ply_of(&mut self, line: &MainLine<'_>) -> Option<u32> {
        let openings = self.check.openings.iter();
        let opening = openings
            .filter(|opening| opening.begins(&line.start, &line.ordinals))
            .min_by_key(|opening| opening.plies());
        match opening {
            Some(opening) => u32::try_from(opening.plies()).ok(),
            None => {
                let reached = self.names.reached(line);
                reached.or_else(|| self.positions.first(line))
            }
        }
    }
}

/// The last value of a tag of the current game, decoded as UTF-8 or else as Latin-1. A line of EPD
/// has the operands of its opcodes too.
pub(super) fn tag_of<'g>(games: &'g BlockGames<'_>, wanted: &[u8]) -> Option<Cow<'g, str>> {
    let tags = || games.game().tags();
    let named = tags().filter(|tag| tag.0 == wanted);
    let value = named.last().map(|tag| tag.1);
    // A missing Site counts as the value `?`, as in an index.
    let value = value.or((wanted == b"Site").then_some(b"?"));
    let text = match value {
        Some(value) => decoded(value),
        None => {
            let line = said(tags())?;
            let operation = line.operation(std::str::from_utf8(wanted).ok()?)?;
            let operands: Vec<&str> = operation.operands.iter().map(Operand::text).collect();
            operands.join(" ").into()
        }
    };
    Some(match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..text.floor_char_boundary(MAX_VALUE)]),
        Cow::Owned(mut text) => {
            text.truncate(text.floor_char_boundary(MAX_VALUE));
            Cow::Owned(text)
        }
    })
}
