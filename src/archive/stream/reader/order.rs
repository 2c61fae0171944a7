//! Which record may come next (spec/extension.md).

use super::{ArchiveReader, NoPart, OnDamage, damaged, form_of};
use crate::stream::error::ArchiveError;
use crate::stream::frame::{FrameRecord, frame_record};
use pgc_block::head::HeadError;
use pgc_pgn::records::private::EscapeKind;

impl<R> ArchiveReader<R> {
    /// The frame record with this payload, if it is the one that must come next.
    pub(super) fn frame(&self, begin: u64, payload: &[u8]) -> Result<FrameRecord, NoPart> {
        let missing = || {
            damaged(
                begin,
                self.expected(),
                "is missing: another record is in its place",
            )
        };
        let Some((kind, frame)) = frame_record(payload) else {
            return Err(NoPart::Unreadable(missing()));
        };
        let Some(open) = &self.state.ledger.segment else {
            return match frame {
                Ok(frame @ FrameRecord::Head(_)) => Ok(frame),
                Ok(frame) => Err(NoPart::Misplaced(missing(), Box::new(frame))),
                Err((HeadError::Version(version), _))
                    if self.state.on_damage != OnDamage::Salvage =>
                {
                    Err(NoPart::Fatal(ArchiveError::Version(version)))
                }
                Err((HeadError::TrialForm, _)) if self.state.on_damage != OnDamage::Salvage => {
                    Err(NoPart::Fatal(ArchiveError::TrialForm))
                }
                Err((error, item)) if kind == EscapeKind::Head => {
                    Err(NoPart::Unreadable(damaged(begin, item, &error.to_string())))
                }
                Err(_) => Err(NoPart::Unreadable(missing())),
            };
        };
        let (frame, item) = match frame {
            Ok(frame @ FrameRecord::Head(_)) => {
                return Err(NoPart::Misplaced(missing(), Box::new(frame)));
            }
            Ok(frame @ FrameRecord::Block(_)) => (frame, "block head"),
            Ok(frame @ FrameRecord::Tail(_)) => (frame, "tail"),
            Err(_) if kind == EscapeKind::Head => return Err(NoPart::Unreadable(missing())),
            Err((error, item)) => {
                return Err(NoPart::Unreadable(damaged(begin, item, &error.to_string())));
            }
        };
        let number = open.number;
        let what = match &frame {
            FrameRecord::Block(head) if form_of(head) != open.form => {
                HeadError::Malformed.to_string()
            }
            FrameRecord::Block(head) if head.number != number => {
                format!("is number {}, not {number}", head.number)
            }
            FrameRecord::Tail(tail) if tail.blocks != number => {
                format!("counts {} blocks, not {number}", tail.blocks)
            }
            FrameRecord::Tail(tail) if self.state.on_damage == OnDamage::Stop => {
                return match self.state.ledger.misfit(tail) {
                    Some((item, what)) => Err(NoPart::Unreadable(damaged(begin, item, &what))),
                    None => Ok(frame),
                };
            }
            _ => return Ok(frame),
        };
        Err(NoPart::Misplaced(
            damaged(begin, item, &what),
            Box::new(frame),
        ))
    }

    /// The kind of record that must come next.
    pub(super) fn expected(&self) -> &'static str {
        if self.state.ledger.segment.is_some() {
            "block head"
        } else {
            "head"
        }
    }
}
