//! Sorts entries by key in linear time and bounded memory: it distributes them over buckets by key,
//! moves growing buckets to temporary files, and sorts each bucket by itself.

use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use pgc_io::temp::TempFile;

/// A limit on the number of open files.
const MAX_BUCKETS: u64 = 256;

/// Length of the key and the length field of an entry in a bucket.
const HEAD: usize = KEY + 4;
const KEY: usize = 8;

/// Memory for an entry while its bucket is sorted.
const PLACE: usize = size_of::<(u64, u64)>();

/// The resources for sorting.
#[derive(Clone, Debug)]
pub struct Room {
    /// Maximum memory in bytes: half for distributing, half for the bucket being sorted.
    pub memory: usize,
    /// The folder of the temporary files.
    pub folder: PathBuf,
}

#[derive(Debug, Default)]
struct Bucket {
    buffer: Vec<u8>,
    /// The entries before those in the buffer, and their length.
    file: Option<(TempFile, u64)>,
}

/// Collects entries. Equal keys keep their order.
#[derive(Debug)]
pub struct Shuffle {
    buckets: Vec<Bucket>,
    /// All keys are smaller.
    keys: u64,
    /// A buffer longer than this is moved to the bucket's file.
    most: usize,
    room: Room,
}

impl Shuffle {
    /// Prepares for keys below `keys` and entries of about `bytes` bytes in total (a wrong estimate
    /// costs time, not memory).
    pub fn new(keys: u64, bytes: u64, room: &Room) -> Shuffle {
        let each = (room.memory as u64 / 8).max(1 << 16);
        // Sorting needs memory for each entry too.
        let bytes = bytes.saturating_add(keys.saturating_mul((HEAD + PLACE) as u64));
        let count = (bytes / each + 1).min(MAX_BUCKETS).min(keys.max(1));
        let buckets: Vec<Bucket> = (0..count).map(|_| Bucket::default()).collect();
        // A growing buffer may have twice the capacity that it uses.
        let most = (room.memory / 4 / buckets.len()).max(1 << 12);
        Shuffle {
            buckets,
            keys: keys.max(1),
            most,
            room: room.clone(),
        }
    }

    /// Adds an entry.
    pub fn put(&mut self, key: u64, data: &[u8]) -> io::Result<()> {
        debug_assert!(key < self.keys);
        let place = u128::from(key) * self.buckets.len() as u128 / u128::from(self.keys);
        let place = usize::try_from(place)
            .unwrap_or(usize::MAX)
            .min(self.buckets.len() - 1);
        let length =
            u32::try_from(data.len()).map_err(|_| io::Error::other("a game of more than 4 GiB"))?;
        let bucket = &mut self.buckets[place];
        bucket.buffer.extend_from_slice(&key.to_le_bytes());
        bucket.buffer.extend_from_slice(&length.to_le_bytes());
        bucket.buffer.extend_from_slice(data);
        if bucket.buffer.len() > self.most {
            bucket.flush(&self.room)
        } else {
            Ok(())
        }
    }

    /// Returns the entries in the order of their keys.
    pub fn drain(self) -> Drain {
        Drain {
            memory: self.room.memory as u64 / 4,
            buckets: self.buckets.into_iter(),
            open: Vec::new().into_iter(),
            data: Data::Memory(Vec::new()),
            copy: Vec::new(),
        }
    }
}

/// Returns entries in the order of their keys.
#[derive(Debug)]
pub struct Drain {
    /// A longer bucket is read entry by entry from its file.
    memory: u64,
    buckets: std::vec::IntoIter<Bucket>,
    /// Keys and positions of the remaining entries of the current bucket.
    open: std::vec::IntoIter<(u64, u64)>,
    data: Data,
    copy: Vec<u8>,
}

#[derive(Debug)]
enum Data {
    Memory(Vec<u8>),
    File(BufReader<TempFile>),
}

impl Drain {
    /// The next entry.
    #[expect(
        clippy::should_implement_trait,
        reason = "what it returns borrows from it"
    )]
    pub fn next(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        let (key, at) = loop {
            match self.open.next() {
                Some(entry) => break entry,
                None => match self.buckets.next() {
                    Some(bucket) => self.load(bucket)?,
                    None => return Ok(None),
                },
            }
        };
        match &mut self.data {
            Data::Memory(bytes) => {
                let entry = bytes
                    .get(usize::try_from(at).unwrap_or(usize::MAX)..)
                    .unwrap_or_default();
                let (head, data) = entry
                    .split_first_chunk()
                    .ok_or(io::ErrorKind::UnexpectedEof)?;
                Ok(Some((key, data.get(..length_of(head)).unwrap_or_default())))
            }
            Data::File(reader) => {
                reader.seek(SeekFrom::Start(at))?;
                let mut head = [0; HEAD];
                reader.read_exact(&mut head)?;
                self.copy.resize(length_of(&head), 0);
                reader.read_exact(&mut self.copy)?;
                Ok(Some((key, &self.copy)))
            }
        }
    }

    fn load(&mut self, bucket: Bucket) -> io::Result<()> {
        let Bucket { buffer, file } = bucket;
        let (entries, data) = match file {
            None => (entries(&mut &*buffer)?, Data::Memory(buffer)),
            Some((mut file, length))
                if length.saturating_add(buffer.len() as u64) > self.memory =>
            {
                file.write_all(&buffer)?;
                drop(buffer);
                let mut reader = BufReader::with_capacity(1 << 16, file);
                reader.rewind()?;
                (entries(&mut Passing(&mut reader))?, Data::File(reader))
            }
            Some((mut file, length)) => {
                file.rewind()?;
                let all = length.saturating_add(buffer.len() as u64);
                let mut bytes = Vec::with_capacity(usize::try_from(all).unwrap_or(0));
                bytes.resize(usize::try_from(length).unwrap_or(0), 0);
                file.read_exact(&mut bytes)?;
                bytes.extend_from_slice(&buffer);
                (entries(&mut &*bytes)?, Data::Memory(bytes))
            }
        };
        (self.open, self.data) = (entries.into_iter(), data);
        Ok(())
    }
}

/// A reader that can skip bytes, to read only the heads of entries.
trait SkipRead: Read {
    fn pass(&mut self, length: usize) -> io::Result<()>;
}

impl SkipRead for &[u8] {
    fn pass(&mut self, length: usize) -> io::Result<()> {
        *self = self.get(length..).unwrap_or_default();
        Ok(())
    }
}

struct Passing<'r>(&'r mut BufReader<TempFile>);

impl Read for Passing<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf)
    }
}

impl SkipRead for Passing<'_> {
    fn pass(&mut self, length: usize) -> io::Result<()> {
        self.0
            .seek_relative(i64::try_from(length).unwrap_or(i64::MAX))
    }
}

/// Key and position of each entry of a bucket, sorted.
fn entries(bucket: &mut dyn SkipRead) -> io::Result<Vec<(u64, u64)>> {
    let mut entries = Vec::new();
    let (mut at, mut begin) = (0_u64, [0; HEAD]);
    loop {
        match bucket.read_exact(&mut begin) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            result => result?,
        }
        let (key, length) = (key_of(&begin), length_of(&begin));
        entries.push((key, at));
        at += (HEAD + length) as u64;
        bucket.pass(length)?;
    }
    // Equal keys are sorted by position, which keeps their order.
    entries.sort_unstable();
    Ok(entries)
}

impl Bucket {
    fn flush(&mut self, room: &Room) -> io::Result<()> {
        let (file, length) = match &mut self.file {
            Some(open) => open,
            none => none.insert((TempFile::new_in(&room.folder)?, 0)),
        };
        file.write_all(&self.buffer)?;
        *length += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

fn key_of(head: &[u8; HEAD]) -> u64 {
    number(&head[..KEY])
}

fn length_of(head: &[u8; HEAD]) -> usize {
    usize::try_from(number(&head[KEY..])).unwrap_or(usize::MAX)
}

/// The number that these bytes, at most eight, store with the lowest first.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries come out in the order of their keys, whatever the memory and the estimated length.
    #[test]
    fn in_order_of_keys() {
        let folder = tempfile::tempdir().unwrap();
        let keys = 5000_u64;
        let entries: Vec<(u64, Vec<u8>)> = (0..2 * keys)
            .map(|i| {
                (
                    i * 7919 % keys,
                    i.to_string()
                        .repeat(usize::try_from(i % 40).unwrap())
                        .into(),
                )
            })
            .collect();
        let mut expected = entries.clone();
        expected.sort_by_key(|entry| entry.0);
        for (memory, guess) in [
            (1 << 24, 1000),
            (1 << 18, 1 << 20),
            (1 << 14, 1 << 20),
            (1 << 12, 10),
            (0, u64::MAX),
        ] {
            let room = Room {
                memory,
                folder: folder.path().to_owned(),
            };
            let mut shuffle = Shuffle::new(keys, guess, &room);
            entries
                .iter()
                .for_each(|(key, data)| shuffle.put(*key, data).unwrap());
            let mut found = Vec::new();
            let mut drain = shuffle.drain();
            while let Some((key, data)) = drain.next().unwrap() {
                found.push((key, data.to_vec()));
            }
            assert!(found == expected, "memory {memory}, guess {guess}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
