//! Keeps data that do not fit into memory in temporary files, and reads them sequentially.

use std::borrow::Cow;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;

use crate::format::integers::{put_varint, take_varint};
use crate::format::layout::{IndexError, Section};
use pgc_io::temp::TempFile;

/// Size of the write buffer.
const WRITE_BUFFER: usize = 64 * 1024;

/// Minimum and maximum read buffer of a cursor.
const READ_BUFFER: (usize, usize) = (4 * 1024, 256 * 1024);

/// The error for a damaged part, which may be an index made by another program.
#[cold]
pub(super) fn damaged(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, IndexError::damaged(0, what))
}

/// The folder of temporary files, and the memory limit beyond which they are used.
#[derive(Clone, Debug)]
pub struct Temp {
    /// The folder for temporary files.
    pub dir: PathBuf,
    /// Bytes that may be kept in memory.
    pub memory: usize,
}

impl Temp {
    pub(super) fn file(&self) -> io::Result<TempFile> {
        TempFile::new_in(&self.dir)
    }

    /// A spool for bytes that are read later. About thirty may exist at a time.
    pub(super) fn spool(&self) -> Spool {
        Spool {
            temp: self.clone(),
            buffer: Vec::new(),
            file: None,
            len: 0,
        }
    }

    /// The buffer for each of several cursors.
    pub(super) fn room(&self, cursors: usize) -> usize {
        (self.memory / 8 / cursors.max(1)).clamp(READ_BUFFER.0, READ_BUFFER.1)
    }
}

/// Bytes written sequentially, then read; in memory while there are few.
#[derive(Debug)]
pub(super) struct Spool {
    temp: Temp,
    buffer: Vec<u8>,
    file: Option<TempFile>,
    len: u64,
}

impl Spool {
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn varint(&mut self, number: u64) -> io::Result<()> {
        let before = self.buffer.len();
        put_varint(&mut self.buffer, number);
        self.len += (self.buffer.len() - before) as u64;
        self.make_room(0)
    }

    /// Moves the bytes to the file if they would exceed the memory with `more`.
    fn make_room(&mut self, more: usize) -> io::Result<()> {
        let most = if self.file.is_some() {
            WRITE_BUFFER
        } else {
            (self.temp.memory / 64).max(WRITE_BUFFER / 16)
        };
        if self.buffer.len() + more > most {
            let mut file = match &self.file {
                Some(file) => file,
                None => self.file.insert(self.temp.file()?),
            };
            file.write_all(&self.buffer)?;
            self.buffer.clear();
            self.buffer.shrink_to(WRITE_BUFFER);
        }
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<Stored> {
        let store = match self.file {
            None => Store::Bytes(self.buffer.into()),
            Some(file) => {
                (&file).write_all(&self.buffer)?;
                Store::File(Arc::new(file))
            }
        };
        let len = self.len;
        Ok(Stored { store, len })
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.make_room(bytes.len())?;
        match self.file.as_ref() {
            Some(mut file) if bytes.len() > WRITE_BUFFER => file.write_all(bytes)?,
            _ => self.buffer.extend_from_slice(bytes),
        }
        self.len += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes that were written to a spool.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) store: Store<'static>,
    pub(super) len: u64,
}

impl Stored {
    pub(super) fn cursor(&self, room: usize) -> io::Result<Cursor<'_>> {
        self.store.cursor(0, self.len, room)
    }
}

/// Bytes in memory, borrowed, or in a temporary file.
#[derive(Debug)]
pub(super) enum Store<'a> {
    Bytes(Cow<'a, [u8]>),
    File(Arc<TempFile>),
}

impl Store<'_> {
    /// Reads `len` bytes from `offset` on, `room` bytes at a time.
    pub(super) fn cursor(&self, offset: u64, len: u64, room: usize) -> io::Result<Cursor<'_>> {
        let beyond = || damaged("a section beyond the end");
        let end = offset.checked_add(len).ok_or_else(beyond)?;
        let empty = Cursor {
            file: None,
            at: offset,
            end,
            room,
            ready: Cow::Borrowed(&[]),
            from: 0,
            bit: 0,
        };
        match self {
            Store::Bytes(bytes) => {
                let range = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
                let ready = range.and_then(|(from, to)| bytes.get(from..to));
                let ready = Cow::Borrowed(ready.ok_or_else(beyond)?);
                Ok(Cursor {
                    ready,
                    at: end,
                    ..empty
                })
            }
            Store::File(file) => {
                let file = Some(&**file);
                Ok(Cursor { file, ..empty })
            }
        }
    }
}

/// Reads bytes sequentially.
#[derive(Debug)]
pub(super) struct Cursor<'s> {
    /// Where further bytes are, the offset to read next, and the end.
    file: Option<&'s TempFile>,
    at: u64,
    end: u64,
    /// The number of bytes to read at a time.
    room: usize,
    /// The bytes that were read, and how many of them were consumed.
    ready: Cow<'s, [u8]>,
    from: usize,
    /// The number of bits of the next byte that integers have used.
    bit: u32,
}

impl Cursor<'_> {
    #[cold]
    fn more(&mut self, least: usize) -> io::Result<()> {
        let Some(mut file) = self.file else {
            return Ok(());
        };
        let ready = self.ready.to_mut();
        ready.drain(..self.from);
        self.from = 0;
        let have = ready.len();
        let want = (self.end - self.at).min(self.room.max(least).saturating_sub(have) as u64);
        // Several cursors share the file, so each seeks first.
        file.seek(SeekFrom::Start(self.at))?;
        ready.resize(have + usize::try_from(want).unwrap_or(usize::MAX - have), 0);
        file.read_exact(&mut ready[have..])?;
        self.at += want;
        Ok(())
    }

    /// The next bytes, at least `least`.
    #[inline]
    pub(super) fn fill(&mut self, least: usize) -> io::Result<&[u8]> {
        if self.ready.len() - self.from < least {
            self.more(least)?;
        }
        let bytes = &self.ready[self.from..];
        if bytes.len() < least {
            Err(damaged("a section that ends too early"))
        } else {
            Ok(bytes)
        }
    }

    /// The next bytes; empty only at the end.
    pub(super) fn some(&mut self) -> io::Result<&[u8]> {
        let least = usize::from(self.left() > 0);
        self.fill(least)
    }

    /// Skips `n` bytes of those returned by `fill`.
    #[inline]
    pub(super) fn consume(&mut self, n: usize) {
        self.from = (self.from + n).min(self.ready.len());
    }

    /// The number of bytes not yet consumed.
    pub(super) fn left(&self) -> u64 {
        self.end - self.at + (self.ready.len() - self.from) as u64
    }

    /// Reads an integer of `width` bits.
    #[inline]
    pub(super) fn integer(&mut self, width: u8) -> io::Result<u64> {
        let (from, width) = (self.bit, u32::from(width.clamp(1, 64)));
        let end = from + width;
        // At most eight bytes: integers have up to 57 bits, or 64 and then begin with a byte.
        let bytes = self.fill(end.div_ceil(8) as usize)?;
        let word = match bytes.first_chunk::<8>() {
            Some(eight) => u64::from_le_bytes(*eight),
            None => bytes.iter().rfold(0, |all, &b| all << 8 | u64::from(b)),
        };
        self.bit = end % 8;
        self.consume(end as usize / 8);
        Ok(word >> from & u64::MAX >> (64 - width))
    }

    pub(super) fn varint(&mut self) -> io::Result<u64> {
        let enough = usize::try_from(self.left().min(10)).unwrap_or(10);
        let bytes = self.fill(enough)?;
        let mut rest = bytes;
        let number = take_varint(&mut rest).ok_or_else(|| damaged("a varint"))?;
        let used = bytes.len() - rest.len();
        self.consume(used);
        Ok(number)
    }

    /// Appends the next bytes to `out`.
    pub(super) fn take(&mut self, mut n: u64, out: &mut Vec<u8>) -> io::Result<()> {
        while n > 0 {
            let bytes = self.some()?;
            let now = bytes.len().min(usize::try_from(n).unwrap_or(usize::MAX));
            if now == 0 {
                return Err(damaged("a section that ends too early"));
            }
            out.extend_from_slice(&bytes[..now]);
            self.consume(now);
            n -= now as u64;
        }
        Ok(())
    }
}

/// A part to be merged: a sorted run or an existing index.
#[derive(Debug)]
pub(super) struct IndexPart<'a> {
    pub(super) store: Store<'a>,
    /// The positions of its sections, in any order.
    pub(super) sections: Vec<Section>,
    /// The number of games in the parts before it.
    pub(super) first_game: u32,
    pub(super) games: u32,
}

impl IndexPart<'_> {
    pub(super) fn section(&self, kind: u32) -> io::Result<Section> {
        let section = self.sections.iter().find(|section| section.kind == kind);
        section
            .copied()
            .ok_or_else(|| damaged("a section is missing"))
    }

    /// A section, and a cursor for it.
    pub(super) fn cursor(&self, kind: u32, room: usize) -> io::Result<(Section, Cursor<'_>)> {
        let section = self.section(kind)?;
        let cursor = self.store.cursor(section.offset, section.len, room)?;
        Ok((section, cursor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn temp(memory: usize) -> Temp {
        Temp {
            dir: std::env::temp_dir(),
            memory,
        }
    }

    #[test]
    fn spools_come_back_from_memory_and_from_files() {
        for memory in [0, 1 << 16, 1 << 30] {
            let mut spool = temp(memory).spool();
            for i in 0..40_000_u64 {
                spool.varint(i * i).unwrap();
                spool.write_all(&[7; 3]).unwrap();
            }
            spool.write_all(&vec![9; 200_000]).unwrap();
            let stored = spool.finish().unwrap();
            assert_eq!(matches!(stored.store, Store::Bytes(_)), memory == 1 << 30);
            let mut cursor = stored.cursor(temp(memory).room(3)).unwrap();
            for i in 0..40_000_u64 {
                assert_eq!(cursor.varint().unwrap(), i * i);
                assert_eq!(cursor.integer(20).unwrap(), 0x7_0707);
                assert_eq!(cursor.integer(4).unwrap(), 0);
            }
            let mut rest = Vec::new();
            cursor.take(200_000, &mut rest).unwrap();
            assert!(rest.iter().all(|&b| b == 9) && cursor.left() == 0);
            assert!(
                cursor.some().unwrap().is_empty()
                    && cursor.fill(1).is_err()
                    && cursor.varint().is_err()
            );
        }
    }
}
