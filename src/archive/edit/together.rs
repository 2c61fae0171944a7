//! Finds the game that would run together with the text after it, for the error message.

use std::io::Read;
use std::sync::mpsc::{Receiver, channel};

use crate::edit::plan::{EditPlan, PartStart, PlannedSegment};
use crate::edit::source::EditedSource;
use crate::run::Error;
use pgc_block::cut::Blocks;
use pgc_pgn::split::UnitKind;

/// Reads the edited source again, and compares where its games begin with where they should. `None`
/// if they are the same.
pub(super) fn told(
    source: &mut (dyn Read + Send),
    plan: &EditPlan,
    segment: &PlannedSegment,
) -> Result<Option<String>, Error> {
    let (sender, asked) = channel();
    let mut edited = EditedSource::new(source, plan, segment, Some(sender));
    let found = first_difference(Blocks::of(&mut edited, segment.text), &asked);
    match edited.made.take_error() {
        Some(error) => Err(error),
        None => found,
    }
}

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
