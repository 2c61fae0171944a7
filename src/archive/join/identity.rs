//! The identity of a game: its tags and its moves (spec/index.md section 6). Comments, variations
//! and spelling do not matter.

use std::io::Read;
use std::ops::Range;

use crate::archive::games::data::GameData;
use crate::archive::games::facts::hash;
use crate::block::cut::Blocks;
use crate::block::units::{Parsed, UnitForm, read_units};
use crate::pgn::game::{ParsedGame, ParsedGames};
use crate::pgn::split::UnitKind;
use crate::pgn::text::decoded;
use crate::run::Error;

/// The tags and moves of a game, in comparable form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The hash of spec/index.md section 6; equal for equal games.
    pub hash: u64,
    /// Equal if and only if the games are the same.
    pub bytes: Vec<u8>,
}

impl Identity {
    /// The identity of a game; `text` is what its positions refer to.
    pub(crate) fn of(text: &[u8], game: &ParsedGame<'_>) -> Identity {
        let (ordinals, tail) = (game.main_line(), game.tail(text));
        let hash = hash(game.tag_pairs(text), ordinals, tail);
        let utf8 = |bytes: &[u8]| decoded(bytes).into_owned().into_bytes();
        let tags = game.tag_pairs(text);
        let mut tags: Vec<_> = tags
            .map(|(name, value)| (utf8(name), utf8(&value)))
            .collect();
        tags.sort_unstable();
        let mut bytes = Vec::new();
        // Unlike in the hash, each part has its length before it, so that different lists of parts
        // never give the same bytes.
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

/// The identity of a game of an archive; `None` for a game that is not decoded completely: it
/// equals no other game.
pub(crate) fn of_archive(game: &GameData) -> Option<Identity> {
    let is_whole = !game.is_text() && !game.is_cut();
    is_whole.then(|| Identity::of(game.text(), &game.game()))
}

/// What a unit of a source is to `--skip-known`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnitRole {
    /// A game. `ended`: it has a terminator, so that no following text can become part of it.
    Game { identity: Identity, ended: bool },
    /// A game without identity, or its first piece (`false`), or a further piece (`true`).
    Piece(bool),
    /// Text outside games.
    Text,
}

/// A block of a source, divided into units.
#[derive(Debug)]
pub(crate) struct SourceBlock {
    /// Its bytes.
    pub src: Vec<u8>,
    /// The units, without gaps between them.
    pub units: Vec<(Range<usize>, UnitRole)>,
}

/// Reads the units of a source, block by block.
pub(crate) struct SourceBlocks<'a>(Blocks<'a>);

impl<'a> SourceBlocks<'a> {
    /// Starts at the beginning of a source.
    pub(crate) fn new(source: &'a mut (dyn Read + Send)) -> SourceBlocks<'a> {
        SourceBlocks(Blocks::new(source))
    }

    /// The next block; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<SourceBlock>, Error> {
        let Some(block) = self.0.next()? else {
            return Ok(None);
        };
        let mut games = ParsedGames::default();
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
        UnitKind::Game if parsed.form == UnitForm::Records => UnitRole::Game {
            identity: Identity::of(&src[parsed.unit.start..parsed.unit.end], &parsed.game),
            ended: parsed.game.terminator() > 0,
        },
        UnitKind::Game => UnitRole::Piece(false),
        UnitKind::Piece(further) => UnitRole::Piece(further),
        UnitKind::Stray(_) => UnitRole::Text,
    }
}
