//! Reads a stream record by record and checks it against the structure of section 20 (D10).
//!
//! [`Records`] reads a slice, [`RecordStream`] any reader; both return each record with the offset
//! of its first byte and agree about every error.

use std::io::{self, Read};

use crate::records::item::take_string;
use crate::records::marker::Marker;
use crate::records::private::{EscapeKind, Private, is_unfinished, private};
use crate::records::record::{MAX_RECORD_LEN, ROSTER, ROSTER_ITEMS, Record, take_record};
pub use crate::records::structure::Fault;
use crate::records::structure::{ItemFault, Structure, StructureError};

/// Who wrote the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Whoever follows section 20.
    #[default]
    Standard,
    /// The old program `pgn2pgc`: after each 0x05 stand seven bare string-1, the values of the
    /// roster. The reader returns them as tag pairs, so that callers need not know.
    Pgn2pgc,
}

/// A fault in a stream, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}, {} {}, {item}: {fault}", ["game", "before game"][usize::from(*game == 0)], game.max(&1))]
pub struct ReadError {
    /// The offset, from 0, of the record that could not be read.
    pub offset: u64,
    /// Number of the game begun last, from 1; 0 before the first.
    pub game: u64,
    /// The item, or the marker's name where the record itself is out of place.
    pub item: &'static str,
    /// What is wrong.
    pub fault: Fault,
}

/// The state of reading, which both readers share.
#[derive(Clone, Debug)]
struct StreamState {
    dialect: Dialect,
    structure: Structure,
    /// Index in the roster of the bare value that comes next; its length when none does.
    roster: usize,
}

impl StreamState {
    fn new(dialect: Dialect) -> StreamState {
        StreamState {
            dialect,
            structure: Structure::default(),
            roster: ROSTER.len(),
        }
    }

    /// Whether a game is open, and no bare value of its roster is to come.
    #[inline]
    fn is_in_game(&self) -> bool {
        self.structure.in_game && self.roster == ROSTER.len()
    }

    /// The error for a fault of the record at this offset.
    #[cold]
    fn error(&self, offset: u64, ItemFault { item, fault }: ItemFault) -> ReadError {
        ReadError {
            offset,
            game: self.structure.game,
            item,
            fault,
        }
    }

    /// The next record, or the item that is at fault; `None` at a proper end.
    #[inline]
    fn step<'a>(&mut self, src: &mut &'a [u8]) -> Result<Option<Record<'a>>, ItemFault> {
        let misplaced = |marker: Marker, error: StructureError| ItemFault {
            item: marker.name(),
            fault: error.into(),
        };
        if let Some((name, what)) = ROSTER.get(self.roster).zip(ROSTER_ITEMS.get(self.roster)) {
            let value = take_string::<1>(src, what)?;
            self.roster += 1;
            return Ok(Some(Record::TagPair {
                name: name.as_bytes(),
                value,
            }));
        }
        if src.is_empty() {
            return match self.structure.in_game {
                true => Err(misplaced(Marker::GameEnd, StructureError::UnfinishedGame)),
                false => Ok(None),
            };
        }
        let record = take_record(src)?;
        let marker = record.marker();
        let admitted = self.structure.admit(marker);
        admitted.map_err(|error| misplaced(marker, error))?;
        if record == Record::GameBegin && self.dialect == Dialect::Pgn2pgc {
            self.roster = 0;
        }
        Ok(Some(record))
    }
}

/// The records of a slice, each with its offset. Ends after the first error.
///
/// # Examples
/// ```
/// use pgc_pgn::records::reader::{Dialect, Records};
/// use pgc_pgn::records::record::Record;
///
/// let mut records = Records::new(b"\x05\x03\x01\x0c\x06", Dialect::Standard);
/// assert_eq!(records.next(), Some(Ok((0, Record::GameBegin))));
/// assert_eq!(records.next(), Some(Ok((1, Record::ShortMoves(&[0x0c])))));
/// assert_eq!(records.next(), Some(Ok((4, Record::GameEnd))));
/// assert_eq!(records.next(), None);
/// ```
#[derive(Clone, Debug)]
pub struct Records<'a> {
    src: &'a [u8],
    offset: u64,
    state: StreamState,
    done: bool,
}

impl<'a> Records<'a> {
    /// Reads from the beginning of a stream.
    pub fn new(src: &'a [u8], dialect: Dialect) -> Records<'a> {
        Records {
            src,
            offset: 0,
            state: StreamState::new(dialect),
            done: false,
        }
    }

    /// Reads from this offset of a stream on, where a game begins.
    pub fn from_offset(src: &'a [u8], offset: usize) -> Records<'a> {
        Records {
            offset: offset as u64,
            ..Records::new(src.get(offset..).unwrap_or_default(), Dialect::Standard)
        }
    }

    /// Where the next record begins.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The records to come.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.src
    }

    /// Name and value of the next record, if that is a whole tag pair of a game; else it is left
    /// for `next`. A fast path: half the records of most streams are tag pairs.
    #[inline]
    pub fn next_tag_pair(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        if self.done || !self.state.is_in_game() {
            return None;
        }
        let (&marker, mut rest) = self.src.split_first()?;
        if marker != Marker::TagPair.byte() {
            return None;
        }
        let name = take_string::<1>(&mut rest, "").ok()?;
        let value = take_string::<1>(&mut rest, "").ok()?;
        self.offset += (self.src.len() - rest.len()) as u64;
        self.src = rest;
        Some((name, value))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<(u64, Record<'a>), ReadError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let (offset, before) = (self.offset, self.src.len());
        match self.state.step(&mut self.src) {
            Ok(Some(record)) => {
                self.offset += (before - self.src.len()) as u64;
                Some(Ok((offset, record)))
            }
            end => {
                self.done = true;
                end.err().map(|fault| Err(self.state.error(offset, fault)))
            }
        }
    }
}

/// Why a stream could not be read on.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// Reading failed. All records before the failure have been given.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The data is not a stream of section 20.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Room for the longest record twice: whatever is moved to the front is then used up before the
/// next move, so no byte is moved more than once.
const BUFFER_LEN: usize = 2 * MAX_RECORD_LEN;

/// The records of any reader, each with its offset. Memory is one buffer of some 132 KiB, whatever
/// the stream says.
///
/// The stream is read ahead, always enough for the longest record; the sizes of the reads change
/// nothing.
///
/// # Examples
/// ```
/// use pgc_pgn::records::RecordStream;
/// use pgc_pgn::records::reader::Dialect;
/// use pgc_pgn::records::record::Record;
///
/// let mut records = RecordStream::new(b"\x05\x06".as_slice(), Dialect::Standard);
/// assert_eq!(records.next_record()?, Some((0, Record::GameBegin)));
/// assert_eq!(records.next_record()?, Some((1, Record::GameEnd)));
/// assert_eq!(records.next_record()?, None);
/// # Ok::<(), pgc_pgn::records::reader::StreamError>(())
/// ```
#[derive(Debug)]
pub struct RecordStream<R> {
    inner: R,
    /// The data behind `start`, which is at `offset` in the stream, is still to be read.
    buffer: Vec<u8>,
    start: usize,
    offset: u64,
    /// `inner` has come to its end, or has failed.
    drained: bool,
    failure: Option<io::Error>,
    state: StreamState,
    done: bool,
    /// Whether this is an archive of ours, and which part of it comes next.
    ours: Ours,
    unfinished: Option<u64>,
}

/// The place in an archive of ours. Only between segments may an unfinished addition begin
/// (extension.md 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ours {
    /// Nothing but noops has been read.
    Unknown,
    /// The stream is somebody else's.
    No,
    /// Inside a segment.
    Inside,
    /// Behind a segment.
    Between,
}

impl Ours {
    fn behind(self, record: &Record<'_>) -> Ours {
        let kind = match record {
            Record::Noop => return self,
            Record::Escape(payload) => private(payload).map(|Private { kind, .. }| kind),
            _ => None,
        };
        match (self, kind) {
            (Ours::Unknown | Ours::Between, Some(EscapeKind::Head)) => Ours::Inside,
            (Ours::Inside, Some(EscapeKind::Tail)) => Ours::Between,
            (Ours::Inside, _) => Ours::Inside,
            _ => Ours::No,
        }
    }
}

impl<R: Read> RecordStream<R> {
    /// Reads from the beginning of a stream. Do not wrap the reader in a `BufReader`: there is a
    /// buffer already.
    pub fn new(inner: R, dialect: Dialect) -> RecordStream<R> {
        RecordStream {
            inner,
            buffer: Vec::with_capacity(BUFFER_LEN),
            start: 0,
            offset: 0,
            drained: false,
            failure: None,
            state: StreamState::new(dialect),
            done: false,
            ours: Ours::Unknown,
            unfinished: None,
        }
    }

    /// Number of the game begun last, from 1; 0 before the first.
    pub fn game(&self) -> u64 {
        self.state.structure.game
    }

    /// Where the next record begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The offset of the unfinished addition to an archive of ours at which the stream ended
    /// (extension.md 3.1).
    pub fn unfinished(&self) -> Option<u64> {
        self.unfinished
    }

    /// Reads the unfinished addition to its end, and returns its length; 0 if there is none.
    ///
    /// # Errors
    /// Reading fails.
    pub fn pass_unfinished(&mut self) -> io::Result<u64> {
        if self.unfinished.is_none() {
            return Ok(0);
        }
        match self.failure.take() {
            Some(error) => Err(error),
            None => {
                let read = (self.buffer.len() - self.start) as u64;
                Ok(read + io::copy(&mut self.inner, &mut io::sink())?)
            }
        }
    }

    /// The next record and the offset of its first byte; `None` at the end, and after an error.
    ///
    /// # Errors
    /// [`StreamError`].
    pub fn next_record(&mut self) -> Result<Option<(u64, Record<'_>)>, StreamError> {
        if self.done {
            return Ok(None);
        }
        self.fill();
        let before = self.buffer.get(self.start..).unwrap_or_default();
        let mut src = before;
        let offset = self.offset;
        let step = self.state.step(&mut src);
        self.done = !matches!(step, Ok(Some(_)));
        // If reading failed, the end of the data is not the end of the stream.
        let unfinished = Fault::Structure(StructureError::UnfinishedGame);
        let at_end = match &step {
            Ok(record) => record.is_none(),
            Err(ItemFault { fault, .. }) => {
                *fault == unfinished || matches!(fault, Fault::Truncated { .. })
            }
        };
        if at_end && let Some(error) = self.failure.take() {
            return Err(error.into());
        }
        match step {
            Ok(Some(record)) => {
                let used = before.len() - src.len();
                self.ours = self.ours.behind(&record);
                self.start += used;
                self.offset += used as u64;
                Ok(Some((offset, record)))
            }
            Err(ItemFault {
                fault: Fault::UnknownMarker(_),
                ..
            }) if self.ours == Ours::Between && is_unfinished(before) => {
                self.unfinished = Some(offset);
                Ok(None)
            }
            Ok(None) => Ok(None),
            Err(fault) => Err(self.state.error(offset, fault).into()),
        }
    }

    /// Fills the buffer if it does not hold enough for the longest record, unless the stream has
    /// ended.
    fn fill(&mut self) {
        if self.drained || self.buffer.len() - self.start >= MAX_RECORD_LEN {
            return;
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let room = (BUFFER_LEN - self.buffer.len()) as u64;
        let read = self.inner.by_ref().take(room).read_to_end(&mut self.buffer);
        self.drained = !matches!(read, Ok(n) if n as u64 == room);
        self.failure = read.err();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives `step` bytes at a time, and an error where it ends.
    struct Failing<'a>(&'a [u8], usize);
    impl Read for Failing<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buf.len());
            if n == 0 {
                return Err(io::Error::other("cable"));
            }
            buf[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn records_before_a_failure_are_given() {
        for step in [1, 2, 100] {
            let mut records = RecordStream::new(
                Failing(b"\x05\x07\x01\x06\x02\x05E", step),
                Dialect::Standard,
            );
            for offset in [0, 1, 3] {
                assert_eq!(records.next_record().unwrap().unwrap().0, offset);
            }
            assert!(
                matches!(records.next_record(), Err(StreamError::Io(error)) if error.to_string() == "cable")
            );
            assert!(matches!(records.next_record(), Ok(None)));
        }
    }

    #[test]
    fn a_wrong_marker_comes_before_a_failure_behind_it() {
        let mut records = RecordStream::new(Failing(b"\xff\x00", 1), Dialect::Standard);
        assert!(matches!(
            records.next_record(),
            Err(StreamError::Read(ReadError {
                fault: Fault::UnknownMarker(0xff),
                ..
            }))
        ));
    }

    #[test]
    fn errors_print_their_place() {
        let error = Records::new(b"\x05\x06\x05\x08\x06", Dialect::Standard)
            .find_map(Result::err)
            .unwrap();
        assert_eq!(
            error.to_string(),
            "byte 4, game 2, game-end: variations still open: 1"
        );
    }

    #[test]
    fn the_old_dialect_has_bare_values() {
        let stream = b"\x05\x01?\x00\x00\x00\x01W\x01B\x03Res\x02\x03ECO\x03D17\x06";
        let records: Result<Vec<_>, _> = Records::new(stream, Dialect::Pgn2pgc).collect();
        let records = records.unwrap();
        assert_eq!(
            records[1],
            (
                1,
                Record::TagPair {
                    name: b"Event",
                    value: b"?"
                }
            )
        );
        assert_eq!(
            records[7],
            (
                10,
                Record::TagPair {
                    name: b"Result",
                    value: b"Res"
                }
            )
        );
        assert_eq!(
            records[8],
            (
                14,
                Record::TagPair {
                    name: b"ECO",
                    value: b"D17"
                }
            )
        );
        assert_eq!(records.len(), 10);
    }
}
