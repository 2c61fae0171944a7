//! Reads a block of EPD (spec/epd.md 7): each line is a game without play. The games are
//! encoded as the PGN that they would be; their text is the line that two of their tags say.

use std::ops::Range;

use crate::cut::Block;
use crate::findings::{Class, FindingWords, Spot, Why};
use crate::layout::Newline;
use crate::num::at32;
use pgc_pgn::epd::line::EpdError;
use pgc_pgn::epd::source::{SourceLine, line_end, line_of_unit, places, put_pgn, put_said};
use pgc_pgn::split::{Unit, UnitKind};
use pgc_pgn::tag::is_newline;

/// A block of EPD that was read.
#[derive(Debug, Default)]
pub struct EpdBlock {
    /// The games as PGN, and the text outside games, unit by unit.
    pub pgn: Block,
    /// For each unit, whether its text is the line that its tags make.
    pub is_said: Vec<bool>,
    /// How its lines end.
    pub newline: Newline,
    /// Lines that are no EPD, and what is irregular in the others.
    pub spots: Vec<Spot>,
    /// What is wrong at the spots: [`Why::Epd`] is an index in this list.
    pub words: Vec<FindingWords>,
    /// How many things are irregular, but understood.
    pub repairs: u64,
}

impl EpdBlock {
    /// Reads a block whose units nobody has found yet, and gives it its units.
    pub fn read(block: &mut Block) -> EpdBlock {
        let src = std::mem::take(&mut block.src);
        let mut reader = Reader {
            src: &src,
            lines: Vec::new(),
            newline: None,
            games: 0,
            epd: EpdBlock {
                pgn: Block {
                    number: block.number,
                    src: Vec::with_capacity(3 * src.len()),
                    ..Block::default()
                },
                ..EpdBlock::default()
            },
        };
        let mut at = 0;
        let goes_on = block.before.is_some_and(|byte| !is_newline(byte));
        while at < src.len() {
            let (end, next) = line_end(&src, at);
            if at == 0 && goes_on {
                reader.text(at, next, true);
            } else {
                reader.line(at, end, next, block.before.is_none());
            }
            at = next;
        }
        let Reader { lines, epd, .. } = reader;
        block.units = lines;
        block.src = src;
        epd
    }

    /// The spots to report, with their words. `repairs`: those of irregular lines too.
    pub fn reported(&self, repairs: bool) -> (Vec<Spot>, Vec<FindingWords>) {
        let is_reported = |spot: &&Spot| repairs || spot.class != Class::Repair;
        let spots = self.spots.iter().filter(is_reported).copied();
        (spots.collect(), self.words.clone())
    }

    /// Moves places in the PGN to the lines that it was made of.
    pub fn place_back(&self, spots: &mut [Spot], lines: &[Unit]) {
        for spot in spots {
            let start = spot.start as usize;
            let after = self.pgn.units.partition_point(|unit| unit.start <= start);
            let Some(number) = after.checked_sub(1) else {
                continue;
            };
            let (unit, line) = (&self.pgn.units[number], &lines[number]);
            let moved = |at: u32| at32(line.start + (at as usize).saturating_sub(unit.start));
            (spot.start, spot.end) = match unit.kind {
                UnitKind::Game => (at32(line.start), at32(line.end)),
                _ => (moved(spot.start), moved(spot.end)),
            };
        }
    }
}

struct Reader<'s> {
    src: &'s [u8],
    /// The units of the source.
    lines: Vec<Unit>,
    newline: Option<Newline>,
    games: u32,
    epd: EpdBlock,
}

impl Reader<'_> {
    /// Takes the line from `at` to `end`, whose line end reaches to `next`.
    fn line(&mut self, at: usize, end: usize, next: usize, is_source_start: bool) {
        let mark = match at {
            0 if is_source_start => end - line_of_unit(&self.src[..end]).len(),
            _ => 0,
        };
        let raw = &self.src[at + mark..end];
        match SourceLine::read(raw) {
            Ok(line) => self.game(&line, at, at + mark..end, next),
            Err(error) => {
                self.text(at, next, false);
                if !raw.trim_ascii().is_empty() {
                    self.tell(Class::Stray, at + mark..end, &[error], "not EPD: ");
                }
            }
        }
    }

    fn game(&mut self, line: &SourceLine<'_>, at: usize, raw: Range<usize>, next: usize) {
        let newline = match &self.src[raw.end..next] {
            b"\r\n" => Newline::CrLf,
            b"\r" => Newline::Cr,
            _ => Newline::Lf,
        };
        let newline = *self.newline.get_or_insert(newline);
        self.epd.newline = newline;
        let tags = line.tags();
        let begin = self.epd.pgn.src.len();
        let pairs = tags.iter().map(|(name, value)| (name.as_bytes(), &**value));
        put_pgn(&mut self.epd.pgn.src, pairs.clone());
        let mut said = Vec::with_capacity(next - at);
        let is_said = put_said(&mut said, pairs, newline.bytes()).is_some();
        self.epd.is_said.push(is_said && said == self.src[at..next]);
        self.units(UnitKind::Game, at..next, begin);
        self.games += 1;
        let errors = line.line.check();
        self.epd.repairs += errors.len() as u64;
        self.tell(Class::Repair, raw, &errors, "");
    }

    /// Takes text; `goes_on`: it belongs to the text at the end of the block before.
    fn text(&mut self, at: usize, next: usize, goes_on: bool) {
        let pgn = &mut self.epd.pgn;
        pgn.src.extend_from_slice(&self.src[at..next]);
        // Lines without a game between them are one text.
        if let (Some(line), Some(unit)) = (self.lines.last_mut(), pgn.units.last_mut())
            && matches!(line.kind, UnitKind::Stray(_))
        {
            (line.end, unit.end) = (next, pgn.src.len());
            return;
        }
        let begin = pgn.src.len() - (next - at);
        self.epd.is_said.push(false);
        self.units(UnitKind::Stray(goes_on), at..next, begin);
    }

    fn units(&mut self, kind: UnitKind, line: Range<usize>, begin: usize) {
        let unit = |start, end| Unit {
            kind,
            start,
            end,
            line_start: true,
        };
        self.lines.push(unit(line.start, line.end));
        let end = self.epd.pgn.src.len();
        self.epd.pgn.units.push(unit(begin, end));
    }

    /// Adds a spot for each error of a line.
    fn tell(&mut self, class: Class, raw: Range<usize>, errors: &[EpdError], before: &str) {
        let text = &self.src[raw.clone()];
        let game = match class {
            Class::Stray => 0,
            _ => self.games,
        };
        for (at, error) in places(text, errors) {
            let start = raw.start + at;
            let number = at32(self.epd.words.len());
            let what = format!("{before}{}", error.what);
            self.epd.words.push((what, error.text.clone()));
            let spot = Spot::new(class, Why::Epd(number), start..start, game);
            self.epd.spots.push(spot);
        }
    }
}
