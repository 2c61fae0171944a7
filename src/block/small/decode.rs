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
    ShapeFields, TEXT, TagItem, UnitCode, is_note, put_unit,
};
use crate::small::stored::Needs;
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
    /// What is decoded.
    needs: Needs,
    /// Whether so far nothing was left out but comments, NAGs, layout, and `%` lines in games.
    only_notes: bool,
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

/// The comments of a game that are taken apart.
#[derive(Default)]
struct GameNotes {
    /// Whether there are such comments, once that is known, and whether they have moves.
    apart: Option<bool>,
    has_lists: bool,
    /// Each with the place of its field, whose text is still to come.
    notes: Vec<(usize, NoteParts)>,
    /// The number of parts of all comments.
    parts: usize,
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
            needs: Needs::All,
            only_notes: true,
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

    /// Records of these games, from the streams of what is needed alone and unchecked. `None`: a
    /// game is kept as text whose moves are needed, or these streams do not tell all that is needed.
    pub(crate) fn needed(
        mut self,
        games: &Range<u64>,
        needs: Needs,
    ) -> Result<Option<Vec<u8>>, BadStream> {
        (self.sums, self.needs, self.wanted) = (None, needs, games.clone());
        if needs == Needs::Tags {
            self.foretold = &[];
        }
        let mut out = Vec::new();
        let done = self.units(&mut out)?;
        if done && needs == Needs::Tags {
            self.tags.finish().or_else(bad(b'T'))?;
        }
        Ok(done.then_some(out))
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
            if !self.needs.texts() && matches!(code, UnitCode::Piece | UnitCode::MorePiece) {
                return Ok(false);
            }
            let belongs_behind = matches!(code, UnitCode::Stray | UnitCode::MoreStray);
            self.games += u64::from(code.begins_game());
            // Before the first game of the block may stand the rest of a game that began in another.
            let begun = self.games + u64::from(belongs_behind);
            let wanted = self.wanted.start == 0 || begun > self.wanted.start;
            self.unit(code, wanted, out)?;
            if self.needs.stops() && !self.only_notes {
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
        if !self.needs.texts() {
            self.only_notes &= !self.needs.movetext();
            return Ok(());
        }
        let parts = Parts {
            text: self.text(wanted)?.into(),
            ..Parts::default()
        };
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
        let with_texts = self.needs.texts();
        let lines = with_texts.then_some((wanted, &mut tag_lines));
        let ids = self.tags_of(code, lines)?;
        let (mut parts, mut comments) = (Parts::default(), GameNotes::default());
        if code == UnitCode::Full {
            let (models, coder) = (&mut self.models, &mut self.tags);
            let has_data = models.extra(coder, Extra::TagData, false);
            let has_layout = models.extra(coder, Extra::Layout, false);
            self.only_notes &= !has_data;
            if self.needs.movetext() {
                comments = self.movetext(plies, wanted, &mut parts)?;
            }
            if has_data && with_texts {
                parts.tag_data = Some(self.text(wanted)?.into());
            }
            if has_layout && with_texts {
                let layout = self.layouts.take(wanted).ok_or(BadStream(b'L'))?;
                parts.layout = Some(layout.into());
            }
        } else if self.needs.movetext() {
            parts.tokens = vec![MOVE; usize::try_from(plies).unwrap_or(0)];
        }
        let tag = |&(name, value): &(u32, u32)| match name {
            TAG_LINE => TagItem::Line(tag_lines.get(value as usize).map_or(b"", |line| line)),
            name => TagItem::Pair(self.models.tags.text(name), self.models.tags.text(value)),
        };
        parts.tags = ids.iter().map(tag).collect();
        let with_moves = self.needs.moves() || comments.has_lists;
        // Where no comment has moves, the runs need not even be passed over.
        if self.needs.moves() || !self.foretold.is_empty() {
            let taken = self.moves.take(&mut parts, wanted && with_moves);
            taken.ok_or(BadStream(b'M'))?;
        }
        if wanted && !with_moves {
            let plies = parts.tokens.iter().filter(|&&token| token == MOVE);
            parts.moves = vec![0; plies.count()];
        }
        if comments.has_lists {
            let notes = comments.notes.iter_mut().map(|(_, note)| note);
            let taken = take_foretold(&mut self.foretold, &parts, &self.fields, notes, wanted);
            taken.ok_or(BadStream(b'C'))?;
        }
        for (place, note) in comments.notes.iter().filter(|_| wanted) {
            let text = note.text().ok_or(BadStream(b'N'))?;
            parts.fields[*place] = Field::Text(text.into());
        }
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

    /// The movetext of a game, without its moves.
    fn movetext(
        &mut self,
        plies: u64,
        wanted: bool,
        parts: &mut Parts<'_>,
    ) -> Result<GameNotes, BadStream> {
        self.models.begin_movetext();
        let mut comments = GameNotes::default();
        let mut left = plies;
        loop {
            let (tokens, coder) = (&mut self.models.tokens, &mut self.tokens);
            let token;
            (token, left) = tokens.token(coder, left, END).or_else(bad(b'S'))?;
            match token {
                END => return Ok(comments),
                NAG => {
                    let nag = tokens.nag(coder, 0);
                    parts.nags.extend(self.needs.texts().then_some(nag));
                }
                SHAPES.. if !self.needs.texts() => {
                    let shape = (token - SHAPES) as usize;
                    self.only_notes &=
                        is_note(shape) || self.fields.of(shape) == Some(&[LARGE_NAG]);
                }
                _ if !self.needs.texts() => {}
                LINE => parts.lines.push(self.text(wanted)?.into()),
                SHAPES.. => {
                    let shape = (token - SHAPES) as usize;
                    if self.fields.notes(shape) > 0 && comments.apart.is_none() {
                        // Before the first comment of a game stands whether they are taken apart.
                        let (models, coder) = (&mut self.models, &mut self.numbers);
                        comments.apart = Some(models.extra(coder, Extra::Parts, false));
                    }
                    self.notes.begin(plies - left);
                    self.note(shape, wanted, &mut parts.fields, &mut comments)?;
                }
                _ => {}
            }
            if self.needs.texts() || matches!(token, MOVE | OPEN | CLOSE) {
                parts.tokens.push(token);
            }
            self.room = self.room.checked_sub(1).ok_or(BadStream(b'S'))?;
            self.spend(usize::from(token < SHAPES), b'S')?;
            if parts.tokens.len() > MAX_ELEMS || parts.fields.len() > MAX_FIELDS {
                return Err(BadStream(b'S'));
            }
        }
    }

    fn note(
        &mut self,
        shape: usize,
        wanted: bool,
        values: &mut Vec<Field<'_>>,
        comments: &mut GameNotes,
    ) -> Result<(), BadStream> {
        let tenths = self.fields.is_tenths(shape);
        for at in 0..self.fields.of(shape).ok_or(BadStream(b'S'))?.len() {
            let kind = self.fields.of(shape).map_or(TEXT, |kinds| kinds[at]);
            if kind == TEXT {
                let mut text = Vec::new();
                if comments.apart == Some(true) && is_note(shape) {
                    let note = self.note_parts(wanted, comments)?;
                    comments.notes.push((values.len(), note));
                } else {
                    text = self.text(wanted)?;
                }
                values.push(Field::Text(text.into()));
                continue;
            }
            let (models, coder) = (&mut self.models.numbers, &mut self.numbers);
            let number = models.number(coder, kind, tenths, 0).or_else(bad(b'N'))?;
            values.push(Field::Number(number));
            if kind == EVAL && number == 0 {
                let mate = models.number(coder, MATE, tenths, 0).or_else(bad(b'N'))?;
                values.push(Field::Number(mate));
            }
            self.spend(1, b'N')?;
        }
        Ok(())
    }

    /// The parts of a comment; its moves are still to come.
    fn note_parts(
        &mut self,
        wanted: bool,
        comments: &mut GameNotes,
    ) -> Result<NoteParts, BadStream> {
        self.spend(1, b'N')?;
        let mut note = NoteParts::default();
        loop {
            let (notes, coder) = (&mut self.notes, &mut self.numbers);
            let part = notes.part(coder, NextPart::End).or_else(bad(b'N'))?;
            let part = match part {
                NextPart::End => {
                    note.parts.shrink_to_fit();
                    return Ok(note);
                }
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
                    comments.has_lists = true;
                    self.spend(3 * plies - 1, b'N')?;
                    NotePart::Moves(form, vec![0; if wanted { plies } else { 0 }])
                }
            };
            comments.parts += 1;
            if comments.parts > MAX_FIELDS {
                return Err(BadStream(b'N'));
            }
            if wanted {
                note.parts.push(part);
            }
        }
    }
}
