//! How a producer lays its text out, and what that predicts (spec/extension.md section 9).
//!
//! The text of a game is a row of *slots*: for each element its spelling and the gap before it, and a gap at the end. A [`Style`] predicts the
//! bytes of each slot from what stands before it; only what is predicted wrongly has to be stored.

use super::game::{Kind, Mark};

/// Classes of what stands before a gap: those of [`Kind`] in its order, and the beginning.
pub const PREVS: usize = 11;
/// Classes of what stands behind a gap: those of [`Kind`], moves of White and Black apart, the end, and [`NOTED`].
pub const NEXTS: usize = 13;
/// The class of the beginning of a game.
pub const START: usize = 10;
/// The class of the end of a game.
pub const END: usize = 11;
/// The class of a move of Black's that a NAG or a comment follows: some producers write its number for that.
pub const NOTED: usize = 12;
/// A gap template is at most so long.
pub const MAX_TEMPLATE: usize = 15;

/// The class before the gap that follows an element.
#[must_use]
pub fn prev_class(kind: Kind) -> usize {
    match kind {
        Kind::Tag => 0,
        Kind::Escape => 1,
        Kind::Move => 2,
        Kind::Nag => 3,
        Kind::Brace => 4,
        Kind::Line => 5,
        Kind::RavOpen => 6,
        Kind::RavClose => 7,
        Kind::Text => 8,
        Kind::Terminator => 9,
    }
}

/// The class behind the gap before an element; `num` tells White's moves from Black's, `then` is the element after it.
#[must_use]
pub fn next_class(kind: Kind, num: u32, then: Option<Kind>) -> usize {
    match kind {
        Kind::Move if num & 1 == 1 && matches!(then, Some(Kind::Nag | Kind::Brace)) => NOTED,
        Kind::Tag => 0,
        Kind::Escape => 1,
        Kind::Move => 2 + (num & 1) as usize,
        Kind::Nag => 4,
        Kind::Brace => 5,
        Kind::Line => 6,
        Kind::RavOpen => 7,
        Kind::RavClose => 8,
        Kind::Text => 9,
        Kind::Terminator => 10,
    }
}

/// Class of White's moves.
const WHITE: usize = 2;
/// Class of Black's moves.
const BLACK: usize = 3;

/// What a gap looks like: `\n` stands for the newline, `#` for the number of the full move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Template {
    len: u8,
    /// No byte of it stands for something else.
    plain: bool,
    bytes: [u8; MAX_TEMPLATE],
}

impl Template {
    /// A template of these bytes; `None` if there are too many.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Option<Template> {
        let plain = !bytes.iter().any(|b| matches!(b, b'\n' | b'#'));
        let mut template = Template { len: u8::try_from(bytes.len()).ok()?, plain, bytes: [0; MAX_TEMPLATE] };
        template.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(template)
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// The newline of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Newline {
    #[default]
    Lf,
    CrLf,
    Cr,
}

impl Newline {
    /// Its bytes.
    #[must_use]
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Newline::Lf => b"\n",
            Newline::CrLf => b"\r\n",
            Newline::Cr => b"\r",
        }
    }
}

/// Which check marks are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// None.
    Never,
    /// `+` and `#`.
    #[default]
    Standard,
    /// `+` for mate too.
    PlusOnly,
    /// `++` for mate.
    DoubleMate,
}

impl Marks {
    /// What is written where `check` belongs.
    #[must_use]
    pub fn of(self, check: Mark) -> Mark {
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
pub enum Rule {
    /// Only where the templates say so.
    #[default]
    None,
    /// Before the token that would pass this width.
    Width(u16),
    /// Before White's move, once the line is so long.
    Beyond(u16),
    /// Before White's move, when so many full moves (counted from move 1) are done.
    Every(u16),
}

/// The line-breaking rule with its details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wrap {
    /// The rule.
    pub rule: Rule,
    /// [`Rule::Width`]: only the first word of a comment must fit.
    pub first_word: bool,
    /// [`Rule::Width`]: a line may end before `)` although no blank stands there.
    pub bare_close: bool,
    /// [`Rule::Width`]: closing parentheses and glyphs that follow without a gap must fit too.
    pub sticky: bool,
    /// The blank stays before the newline.
    pub trailing: bool,
    /// It does so only if there is room for it on the line ([`Rule::Width`]).
    pub if_room: bool,
    /// [`Rule::Width`]: a line may end behind a move number although no blank stands there.
    pub bare_number: bool,
}

/// Everything that a block's layout says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// The newline.
    pub newline: Newline,
    /// Tag values are UTF-8 rather than Latin-1.
    pub utf8: bool,
    /// The check marks.
    pub marks: Marks,
    /// NAGs 1 to 6 are written as `!` and `?`.
    pub suffixes: bool,
    /// Moves are written as their squares, not as SAN.
    pub squares: bool,
    /// The order of the roster in games of the seven tags: its members (0 to 6) as they stand.
    pub roster: [u8; 7],
    /// Line breaking.
    pub wrap: Wrap,
    pub(crate) templates: [[Template; NEXTS]; PREVS],
}

impl Default for Style {
    fn default() -> Self {
        let mut templates = [[Template::default(); NEXTS]; PREVS];
        for (prev, row) in templates.iter_mut().enumerate() {
            for (next, template) in row.iter_mut().enumerate() {
                *template = Template::new(default_template(prev, next)).unwrap_or_default();
            }
        }
        Style {
            newline: Newline::Lf,
            utf8: false,
            marks: Marks::Standard,
            suffixes: false,
            squares: false,
            roster: [0, 1, 2, 3, 4, 5, 6],
            wrap: Wrap::default(),
            templates,
        }
    }
}

/// The templates of a block that says nothing else.
fn default_template(prev: usize, next: usize) -> &'static [u8] {
    const TAG: usize = 0;
    const ESCAPE: usize = 1;
    const MOVE: usize = 2;
    const LINE: usize = 5;
    const RAV_OPEN: usize = 6;
    const NEXT_RAV_CLOSE: usize = 8;
    // Without a reason of its own, a noted move looks like any other.
    let next = if next == NOTED { BLACK } else { next };
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

impl Style {
    /// The template of a gap.
    #[must_use]
    pub fn template(&self, prev: usize, next: usize) -> &Template {
        &self.templates[prev][next]
    }

    /// Sets it.
    pub fn set_template(&mut self, prev: usize, next: usize, template: Template) {
        self.templates[prev][next] = template;
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

/// Appends a number in decimal digits.
pub fn put_decimal(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a NAG as the style spells it.
pub fn put_nag(out: &mut Vec<u8>, suffixes: bool, value: u32) {
    match value {
        1 if suffixes => out.push(b'!'),
        2 if suffixes => out.push(b'?'),
        3 if suffixes => out.extend_from_slice(b"!!"),
        4 if suffixes => out.extend_from_slice(b"??"),
        5 if suffixes => out.extend_from_slice(b"!?"),
        6 if suffixes => out.extend_from_slice(b"?!"),
        _ => {
            out.push(b'$');
            put_decimal(out, u64::from(value));
        }
    }
}

/// Walks over the slots of a game and predicts its gaps. Both directions use it: packing compares, unpacking believes.
#[derive(Debug)]
pub struct Walk<'s> {
    style: &'s Style,
    /// Bytes on the line so far.
    column: usize,
    prev: usize,
    raw: Vec<u8>,
    gap: Vec<u8>,
}

impl<'s> Walk<'s> {
    /// At the beginning of a game.
    #[must_use]
    pub fn new(style: &'s Style) -> Walk<'s> {
        Walk { style, column: 0, prev: START, raw: Vec::new(), gap: Vec::new() }
    }

    /// At the beginning of the next game.
    pub fn restart(&mut self) {
        self.column = 0;
        self.prev = START;
    }

    /// The gap template ahead is empty, so that what follows `kind` sticks to it.
    #[must_use]
    pub fn sticks(&self, kind: Kind, next: Kind) -> bool {
        self.style.template(prev_class(kind), next_class(next, 0, None)).as_bytes().is_empty()
    }

    /// Whether [`Walk::gap`] wants to know the length of what follows.
    #[must_use]
    pub fn wants_word(&self) -> bool {
        matches!(self.style.wrap.rule, Rule::Width(_))
    }

    /// Predicts the gap before something of class `next` with the number `num`, which begins with a word of `word` bytes.
    pub fn gap(&mut self, next: usize, num: u32, word: usize) -> &[u8] {
        // `num` is the number of a move only for moves.
        let num = if matches!(next, WHITE | BLACK | NOTED) { num } else { 0 };
        let template = self.style.template(self.prev, next);
        if template.plain && !matches!(self.style.wrap.rule, Rule::Width(_)) && next != WHITE {
            return template.as_bytes();
        }
        self.raw.clear();
        for &byte in template.as_bytes() {
            match byte {
                b'\n' => self.raw.extend_from_slice(self.style.newline.bytes()),
                b'#' => put_decimal(&mut self.raw, u64::from(num >> 1)),
                byte => self.raw.push(byte),
            }
        }
        let wrap = self.style.wrap;
        let breaks = match wrap.rule {
            Rule::None => false,
            Rule::Width(width) => {
                if template.as_bytes().contains(&b'\n') {
                    return &self.raw;
                }
                return self.wrap_tokens(usize::from(width), next, word);
            }
            Rule::Beyond(width) => next == WHITE && self.column >= usize::from(width),
            Rule::Every(n) => {
                let done = (num >> 1).wrapping_sub(1);
                next == WHITE
                    && done > 0
                    && done.is_multiple_of(u32::from(n).max(1))
                    && self.prev != 0
                    && self.prev != START
            }
        };
        if breaks && self.raw.first() == Some(&b' ') {
            self.gap.clear();
            self.break_line(true);
            self.gap.extend_from_slice(&self.raw[1..]);
            return &self.gap;
        }
        &self.raw
    }

    fn break_line(&mut self, room: bool) {
        if self.style.wrap.trailing && (room || !self.style.wrap.if_room) {
            self.gap.push(b' ');
        }
        self.gap.extend_from_slice(self.style.newline.bytes());
    }

    /// [`Rule::Width`]: each blank of the gap becomes a newline if the token behind it does not fit.
    fn wrap_tokens(&mut self, width: usize, next: usize, word: usize) -> &[u8] {
        self.gap.clear();
        let mut column = self.column;
        if self.raw.is_empty() {
            // 8: the class of `)`
            if self.style.wrap.bare_close && next == 8 && column + 1 > width {
                // No blank of the gap could stay.
                self.gap.extend_from_slice(self.style.newline.bytes());
            }
            return &self.gap;
        }
        let bare = self.style.wrap.bare_number && self.raw.last() == Some(&b'.');
        for i in 0..self.raw.len() {
            let byte = self.raw[i];
            if byte != b' ' {
                self.gap.push(byte);
                column += 1;
                continue;
            }
            let token = match memchr::memchr(b' ', &self.raw[i + 1..]) {
                Some(n) => n,
                None if bare => self.raw.len() - i - 1,
                None => self.raw.len() - i - 1 + word,
            };
            if column + 1 + token > width {
                self.break_line(column < width);
                column = 0;
            } else {
                self.gap.push(b' ');
                column += 1;
            }
        }
        if bare && column + word > width {
            self.gap.extend_from_slice(self.style.newline.bytes());
        }
        &self.gap
    }

    /// The slots before the next gap have these bytes.
    pub fn advance(&mut self, gap: &[u8], spelling: &[u8], kind: Kind) {
        // Only these rules ask for it.
        if matches!(self.style.wrap.rule, Rule::Width(_) | Rule::Beyond(_)) {
            self.column = column_after(column_after(self.column, gap), spelling);
        }
        self.prev = prev_class(kind);
    }

    /// Length of the part of a spelling that must fit on the line.
    #[must_use]
    pub fn word(&self, kind: Kind, spelling: &[u8]) -> usize {
        match kind {
            Kind::Brace if self.style.wrap.first_word => {
                memchr::memchr3(b' ', b'\n', b'\r', spelling).unwrap_or(spelling.len())
            }
            Kind::Brace | Kind::Text => memchr::memchr2(b'\n', b'\r', spelling).unwrap_or(spelling.len()),
            _ => spelling.len(),
        }
    }
}

/// The column behind `bytes` that begin at `column`.
#[must_use]
pub fn column_after(column: usize, bytes: &[u8]) -> usize {
    match memchr::memrchr2(b'\n', b'\r', bytes) {
        Some(i) => bytes.len() - i - 1,
        None => column + bytes.len(),
    }
}

/// [`sticky_tail`] looks at so many elements: a bound, so that a long row of glyphs is not walked again for each.
const STICKY: usize = 16;

/// Length of what sticks to a word and must fit on its line with it: parentheses that close, and glyphs.
#[must_use]
pub fn sticky_tail(walk: &Walk<'_>, kind: Kind, rest: impl Iterator<Item = (Kind, u32)>) -> usize {
    let wrap = walk.style.wrap;
    if !wrap.sticky {
        return 0;
    }
    let mut prev = kind;
    let mut len = 0;
    for (kind, num) in rest.take(STICKY) {
        if !walk.sticks(prev, kind) {
            break;
        }
        len += match kind {
            Kind::RavClose if !wrap.bare_close => 1,
            Kind::Nag if walk.style.suffixes && (1..=6).contains(&num) => 1 + usize::from(num > 2),
            _ => break,
        };
        prev = kind;
    }
    len
}
