//! Recognises what begins and ends games: terminators, move numbers, first moves, and the tags of a
//! game that an unclosed comment has swallowed.

use super::blanks::{More, blank_before, is_all_blank, past_blanks, trim_end};
use super::piece_letters::PromotionLetters;
use super::result::{MAX_RESULT, ResultKind, SpelledResult, half};
use super::tag::{Scan, is_newline, tag_pair};
use super::words::digits;

/// The most blanks behind a result that is alone on its line.
const MAX_BLANKS: usize = 64;

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
    let is_mark = |byte: &&u8| matches!(byte, b'+' | b'#');
    let marks = text.iter().rev().take(2).take_while(is_mark).count();
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
pub(super) fn starts_movetext(text: &[u8], eof: bool, knights: [u8; 2]) -> Result<bool, More> {
    let digits = digits(text, 5);
    if digits > 4 {
        return Ok(false);
    }
    let token = past_blanks(text, digits, 9, true, eof)?;
    match (digits, token - digits, text.get(token)) {
        (1.., ..=9, Some(b'.')) => return Ok(true),
        (1.., 1..=9, Some(_)) | (0, 0, _) => {}
        _ => return Ok(false),
    }
    let rest = &text[token..];
    let is_of_move = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
    let len = rest.iter().take(9).take_while(is_of_move).count();
    if len == rest.len() && !eof {
        return Err(More);
    }
    Ok(is_first_move(&rest[..len], knights))
}

/// Whether `text` begins with a terminator, alone on its line.
pub(super) fn is_result_alone(text: &[u8], eof: bool) -> Result<bool, More> {
    // The longest terminator, some blanks, and a line end.
    const WINDOW: usize = MAX_RESULT + MAX_BLANKS + 1;
    let window = &text[..text.len().min(WINDOW)];
    let line = memchr::memchr2(b'\n', b'\r', window);
    if line.is_none() && window.len() < WINDOW && !eof {
        return match window.first() {
            None | Some(b'*' | b'0' | b'1' | 0xbd | 0xc2) => Err(More),
            Some(_) => Ok(false),
        };
    }
    let line = &window[..line.unwrap_or(window.len())];
    let Some((_, len)) = terminator_len(line) else {
        return Ok(false);
    };
    let end = past_blanks(text, len, MAX_BLANKS, true, eof)?;
    Ok(end - len <= MAX_BLANKS && text.get(end).is_none_or(|&byte| is_newline(byte)))
}

/// Whether the token is one of the twenty first moves, as SAN or long algebraic (`e2e4`, `e2-e4`,
/// `Ng1-f3`, `g1f3`), in which a knight has one of these letters.
fn is_first_move(token: &[u8], knights: [u8; 2]) -> bool {
    let knight = token.first().is_some_and(|first| knights.contains(first));
    let squares = if knight { &token[1..] } else { token };
    let (from, to) = match *squares {
        [b'a' | b'c' | b'f' | b'h', b'3'] if knight => return true,
        [b'a'..=b'h', b'3' | b'4'] if !knight => return true,
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
pub(super) fn begins_again(
    text: &[u8],
    eof: bool,
    knights: [u8; 2],
    first: u32,
) -> Result<bool, More> {
    const ELLIPSIS: &[u8] = "\u{2026}".as_bytes();
    let digits = digits(text, usize::MAX);
    if digits == text.len() && digits < 5 && !eof {
        return Err(More);
    }
    let is_first = number_at(text).is_some_and(|number| number == 1 || number == first);
    if !is_first || !starts_movetext(text, eof, knights)? {
        return Ok(false);
    }
    // Periods behind the first would make it a number of Black.
    let period = past_blanks(text, digits, 9, true, eof)?;
    if text.get(period) != Some(&b'.') {
        return Ok(true);
    }
    let behind = &text[past_blanks(text, period + 1, 9, true, eof)?..];
    match behind {
        [b'.', ..] => Ok(false),
        _ if behind.starts_with(ELLIPSIS) => Ok(false),
        _ if !ELLIPSIS.starts_with(behind) => Ok(true),
        _ if eof => Ok(false),
        _ => Err(More),
    }
}

/// The number at the beginning of the text, if it has at most four digits.
pub(super) fn number_at(text: &[u8]) -> Option<u32> {
    let digits = &text[..digits(text, 5)];
    let add = |sum: u32, byte: &u8| 10 * sum + u32::from(byte - b'0');
    matches!(digits.len(), 1..=4).then(|| digits.iter().fold(0, add))
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
    let ends = |byte: &u8| *byte == close || others.contains(byte);
    match window.iter().position(ends) {
        Some(n) if window[n] == close => Ok(Some(at + n)),
        None if !eof && window.len() < CLOSE_WINDOW => Err(More),
        _ => Ok(None),
    }
}

/// Length of the line end at `at` (LF, CR or CRLF).
pub(super) fn newline_len(buf: &[u8], at: usize) -> usize {
    1 + usize::from(buf[at..].starts_with(b"\r\n"))
}

/// How far before a line end the tag pair may begin that stands on the line of an unclosed comment.
const GLUED_WINDOW: usize = 1024;

/// At a line end in a comment or variation that may be unclosed: if three lines with tag pairs
/// follow, perhaps behind an empty line, returns where the tags begin. If no line is empty, that may
/// be at the end of the line before: a file that was cut there has no line end. The unit begins at
/// `start`.
pub(super) fn lost(buf: &[u8], start: usize, line_end: usize, eof: bool) -> Scan<usize> {
    let mut at = line_end;
    let mut is_empty = false;
    loop {
        if buf.len() < at + 2 && !eof {
            return Err(More);
        }
        at = past_blanks(buf, at + newline_len(buf, at), MAX_BLANKS, true, eof)?;
        match buf.get(at) {
            None if !eof => return Err(More),
            Some(&b) if !is_empty && is_newline(b) => is_empty = true,
            Some(b'[') => break,
            _ => return Ok(None),
        }
    }
    let first = at;
    for line in 0..3 {
        match tag_pair(buf, at, false, eof)? {
            Some(pair) if pair.quoted => at = past_blanks(buf, pair.end, MAX_BLANKS, true, eof)?,
            _ => return Ok(None),
        }
        match buf.get(at) {
            _ if buf.len() < at + 2 && !eof => return Err(More),
            None if line == 2 => {}
            Some(&b) if is_newline(b) => at += newline_len(buf, at),
            _ => return Ok(None),
        }
    }
    let glued = if is_empty {
        None
    } else {
        glued(buf, start, line_end)
    };
    Ok(Some(glued.unwrap_or(first)))
}

/// Where the tag pair begins that ends the line.
fn glued(buf: &[u8], start: usize, line_end: usize) -> Option<usize> {
    let begin = start.max(line_end.saturating_sub(GLUED_WINDOW));
    let line = trim_end(&buf[begin..line_end]);
    let from = line
        .iter()
        .rposition(|&b| is_newline(b))
        .map_or(0, |at| at + 1);
    let is_pair = |&at: &usize| {
        let pair = tag_pair(line, at, false, true).ok().flatten();
        pair.is_some_and(|pair| pair.quoted && pair.end == line.len())
    };
    let mut brackets = memchr::memrchr_iter(b'[', &line[from..]).map(|at| from + at);
    Some(begin + brackets.find(is_pair)?)
}
