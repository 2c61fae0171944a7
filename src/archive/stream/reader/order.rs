//! Which record may come next (spec/extension.md).

use super::{ArchiveReader, NoPart, OnDamage, form_of};
use crate::run::Error;
use crate::stream::frame::{BEFORE, FrameRecord, frame_error, frame_record};
use pgc_block::head::HeadError;
use pgc_pgn::records::private::EscapeKind;

/// What is wrong where a record of another kind must be.
pub(super) const MISPLACED: &str = "is missing: another record is in its place";

impl<R> ArchiveReader<R> {
    /// The frame record that was read last, if it is the one that must come next.
    pub(super) fn frame(&self, begin: u64) -> Result<FrameRecord, NoPart> {
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
    pub(super) fn expected(&self) -> &'static str {
        match self.state.ledger.segment {
            Some(_) => "block head",
            None => "head",
        }
    }
}
