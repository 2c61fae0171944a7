//! Templates of gaps, and the gaps that they make: short texts, compared and appended as numbers.

use std::slice;

use crate::num::put_word;
use pgc_pgn::game::Gap;

/// The most bytes of a gap template.
pub const MAX_TEMPLATE: usize = 15;

/// The newline of a source. In the order of their numbers in a block head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Newline {
    #[default]
    Lf,
    CrLf,
    Cr,
}

impl Newline {
    /// The bytes.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            Newline::Lf => b"\n",
            Newline::CrLf => b"\r\n",
            Newline::Cr => b"\r",
        }
    }
}

/// For each length, a mask of the low bytes.
static MASKS: [u64; 16] = {
    let mut masks = [u64::MAX; 16];
    let mut len = 0;
    while len < 8 {
        masks[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    masks
};

/// At most eight bytes, as one number with the first byte lowest. Those behind the end are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Short {
    bits: u64,
    len: u32,
}

impl Short {
    /// The most bytes.
    const MAX: usize = size_of::<u64>();

    /// Makes one of these bytes, newlines spelled out; `None` if they are too many.
    pub(crate) fn spelled(bytes: &[u8], newline: Newline) -> Option<Short> {
        let mut short = Short::default();
        for byte in bytes {
            let spelled = match byte {
                b'\n' => newline.bytes(),
                byte => slice::from_ref(byte),
            };
            for &byte in spelled {
                short = (short.len() < Short::MAX).then(|| short.then(Short::one(byte)))?;
            }
        }
        Some(short)
    }

    /// The digits of a number, which must have eight at most.
    const fn digits(value: u32) -> Short {
        let mut short = Short {
            bits: b'0' as u64 + value as u64 % 10,
            len: 1,
        };
        let mut rest = value / 10;
        while rest > 0 {
            short = Short {
                bits: short.bits << 8 | (b'0' as u64 + rest as u64 % 10),
                len: short.len + 1,
            };
            rest /= 10;
        }
        short
    }

    #[inline]
    fn one(byte: u8) -> Short {
        Short {
            bits: u64::from(byte),
            len: 1,
        }
    }

    #[inline]
    pub(crate) fn len(self) -> usize {
        self.len as usize
    }

    /// Both together; the result must not be too long.
    #[inline(always)]
    fn then(self, other: Short) -> Short {
        // Behind eight bytes only an empty text can follow, whose zeros any shift leaves as they
        // are.
        Short {
            bits: self.bits | other.bits.wrapping_shl(8 * self.len),
            len: self.len + other.len,
        }
    }

    /// All but the first byte, which must be there.
    fn without_first(self) -> Short {
        Short {
            bits: self.bits >> 8,
            len: self.len - 1,
        }
    }

    /// Whether these bytes stand at `start..end`.
    #[inline(always)]
    pub(crate) fn is_at(self, src: &[u8], start: usize, end: usize) -> bool {
        if end - start != self.len() {
            return false;
        }
        match src.get(start..).and_then(<[u8]>::first_chunk) {
            Some(window) => (u64::from_le_bytes(*window) ^ self.bits) & MASKS[self.len() & 15] == 0,
            None => self.bits.to_le_bytes()[..self.len()] == src[start..end],
        }
    }

    /// The bytes as the low bytes of a word, and their number.
    #[inline(always)]
    pub(crate) fn word(self) -> (u64, usize) {
        (self.bits, self.len())
    }

    /// Appends the bytes.
    #[inline]
    pub(crate) fn put(self, out: &mut Vec<u8>) {
        put_word(out, self.bits, self.len());
    }
}

/// The numbers of nearly all moves.
static SMALL: [Short; 128] = {
    let mut small = [Short { bits: 0, len: 0 }; 128];
    let mut value = 0;
    while value < 128 {
        small[value as usize] = Short::digits(value);
        value += 1;
    }
    small
};

/// A number in decimal digits. Gaps of neighbouring moves want the same one, so it is made once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal {
    pub value: u32,
    /// How many digits it has.
    len: u32,
    /// The digits, if there are eight at most.
    digits: Short,
}

impl Decimal {
    /// 0.
    pub(crate) const ZERO: Decimal = Decimal {
        value: 0,
        len: 1,
        digits: Short::digits(0),
    };

    /// The first number with nine digits.
    const SHORT: u32 = 100_000_000;

    /// Changes the number.
    #[inline(always)]
    pub(crate) fn set(&mut self, value: u32) {
        if self.value == value {
            return;
        }
        self.value = value;
        match SMALL.get(value as usize) {
            Some(&digits) => (self.digits, self.len) = (digits, digits.len),
            None => self.make(),
        }
    }

    #[inline(never)]
    fn make(&mut self) {
        self.digits = Short::digits(self.value % Decimal::SHORT);
        self.len = self.value.ilog10() + 1;
    }

    /// How many digits it has.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// Appends it.
    #[inline]
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        if self.value < Decimal::SHORT {
            self.digits.put(out);
        } else {
            out.extend_from_slice(self.value.to_string().as_bytes());
        }
    }

    /// What follows the number in `text`, if `text` begins with it.
    pub(crate) fn strip<'a>(&self, text: &'a [u8]) -> Option<&'a [u8]> {
        if self.value < Decimal::SHORT {
            text.strip_prefix(&self.digits.bits.to_le_bytes()[..self.digits.len()])
        } else {
            text.strip_prefix(self.value.to_string().as_bytes())
        }
    }
}

/// The form of a gap: `\n` stands for the newline, `#` for the number of the full move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Template {
    len: u8,
    bytes: [u8; MAX_TEMPLATE],
    newline: Newline,
    /// How many of its bytes stand for a number.
    numbers: u8,
    /// One of its bytes stands for the newline.
    pub(crate) breaks: bool,
    /// One of its bytes stands for the newline, or is a CR of its own: the column begins again.
    pub(crate) ends_line: bool,
    /// The bytes before the only number, or all if there is none, and the bytes behind it; newlines
    /// spelled out.
    head: Short,
    tail: Short,
    /// The length of both, or 255 if they are not the whole template.
    fixed: u8,
    /// How many of its bytes are blanks, and whether the first byte is one.
    blanks: u8,
    pub(crate) blank_first: bool,
    /// The gap that it makes, if a reader knows it.
    pub(crate) gap: Gap,
}

impl Template {
    /// A template of these bytes; `None` if there are too many.
    pub fn new(bytes: &[u8], newline: Newline) -> Option<Template> {
        let mut template = Template {
            len: u8::try_from(bytes.len()).ok()?,
            newline,
            numbers: u8::try_from(bytes.iter().filter(|&&b| b == b'#').count()).ok()?,
            breaks: bytes.contains(&b'\n'),
            ends_line: bytes.iter().any(|b| matches!(b, b'\n' | b'\r')),
            blanks: u8::try_from(bytes.iter().filter(|&&b| b == b' ').count()).ok()?,
            blank_first: bytes.first() == Some(&b' '),
            gap: Gap::from_template(bytes),
            ..Template::default()
        };
        let own_bytes = template.bytes.get_mut(..bytes.len())?;
        own_bytes.copy_from_slice(bytes);
        let mut parts = bytes.split(|&b| b == b'#');
        let [head, tail] = [(); 2].map(|()| Short::spelled(parts.next().unwrap_or(b""), newline));
        template.fixed = u8::MAX;
        if let (Some(head), Some(tail), None) = (head, tail, parts.next()) {
            (template.head, template.tail) = (head, tail);
            template.fixed = u8::try_from(head.len() + tail.len()).ok()?;
        }
        Some(template)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Whether it has a number.
    #[inline]
    pub(crate) fn has_number(&self) -> bool {
        self.numbers > 0
    }

    /// Length of the gap that it makes, if it has no newline.
    #[inline]
    pub(crate) fn made_len(&self, number: &Decimal) -> usize {
        usize::from(self.len) + usize::from(self.numbers) * (number.len() - 1)
    }

    /// The gap that it makes, in the usual case: one number at most, and short.
    #[inline(always)]
    pub(crate) fn made(&self, number: &Decimal) -> Option<Short> {
        let fixed = usize::from(self.fixed);
        if self.numbers == 0 {
            (fixed <= Short::MAX).then_some(self.head)
        } else {
            let is_short = fixed + number.len() <= Short::MAX;
            is_short.then(|| self.head.then(number.digits).then(self.tail))
        }
    }

    /// The gap that it makes if the blank at its beginning becomes `newline`; in the usual case, as
    /// [`Template::made`].
    pub(crate) fn broken(&self, newline: Short, number: &Decimal) -> Option<Short> {
        if !self.blank_first {
            return None;
        }
        let rest = self.made(number)?.without_first();
        (newline.len() + rest.len() <= Short::MAX).then(|| newline.then(rest))
    }

    /// Whether its only blank is its first byte.
    pub(crate) fn has_one_blank(&self) -> bool {
        self.blank_first && self.blanks == 1
    }

    /// Whether `start..end` is the gap that it makes with this number.
    #[inline(always)]
    pub(crate) fn makes(&self, src: &[u8], start: usize, end: usize, number: &Decimal) -> bool {
        match self.made(number) {
            Some(made) => made.is_at(src, start, end),
            None => self.makes_bytewise(&src[start..end], number),
        }
    }

    #[inline(never)]
    fn makes_bytewise(&self, gap: &[u8], number: &Decimal) -> bool {
        let mut bytes = self.as_bytes().iter();
        let rest = bytes.try_fold(gap, |rest, byte| match byte {
            b'#' => number.strip(rest),
            b'\n' => rest.strip_prefix(self.newline.bytes()),
            byte => rest.strip_prefix(slice::from_ref(byte)),
        });
        rest.is_some_and(<[u8]>::is_empty)
    }

    /// Appends the gap that it makes.
    #[inline]
    pub(crate) fn put(&self, out: &mut Vec<u8>, number: &Decimal) {
        match self.made(number) {
            Some(made) => made.put(out),
            None => self.put_bytewise(out, number),
        }
    }

    #[inline(never)]
    fn put_bytewise(&self, out: &mut Vec<u8>, number: &Decimal) {
        for &byte in self.as_bytes() {
            match byte {
                b'\n' => out.extend_from_slice(self.newline.bytes()),
                b'#' => number.put(out),
                byte => out.push(byte),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_their_digits_however_they_are_reached() {
        let mut number = Decimal::ZERO;
        let steps = (0..12_345).chain([
            7,
            8,
            99_999_998,
            99_999_999,
            100_000_000,
            100_000_001,
            9,
            10,
            u32::MAX,
            0,
            1,
        ]);
        for value in steps {
            number.set(value);
            let mut out = Vec::new();
            number.put(&mut out);
            assert_eq!(out, value.to_string().as_bytes());
            assert_eq!(number.len(), out.len());
            assert_eq!(number.strip(&out), Some(&b""[..]));
        }
    }

    #[test]
    fn a_template_makes_what_its_bytes_say() {
        let newlines = [Newline::Lf, Newline::CrLf, Newline::Cr];
        let texts: [&[u8]; 9] = [
            b"",
            b" ",
            b" #. ",
            b"\n\n#. ",
            b"\n\n\n\n\n",
            b"#",
            b"##",
            b" #..... ",
            b"...............)",
        ];
        for (newline, text) in newlines
            .iter()
            .flat_map(|&newline| texts.map(|text| (newline, text)))
        {
            let Some(template) = Template::new(text, newline) else {
                assert!(text.len() > MAX_TEMPLATE);
                continue;
            };
            let mut number = Decimal::ZERO;
            for value in [0, 9, 10, 11, 123, 99_999, 123_456_789] {
                number.set(value);
                let spelled = newline.bytes().escape_ascii().to_string();
                let text = text
                    .escape_ascii()
                    .to_string()
                    .replace("\\n", "~")
                    .replace('#', &value.to_string());
                let text = text.replace('~', &spelled.replace("\\r", "\r").replace("\\n", "\n"));
                let mut out = Vec::new();
                template.put(&mut out, &number);
                assert_eq!(out, text.as_bytes());
                for after in [&b""[..], b"e4 e5 2. Nf3"] {
                    let src = [b"xx", text.as_bytes(), after].concat();
                    let end = 2 + text.len();
                    assert!(template.makes(&src, 2, end, &number));
                    assert!(!template.makes(&src, 1, end, &number));
                    assert!(after.is_empty() || !template.makes(&src, 2, end + 1, &number));
                }
            }
        }
    }
}
