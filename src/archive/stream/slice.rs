//! The parts of an archive in memory, at any place between two of them.

use crate::archive::stream::head::{SegmentHead, Tail};
use crate::archive::stream::reader::ArchiveError;
use crate::block::head::{BlockHead, HeadError};
use crate::records::Marker;
use crate::records::private::{Kind, Private, is_unfinished, private};
use crate::records::record::{Record, take_record};

/// A record that frames others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// Begins a segment.
    Head(SegmentHead),
    /// Begins a block.
    Block(Box<BlockHead>),
    /// Ends a segment.
    Tail(Tail),
}

/// A frame and where its record stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Framed {
    /// Offset of its first byte.
    pub begin: usize,
    /// One past its last byte: of a block, where its records begin.
    pub end: usize,
    /// What it is.
    pub frame: Frame,
}

impl Framed {
    /// Where the next frame may be looked for: behind the records of a block.
    #[must_use]
    pub(crate) fn next(&self) -> usize {
        match &self.frame {
            Frame::Block(head) => self
                .end
                .saturating_add(usize::try_from(head.records).unwrap_or(usize::MAX)),
            Frame::Head(_) | Frame::Tail(_) => self.end,
        }
    }
}

/// The frame at `from`, noops aside; `None` where the archive ends.
///
/// Checks its own checksum and no more: what is framed, and the order of frames, is left to the
/// caller.
///
/// # Errors
/// [`ArchiveError::Damaged`], [`ArchiveError::Version`].
pub(crate) fn frame_at(archive: &[u8], from: usize) -> Result<Option<Framed>, ArchiveError> {
    let rest = archive.get(from..).unwrap_or_default();
    let Some(noops) = rest.iter().position(|&b| b != Marker::Noop.byte()) else {
        return Ok(None);
    };
    let begin = from + noops;
    let mut src = &rest[noops..];
    let damaged = |item, what: String| ArchiveError::Damaged {
        offset: begin as u64,
        item,
        what,
    };
    let Ok(record) = take_record(&mut src) else {
        return Err(damaged(
            "head",
            "no record, or one that is cut off, stands in its place".into(),
        ));
    };
    let payload = match record {
        Record::Escape(payload) => payload,
        _ => return Err(damaged("head", "something else stands in its place".into())),
    };
    let head = |error: HeadError, item| match error {
        HeadError::Version(version) => ArchiveError::Version(version),
        error => damaged(item, error.to_string()),
    };
    let frame = match private(payload) {
        Some(Private {
            kind: Kind::Head,
            data,
            ..
        }) => SegmentHead::take(data)
            .map(Frame::Head)
            .map_err(|e| head(e, "head")),
        Some(Private {
            kind: Kind::Block,
            data,
            ..
        }) => BlockHead::take(data)
            .map(|block| Frame::Block(Box::new(block)))
            .map_err(|e| head(e, "block head")),
        Some(Private {
            kind: Kind::Tail,
            data,
            ..
        }) => Tail::take(data)
            .map(Frame::Tail)
            .map_err(|e| head(e, "tail")),
        _ => return Err(damaged("head", "something else stands in its place".into())),
    };
    Ok(Some(Framed {
        begin,
        end: archive.len() - src.len(),
        frame: frame?,
    }))
}

/// Where an unfinished addition begins (spec/extension.md 3.1), if one does at `from`, noops aside.
/// To be asked behind a segment only.
#[must_use]
pub(crate) fn unfinished_at(archive: &[u8], from: usize) -> Option<usize> {
    let rest = archive.get(from..)?;
    let noops = rest.iter().position(|&b| b != Marker::Noop.byte())?;
    is_unfinished(&rest[noops..]).then_some(from + noops)
}

/// The records of a block, which are those that were written.
///
/// # Errors
/// [`ArchiveError::Damaged`].
pub(crate) fn records_of<'a>(
    archive: &'a [u8],
    framed: &Framed,
    head: &BlockHead,
) -> Result<&'a [u8], ArchiveError> {
    let damaged = |what: &str| ArchiveError::Damaged {
        offset: framed.end as u64,
        item: "block",
        what: what.into(),
    };
    let records = archive
        .get(framed.end..framed.next())
        .ok_or_else(|| damaged("the archive ends in it"))?;
    if crc32fast::hash(records) != head.crc && !cfg!(fuzzing) {
        return Err(damaged("checksum of the records does not match"));
    }
    Ok(records)
}
