//! Stores a block in the form of its segment.

use crate::block::head::BlockHead;
use crate::block::small::primer::{Primer, Priming};
use crate::block::small::stored::{BlockForm, put_block};
use crate::run::SegmentForm;

/// The ways to store a block in a segment of this form. A later one is used only if the one before
/// fails its check, which is a fault of the coder, not of the records.
fn block_forms(form: SegmentForm) -> &'static [BlockForm] {
    match form {
        SegmentForm::Plain => &[BlockForm::Plain],
        SegmentForm::Small => &[BlockForm::Coded, BlockForm::Uncoded],
    }
}

/// A block as it was stored last.
pub(crate) struct StoredBlock {
    /// The primer that it begins.
    pub begun: Option<Primer>,
    pub is_right: bool,
}

/// Sets `bytes` to a block with these records, stored in the first way that `is_right` accepts, or
/// else in the last way.
pub(crate) fn store(
    bytes: &mut Vec<u8>,
    head: &mut BlockHead,
    records: &[u8],
    (form, priming): (SegmentForm, Priming<'_>),
    mut is_right: impl FnMut(&[u8]) -> bool,
) -> StoredBlock {
    let mut stored = StoredBlock {
        begun: None,
        is_right: false,
    };
    for &form in block_forms(form) {
        bytes.clear();
        stored.begun = put_block(bytes, head, records, form, priming);
        stored.is_right = is_right(bytes);
        if stored.is_right {
            break;
        }
    }
    stored
}
