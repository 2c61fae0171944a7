//! Extracts the facts that an index holds of a game, from source text while packing, or from an
//! archive. Both give the same (spec/index.md section 3).

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::DefaultHashBuilder;

use crate::block::units::{Parsed, UnitForm};
use crate::chess::start_position;
use crate::index::{Facts, Summaries};
use crate::pgn::game::{ElemKind, ParsedGame, ParsedGames, Wholeness};
use crate::pgn::split::UnitKind;
use crate::pgn::text::{decoded, in_utf8};
use crate::pgn::writer::Termination;

/// Which facts an index needs.
#[derive(Clone, Debug)]
pub(crate) struct Wants {
    /// Whether it has the hashes of spec/index.md section 6.
    pub hashes: bool,
    /// Hashes the moves for [`Facts::play`]; randomly keyed, so that nobody can prepare games with
    /// equal hashes.
    pub plays: DefaultHashBuilder,
    /// Buffers of summaries that are already in the index, reused for later blocks.
    spare: Arc<Mutex<Vec<Summaries>>>,
}

/// The number of buffers kept, and the maximum number of games of each.
const SPARE: (usize, usize) = (16, 4096);

impl Wants {
    pub(crate) fn new(hashes: bool) -> Wants {
        Wants {
            hashes,
            plays: DefaultHashBuilder::default(),
            spare: Arc::default(),
        }
    }

    /// An empty buffer, with the capacity of a former one if there is one.
    pub(crate) fn summaries(&self) -> Summaries {
        self.spare
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default()
    }

    /// Returns a buffer.
    pub(crate) fn recycle(&self, mut summaries: Summaries) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE.0 && summaries.len() <= SPARE.1 {
            summaries.clear();
            spare.push(summaries);
        }
    }
}

/// The games of a block, for the index.
#[derive(Debug)]
pub(crate) struct IndexedBlock {
    /// The summary of each game.
    pub games: Summaries,
    /// CRC-32 of the records of the block.
    pub crc: u32,
}

/// Summarises the games of a block of source. `movetexts` are the movetext records of each game
/// that is not text; `shapes` are the comment shapes that they refer to.
pub(crate) fn of_source<'r>(
    src: &[u8],
    parsed: &[Parsed<'_>],
    movetexts: impl Iterator<Item = &'r [u8]>,
    shapes: &[Vec<u8>],
    wants: &Wants,
) -> Summaries {
    let mut games = wants.summaries();
    let (mut movetexts, shapes) = (movetexts, wants.plays.hash_one(shapes));
    for Parsed { unit, game, form } in parsed {
        let text = &src[unit.start..unit.end];
        match unit.kind {
            UnitKind::Game if *form != UnitForm::Text => {
                let movetext = (movetexts.next().unwrap_or_default(), shapes);
                of_game(&mut games, text, game, movetext, wants);
            }
            UnitKind::Game | UnitKind::Piece(false) => of_piece(&mut games, text, wants.hashes),
            UnitKind::Piece(true) | UnitKind::Stray(_) => {}
        }
    }
    games
}

/// Appends the summary of a parsed or decoded game. `text` is what its positions refer to;
/// `movetext` is its movetext records and a hash of the shapes that they refer to.
pub(crate) fn of_game(
    games: &mut Summaries,
    text: &[u8],
    game: &ParsedGame<'_>,
    movetext: (&[u8], u64),
    wants: &Wants,
) {
    let mut facts = facts_of(game);
    // Not with `%` lines among the tags: they would count as movetext.
    if game.tags.len() == game.tag_elems {
        let is_plain = game.kinds.are_among(&[ElemKind::Terminator]);
        facts.play = if is_plain {
            wants.plays.hash_one(game.ordinals)
        } else {
            wants.plays.hash_one(movetext)
        };
        let play = &game.elems[game.tag_elems..];
        facts.opening = opening(play.iter().map(|elem| (elem.kind, elem.ordinal)));
    }
    if wants.hashes {
        facts.hash = hash(game.tag_pairs(text), game.main_line(), game.tail(text));
    }
    push(games, text, game, &facts);
}

/// The facts that follow from the elements of a game.
fn facts_of(game: &ParsedGame<'_>) -> Facts {
    Facts {
        terminator: Termination::from_number(game.terminator()),
        wholeness: game.wholeness,
        plies: u32::try_from(game.plies()).unwrap_or(u32::MAX),
        comments: game.kinds.any(&[ElemKind::Brace, ElemKind::Line]),
        variations: game.kinds.any(&[ElemKind::RavOpen]),
        nags: game.kinds.any(&[ElemKind::Nag]),
        ..Facts::default()
    }
}

fn push(games: &mut Summaries, text: &[u8], game: &ParsedGame<'_>, facts: &Facts) {
    if game.odd_tags {
        let pairs: Vec<_> = game.tag_pairs(text).collect();
        games.push(pairs.iter().map(|(name, value)| (*name, &**value)), facts);
    } else {
        let tags = game.tags.iter();
        games.push(
            tags.map(|tag| (&text[tag.name.clone()], &text[tag.value.clone()])),
            facts,
        );
    }
}

/// [`Facts::opening`] of a movetext with these elements; for a move the number is its ordinal.
pub(crate) fn opening(elements: impl Iterator<Item = (ElemKind, u8)>) -> u64 {
    let (mut opening, mut place) = (0, u64::BITS);
    for (kind, ordinal) in elements {
        match kind {
            ElemKind::Move if place > 0 => {
                place -= 8;
                // No move has one of the highest ordinals, so this does not saturate.
                opening |= u64::from(ordinal.saturating_add(2)) << place;
            }
            ElemKind::Terminator => break,
            _ => return opening,
        }
    }
    // A movetext without moves is the same with and without a terminator.
    if place > 0 && place < u64::BITS {
        opening | 1 << (place - 8)
    } else {
        opening
    }
}

/// Appends the summary of a game kept as text, with the tags that its first piece begins with.
pub(crate) fn of_piece(games: &mut Summaries, text: &[u8], hashes: bool) {
    let mut read = ParsedGames::default();
    let tags = tags_of_piece(&mut read, text).unwrap_or_default();
    let mut facts = Facts {
        wholeness: Wholeness::TextOnly,
        ..Facts::default()
    };
    if hashes {
        facts.hash = hash(tags.tag_pairs(text), std::iter::empty(), Some(text));
    }
    push(games, text, &tags, &facts);
}

/// Parses the tag section at the start of a game kept as text.
pub(crate) fn tags_of_piece<'g>(games: &'g mut ParsedGames, text: &[u8]) -> Option<ParsedGame<'g>> {
    // The context before it does not matter: a game begins with a tag pair, with movetext, or at
    // the start of a line.
    games.read_tag_section(text, true).ok()?;
    games.last()
}

/// Appends the summary of a foreign game, with its number of plies. `pgn2pgc`: its ordinals are
/// those of the program pgn2pgc.
pub(crate) fn of_foreign(
    games: &mut Summaries,
    text: &[u8],
    game: &ParsedGame<'_>,
    plies: u64,
    pgn2pgc: bool,
    wants: &Wants,
) {
    let mut facts = Facts {
        plies: u32::try_from(plies).unwrap_or(u32::MAX),
        ..facts_of(game)
    };
    if wants.hashes {
        let tags = game.tag_pairs(text);
        facts.hash = match Some(game)
            .filter(|_| pgn2pgc)
            .and_then(|game| true_ordinals(text, game))
        {
            Some(ordinals) => hash(tags, ordinals.into_iter(), None),
            None => hash(tags, game.main_line(), None),
        };
    }
    push(games, text, game, &facts);
}

/// Converts the ordinals of the main line from those of pgn2pgc to those of section 20; `None` if
/// the moves cannot be decoded.
fn true_ordinals(text: &[u8], game: &ParsedGame<'_>) -> Option<Vec<u8>> {
    let tags: Vec<_> = game.tag_pairs(text).collect();
    let mut position = start_position(tags.iter().map(|(name, value)| (*name, &**value))).ok()?;
    let mut ordinals = Vec::new();
    for ordinal in game.main_line() {
        let m = position.select_pgn2pgc(ordinal)?;
        ordinals.push(position.rank(m)?);
        position.play(m);
    }
    Some(ordinals)
}

/// The hash of spec/index.md section 6; bytes that are not valid UTF-8 are Latin-1.
pub(crate) fn hash<'t>(
    tags: impl Iterator<Item = (&'t [u8], Cow<'t, [u8]>)>,
    ordinals: impl Iterator<Item = u8>,
    tail: Option<&[u8]>,
) -> u64 {
    let mut tags: Vec<_> = tags
        .map(|(name, value)| {
            (
                in_utf8(decoded(name)),
                decoded(&value).into_owned().into_bytes(),
            )
        })
        .collect();
    tags.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    for (name, value) in &tags {
        hasher.update(name).update(&[0]).update(value).update(&[0]);
    }
    hasher.update(&[1]);
    let line: Vec<u8> = ordinals.collect();
    hasher.update(&line);
    if let Some(tail) = tail {
        hasher.update(&[2]).update(tail);
    }
    let digest = *hasher.finalize().as_bytes();
    u64::from_le_bytes([
        digest[0], digest[1], digest[2], digest[3], digest[4], digest[5], digest[6], digest[7],
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings() {
        let moves = |n: u8| (0..n).map(|ordinal| (ElemKind::Move, ordinal));
        let end = [(ElemKind::Terminator, 0)];
        assert_eq!(opening(moves(3).chain(end)), 0x0203_0401_0000_0000);
        assert_eq!(opening(moves(3)), 0x0203_0401_0000_0000);
        assert_eq!(
            opening(moves(3).chain([(ElemKind::Nag, 1)]).chain(moves(9))),
            0x0203_0400_0000_0000
        );
        assert_eq!(opening(moves(8).chain(end)), 0x0203_0405_0607_0809);
        assert_eq!(opening(moves(9)), 0x0203_0405_0607_0809);
        assert_eq!(opening(moves(7)), 0x0203_0405_0607_0801);
        assert_eq!(
            [
                opening(end.into_iter()),
                opening([(ElemKind::Brace, 0)].into_iter())
            ],
            [0, 0]
        );
    }
}
