//! Reads on behind damage in an archive (spec/damage.md 3).

use std::io::{self, Read};
use std::ops::Range;

use super::{ArchivePart, ArchiveReader, CHUNK, MISPLACED, OnDamage, Pass, form_of};
use crate::run::Error;
use crate::stream::frame::{BEFORE, FrameRecord, UNDECIDED, candidates, is_whole};
use crate::stream::gaps::{Amount, BlockForms, Missing};
use crate::stream::head::{SegmentHead, SegmentTail};
use pgc_block::head::{BlockHead, MAX_RECORDS};

/// For each byte passed so many bytes may be checked.
const CREDIT: u64 = 4;

/// Reading what is left of a damaged archive.
impl<R: Read> ArchiveReader<R> {
    /// Whether so many bytes may be checked. A head is a claim about many bytes behind it, and they
    /// may hold further heads: the limit keeps the time linear, whatever the heads claim.
    pub(super) fn afford(&mut self, bytes: u64) -> bool {
        let most = MAX_RECORDS.saturating_add(self.offset().saturating_mul(CREDIT));
        let spent = self.state.spent.saturating_add(bytes);
        if self.state.on_damage == OnDamage::Stop || spent <= most {
            self.state.spent = spent;
            return true;
        }
        false
    }

    /// The error of an archive that ends in a block whose stored bytes were skipped; `None` if it
    /// does not.
    pub(super) fn cut_block(&mut self, pass: &Pass<R>) -> io::Result<Option<Error>> {
        let end = self.offset();
        let Some(stored) = self.state.skipped.filter(|&stored| stored < end) else {
            return Ok(None);
        };
        (pass.rewind)(self, end - 1)?;
        let is_cut = self.ahead.fill(1)?.is_empty();
        if !is_cut {
            // Back to the end, so that the next call gives the same error.
            self.ahead.pass(1);
        }
        Ok(is_cut.then(|| Error::damaged(stored, 0, "block", "is cut off: the archive ends here")))
    }

    /// Notes a gap that ends at `end`: the junk passed before it, or what is wrong there.
    pub(super) fn tell(&mut self, end: u64, error: Option<Error>, missing: Missing) {
        let (begin, error) = match (self.state.junk.take(), error) {
            (Some(junk), _) => junk,
            (None, Some(error)) => (self.state.end.min(end), error),
            (None, None) => return,
        };
        self.tell_at(begin..end, error, missing);
    }

    pub(super) fn tell_at(&mut self, bytes: Range<u64>, error: Error, missing: Missing) {
        let (gap, report) = self.state.ledger.gap(bytes, error, missing);
        self.state.ready.push_back(ArchivePart::Gap(Box::new(gap)));
        self.state.ready.extend(report.map(ArchivePart::Gaps));
    }

    /// Ends the segment.
    pub(super) fn close(&mut self, tail: Option<&SegmentTail>) {
        let gaps = self.state.ledger.end(tail);
        if !gaps.is_empty() {
            self.state.ready.push_back(ArchivePart::Gaps(gaps));
        }
    }

    /// Passes bytes that are no part, up to the next frame record.
    pub(super) fn pass_junk(&mut self, error: Error, pass: &Pass<R>) -> io::Result<()> {
        let begin = self.offset();
        self.state.junk.get_or_insert((begin, error));
        match self.state.skipped.take() {
            // Perhaps the head was wrong about the bytes that were skipped.
            Some(stored) => (pass.rewind)(self, stored)?,
            None => self.ahead.pass(1),
        }
        self.search(None).map(drop)
    }

    /// Passes a block whose stored bytes are damaged. The block is in its place, and its head was
    /// passed.
    pub(super) fn pass_block(&mut self, error: Error, head: &BlockHead) -> io::Result<()> {
        let stored = self.offset();
        self.search(Some(stored.saturating_add(head.stored())))?;
        let end = self.offset();
        let missing = Missing::Known(Amount::from_head(head));
        self.tell_at(self.state.begin..end, error, missing);
        if let Some(open) = &mut self.state.ledger.segment {
            open.number = head.number.saturating_add(1);
        }
        self.state.end = end;
        Ok(())
    }

    /// A whole frame record is here, but not the one that must come next: decides what was lost, so
    /// that the record fits.
    pub(super) fn adapt(&mut self, error: Error, frame: &FrameRecord) {
        let begin = self.offset();
        let goes_on = match (frame, &self.state.ledger.segment) {
            (FrameRecord::Block(head), Some(open)) => {
                form_of(head) == open.form && open.number < head.number
            }
            (FrameRecord::Tail(tail), Some(_)) => self.state.ledger.fits(tail),
            _ => false,
        };
        let mut error = Some(error);
        if self.state.ledger.segment.is_some() && !goes_on {
            self.tell(begin, error.take(), Missing::Unknown(None));
            self.close(None);
            self.state.ready.push_back(ArchivePart::NoTail);
        }
        let (form, number) = match frame {
            FrameRecord::Head(_) => return,
            FrameRecord::Block(head) => (form_of(head), head.number),
            FrameRecord::Tail(tail) => (BlockForms::default(), tail.blocks),
        };
        if !goes_on {
            self.begin_nameless(form);
        }
        let open = self.state.ledger.segment.as_ref();
        let missing = match number - open.map_or(0, |open| open.number) {
            0 => Missing::Known(Amount::default()),
            lost => Missing::Unknown(Some(lost)),
        };
        let headless = || Error::damaged(begin, 0, "head", MISPLACED);
        self.tell(begin, Some(error.unwrap_or_else(headless)), missing);
        if let Some(open) = &mut self.state.ledger.segment {
            open.number = number;
        }
    }

    fn begin_nameless(&mut self, (form, text): BlockForms) {
        self.state.nameless += 1;
        // There is no record to be returned for it.
        (self.state.begin, self.state.record) = (self.offset(), Vec::new());
        let name = format!("unknown-{}.{}", self.state.nameless, text.name());
        self.state.ready.push_back(ArchivePart::Head(SegmentHead {
            form,
            text,
            encoding: None,
            name,
        }));
        self.state.ledger.begin((form, text), None);
    }

    /// Moves to the next frame record with the right checksum, or to `limit` (without one, to the
    /// end) if there is none before it.
    fn search(&mut self, limit: Option<u64>) -> io::Result<()> {
        let mut from = 0;
        loop {
            self.ahead.fill(from.max(CHUNK))?;
            let bytes = self.ahead.rest();
            let end = limit.map_or(bytes.len(), |limit| {
                let left = limit - self.ahead.offset();
                usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()))
            });
            let is_last = self.ahead.is_last();
            let candidate = candidates(bytes, from.min(bytes.len())).next();
            let Some(found @ (begin, end_of_record)) = candidate.filter(|found| found.0 < end)
            else {
                let whole = match is_last || end < bytes.len() {
                    true => end,
                    false => (bytes.len() - UNDECIDED).min(end),
                };
                self.ahead.pass(whole);
                if is_last || limit == Some(self.ahead.offset()) {
                    return Ok(());
                }
                from = 0;
                continue;
            };
            if is_whole(self.ahead.fill(end_of_record)?, found) {
                self.ahead.pass(begin);
                return Ok(());
            }
            from = begin + BEFORE + 1;
        }
    }
}
