//! A decoded game of an archive; its moves are ordinals, not played on a board.

use crate::games::facts::{Wants, of_foreign, of_game, of_piece, tags_of_piece};
use pgc_block::decode::game::Decoded;
use pgc_index::Summaries;
use pgc_pgn::game::{ElemKind, ParsedGame, ParsedGames, Wholeness};
use pgc_pgn::reader::{MAX_ELEMS, MAX_TAG_PAIRS};
use pgc_pgn::records::record::{ROSTER, Record};
use pgc_pgn::text::from_latin1;

/// Maximum length of the tags of a foreign game, as in exporting.
const MAX_TAGS: usize = 16 << 20;

/// How an archive stores a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoredForm {
    /// As records of an archive.
    #[default]
    Records,
    /// As text, in pieces.
    Text,
    /// As records of a stream of another program.
    Foreign,
}

/// A decoded game.
#[derive(Debug, Default)]
pub struct GameData {
    pub unit: Decoded,
    pub form: StoredForm,
    /// Moves of the main line of a foreign game, counted, since not all of its elements may be
    /// kept.
    moves: u64,
    /// Open variations of a foreign game.
    depth: u32,
    /// Length of its tags.
    tag_bytes: usize,
    /// Whether it has more elements than are kept.
    cut: bool,
}

impl GameData {
    /// The elements and tag pairs, with positions in [`GameData::text`]; of a foreign game at most
    /// [`MAX_ELEMS`] elements. A game kept as text has only the tags that its first piece begins
    /// with.
    pub fn game(&self) -> ParsedGame<'_> {
        self.unit.game()
    }

    /// The text that the positions refer to.
    pub fn text(&self) -> &[u8] {
        &self.unit.text
    }

    /// Name and unescaped value of each tag pair, in the order of the source; bytes that are not
    /// valid UTF-8 are Latin-1.
    pub fn tags(&self) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
        self.unit.tag_pairs()
    }

    /// The value of the last tag pair with this name.
    pub(crate) fn tag(&self, name: &[u8]) -> Option<&[u8]> {
        let named = self.tags().filter(|tag| tag.0 == name);
        named.last().map(|tag| tag.1)
    }

    /// Whether the game is kept as text, in pieces: then only its tags are known.
    pub fn is_text(&self) -> bool {
        self.form == StoredForm::Text
    }

    /// Whether elements are missing: a foreign game may have any number.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    pub(crate) fn restart(&mut self) {
        let mut unit = std::mem::take(&mut self.unit);
        unit.clear();
        *self = GameData {
            unit,
            ..GameData::default()
        };
    }

    /// The number of moves of the main line, including those of a foreign game that are not kept.
    pub fn plies(&self) -> u64 {
        match self.form {
            StoredForm::Foreign => self.moves,
            StoredForm::Records | StoredForm::Text => self.game().plies() as u64,
        }
    }

    /// Appends the summary of the game.
    pub fn summarize(&self, games: &mut Summaries, wants: &Wants) {
        let (text, game) = (self.text(), self.game());
        match self.form {
            StoredForm::Records => of_game(games, text, &game, wants),
            StoredForm::Text => of_piece(games, &self.unit.raw),
            StoredForm::Foreign => of_foreign(games, text, &game, self.moves, wants),
        }
    }

    /// Reads the tags that the first piece of a game kept as text begins with.
    pub(crate) fn read_piece(&mut self) {
        self.form = StoredForm::Text;
        let mut games = ParsedGames::default();
        let (raw, unit) = (std::mem::take(&mut self.unit.raw), &mut self.unit);
        if let Some(tags) = tags_of_piece(&mut games, &raw) {
            tags.tag_pairs(&raw)
                .for_each(|(name, value)| unit.push_tag(name, &value));
        }
        unit.tag_elems = unit.elems.len();
        unit.wholeness = Wholeness::TextOnly;
        unit.raw = raw;
    }

    /// Adds a record of a foreign game; returns `false` if it was the last one.
    pub(crate) fn take(&mut self, record: &Record<'_>) -> Result<bool, &'static str> {
        match *record {
            Record::Game { str, moves } => {
                for (name, value) in ROSTER.iter().zip(str) {
                    self.take_tag(name.as_bytes(), value)?;
                }
                self.take_moves(moves);
                return Ok(false);
            }
            Record::TagPair { name, value } => {
                if matches!(name, b"Variant" | b"FEN") && self.moves > 0 {
                    return Err("the Variant and FEN tags must come before the first move");
                }
                self.take_tag(name, value)?;
            }
            Record::ShortMoves(moves) | Record::LongMoves(moves) => self.take_moves(moves),
            Record::Nag(value) => self.keep(ElemKind::Nag, u32::from(value)),
            Record::RavBegin => {
                if self.moves == 0 {
                    return Err("no move precedes the variation that it could replace");
                }
                self.depth += 1;
                self.keep(ElemKind::RavOpen, 0);
            }
            Record::RavEnd => {
                self.depth = self.depth.saturating_sub(1);
                self.keep(ElemKind::RavClose, 0);
            }
            Record::GameEnd => return Ok(false),
            Record::Noop | Record::GameBegin | Record::Escape(_) => {}
        }
        Ok(true)
    }

    fn take_tag(&mut self, name: &[u8], value: &[u8]) -> Result<(), &'static str> {
        self.tag_bytes += name.len() + value.len();
        if self.tag_bytes > MAX_TAGS || self.unit.tags.len() >= MAX_TAG_PAIRS {
            return Err("the game has more tags than a reader keeps");
        }
        // Text in records is Latin-1 (pgc.md section 2).
        self.unit.push_tag(&from_latin1(name), &from_latin1(value));
        Ok(())
    }

    fn take_moves(&mut self, moves: &[u8]) {
        if self.depth == 0 {
            self.moves += moves.len() as u64;
        }
        let room = MAX_ELEMS.saturating_sub(self.unit.elems.len());
        self.unit.push_moves(&moves[..moves.len().min(room)]);
        self.cut |= moves.len() > room;
    }

    fn keep(&mut self, kind: ElemKind, num: u32) {
        if self.unit.elems.len() < MAX_ELEMS {
            self.unit.push(kind, num, self.unit.text.len());
        } else {
            // The kind is noted, even though the element is dropped.
            self.unit.kinds.add(kind);
            self.cut = true;
        }
    }

    /// Ends a foreign game: moves under unknown rules, or from an unusable start position, count as
    /// text.
    pub(crate) fn end_foreign(&mut self) {
        self.form = StoredForm::Foreign;
        let elems = self.unit.elems.iter();
        self.unit.tag_elems = elems.take_while(|elem| elem.kind == ElemKind::Tag).count();
        if self.moves > 0 && pgc_chess::start_position(self.tags()).is_err() {
            self.moves = 0;
            self.unit.wholeness = Wholeness::TextOnly;
        }
    }
}
