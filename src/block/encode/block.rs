//! One block of source to one block of archive (spec/extension.md sections 4 to 9).

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::block::encode::detect::detect;
use crate::block::head::BlockHead;
use crate::block::layout::Style;
use crate::block::num::{put_num, put_str};
use crate::block::pieces::put_pieces;
use crate::pgn::game::{Elem, Game, Games, Kind, Note as Finding, Tag, What, Wholeness};
use crate::pgn::split::{Unit, UnitKind};
use crate::pgn::tag::unescape;
use crate::records::Marker;
use crate::records::private::{Kind as Escape, put_private, put_source_escape};
use crate::records::record::{ROSTER, Record, put_moves, put_record};

use crate::block::decode::game::SHORT;
use crate::block::encode::comments::Comments;
use crate::block::encode::layout::Layouts;
use crate::block::tag_value::{guess_value, is_plain, is_record_name, record_value};
use crate::run::Summary;

/// How a unit is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Records, and a layout of what the block's style does not predict.
    Records,
    /// Text alone.
    Text,
}

/// Counts of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub games: u64,
    pub whole: u64,
    pub tails: u64,
    pub text: u64,
    pub plies: u64,
    pub stray_regions: u64,
    pub stray_bytes: u64,
    pub repairs: u64,
    pub rav_texts: u64,
}

impl Counts {
    /// Games, moves and text outside games are the same.
    pub(crate) fn agree_with(&self, other: &Counts) -> bool {
        let of = |c: &Counts| {
            [
                c.games,
                c.whole,
                c.tails,
                c.text,
                c.plies,
                c.stray_regions,
                c.stray_bytes,
            ]
        };
        of(self) == of(other)
    }

    /// Counts a game with so many moves.
    pub(crate) fn game(&mut self, wholeness: Wholeness, plies: u64) {
        self.games += 1;
        self.plies += plies;
        match wholeness {
            Wholeness::Whole => self.whole += 1,
            Wholeness::Tail => self.tails += 1,
            Wholeness::TextOnly => self.text += 1,
        }
    }

    /// Counts what was decoded: a game, or text.
    pub(crate) fn decoded(&mut self, kind: UnitKind, game: &Game<'_>, raw: &[u8]) {
        match kind {
            UnitKind::Game => self.game(game.wholeness, game.ordinals.len() as u64),
            UnitKind::Stray(continues) => self.stray(continues, raw.len()),
            UnitKind::Piece(false) => self.game(Wholeness::TextOnly, 0),
            UnitKind::Piece(true) => {}
        }
    }

    /// Counts so many bytes of text outside games, which may go on from before.
    pub(crate) fn stray(&mut self, continues: bool, bytes: usize) {
        self.stray_regions += u64::from(!continues);
        self.stray_bytes += bytes as u64;
    }

    /// Adds all of them to a summary.
    pub(crate) fn add_to(&self, summary: &mut Summary) {
        summary.games += self.games;
        summary.whole += self.whole;
        summary.text_tail += self.tails;
        summary.text_only += self.text;
        summary.plies += self.plies;
        summary.stray_regions += self.stray_regions;
        summary.stray_bytes += self.stray_bytes;
        summary.repairs += self.repairs;
        summary.rav_text += self.rav_texts;
    }
}

/// A unit, read.
#[derive(Debug)]
pub(crate) struct Parsed<'g> {
    pub unit: Unit,
    pub game: Game<'g>,
    pub form: Form,
}

/// What all games of a block share.
pub(crate) struct BlockEncoder<'a> {
    src: &'a [u8],
    layouts: Layouts,
    comments: Comments<'a>,
    /// Buffers, kept for their memory.
    tag_data: Vec<u8>,
    data: Vec<u8>,
    /// Where the records of the block begin.
    begin: usize,
    /// Where in these the movetext of each game is, but for its layout; of a game whose records
    /// were replaced by one, anything.
    movetexts: Vec<Range<usize>>,
    /// Of each game whose layout is its text, because its slots are longer: the slots.
    wholes: Vec<Vec<u8>>,
}

/// Reads the units of a block; `seen` gets each game that could be read.
pub(crate) fn read_units<'g>(
    games: &'g mut Games,
    src: &[u8],
    units: &[Unit],
    mut seen: impl FnMut(&[u8], &Game<'_>),
) -> Vec<Parsed<'g>> {
    games.reserve(src.len());
    let mut forms = Vec::with_capacity(units.len());
    for unit in units {
        let text = &src[unit.start..unit.end];
        let why = match unit.kind {
            UnitKind::Game if games.read_game(text, unit.line_start).is_ok() => {
                forms.push(Form::Records);
                games.last().iter().for_each(|game| seen(text, game));
                continue;
            }
            UnitKind::Game => Some(What::TooMany),
            UnitKind::Piece(false) => Some(What::TooLong),
            UnitKind::Stray(false) => Some(What::Stray),
            UnitKind::Piece(true) | UnitKind::Stray(true) => None,
        };
        forms.push(Form::Text);
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        games.push_text(why.map(|what| Finding {
            what,
            start: 0,
            end,
            main: true,
        }));
    }
    let read = units.iter().zip(games.iter()).zip(forms);
    read.map(|((&unit, game), form)| Parsed { unit, game, form })
        .collect()
}

/// What a block adds to the summary.
pub(crate) fn count(parsed: &[Parsed<'_>]) -> Counts {
    let mut counts = Counts::default();
    for Parsed { unit, game, .. } in parsed {
        match unit.kind {
            UnitKind::Stray(continues) => {
                counts.stray(continues, unit.end - unit.start);
                continue;
            }
            UnitKind::Piece(true) => continue,
            UnitKind::Piece(false) | UnitKind::Game => {}
        }
        counts.game(game.wholeness, game.ordinals.len() as u64);
        counts.rav_texts += game.rav_texts;
        counts.repairs += game.notes.iter().filter(|n| is_repair(n.what)).count() as u64;
    }
    counts
}

/// It was understood, or means nothing.
pub(crate) fn is_repair(what: What) -> bool {
    matches!(
        what,
        What::RavUnclosed
            | What::CommentUnclosed
            | What::Spelling
            | What::Junk
            | What::TagForm
            | What::LongEscape
    )
}

impl<'a> BlockEncoder<'a> {
    /// `ahead`: layouts gathered when the games were read, if they still are those of all games
    /// that `parsed` has.
    pub(crate) fn new(
        src: &'a [u8],
        parsed: &[Parsed<'_>],
        ahead: Option<Layouts>,
    ) -> BlockEncoder<'a> {
        let games = parsed
            .iter()
            .filter(|p| p.form != Form::Text)
            .map(|p| (&src[p.unit.start..p.unit.end], &p.game));
        let style = detect(games, ahead.as_ref().and_then(Layouts::fitting));
        BlockEncoder {
            src,
            layouts: Layouts::of(style, ahead),
            comments: Comments::new(src, parsed),
            tag_data: Vec::new(),
            data: Vec::new(),
            begin: 0,
            movetexts: Vec::new(),
            wholes: Vec::new(),
        }
    }

    /// Of each game that has records, those of its movetext: where they are the same, and the
    /// shapes of the blocks too, the movetexts are.
    pub(crate) fn movetexts<'r>(&self, records: &'r [u8]) -> impl Iterator<Item = &'r [u8]> {
        self.movetexts
            .iter()
            .map(|range| records.get(range.clone()).unwrap_or_default())
    }

    /// Of each game whose layout is its text, the slots that it would have otherwise.
    pub(crate) fn wholes(&self) -> &[Vec<u8>] {
        &self.wholes
    }

    pub(crate) fn style(&self) -> &Arc<Style> {
        &self.layouts.style
    }

    /// Appends the block: its head and its records.
    pub(crate) fn put_block(
        &mut self,
        out: &mut Vec<u8>,
        number: u64,
        parsed: &[Parsed<'_>],
        counts: &Counts,
    ) -> BlockHead {
        let begin = out.len();
        out.reserve(self.src.len());
        self.begin = begin;
        self.movetexts.clear();
        self.wholes.clear();
        for unit in parsed {
            self.put_unit(out, unit);
        }
        let records = &out[begin..];
        let head = BlockHead {
            number,
            games: counts.games,
            plies: counts.plies,
            source: self.src.len() as u64,
            records: records.len() as u64,
            style: (*self.layouts.style).clone(),
            shapes: self.comments.shapes.clone(),
            crc: crc32fast::hash(records),
        };
        let mut bytes = Vec::new();
        head.put(&mut bytes);
        out.splice(begin..begin, bytes);
        head
    }

    fn put_unit(&mut self, out: &mut Vec<u8>, parsed: &Parsed<'_>) {
        let Unit {
            kind, start, end, ..
        } = parsed.unit;
        let src = &self.src[start..end];
        let (escape, continues) = match kind {
            UnitKind::Game if parsed.form != Form::Text => {
                return self.put_game(out, src, &parsed.game);
            }
            UnitKind::Game => (Escape::Piece, false),
            UnitKind::Piece(continues) => (Escape::Piece, continues),
            UnitKind::Stray(continues) => (Escape::Stray, continues),
        };
        self.data.clear();
        self.data.push(u8::from(continues));
        self.data.extend_from_slice(src);
        put_private(out, escape, &self.data);
    }

    fn put_game(&mut self, out: &mut Vec<u8>, src: &[u8], game: &Game<'_>) {
        let begin = out.len();
        out.push(Marker::GameBegin.byte());
        let reducible = self.put_tags(out, src, game);
        let movetext = out.len();
        let is_plain = Self::put_play(out, src, game);
        let played = out.len();
        if !self.tag_data.is_empty() {
            put_private(out, Escape::Tags, &self.tag_data);
        }
        self.comments.put_next(out);
        self.movetexts
            .push(movetext - self.begin..out.len() - self.begin);
        let slots = self.layouts.take(src, game);
        self.data.clear();
        if slots.len() >= src.len() {
            self.wholes.push(slots.to_vec());
            self.data.push(1);
            self.data.extend_from_slice(src);
        } else if !slots.is_empty() {
            self.data.push(0);
            self.data.extend_from_slice(slots);
        }
        if !self.data.is_empty() {
            put_private(out, Escape::Layout, &self.data);
        }
        // D3: nothing but the roster and a main line.
        if reducible && is_plain && out.len() == played && self.put_reduced(out, begin, src, game) {
            return;
        }
        out.push(Marker::GameEnd.byte());
    }

    /// Replaces the records from `begin` on by one 0x01.
    fn put_reduced(
        &mut self,
        out: &mut Vec<u8>,
        begin: usize,
        src: &[u8],
        game: &Game<'_>,
    ) -> bool {
        let values: Vec<_> = game
            .tags
            .iter()
            .map(|t| unescape(&src[t.value.clone()]))
            .collect();
        let latin: Vec<_> = values.iter().map(|v| record_value(v)).collect();
        let mut roster: [&[u8]; 7] = [b""; 7];
        for (value, &place) in latin.iter().zip(&self.layouts.style.roster) {
            roster[usize::from(place)] = value;
        }
        if game.ordinals.len() > 0xffff {
            return false;
        }
        out.truncate(begin);
        put_record(
            out,
            &Record::Game {
                str: roster,
                moves: game.ordinals,
            },
        )
        .is_ok()
    }

    /// Tag pairs and the `%` lines among them; gathers `T`. Whether they would fit a 0x01.
    fn put_tags(&mut self, out: &mut Vec<u8>, src: &[u8], game: &Game<'_>) -> bool {
        self.tag_data.clear();
        let mut skip = 0;
        let mut names = Names::default();
        let mut roster = game.tags.len() == 7 && game.tag_elems == 7;
        for (i, elem) in game.elems[..game.tag_elems].iter().enumerate() {
            if elem.kind == Kind::Escape {
                put_source_escape(out, &src[elem.inner()]);
                skip += 1;
                continue;
            }
            let tag = &game.tags[elem.num as usize];
            let name = &src[tag.name.clone()];
            let raw = &src[tag.value.clone()];
            roster = roster
                && ROSTER[usize::from(self.layouts.style.roster[i.min(6)])].as_bytes() == name;
            let is_new = !names.repeats(src, game, elem.num as usize);
            if is_new && !game.odd_tags && put_short_pair(out, src, tag).is_some() {
                skip += 1;
                continue;
            }
            let has_record = is_new && is_record_name(name);
            if has_record && is_plain(raw) {
                let put = put_record(out, &Record::TagPair { name, value: raw });
                debug_assert!(put.is_ok());
                skip += 1;
                continue;
            }
            let value = unescape(raw);
            if !has_record {
                put_num(&mut self.tag_data, skip);
                self.tag_data.push(1);
                put_str(&mut self.tag_data, name);
                put_str(&mut self.tag_data, &value);
                skip = 0;
                continue;
            }
            let record = record_value(&value);
            // Both fit: `is_record_name` and `record_value` see to it.
            let put = put_record(
                out,
                &Record::TagPair {
                    name,
                    value: &record,
                },
            );
            debug_assert!(put.is_ok());
            if guess_value(&record, self.layouts.style.utf8) == value {
                skip += 1;
            } else {
                put_num(&mut self.tag_data, skip);
                self.tag_data.push(0);
                put_str(&mut self.tag_data, &value);
                skip = 0;
            }
        }
        roster && self.tag_data.is_empty()
    }

    /// Records of moves, NAGs, variations and `%` lines; everything else is in `A`. Whether there
    /// is no record but of the main line.
    fn put_play(out: &mut Vec<u8>, src: &[u8], game: &Game<'_>) -> bool {
        let mut ordinals = game.ordinals;
        let is_plain = !game
            .kinds
            .any(&[Kind::Nag, Kind::RavOpen, Kind::RavClose, Kind::Escape]);
        if !is_plain {
            let mut moves = 0;
            for elem in &game.elems[game.tag_elems..] {
                if elem.kind == Kind::Move {
                    moves += 1;
                } else if has_record(elem) {
                    let (before, behind) = ordinals.split_at(std::mem::take(&mut moves));
                    put_moves(out, before);
                    put_element(out, src, elem);
                    ordinals = behind;
                }
            }
        }
        put_moves(out, ordinals);
        is_plain
    }
}

/// The names of a tag section, as far as it has been walked through.
#[derive(Default)]
struct Names<'a> {
    /// A bit for each of them: one whose bit is not set is new.
    bits: u64,
    /// The names, where there are so many that comparing each two would be slow.
    all: HashSet<&'a [u8]>,
}

impl<'a> Names<'a> {
    /// Whether the name of this tag pair is that of one before it. Asked of each in turn.
    fn repeats(&mut self, src: &'a [u8], game: &Game<'_>, number: usize) -> bool {
        let name = &src[game.tags[number].name.clone()];
        if game.tags.len() >= 32 {
            return !self.all.insert(name);
        }
        let bit = 1 << hash(&src[game.tags[number].name.start..], name.len());
        let is_new = self.bits & bit == 0;
        self.bits |= bit;
        !is_new
            && game.tags[..number]
                .iter()
                .any(|tag| &src[tag.name.clone()] == name)
    }
}

/// Of the first `len` bytes, or the first eight of these: a number below 64.
fn hash(text: &[u8], len: usize) -> u64 {
    let mut first = [0; 8];
    match text.first_chunk() {
        Some(bytes) => first = *bytes,
        None => first[..text.len()].copy_from_slice(text),
    }
    let known = !u64::MAX.unbounded_shl(8 * u32::try_from(len).unwrap_or(u32::MAX).min(8));
    (u64::from_le_bytes(first) & known ^ len as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58
}

/// Appends the record of a tag pair that it holds just so, if that is seen at once: name, of
/// letters, and value are short, and so many bytes stand behind them that what is copied needs not
/// be counted.
fn put_short_pair(out: &mut Vec<u8>, src: &[u8], tag: &Tag) -> Option<()> {
    let name: &[u8; SHORT] = src[tag.name.start..].first_chunk()?;
    let value: &[u8; SHORT] = src[tag.value.start..].first_chunk()?;
    let lengths = [tag.name.len(), tag.value.len()];
    if lengths.iter().any(|&len| len > SHORT) || !begins_plain(value, lengths[1]) {
        return None;
    }
    put_pieces::<PAIR, _>(out, |pieces| {
        pieces.put(&[Marker::TagPair.byte()], 1);
        for (bytes, len) in [name, value].into_iter().zip(lengths) {
            pieces.put(&[u8::try_from(len).ok()?], 1);
            pieces.put(bytes, len);
        }
        Some(())
    })
}

/// Room for such a record.
const PAIR: usize = 1 + 2 * (1 + SHORT);

/// [`is_plain`] of the first `len` bytes.
fn begins_plain(bytes: &[u8; SHORT], len: usize) -> bool {
    let is_odd = |byte: u8| !(b' '..=b'~').contains(&byte) | (byte == b'\\');
    // Places are bytes too, so that the compiler compares all of them at once.
    let len = u8::try_from(len).unwrap_or(u8::MAX);
    let odd = (0_u8..).zip(bytes).fold(0, |odd, (i, &byte)| {
        odd | u8::from((i < len) & is_odd(byte))
    });
    odd == 0
}

/// The element has a record, or a part in one; the others are annotations.
pub(crate) fn has_record(elem: &Elem) -> bool {
    match elem.kind {
        Kind::Nag => elem.num <= MAX_NAG,
        Kind::Move | Kind::RavOpen | Kind::RavClose | Kind::Escape | Kind::Tag => true,
        Kind::Brace | Kind::Line | Kind::Text | Kind::Terminator => false,
    }
}

/// Appends the record of an element that has one of its own.
fn put_element(out: &mut Vec<u8>, src: &[u8], elem: &Elem) {
    match elem.kind {
        Kind::Nag => {
            out.extend_from_slice(&[Marker::Nag.byte(), u8::try_from(elem.num).unwrap_or(0)])
        }
        Kind::RavOpen => out.push(Marker::RavBegin.byte()),
        Kind::RavClose => out.push(Marker::RavEnd.byte()),
        _ => put_source_escape(out, &src[elem.inner()]),
    }
}

/// The greatest NAG of a record.
pub(crate) const MAX_NAG: u32 = 255;
