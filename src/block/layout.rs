//! Predicts the slots of a game from the [`Style`] of its block (spec/extension.md section 9).

use crate::spelled::put_digits;
pub(crate) use crate::style::{BLACK, CLOSE, WHITE};
pub use crate::style::{
    BLACK_ANNOTATED, BreakRule, END, Marks, NEXTS, PREVS, START, Style, Wrap, next_class,
    prev_class,
};
pub(crate) use crate::template::{Decimal, MAX_TEMPLATE, Newline, Short, Template};
use pgc_pgn::game::{Elem, ElemKind, Gap};

/// Appends a NAG as the style spells it.
pub(crate) fn put_nag(out: &mut Vec<u8>, suffixes: bool, value: u32) {
    const SUFFIXES: [&[u8]; 7] = [b"", b"!", b"?", b"!!", b"??", b"!?", b"?!"];
    match SUFFIXES.get(value as usize) {
        Some(suffix) if suffixes && value > 0 => out.extend_from_slice(suffix),
        _ => {
            out.push(b'$');
            put_digits(out, value.into());
        }
    }
}

/// The place of a gap, as far as that decides its template and the number in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GapPlace<'s> {
    style: &'s Style,
    /// The class before the gap.
    prev: usize,
    /// The number of the last gap that had one.
    number: Decimal,
}

impl<'s> GapPlace<'s> {
    fn new(style: &'s Style) -> GapPlace<'s> {
        GapPlace {
            style,
            prev: START,
            number: Decimal::ZERO,
        }
    }

    /// The template of the gap before an element of class `next` with the number `num`. Sets
    /// `self.number`, if the template has a number.
    #[inline(always)]
    fn template(&mut self, next: usize, num: u32) -> &'s Template {
        let template = self.style.template(self.prev, next);
        if template.has_number() {
            // `num` is a move number only for moves.
            let is_move = matches!(next, WHITE | BLACK | BLACK_ANNOTATED);
            self.number.set(if is_move { num >> 1 } else { 0 });
        }
        template
    }

    /// Whether the gap from `start` to this element of class `next` is predicted and unbroken.
    /// `has_room`: no rule can break the line here. `false` also if only a closer look can tell.
    #[inline(always)]
    pub(crate) fn is_plain(
        &mut self,
        src: &[u8],
        start: usize,
        elem: &Elem,
        next: usize,
        has_room: bool,
    ) -> bool {
        let gap = self.style.template(self.prev, next).gap;
        if has_room && gap == elem.gap && gap != Gap::Any {
            return true;
        }
        let template = self.template(next, elem.num);
        (has_room || template.breaks && matches!(self.style.wrap.rule, BreakRule::Width(_)))
            && template
                .made(&self.number)
                .is_some_and(|made| made.is_at(src, start, elem.start as usize))
    }

    /// Advances over an element of this kind: the next gap follows it.
    #[inline(always)]
    pub(crate) fn follow(&mut self, kind: ElemKind) {
        self.prev = prev_class(kind);
    }
}

/// Goes over the slots of a game and predicts its gaps. Packing compares the source with the
/// predictions; unpacking writes them.
pub(crate) struct Walk<'s> {
    style: &'s Style,
    /// The part that does not depend on the line.
    pub place: GapPlace<'s>,
    /// How many bytes of the line stand before the gap.
    pub column: usize,
}

impl<'s> Walk<'s> {
    /// At the beginning of a game.
    pub(crate) fn new(style: &'s Style) -> Walk<'s> {
        Walk {
            style,
            place: GapPlace::new(style),
            column: 0,
        }
    }

    /// Whether the template of the gap between the two kinds is empty, so that the second element
    /// sticks to the first.
    pub(crate) fn sticks(&self, kind: ElemKind, next: ElemKind) -> bool {
        let (prev, next) = (prev_class(kind), next_class(next, 0, None));
        self.style.template(prev, next).as_bytes().is_empty()
    }

    /// Whether a gap depends on the length of the element behind it.
    pub(crate) fn wants_word(&self) -> bool {
        matches!(self.style.wrap.rule, BreakRule::Width(_))
    }

    /// Whether the gap before an element of class `next` depends on the length of that element.
    #[inline]
    pub(crate) fn wants_word_of(&self, next: usize) -> bool {
        self.wants_word() && !self.style.template(self.place.prev, next).breaks
    }

    /// Whether a gap depends on where in its line it begins.
    #[inline]
    pub(crate) fn wants_column(&self) -> bool {
        let rule = self.style.wrap.rule;
        matches!(rule, BreakRule::Width(_) | BreakRule::Beyond(_))
    }

    /// The greatest column of a gap ([`BreakRule::Beyond`]), or of the end of the element behind it, at
    /// which no rule breaks the line there: for moves of White, and for all other elements.
    pub(crate) fn room(&self) -> [usize; 2] {
        match self.style.wrap.rule {
            BreakRule::None => [usize::MAX; 2],
            BreakRule::Width(width) => {
                let sticky = usize::from(self.style.wrap.sticky) * MAX_STICKY;
                [usize::from(width).saturating_sub(sticky); 2]
            }
            BreakRule::Beyond(width) => [usize::from(width).saturating_sub(1), usize::MAX],
            // This rule does not depend on the column.
            BreakRule::Every(_) => [0, usize::MAX],
        }
    }

    /// Whether `start..end` is the gap that is predicted before an element of class `next` with the
    /// number `num`, which begins with a word of `word` bytes.
    #[inline]
    pub(crate) fn predicts(
        &mut self,
        src: &[u8],
        start: usize,
        end: usize,
        next: usize,
        num: u32,
        word: usize,
    ) -> bool {
        let template = self.place.template(next, num);
        if self.is_unbroken(template, next, num, word) {
            return template.makes(src, start, end, &self.place.number);
        }
        self.breaks_as(src, start, end, template, next, word)
    }

    #[inline(never)]
    fn breaks_as(
        &self,
        src: &[u8],
        start: usize,
        end: usize,
        template: &Template,
        next: usize,
        word: usize,
    ) -> bool {
        if let Some(broken) = self.broken(template) {
            return broken.is_at(src, start, end);
        }
        let mut predicted = Vec::new();
        self.put_broken(&mut predicted, template, next, word);
        predicted == src[start..end]
    }

    /// The gap in which the rule breaks the line, in the usual case: a newline for the first blank.
    fn broken(&self, template: &Template) -> Option<Short> {
        let wrap = self.style.wrap;
        let room = match wrap.rule {
            BreakRule::Width(_) if wrap.bare_number || !template.has_one_blank() => return None,
            BreakRule::Width(width) => self.column < usize::from(width),
            _ => true,
        };
        let blank = wrap.trailing && (room || !wrap.if_room);
        let newline = Short::spelled(if blank { b" \n" } else { b"\n" }, self.style.newline)?;
        template.broken(newline, &self.place.number)
    }

    /// Appends the gap that is predicted before an element of class `next` with the number `num`,
    /// which begins with a word of `word` bytes, and advances over it.
    #[inline(always)]
    pub(crate) fn put_gap(&mut self, out: &mut Vec<u8>, next: usize, num: u32, word: usize) {
        match self.plain_gap(next, num, word) {
            Some(gap) => gap.put(out),
            None => self.put_odd_gap(out, next, num, word),
        }
    }

    /// The fast path of [`Walk::put_gap`]: returns the gap and advances over it, if no rule breaks
    /// it and it is short. `None`: the walk has not moved.
    #[inline(always)]
    pub(crate) fn plain_gap(&mut self, next: usize, num: u32, word: usize) -> Option<Short> {
        let template = self.place.template(next, num);
        if !self.is_unbroken(template, next, num, word) {
            return None;
        }
        let gap = template.made(&self.place.number)?;
        let (bytes, len) = gap.word();
        if template.ends_line {
            self.pass(&bytes.to_le_bytes()[..len]);
        } else {
            self.column += len;
        }
        Some(gap)
    }

    #[inline(never)]
    fn put_odd_gap(&mut self, out: &mut Vec<u8>, next: usize, num: u32, word: usize) {
        let template = self.place.template(next, num);
        let begin = out.len();
        if self.is_unbroken(template, next, num, word) {
            template.put(out, &self.place.number);
        } else {
            self.put_broken(out, template, next, word);
        }
        self.pass(&out[begin..]);
    }

    /// Whether no rule breaks the gap, so that it is what its template makes.
    #[inline]
    fn is_unbroken(&self, template: &Template, next: usize, num: u32, word: usize) -> bool {
        let breaks = match self.style.wrap.rule {
            BreakRule::None => false,
            BreakRule::Width(width) => {
                let gap = template.made_len(&self.place.number);
                !template.breaks && self.column + gap + word > usize::from(width)
            }
            BreakRule::Beyond(width) => next == WHITE && self.column >= usize::from(width),
            BreakRule::Every(n) => {
                let done = (num >> 1).wrapping_sub(1);
                next == WHITE
                    && done > 0
                    && done.is_multiple_of(u32::from(n).max(1))
                    && !self.is_behind_tag()
                    && self.place.prev != START
            }
        };
        !breaks
    }

    /// Appends a gap in which the rule may break the line.
    #[inline(never)]
    fn put_broken(&self, out: &mut Vec<u8>, template: &Template, next: usize, word: usize) {
        if let Some(broken) = self.broken(template) {
            return broken.put(out);
        }
        if let BreakRule::Width(width) = self.style.wrap.rule {
            return self.wrap_tokens(out, template, usize::from(width), next, word);
        }
        if template.blank_first {
            self.break_line(out, true);
        }
        let at = out.len();
        template.put(out, &self.place.number);
        if template.blank_first {
            // The newline stands for the first blank.
            out.remove(at);
        }
    }

    fn break_line(&self, out: &mut Vec<u8>, room: bool) {
        if self.style.wrap.trailing && (room || !self.style.wrap.if_room) {
            out.push(b' ');
        }
        out.extend_from_slice(self.style.newline.bytes());
    }

    /// [`BreakRule::Width`]: each blank of the gap becomes a newline if the token behind it does not
    /// fit.
    fn wrap_tokens(
        &self,
        out: &mut Vec<u8>,
        template: &Template,
        width: usize,
        next: usize,
        word: usize,
    ) {
        let mut raw = Vec::new();
        template.put(&mut raw, &self.place.number);
        let mut column = self.column;
        // The gap has no blank at which the line could end.
        if raw.is_empty() && self.style.wrap.bare_close && next == CLOSE && column + 1 > width {
            out.extend_from_slice(self.style.newline.bytes());
        }
        let bare = self.style.wrap.bare_number && raw.last() == Some(&b'.');
        for (i, &byte) in raw.iter().enumerate() {
            if byte != b' ' {
                out.push(byte);
                column += 1;
                continue;
            }
            let last = raw.len() - i - 1 + if bare { 0 } else { word };
            let token = memchr::memchr(b' ', &raw[i + 1..]).unwrap_or(last);
            if column + 1 + token > width {
                self.break_line(out, column < width);
                column = 0;
            } else {
                out.push(b' ');
                column += 1;
            }
        }
        if bare && column + word > width {
            out.extend_from_slice(self.style.newline.bytes());
        }
    }

    /// Advances over a gap of these bytes.
    pub(crate) fn pass(&mut self, gap: &[u8]) {
        if self.wants_column() {
            self.column = column_after_few(self.column, gap);
        }
    }

    /// Advances over an element with this spelling.
    #[inline]
    pub(crate) fn advance(&mut self, spelling: &[u8], kind: ElemKind) {
        if self.wants_column() {
            // A layout may spell anything with a line end in it.
            self.column = column_after_few(self.column, spelling);
        }
        self.place.follow(kind);
    }

    /// Advances over a move with the predicted spelling, `len` bytes without a line end.
    #[inline]
    pub(crate) fn advance_move(&mut self, len: usize) {
        self.column += len;
        self.place.follow(ElemKind::Move);
    }

    /// Whether the gap follows a tag pair.
    pub(crate) fn is_behind_tag(&self) -> bool {
        self.place.prev == prev_class(ElemKind::Tag)
    }

    /// Length of the part of a spelling that must fit on the line.
    pub(crate) fn word(&self, kind: ElemKind, spelling: &[u8]) -> usize {
        word_len(kind, spelling, self.style.wrap.first_word)
    }

    /// Length of the gap before an element of class `next` with the number `num`, where no rule
    /// breaks it and no newline is in it.
    pub(crate) fn unbroken_len(&mut self, next: usize, num: u32) -> usize {
        self.place.template(next, num).made_len(&self.place.number)
    }

    /// Moves to a gap that stands behind an element of class `prev`, at this column.
    pub(crate) fn stand(&mut self, prev: usize, column: usize) {
        (self.place.prev, self.column) = (prev, column);
    }

    /// Whether the rule may break the line in the gap.
    #[inline]
    pub(crate) fn breaks(&mut self, next: usize, num: u32, word: usize) -> bool {
        let template = self.place.template(next, num);
        !self.is_unbroken(template, next, num, word)
    }
}

/// Length of the part of a spelling that must fit on a line; of a comment perhaps its first word.
pub(crate) fn word_len(kind: ElemKind, spelling: &[u8], first_word: bool) -> usize {
    let end = match kind {
        ElemKind::Brace if first_word => memchr::memchr3(b' ', b'\n', b'\r', spelling),
        ElemKind::Brace | ElemKind::Text => memchr::memchr2(b'\n', b'\r', spelling),
        _ => None,
    };
    end.unwrap_or(spelling.len())
}

/// The column behind `bytes` that begin at `column`.
pub(crate) fn column_after(column: usize, bytes: &[u8]) -> usize {
    match memchr::memrchr2(b'\n', b'\r', bytes) {
        Some(i) => bytes.len() - i - 1,
        None => column + bytes.len(),
    }
}

/// [`column_after`], fast for few bytes.
#[inline]
pub(crate) fn column_after_few(column: usize, bytes: &[u8]) -> usize {
    if bytes.len() > 16 {
        return column_after(column, bytes);
    }
    match bytes.iter().rposition(|b| matches!(b, b'\n' | b'\r')) {
        Some(i) => bytes.len() - i - 1,
        None => column + bytes.len(),
    }
}

/// The most elements that [`sticky_tail`] examines, so that a long row of glyphs is not examined
/// again for each of them.
const STICKY: usize = 16;
/// The greatest length that [`sticky_tail`] returns.
pub(crate) const MAX_STICKY: usize = 2 * STICKY;

/// Length of the closing parentheses and glyphs that stick to a word and must fit on its line.
pub(crate) fn sticky_tail(walk: &Walk<'_>, kind: ElemKind, rest: &[Elem]) -> usize {
    let wrap = walk.style.wrap;
    if !wrap.sticky {
        return 0;
    }
    let mut prev = kind;
    let mut len = 0;
    for &Elem { kind, num, .. } in rest.iter().take(STICKY) {
        if !walk.sticks(prev, kind) {
            break;
        }
        len += match kind {
            ElemKind::RavClose if !wrap.bare_close => 1,
            ElemKind::Nag if walk.style.suffixes && (1..=2).contains(&num) => 1,
            ElemKind::Nag if walk.style.suffixes && (3..=6).contains(&num) => 2,
            _ => break,
        };
        prev = kind;
    }
    len
}
