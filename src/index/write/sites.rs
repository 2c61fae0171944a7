//! Decides whether an index has sites (spec/index.md section 4).

use std::collections::BinaryHeap;
use std::io;

use byteorder::{ByteOrder, LittleEndian};

use super::output::IndexOutput;
use super::spill::IndexPart;
use crate::index::format::layout::GROUP;
use crate::index::format::layout::{IndexError, IndexFrame, SITES_FROM, SKETCH_LEN, kind};
use crate::index::format::names::take_name;

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
    let values = frame.section(kind::SITES + kind::VALUES);
    let values = values.ok_or(IndexError::Unfit(
        "it has neither sites nor a sketch of them",
    ))?;
    let (mut bytes, mut sketch, mut site) = (values.bytes(index), Sketch::default(), Vec::new());
    for number in 0..values.count {
        if number.is_multiple_of(u64::from(GROUP)) {
            site.clear();
        }
        take_name(&mut bytes, &mut site)
            .ok_or_else(|| IndexError::damaged(values.offset, "a value"))?;
        sketch.add(&site);
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
pub(super) fn put_sketch(output: &mut IndexOutput<'_>, sketch: &[u64]) -> io::Result<()> {
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
