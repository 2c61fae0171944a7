//! Results, in the spellings that people and programs use (spec/pgn-import.md, section 5).

use super::tag::is_space;
use super::token::dash_len;

/// A result at the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpelledResult {
    /// 1 White won, 2 Black won, 3 a draw, 4 neither has a point.
    pub number: u8,
    /// The length.
    pub len: usize,
    /// What it is made of; the splitter of games knows only the first kind.
    pub kind: ResultKind,
}

/// What a result is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultKind {
    /// Points, with `-` or `:` between: no other text looks like this.
    Points,
    /// Points with a dash outside ASCII between.
    Dashed,
    /// `0-0`, which may be castling, or `+` and `-`, which may judge a position.
    Doubtful,
}

impl SpelledResult {
    /// The longest result at the beginning of `text`; the callers look at what stands behind it.
    pub(super) fn at(text: &[u8]) -> Option<SpelledResult> {
        let (white, is_signed, len) = share(text)?;
        let blanks = |at: usize| -> usize {
            let blanks = text[at..].iter().take(2);
            blanks.take_while(|&&byte| byte == b' ').count()
        };
        let sign = len + blanks(len);
        let between = match text[sign..] {
            [b':', ..] => 1,
            [b'/', ..] if is_signed => 1,
            _ if is_signed => 0,
            _ => dash(&text[sign..])?,
        };
        let is_dashed = !is_signed && !text[sign].is_ascii();
        let behind = sign + between;
        let behind = behind + blanks(behind);
        let (black, _, len) = share(&text[behind..]).filter(|black| black.1 == is_signed)?;
        let number = match (white, black) {
            (2, 0) => 1,
            (0, 2) => 2,
            (1, 1) => 3,
            (0, 0) => 4,
            _ => return None,
        };
        let mut len = behind + len;
        if number < 3 {
            // `1-0F`: a forfeit.
            let is_f = |byte: &&u8| matches!(byte, b'F' | b'f');
            len += text[len..].iter().take(2).take_while(is_f).count();
        }
        let kind = match is_signed || number == 4 {
            true => ResultKind::Doubtful,
            false if is_dashed => ResultKind::Dashed,
            false => ResultKind::Points,
        };
        Some(SpelledResult { number, len, kind })
    }
}

/// The most bytes that a result has which the splitter knows: `1/2  –  1/2`.
pub(super) const MAX_RESULT: usize = 13;

/// The most bytes of it before its `-` or `:`, or before the `/` of a half.
pub(super) const MAX_SHARE: usize = 5;

/// The length of a half point at the beginning of `text`, alone the result of a draw.
pub(super) fn half(text: &[u8]) -> Option<usize> {
    match text {
        [b'1', b'/', b'2', ..] | [b'0', b'.' | b',', b'5', ..] => Some(3),
        [0xc2, 0xbd, ..] => Some(2),
        // In Latin-1.
        [0xbd, ..] => Some(1),
        _ => None,
    }
}

/// What one player gets, in halves; whether it is written as a sign; and its length.
fn share(text: &[u8]) -> Option<(u8, bool, usize)> {
    Some(match text {
        _ if let Some(len) = half(text) => (1, false, len),
        [b'1', ..] => (2, false, 1),
        [b'0', ..] => (0, false, 1),
        [b'+', ..] => (2, true, 1),
        _ => (0, true, dash(text)?),
    })
}

/// The length of a dash at the beginning of `text`; `96` and `97` are those of Windows.
fn dash(text: &[u8]) -> Option<usize> {
    match text {
        [0x96 | 0x97, ..] => Some(1),
        _ => dash_len(text),
    }
}

/// Words behind the result in a Result tag, without signs and case.
const FORFEITS: [&[u8]; 6] = [b"f", b"ff", b"forfeit", b"default", b"wo", b"walkover"];

/// The number of the result that a Result tag with this value states, `*` aside, and whether the
/// value states nothing else.
pub(super) fn stated(value: &[u8]) -> Option<(u8, bool)> {
    let value = value.trim_ascii();
    if half(value).is_some_and(|len| len == value.len() && value[0] != b'0') {
        return Some((3, true));
    }
    let found = SpelledResult::at(value)?;
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
    let word = value.iter().filter(|byte| is_letter(byte));
    let word: Vec<u8> = word.map(u8::to_ascii_lowercase).collect();
    let mut behind = value[found.len..].iter();
    let is_word =
        |byte: &u8| is_letter(byte) || is_space(*byte) || matches!(byte, b'(' | b')' | b'.');
    let is_known = behind.all(is_word) && (word.is_empty() || FORFEITS.contains(&&*word));
    let is_all = word.is_empty() && found.kind != ResultKind::Doubtful;
    is_known.then_some((found.number, is_all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_tags() {
        let stated = |value: &str| stated(value.as_bytes());
        for (number, values) in [
            (
                1,
                &[
                    "1-0",
                    " 1 - 0 ",
                    "1:0",
                    "1\u{2013}0",
                    "1 \u{2014} 0",
                    "1  :  0",
                ][..],
            ),
            (2, &["0-1", "0 - 1", "0:1", "0\u{2212}1"]),
            (
                3,
                &[
                    "1/2-1/2",
                    "1/2",
                    "1/2 - 1/2",
                    "\u{bd}",
                    "\u{bd}-\u{bd}",
                    "0.5-0.5",
                    "0,5:0,5",
                    "1/2\u{2013}1/2",
                ],
            ),
        ] {
            for value in values {
                assert_eq!(stated(value), Some((number, true)), "{value}");
            }
        }
        for (number, values) in [
            (
                1,
                &[
                    "+:-",
                    "+/-",
                    "+-",
                    "+ : -",
                    "1-0F",
                    "1-0 ff",
                    "1:0 (forfeit)",
                    "1-0 W.O.",
                ][..],
            ),
            (2, &["-:+", "-/+", "-+", "\u{2013}/+", "0-1f"]),
            (
                4,
                &["0-0", "0:0", "0 - 0", "-/-", "-:-", "0\u{2013}0", "0-0 ff"],
            ),
        ] {
            for value in values {
                assert_eq!(stated(value), Some((number, false)), "{value}");
            }
        }
        assert_eq!(super::stated(b"\xbd-\xbd"), Some((3, true)));
        assert_eq!(super::stated(b"1\x960"), Some((1, true)));
        for value in [
            "",
            "*",
            "?",
            "-",
            "+",
            "1",
            "0",
            "0.5",
            "1-1",
            "1-0.5",
            "1/2-0",
            "0-1/2",
            "1-0-1",
            "1-0 on time",
            "won",
            "1-00",
            "2-0",
            "1 0",
            "1-O",
            "half-half",
            "1-0 1-0",
            "1--0",
        ] {
            assert_eq!(stated(value), None, "{value}");
        }
    }
}
