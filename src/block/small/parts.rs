//! The records of a block in the parts that are coded apart, and back (spec/small.md section 2).
//!
//! Only records as pgc writes them can be coded. Others would come back changed, so a block that
//! has some is stored with its records as they are.

use crate::annotations::{put_group, take_group};
use crate::num::{put_num, put_str, take_byte, take_num, take_str};
use crate::shape::{Hole, TENTHS};
use pgc_pgn::reader::MAX_ELEMS;
use pgc_pgn::records::private::{
    EscapeKind, MAX_PIECE, private, put_private, put_source_escape, unstuff,
};
use pgc_pgn::records::record::{ROSTER, Record, put_moves, put_record, take_record};

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
    Text(&'a [u8]),
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
    pub lines: Vec<&'a [u8]>,
    /// The fields of all annotations.
    pub fields: Vec<Field<'a>>,
    /// The data of `T`, `L` and `A`, unstuffed.
    pub tag_data: Option<Vec<u8>>,
    pub layout: Option<Vec<u8>>,
    pub notes: Vec<u8>,
    /// The text of `S` and `P`.
    pub text: Vec<u8>,
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

/// Takes the next unit of a block apart; `None` at the end, or if it is not as pgc writes it.
fn take_unit<'a>(src: &mut &'a [u8]) -> Option<(UnitCode, Parts<'a>)> {
    let mut parts = Parts::default();
    let code = match take_record(src).ok()? {
        Record::Game { str, moves } => {
            let pair = |(name, value): (&'static str, _)| TagItem::Pair(name.as_bytes(), value);
            parts.tags = ROSTER.into_iter().zip(str).map(pair).collect();
            parts.moves = moves.to_vec();
            parts.tokens = vec![MOVE; moves.len()];
            UnitCode::Reduced
        }
        Record::GameBegin => {
            take_game(src, &mut parts)?;
            UnitCode::Full
        }
        Record::Escape(payload) => {
            let (kind, data) = escape(src, payload)?;
            let (&flag, text) = data.split_first()?;
            parts.text = text.to_vec();
            match (kind, flag) {
                (EscapeKind::Stray, 0) => UnitCode::Stray,
                (EscapeKind::Stray, 1) => UnitCode::MoreStray,
                (EscapeKind::Piece, 0) => UnitCode::Piece,
                (EscapeKind::Piece, 1) => UnitCode::MorePiece,
                _ => return None,
            }
        }
        _ => return None,
    };
    Some((code, parts))
}

/// The kind and the data of a private escape, with all its pieces.
fn escape(src: &mut &[u8], payload: &[u8]) -> Option<(EscapeKind, Vec<u8>)> {
    let mut part = private(payload)?;
    let mut stuffed = part.data.to_vec();
    while part.continues {
        let Record::Escape(payload) = take_record(src).ok()? else {
            return None;
        };
        let kind = part.kind;
        part = private(payload).filter(|next| next.kind == kind)?;
        stuffed.extend_from_slice(part.data);
    }
    let mut data = Vec::new();
    unstuff(&mut data, &stuffed)?;
    Some((part.kind, data))
}

/// The text of a `%` line; `None` for another escape.
fn source_line(payload: &[u8]) -> Option<&[u8]> {
    match private(payload) {
        Some(line) => (line.kind == EscapeKind::Quoted).then_some(line.data),
        None => Some(payload),
    }
}

fn take_game<'a>(src: &mut &'a [u8], parts: &mut Parts<'a>) -> Option<()> {
    loop {
        match take_record(src).ok()? {
            Record::GameEnd => return Some(()),
            Record::TagPair { name, value } => {
                // Lines before the last tag pair belong to the tags.
                if parts.tokens.drain(..).any(|token| token != LINE) {
                    return None;
                }
                parts.tags.extend(parts.lines.drain(..).map(TagItem::Line));
                parts.tags.push(TagItem::Pair(name, value));
            }
            Record::ShortMoves(moves) | Record::LongMoves(moves) => {
                parts.moves.extend_from_slice(moves);
                parts.tokens.extend(moves.iter().map(|_| MOVE));
            }
            Record::Nag(value) => {
                parts.nags.push(value);
                parts.tokens.push(NAG);
            }
            Record::RavBegin => parts.tokens.push(OPEN),
            Record::RavEnd => parts.tokens.push(CLOSE),
            Record::Escape(payload) => match source_line(payload) {
                Some(line) => {
                    parts.lines.push(line);
                    parts.tokens.push(LINE);
                }
                None => match escape(src, payload)? {
                    (EscapeKind::Tags, data) => parts.tag_data = Some(data),
                    (EscapeKind::Annotations, data) => parts.notes = data,
                    (EscapeKind::Layout, data) => parts.layout = Some(data),
                    _ => return None,
                },
            },
            Record::Noop | Record::GameBegin | Record::Game { .. } => return None,
        }
    }
}

/// Appends the fields of `A` to `fields`, and its items to `tokens`, in their places.
fn take_notes<'n>(
    mut notes: &'n [u8],
    shapes: &ShapeFields,
    tokens: &mut Vec<Token>,
    fields: &mut Vec<Field<'n>>,
) -> Option<()> {
    if notes.is_empty() {
        return Some(());
    }
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
                    TEXT => Field::Text(take_str(&mut notes)?),
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

/// Takes the next unit of a block apart, annotations too, and passes it to `call`; `None` as
/// [`take_unit`], and if the annotations are not well-formed.
pub(crate) fn with_unit<T>(
    src: &mut &[u8],
    shapes: &ShapeFields,
    call: impl FnOnce(UnitCode, &Parts<'_>) -> Option<T>,
) -> Option<T> {
    let (code, mut parts) = take_unit(src)?;
    let notes = std::mem::take(&mut parts.notes);
    // With a shorter lifetime, since fields borrow from `notes`.
    let mut parts: Parts<'_> = parts;
    take_notes(&notes, shapes, &mut parts.tokens, &mut parts.fields)?;
    call(code, &parts)
}

/// Appends the data of `A` for these tokens and fields.
fn put_notes(out: &mut Vec<u8>, parts: &Parts<'_>, shapes: &ShapeFields) -> Option<()> {
    let mut fields = parts.fields.iter();
    let (mut group, mut bytes) = ((0, 0, 0), Vec::new());
    let mut close = |(shape, delta, count), bytes: &mut Vec<u8>| {
        if count > 0 {
            put_group(out, shape, delta, count);
            out.append(bytes);
        }
    };
    let mut delta = 0;
    for &token in &parts.tokens {
        let Some(shape) = token.checked_sub(SHAPES) else {
            delta += 1;
            continue;
        };
        let kinds = shapes.of(shape as usize)?;
        let shape = u64::from(shape);
        if group.2 == 0 || group.0 != shape || delta != 1 {
            close(group, &mut bytes);
            group = (shape, delta, 0);
        }
        group.2 += 1;
        delta = 0;
        for &kind in kinds {
            match fields.next()? {
                Field::Text(text) => put_str(&mut bytes, text),
                Field::Number(number) if kind == TERMINATOR => {
                    bytes.push(u8::try_from(*number).ok()?);
                }
                Field::Number(0) if kind == EVAL => {
                    let Field::Number(mate) = fields.next()? else {
                        return None;
                    };
                    put_num(&mut bytes, 0);
                    put_num(&mut bytes, *mate);
                }
                Field::Number(number) => put_num(&mut bytes, *number),
            }
        }
    }
    close(group, &mut bytes);
    Some(())
}

/// Whether these records come back from their parts as they are; `None` if they have none.
pub(crate) fn come_back(mut records: &[u8], shapes: &ShapeFields) -> Option<bool> {
    let mut back = Vec::new();
    while !records.is_empty() {
        let begin = records;
        back.clear();
        with_unit(&mut records, shapes, |code, parts| {
            put_unit(&mut back, code, parts, shapes)
        })?;
        if back != begin[..begin.len() - records.len()] {
            return Some(false);
        }
    }
    Some(true)
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
