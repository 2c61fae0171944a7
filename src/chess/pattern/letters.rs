//! The letters that stand for the content of a square.

use super::error::BoardError;

/// The contents of a square that are wanted: bit 0 is nothing, bits 1 to 6 are White's pawn,
/// knight, bishop, rook, queen and king, bits 7 to 12 Black's.
pub(super) type Contents = u16;

/// The number of contents.
pub(super) const KINDS: usize = 13;

pub(super) const EMPTY: Contents = 1;
pub(super) const ANY: Contents = (1 << KINDS) - 1;
const WHITE: Contents = 0x007e;
const BLACK: Contents = 0x1f80;

/// These contents with the colours reversed.
pub(super) fn reversed(contents: Contents) -> Contents {
    contents & EMPTY | (contents & WHITE) << 6 | (contents & BLACK) >> 6
}

/// Reads the contents that the beginning of `text` stands for, and moves behind it.
pub(super) fn contents(text: &mut &str) -> Result<Contents, BoardError> {
    let mut chars = text.chars();
    let first = chars.next().ok_or(BoardError::Empty)?;
    *text = chars.as_str();
    if first != '[' {
        return single(first);
    }
    let (mut inside, rest) = text.split_once(']').ok_or(BoardError::Bracket)?;
    *text = rest;
    let is_not = inside.starts_with('^');
    inside = inside.trim_start_matches('^');
    if inside.is_empty() {
        return Err(BoardError::Bracket);
    }
    let any = inside.chars().try_fold(0, |any, c| Ok(any | single(c)?))?;
    Ok(if is_not { ANY & !any } else { any })
}

fn single(letter: char) -> Result<Contents, BoardError> {
    Ok(match letter {
        '?' => ANY,
        '!' => WHITE | BLACK,
        'A' => WHITE,
        'a' => BLACK,
        '.' | '_' => EMPTY,
        _ => {
            let role = "PNBRQKpnbrqk".find(letter);
            1 << (1 + role.ok_or(BoardError::Piece(letter))?)
        }
    })
}
