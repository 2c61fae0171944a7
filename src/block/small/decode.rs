//! Decodes a coded block to its records (spec/small.md).

use std::ops::Range;

use crate::block::head::BlockHead;
use crate::block::small::foretold::ForetoldReader;
use crate::block::small::models::{Extra, Models, is_tenths};
use crate::block::small::moves::MoveReader;
use crate::block::small::note::{NotePart, NoteParts};
use crate::block::small::notes::{CodedPart, NextPart, Notes};
use crate::block::small::parts::{
    END, EVAL, Field, LINE, MATE, MAX_FIELDS, MOVE, NAG, Parts, SHAPES, ShapeFields, TEXT, TagItem,
    Token, UnitCode, is_note, put_unit,
};
use crate::block::small::primer::{MOST_RECORDS, Primer, take_primer};
use crate::block::small::stream::{OWN_PRIMER, PRIMER};
use crate::block::small::tags::{NextTag, TAG_LINE, TAGS_END};
use crate::block::small::texts::TextReader;
use crate::chess::{BadCode, RangeDecoder};
use crate::pgn::reader::MAX_ELEMS;
use crate::records::record::ROSTER;

/// The stream that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadStream(pub u8);

fn bad<T>(kind: u8) -> impl FnOnce(BadCode) -> Result<T, BadStream> {
    move |_| Err(BadStream(kind))
}

/// What bounds the records that are decoded, and the shapes of their comments.
struct Frame<'a> {
    shapes: &'a [Vec<u8>],
    games: u64,
    plies: u64,
    records: u64,
    /// The most elements.
    room: u64,
}

/// The streams of a block that follow those of its own primer, which has `units` more units.
struct BehindPrimer<'a> {
    units: u64,
    tags: RangeDecoder<'a>,
    tokens: RangeDecoder<'a>,
}

/// The readers of a block's streams.
pub(crate) struct BlockUncoder<'a> {
    head: Frame<'a>,
    /// While units of the block's own primer are read from its streams: the streams that follow.
    behind: Option<BehindPrimer<'a>>,
    /// The primer of the segment, if the block uses it.
    primer: Option<&'a Primer>,
    /// A primer alone is decoded, for its models: it has no moves and no texts.
    is_primer: bool,
    fields: ShapeFields,
    models: Models,
    tags: RangeDecoder<'a>,
    tokens: RangeDecoder<'a>,
    numbers: RangeDecoder<'a>,
    /// The numbers of fields, while units of the block's own primer are read.
    own_numbers: Option<RangeDecoder<'a>>,
    notes: Notes,
    moves: MoveReader<'a>,
    texts: TextReader<'a>,
    foretold: ForetoldReader<'a>,
    layouts: TextReader<'a>,
    /// The wanted games. Of the others, only what these need is decoded.
    wanted: Range<u64>,
    /// Games that began.
    games: u64,
    plies: u64,
    /// The elements and bytes of records that the block may still have. What was decoded counts
    /// with the fewest bytes that it can take in the records.
    room: u64,
    records: u64,
}

/// What a game has besides its tags and moves, with the texts that it owns.
#[derive(Default)]
struct DecodedMovetext {
    tokens: Vec<Token>,
    nags: Vec<u8>,
    lines: Vec<Vec<u8>>,
    values: Vec<DecodedValue>,
    /// Whether comments are taken apart, once that is known, and whether they have moves.
    apart: Option<bool>,
    has_lists: bool,
    /// The number of parts of all comments.
    parts: usize,
}

/// The value of a field.
enum DecodedValue {
    Number(u64),
    Text(Vec<u8>),
    Note(NoteParts),
}

/// What the models of a block begin with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Begin<'a> {
    /// Nothing.
    Empty,
    /// Nothing; the first units of the block are those of this primer.
    Own(&'a [u8]),
    /// The models behind this primer.
    Primed(&'a Primer),
}

/// The models behind a primer; `None` if it cannot be decoded.
pub(crate) fn uncode_primer(bytes: &[u8]) -> Option<Models> {
    let parts = take_primer(bytes)?;
    let frame = Frame {
        shapes: &parts.shapes,
        games: u64::MAX,
        plies: MOST_RECORDS,
        records: MOST_RECORDS,
        room: MOST_RECORDS,
    };
    let [tags, tokens, numbers] = parts.streams;
    let streams = [tags, tokens, &[], numbers, &[], &[], &[]];
    let mut uncoder = BlockUncoder::with(frame, streams, 0..0);
    uncoder.is_primer = true;
    uncoder.prime(parts.units).ok()
}

impl<'a> BlockUncoder<'a> {
    /// `streams`: in the order of [`KINDS`](super::KINDS).
    pub(crate) fn new(
        head: &'a BlockHead,
        streams: [&'a [u8]; 7],
        wanted: Range<u64>,
        begin: Begin<'a>,
    ) -> Result<BlockUncoder<'a>, BadStream> {
        let frame = Frame {
            shapes: &head.shapes,
            games: head.games,
            plies: head.plies,
            records: head.records,
            // Each element takes at least a byte of source, except the end of a variation that the
            // source does not close, and a terminator that it does not have.
            room: 2 * head.source + head.games,
        };
        let mut uncoder = BlockUncoder::with(frame, streams, wanted);
        match begin {
            Begin::Empty => {}
            Begin::Primed(primer) => {
                let models = primer.begin(uncode_primer);
                uncoder.models = models.ok_or(BadStream(PRIMER))?;
                uncoder.primer = Some(primer);
            }
            Begin::Own(bytes) => {
                let parts = take_primer(bytes).filter(|parts| parts.shapes == head.shapes);
                let parts = parts.ok_or(BadStream(OWN_PRIMER))?;
                let [tags, tokens, numbers] = parts.streams.map(RangeDecoder::new);
                uncoder.behind = Some(BehindPrimer {
                    units: parts.units,
                    tags: std::mem::replace(&mut uncoder.tags, tags),
                    tokens: std::mem::replace(&mut uncoder.tokens, tokens),
                });
                uncoder.own_numbers = Some(numbers);
            }
        }
        Ok(uncoder)
    }

    fn with(head: Frame<'a>, streams: [&'a [u8]; 7], wanted: Range<u64>) -> BlockUncoder<'a> {
        let [tags, tokens, moves, numbers, texts, foretold, layouts] = streams;
        BlockUncoder {
            fields: ShapeFields::new(head.shapes),
            models: Models::new(),
            primer: None,
            behind: None,
            is_primer: false,
            tags: RangeDecoder::new(tags),
            tokens: RangeDecoder::new(tokens),
            numbers: RangeDecoder::new(numbers),
            own_numbers: None,
            notes: Notes::new(),
            moves: MoveReader::new(moves, wanted == (0..head.games)),
            texts: TextReader::new(texts, head.records),
            foretold: ForetoldReader(foretold),
            layouts: TextReader::new(layouts, head.records),
            wanted,
            games: 0,
            plies: 0,
            room: head.room,
            records: head.records,
            head,
        }
    }

    /// The records of the wanted games; those of the whole block if all are wanted.
    pub(crate) fn records(mut self) -> Result<Vec<u8>, BadStream> {
        let mut out = Vec::new();
        let all = self.wanted == (0..self.head.games);
        self.units(all, &mut out)?;
        let primer = self.primer;
        let models = if all { self.finish()? } else { self.models };
        if let Some(primer) = primer {
            primer.give_back(models);
        }
        Ok(out)
    }

    fn units(&mut self, all: bool, out: &mut Vec<u8>) -> Result<(), BadStream> {
        let mut before = UnitCode::End;
        loop {
            self.pass_primer()?;
            let code = self.next_unit()?;
            let begins = matches!(code, UnitCode::Reduced | UnitCode::Full | UnitCode::Piece);
            // Behind the last wanted game nothing is needed; but the unit behind a piece shows that
            // no more pieces follow.
            let is_over = begins && self.games >= self.wanted.end;
            if !all && is_over && before != UnitCode::Piece && before != UnitCode::MorePiece {
                return Ok(());
            }
            if code == UnitCode::End {
                return Ok(());
            }
            self.games += u64::from(begins);
            let wanted = all || self.games > self.wanted.start;
            self.unit(code, wanted, out)?;
            if out.len() as u64 > self.head.records {
                return Err(BadStream(b'T'));
            }
            if !all && is_over {
                return Ok(());
            }
            before = code;
        }
    }

    fn next_unit(&mut self) -> Result<UnitCode, BadStream> {
        let code = self.models.unit(&mut self.tags, UnitCode::End);
        code.or_else(bad(b'T'))
    }

    /// Counts a unit of the block's own primer; behind the last its streams end, and those of the
    /// block begin.
    fn pass_primer(&mut self) -> Result<(), BadStream> {
        let Some(behind) = &mut self.behind else {
            return Ok(());
        };
        if let Some(left) = behind.units.checked_sub(1) {
            behind.units = left;
            return Ok(());
        }
        if let Some(behind) = self.behind.take() {
            let ended = [
                Some(std::mem::replace(&mut self.tags, behind.tags)),
                Some(std::mem::replace(&mut self.tokens, behind.tokens)),
                self.own_numbers.take(),
            ];
            for stream in ended.into_iter().flatten() {
                stream.finish().or_else(bad(OWN_PRIMER))?;
            }
            self.models.settle();
        }
        Ok(())
    }

    /// The models behind `units` units, which must be all of the primer.
    fn prime(mut self, units: u64) -> Result<Models, BadStream> {
        for _ in 0..units {
            match self.next_unit()? {
                UnitCode::End => return Err(BadStream(PRIMER)),
                code => self.unit(code, false, &mut Vec::new())?,
            }
        }
        for reader in [self.tags, self.tokens, self.numbers] {
            reader.finish().or_else(bad(PRIMER))?;
        }
        self.models.settle();
        Ok(self.models)
    }

    /// Checks that the streams end here.
    fn finish(self) -> Result<Models, BadStream> {
        if self.behind.is_some() {
            return Err(BadStream(OWN_PRIMER));
        }
        for (reader, kind) in [(self.tags, b'T'), (self.tokens, b'S'), (self.numbers, b'N')] {
            reader.finish().or_else(bad(kind))?;
        }
        let ends = [
            (self.foretold.is_empty(), b'C'),
            (self.texts.is_empty(), b'X'),
            (self.layouts.is_empty(), b'L'),
            (self.moves.finish().is_some(), b'M'),
        ];
        let early = ends.into_iter().find(|(ends, _)| !ends);
        early.map_or(Ok(self.models), |(_, kind)| Err(BadStream(kind)))
    }

    fn unit(&mut self, code: UnitCode, wanted: bool, out: &mut Vec<u8>) -> Result<(), BadStream> {
        if matches!(code, UnitCode::Reduced | UnitCode::Full) {
            return self.game(code, wanted, out);
        }
        let text = self.text(wanted)?;
        let parts = Parts {
            text,
            ..Parts::default()
        };
        match wanted {
            true => put_unit(out, code, &parts, &self.fields).ok_or(BadStream(b'X')),
            false => Ok(()),
        }
    }

    fn text(&mut self, wanted: bool) -> Result<Vec<u8>, BadStream> {
        let text = match self.is_primer {
            true => Vec::new(),
            false => self.texts.take(wanted).ok_or(BadStream(b'X'))?,
        };
        self.spend(1 + text.len(), b'X')?;
        Ok(text)
    }

    /// Takes bytes off those that the records may still have, so that no stream goes on without
    /// end.
    fn spend(&mut self, bytes: usize, kind: u8) -> Result<(), BadStream> {
        let left = self.records.checked_sub(bytes as u64);
        self.records = left.ok_or(BadStream(kind))?;
        Ok(())
    }

    fn game(&mut self, code: UnitCode, wanted: bool, out: &mut Vec<u8>) -> Result<(), BadStream> {
        self.spend(1, b'T')?;
        let plies = self.models.plies.code(&mut self.tags, 0);
        self.plies = self.plies.saturating_add(plies);
        if self.plies > self.head.plies {
            return Err(BadStream(b'T'));
        }
        if code == UnitCode::Reduced {
            // Checked before any move is decoded: a 0x01 has its number of moves in two bytes.
            let plies = u16::try_from(plies).map_err(|_| BadStream(b'T'))?;
            self.spend(plies.into(), b'T')?;
        }
        self.models.tags.begin_game(plies);
        let (ids, tag_lines) = self.tags_of(code, wanted)?;
        let (mut tag_data, mut layout) = (None, None);
        let movetext = match code {
            UnitCode::Full => {
                let (models, coder) = (&mut self.models, &mut self.tags);
                let has_data = models.extra(coder, Extra::TagData, false);
                let has_layout = models.extra(coder, Extra::Layout, false);
                let movetext = self.movetext(plies, wanted)?;
                if has_data {
                    tag_data = Some(self.text(wanted)?);
                }
                if has_layout && !self.is_primer {
                    layout = Some(self.layouts.take(wanted).ok_or(BadStream(b'L'))?);
                }
                movetext
            }
            _ => DecodedMovetext {
                tokens: vec![MOVE; usize::try_from(plies).unwrap_or(0)],
                ..DecodedMovetext::default()
            },
        };
        if self.is_primer {
            return Ok(());
        }
        let tag = |&(name, value): &(u32, u32)| match name {
            TAG_LINE => TagItem::Line(tag_lines.get(value as usize).map_or(b"", |line| line)),
            name => TagItem::Pair(self.models.tags.text(name), self.models.tags.text(value)),
        };
        let mut parts = Parts {
            tags: ids.iter().map(tag).collect(),
            tokens: movetext.tokens,
            nags: movetext.nags,
            lines: movetext.lines.iter().map(Vec::as_slice).collect(),
            tag_data,
            layout,
            ..Parts::default()
        };
        self.moves.take(&mut parts, wanted).ok_or(BadStream(b'M'))?;
        let mut values = movetext.values;
        if movetext.has_lists {
            let notes = values.iter_mut().filter_map(DecodedValue::note);
            let taken = self.foretold.take(&parts, &self.fields, notes, wanted);
            taken.ok_or(BadStream(b'C'))?;
        }
        if wanted {
            for value in &mut values {
                if let DecodedValue::Note(note) = value {
                    *value = DecodedValue::Text(note.text().ok_or(BadStream(b'N'))?);
                }
            }
        }
        parts.fields = values.iter().map(DecodedValue::field).collect();
        match wanted {
            true => put_unit(out, code, &parts, &self.fields).ok_or(BadStream(b'S')),
            false => Ok(()),
        }
    }

    /// Names and values of the tags, and the texts of the `%` lines among them.
    #[expect(
        clippy::type_complexity,
        reason = "two lists that the one caller takes apart"
    )]
    fn tags_of(
        &mut self,
        code: UnitCode,
        wanted: bool,
    ) -> Result<(Vec<(u32, u32)>, Vec<Vec<u8>>), BadStream> {
        let (mut ids, mut lines) = (Vec::new(), Vec::new());
        if code == UnitCode::Reduced {
            for name in ROSTER {
                let (tags, coder) = (&mut self.models.tags, &mut self.tags);
                let name = tags.known_name(name.as_bytes());
                ids.push((name, tags.value(coder, name, b"").or_else(bad(b'T'))?));
            }
            return Ok((ids, lines));
        }
        loop {
            let (tags, coder) = (&mut self.models.tags, &mut self.tags);
            match tags.name(coder, NextTag::Unknown).or_else(bad(b'T'))? {
                TAGS_END => return Ok((ids, lines)),
                TAG_LINE => {
                    ids.push((TAG_LINE, u32::try_from(lines.len()).unwrap_or(0)));
                    lines.push(self.text(wanted)?);
                }
                name => {
                    let value = tags.value(coder, name, b"").or_else(bad(b'T'))?;
                    ids.push((name, value));
                    let bytes = 3 + tags.text(name).len() + tags.text(value).len();
                    self.spend(bytes, b'T')?;
                }
            }
        }
    }

    fn movetext(&mut self, plies: u64, wanted: bool) -> Result<DecodedMovetext, BadStream> {
        self.models.begin_movetext();
        let mut movetext = DecodedMovetext::default();
        let mut left = plies;
        loop {
            let (tokens, coder) = (&mut self.models.tokens, &mut self.tokens);
            let token;
            (token, left) = tokens.token(coder, left, END).or_else(bad(b'S'))?;
            match token {
                END => return Ok(movetext),
                NAG => movetext.nags.push(tokens.nag(coder, 0)),
                LINE => {
                    let line = self.text(wanted)?;
                    movetext.lines.push(line);
                }
                SHAPES.. => {
                    self.ask_parts(token, &mut movetext);
                    self.notes.begin(plies - left);
                    self.note(token, wanted, &mut movetext)?;
                }
                _ => {}
            }
            movetext.tokens.push(token);
            self.room = self.room.checked_sub(1).ok_or(BadStream(b'S'))?;
            self.spend(usize::from(token < SHAPES), b'S')?;
            if movetext.tokens.len() > MAX_ELEMS || movetext.values.len() > MAX_FIELDS {
                return Err(BadStream(b'S'));
            }
        }
    }

    /// Before the first comment of a game, reads whether its comments are taken apart.
    fn ask_parts(&mut self, token: Token, movetext: &mut DecodedMovetext) {
        if self.fields.notes((token - SHAPES) as usize) > 0 && movetext.apart.is_none() {
            let coder = &mut self.tags;
            movetext.apart = Some(self.models.extra(coder, Extra::Parts, false));
        }
    }

    fn note(
        &mut self,
        token: Token,
        wanted: bool,
        movetext: &mut DecodedMovetext,
    ) -> Result<(), BadStream> {
        let shape = (token - SHAPES) as usize;
        let tenths = is_tenths(self.head.shapes, shape);
        for at in 0..self.fields.of(shape).ok_or(BadStream(b'S'))?.len() {
            let kind = self.fields.of(shape).map_or(TEXT, |kinds| kinds[at]);
            if kind == TEXT && movetext.apart == Some(true) && is_note(shape) {
                if self.is_primer {
                    continue;
                }
                let note = self.note_parts(wanted, movetext)?;
                movetext.values.push(DecodedValue::Note(note));
                continue;
            }
            let values = &mut movetext.values;
            if kind == TEXT {
                let text = self.text(wanted)?;
                values.push(DecodedValue::Text(text));
                continue;
            }
            let coder = self.own_numbers.as_mut().unwrap_or(&mut self.numbers);
            let models = &mut self.models.numbers;
            let number = models.number(coder, kind, tenths, 0).or_else(bad(b'N'))?;
            values.push(DecodedValue::Number(number));
            self.records = self.records.checked_sub(1).ok_or(BadStream(b'N'))?;
            if kind == EVAL && number == 0 {
                let mate = models.number(coder, MATE, tenths, 0).or_else(bad(b'N'))?;
                values.push(DecodedValue::Number(mate));
            }
        }
        Ok(())
    }

    /// The parts of a comment; its moves are still to come.
    fn note_parts(
        &mut self,
        wanted: bool,
        movetext: &mut DecodedMovetext,
    ) -> Result<NoteParts, BadStream> {
        self.spend(1, b'N')?;
        let mut note = NoteParts::default();
        loop {
            let (notes, coder) = (&mut self.notes, &mut self.numbers);
            let part = notes.part(coder, NextPart::End).or_else(bad(b'N'))?;
            let part = match part {
                CodedPart::End => return Ok(note),
                CodedPart::Text => {
                    let text = self.texts.take(wanted).ok_or(BadStream(b'X'))?;
                    if wanted && text.is_empty() {
                        return Err(BadStream(b'X'));
                    }
                    self.spend(text.len().max(1), b'X')?;
                    NotePart::Text(note.add(&text))
                }
                CodedPart::Word(word) => {
                    let len = notes.word(word).len();
                    let range = match wanted {
                        true => note.add(notes.word(word)),
                        false => 0..0,
                    };
                    self.spend(len, b'N')?;
                    NotePart::Word(range)
                }
                CodedPart::Number(form, number) => {
                    self.spend(1, b'N')?;
                    NotePart::Number(form, number)
                }
                CodedPart::Moves(form, plies) => {
                    movetext.has_lists = true;
                    self.spend(3 * plies - 1, b'N')?;
                    NotePart::Moves(form, vec![0; if wanted { plies } else { 0 }])
                }
            };
            movetext.parts += 1;
            if movetext.parts > MAX_FIELDS {
                return Err(BadStream(b'N'));
            }
            if wanted {
                note.parts.push(part);
            }
        }
    }
}

impl DecodedValue {
    fn note(&mut self) -> Option<&mut NoteParts> {
        match self {
            DecodedValue::Note(note) => Some(note),
            _ => None,
        }
    }

    fn field(&self) -> Field<'_> {
        match self {
            DecodedValue::Number(number) => Field::Number(*number),
            DecodedValue::Text(text) => Field::Text(text),
            DecodedValue::Note(_) => Field::Text(b""),
        }
    }
}
