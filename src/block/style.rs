//! How a producer lays its text out (spec/extension.md section 9).
//!
//! The text of a game is a row of *slots*: for each element its spelling and the gap before it, and
//! a gap at the end. A [`Style`] predicts the bytes of each slot from what stands before it; only
//! what is predicted wrongly has to be stored.

use std::array;
use std::sync::LazyLock;

use crate::num::{put_num, put_str, take_byte, take_num, take_str};
use crate::template::{Newline, Template};
use pgc_pgn::game::{ElemKind, Mark};
use pgc_pgn::piece_letters::PieceLetters;

/// The number of classes before a gap: those of [`ElemKind`] in its order, and the beginning.
pub const PREVS: usize = 11;
/// The number of classes behind a gap: those of [`ElemKind`], with moves of White and Black apart,
/// the end, and a move of Black's that a NAG or a comment follows.
pub const NEXTS: usize = 13;
/// The class of the beginning of a game.
pub const START: usize = 10;
/// The class of the end of a game.
pub const END: usize = 11;
/// The class of a move of Black's that a NAG or a comment in braces follows: some producers number
/// such moves.
pub const BLACK_ANNOTATED: usize = 12;

/// The class before the gap that follows an element.
#[inline(always)]
pub fn prev_class(kind: ElemKind) -> usize {
    kind as usize
}

/// The class behind the gap before an element; `num` tells White's moves from Black's, `then` is
/// the element after it.
#[inline(always)]
pub fn next_class(kind: ElemKind, num: u32, then: Option<ElemKind>) -> usize {
    if kind != ElemKind::Move {
        // Moves have two classes.
        return kind as usize + usize::from(kind as usize > ElemKind::Move as usize);
    }
    match then {
        Some(ElemKind::Nag | ElemKind::Brace) if num & 1 == 1 => BLACK_ANNOTATED,
        _ => WHITE + (num & 1) as usize,
    }
}

/// Class of White's moves.
pub(crate) const WHITE: usize = 2;
/// Class of Black's moves.
pub(crate) const BLACK: usize = 3;

/// Class of `)`.
pub(crate) const CLOSE: usize = ElemKind::RavClose as usize + 1;

/// Which check marks are written, in the order of their numbers in a block head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// `+` and `#`.
    #[default]
    Standard,
    /// No check marks.
    Never,
    /// `+` for mate too.
    PlusOnly,
    /// `++` for mate.
    DoubleMate,
}

impl Marks {
    /// The mark that is written where `check` belongs.
    pub fn written(self, check: Mark) -> Mark {
        match (self, check) {
            (Marks::Never, _) => Mark::None,
            (Marks::PlusOnly, Mark::Hash) => Mark::Plus,
            (Marks::DoubleMate, Mark::Hash) => Mark::Double,
            _ => check,
        }
    }
}

/// Where lines are broken: which blank of a gap becomes a newline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BreakRule {
    /// Only where the templates say so.
    #[default]
    None,
    /// Before the token that would pass this width.
    Width(u16),
    /// Before White's move, once the line has this length.
    Beyond(u16),
    /// Before White's move, after every so many full moves, counted from move 1.
    Every(u16),
}

/// The line-breaking rule with its details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wrap {
    /// The rule.
    pub rule: BreakRule,
    /// [`BreakRule::Width`]: only the first word of a comment must fit.
    pub first_word: bool,
    /// [`BreakRule::Width`]: a line may end before `)` although no blank stands there.
    pub bare_close: bool,
    /// [`BreakRule::Width`]: closing parentheses and glyphs that follow without a gap must fit too.
    pub sticky: bool,
    /// The blank stays before the newline.
    pub trailing: bool,
    /// The blank stays only if there is room for it on the line ([`BreakRule::Width`]).
    pub if_room: bool,
    /// [`BreakRule::Width`]: a line may end behind a move number although no blank stands there.
    pub bare_number: bool,
}

/// How the source of a block is laid out: everything that its head says about that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// The newline; the templates know it too.
    pub(crate) newline: Newline,
    /// Each game is a line of EPD, and the rest says nothing about its text.
    pub epd: bool,
    /// Tag values are UTF-8 rather than Latin-1.
    pub utf8: bool,
    /// The check marks.
    pub marks: Marks,
    /// NAGs 1 to 6 are written as `!` and `?`.
    pub suffixes: bool,
    /// Moves are written as their squares, not as SAN.
    pub squares: bool,
    /// SAN has these letters for the pieces, not those of English.
    pub letters: Option<&'static PieceLetters>,
    /// The order of the roster in games of the seven tags: its members (0 to 6) as they stand.
    pub roster: [u8; 7],
    /// Line breaking.
    pub wrap: Wrap,
    pub(crate) templates: [[Template; NEXTS]; PREVS],
}

impl Default for Style {
    fn default() -> Self {
        Style::new(Newline::Lf)
    }
}

/// The default template of a gap.
fn default_template(prev: usize, next: usize) -> &'static [u8] {
    const TAG: usize = 0;
    const ESCAPE: usize = 1;
    const MOVE: usize = 2;
    const LINE: usize = 5;
    const RAV_OPEN: usize = 6;
    const NEXT_RAV_CLOSE: usize = 8;
    // By default, an annotated move of Black's looks like any other.
    let next = if next == BLACK_ANNOTATED { BLACK } else { next };
    match (prev, next) {
        (START, WHITE) | (RAV_OPEN, WHITE) => b"#. ",
        (START, BLACK) | (RAV_OPEN, BLACK) => b"#... ",
        (START, _) => b"",
        (_, END) => b"\n\n",
        (TAG | ESCAPE, 0 | 1) => b"\n",
        (TAG, WHITE) => b"\n\n#. ",
        (TAG, BLACK) => b"\n\n#... ",
        (TAG, _) => b"\n\n",
        (ESCAPE | LINE, WHITE) => b"\n#. ",
        (ESCAPE | LINE, BLACK) => b"\n#... ",
        (ESCAPE | LINE, _) => b"\n",
        (_, 1) => b"\n",
        (RAV_OPEN, _) | (_, NEXT_RAV_CLOSE) => b"",
        (_, WHITE) => b" #. ",
        (MOVE, BLACK) => b" ",
        (_, BLACK) => b" #... ",
        _ => b" ",
    }
}

fn default_templates(newline: Newline) -> [[Template; NEXTS]; PREVS] {
    let template = |prev, next| Template::new(default_template(prev, next), newline);
    array::from_fn(|prev| array::from_fn(|next| template(prev, next).unwrap_or_default()))
}

impl Style {
    /// The default style.
    pub fn new(newline: Newline) -> Style {
        // Made once, since reading each head begins with them.
        static TEMPLATES: [LazyLock<[[Template; NEXTS]; PREVS]>; 3] = [
            LazyLock::new(|| default_templates(Newline::Lf)),
            LazyLock::new(|| default_templates(Newline::CrLf)),
            LazyLock::new(|| default_templates(Newline::Cr)),
        ];
        Style {
            newline,
            epd: false,
            utf8: false,
            marks: Marks::Standard,
            suffixes: false,
            squares: false,
            letters: None,
            roster: [0, 1, 2, 3, 4, 5, 6],
            wrap: Wrap::default(),
            templates: *TEMPLATES[newline as usize],
        }
    }

    /// The template of a gap.
    pub fn template(&self, prev: usize, next: usize) -> &Template {
        &self.templates[prev][next]
    }

    /// Sets the template of a gap; `None` if it has too many bytes.
    pub fn set_template(&mut self, prev: usize, next: usize, bytes: &[u8]) -> Option<()> {
        self.templates[prev][next] = Template::new(bytes, self.newline)?;
        Some(())
    }

    /// The templates that are not the default ones: class before, class behind, bytes.
    pub fn own_templates(&self) -> impl Iterator<Item = (usize, usize, &[u8])> {
        self.templates.iter().enumerate().flat_map(|(prev, row)| {
            row.iter()
                .enumerate()
                .filter(move |&(next, t)| t.as_bytes() != default_template(prev, next))
                .map(move |(next, t)| (prev, next, t.as_bytes()))
        })
    }
}

const UTF8: u8 = 0x01;
const SUFFIXES: u8 = 0x02;
const MARKS_SHIFT: u32 = 2;
const ROSTER: u8 = 0x10;
const SQUARES: u8 = 0x20;
const EPD: u8 = 0x40;
const LETTERS: u8 = 0x80;

/// The number of classes behind a gap by which pairs of classes are numbered; the pairs with
/// [`BLACK_ANNOTATED`] come behind all others.
const PAIRS: usize = 12;
const ANNOTATED_PAIRS: usize = PREVS * PAIRS;

/// Appends a style as a block head has it (spec/extension.md 9.1).
pub(crate) fn put_style(out: &mut Vec<u8>, style: &Style) {
    out.push(style.newline as u8);
    let own_roster = style.roster != [0, 1, 2, 3, 4, 5, 6];
    out.push(
        flag(style.squares, SQUARES)
            | flag(style.epd, EPD)
            | flag(style.letters.is_some(), LETTERS)
            | flag(style.utf8, UTF8)
            | flag(style.suffixes, SUFFIXES)
            | (style.marks as u8) << MARKS_SHIFT
            | flag(own_roster, ROSTER),
    );
    if own_roster {
        out.extend_from_slice(&style.roster);
    }
    out.extend(style.letters.map(PieceLetters::number));
    put_wrap(out, style.wrap);
    let own: Vec<_> = style.own_templates().collect();
    put_num(out, own.len() as u64);
    for (prev, next, bytes) in own {
        let pair = match next {
            BLACK_ANNOTATED => ANNOTATED_PAIRS + prev,
            _ => prev * PAIRS + next,
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

/// The details of a rule, in the order of their bits.
fn details(wrap: &mut Wrap) -> [&mut bool; 6] {
    [
        &mut wrap.first_word,
        &mut wrap.bare_close,
        &mut wrap.sticky,
        &mut wrap.trailing,
        &mut wrap.bare_number,
        &mut wrap.if_room,
    ]
}

fn put_wrap(out: &mut Vec<u8>, mut wrap: Wrap) {
    let (rule, number) = match wrap.rule {
        BreakRule::None => (0, 0),
        BreakRule::Width(n) => (1, n),
        BreakRule::Beyond(n) => (2, n),
        BreakRule::Every(n) => (3, n),
    };
    out.push(rule);
    put_num(out, u64::from(number));
    let bits = (0..).zip(details(&mut wrap));
    out.push(bits.map(|(at, set)| u8::from(*set) << at).sum());
}

/// Takes a style.
pub(crate) fn take_style(src: &mut &[u8]) -> Option<Style> {
    use Marks::{DoubleMate, Never, PlusOnly, Standard};
    let newlines = [Newline::Lf, Newline::CrLf, Newline::Cr];
    let mut style = Style::new(*newlines.get(usize::from(take_byte(src)?))?);
    let flags = take_byte(src)?;
    style.utf8 = flags & UTF8 != 0;
    style.suffixes = flags & SUFFIXES != 0;
    style.squares = flags & SQUARES != 0;
    style.epd = flags & EPD != 0;
    let marks = [Standard, Never, PlusOnly, DoubleMate];
    style.marks = marks[usize::from(flags >> MARKS_SHIFT & 3)];
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
        style.letters = Some(PieceLetters::from_number(take_byte(src)?)?);
    }
    style.wrap = take_wrap(src)?;
    for _ in 0..take_num(src)? {
        let pair = usize::from(take_byte(src)?);
        let (prev, next) = match pair.checked_sub(ANNOTATED_PAIRS) {
            Some(prev) => (prev, BLACK_ANNOTATED),
            None => (pair / PAIRS, pair % PAIRS),
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
    let rule = match rule {
        0 => BreakRule::None,
        1 => BreakRule::Width(number),
        2 => BreakRule::Beyond(number),
        3 => BreakRule::Every(number),
        _ => return None,
    };
    let (mut wrap, mut bits) = (Wrap::default(), take_byte(src)?);
    wrap.rule = rule;
    for detail in details(&mut wrap) {
        *detail = bits & 1 == 1;
        bits >>= 1;
    }
    (bits == 0).then_some(wrap)
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
            letters: PieceLetters::named("pt"),
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
