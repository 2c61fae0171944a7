//! Writes PGN export format: streams of section 20, whichever program wrote them (P4, D13), and
//! games of pgc's archives (`unpack --export`).

use std::io::{Read, Write};

use crate::foreign::game::{ExportForm, ExportTally, GameExport, PlayError};
use crate::foreign::loose::{LoosePart, LooseParts};
use crate::run::{Error, Hooks, Summary, UnpackOptions, go_on};
use pgc_block::decode::game::RenderFault;
use pgc_block::head::{SYNC, take_checked};
use pgc_pgn::game::{ElemKind, ParsedGame};
use pgc_pgn::records::private::{EscapeKind, Private, private};
use pgc_pgn::records::reader::StreamError;
use pgc_pgn::records::record::ROSTER;
use pgc_pgn::records::{Dialect, ReadError, Record, RecordStream};
use pgc_pgn::writer::{Termination, Text};

/// Output is written in pieces of about this size.
const PIECE: usize = 1 << 16;

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        let what = error.fault.to_string();
        Error::damaged(error.offset, error.game, error.item, what)
    }
}

impl From<StreamError> for Error {
    fn from(error: StreamError) -> Self {
        match error {
            StreamError::Io(error) => error.into(),
            StreamError::Read(error) => error.into(),
        }
    }
}

/// Writes a stream of section 20 as PGN export format, whichever program wrote it. It uses the
/// options `utf8`, `pgn2pgc` and `foreign`. A stream of no-operation bytes only is damage, unless
/// `foreign` says that another program wrote it (D10).
///
/// # Errors
/// [`Error::Io`], [`Error::Damaged`], [`Error::Cancelled`]. The games before the damaged one have
/// been written.
pub fn export(
    archive: &mut dyn Read,
    out: &mut dyn Write,
    options: &UnpackOptions,
    hooks: &mut dyn Hooks,
) -> Result<Summary, Error> {
    let dialect = match options.pgn2pgc {
        true => Dialect::Pgn2pgc,
        false => Dialect::Standard,
    };
    let mut records = RecordStream::new(archive, dialect);
    let mut games = GameExport::new(ExportForm::from_options(options), options.pgn2pgc);
    let (mut summary, mut is_blank) = (Summary::default(), true);
    let result = loop {
        if games.bytes().len() >= PIECE {
            flush(&mut games, out, &mut summary)?;
            hooks.progress(records.offset() - summary.bytes_in);
            summary.bytes_in = records.offset();
            go_on(0)?;
        }
        let (offset, record) = match records.next_record() {
            Ok(Some(next)) => next,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error.into()),
        };
        if let Record::Escape(data) = record
            && !options.foreign
            && is_ours(data)
        {
            let what =
                "is a private record of pgc in the wrong place (--foreign treats it as a % line)";
            let game = records.game();
            break Err(Error::damaged(offset, game, "escape-string", what));
        }
        is_blank &= record == Record::Noop;
        let marker = record.marker();
        let moves = record.moves().map(<[u8]>::len);
        if let Err(error) = apply(&mut games, &record, &mut summary) {
            // Moves are at the end of their record, so the offset of each counts back from there.
            let offset = match (error, moves) {
                (PlayError::IllegalOrdinal { index, .. }, Some(moves)) => {
                    records.offset() - (moves - index) as u64
                }
                _ => offset,
            };
            let what = error.to_string();
            break Err(Error::damaged(offset, records.game(), marker.name(), what));
        }
    };
    flush(&mut games, out, &mut summary)?;
    result?;
    if let Some(offset) = records.unfinished() {
        hooks.unfinished(offset, records.pass_unfinished()?);
    }
    hooks.progress(records.offset() - summary.bytes_in);
    summary.bytes_in = records.offset();
    match is_blank && summary.bytes_in > 0 && !options.foreign {
        true => Err(Error::blank()),
        false => Ok(summary),
    }
}

/// Whether an escape is a head, a block head or a tail of a pgc archive. A stream of another
/// program has none: finding one means that the beginning of an archive was damaged.
fn is_ours(payload: &[u8]) -> bool {
    private(payload).is_some_and(|Private { kind, data, .. }| match kind {
        EscapeKind::Head => true,
        EscapeKind::Block => data.starts_with(&SYNC),
        EscapeKind::Tail => take_checked(EscapeKind::Tail, data).is_ok(),
        _ => false,
    })
}

fn flush(games: &mut GameExport, out: &mut dyn Write, summary: &mut Summary) -> Result<(), Error> {
    out.write_all(games.bytes())?;
    summary.bytes_out += games.bytes().len() as u64;
    games.clear();
    Ok(())
}

fn apply(
    games: &mut GameExport,
    record: &Record<'_>,
    summary: &mut Summary,
) -> Result<(), PlayError> {
    match *record {
        Record::Noop => {}
        Record::Game { str, moves } => {
            games.begin();
            for (name, value) in ROSTER.iter().zip(str) {
                games.tag(name.as_bytes(), value.into())?;
            }
            games.moves(moves)?;
            count(games.end(None), summary);
        }
        Record::TagPair { name, value } => games.tag(name, value.into())?,
        Record::ShortMoves(moves) | Record::LongMoves(moves) => games.moves(moves)?,
        Record::GameBegin => games.begin(),
        Record::GameEnd => count(games.end(None), summary),
        Record::Nag(nag) => games.nag(nag),
        Record::RavBegin => games.rav_begin()?,
        Record::RavEnd => games.rav_end()?,
        Record::Escape(data) => games.escape(data.into()),
    }
    Ok(())
}

fn count(tally: ExportTally, summary: &mut Summary) {
    summary.games += 1;
    summary.plies += tally.plies;
    summary.empty_variations += tally.empty_variations;
    summary.text_only += u64::from(tally.left_out);
    summary.whole += u64::from(!tally.left_out);
}

/// Appends a game. Both kinds of comments become brace comments, and text that is not chess is
/// passed to the writer as text. `signs` stand for no glyph, and become comments; each has the number
/// of the element that it precedes.
pub(crate) fn export_game(
    export: &mut GameExport,
    text: &[u8],
    game: &ParsedGame<'_>,
    signs: &[(usize, &[u8])],
) -> Result<(), RenderFault> {
    export.begin();
    let known = export_elems(export, text, game, signs)?;
    export.end(known);
    Ok(())
}

/// Appends the elements of a game that has begun, and does not end it; returns its terminator.
pub(crate) fn export_elems(
    export: &mut GameExport,
    text: &[u8],
    game: &ParsedGame<'_>,
    signs: &[(usize, &[u8])],
) -> Result<Option<Termination>, RenderFault> {
    let fault = |item: &'static str| move |error: PlayError| (item, error.to_string());
    let mut known = None;
    let mut tags = game.tag_pairs(text);
    let mut tag_section = game.elems[..game.tag_elems].iter();
    let first_tag = tag_section.position(|elem| elem.kind == ElemKind::Tag);
    let first_tag = first_tag.unwrap_or(0);
    let mut signs = signs.iter().peekable();
    for (at, elem) in game.elems.iter().enumerate() {
        while let Some((_, sign)) = signs.next_if(|sign| sign.0 == at) {
            export.comment(Text::from_bytes(sign));
        }
        let inner = || Text::from_bytes(&text[elem.inner()]);
        match elem.kind {
            ElemKind::Tag => {
                if let Some((name, value)) = tags.next() {
                    let put = export.tag(Text::from_bytes(name), Text::from_bytes(&value));
                    put.map_err(fault("tag-pair"))?;
                }
            }
            ElemKind::Escape if at < first_tag => export.escape_before(inner()),
            ElemKind::Escape => export.escape(inner()),
            ElemKind::Move => {
                let put = export.moves(&[elem.ordinal]);
                put.map_err(fault("move ordinal"))?;
            }
            ElemKind::Null => export.null_move(),
            ElemKind::Nag => export.glyph(elem.num),
            ElemKind::Brace | ElemKind::Line => export.comment(inner()),
            ElemKind::RavOpen => export.rav_begin().map_err(fault("rav-begin"))?,
            ElemKind::RavClose => export.rav_end().map_err(fault("rav-end"))?,
            ElemKind::Text => export.text(Text::from_bytes(&text[elem.span()])),
            ElemKind::Terminator => {
                let number = u8::try_from(elem.num).ok();
                known = number.and_then(Termination::from_number);
            }
        }
    }
    signs.for_each(|(_, sign)| export.comment(Text::from_bytes(sign)));
    Ok(known)
}

/// Appends the `%` lines of a text outside games, which keep their place; the rest is left out. A
/// `%` at its beginning counts as one at the beginning of a line.
pub(crate) fn export_loose(export: &mut GameExport, raw: &[u8], continues: bool) {
    for (part, span) in LooseParts::new(raw, !continues) {
        if part == LoosePart::Escape {
            export.escape(Text::from_bytes(&raw[span][1..]));
        }
    }
}

/// Appends the available text of a game kept as text.
pub(crate) fn export_text(export: &mut GameExport, raw: &[u8]) {
    export.begin();
    export.text(Text::from_bytes(raw));
    export.end(None);
}

/// Appends a piece of a game kept as text, and leaves the game open. `is_first`: it is the first
/// piece.
pub(crate) fn export_piece(export: &mut GameExport, raw: &[u8], is_first: bool) {
    if is_first {
        export.begin();
    }
    export.text(Text::from_bytes(raw));
}
