//! Codes a block: each kind of what its records hold goes to a stream (spec/small.md).

use crate::head::BlockHead;
use crate::small::dissect::{Starts, WordCounts};
use crate::small::foretold::put_foretold;
use crate::small::models::{Extra, Models, line};
use crate::small::moves::MoveWriter;
use crate::small::note::{NotePart, NoteParts};
use crate::small::notes::{NextPart, Notes};
use crate::small::parts::{
    END, EVAL, Field, LINE, MATE, MAX_FIELDS, MOVE, NAG, Parts, SHAPES, ShapeFields, TagItem,
    Token, UnitCode, each_unit, is_note, put_unit,
};
use crate::small::sums::Groups;
use crate::small::tags::NextTag;
use crate::small::texts::TextWriter;
use crate::small::walk::TokenWalk;
use pgc_chess::RangeEncoder;

/// At least this many bytes of numbers and moves in comments, if they are a fourth of all bytes,
/// need no trial to show that it is worth to take comments apart (spec/small.md section 7.8).
const MANY: usize = 2048;

/// The bits that a ply in a comment takes, roughly.
const PLY_BITS: usize = 4;

/// The writers of a block's streams.
pub(crate) struct BlockCoder<'h> {
    head: &'h BlockHead,
    fields: &'h ShapeFields,
    models: Models,
    tags: RangeEncoder,
    tokens: RangeEncoder,
    numbers: RangeEncoder,
    notes: Notes,
    moves: MoveWriter,
    texts: TextWriter,
    foretold: Vec<u8>,
    words: WordCounts,
    layouts: TextWriter,
}

impl<'h> BlockCoder<'h> {
    /// In a block with this head, whose shapes have these fields.
    pub(crate) fn new(head: &'h BlockHead, fields: &'h ShapeFields) -> BlockCoder<'h> {
        BlockCoder {
            head,
            fields,
            models: Models::new(),
            tags: RangeEncoder::default(),
            tokens: RangeEncoder::default(),
            numbers: RangeEncoder::default(),
            notes: Notes::default(),
            moves: MoveWriter::default(),
            texts: TextWriter::default(),
            foretold: Vec::new(),
            words: WordCounts::default(),
            layouts: TextWriter::default(),
        }
    }

    /// The streams of the block, in the order of [`KINDS`](super::KINDS); `None` if pgc would not
    /// have written its records.
    pub(crate) fn code(mut self, records: &[u8]) -> Option<[Vec<u8>; 8]> {
        let mut groups = Groups::of(self.head).map(|groups| (groups, Vec::new()));
        self.survey(records)?;
        each_unit(self.head, records, self.fields, |place, code, parts| {
            if let Some((groups, ended)) = &mut groups {
                ended.extend(groups.unit(code, place.start));
            }
            self.unit(code, parts)
        })?;
        self.models.unit(&mut self.tags, UnitCode::End).ok()?;
        let sums = match groups {
            Some((mut groups, mut ended)) => {
                ended.extend(groups.unit(UnitCode::End, records.len()));
                groups.stream(records, &ended)?
            }
            None => Vec::new(),
        };
        Some([
            self.tags.finish(),
            self.tokens.finish(),
            self.moves.finish(),
            self.numbers.finish(),
            self.texts.finish()?,
            self.foretold,
            self.layouts.finish()?,
            sums,
        ])
    }

    fn unit(&mut self, code: UnitCode, parts: &Parts<'_>) -> Option<()> {
        self.models.unit(&mut self.tags, code).ok()?;
        match code {
            UnitCode::Reduced | UnitCode::Full if parts.fields.len() > MAX_FIELDS => None,
            UnitCode::Reduced | UnitCode::Full => self.game(code, parts),
            _ => self.texts.put(&parts.text),
        }
    }

    fn game(&mut self, code: UnitCode, parts: &Parts<'_>) -> Option<()> {
        let plies = parts.moves.len() as u64;
        self.models.plies(&mut self.tags, plies).ok()?;
        self.models.tags.begin_game(plies);
        for tag in &parts.tags {
            self.tag(code, tag)?;
        }
        if code == UnitCode::Full {
            let (models, coder) = (&mut self.models, &mut self.tags);
            models.tags.name(coder, NextTag::End).ok()?;
            models.extra(coder, Extra::TagData, parts.tag_data.is_some());
            models.extra(coder, Extra::Layout, parts.layout.is_some());
            let words = &self.words;
            // Without common words no comment is taken apart.
            let mut notes = match words.is_off {
                true => Vec::new(),
                false => notes_of(parts, self.fields, |text, starts| {
                    Some(words.note(text, starts))
                })?,
            };
            if notes.iter().map(|note| note.parts.len()).sum::<usize>() > MAX_FIELDS {
                return None;
            }
            self.movetext(parts, &notes)?;
            put_foretold(&mut self.foretold, parts, self.fields, &mut notes)?;
            if let Some(data) = &parts.tag_data {
                self.texts.put(data)?;
            }
            if let Some(data) = &parts.layout {
                self.layouts.put(data)?;
            }
        }
        self.moves.put(parts)
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
                    _ => tags.find(name),
                };
                tags.value(coder, name, value).ok()?;
            }
            TagItem::Line(line) => {
                tags.name(coder, NextTag::Line).ok()?;
                self.texts.put(line)?;
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
            let (tokens, coder) = (&mut self.models.tokens, &mut self.tokens);
            left = tokens.token(coder, left, token).ok()?.1;
            match token {
                NAG => _ = tokens.nag(coder, *nags.next()?),
                LINE => self.texts.put(lines.next()?)?,
                SHAPES.. => {
                    if self.fields.notes((token - SHAPES) as usize) > 0 && is_first {
                        is_first = false;
                        self.models.extra(&mut self.numbers, Extra::Parts, apart);
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
        let tenths = self.fields.is_tenths(shape);
        for &kind in self.fields.of(shape)? {
            let number = match values.next()? {
                Field::Text(_) if apart && is_note(shape) => {
                    let (model, coder) = (&mut self.notes, &mut self.numbers);
                    put_note(model, coder, &mut self.texts, notes.next()?)?;
                    continue;
                }
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

    /// Decides from all comments whether they are taken apart, and which words are common. `None`
    /// also if the records would not come back from their parts as they are.
    fn survey(&mut self, records: &[u8]) -> Option<()> {
        let (mut words, mut back) = (WordCounts::default(), Vec::new());
        each_unit(self.head, records, self.fields, |place, code, parts| {
            back.clear();
            put_unit(&mut back, code, parts, self.fields)?;
            if back != records[place] {
                return None;
            }
            notes_of(parts, self.fields, |text, starts| {
                words.count(text, starts);
                Some(())
            })
            .map(drop)
        })?;
        words.is_off = match words.told {
            0 => true,
            _ if words.are_too_many() => true,
            MANY.. if words.told >= words.all / 4 => false,
            _ => {
                let mut trial = NotesTrial::default();
                each_unit(self.head, records, self.fields, |_, _, parts| {
                    let put = |text: &[u8], starts: Starts<'_>| trial.put(&words, text, starts);
                    notes_of(parts, self.fields, put).map(drop)
                })?;
                !trial.shorter_apart()?
            }
        };
        self.words = words;
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
    let mut walk = line(&parts.tags).map(|line| TokenWalk::new(line.position().clone(), true));
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
            before: walk.as_ref().and_then(|walk| walk.before.as_ref()),
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

/// Codes comments both ways.
#[derive(Default)]
struct NotesTrial {
    notes: Notes,
    coder: RangeEncoder,
    pieces: TextWriter,
    plies: usize,
    whole: TextWriter,
}

impl NotesTrial {
    /// Adds a comment.
    fn put(&mut self, words: &WordCounts, text: &[u8], starts: Starts<'_>) -> Option<()> {
        let is_white = starts.after.is_none_or(|position| position.white_to_move());
        let note = words.note(text, starts);
        self.notes.begin(u64::from(!is_white));
        put_note(&mut self.notes, &mut self.coder, &mut self.pieces, &note)?;
        for part in &note.parts {
            if let NotePart::Moves(_, ordinals) = part {
                self.plies += ordinals.len();
            }
        }
        self.whole.put(text)
    }

    /// Whether they are shorter apart.
    fn shorter_apart(self) -> Option<bool> {
        let apart = self.coder.finish().len() + self.pieces.finish()?.len();
        Some(apart + self.plies * PLY_BITS / 8 < self.whole.finish()?.len())
    }
}

/// Codes the parts of a comment, without the moves themselves.
fn put_note(
    notes: &mut Notes,
    coder: &mut RangeEncoder,
    texts: &mut TextWriter,
    note: &NoteParts,
) -> Option<()> {
    for part in &note.parts {
        let next = match part {
            NotePart::Text(_) => NextPart::Text,
            NotePart::Word(word) => NextPart::Word(note.bytes.get(word.clone())?),
            NotePart::Number(form, number) => NextPart::Number(*form, *number),
            NotePart::Moves(form, ordinals) => NextPart::Moves(*form, ordinals.len()),
        };
        notes.part(coder, next).ok()?;
        if let NotePart::Text(text) = part {
            texts.put(note.bytes.get(text.clone())?)?;
        }
    }
    notes.part(coder, NextPart::End).ok().map(|_| ())
}
