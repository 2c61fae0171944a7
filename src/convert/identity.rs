//! What makes two games the same: their tags and their moves (spec/index.md section 6). Comments,
//! variations and spelling play no part.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;

use super::Error;
use super::blocks::Blocks;
use super::encode::{Form, Parsed, read_units};
use super::games::GameData;
use super::summaries::{hash, main_line, tail};
use crate::pgn::game::{Game, Games, Kind};
use crate::pgn::split::UnitKind;
use crate::pgn::tag::unescape;
use crate::pgn::text::decoded;

/// A game, as far as that goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Of spec/index.md section 6: games that are the same have the same.
    pub hash: u64,
    /// Games are the same if, and only if, these bytes are.
    pub bytes: Vec<u8>,
}

/// A pair as written, and what the value means.
type TagPair<'t> = (Cow<'t, [u8]>, Cow<'t, [u8]>);

fn identity(mut tags: Vec<TagPair<'_>>, ordinals: Vec<u8>, tail: Option<&[u8]>) -> Identity {
    let hash = hash(
        tags.iter().map(|(name, value)| (&**name, &**value)),
        ordinals.iter().copied(),
        tail,
    );
    tags.iter_mut()
        .for_each(|(name, value)| (*name, *value) = (utf8(name), utf8(value)));
    tags.sort_unstable();
    let mut bytes = Vec::new();
    // Unlike in what is hashed, each part has its length before it, so that no two lists look
    // alike.
    let mut put = |part: &[u8]| {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    };
    for (name, value) in &tags {
        put(name);
        put(value);
    }
    put(b"");
    put(&ordinals);
    if let Some(tail) = tail {
        put(tail);
    }
    Identity { hash, bytes }
}

fn utf8<'t>(bytes: &[u8]) -> Cow<'t, [u8]> {
    Cow::Owned(decoded(bytes).into_owned().into_bytes())
}

/// Of a game of an archive; of one that is not at hand as a whole none: it is like no other.
pub(crate) fn of_archive(game: &GameData) -> Option<Identity> {
    if game.is_text() || game.is_cut() {
        return None;
    }
    let tags = game
        .tags()
        .map(|(name, value)| (Cow::Borrowed(name), Cow::Borrowed(value)))
        .collect();
    Some(identity(tags, game.ordinals().collect(), game.tail()))
}

fn of_source(text: &[u8], game: &Game<'_>) -> Identity {
    let tag = |tag: &crate::pgn::game::Tag| {
        (
            Cow::Borrowed(&text[tag.name.clone()]),
            unescape(&text[tag.value.clone()]),
        )
    };
    identity(
        game.tags.iter().map(tag).collect(),
        main_line(game).collect(),
        tail(text, game),
    )
}

/// What a unit of a source is, as far as leaving it out goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A game. `ended`: by a terminator, so that nothing that may follow can become part of it.
    Game { identity: Identity, ended: bool },
    /// A game without identity, or its first piece (`true`: a further one).
    Piece(bool),
    /// Text outside games.
    Text,
}

/// A block of a source, and its units.
#[derive(Debug)]
pub(crate) struct SourceBlock {
    /// Its bytes.
    pub src: Vec<u8>,
    /// They follow one another without gaps.
    pub units: Vec<(Range<usize>, What)>,
}

/// The units of a source, block by block.
pub(crate) struct SourceBlocks<'a>(Blocks<'a>);

impl<'a> SourceBlocks<'a> {
    /// From its beginning.
    pub(crate) fn new(source: &'a mut (dyn Read + Send)) -> SourceBlocks<'a> {
        SourceBlocks(Blocks::new(source))
    }

    /// The next block; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<SourceBlock>, Error> {
        let Some(block) = self.0.next()? else {
            return Ok(None);
        };
        let mut games = Games::default();
        let parsed = read_units(&mut games, &block.src, &block.units, |_, _| {});
        let units = parsed
            .iter()
            .map(|parsed| (parsed.unit.start..parsed.unit.end, what(&block.src, parsed)))
            .collect();
        Ok(Some(SourceBlock {
            src: block.src,
            units,
        }))
    }
}

fn what(src: &[u8], parsed: &Parsed<'_>) -> What {
    match parsed.unit.kind {
        UnitKind::Game if parsed.form == Form::Records => What::Game {
            identity: of_source(&src[parsed.unit.start..parsed.unit.end], &parsed.game),
            ended: parsed
                .game
                .elems
                .last()
                .is_some_and(|elem| elem.kind == Kind::Terminator),
        },
        UnitKind::Game => What::Piece(false),
        UnitKind::Piece(further) => What::Piece(further),
        UnitKind::Stray(_) => What::Text,
    }
}
