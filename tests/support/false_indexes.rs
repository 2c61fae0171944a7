//! Archives with several small blocks, and false indexes of them: an index taken to pieces, changed
//! and put together again with right checksums.

use std::collections::{BTreeMap, BTreeSet};

use pgc::parts::{BuildOptions, IndexOptions};
use pgc::stream::head::SegmentTail;
use pgc::{NoHooks, SegmentForm, TestOptions};
use pgc_block::head::BlockHead;

use super::plain_index::seal;
use super::{archive_of, small_of};

const PAGE: usize = 16_384;

/// The segments of the archive, the blocks of each, and the games of each block.
pub(crate) const SEGMENTS: usize = 3;
pub(crate) const BLOCKS: usize = 3;
pub(crate) const GAMES: usize = 4;

/// A game; `seed` sets those of one archive apart from those of another.
pub(crate) fn game(n: usize, seed: usize) -> String {
    let lines = [
        "1. f3 e5 2. g4 Qh4#",
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6",
        "1. d4 d5 2. c4 e6 3. Nc3 Nf6",
        "1. e4 c5 {comment} 2. Nf3 d6 3. Bb5+ Bd7",
        "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O",
        "1. c4 $1 e5 2. Nc3 xx",
        "1. e4 e6 (1... c5) 2. d4 d5",
    ];
    let line = lines[(n * 5 + seed) % 7];
    let result = ["1-0", "0-1", "1/2-1/2"][(n + seed) % 3];
    let result = if line.ends_with('#') { "0-1" } else { result };
    format!(
        "[Event \"Event {}\"]\n[Site \"Site {n}\"]\n[Date \"{}.{:02}.{:02}\"]\n[Round \"{}\"]\n\
         [White \"White{:02}, A\"]\n[Black \"Black{:02}, B\"]\n[Result \"{result}\"]\n\
         [WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n[ECO \"{}{:02}\"]\n\
         [Annotator \"{}\"]\n\n{line} {result}\n\n",
        n % 5 + seed,
        1950 + n / 2,
        n % 12 + 1,
        (n * 7 + seed) % 28 + 1,
        n % 9 + 1,
        n + seed,
        n % 20 + seed,
        2000 + n + seed,
        2200 + n,
        ["A", "B", "C"][n % 3],
        n + seed,
        ["Tal", "Euwe"][n % 2],
    )
}

/// The length of the escape-string at the beginning.
fn escape_len(bytes: &[u8]) -> usize {
    3 + usize::from(u16::from_le_bytes([bytes[1], bytes[2]]))
}

/// An archive of several segments with several small blocks each, which are made one by one, since
/// `pack` makes them larger.
pub(crate) fn archive(form: SegmentForm, seed: usize) -> (Vec<u8>, String) {
    let (mut out, mut source, mut n) = (Vec::new(), String::new(), 0);
    for _ in 0..SEGMENTS {
        let (mut sum, mut text) = (SegmentTail::default(), String::new());
        for number in 0..BLOCKS {
            let games: String = (n..n + GAMES).map(|n| game(n, seed)).collect();
            n += GAMES;
            let bytes = match form {
                SegmentForm::Plain => archive_of(games.as_bytes()),
                SegmentForm::Small => small_of(games.as_bytes(), true).unwrap(),
            };
            let (head, rest) = bytes.split_at(escape_len(&bytes));
            if number == 0 {
                out.extend_from_slice(head);
            }
            let (block, rest) = rest.split_at(escape_len(rest));
            let mut block = BlockHead::take(&block[7..]).unwrap();
            block.number = number as u64;
            block.put(&mut out);
            let (stored, tail) = rest.split_at(usize::try_from(block.stored()).unwrap());
            out.extend_from_slice(stored);
            let tail = SegmentTail::take(&tail[7..]).unwrap();
            assert_eq!((tail.blocks, tail.games), (1, GAMES as u64));
            sum.blocks += 1;
            sum.games += tail.games;
            (sum.whole, sum.tails) = (sum.whole + tail.whole, sum.tails + tail.tails);
            (sum.text, sum.plies) = (sum.text + tail.text, sum.plies + tail.plies);
            sum.source += tail.source;
            text += &games;
        }
        sum.digest = *blake3::hash(text.as_bytes()).as_bytes();
        sum.put(&mut out);
        source += &text;
    }
    pgc::test(&mut &*out, &TestOptions::default(), &mut NoHooks).unwrap();
    (out, source)
}

pub(crate) fn build() -> BuildOptions {
    BuildOptions {
        memory: 16 << 20,
        temp_dir: std::env::temp_dir(),
        lines: true,
    }
}

pub(crate) fn index_of(archive: &[u8]) -> Vec<u8> {
    let (mut out, threads) = (Vec::new(), 1);
    let options = IndexOptions::new(build(), threads);
    let mut archive = std::io::Cursor::new(archive);
    pgc::index(&mut archive, &mut out, &options, &mut NoHooks).unwrap();
    out
}

/// An index in pieces (spec/index.md section 1).
#[derive(Clone)]
pub(crate) struct Pieces {
    /// By kind: width, bytes, number of entries.
    pub(crate) sections: BTreeMap<u32, (u32, Vec<u8>, u64)>,
    trailer: Vec<u8>,
}

fn number(bytes: &[u8], at: usize, len: usize) -> u64 {
    let mut number = [0; 8];
    number[..len].copy_from_slice(&bytes[at..at + len]);
    u64::from_le_bytes(number)
}

impl Pieces {
    pub(crate) fn new(index: &[u8]) -> Pieces {
        let trailer = index.len() - 96;
        let sums = usize::try_from(number(index, trailer + 56, 8)).unwrap();
        let table = sums + sums.div_ceil(PAGE) * 4;
        let section = |entry: &[u8]| {
            let [at, len] = [8, 16].map(|at| usize::try_from(number(entry, at, 8)).unwrap());
            let [kind, width] = [0, 4].map(|at| u32::try_from(number(entry, at, 4)).unwrap());
            (
                kind,
                (width, index[at..at + len].to_vec(), number(entry, 24, 8)),
            )
        };
        Pieces {
            sections: index[table..trailer].chunks(32).map(section).collect(),
            trailer: index[trailer..].to_vec(),
        }
    }

    /// The index, with right checksums, and the digest of the segments that it lists.
    pub(crate) fn index(&self, archive: &[u8]) -> Vec<u8> {
        let mut out = b"\x89PGCI\x0d\x0a\x1a\x01\x00\x00\x00\x00\x00\x00\x00".to_vec();
        let mut table = Vec::new();
        for (kind, (width, bytes, count)) in &self.sections {
            out.resize(out.len().next_multiple_of(8), 0);
            table.extend_from_slice(&kind.to_le_bytes());
            table.extend_from_slice(&width.to_le_bytes());
            for number in [out.len() as u64, bytes.len() as u64, *count] {
                table.extend_from_slice(&number.to_le_bytes());
            }
            out.extend_from_slice(bytes);
        }
        out.resize(out.len().next_multiple_of(8), 0);
        let sums = out.len();
        out.resize(sums + sums.div_ceil(PAGE) * 4, 0);
        out.extend_from_slice(&table);
        let mut trailer = self.trailer.clone();
        trailer[..4].copy_from_slice(&u32::try_from(self.sections.len()).unwrap().to_le_bytes());
        trailer[56..64].copy_from_slice(&(sums as u64).to_le_bytes());
        let length = (out.len() + 96) as u64;
        trailer[72..80].copy_from_slice(&length.to_le_bytes());
        if let Some(digest) = self.digest(archive) {
            trailer[24..56].copy_from_slice(digest.as_bytes());
        }
        out.extend_from_slice(&trailer);
        seal(&mut out);
        out
    }

    fn digest(&self, archive: &[u8]) -> Option<blake3::Hash> {
        let mut digest = blake3::Hasher::new();
        for entry in self.sections[&1].1.chunks(32) {
            let [from, to] = [0, 8].map(|at| number(entry, at, 8));
            let [head, tail] = [16, 20].map(|at| number(entry, at, 4));
            for (from, to) in [(from, from.checked_add(head)?), (to.checked_sub(tail)?, to)] {
                let range = usize::try_from(from).ok()?..usize::try_from(to).ok()?;
                digest.update(archive.get(range)?);
            }
        }
        Some(digest.finalize())
    }

    /// The integers of a section.
    fn integers(&self, kind: u32) -> Vec<u64> {
        let (width, bytes, count) = &self.sections[&kind];
        let bit = |at: usize| u64::from(bytes[at / 8] >> (at % 8) & 1);
        let width = *width as usize;
        let integer = |i: usize| (0..width).map(|b| bit(i * width + b) << b).sum();
        (0..usize::try_from(*count).unwrap()).map(integer).collect()
    }

    /// The same index with other integers.
    fn with_integers(&self, kind: u32, integers: &[u64]) -> Pieces {
        let most = integers.iter().copied().max().unwrap_or(0);
        let width = match 64 - most.leading_zeros() {
            58.. => 64,
            bits => bits.max(self.sections[&kind].0),
        };
        let bits = integers
            .iter()
            .flat_map(|n| (0..width).map(move |b| n >> b & 1 == 1));
        let bits: Vec<bool> = bits.collect();
        let byte = |bits: &[bool]| (0..).zip(bits).map(|(i, &bit)| u8::from(bit) << i).sum();
        let bytes = bits.chunks(8).map(byte).collect();
        self.with(kind, width, bytes, integers.len() as u64)
    }

    fn with(&self, kind: u32, width: u32, bytes: Vec<u8>, count: u64) -> Pieces {
        let mut other = self.clone();
        other.sections.insert(kind, (width, bytes, count));
        other
    }

    /// The same index with other entries of so many bytes.
    pub(crate) fn with_entries(&self, kind: u32, entries: &[Vec<u8>]) -> Pieces {
        self.with(kind, 0, entries.concat(), entries.len() as u64)
    }
}

/// Lists like this one with one change: an entry doubled (over the next one, or inserted),
/// exchanged with the next one, or left out.
pub(crate) fn moved<T: Clone>(list: &[T], at: usize) -> Vec<Vec<T>> {
    let (mut all, with) = (Vec::new(), |change: &dyn Fn(&mut Vec<T>)| {
        let mut other = list.to_vec();
        change(&mut other);
        other
    });
    if at + 1 < list.len() {
        all.push(with(&|list| list.swap(at, at + 1)));
        all.push(with(&|list| list[at + 1] = list[at].clone()));
        all.push(with(&|list| list[at] = list[at + 1].clone()));
    }
    all.push(with(&|list| list.insert(at, list[at].clone())));
    all.push(with(&|list| drop(list.remove(at))));
    all
}

/// The values to which an integer is set.
fn other_values(list: &[u64], at: usize, most: u64) -> BTreeSet<u64> {
    let (this, far) = (list[at], list[(at + 7) % list.len()]);
    let next = list[(at + 1) % list.len()];
    let before = list[at.checked_sub(1).unwrap_or(list.len() - 1)];
    let values = [
        0,
        1,
        most,
        next,
        before,
        far,
        this.saturating_add(1),
        this.saturating_sub(1),
    ];
    let values = values.into_iter().filter(|&value| value != this);
    values.collect()
}

/// False indexes, with the kind of the section that is false.
pub(crate) fn lies(right: &Pieces, other: &Pieces, effort: usize) -> Vec<(u32, Pieces)> {
    let mut all = Vec::new();
    // Entries of segments and blocks, and their fields.
    for (kind, fields) in [(1, &[8, 8, 4, 4, 4, 4][..]), (2, &[8, 4, 4])] {
        let size = fields.iter().sum();
        let entries: Vec<Vec<u8>> = right.sections[&kind]
            .1
            .chunks(size)
            .map(<[u8]>::to_vec)
            .collect();
        for at in 0..entries.len() {
            let lists = moved(&entries, at);
            all.extend(
                lists
                    .iter()
                    .map(|list| (kind, right.with_entries(kind, list))),
            );
            let mut field_at = 0;
            for &len in fields {
                let column = entries.iter().map(|entry| number(entry, field_at, len));
                let column: Vec<u64> = column.collect();
                let most = u64::MAX >> (64 - 8 * len);
                for value in other_values(&column, at, most) {
                    let mut list = entries.clone();
                    list[at][field_at..field_at + len].copy_from_slice(&value.to_le_bytes()[..len]);
                    all.push((kind, right.with_entries(kind, &list)));
                }
                field_at += len;
            }
        }
    }
    let step = 12_usize.div_ceil(effort);
    for (&kind, (width, bytes, count)) in &right.sections {
        if kind > 2 && *width > 0 {
            let list = right.integers(kind);
            let most = u64::MAX >> (64 - width);
            for at in (0..list.len()).step_by(step) {
                for value in other_values(&list, at, most) {
                    let mut list = list.clone();
                    list[at] = value;
                    all.push((kind, right.with_integers(kind, &list)));
                }
                let lists = moved(&list, at);
                all.extend(
                    lists
                        .iter()
                        .map(|list| (kind, right.with_integers(kind, list))),
                );
            }
        } else if kind > 2 {
            for at in (0..bytes.len()).step_by(3 * step) {
                for change in [
                    |_| 0,
                    |byte| byte ^ 0x10,
                    |byte: u8| byte.wrapping_add(1),
                    |_| 0xff,
                ] {
                    let mut bytes = bytes.clone();
                    bytes[at] = change(bytes[at]);
                    all.push((kind, right.with(kind, 0, bytes, *count)));
                }
            }
        }
        // Of another archive.
        let (width, bytes, count) = other.sections[&kind].clone();
        all.push((kind, right.with(kind, width, bytes, count)));
    }
    // All that it says of games is of another archive.
    let mut grafted = other.clone();
    grafted.trailer = right.trailer.clone();
    for kind in [1, 2] {
        grafted.sections.insert(kind, right.sections[&kind].clone());
    }
    all.push((0x10, grafted));
    // The trailer: flags, games, length of the archive, openings.
    for (at, len) in [(4, 4), (8, 8), (16, 8), (68, 4)] {
        let this = number(&right.trailer, at, len);
        for value in [
            0,
            1,
            this + 1,
            this.saturating_sub(1),
            u64::MAX >> (64 - 8 * len),
        ] {
            let mut lie = right.clone();
            lie.trailer[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
            all.push((0, lie));
        }
    }
    all
}
