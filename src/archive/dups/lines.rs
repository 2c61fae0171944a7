//! Sorts games by their moves.

use std::ops::Range;

use crate::ask::lines::LineExtent;
use crate::open::Archive;
use crate::run::Error;
use crate::stream::walk::BlockPlace;
use pgc_chess::{Position, Rules, start_position};
use pgc_index::{Flags, Sorter, kind};

/// How many games were compared, and how many could not be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DupCounts {
    /// Games that were compared.
    pub compared: u64,
    /// Games of which not all moves are known: their main line is text, or ends in text.
    pub text: u64,
    /// Games without a move.
    pub empty: u64,
}

/// The lines of the games of a block.
#[derive(Default)]
struct BlockLines {
    /// One after another.
    bytes: Vec<u8>,
    /// The game, the lead of its line, and where the line stands.
    games: Vec<(u32, u32, Range<usize>)>,
    counts: DupCounts,
}

/// The lead of a line from the usual start position; such a line is the ordinals of its moves.
/// Other lines have the lead 1; in them, the number of the rules, the position and a NUL come
/// before the ordinals.
const USUAL: u32 = 0;

/// The number of plies of a line.
pub(super) fn plies(lead: u32, line: &[u8]) -> usize {
    if lead == USUAL {
        return line.len();
    }
    let start = memchr::memchr(0, line.get(1..).unwrap_or_default());
    start.map_or(0, |start| line.len().saturating_sub(start + 2))
}

/// Adds the lines of these games of an archive to a sorter, with `archive << 32 | game`, and counts
/// the games. A line is a prefix of another if its game is the beginning of the other's.
pub(super) fn add_lines(
    archive: &Archive,
    number: u64,
    games: &[u32],
    (sorter, counts): (&mut Sorter, &mut DupCounts),
    threads: usize,
) -> Result<(), Error> {
    archive.over_blocks(
        games,
        threads,
        |place, range| lines_of(archive, place, &games[range], threads),
        |lines| {
            counts.compared += lines.games.len() as u64;
            for (game, lead, line) in lines.games {
                sorter.push(lead, &lines.bytes[line], number << 32 | u64::from(game))?;
            }
            counts.text += lines.counts.text;
            counts.empty += lines.counts.empty;
            Ok(())
        },
    )
}

fn lines_of(
    archive: &Archive,
    place: &BlockPlace,
    games: &[u32],
    threads: usize,
) -> Result<BlockLines, Error> {
    let flags = archive.with_index(threads, |index| index.integers(kind::FLAGS, games))?;
    let flagged = games.iter().zip(flags.into_iter().map(Flags::from_bits));
    let whole = flagged.filter(|(_, flags)| !flags.has(Flags::TAIL | Flags::TEXT));
    let wanted: Vec<u32> = whole.map(|(&game, _)| game).collect();
    let mut lines = BlockLines::default();
    let extent = LineExtent::main(usize::MAX);
    archive.each_main_line(place, &wanted, extent, &mut |at, line| {
        if line.ordinals.is_empty() {
            lines.counts.empty += 1;
            return;
        }
        let begin = lines.bytes.len();
        if let Some(lead) = put_start(&line.start, &mut lines.bytes) {
            lines.bytes.extend_from_slice(&line.ordinals);
            let line = begin..lines.bytes.len();
            lines.games.push((wanted[at], lead, line));
        }
    })?;
    let known = lines.games.len() as u64 + lines.counts.empty;
    lines.counts.text = (games.len() as u64).saturating_sub(known);
    Ok(lines)
}

/// Appends the start of a line, from the Variant and FEN tags of the game, and returns its lead;
/// `None` if the ordinals have no meaning. The counters of a FEN do not matter.
pub(crate) fn put_start(tags: &[(&[u8], &[u8])], out: &mut Vec<u8>) -> Option<u32> {
    if tags.is_empty() {
        return Some(USUAL);
    }
    let position = start_position(tags.iter().copied()).ok()?;
    let variant = tags.iter().find(|tag| tag.0 == b"Variant");
    let rules = variant.map_or(Some(Rules::Chess), |tag| Rules::from_variant_tag(tag.1))?;
    if rules == Rules::Chess && board(&position) == board(&Position::initial()) {
        return Some(USUAL);
    }
    out.push(rules.number());
    out.extend_from_slice(board(&position).as_bytes());
    out.push(0);
    Some(1)
}

/// The FEN of a position without its two counters.
fn board(position: &Position) -> String {
    let mut fen = position.fen();
    let end = fen.rmatch_indices(' ').nth(1).map(|space| space.0);
    fen.truncate(end.unwrap_or(fen.len()));
    fen
}
