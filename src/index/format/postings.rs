//! The games of each value of a table as an index stores them (spec/index.md section 4.2).

use super::integers::{BitReader, BitWriter};
use super::layout::GROUP;

/// The maximum number of gaps that share a parameter.
const CHUNK: u32 = 256;

/// The number of bits of a parameter.
const PARAMETER: u32 = 5;

/// From this number of games on, the length of the list is stored, so that it can be skipped.
const LONG: u32 = 8;

/// The number of bits of the first game of a list, in an index of this many games.
fn width_of_first(games: u32) -> u32 {
    bits_of(games.saturating_sub(1))
}

/// The number of bits of a gap, without leading zeros.
fn bits_of(gap: u32) -> u32 {
    u32::BITS - gap.leading_zeros()
}

/// The parameter that gives these gaps the shortest code.
fn parameter(gaps: &[u32]) -> u32 {
    let mut counts = [0_u64; 33];
    for &gap in gaps {
        counts[bits_of(gap) as usize] += 1;
    }
    // With the parameter k, a gap of up to k bits takes k + 1 bits, a longer one 2 * bits - k - 1.
    let all = gaps.len() as u64;
    let mut short = 0;
    let mut long_bits: u64 = (0..).zip(counts).map(|(bits, count)| bits * count).sum();
    let (mut best, mut least) = (0, u64::MAX);
    for (k, count) in (0_u64..32).zip(counts) {
        short += count;
        long_bits -= k * count;
        let cost = short * (k + 1) + 2 * long_bits - (all - short) * (k + 1);
        if cost < least {
            (best, least) = (k, cost);
        }
    }
    u32::try_from(best).unwrap_or(0)
}

/// Codes the games of the values of a group.
#[derive(Debug, Default)]
pub(crate) struct PostingsCoder {
    width_of_first: u32,
    head: (BitWriter, Vec<u8>),
    lists: (BitWriter, Vec<u8>),
    /// Of the current value: the number of games, the last one, where its list begins, and the gaps
    /// that are not coded yet.
    count: u32,
    last: u32,
    begin: u64,
    gaps: Vec<u32>,
}

impl PostingsCoder {
    /// For an index of this many games.
    pub(crate) fn new(games: u32) -> PostingsCoder {
        PostingsCoder {
            width_of_first: width_of_first(games),
            ..PostingsCoder::default()
        }
    }

    /// Adds a game of the current value, behind those before.
    #[inline]
    pub(crate) fn push(&mut self, game: u32) {
        if self.count == 0 {
            let (bits, out) = &mut self.lists;
            self.begin = bits.len(out);
            bits.put(out, u64::from(game), self.width_of_first);
        } else {
            self.gaps.push(game.wrapping_sub(self.last).wrapping_sub(1));
            if self.gaps.len() == CHUNK as usize {
                self.end_chunk();
            }
        }
        self.count += 1;
        self.last = game;
    }

    fn end_chunk(&mut self) {
        let (bits, out) = &mut self.lists;
        let k = parameter(&self.gaps);
        bits.put(out, u64::from(k), PARAMETER);
        for &gap in &self.gaps {
            bits.put_gamma(out, u64::from(gap >> k) + 1);
            bits.put(out, u64::from(gap) & ((1 << k) - 1), k);
        }
        self.gaps.clear();
    }

    /// Ends the current value, which must have a game.
    pub(crate) fn end_value(&mut self) {
        if !self.gaps.is_empty() {
            self.end_chunk();
        }
        let (bits, out) = &mut self.head;
        bits.put_gamma(out, u64::from(self.count));
        if self.count >= LONG {
            bits.put_gamma(out, self.lists.0.len(&self.lists.1) - self.begin);
        }
        self.count = 0;
    }

    /// Ends the group, and appends it.
    pub(crate) fn end_group(&mut self, out: &mut Vec<u8>) {
        let (head, bytes) = &mut self.head;
        out.append(bytes);
        let (lists, bytes) = &mut self.lists;
        for eight in bytes.as_chunks::<8>().0 {
            head.put(out, u64::from_le_bytes(*eight), 64);
        }
        lists.move_to(head, out);
        head.end(out);
        bytes.clear();
    }
}

/// The beginning of the postings of a group of values, and how far its lists have been read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PostingsGroup {
    games: u32,
    /// Of each value, the number of games, and the length of its list in bits, or 0.
    values: [(u32, u64); GROUP as usize],
    next: usize,
    bit: u64,
}

impl PostingsGroup {
    /// Reads the beginning of a group of this many values, in an index of this many games; `None`
    /// if it is damaged.
    pub(crate) fn new(bytes: &[u8], values: u32, games: u32) -> Option<PostingsGroup> {
        let mut head = BitReader::new(bytes, 0);
        let mut found = [(0, 0); GROUP as usize];
        for value in found.iter_mut().take(values as usize) {
            let count = u32::try_from(head.gamma()?).ok();
            let count = count.filter(|&count| count <= games)?;
            *value = (count, if count >= LONG { head.gamma()? } else { 0 });
        }
        Some(PostingsGroup {
            games,
            values: found,
            next: 0,
            bit: head.at(),
        })
    }

    /// The number of games of the value at a position.
    pub(crate) fn count(&self, at: u32) -> u32 {
        self.values.get(at as usize).map_or(0, |value| value.0)
    }

    /// Calls `each` with the games of the next value, in ascending order; `None` if the postings
    /// are damaged. `bytes` are those of the group.
    pub(crate) fn each_of_next(&mut self, bytes: &[u8], mut each: impl FnMut(u32)) -> Option<()> {
        let (&(count, bits), games) = (self.values.get(self.next)?, u64::from(self.games));
        let mut list = BitReader::new(bytes, self.bit);
        let mut game = list.get(width_of_first(self.games))?;
        if game >= games || count == 0 {
            return None;
        }
        // The conversion succeeds: the game is below `games`, which is a u32.
        each(u32::try_from(game).ok()?);
        let mut left = count - 1;
        while left > 0 {
            let chunk = left.min(CHUNK);
            let k = u32::try_from(list.get(PARAMETER)?).ok()?;
            for _ in 0..chunk {
                game = game.checked_add(1)?.checked_add(list.golomb(k)?)?;
                if game >= games {
                    return None;
                }
                each(u32::try_from(game).ok()?);
            }
            left -= chunk;
        }
        let is_whole = bits == 0 || list.at() - self.bit == bits;
        (self.next, self.bit) = (self.next + 1, list.at());
        is_whole.then_some(())
    }

    /// Calls `each` with the games of the value at a position, as [`Self::each_of_next`] does.
    pub(crate) fn each_of(&self, bytes: &[u8], at: u32, each: impl FnMut(u32)) -> Option<()> {
        let mut group = *self;
        while group.next < at as usize {
            match group.values.get(group.next)?.1 {
                0 => group.each_of_next(bytes, |_| ())?,
                bits => {
                    (group.next, group.bit) = (group.next + 1, group.bit.checked_add(bits)?);
                }
            }
        }
        group.each_of_next(bytes, each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(games: u32, lists: &[&[u32]]) -> Vec<u8> {
        let (mut coder, mut out) = (PostingsCoder::new(games), Vec::new());
        for list in lists {
            list.iter().for_each(|&game| coder.push(game));
            coder.end_value();
        }
        coder.end_group(&mut out);
        out
    }

    /// The example of spec/index.md section 4.2.
    #[test]
    fn postings_of_the_text() {
        let expected = [0x24, 0x80, 0x90, 0x02, 0x4e, 0x22, 0x03];
        assert_eq!(group(300, &[&[0, 1, 5, 299], &[200]]), expected);
    }

    #[test]
    fn postings_come_back() {
        let all: Vec<u32> = (0..5000).collect();
        let some: Vec<u32> = (0..700).map(|i| i * i / 98).collect();
        let some: Vec<u32> = {
            let mut some = some;
            some.dedup();
            some
        };
        let short: Vec<u32> = (0..31).map(|i| i * 100 + 7).collect();
        let lists = [&[4999][..], &all, &[0], &some, &short, &[0, 4999]];
        let bytes = group(5000, &lists);
        let values = u32::try_from(lists.len()).unwrap();
        let read = |bytes: &[u8], games: u32| {
            let mut group = PostingsGroup::new(bytes, values, games)?;
            let mut found = vec![Vec::new(); lists.len()];
            for list in &mut found {
                group.each_of_next(bytes, |game| list.push(game))?;
            }
            (group.bit.div_ceil(8) == bytes.len() as u64).then_some(found)
        };
        assert_eq!(read(&bytes, 5000).unwrap(), lists);
        let group = PostingsGroup::new(&bytes, values, 5000).unwrap();
        for (at, list) in (0..).zip(lists) {
            let mut games = Vec::new();
            group.each_of(&bytes, at, |game| games.push(game)).unwrap();
            assert_eq!(
                (games.as_slice(), group.count(at) as usize),
                (list, list.len())
            );
        }
        assert!(group.each_of(&bytes, GROUP, |_| ()).is_none());
        // All 5,000 games take little more than a bit each.
        assert!(bytes.len() < 1800, "{}", bytes.len());
        assert!(
            [0, 1, 4999]
                .iter()
                .all(|&games| read(&bytes, games).is_none())
        );
        assert!((0..bytes.len()).all(|len| read(&bytes[..len], 5000).is_none()));
    }

    #[test]
    fn the_parameter_gives_the_shortest_code() {
        let cost = |gaps: &[u32], k: u32| -> u32 {
            let bits = |gap: u32| match bits_of(gap) {
                bits if bits <= k => k + 1,
                bits => 2 * bits - k - 1,
            };
            gaps.iter().map(|&gap| bits(gap)).sum()
        };
        for gaps in [
            &[0][..],
            &[0, 0, 0, 500],
            &[1000, 1200, 900],
            &[u32::MAX, 0],
            &[u32::MAX],
            &[1, 2, 3, 4, 5, 6, 70, 80],
        ] {
            let best = (0..32).min_by_key(|&k| cost(gaps, k)).unwrap();
            assert_eq!(parameter(gaps), best, "{gaps:?}");
        }
    }
}
