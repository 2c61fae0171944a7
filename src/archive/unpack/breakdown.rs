//! Counts which kinds of data take how many bytes of an archive.

use std::io::{self, Read};

use pgc_block::breakdown::Breakdown;
use pgc_pgn::records::record::{Record, take_record};

/// A reader that counts the bytes of the records by kind.
pub(crate) struct CountKinds<'r> {
    inner: &'r mut dyn Read,
    pub kinds: Breakdown,
    /// The beginning of a record that is not complete yet.
    pending: Vec<u8>,
}

impl<'r> CountKinds<'r> {
    pub(crate) fn new(inner: &'r mut dyn Read) -> CountKinds<'r> {
        CountKinds {
            inner,
            kinds: Breakdown::default(),
            pending: Vec::new(),
        }
    }
}

impl Read for CountKinds<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.pending.extend_from_slice(&buffer[..n]);
        let mut src = self.pending.as_slice();
        loop {
            let before = src.len();
            let Ok(record) = take_record(&mut src) else {
                break;
            };
            let size = (before - src.len()) as u64;
            match record {
                Record::Game { moves, .. } => {
                    self.kinds.moves += 2 + moves.len() as u64;
                    self.kinds.tags += size - 2 - moves.len() as u64;
                }
                Record::TagPair { .. } => self.kinds.tags += size,
                Record::ShortMoves(_) | Record::LongMoves(_) => self.kinds.moves += size,
                Record::Nag(_) | Record::RavBegin | Record::RavEnd => {
                    self.kinds.nags_and_variations += size
                }
                Record::Escape(_) => self.kinds.escapes += size,
                Record::GameBegin | Record::GameEnd => self.kinds.heads += size,
                Record::Noop => self.kinds.other += size,
            }
        }
        let done = self.pending.len() - src.len();
        self.pending.drain(..done);
        Ok(n)
    }
}
