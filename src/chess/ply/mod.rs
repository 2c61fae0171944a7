//! The work of every ply: find a move, play it, take the census. Besides `policy`, this is the only
//! module of the folder that depends on what the processor can do. The census is taken for all
//! directions at once (AVX2) or piece by piece (any machine). The version is chosen at run time.

use multiversion::{multiversion, target::match_target};
use shakmaty::{Bitboard, Chess};

use super::san::SanText;
use super::shared::Disambiguation;
use super::squares::nth_bit;
use super::standard::{BoardMove, Check, SavedBoard, Standard};
use super::{ordinal, san};

mod portable;
#[cfg(target_arch = "x86_64")]
mod vectors;

/// Whether this processor runs the code for vectors (AVX2).
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
pub fn has_vectors() -> bool {
    match_target! {
        "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt" => true,
        _ => false,
    }
}

/// Converts a position of shakmaty, with its census; `None` if a side has no king.
pub(super) fn start(chess: &Chess) -> Option<Standard> {
    let mut position = Standard::new(chess)?;
    portable::take(&mut position);
    Some(position)
}

/// Whether the side to move is in check, or mated.
#[inline(always)]
pub(super) fn check(position: &Standard) -> Check {
    if position.census.checkers.is_empty() {
        Check::None
    } else {
        check_or_mate(position)
    }
}

#[inline(never)]
fn check_or_mate(position: &Standard) -> Check {
    if has_move(position) {
        Check::Check
    } else {
        Check::Mate
    }
}

/// Whether the side to move has a legal move.
pub(super) fn has_move(position: &Standard) -> bool {
    position.census.reach != [Bitboard::EMPTY; 8]
        || position.pawns().any()
        || position.castling_count() > 0
}

/// Plays a legal move.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
pub(super) fn play(position: &mut Standard, board_move: BoardMove) {
    let plain = board_move.plain();
    if plain.is_none() {
        position.make(board_move);
    }
    match_target! {
        "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt" => vectors::play(position, plain),
        _ => portable::play(position, plain),
    }
}

/// Goes back to an earlier position of the same game.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
pub(super) fn go_back(position: &mut Standard, saved: &SavedBoard) {
    position.board = *saved;
    match_target! {
        "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt" => vectors::play(position, None),
        _ => portable::play(position, None),
    }
}

/// Plays the move whose canonical SAN is exactly `text`, and returns its ordinal. Plays nothing if
/// there is no such move or it has no ordinal of one byte (D2).
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
pub(super) fn follow(position: &mut Standard, text: &[u8]) -> Option<u8> {
    let Some((plain, ordinal)) = san::read_plain(position, text) else {
        return follow_special(position, text);
    };
    let ordinal = u8::try_from(ordinal).ok()?;
    match_target! {
        "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt" => vectors::play(position, Some(plain)),
        _ => portable::play(position, Some(plain)),
    }
    Some(ordinal)
}

#[inline(never)]
fn follow_special(position: &mut Standard, text: &[u8]) -> Option<u8> {
    let (board_move, ordinal) = san::read_special(position, text)?;
    let ordinal = u8::try_from(ordinal).ok()?;
    play(position, board_move);
    Some(ordinal)
}

/// Plays the move with this ordinal, and spells it if its canonical SAN is asked for; `None` if there
/// are fewer moves.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
pub(super) fn play_ordinal(
    position: &mut Standard,
    ordinal: u8,
    spelled: Option<&mut SanText>,
) -> Option<()> {
    let found = match_target! {
        "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt" => ordinal::select_plain(position, usize::from(ordinal), |set, n| {
            std::arch::x86_64::_pdep_u64(1 << n, set).trailing_zeros()
        }),
        _ => ordinal::select_plain(position, usize::from(ordinal), nth_bit),
    };
    let Some((plain, named)) = found else {
        return play_special(position, ordinal, spelled);
    };
    if let Some(spelled) = spelled {
        *spelled = san::spell_plain(plain, position.them.contains(plain.to), named);
    }
    match_target! {
        "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt" => vectors::play(position, Some(plain)),
        _ => portable::play(position, Some(plain)),
    }
    Some(())
}

#[inline(never)]
fn play_special(position: &mut Standard, ordinal: u8, spelled: Option<&mut SanText>) -> Option<()> {
    let board_move = ordinal::select_special(position, usize::from(ordinal))?;
    if let Some(spelled) = spelled {
        let is_capture = position.them.contains(board_move.to);
        *spelled = san::spell(board_move, is_capture, Disambiguation::NOTHING);
    }
    play(position, board_move);
    Some(())
}
