//! Finds what is still complete in an unfinished addition, so that `add` does not cut it off
//! silently (spec/extension.md 3.1).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::stream::frame::{BEFORE, FrameRecord, candidates, frame_record};
use pgc_pgn::records::record::MAX_RECORD_LEN;

/// The size of the search window.
const WINDOW: usize = 1 << 20;

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
        let mut remains = Remains::default();
        let (mut at, mut window) = (from, Vec::new());
        while at < end {
            file.seek(SeekFrom::Start(at))?;
            window.clear();
            let most = (end - at).min(WINDOW as u64);
            file.take(most).read_to_end(&mut window)?;
            let is_last = window.len() < WINDOW || at + window.len() as u64 >= end;
            // A record that begins before this offset lies within the window.
            let whole = window.len() - if is_last { 0 } else { MAX_RECORD_LEN };
            for (begin, next) in candidates(&window, 0).take_while(|found| found.0 < whole) {
                if let Some(payload) = window.get(begin + BEFORE..next) {
                    remains.add(payload, end - at - next as u64);
                }
            }
            if is_last {
                break;
            }
            at += whole as u64;
        }
        Ok(remains)
    }

    /// Counts the head or tail with this payload, if correct; `left` bytes remain in the file.
    fn add(&mut self, payload: &[u8], left: u64) {
        match frame_record(payload) {
            Some((_, Ok(FrameRecord::Block(head)))) if head.stored() <= left => {
                self.blocks += 1;
                self.games = self.games.saturating_add(head.games);
            }
            Some((_, Ok(_))) => self.frames += 1,
            _ => {}
        }
    }
}
