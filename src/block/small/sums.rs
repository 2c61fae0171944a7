//! Checksums of groups of games: who decodes some games of a block checks their records by these
//! (spec/small.md section 2.4).

use std::ops::Range;

use crate::head::BlockHead;
use crate::small::moves::RUN;
use pgc_pgn::split::UnitKind;

/// About the bytes of records of a group.
const GROUP: u64 = 8 * 1024;

/// The games of a block in groups, on a walk along its units.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// The games of a group, and of the block.
    size: u64,
    games: u64,
    /// Games that began, and groups that ended or were left out.
    begun: u64,
    done: u64,
    /// The offset in the records at which the open group begins.
    from: usize,
}

impl Groups {
    /// The groups of a block that is written; `None` if it has only one.
    pub(crate) fn from_head(head: &BlockHead) -> Option<Groups> {
        let run = RUN as u64;
        let runs = (GROUP * head.games).checked_div(run * head.records)?;
        Groups::with(head, runs.clamp(1, 255))
    }

    /// Groups of so many runs of moves.
    fn with(head: &BlockHead, runs: u64) -> Option<Groups> {
        let size = runs * RUN as u64;
        (size > 0 && size < head.games).then_some(Groups {
            size,
            games: head.games,
            ..Groups::default()
        })
    }

    /// Takes note of a unit that begins at this offset, or of the end of the block. If a group ends
    /// there, returns the place of its records.
    pub(crate) fn unit(&mut self, kind: Option<UnitKind>, at: usize) -> Option<Range<usize>> {
        let ends = match kind {
            Some(UnitKind::Piece(true)) => false,
            None => true,
            _ => self.begun < self.games && self.begun.is_multiple_of(self.size),
        };
        let ended = (ends && self.begun > self.done * self.size).then(|| {
            self.done += 1;
            std::mem::replace(&mut self.from, at)..at
        });
        self.begun += u64::from(matches!(
            kind,
            Some(UnitKind::Game | UnitKind::Piece(false))
        ));
        ended
    }

    /// The stream, from the records of the block and the places of its groups.
    pub(crate) fn stream(&self, records: &[u8], ended: &[Range<usize>]) -> Option<Vec<u8>> {
        let runs = u8::try_from(self.size / RUN as u64).ok()?;
        let sum = |place: &Range<usize>| sum_of(&records[place.clone()]);
        Some(
            [runs]
                .into_iter()
                .chain(ended.iter().flat_map(sum))
                .collect(),
        )
    }
}

/// The lower half of the CRC-32.
fn sum_of(records: &[u8]) -> [u8; 2] {
    let [a, b, ..] = crc32fast::hash(records).to_le_bytes();
    [a, b]
}

/// The stream of a block that is read.
pub(crate) struct SumReader<'a> {
    groups: Groups,
    sums: &'a [[u8; 2]],
}

impl<'a> SumReader<'a> {
    /// `None` if the stream is not well-formed.
    pub(crate) fn new(head: &BlockHead, stream: &'a [u8]) -> Option<SumReader<'a>> {
        let (&runs, sums) = stream.split_first()?;
        let groups = Groups::with(head, runs.into())?;
        let (sums, rest) = sums.as_chunks();
        let is_whole = rest.is_empty() && sums.len() as u64 == head.games.div_ceil(groups.size);
        is_whole.then_some(SumReader { groups, sums })
    }

    /// Widens a range of games to whole groups, and leaves out the groups before.
    pub(crate) fn begin(&mut self, wanted: &Range<u64>) -> Range<u64> {
        let Groups { size, games, .. } = self.groups;
        self.groups.done = wanted.start / size;
        let end = wanted.end.div_ceil(size).saturating_mul(size);
        self.groups.done * size..end.min(games)
    }

    /// Takes note of a unit that begins behind the decoded records, or of their end; `false` if a
    /// group ends there whose checksum is another.
    pub(crate) fn unit(&mut self, kind: Option<UnitKind>, records: &[u8]) -> bool {
        let group = self.groups.done;
        let Some(place) = self.groups.unit(kind, records.len()) else {
            return true;
        };
        let sum = usize::try_from(group).ok().and_then(|at| self.sums.get(at));
        sum == Some(&sum_of(&records[place])) || cfg!(fuzzing)
    }
}
