//! Decides whether an index has sites (spec/index.md section 4), and fetches missing ones.

use std::collections::BinaryHeap;
use std::io::{self, Write};

use byteorder::{ByteOrder, LittleEndian};

use super::fetch::Fetch;
use super::output::{Output, Sections};
use super::sort::{Sorted, Sorter};
use super::spill::{IndexPart, Spool, Temp, damaged};
use crate::index::format::integers::put_postings_of;
use crate::index::format::layout::{
    IndexError, IndexFrame, MAX_VALUE, SITES_FROM, SKETCH_LEN, Section, kind,
};

/// A sketch: the least hashes of distinct sites.
#[derive(Debug, Default)]
pub(super) struct Sketch(BinaryHeap<u64>);

impl Sketch {
    /// Adds a value that was not added before.
    pub(super) fn add(&mut self, value: &[u8]) {
        let hash = LittleEndian::read_u64(&blake3::hash(value).as_bytes()[..8]);
        if self.0.len() < SKETCH_LEN {
            self.0.push(hash);
        } else if self.0.peek().is_some_and(|&largest| hash < largest) {
            self.0.pop();
            self.0.push(hash);
        }
    }

    pub(super) fn into_hashes(self) -> Vec<u64> {
        self.0.into_sorted_vec()
    }
}

/// The sketch of the sites of an index that has them.
pub(super) fn of_table(frame: &IndexFrame, index: &[u8]) -> Result<Vec<u64>, IndexError> {
    let section = |kind| {
        frame.section(kind).ok_or(IndexError::Unfit(
            "it has neither sites nor a sketch of them",
        ))
    };
    let (offsets, values) = (
        section(kind::SITES + kind::OFFSETS)?,
        section(kind::SITES + kind::VALUES)?,
    );
    let (bytes, mut sketch, mut from) = (values.bytes(index), Sketch::default(), 0);
    for to in offsets
        .integers(index)
        .iter()
        .skip(1)
        .map(|to| usize::try_from(to).unwrap_or(usize::MAX))
    {
        let value = bytes
            .get(from..to)
            .ok_or_else(|| IndexError::damaged(offsets.offset, "offset of a value"))?;
        sketch.add(value);
        from = to;
    }
    Ok(sketch.into_hashes())
}

/// The sketch of all parts together.
pub(super) fn joined(parts: &[IndexPart<'_>]) -> Vec<u64> {
    let mut all: Vec<u64> = parts
        .iter()
        .flat_map(|part| &part.sketch)
        .copied()
        .collect();
    all.sort_unstable();
    all.dedup();
    all.truncate(SKETCH_LEN);
    all
}

/// Writes the sketch that an index has instead of sites.
pub(super) fn put_sketch(output: &mut Output<'_>, sketch: &[u64]) -> io::Result<()> {
    output.integers(
        kind::SITES + kind::SKETCH,
        sketch.last().copied().unwrap_or(0),
    )?;
    output.all(sketch.iter().copied())?;
    output.end_section()
}

/// Whether an index with this number of games has sites.
pub(super) fn are_kept(games: u32, sketch: &[u64]) -> bool {
    let games = u128::from(games);
    if games <= u128::from(SITES_FROM) {
        return true;
    }
    match sketch.last() {
        Some(&largest) if sketch.len() == SKETCH_LEN => {
            (4 * (SKETCH_LEN as u128 - 1)) << 64 <= 3 * games * u128::from(largest)
        }
        _ => 4 * sketch.len() as u128 <= 3 * games,
    }
}

/// Fetches the sites of these games (ascending, numbered in the part) for a part without sites, and
/// adds a table and a column of sites to it. Its other games get an arbitrary site.
pub(super) fn fetch(
    part: &mut IndexPart<'_>,
    games: &[u32],
    temp: &Temp,
    fetch: &mut dyn Fetch,
) -> io::Result<()> {
    let mut sorter = Sorter::new(temp);
    for games in games.chunks(temp.batch()) {
        let games: Vec<u32> = games.iter().map(|game| game + part.first_game).collect();
        let mut expected = games.iter();
        fetch.sites(&games, &mut |game, site| {
            if expected.next() != Some(&game) {
                return Err(damaged("sites of the wrong games"));
            }
            let site = &site[..site.floor_char_boundary(MAX_VALUE)];
            sorter.push(0, site.as_bytes(), u64::from(game - part.first_game))
        })?;
        if expected.next().is_some() {
            return Err(damaged("too few sites"));
        }
    }
    let mut spool = temp.spool();
    let sections = put_sites(&sorter.finish()?, part.games, temp, &mut spool)?;
    part.set_sites(spool.finish()?, sections);
    Ok(())
}

/// Writes the table and the column of sites.
fn put_sites(
    sorted: &Sorted,
    games: u32,
    temp: &Temp,
    out: &mut Spool,
) -> io::Result<Vec<Section>> {
    let mut column = vec![0_u32; games as usize];
    let (mut values, mut ends) = (temp.spool(), temp.spool());
    let (mut postings, mut posting_ends) = (temp.spool(), temp.spool());
    let (mut site, mut list, mut count) = (Vec::new(), Vec::new(), 0_u32);
    let mut bytes = Vec::new();
    let mut end_site = |site: &[u8], list: &[u32]| {
        values.write_all(site)?;
        ends.varint(values.len())?;
        bytes.clear();
        put_postings_of(&mut bytes, list);
        postings.write_all(&bytes)?;
        posting_ends.varint(postings.len())
    };
    let mut reader = sorted.read()?;
    while let Some((_, text, game)) = reader.next()? {
        let game = u32::try_from(game).unwrap_or(u32::MAX);
        if list.is_empty() {
            site.extend_from_slice(text);
        } else if text != site {
            end_site(&site, &list)?;
            count += 1;
            list.clear();
            site.clear();
            site.extend_from_slice(text);
        }
        list.push(game);
        *column
            .get_mut(game as usize)
            .ok_or_else(|| damaged("a site without games"))? = count;
    }
    if !list.is_empty() {
        end_site(&site, &list)?;
        count += 1;
    }
    let mut out = Sections::new(out, 0);
    out.integers(kind::SITE, u64::from(count.saturating_sub(1)))?;
    column
        .iter()
        .try_for_each(|&id| out.integer(u64::from(id)))?;
    out.end_section()?;
    for (at, ends, bytes) in [
        (kind::OFFSETS, ends, values),
        (kind::POSTING_OFFSETS, posting_ends, postings),
    ] {
        out.integers(kind::SITES + at, bytes.len())?;
        out.integer(0)?;
        let ends = ends.finish()?;
        let mut cursor = ends.cursor(temp.room(8))?;
        for _ in 0..count {
            out.integer(cursor.varint()?)?;
        }
        out.end_section()?;
        out.entries(kind::SITES + at + 1)?;
        let bytes = bytes.finish()?;
        let mut cursor = bytes.cursor(temp.room(8))?;
        loop {
            let some = cursor.some()?;
            if some.is_empty() {
                break;
            }
            let n = some.len();
            out.bytes(some, n as u64)?;
            cursor.consume(n);
        }
        out.end_section()?;
    }
    Ok(out.end().0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(sites: u32) -> Vec<u64> {
        let mut sketch = Sketch::default();
        (0..sites).for_each(|i| sketch.add(format!("site {i}").as_bytes()));
        sketch.into_hashes()
    }

    #[test]
    fn nearly_each_game_with_a_site_of_its_own() {
        assert!(are_kept(0, &[]) && are_kept(1000, &sketch(1000)));
        // Counted: 4 * 751 > 3 * 1001, and 4 * 750 is not.
        assert!(!are_kept(1001, &sketch(751)) && are_kept(1001, &sketch(750)));
        // Estimated, within some percent.
        assert!(!are_kept(100_000, &sketch(85_000)) && are_kept(100_000, &sketch(65_000)));
        assert_eq!(sketch(5000).len(), 1024);
        // By hand: h = 2^62 says 1,023 * 4 sites; 3/4 of 5,456 games are as many.
        let mut hashes = vec![0; 1023];
        hashes.push(1 << 62);
        assert!(are_kept(5456, &hashes) && !are_kept(5455, &hashes));
    }
}
