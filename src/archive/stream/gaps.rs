//! Counts what is found and what is missing in a damaged archive.

use std::ops::Range;

use crate::run::{Error, Gap, SegmentForm};
use crate::stream::head::SegmentTail;
use pgc_block::head::{BlockHead, MAX_SOURCE};
use pgc_pgn::source_text::SourceText;

/// The number of gaps that wait for the end of their segment; a segment with more is reported in
/// portions.
const HELD: usize = 4096;

/// Counts of blocks, games, plies, and bytes of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub blocks: u64,
    pub games: u64,
    pub plies: u64,
    pub bytes: u64,
}

impl Amount {
    pub(super) fn from_head(head: &BlockHead) -> Amount {
        Amount {
            blocks: 1,
            games: head.games,
            plies: head.plies,
            bytes: head.source,
        }
    }

    fn add(&mut self, more: Amount) {
        // The counts of heads may be forged and overflow.
        self.blocks = self.blocks.saturating_add(more.blocks);
        self.games = self.games.saturating_add(more.games);
        self.plies = self.plies.saturating_add(more.plies);
        self.bytes = self.bytes.saturating_add(more.bytes);
    }

    /// What is left of the counts of a tail; `None` if the tail counts less.
    fn rest(self, tail: &SegmentTail) -> Option<Amount> {
        Some(Amount {
            blocks: tail.blocks.checked_sub(self.blocks)?,
            games: tail.games.checked_sub(self.games)?,
            plies: tail.plies.checked_sub(self.plies)?,
            bytes: tail.source.checked_sub(self.bytes)?,
        })
    }
}

/// Whether so many blocks can hold so many games and bytes of source: a game takes a byte at least.
pub(crate) fn can_be_missing(blocks: u64, games: u64, bytes: u64) -> bool {
    games <= bytes && bytes <= blocks.saturating_mul(MAX_SOURCE)
}

/// The form of the blocks of a segment, and what their text is.
pub(super) type BlockForms = (SegmentForm, SourceText);

/// A count of a tail that contradicts the heads of its blocks, or the tail itself; and both counts,
/// as text.
pub(super) type Misfit = (&'static str, String);

/// What is missing in a gap.
#[derive(Clone, Copy, Debug)]
pub(super) enum Missing {
    /// This amount.
    Known(Amount),
    /// Blocks whose heads are lost; their number, if it is known.
    Unknown(Option<u64>),
}

/// A segment that has begun and not ended.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenSegment {
    pub form: BlockForms,
    /// `None`: its head is lost.
    name: Option<String>,
    /// The number of the next block.
    pub number: u64,
    /// What was found, and what is known to be lost.
    known: Amount,
    /// The number of gaps whose losses are unknown.
    unknown: usize,
    /// The gaps so far, and `known` before each.
    gaps: Vec<(Gap, Amount)>,
    /// Whether gaps were reported already.
    reported: bool,
}

/// The counts of an archive, up to where it has been read.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    pub segment: Option<OpenSegment>,
    /// Games in the segments before.
    games: u64,
    /// Whether damage leaves it open how many games there were.
    is_open: bool,
}

impl OpenSegment {
    /// What the tail counts besides what is known; `None` if it counts less, or more than can be
    /// missing.
    fn rest(&self, tail: &SegmentTail) -> Option<Amount> {
        let rest = self.known.rest(tail)?;
        let nothing = self.unknown == 0 && rest != Amount::default();
        // A tail that does not fit although nothing is missing before it does not get here.
        let is_told = self.gaps.is_empty() && !self.reported;
        let can_be = can_be_missing(rest.blocks, rest.games, rest.bytes);
        (is_told || (can_be && !nothing)).then_some(rest)
    }
}

impl Ledger {
    pub(super) fn begin(&mut self, form: BlockForms, name: Option<String>) {
        self.segment = Some(OpenSegment {
            form,
            name,
            ..OpenSegment::default()
        });
    }

    /// A block was found, with the number that was expected.
    pub(super) fn block(&mut self, head: &BlockHead) {
        if let Some(segment) = &mut self.segment {
            segment.number = head.number.saturating_add(1);
            segment.known.add(Amount::from_head(head));
        }
    }

    /// The number of games before this place, as far as it is known.
    pub(super) fn games(&self) -> u64 {
        let here = self.segment.as_ref().map_or(0, |open| open.known.games);
        self.games.saturating_add(here)
    }

    /// Notes a gap, and what is missing. Also returns the gaps to be reported now: a gap outside
    /// segments, or the gaps of a segment with too many.
    pub(super) fn gap(
        &mut self,
        bytes: Range<u64>,
        error: Error,
        missing: Missing,
    ) -> (Gap, Option<Vec<Gap>>) {
        let segment = self.segment.as_ref();
        let exact = segment.filter(|open| open.unknown == 0);
        let is_exact = !self.is_open && (segment.is_none() || exact.is_some());
        let mut gap = Gap {
            name: segment.and_then(|open| open.name.clone()),
            blocks: None,
            games: None,
            bytes: None,
            game: is_exact.then(|| self.games().saturating_add(1)),
            at: exact.map(|open| open.known.bytes),
            ..Gap::new(error, bytes.start..bytes.end.max(bytes.start), 0)
        };
        match missing {
            Missing::Known(amount) => gap.lose(amount),
            Missing::Unknown(blocks) => gap.blocks = blocks,
        }
        let Some(open) = &mut self.segment else {
            self.is_open |= matches!(missing, Missing::Unknown(_));
            return (gap.clone(), Some(vec![gap]));
        };
        open.gaps.push((gap.clone(), open.known));
        match missing {
            Missing::Known(amount) => open.known.add(amount),
            Missing::Unknown(_) => open.unknown += 1,
        }
        let full = (open.gaps.len() >= HELD).then(|| {
            open.reported = true;
            open.gaps.drain(..).map(|(gap, _)| gap).collect()
        });
        (gap, full)
    }

    /// Whether this tail can be that of the segment.
    pub(super) fn fits(&self, tail: &SegmentTail) -> bool {
        let open = self.segment.as_ref();
        open.is_some_and(|open| open.number <= tail.blocks && open.rest(tail).is_some())
    }

    /// Why this tail is not that of the segment, where all heads of its blocks are known.
    pub(super) fn misfit(&self, tail: &SegmentTail) -> Option<Misfit> {
        let open = self.segment.as_ref().filter(|open| open.unknown == 0)?;
        let kinds = tail.whole.saturating_add(tail.tails);
        let kinds = kinds.saturating_add(tail.text);
        let counts = [
            ("games of the tail", tail.games, open.known.games),
            ("plies of the tail", tail.plies, open.known.plies),
            ("source length of the tail", tail.source, open.known.bytes),
            ("kinds of games in the tail", tail.games, kinds),
        ];
        let mut wrong = counts.into_iter().filter(|(_, told, found)| told != found);
        let (item, told, found) = wrong.next()?;
        Some((item, format!("{told}, found {found}")))
    }

    /// The segment ends, with its tail if that is there. Returns its gaps.
    pub(super) fn end(&mut self, tail: Option<&SegmentTail>) -> Vec<Gap> {
        let Some(open) = self.segment.take() else {
            return Vec::new();
        };
        let before = self.games;
        let Some((tail, rest)) = tail.and_then(|tail| Some((tail, open.rest(tail)?))) else {
            self.games = before.saturating_add(open.known.games);
            self.is_open = true;
            return open.gaps.into_iter().map(|(gap, _)| gap).collect();
        };
        self.games = before.saturating_add(tail.games);
        let resolves = open.unknown == 1 && !open.reported;
        let mut behind = false;
        let gaps = open.gaps.into_iter().map(|(mut gap, known)| {
            if resolves && behind {
                gap.at = Some(known.bytes.saturating_add(rest.bytes));
                let games = known.games.saturating_add(rest.games);
                let exact = before.saturating_add(games).saturating_add(1);
                gap.game = (!self.is_open).then_some(exact);
            }
            if resolves && gap.games.is_none() {
                behind = true;
                gap.lose(rest);
            }
            gap
        });
        gaps.collect()
    }
}

impl Gap {
    fn lose(&mut self, amount: Amount) {
        self.blocks = Some(amount.blocks);
        self.games = Some(amount.games);
        self.bytes = Some(amount.bytes);
    }
}
