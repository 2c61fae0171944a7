//! Comments with commands, such as `[%clk 0:01:00]`, stored as values instead of text
//! (spec/extension.md 8.2).
//!
//! A *shape* is the text of a comment in which values are holes: `" [%eval \x02] [%clk \x01] "`. A
//! value counts as one only if decoding would spell it the same way.

use std::ops::Range;

use crate::num::{
    at32, num_word, put_num, put_str, put_word, take_num, take_str, unzigzag, zigzag,
};
use crate::pieces::put_pieces;
pub(crate) use crate::spelled::Eval;
use crate::spelled::{
    TEN_HOURS, TIME_LEN, hundredths_word, put_digits, put_hundredths, put_thousandths, put_time,
    quick_pawns, quick_time, take_decimal, take_eval, take_time, time_word, word_at,
};

/// The kinds of holes. No other bytes of a shape have these codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Hole {
    /// `H:MM:SS`, perhaps with a tenth, as the difference to an earlier one.
    Clock = 1,
    /// Pawns or mate.
    Eval = 2,
    /// `H:MM:SS` as it is.
    Duration = 3,
    /// A number with one to three decimals.
    Decimal = 4,
    /// Any text.
    Text = 5,
}

impl Hole {
    pub(crate) fn from_byte(byte: u8) -> Option<Hole> {
        use Hole::{Clock, Decimal, Duration, Eval, Text};
        let mut all = [Clock, Eval, Duration, Decimal, Text].into_iter();
        all.find(|&hole| hole as u8 == byte)
    }
}

/// First byte of a shape whose clocks count tenths of a second.
pub(crate) const TENTHS: u8 = 6;

/// Decoded clocks, evaluations and durations are below this, so that no sum overflows. So are all
/// that a comment can spell: their first number has at most eight digits.
const MAX_VALUE: u64 = 1 << 44;

/// The value in a hole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Tenths of a second.
    Clock(u64),
    /// Pawns or mate.
    Eval(Eval),
    /// Seconds.
    Duration(u64),
    /// Thousandths.
    Decimal(u64),
    /// The place of the text in the comment.
    Text(Range<u32>),
}

/// What the values of a game so far predict about the next ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Predictions {
    /// The last clock but one and the last one, in tenths of a second. Both are the same clock
    /// while there is only one, and 0 before the first.
    clocks: [u64; 2],
    has_clock: bool,
    pawns: i64,
}

impl Predictions {
    #[inline]
    fn saw_clock(&mut self, tenths: u64) {
        let [_, last] = self.clocks;
        self.clocks = [if self.has_clock { last } else { tenths }, tenths];
        self.has_clock = true;
    }

    #[inline(always)]
    fn put_clock(&mut self, out: &mut Vec<u8>, time: u64, in_tenths: bool) {
        let [time_in, predicted] = match in_tenths {
            true => [time, self.clocks[0]],
            false => [time / 10, self.clocks[0] / 10],
        };
        put_num(out, zigzag(time_in.cast_signed() - predicted.cast_signed()));
        self.saw_clock(time);
    }

    #[inline(always)]
    fn put_eval(&mut self, out: &mut Vec<u8>, eval: Eval) {
        match eval {
            Eval::Pawns(pawns) => {
                put_num(out, zigzag(pawns - self.pawns) + 1);
                self.pawns = pawns;
            }
            Eval::Mate(moves) => {
                put_num(out, 0);
                put_num(out, zigzag(moves));
            }
        }
    }
}

/// Reads a command that has a hole.
fn take_command(src: &mut &[u8]) -> Option<(&'static [u8], Hole, Value, bool)> {
    let names: [&'static [u8]; 3] = [b"[%clk ", b"[%eval ", b"[%emt "];
    let name = names.into_iter().find(|name| src.starts_with(name))?;
    *src = &src[name.len()..];
    let mut time = *src;
    let (hole, value, tenths) = match name {
        b"[%eval " => (Hole::Eval, Value::Eval(take_eval(src)?), false),
        b"[%clk " => {
            let (time, tenths) = take_time(src)?;
            (Hole::Clock, Value::Clock(time), tenths)
        }
        _ => match take_time(&mut time) {
            Some((tenths, false)) => {
                *src = time;
                (Hole::Duration, Value::Duration(tenths / 10), false)
            }
            _ => (Hole::Decimal, Value::Decimal(take_decimal(src, 3)?), false),
        },
    };
    *src = src.strip_prefix(b"]")?;
    Some((name, hole, value, tenths))
}

/// Up to eight bytes of a shape, and the hole behind them, if one is there.
#[derive(Clone, Copy, Debug)]
struct PatternPart {
    literal: u64,
    /// Ones where `literal` has bytes.
    mask: u64,
    len: usize,
    hole: Option<Hole>,
}

impl PatternPart {
    fn new(literal: &[u8], hole: Option<Hole>) -> PatternPart {
        let len = literal.len().min(8);
        let (mut bytes, mut mask) = ([0; 8], [0; 8]);
        bytes[..len].copy_from_slice(&literal[..len]);
        mask[..len].fill(0xff);
        PatternPart {
            literal: u64::from_le_bytes(bytes),
            mask: u64::from_le_bytes(mask),
            len,
            hole,
        }
    }

    /// Whether the literal begins `src`.
    #[inline]
    fn begins(&self, src: &[u8]) -> bool {
        word_at(src, 0).is_some_and(|word| (word ^ self.literal) & self.mask == 0)
    }
}

/// A shape, prepared to take comments apart and to put them together.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    parts: Vec<PatternPart>,
    /// The clocks count tenths of a second.
    tenths: bool,
    /// Has free text, whose end only a search can find, or no hole at all: [`Pattern::take_fields`]
    /// does not recognise such comments.
    pub(crate) needs_search: bool,
}

impl Pattern {
    /// Prepares this shape.
    pub fn new(shape: &[u8]) -> Pattern {
        let rest = shape.strip_prefix(&[TENTHS]).unwrap_or(shape);
        let tenths = rest.len() < shape.len();
        let mut parts = Vec::new();
        let mut put = |mut literal: &[u8], hole| {
            while literal.len() > 8 {
                parts.push(PatternPart::new(&literal[..8], None));
                literal = &literal[8..];
            }
            parts.push(PatternPart::new(literal, hole));
        };
        let mut begin = 0;
        for (at, &byte) in rest.iter().enumerate() {
            if let Some(hole) = Hole::from_byte(byte) {
                put(&rest[begin..at], Some(hole));
                begin = at + 1;
            }
        }
        put(&rest[begin..], None);
        let needs_search = begin == 0 || rest.contains(&(Hole::Text as u8));
        Pattern {
            parts,
            tenths,
            needs_search,
        }
    }

    /// Appends the fields of a comment of this shape, the first `len` bytes of `src`, as [`parse`]
    /// and [`put_fields`] would. `false`, and nothing has changed: it may have another shape.
    #[inline(never)]
    pub(crate) fn take_fields(
        &self,
        src: &[u8],
        len: usize,
        fields: &mut Vec<u8>,
        seen: &mut Predictions,
    ) -> bool {
        if self.take_usual(src, len, fields, seen).is_some() {
            return true;
        }
        let (before, mut now) = (fields.len(), *seen);
        if !self.needs_search && self.follow(src, len, fields, &mut now).is_some() {
            *seen = now;
            return true;
        }
        fields.truncate(before);
        false
    }

    /// Does so for the usual comments of Lichess, a clock in seconds or an evaluation in pawns and a
    /// clock, without a loop. `None`, and nothing has changed: it may be another one.
    #[inline(always)]
    fn take_usual(
        &self,
        src: &[u8],
        len: usize,
        fields: &mut Vec<u8>,
        seen: &mut Predictions,
    ) -> Option<()> {
        let (mut parts, mut rest) = (self.parts.as_slice(), src);
        let (mut pawns, mut field, mut field_len) = (seen.pawns, 0, 0);
        if let [eval, behind @ ..] = parts
            && eval.hole == Some(Hole::Eval)
            && eval.begins(rest)
        {
            let (value, value_len) = quick_pawns(word_at(rest, eval.len)?)?;
            (parts, rest) = (behind, &rest[eval.len + value_len..]);
            (field, field_len) = num_word(zigzag(value - pawns) + 1)?;
            pawns = value;
        }
        let [clock, end] = parts else { return None };
        if clock.hole != Some(Hole::Clock) || end.hole.is_some() || !clock.begins(rest) {
            return None;
        }
        let seconds = quick_time(word_at(rest, clock.len)?)?;
        rest = &rest[clock.len + TIME_LEN..];
        if self.tenths || !end.begins(rest) || src.len() - rest.len() + end.len != len {
            return None;
        }
        let predicted = (seen.clocks[0] / 10).cast_signed();
        let (word, word_len) = num_word(zigzag(seconds.cast_signed() - predicted))?;
        put_word(
            fields,
            field | word << (8 * field_len),
            field_len + word_len,
        );
        seen.pawns = pawns;
        seen.saw_clock(seconds * 10);
        Some(())
    }

    /// Reads eight bytes even where fewer belong to the comment; the last line checks that the
    /// comment ends where it should.
    #[inline(always)]
    fn follow(
        &self,
        src: &[u8],
        len: usize,
        fields: &mut Vec<u8>,
        seen: &mut Predictions,
    ) -> Option<()> {
        let (mut rest, mut tenth) = (src, false);
        for part in &self.parts {
            rest = rest.get(part.len..).filter(|_| part.begins(rest))?;
            match part.hole {
                None => {}
                Some(Hole::Clock) => {
                    let (time, has_tenth) = take_time(&mut rest)?;
                    tenth |= has_tenth;
                    seen.put_clock(fields, time, self.tenths);
                }
                Some(Hole::Eval) => seen.put_eval(fields, take_eval(&mut rest)?),
                Some(Hole::Duration) => {
                    put_num(fields, take_time(&mut rest).filter(|time| !time.1)?.0 / 10)
                }
                Some(Hole::Decimal) => put_num(fields, take_decimal(&mut rest, 3)?),
                Some(Hole::Text) => return None,
            }
        }
        (tenth == self.tenths && src.len() - rest.len() == len).then_some(())
    }
}

/// Takes a comment apart into a shape, which replaces what `shape` held, and values, which are
/// appended. `false`: it has no command.
pub fn parse(comment: &[u8], shape: &mut Vec<u8>, values: &mut Vec<Value>) -> bool {
    shape.clear();
    let mut tenths = false;
    let mut done = 0;
    let mut at = 0;
    while let Some(n) = memchr::memchr(b'[', &comment[at..]) {
        at += n;
        let mut rest = &comment[at..];
        let Some((name, hole, value, has_tenth)) = take_command(&mut rest) else {
            at += 1;
            continue;
        };
        put_literal(comment, done..at, shape, values);
        shape.extend_from_slice(name);
        shape.push(hole as u8);
        shape.push(b']');
        values.push(value);
        tenths |= has_tenth;
        at = comment.len() - rest.len();
        done = at;
    }
    if done == 0 {
        return false;
    }
    put_literal(comment, done..comment.len(), shape, values);
    if tenths {
        shape.insert(0, TENTHS);
    }
    true
}

/// Blanks are part of the shape, other text is a hole of its own.
fn put_literal(comment: &[u8], range: Range<usize>, shape: &mut Vec<u8>, values: &mut Vec<Value>) {
    let text = &comment[range.clone()];
    if text.iter().all(|&b| b == b' ') {
        shape.extend_from_slice(text);
    } else {
        shape.push(Hole::Text as u8);
        values.push(Value::Text(at32(range.start)..at32(range.end)));
    }
}

/// Appends the fields of `values`, which [`parse`] found in `comment` together with `shape`.
pub(crate) fn put_fields(
    out: &mut Vec<u8>,
    comment: &[u8],
    shape: &[u8],
    values: &[Value],
    seen: &mut Predictions,
) {
    let tenths = shape.first() == Some(&TENTHS);
    for value in values {
        match value {
            Value::Clock(time) => seen.put_clock(out, *time, tenths),
            Value::Eval(eval) => seen.put_eval(out, *eval),
            Value::Duration(n) | Value::Decimal(n) => put_num(out, *n),
            Value::Text(range) => put_str(out, &comment[range.start as usize..range.end as usize]),
        }
    }
}

/// Takes the fields of a shape and appends the comment that they make. `None`: cut off or out of
/// range.
#[must_use]
pub(crate) fn take_comment(
    out: &mut Vec<u8>,
    src: &mut &[u8],
    pattern: &Pattern,
    seen: &mut Predictions,
) -> Option<()> {
    if put_usual(out, src, pattern, seen).is_some() {
        return Some(());
    }
    for part in &pattern.parts {
        put_word(out, part.literal, part.len);
        match part.hole {
            None => {}
            Some(Hole::Clock) => {
                let unit = if pattern.tenths { 1 } else { 10 };
                let predicted = (seen.clocks[0] / unit).cast_signed();
                let time = predicted.checked_add(unzigzag(take_num(src)?))?;
                let time = u64::try_from(time).ok().filter(|&t| t < MAX_VALUE)? * unit;
                put_time(out, time);
                seen.saw_clock(time);
            }
            Some(Hole::Eval) => take_eval_field(out, src, seen)?,
            Some(Hole::Duration) => put_time(out, take_num(src).filter(|&n| n < MAX_VALUE)? * 10),
            Some(Hole::Decimal) => put_thousandths(out, take_num(src)?),
            Some(Hole::Text) => out.extend_from_slice(take_str(src)?),
        }
    }
    Some(())
}

/// [`take_comment`] for the usual comments of Lichess, which [`Pattern::take_usual`] takes apart, in
/// room that is made once. `None`, and nothing has changed: it may be another one.
///
/// No sum overflows: a num is below 2^63, so its half is below 2^62, and what was seen before is
/// bounded by [`MAX_VALUE`].
#[inline(always)]
fn put_usual(
    out: &mut Vec<u8>,
    src: &mut &[u8],
    pattern: &Pattern,
    seen: &mut Predictions,
) -> Option<()> {
    let (mut parts, mut pawns) = (pattern.parts.as_slice(), seen.pawns);
    let (seconds, rest) = put_pieces::<48, _>(out, |text| {
        let mut rest = *src;
        if let [eval, behind @ ..] = parts
            && eval.hole == Some(Hole::Eval)
        {
            // A field of 0 is a mate.
            pawns += unzigzag(take_num(&mut rest)?.checked_sub(1)?);
            if pawns.unsigned_abs() >= 1000 {
                return None;
            }
            text.put_word((eval.literal, eval.len));
            text.put_word((u64::from(b'-'), usize::from(pawns < 0)));
            text.put_word(hundredths_word(pawns.unsigned_abs()));
            parts = behind;
        }
        let [clock, end] = parts else { return None };
        let predicted = (seen.clocks[0] / 10).cast_signed();
        let seconds = u64::try_from(predicted + unzigzag(take_num(&mut rest)?)).ok()?;
        let is_usual = clock.hole == Some(Hole::Clock) && end.hole.is_none() && !pattern.tenths;
        if !is_usual || seconds >= TEN_HOURS {
            return None;
        }
        text.put_word((clock.literal, clock.len));
        text.put_word((time_word(seconds), TIME_LEN));
        text.put_word((end.literal, end.len));
        Some((seconds, rest))
    })?;
    *src = rest;
    seen.pawns = pawns;
    seen.saw_clock(seconds * 10);
    Some(())
}

#[inline]
fn take_eval_field(out: &mut Vec<u8>, src: &mut &[u8], seen: &mut Predictions) -> Option<()> {
    let value = take_num(src)?;
    if value == 0 {
        let moves = unzigzag(take_num(src)?);
        out.extend_from_slice(if moves < 0 { b"#-" } else { b"#" });
        put_digits(out, moves.unsigned_abs());
        return Some(());
    }
    // A bound, so that no later sum overflows.
    let pawns = seen.pawns.checked_add(unzigzag(value - 1))?;
    seen.pawns = Some(pawns).filter(|pawns| pawns.unsigned_abs() < MAX_VALUE)?;
    put_word(out, u64::from(b'-'), usize::from(pawns < 0));
    put_hundredths(out, pawns.unsigned_abs());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(comments: &[&str]) -> Vec<(String, Vec<u8>)> {
        let (mut shape, mut values) = (Vec::new(), Vec::new());
        let (mut there, mut back) = (Predictions::default(), Predictions::default());
        let mut found = Vec::new();
        for comment in comments {
            let comment = comment.as_bytes();
            values.clear();
            if !parse(comment, &mut shape, &mut values) {
                found.push((String::new(), Vec::new()));
                continue;
            }
            let pattern = Pattern::new(&shape);
            let (mut fields, mut again, mut quick) = (Vec::new(), Vec::new(), there);
            put_fields(&mut fields, comment, &shape, &values, &mut there);
            // In a source something stands behind a comment.
            let src = [comment, b"} 1. e4"].concat();
            let has_text = shape.contains(&(Hole::Text as u8));
            assert_eq!(
                pattern.take_fields(&src, comment.len(), &mut again, &mut quick),
                !has_text
            );
            assert!(has_text || again == fields);
            let (mut out, mut src) = (Vec::new(), fields.as_slice());
            assert_eq!(
                take_comment(&mut out, &mut src, &pattern, &mut back),
                Some(())
            );
            assert_eq!(
                String::from_utf8_lossy(&out),
                String::from_utf8_lossy(comment)
            );
            assert!(src.is_empty());
            for end in 0..fields.len() {
                let mut copy = back;
                assert_eq!(
                    take_comment(&mut Vec::new(), &mut &fields[..end], &pattern, &mut copy),
                    None
                );
            }
            found.push((String::from_utf8_lossy(&shape).into_owned(), fields));
        }
        found
    }

    #[test]
    fn lichess() {
        let found = round_trip(&[
            " [%eval 0.3] [%clk 0:01:00] ",
            " [%eval 0.35] [%clk 0:01:00] ",
            " [%eval -0.12] [%clk 0:00:58] ",
            " [%eval #-3] [%clk 0:01:02] ",
            " [%eval 0.0] [%clk 0:00:57] ",
        ]);
        assert!(found.iter().all(|f| f.0 == " [%eval \x02] [%clk \x01] "));
        // By hand: 30 -> zigzag 60 -> 61; 60 s -> zigzag 120. 5 -> 10 -> 11; no change. -47 -> 93
        // -> 94; -2 -> 3.
        let fields: Vec<&[u8]> = found.iter().map(|f| f.1.as_slice()).collect();
        assert_eq!(
            fields,
            [
                [61, 120].as_slice(),
                &[11, 0],
                &[94, 3],
                &[0, 5, 4],
                &[25, 1]
            ]
        );
    }

    #[test]
    fn lichess_at_the_edges() {
        round_trip(&[
            " [%eval 9.99] [%clk 9:59:59] ",
            " [%eval 10.0] [%clk 10:00:00] ",
            " [%eval -10.01] [%clk 0:00:00] ",
            " [%eval 99.99] [%clk 100:00:00] ",
            " [%eval -100.0] [%clk 0:00:59] ",
            " [%eval #9] [%clk 0:00:59] ",
            " [%eval #-10] [%clk 1:00:59] ",
            " [%eval #99] [%clk 1:00:59] ",
            " [%eval #-100] [%clk 1:00:58] ",
            " [%eval -0.01] [%clk 1:00:58] ",
        ]);
    }

    #[test]
    fn others() {
        let found = round_trip(&[
            "[%emt 0.0]",
            "[%emt 1.485]",
            "[%emt 0:00:05]",
            "[%clk 0:02:58.9]",
            "[%clk 0:03:00]",
            "[%clk 0:02:51.1]",
            "good [%clk 1:00:00] move",
            "[%clk 10:00:00][%eval 12.05]",
        ]);
        let shapes: Vec<&str> = found.iter().map(|f| f.0.as_str()).collect();
        let emt = "[%emt \x04]";
        let tenths = "\x06[%clk \x01]";
        let expected = [
            emt,
            emt,
            "[%emt \x03]",
            tenths,
            "[%clk \x01]",
            tenths,
            "\x05[%clk \x01]\x05",
            "[%clk \x01][%eval \x02]",
        ];
        assert_eq!(shapes, expected);
        assert_eq!(found[1].1, [0xf0 + 4, 0xdd]); // 1485 - 240 = 4 * 256 + 221
    }

    #[test]
    fn other_spellings_are_text() {
        for comment in [
            "",
            "good move",
            "[%clk 0:1:00]",
            "[%clk 00:01:00]",
            "[%clk 0:61:00]",
            "[%clk 0:00:00.0]",
            "[%eval 0.30]",
            "[%eval 1]",
            "[%eval -0.0]",
            "[%eval #-0]",
            "[%eval 00.1]",
            "[%eval 0.3,20]",
            "[%emt 1.10]",
            "[%emt 5]",
            "[%clk 0:01:00",
            "[%csl Gd4]",
        ] {
            assert_eq!(round_trip(&[comment])[0].0, "", "{comment}");
        }
    }
}
