//! The records of a block as units whose parts are coded apart, and back (spec/small.md section 2).
//!
//! Only records as pgc writes them can be coded. Others would come back changed, so a block that
//! has some is stored with its records as they are.

use std::ops::Range;

use crate::annotations::{NotesWriter, take_group};
use crate::decode::block::BlockDecoder;
use crate::decode::game::{Decoded, element};
use crate::encode::play::{put_play, put_text};
use crate::head::BlockHead;
use crate::num::{at32, put_num, put_str, take_byte, take_num, take_str};
use crate::shape::{Hole, TENTHS};
use crate::small::note::NoteParts;
use crate::small::stored::Needs;
use crate::style::Style;
use pgc_pgn::game::{Elem, ElemKind};
use pgc_pgn::reader::MAX_ELEMS;
use pgc_pgn::records::private::{EscapeKind, MAX_PIECE, put_private, put_source_escape};
use pgc_pgn::records::record::{Record, put_record};
use pgc_pgn::split::UnitKind;

/// What may come next in a block, by its number in the stream of tags: nothing; a unit, and whether
/// it is a 0x01.
pub(crate) const UNITS: [Option<(UnitKind, bool)>; 7] = [
    None,
    Some((UnitKind::Game, true)),
    Some((UnitKind::Game, false)),
    Some((UnitKind::Stray(false), false)),
    Some((UnitKind::Stray(true), false)),
    Some((UnitKind::Piece(false), false)),
    Some((UnitKind::Piece(true), false)),
];

/// The tokens of a game, one for each element of its movetext. A shape is its number + [`SHAPES`].
pub(crate) type Token = u32;

pub(crate) const END: Token = 0;
pub(crate) const MOVE: Token = 1;
pub(crate) const NAG: Token = 2;
pub(crate) const OPEN: Token = 3;
pub(crate) const CLOSE: Token = 4;
pub(crate) const LINE: Token = 5;
pub(crate) const SHAPES: Token = 6;
/// Tokens at and above this do not exist: 6 fixed shapes, 250 of the block.
pub(crate) const TOKENS: Token = SHAPES + 256;

/// The token of an element of the movetext.
pub(crate) fn token(elem: &Elem) -> Token {
    match elem.kind {
        ElemKind::Move => MOVE,
        ElemKind::Nag => NAG,
        ElemKind::RavOpen => OPEN,
        ElemKind::RavClose => CLOSE,
        ElemKind::Brace => SHAPES + elem.num,
        _ => LINE,
    }
}

/// Adds an annotation of this shape, whose fields are what the notes have from `begin` on. Its
/// element is a comment, whatever it is, with the number of its shape and the place of its fields.
pub(crate) fn push_note(unit: &mut Decoded, shape: u32, begin: usize, end: usize) {
    unit.elems.push(Elem {
        start: at32(begin),
        end: at32(end),
        ..element(ElemKind::Brace, shape)
    });
}

/// The value of a field of an annotation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Field<'a> {
    Number(u64),
    Text(&'a [u8]),
}

impl Field<'_> {
    /// Appends a field of this kind; `None` if it cannot have this number.
    pub(crate) fn put(self, kind: u8, out: &mut Vec<u8>) -> Option<()> {
        match self {
            Field::Text(text) => put_str(out, text),
            Field::Number(number) if kind == TERMINATOR => out.push(u8::try_from(number).ok()?),
            Field::Number(number) => put_num(out, number),
        }
        Some(())
    }
}

/// The most fields of a game, and the most parts of its comments: a game with more is not coded.
pub(crate) const MAX_FIELDS: usize = MAX_ELEMS;

/// The first of the block's own shapes.
pub(crate) const OWN_SHAPES: u32 = 6;

/// Which fields the items of each shape have, and whether their clocks count tenths of a second.
pub(crate) struct ShapeFields(Vec<(Vec<u8>, bool)>);

/// The kinds of fields, by the holes of spec/extension.md 8.2; and those of the fixed shapes.
pub(crate) const CLOCK: u8 = Hole::Clock as u8;
pub(crate) const EVAL: u8 = Hole::Eval as u8;
pub(crate) const DURATION: u8 = Hole::Duration as u8;
pub(crate) const DECIMAL: u8 = Hole::Decimal as u8;
pub(crate) const TEXT: u8 = Hole::Text as u8;
pub(crate) const LARGE_NAG: u8 = 6;
pub(crate) const TERMINATOR: u8 = 7;
/// Follows an evaluation that is 0: the moves to a mate.
pub(crate) const MATE: u8 = 8;

impl ShapeFields {
    pub(crate) fn new(shapes: &[Vec<u8>]) -> ShapeFields {
        let fixed = [TEXT, TEXT, TEXT, LARGE_NAG, TERMINATOR, TEXT].map(|kind| (vec![kind], false));
        let own = shapes.iter().map(|shape| {
            let holes = shape.strip_prefix(&[TENTHS]).unwrap_or(shape);
            let mut kinds = holes.to_vec();
            kinds.retain(|&hole| Hole::from_byte(hole).is_some());
            (kinds, holes.len() < shape.len())
        });
        ShapeFields(fixed.into_iter().chain(own).collect())
    }

    /// How many fields of an item of this shape are comments, which may be taken apart. The rest of
    /// a line of play and other text that is not chess are no comments.
    pub(crate) fn notes(&self, shape: u32) -> usize {
        let kinds = self.of(shape).unwrap_or_default();
        let texts = kinds.iter().filter(|&&kind| kind == TEXT).count();
        if is_note(shape) { texts } else { 0 }
    }

    /// The fields of an item of this shape.
    pub(crate) fn of(&self, shape: u32) -> Option<&[u8]> {
        self.0
            .get(shape as usize)
            .map(|(kinds, _)| kinds.as_slice())
    }

    /// Whether the clocks of items of this shape count tenths of a second.
    pub(crate) fn is_tenths(&self, shape: u32) -> bool {
        self.0
            .get(shape as usize)
            .is_some_and(|(_, is_tenths)| *is_tenths)
    }

    /// Takes the fields of an item of this shape, and passes each to `call`, with its kind.
    pub(crate) fn take<'n>(
        &self,
        shape: u32,
        src: &mut &'n [u8],
        mut call: impl FnMut(u8, Field<'n>) -> Option<()>,
    ) -> Option<()> {
        for &kind in self.of(shape)? {
            let number = match kind {
                TEXT => {
                    call(kind, Field::Text(take_str(src)?))?;
                    continue;
                }
                TERMINATOR => take_byte(src)?.into(),
                _ => take_num(src)?,
            };
            call(kind, Field::Number(number))?;
            if kind == EVAL && number == 0 {
                call(MATE, Field::Number(take_num(src)?))?;
            }
        }
        Some(())
    }
}

/// Whether the texts of this shape are comments.
pub(crate) fn is_note(shape: u32) -> bool {
    !(2..OWN_SHAPES).contains(&shape)
}

/// Takes the units of a block, each with what it has records for and its annotations, and passes
/// them to `call` with the places of their records. `None` if `call` returns it, or if a unit is not
/// as pgc writes it.
pub(crate) fn each_unit(
    head: &BlockHead,
    records: &[u8],
    shapes: &ShapeFields,
    mut call: impl FnMut(Range<usize>, UnitKind, &Decoded) -> Option<()>,
) -> Option<()> {
    // In the usual style, tag pairs are as their records have them.
    let head = BlockHead {
        style: Style::default(),
        shapes: Vec::new(),
        ..head.clone()
    };
    let mut decoder = BlockDecoder::new(&head, records, Needs::All);
    let (mut unit, mut begin) = (Decoded::default(), 0);
    while let Some(kind) = decoder.take(&mut unit).ok()? {
        let end = usize::try_from(decoder.offset()).ok()?;
        place_notes(&mut unit, shapes)?;
        call(begin..end, kind, &unit)?;
        begin = end;
    }
    (begin == records.len()).then_some(())
}

/// Adds the items of `A` to the elements of a game, in their places.
fn place_notes(unit: &mut Decoded, shapes: &ShapeFields) -> Option<()> {
    if unit.notes.is_empty() {
        return Some(());
    }
    let mut played = unit.elems.split_off(unit.tag_elems).into_iter();
    let notes = std::mem::take(&mut unit.notes);
    let (mut rest, mut fields) = (&notes[..], 0);
    while !rest.is_empty() {
        let (shape, mut delta, count) = take_group(&mut rest)?;
        let shape = u32::try_from(shape).ok()?;
        for _ in 0..count {
            for _ in 0..delta {
                unit.elems.push(played.next()?);
            }
            delta = 1;
            let begin = notes.len() - rest.len();
            shapes.take(shape, &mut rest, |_, _| {
                fields += 1;
                (fields <= MAX_FIELDS).then_some(())
            })?;
            push_note(unit, shape, begin, notes.len() - rest.len());
        }
    }
    unit.elems.extend(played);
    unit.notes = notes;
    Some(())
}

/// Appends the records of a unit. `apart`: the comments of a game in order, if they were taken
/// apart; else they are in its notes.
pub(crate) fn put_unit(
    out: &mut Vec<u8>,
    kind: UnitKind,
    unit: &Decoded,
    shapes: &ShapeFields,
    apart: &[NoteParts],
) -> Option<()> {
    match kind {
        UnitKind::Game if unit.is_reduced => {
            let mut tags = unit.tag_pairs();
            let str = [(); 7].map(|()| tags.next().map_or(&b""[..], |tag| tag.1));
            let moves = &unit.ordinals;
            put_record(out, &Record::Game { str, moves })?;
        }
        UnitKind::Game => put_game(out, unit, shapes, apart)?,
        kind => put_text(out, kind, &unit.raw),
    }
    Some(())
}

fn put_game(
    out: &mut Vec<u8>,
    unit: &Decoded,
    shapes: &ShapeFields,
    apart: &[NoteParts],
) -> Option<()> {
    let is_long = |elem: &Elem| elem.kind == ElemKind::Escape && elem.inner().len() > MAX_PIECE;
    if unit.kinds.any(&[ElemKind::Escape]) && unit.elems.iter().any(is_long) {
        return None;
    }
    put_record(out, &Record::GameBegin)?;
    let mut tags = unit.tag_pairs();
    for elem in &unit.elems[..unit.tag_elems] {
        if elem.kind == ElemKind::Tag {
            let (name, value) = tags.next()?;
            put_record(out, &Record::TagPair { name, value })?;
        } else {
            put_source_escape(out, &unit.text[elem.inner()]);
        }
    }
    put_play(out, &unit.text, &unit.game());
    if let Some(data) = &unit.tag_data {
        put_private(out, EscapeKind::Tags, data);
    }
    put_notes(out, unit, shapes, apart)?;
    if let Some(data) = &unit.layout {
        put_private(out, EscapeKind::Layout, data);
    }
    put_record(out, &Record::GameEnd)
}

/// Appends the escape `A` of a game, if it has annotations.
fn put_notes(
    out: &mut Vec<u8>,
    unit: &Decoded,
    shapes: &ShapeFields,
    apart: &[NoteParts],
) -> Option<()> {
    let (mut notes, mut place, mut apart) = (NotesWriter::default(), 0, apart.iter());
    notes.begin_game();
    for elem in unit.play() {
        if elem.kind != ElemKind::Brace {
            place += 1;
            continue;
        }
        let mut fields = &unit.notes[elem.span()];
        shapes.take(elem.num, &mut fields, |kind, field| match field {
            Field::Text(_)
                if is_note(elem.num)
                    && let Some(note) = apart.next() =>
            {
                Field::Text(&note.text()?).put(kind, &mut notes.fields)
            }
            field => field.put(kind, &mut notes.fields),
        })?;
        notes.item(place, elem.num.into());
    }
    let game = notes.end_game();
    notes.put_escape(out, &game, |number| number as u64);
    Some(())
}
