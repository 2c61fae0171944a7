//! Lists the records of an archive in readable form, one a line: `pgc records`.

use std::io::{Read, Write};

use crate::foreign::listing::Listing;
use crate::games::walk::damage;
use crate::run::{Error, Gap, Hooks, go_on};
use crate::stream::reader::{ArchivePart, ArchiveReader, OnDamage};
use crate::stream::sniff::sniff;
use pgc_block::head::BlockHead;
use pgc_block::small::stored::records as records_of;
use pgc_pgn::records::reader::Records;
use pgc_pgn::records::record::take_record;
use pgc_pgn::records::{Dialect, Record, RecordStream};

/// Writes a line for each record: its offset in hexadecimal, the name of its marker and its items.
///
/// Text is shown between quotes, as UTF-8, with `\x..` for control characters. Moves are shown as
/// ordinals, with their SAN as long as the game can be followed; the first move that cannot be
/// decoded is shown with `?`, later ones without SAN. Records that an archive in the small form has
/// coded follow the head of their block, with `+` and the offset in the decoded records.
///
/// The blocks of an archive made by pgc are checked before their records are written; damage is
/// passed over if asked.
///
/// # Errors
/// [`Error::Io`]; [`Error::Damaged`] at the first invalid record, after the lines for those before
/// it.
pub fn records(
    archive: &mut (dyn Read + Send),
    out: &mut dyn Write,
    passes_damage: bool,
    hooks: &mut dyn Hooks,
) -> Result<(), Error> {
    let on_damage = OnDamage::passing(passes_damage);
    let (ours, begin) = sniff(archive, on_damage)?;
    let mut all = begin.before(archive);
    if !ours {
        return foreign_records(&mut all, out);
    }
    let mut reader = ArchiveReader::passing(all, on_damage);
    let mut list = OurListing {
        out,
        listing: Listing::default(),
        told: 0,
    };
    loop {
        let before = reader.games();
        let part = reader.next_part();
        let Some(part) = part.map_err(|error| error.after_game(before))? else {
            break;
        };
        go_on(0)?;
        match part {
            ArchivePart::Head(_) | ArchivePart::Tail(_) => {
                list.frame(reader.begin(), reader.record())?;
            }
            ArchivePart::Block(head, stored, at) => {
                list.frame(reader.begin(), reader.record())?;
                let end = reader.offset();
                let listed = list.block(&head, &stored, at, before);
                list.told = end;
                match listed {
                    Err(error @ Error::Damaged { .. }) if passes_damage => {
                        let gap = Gap::new(error, reader.begin()..end, before);
                        hooks.gap(&gap.of_block(head.games, Some(head.source)));
                    }
                    listed => listed?,
                }
            }
            ArchivePart::Gap(gap) => list.told = gap.end,
            ArchivePart::Gaps(gaps) => gaps.iter().for_each(|gap| hooks.gap(gap)),
            ArchivePart::NoTail => {}
        }
    }
    list.noops(reader.finish(hooks)?)
}

/// Lists the records of a stream that another program wrote.
fn foreign_records(stream: &mut dyn Read, out: &mut dyn Write) -> Result<(), Error> {
    let mut stream = RecordStream::new(stream, Dialect::Standard);
    let mut listing = Listing::default();
    while let Some((offset, record)) = stream.next_record()? {
        listing.put(out, &format!("{offset:08x}"), &record)?;
        go_on(0)?;
    }
    Ok(())
}

struct OurListing<'a> {
    out: &'a mut dyn Write,
    listing: Listing,
    /// Up to here all is listed, or lost.
    told: u64,
}

impl OurListing<'_> {
    /// A head, a block head or a tail, and the noops before it.
    fn frame(&mut self, begin: u64, record: &[u8]) -> Result<(), Error> {
        // A segment that lost its head has no record for it.
        if record.is_empty() {
            return Ok(());
        }
        self.noops(begin)?;
        if let Ok(record) = take_record(&mut &*record) {
            let place = format!("{begin:08x}");
            self.listing.put(self.out, &place, &record)?;
        }
        self.told = begin + record.len() as u64;
        Ok(())
    }

    /// Lists the noops before `end`; nothing else stands between two parts.
    fn noops(&mut self, end: u64) -> Result<(), Error> {
        for offset in self.told..end {
            let place = format!("{offset:08x}");
            self.listing.put(self.out, &place, &Record::Noop)?;
        }
        self.told = self.told.max(end);
        Ok(())
    }

    /// Lists the records of a block, whose stored bytes begin at offset `at`, after `games` games.
    fn block(&mut self, head: &BlockHead, stored: &[u8], at: u64, games: u64) -> Result<(), Error> {
        let records = records_of(head, stored).map_err(|d| damage(d, head, at, games))?;
        for record in Records::new(&records, Dialect::Standard) {
            let (offset, record) = record.map_err(|error| {
                let offset = at + head.offset_of(error.offset);
                let what = error.fault.to_string();
                Error::damaged(offset, games + error.game, error.item, what)
            })?;
            let place = match head.is_coded() {
                true => format!("+{offset:07x}"),
                false => format!("{:08x}", at + head.offset_of(offset)),
            };
            self.listing.put(self.out, &place, &record)?;
        }
        Ok(())
    }
}
