//! Plays the main line of a game.

use super::walk::BlockGames;
use crate::run::Error;
use pgc_chess::{Position, SanText, known_start};

/// Calls `each` with every move of the main line of the current game, in 16 bits and in SAN, which
/// is empty unless it is wanted.
///
/// # Errors
/// As `play`.
pub fn each_move(
    games: &BlockGames<'_>,
    wants_san: bool,
    mut each: impl FnMut(u16, &str),
) -> Result<(), Error> {
    let Ok(mut position) = known_start(games.game().tags()) else {
        return Ok(());
    };
    let mut san = SanText::default();
    for ordinal in games.game().game().main_line() {
        let packed = play(games, &mut position, ordinal, wants_san.then_some(&mut san))?;
        each(packed, &san);
    }
    Ok(())
}

/// Plays the move with this ordinal and returns it in 16 bits, and in SAN if that is wanted.
///
/// # Errors
/// [`Error::Damaged`]: no legal move has this ordinal.
pub(super) fn play(
    games: &BlockGames<'_>,
    position: &mut Position,
    ordinal: u8,
    san: Option<&mut SanText>,
) -> Result<u16, Error> {
    let Some(m) = position.select(ordinal) else {
        let what = format!("0x{ordinal:02x}: no legal move has this ordinal");
        return Err(games.fault("move ordinal", what));
    };
    let packed = position.packed(m);
    match san {
        Some(san) => *san = position.play_san(m),
        None => position.play(m),
    }
    Ok(packed)
}
