//! What an index holds of the games: from source text on its way into an archive, and from an
//! archive. Both give the same (spec/index.md section 3).

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::DefaultHashBuilder;

use super::Error;
use super::encode::{Form, Parsed};
use super::games::{GameData, Games, piece_tags};
use crate::chess::start_position;
use crate::index::{Facts, Summaries};
use crate::pgn::game::{Game, Kind, Wholeness, outside_variations};
use crate::pgn::reader::TAIL;
use crate::pgn::split::UnitKind;
use crate::pgn::tag::unescape;
use crate::pgn::text::{decoded, in_utf8};
use crate::pgn::writer::Termination;

/// What an index wants to know of games.
#[derive(Clone, Debug)]
pub(crate) struct Wants {
    /// The hashes of section 6.
    pub hashes: bool,
    /// What makes the numbers of [`Facts::play`]: keyed, so that nobody can choose games that have
    /// the same.
    pub plays: DefaultHashBuilder,
    /// Summaries of blocks that are in the index, for blocks to come: memory is asked for once.
    spare: Arc<Mutex<Vec<Summaries>>>,
}

/// So many are kept, if they are of no more games each.
const SPARE: (usize, usize) = (16, 4096);

impl Wants {
    pub(crate) fn new(hashes: bool) -> Wants {
        Wants {
            hashes,
            plays: DefaultHashBuilder::default(),
            spare: Arc::default(),
        }
    }

    /// Of no games, with room.
    pub(crate) fn summaries(&self) -> Summaries {
        self.spare
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default()
    }

    /// Takes back what is done with.
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
pub(crate) struct Indexed {
    /// A summary of each.
    pub games: Summaries,
    /// CRC-32 of the records of the block.
    pub crc: u32,
}

/// Values that had backslashes in the source, and the tags of the game at hand; kept for their
/// room.
#[derive(Default)]
struct Values {
    bytes: Vec<u8>,
    tags: Vec<(Range<usize>, Range<usize>)>,
}

/// The games of a block of source; `movetexts` are the records of each, but of games that are text,
/// and `shapes` what they refer to.
pub(super) fn of_source<'r>(
    src: &[u8],
    parsed: &[Parsed<'_>],
    movetexts: impl Iterator<Item = &'r [u8]>,
    shapes: &[Vec<u8>],
    wants: &Wants,
) -> Summaries {
    let mut games = wants.summaries();
    let (mut values, mut movetexts, shapes) =
        (Values::default(), movetexts, wants.plays.hash_one(shapes));
    for Parsed { unit, game, form } in parsed {
        let text = &src[unit.start..unit.end];
        match unit.kind {
            UnitKind::Game if *form != Form::Text => {
                let movetext = (movetexts.next().unwrap_or_default(), shapes);
                of_game(&mut games, &mut values, text, game, movetext, wants);
            }
            UnitKind::Game | UnitKind::Piece(false) => of_piece(&mut games, text, wants.hashes),
            UnitKind::Piece(true) | UnitKind::Stray(_) => {}
        }
    }
    games
}

fn of_game(
    games: &mut Summaries,
    values: &mut Values,
    text: &[u8],
    game: &Game<'_>,
    movetext: (&[u8], u64),
    wants: &Wants,
) {
    let elems = &game.elems[game.tag_elems..];
    let has = |kinds: &[Kind]| game.kinds.any(kinds);
    let mut facts = Facts {
        terminator: elems
            .last()
            .and_then(|elem| {
                u8::try_from(elem.num)
                    .ok()
                    .filter(|_| elem.kind == Kind::Terminator)
            })
            .and_then(Termination::from_number),
        wholeness: game.wholeness,
        plies: u32::try_from(game.ordinals.len()).unwrap_or(u32::MAX),
        comments: has(&[Kind::Brace, Kind::Line]),
        variations: has(&[Kind::RavOpen]),
        nags: has(&[Kind::Nag]),
        ..Facts::default()
    };
    if facts.variations {
        facts.plies = u32::try_from(main_line(game).count()).unwrap_or(u32::MAX);
    }
    let hashes = wants.hashes;
    // `%` lines among the tags would come into the movetext.
    if game.tags.len() == game.tag_elems {
        let is_plain = game.kinds.are_among(&[Kind::Terminator]);
        facts.play = if is_plain {
            wants.plays.hash_one(game.ordinals)
        } else {
            wants.plays.hash_one(movetext)
        };
        facts.opening = opening(elems.iter().map(|elem| (elem.kind, elem.ordinal)));
    }
    if !game.odd_tags {
        let tags = game
            .tags
            .iter()
            .map(|tag| (&text[tag.name.clone()], &text[tag.value.clone()]));
        if hashes {
            facts.hash = hash(tags.clone(), main_line(game), tail(text, game));
        }
        games.push(tags, &facts);
        return;
    }
    values.bytes.clear();
    values.tags.clear();
    for tag in game.tags {
        let start = values.bytes.len();
        match unescape(&text[tag.value.clone()]) {
            Cow::Borrowed(value) => values.bytes.extend_from_slice(value),
            Cow::Owned(value) => values.bytes.extend_from_slice(&value),
        }
        values
            .tags
            .push((tag.name.clone(), start..values.bytes.len()));
    }
    let tags = values
        .tags
        .iter()
        .map(|(name, value)| (&text[name.clone()], &values.bytes[value.clone()]));
    if hashes {
        facts.hash = hash(tags.clone(), main_line(game), tail(text, game));
    }
    games.push(tags, &facts);
}

/// [`Facts::opening`] of a movetext with these elements; of moves with their ordinals.
pub(super) fn opening(elements: impl Iterator<Item = (Kind, u8)>) -> u64 {
    let (mut opening, mut place) = (0, u64::BITS);
    for (kind, ordinal) in elements {
        match kind {
            Kind::Move if place > 0 => {
                place -= 8;
                // No move has one of the highest ordinals.
                opening |= u64::from(ordinal.saturating_add(2)) << place;
            }
            Kind::Terminator => break,
            _ => return opening,
        }
    }
    // Before the first move a terminator may come, or not.
    if place > 0 && place < u64::BITS {
        opening | 1 << (place - 8)
    } else {
        opening
    }
}

pub(super) fn main_line(game: &Game<'_>) -> impl Iterator<Item = u8> {
    outside_variations(game.elems.iter(), |elem| elem.kind)
        .filter(|elem| elem.kind == Kind::Move)
        .map(|elem| elem.ordinal)
}

/// The text that the main line ends in.
pub(super) fn tail<'t>(text: &'t [u8], game: &Game<'_>) -> Option<&'t [u8]> {
    outside_variations(game.elems.iter(), |elem| elem.kind)
        .find(|elem| elem.kind == Kind::Text && elem.num == TAIL)
        .map(|elem| &text[elem.span()])
}

/// A game kept as text has the tags that its first piece begins with.
pub(super) fn of_piece(games: &mut Summaries, text: &[u8], hashes: bool) {
    let mut tags: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    piece_tags(text, |name, value| {
        tags.push((name.to_vec(), value.to_vec()))
    });
    let tags = tags
        .iter()
        .map(|(name, value)| (name.as_slice(), value.as_slice()));
    let hash = if hashes {
        hash(tags.clone(), std::iter::empty(), Some(text))
    } else {
        0
    };
    games.push(
        tags,
        &Facts {
            wholeness: Wholeness::TextOnly,
            hash,
            ..Facts::default()
        },
    );
}

/// The games of a block of an archive.
pub(crate) fn of_block(block: &mut Games<'_>, wants: &Wants) -> Result<Summaries, Error> {
    let mut games = wants.summaries();
    while block.next()? {
        if wants.hashes && block.game().is_cut() {
            return Err(block.fault(
                "game",
                "more elements than a game may have: it has no hash".to_owned(),
            ));
        }
        push(&mut games, block.game(), wants, block.is_pgn2pgc());
    }
    Ok(games)
}

/// Appends the summary of a game of an archive. `pgn2pgc`: its ordinals are those of that program.
pub(crate) fn push(games: &mut Summaries, game: &GameData, wants: &Wants, pgn2pgc: bool) {
    let hash = match wants.hashes {
        false => 0,
        true => match Some(game).filter(|_| pgn2pgc).and_then(true_ordinals) {
            Some(ordinals) => hash(game.tags(), ordinals.into_iter(), game.tail()),
            None => hash(game.tags(), game.ordinals(), game.tail()),
        },
    };
    let facts = Facts {
        terminator: game.terminator(),
        wholeness: game.wholeness(),
        plies: u32::try_from(game.plies()).unwrap_or(u32::MAX),
        comments: game.has_comments(),
        variations: game.has_variations(),
        nags: game.has_nags(),
        play: game.hash_play(&wants.plays),
        opening: game.play().map_or(0, |play| {
            opening(play.iter().map(|item| (item.kind, item.ordinal)))
        }),
        hash,
    };
    games.push(game.tags(), &facts);
}

/// The ordinals of the main line as section 20 has them, for those of pgn2pgc; `None` where the
/// play cannot be decoded.
fn true_ordinals(game: &GameData) -> Option<Vec<u8>> {
    let mut position = start_position(game.tags()).ok()?;
    let mut ordinals = Vec::new();
    for ordinal in game.ordinals() {
        let m = position.select_pgn2pgc(ordinal)?;
        ordinals.push(position.rank(m)?);
        position.play(m);
    }
    Some(ordinals)
}

/// Section 6. What is not UTF-8 is Latin-1.
pub(super) fn hash<'t>(
    tags: impl Iterator<Item = (&'t [u8], &'t [u8])>,
    ordinals: impl Iterator<Item = u8>,
    tail: Option<&[u8]>,
) -> u64 {
    let mut tags: Vec<_> = tags
        .map(|(name, value)| (in_utf8(decoded(name)), in_utf8(decoded(value))))
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
        let moves = |n: u8| (0..n).map(|ordinal| (Kind::Move, ordinal));
        let end = [(Kind::Terminator, 0)];
        assert_eq!(opening(moves(3).chain(end)), 0x0203_0401_0000_0000);
        assert_eq!(opening(moves(3)), 0x0203_0401_0000_0000);
        assert_eq!(
            opening(moves(3).chain([(Kind::Nag, 1)]).chain(moves(9))),
            0x0203_0400_0000_0000
        );
        assert_eq!(opening(moves(8).chain(end)), 0x0203_0405_0607_0809);
        assert_eq!(opening(moves(9)), 0x0203_0405_0607_0809);
        assert_eq!(opening(moves(7)), 0x0203_0405_0607_0801);
        assert_eq!(
            [
                opening(end.into_iter()),
                opening([(Kind::Brace, 0)].into_iter())
            ],
            [0, 0]
        );
    }
}
