//! The stored bytes of a block, behind its head: its records as they are, or coded streams.

use std::borrow::Cow;
use std::ops::Range;

use crate::decode::block::Damage;
use crate::head::BlockHead;
use crate::num::take_slice;
use crate::small::stream::{MAX_CODED, put_streams};
use crate::small::{encode, readers};
use pgc_pgn::records::private::{EscapeKind, private};
use pgc_pgn::records::record::{Record, take_record};

/// Checks the stored bytes, as many as the head says: the checksum of each stream, or that of the
/// records.
///
/// # Errors
/// The offset in these bytes, and what is wrong.
pub fn check_stored(head: &BlockHead, stored: &[u8]) -> Result<(), (u64, String)> {
    if !head.is_coded() {
        return check_records(head, stored).map_err(|damage| (0, damage.what));
    }
    let mut rest = stored;
    for stream in head.streams() {
        let offset = (stored.len() - rest.len()) as u64;
        let bytes = take_slice(&mut rest, stream.len.into());
        if bytes.is_none_or(|bytes| crc32fast::hash(bytes) != stream.crc && !cfg!(fuzzing)) {
            let kind = char::from(stream.kind);
            let what = format!("checksum of stream {kind} does not match");
            return Err((offset, what));
        }
    }
    Ok(())
}

fn check_records(head: &BlockHead, records: &[u8]) -> Result<(), Damage> {
    if crc32fast::hash(records) == head.crc || cfg!(fuzzing) {
        return Ok(());
    }
    Err(Damage::for_block("checksum of the records does not match"))
}

/// The records of a block whose stored bytes are [checked](check_stored).
///
/// # Errors
/// Damage: the streams cannot be decoded, or give other records.
pub fn records<'s>(head: &BlockHead, stored: &'s [u8]) -> Result<Cow<'s, [u8]>, Damage> {
    if !head.is_coded() {
        return Ok(Cow::Borrowed(stored));
    }
    let records = readers(head, stored)?.all()?;
    if records.len() as u64 != head.records {
        let what = format!("its streams give {} bytes of records", records.len());
        return Err(Damage::for_block(what));
    }
    check_records(head, &records)?;
    Ok(Cow::Owned(records))
}

/// What a question needs of the games of a block, and what is decoded of them. The checksum of the
/// records of a coded block is that of all: the rest is enough for questions, not for texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Needs {
    /// The tags.
    Tags,
    /// Everything but which moves were played: their ordinals are 0.
    Elements,
    /// The tags, and the moves of the game and its variations.
    Moves,
    /// What reduced export format shows: as `Moves`, but everything of a block in which text or a
    /// terminator tells more about a game.
    Reduced,
    All,
}

impl Needs {
    /// What two questions need.
    pub fn and(self, other: Needs) -> Needs {
        match (self, other) {
            (needs, Needs::Tags) | (Needs::Tags, needs) => needs,
            _ if self == other => self,
            _ => Needs::All,
        }
    }

    /// Whether ordinals are decoded; else they become 0, except in games with moves in comments.
    pub(crate) fn moves(self) -> bool {
        !matches!(self, Needs::Tags | Needs::Elements)
    }

    /// Whether more is decoded than tags, moves and variations.
    pub(crate) fn texts(self) -> bool {
        matches!(self, Needs::Elements | Needs::All)
    }

    /// Whether more is decoded than tags.
    pub(crate) fn movetext(self) -> bool {
        self != Needs::Tags
    }

    /// Whether comments and layout are decoded of a block that is not coded.
    pub(crate) fn notes(self) -> bool {
        !matches!(self, Needs::Tags | Needs::Moves)
    }

    /// Whether decoding stops where more is left out than comments, NAGs, layout, and `%` lines in
    /// games.
    pub(crate) fn stops(self) -> bool {
        matches!(self, Needs::Tags | Needs::Reduced)
    }
}

/// At least the records of these games (from 0 in the block), from stored bytes that are
/// [checked](check_stored); they begin at a unit. Also how many games of the block stand before
/// them; `None`: they are all its records.
///
/// # Errors
/// As [`records`].
pub fn records_of_games<'s>(
    head: &BlockHead,
    stored: &'s [u8],
    games: Range<u64>,
    needs: Needs,
) -> Result<(Cow<'s, [u8]>, Option<u64>), Damage> {
    // All tags of a block stand in one stream, if that has all tags of its games.
    let all = 0..head.games;
    let is_part = games.start > 0 || games.end < head.games;
    let ways: &[(Needs, &Range<u64>)] = match needs {
        _ if !head.is_coded() => &[],
        Needs::Tags => &[
            (needs, &all),
            (Needs::Elements, &games),
            (Needs::All, &games),
        ],
        Needs::All => &[(needs, &games)],
        _ => &[(needs, &games), (Needs::All, &games)],
    };
    for &(needs, games) in ways {
        // Everything of all games: that is what `records` gives.
        if needs == Needs::All && !is_part {
            break;
        }
        if let Some((records, first)) = readers(head, stored)?.some(games, needs)? {
            return Ok((Cow::Owned(records), Some(first)));
        }
    }
    Ok((records(head, stored)?, None))
}

/// Appends a block with these records: its head, and what is stored. `head` becomes the head that
/// is written.
pub fn put_block(out: &mut Vec<u8>, head: &mut BlockHead, records: &[u8], form: BlockForm) {
    head.streams = (form != BlockForm::Plain).then(Vec::new);
    let mut stored = Cow::Borrowed(records);
    if form == BlockForm::Coded
        && head.records <= MAX_CODED
        && let Some((streams, bytes)) = encode(head, records)
    {
        let mut list = Vec::new();
        put_streams(&mut list, &streams);
        if bytes.len() + list.len() < records.len() + 1 {
            (head.streams, stored) = (Some(streams), Cow::Owned(bytes));
        }
    }
    head.put(out);
    out.extend_from_slice(&stored);
}

/// How a block is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockForm {
    /// In a plain segment.
    Plain,
    /// In a small segment, but with its records as they are.
    Uncoded,
    /// In a small segment, coded unless that would be longer.
    Coded,
}

/// Takes a block: its head and its records; `None` unless all checksums agree.
pub fn take_block<'a>(src: &mut &'a [u8]) -> Option<(BlockHead, Cow<'a, [u8]>)> {
    let Ok(Record::Escape(payload)) = take_record(src) else {
        return None;
    };
    let escape = private(payload).filter(|escape| escape.kind == EscapeKind::Block)?;
    let head = BlockHead::take(escape.data).ok()?;
    let stored = take_slice(src, head.stored())?;
    check_stored(&head, stored).ok()?;
    let records = records(&head, stored).ok()?;
    Some((head, records))
}
