//! Summaries of games whose text is being made: what an index wants to know is noted as the elements pass by.

use std::hash::{BuildHasher, Hasher};

use hashbrown::DefaultHashBuilder;

use super::decode::{Damage, Decoded};
use super::elements::{Element, Elements, Joined, Played};
use super::summaries::{Wants, bit, opening};
use crate::index::{Facts, Summaries};
use crate::pgn::game::{Kind, Wholeness};
use crate::pgn::writer::Termination;

/// What was noted of a game.
pub(super) struct Notes {
    /// The kinds of elements that are no moves.
    kinds: u16,
    terminator: Option<Termination>,
    pub wholeness: Wholeness,
    /// For [`Facts::play`]: all that is no move. `None`: there is text that was not seen.
    state: Option<State>,
    /// Behind so many elements with records, perhaps itself one of them, is the first that is no move.
    pure: usize,
}

type State = <DefaultHashBuilder as BuildHasher>::Hasher;

/// The elements of a game, which are noted as they are given.
pub(super) struct Noted<'d> {
    elements: Joined<'d>,
    kinds: u16,
    terminator: u32,
    state: State,
    /// The text of the element given last is of interest, and was not asked for.
    is_due: bool,
    is_unknown: bool,
    pure: usize,
}

impl<'d> Noted<'d> {
    pub(super) fn new(elements: Joined<'d>, wants: &Wants) -> Noted<'d> {
        let state = wants.plays.build_hasher();
        Noted { elements, kinds: 0, terminator: 0, state, is_due: false, is_unknown: false, pure: usize::MAX }
    }

    /// Passes over what is left.
    pub(super) fn finish(mut self) -> Result<Notes, Damage> {
        while self.next().is_some() {}
        Ok(Notes {
            kinds: self.kinds,
            terminator: u8::try_from(self.terminator).ok().and_then(Termination::from_number),
            wholeness: self.elements.finish()?,
            state: (!self.is_unknown).then_some(self.state),
            pure: self.pure,
        })
    }

    fn note(&mut self, element: Element) {
        let Element { kind, num, .. } = element;
        self.kinds |= bit(kind);
        match kind {
            Kind::Move => {}
            Kind::Terminator => self.terminator = num,
            _ => {
                let place = self.elements.place();
                self.pure = self.pure.min(place);
                self.state.write_u64(place as u64 | u64::from(num) << 32);
                self.state.write_u8(kind as u8);
                self.is_due = matches!(kind, Kind::Brace | Kind::Line | Kind::Text | Kind::Escape);
            }
        }
    }
}

impl Elements for Noted<'_> {
    #[inline]
    fn next(&mut self) -> Option<Element> {
        self.is_unknown |= std::mem::take(&mut self.is_due);
        let element = self.elements.next()?;
        self.note(element);
        Some(element)
    }

    #[inline(always)]
    fn next_move(&mut self) -> Option<(u8, Option<Kind>)> {
        self.elements.next_move()
    }

    #[inline]
    fn put_text(&mut self, out: &mut Vec<u8>) {
        let before = out.len();
        self.elements.put_text(out);
        self.state.write_usize(out.len() - before);
        self.state.write(&out[before..]);
        self.is_due = false;
    }

    fn rest(&self) -> impl Iterator<Item = (Kind, u32)> {
        self.elements.rest()
    }
}

impl Notes {
    /// Appends the summary of the game. `unit` has its tag section, `played` is what else it has in records; `ordinals` is for their values.
    pub(super) fn summarise(self, games: &mut Summaries, unit: &Decoded, played: &[Played], ordinals: &mut Vec<u8>) {
        let has = |kind: Kind| self.kinds & bit(kind) != 0;
        let plies = if has(Kind::RavOpen) { main_line(played) } else { unit.plies };
        let has_line = unit.items[..unit.tag_items].iter().any(|item| item.kind == Kind::Escape);
        let opening = if has_line { 0 } else { self.opening(played) };
        let play = self.state.filter(|_| !has_line).map_or(0, |mut state| {
            ordinals.clear();
            ordinals.extend(played.iter().map(|played| played.value));
            state.write(ordinals);
            state.finish()
        });
        let facts = Facts {
            terminator: self.terminator,
            wholeness: self.wholeness,
            plies: u32::try_from(plies).unwrap_or(u32::MAX),
            comments: has(Kind::Brace) || has(Kind::Line),
            variations: has(Kind::RavOpen),
            nags: has(Kind::Nag),
            play,
            opening,
            hash: 0,
        };
        games.push(unit.tags(), &facts);
    }

    fn opening(&self, played: &[Played]) -> u64 {
        let (pure, rest) = played.split_at(self.pure.min(played.len()));
        // What follows may be an annotation: it is no move in any case.
        let other = (self.pure < usize::MAX).then_some((Kind::Brace, 0));
        debug_assert!(rest.is_empty() || other.is_some());
        opening(pure.iter().map(|played| (played.kind, played.value)).chain(other))
    }
}

/// The moves of the main line.
fn main_line(played: &[Played]) -> u64 {
    let (mut depth, mut moves) = (0_u32, 0);
    for played in played {
        match played.kind {
            Kind::RavOpen => depth += 1,
            Kind::RavClose => depth = depth.saturating_sub(1),
            Kind::Move => moves += u64::from(depth == 0),
            _ => {}
        }
    }
    moves
}
