//! Codes a block: each kind of what its records hold goes to a stream (spec/small.md).

use crate::block::small::decode::uncode_primer;
use crate::block::small::dissect::{Starts, WordCounts};
use crate::block::small::foretold::{ForetoldWriter, TokenWalk};
use crate::block::small::models::{Extra, Models, is_tenths, line};
use crate::block::small::moves::MoveWriter;
use crate::block::small::note::NoteParts;
use crate::block::small::notes::Notes;
use crate::block::small::parts::{
    END, EVAL, Field, LINE, MATE, MAX_FIELDS, MOVE, NAG, Parts, SHAPES, ShapeFields, TagItem,
    Token, UnitCode, is_note, with_unit,
};
use crate::block::small::primer::{MOST_RECORDS, Primer, put_primer};
use crate::block::small::tags::NextTag;
use crate::block::small::texts::TextWriter;
use crate::block::small::trial::{NotesTrial, Verdict, put_note, verdict};
use crate::chess::RangeEncoder;

/// What the models of a block begin with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start<'p> {
    /// Nothing.
    Empty,
    /// Nothing; and the first units become a primer of about `bytes` bytes.
    First { bytes: usize },
    /// The models behind this primer.
    Primed(&'p Primer),
}

/// A coded block.
pub(crate) struct CodedBlock {
    /// In the order of [`KINDS`](super::KINDS).
    pub streams: [Vec<u8>; 7],
    /// The primer that its first units became.
    pub primer: Option<Vec<u8>>,
}

/// The writers of a block's streams.
pub(crate) struct BlockCoder<'h> {
    shapes: &'h [Vec<u8>],
    fields: &'h ShapeFields,
    models: Models,
    tags: RangeEncoder,
    tokens: RangeEncoder,
    numbers: RangeEncoder,
    /// The numbers of fields, while units of the block's own primer are written.
    own_numbers: Option<RangeEncoder>,
    notes: Notes,
    /// Nothing but what a primer has is coded.
    only_models: bool,
    moves: MoveWriter,
    texts: TextWriter,
    foretold: ForetoldWriter,
    words: WordCounts,
    layouts: TextWriter,
}

impl<'h> BlockCoder<'h> {
    /// In a block with these shapes.
    pub(crate) fn new(shapes: &'h [Vec<u8>], fields: &'h ShapeFields) -> BlockCoder<'h> {
        BlockCoder {
            shapes,
            fields,
            models: Models::new(),
            tags: RangeEncoder::default(),
            tokens: RangeEncoder::default(),
            numbers: RangeEncoder::default(),
            own_numbers: None,
            notes: Notes::new(),
            only_models: false,
            moves: MoveWriter::default(),
            texts: TextWriter::default(),
            foretold: ForetoldWriter::default(),
            words: WordCounts::default(),
            layouts: TextWriter::default(),
        }
    }

    /// Codes all records of the block; `None` if pgc would not have written them, or the primer is
    /// damaged.
    pub(crate) fn code(mut self, records: &[u8], start: Start<'_>) -> Option<CodedBlock> {
        self.survey(records)?;
        let mut most = None;
        match start {
            Start::Empty => {}
            Start::Primed(primer) => self.models = primer.begin(uncode_primer)?,
            Start::First { bytes } => {
                self.own_numbers = Some(RangeEncoder::default());
                most = Some(bytes);
            }
        }
        let (mut rest, mut units, mut own) = (records, 0, None);
        while !rest.is_empty() {
            let done = (records.len() - rest.len()) as u64;
            let ends = most.filter(|&most| self.model_bytes() >= most || done >= MOST_RECORDS / 2);
            if ends.is_some() {
                most = None;
                own = Some(self.end_primer(units));
            }
            with_unit(&mut rest, self.fields, |code, parts| self.unit(code, parts))?;
            units += 1;
        }
        if most.is_some() {
            own = Some(self.end_primer(units));
        }
        self.models.unit(&mut self.tags, UnitCode::End).ok()?;
        if let Start::Primed(primer) = start {
            primer.give_back(self.models);
        }
        Some(CodedBlock {
            streams: [
                self.tags.finish(),
                self.tokens.finish(),
                self.moves.finish(),
                self.numbers.finish(),
                self.texts.finish()?,
                self.foretold.finish(),
                self.layouts.finish()?,
            ],
            primer: own,
        })
    }

    /// Estimates the bytes that a primer, of about `bytes` bytes and from the first half of these
    /// records at most, saves of the second half. Only the models are used.
    pub(crate) fn saved(mut self, records: &[u8], bytes: usize) -> Option<usize> {
        self.only_models = true;
        let mut rest = records;
        while rest.len() > records.len() / 2 {
            let is_full = self.model_bytes() >= bytes;
            with_unit(&mut rest, self.fields, |code, parts| match is_full {
                true => Some(()),
                false => self.unit(code, parts),
            })?;
        }
        self.models.settle();
        let (half, mut cold) = (rest, BlockCoder::new(self.shapes, self.fields));
        cold.only_models = true;
        let before = self.model_bytes();
        for coder in [&mut self, &mut cold] {
            let mut rest = half;
            while !rest.is_empty() {
                with_unit(&mut rest, coder.fields, |code, parts| {
                    coder.unit(code, parts)
                })?;
            }
        }
        (cold.model_bytes() + before).checked_sub(self.model_bytes())
    }

    /// About the bytes that the streams of a primer have so far.
    fn model_bytes(&self) -> usize {
        let numbers = self.own_numbers.as_ref().unwrap_or(&self.numbers);
        self.tags.len() + self.tokens.len() + numbers.len()
    }

    /// Makes a primer of what was coded so far. What follows goes to new streams, those of the
    /// block.
    fn end_primer(&mut self, units: u64) -> Vec<u8> {
        self.models.settle();
        let numbers = self.own_numbers.take().unwrap_or_default();
        let [tags, tokens] = [&mut self.tags, &mut self.tokens].map(std::mem::take);
        let streams = [tags, tokens, numbers].map(RangeEncoder::finish);
        put_primer(units, self.shapes, &streams)
    }

    fn unit(&mut self, code: UnitCode, parts: &Parts<'_>) -> Option<()> {
        self.models.unit(&mut self.tags, code).ok()?;
        match code {
            UnitCode::Reduced | UnitCode::Full if parts.fields.len() > MAX_FIELDS => None,
            UnitCode::Reduced | UnitCode::Full => self.game(code, parts),
            _ => self.text(&parts.text),
        }
    }

    fn text(&mut self, text: &[u8]) -> Option<()> {
        match self.only_models {
            true => Some(()),
            false => self.texts.put(text),
        }
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
            models.tags.name(coder, NextTag::End).ok()?;
            models.extra(coder, Extra::TagData, parts.tag_data.is_some());
            models.extra(coder, Extra::Layout, parts.layout.is_some());
            if self.only_models {
                return self.movetext(parts, &[]);
            }
            let words = &self.words;
            let mut notes = notes_of(parts, self.fields, |text, starts| {
                Some(words.note(text, starts))
            })?;
            if notes.iter().map(|note| note.parts.len()).sum::<usize>() > MAX_FIELDS {
                return None;
            }
            self.movetext(parts, &notes)?;
            self.foretold.put(parts, self.fields, &mut notes)?;
            if let Some(data) = &parts.tag_data {
                self.texts.put(data)?;
            }
            if let Some(data) = &parts.layout {
                self.layouts.put(data)?;
            }
        }
        match self.only_models {
            true => Some(()),
            false => self.moves.put(parts),
        }
    }

    fn tag(&mut self, code: UnitCode, tag: &TagItem<'_>) -> Option<()> {
        let (tags, coder) = (&mut self.models.tags, &mut self.tags);
        match *tag {
            TagItem::Pair(name, value) => {
                // 0 ends a name or value that is spelled.
                if name.is_empty() || name.contains(&0) || value.contains(&0) {
                    return None;
                }
                let name = match code {
                    UnitCode::Full => tags.name(coder, NextTag::Name(name)).ok()?,
                    _ => tags.known_name(name),
                };
                tags.value(coder, name, value).ok()?;
            }
            TagItem::Line(line) => {
                tags.name(coder, NextTag::Line).ok()?;
                self.text(line)?;
            }
        }
        Some(())
    }

    fn movetext(&mut self, parts: &Parts<'_>, notes: &[NoteParts]) -> Option<()> {
        self.models.begin_movetext();
        let (mut nags, mut lines) = (parts.nags.iter(), parts.lines.iter());
        let (mut fields, mut notes) = (parts.fields.iter(), notes.iter());
        let apart = notes.clone().any(NoteParts::is_apart);
        let mut is_first = true;
        let plies = parts.moves.len() as u64;
        let mut left = plies;
        for &token in parts.tokens.iter().chain(&[END]) {
            left = self
                .models
                .tokens
                .token(&mut self.tokens, left, token)
                .ok()?
                .1;
            match token {
                NAG => _ = self.models.tokens.nag(&mut self.tokens, *nags.next()?),
                LINE => self.text(lines.next()?)?,
                SHAPES.. => {
                    if self.fields.notes((token - SHAPES) as usize) > 0 && is_first {
                        is_first = false;
                        self.models.extra(&mut self.tags, Extra::Parts, apart);
                    }
                    self.notes.begin(plies - left);
                    self.note(token, &mut fields, &mut notes, apart)?;
                }
                _ => {}
            }
        }
        Some(())
    }

    fn note<'f>(
        &mut self,
        token: Token,
        values: &mut impl Iterator<Item = &'f Field<'f>>,
        notes: &mut impl Iterator<Item = &'f NoteParts>,
        apart: bool,
    ) -> Option<()> {
        let shape = (token - SHAPES) as usize;
        let tenths = is_tenths(self.shapes, shape);
        for at in 0..self.fields.of(shape)?.len() {
            let kind = *self.fields.of(shape)?.get(at)?;
            let number = match values.next()? {
                Field::Text(_) if apart && is_note(shape) => {
                    let (notes_model, coder) = (&mut self.notes, &mut self.numbers);
                    put_note(notes_model, coder, &mut self.texts, notes.next()?)?;
                    continue;
                }
                Field::Text(text) => {
                    self.text(text)?;
                    continue;
                }
                Field::Number(number) => *number,
            };
            let coder = self.own_numbers.as_mut().unwrap_or(&mut self.numbers);
            let models = &mut self.models.numbers;
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

    /// Decides from all comments whether they are taken apart, and which words are common.
    fn survey(&mut self, records: &[u8]) -> Option<()> {
        let mut words = WordCounts::default();
        self.each_note(records, |text, starts| {
            words.count(text, starts);
            Some(())
        })?;
        words.is_off = match verdict(words.all, words.told) {
            _ if words.are_too_many() => true,
            Verdict::Apart => false,
            Verdict::Whole => true,
            Verdict::Doubt => {
                let mut trial = NotesTrial::new();
                self.each_note(records, |text, starts| trial.put(&words, text, starts))?;
                !trial.shorter_apart()?
            }
        };
        self.words = words;
        Some(())
    }

    fn each_note(
        &self,
        mut records: &[u8],
        mut call: impl FnMut(&[u8], Starts<'_>) -> Option<()>,
    ) -> Option<()> {
        while !records.is_empty() {
            with_unit(&mut records, self.fields, |_, parts| {
                notes_of(parts, self.fields, &mut call)
            })?;
        }
        Some(())
    }
}

/// Passes each comment of a game to `call`, with the positions from which its moves may begin.
fn notes_of<T>(
    parts: &Parts<'_>,
    shapes: &ShapeFields,
    mut call: impl FnMut(&[u8], Starts<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut found = Vec::new();
    let has_notes = |&token: &Token| {
        let shape = token.checked_sub(SHAPES);
        shape.is_some_and(|shape| shapes.notes(shape as usize) > 0)
    };
    // Most games have no comments, and playing their moves takes time.
    if !parts.tokens.iter().any(has_notes) {
        return Some(found);
    }
    let mut walk = line(&parts.tags).map(|line| TokenWalk::new(line.position().clone()));
    let (mut moves, mut fields) = (parts.moves.iter(), parts.fields.iter());
    for &token in &parts.tokens {
        let Some(shape) = token.checked_sub(SHAPES) else {
            if let Some(walk) = &mut walk {
                walk.step(token, |position| {
                    let ordinal = *moves.next()?;
                    position.play_ordinal(ordinal)?;
                    Some(ordinal)
                })?;
            } else if token == MOVE {
                return None;
            }
            continue;
        };
        let starts = Starts {
            before: walk.as_ref().and_then(|walk| {
                let before = walk.before.as_ref();
                before.map(|(position, ordinal)| (position, *ordinal))
            }),
            after: walk.as_ref().map(|walk| &walk.line),
        };
        for &kind in shapes.of(shape as usize)? {
            match fields.next()? {
                Field::Text(text) if is_note(shape as usize) => found.push(call(text, starts)?),
                Field::Number(0) if kind == EVAL => _ = fields.next()?,
                _ => {}
            }
        }
    }
    Some(found)
}
