//! One block of archive back to its games (spec/extension.md sections 4 to 9).

use std::borrow::Cow;
use std::ops::Range;

use crate::block::head::BlockHead;
use crate::block::num::{take_byte, take_num, take_str};
use crate::block::shape::Pattern;
use crate::pgn::game::{Kind, Wholeness};
use crate::pgn::reader::{MAX_ELEMS, TAIL};
use crate::records::private::{self, Kind as Escape, is_as_it_was, unstuff};
use crate::records::reader::{Dialect, Records};
use crate::records::record::{ROSTER, Record};

use crate::block::decode::comments::{Element, Joined, Play, Played};
use crate::block::tag_value::{guess_value, record_value, terminator_of};
use crate::run::Breakdown;

/// Damage in a block: where in its records (from 0), in which of its games (from 1), in what, and
/// how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    pub offset: u64,
    pub game: u64,
    pub item: &'static str,
    pub what: String,
}

/// A place in [`Decoded::arena`], which is bounded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "`MAX_ARENA`, and a game's records before that, fit 32 bits"
    )]
    fn new(start: usize, end: usize) -> Span {
        Span {
            start: start as u32,
            end: end as u32,
        }
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Names and values of nearly all tags are at most so long.
pub(crate) const SHORT: usize = 32;

/// An element of a game; texts are places in [`Decoded::arena`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub kind: Kind,
    /// Of a move.
    pub ordinal: u8,
    /// Value of a NAG, number of a terminator, [`TAIL`].
    pub num: u32,
    /// Value of a tag, text of a comment or line, the text.
    pub text: Span,
    /// Name of a tag.
    pub name: Span,
}

/// What one step through a block gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A game: [`Decoded`] has it.
    Game,
    /// Text outside games, in `raw`; `true`: continues a region.
    Stray(bool),
    /// A game kept as text, or a piece of it, in `raw`; `true`: continues one.
    Piece(bool),
}

/// A game, its records and escapes joined.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    pub items: Vec<Item>,
    pub arena: Vec<u8>,
    /// Elements of the tag section.
    pub tag_items: usize,
    pub plies: u64,
    /// It has variations.
    pub branches: bool,
    /// The data of `L`, if there is one.
    pub layout: Option<Vec<u8>>,
    /// Text of a [`Unit::Stray`] or [`Unit::Piece`].
    pub raw: Vec<u8>,
}

impl Decoded {
    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.arena.clear();
        self.tag_items = 0;
        self.plies = 0;
        self.branches = false;
        self.layout = None;
        self.raw.clear();
    }

    pub(crate) fn text(&self, item: &Item) -> &[u8] {
        &self.arena[item.text.range()]
    }

    pub(crate) fn name(&self, item: &Item) -> &[u8] {
        &self.arena[item.name.range()]
    }

    /// Of a tag pair: bytes that begin with the name, and its length, and the same of the value;
    /// `None` if one is longer, or so many bytes are not there.
    #[inline]
    pub(crate) fn short_pair(&self, item: &Item) -> Option<[(&[u8; SHORT], usize); 2]> {
        let start = |span: Span| {
            let Range { start, end } = span.range();
            let len = end - start;
            self.arena
                .get(start..)?
                .first_chunk()
                .filter(|_| len <= SHORT)
                .map(|chunk| (chunk, len))
        };
        Some([start(item.name)?, start(item.text)?])
    }

    /// Name and true value of each tag pair, in source order.
    pub(crate) fn tags(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.items[..self.tag_items]
            .iter()
            .filter(|i| i.kind == Kind::Tag)
            .map(|i| (self.name(i), self.text(i)))
    }

    /// P5's kind of this game.
    pub(crate) fn wholeness(&self) -> Wholeness {
        let (mut depth, mut moves) = (0_u32, false);
        for item in &self.items[self.tag_items..] {
            match item.kind {
                Kind::RavOpen => depth += 1,
                Kind::RavClose => depth = depth.saturating_sub(1),
                Kind::Move if depth == 0 => moves = true,
                Kind::Text if depth == 0 && item.num == TAIL => {
                    return if moves {
                        Wholeness::Tail
                    } else {
                        Wholeness::TextOnly
                    };
                }
                _ => {}
            }
        }
        Wholeness::Whole
    }

    pub(crate) fn push(&mut self, kind: Kind, num: u32, text: &[u8]) {
        let start = self.arena.len();
        self.arena.extend_from_slice(text);
        let text = Span::new(start, self.arena.len());
        self.items.push(Item {
            kind,
            ordinal: 0,
            num,
            text,
            name: Span::default(),
        });
    }

    /// Adds an element whose text is what the arena has from `start` on.
    #[inline]
    pub(crate) fn push_element(&mut self, element: Element, start: usize) {
        let Element { kind, ordinal, num } = element;
        let text = Span::new(start, self.arena.len());
        self.items.push(Item {
            kind,
            ordinal,
            num,
            text,
            name: Span::default(),
        });
    }

    /// The values of the tags from that item on become UTF-8.
    #[cold]
    fn guess_values(&mut self, first: usize) {
        for item in &mut self.items[first..] {
            if let Cow::Owned(value) = guess_value(&self.arena[item.text.range()], true) {
                item.text = Span::new(self.arena.len(), self.arena.len() + value.len());
                self.arena.extend_from_slice(&value);
            }
        }
    }

    pub(crate) fn push_tag(&mut self, name: &[u8], value: &[u8]) {
        let start = self.arena.len();
        self.arena.extend_from_slice(name);
        self.push(Kind::Tag, 0, value);
        if let Some(item) = self.items.last_mut() {
            item.name = Span::new(start, start + name.len());
        }
    }
}

/// Walks over the records of a block.
pub(crate) struct BlockDecoder<'a> {
    head: &'a BlockHead,
    shapes: Vec<Pattern>,
    /// Texts of a game. A tag's are kept twice, once as the record has them, and once twice as
    /// long, where Latin-1 becomes UTF-8.
    max_arena: usize,
    records: Records<'a>,
    game: u64,
    /// Escapes of the game at hand, unstuffed.
    tag_data: Vec<u8>,
    notes: Vec<u8>,
    /// The second of them, where it need not be copied for that.
    notes_as_they_stand: Option<&'a [u8]>,
    /// Its elements behind the tag section, without what the notes add; and all its `%` lines.
    played: Vec<Played>,
    lines: Vec<&'a [u8]>,
    /// The moves of the last record that has some.
    moves: &'a [u8],
    /// Where these escapes stand.
    places: [u64; 2],
    /// Where the game at hand begins.
    pub begin: u64,
    /// Stuffed pieces of an escape that goes on.
    pieces: Vec<u8>,
    /// Where the bytes of the block went.
    pub breakdown: Breakdown,
}

impl<'a> BlockDecoder<'a> {
    pub(crate) fn new(head: &'a BlockHead, records: &'a [u8]) -> BlockDecoder<'a> {
        let source = usize::try_from(head.source).unwrap_or(usize::MAX);
        BlockDecoder {
            max_arena: source
                .saturating_mul(2)
                .saturating_add(records.len() + SHORT),
            head,
            shapes: head
                .shapes
                .iter()
                .map(|shape| Pattern::new(shape))
                .collect(),
            records: Records::new(records, Dialect::Standard),
            game: 0,
            tag_data: Vec::new(),
            notes: Vec::new(),
            notes_as_they_stand: None,
            played: Vec::new(),
            lines: Vec::new(),
            moves: &[],
            places: [0; 2],
            begin: 0,
            pieces: Vec::new(),
            breakdown: Breakdown::default(),
        }
    }

    /// The next unit, a game with all its elements.
    pub(crate) fn next(&mut self, unit: &mut Decoded) -> Result<Option<Unit>, Damage> {
        let found = self.read(unit)?;
        if found == Some(Unit::Game) {
            self.joined(unit).collect(unit)?;
        }
        Ok(found)
    }

    /// The next unit. Of a game `unit` then has the tag section; [`BlockDecoder::joined`] gives the
    /// rest.
    pub(crate) fn read(&mut self, unit: &mut Decoded) -> Result<Option<Unit>, Damage> {
        unit.clear();
        loop {
            let begin = self.records.offset();
            let Some((offset, record)) = self.record()? else {
                return Ok(None);
            };
            self.begin = offset;
            let done = match record {
                Record::Noop => continue,
                Record::Game { str, moves } => {
                    self.restart();
                    self.reduced(unit, str, moves);
                    Unit::Game
                }
                Record::GameBegin => {
                    self.restart();
                    self.breakdown.heads += 1;
                    self.game(unit)?;
                    Unit::Game
                }
                Record::Escape(payload) => self.text(unit, begin, offset, payload)?,
                _ => return Err(self.damage(offset, "record", "does not belong between games")),
            };
            return Ok(Some(done));
        }
    }

    /// A game begins.
    fn restart(&mut self) {
        self.game += 1;
        self.tag_data.clear();
        self.notes.clear();
        self.notes_as_they_stand = None;
        self.played.clear();
        self.lines.clear();
        self.moves = &[];
    }

    /// Text outside games, or a game that is kept as text.
    fn text(
        &mut self,
        unit: &mut Decoded,
        begin: u64,
        offset: u64,
        payload: &'a [u8],
    ) -> Result<Unit, Damage> {
        let (kind, data) = self.private(offset, payload)?;
        if !matches!(kind, Escape::Stray | Escape::Piece) {
            return Err(self.damage(offset, "escape-string", "does not belong between games"));
        }
        unstuff(&mut unit.raw, data.unwrap_or(&self.pieces))
            .ok_or_else(|| self.damage(offset, "escape-string", "stuffing"))?;
        self.breakdown.text_kept += self.records.offset() - begin;
        let continues = match unit.raw.first() {
            Some(&flag @ (0 | 1)) => flag == 1,
            _ => {
                return Err(self.damage(
                    offset,
                    "escape-string",
                    "neither begins a text nor continues one",
                ));
            }
        };
        unit.raw.remove(0);
        if kind == Escape::Stray {
            return Ok(Unit::Stray(continues));
        }
        self.game += u64::from(!continues);
        Ok(Unit::Piece(continues))
    }

    /// What the game just read has behind its tag section.
    pub(crate) fn joined(&mut self, unit: &Decoded) -> Joined<'_> {
        let in_tags = unit
            .items
            .iter()
            .filter(|item| item.kind == Kind::Escape)
            .count();
        let play = Play {
            played: &self.played,
            lines: &self.lines[in_tags..],
            notes: self.notes_as_they_stand.unwrap_or(&self.notes),
            shapes: &self.shapes,
            terminator: unit
                .tags()
                .find(|t| t.0 == b"Result")
                .map_or(0, |t| terminator_of(t.1)),
            tag_items: unit.tag_items,
            texts: unit.arena.len(),
            max_texts: self.max_arena,
            begin: self.begin,
            notes_at: self.places[1],
            game: self.game,
        };
        Joined::new(play, &mut self.breakdown)
    }

    /// The elements of the game just read that have records, behind its tag section.
    pub(crate) fn played(&self) -> &[Played] {
        &self.played
    }

    /// The moves of the last record that has some; if these are as many as the elements, all.
    pub(crate) fn last_moves(&self) -> &[u8] {
        self.moves
    }

    /// All `%` lines of the game just read.
    pub(crate) fn lines(&self) -> &[&'a [u8]] {
        &self.lines
    }

    /// The data of its annotations.
    pub(crate) fn notes(&self) -> &[u8] {
        self.notes_as_they_stand.unwrap_or(&self.notes)
    }

    fn damage(&self, offset: u64, item: &'static str, what: impl Into<String>) -> Damage {
        Damage {
            offset,
            game: self.game,
            item,
            what: what.into(),
        }
    }

    fn record(&mut self) -> Result<Option<(u64, Record<'a>)>, Damage> {
        match self.records.next() {
            None => Ok(None),
            Some(Ok(record)) => Ok(Some(record)),
            Some(Err(error)) => Err(Damage {
                offset: error.offset,
                game: self.game,
                item: error.item,
                what: error.fault.to_string(),
            }),
        }
    }

    /// Reads on to the last piece of a private escape. Its data, still stuffed, is given, or in
    /// `pieces` if there are several.
    fn private(
        &mut self,
        offset: u64,
        payload: &'a [u8],
    ) -> Result<(Escape, Option<&'a [u8]>), Damage> {
        let bad = "not a private escape";
        let mut part =
            private::private(payload).ok_or_else(|| self.damage(offset, "escape-string", bad))?;
        if !part.continues {
            return Ok((part.kind, Some(part.data)));
        }
        self.pieces.clear();
        self.pieces.extend_from_slice(part.data);
        while part.continues {
            let next = self.record()?;
            let next = next.and_then(|(_, record)| match record {
                Record::Escape(payload) => {
                    private::private(payload).filter(|next| next.kind == part.kind)
                }
                _ => None,
            });
            part = next.ok_or_else(|| self.damage(offset, "escape-string", "is not continued"))?;
            self.pieces.extend_from_slice(part.data);
        }
        Ok((part.kind, None))
    }

    /// A 0x01 record.
    fn reduced(&mut self, unit: &mut Decoded, str: [&[u8]; 7], moves: &'a [u8]) {
        let mut bytes = 1;
        for &member in &self.head.style.roster {
            let member = usize::from(member);
            unit.push_tag(
                ROSTER[member].as_bytes(),
                &guess_value(str[member], self.head.style.utf8),
            );
            bytes += 1 + str[member].len() as u64;
        }
        unit.tag_items = unit.items.len();
        self.breakdown.tags += bytes;
        self.breakdown.moves += 2 + moves.len() as u64;
        self.moves(unit, moves);
    }

    fn moves(&mut self, unit: &mut Decoded, moves: &'a [u8]) {
        self.moves = moves;
        self.played.extend(moves.iter().map(|&value| Played {
            kind: Kind::Move,
            value,
        }));
        unit.plies += moves.len() as u64;
    }

    /// The records of a game, up to its 0x06.
    fn game(&mut self, unit: &mut Decoded) -> Result<(), Damage> {
        // The private escape read last: behind the first of them no record with elements may stand.
        let mut last = None;
        loop {
            if last.is_none() {
                self.tag_pairs(unit)?;
            }
            let begin = self.records.offset();
            let Some((offset, record)) = self.record()? else {
                return Err(self.damage(begin, "game-end", "is missing"));
            };
            match record {
                Record::GameEnd => break,
                Record::Noop => {}
                Record::Escape(payload) => self.escape(unit, offset, payload, &mut last)?,
                _ if last.is_some() => {
                    return Err(self.damage(
                        offset,
                        "record",
                        "follows the private escapes of its game",
                    ));
                }
                _ => self.element(unit, offset, record)?,
            }
            self.count(unit, offset)?;
        }
        self.breakdown.heads += 1;
        self.merge_tags(unit)
            .ok_or_else(|| self.damage(self.places[0], "tags (T)", "not well-formed"))?;
        // `%` lines behind the last tag are not of the tag section.
        if unit.items.len() > unit.tag_items {
            let lines = unit.items.drain(unit.tag_items..).map(|item| Played {
                kind: item.kind,
                value: 0,
            });
            drop(self.played.splice(0..0, lines));
        }
        Ok(())
    }

    /// The tag pairs that come next. Their records go into the arena in one piece, as they stand.
    #[inline]
    fn tag_pairs(&mut self, unit: &mut Decoded) -> Result<(), Damage> {
        if !self.played.is_empty() {
            return Ok(());
        }
        let (records, first, base) = (self.records.rest(), unit.items.len(), unit.arena.len());
        let mut offset = self.records.offset();
        while let Some((name, value)) = self.records.next_tag_pair() {
            let end = base + records.len() - self.records.rest().len();
            let text = Span::new(end - value.len(), end);
            // The length of the value stands between.
            let name_end = end - value.len() - 1;
            let name = Span::new(name_end - name.len(), name_end);
            unit.items.push(Item {
                kind: Kind::Tag,
                ordinal: 0,
                num: 0,
                text,
                name,
            });
            self.count(unit, offset)?;
            offset = self.records.offset();
        }
        let len = records.len() - self.records.rest().len();
        if len > 0 {
            // With what stands behind them, so that the last of them can be looked at as the
            // others.
            unit.arena
                .extend_from_slice(&records[..records.len().min(len + SHORT)]);
            unit.tag_items = unit.items.len();
            self.breakdown.tags += len as u64;
            if self.head.style.utf8 && !records[..len].is_ascii() {
                unit.guess_values(first);
            }
        }
        Ok(())
    }

    /// Makes sure that the elements so far are not too many; the last of them are of the record at
    /// `offset`.
    #[inline]
    fn count(&self, unit: &Decoded, offset: u64) -> Result<(), Damage> {
        if unit.items.len() + self.played.len() > MAX_ELEMS {
            return Err(self.damage(offset, "record", "more elements than a game may have"));
        }
        Ok(())
    }

    /// A record that is one element, or a run of moves.
    fn element(
        &mut self,
        unit: &mut Decoded,
        offset: u64,
        record: Record<'a>,
    ) -> Result<(), Damage> {
        let size = self.records.offset() - offset;
        match record {
            // Those before the first element of play have been read.
            Record::TagPair { .. } => return Err(self.damage(offset, "tag-pair", "follows play")),
            Record::ShortMoves(moves) | Record::LongMoves(moves) => {
                self.moves(unit, moves);
                self.breakdown.moves += size;
            }
            Record::Nag(value) => {
                self.played.push(Played {
                    kind: Kind::Nag,
                    value,
                });
                self.breakdown.nags_and_variations += size;
            }
            Record::RavBegin => {
                unit.branches = true;
                self.played.push(Played {
                    kind: Kind::RavOpen,
                    value: 0,
                });
                self.breakdown.nags_and_variations += size;
            }
            Record::RavEnd => {
                self.played.push(Played {
                    kind: Kind::RavClose,
                    value: 0,
                });
                self.breakdown.nags_and_variations += size;
            }
            _ => return Err(self.damage(offset, "record", "does not belong in a game")),
        }
        Ok(())
    }

    /// A `%` line of the source, or a private escape, which is kept.
    fn escape(
        &mut self,
        unit: &mut Decoded,
        offset: u64,
        payload: &'a [u8],
        last: &mut Option<u8>,
    ) -> Result<(), Damage> {
        let line = match private::private(payload) {
            Some(private) if private.kind == Escape::Quoted => private.data,
            None if !payload.starts_with(private::PREFIX) => payload,
            None => return Err(self.damage(offset, "escape-string", "not a private escape")),
            Some(_) => {
                let (kind, data) = self.private(offset, payload)?;
                self.keep(unit, kind, data, offset, *last)?;
                let size = self.records.offset() - offset;
                match kind {
                    Escape::Tags => self.breakdown.tags += size,
                    Escape::Layout => self.breakdown.layout += size,
                    _ => self.breakdown.comments += size,
                }
                *last = Some(kind as u8);
                return Ok(());
            }
        };
        if last.is_some() {
            return Err(self.damage(
                offset,
                "escape-string",
                "follows the private escapes of its game",
            ));
        }
        if memchr::memchr2(b'\n', b'\r', line).is_some() {
            return Err(self.damage(offset, "escape-string", "a line end stands in a line"));
        }
        self.lines.push(line);
        if self.played.is_empty() {
            unit.push(Kind::Escape, 0, line);
        } else {
            unit.arena.extend_from_slice(line);
            self.played.push(Played {
                kind: Kind::Escape,
                value: 0,
            });
        }
        self.breakdown.escapes += self.records.offset() - offset;
        Ok(())
    }

    /// Keeps the data of `T`, `A` or `L`, which come in this order, once each.
    fn keep(
        &mut self,
        unit: &mut Decoded,
        kind: Escape,
        stuffed: Option<&'a [u8]>,
        offset: u64,
        last: Option<u8>,
    ) -> Result<(), Damage> {
        let order = b"TAL";
        let place = |kind: u8| order.iter().position(|&k| k == kind);
        if place(kind as u8).is_none() || last.is_some_and(|last| place(last) >= place(kind as u8))
        {
            return Err(self.damage(offset, "escape-string", "does not belong here"));
        }
        let data = match kind {
            Escape::Tags => {
                self.places[0] = offset;
                &mut self.tag_data
            }
            Escape::Annotations => {
                self.places[1] = offset;
                self.notes_as_they_stand = stuffed.filter(|data| is_as_it_was(data));
                if self.notes_as_they_stand.is_some() {
                    return Ok(());
                }
                &mut self.notes
            }
            _ => unit.layout.insert(Vec::new()),
        };
        unstuff(data, stuffed.unwrap_or(&self.pieces))
            .ok_or_else(|| self.damage(offset, "escape-string", "stuffing"))
    }

    /// Puts the entries of `T` in their places.
    fn merge_tags(&self, unit: &mut Decoded) -> Option<()> {
        if self.tag_data.is_empty() {
            return Some(());
        }
        let mut src = self.tag_data.as_slice();
        // `%` lines behind the last record may stand before a tag of `T`.
        let mut old = std::mem::take(&mut unit.items).into_iter();
        while !src.is_empty() {
            for _ in 0..take_num(&mut src)? {
                unit.items.push(
                    old.next()
                        .filter(|i| matches!(i.kind, Kind::Tag | Kind::Escape))?,
                );
            }
            match take_byte(&mut src)? {
                0 => {
                    let value = take_str(&mut src)?;
                    let mut item = old.next().filter(|i| i.kind == Kind::Tag)?;
                    // The record's value is the one that is made from the true value.
                    let record = record_value(value);
                    if *guess_value(&record, self.head.style.utf8) != unit.arena[item.text.range()]
                    {
                        return None;
                    }
                    let start = unit.arena.len();
                    unit.arena.extend_from_slice(value);
                    item.text = Span::new(start, unit.arena.len());
                    unit.items.push(item);
                }
                1 => {
                    let (name, value) = (take_str(&mut src)?, take_str(&mut src)?);
                    unit.push_tag(name, value);
                }
                _ => return None,
            }
            unit.tag_items = unit.items.len();
        }
        unit.items.extend(old);
        if let Some(last) = unit.items.iter().rposition(|i| i.kind == Kind::Tag) {
            unit.tag_items = last + 1;
        }
        Some(())
    }
}

pub(crate) fn push_moves(unit: &mut Decoded, moves: &[u8]) {
    let item = |&ordinal| Item {
        kind: Kind::Move,
        ordinal,
        num: 0,
        text: Span::default(),
        name: Span::default(),
    };
    unit.items.extend(moves.iter().map(item));
}
