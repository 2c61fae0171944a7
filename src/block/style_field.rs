//! The style in a block head (spec/extension.md 9.1).

use crate::layout::{BLACK_ANNOTATED, BreakRule, Marks, Newline, PREVS, Style, Wrap};
use crate::num::{put_num, put_str, take_byte, take_num, take_str};
use pgc_pgn::piece_letters::PieceLetters;

const UTF8: u8 = 0x01;
const SUFFIXES: u8 = 0x02;
const MARKS_SHIFT: u32 = 2;
const ROSTER: u8 = 0x10;
const SQUARES: u8 = 0x20;
const EPD: u8 = 0x40;
const LETTERS: u8 = 0x80;

const FIRST_WORD: u8 = 0x01;
const BARE_CLOSE: u8 = 0x02;
const STICKY: u8 = 0x04;
const TRAILING: u8 = 0x08;
const BARE_NUMBER: u8 = 0x10;
const IF_ROOM: u8 = 0x20;

/// The number of classes behind a gap by which pairs of classes are numbered; the pairs with
/// [`BLACK_ANNOTATED`] come behind all others.
const PAIRS: usize = 12;
const ANNOTATED_PAIRS: usize = PREVS * PAIRS;

/// Appends a style.
pub(crate) fn put_style(out: &mut Vec<u8>, style: &Style) {
    out.push(match style.newline {
        Newline::Lf => 0,
        Newline::CrLf => 1,
        Newline::Cr => 2,
    });
    let marks: u8 = match style.marks {
        Marks::Standard => 0,
        Marks::Never => 1,
        Marks::PlusOnly => 2,
        Marks::DoubleMate => 3,
    };
    let own_roster = style.roster != [0, 1, 2, 3, 4, 5, 6];
    out.push(
        flag(style.squares, SQUARES)
            | flag(style.epd, EPD)
            | flag(style.letters.is_some(), LETTERS)
            | flag(style.utf8, UTF8)
            | flag(style.suffixes, SUFFIXES)
            | marks << MARKS_SHIFT
            | flag(own_roster, ROSTER),
    );
    if own_roster {
        out.extend_from_slice(&style.roster);
    }
    if let Some(letters) = style.letters {
        out.push(letters.number());
    }
    put_wrap(out, style.wrap);
    let own: Vec<_> = style.own_templates().collect();
    put_num(out, own.len() as u64);
    for (prev, next, bytes) in own {
        let pair = if next == BLACK_ANNOTATED {
            ANNOTATED_PAIRS + prev
        } else {
            prev * PAIRS + next
        };
        // At most 142.
        out.push(u8::try_from(pair).unwrap_or(u8::MAX));
        put_str(out, bytes);
    }
}

/// A flag that is set, or nothing.
fn flag(set: bool, bit: u8) -> u8 {
    if set { bit } else { 0 }
}

fn put_wrap(out: &mut Vec<u8>, wrap: Wrap) {
    let (rule, number) = match wrap.rule {
        BreakRule::None => (0, 0),
        BreakRule::Width(n) => (1, n),
        BreakRule::Beyond(n) => (2, n),
        BreakRule::Every(n) => (3, n),
    };
    out.push(rule);
    put_num(out, u64::from(number));
    out.push(
        flag(wrap.first_word, FIRST_WORD)
            | flag(wrap.bare_close, BARE_CLOSE)
            | flag(wrap.sticky, STICKY)
            | flag(wrap.trailing, TRAILING)
            | flag(wrap.bare_number, BARE_NUMBER)
            | flag(wrap.if_room, IF_ROOM),
    );
}

/// Takes a style.
pub(crate) fn take_style(src: &mut &[u8]) -> Option<Style> {
    let mut style = Style::new(match take_byte(src)? {
        0 => Newline::Lf,
        1 => Newline::CrLf,
        2 => Newline::Cr,
        _ => return None,
    });
    let flags = take_byte(src)?;
    style.utf8 = flags & UTF8 != 0;
    style.suffixes = flags & SUFFIXES != 0;
    style.squares = flags & SQUARES != 0;
    style.epd = flags & EPD != 0;
    style.marks = match flags >> MARKS_SHIFT & 3 {
        0 => Marks::Standard,
        1 => Marks::Never,
        2 => Marks::PlusOnly,
        _ => Marks::DoubleMate,
    };
    if flags & ROSTER != 0 {
        for place in &mut style.roster {
            *place = take_byte(src)?;
        }
        if !(0..7).all(|member| style.roster.contains(&member)) {
            return None;
        }
    }
    if flags & LETTERS != 0 {
        if style.epd {
            return None;
        }
        style.letters = Some(PieceLetters::of_number(take_byte(src)?)?);
    }
    style.wrap = take_wrap(src)?;
    for _ in 0..take_num(src)? {
        let pair = usize::from(take_byte(src)?);
        let (prev, next) = if pair < ANNOTATED_PAIRS {
            (pair / PAIRS, pair % PAIRS)
        } else {
            (pair - ANNOTATED_PAIRS, BLACK_ANNOTATED)
        };
        let bytes = take_str(src)?;
        if prev >= PREVS {
            return None;
        }
        style.set_template(prev, next, bytes)?;
    }
    Some(style)
}

fn take_wrap(src: &mut &[u8]) -> Option<Wrap> {
    let rule = take_byte(src)?;
    let number = u16::try_from(take_num(src)?).ok()?;
    let wrap = take_byte(src)?;
    if wrap & !(FIRST_WORD | BARE_CLOSE | STICKY | TRAILING | BARE_NUMBER | IF_ROOM) != 0 {
        return None;
    }
    Some(Wrap {
        rule: match rule {
            0 => BreakRule::None,
            1 => BreakRule::Width(number),
            2 => BreakRule::Beyond(number),
            3 => BreakRule::Every(number),
            _ => return None,
        },
        first_word: wrap & FIRST_WORD != 0,
        bare_close: wrap & BARE_CLOSE != 0,
        sticky: wrap & STICKY != 0,
        trailing: wrap & TRAILING != 0,
        bare_number: wrap & BARE_NUMBER != 0,
        if_room: wrap & IF_ROOM != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_come_back() {
        let mut style = Style {
            utf8: true,
            marks: Marks::DoubleMate,
            roster: [6, 5, 4, 3, 2, 1, 0],
            letters: PieceLetters::of("pt"),
            ..Style::default()
        };
        let epd = Style {
            epd: true,
            ..Style::default()
        };
        style.wrap = Wrap {
            rule: BreakRule::Width(79),
            trailing: true,
            ..Wrap::default()
        };
        style.set_template(0, 2, b"\n#.").unwrap();
        for style in [Style::default(), epd, style] {
            let mut out = Vec::new();
            put_style(&mut out, &style);
            assert_eq!(take_style(&mut out.as_slice()), Some(style));
            for end in 0..out.len() {
                assert_eq!(take_style(&mut &out[..end]), None);
            }
        }
    }
}
