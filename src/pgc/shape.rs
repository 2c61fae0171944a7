//! Comments with commands, coded instead of spelled (spec/extension.md 8.2).
//!
//! A *shape* is the text of a comment in which values are holes: `" [%eval \x02] [%clk \x01] "`. A value counts as one only if it is spelled
//! in the one way in which it would be printed again.

use std::ops::Range;

use super::extension::{put_num, put_snum, put_str, take_num, take_snum, take_str, unzigzag, zigzag};

/// The holes. Their codes stand nowhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Hole {
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

/// First byte of a shape whose clocks count tenths of a second.
pub const TENTHS: u8 = 6;

/// Values above this are left as text, so that no sum overflows.
const MAX_VALUE: u64 = 1 << 44;

/// What stands in a hole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Tenths of a second.
    Clock(u64),
    /// Hundredths of a pawn.
    Pawns(i64),
    /// Moves to mate.
    Mate(i64),
    /// Seconds.
    Duration(u64),
    /// Thousandths.
    Decimal(u64),
    /// Place in the comment.
    Text(Range<u32>),
}

/// What the values of a game predict about the next ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct Predictions {
    /// The last clock but one and the last one, in tenths.
    clocks: [Option<u64>; 2],
    pawns: i64,
}

impl Predictions {
    fn clock(&self) -> u64 {
        self.clocks[0].or(self.clocks[1]).unwrap_or(0)
    }

    fn saw_clock(&mut self, tenths: u64) {
        self.clocks = [self.clocks[1], Some(tenths)];
    }
}

#[inline]
fn take_digits(src: &mut &[u8]) -> Option<u64> {
    let (mut rest, mut number) = (*src, 0);
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        number = number * 10 + u64::from(digit - b'0');
        rest = after;
        if src.len() - rest.len() > 8 {
            return None;
        }
    }
    // No leading zeros: 0 is spelled in one way.
    let n = src.len() - rest.len();
    if n == 0 || (n > 1 && src[0] == b'0') {
        return None;
    }
    *src = rest;
    Some(number)
}

/// `H:MM:SS` or `H:MM:SS.T`, in tenths, and whether the tenth is there.
#[inline]
fn take_time(src: &mut &[u8]) -> Option<(u64, bool)> {
    let hours = take_digits(src)?;
    let [b':', a @ b'0'..=b'5', b @ b'0'..=b'9', b':', c @ b'0'..=b'5', d @ b'0'..=b'9', rest @ ..] = *src else {
        return None;
    };
    let sixty = |tens: &u8, ones: &u8| u64::from(tens - b'0') * 10 + u64::from(ones - b'0');
    let whole = (hours * 3600 + sixty(a, b) * 60 + sixty(c, d)) * 10;
    match rest {
        [b'.', t @ b'1'..=b'9', rest @ ..] => {
            *src = rest;
            Some((whole + u64::from(t - b'0'), true))
        }
        _ => {
            *src = rest;
            Some((whole, false))
        }
    }
}

/// Digits, a period and one to `places` decimals, the last of them not 0 if there are several; in units of the last possible place.
fn take_decimal(src: &mut &[u8], places: usize) -> Option<u64> {
    let mut number = take_digits(src)?;
    let mut rest = src.strip_prefix(b".")?;
    let (mut n, mut last) = (0, 0);
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        (number, n, last, rest) = (number * 10 + u64::from(digit - b'0'), n + 1, *digit, after);
        if n > places {
            return None;
        }
    }
    if n == 0 || (n > 1 && last == b'0') {
        return None;
    }
    for _ in n..places {
        number *= 10;
    }
    *src = rest;
    Some(number)
}

fn take_eval(src: &mut &[u8]) -> Option<Value> {
    let sign = |src: &mut &[u8]| match src.strip_prefix(b"-") {
        Some(rest) => {
            *src = rest;
            -1
        }
        None => 1,
    };
    if let Some(rest) = src.strip_prefix(b"#") {
        *src = rest;
        let sign = sign(src);
        let moves = take_digits(src)?.cast_signed();
        return (moves != 0 || sign > 0).then_some(Value::Mate(sign * moves));
    }
    let sign = sign(src);
    let pawns = take_decimal(src, 2)?.cast_signed();
    (pawns != 0 || sign > 0).then_some(Value::Pawns(sign * pawns))
}

/// The commands that have holes.
fn take_command(src: &mut &[u8]) -> Option<(&'static [u8], Hole, Value, bool)> {
    let (name, hole, value, tenths): (&'static [u8], _, _, _) = if let Some(rest) = src.strip_prefix(b"[%clk ") {
        *src = rest;
        let (time, tenths) = take_time(src)?;
        (b"[%clk ", Hole::Clock, Value::Clock(time), tenths)
    } else if let Some(rest) = src.strip_prefix(b"[%eval ") {
        *src = rest;
        (b"[%eval ", Hole::Eval, take_eval(src)?, false)
    } else if let Some(rest) = src.strip_prefix(b"[%emt ") {
        let mut time = rest;
        if let Some((tenths, false)) = take_time(&mut time) {
            *src = time;
            (b"[%emt ", Hole::Duration, Value::Duration(tenths / 10), false)
        } else {
            *src = rest;
            (b"[%emt ", Hole::Decimal, Value::Decimal(take_decimal(src, 3)?), false)
        }
    } else {
        return None;
    };
    *src = src.strip_prefix(b"]")?;
    Some((name, hole, value, tenths))
}

/// A shape and where its holes are, so that it is not searched for them again and again.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    shape: Vec<u8>,
    holes: Vec<usize>,
    /// Free text is in it: where that ends only a search tells.
    has_text: bool,
}

impl Pattern {
    /// Of this shape.
    #[must_use]
    pub fn new(shape: &[u8]) -> Pattern {
        let is_hole = |&i: &usize| (Hole::Clock as u8..=Hole::Text as u8).contains(&shape[i]);
        Pattern {
            shape: shape.to_vec(),
            holes: (0..shape.len()).filter(is_hole).collect(),
            has_text: shape.contains(&(Hole::Text as u8)),
        }
    }

    /// The shape.
    #[must_use]
    pub fn shape(&self) -> &[u8] {
        &self.shape
    }

    /// Its clocks count tenths of a second; and where it begins behind the byte that says so.
    fn tenths(&self) -> (bool, usize) {
        let tenths = self.shape.first() == Some(&TENTHS);
        (tenths, usize::from(tenths))
    }

    /// Takes a comment of this shape apart, as [`parse`] would. `false`: it may have another one.
    pub fn take_apart(&self, comment: &[u8], values: &mut Vec<Value>) -> bool {
        let before = values.len();
        let fits = !self.has_text && !self.holes.is_empty() && self.follow(comment, values).is_some();
        if !fits {
            values.truncate(before);
        }
        fits
    }

    fn follow(&self, comment: &[u8], values: &mut Vec<Value>) -> Option<()> {
        let (tenths, mut at) = self.tenths();
        let (mut src, mut tenth) = (comment, false);
        for &hole in &self.holes {
            src = src.strip_prefix(&self.shape[at..hole])?;
            values.push(match self.shape[hole] {
                1 => {
                    let (time, has_tenth) = take_time(&mut src)?;
                    tenth |= has_tenth;
                    Value::Clock(time)
                }
                2 => take_eval(&mut src)?,
                3 => Value::Duration(take_time(&mut src).filter(|time| !time.1)?.0 / 10),
                _ => Value::Decimal(take_decimal(&mut src, 3)?),
            });
            at = hole + 1;
        }
        (tenth == tenths && src == &self.shape[at..]).then_some(())
    }
}

/// Takes a comment apart into a shape, which replaces what `shape` held, and values, which are appended. `false`: it has no command.
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

/// A place in a comment.
#[expect(clippy::cast_possible_truncation, reason = "a comment is no longer than a game, 16 MiB")]
fn at32(at: usize) -> u32 {
    at as u32
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
pub fn put_fields(out: &mut Vec<u8>, comment: &[u8], shape: &[u8], values: &[Value], seen: &mut Predictions) {
    let tenths = shape.first() == Some(&TENTHS);
    for value in values {
        match value {
            Value::Clock(time) => {
                let predicted = seen.clock();
                let (time_in, predicted) = if tenths { (*time, predicted) } else { (time / 10, predicted / 10) };
                put_snum(out, time_in.cast_signed() - predicted.cast_signed());
                seen.saw_clock(*time);
            }
            Value::Pawns(pawns) => {
                put_num(out, zigzag(pawns - seen.pawns) + 1);
                seen.pawns = *pawns;
            }
            Value::Mate(moves) => {
                put_num(out, 0);
                put_snum(out, *moves);
            }
            Value::Duration(n) | Value::Decimal(n) => put_num(out, *n),
            Value::Text(range) => put_str(out, &comment[range.start as usize..range.end as usize]),
        }
    }
}

/// Takes the fields of a shape and appends the comment that they make. `None`: cut off or out of range.
#[must_use]
pub fn take_comment(out: &mut Vec<u8>, src: &mut &[u8], pattern: &Pattern, seen: &mut Predictions) -> Option<()> {
    let (tenths, mut at) = pattern.tenths();
    for &hole in &pattern.holes {
        out.extend_from_slice(&pattern.shape[at..hole]);
        match pattern.shape[hole] {
            1 => {
                let unit = if tenths { 1 } else { 10 };
                let predicted = (seen.clock() / unit).cast_signed();
                let time = predicted.checked_add(take_snum(src)?)?;
                let time = u64::try_from(time).ok().filter(|&t| t < MAX_VALUE)? * unit;
                put_time(out, time);
                seen.saw_clock(time);
            }
            2 => take_eval_field(out, src, seen)?,
            3 => put_time(out, take_num(src).filter(|&n| n < MAX_VALUE)? * 10),
            4 => put_decimal(out, take_num(src)?, 3),
            _ => out.extend_from_slice(take_str(src)?),
        }
        at = hole + 1;
    }
    out.extend_from_slice(&pattern.shape[at..]);
    Some(())
}

fn take_eval_field(out: &mut Vec<u8>, src: &mut &[u8], seen: &mut Predictions) -> Option<()> {
    let (number, mate) = match take_num(src)? {
        0 => (take_snum(src)?, true),
        v => (seen.pawns.checked_add(unzigzag(v - 1))?, false),
    };
    if mate {
        out.push(b'#');
    } else {
        // A bound, so that no later sum overflows.
        if number.unsigned_abs() >= MAX_VALUE {
            return None;
        }
        seen.pawns = number;
    }
    if number < 0 {
        out.push(b'-');
    }
    if mate {
        put_digits(out, number.unsigned_abs(), 1)
    } else {
        put_decimal(out, number.unsigned_abs(), 2)
    }
    Some(())
}

/// Digits, at least `least`.
fn put_digits(out: &mut Vec<u8>, mut number: u64, least: usize) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    while number > 0 || digits.len() - at < least {
        at -= 1;
        digits[at] = digit(number % 10);
        number /= 10;
    }
    out.extend_from_slice(&digits[at..]);
}

/// The last digit of a number.
#[inline]
fn digit(number: u64) -> u8 {
    b"0123456789"[(number % 10) as usize]
}

fn put_time(out: &mut Vec<u8>, tenths: u64) {
    let seconds = tenths / 10;
    let (minutes, second) = (seconds / 60, seconds % 60);
    let (hours, minute) = (minutes / 60, minutes % 60);
    if hours > 9 {
        put_digits(out, hours / 10, 1);
    }
    let (a, b, c, d) = (digit(minute / 10), digit(minute), digit(second / 10), digit(second));
    out.extend_from_slice(&[digit(hours), b':', a, b, b':', c, d]);
    if !tenths.is_multiple_of(10) {
        out.extend_from_slice(&[b'.', digit(tenths)]);
    }
}

fn put_decimal(out: &mut Vec<u8>, number: u64, places: u32) {
    let unit = 10_u64.pow(places);
    let (whole, mut rest, mut unit) = (number / unit, number % unit, unit / 10);
    if whole > 9 {
        put_digits(out, whole / 10, 1);
    }
    out.extend_from_slice(&[digit(whole), b'.', digit(rest / unit)]);
    // The first decimal always, then as many as say something.
    rest %= unit;
    while rest > 0 {
        unit /= 10;
        out.push(digit(rest / unit));
        rest %= unit;
    }
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
            let mut again = Vec::new();
            let has_text = shape.contains(&(Hole::Text as u8));
            assert_eq!(pattern.take_apart(comment, &mut again), !has_text);
            assert!(has_text || again == values);
            let mut fields = Vec::new();
            put_fields(&mut fields, comment, &shape, &values, &mut there);
            let mut out = Vec::new();
            let mut src = fields.as_slice();
            assert_eq!(take_comment(&mut out, &mut src, &pattern, &mut back), Some(()));
            assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(comment));
            assert!(src.is_empty());
            for end in 0..fields.len() {
                let mut copy = back;
                assert_eq!(take_comment(&mut Vec::new(), &mut &fields[..end], &pattern, &mut copy), None);
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
        // By hand: 30 -> zigzag 60 -> 61; 60 s -> zigzag 120. 5 -> 10 -> 11; no change. -47 -> 93 -> 94; -2 -> 3.
        let fields: Vec<&[u8]> = found.iter().map(|f| f.1.as_slice()).collect();
        assert_eq!(fields, [[61, 120].as_slice(), &[11, 0], &[94, 3], &[0, 5, 4], &[25, 1]]);
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
        let expected =
            [emt, emt, "[%emt \x03]", tenths, "[%clk \x01]", tenths, "\x05[%clk \x01]\x05", "[%clk \x01][%eval \x02]"];
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
