//! The identity of a game, by which `--skip-known` and `--skip-duplicates` compare games: its tags
//! and its moves, or players, year, result and moves (D66). Comments, variations and spelling do not
//! matter.

use byteorder::{ByteOrder, LittleEndian};

use crate::dups::fields::{name_key, result_number, year};
use crate::dups::lines::put_start;
use crate::games::data::GameData;
use pgc_index::{Date, MAX_VALUE};
use pgc_pgn::ends_any_game;
use pgc_pgn::game::{ElemKind, ParsedGame, Wholeness};
use pgc_pgn::text::decoded;
use pgc_pgn::writer::Termination;

/// Which games are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipRule {
    /// Those with the same tags and moves.
    Known,
    /// Those with the same moves and players, whose years and results are equal where both are
    /// known. A game whose players or moves are not all known, or that has no moves, must have the
    /// same tags and moves, as for [`Known`](SkipRule::Known).
    Copies,
}

/// The parts of a game that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Equal for the same game.
    pub hash: u64,
    /// Equal for the same game.
    pub bytes: Vec<u8>,
    /// Year and result; 0 is unknown, and agrees with any.
    pub open: [u16; 2],
}

impl Identity {
    fn new(bytes: Vec<u8>, open: [u16; 2]) -> Identity {
        let hash = LittleEndian::read_u64(blake3::hash(&bytes).as_bytes());
        Identity { hash, bytes, open }
    }

    /// The identity of a game; `text` is what its positions refer to.
    pub(crate) fn in_text(text: &[u8], game: &ParsedGame<'_>, rule: SkipRule) -> Identity {
        let copy = (rule == SkipRule::Copies).then(|| Identity::from_copy(text, game));
        copy.flatten().unwrap_or_else(|| {
            let mut exact = Identity::exact(text, game);
            // No copy has these bytes.
            exact.bytes.extend((rule == SkipRule::Copies).then_some(0));
            exact
        })
    }

    /// Whether the games are the same.
    pub(crate) fn is_same(&self, other: &Identity) -> bool {
        self.bytes == other.bytes && agree(self.open, other.open)
    }

    fn exact(text: &[u8], game: &ParsedGame<'_>) -> Identity {
        let utf8 = |bytes: &[u8]| decoded(bytes).into_owned().into_bytes();
        let tags = game.tag_pairs(text);
        let tags = tags.map(|(name, value)| (utf8(name), utf8(&value)));
        let mut tags = Vec::from_iter(tags);
        tags.sort_unstable();
        let mut bytes = Vec::new();
        // Each part has its length before it, so that different lists of parts never give the same
        // bytes.
        for (name, value) in &tags {
            put(name, &mut bytes);
            put(value, &mut bytes);
        }
        put(b"", &mut bytes);
        put(&game.main_line().collect::<Vec<_>>(), &mut bytes);
        if let Some(tail) = game.tail(text) {
            put(tail, &mut bytes);
        }
        Identity::new(bytes, [0; 2])
    }

    /// `None` if players or moves are unknown, or there are no moves.
    fn from_copy(text: &[u8], game: &ParsedGame<'_>) -> Option<Identity> {
        let tags: Vec<_> = game.tag_pairs(text).collect();
        let value = |wanted: &[u8]| {
            let tag = tags.iter().rfind(|tag| tag.0 == wanted);
            tag.map(|tag| &*tag.1)
        };
        let (mut bytes, mut folded) = (Vec::new(), String::new());
        for player in [value(b"White"), value(b"Black")] {
            let name = decoded(player?);
            let name = &name[..name.floor_char_boundary(MAX_VALUE)];
            let key = name_key(name, &mut folded);
            if key.is_empty() {
                return None;
            }
            put(key.as_bytes(), &mut bytes);
        }
        let is_start = |name: &[u8]| matches!(name, b"Variant" | b"FEN");
        let start = tags.iter().filter(|tag| is_start(tag.0));
        let start: Vec<(&[u8], &[u8])> = start.map(|tag| (tag.0, &*tag.1)).collect();
        // The length tells the usual start from any other.
        let mut from = Vec::new();
        put_start(&start, &mut from)?;
        put(&from, &mut bytes);
        let line: Vec<u8> = game.main_line().collect();
        if line.is_empty() || game.wholeness != Wholeness::Whole {
            return None;
        }
        put(&line, &mut bytes);
        let of_tag = value(b"Result").and_then(Termination::from_tag);
        let terminator = Termination::from_number(game.terminator());
        let result = result_number(Termination::combined(of_tag, terminator));
        let date = Date::from_tags(value(b"Date"), value(b"UTCDate"));
        Some(Identity::new(bytes, [year(date), result]))
    }
}

/// Whether years and results are equal where both are known.
pub(crate) fn agree(these: [u16; 2], those: [u16; 2]) -> bool {
    let mut pairs = these.into_iter().zip(those);
    pairs.all(|(a, b)| a == b || a == 0 || b == 0)
}

/// Appends a part with its length.
fn put(part: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
    bytes.extend_from_slice(part);
}

/// The identity of a game of an archive; `None` for a game that is not decoded completely: it
/// equals no other game.
pub(crate) fn of_archive(game: &GameData, rule: SkipRule) -> Option<Identity> {
    (!game.is_text()).then(|| Identity::in_text(game.text(), &game.game(), rule))
}

/// Whether a game of a source ends in a terminator that is one whatever follows.
pub(crate) fn is_ended(text: &[u8], game: &ParsedGame<'_>) -> bool {
    let last = game.elems.last();
    let last = last.filter(|elem| elem.kind == ElemKind::Terminator);
    last.is_some_and(|elem| ends_any_game(&text[elem.span()]))
}
