//! Writes an archive with the changes of a plan, or tells which game would run together with the text
//! after it.

use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, channel};

use crate::edit::plan::{EditPlan, PartStart, PlannedSegment};
use crate::edit::source::EditedSource;
use crate::indexing::Indexing;
use crate::join::convert::copy_segments;
use crate::join::feed::unpack_each;
use crate::open::Archive;
use crate::pack::pack_indexed;
use crate::run::{Error, Hooks, NoHooks, PackOptions, Summary};
use pgc_block::cut::Blocks;
use pgc_io::read_at::Onward;
use pgc_pgn::encoding::Reencoded;
use pgc_pgn::split::UnitKind;

/// Writes an archive with the changes of a plan that was made for it, and adds its games to
/// `indexing`. Each source keeps its form; one without changes is copied byte for byte. Returns a
/// summary of each source.
///
/// # Errors
/// See [`Error`]; [`Error::Io`] also where games would run together.
pub fn write_edited(
    archive: &Archive,
    plan: &EditPlan,
    out: &mut (dyn Write + Send),
    threads: usize,
    hooks: &mut dyn Hooks,
    mut indexing: Option<&mut Indexing<'_>>,
) -> Result<Vec<Summary>, Error> {
    let mut summaries = Vec::with_capacity(plan.segments.len());
    for segment in &plan.segments {
        let options = PackOptions {
            threads,
            form: segment.head.form,
            text: Some(segment.head.text),
            encoding: segment.head.encoding,
            ..PackOptions::default()
        };
        let indexing = indexing.as_deref_mut();
        if plan.changed(segment).is_empty() {
            let mut bytes = bytes_of(archive, segment);
            let copied = copy_segments(&mut bytes, out, &options, hooks, indexing);
            summaries.extend(copied.map_err(|error| in_archive(error, segment))?);
        } else {
            let written = repack_source(archive, plan, segment, out, &options, hooks, indexing);
            summaries.push(written?);
        }
    }
    Ok(summaries)
}

/// The bytes of a segment.
fn bytes_of<'a>(archive: &'a Archive, segment: &PlannedSegment) -> impl Read + Send + 'a {
    Onward::from(archive.bytes(), segment.begin).take(segment.end - segment.begin)
}

/// Unpacks a source, edits its text, and packs that.
fn repack_source(
    archive: &Archive,
    plan: &EditPlan,
    segment: &PlannedSegment,
    out: &mut (dyn Write + Send),
    options: &PackOptions,
    hooks: &mut dyn Hooks,
    mut indexing: Option<&mut Indexing<'_>>,
) -> Result<Summary, Error> {
    let threads = options.threads;
    let mut summary = Summary::default();
    // What is wrong with the text counts only if unpacking finds nothing wrong with the archive.
    let mut checked = Ok(true);
    let mut bytes = bytes_of(archive, segment);
    let unpacked = unpack_each(&mut bytes, threads, &mut NoHooks, |name, _, text| {
        let mut text = EditedSource::new(text, plan, segment, None);
        let mut bytes = Reencoded::new(&mut text, segment.head.encoding);
        let indexing = indexing.as_deref_mut();
        summary = pack_indexed(&mut bytes, name, out, options, hooks, indexing)?;
        checked = text.check(&summary);
        Ok(())
    });
    unpacked.map_err(|error| in_archive(error, segment))?;
    if checked? {
        return Ok(summary);
    }
    let mut reason = None;
    let again = unpack_each(
        &mut bytes_of(archive, segment),
        threads,
        &mut NoHooks,
        |_, _, text| -> Result<(), Error> {
            let (sender, asked) = channel();
            let mut edited = EditedSource::new(text, plan, segment, Some(sender));
            reason = first_difference(Blocks::new(&mut edited, segment.head.text), &asked)?;
            Ok(())
        },
    );
    again.map_err(|error| in_archive(error, segment))?;
    let reason = reason.unwrap_or_else(|| "games would run together".to_owned());
    Err(io::Error::new(io::ErrorKind::InvalidData, reason).into())
}

/// Converts damage of a segment into damage of its archive.
fn in_archive(mut error: Error, segment: &PlannedSegment) -> Error {
    if let Error::Damaged { offset, game, .. } = &mut error {
        *offset = offset.saturating_add(segment.begin);
        *game = game.saturating_add(segment.first);
    }
    error
}

/// Compares where the games of the edited source begin with where they should. `None` if they are
/// the same.
fn first_difference(
    mut blocks: Blocks<'_>,
    asked: &Receiver<PartStart>,
) -> Result<Option<String>, Error> {
    let (mut at, mut last, mut in_text) = (0, None, false);
    while let Some(block) = blocks.next_block()? {
        for unit in &block.units {
            let is_game = match unit.kind {
                UnitKind::Game | UnitKind::Piece(false) => Some(true),
                UnitKind::Stray(_) => (!in_text).then_some(false),
                UnitKind::Piece(true) => None,
            };
            let begin = at;
            at += (unit.end - unit.start) as u64;
            let Some(is_game) = is_game else { continue };
            in_text = !is_game;
            // The start of every part that was read has been sent.
            match asked.try_recv().ok() {
                Some(part) if part.at == begin && part.game.is_some() == is_game => {
                    last = Some(part);
                }
                part => return Ok(Some(reason(last, part))),
            }
        }
        blocks.recycle(block.src);
    }
    Ok(asked.try_recv().ok().map(|part| reason(last, Some(part))))
}

/// The error message. The `last` part begins where it should, the `next` one does not.
fn reason(last: Option<PartStart>, next: Option<PartStart>) -> String {
    let game = |part: Option<PartStart>| part.and_then(|part| part.game);
    match (game(last), game(next)) {
        (Some(game), _) => format!(
            "game {game}: has no end of its own, and would run together with what follows: \
             give it a result first"
        ),
        (None, Some(game)) => format!("game {game}: would run together with the text before it"),
        (None, None) => "the text before a game would run together with it".to_owned(),
    }
}
