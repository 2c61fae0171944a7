//! Decodes a coded block to its records (spec/small.md).

use std::ops::Range;

use crate::decode::block::Damage;
use crate::head::BlockHead;
use crate::small::foretold::take_foretold;
use crate::small::models::{Extra, Models};
use crate::small::moves::MoveReader;
use crate::small::note::{NotePart, NoteParts};
use crate::small::notes::{NextPart, Notes};
use crate::small::parts::{
    CLOSE, END, EVAL, Field, LARGE_NAG, LINE, MATE, MAX_FIELDS, MOVE, NAG, OPEN, Parts, SHAPES,
    ShapeFields, TEXT, TagItem, Token, UnitCode, is_note, put_unit,
};
use crate::small::sums::SumReader;
use crate::small::tags::{NextTag, TAG_LINE, TAGS_END};
use crate::small::texts::TextReader;
use pgc_chess::{BadCode, RangeDecoder};
use pgc_pgn::reader::MAX_ELEMS;
use pgc_pgn::records::record::ROSTER;

/// The stream that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadStream(pub u8);

impl From<BadStream> for Damage {
    fn from(bad: BadStream) -> Damage {
        let kind = char::from(bad.0);
        Damage::of_block(format!("stream {kind} cannot be decoded"))
    }
}

fn bad<T>(kind: u8) -> impl FnOnce(BadCode) -> Result<T, BadStream> {
    move |_| Err(BadStream(kind))
}

/// The readers of a block's streams.
pub(crate) struct BlockUncoder<'a> {
    head: &'a BlockHead,
    fields: ShapeFields,
    models: Models,
    tags: RangeDecoder<'a>,
    tokens: RangeDecoder<'a>,
    numbers: RangeDecoder<'a>,
    notes: Notes,
    moves: MoveReader<'a>,
    texts: TextReader<'a>,
    foretold: &'a [u8],
    layouts: TextReader<'a>,
    sums: Option<SumReader<'a>>,
    /// Whether ordinals are decoded; else they become 0, except in games with moves in comments.
    with_moves: bool,
    /// Whether more is decoded than tags, moves and variations; and more than tags.
    with_texts: bool,
    with_movetext: bool,
    /// Whether so far nothing was left out but comments, NAGs, layout, and `%` lines in games.
    only_notes: bool,
    /// Whether decoding stops where this is no longer so.
    stops: bool,
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

impl<'a> BlockUncoder<'a> {
    /// `streams`: in the order of [`KINDS`](super::KINDS).
    pub(crate) fn new(
        head: &'a BlockHead,
        streams: [&'a [u8]; 8],
        sums: Option<SumReader<'a>>,
    ) -> BlockUncoder<'a> {
        let [tags, tokens, moves, numbers, texts, foretold, layouts, _] = streams;
        BlockUncoder {
            fields: ShapeFields::new(&head.shapes),
            models: Models::new(),
            tags: RangeDecoder::new(tags),
            tokens: RangeDecoder::new(tokens),
            numbers: RangeDecoder::new(numbers),
            notes: Notes::default(),
            moves: MoveReader::new(moves),
            texts: TextReader::new(texts, head.records),
            foretold,
            layouts: TextReader::new(layouts, head.records),
            sums,
            with_moves: true,
            with_texts: true,
            with_movetext: true,
            only_notes: true,
            stops: false,
            wanted: 0..u64::MAX,
            games: 0,
            plies: 0,
            // Each element takes at least a byte of source, except the end of a variation that the
            // source does not close, and a terminator that it does not have.
            room: 2 * head.source + head.games,
            records: head.records,
            head,
        }
    }

    /// The records of the whole block.
    pub(crate) fn all(mut self) -> Result<Vec<u8>, BadStream> {
        let mut out = Vec::new();
        self.units(&mut out)?;
        self.finish()?;
        Ok(out)
    }

    /// The records of whole groups of games (from 0 in the block), at least of these, from the
    /// beginning of a unit on and checked, and the number of the first; `None` if the block has
    /// only one group. If the last of these games is kept as text, all its pieces are there, and the
    /// beginning of the unit behind them, if there is one.
    pub(crate) fn some(mut self, games: &Range<u64>) -> Option<Result<(Vec<u8>, u64), BadStream>> {
        self.wanted = self.sums.as_mut()?.begin(games);
        let mut out = Vec::new();
        let done = self.units(&mut out);
        Some(done.map(|_| (out, self.wanted.start)))
    }

    /// Records of these games in which each ordinal is 0, from the other streams.
    pub(crate) fn elements(mut self, games: &Range<u64>) -> Result<Vec<u8>, BadStream> {
        (self.sums, self.with_moves, self.wanted) = (None, false, games.clone());
        let mut out = Vec::new();
        self.units(&mut out)?;
        Ok(out)
    }

    /// Records of these games with tags, moves and variations, from the streams of these. `None`: a
    /// game is kept as text, or, with `only_notes`, the block has more than comments, NAGs, layout,
    /// and `%` lines in games that is left out.
    pub(crate) fn moves(
        mut self,
        games: &Range<u64>,
        only_notes: bool,
    ) -> Result<Option<Vec<u8>>, BadStream> {
        (self.sums, self.with_texts, self.wanted) = (None, false, games.clone());
        self.stops = only_notes;
        let mut out = Vec::new();
        let done = self.units(&mut out)?;
        Ok(done.then_some(out))
    }

    /// Records of all games with their tags and nothing else, from the stream of tags alone; `None`
    /// if there are games of which it does not have all tags.
    pub(crate) fn tags_only(mut self) -> Result<Option<Vec<u8>>, BadStream> {
        (self.sums, self.with_moves, self.with_texts) = (None, false, false);
        (self.with_movetext, self.stops, self.foretold) = (false, true, &[]);
        let mut out = Vec::new();
        if !self.units(&mut out)? {
            return Ok(None);
        }
        self.tags.finish().or_else(bad(b'T'))?;
        Ok(Some(out))
    }

    /// Decodes the units up to the last that is wanted. `false`: one is only a text, and texts are
    /// not decoded; or decoding stopped.
    fn units(&mut self, out: &mut Vec<u8>) -> Result<bool, BadStream> {
        let mut before = UnitCode::End;
        loop {
            let code = self.models.unit(&mut self.tags, UnitCode::End);
            let code = code.or_else(bad(b'T'))?;
            if let Some(sums) = &mut self.sums
                && !sums.unit(code, out)
            {
                return Err(BadStream(b'K'));
            }
            // Behind the last wanted game nothing is needed; but the unit behind a piece shows that
            // no more pieces follow. Behind the last game of all are texts of its group.
            let is_behind = self.games >= self.wanted.end && self.wanted.end < self.head.games;
            let is_over = is_behind && code != UnitCode::MorePiece;
            let ends = is_over && !matches!(before, UnitCode::Piece | UnitCode::MorePiece);
            if ends || code == UnitCode::End {
                return Ok(true);
            }
            if !self.with_texts && matches!(code, UnitCode::Piece | UnitCode::MorePiece) {
                return Ok(false);
            }
            let belongs_behind = matches!(code, UnitCode::Stray | UnitCode::MoreStray);
            self.games += u64::from(code.begins_game());
            // Before the first game of the block may stand the rest of a game that began in another.
            let begun = self.games + u64::from(belongs_behind);
            let wanted = self.wanted.start == 0 || begun > self.wanted.start;
            self.unit(code, wanted, out)?;
            if self.stops && !self.only_notes {
                return Ok(false);
            }
            if out.len() as u64 > self.head.records {
                return Err(BadStream(b'T'));
            }
            if is_over {
                return Ok(true);
            }
            before = code;
        }
    }

    /// Checks that the streams end here.
    fn finish(self) -> Result<(), BadStream> {
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
        early.map_or(Ok(()), |(_, kind)| Err(BadStream(kind)))
    }

    fn unit(&mut self, code: UnitCode, wanted: bool, out: &mut Vec<u8>) -> Result<(), BadStream> {
        if matches!(code, UnitCode::Reduced | UnitCode::Full) {
            return self.game(code, wanted, out);
        }
        if !self.with_texts {
            self.only_notes &= !self.with_movetext;
            return Ok(());
        }
        let (text, rest) = (self.text(wanted)?, Parts::default());
        let parts = Parts { text, ..rest };
        match wanted {
            true => put_unit(out, code, &parts, &self.fields).ok_or(BadStream(b'X')),
            false => Ok(()),
        }
    }

    fn text(&mut self, wanted: bool) -> Result<Vec<u8>, BadStream> {
        let text = self.texts.take(wanted).ok_or(BadStream(b'X'))?;
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

    /// Begins a game; returns its number of plies.
    fn begin_game(&mut self) -> Result<u64, BadStream> {
        self.spend(1, b'T')?;
        let plies = self.models.plies(&mut self.tags, 0);
        let plies = plies.or_else(bad(b'T'))?;
        self.plies = self.plies.saturating_add(plies);
        if self.plies > self.head.plies {
            return Err(BadStream(b'T'));
        }
        self.models.tags.begin_game(plies);
        Ok(plies)
    }

    fn game(&mut self, code: UnitCode, wanted: bool, out: &mut Vec<u8>) -> Result<(), BadStream> {
        let plies = self.begin_game()?;
        if code == UnitCode::Reduced {
            // Checked before any move is decoded: a 0x01 has its number of moves in two bytes.
            let plies = u16::try_from(plies).map_err(|_| BadStream(b'T'))?;
            self.spend(plies.into(), b'T')?;
        }
        let mut tag_lines = Vec::new();
        let with_texts = self.with_texts;
        let lines = with_texts.then_some((wanted, &mut tag_lines));
        let ids = self.tags_of(code, lines)?;
        let (mut tag_data, mut layout) = (None, None);
        let mut movetext = DecodedMovetext::default();
        if code == UnitCode::Full {
            let (models, coder) = (&mut self.models, &mut self.tags);
            let has_data = models.extra(coder, Extra::TagData, false);
            let has_layout = models.extra(coder, Extra::Layout, false);
            self.only_notes &= !has_data;
            if self.with_movetext {
                movetext = self.movetext(plies, wanted)?;
            }
            if has_data && with_texts {
                tag_data = Some(self.text(wanted)?);
            }
            if has_layout && with_texts {
                layout = Some(self.layouts.take(wanted).ok_or(BadStream(b'L'))?);
            }
        } else if self.with_movetext {
            movetext.tokens = vec![MOVE; usize::try_from(plies).unwrap_or(0)];
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
        let with_moves = self.with_moves || movetext.has_lists;
        // Where no comment has moves, the runs need not even be passed over.
        if self.with_moves || !self.foretold.is_empty() {
            let taken = self.moves.take(&mut parts, wanted && with_moves);
            taken.ok_or(BadStream(b'M'))?;
        }
        if wanted && !with_moves {
            let plies = parts.tokens.iter().filter(|&&token| token == MOVE);
            parts.moves = vec![0; plies.count()];
        }
        let mut values = movetext.values;
        if movetext.has_lists {
            let notes = values.iter_mut().filter_map(|value| match value {
                DecodedValue::Note(note) => Some(note),
                _ => None,
            });
            let taken = take_foretold(&mut self.foretold, &parts, &self.fields, notes, wanted);
            taken.ok_or(BadStream(b'C'))?;
        }
        for value in values.iter_mut().filter(|_| wanted) {
            if let DecodedValue::Note(note) = value {
                *value = DecodedValue::Text(note.text().ok_or(BadStream(b'N'))?);
            }
        }
        let fields = values.iter().map(|value| match value {
            DecodedValue::Number(number) => Field::Number(*number),
            DecodedValue::Text(text) => Field::Text(text),
            DecodedValue::Note(_) => Field::Text(b""),
        });
        parts.fields = fields.collect();
        match wanted {
            true => put_unit(out, code, &parts, &self.fields).ok_or(BadStream(b'S')),
            false => Ok(()),
        }
    }

    /// Names and values of the tags. `lines`: where the texts of the `%` lines among them go, and
    /// whether they are wanted; `None` if nobody reads the texts of the block: they are left out.
    fn tags_of(
        &mut self,
        code: UnitCode,
        mut lines: Option<(bool, &mut Vec<Vec<u8>>)>,
    ) -> Result<Vec<(u32, u32)>, BadStream> {
        let mut ids = Vec::new();
        if code == UnitCode::Reduced {
            for name in ROSTER {
                let (tags, coder) = (&mut self.models.tags, &mut self.tags);
                let name = tags.find(name.as_bytes());
                ids.push((name, tags.value(coder, name, b"").or_else(bad(b'T'))?));
            }
            return Ok(ids);
        }
        loop {
            if ids.len() > MAX_ELEMS {
                return Err(BadStream(b'T'));
            }
            let (tags, coder) = (&mut self.models.tags, &mut self.tags);
            match tags.name(coder, NextTag::Unknown).or_else(bad(b'T'))? {
                TAGS_END => return Ok(ids),
                TAG_LINE => {
                    if let Some((wanted, lines)) = &mut lines {
                        ids.push((TAG_LINE, u32::try_from(lines.len()).unwrap_or(0)));
                        lines.push(self.text(*wanted)?);
                    }
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
                NAG => {
                    let nag = tokens.nag(coder, 0);
                    movetext.nags.extend(self.with_texts.then_some(nag));
                }
                SHAPES.. if !self.with_texts => {
                    let shape = (token - SHAPES) as usize;
                    self.only_notes &=
                        is_note(shape) || self.fields.of(shape) == Some(&[LARGE_NAG]);
                }
                _ if !self.with_texts => {}
                LINE => movetext.lines.push(self.text(wanted)?),
                SHAPES.. => {
                    let shape = (token - SHAPES) as usize;
                    if self.fields.notes(shape) > 0 && movetext.apart.is_none() {
                        // Before the first comment of a game stands whether they are taken apart.
                        let (models, coder) = (&mut self.models, &mut self.numbers);
                        movetext.apart = Some(models.extra(coder, Extra::Parts, false));
                    }
                    self.notes.begin(plies - left);
                    self.note(shape, wanted, &mut movetext)?;
                }
                _ => {}
            }
            if self.with_texts || matches!(token, MOVE | OPEN | CLOSE) {
                movetext.tokens.push(token);
            }
            self.room = self.room.checked_sub(1).ok_or(BadStream(b'S'))?;
            self.spend(usize::from(token < SHAPES), b'S')?;
            if movetext.tokens.len() > MAX_ELEMS || movetext.values.len() > MAX_FIELDS {
                return Err(BadStream(b'S'));
            }
        }
    }

    fn note(
        &mut self,
        shape: usize,
        wanted: bool,
        movetext: &mut DecodedMovetext,
    ) -> Result<(), BadStream> {
        let tenths = self.fields.is_tenths(shape);
        for at in 0..self.fields.of(shape).ok_or(BadStream(b'S'))?.len() {
            let kind = self.fields.of(shape).map_or(TEXT, |kinds| kinds[at]);
            if kind == TEXT {
                let value = match movetext.apart == Some(true) && is_note(shape) {
                    true => DecodedValue::Note(self.note_parts(wanted, movetext)?),
                    false => DecodedValue::Text(self.text(wanted)?),
                };
                movetext.values.push(value);
                continue;
            }
            let values = &mut movetext.values;
            let (models, coder) = (&mut self.models.numbers, &mut self.numbers);
            let number = models.number(coder, kind, tenths, 0).or_else(bad(b'N'))?;
            values.push(DecodedValue::Number(number));
            if kind == EVAL && number == 0 {
                let mate = models.number(coder, MATE, tenths, 0).or_else(bad(b'N'))?;
                values.push(DecodedValue::Number(mate));
            }
            self.spend(1, b'N')?;
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
                NextPart::End => return Ok(note),
                NextPart::Text => {
                    let text = self.texts.take(wanted).ok_or(BadStream(b'X'))?;
                    if wanted && text.is_empty() {
                        return Err(BadStream(b'X'));
                    }
                    self.spend(text.len().max(1), b'X')?;
                    NotePart::Text(note.add(&text))
                }
                NextPart::Word(word) => {
                    let len = notes.word(word).len();
                    let range = note.add(if wanted { notes.word(word) } else { b"" });
                    self.spend(len, b'N')?;
                    NotePart::Word(range)
                }
                NextPart::Number(form, number) => {
                    self.spend(1, b'N')?;
                    NotePart::Number(form, number)
                }
                NextPart::Moves(form, plies) => {
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
