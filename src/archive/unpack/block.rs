//! Decodes one block of an archive into text, or only checks it.

use crate::foreign::export::{export_game, export_loose, export_piece, export_text};
use crate::foreign::game::{ExportForm, GameExport};
use crate::foreign::signs::{Signs, signs_of};
use crate::games::facts::{Wants, of_game, of_piece};
use crate::pipeline::Spare;
use pgc_block::breakdown::Breakdown;
use pgc_block::decode::block::{BlockDecoder, Damage};
use pgc_block::decode::game::{Decoded, RenderFault};
use pgc_block::decode::layout::{GivenText, Scratch, render};
use pgc_block::head::BlockHead;
use pgc_block::proof::deep::difference;
use pgc_block::small::stored::Needs;
use pgc_block::units::Counts;
use pgc_chess::Playing;
use pgc_index::Summaries;
use pgc_pgn::game::{ElemKind, ParsedGame, ParsedGames, Wholeness};
use pgc_pgn::split::UnitKind;

/// The place of a unit, which may continue a unit of the block before.
#[derive(Clone, Copy)]
pub(crate) struct UnitPlace {
    pub kind: UnitKind,
    offset: u64,
    game: u64,
}

impl UnitPlace {
    /// Damage in this unit.
    fn damage(self, item: &'static str, what: String) -> Damage {
        Damage {
            offset: self.offset,
            game: self.game,
            item,
            what,
        }
    }
}

/// A decoded block.
#[derive(Default)]
pub(crate) struct DecodedBlock {
    pub source: Vec<u8>,
    pub first: Option<UnitPlace>,
    pub last: Option<UnitKind>,
    /// The counts; those that only parsing a source gives are 0.
    pub counts: Counts,
    /// The bytes of its records by kind, at the depth of [`Depth::Records`].
    pub breakdown: Breakdown,
    /// Summaries of the games, if an index is made.
    pub summaries: Summaries,
    /// In export format: whether the block begins with the rest of a game that the previous block
    /// left open, and whether it leaves its own last game open.
    pub goes_on: bool,
    pub is_open: bool,
}

/// Spare capacity of the text: short pieces are copied with a fixed longer length, and the text is
/// then cut.
const ROOM: usize = 64;

/// How much of an archive is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Heads, tails and checksums.
    Quick,
    /// Also the records.
    Records,
    /// Also the text.
    Text,
    /// Also the text, read again, against the records.
    Deep,
    /// Export format instead of the text.
    Export(ExportForm),
}

impl Depth {
    /// Whether the text is made.
    pub(crate) fn has_text(self) -> bool {
        matches!(self, Depth::Text | Depth::Deep)
    }

    /// What is decoded of a coded block. Null moves are read from the text.
    pub(crate) fn needs(self) -> Needs {
        match self {
            Depth::Export(form) if form.reduced && !form.null_moves => Needs::Reduced,
            _ => Needs::All,
        }
    }
}

/// Buffers of finished blocks, reused by later ones.
#[derive(Default)]
pub(crate) struct Buffers {
    pub texts: Spare,
    /// Whether buffers come from the cache of another thread. Writing to such a buffer piece by
    /// piece waits for each cache line; filling it as a whole first fetches all lines at once.
    pub travel: bool,
}

impl Buffers {
    /// A buffer for a text of `len` bytes; 0: unknown.
    fn text(&self, len: usize) -> Vec<u8> {
        let mut text = self.texts.take();
        if len > 0 {
            text.reserve(len + ROOM);
            if self.travel {
                text.resize(len + ROOM, 0);
                text.clear();
            }
        }
        text
    }
}

/// Decodes a block to the given depth; with `wants`, also collects the facts for an index.
pub(crate) fn decode(
    head: &BlockHead,
    records: &[u8],
    depth: Depth,
    wants: Option<&Wants>,
    buffers: &Buffers,
) -> Result<DecodedBlock, Damage> {
    // A block has at most `MAX_SOURCE` bytes of source.
    let limit = usize::try_from(head.source).unwrap_or(usize::MAX);
    // Reserves the length that the head gives, unless it is implausible for these records: then the
    // text grows as needed.
    let room = if depth.has_text() {
        limit.min(16 * records.len())
    } else {
        0
    };
    let mut block = DecodedBlock {
        source: buffers.text(room),
        ..DecodedBlock::default()
    };
    let mut decoder = BlockDecoder::new(head, records, Needs::All);
    let mut unit = Decoded::default();
    let mut export = match depth {
        Depth::Export(form) => Some(GameExport::new(form, false)),
        _ => None,
    };
    let mut writer = UnitWriter {
        head,
        depth,
        wants,
        limit,
        signs: Signs::new(head),
        scratch: Scratch {
            playing: wants.filter(|w| w.played).map(|_| Playing::default()),
            ..Scratch::default()
        },
    };
    if depth == Depth::Records {
        block.breakdown.count(&mut &*records);
    }
    while let Some(kind) = decoder.next(&mut unit)? {
        let result = match &mut export {
            None => writer.text(&mut block, kind, &unit),
            Some(export) => writer.export(&mut block, export, kind, &unit),
        };
        block.counts.decoded(kind, &unit.game(), &unit.raw);
        if depth == Depth::Records {
            block.breakdown.move_text(&unit);
        }
        let place = UnitPlace {
            kind,
            offset: decoder.begin,
            game: block.counts.games,
        };
        block.follow(place)?;
        result.map_err(|(item, what)| place.damage(item, what))?;
        if let Some(export) = &mut export {
            block.source.extend_from_slice(export.bytes());
            export.clear();
        } else if block.source.len() as u64 > head.source {
            let what = "its text is longer than its head says";
            return Err(place.damage("block", what.to_owned()));
        }
    }
    if let Some(export) = export.as_mut().filter(|_| block.is_open) {
        export.suspend();
        block.source.extend_from_slice(export.bytes());
    }
    block.check(head, depth)?;
    Ok(block)
}

/// Writes the units of a block to its text or export format, and the facts for an index.
struct UnitWriter<'a> {
    head: &'a BlockHead,
    depth: Depth,
    wants: Option<&'a Wants>,
    /// The maximum length of the text.
    limit: usize,
    signs: Signs<'a>,
    scratch: Scratch,
}

impl UnitWriter<'_> {
    /// Appends the text of a unit, as far as the depth asks for it.
    fn text(
        &mut self,
        block: &mut DecodedBlock,
        kind: UnitKind,
        unit: &Decoded,
    ) -> Result<(), RenderFault> {
        let UnitKind::Game = kind else {
            block.source.extend_from_slice(&unit.raw);
            if kind == UnitKind::Piece(false) && self.wants.is_some() {
                of_piece(&mut block.summaries, &unit.raw);
            }
            return Ok(());
        };
        let begin = block.source.len();
        if self.depth.has_text() {
            self.render(&mut block.source, unit)?;
        }
        if self.depth == Depth::Deep
            && let Some(what) = difference(unit, &self.head.style, &block.source[begin..])
        {
            return Err(("layout (L)", what.to_owned()));
        }
        if let Some(wants) = self.wants {
            let mut game = unit.game();
            if game.wholeness != Wholeness::TextOnly {
                game.played = self.scratch.played.take();
            }
            of_game(&mut block.summaries, &unit.text, &game, wants);
        }
        Ok(())
    }

    fn render(&mut self, out: &mut Vec<u8>, unit: &Decoded) -> Result<(), RenderFault> {
        let (style, scratch) = (&self.head.style, &mut self.scratch);
        render(out, unit, style, scratch, self.limit, GivenText::Believed)
    }

    /// Whether null moves are wanted as moves, and the game may have some.
    fn has_null_moves(&self, unit: &Decoded) -> bool {
        let wants = matches!(self.depth, Depth::Export(form) if form.null_moves);
        wants && unit.game().kinds.any(&[ElemKind::Text])
    }

    /// Adds a game with its null moves as moves; returns whether it has any.
    fn export_null_moves(
        &mut self,
        export: &mut GameExport,
        unit: &Decoded,
    ) -> Result<bool, RenderFault> {
        let mut text = Vec::new();
        self.render(&mut text, unit)?;
        let mut games = ParsedGames::with_null_moves(self.head.style.letters);
        let has_nulls = |game: &ParsedGame<'_>| game.kinds.any(&[ElemKind::Null]);
        let Some(game) = games.read_one(&text).filter(has_nulls) else {
            return Ok(false);
        };
        export_game(export, &text, &game, &signs_of(&text, &game))?;
        Ok(true)
    }

    /// Adds a unit to the export. A game in pieces stays open until the next unit that is no piece
    /// of it.
    fn export(
        &mut self,
        block: &mut DecodedBlock,
        export: &mut GameExport,
        kind: UnitKind,
        unit: &Decoded,
    ) -> Result<(), RenderFault> {
        match kind {
            UnitKind::Game => {
                if std::mem::take(&mut block.is_open) {
                    export.end(None);
                }
                if GameExport::holds_tags(&unit.game()) {
                    if self.has_null_moves(unit) && self.export_null_moves(export, unit)? {
                        return Ok(());
                    }
                    let signs = self.signs.signs(unit)?;
                    export_game(export, &unit.text, &unit.game(), &signs)?;
                } else {
                    let mut text = Vec::new();
                    self.render(&mut text, unit)?;
                    export_text(export, &text);
                }
            }
            UnitKind::Piece(continues) => {
                if continues && !block.is_open {
                    export.resume();
                    block.goes_on = true;
                } else if !continues && block.is_open {
                    export.end(None);
                }
                export_piece(export, &unit.raw, !continues);
                block.is_open = true;
            }
            UnitKind::Stray(continues) => {
                if std::mem::take(&mut block.is_open) {
                    export.end(None);
                }
                export_loose(export, &unit.raw, continues);
            }
        }
        Ok(())
    }
}

/// Checks that a unit that continues a text directly follows such a text: `before` is the kind of
/// the unit before.
fn check_continues(before: Option<UnitKind>, unit: UnitPlace) -> Result<(), Damage> {
    let is_continued = match unit.kind {
        UnitKind::Stray(true) => matches!(before, Some(UnitKind::Stray(_))),
        UnitKind::Piece(true) => matches!(before, Some(UnitKind::Piece(_))),
        UnitKind::Game | UnitKind::Stray(false) | UnitKind::Piece(false) => true,
    };
    if is_continued {
        return Ok(());
    }
    let what = "continues a text, but no text precedes it".to_owned();
    Err(unit.damage("escape-string", what))
}

impl DecodedBlock {
    /// Adds a unit to the sequence. The first one may continue a unit of another block, so
    /// [`DecodedBlock::follows`] checks that one.
    fn follow(&mut self, unit: UnitPlace) -> Result<(), Damage> {
        match self.last {
            None => self.first = Some(unit),
            before => check_continues(before, unit)?,
        }
        self.last = Some(unit.kind);
        Ok(())
    }

    /// Checks the first unit of this block against `last`, the last unit of the blocks before, and
    /// sets `last` to the last unit of this block.
    pub(crate) fn follows(&self, last: &mut Option<UnitKind>) -> Result<(), Damage> {
        if let Some(first) = self.first {
            check_continues(*last, first)?;
            *last = self.last;
        }
        Ok(())
    }

    /// Compares the head with the counts found.
    fn check(&self, head: &BlockHead, depth: Depth) -> Result<(), Damage> {
        let length = match depth.has_text() {
            true => self.source.len() as u64,
            false => head.source,
        };
        for (item, found, told) in [
            ("games of the block", self.counts.games, head.games),
            ("plies of the block", self.counts.plies, head.plies),
            ("source length of the block", length, head.source),
        ] {
            if found != told {
                let what = format!("{found}, the head says {told}");
                return Err(Damage {
                    offset: 0,
                    game: self.counts.games,
                    item,
                    what,
                });
            }
        }
        Ok(())
    }
}
