//! Reads an archive from beginning to end: heads, blocks, tails, and what damage has left of them.

use std::collections::VecDeque;
use std::io::{self, Read, Seek};

use crate::run::{Error, Gap, Hooks, SegmentForm};
use crate::stream::frame::{BEFORE, FrameRecord, UNDECIDED, escape_len, frame_error, frame_record};
use crate::stream::gaps::{Amount, BlockForms, Ledger, Missing};
use crate::stream::head::{SegmentHead, SegmentTail};
use crate::stream::lookahead::Lookahead;
use pgc_block::head::{BlockHead, HeadError};
use pgc_block::small::stored::check_stored;
use pgc_pgn::records::Marker;
use pgc_pgn::records::private::{EscapeKind, UNFINISHED, is_unfinished, private};
use pgc_pgn::source_text::SourceText;

mod resync;

/// A part of an archive with the bytes that are stored behind heads of blocks, whose checksums are
/// right.
pub type ArchivePart = Part<Vec<u8>>;

/// A part of an archive.
#[derive(Debug)]
pub enum Part<B> {
    /// A segment begins.
    Head(SegmentHead),
    /// A block: its head, the bytes stored behind it or what was made of them, and their offset in
    /// the archive.
    Block(Box<BlockHead>, B, u64),
    /// A segment ends.
    Tail(SegmentTail),
    /// Damage was passed over. What is missing may be known only at the end of the segment.
    Gap(Box<Gap>),
    /// All gaps of a segment again, at its end, before its tail.
    Gaps(Vec<Gap>),
    /// A segment ends whose tail is lost.
    NoTail,
}

/// What to do about damage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDamage {
    /// Stop.
    #[default]
    Stop,
    /// Pass over it: `ArchivePart::Gap`.
    Pass,
    /// Also look for blocks behind an unfinished addition.
    Salvage,
}

impl OnDamage {
    /// Whether to pass over it.
    pub(crate) fn passing(is_passed: bool) -> OnDamage {
        match is_passed {
            true => OnDamage::Pass,
            false => OnDamage::Stop,
        }
    }
}

/// Reads the parts of an archive in order, and checks that heads, blocks and tails follow each
/// other as they must. Damage is an error, or is passed over: then the reader looks for the next
/// head, block head or tail whose checksum is right, byte by byte. Private data hold no LF, so
/// nothing in a block looks like such a record by chance (spec/damage.md, section 3).
#[derive(Debug, Default)]
pub struct ArchiveReader<R> {
    ahead: Lookahead<R>,
    state: ReaderState,
}

/// What an [`ArchiveReader`] knows besides the bytes.
#[derive(Debug, Default)]
struct ReaderState {
    on_damage: OnDamage,
    ledger: Ledger,
    /// The offset of the record of the last part returned.
    begin: u64,
    /// The offset behind the last part found.
    end: u64,
    /// Where passed bytes without a part begin, and the error there: reported with the next part.
    junk: Option<(u64, Error)>,
    /// The number of complete segments read.
    segments: u64,
    /// Segments without a head so far.
    nameless: u64,
    /// The offset of an unfinished addition.
    unfinished: Option<u64>,
    /// The bytes of that record; none if it is lost.
    record: Vec<u8>,
    /// The buffer for the stored bytes of the next block.
    stored: Vec<u8>,
    /// Parts found, to be returned next.
    ready: VecDeque<ArchivePart>,
    /// The number of bytes checked: see [`ArchiveReader::afford`].
    spent: u64,
    /// The offset of the stored bytes of the last block, if they were skipped.
    skipped: Option<u64>,
}

/// How to get past the stored bytes of a block.
struct Pass<R> {
    /// Reads and checks them, or skips them.
    stored: fn(&mut ArchiveReader<R>, &BlockHead) -> Result<Vec<u8>, Error>,
    /// If nothing is behind skipped bytes, goes back to their beginning.
    rewind: fn(&mut ArchiveReader<R>, u64) -> io::Result<()>,
}

/// Why there is no next part.
enum NoPart {
    /// Reading failed, or a newer pgc wrote it.
    Fatal(Error),
    /// No frame record is here.
    Unreadable(Error),
    /// A frame record is here that must not come next.
    Misplaced(Error, Box<FrameRecord>),
    /// The bytes stored behind this head are damaged.
    Block(Error, Box<BlockHead>),
    /// The archive ends within a segment.
    End(Error),
}

impl From<io::Error> for NoPart {
    fn from(error: io::Error) -> NoPart {
        NoPart::Fatal(error.into())
    }
}

/// The number of bytes to read at once if all are needed, and if only heads are.
const CHUNK: usize = 1 << 16;
const CHUNK_OF_HEADS: usize = 1 << 12;

/// Whether a stream with these first bytes is an archive made by pgc, no-operation bytes aside.
/// `None`: more bytes are needed.
pub fn is_archive(begin: &[u8]) -> Option<bool> {
    let noops = begin.iter().position(|&b| b != Marker::Noop.byte())?;
    let record = &begin[noops..];
    if record[0] != Marker::Escape.byte() {
        return Some(false);
    }
    let begin = record.get(BEFORE..BEFORE + 4)?;
    // A shorter escape-string ends before the letter.
    let is_long = escape_len(record)? >= BEFORE + 4;
    Some(is_long && private(begin).is_some_and(|private| private.kind == EscapeKind::Head))
}

impl<R: Read> ArchiveReader<R> {
    /// Starts at the beginning of an archive.
    pub fn new(inner: R) -> ArchiveReader<R> {
        ArchiveReader::passing(inner, OnDamage::Stop)
    }

    /// As [`ArchiveReader::new`], with something to do about damage.
    pub fn passing(inner: R, on_damage: OnDamage) -> ArchiveReader<R> {
        ArchiveReader::with(inner, CHUNK, on_damage)
    }

    /// For a reader that skips what blocks store: [`ArchiveReader::next_head`].
    pub fn for_heads(inner: R, on_damage: OnDamage) -> ArchiveReader<R> {
        ArchiveReader::with(inner, CHUNK_OF_HEADS, on_damage)
    }

    fn with(inner: R, chunk: usize, on_damage: OnDamage) -> ArchiveReader<R> {
        ArchiveReader {
            ahead: Lookahead::new(inner, chunk, 0),
            state: ReaderState {
                on_damage,
                ..ReaderState::default()
            },
        }
    }

    /// Continues at the offset of this reader with another `inner` reader of the same bytes, which
    /// is at that offset too. Bytes that were read ahead are read again.
    pub(crate) fn over<Q: Read>(self, inner: Q) -> ArchiveReader<Q> {
        debug_assert!(self.state.ready.is_empty() || self.state.unfinished.is_none());
        ArchiveReader {
            ahead: Lookahead::new(inner, CHUNK_OF_HEADS, self.ahead.offset()),
            state: self.state,
        }
    }

    /// Gives back an empty buffer, which the next block will use.
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        self.state.stored = buffer;
    }

    /// Returns the next part; `None` at the end, or where an [unfinished
    /// addition](ArchiveReader::unfinished) begins.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Version`], [`Error::TrialForm`], [`Error::Io`].
    pub fn next_part(&mut self) -> Result<Option<ArchivePart>, Error> {
        self.next(&Pass {
            stored: ArchiveReader::read_stored,
            rewind: |_, _| Ok(()),
        })
    }

    /// The offset of the unfinished addition that ended the reading, if any: for readers, the
    /// archive ends there (extension.md 3.1).
    pub fn unfinished(&self) -> Option<u64> {
        self.state.unfinished
    }

    /// The end of the archive, to which all was read. Skips an unfinished addition behind it and
    /// tells `hooks` of it.
    pub(crate) fn finish(&mut self, hooks: &mut dyn Hooks) -> io::Result<u64> {
        let Some(end) = self.state.unfinished else {
            return Ok(self.offset());
        };
        self.ahead.drain()?;
        hooks.unfinished(end, self.offset() - end);
        Ok(end)
    }

    /// The offset of the record of the last part returned; for a block, that of its head.
    pub fn begin(&self) -> u64 {
        self.state.begin
    }

    /// The bytes of that record; none if it is lost.
    pub fn record(&self) -> &[u8] {
        &self.state.record
    }

    /// The number of bytes read or skipped.
    pub fn offset(&self) -> u64 {
        self.ahead.offset()
    }

    /// The number of games before this place, those included that are known to be missing.
    pub fn games(&self) -> u64 {
        self.state.ledger.games()
    }

    fn next(&mut self, pass: &Pass<R>) -> Result<Option<ArchivePart>, Error> {
        loop {
            if let Some(part) = self.state.ready.pop_front() {
                return Ok(Some(part));
            }
            match self.step(pass) {
                Ok(Some(part)) => self.state.ready.push_back(part),
                Ok(None) if self.state.ready.is_empty() => return Ok(None),
                Ok(None) => {}
                Err(NoPart::Fatal(error)) => return Err(error),
                Err(NoPart::End(error)) if self.state.on_damage == OnDamage::Stop => {
                    return Err(self.cut_block(pass)?.unwrap_or(error));
                }
                Err(
                    NoPart::Unreadable(error)
                    | NoPart::Misplaced(error, _)
                    | NoPart::Block(error, _),
                ) if self.state.on_damage == OnDamage::Stop => return Err(error),
                Err(NoPart::Unreadable(error)) => self.pass_junk(error, pass)?,
                Err(NoPart::Misplaced(error, frame)) => self.adapt(error, &frame),
                Err(NoPart::Block(error, head)) => self.pass_block(error, &head)?,
                Err(NoPart::End(error)) => {
                    self.tell(self.offset(), Some(error), Missing::Unknown(None));
                    self.close(None);
                    self.state.ready.push_back(ArchivePart::NoTail);
                }
            }
        }
    }

    /// The part that begins here, if it is whole and the one that must come next.
    fn step(&mut self, pass: &Pass<R>) -> Result<Option<ArchivePart>, NoPart> {
        if self.state.unfinished.is_some() {
            return Ok(None);
        }
        if !self.pass_noops()? {
            if self.state.ledger.segment.is_some() {
                let what = "is missing: the archive ends early";
                return Err(NoPart::End(Error::damaged(self.offset(), 0, "tail", what)));
            }
            self.tell(self.offset(), None, Missing::Unknown(None));
            return Ok(None);
        }
        let begin = self.offset();
        if self.state.ledger.segment.is_none()
            && self.state.segments > 0
            && self.state.on_damage != OnDamage::Salvage
            && self.ahead.rest()[0] == UNFINISHED[0]
            && is_unfinished(self.ahead.fill(UNFINISHED.len())?)
        {
            self.state.unfinished = Some(begin);
            return Ok(None);
        }
        self.read_record(begin)?;
        let frame = self.frame(begin)?;
        self.ahead.pass(self.state.record.len());
        self.state.skipped = None;
        let missing = match frame {
            FrameRecord::Head(_) => Missing::Unknown(None),
            _ => Missing::Known(Amount::default()),
        };
        self.tell(begin, None, missing);
        let part = match frame {
            FrameRecord::Head(head) => {
                let name = Some(head.name.clone());
                self.state.ledger.begin((head.form, head.text), name);
                ArchivePart::Head(head)
            }
            FrameRecord::Block(head) => {
                let at = self.offset();
                self.state.begin = begin;
                let stored = (pass.stored)(self, &head).map_err(|error| match error {
                    error @ Error::Damaged { .. } => NoPart::Block(error, head.clone()),
                    error => NoPart::Fatal(error),
                })?;
                self.state.ledger.block(&head);
                ArchivePart::Block(head, stored, at)
            }
            FrameRecord::Tail(tail) => {
                self.state.segments += 1;
                match self.state.ledger.misfit(&tail) {
                    None => {
                        self.close(Some(&tail));
                        ArchivePart::Tail(tail)
                    }
                    Some((item, what)) => {
                        let error = Error::damaged(begin, 0, item, what);
                        self.tell_at(begin..self.offset(), error, missing);
                        self.close(None);
                        ArchivePart::NoTail
                    }
                }
            }
        };
        (self.state.begin, self.state.end) = (begin, self.offset());
        Ok(Some(part))
    }

    /// Passes noops; `false` at the end of the archive.
    fn pass_noops(&mut self) -> io::Result<bool> {
        loop {
            let rest = self.ahead.fill(1)?;
            let noops = rest.iter().take_while(|&&b| b == Marker::Noop.byte());
            let (noops, all) = (noops.count(), rest.len());
            self.ahead.pass(noops);
            if noops < all || all == 0 {
                return Ok(all > 0);
            }
        }
    }

    /// Reads the escape-string that begins here, without passing it.
    fn read_record(&mut self, begin: u64) -> Result<(), NoPart> {
        let unreadable = |item, what| NoPart::Unreadable(Error::damaged(begin, 0, item, what));
        let cut = || unreadable("escape-string", "is cut off: the archive ends here");
        let expected = self.expected();
        let bytes = self.ahead.fill(UNDECIDED)?;
        if bytes[0] != Marker::Escape.byte() {
            let what = match bytes.starts_with(b"\r\n") {
                true => {
                    "is missing: if the archive was sent as text, which makes CR LF of each LF, send it again in binary mode"
                }
                false => MISPLACED,
            };
            return Err(unreadable(expected, what));
        }
        let length = escape_len(bytes).ok_or_else(cut)?;
        let record = self.ahead.fill(length)?.get(..length).ok_or_else(cut)?;
        self.state.record.clear();
        self.state.record.extend_from_slice(record);
        Ok(())
    }

    fn read_stored(&mut self, block: &BlockHead) -> Result<Vec<u8>, Error> {
        let begin = self.offset();
        if !self.afford(block.stored()) {
            return Err(Error::damaged(begin, 0, "block", TOO_MANY));
        }
        let mut bytes = std::mem::take(&mut self.state.stored);
        let stored = usize::try_from(block.stored()).map_err(io::Error::other)?;
        let rest = self.ahead.fill(stored)?;
        let wrong = match rest.get(..stored).map(|stored| check_stored(block, stored)) {
            Some(Ok(())) => {
                self.ahead.take(stored, &mut bytes);
                return Ok(bytes);
            }
            None => (0, "is cut off: the archive ends here".to_owned()),
            Some(Err(wrong)) => wrong,
        };
        self.state.stored = bytes;
        Err(Error::damaged(begin + wrong.0, 0, "block", wrong.1))
    }
}

impl<R> ArchiveReader<R> {
    /// The frame record that was read last, if it is the one that must come next.
    fn frame(&self, begin: u64) -> Result<FrameRecord, NoPart> {
        let damaged = |item, what| Error::damaged(begin, 0, item, what);
        let missing = || damaged(self.expected(), MISPLACED.to_owned());
        let Some((kind, frame)) = frame_record(&self.state.record[BEFORE..]) else {
            return Err(NoPart::Unreadable(missing()));
        };
        let segment = self.state.ledger.segment.as_ref();
        // A head must come next outside segments, and only there.
        let is_in_place = (kind == EscapeKind::Head) == segment.is_none();
        let frame = match frame {
            Ok(frame) if is_in_place => frame,
            Ok(frame) => return Err(NoPart::Misplaced(missing(), Box::new(frame))),
            Err(fault @ (HeadError::Version(_) | HeadError::TrialForm, _))
                if segment.is_none() && self.state.on_damage != OnDamage::Salvage =>
            {
                return Err(NoPart::Fatal(frame_error(begin, fault)));
            }
            Err((error, item)) if is_in_place => {
                return Err(NoPart::Unreadable(damaged(item, error.to_string())));
            }
            Err(_) => return Err(NoPart::Unreadable(missing())),
        };
        let Some(open) = segment else {
            return Ok(frame);
        };
        let number = open.number;
        let (item, what) = match &frame {
            FrameRecord::Block(head) if form_of(head) != open.form => {
                ("block head", HeadError::Malformed.to_string())
            }
            FrameRecord::Block(head) if head.number != number => (
                "block head",
                format!("is number {}, not {number}", head.number),
            ),
            FrameRecord::Tail(tail) if tail.blocks != number => (
                "tail",
                format!("counts {} blocks, not {number}", tail.blocks),
            ),
            FrameRecord::Tail(tail) if self.state.on_damage == OnDamage::Stop => {
                return match self.state.ledger.misfit(tail) {
                    Some((item, what)) => Err(NoPart::Unreadable(damaged(item, what))),
                    None => Ok(frame),
                };
            }
            _ => return Ok(frame),
        };
        Err(NoPart::Misplaced(damaged(item, what), Box::new(frame)))
    }

    /// The kind of record that must come next.
    fn expected(&self) -> &'static str {
        match self.state.ledger.segment {
            Some(_) => "block head",
            None => "head",
        }
    }
}

/// What is wrong where a record of another kind must be.
const MISPLACED: &str = "is missing: another record is in its place";

/// What is wrong with a block that is not read.
const TOO_MANY: &str = "is not looked at: there are too many false heads before it";

/// The form of segments that have such blocks.
fn form_of(head: &BlockHead) -> BlockForms {
    let form = match head.streams {
        Some(_) => SegmentForm::Small,
        None => SegmentForm::Plain,
    };
    let text = match (head.style.epd, head.style.letters) {
        (true, _) => SourceText::Epd,
        (false, Some(letters)) => SourceText::Letters(letters),
        (false, None) => SourceText::Pgn,
    };
    (form, text)
}

impl<R: Read + Seek> ArchiveReader<R> {
    /// As [`next_part`](ArchiveReader::next_part), but the stored bytes of a block are
    /// skipped unchecked, and returned empty.
    ///
    /// # Errors
    /// [`Error::Damaged`], [`Error::Version`], [`Error::TrialForm`], [`Error::Io`].
    pub fn next_head(&mut self) -> Result<Option<ArchivePart>, Error> {
        self.next(&Pass {
            stored: ArchiveReader::skip_stored,
            rewind: |reader, offset| reader.ahead.go_to(offset),
        })
    }

    fn skip_stored(&mut self, block: &BlockHead) -> Result<Vec<u8>, Error> {
        if !self.afford(block.stored()) {
            return Err(Error::damaged(self.offset(), 0, "block", TOO_MANY));
        }
        self.state.skipped = Some(self.ahead.offset());
        // Seeking past the end succeeds; reading the next part then finds the end.
        self.ahead.skip(block.stored())?;
        Ok(Vec::new())
    }
}
