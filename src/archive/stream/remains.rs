//! Finds what is still complete in an unfinished addition, so that `add` does not cut it off
//! silently (spec/extension.md 3.1).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::archive::stream::head::{SegmentHead, SegmentTail};
use crate::block::head::BlockHead;
use crate::records::Marker;
use crate::records::private::{EscapeKind, PREFIX, Private, private};
use crate::records::record::{MAX_RECORD_LEN, Record, take_record};

/// The size of the search window.
const WINDOW: usize = 1 << 20;

/// Number of bytes of a record before its payload.
const BEFORE_PAYLOAD: usize = 3;

/// Counts of the heads and tails with a correct checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remains {
    /// Heads and tails of segments, and block heads without the bytes behind them.
    pub frames: u64,
    /// Block heads whose stored bytes also lie within the file.
    pub blocks: u64,
    /// Games of these blocks, according to their heads.
    pub games: u64,
}

impl Remains {
    /// Searches for heads and tails with a correct checksum between `from` and `end`, at any
    /// offset.
    pub(crate) fn find(mut file: &File, from: u64, end: u64) -> io::Result<Remains> {
        let finder = memchr::memmem::Finder::new(PREFIX);
        let mut remains = Remains::default();
        let (mut at, mut window) = (from, Vec::new());
        while at < end {
            file.seek(SeekFrom::Start(at))?;
            window.clear();
            file.take(WINDOW.min(usize::try_from(end - at).unwrap_or(WINDOW)) as u64)
                .read_to_end(&mut window)?;
            let is_last = window.len() < WINDOW || at + window.len() as u64 >= end;
            // A record that begins before this offset lies within the window.
            let whole = if is_last {
                window.len()
            } else {
                window.len() - MAX_RECORD_LEN
            };
            for prefix in finder.find_iter(&window) {
                let Some(begin) = prefix
                    .checked_sub(BEFORE_PAYLOAD)
                    .filter(|&begin| begin < whole)
                else {
                    continue;
                };
                remains.add(&window[begin..], end - at - begin as u64);
            }
            if is_last {
                break;
            }
            at += whole as u64;
        }
        Ok(remains)
    }

    /// Counts the head or tail at the start of `bytes`, if correct; `left` bytes remain in the
    /// file.
    fn add(&mut self, bytes: &[u8], left: u64) {
        let mut rest = bytes;
        if bytes.first() != Some(&Marker::Escape.byte()) {
            return;
        }
        let Ok(Record::Escape(payload)) = take_record(&mut rest) else {
            return;
        };
        match private(payload) {
            Some(Private {
                kind: EscapeKind::Head,
                data,
                ..
            }) => self.frames += u64::from(SegmentHead::take(data).is_ok()),
            Some(Private {
                kind: EscapeKind::Tail,
                data,
                ..
            }) => self.frames += u64::from(SegmentTail::take(data).is_ok()),
            Some(Private {
                kind: EscapeKind::Block,
                data,
                ..
            }) => {
                let length = (bytes.len() - rest.len()) as u64;
                if let Ok(head) = BlockHead::take(data) {
                    if length.saturating_add(head.stored()) <= left {
                        self.blocks += 1;
                        self.games = self.games.saturating_add(head.games);
                    } else {
                        self.frames += 1;
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether nothing complete was found.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.frames == 0 && self.blocks == 0
    }
}
