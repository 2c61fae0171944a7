//! Encodes one block of source as one block of archive (spec/extension.md sections 4 to 9).

use crate::cut::Block;
use crate::encode::comments::Comments;
use crate::encode::detect::{detect, is_utf8};
use crate::encode::layout::Layouts;
use crate::encode::lines::EpdBlock;
use crate::encode::play::{put_play, put_text};
use crate::encode::tags::{put_reduced, put_tags};
use crate::head::BlockHead;
use crate::stop;
use crate::style::Style;
use crate::units::{Counts, Parsed};
use pgc_pgn::game::ParsedGame;
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::records::Marker;
use pgc_pgn::records::private::{EscapeKind, put_private};
use pgc_pgn::split::{Unit, UnitKind};

/// Encodes the games of a block, which share style, shapes and buffers.
#[derive(Debug)]
pub struct BlockEncoder<'a> {
    src: &'a [u8],
    /// The block of EPD whose lines the games are, before and after reading; `src` is then the PGN
    /// made of it.
    epd: Option<(&'a Block, &'a EpdBlock)>,
    layouts: Layouts,
    comments: Comments<'a>,
    /// Buffers, kept for their memory.
    tag_data: Vec<u8>,
    data: Vec<u8>,
    /// The slots of each game whose layout is its whole text, because the slots would be longer.
    replaced_slots: Vec<Vec<u8>>,
}

/// The games that are not stored as text alone, each with its source.
fn games<'p>(
    src: &'p [u8],
    parsed: &'p [Parsed<'p>],
) -> impl Iterator<Item = (&'p [u8], &'p ParsedGame<'p>)> {
    let games = parsed.iter().filter(|p| p.unit.kind == UnitKind::Game);
    games.map(|p| (&src[p.unit.start..p.unit.end], &p.game))
}

impl<'a> BlockEncoder<'a> {
    /// `letters`: the piece letters with which the games were read.
    pub fn new(
        src: &'a [u8],
        parsed: &[Parsed<'_>],
        letters: Option<&'static PieceLetters>,
    ) -> BlockEncoder<'a> {
        let style = detect(games(src, parsed), letters);
        BlockEncoder::with(src, parsed, style, None)
    }

    /// For a block of EPD, whose games were read from its PGN.
    pub fn from_epd(
        block: &'a Block,
        epd: &'a EpdBlock,
        parsed: &[Parsed<'_>],
    ) -> BlockEncoder<'a> {
        let src = &epd.pgn.src;
        let mut style = Style::new(epd.newline);
        style.epd = true;
        style.utf8 = is_utf8(&games(src, parsed).collect::<Vec<_>>());
        BlockEncoder::with(src, parsed, style, Some((block, epd)))
    }

    fn with(
        src: &'a [u8],
        parsed: &[Parsed<'_>],
        style: Style,
        epd: Option<(&'a Block, &'a EpdBlock)>,
    ) -> BlockEncoder<'a> {
        BlockEncoder {
            src,
            epd,
            layouts: Layouts::new(style),
            comments: Comments::new(src, parsed),
            tag_data: Vec::new(),
            data: Vec::new(),
            replaced_slots: Vec::new(),
        }
    }

    /// Sets `out` to the records of the block. Returns its head, and for each game whose layout is
    /// its whole text the slots that it would have otherwise.
    pub fn put_records(
        mut self,
        out: &mut Vec<u8>,
        number: u64,
        parsed: &[Parsed<'_>],
        counts: &Counts,
    ) -> (BlockHead, Vec<Vec<u8>>) {
        out.clear();
        out.reserve(self.src.len());
        let units = parsed.iter().enumerate();
        for (number, unit) in units.take_while(|_| !stop::is_set()) {
            self.put_unit(out, number, unit);
        }
        let head = BlockHead {
            number,
            games: counts.games,
            plies: counts.plies,
            source: self.epd.map_or(self.src, |epd| &epd.0.src).len() as u64,
            records: out.len() as u64,
            style: self.layouts.style,
            shapes: self.comments.shapes,
            streams: None,
            crc: crc32fast::hash(out),
        };
        (head, self.replaced_slots)
    }

    fn put_unit(&mut self, out: &mut Vec<u8>, number: usize, parsed: &Parsed<'_>) {
        let Unit {
            kind, start, end, ..
        } = parsed.unit;
        let src = &self.src[start..end];
        match kind {
            UnitKind::Game => self.put_game(out, number, src, &parsed.game),
            kind => put_text(out, kind, self.line(number).unwrap_or(src)),
        }
    }

    /// The text of a unit of EPD.
    fn line(&self, number: usize) -> Option<&'a [u8]> {
        let (block, _) = self.epd?;
        let unit = block.units[number];
        Some(&block.src[unit.start..unit.end])
    }

    /// Sets `self.data` to the layout of a game; empty if it needs none.
    fn lay_out(&mut self, number: usize, src: &[u8], game: &ParsedGame<'_>) {
        self.data.clear();
        if let (Some((_, epd)), Some(line)) = (self.epd, self.line(number)) {
            if !epd.is_said[number] {
                self.data.push(1);
                self.data.extend_from_slice(line);
            }
            return;
        }
        let slots = self.layouts.take(src, game);
        if slots.len() >= src.len() {
            self.replaced_slots.push(slots.to_vec());
            self.data.push(1);
            self.data.extend_from_slice(src);
        } else if !slots.is_empty() {
            self.data.push(0);
            self.data.extend_from_slice(slots);
        }
    }

    fn put_game(&mut self, out: &mut Vec<u8>, number: usize, src: &[u8], game: &ParsedGame<'_>) {
        let begin = out.len();
        out.push(Marker::GameBegin.byte());
        let reducible = put_tags(out, &mut self.tag_data, src, game, &self.layouts.style);
        let is_plain = put_play(out, src, game);
        let played = out.len();
        if !self.tag_data.is_empty() {
            put_private(out, EscapeKind::Tags, &self.tag_data);
        }
        self.comments.put_next(out);
        self.lay_out(number, src, game);
        if !self.data.is_empty() {
            put_private(out, EscapeKind::Layout, &self.data);
        }
        // D3: a game with nothing but the roster and a main line becomes one 0x01.
        if reducible
            && is_plain
            && out.len() == played
            && put_reduced(out, begin, src, game, &self.layouts.style)
        {
            return;
        }
        out.push(Marker::GameEnd.byte());
    }
}
