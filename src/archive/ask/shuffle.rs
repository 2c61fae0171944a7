//! Entries in the order of their keys, in linear time and bounded memory: they are dealt to buckets
//! by key, which go to temporary files when they grow, and each bucket is sorted by itself.

use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::io::temp::TempFile;

/// More would be too many open files.
const MAX_BUCKETS: u64 = 256;

/// Key and length of an entry in a bucket.
const HEAD: usize = KEY + 4;
const KEY: usize = 8;

/// Bytes in memory for an entry of the bucket that is sorted.
const PLACE: usize = size_of::<(u64, u64)>();

/// Where and with how much memory it is done.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    /// Bytes in memory, at most: half of them for what is dealt, half for the bucket that is
    /// sorted.
    pub memory: usize,
    /// The folder of the temporary files.
    pub folder: PathBuf,
}

#[derive(Default)]
struct Bucket {
    buffer: Vec<u8>,
    /// What came before the buffer, and how long it is.
    file: Option<(TempFile, u64)>,
}

/// Entries on their way. Equal keys keep their order.
pub(crate) struct Shuffle {
    buckets: Vec<Bucket>,
    /// Keys are below.
    keys: u64,
    /// A bucket goes to its file when its buffer is so long.
    most: usize,
    room: Room,
}

impl Shuffle {
    /// For keys below `keys`, of entries with about so many bytes in all (a bad guess costs time,
    /// not memory).
    pub(crate) fn new(keys: u64, bytes: u64, room: &Room) -> Shuffle {
        let each = (room.memory as u64 / 8).max(1 << 16);
        // Sorting takes a place for each entry too.
        let bytes = bytes.saturating_add(keys.saturating_mul((HEAD + PLACE) as u64));
        let count = (bytes / each + 1).min(MAX_BUCKETS).min(keys.max(1));
        let buckets: Vec<Bucket> = (0..count).map(|_| Bucket::default()).collect();
        // A buffer that grows has room for twice as much.
        let most = (room.memory / 4 / buckets.len()).max(1 << 12);
        Shuffle {
            buckets,
            keys: keys.max(1),
            most,
            room: room.clone(),
        }
    }

    /// Takes an entry.
    pub(crate) fn put(&mut self, key: u64, data: &[u8]) -> io::Result<()> {
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

    /// All entries in the order of their keys.
    pub(crate) fn drain(self) -> Drain {
        Drain {
            memory: self.room.memory as u64 / 4,
            buckets: self.buckets.into_iter(),
            open: Vec::new().into_iter(),
            data: Data::Memory(Vec::new()),
            copy: Vec::new(),
        }
    }
}

/// Entries on their way out.
pub(crate) struct Drain {
    /// A bucket of more bytes stays in its file.
    memory: u64,
    buckets: std::vec::IntoIter<Bucket>,
    /// Key and place of what is left of the bucket at hand.
    open: std::vec::IntoIter<(u64, u64)>,
    data: Data,
    copy: Vec<u8>,
}

enum Data {
    Memory(Vec<u8>),
    File(BufReader<TempFile>),
}

impl Drain {
    /// The next entry.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, &[u8])>> {
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

/// What is walked over for the heads of entries.
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

/// Key and place of each entry, sorted.
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
    // Equal keys come in the order of their places.
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

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries in a wild order come out in that of their keys, whatever the memory and whatever was
    /// guessed.
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
