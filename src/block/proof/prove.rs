//! The proof that a block gives its source back: the bytes about to be written are decoded as any
//! reader decodes them.
//!
//! The proof takes nothing from the reader of the source. It reads the head from the bytes, finds
//! the start position from the decoded tag pairs, plays the moves from their ordinals, and makes
//! numbers and predictions of its own. Where a layout gives the spelling of an element, equal text
//! says nothing about the record, so the proof also compares the spelling with the record
//! (`spelling.rs`).

use pgc_pgn::split::UnitKind;

use crate::cut::Block;
use crate::decode::block::BlockDecoder;
use crate::decode::game::Decoded;
use crate::decode::layout::{GivenText, Scratch, render};
use crate::layout::{BLACK, BLACK_ANNOTATED, END, WHITE, next_class};
use crate::proof::deep::line_difference;
use crate::proof::spelling::is_gap;
use crate::small::stored::{Needs, take_block};
use crate::units::{Counts, Parsed};
use pgc_pgn::game::ElemKind;
use pgc_pgn::source_text::SourceText;

/// The result of decoding a block and comparing it with its source.
#[derive(Debug, Default)]
pub struct Proof {
    /// What the block holds; the counts that only the reader of a source knows are 0.
    pub counts: Counts,
    /// The units, by their place in the block, that do not come back.
    pub wrong: Vec<usize>,
    /// The head is right, and nothing stands behind the last unit.
    pub is_framed: bool,
}

impl Proof {
    /// Whether the block gives its source back.
    pub fn holds(&self) -> bool {
        self.is_framed && self.wrong.is_empty()
    }
}

/// Decodes `bytes`, which should be the whole of `block`, a block of this text. `replaced_slots`:
/// for each game whose layout is its text, the slots that it would have otherwise.
///
/// Stops at the first unit that cannot be decoded.
pub fn prove(
    (block, text): (&Block, SourceText),
    bytes: &[u8],
    parsed: &[Parsed<'_>],
    replaced_slots: &[Vec<u8>],
) -> Proof {
    let mut proof = Proof::default();
    let mut behind = bytes;
    let Some((head, records)) = take_block(&mut behind) else {
        return proof;
    };
    let mut decoder = BlockDecoder::new(&head, &records, Needs::All);
    let (mut unit, mut out, mut scratch) = (Decoded::default(), Vec::new(), Scratch::default());
    let (mut replaced_slots, mut done) = (replaced_slots.iter(), 0);
    let is_epd = text == SourceText::Epd;
    let checked = GivenText::Checked(text.letters());
    for (place, (part, source)) in parsed.iter().zip(&block.units).enumerate() {
        let expected = &block.src[source.start..source.end];
        let Ok(Some(kind)) = decoder.next(&mut unit) else {
            proof.wrong.push(place);
            return proof;
        };
        let is_right = if kind == UnitKind::Game {
            let is_whole = match is_epd {
                true => line_difference(&unit, expected).is_none(),
                false => unwrap_layout(&mut unit, expected, &mut replaced_slots),
            };
            out.clear();
            let (style, limit) = (&head.style, expected.len());
            let rendered = render(&mut out, &unit, style, &mut scratch, limit, checked);
            is_whole && rendered.is_ok() && out == expected && unit.wholeness == part.game.wholeness
        } else {
            kind == part.unit.kind && unit.raw == expected
        };
        // The units follow each other, so that together they are the source.
        if !is_right || source.start != done {
            proof.wrong.push(place);
        }
        done = source.end;
        proof.counts.decoded(kind, &unit.game(), &unit.raw);
    }
    let Counts { games, plies, .. } = proof.counts;
    let counted = (head.number, head.games, head.plies, head.source);
    let mut templates = head.style.own_templates();
    proof.is_framed = matches!(decoder.next(&mut unit), Ok(None))
        && behind.is_empty()
        && templates.all(|(_, next, template)| is_gap(kind_behind(next), template))
        && head.style.epd == is_epd
        && head.style.letters == text.letters()
        && parsed.len() == block.units.len()
        && done == block.src.len()
        && counted == (block.number, games, plies, block.src.len() as u64);
    proof
}

/// Replaces a layout that is the whole text of the game, and so proves nothing about the records,
/// by the slots. `false`: the text is wrong, or no slots are left.
fn unwrap_layout<'w>(
    unit: &mut Decoded,
    expected: &[u8],
    replaced_slots: &mut impl Iterator<Item = &'w Vec<u8>>,
) -> bool {
    let Some([1, text @ ..]) = unit.layout.as_deref() else {
        return true;
    };
    let is_right = text == expected;
    let Some(slots) = replaced_slots.next() else {
        return false;
    };
    unit.layout = Some([&[0], slots.as_slice()].concat());
    is_right
}

/// The kind of element behind a gap of this class, as far as it decides what the gap may hold.
fn kind_behind(class: usize) -> Option<ElemKind> {
    match class {
        END => None,
        WHITE | BLACK | BLACK_ANNOTATED => Some(ElemKind::Move),
        class if class == next_class(ElemKind::Tag, 0, None) => Some(ElemKind::Tag),
        _ => Some(ElemKind::Text),
    }
}
