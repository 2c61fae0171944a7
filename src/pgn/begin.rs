//! Recognises what begins and ends games: terminators, move numbers, first moves, and the tags of a
//! game that an unclosed comment has swallowed.

use super::blanks::{blank_before, is_all_blank, past_blanks};
use super::piece_letters::PromotionLetters;
use super::result::{MAX_RESULT, ResultKind, SpelledResult, half};
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
/// number and length. `*` counts anywhere; `½` must stand apart, since it may be part of other text.
pub(super) fn terminator_at(
    src: &[u8],
    at: usize,
    promotions: PromotionLetters,
) -> Option<(u8, usize)> {
    let (before, text) = src.split_at(at);
    let found = terminator_len(text)?;
    let may_begin = match text {
        [b'*', ..] => true,
        [0x80..=0xff, ..] => is_apart(before, promotions),
        // The figure may end the move: `Nf31 - 0`.
        [_, b' ', ..] => before.last().is_none_or(|&byte| !is_symbol(byte)),
        _ => is_free(before, promotions),
    };
    may_begin.then_some(found)
}

/// Whether this spelling of a terminator ends a game whatever stands behind it.
pub fn ends_any_game(spelling: &[u8]) -> bool {
    terminator_len(spelling).is_some()
}

/// The result at `src[at]` that only the end of the game makes a terminator: nothing but white space
/// follows.
pub(super) fn last_result(
    src: &[u8],
    at: usize,
    promotions: PromotionLetters,
) -> Option<SpelledResult> {
    let (before, text) = src.split_at(at);
    let draw = |len| SpelledResult {
        number: 3,
        len,
        kind: ResultKind::Dashed,
    };
    let is_last = |found: &SpelledResult| is_all_blank(&text[found.len..]);
    SpelledResult::at(text)
        .or_else(|| half(text).filter(|_| text[0] >= 0x80).map(draw))
        .filter(|found| is_last(found) && is_apart(before, promotions))
}

/// Whether white space or the end of something stands before: the beginning of a comment's text is
/// never mistaken for it.
fn is_apart(before: &[u8], promotions: PromotionLetters) -> bool {
    let ends = |&byte: &u8| matches!(byte, b')' | b'}');
    before.last().is_none_or(ends) || blank_before(before) > 0 || ends_move(before, promotions)
}

/// Whether a terminator may begin behind this text.
fn is_free(before: &[u8], promotions: PromotionLetters) -> bool {
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
fn terminator_len(text: &[u8]) -> Option<(u8, usize)> {
    match text.first()? {
        b'*' => return Some((4, 1)),
        b'0' | b'1' | 0xbd | 0xc2 => {}
        _ => return None,
    }
    // Also keeps `0-1` out of nonsense such as `0-1-0`.
    let ends = |&(_, len): &(u8, usize)| text.get(len).is_none_or(|&b| !is_symbol(b));
    SpelledResult::at(text)
        .filter(|found| match found.kind {
            ResultKind::Points => true,
            // Its first half would be a terminator of its own.
            ResultKind::Dashed => text.starts_with(b"1/2"),
            ResultKind::Doubtful => false,
        })
        .map(|found| (found.number, found.len))
        .filter(ends)
        .or_else(|| text.starts_with(b"1/2").then_some((3, 3)).filter(ends))
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
    let Some(token) = past_blanks(text, digits, 9, true, eof) else {
        return Scan::More;
    };
    let blanks = token - digits;
    if blanks > 9 {
        return Scan::No;
    }
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
    const WINDOW: usize = MAX_RESULT + MAX_BLANKS + 1;
    let window = &text[..text.len().min(WINDOW)];
    let line = memchr::memchr2(b'\n', b'\r', window);
    if line.is_none() && window.len() < WINDOW && !eof {
        let may_be_one = |byte: &u8| matches!(byte, b'*' | b'0' | b'1' | 0xbd | 0xc2);
        return if window.first().is_none_or(may_be_one) {
            Scan::More
        } else {
            Scan::No
        };
    }
    let line = &window[..line.unwrap_or(window.len())];
    let Some((_, len)) = terminator_len(line) else {
        return Scan::No;
    };
    match past_blanks(text, len, MAX_BLANKS, true, eof) {
        None => Scan::More,
        Some(end) if end - len > MAX_BLANKS => Scan::No,
        Some(end) if text.get(end).is_none_or(|&byte| is_newline(byte)) => Scan::Yes(()),
        Some(_) => Scan::No,
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

/// Whether the text, at the beginning of a line of movetext behind a ply, begins another game: with
/// White's move number 1, or with `first`, the number with which the movetext of the game begins.
pub(super) fn begins_again(text: &[u8], eof: bool, knights: [u8; 2], first: u32) -> Scan<()> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == text.len() && digits < 5 && !eof {
        return Scan::More;
    }
    let number = number_at(text);
    if !matches!(number, Some(number) if number == 1 || number == first) {
        return Scan::No;
    }
    match starts_movetext(text, eof, knights) {
        Scan::Yes(()) => {}
        other => return other,
    }
    // Periods behind the first would make it a number of Black.
    let past = |at| past_blanks(text, at, 9, true, eof);
    let Some(period) = past(digits) else {
        return Scan::More;
    };
    if text.get(period) != Some(&b'.') {
        return Scan::Yes(());
    }
    let Some(behind) = past(period + 1) else {
        return Scan::More;
    };
    let behind = &text[behind..];
    const ELLIPSIS: &[u8] = "\u{2026}".as_bytes();
    match behind {
        [b'.', ..] => Scan::No,
        _ if behind.starts_with(ELLIPSIS) => Scan::No,
        _ if !ELLIPSIS.starts_with(behind) => Scan::Yes(()),
        _ if eof => Scan::No,
        _ => Scan::More,
    }
}

/// The number at the beginning of the text, if it has at most four digits.
pub(super) fn number_at(text: &[u8]) -> Option<u32> {
    let digits = text.iter().take(5).take_while(|byte| byte.is_ascii_digit());
    let add = |sum: u32, byte: &u8| 10 * sum + u32::from(byte - b'0');
    matches!(digits.clone().count(), 1..=4).then(|| digits.fold(0, add))
}

/// Whether the text begins with a square or castling, as the move of a game that has a ply does
/// somewhere.
pub(super) fn is_ply(text: &[u8]) -> bool {
    match *text {
        [b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8', ..] => true,
        [a @ (b'O' | b'0' | b'o'), b'-', b, ..] => a == b,
        _ => false,
    }
}

/// How far the end of a comment or variation is looked for, where it may be unclosed.
const CLOSE_WINDOW: usize = 65_536;

/// Where a comment, or else a variation, closes, if that is not far off and no other one begins
/// before.
pub(super) fn closing(buf: &[u8], at: usize, in_comment: bool, eof: bool) -> Scan<usize> {
    let window = &buf[at..buf.len().min(at + CLOSE_WINDOW)];
    let (close, others): (u8, &[u8]) = match in_comment {
        true => (b'}', b"{"),
        false => (b')', b"({;%"),
    };
    match window
        .iter()
        .position(|byte| *byte == close || others.contains(byte))
    {
        Some(n) if window[n] == close => Scan::Yes(at + n),
        None if !eof && window.len() < CLOSE_WINDOW => Scan::More,
        _ => Scan::No,
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
        match past_blanks(buf, at, MAX_BLANKS, true, eof) {
            None => return Scan::More,
            Some(end) => at = end,
        }
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
        match past_blanks(buf, at, MAX_BLANKS, true, eof) {
            None => return Scan::More,
            Some(end) => at = end,
        }
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
