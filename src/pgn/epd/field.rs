//! The four fields of a position (PGN 1994, 16.2.3).

use crate::clause::Rule;

/// What a field is called, whether a text can be one, and the rule that others break.
type EpdField = (&'static str, fn(&str) -> bool, Rule);

/// The fields, in their order.
pub(super) const FIELDS: [EpdField; 4] = [
    ("a board", is_board, Rule::EpdBoard),
    ("a side to move", is_side, Rule::EpdSide),
    ("castling rights", are_rights, Rule::EpdRights),
    ("an en passant square", is_en_passant, Rule::EpdEnPassant),
];

/// Eight ranks of eight squares, from the eighth rank to the first. Crazyhouse marks promoted pieces
/// with `~`, and has the pieces in hand behind the board: `[Pn]` or `/Pn`.
fn is_board(text: &str) -> bool {
    let (board, hand) = match text.split_once('[') {
        Some((board, hand)) => (board, hand.strip_suffix(']').unwrap_or("?")),
        None if text.split('/').count() == 9 => text.rsplit_once('/').unwrap_or_default(),
        None => (text, ""),
    };
    let board = board.replace('~', "");
    let is_rank = |rank: &str| {
        let width = rank.bytes().try_fold(0, |sum, byte| match byte {
            b'1'..=b'8' => Some(sum + u32::from(byte - b'0')),
            _ if b"PNBRQKpnbrqk".contains(&byte) => Some(sum + 1),
            _ => None,
        });
        width == Some(8)
    };
    board.split('/').count() == 8
        && board.split('/').all(is_rank)
        && hand.bytes().all(|byte| b"PNBRQpnbrq".contains(&byte))
}

fn is_side(text: &str) -> bool {
    matches!(text, "w" | "b")
}

/// `KQkq`, some of them, or the files of rooks, as programs for Chess960 write them.
fn are_rights(text: &str) -> bool {
    let is_right = |byte: u8| matches!(byte.to_ascii_lowercase(), b'k' | b'q' | b'a'..=b'h');
    text == "-" || (text.len() <= 4 && text.bytes().all(is_right))
}

fn is_en_passant(text: &str) -> bool {
    text == "-" || matches!(text.as_bytes(), [b'a'..=b'h', b'3' | b'6'])
}
