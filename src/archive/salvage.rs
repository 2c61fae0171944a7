//! Makes a whole archive of what is left of a damaged one.

use std::borrow::Cow;
use std::io::{self, Read, Write};

use crate::games::walk::damage;
use crate::part_walk::{PartPlace, walk_parts};
use crate::run::{Error, Gap, Hooks, SegmentForm, SourceInfo};
use crate::storing::{has_form, store};
use crate::stream::head::{SegmentHead, SegmentTail};
use crate::stream::reader::{ArchiveReader, OnDamage, Part};
use crate::unpack::{Buffers, DecodedBlock, Depth, SegmentSums, decode};
use pgc_block::decode::block::Damage;
use pgc_block::head::BlockHead;
use pgc_block::small::stored::{records, take_block};
use pgc_pgn::records::private::{EscapeKind, private};
use pgc_pgn::records::record::{Record, record_len, take_record};
use pgc_pgn::split::UnitKind;

/// A block after decoding: its bytes as they are written, and its text.
struct SavedBlock {
    stored: Vec<u8>,
    decoded: Result<DecodedBlock, Damage>,
}

/// Writes what is whole in `archive` to `out`, as a whole archive in this form, and returns what
/// became of each source. Blocks are found without heads, tails or an index, at whatever byte;
/// those before the first gap of a source are written as they are, those behind it with new
/// numbers. A source with gaps gets a tail with the counts and the digest of what is left.
///
/// [`Hooks::gap`] gets each gap.
///
/// # Errors
/// [`Error::Io`], [`Error::Cancelled`].
pub fn salvage(
    archive: &mut (dyn Read + Send),
    out: &mut dyn Write,
    form: SegmentForm,
    threads: usize,
    hooks: &mut dyn Hooks,
) -> Result<Vec<SourceInfo>, Error> {
    let mut reader = ArchiveReader::passing(archive, OnDamage::Salvage);
    let buffers = Buffers {
        travel: threads != 1,
        ..Buffers::default()
    };
    let mut run = SalvageRun {
        out,
        hooks,
        form,
        buffers: &buffers,
        segment: SegmentSums::default(),
        head: None,
        number: 0,
        continues_text: false,
        sources: Vec::new(),
    };
    walk_parts(
        &mut reader,
        threads,
        |head, stored, _, _| SavedBlock::new(head, std::mem::take(stored), form, &buffers),
        |part, place| run.take(part, &place),
    )?;
    Ok(run.sources)
}

impl SavedBlock {
    /// Decodes the block, and brings it into the form that is written.
    fn new(
        head: &mut BlockHead,
        mut stored: Vec<u8>,
        form: SegmentForm,
        buffers: &Buffers,
    ) -> Self {
        let is_other = !has_form(head, form);
        let mut other = None;
        let decoded = records(head, &stored).and_then(|records| {
            let decoded = decode(head, &records, Depth::Text, None, buffers)?;
            other = is_other.then(|| records.into_owned());
            Ok(decoded)
        });
        if let Some(records) = other {
            stored = recoded(head, &records, form);
        }
        SavedBlock { stored, decoded }
    }
}

/// The stored bytes of a block with these records in this form; changes its head accordingly.
fn recoded(head: &mut BlockHead, records: &[u8], form: SegmentForm) -> Vec<u8> {
    head.crc = crc32fast::hash(records);
    let mut bytes = Vec::new();
    // The last way codes nothing, and cannot fail.
    store(&mut bytes, head, records, form, |mut bytes| {
        take_block(&mut bytes).is_some_and(|(_, again)| again == records)
    });
    let stored = usize::try_from(head.stored()).unwrap_or(usize::MAX);
    bytes.split_off(bytes.len() - stored.min(bytes.len()))
}

/// The writing side.
struct SalvageRun<'a> {
    out: &'a mut dyn Write,
    hooks: &'a mut dyn Hooks,
    form: SegmentForm,
    /// Takes the stored bytes and the texts of blocks that are written.
    buffers: &'a Buffers,
    segment: SegmentSums,
    /// The head of the segment, as long as it is not written; and whether it was found.
    head: Option<(SegmentHead, bool)>,
    /// The number of the next block of the segment.
    number: u64,
    /// Whether the block before ends in pieces of a game that became text outside games.
    continues_text: bool,
    sources: Vec<SourceInfo>,
}

impl SalvageRun<'_> {
    /// Writes the next part.
    fn take(&mut self, part: Part<SavedBlock>, place: &PartPlace) -> Result<(), Error> {
        match part {
            Part::Block(head, block, at) => self.block(head, block, at, place)?,
            Part::Head(head) => {
                self.segment = SegmentSums::new(head.clone(), place.begin, None);
                self.head = Some((head, !place.record.is_empty()));
                (self.number, self.continues_text) = (0, false);
            }
            Part::Tail(tail) => self.tail(&tail, place)?,
            Part::NoTail => {
                let tail = self.segment.tail();
                let info = self.segment.info_without_tail(&tail, place.end);
                self.end(&tail, info, &[])?;
            }
            Part::Gap(gap) => self.gap(&gap),
            Part::Gaps(gaps) => gaps.iter().for_each(|gap| self.hooks.gap(gap)),
        }
        Ok(())
    }

    fn block(
        &mut self,
        mut head: Box<BlockHead>,
        block: SavedBlock,
        at: u64,
        place: &PartPlace,
    ) -> Result<(), Error> {
        let is_behind_gap = self.segment.behind_gap;
        let (mut stored, decoded) = (block.stored, block.decoded);
        let followed = decoded.and_then(|decoded| self.segment.follow(&decoded).map(|()| decoded));
        let decoded = match followed {
            Ok(decoded) => decoded,
            Err(wrong) => {
                let error = damage(wrong, &head, at, place.games);
                let gap = self.segment.gap_of(&head, place, error);
                self.gap(&gap);
                self.hooks.gap(&gap);
                return Ok(());
            }
        };
        self.mend(&mut head, &mut stored, &decoded, is_behind_gap)?;
        self.put_head()?;
        head.number = self.number;
        let mut bytes = Vec::new();
        head.put(&mut bytes);
        self.out.write_all(&bytes)?;
        self.out.write_all(&stored)?;
        self.segment.add(&head, &decoded, Depth::Text);
        self.number += 1;
        self.hooks.progress(stored.len() as u64);
        self.buffers.texts.give(decoded.source);
        Ok(())
    }

    /// Makes text that goes on from a lost block begin here.
    fn mend(
        &mut self,
        head: &mut BlockHead,
        stored: &mut Vec<u8>,
        decoded: &DecodedBlock,
        is_behind_gap: bool,
    ) -> Result<(), Error> {
        let first = decoded.first.map(|first| first.kind);
        let goes_on = std::mem::take(&mut self.continues_text)
            && first == Some(UnitKind::Piece(true))
            && !is_behind_gap;
        let begins =
            is_behind_gap && matches!(first, Some(UnitKind::Piece(true) | UnitKind::Stray(true)));
        if !goes_on && !begins {
            return Ok(());
        }
        // The records were decoded before without an error.
        let records = records(head, stored)
            .map_err(|damage| io::Error::new(io::ErrorKind::InvalidData, damage.what))?;
        let (mended, all) = mended(&records, goes_on);
        *stored = recoded(head, &mended, self.form);
        self.continues_text = all;
        Ok(())
    }

    fn gap(&mut self, gap: &Gap) {
        if !gap.is_harmless() {
            (self.segment.damaged, self.segment.behind_gap) = (true, true);
        }
    }

    fn tail(&mut self, tail: &SegmentTail, place: &PartPlace) -> Result<(), Error> {
        if !self.segment.damaged {
            match self.segment.finish(tail, place.end, Depth::Text) {
                Ok(info) => return self.end(tail, info, &place.record),
                Err((item, what)) => {
                    let error = Error::damaged(place.begin, place.games, item, what);
                    let gap = self.segment.gap_of_tail(place, error);
                    self.hooks.gap(&gap);
                    self.segment.damaged = true;
                }
            }
        }
        let info = self.segment.info(tail, place.end);
        let left = self.segment.tail();
        self.end(&left, info, &[])
    }

    /// Ends the segment with the record of its tail, or with one for what is left.
    fn end(&mut self, tail: &SegmentTail, info: SourceInfo, record: &[u8]) -> Result<(), Error> {
        // Nothing is left of a segment without head and blocks. What its tail counts is missing.
        let is_lost = self.head.as_ref().is_some_and(|(_, found)| !found);
        if !is_lost || tail.games < info.sum.games {
            self.sources.push(info);
        }
        if is_lost {
            self.head = None;
            return Ok(());
        }
        self.put_head()?;
        let mut record = Cow::Borrowed(record);
        if record.is_empty() {
            tail.put(record.to_mut());
        }
        Ok(self.out.write_all(&record)?)
    }

    fn put_head(&mut self) -> Result<(), Error> {
        if let Some((head, _)) = self.head.take() {
            let mut bytes = Vec::new();
            let form = self.form;
            SegmentHead { form, ..head }.put(&mut bytes);
            self.out.write_all(&bytes)?;
        }
        Ok(())
    }
}

/// The records of a block that begins in the middle of a text, whose beginning is lost or
/// (`goes_on`) has become text outside games: the rest begins here, or goes on, as text outside
/// games. Also returns whether pieces of that game fill the whole block, so that the next block may
/// go on with them.
fn mended(records: &[u8], goes_on: bool) -> (Vec<u8>, bool) {
    // Offsets in a private escape: of its letter, and of the first byte of its data.
    const LETTER: usize = 6;
    const FIRST: usize = 7;
    let mut out = records.to_vec();
    let (mut at, mut open, mut pieces) = (0, false, false);
    let mut flag = u8::from(goes_on);
    while let Some(len) = record_len(&records[at..]) {
        let escape = match take_record(&mut &records[at..]) {
            Ok(Record::Escape(payload)) => private(payload),
            Ok(Record::Noop) => {
                at += len;
                continue;
            }
            Ok(_) => None,
            Err(_) => break,
        };
        let Some(escape) = escape else {
            return (out, false);
        };
        let begins = !std::mem::replace(&mut open, escape.continues);
        let is_rest = !begins || escape.data.first() == Some(&1);
        match escape.kind {
            EscapeKind::Stray if at == 0 && is_rest => {
                out[at + FIRST] = 0;
                return (out, false);
            }
            EscapeKind::Piece if is_rest => {
                pieces = true;
                if begins {
                    out[at + FIRST] = std::mem::replace(&mut flag, 1);
                }
                out[at + LETTER] = if escape.continues { b's' } else { b'S' };
            }
            _ => return (out, false),
        }
        at += len;
    }
    (out, pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgc_pgn::records::private::{MAX_PIECE, put_private};

    #[test]
    fn the_rest_of_a_game_becomes_text_outside_games() {
        let long = [&[1][..], &vec![b'x'; MAX_PIECE]].concat();
        let mut records = Vec::new();
        put_private(&mut records, EscapeKind::Piece, &long);
        put_private(&mut records, EscapeKind::Piece, b"\x01end");
        let mut expected = Vec::new();
        put_private(
            &mut expected,
            EscapeKind::Stray,
            &[&[0], &long[1..]].concat(),
        );
        put_private(&mut expected, EscapeKind::Stray, b"\x01end");
        assert_eq!(mended(&records, false), (expected.clone(), true));
        put_private(&mut records, EscapeKind::Piece, b"\x00new");
        put_private(&mut expected, EscapeKind::Piece, b"\x00new");
        assert_eq!(mended(&records, false), (expected, false));
        let mut stray = Vec::new();
        put_private(&mut stray, EscapeKind::Stray, b"\x01words");
        let mut expected = Vec::new();
        put_private(&mut expected, EscapeKind::Stray, b"\x00words");
        assert_eq!(mended(&stray, false), (expected, false));
    }
}
