//! Recognises what begins and ends games: terminators, move numbers, first moves, and the tags of a
//! game that an unclosed comment has swallowed.

use super::piece_letters::PromotionLetters;
use super::tag::{Scan, is_newline, tag_pair};

/// The most blanks behind a result that is alone on its line.
const MAX_BLANKS: usize = 64;

/// The moves with which a game without tags and numbers may begin.
const FIRST_MOVES: [&[u8]; 16] = [
    b"a3", b"a4", b"b3", b"b4", b"c3", b"c4", b"d3", b"d4", b"e3", b"e4", b"f3", b"f4", b"g3",
    b"g4", b"h3", b"h4",
];
const KNIGHT_MOVES: [&[u8]; 4] = [b"a3", b"c3", b"f3", b"h3"];

/// Whether a byte continues a token of letters, digits and signs; `/` is in `1/2-1/2`.
pub(super) fn is_symbol(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'#' | b'=' | b':' | b'-' | b'/')
}

/// The terminator at `src[at]`, if it is a token of its own or is glued to a move (`Nf31-0`): its
/// number and length. `*` counts anywhere.
pub(super) fn terminator_at(
    src: &[u8],
    at: usize,
    promotions: PromotionLetters,
) -> Option<(u8, usize)> {
    let (before, text) = src.split_at(at);
    let found = terminator_len(text)?;
    (found.0 == 4 || is_free(before, promotions)).then_some(found)
}

/// Whether a terminator may begin behind this text.
pub(super) fn is_free(before: &[u8], promotions: PromotionLetters) -> bool {
    before.last().is_none_or(|&b| !is_symbol(b)) || ends_move(before, promotions)
}

/// Whether the text ends with a move: a square, a promotion, or `O-O` (which also ends `O-O-O`),
/// and at most two check marks.
fn ends_move(text: &[u8], promotions: PromotionLetters) -> bool {
    let marks = text
        .iter()
        .rev()
        .take(2)
        .take_while(|b| matches!(b, b'+' | b'#'))
        .count();
    match text[..text.len() - marks] {
        [.., b'a'..=b'h', b'1'..=b'8'] => true,
        [.., b'a'..=b'h', b'1' | b'8', piece] if promotions.has(piece) => true,
        [.., b'a'..=b'h', b'1' | b'8', b'=' | b'/', piece] if promotions.has(piece) => true,
        [.., a @ (b'O' | b'0' | b'o'), b'-', b] => a == b,
        _ => false,
    }
}

/// The terminator at the beginning of `text`, if no symbol continues behind it: its number (1
/// `1-0`, 2 `0-1`, 3 `1/2-1/2`, 4 `*`) and length.
pub(super) fn terminator_len(text: &[u8]) -> Option<(u8, usize)> {
    let (number, len) = match text {
        [b'*', ..] => return Some((4, 1)),
        [b'1', b'-', b'0', ..] => (1, 3),
        [b'0', b'-', b'1', ..] => (2, 3),
        [b'1', b'/', b'2', b'-', b'1', b'/', b'2', ..] => (3, 7),
        [b'1', b'/', b'2', ..] => (3, 3),
        _ => return None,
    };
    // Also keeps `0-1` out of nonsense such as `0-1-0`.
    text.get(len)
        .is_none_or(|&b| !is_symbol(b))
        .then_some((number, len))
}

/// Whether movetext begins here: a move number (digits and a period; digits, blanks and a first
/// move), or a first move, in which knights have one of these letters.
pub(super) fn starts_movetext(text: &[u8], eof: bool, knights: [u8; 2]) -> Scan<()> {
    let more = |text: &[u8], n: usize| {
        if text.len() <= n && !eof {
            Scan::More
        } else {
            Scan::No
        }
    };
    let digits = text
        .iter()
        .take(5)
        .take_while(|b| b.is_ascii_digit())
        .count();
    if digits > 4 {
        return Scan::No;
    }
    let blanks = text[digits..]
        .iter()
        .take(9)
        .take_while(|&&b| matches!(b, b' ' | b'\t'))
        .count();
    let token = digits + blanks;
    if digits > 0 {
        match text.get(token) {
            Some(b'.') => return Scan::Yes(()),
            None => return more(text, token),
            Some(_) if blanks == 0 => return Scan::No,
            Some(_) => {}
        }
    } else if blanks > 0 {
        return Scan::No;
    }
    let rest = &text[token..];
    let len = rest
        .iter()
        .take(9)
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'-')
        .count();
    if len == rest.len() && !eof {
        return Scan::More;
    }
    if is_first_move(&rest[..len], knights) {
        Scan::Yes(())
    } else {
        Scan::No
    }
}

/// Whether `text` begins with a terminator, alone on its line.
pub(super) fn is_result_alone(text: &[u8], eof: bool) -> Scan<()> {
    // The longest terminator, some blanks, and a line end.
    const WINDOW: usize = 7 + MAX_BLANKS + 1;
    let window = &text[..text.len().min(WINDOW)];
    let complete = eof || window.len() == WINDOW;
    let undecided = |n: usize| {
        if window.len() == n && !complete {
            Scan::More
        } else {
            Scan::No
        }
    };
    let token = window
        .iter()
        .take(7)
        .take_while(|b| matches!(b, b'*' | b'0'..=b'2' | b'-' | b'/'))
        .count();
    match terminator_len(window) {
        Some((_, len)) if len == token => {
            let blanks = window[len..]
                .iter()
                .take_while(|b| matches!(b, b' ' | b'\t'))
                .count();
            match window.get(len + blanks) {
                _ if blanks > MAX_BLANKS => Scan::No,
                Some(&byte) if is_newline(byte) => Scan::Yes(()),
                Some(_) => Scan::No,
                None if eof => Scan::Yes(()),
                None => undecided(len + blanks),
            }
        }
        _ => undecided(token),
    }
}

/// Whether the token is one of the twenty first moves, as SAN or long algebraic (`e2e4`, `e2-e4`,
/// `Ng1-f3`, `g1f3`), in which a knight has one of these letters.
fn is_first_move(token: &[u8], knights: [u8; 2]) -> bool {
    let knight = token.first().is_some_and(|first| knights.contains(first));
    let squares = if knight { &token[1..] } else { token };
    if FIRST_MOVES.contains(&token) || (knight && KNIGHT_MOVES.contains(&squares)) {
        return true;
    }
    let (from, to) = match *squares {
        [a, b, b'-', c, d] | [a, b, c, d] => ([a, b], [c, d]),
        _ => return false,
    };
    match (&from, &to) {
        (b"b1", b"a3" | b"c3") | (b"g1", b"f3" | b"h3") => true,
        ([a, b'2'], [b, b'3' | b'4']) => !knight && a == b && (b'a'..=b'h').contains(a),
        _ => false,
    }
}

/// Length of the line end at `at` (LF, CR or CRLF).
pub(super) fn newline_len(buf: &[u8], at: usize) -> usize {
    if buf[at] == b'\r' && buf.get(at + 1) == Some(&b'\n') {
        2
    } else {
        1
    }
}

/// At a line end in a comment or variation that may be unclosed: if an empty line and three lines
/// with tag pairs follow, returns where the first tag pair begins.
pub(super) fn lost(buf: &[u8], at: usize, eof: bool) -> Scan<usize> {
    let more = |eof| if eof { Scan::No } else { Scan::More };
    let mut at = at;
    for line in 0..2 {
        match buf.get(at..at + 2) {
            None if !eof => return Scan::More,
            _ => at += newline_len(buf, at),
        }
        let n = buf[at..]
            .iter()
            .take(65)
            .take_while(|&&b| matches!(b, b' ' | b'\t'))
            .count();
        at += n;
        match buf.get(at) {
            None => return more(eof),
            Some(&b) if line == 0 && is_newline(b) => {}
            Some(b'[') if line == 1 => {}
            Some(_) => return Scan::No,
        }
    }
    let first = at;
    for line in 0..3 {
        match tag_pair(buf, at, false, eof) {
            Scan::Yes(pair) if pair.quoted => at = pair.end,
            Scan::More => return Scan::More,
            _ => return Scan::No,
        }
        at += buf[at..]
            .iter()
            .take(65)
            .take_while(|&&b| matches!(b, b' ' | b'\t'))
            .count();
        match buf.get(at..at + 2) {
            None if !eof => return Scan::More,
            None if buf.get(at).is_none_or(|&b| is_newline(b)) && line == 2 => {
                return Scan::Yes(first);
            }
            _ if buf.get(at).is_some_and(|&b| is_newline(b)) => at += newline_len(buf, at),
            _ => return Scan::No,
        }
    }
    Scan::Yes(first)
}
