//! What happens at every ply, in the versions of the machine's instructions that make a difference: counting bits (popcnt and its like), and
//! the census of all directions at once (AVX-512). Which version runs is found out when the program does.

use multiversion::{multiversion, target::match_target};

#[cfg(target_arch = "x86_64")]
use super::lanes;
use super::san::SanText;
use super::squares::nth_bit;
use super::standard::{Standard, Step};
use super::{census, ordinal, san};

/// Plays a legal move.
#[multiversion(targets("x86_64+avx512f+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt", "x86_64+bmi1+bmi2+lzcnt+popcnt"))]
pub(super) fn play(position: &mut Standard, step: Step) {
    position.make(step);
    match_target! {
        "x86_64+avx512f+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt" => lanes::take_census(position),
        _ => census::take(position),
    }
}

/// Plays the move whose canonical SAN is exactly `text`, if it has an ordinal (D2).
#[multiversion(targets("x86_64+avx512f+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt", "x86_64+bmi1+bmi2+lzcnt+popcnt"))]
pub(super) fn follow(position: &mut Standard, text: &[u8]) -> Option<u8> {
    let (step, ordinal) = san::read(position, text)?;
    let ordinal = u8::try_from(ordinal).ok()?;
    position.make(step);
    match_target! {
        "x86_64+avx512f+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt" => lanes::take_census(position),
        _ => census::take(position),
    }
    Some(ordinal)
}

/// The same of the first `len` bytes of `text`, if the ordinal also leads back: to this move, spelled with these bytes.
#[multiversion(targets("x86_64+avx512f+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt", "x86_64+bmi1+bmi2+lzcnt+popcnt"))]
pub(super) fn follow_and_return(position: &mut Standard, text: &[u8], len: usize) -> Option<u8> {
    let (step, ordinal) = san::read(position, &text[..len])?;
    let (again, named) = match_target! {
        "x86_64+bmi1+bmi2+lzcnt+popcnt" => ordinal::select(position, ordinal, |set, n| {
            std::arch::x86_64::_pdep_u64(1 << n, set).trailing_zeros()
        }),
        _ => ordinal::select(position, ordinal, nth_bit),
    }?;
    let spelled = san::spell(again, position.them.contains(again.to), named);
    let ordinal = u8::try_from(ordinal).ok()?;
    if again != step || SanText::at_start(text, len) != Some(spelled) {
        return None;
    }
    position.make(step);
    match_target! {
        "x86_64+avx512f+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt" => lanes::take_census(position),
        _ => census::take(position),
    }
    Some(ordinal)
}

/// Plays the move with this ordinal, if there are so many; its canonical SAN.
#[multiversion(targets("x86_64+avx512f+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt", "x86_64+bmi1+bmi2+lzcnt+popcnt"))]
pub(super) fn play_ordinal(position: &mut Standard, ordinal: u8) -> Option<SanText> {
    let (step, named) = match_target! {
        "x86_64+bmi1+bmi2+lzcnt+popcnt" => ordinal::select(position, usize::from(ordinal), |set, n| {
            std::arch::x86_64::_pdep_u64(1 << n, set).trailing_zeros()
        }),
        _ => ordinal::select(position, usize::from(ordinal), nth_bit),
    }?;
    let text = san::spell(step, position.them.contains(step.to), named);
    position.make(step);
    match_target! {
        "x86_64+avx512f+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt" => lanes::take_census(position),
        _ => census::take(position),
    }
    Some(text)
}
