//! Codes a block: each kind of what its records hold goes to a stream (spec/small.md).

use crate::decode::game::Decoded;
use crate::head::BlockHead;
use crate::small::dissect::{Starts, WordCounts};
use crate::small::foretold::put_foretold;
use crate::small::models::{Extra, Models, start};
use crate::small::moves::MoveWriter;
use crate::small::note::{NotePart, NoteParts};
use crate::small::notes::{NextPart, Notes};
use crate::small::parts::{
    END, Field, MAX_FIELDS, ShapeFields, each_unit, is_note, put_unit, token,
};
use crate::small::sums::Groups;
use crate::small::tags::NextTag;
use crate::small::texts::TextWriter;
use crate::small::walk::LineWalk;
use pgc_chess::RangeEncoder;
use pgc_pgn::game::{Elem, ElemKind};
use pgc_pgn::split::UnitKind;

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
        let mut groups = Groups::from_head(self.head).map(|groups| (groups, Vec::new()));
        self.survey(records)?;
        each_unit(self.head, records, self.fields, |place, kind, unit| {
            if let Some((groups, ended)) = &mut groups {
                ended.extend(groups.unit(Some(kind), place.start));
            }
            let coded = Some((kind, unit.is_reduced));
            self.models.unit(&mut self.tags, coded).ok()?;
            match kind {
                UnitKind::Game => self.game(unit),
                _ => self.texts.put(&unit.raw),
            }
        })?;
        self.models.unit(&mut self.tags, None).ok()?;
        let sums = match groups {
            Some((mut groups, mut ended)) => {
                ended.extend(groups.unit(None, records.len()));
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

    fn game(&mut self, game: &Decoded) -> Option<()> {
        let plies = game.ordinals.len() as u64;
        self.models.plies(&mut self.tags, plies).ok()?;
        self.models.tags.begin_game(plies);
        self.tags(game)?;
        if !game.is_reduced {
            let (models, coder) = (&mut self.models, &mut self.tags);
            models.tags.name(coder, NextTag::End).ok()?;
            models.extra(coder, Extra::TagData, game.tag_data.is_some());
            models.extra(coder, Extra::Layout, game.layout.is_some());
            let words = &self.words;
            // Without common words no comment is taken apart.
            let mut notes = match words.is_off {
                true => Vec::new(),
                false => notes_of(game, self.fields, |text, starts| {
                    Some(words.note(text, starts))
                })?,
            };
            if notes.iter().map(|note| note.parts.len()).sum::<usize>() > MAX_FIELDS {
                return None;
            }
            self.movetext(game, &notes)?;
            put_foretold(&mut self.foretold, game, self.fields, &mut notes)?;
            if let Some(data) = &game.tag_data {
                self.texts.put(data)?;
            }
            if let Some(data) = &game.layout {
                self.layouts.put(data)?;
            }
        }
        self.moves.put(game)
    }

    fn tags(&mut self, game: &Decoded) -> Option<()> {
        let (tags, coder) = (&mut self.models.tags, &mut self.tags);
        let mut pairs = game.tag_pairs();
        for elem in &game.elems[..game.tag_elems] {
            if elem.kind != ElemKind::Tag {
                tags.name(coder, NextTag::Line).ok()?;
                self.texts.put(&game.text[elem.inner()])?;
                continue;
            }
            let (name, value) = pairs.next()?;
            // 0 ends a name or value that is spelled.
            if name.is_empty() || name.contains(&0) || value.contains(&0) {
                return None;
            }
            let name = match game.is_reduced {
                true => tags.find(name),
                false => tags.name(coder, NextTag::Name(name)).ok()?,
            };
            tags.value(coder, name, value).ok()?;
        }
        Some(())
    }

    fn movetext(&mut self, game: &Decoded, notes: &[NoteParts]) -> Option<()> {
        self.models.begin_movetext();
        let mut notes = notes.iter();
        let apart = notes.clone().any(NoteParts::is_apart);
        let mut is_first = true;
        let plies = game.ordinals.len() as u64;
        let mut left = plies;
        for elem in game.play() {
            let (tokens, coder) = (&mut self.models.tokens, &mut self.tokens);
            left = tokens.token(coder, left, token(elem)).ok()?.1;
            match elem.kind {
                ElemKind::Nag => _ = tokens.nag(coder, u8::try_from(elem.num).ok()?),
                ElemKind::Escape => self.texts.put(&game.text[elem.inner()])?,
                ElemKind::Brace => {
                    if self.fields.notes(elem.num) > 0 && is_first {
                        is_first = false;
                        self.models.extra(&mut self.numbers, Extra::Parts, apart);
                    }
                    self.notes.begin(plies - left);
                    self.note(elem, &game.notes, &mut notes, apart)?;
                }
                _ => {}
            }
        }
        let tokens = &mut self.models.tokens;
        tokens.token(&mut self.tokens, left, END).ok().map(drop)
    }

    fn note<'f>(
        &mut self,
        note: &Elem,
        fields: &[u8],
        apart: &mut impl Iterator<Item = &'f NoteParts>,
        is_apart: bool,
    ) -> Option<()> {
        let (shape, tenths) = (note.num, self.fields.is_tenths(note.num));
        let (models, coder) = (&mut self.models.numbers, &mut self.numbers);
        let (notes, texts) = (&mut self.notes, &mut self.texts);
        let mut fields = &fields[note.span()];
        self.fields
            .take(shape, &mut fields, |kind, field| match field {
                Field::Text(_) if is_apart && is_note(shape) => {
                    put_note(notes, coder, texts, apart.next()?)
                }
                Field::Text(text) => texts.put(text),
                Field::Number(number) => models.number(coder, kind, tenths, number).ok().map(drop),
            })
    }

    /// Decides from all comments whether they are taken apart, and which words are common. `None`
    /// also if the records would not come back from their parts as they are.
    fn survey(&mut self, records: &[u8]) -> Option<()> {
        let (mut words, mut back) = (WordCounts::default(), Vec::new());
        each_unit(self.head, records, self.fields, |place, kind, unit| {
            back.clear();
            put_unit(&mut back, kind, unit, self.fields, &[])?;
            if back != records[place] {
                return None;
            }
            notes_of(unit, self.fields, |text, starts| {
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
                each_unit(self.head, records, self.fields, |_, _, unit| {
                    let put = |text: &[u8], starts: Starts<'_>| trial.put(&words, text, starts);
                    notes_of(unit, self.fields, put).map(drop)
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
    game: &Decoded,
    shapes: &ShapeFields,
    mut call: impl FnMut(&[u8], Starts<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut found = Vec::new();
    let has_notes = |elem: &Elem| elem.kind == ElemKind::Brace && shapes.notes(elem.num) > 0;
    // Most games have no comments, and playing their moves takes time.
    if !game.play().iter().any(has_notes) {
        return Some(found);
    }
    let mut walk = start(game).map(|start| LineWalk::new(start, true));
    for elem in game.play() {
        if elem.kind != ElemKind::Brace {
            if let Some(walk) = &mut walk {
                walk.step(elem.kind, |position| {
                    position.advance(elem.ordinal, None)?;
                    Some(elem.ordinal)
                })?;
            } else if elem.kind == ElemKind::Move {
                return None;
            }
            continue;
        }
        let starts = Starts {
            before: walk.as_ref().and_then(|walk| walk.before.as_ref()),
            after: walk.as_ref().map(|walk| &walk.line),
        };
        shapes.take(elem.num, &mut &game.notes[elem.span()], |_, field| {
            if let (Field::Text(text), true) = (field, is_note(elem.num)) {
                found.push(call(text, starts)?);
            }
            Some(())
        })?;
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
