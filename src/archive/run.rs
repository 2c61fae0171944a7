//! What all runs have in common: options, hooks, findings and counts.

use std::io;
use std::ops::Range;

pub use crate::error::{Error, ErrorKind, Place};
use pgc_block::stop;
use pgc_block::units::Counts;
use pgc_pgn::encoding::SourceEncoding;
use pgc_pgn::finding::{Finding, Loss};
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::source_text::SourceText;
use serde::Serialize;

/// How a segment stores the records of its blocks, with the byte by which heads name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum SegmentForm {
    /// As they are: the segment is a stream of the 1994 standard.
    #[default]
    Plain = 0,
    /// Coded (spec/small.md).
    Small = 2,
}

/// Options for packing.
#[derive(Clone, Debug)]
pub struct PackOptions {
    /// Decode each block again and compare it with its source before it is written.
    pub verify: bool,
    /// Worker threads; 0 is one for each processor.
    pub threads: usize,
    /// How the records are stored.
    pub form: SegmentForm,
    /// `Some`: write no private escapes (promise P3); the value says which kinds of loss are
    /// allowed.
    pub standard: Option<Vec<Loss>>,
    /// The piece letters of the moves (PGN 1994, 17), used only if `text` is `None` and the source
    /// is PGN; `None` is English.
    pub letters: Option<&'static PieceLetters>,
    /// What the source is; `None`: what its name says ([`SourceText::from_name`]).
    pub text: Option<SourceText>,
    /// The encoding of the source; `None`: its bytes are stored as they are.
    pub encoding: Option<SourceEncoding>,
    /// Pass repairs to [`Hooks::finding`] too; there may be very many.
    pub repairs: bool,
}

impl Default for PackOptions {
    fn default() -> Self {
        PackOptions {
            verify: true,
            threads: 0,
            form: SegmentForm::Plain,
            standard: None,
            letters: None,
            text: None,
            encoding: None,
            repairs: false,
        }
    }
}

/// Bytes of an archive that cannot be read, and what is missing with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Gap {
    /// Offset of the first of these bytes in the archive, from 0.
    pub begin: u64,
    /// Offset behind the last of them. If it equals `begin`, bytes are missing at that place.
    pub end: u64,
    /// Offset of the fault in the archive, from 0.
    pub offset: u64,
    /// The item that is damaged.
    pub item: &'static str,
    /// What is wrong with it.
    pub what: String,
    /// The name of the source, if known.
    #[serde(rename = "source")]
    pub name: Option<String>,
    /// The number of blocks lost, if known.
    pub blocks: Option<u64>,
    /// The number of games lost, if known.
    pub games: Option<u64>,
    /// The number of bytes of the source that are lost, if known.
    #[serde(rename = "source_bytes")]
    pub bytes: Option<u64>,
    /// The number in the archive, from 1, of the first game lost, if known.
    #[serde(rename = "first_game")]
    pub game: Option<u64>,
    /// The offset in the source of the first byte lost, if known.
    #[serde(rename = "source_offset")]
    pub at: Option<u64>,
}

impl Gap {
    /// The gap that damage in these bytes of the archive leaves after the first `games` games. It
    /// counts no lost block, game or byte of the source yet.
    pub(crate) fn new(error: Error, bytes: Range<u64>, games: u64) -> Gap {
        let (offset, item, what) = match error {
            Error::Damaged {
                offset, item, what, ..
            } => (offset, item, what),
            error => (bytes.start, "block", error.to_string()),
        };
        Gap {
            begin: bytes.start,
            end: bytes.end,
            offset,
            item,
            what,
            blocks: Some(0),
            games: Some(0),
            bytes: Some(0),
            game: Some(games.saturating_add(1)),
            ..Gap::default()
        }
    }

    /// The gap in the place of a block with so many games and bytes of the source.
    pub(crate) fn of_block(self, games: u64, bytes: Option<u64>) -> Gap {
        Gap {
            blocks: Some(1),
            games: Some(games),
            bytes,
            ..self
        }
    }

    /// Whether no block, no game and no byte of the source is missing.
    pub(crate) fn is_harmless(&self) -> bool {
        (self.blocks, self.games, self.bytes) == (Some(0), Some(0), Some(0))
    }

    /// The damage as an error.
    pub fn error(&self) -> Error {
        let games = self.game.unwrap_or(1).saturating_sub(1);
        Error::damaged(self.offset, games, self.item, &*self.what)
    }
}

/// Callbacks of a long run. By default they do nothing, and answer `false`.
pub trait Hooks: Send {
    /// `bytes` more bytes of input are done.
    fn progress(&mut self, _bytes: u64) {}
    /// A finding in the source. Findings come in the order of the source.
    fn finding(&mut self, _finding: &Finding) {}
    /// An addition that was never finished begins at `offset` of the archive (spec/extension.md
    /// 3.1). The run ignores its `bytes` bytes.
    fn unfinished(&mut self, _offset: u64, _bytes: u64) {}
    /// The run passed over damage. It reports the gaps of a source at the end of the source, since
    /// only the tail tells how much is missing.
    fn gap(&mut self, _gap: &Gap) {}
}

/// Ends the run, which has done so much, if its user asks for that.
pub(crate) fn go_on(done: u64) -> Result<(), Error> {
    match stop::asked().is_some_and(|asked| asked(done)) {
        true => Err(Error::Cancelled),
        false => Ok(()),
    }
}

/// Hooks that do nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHooks;
impl Hooks for NoHooks {}

/// Counts of a run; every field is a sum over the sources of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Number of games: `whole + text_tail + text_only`.
    pub games: u64,
    /// Games whose main line has only moves with ordinals; also games without movetext.
    pub whole: u64,
    /// Games whose main line begins with ordinals and ends in text.
    pub text_tail: u64,
    /// Games whose main line is text from its first move.
    pub text_only: u64,
    /// Plies with an ordinal, variations included.
    pub plies: u64,
    /// Regions of text outside games.
    pub stray_regions: u64,
    /// Bytes in these regions.
    pub stray_bytes: u64,
    /// Places that pgc understood although they are not written as the standard says.
    pub repairs: u64,
    /// Variations, or their ends, kept as text.
    pub rav_text: u64,
    /// In a stream of another program: variations with nothing in them, which are not written.
    pub empty_variations: u64,
    /// Bytes of the source.
    pub bytes_in: u64,
    /// Bytes of the source that are no text in its encoding.
    pub undecoded: u64,
    /// Bytes written.
    pub bytes_out: u64,
    /// Losses by kind (only under `--standard`).
    pub losses: Vec<(Loss, u64)>,
}

impl Summary {
    /// Adds the counts of a block.
    pub(crate) fn add(&mut self, counts: &Counts) {
        self.games += counts.games;
        self.whole += counts.whole;
        self.text_tail += counts.tails;
        self.text_only += counts.text;
        self.plies += counts.plies;
        self.stray_regions += counts.stray_regions;
        self.stray_bytes += counts.stray_bytes;
        self.repairs += counts.repairs;
        self.rav_text += counts.rav_texts;
    }
}

/// Where `unpack` puts the sources.
pub trait Sink {
    /// A source begins, with the name that the archive stores and the kind of its text; without a
    /// name for a foreign stream, which has none.
    ///
    /// # Errors
    /// Whatever the sink cannot do.
    fn begin(&mut self, _name: Option<&str>, _text: SourceText) -> io::Result<()> {
        Ok(())
    }
    /// More bytes of the source.
    ///
    /// # Errors
    /// Whatever the sink cannot do.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// The source is complete.
    ///
    /// # Errors
    /// Whatever the sink cannot do.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Options for unpacking.
#[derive(Clone, Debug, Default)]
pub struct UnpackOptions {
    /// Export format instead of the source's bytes.
    pub export: bool,
    /// Text in UTF-8: export format instead of Latin-1, sources instead of their own encodings.
    pub utf8: bool,
    /// Reduced export format: only the Seven Tag Roster and the main line of each game.
    pub reduced: bool,
    /// The piece letters in export format; `None` is English. Figurines are written in UTF-8.
    pub letters: Option<&'static PieceLetters>,
    /// Export format with null moves as `--`, which the standard does not have; else they are in
    /// comments, with the moves behind them.
    pub null_moves: bool,
    /// The stream is in the dialect of the old program `pgn2pgc`.
    pub pgn2pgc: bool,
    /// Treat private escapes as `%` lines.
    pub foreign: bool,
    /// Pass over damage in an archive made by pgc: the run goes on with the rest, and reports each
    /// gap to [`Hooks::gap`]. Otherwise damage ends the run.
    pub passes_damage: bool,
    /// Worker threads; 0 is one for each processor.
    pub threads: usize,
}

/// One source of an archive, as its head and tail describe it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
#[non_exhaustive]
pub struct SourceInfo {
    pub name: String,
    /// Whether the segment is in the small form.
    pub small: bool,
    /// The kind of text of the source.
    pub text: SourceText,
    /// The encoding of the source; `None`: its bytes are stored as they are.
    pub encoding: Option<SourceEncoding>,
    /// Games and plies, the length of the source in bytes, and that of the segment in the archive.
    pub sum: Summary,
    pub blocks: u64,
    /// BLAKE3 of the source; `None` for a stream of another program, which stores no digest.
    pub digest: Option<[u8; 32]>,
    /// SHA-256 of the rebuilt source, if the caller asked for it.
    pub sha256: Option<[u8; 32]>,
    /// What is missing, if the source is not whole. The other counts come from the tail of the
    /// segment; if the tail is lost, they count the blocks that were read.
    pub damage: Option<SourceDamage>,
}

/// What is missing of a source; `None` where the number is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
#[non_exhaustive]
pub struct SourceDamage {
    pub blocks: Option<u64>,
    pub games: Option<u64>,
    /// Bytes of the source.
    pub bytes: Option<u64>,
}
