//! A block in coded streams, and back (spec/small.md).

use crate::block::small::bits::{BitCoder, Chances, Read, context};
use crate::block::small::numbers::Numbers;
use crate::block::small::parts::{
    CLOSE, END, EVAL, Field, LINE, MATE, MOVE, NAG, OPEN, Parts, SHAPES, ShapeFields, TEXT, Tag, Token, UnitCode,
    put_unit, take_notes, take_unit,
};
use crate::block::small::play::{Lines, Plies, RUN, Tokens};
use crate::block::small::tags::{self, TAG_LINE, TAGS_END, Tags};
use crate::block::small::text;
use crate::chess::{BadCode, CodedLine, Position, RangeDecoder, RangeEncoder, Rules};

/// The kinds of streams, in their order.
pub(crate) const KINDS: [u8; 6] = *b"TSMNXL";

/// The models of a block.
struct Models {
    units: Chances,
    unit: u32,
    flags: u32,
    tags: Tags,
    plies: Plies,
    tokens: Tokens,
    numbers: Numbers,
}

impl Models {
    fn new() -> Models {
        Models {
            units: Chances::new(12),
            unit: 0,
            flags: 0,
            tags: Tags::new(),
            plies: Plies::new(),
            tokens: Tokens::new(),
            numbers: Numbers::new(),
        }
    }

    fn unit(&mut self, coder: &mut impl BitCoder, code: UnitCode) -> Read<UnitCode> {
        let found = self.units.symbol(coder, context(self.unit, 1), 3, code as u32);
        self.unit = found;
        UnitCode::ALL.get(found as usize).copied().ok_or(BadCode)
    }

    fn flag(&mut self, coder: &mut impl BitCoder, at: u32, flag: bool) -> bool {
        let found = self.units.bit(coder, context(self.flags >> at & 0x0101_0101, 2), at, flag);
        self.flags = self.flags & !(1 << at) | u32::from(found) << at;
        found
    }
}

/// The start position that these tags name.
fn start(tags: &[Tag<'_>]) -> Option<CodedLine> {
    let value = |wanted: &[u8]| {
        tags.iter().find_map(|tag| match *tag {
            Tag::Pair(name, value) if name == wanted => Some(value),
            _ => None,
        })
    };
    let rules = value(b"Variant").map_or(Some(Rules::Chess), Rules::from_variant_tag)?;
    Position::start(rules, value(b"FEN")).ok().map(CodedLine::new)
}

/// Writes the streams of a block.
pub(crate) fn encode(shapes: &[Vec<u8>], records: &[u8]) -> Option<Vec<(u8, Vec<u8>)>> {
    let fields = ShapeFields::new(shapes);
    let mut models = Models::new();
    let [mut t, mut s, mut n] = [(); 3].map(|()| RangeEncoder::default());
    let (mut m, mut run, mut games) = (Vec::new(), RangeEncoder::default(), 0);
    let (mut x, mut l) = (Vec::new(), Vec::new());
    let mut src = records;
    while !src.is_empty() {
        let (code, mut parts) = take_unit(&mut src)?;
        models.unit(&mut t, code).ok()?;
        if !matches!(code, UnitCode::Reduced | UnitCode::Full) {
            put_text(&mut x, &parts.text);
            continue;
        }
        let notes = std::mem::take(&mut parts.notes);
        let mut parts: Parts<'_> = parts;
        take_notes(&notes, &fields, &mut parts.tokens, &mut parts.fields)?;
        let plies = parts.moves.len() as u64;
        models.plies.code(&mut t, plies);
        models.tags.begin_game(plies);
        for tag in &parts.tags {
            match *tag {
                Tag::Pair(name, value) => {
                    if name.is_empty() || name.contains(&0) || value.contains(&0) {
                        return None;
                    }
                    let id = if code == UnitCode::Full {
                        models.tags.name(&mut t, name).ok()?
                    } else {
                        models.tags.roster(name)
                    };
                    models.tags.value(&mut t, id, value).ok()?;
                }
                Tag::Line(line) => {
                    models.tags.name(&mut t, b"\x01").ok()?;
                    put_text(&mut x, line);
                }
            }
        }
        if code == UnitCode::Full {
            models.tags.name(&mut t, b"\0").ok()?;
            models.flag(&mut t, 0, parts.tag_data.is_some());
            models.flag(&mut t, 1, parts.layout.is_some());
            models.begin(&mut parts);
            let mut left = plies;
            let (mut nags, mut lines, mut values) =
                (parts.nags.iter(), parts.lines.iter(), parts.fields.iter());
            for &token in parts.tokens.iter().chain(&[END]) {
                models.tokens.token(&mut s, left, token).ok()?;
                match token {
                    MOVE => left -= 1,
                    NAG => _ = models.tokens.nag(&mut s, *nags.next()?),
                    LINE => put_text(&mut x, lines.next()?),
                    token if token >= SHAPES => {
                        let shape = (token - SHAPES) as usize;
                        let tenths = is_tenths(shapes, shape);
                        for &kind in fields.of(shape)? {
                            match values.next()? {
                                Field::Text(text) => put_text(&mut x, text),
                                Field::Number(number) => {
                                    models.numbers.number(&mut n, kind, tenths, *number).ok()?;
                                    if kind == EVAL && *number == 0 {
                                        let Field::Number(mate) = values.next()? else {
                                            return None;
                                        };
                                        models.numbers.number(&mut n, MATE, tenths, *mate).ok()?;
                                    }
                                }
                            }
                        }
                    }
                    _ => {}
                }
            }
            if let Some(data) = &parts.tag_data {
                put_text(&mut x, data);
            }
            if let Some(data) = &parts.layout {
                put_text(&mut l, data);
            }
        }
        put_moves(&mut run, &parts)?;
        games += 1;
        if games % RUN == 0 {
            put_run(&mut m, std::mem::take(&mut run))?;
        }
    }
    models.unit(&mut t, UnitCode::End).ok()?;
    if games % RUN != 0 {
        put_run(&mut m, run)?;
    }
    let streams = [
        t.finish(),
        s.finish(),
        m,
        n.finish(),
        put_texts(&x)?,
        put_texts(&l)?,
    ];
    Some(KINDS.into_iter().zip(streams).collect())
}

impl Models {
    fn begin(&mut self, parts: &mut Parts<'_>) {
        let _ = parts;
        self.tokens.begin_game();
        let control = self.tags.value_of(tags::TIME_CONTROL);
        self.numbers.begin_game(self.tags.text(control), control);
    }
}

fn is_tenths(shapes: &[Vec<u8>], shape: usize) -> bool {
    shape.checked_sub(6).and_then(|own| shapes.get(own)).is_some_and(|shape| shape.first() == Some(&6))
}

fn put_run(out: &mut Vec<u8>, run: RangeEncoder) -> Option<()> {
    let bytes = run.finish();
    out.extend_from_slice(&u16::try_from(bytes.len()).ok()?.to_le_bytes());
    out.extend_from_slice(&bytes);
    Some(())
}

fn put_moves(coder: &mut RangeEncoder, parts: &Parts<'_>) -> Option<()> {
    if parts.moves.is_empty() {
        return Some(());
    }
    let branches = parts.tokens.contains(&OPEN);
    let mut lines = Lines::new(start(&parts.tags)?, branches);
    let mut moves = parts.moves.iter();
    for &token in &parts.tokens {
        match token {
            MOVE => lines.put(*moves.next()?, coder)?,
            OPEN => lines.open()?,
            CLOSE => lines.close()?,
            _ => {}
        }
    }
    Some(())
}

/// A text, and what ends it: 0; a 0 or 1 in it has a 1 before it.
fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    for &byte in text {
        if byte < 2 {
            out.push(1);
        }
        out.push(byte);
    }
    out.push(0);
}

fn put_texts(texts: &[u8]) -> Option<Vec<u8>> {
    if texts.is_empty() {
        return Some(Vec::new());
    }
    let mut out = Vec::new();
    crate::block::num::put_num(&mut out, texts.len() as u64);
    out.extend(text::pack(texts)?);
    Some(out)
}

fn take_texts(coded: &[u8], limit: usize) -> Option<Vec<u8>> {
    if coded.is_empty() {
        return Some(Vec::new());
    }
    let mut src = coded;
    let len = usize::try_from(crate::block::num::take_num(&mut src)?).ok()?;
    if len > 2 * limit + 1000 {
        return None;
    }
    text::unpack(src, len)
}

fn take_text(src: &mut &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    loop {
        match src.split_off_first()? {
            0 => return Some(text),
            1 => text.push(*src.split_off_first()?),
            &byte => text.push(byte),
        }
    }
}

/// The records of a block.
pub(crate) fn decode(
    shapes: &[Vec<u8>],
    streams: &[&[u8]; 6],
    limit: usize,
) -> Option<Vec<u8>> {
    let fields = ShapeFields::new(shapes);
    let mut models = Models::new();
    let [t, s, mut m, n, x, l] = *streams;
    let [mut t, mut s, mut n] = [t, s, n].map(RangeDecoder::new);
    let (x, l) = (take_texts(x, limit)?, take_texts(l, limit)?);
    let (mut x, mut l) = (&x[..], &l[..]);
    let mut run = RangeDecoder::new(&[]);
    let mut games = 0;
    let mut out = Vec::new();
    loop {
        let code = models.unit(&mut t, UnitCode::End).ok()?;
        if code == UnitCode::End {
            break;
        }
        let mut parts = Parts::default();
        if !matches!(code, UnitCode::Reduced | UnitCode::Full) {
            parts.text = take_text(&mut x)?;
            put_unit(&mut out, code, &parts, &fields)?;
            continue;
        }
        let plies = models.plies.code(&mut t, 0);
        if plies > limit as u64 {
            return None;
        }
        models.tags.begin_game(plies);
        // Names and values, and the texts of lines.
        let mut ids = Vec::new();
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let mut lines = Vec::new();
        if code == UnitCode::Reduced {
            for name in crate::records::record::ROSTER {
                let id = models.tags.roster(name.as_bytes());
                ids.push((id, models.tags.value(&mut t, id, b"").ok()?));
            }
        } else {
            loop {
                match models.tags.name(&mut t, b"").ok()? {
                    TAGS_END => break,
                    TAG_LINE => {
                        ids.push((TAG_LINE, lines.len() as u32));
                        lines.push(take_text(&mut x)?);
                    }
                    id => ids.push((id, models.tags.value(&mut t, id, b"").ok()?)),
                }
            }
        }
        let mut tokens: Vec<Token> = Vec::new();
        let mut values: Vec<Result<u64, usize>> = Vec::new();
        let mut line_texts = Vec::new();
        let mut nags = Vec::new();
        let (mut tag_data, mut layout) = (None, None);
        if code == UnitCode::Full {
            let has_data = models.flag(&mut t, 0, false);
            let has_layout = models.flag(&mut t, 1, false);
            models.begin(&mut parts);
            let mut left = plies;
            loop {
                let token = models.tokens.token(&mut s, left, 0).ok()?;
                match token {
                    END => break,
                    MOVE => left = left.checked_sub(1)?,
                    NAG => nags.push(models.tokens.nag(&mut s, 0)),
                    LINE => line_texts.push(take_text(&mut x)?),
                    token if token >= SHAPES => {
                        let shape = (token - SHAPES) as usize;
                        let tenths = is_tenths(shapes, shape);
                        for &kind in fields.of(shape)? {
                            if kind == TEXT {
                                values.push(Err(texts.len()));
                                texts.push(take_text(&mut x)?);
                                continue;
                            }
                            let number = models.numbers.number(&mut n, kind, tenths, 0).ok()?;
                            values.push(Ok(number));
                            if kind == EVAL && number == 0 {
                                values.push(Ok(models.numbers.number(&mut n, MATE, tenths, 0).ok()?));
                            }
                        }
                    }
                    _ => {}
                }
                tokens.push(token);
            }
            if has_data {
                tag_data = Some(take_text(&mut x)?);
            }
            if has_layout {
                layout = Some(take_text(&mut l)?);
            }
        } else {
            tokens = vec![MOVE; plies as usize];
        }
        let tag = |&(name, value): &(u32, u32)| match name {
            TAG_LINE => Tag::Line(&lines[value as usize]),
            name => Tag::Pair(models.tags.text(name), models.tags.text(value)),
        };
        let mut parts = Parts {
            tags: ids.iter().map(tag).collect(),
            moves: Vec::new(),
            tokens,
            nags,
            lines: line_texts.iter().map(Vec::as_slice).collect(),
            fields: values
                .iter()
                .map(|value| match value {
                    Ok(number) => Field::Number(*number),
                    Err(at) => Field::Text(&texts[*at]),
                })
                .collect(),
            tag_data,
            layout,
            text: Vec::new(),
            notes: Vec::new(),
        };
        if games % RUN == 0 {
            let len = usize::from(u16::from_le_bytes(*m.split_first_chunk()?.0));
            run = RangeDecoder::new(m.get(2..2 + len)?);
            m = &m[2 + len..];
        }
        games += 1;
        take_moves(&mut run, &mut parts, plies)?;
        put_unit(&mut out, code, &parts, &fields)?;
        if out.len() > limit {
            return None;
        }
    }
    Some(out)
}

fn take_moves(coder: &mut RangeDecoder<'_>, parts: &mut Parts<'_>, plies: u64) -> Option<()> {
    if plies == 0 {
        return Some(());
    }
    let branches = parts.tokens.contains(&OPEN);
    let mut lines = Lines::new(start(&parts.tags)?, branches);
    for &token in &parts.tokens {
        match token {
            MOVE => parts.moves.push(lines.take(coder).ok()?),
            OPEN => lines.open()?,
            CLOSE => lines.close()?,
            _ => {}
        }
    }
    Some(())
}
