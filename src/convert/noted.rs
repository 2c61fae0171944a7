//! Summaries of games whose text has been made: what an index wants to know beyond the elements is
//! known by then.

use std::hash::{BuildHasher, Hash, Hasher};

use super::decode::{BlockDecoder, Decoded};
use super::elements::{Ending, Played};
use super::summaries::{Wants, opening};
use crate::archive::BlockHead;
use crate::index::{Facts, Summaries};
use crate::pgn::game::{Kind, Kinds, outside_variations};
use crate::pgn::writer::Termination;

/// Notes the games of a block.
pub(super) struct Noted<'w> {
    wants: &'w Wants,
    /// Stands for the shapes of the block.
    shapes: u64,
    /// Kept for its room.
    bytes: Vec<u8>,
}

impl<'w> Noted<'w> {
    pub(super) fn new(head: &BlockHead, wants: &'w Wants) -> Noted<'w> {
        Noted {
            wants,
            shapes: wants.plays.hash_one(&head.shapes),
            bytes: Vec::new(),
        }
    }

    /// Appends the summary of the game that was decoded last: `unit` has its tag section.
    pub(super) fn game(
        &mut self,
        games: &mut Summaries,
        unit: &Decoded,
        decoder: &BlockDecoder<'_>,
        ending: &Ending,
    ) {
        let played = decoder.played();
        // Most games have no element with a record but moves.
        let is_plain = unit.plies == played.len() as u64;
        let mut kinds = ending.annotations.kinds;
        if !is_plain {
            played.iter().for_each(|played| kinds.add(played.kind));
        }
        let has = |of: &[Kind]| kinds.any(of);
        let plies = if has(&[Kind::RavOpen]) {
            main_line(played)
        } else {
            unit.plies
        };
        // `%` lines among the tags would come into the movetext.
        let has_line = !decoder.lines().is_empty()
            && unit.items[..unit.tag_items]
                .iter()
                .any(|item| item.kind == Kind::Escape);
        let facts = Facts {
            terminator: Termination::from_number(ending.terminator),
            wholeness: ending.wholeness,
            plies: u32::try_from(plies).unwrap_or(u32::MAX),
            comments: has(&[Kind::Brace, Kind::Line]),
            variations: has(&[Kind::RavOpen]),
            nags: has(&[Kind::Nag]),
            play: if has_line {
                0
            } else {
                self.play(decoder, ending, is_plain)
            },
            opening: if has_line {
                0
            } else {
                opening_of(played, ending)
            },
            hash: 0,
        };
        games.push(unit.tags(), &facts);
    }

    /// [`Facts::play`], of what the archive has of the game: games of which it has the same have
    /// the same movetext.
    fn play(&mut self, decoder: &BlockDecoder<'_>, ending: &Ending, is_plain: bool) -> u64 {
        let (played, moves, bytes) = (decoder.played(), decoder.last_moves(), &mut self.bytes);
        let mut state = self.wants.plays.build_hasher();
        if moves.len() == played.len() {
            moves.hash(&mut state);
        } else {
            bytes.clear();
            bytes.extend(played.iter().map(|played| played.value));
            if !is_plain {
                bytes.extend(played.iter().map(|played| played.kind as u8));
            }
            bytes.hash(&mut state);
        }
        if !is_plain || ending.annotations.kinds != Kinds::default() {
            // Annotations that have shapes mean nothing without these.
            let shapes = ending.annotations.shaped.then_some(self.shapes);
            (is_plain, decoder.notes(), decoder.lines(), shapes).hash(&mut state);
        }
        state.finish()
    }
}

/// [`Facts::opening`].
fn opening_of(played: &[Played], ending: &Ending) -> u64 {
    let first = ending.annotations.first;
    // What follows may be an annotation: it is no move in any case.
    let other = (first < usize::MAX).then_some((Kind::Brace, 0));
    opening(
        played[..first.min(played.len())]
            .iter()
            .map(|played| (played.kind, played.value))
            .chain(other),
    )
}

/// The moves of the main line.
fn main_line(played: &[Played]) -> u64 {
    outside_variations(played.iter(), |played| played.kind)
        .filter(|played| played.kind == Kind::Move)
        .count() as u64
}
