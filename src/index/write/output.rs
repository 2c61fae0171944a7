//! Writes an index file: sections one after another, page checksums, section table, trailer.

use std::io::{self, Write};

use super::spill::{Stored, Temp};
use crate::format::layout::{self, ALIGN, About, BitWriter, PAGE, Section, width_of};

/// Size of the write buffer.
const BUFFER: usize = 64 * 1024;

/// [`PAGE`], for lengths in memory.
#[expect(clippy::cast_possible_truncation, reason = "it is small")]
const PAGE_BYTES: usize = PAGE as usize;

/// Writes sections one after another.
#[derive(Debug)]
pub(super) struct Sections<W> {
    out: W,
    offset: u64,
    sections: Vec<Section>,
    buffer: Vec<u8>,
    /// The bits of integers that do not fill a byte of `buffer` yet.
    bits: BitWriter,
}

impl<W: Write> Sections<W> {
    /// Starts with the first section at `offset`.
    pub(super) fn new(out: W, offset: u64) -> Sections<W> {
        Sections {
            out,
            offset,
            sections: Vec::new(),
            buffer: Vec::with_capacity(BUFFER + 8),
            bits: BitWriter::default(),
        }
    }

    fn align(&mut self) -> io::Result<()> {
        let zeros = self.offset.next_multiple_of(ALIGN) - self.offset;
        self.offset += zeros;
        self.out
            .write_all(&[0; 8][..usize::try_from(zeros).unwrap_or(0)])
    }

    fn begin(&mut self, kind: u32, width: u8) -> io::Result<()> {
        self.align()?;
        self.sections.push(Section {
            kind,
            width,
            offset: self.offset,
            len: 0,
            count: 0,
        });
        Ok(())
    }

    /// Begins a section of integers up to `largest`. Add them with [`Sections::integer`].
    pub(super) fn integers(&mut self, kind: u32, largest: u64) -> io::Result<()> {
        self.begin(kind, width_of(largest))
    }

    /// Adds an integer to the current section.
    #[inline]
    pub(super) fn integer(&mut self, number: u64) -> io::Result<()> {
        let Some(section) = self.sections.last_mut() else {
            return Ok(());
        };
        section.count += 1;
        self.bits
            .put(&mut self.buffer, number, u32::from(section.width));
        if self.buffer.len() >= BUFFER {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes a section of these integers.
    pub(super) fn column(
        &mut self,
        kind: u32,
        largest: u64,
        mut numbers: impl Iterator<Item = u64>,
    ) -> io::Result<()> {
        self.integers(kind, largest)?;
        numbers.try_for_each(|number| self.integer(number))?;
        self.end_section()
    }

    /// Writes a section of the integers that were stored as varints.
    pub(super) fn varints(
        &mut self,
        kind: u32,
        largest: u64,
        numbers: &Stored,
        temp: &Temp,
    ) -> io::Result<()> {
        self.integers(kind, largest)?;
        let mut cursor = numbers.cursor(temp.room(8))?;
        while cursor.left() > 0 {
            self.integer(cursor.varint()?)?;
        }
        self.end_section()
    }

    /// Writes a section of the bytes that were stored, which hold `count` entries.
    pub(super) fn stored(
        &mut self,
        kind: u32,
        entries: &Stored,
        count: u64,
        temp: &Temp,
    ) -> io::Result<()> {
        self.entries(kind)?;
        self.bytes(&[], count)?;
        let mut cursor = entries.cursor(temp.room(8))?;
        while cursor.left() > 0 {
            let some = cursor.some()?;
            let len = some.len();
            self.bytes(some, 0)?;
            cursor.consume(len);
        }
        self.end_section()
    }

    /// Begins a section of other entries. Add them with [`Sections::bytes`].
    pub(super) fn entries(&mut self, kind: u32) -> io::Result<()> {
        self.begin(kind, 0)
    }

    /// Adds bytes with `count` entries to the current section.
    pub(super) fn bytes(&mut self, bytes: &[u8], count: u64) -> io::Result<()> {
        if let Some(section) = self.sections.last_mut() {
            section.count += count;
        }
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
            if bytes.len() > BUFFER {
                return self.write(bytes);
            }
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        self.write(&buffer)?;
        buffer.clear();
        self.buffer = buffer;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(section) = self.sections.last_mut() {
            section.len += bytes.len() as u64;
        }
        self.offset += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Ends the current section.
    pub(super) fn end_section(&mut self) -> io::Result<()> {
        self.bits.end(&mut self.buffer);
        self.flush()
    }

    /// Returns all sections, and the offset after the last.
    pub(super) fn end(self) -> (Vec<Section>, u64) {
        (self.sections, self.offset)
    }
}

/// A writer that passes bytes on and collects the checksums of the pages.
pub(super) struct Pages<'w> {
    out: &'w mut dyn Write,
    /// The length of the current page so far, and its CRC-32.
    filled: usize,
    crc: crc32fast::Hasher,
    sums: Vec<u32>,
}

impl Pages<'_> {
    fn end_page(&mut self) {
        let crc = std::mem::take(&mut self.crc);
        self.sums.push(crc.finalize());
        self.filled = 0;
    }
}

impl Write for Pages<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        let mut rest = &bytes[..written];
        while !rest.is_empty() {
            let (now, after) = rest.split_at(rest.len().min(PAGE_BYTES - self.filled));
            self.crc.update(now);
            self.filled += now.len();
            if self.filled == PAGE_BYTES {
                self.end_page();
            }
            rest = after;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes an index. Sections come in ascending order of their kinds.
pub(super) type IndexOutput<'w> = Sections<Pages<'w>>;

impl<'w> IndexOutput<'w> {
    /// Begins the file.
    pub(super) fn begin_index(out: &'w mut dyn Write) -> io::Result<IndexOutput<'w>> {
        let pages = Pages {
            out,
            filled: 0,
            crc: crc32fast::Hasher::new(),
            sums: Vec::new(),
        };
        let mut output = Sections::new(pages, 0);
        output.write(&layout::begin())?;
        Ok(output)
    }

    /// Ends the file; returns its sections and its length.
    pub(super) fn end_index(mut self, about: &About) -> io::Result<(Vec<Section>, u64)> {
        debug_assert!(
            self.sections.is_sorted_by(|a, b| a.kind < b.kind),
            "in ascending order"
        );
        self.align()?;
        if self.out.filled > 0 {
            self.out.end_page();
        }
        let rest = layout::end(about, self.offset, &self.out.sums, &self.sections);
        self.out.out.write_all(&rest)?;
        self.out.out.flush()?;
        Ok((self.sections, self.offset + rest.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::layout::{IndexError, IndexFrame, kind};

    /// The sections that an index of no games has.
    fn empty() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut out = IndexOutput::begin_index(&mut bytes).unwrap();
        for kind in [kind::SEGMENTS, kind::BLOCKS] {
            out.entries(kind).unwrap();
            out.end_section().unwrap();
        }
        for kind in layout::COLUMNS {
            out.integers(kind, 0).unwrap();
            out.end_section().unwrap();
        }
        for table in layout::TABLES {
            for part in 0..5 {
                let is_there = match part {
                    kind::POSTING_GROUPS | kind::POSTINGS => layout::has_postings(table),
                    kind::WORDS => layout::has_words(table),
                    _ => table != kind::OPENINGS,
                };
                if !is_there {
                    continue;
                }
                match part {
                    kind::VALUES | kind::POSTINGS => out.entries(table + part).unwrap(),
                    _ => out.integers(table + part, 0).unwrap(),
                }
                out.end_section().unwrap();
            }
        }
        out.end_index(&About {
            archive_length: 5,
            ..About::default()
        })
        .unwrap();
        bytes
    }

    #[test]
    fn a_frame_comes_back() {
        let bytes = empty();
        let frame = IndexFrame::parse(&bytes).unwrap();
        assert_eq!(
            (frame.games(), frame.archive_length(), frame.pages()),
            (0, 5, 1)
        );
        assert_eq!(frame.section(kind::DATE).unwrap().width, 1);
        frame.check_page(&bytes, 0).unwrap();
        assert!(frame.check_page(&bytes, 1).is_err());
        assert_eq!(
            bytes[..16],
            *b"\x89PGCI\r\n\x1a\x01\x00\x00\x00\x00\x00\x00\x00"
        );
        assert_eq!(bytes[bytes.len() - 8..], *b"\x1a\n\rICGP\x89");
    }

    #[test]
    fn every_byte_of_a_frame_counts() {
        let bytes = empty();
        for at in 0..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[at] ^= 1;
            let result = IndexFrame::parse(&wrong).and_then(|frame| frame.check_page(&wrong, 0));
            // The minor version may be any, but its bytes are in the checksums.
            assert!(result.is_err(), "byte {at}");
        }
        for len in 0..bytes.len() {
            assert!(IndexFrame::parse(&bytes[..len]).is_err(), "{len}");
        }
        let mut newer = bytes;
        newer[8] = 2;
        assert!(matches!(
            IndexFrame::parse(&newer),
            Err(IndexError::Version(2))
        ));
    }

    #[test]
    fn pages_end_where_they_must() {
        let mut bytes = Vec::new();
        let mut out = IndexOutput::begin_index(&mut bytes).unwrap();
        out.integers(kind::DATE, 0xff_ffff).unwrap();
        for i in 0..30_000 {
            out.integer(i).unwrap();
        }
        out.end_section().unwrap();
        let (sections, total) = out.end_index(&About::default()).unwrap();
        assert_eq!(
            sections,
            [Section {
                kind: kind::DATE,
                width: 24,
                offset: 16,
                len: 90_000,
                count: 30_000
            }]
        );
        assert_eq!(total, bytes.len() as u64);
        let sums = &bytes[90_016..90_016 + 6 * 4];
        for (page, sum) in bytes[..90_016].chunks(16_384).zip(sums.chunks(4)) {
            assert_eq!(crc32fast::hash(page).to_le_bytes(), *sum);
        }
        assert_eq!(total, 90_016 + 6 * 4 + 32 + 96);
    }
}
