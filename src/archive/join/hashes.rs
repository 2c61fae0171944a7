//! Looks up numbers by hash, in bounded memory: the latest entries in a table, all others sorted in
//! temporary files.

use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::iter;
use std::path::{Path, PathBuf};

use hashbrown::HashTable;

use pgc_io::temp::TempFile;

/// The number of entries in memory before they go to a file.
const RECENT: usize = 1 << 19;

/// Bytes of an entry in a file: the hash and the number.
const ENTRY: usize = 16;

/// For every so many entries of a file, the first hash is kept in memory.
const STRIDE: usize = 256;

/// The number of leading bits of a hash that index a bitmap. It tells whether a file may hold the
/// hash: most hashes that are looked up are in no file.
const BITS: u32 = 27;

type Entry = (u64, u64);

/// A map from hashes to numbers. A hash may have several numbers.
#[derive(Debug, Default)]
pub(crate) struct Hashes {
    folder: PathBuf,
    recent: HashTable<Entry>,
    /// Maximum number of entries in `recent`.
    most: usize,
    /// Sorted files, each at least twice as long as the next.
    runs: Vec<HashRun>,
    /// The bitmap of the hashes in `runs`; empty before the first run.
    in_runs: Vec<u64>,
}

/// A file of sorted entries.
#[derive(Debug)]
struct HashRun {
    file: TempFile,
    entries: u64,
    /// The hash of every [`STRIDE`]th entry.
    firsts: Vec<u64>,
}

impl Hashes {
    /// An empty map; entries that do not fit into memory go to `folder`.
    pub(crate) fn new(folder: PathBuf) -> Hashes {
        Hashes {
            folder,
            most: RECENT,
            ..Hashes::default()
        }
    }

    pub(crate) fn insert(&mut self, hash: u64, number: u64) -> io::Result<()> {
        self.recent
            .insert_unique(hash, (hash, number), |entry| entry.0);
        match self.recent.len() >= self.most {
            true => self.spill(),
            false => Ok(()),
        }
    }

    /// The numbers with this hash, ascending.
    pub(crate) fn find(&self, hash: u64) -> io::Result<Vec<u64>> {
        let recent = self.recent.iter_hash(hash).filter(|entry| entry.0 == hash);
        let mut found: Vec<u64> = recent.map(|entry| entry.1).collect();
        let (word, bit) = leading(hash);
        if self.in_runs.get(word).is_some_and(|bits| bits & bit != 0) {
            for run in &self.runs {
                run.find(hash, &mut found)?;
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Moves the entries in memory to a run, and merges runs of similar length.
    fn spill(&mut self) -> io::Result<()> {
        let mut entries: Vec<Entry> = self.recent.drain().collect();
        entries.sort_unstable();
        self.in_runs.resize(1 << (BITS - u64::BITS.ilog2()), 0);
        for (hash, _) in &entries {
            let (word, bit) = leading(*hash);
            self.in_runs[word] |= bit;
        }
        let mut run = HashRun::write(&self.folder, entries.into_iter().map(Ok))?;
        while let Some(last) = self.runs.pop_if(|last| last.entries < 2 * run.entries) {
            run = last.joined(run, &self.folder)?;
        }
        self.runs.push(run);
        Ok(())
    }
}

/// The position of a hash in the bitmap: word and bit.
fn leading(hash: u64) -> (usize, u64) {
    let leading = hash >> (u64::BITS - BITS);
    let word = leading / u64::from(u64::BITS);
    // The value fits any usize.
    let word = usize::try_from(word).unwrap_or(usize::MAX);
    (word, 1 << (leading % u64::from(u64::BITS)))
}

impl HashRun {
    /// Writes entries, which ascend, to a file.
    fn write(
        folder: &Path,
        entries: impl Iterator<Item = io::Result<Entry>>,
    ) -> io::Result<HashRun> {
        let file = TempFile::new_in(folder)?;
        let mut out = BufWriter::with_capacity(1 << 16, &file);
        let (mut count, mut firsts) = (0_u64, Vec::new());
        for entry in entries {
            let (hash, number) = entry?;
            if count.is_multiple_of(STRIDE as u64) {
                firsts.push(hash);
            }
            count += 1;
            out.write_all(&hash.to_le_bytes())?;
            out.write_all(&number.to_le_bytes())?;
        }
        out.into_inner()?;
        Ok(HashRun {
            file,
            entries: count,
            firsts,
        })
    }

    /// Appends the numbers with this hash.
    fn find(&self, hash: u64, found: &mut Vec<u64>) -> io::Result<()> {
        let before = self.firsts.partition_point(|&first| first < hash);
        let mut stride = before.saturating_sub(1);
        let mut bytes = [0; STRIDE * ENTRY];
        while self.firsts.get(stride).is_some_and(|&first| first <= hash) {
            let begin = stride as u64 * STRIDE as u64;
            let left = usize::try_from(self.entries - begin).unwrap_or(STRIDE);
            let bytes = &mut bytes[..left.min(STRIDE) * ENTRY];
            let mut file = &self.file;
            file.seek(SeekFrom::Start(begin * ENTRY as u64))?;
            file.read_exact(bytes)?;
            let (entries, _) = bytes.as_chunks::<ENTRY>();
            let first = entries.partition_point(|bytes| entry(bytes).0 < hash);
            let these = entries[first..].iter().map(entry);
            let these = these.take_while(|entry| entry.0 == hash);
            found.extend(these.map(|entry| entry.1));
            stride += 1;
        }
        Ok(())
    }

    fn joined(self, other: HashRun, folder: &Path) -> io::Result<HashRun> {
        let (mut these, mut those) = (self.read()?.peekable(), other.read()?.peekable());
        let next = || {
            let is_first = match (these.peek(), those.peek()) {
                (Some(Ok(this)), Some(Ok(that))) => this <= that,
                (this, _) => this.is_some(),
            };
            if is_first { these.next() } else { those.next() }
        };
        HashRun::write(folder, iter::from_fn(next))
    }

    /// The entries from the first on.
    fn read(&self) -> io::Result<impl Iterator<Item = io::Result<Entry>> + use<'_>> {
        let mut file = &self.file;
        file.rewind()?;
        let mut file = BufReader::with_capacity(1 << 16, file);
        Ok((0..self.entries).map(move |_| {
            let mut bytes = [0; ENTRY];
            file.read_exact(&mut bytes)?;
            Ok(entry(&bytes))
        }))
    }
}

fn entry(bytes: &[u8; ENTRY]) -> Entry {
    let both = u128::from_le_bytes(*bytes);
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    let hash = both as u64;
    (hash, (both >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_found_by_its_hash_whatever_went_to_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut hashes = Hashes {
            most: 100,
            ..Hashes::new(folder.path().to_owned())
        };
        let hash = |i: u64| (i % 3000).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for i in 0..10_000 {
            // One of them has very many numbers, which fill whole strides.
            let hash = if i % 5 == 0 { 7 } else { hash(i) };
            hashes.insert(hash, i).unwrap();
        }
        assert!((1..10).contains(&hashes.runs.len()));
        assert_eq!(
            hashes.find(7).unwrap(),
            (0..10_000).step_by(5).collect::<Vec<_>>()
        );
        for i in 0..3000_u64 {
            let expected: Vec<u64> = (i..10_000).step_by(3000).filter(|i| i % 5 != 0).collect();
            assert_eq!(hashes.find(hash(i)).unwrap(), expected, "{i}");
        }
        assert_eq!(hashes.find(8).unwrap(), [0; 0]);
    }
}
