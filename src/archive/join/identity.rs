//! What makes two games the same: their tags and their moves (spec/index.md section 6). Comments,
//! variations and spelling play no part.

use std::io::Read;
use std::ops::Range;

use crate::archive::games::data::GameData;
use crate::archive::games::facts::hash;
use crate::block::cut::Blocks;
use crate::block::units::{Form, Parsed, read_units};
use crate::pgn::game::{Game, Games};
use crate::pgn::split::UnitKind;
use crate::pgn::text::decoded;
use crate::run::Error;

/// A game, as far as that goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Of spec/index.md section 6: games that are the same have the same.
    pub hash: u64,
    /// Games are the same if, and only if, these bytes are.
    pub bytes: Vec<u8>,
}

impl Identity {
    /// Of a game; `text` is what it has places in.
    pub(crate) fn of(text: &[u8], game: &Game<'_>) -> Identity {
        let (ordinals, tail) = (game.main_line(), game.tail(text));
        let hash = hash(game.tag_pairs(text), ordinals, tail);
        let utf8 = |bytes: &[u8]| decoded(bytes).into_owned().into_bytes();
        let tags = game.tag_pairs(text);
        let mut tags: Vec<_> = tags
            .map(|(name, value)| (utf8(name), utf8(&value)))
            .collect();
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
        put(&game.main_line().collect::<Vec<_>>());
        if let Some(tail) = tail {
            put(tail);
        }
        Identity { hash, bytes }
    }
}

/// Of a game of an archive; of one that is not at hand as a whole none: it is like no other.
pub(crate) fn of_archive(game: &GameData) -> Option<Identity> {
    let is_whole = !game.is_text() && !game.is_cut();
    is_whole.then(|| Identity::of(game.text(), &game.game()))
}

/// What a unit of a source is, as far as leaving it out goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnitRole {
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
    pub units: Vec<(Range<usize>, UnitRole)>,
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

fn what(src: &[u8], parsed: &Parsed<'_>) -> UnitRole {
    match parsed.unit.kind {
        UnitKind::Game if parsed.form == Form::Records => UnitRole::Game {
            identity: Identity::of(&src[parsed.unit.start..parsed.unit.end], &parsed.game),
            ended: parsed.game.terminator() > 0,
        },
        UnitKind::Game => UnitRole::Piece(false),
        UnitKind::Piece(further) => UnitRole::Piece(further),
        UnitKind::Stray(_) => UnitRole::Text,
    }
}
