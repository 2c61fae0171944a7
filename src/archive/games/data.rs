//! A decoded game of an archive; its moves are ordinals, not played on a board.

use crate::games::facts::{Wants, of_game, of_piece, tags_of_piece};
use pgc_block::decode::game::Decoded;
use pgc_index::Summaries;
use pgc_pgn::game::{ParsedGame, ParsedGames, Wholeness};

/// A decoded game.
#[derive(Debug, Default)]
pub struct GameData {
    pub unit: Decoded,
    pub(super) is_text: bool,
}

impl GameData {
    /// The elements and tag pairs, with positions in [`GameData::text`]. A game kept as text has only
    /// the tags that its first piece begins with.
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
        self.is_text
    }

    /// The number of moves of the main line.
    pub fn plies(&self) -> u64 {
        self.game().plies() as u64
    }

    /// Appends the summary of the game.
    pub fn summarize(&self, games: &mut Summaries, wants: &Wants) {
        match self.is_text {
            true => of_piece(games, &self.unit.raw),
            false => of_game(games, self.text(), &self.game(), wants),
        }
    }

    /// Reads the tags that the first piece of a game kept as text begins with.
    pub(crate) fn read_piece(&mut self) {
        self.is_text = true;
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
}
