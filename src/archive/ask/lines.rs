//! The main lines of games, and what was played from the positions that a query found: for questions
//! about moves and positions, which need neither text nor layout.

use std::borrow::Cow;
use std::iter;

use crate::ask::find::Answer;
use crate::ask::line_walk::{LineQuestion, LineWalk};
use crate::games::data::GameData;
use crate::games::walk::damage;
use crate::open::Archive;
use crate::run::Error;
use crate::stream::walk::BlockPlace;
use pgc_block::small::each_usual_line;
use pgc_block::small::stored::Needs;
use pgc_chess::{Position, is_start_tag, known_start};
use pgc_index::{Flags, kind};
use pgc_pgn::game::{Elem, ElemKind};

/// The main line of a game.
#[derive(Default)]
pub(crate) struct MainLine<'a> {
    /// The Variant and FEN tags of the game.
    pub(crate) start: Vec<(&'a [u8], &'a [u8])>,
    /// The ordinals of the moves.
    pub(crate) ordinals: Cow<'a, [u8]>,
    /// The variations, if they are read, in the order of their beginnings.
    variations: Vec<Variation>,
}

/// A variation.
struct Variation {
    /// The place of the variation that it interrupts; `None`: it interrupts the main line.
    around: Option<usize>,
    /// The number of plies before it, from the start of the game.
    begin: usize,
    /// The ordinals of its own moves.
    ordinals: Vec<u8>,
}

/// How much of a game is read.
#[derive(Clone, Copy, Default)]
pub(crate) struct LineExtent<'q> {
    /// The number of moves of the main line.
    pub(crate) most: usize,
    /// Whether variations are read.
    pub(crate) variations: bool,
    /// A main line may end where the answer to this is known.
    pub(super) question: Option<&'q LineQuestion<'q>>,
}

impl LineExtent<'_> {
    /// The main line, up to so many moves.
    pub(crate) fn main(most: usize) -> LineExtent<'static> {
        LineExtent {
            most,
            ..LineExtent::default()
        }
    }
}

impl<'a> MainLine<'a> {
    pub(crate) fn new(game: &'a GameData, extent: LineExtent<'_>) -> MainLine<'a> {
        let (start, game) = (game.tags(), game.game());
        let has_variations = game.kinds.any(&[ElemKind::RavOpen]);
        let most = game.ordinals.len().min(extent.most);
        MainLine {
            start: start.filter(|tag| is_start_tag(tag.0)).collect(),
            ordinals: match has_variations {
                true => game.main_line().take(most).collect(),
                false => game.ordinals[..most].into(),
            },
            variations: match has_variations && extent.variations {
                true => variations(game.elems),
                false => Vec::new(),
            },
        }
    }

    /// The start position; `None` if the tags name none that can be used. Then the ordinals have no
    /// meaning.
    pub(crate) fn position(&self) -> Option<Position> {
        if self.start.is_empty() {
            Some(Position::initial())
        } else {
            known_start(self.start.iter().copied()).ok()
        }
    }

    /// The ordinals of the main line, then of each variation with the moves that lead to it.
    pub(super) fn lines(&self) -> impl Iterator<Item = Cow<'_, [u8]>> {
        let variations = (0..self.variations.len()).map(|place| self.variation(place).into());
        iter::once(Cow::Borrowed(&*self.ordinals)).chain(variations)
    }

    /// The ordinals of a variation, with those of the moves that lead to it.
    fn variation(&self, place: usize) -> Vec<u8> {
        let (mut parts, mut around, mut end) = (Vec::new(), Some(place), usize::MAX);
        while let Some(place) = around {
            let variation = &self.variations[place];
            let most = end.saturating_sub(variation.begin);
            parts.push(&variation.ordinals[..variation.ordinals.len().min(most)]);
            (around, end) = (variation.around, end.min(variation.begin));
        }
        parts.push(&self.ordinals[..self.ordinals.len().min(end)]);
        parts.reverse();
        parts.concat()
    }
}

/// The variations among the elements of a game.
fn variations(elems: &[Elem]) -> Vec<Variation> {
    let mut variations: Vec<Variation> = Vec::new();
    // The plies of the main line, and the places of the variations that are open.
    let (mut plies, mut open) = (0, Vec::new());
    for elem in elems {
        let line = open.last().map(|&place: &usize| &mut variations[place]);
        match (elem.kind, line) {
            (ElemKind::Move, Some(line)) => line.ordinals.push(elem.ordinal),
            (ElemKind::Move, None) => plies += 1,
            (ElemKind::RavOpen, line) => {
                let played = line.map_or(plies, |line| line.begin + line.ordinals.len());
                variations.push(Variation {
                    around: open.last().copied(),
                    // It replaces the last move of the line that it interrupts.
                    begin: played.saturating_sub(1),
                    ordinals: Vec::new(),
                });
                open.push(variations.len() - 1);
            }
            (ElemKind::RavClose, _) => _ = open.pop(),
            _ => {}
        }
    }
    variations
}

/// Called with the place of a game among those that are wanted, and its main line.
pub(crate) type EachLine<'e> = dyn FnMut(usize, &MainLine<'_>) + 'e;

/// A game, from the position that the query asked for.
pub(super) struct Continuation {
    /// The number of the game in the archive, from 0.
    pub(super) game: u32,
    pub(super) position: Position,
    /// The ordinals of the moves from there.
    pub(super) ordinals: Vec<u8>,
}

impl Archive {
    /// Calls `each` with the main line of each of the `wanted` games of a block (from 0 in the
    /// archive, ascending), as far as `extent` says.
    ///
    /// Tag values that only an escape can hold (`T`) do not matter here: with such a Variant or
    /// FEN, the play is text and has no ordinals. A game kept as text has no main line.
    pub(crate) fn each_main_line(
        &self,
        place: &BlockPlace,
        wanted: &[u32],
        extent: LineExtent<'_>,
        each: &mut EachLine<'_>,
    ) -> Result<(), Error> {
        let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else {
            return Ok(());
        };
        if self.each_coded_line(place, wanted, extent, each)? {
            return Ok(());
        }
        let games = u64::from(*first)..u64::from(*last) + 1;
        self.with_block(place, games, Needs::Moves, |games| {
            games.visit(wanted, |at, games| {
                if !games.game().is_text() {
                    each(at, &MainLine::new(games.game(), extent));
                }
                Ok(())
            })
        })
    }

    /// As [`Archive::each_main_line`], from a coded block: decodes only its moves, since the index
    /// knows the rest. Returns `false`, without calling `each`, if the index does not know enough.
    fn each_coded_line(
        &self,
        place: &BlockPlace,
        wanted: &[u32],
        extent: LineExtent<'_>,
        each: &mut EachLine<'_>,
    ) -> Result<bool, Error> {
        let done = self.with_coded(place, |head, stored, at| {
            let Some(plies) = self.usual_plies(place) else {
                return Ok(false);
            };
            let local = place.local(wanted);
            let mut walk = extent.question.map(LineWalk::new);
            let goes_on = |moves: &[u8]| {
                moves.len() < extent.most && walk.as_mut().is_none_or(|walk| walk.goes_on(moves))
            };
            let mut nth = 0;
            let each = |moves: &[u8]| {
                let line = MainLine {
                    ordinals: moves[..moves.len().min(extent.most)].into(),
                    ..MainLine::default()
                };
                each(nth, &line);
                nth += 1;
            };
            each_usual_line(head, stored, &plies, &local, goes_on, each)
                .map_err(|d| damage(d, head, at, place.before))
        })?;
        Ok(done.unwrap_or(false))
    }

    /// For each game of a block, how many plies it has; `None` if it does not begin from the usual
    /// position, or has variations. `None` for a block in which a game is kept as text, or of which
    /// there is no index, or whose index must not be believed.
    fn usual_plies(&self, place: &BlockPlace) -> Option<Vec<Option<u32>>> {
        place.crc?;
        let index = self.index().filter(|_| !self.proves)?;
        let first = u32::try_from(place.before).ok()?;
        let end = u32::try_from(place.end_game()).ok()?;
        let (mut plies, mut flags) = (Vec::new(), Vec::new());
        // If the index cannot be read, the caller decodes the whole block.
        let column = |kind, out: &mut Vec<u32>| index.column(kind)?.range(first, end, out);
        column(kind::PLIES, &mut plies).ok()?;
        column(kind::FLAGS, &mut flags).ok()?;
        let usual = |(plies, flags): (u32, u32)| {
            let flags = Flags::from_bits(flags);
            let is_usual = flags.has_line() && !flags.has(Flags::VARIATIONS);
            (!flags.has(Flags::TEXT)).then_some(is_usual.then_some(plies))
        };
        plies.into_iter().zip(flags).map(usual).collect()
    }

    /// Calls `work` with the games of an answer, block by block: each from the position that the
    /// query asked for, or else from its start. Games without a main line are left out.
    pub(super) fn continuations<R: Send>(
        &self,
        answer: &Answer,
        threads: usize,
        work: impl Fn(&[Continuation]) -> R + Sync,
        mut sink: impl FnMut(R),
    ) -> Result<(), Error> {
        let games = &answer.found.games;
        self.over_blocks(
            games,
            threads,
            |place, range| {
                let plies = answer.plies.get(range.clone()).unwrap_or_default();
                Ok(work(&self.continuations_in(place, &games[range], plies)?))
            },
            |result| {
                sink(result);
                Ok(())
            },
        )
    }

    /// The continuations of the `games` of a block. `plies`: the ply at which each begins; if
    /// empty, 0.
    fn continuations_in(
        &self,
        place: &BlockPlace,
        games: &[u32],
        plies: &[u32],
    ) -> Result<Vec<Continuation>, Error> {
        let of_line = |at: usize, line: &MainLine<'_>| {
            let ply = plies.get(at).map_or(0, |&ply| ply as usize);
            let (before, ordinals) = line.ordinals.split_at_checked(ply)?;
            let mut position = line.position()?;
            for &ordinal in before {
                position.advance(ordinal, None)?;
            }
            Some(Continuation {
                game: games[at],
                position,
                ordinals: ordinals.to_vec(),
            })
        };
        let mut found = Vec::with_capacity(games.len());
        let extent = LineExtent::main(usize::MAX);
        self.each_main_line(place, games, extent, &mut |at, line| {
            found.extend(of_line(at, line));
        })?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::walk::BlockGames;
    use crate::pack::pack;
    use crate::run::{NoHooks, PackOptions};
    use crate::stream::reader::{ArchivePart, ArchiveReader};
    use pgc_chess::Opening;

    fn found(pgn: &str, moves: &str) -> Vec<u32> {
        let mut archive = Vec::new();
        pack(
            &mut pgn.as_bytes(),
            "x",
            &mut archive,
            &PackOptions::default(),
            &mut NoHooks,
        )
        .unwrap();
        let mut reader = ArchiveReader::new(&*archive);
        let mut found = Vec::new();
        while let Some(part) = reader.next_part().unwrap() {
            if let ArchivePart::Block(head, records, _) = part {
                let all: Vec<_> = (0..u32::try_from(head.games).unwrap()).collect();
                let opening: Opening = moves.parse().unwrap();
                let extent = LineExtent::main(opening.plies());
                let mut games = BlockGames::new(&head, &records, 0, 0, None, Needs::Moves);
                let begins = |at: usize, games: &mut BlockGames<'_>| {
                    let line = MainLine::new(games.game(), extent);
                    if opening.begins(&line.start, &line.ordinals) {
                        found.push(all[at]);
                    }
                    Ok(())
                };
                games.visit(&all, begins).unwrap();
            }
        }
        found
    }

    #[test]
    fn beginnings() {
        let roster = "[Event \"?\"]\n[Site \"?\"]\n[Date \"?\"]\n[Round \"?\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n\n";
        let fen = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n";
        let pgn = format!(
            "{roster}1. e4 e5 2. Nf3 *\n\n{roster}1. e4 *\n\n1. e4 {{a}} (1. d4 d5) e5 (1... c5) 2. Nf3 Nc6 *\n\n\
             {fen}1. e4 Kd7 *\n\n[Variant \"Atomic\"]\n\n1. e4 e5 2. Nf3 *\n\n1. d4 (1. e4 e5 2. Nf3) *\n\n1. e4 e5 2. Nf9 *\n"
        );
        assert_eq!(found(&pgn, "1.e4 e5 2.Nf3"), [0, 2, 4]);
        assert_eq!(found(&pgn, "1.e4"), [0, 1, 2, 3, 4, 6]);
        assert_eq!(found(&pgn, "1.e2-e4 e7-e5 2.g1f3"), [0, 2, 4]);
        assert_eq!(found(&pgn, "1.e4 Kd7"), [3]);
        assert_eq!(found(&pgn, "1.e4 e5 2.Nf3 Nc6"), [2]);
        assert!(found(&pgn, "1.c4").is_empty());
    }
}
