//! The records of a block in the parts that are coded apart, and back (spec/small.md section 2).
//!
//! Only records as pgc writes them can be coded. Others would come back changed, so a block that
//! has some is stored with its records as they are.

use std::borrow::Cow;
use std::ops::Range;

use crate::annotations::{NotesWriter, take_group};
use crate::decode::block::BlockDecoder;
use crate::decode::game::Decoded;
use crate::head::BlockHead;
use crate::num::{put_num, put_str, take_byte, take_num, take_str};
use crate::shape::{Hole, TENTHS};
use crate::small::stored::Needs;
use crate::style::Style;
use pgc_pgn::game::{ElemKind, TagSpan};
use pgc_pgn::reader::MAX_ELEMS;
use pgc_pgn::records::private::{EscapeKind, MAX_PIECE, put_private, put_source_escape};
use pgc_pgn::records::record::{Record, put_moves, put_record};
use pgc_pgn::split::UnitKind;

/// The kind of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum UnitCode {
    /// No more units.
    End,
    /// 0x01.
    Reduced,
    /// 0x05 to 0x06.
    Full,
    /// `S`, which begins a text or continues one.
    Stray,
    MoreStray,
    /// `P`.
    Piece,
    MorePiece,
}

impl UnitCode {
    /// The code of this number.
    pub(crate) fn new(number: u32) -> Option<UnitCode> {
        use UnitCode::{End, Full, MorePiece, MoreStray, Piece, Reduced, Stray};
        let all = [End, Reduced, Full, Stray, MoreStray, Piece, MorePiece];
        all.get(number as usize).copied()
    }

    pub(crate) fn begins_game(self) -> bool {
        matches!(self, UnitCode::Reduced | UnitCode::Full | UnitCode::Piece)
    }
}

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

/// A tag pair or a `%` line of the tag section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TagItem<'a> {
    Pair(&'a [u8], &'a [u8]),
    Line(&'a [u8]),
}

/// The value of a field of an annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Field<'a> {
    Number(u64),
    Text(Cow<'a, [u8]>),
}

/// A unit in its parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts<'a> {
    pub tags: Vec<TagItem<'a>>,
    /// Ordinals, in the order in which they stand.
    pub moves: Vec<u8>,
    pub tokens: Vec<Token>,
    pub nags: Vec<u8>,
    /// `%` lines of the movetext.
    pub lines: Vec<Cow<'a, [u8]>>,
    /// The fields of all annotations.
    pub fields: Vec<Field<'a>>,
    /// The data of `T` and `L`, unstuffed.
    pub tag_data: Option<Cow<'a, [u8]>>,
    pub layout: Option<Cow<'a, [u8]>>,
    /// The text of `S` and `P`.
    pub text: Cow<'a, [u8]>,
}

/// The most fields of a game, and the most parts of its comments: a game with more is not coded.
pub(crate) const MAX_FIELDS: usize = MAX_ELEMS;

/// The first of the block's own shapes.
pub(crate) const OWN_SHAPES: usize = 6;

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
    pub(crate) fn notes(&self, shape: usize) -> usize {
        let kinds = self.of(shape).unwrap_or_default();
        let texts = kinds.iter().filter(|&&kind| kind == TEXT).count();
        if is_note(shape) { texts } else { 0 }
    }

    /// The fields of an item of this shape.
    pub(crate) fn of(&self, shape: usize) -> Option<&[u8]> {
        self.0.get(shape).map(|(kinds, _)| kinds.as_slice())
    }

    /// Whether the clocks of items of this shape count tenths of a second.
    pub(crate) fn is_tenths(&self, shape: usize) -> bool {
        self.0.get(shape).is_some_and(|(_, is_tenths)| *is_tenths)
    }
}

/// Whether the texts of this shape are comments.
pub(crate) fn is_note(shape: usize) -> bool {
    !(2..OWN_SHAPES).contains(&shape)
}

/// Takes the units of a block apart, and passes each to `call`, with the place of its records.
/// `None` if `call` returns it, or if a unit is not as pgc writes it.
pub(crate) fn each_unit(
    head: &BlockHead,
    records: &[u8],
    shapes: &ShapeFields,
    mut call: impl FnMut(Range<usize>, UnitCode, &Parts<'_>) -> Option<()>,
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
        let code = match kind {
            UnitKind::Game if decoder.is_reduced => UnitCode::Reduced,
            UnitKind::Game => UnitCode::Full,
            UnitKind::Stray(false) => UnitCode::Stray,
            UnitKind::Stray(true) => UnitCode::MoreStray,
            UnitKind::Piece(false) => UnitCode::Piece,
            UnitKind::Piece(true) => UnitCode::MorePiece,
        };
        let parts = match kind {
            UnitKind::Game => parts_of_game(&decoder, &unit, shapes)?,
            _ => Parts {
                text: Cow::Borrowed(&unit.raw),
                ..Parts::default()
            },
        };
        call(begin..end, code, &parts)?;
        begin = end;
    }
    (begin == records.len()).then_some(())
}

/// The parts of the game that `decoder` has taken into `unit`.
fn parts_of_game<'u>(
    decoder: &'u BlockDecoder<'_>,
    unit: &'u Decoded,
    shapes: &ShapeFields,
) -> Option<Parts<'u>> {
    let text = |place: Range<usize>| &unit.text[place];
    let (section, play) = unit.elems.split_at(unit.tag_elems);
    let tags = section.iter().map(|elem| match elem.kind {
        ElemKind::Tag => {
            let TagSpan { name, value } = unit.tags[elem.num as usize].clone();
            TagItem::Pair(text(name), text(value))
        }
        _ => TagItem::Line(text(elem.inner())),
    });
    let mut parts = Parts {
        tags: tags.collect(),
        moves: unit.ordinals.clone(),
        tag_data: decoder.tag_data.as_deref().map(Cow::Borrowed),
        layout: unit.layout.as_deref().map(Cow::Borrowed),
        ..Parts::default()
    };
    for elem in play {
        parts.tokens.push(match elem.kind {
            ElemKind::Move => MOVE,
            ElemKind::Nag => {
                parts.nags.push(u8::try_from(elem.num).ok()?);
                NAG
            }
            ElemKind::RavOpen => OPEN,
            ElemKind::RavClose => CLOSE,
            _ => {
                parts.lines.push(Cow::Borrowed(text(elem.inner())));
                LINE
            }
        });
    }
    take_notes(decoder.notes(), shapes, &mut parts)?;
    Some(parts)
}

/// Adds the fields of `A` to a game, and its items to the tokens, in their places.
fn take_notes<'n>(mut notes: &'n [u8], shapes: &ShapeFields, parts: &mut Parts<'n>) -> Option<()> {
    if notes.is_empty() {
        return Some(());
    }
    let Parts { tokens, fields, .. } = parts;
    let mut played = std::mem::take(tokens).into_iter();
    while !notes.is_empty() {
        let (shape, mut delta, count) = take_group(&mut notes)?;
        let shape = u32::try_from(shape).ok()?;
        let kinds = shapes.of(shape as usize)?;
        for _ in 0..count {
            for _ in 0..delta {
                tokens.push(played.next()?);
            }
            tokens.push(SHAPES + shape);
            delta = 1;
            for &kind in kinds {
                fields.push(match kind {
                    TEXT => Field::Text(take_str(&mut notes)?.into()),
                    TERMINATOR => Field::Number(u64::from(take_byte(&mut notes)?)),
                    _ => Field::Number(take_num(&mut notes)?),
                });
                if kind == EVAL && fields.last() == Some(&Field::Number(0)) {
                    fields.push(Field::Number(take_num(&mut notes)?));
                }
            }
        }
    }
    tokens.extend(played);
    Some(())
}

/// Appends the data of `A` for these tokens and fields.
fn put_notes(out: &mut Vec<u8>, parts: &Parts<'_>, shapes: &ShapeFields) -> Option<()> {
    let (mut notes, mut fields) = (NotesWriter::default(), parts.fields.iter());
    let mut place = 0;
    notes.begin_game();
    for &token in &parts.tokens {
        let Some(shape) = token.checked_sub(SHAPES) else {
            place += 1;
            continue;
        };
        for &kind in shapes.of(shape as usize)? {
            match fields.next()? {
                Field::Text(text) => put_str(&mut notes.fields, text),
                Field::Number(number) if kind == TERMINATOR => {
                    notes.fields.push(u8::try_from(*number).ok()?);
                }
                Field::Number(0) if kind == EVAL => {
                    let Field::Number(mate) = fields.next()? else {
                        return None;
                    };
                    put_num(&mut notes.fields, 0);
                    put_num(&mut notes.fields, *mate);
                }
                Field::Number(number) => put_num(&mut notes.fields, *number),
            }
        }
        notes.item(place, shape.into());
    }
    let game = notes.end_game();
    let rank = |number: usize| number as u64;
    notes.give(&game, rank, |part| out.extend_from_slice(part));
    Some(())
}

/// Appends the records of a unit.
pub(crate) fn put_unit(
    out: &mut Vec<u8>,
    code: UnitCode,
    parts: &Parts<'_>,
    shapes: &ShapeFields,
) -> Option<()> {
    let text = |out, kind, flag| put_private(out, kind, &[&[flag], &parts.text[..]].concat());
    match code {
        UnitCode::End => return None,
        UnitCode::Reduced => {
            let mut tags = parts.tags.iter();
            let str = [(); 7].map(|()| match tags.next() {
                Some(TagItem::Pair(_, value)) => value,
                _ => &b""[..],
            });
            let moves = &parts.moves;
            put_record(out, &Record::Game { str, moves })?;
        }
        UnitCode::Full => put_game(out, parts, shapes)?,
        UnitCode::Stray => text(out, EscapeKind::Stray, 0),
        UnitCode::MoreStray => text(out, EscapeKind::Stray, 1),
        UnitCode::Piece => text(out, EscapeKind::Piece, 0),
        UnitCode::MorePiece => text(out, EscapeKind::Piece, 1),
    }
    Some(())
}

/// Appends a `%` line; `None` if it is too long for a record.
fn put_line(out: &mut Vec<u8>, line: &[u8]) -> Option<()> {
    (line.len() <= MAX_PIECE).then(|| put_source_escape(out, line))
}

fn put_game(out: &mut Vec<u8>, parts: &Parts<'_>, shapes: &ShapeFields) -> Option<()> {
    put_record(out, &Record::GameBegin)?;
    for tag in &parts.tags {
        match *tag {
            TagItem::Pair(name, value) => put_record(out, &Record::TagPair { name, value })?,
            TagItem::Line(line) => put_line(out, line)?,
        }
    }
    let (mut nags, mut lines) = (parts.nags.iter(), parts.lines.iter());
    let (mut moves, mut run) = (&parts.moves[..], 0);
    for &token in &parts.tokens {
        if token == MOVE {
            run += 1;
        } else if token < SHAPES {
            let (now, rest) = moves.split_at_checked(std::mem::take(&mut run))?;
            put_moves(out, now);
            moves = rest;
            match token {
                NAG => put_record(out, &Record::Nag(*nags.next()?))?,
                OPEN => put_record(out, &Record::RavBegin)?,
                CLOSE => put_record(out, &Record::RavEnd)?,
                _ => put_line(out, lines.next()?)?,
            }
        }
    }
    put_moves(out, moves);
    if let Some(data) = &parts.tag_data {
        put_private(out, EscapeKind::Tags, data);
    }
    let mut notes = Vec::new();
    put_notes(&mut notes, parts, shapes)?;
    if !notes.is_empty() {
        put_private(out, EscapeKind::Annotations, &notes);
    }
    if let Some(data) = &parts.layout {
        put_private(out, EscapeKind::Layout, data);
    }
    put_record(out, &Record::GameEnd)
}
