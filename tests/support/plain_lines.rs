//! The lines of an index (spec/index.md section 7), made the plain way: by counting how many games
//! begin with each run of moves.

use std::collections::{BTreeMap, BTreeSet};

use super::plain_index::{PlainArchive, PlainGame};
use super::random::Random;

/// The sections of lines, as numbers and bytes.
#[derive(Default)]
pub(crate) struct PlainLines {
    pub(crate) bounds: Vec<u64>,
    pub(crate) groups: Vec<u64>,
    pub(crate) entries: Vec<u8>,
    pub(crate) games: Vec<u64>,
}

/// Moves that often begin like those of other games.
pub(crate) fn moves(random: &mut Random, plies: u32) -> Vec<u8> {
    let some = usize::try_from(plies).unwrap().min(60);
    let mut moves: Vec<u8> = Vec::new();
    let usual = random.below(some + 1);
    for place in 0..some {
        let choices = if place < usual { 1 + place % 2 } else { 30 };
        moves.push(u8::try_from(random.below(choices)).unwrap());
    }
    moves
}

fn line(game: &PlainGame) -> &[u8] {
    &game.moves[..game.moves.len().min(40)]
}

fn put_half(out: &mut Vec<u8>, number: usize) {
    if let Some(mut rest) = number.checked_sub(15) {
        while rest >= 128 {
            out.push(u8::try_from(rest % 128 + 128).unwrap());
            rest /= 128;
        }
        out.push(u8::try_from(rest).unwrap());
    }
}

/// All sections of an archive.
pub(crate) fn plain_lines(archive: &PlainArchive) -> PlainLines {
    let mut lines = PlainLines {
        bounds: vec![0],
        ..PlainLines::default()
    };
    let mut first = 0;
    for segment in &archive.segments {
        let behind = first
            + segment
                .blocks
                .iter()
                .map(|block| block.games)
                .sum::<usize>();
        let has_line = |&i: &usize| {
            archive.games[i].flags() & 0b10_1000 == 0 && archive.games[i].flags() >> 20 == 0
        };
        let mut entries: Vec<(&[u8], usize)> = (first..behind)
            .filter(has_line)
            .map(|i| (line(&archive.games[i]), i))
            .collect();
        entries.sort_unstable();
        let mut begin_so: BTreeMap<&[u8], u32> = BTreeMap::new();
        let others: BTreeSet<&[u8]> = entries.iter().map(|entry| entry.0).collect();
        for line in &others {
            (0..=line.len()).for_each(|n| *begin_so.entry(&line[..n]).or_default() += 1);
        }
        let kept = |line: &[u8]| {
            let alone = (1..=line.len()).find(|&n| begin_so[&line[..n]] == 1);
            // Two more than tell it from all other lines.
            alone.map_or(line.len(), |n| (n + 2).min(line.len()))
        };
        let mut last: &[u8] = &[];
        for (place, &(line, game)) in entries.iter().enumerate() {
            let line = &line[..kept(line)];
            let mut shared = 0;
            if place % 1024 == 0 {
                lines.groups.push(lines.entries.len() as u64);
                last = &[];
            } else {
                while last
                    .get(shared)
                    .is_some_and(|move_| line.get(shared) == Some(move_))
                {
                    shared += 1;
                }
            }
            let (back, more) = (last.len() - shared, line.len() - shared);
            let halves = back.min(15) * 16 + more.min(15);
            lines.entries.push(u8::try_from(halves).unwrap());
            put_half(&mut lines.entries, back);
            put_half(&mut lines.entries, more);
            lines.entries.extend_from_slice(&line[shared..]);
            lines.games.push(game as u64);
            last = line;
        }
        lines.bounds.push(lines.games.len() as u64);
        first = behind;
    }
    lines
}
