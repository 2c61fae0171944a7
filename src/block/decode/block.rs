//! Decodes one block of archive to its games (spec/extension.md sections 4 to 9).

use crate::decode::comments::annotate;
use crate::decode::game::Decoded;
use crate::decode::tags;
use crate::head::BlockHead;
use crate::shape::Pattern;
use crate::small::stored::Needs;
use crate::stop;
use crate::tag_value::{SHORT, terminator_of};
use pgc_pgn::game::{Elem, ElemKind};
use pgc_pgn::reader::{MAX_ELEMS, MAX_TAG_PAIRS};
use pgc_pgn::records::private::{self, EscapeKind, unstuff};
use pgc_pgn::records::reader::Records;
use pgc_pgn::records::record::Record;
use pgc_pgn::split::UnitKind;

/// Damage in a block: the offset in its records (from 0), the number of the game (from 1), the
/// damaged item, and the fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Damage {
    pub offset: u64,
    pub game: u64,
    pub item: &'static str,
    pub what: String,
}

impl Damage {
    /// Damage of the block as a whole, before any record is read.
    pub(crate) fn for_block(what: impl Into<String>) -> Damage {
        Damage {
            offset: 0,
            game: 0,
            item: "block",
            what: what.into(),
        }
    }
}

/// Behind the private escapes of a game stand no other records of it.
const LATE: &str = "follows the private escapes of its game";

/// Reads the units of a block from its records.
#[derive(Debug)]
pub struct BlockDecoder<'a> {
    head: &'a BlockHead,
    needs: Needs,
    shapes: Vec<Pattern>,
    /// The most bytes that the texts of a game can take. The values of tags may be there twice: as
    /// in the record, and as UTF-8, which is up to twice as long.
    max_text: usize,
    all: &'a [u8],
    records: Records<'a>,
    game: u64,
    /// How many elements of the current game with records stand before all play.
    section: usize,
    /// The offset of its first `%` line with a line end, which no text has.
    broken_line: Option<u64>,
    /// The offsets of `T` and `A`.
    places: [u64; 2],
    /// Where the current game begins.
    pub begin: u64,
    /// The pieces of an escape of several records, still stuffed.
    pieces: Vec<u8>,
    /// A buffer.
    played: Vec<Elem>,
}

impl<'a> BlockDecoder<'a> {
    /// Decodes these records of a block, whose head is known, as far as somebody `needs` them.
    pub fn new(head: &'a BlockHead, records: &'a [u8], needs: Needs) -> BlockDecoder<'a> {
        let text = usize::try_from(2 * head.source).unwrap_or(usize::MAX);
        let shapes = head.shapes.iter().map(|shape| Pattern::new(shape));
        BlockDecoder {
            max_text: text.saturating_add(records.len() + SHORT),
            head,
            needs,
            shapes: shapes.collect(),
            all: records,
            records: Records::from_offset(records, 0),
            game: 0,
            section: 0,
            broken_line: None,
            places: [0; 2],
            begin: 0,
            pieces: Vec::new(),
            played: Vec::new(),
        }
    }

    /// Continues at this offset in the records, where a game begins, behind so many games.
    pub fn seek(&mut self, offset: usize, games: u64) {
        self.records = Records::from_offset(self.all, offset);
        self.game = games;
    }

    /// The next unit. `true` with [`UnitKind::Stray`] and [`UnitKind::Piece`]: it continues the
    /// unit before.
    pub fn next(&mut self, unit: &mut Decoded) -> Result<Option<UnitKind>, Damage> {
        let kind = self.take(unit)?;
        if kind == Some(UnitKind::Game) {
            self.finish(unit)?;
        }
        Ok(kind)
    }

    /// As [`BlockDecoder::next`], but of a game only what has records: its escapes are kept as
    /// they are.
    pub(crate) fn take(&mut self, unit: &mut Decoded) -> Result<Option<UnitKind>, Damage> {
        unit.clear();
        if stop::is_set() {
            return Err(Damage::for_block("is not read any further"));
        }
        loop {
            let Some((offset, record)) = self.record()? else {
                return Ok(None);
            };
            self.begin = offset;
            self.broken_line = None;
            let done = match record {
                Record::Noop => continue,
                Record::Game { str, moves } => {
                    self.game += 1;
                    unit.is_reduced = true;
                    tags::put_roster(unit, str, &self.head.style);
                    self.section = unit.elems.len();
                    if self.needs.movetext() {
                        unit.push_moves(moves);
                    }
                    UnitKind::Game
                }
                Record::GameBegin => {
                    self.game += 1;
                    self.game(unit)?;
                    UnitKind::Game
                }
                Record::Escape(payload) => self.text(unit, offset, payload)?,
                _ => return Err(self.damage(offset, "record", "does not belong between games")),
            };
            return Ok(Some(done));
        }
    }

    /// Decodes text outside games, or a game that is kept as text.
    fn text(
        &mut self,
        unit: &mut Decoded,
        offset: u64,
        payload: &'a [u8],
    ) -> Result<UnitKind, Damage> {
        let (kind, data) = self.private(offset, payload)?;
        if !matches!(kind, EscapeKind::Stray | EscapeKind::Piece) {
            return Err(self.damage(offset, "escape-string", "does not belong between games"));
        }
        unstuff(&mut unit.raw, data.unwrap_or(&self.pieces))
            .ok_or_else(|| self.damage(offset, "escape-string", "stuffing"))?;
        let Some(&flag @ (0 | 1)) = unit.raw.first() else {
            let what = "neither begins a text nor continues one";
            return Err(self.damage(offset, "escape-string", what));
        };
        let continues = flag == 1;
        unit.raw.remove(0);
        if kind == EscapeKind::Stray {
            return Ok(UnitKind::Stray(continues));
        }
        self.game += u64::from(!continues);
        Ok(UnitKind::Piece(continues))
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
        let record = self.records.next().transpose();
        record.map_err(|error| self.damage(error.offset, error.item, error.fault.to_string()))
    }

    /// Reads a private escape up to its last piece. Returns its data, still stuffed, or `None` if
    /// it has several pieces, which are then in `self.pieces`.
    fn private(
        &mut self,
        offset: u64,
        payload: &'a [u8],
    ) -> Result<(EscapeKind, Option<&'a [u8]>), Damage> {
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
                Record::Escape(payload) => private::private(payload),
                _ => None,
            });
            let next = next.filter(|next| next.kind == part.kind);
            part = next.ok_or_else(|| self.damage(offset, "escape-string", "is not continued"))?;
            self.pieces.extend_from_slice(part.data);
        }
        Ok((part.kind, None))
    }

    /// Reads the records of a game, up to its 0x06.
    fn game(&mut self, unit: &mut Decoded) -> Result<(), Damage> {
        // The private escape read last. Behind the first one, no record with elements may stand.
        let mut last = None;
        // The number of tag pairs and `%` lines before all other elements.
        let mut first = None;
        loop {
            if first.is_none() && last.is_none() {
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
                _ if last.is_some() => return Err(self.damage(offset, "record", LATE)),
                _ => {
                    first.get_or_insert(unit.elems.len());
                    if self.needs.movetext() {
                        self.element(unit, offset, record)?;
                    }
                }
            }
            self.count(unit, offset, "record")?;
        }
        self.section = first.unwrap_or(unit.elems.len());
        unit.end_tags(self.section);
        Ok(())
    }

    /// The offset behind the unit read last.
    pub(crate) fn offset(&self) -> u64 {
        self.records.offset()
    }

    /// Adds what `T` and `A` have to a game, and its terminator.
    fn finish(&mut self, unit: &mut Decoded) -> Result<(), Damage> {
        if let Some(offset) = self.broken_line {
            return Err(self.damage(offset, "escape-string", "a line end stands in a line"));
        }
        let tag_data = unit.tag_data.take().unwrap_or_default();
        tags::merge(unit, self.section, &tag_data, self.head.style.utf8)
            .ok_or_else(|| self.damage(self.places[0], "tags (T)", "not well-formed"))?;
        let result = unit.tag_pairs().find(|tag| tag.0 == b"Result");
        let predicted = result.map_or(0, |tag| terminator_of(tag.1));
        let notes = std::mem::take(&mut unit.notes);
        let (shapes, played) = (&self.shapes, &mut self.played);
        annotate(unit, &notes, shapes, predicted, self.max_text, played)
            .map_err(|_| self.damage(self.places[1], "annotations (A)", "not well-formed"))?;
        unit.notes = notes;
        self.count(unit, self.begin, "game")
    }

    /// Reads the tag pairs that come next.
    #[inline]
    fn tag_pairs(&mut self, unit: &mut Decoded) -> Result<(), Damage> {
        let begin = self.records.offset();
        tags::put_pairs(unit, &mut self.records, self.head.style.utf8);
        self.count(unit, begin, "record")
    }

    /// Fails if the elements so far are too many; the last of them are from the item at `offset`.
    #[inline]
    fn count(&self, unit: &Decoded, offset: u64, item: &'static str) -> Result<(), Damage> {
        if unit.elems.len() > MAX_ELEMS {
            return Err(self.damage(offset, item, "more elements than a game may have"));
        }
        if unit.tags.len() > MAX_TAG_PAIRS {
            return Err(self.damage(offset, item, "more tag pairs than a game may have"));
        }
        Ok(())
    }

    /// Decodes a record that is one element, or a run of moves.
    fn element(
        &mut self,
        unit: &mut Decoded,
        offset: u64,
        record: Record<'a>,
    ) -> Result<(), Damage> {
        let (kind, num) = match record {
            Record::ShortMoves(moves) | Record::LongMoves(moves) => {
                unit.push_moves(moves);
                return Ok(());
            }
            Record::Nag(value) => (ElemKind::Nag, u32::from(value)),
            Record::RavBegin => (ElemKind::RavOpen, 0),
            Record::RavEnd => (ElemKind::RavClose, 0),
            // Tag pairs before the first element of play have been read already.
            Record::TagPair { .. } => return Err(self.damage(offset, "tag-pair", "follows play")),
            _ => return Err(self.damage(offset, "record", "does not belong in a game")),
        };
        unit.push(kind, num, unit.text.len());
        Ok(())
    }

    /// Decodes an escape: a `%` line of the source, or a private escape, whose data is kept.
    fn escape(
        &mut self,
        unit: &mut Decoded,
        offset: u64,
        payload: &'a [u8],
        last: &mut Option<u8>,
    ) -> Result<(), Damage> {
        let line = match private::private(payload) {
            Some(private) if private.kind == EscapeKind::Quoted => private.data,
            None if !payload.starts_with(private::PREFIX) => payload,
            None => return Err(self.damage(offset, "escape-string", "not a private escape")),
            Some(_) => {
                let (kind, data) = self.private(offset, payload)?;
                self.keep(unit, kind, data, offset, *last)?;
                *last = Some(kind as u8);
                return Ok(());
            }
        };
        if last.is_some() {
            return Err(self.damage(offset, "escape-string", LATE));
        }
        if memchr::memchr2(b'\n', b'\r', line).is_some() {
            self.broken_line = self.broken_line.or(Some(offset));
        }
        unit.push_line(line);
        Ok(())
    }

    /// Keeps the data of `T`, `A` or `L`, which come in this order, once each.
    fn keep(
        &mut self,
        unit: &mut Decoded,
        kind: EscapeKind,
        stuffed: Option<&'a [u8]>,
        offset: u64,
        last: Option<u8>,
    ) -> Result<(), Damage> {
        let place = |kind: u8| b"TAL".iter().position(|&k| k == kind);
        let here = place(kind as u8);
        if here.is_none() || last.is_some_and(|last| place(last) >= here) {
            return Err(self.damage(offset, "escape-string", "does not belong here"));
        }
        let data = match kind {
            EscapeKind::Tags => {
                self.places[0] = offset;
                unit.tag_data.insert(Vec::new())
            }
            EscapeKind::Annotations | EscapeKind::Layout if !self.needs.notes() => return Ok(()),
            EscapeKind::Annotations => {
                self.places[1] = offset;
                &mut unit.notes
            }
            _ => unit.layout.insert(Vec::new()),
        };
        unstuff(data, stuffed.unwrap_or(&self.pieces))
            .ok_or_else(|| self.damage(offset, "escape-string", "stuffing"))
    }
}
