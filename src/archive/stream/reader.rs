//! Reads an archive from beginning to end: heads, blocks, tails.

use std::io::{self, ErrorKind, Read, Seek};

use crate::archive::stream::head::{SegmentHead, SegmentTail};
use crate::block::head::{BlockHead, HeadError};
use crate::block::small::stored::check_stored;
use crate::records::Marker;
use crate::records::private::{EscapeKind, Private, UNFINISHED, is_unfinished, private};
use crate::run::SegmentForm;

/// A part of an archive.
#[derive(Debug)]
pub enum ArchivePart {
    /// A segment begins.
    Head(SegmentHead),
    /// A block: its head, the bytes stored behind it, whose checksums are right, and their offset
    /// in the archive.
    Block(Box<BlockHead>, Vec<u8>, u64),
    /// A segment ends.
    Tail(SegmentTail),
}

/// Why reading an archive stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A head, a block or a tail is damaged or missing.
    #[error("byte {offset}, {item}: {what}")]
    Damaged {
        /// The offset of the record.
        offset: u64,
        /// The kind of record.
        item: &'static str,
        /// What is wrong with it.
        what: String,
    },
    /// Written by a newer pgc.
    #[error("archive format version {0}")]
    Version(u8),
}

/// Reads the parts of an archive in order, and checks that heads, blocks and tails follow each
/// other as they must.
#[derive(Debug)]
pub struct ArchiveReader<R> {
    inner: R,
    offset: u64,
    /// The offset of the record of the last part returned.
    begin: u64,
    /// The number of the next block; `None` between segments.
    segment: Option<u64>,
    /// The number of complete segments read.
    segments: u64,
    /// The form of the last segment that began.
    form: SegmentForm,
    /// The offset of an unfinished addition.
    unfinished: Option<u64>,
    payload: Vec<u8>,
    /// The buffer for the stored bytes of the next block.
    stored: Vec<u8>,
}

/// How to get past the stored bytes of a block: read and check them, or skip them.
type Pass<R> = fn(&mut ArchiveReader<R>, &BlockHead) -> Result<Vec<u8>, ArchiveError>;

/// The stored bytes of most blocks are fewer than this.
const USUAL: usize = 512 * 1024;

/// Whether a stream with these first bytes is an archive made by pgc, no-operation bytes aside.
/// `None`: more bytes are needed.
#[must_use]
pub fn is_archive(begin: &[u8]) -> Option<bool> {
    let record = match begin.iter().position(|&b| b != Marker::Noop.byte()) {
        Some(at) => &begin[at..],
        None => return None,
    };
    if record[0] != Marker::Escape.byte() {
        return Some(false);
    }
    let (begin, data) = (record.get(3..7)?, record.get(1..3)?);
    // A shorter escape-string ends before the letter.
    let is_long = u16::from_le_bytes([data[0], data[1]]) >= 4;
    Some(
        is_long
            && matches!(
                private(begin),
                Some(Private {
                    kind: EscapeKind::Head,
                    ..
                })
            ),
    )
}

impl<R: Read> ArchiveReader<R> {
    /// Starts at the beginning of an archive.
    pub fn new(inner: R) -> ArchiveReader<R> {
        ArchiveReader {
            inner,
            offset: 0,
            begin: 0,
            segment: None,
            segments: 0,
            form: SegmentForm::Plain,
            unfinished: None,
            payload: Vec::new(),
            stored: Vec::new(),
        }
    }

    /// Gives back an empty buffer, which the next block will use.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        self.stored = buffer;
    }

    /// Returns the next part; `None` at the end, or where an [unfinished
    /// addition](ArchiveReader::unfinished) begins.
    ///
    /// # Errors
    /// [`ArchiveError`].
    pub fn next_part(&mut self) -> Result<Option<ArchivePart>, ArchiveError> {
        self.step(ArchiveReader::read_stored)
    }

    /// The offset of the unfinished addition that ended the reading, if any: for readers, the
    /// archive ends there (extension.md 3.1).
    #[must_use]
    pub fn unfinished(&self) -> Option<u64> {
        self.unfinished
    }

    /// Skips the unfinished addition and returns its length; 0 if there is none.
    ///
    /// # Errors
    /// Reading fails.
    pub fn pass_unfinished(&mut self) -> io::Result<u64> {
        let Some(begin) = self.unfinished else {
            return Ok(0);
        };
        self.offset += io::copy(&mut self.inner, &mut io::sink())?;
        Ok(self.offset - begin)
    }

    fn step(&mut self, pass: Pass<R>) -> Result<Option<ArchivePart>, ArchiveError> {
        if self.unfinished.is_some() {
            return Ok(None);
        }
        let mut marker = [0];
        loop {
            if !self.read(&mut marker)? {
                return match self.segment {
                    None => Ok(None),
                    Some(_) => {
                        Err(self.damaged(self.offset, "tail", "is missing: the archive ends early"))
                    }
                };
            }
            if marker[0] != Marker::Noop.byte() {
                break;
            }
        }
        let begin = self.offset - 1;
        if marker[0] == UNFINISHED[0]
            && self.segment.is_none()
            && self.segments > 0
            && self.marks_unfinished()?
        {
            self.unfinished = Some(begin);
            return Ok(None);
        }
        self.begin = begin;
        if marker[0] != Marker::Escape.byte() {
            return Err(self.damaged(
                begin,
                self.expected(),
                "is missing: another record is in its place",
            ));
        }
        self.read_payload(begin)?;
        let payload = std::mem::take(&mut self.payload);
        let part = self.part(begin, &payload, pass);
        self.payload = payload;
        part.map(Some)
    }

    /// Whether the rest of an unfinished addition's mark follows its first byte, or the archive
    /// ends within the mark.
    fn marks_unfinished(&mut self) -> io::Result<bool> {
        let mut rest = Vec::with_capacity(UNFINISHED.len());
        (&mut self.inner)
            .take(UNFINISHED.len() as u64 - 1)
            .read_to_end(&mut rest)?;
        self.offset += rest.len() as u64;
        Ok(rest.is_empty() || is_unfinished(&rest))
    }

    fn part(
        &mut self,
        begin: u64,
        payload: &[u8],
        pass: Pass<R>,
    ) -> Result<ArchivePart, ArchiveError> {
        let head = |error: HeadError, item| match error {
            HeadError::Version(version) => ArchiveError::Version(version),
            error => ArchiveError::Damaged {
                offset: begin,
                item,
                what: error.to_string(),
            },
        };
        match (private(payload), self.segment) {
            (
                Some(Private {
                    kind: EscapeKind::Head,
                    data,
                    ..
                }),
                None,
            ) => {
                self.segment = Some(0);
                let segment = SegmentHead::take(data).map_err(|e| head(e, "head"))?;
                self.form = segment.form;
                Ok(ArchivePart::Head(segment))
            }
            (
                Some(Private {
                    kind: EscapeKind::Block,
                    data,
                    ..
                }),
                Some(number),
            ) => {
                let is_small = self.form == SegmentForm::Small;
                let block = BlockHead::take(data)
                    .and_then(|block| match block.streams.is_some() == is_small {
                        true => Ok(block),
                        false => Err(HeadError::Malformed),
                    })
                    .map_err(|e| head(e, "block head"))?;
                if block.number != number {
                    let what = format!("is number {}, not {number}", block.number);
                    return Err(ArchiveError::Damaged {
                        offset: begin,
                        item: "block head",
                        what,
                    });
                }
                self.segment = Some(number + 1);
                let at = self.offset;
                let bytes = pass(self, &block)?;
                Ok(ArchivePart::Block(Box::new(block), bytes, at))
            }
            (
                Some(Private {
                    kind: EscapeKind::Tail,
                    data,
                    ..
                }),
                Some(number),
            ) => {
                self.segment = None;
                self.segments += 1;
                let tail = SegmentTail::take(data).map_err(|e| head(e, "tail"))?;
                if tail.blocks != number {
                    let what = format!("counts {} blocks, not {number}", tail.blocks);
                    return Err(ArchiveError::Damaged {
                        offset: begin,
                        item: "tail",
                        what,
                    });
                }
                Ok(ArchivePart::Tail(tail))
            }
            _ => Err(self.damaged(
                begin,
                self.expected(),
                "is missing: another record is in its place",
            )),
        }
    }

    /// The kind of record that must come next.
    fn expected(&self) -> &'static str {
        if self.segment.is_some() {
            "block head"
        } else {
            "head"
        }
    }

    #[cold]
    fn damaged(&self, offset: u64, item: &'static str, what: &str) -> ArchiveError {
        ArchiveError::Damaged {
            offset,
            item,
            what: what.to_owned(),
        }
    }

    fn read_payload(&mut self, begin: u64) -> Result<(), ArchiveError> {
        let mut len = [0; 2];
        let mut payload = std::mem::take(&mut self.payload);
        let whole = self.read(&mut len)? && {
            payload.resize(usize::from(u16::from_le_bytes(len)), 0);
            self.read(&mut payload)?
        };
        self.payload = payload;
        if whole {
            Ok(())
        } else {
            Err(self.damaged(begin, "escape-string", "is cut off: the archive ends here"))
        }
    }

    fn read_stored(&mut self, block: &BlockHead) -> Result<Vec<u8>, ArchiveError> {
        let begin = self.offset;
        // Reserves room for a usual block at most; beyond that the buffer grows with the bytes
        // read, so that a forged length alone allocates little.
        let mut bytes = std::mem::take(&mut self.stored);
        let stored = block.stored();
        bytes.reserve(usize::try_from(stored).unwrap_or(USUAL).min(USUAL));
        let n = (&mut self.inner).take(stored).read_to_end(&mut bytes)? as u64;
        self.offset += n;
        if n < stored {
            return Err(self.damaged(begin, "block", "is cut off: the archive ends here"));
        }
        check_stored(block, &bytes)
            .map_err(|(offset, what)| self.damaged(begin + offset, "block", &what))?;
        Ok(bytes)
    }

    /// Fills the buffer; `false` if the stream ends before that.
    fn read(&mut self, buffer: &mut [u8]) -> Result<bool, ArchiveError> {
        let mut done = 0;
        while done < buffer.len() {
            match self.inner.read(&mut buffer[done..]) {
                Ok(0) => return Ok(false),
                Ok(n) => done += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.offset += done as u64;
        Ok(true)
    }

    /// The offset of the record of the last part returned; for a block, that of its head.
    #[must_use]
    pub fn begin(&self) -> u64 {
        self.begin
    }

    /// The bytes of that record.
    #[must_use]
    pub fn record(&self) -> Vec<u8> {
        let mut record = vec![Marker::Escape.byte()];
        // Its length was read from two bytes, so it fits.
        record.extend_from_slice(
            &u16::try_from(self.payload.len())
                .unwrap_or(u16::MAX)
                .to_le_bytes(),
        );
        record.extend_from_slice(&self.payload);
        record
    }

    /// The inner reader.
    pub fn inner_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// The number of bytes read or skipped.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl<R: Read + Seek> ArchiveReader<R> {
    /// As [`next_part`](ArchiveReader::next_part), but the stored bytes of a block are
    /// skipped unchecked, and returned empty.
    ///
    /// # Errors
    /// [`ArchiveError`].
    pub fn next_head(&mut self) -> Result<Option<ArchivePart>, ArchiveError> {
        self.step(ArchiveReader::skip_stored)
    }

    fn skip_stored(&mut self, block: &BlockHead) -> Result<Vec<u8>, ArchiveError> {
        let stored = i64::try_from(block.stored()).map_err(io::Error::other)?;
        // Seeking past the end succeeds; reading the next part then finds the end.
        self.inner.seek_relative(stored)?;
        self.offset += block.stored();
        Ok(Vec::new())
    }
}
