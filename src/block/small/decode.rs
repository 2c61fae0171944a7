//! Decodes a coded block to its records (spec/small.md).

use std::ops::Range;

use crate::decode::block::Damage;
use crate::decode::game::{Decoded, element};
use crate::head::BlockHead;
use crate::num::{put_num, put_str};
use crate::small::foretold::take_foretold;
use crate::small::models::{Extra, Models};
use crate::small::moves::MoveReader;
use crate::small::note::{NotePart, NoteParts};
use crate::small::notes::{NextPart, Notes};
use crate::small::parts::{
    CLOSE, END, EVAL, Field, LARGE_NAG, LINE, MATE, MAX_FIELDS, MOVE, NAG, OPEN, SHAPES,
    ShapeFields, TEXT, is_note, push_note, put_unit,
};
use crate::small::stored::Needs;
use crate::small::sums::SumReader;
use crate::small::tags::{NextTag, TAG_LINE, TAGS_END};
use crate::small::texts::TextReader;
use crate::stop;
use pgc_chess::{BadCode, RangeDecoder};
use pgc_pgn::game::{Elem, ElemKind};
use pgc_pgn::reader::MAX_ELEMS;
use pgc_pgn::records::record::ROSTER;
use pgc_pgn::split::UnitKind;

/// The stream that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadStream(pub u8);

impl From<BadStream> for Damage {
    fn from(bad: BadStream) -> Damage {
        let kind = char::from(bad.0);
        Damage::for_block(format!("stream {kind} cannot be decoded"))
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
    /// A buffer for a unit.
    unit: Decoded,
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
    /// Each of them; the field of each is empty.
    notes: Vec<NoteParts>,
    /// The number of parts of all comments, and of fields of all annotations.
    parts: usize,
    fields: usize,
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
            unit: Decoded::default(),
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

    /// Records of at least these games (from 0 in the block), from the beginning of a unit on, and
    /// the number of the first. If all is needed of some games, they are whole groups of games, and
    /// checked; and if the last of these games is kept as text, all its pieces are there, and the
    /// beginning of the unit behind them, if there is one. Else they are from the streams of what is
    /// needed alone, and unchecked.
    ///
    /// `None`: the block has only one group; or a game is kept as text whose moves are needed, or
    /// these streams do not tell all that is needed.
    pub(crate) fn some(
        mut self,
        games: &Range<u64>,
        needs: Needs,
    ) -> Result<Option<(Vec<u8>, u64)>, BadStream> {
        (self.needs, self.wanted) = (needs, games.clone());
        if needs != Needs::All {
            self.sums = None;
        } else if let Some(sums) = &mut self.sums {
            self.wanted = sums.begin(games);
        } else {
            return Ok(None);
        }
        if needs == Needs::Tags {
            self.foretold = &[];
        }
        let (mut out, first) = (Vec::new(), self.wanted.start);
        let done = self.units(&mut out)?;
        if done && needs == Needs::Tags {
            self.tags.finish().or_else(bad(b'T'))?;
        }
        Ok(done.then_some((out, first)))
    }

    /// Decodes the units up to the last that is wanted. `false`: one is only a text, and texts are
    /// not decoded; or decoding stopped.
    fn units(&mut self, out: &mut Vec<u8>) -> Result<bool, BadStream> {
        let mut is_piece = false;
        loop {
            if stop::is_set() {
                return Err(BadStream(b'T'));
            }
            let next = self.models.unit(&mut self.tags, None).or_else(bad(b'T'))?;
            if let Some(sums) = &mut self.sums
                && !sums.unit(next.map(|(kind, _)| kind), out)
            {
                return Err(BadStream(b'K'));
            }
            // Behind the last wanted game nothing is needed; but the unit behind a piece shows that
            // no more pieces follow. Behind the last game of all are texts of its group.
            let is_behind = self.games >= self.wanted.end && self.wanted.end < self.head.games;
            let Some((kind, is_reduced)) = next else {
                return Ok(true);
            };
            let is_over = is_behind && kind != UnitKind::Piece(true);
            if is_over && !is_piece {
                return Ok(true);
            }
            is_piece = matches!(kind, UnitKind::Piece(_));
            if !self.needs.texts() && is_piece {
                return Ok(false);
            }
            let belongs_behind = matches!(kind, UnitKind::Stray(_));
            self.games += u64::from(matches!(kind, UnitKind::Game | UnitKind::Piece(false)));
            // Before the first game of the block may stand the rest of a game that began in another.
            let begun = self.games + u64::from(belongs_behind);
            let wanted = self.wanted.start == 0 || begun > self.wanted.start;
            let mut unit = std::mem::take(&mut self.unit);
            unit.clear();
            unit.is_reduced = is_reduced;
            match kind {
                UnitKind::Game => self.game(&mut unit, wanted, out)?,
                _ => self.loose(kind, &mut unit, wanted, out)?,
            }
            self.unit = unit;
            if self.needs.stops() && !self.only_notes {
                return Ok(false);
            }
            if out.len() as u64 > self.head.records {
                return Err(BadStream(b'T'));
            }
            if is_over {
                return Ok(true);
            }
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

    /// Decodes text outside games, or a piece of a game.
    fn loose(
        &mut self,
        kind: UnitKind,
        unit: &mut Decoded,
        wanted: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), BadStream> {
        if !self.needs.texts() {
            self.only_notes &= !self.needs.movetext();
            return Ok(());
        }
        unit.raw = self.text(wanted)?;
        match wanted {
            true => put_unit(out, kind, unit, &self.fields, &[]).ok_or(BadStream(b'X')),
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

    fn game(
        &mut self,
        game: &mut Decoded,
        wanted: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), BadStream> {
        let plies = self.begin_game()?;
        if game.is_reduced {
            // Checked before any move is decoded: a 0x01 has its number of moves in two bytes.
            let plies = u16::try_from(plies).map_err(|_| BadStream(b'T'))?;
            self.spend(plies.into(), b'T')?;
        }
        self.tags_of(game, wanted)?;
        let (with_texts, mut comments) = (self.needs.texts(), GameNotes::default());
        if !game.is_reduced {
            let (models, coder) = (&mut self.models, &mut self.tags);
            let has_data = models.extra(coder, Extra::TagData, false);
            let has_layout = models.extra(coder, Extra::Layout, false);
            self.only_notes &= !has_data;
            if self.needs.movetext() {
                comments = self.movetext(plies, wanted, game)?;
            }
            if has_data && with_texts {
                game.tag_data = Some(self.text(wanted)?);
            }
            if has_layout && with_texts {
                game.layout = Some(self.layouts.take(wanted).ok_or(BadStream(b'L'))?);
            }
        } else if self.needs.movetext() {
            let moves = (0..plies).map(|_| element(ElemKind::Move, 0));
            game.elems.extend(moves);
        }
        let with_moves = self.needs.moves() || comments.has_lists;
        // Where no comment has moves, the runs need not even be passed over.
        if self.needs.moves() || !self.foretold.is_empty() {
            let taken = self.moves.take(game, wanted && with_moves);
            taken.ok_or(BadStream(b'M'))?;
        }
        if wanted && !with_moves {
            let is_move = |elem: &&Elem| elem.kind == ElemKind::Move;
            let plies = game.play().iter().filter(is_move).count();
            game.ordinals.resize(plies, 0);
        }
        if comments.has_lists {
            let notes = &mut comments.notes;
            let taken = take_foretold(&mut self.foretold, game, &self.fields, notes, wanted);
            taken.ok_or(BadStream(b'C'))?;
        }
        match wanted {
            true => put_unit(out, UnitKind::Game, game, &self.fields, &comments.notes)
                .ok_or(BadStream(b'S')),
            false => Ok(()),
        }
    }

    /// The tag pairs of a game, and the `%` lines among them, unless nobody reads the texts of the
    /// block.
    fn tags_of(&mut self, game: &mut Decoded, wanted: bool) -> Result<(), BadStream> {
        let mut roster = ROSTER.iter();
        loop {
            if game.elems.len() > MAX_ELEMS {
                return Err(BadStream(b'T'));
            }
            let (tags, coder) = (&mut self.models.tags, &mut self.tags);
            let name = match game.is_reduced {
                true => roster
                    .next()
                    .map_or(TAGS_END, |name| tags.find(name.as_bytes())),
                false => tags.name(coder, NextTag::Unknown).or_else(bad(b'T'))?,
            };
            match name {
                TAGS_END => break,
                TAG_LINE if self.needs.texts() => game.push_line(&self.text(wanted)?),
                TAG_LINE => self.spend(1, b'T')?,
                name => {
                    let value = tags.value(coder, name, b"").or_else(bad(b'T'))?;
                    let (name, value) = (tags.text(name), tags.text(value));
                    game.push_tag(name, value);
                    if !game.is_reduced {
                        let bytes = 3 + name.len() + value.len();
                        self.spend(bytes, b'T')?;
                    }
                }
            }
        }
        game.tag_elems = game.elems.len();
        Ok(())
    }

    /// The movetext of a game, without which moves were played.
    fn movetext(
        &mut self,
        plies: u64,
        wanted: bool,
        game: &mut Decoded,
    ) -> Result<GameNotes, BadStream> {
        self.models.begin_movetext();
        let mut comments = GameNotes::default();
        let (mut left, texts) = (plies, self.needs.texts());
        loop {
            let (tokens, coder) = (&mut self.models.tokens, &mut self.tokens);
            let (token, behind) = tokens.token(coder, left, END).or_else(bad(b'S'))?;
            left = behind;
            let place = game.text.len();
            match token {
                END => return Ok(comments),
                MOVE => game.elems.push(element(ElemKind::Move, 0)),
                OPEN => game.push(ElemKind::RavOpen, 0, place),
                CLOSE => game.push(ElemKind::RavClose, 0, place),
                NAG => {
                    let nag = tokens.nag(coder, 0);
                    if texts {
                        game.push(ElemKind::Nag, nag.into(), place);
                    }
                }
                LINE if texts => game.push_line(&self.text(wanted)?),
                SHAPES.. if texts => {
                    let shape = token - SHAPES;
                    if self.fields.notes(shape) > 0 && comments.apart.is_none() {
                        // Before the first comment of a game stands whether they are taken apart.
                        let (models, coder) = (&mut self.models, &mut self.numbers);
                        comments.apart = Some(models.extra(coder, Extra::Parts, false));
                    }
                    self.notes.begin(plies - left);
                    self.note(shape, wanted, game, &mut comments)?;
                }
                SHAPES.. => {
                    let shape = token - SHAPES;
                    self.only_notes &=
                        is_note(shape) || self.fields.of(shape) == Some(&[LARGE_NAG]);
                }
                _ => {}
            }
            self.room = self.room.checked_sub(1).ok_or(BadStream(b'S'))?;
            self.spend(usize::from(token < SHAPES), b'S')?;
            if game.play().len() > MAX_ELEMS || comments.fields > MAX_FIELDS {
                return Err(BadStream(b'S'));
            }
        }
    }

    fn note(
        &mut self,
        shape: u32,
        wanted: bool,
        game: &mut Decoded,
        comments: &mut GameNotes,
    ) -> Result<(), BadStream> {
        let (begin, tenths) = (game.notes.len(), self.fields.is_tenths(shape));
        for at in 0..self.fields.of(shape).ok_or(BadStream(b'S'))?.len() {
            let kind = self.fields.of(shape).map_or(TEXT, |kinds| kinds[at]);
            comments.fields += 1;
            if kind == TEXT {
                let mut text = Vec::new();
                if comments.apart == Some(true) && is_note(shape) {
                    let note = self.note_parts(wanted, comments)?;
                    comments.notes.push(note);
                } else {
                    text = self.text(wanted)?;
                }
                put_str(&mut game.notes, &text);
                continue;
            }
            let (models, coder) = (&mut self.models.numbers, &mut self.numbers);
            let number = models.number(coder, kind, tenths, 0).or_else(bad(b'N'))?;
            let put = Field::Number(number).put(kind, &mut game.notes);
            put.ok_or(BadStream(b'N'))?;
            if kind == EVAL && number == 0 {
                let mate = models.number(coder, MATE, tenths, 0).or_else(bad(b'N'))?;
                put_num(&mut game.notes, mate);
                comments.fields += 1;
            }
            self.spend(1, b'N')?;
        }
        push_note(game, shape, begin, game.notes.len());
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
