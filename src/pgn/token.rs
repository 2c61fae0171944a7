//! Finds where a symbol of movetext ends, what touches it, and which bytes have no meaning
//! (spec/pgn-import.md, section 3).
//!
//! A move that is not understood becomes text, and so does a move of which a part might be lost:
//! bytes that touch a symbol are skipped only if they cannot be part of it.

use pgc_chess::{core_len, stands_for};

use super::begin::{is_symbol, terminator_at};
use super::blanks::{blank_at, first_char, is_blank_char, unseen_len};
use super::chunks::byte_table;
use super::nag::{PlainSign, spelled_nags};
use super::piece_letters::PromotionLetters;
use super::tag::is_space;
use super::words::digits;

const SYMBOL: u8 = 1;
const BLANK: u8 = 2;
const LONGER: u8 = 4;

/// The classes of each byte: it belongs to symbols; it may stand between tokens (white space, and
/// the periods behind move numbers); behind a symbol it needs a closer look, because it may make
/// the symbol longer, or touch it.
static CLASS: [u8; 256] = byte_table!(byte => match byte {
    b'_' | b'+' | b'#' | b'=' | b':' | b'-' | b'@' => SYMBOL,
    byte if byte.is_ascii_alphanumeric() => SYMBOL,
    b'.' => BLANK | LONGER,
    b'(' => LONGER,
    byte if is_space(byte) => BLANK,
    byte if is_structure(byte) => 0,
    _ => LONGER,
});

/// Whether the byte begins or ends an element, whatever stands before it.
const fn is_structure(byte: u8) -> bool {
    matches!(
        byte,
        b'{' | b'}' | b'(' | b')' | b';' | b'!' | b'?' | b'$' | b'*'
    )
}

#[inline]
pub(super) fn is_blank(byte: u8) -> bool {
    CLASS[usize::from(byte)] & BLANK != 0
}

#[inline]
fn is_symbol_char(byte: u8) -> bool {
    CLASS[usize::from(byte)] == SYMBOL
}

/// Whether a symbol ends before this byte, and the byte does not touch it.
#[inline]
pub(super) fn ends_symbol(byte: u8) -> bool {
    CLASS[usize::from(byte)] & (SYMBOL | LONGER) == 0
}

/// The length of the symbol at `at`, without a result that is glued to it.
pub(super) fn symbol_len(src: &[u8], at: usize, promotions: PromotionLetters) -> usize {
    let rest = &src[at..];
    let mut len = 0;
    while let Some(&byte) = rest.get(len) {
        len += match byte {
            byte if is_symbol_char(byte) => 1,
            0x80.. if let Some(width) = written_otherwise(&rest[len..]) => width,
            _ => break,
        };
    }
    unglued(src, at, len, promotions)
}

/// The length of the figurine at the beginning of `text`, or of a dash or capture mark outside
/// ASCII if the symbol goes on behind it.
fn written_otherwise(text: &[u8]) -> Option<usize> {
    let (byte, width) = stands_for(text)?;
    let behind = &text[width..];
    let goes_on =
        || behind.first().is_some_and(u8::is_ascii_alphanumeric) || starts_figurine(behind);
    (byte.is_ascii_uppercase() || goes_on()).then_some(width)
}

/// The length of a run of digits, letters and signs that begins with a digit, without a result that
/// is glued to it.
pub(super) fn figures_len(src: &[u8], at: usize, promotions: PromotionLetters) -> usize {
    let len = src[at..]
        .iter()
        .take_while(|&&b| is_symbol_char(b) || b == b'/')
        .count();
    unglued(src, at, len, promotions)
}

/// `len`, or the length up to a terminator among the `len` bytes from `at` on.
fn unglued(src: &[u8], at: usize, len: usize, promotions: PromotionLetters) -> usize {
    (1..len)
        .find(|&i| {
            matches!(src[at + i], b'0' | b'1') && terminator_at(src, at + i, promotions).is_some()
        })
        .unwrap_or(len)
}

/// The length of a move that goes on, behind `len` bytes, in characters that end other symbols:
/// `e8(Q)`, `e8=(Q)`, `e8/Q`, `exd6e.p.`.
pub(super) fn lengthen(rest: &[u8], len: usize, promotions: PromotionLetters) -> usize {
    if !matches!(rest.get(len), Some(b'(' | b'/' | b'.')) {
        return len;
    }
    let token = &rest[..len];
    let is_last_rank = |token: &[u8]| matches!(token, [.., b'a'..=b'h', b'1' | b'8']);
    let last_rank = is_last_rank(token);
    let promotes = last_rank || token.strip_suffix(b"=").is_some_and(is_last_rank);
    match &rest[len..] {
        [b'(', piece, b')', ..] if promotes && promotions.has(piece.to_ascii_uppercase()) => {
            len + 3
        }
        [b'/', piece, ..] if last_rank && promotions.has(*piece) => len + 2,
        [b'.', b'p', b'.', ..] if matches!(token, [.., b'3' | b'6', b'e']) => len + 3,
        [b'.', b'p', ..] if matches!(token, [.., b'3' | b'6', b'e']) => len + 2,
        _ => len,
    }
}

/// Words for check and mate, alone or behind a move.
pub const CHECK_WORDS: [&[u8]; 6] = [b"dblch", b"disch", b"dbl", b"dis", b"ch", b"mate"];

/// The length of the sign of an editor (novelty, diagram, check and mate in words) at the beginning
/// of `rest`, of which the first `len` bytes are a symbol. 0: there is none.
pub(super) fn glyph_len(rest: &[u8], len: usize) -> usize {
    let token = &rest[..len];
    match token {
        b"e" if rest[len..].starts_with(b".p.") => 4,
        b"N" | b"D" | b"RR" | b"TN" | b"ep" | b"x" => len,
        _ if CHECK_WORDS.contains(&&token[..core_len(token)]) => len,
        _ => 0,
    }
}

/// The length of a symbol without the signs and words that editors glue to a move: `e5+-`, `e5=`,
/// `Bb5ch`; and `e5-/+`, `e5+/=`, `e5+–`, whose signs go on behind the symbol.
pub(super) fn without_signs(token: &[u8], behind: &[u8], promotions: PromotionLetters) -> usize {
    let is_sign = |b: &u8| matches!(b, b'+' | b'#' | b'=' | b'-');
    let bare = token.iter().rposition(|b| !is_sign(b)).map_or(0, |i| i + 1);
    let word = CHECK_WORDS
        .iter()
        .find_map(|word| token[..bare].strip_suffix(*word));
    if let Some(text) = word.filter(|text| ends_as_move(&text[..core_len(text)], promotions)) {
        return text.len();
    }
    // Check marks belong to the move; dashes alone may be half of one (`e2- e4`).
    let signs = &token[bare..];
    let goes_on = match behind {
        [b'/', rest @ ..] if signs == b"+" => rest.starts_with(b"=") || dash_len(rest).is_some(),
        [b'/', ..] => signs.contains(&b'-'),
        _ => signs.contains(&b'+') && dash_len(behind).is_some(),
    };
    let judges =
        signs.contains(&b'=') || (signs.contains(&b'-') && signs.contains(&b'+')) || goes_on;
    if judges { bare } else { token.len() }
}

/// Whether the text ends as a move without check marks does: in a square, a promotion piece, or
/// castling.
fn ends_as_move(text: &[u8], promotions: PromotionLetters) -> bool {
    let promotes = matches!(text, [.., b'1' | b'8' | b'=', piece] if promotions.has(*piece));
    promotes
        || matches!(text, [.., b'a'..=b'h', b'1'..=b'8'])
        || matches!(text, [.., b'O' | b'o' | b'0', b'-', b'O' | b'o' | b'0'])
}

/// A character outside ASCII.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outside {
    /// Stands for white space: a blank of Unicode, or an ellipsis.
    Blank,
    /// A sign that is in no spelling of a move: an evaluation, an arrow, a quotation mark.
    Sign,
    /// Perhaps a letter for a piece, in some language, character set or font.
    Unknown,
}

/// The class of the character outside ASCII at the beginning of `text`, and its length.
fn outside(text: &[u8]) -> (Outside, usize) {
    let Some((character, len)) = first_char(text) else {
        return match text.first() {
            // Daggers of Windows, and the plus-minus sign of Latin-1.
            Some(0x86 | 0x87 | 0xb1) => (Outside::Sign, 1),
            _ => (Outside::Unknown, 1),
        };
    };
    let what = match character {
        '\u{2026}' => Outside::Blank,
        c if is_blank_char(c) => Outside::Blank,
        '\u{ab}' | '\u{b0}' | '\u{b1}' | '\u{b7}' | '\u{bb}'..='\u{be}' | '\u{d7}' | '\u{f7}' => {
            Outside::Sign
        }
        // Punctuation, arrows, mathematical and technical signs, shapes, dingbats. Callers that
        // treat figurines otherwise test for them first.
        '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{2190}'..='\u{245f}' => {
            Outside::Sign
        }
        '\u{2500}'..='\u{2bff}' | '\u{ff01}' | '\u{ff1f}' => Outside::Sign,
        // Pictures; between them stand letters in circles, and pieces of other games.
        '\u{1f300}'..='\u{1f9ff}' | '\u{1fa70}'..='\u{1faff}' => Outside::Sign,
        _ => Outside::Unknown,
    };
    (what, len)
}

/// Whether `text` begins with a figurine.
pub(super) fn starts_figurine(text: &[u8]) -> bool {
    stands_for(text).is_some_and(|(byte, _)| byte.is_ascii_uppercase())
}

/// Bytes that begin no token.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Junk {
    pub len: usize,
    /// A character may be a letter.
    pub letter: bool,
    /// A character may be a letter, or is a control character.
    pub unknown: bool,
}

/// The junk at the beginning of `text`: up to white space or a character that stands for it, an
/// ASCII letter or digit, a figurine, or the beginning of an element.
pub(super) fn junk(text: &[u8]) -> Junk {
    let mut junk = Junk::default();
    while let Some(&byte) = text.get(junk.len) {
        let rest = &text[junk.len..];
        let width = match byte {
            0x80.. if starts_figurine(rest) => break,
            0x80.. => {
                let (what, width) = outside(rest);
                if what == Outside::Blank {
                    break;
                }
                junk.letter |= what == Outside::Unknown;
                width
            }
            0 | 0x1a => break,
            byte if is_space(byte) || byte.is_ascii_alphanumeric() || is_structure(byte) => break,
            _ => 1,
        };
        junk.unknown |= junk.letter || byte.is_ascii_control();
        junk.len += width;
    }
    junk
}

/// The length of the dash at the beginning of `text`.
pub(super) fn dash_len(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'-' => Some(1),
        _ => stands_for(text).and_then(|(byte, width)| (byte == b'-').then_some(width)),
    }
}

/// The length of the dashes at the beginning of `text`, at least one of them outside ASCII, if they
/// stand alone: some programs write a null move so.
pub(super) fn lone_dashes(text: &[u8]) -> Option<usize> {
    let (mut at, mut outside) = (0, false);
    while let Some(width) = dash_len(&text[at..]) {
        outside |= width > 1;
        at += width;
    }
    let is_alone = text
        .get(at)
        .is_none_or(|&byte| is_blank(byte) || is_structure(byte));
    (outside && (is_alone || blank_at(&text[at..]) > 0)).then_some(at)
}

/// The length of a sign of which the first `len` bytes of `text` are the beginning, with the parts
/// that follow behind white space, if these make a sign together: `+ -`. A null move, the signs of a
/// result, and what touches a symbol are no such parts.
pub(super) fn joined_sign(text: &[u8], len: usize) -> usize {
    let is_part = |part: &[u8]| {
        let plain = PlainSign::new(part);
        let is_sign = |byte: &u8| matches!(byte, b'+' | b'-' | b'=' | b'/');
        plain.is_some_and(|plain| plain.bytes().iter().all(is_sign))
    };
    let (mut end, mut best) = (len, len);
    while is_part(&text[..end]) {
        let blanks = text[end..].iter().take_while(|&&byte| is_space(byte));
        let next = end + blanks.count();
        let part = junk(&text[next..]).len;
        let follows = &text[next..next + part];
        let touches = |&byte: &u8| byte.is_ascii_alphanumeric() || byte == b'@' || byte >= 0x80;
        let stands_alone = dash_len(follows).is_some_and(|len| len < part)
            || follows.starts_with(b"+") && part > 1
            || text.get(next + part).is_some_and(touches);
        if part == 0 || next == end || stands_alone || !is_part(&text[..next + part]) {
            break;
        }
        end = next + part;
        if spelled_nags(&text[..end]).is_some() {
            best = end;
        }
    }
    best
}

/// The length of a character, no white space of ASCII, that stands for white space.
pub(super) fn blank_len(text: &[u8]) -> Option<usize> {
    match text.first()? {
        0 | 0x1a => Some(1),
        0x80.. => Some(outside(text))
            .filter(|found| found.0 == Outside::Blank)
            .map(|found| found.1),
        _ => None,
    }
}

/// Whether a symbol begins at `at`: not a number, not a terminator.
pub(super) fn starts_symbol(src: &[u8], at: usize, promotions: PromotionLetters) -> bool {
    match src.get(at) {
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'@') => true,
        Some(b'0'..=b'9') => {
            let figures = digits(&src[at..], usize::MAX);
            let goes_on = |&byte: &u8| is_symbol(byte) || byte == b'@' || !byte.is_ascii();
            terminator_at(src, at, promotions).is_none()
                && src.get(at + figures).is_some_and(goes_on)
        }
        Some(0x80..) => starts_figurine(&src[at..]),
        _ => false,
    }
}

/// Whether something directly behind a symbol, at `at`, may belong to it: an unknown character, or
/// signs behind which another symbol follows directly.
pub(super) fn is_touched(src: &[u8], at: usize, promotions: PromotionLetters) -> bool {
    if src
        .get(at)
        .is_none_or(|&byte| is_blank(byte) || ends_symbol(byte))
        || terminator_at(src, at, promotions).is_some()
    {
        return false;
    }
    let unseen = unseen_len(&src[at..]);
    if unseen > 0 {
        // What is not seen separates nothing that could be one symbol.
        return goes_on(src, at + unseen, promotions);
    }
    let junk = junk(&src[at..]);
    junk.unknown || (junk.len > 0 && starts_symbol(src, at + junk.len, promotions))
}

/// Whether a symbol may go on at `at`, behind characters that are not seen: not with a move number
/// or a terminator.
fn goes_on(src: &[u8], at: usize, promotions: PromotionLetters) -> bool {
    let rest = src.get(at..).unwrap_or_default();
    let digits = digits(rest, usize::MAX);
    let is_number = digits > 0 && rest.get(digits) == Some(&b'.');
    let is_part = rest.first().is_some_and(|&byte| is_symbol_char(byte));
    (is_part || starts_figurine(rest)) && !is_number && terminator_at(src, at, promotions).is_none()
}

/// Whether nothing behind a promotion, which ends at `at`, can name its piece: the symbol ends
/// there, and the next thing, apart from comments, NAGs and numbers, is a move, a terminator, a
/// variation or the end.
pub(super) fn says_no_piece(src: &[u8], mut at: usize, promotions: PromotionLetters) -> bool {
    let is_end = |&byte: &u8| ends_symbol(byte) || matches!(byte, b'.' | b'(');
    let ends = src.get(at).is_none_or(is_end) || blank_len(&src[at..]).is_some();
    if !(ends || terminator_at(src, at, promotions).is_some()) {
        return false;
    }
    loop {
        let rest = &src[at..];
        if terminator_at(src, at, promotions).is_some() {
            return true;
        }
        at += match rest {
            [] | [b'*' | b';', ..] => return true,
            [b'(', inside @ ..] => {
                let first = inside.trim_ascii_start().first();
                return first.is_none_or(u8::is_ascii_digit);
            }
            [b'{', comment @ ..] => {
                if comment.trim_ascii_start().starts_with(b"=") {
                    return false;
                }
                memchr::memchr(b'}', comment).map_or(rest.len(), |end| end + 2)
            }
            [b'!' | b'?' | b'.' | b'$' | b')', ..] => 1,
            [byte, ..] if is_space(*byte) => 1,
            [b'0'..=b'9', ..] if !starts_symbol(src, at, promotions) => digits(rest, usize::MAX),
            _ if let Some(len) = blank_len(rest) => len,
            _ if starts_symbol(src, at, promotions) => {
                let symbol = &rest[..symbol_len(src, at, promotions)];
                return symbol.iter().any(u8::is_ascii_digit) || castles(rest);
            }
            _ => return false,
        };
    }
}

/// Whether castling begins here, with letters or zeros.
fn castles(text: &[u8]) -> bool {
    let is_o = |byte: Option<&u8>| matches!(byte, Some(b'O' | b'o' | b'0'));
    is_o(text.first()) && (is_o(text.get(1)) || (text.get(1) == Some(&b'-') && is_o(text.get(2))))
}

/// Whether the symbol at `at` (`core` bytes without its check marks, `len` with them) is castling
/// to the king's side that may be half of castling to the queen's side: that is no move.
pub(super) fn is_half_of_castling(
    src: &[u8],
    at: usize,
    (core, len): (usize, usize),
    promotions: PromotionLetters,
) -> bool {
    let is_o = |byte: &u8| matches!(byte, b'O' | b'o' | b'0');
    let symbol = &src[at..at + core];
    symbol.first().is_some_and(is_o)
        && symbol.iter().filter(|byte| is_o(byte)).count() == 2
        && castles_on(src, at + len, promotions)
}

/// Whether the text at `at`, behind castling to the king's side, may make it castling to the
/// queen's side: an O or a zero, perhaps behind blanks and signs, that does not begin castling or a
/// result of its own.
fn castles_on(src: &[u8], at: usize, promotions: PromotionLetters) -> bool {
    let mut signs = false;
    let mut here = at;
    while let Some(&byte) = src.get(here) {
        let rest = &src[here..];
        here += match byte {
            byte if is_space(byte) => 1,
            b'O' | b'o' | b'0' => {
                return terminator_at(src, here, promotions).is_none() && (signs || !castles(rest));
            }
            0x80.. => {
                let (what, width) = outside(rest);
                signs |= what != Outside::Blank;
                width
            }
            b'!' | b'?' | 0 | 0x1a => 1,
            byte if byte.is_ascii_alphanumeric() || is_structure(byte) => return false,
            _ => {
                signs = true;
                1
            }
        };
    }
    false
}

/// The longest text that [`spaced`] makes.
pub(super) const MAX_SPACED: usize = 16;

/// Appends the next symbol behind `at` to `text`, with the signs of editors before it, and leaves
/// out the blanks, other signs, NAGs and comments between them. `None`: there is no symbol, or a
/// move number or a variation comes first, or the text is longer than a move.
pub(super) fn spaced(
    src: &[u8],
    mut at: usize,
    text: &mut Vec<u8>,
    promotions: PromotionLetters,
) -> Option<()> {
    loop {
        while !starts_symbol(src, at, promotions) {
            let rest = src.get(at..)?;
            at += match *rest.first()? {
                b'{' => memchr::memchr(b'}', rest)? + 1,
                b';' => memchr::memchr2(b'\n', b'\r', rest)?,
                b'$' => 1 + digits(&rest[1..], usize::MAX),
                b'!' | b'?' | b')' | b'}' => 1,
                0x80.. => outside(rest).1,
                byte if byte.is_ascii_alphanumeric() || is_structure(byte) => return None,
                _ => 1,
            };
        }
        let len = symbol_len(src, at, promotions);
        if text.len() + len > MAX_SPACED {
            return None;
        }
        text.extend_from_slice(&src[at..at + len]);
        if glyph_len(&src[at..], len) == 0 {
            return Some(());
        }
        at += len;
    }
}
