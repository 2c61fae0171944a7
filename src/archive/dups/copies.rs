//! What the copies of a game hold besides their moves, and how much of it.

use crate::dups::fields::split;
use crate::games::data::GameData;
use crate::games::walk::BlockGames;
use crate::open::Archive;
use crate::run::Error;
use pgc_block::small::stored::Needs;
use pgc_index::MAX_VALUE;
use pgc_pgn::game::{Elem, ElemKind};
use pgc_pgn::text::decoded;

/// Bytes of tags that are kept of a game.
const MAX_TAGS: usize = 1 << 16;

/// What a copy of a game holds besides its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameCopy {
    /// The tag pairs, in their order; long values are cut.
    pub tags: Vec<(String, String)>,
    /// The number of its comments.
    pub comments: u64,
    /// The number of its NAGs.
    pub nags: u64,
    /// The number of its variations.
    pub variations: u64,
}

impl Archive {
    /// What games (from 0, in any order) hold besides their moves: nothing, for a game of a damaged
    /// block that is passed over.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Io`].
    pub fn copies(&self, games: &[u32], threads: usize) -> Result<Vec<GameCopy>, Error> {
        let mut copies = vec![GameCopy::default(); games.len()];
        let of = |games: &mut BlockGames<'_>| Ok(copy_of(games.game()));
        self.each_of(games, Needs::Elements, threads, of, |at, copy| {
            copies[at] = copy;
            Ok(())
        })?;
        Ok(copies)
    }
}

fn copy_of(data: &GameData) -> GameCopy {
    let mut copy = GameCopy::default();
    for elem in &data.unit.elems {
        match elem.kind {
            ElemKind::Brace | ElemKind::Line => copy.comments += 1,
            ElemKind::Nag => copy.nags += 1,
            ElemKind::RavOpen => copy.variations += 1,
            _ => {}
        }
    }
    let mut room = MAX_TAGS;
    for (name, value) in data.tags() {
        let [name, value] = [name, value].map(|text| {
            let text = decoded(text);
            text[..text.floor_char_boundary(MAX_VALUE)].to_owned()
        });
        let Some(rest) = room.checked_sub(name.len() + value.len()) else {
            break;
        };
        room = rest;
        copy.tags.push((name, value));
    }
    copy
}

/// How good copies are, the higher the better: the number of their comments, NAGs and variations,
/// then the number of their tags.
pub(super) struct Worths {
    /// For each archive its games, ascending, and the worth of each: eight bytes a game, since all
    /// games of large archives may be copies.
    archives: Vec<(Vec<u32>, Vec<u32>)>,
}

/// The bits of a worth that count tags.
const TAGS: u32 = 11;

impl Worths {
    /// Reads the worths of games, each `archive << 32 | game`, in any order.
    pub(super) fn read(
        archives: &[&Archive],
        games: impl Iterator<Item = u64> + Clone,
        threads: usize,
    ) -> Result<Worths, Error> {
        let mut read = Vec::with_capacity(archives.len());
        for (number, archive) in archives.iter().enumerate() {
            let here = games.clone().map(split);
            let here = here.filter(|game| game.0 as usize == number);
            let mut list: Vec<u32> = here.map(|game| game.1).collect();
            list.sort_unstable();
            list.dedup();
            let mut worths = vec![0; list.len()];
            let of = |games: &mut BlockGames<'_>| Ok(worth(games.game()));
            let scanned = archive.each_of(&list, Needs::Elements, threads, of, |at, worth| {
                worths[at] = worth;
                Ok(())
            });
            scanned.map_err(|error| archive.named(error))?;
            read.push((list, worths));
        }
        Ok(Worths { archives: read })
    }

    /// The worth of one of these games; 0 in a damaged block, and for other games.
    pub(super) fn worth(&self, game: u64) -> u32 {
        let (archive, game) = split(game);
        let (games, worths) = &self.archives[archive as usize];
        games.binary_search(&game).map_or(0, |at| worths[at])
    }

    /// The amount of annotation of one of these games.
    pub(super) fn notes(&self, game: u64) -> u32 {
        self.worth(game) >> TAGS
    }
}

fn worth(data: &GameData) -> u32 {
    use ElemKind::{Brace, Line, Nag, RavOpen};
    let is_note = |elem: &&Elem| matches!(elem.kind, Brace | Line | Nag | RavOpen);
    let notes = data.unit.elems.iter().filter(is_note).count();
    // A game has at most 2^20 elements.
    let notes = u32::try_from(notes).unwrap_or(u32::MAX).min((1 << 21) - 1);
    let tags = u32::try_from(data.unit.tags.len()).unwrap_or(u32::MAX);
    notes << TAGS | tags.min((1 << TAGS) - 1)
}
