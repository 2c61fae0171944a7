//! The four fields of a position (PGN 1994, 16.2.3).

use crate::pgn::clause::Rule;

/// What a field is called, whether a text can be one, and the rule that others break.
type EpdField = (&'static str, fn(&str) -> bool, Rule);

/// The fields, in their order.
pub(super) const FIELDS: [EpdField; 4] = [
    ("a board", is_board, Rule::EpdBoard),
    ("a side to move", is_side, Rule::EpdSide),
    ("castling rights", are_rights, Rule::EpdRights),
    ("an en passant square", is_en_passant, Rule::EpdEnPassant),
];

/// Eight ranks of eight squares, from the eighth rank to the first.
fn is_board(text: &str) -> bool {
    let is_rank = |rank: &str| {
        let width = rank.bytes().try_fold(0, |sum, byte| match byte {
            b'1'..=b'8' => Some(sum + u32::from(byte - b'0')),
            _ if b"PNBRQKpnbrqk".contains(&byte) => Some(sum + 1),
            _ => None,
        });
        width == Some(8)
    };
    text.split('/').count() == 8 && text.split('/').all(is_rank)
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
