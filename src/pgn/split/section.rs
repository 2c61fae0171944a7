//! Tag sections that follow each other without movetext between them: where the second begins.

use std::ops::Range;

use super::Splitter;
use crate::blanks::{More, past_blanks};
use crate::tag::{TAG_WINDOW, TagPair, is_newline, name_bit, tag_pair};

/// The tag pairs of a section that are remembered, so that memory and time are bounded.
const MAX_PAIRS: usize = 64;

/// The most bytes of white space between two tag pairs in a row.
const MAX_BLANKS: usize = 64;

/// A section that begins again on the next line repeats this many tags in a row, unless it repeats
/// the first tag: rating tools append two tags.
const MANY: usize = 3;

/// The tag pairs of a section so far.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// A bit for each name that may be there.
    marks: u64,
    /// Names and values, in places of the unit.
    pairs: Vec<[Range<usize>; 2]>,
    /// Before this place of the unit no other section begins.
    from: usize,
}

impl Section {
    /// At the beginning of a game, or of a piece of one.
    pub(super) fn clear(&mut self) {
        (self.marks, self.from) = (0, 0);
        self.pairs.clear();
    }

    /// Adds a tag pair of a unit that begins at `start`.
    #[inline]
    pub(super) fn add(&mut self, buf: &[u8], start: usize, pair: TagPair) {
        if self.pairs.len() < MAX_PAIRS {
            self.marks |= name_bit(&buf[pair.name.clone()]);
            let within = |range: Range<usize>| range.start - start..range.end - start;
            self.pairs.push([within(pair.name), within(pair.value)]);
        }
    }

    /// Whether the name may be that of a tag pair of the section.
    #[inline]
    pub(super) fn may_have(&self, name: &[u8]) -> bool {
        self.marks & name_bit(name) != 0
    }

    /// The last value of the tag of this name; `unit` is the text of the unit.
    fn value<'t>(&self, unit: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
        let mut pairs = self.pairs.iter().rev();
        let [_, value] = pairs.find(|pair| &unit[pair[0].clone()] == name)?;
        Some(&unit[value.clone()])
    }
}

impl Splitter {
    /// Whether another game begins with this tag pair, because it repeats the name of one of the
    /// section: behind an empty line where it is the first name or the values differ, else where
    /// several tag pairs in a row do so. (A tag that some program wrote twice begins no game.)
    pub(super) fn begins_section(
        &mut self,
        buf: &[u8],
        pair: &TagPair,
        eof: bool,
    ) -> Result<bool, More> {
        let unit = &buf[self.start..];
        let name = &buf[pair.name.clone()];
        if self.at - self.start < self.section.from || !self.section.may_have(name) {
            return Ok(false);
        }
        let first = self.section.pairs.first();
        let is_first = first.is_some_and(|first| &unit[first[0].clone()] == name);
        let least = match (self.newlines > 1, is_first) {
            (true, true) => return Ok(true),
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => MANY,
        };
        let (mut pair, mut differs) = (pair.clone(), false);
        for count in 1..=MAX_PAIRS {
            let Some(value) = self.section.value(unit, &buf[pair.name.clone()]) else {
                break;
            };
            differs |= *value != buf[pair.value.clone()];
            if differs && count >= least {
                return Ok(true);
            }
            let next = past_blanks(buf, pair.end, MAX_BLANKS, false, eof)?;
            if ends_lines(&buf[pair.end..next]) > 1 || next - self.at > TAG_WINDOW {
                break;
            }
            match tag_pair(buf, next, self.is_first_on_line(buf, next), eof)? {
                Some(found) => pair = found,
                None => break,
            }
        }
        if !differs {
            // Nor does another section begin further on in the row: each is looked at once.
            self.section.from = pair.end - self.start;
        }
        Ok(false)
    }
}

/// The number of line ends in white space.
fn ends_lines(blanks: &[u8]) -> usize {
    let crlf = blanks.windows(2).filter(|two| two == b"\r\n").count();
    blanks.iter().filter(|&&byte| is_newline(byte)).count() - crlf
}
