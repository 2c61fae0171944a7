//! Codes a block: each kind of what its records hold goes to a stream (spec/small.md).

use crate::block::small::models::{Extra, Models, is_tenths};
use crate::block::small::moves::MoveWriter;
use crate::block::small::parts::{
    END, EVAL, Field, LINE, MATE, NAG, Parts, SHAPES, ShapeFields, TAG_END_NAME, TAG_LINE_NAME,
    Tag, Token, UnitCode, take_notes, take_unit,
};
use crate::block::small::texts::TextWriter;
use crate::chess::RangeEncoder;

/// The writers of a block's streams.
pub(crate) struct BlockCoder<'h> {
    shapes: &'h [Vec<u8>],
    fields: ShapeFields,
    models: Models,
    tags: RangeEncoder,
    tokens: RangeEncoder,
    numbers: RangeEncoder,
    moves: MoveWriter,
    texts: TextWriter,
    layouts: TextWriter,
}

impl<'h> BlockCoder<'h> {
    /// In a block with these shapes.
    pub(crate) fn new(shapes: &'h [Vec<u8>], fields: ShapeFields) -> BlockCoder<'h> {
        BlockCoder {
            shapes,
            fields,
            models: Models::new(),
            tags: RangeEncoder::default(),
            tokens: RangeEncoder::default(),
            numbers: RangeEncoder::default(),
            moves: MoveWriter::default(),
            texts: TextWriter::default(),
            layouts: TextWriter::default(),
        }
    }

    /// Codes all records of the block; `None` if pgc would not have written them. Returns the
    /// streams in the order of [`KINDS`](super::KINDS).
    pub(crate) fn code(mut self, mut records: &[u8]) -> Option<[Vec<u8>; 6]> {
        while !records.is_empty() {
            let (code, mut parts) = take_unit(&mut records)?;
            self.models.unit(&mut self.tags, code).ok()?;
            match code {
                UnitCode::Reduced | UnitCode::Full => {
                    let notes = std::mem::take(&mut parts.notes);
                    let mut parts: Parts<'_> = parts;
                    take_notes(&notes, &self.fields, &mut parts.tokens, &mut parts.fields)?;
                    self.game(code, &parts)?;
                }
                _ => self.texts.put(&parts.text)?,
            }
        }
        self.models.unit(&mut self.tags, UnitCode::End).ok()?;
        Some([
            self.tags.finish(),
            self.tokens.finish(),
            self.moves.finish(),
            self.numbers.finish(),
            self.texts.finish()?,
            self.layouts.finish()?,
        ])
    }

    fn game(&mut self, code: UnitCode, parts: &Parts<'_>) -> Option<()> {
        let plies = parts.moves.len() as u64;
        self.models.plies.code(&mut self.tags, plies);
        self.models.tags.begin_game(plies);
        for tag in &parts.tags {
            self.tag(code, tag)?;
        }
        if code == UnitCode::Full {
            let (models, coder) = (&mut self.models, &mut self.tags);
            models.tags.name(coder, TAG_END_NAME).ok()?;
            models.extra(coder, Extra::TagData, parts.tag_data.is_some());
            models.extra(coder, Extra::Layout, parts.layout.is_some());
            self.movetext(parts)?;
            if let Some(data) = &parts.tag_data {
                self.texts.put(data)?;
            }
            if let Some(data) = &parts.layout {
                self.layouts.put(data)?;
            }
        }
        self.moves.put(parts)
    }

    fn tag(&mut self, code: UnitCode, tag: &Tag<'_>) -> Option<()> {
        let (tags, coder) = (&mut self.models.tags, &mut self.tags);
        match *tag {
            Tag::Pair(name, value) => {
                // 0 ends a name or value that is spelled.
                if name.is_empty() || name.contains(&0) || value.contains(&0) {
                    return None;
                }
                let name = match code {
                    UnitCode::Full => tags.name(coder, name).ok()?,
                    _ => tags.known_name(name),
                };
                tags.value(coder, name, value).ok()?;
            }
            Tag::Line(line) => {
                tags.name(coder, TAG_LINE_NAME).ok()?;
                self.texts.put(line)?;
            }
        }
        Some(())
    }

    fn movetext(&mut self, parts: &Parts<'_>) -> Option<()> {
        self.models.begin_movetext();
        let (mut nags, mut lines) = (parts.nags.iter(), parts.lines.iter());
        let mut fields = parts.fields.iter();
        let mut left = parts.moves.len() as u64;
        for &token in parts.tokens.iter().chain(&[END]) {
            left = self
                .models
                .tokens
                .token(&mut self.tokens, left, token)
                .ok()?
                .1;
            match token {
                NAG => _ = self.models.tokens.nag(&mut self.tokens, *nags.next()?),
                LINE => self.texts.put(lines.next()?)?,
                SHAPES.. => self.note(token, &mut fields)?,
                _ => {}
            }
        }
        Some(())
    }

    fn note<'f>(
        &mut self,
        token: Token,
        values: &mut impl Iterator<Item = &'f Field<'f>>,
    ) -> Option<()> {
        let shape = (token - SHAPES) as usize;
        let tenths = is_tenths(self.shapes, shape);
        for &kind in self.fields.of(shape)? {
            let number = match values.next()? {
                Field::Text(text) => {
                    self.texts.put(text)?;
                    continue;
                }
                Field::Number(number) => *number,
            };
            let (models, coder) = (&mut self.models.numbers, &mut self.numbers);
            models.number(coder, kind, tenths, number).ok()?;
            if kind == EVAL && number == 0 {
                let Field::Number(mate) = values.next()? else {
                    return None;
                };
                models.number(coder, MATE, tenths, *mate).ok()?;
            }
        }
        Some(())
    }
}
