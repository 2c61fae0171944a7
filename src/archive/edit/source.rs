//! The text of a source with its games changed.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc::Sender;

use crate::edit::plan::{EditPlan, PartStart, PlannedSegment};
use crate::edit::text::edited;
use crate::run::{Error, Summary};
use pgc_block::cut::Blocks;
use pgc_pgn::split::{Unit, UnitKind};
use pgc_pgn::tag::{BOM, is_space, leading};

/// Reads a source, with the changes of a plan.
pub(super) struct EditedSource<'s> {
    blocks: Blocks<'s>,
    plan: &'s EditPlan,
    segment: &'s PlannedSegment,
    /// The games that change (from 0, ascending), of those that have not been read.
    changed: &'s [u32],
    /// The number of the next game in the archive, from 0.
    next: u64,
    /// Whether the last game read is deleted, with all its pieces.
    deletes: bool,
    /// Whether the last text that was not ASCII was Latin-1.
    latin1: bool,
    begun: bool,
    /// Bytes of text outside games.
    outside: u64,
    /// Bytes of the byte order mark, if its game is deleted: it may count as text outside games.
    mark: u64,
    /// Bytes passed on, and whether the last of them are text outside games.
    passed: u64,
    in_text: bool,
    /// Receives where each part should begin.
    starts: Option<Sender<PartStart>>,
    /// Text that has been made but not read.
    made: VecDeque<u8>,
}

impl<'s> EditedSource<'s> {
    /// Starts at the beginning of the source of a segment. `starts` receives where the games, and the
    /// text outside them, should begin.
    pub(super) fn new(
        source: &'s mut (dyn Read + Send),
        plan: &'s EditPlan,
        segment: &'s PlannedSegment,
        starts: Option<Sender<PartStart>>,
    ) -> EditedSource<'s> {
        EditedSource {
            blocks: Blocks::new(source, segment.head.text),
            plan,
            segment,
            changed: plan.changed(segment),
            next: segment.first,
            deletes: false,
            latin1: false,
            begun: false,
            outside: 0,
            mark: 0,
            passed: 0,
            in_text: false,
            starts,
            made: VecDeque::new(),
        }
    }

    /// Checks, at the end of the text, that it had the games of the segment, and that the packed
    /// source has the same games, less those deleted, and the same amount of text outside them.
    /// Returns `false` if games of the packed source run together.
    ///
    /// # Errors
    /// [`Error::Io`]: the text has other games.
    pub(super) fn check(&self, packed: &Summary) -> Result<bool, Error> {
        let games = self.next - self.segment.first;
        let deleted = match self.plan.edits.deletes() {
            true => self.plan.changed(self.segment).len() as u64,
            false => 0,
        };
        let outside = self.outside..=self.outside + self.mark;
        if games != self.segment.tail.games {
            let what = "the text of a source has other games than its records";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what).into());
        }
        Ok(packed.games + deleted == games && outside.contains(&packed.stray_bytes))
    }

    fn pass(&mut self, text: &[u8], unit: &Unit) -> Result<(), Error> {
        if !text.is_ascii() {
            let is_utf8 = self.segment.head.encoding.is_some() || std::str::from_utf8(text).is_ok();
            self.latin1 = !is_utf8;
        }
        let mut changes = false;
        match unit.kind {
            UnitKind::Game | UnitKind::Piece(false) => {
                if let Some((&first, rest)) = self.changed.split_first()
                    && u64::from(first) == self.next
                {
                    (self.changed, changes) = (rest, true);
                }
                self.next += 1;
                self.deletes = changes && self.plan.edits.deletes();
            }
            UnitKind::Stray(_) => {
                self.deletes = false;
                self.outside += text.len() as u64;
            }
            UnitKind::Piece(true) => {}
        }
        // The mark belongs to the source, not to its first game.
        let mark = !std::mem::replace(&mut self.begun, true) && text.starts_with(BOM);
        if self.deletes {
            if mark {
                self.made.extend(BOM);
                self.mark = BOM.len() as u64;
                self.passed = self.mark;
            }
            return Ok(());
        }
        if !changes {
            self.give(text, unit.kind);
            return Ok(());
        }
        let told = |what| {
            let what = format!("game {}: {what}", self.next);
            Error::from(io::Error::new(io::ErrorKind::InvalidData, what))
        };
        let (edits, letters) = (&self.plan.edits, self.segment.head.text.letters());
        let new = edited(edits, text, unit.line_start, self.latin1, letters).map_err(told)?;
        let new = new.ok_or_else(|| told("its text is not what its records say"))?;
        if new.iter().all(|&byte| is_space(byte)) {
            return Err(told("would have no text left: delete it instead"));
        }
        self.give(&new, unit.kind);
        Ok(())
    }

    /// Passes a unit on. White space at its beginning then belongs to what comes before it.
    fn give(&mut self, text: &[u8], kind: UnitKind) {
        let is_first = self.passed == self.mark;
        let blanks = leading(text) as u64;
        let is_text = matches!(kind, UnitKind::Stray(_));
        let goes_on = matches!(kind, UnitKind::Piece(true)) || (self.in_text && is_text);
        if self.in_text && !is_text {
            self.outside += blanks;
        }
        if !goes_on && let Some(starts) = &self.starts {
            let at = if is_first { 0 } else { self.passed + blanks };
            let game = (!is_text).then_some(self.next);
            // Nobody listens any more once a difference is found.
            let _ = starts.send(PartStart { at, game });
        }
        self.in_text = is_text;
        self.passed += text.len() as u64;
        self.made.extend(text);
    }

    /// Reads one more block; `false` at the end.
    fn fill(&mut self) -> Result<bool, Error> {
        let Some(block) = self.blocks.next_block()? else {
            return Ok(false);
        };
        for unit in &block.units {
            self.pass(&block.src[unit.start..unit.end], unit)?;
        }
        self.blocks.recycle(block.src);
        Ok(true)
    }
}

impl Read for EditedSource<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.made.is_empty() && self.fill()? {}
        self.made.read(buf)
    }
}
