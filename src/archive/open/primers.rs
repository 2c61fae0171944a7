//! Finds the primer of a block that is fetched alone.

use std::sync::Arc;

use super::Archive;
use crate::archive::primers::PrimerPlace;
use crate::archive::stream::frame::FrameRecord;
use crate::archive::stream::reader::{ArchivePart, ArchiveReader, OnDamage};
use crate::archive::stream::slice::{Framed, frame_at};
use crate::block::head::BlockHead;
use crate::block::small::primer::Primer;
use crate::io::read_at::Onward;
use crate::run::Error;

impl Archive {
    /// The primer that a block uses; `None` if the block uses none or holds it itself, or if the
    /// primer is lost.
    pub(super) fn primer(
        &self,
        place: &Framed,
        head: &BlockHead,
    ) -> Result<Option<Arc<Primer>>, Error> {
        let Some(crc) = head.lacks_primer() else {
            return Ok(None);
        };
        let mut met = self.primers.met();
        if let Some(known) = met.get(crc) {
            return Ok(Some(known));
        }
        let found = self.find_primer(place, head.number, crc)?;
        Ok(found.map(|found| met.keep(found)))
    }

    fn find_primer(&self, place: &Framed, number: u64, crc: u32) -> Result<Option<Primer>, Error> {
        // The first block of the segment has it.
        if let Some(offset) = self.blocks_before(place.begin, number)
            && let Ok(Some(Framed {
                end,
                frame: FrameRecord::Block(head),
                ..
            })) = frame_at(&*self.bytes, offset)
            && let Some(named) = head.primer().filter(|named| named.crc == crc)
            && let Some(primer) = self.primer_at(crc, end, named.len)?
        {
            return Ok(Some(primer));
        }
        let all = match self.primers.places.get() {
            Some(all) => all,
            None => {
                let all = self.all_primers()?;
                self.primers.places.get_or_init(|| all)
            }
        };
        for place in all.iter().filter(|place| place.crc == crc) {
            if let Some(primer) = self.primer_at(crc, place.offset, place.len)? {
                return Ok(Some(primer));
            }
        }
        Ok(None)
    }

    fn primer_at(&self, crc: u32, offset: u64, len: u32) -> Result<Option<Primer>, Error> {
        let bytes = self
            .bytes
            .read_at(offset, offset.saturating_add(len.into()))?;
        let primer = Primer::new(bytes.into_owned());
        Ok((primer.crc() == crc && primer.bytes().len() == len as usize).then_some(primer))
    }

    /// The offset of the block that is `blocks` blocks before the one at `offset`.
    fn blocks_before(&self, offset: u64, blocks: u64) -> Option<u64> {
        let Some(index) = self.index().or(self.stand_in.get()) else {
            return self.walk().blocks_before(offset, blocks);
        };
        let offset_of = |number| index.block(number).map(|block| block.offset).ok();
        let (mut from, mut to) = (0, index.block_count());
        while from < to {
            let middle = from + (to - from) / 2;
            match offset_of(middle)? < offset {
                true => from = middle + 1,
                false => to = middle,
            }
        }
        offset_of(from.checked_sub(u32::try_from(blocks).ok()?)?)
    }

    /// All primers of the archive, also behind damage.
    fn all_primers(&self) -> Result<Vec<PrimerPlace>, Error> {
        let archive = Onward::new(&*self.bytes);
        let mut reader = ArchiveReader::of_heads(archive, OnDamage::Pass);
        let mut all = Vec::new();
        while let Some(part) = reader.next_head()? {
            if let ArchivePart::Block(head, _, offset) = part
                && let Some(named) = head.primer().filter(|named| named.len > 0)
            {
                let (crc, len) = (named.crc, named.len);
                all.push(PrimerPlace { crc, offset, len });
            }
        }
        Ok(all)
    }
}
