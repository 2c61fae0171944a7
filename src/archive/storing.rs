//! Stores a block in the form of its segment.

use crate::run::SegmentForm;
use pgc_block::head::BlockHead;
use pgc_block::small::stored::{BlockForm, put_block};

/// Whether a block with this head is stored as in a segment of this form.
pub(crate) fn has_form(head: &BlockHead, form: SegmentForm) -> bool {
    head.streams.is_some() == (form == SegmentForm::Small)
}

/// Sets `bytes` to a block with these records, stored in the first way that `is_right` accepts, or
/// else in the last way. Returns whether it accepted that.
pub(crate) fn store(
    bytes: &mut Vec<u8>,
    head: &mut BlockHead,
    records: &[u8],
    form: SegmentForm,
    mut is_right: impl FnMut(&[u8]) -> bool,
) -> bool {
    // A later way is used only if the one before fails its check, which is a fault of the coder,
    // not of the records.
    let ways: &[BlockForm] = match form {
        SegmentForm::Plain => &[BlockForm::Plain],
        SegmentForm::Small => &[BlockForm::Coded, BlockForm::Uncoded],
    };
    ways.iter().any(|&form| {
        bytes.clear();
        put_block(bytes, head, records, form);
        is_right(bytes)
    })
}
