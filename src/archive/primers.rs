//! The primers of segments: which blocks get them, and where readers find them (spec/small.md
//! section 11).

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::block::head::BlockHead;
use crate::block::small::primer::{Primer, Priming};
use crate::block::small::stored::primer_in;
use crate::run::Error;

/// The primer that a reader of blocks in their order has met last.
#[derive(Debug, Default)]
pub(crate) struct LastPrimer(Option<Arc<Primer>>);

impl LastPrimer {
    /// Takes note of the primer in a block, if it has one. `stored` are the bytes behind its head,
    /// or the first of them.
    pub(crate) fn see(&mut self, head: &BlockHead, stored: &[u8]) {
        let Some(bytes) = primer_in(head, stored) else {
            return;
        };
        if self.of(head).is_none() {
            self.0 = Some(Arc::new(Primer::new(bytes.to_vec())));
        }
    }

    /// The primer that the block uses or begins, if it was met.
    pub(crate) fn of(&self, head: &BlockHead) -> Option<Arc<Primer>> {
        let named = head.primer()?;
        self.0
            .as_ref()
            .filter(|known| known.crc() == named.crc)
            .map(Arc::clone)
    }
}

/// The number of primers kept. Segments are read in turn, so few are in use at a time.
const KEPT: usize = 4;

/// The primers that a reader of single blocks has met.
#[derive(Debug, Default)]
pub(crate) struct KnownPrimers {
    met: Mutex<MetPrimers>,
    /// The places of all primers; set once a primer was not in its usual place.
    pub places: OnceLock<Vec<PrimerPlace>>,
}

/// Some primers, the latest first.
#[derive(Debug, Default)]
pub(crate) struct MetPrimers(Vec<Arc<Primer>>);

/// The place of a primer in an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PrimerPlace {
    pub crc: u32,
    pub offset: u64,
    pub len: u32,
}

impl KnownPrimers {
    pub(crate) fn met(&self) -> MutexGuard<'_, MetPrimers> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MetPrimers {
    pub(crate) fn get(&mut self, crc: u32) -> Option<Arc<Primer>> {
        let at = self.0.iter().position(|primer| primer.crc() == crc)?;
        self.0[..=at].rotate_right(1);
        self.0.first().map(Arc::clone)
    }

    pub(crate) fn keep(&mut self, primer: Primer) -> Arc<Primer> {
        let primer = Arc::new(primer);
        self.0.insert(0, Arc::clone(&primer));
        self.0.truncate(KEPT);
        primer
    }
}

/// The number of bytes of source that are read before the first block is coded.
const LOOK_AHEAD: u64 = 8 * 1024 * 1024;

/// Every block whose number is a multiple of this has a copy of the primer.
const COPY_EACH: u64 = 64;

/// A last block of fewer bytes of source may be too short to be coded: then the one before it has
/// the last copy.
const SHORT: u64 = 64 * 1024;

/// What is planned for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Planned {
    /// It is the first of a segment of at least `blocks` blocks.
    First { blocks: u64 },
    /// A later one, perhaps with a copy of the primer.
    Later { copy: bool },
}

/// A queue of blocks and other parts. Some are read ahead, to see how many blocks follow.
#[derive(Debug)]
pub(crate) struct Ahead<T> {
    /// Each with the number of bytes of source, if it is a block.
    parts: VecDeque<(T, Option<u64>)>,
    ended: bool,
    /// The error that follows these parts.
    failed: Option<Error>,
    /// The number of the next block in its segment.
    number: u64,
}

impl<T> Ahead<T> {
    pub(crate) fn new() -> Ahead<T> {
        Ahead {
            parts: VecDeque::new(),
            ended: false,
            failed: None,
            number: 0,
        }
    }

    /// The next part, and the plan if it is a block. `take` returns the parts in order, each block
    /// with its number of bytes of source; any other part begins or ends a segment.
    pub(crate) fn next(
        &mut self,
        mut take: impl FnMut() -> Result<Option<(T, Option<u64>)>, Error>,
    ) -> Result<Option<(T, Option<Planned>)>, Error> {
        while !self.ended && !self.sees_enough() {
            match take() {
                Ok(Some(part)) => self.parts.push_back(part),
                Ok(None) => self.ended = true,
                Err(error) => (self.ended, self.failed) = (true, Some(error)),
            }
        }
        let Some((part, source)) = self.parts.pop_front() else {
            return self.failed.take().map_or(Ok(None), Err);
        };
        if source.is_none() {
            self.number = 0;
            return Ok(Some((part, None)));
        }
        let number = self.number;
        self.number += 1;
        let planned = match number {
            0 => Planned::First {
                blocks: 1 + self.blocks().count() as u64,
            },
            number => {
                let mut behind = self.blocks();
                let is_last = match (behind.next(), behind.next()) {
                    (None, _) => source >= Some(SHORT),
                    (Some(next), None) => next < SHORT,
                    _ => false,
                };
                Planned::Later {
                    copy: is_last || number.is_multiple_of(COPY_EACH),
                }
            }
        };
        Ok(Some((part, Some(planned))))
    }

    /// The bytes of source of the blocks of this segment that were taken ahead.
    fn blocks(&self) -> impl Iterator<Item = u64> {
        self.parts.iter().map_while(|part| part.1)
    }

    fn sees_enough(&self) -> bool {
        let ends = self.parts.iter().any(|part| part.1.is_none());
        let is_many = || self.number > 0 || self.blocks().sum::<u64>() >= LOOK_AHEAD;
        ends || (self.parts.len() > 2 && is_many())
    }
}

/// The primer of a segment that is written, as soon as its first block is coded. That block must be
/// begun before the others.
#[derive(Debug, Default)]
pub(crate) struct PrimerSlot {
    primer: Mutex<Option<Option<Arc<Primer>>>>,
    told: Condvar,
}

impl PrimerSlot {
    /// Waits for the primer; `None` if the segment has none.
    fn get(&self) -> Option<Arc<Primer>> {
        let mut primer = self.lock();
        loop {
            if let Some(primer) = &*primer {
                return primer.clone();
            }
            primer = self
                .told
                .wait(primer)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Option<Arc<Primer>>>> {
        self.primer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, primer: Option<Arc<Primer>>) {
        self.lock().get_or_insert(primer);
        self.told.notify_all();
    }

    /// The primer for a block to be coded. If it is not the first of the segment, waits for the
    /// first.
    pub(crate) fn begin(&self, planned: Option<Planned>) -> BlockPrimer<'_> {
        let mut block = BlockPrimer {
            slot: None,
            planned,
            primer: None,
        };
        match planned {
            Some(Planned::First { .. }) => block.slot = Some(self),
            Some(Planned::Later { .. }) => block.primer = self.get(),
            None => {}
        }
        block
    }
}

/// The primer for one block. The first of a segment begins it.
#[derive(Debug)]
pub(crate) struct BlockPrimer<'s> {
    slot: Option<&'s PrimerSlot>,
    planned: Option<Planned>,
    primer: Option<Arc<Primer>>,
}

impl BlockPrimer<'_> {
    pub(crate) fn priming(&self) -> Priming<'_> {
        match (self.planned, &self.primer) {
            (Some(Planned::First { blocks }), _) => Priming::First { blocks },
            (Some(Planned::Later { copy }), Some(primer)) => Priming::Use { primer, copy },
            _ => Priming::Empty,
        }
    }

    /// The primer that the block uses.
    pub(crate) fn used(&self) -> Option<&Primer> {
        self.primer.as_deref()
    }

    /// To be called when the block is coded as it will be written; `begun` is the primer that it
    /// began.
    pub(crate) fn done(&self, begun: Option<Primer>) {
        if let Some(slot) = self.slot {
            slot.set(begun.map(Arc::new));
        }
    }
}

impl Drop for BlockPrimer<'_> {
    // Whatever happened to the first block: the others must not wait for ever.
    fn drop(&mut self) {
        if let Some(slot) = self.slot {
            slot.set(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(sources: &[Option<u64>]) -> Vec<Option<Planned>> {
        let mut left = sources.iter().copied();
        let mut ahead = Ahead::new();
        let mut planned = Vec::new();
        while let Some(((), plan)) = ahead
            .next(|| Ok(left.next().map(|source| ((), source))))
            .unwrap()
        {
            planned.push(plan);
        }
        planned
    }

    #[test]
    fn copies_stand_in_each_64th_block_and_in_the_last_that_is_long() {
        let block = Some(300_000);
        let copies = |sources: &[Option<u64>]| -> Vec<usize> {
            let later = Some(Planned::Later { copy: true });
            let plan = plan(sources).into_iter().enumerate();
            plan.filter(|(_, plan)| *plan == later)
                .map(|(at, _)| at)
                .collect()
        };
        assert_eq!(copies(&[block; 5]), [4]);
        assert_eq!(copies(&[block, block, block, Some(1000)]), [2]);
        assert_eq!(copies(&[block; 130]), [64, 128, 129]);
        let two = [None, block, block, block, None, None, block, block, None];
        assert_eq!(copies(&two), [3, 7]);
    }

    #[test]
    fn blocks_are_counted_as_far_as_they_are_seen() {
        let first = |sources: &[Option<u64>]| plan(sources)[0];
        let blocks = |blocks| Some(Planned::First { blocks });
        assert_eq!(first(&[Some(7)]), blocks(1));
        assert_eq!(first(&[Some(300_000), Some(300_000), Some(5)]), blocks(3));
        assert_eq!(first(&[Some(1 << 20); 100]), blocks(8));
        assert_eq!(first(&[Some(1 << 20), Some(1), None, Some(1)]), blocks(2));
    }

    #[test]
    fn an_error_comes_behind_the_parts_before_it() {
        let mut parts = [Some(5), Some(6)].into_iter();
        let mut ahead = Ahead::new();
        let mut next = || {
            ahead.next(|| match parts.next() {
                Some(source) => Ok(Some(((), source))),
                None => Err(Error::Cancelled),
            })
        };
        assert!(matches!(next(), Ok(Some(_))) && matches!(next(), Ok(Some(_))));
        assert!(matches!(next(), Err(Error::Cancelled)));
    }

    #[test]
    fn nobody_waits_for_a_first_block_that_failed() {
        let slot = PrimerSlot::default();
        drop(slot.begin(Some(Planned::First { blocks: 9 })));
        let later = slot.begin(Some(Planned::Later { copy: true }));
        assert!(matches!(later.priming(), Priming::Empty));
    }
}
