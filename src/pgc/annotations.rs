//! The annotations of a game: comments, text and terminators, each with its place among the elements (spec/extension.md section 8).

use std::ops::Range;

use super::extension::{put_num, put_str, take_byte, take_num, take_str};
use super::shape::{self, Pattern, Predictions, Value};

/// The first shape of the block's own.
pub const FIRST_SHAPE: u64 = 6;

/// A block has at most so many shapes.
pub const MAX_SHAPES: usize = 250;

/// NAGs that have no record.
const LARGE_NAGS: Range<u64> = 256..1 << 31;

const BRACE: u64 = 0;
const LINE: u64 = 1;
const TAIL: u64 = 2;
const LARGE_NAG: u64 = 3;
const TERMINATOR: u64 = 4;
const TEXT: u64 = 5;

/// An annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note<'a> {
    /// A comment in braces.
    Brace(&'a [u8]),
    /// A comment to the end of its line.
    Line(&'a [u8]),
    /// The rest of a line of play, which is not chess (D9).
    Tail(&'a [u8]),
    /// Other text that has no record.
    Text(&'a [u8]),
    /// A NAG over 255.
    Nag(u32),
    /// The terminator: 0 none, 1 `1-0`, 2 `0-1`, 3 `1/2-1/2`, 4 `*`.
    Terminator(u8),
}

/// Writes the annotations of one game after another.
#[derive(Debug, Default)]
pub struct NotesWriter {
    out: Vec<u8>,
    /// The open group: shape, delta, count. Its fields wait in `fields`, because the count stands before them.
    group: Option<(u64, u64, u64)>,
    fields: Vec<u8>,
    place: u64,
    seen: Predictions,
}

impl NotesWriter {
    /// At the beginning of a game.
    pub fn restart(&mut self) {
        self.out.clear();
        self.fields.clear();
        self.group = None;
        self.place = 0;
        self.seen = Predictions::default();
    }

    fn item(&mut self, place: u64, shape: u64) {
        let delta = place - self.place;
        self.place = place;
        match &mut self.group {
            Some((s, _, count)) if *s == shape && delta == 1 => *count += 1,
            _ => {
                self.flush();
                self.group = Some((shape, delta, 1));
            }
        }
    }

    fn flush(&mut self) {
        let Some((shape, delta, count)) = self.group.take() else { return };
        let (s, d, c) = (shape.min(7), delta.min(7), (count - 1).min(3));
        self.out.push(u8::try_from(s | d << 3 | c << 6).unwrap_or(0));
        if s == 7 {
            put_num(&mut self.out, shape - 7);
        }
        if d == 7 {
            put_num(&mut self.out, delta - 7);
        }
        if c == 3 {
            put_num(&mut self.out, count - 4);
        }
        self.out.append(&mut self.fields);
    }

    /// Adds an annotation behind so many elements.
    pub fn put(&mut self, place: u64, note: Note<'_>) {
        match note {
            Note::Brace(text) => self.put_text(place, BRACE, text),
            Note::Line(text) => self.put_text(place, LINE, text),
            Note::Tail(text) => self.put_text(place, TAIL, text),
            Note::Text(text) => self.put_text(place, TEXT, text),
            Note::Nag(value) => {
                self.item(place, LARGE_NAG);
                put_num(&mut self.fields, u64::from(value));
            }
            Note::Terminator(number) => {
                self.item(place, TERMINATOR);
                self.fields.push(number);
            }
        }
    }

    fn put_text(&mut self, place: u64, shape: u64, text: &[u8]) {
        self.item(place, shape);
        put_str(&mut self.fields, text);
    }

    /// Adds a comment of the block's shape number `index`.
    pub fn put_shaped(&mut self, place: u64, index: u64, comment: &[u8], shape: &[u8], values: &[Value]) {
        self.item(place, FIRST_SHAPE + index);
        shape::put_fields(&mut self.fields, comment, shape, values, &mut self.seen);
    }

    /// The data; empty if there are no annotations.
    pub fn finish(&mut self) -> &[u8] {
        self.flush();
        &self.out
    }
}

/// Reads the annotations of a game.
#[derive(Debug)]
pub struct NotesReader<'a> {
    src: &'a [u8],
    shapes: &'a [Pattern],
    shape: u64,
    /// Items of the group still to come.
    left: u64,
    /// The item at hand begins its group; it stands so far behind the one before.
    delta: u64,
    place: u64,
    seen: Predictions,
    /// Of the annotation taken last.
    text: Vec<u8>,
}

/// The data is not annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("annotations are not well-formed")]
pub struct BadNotes;

impl<'a> NotesReader<'a> {
    /// At the beginning of the data of a game, in a block with these shapes.
    #[must_use]
    pub fn new(src: &'a [u8], shapes: &'a [Pattern]) -> Self {
        let seen = Predictions::default();
        NotesReader { src, shapes, shape: 0, left: 0, delta: 0, place: 0, seen, text: Vec::new() }
    }

    /// The place of the next annotation, `None` at the end.
    ///
    /// # Errors
    /// [`BadNotes`].
    pub fn next_place(&mut self) -> Result<Option<u64>, BadNotes> {
        if self.left == 0 {
            if self.src.is_empty() {
                return Ok(None);
            }
            self.group().ok_or(BadNotes)?;
        }
        self.place.checked_add(self.delta).map(Some).ok_or(BadNotes)
    }

    fn group(&mut self) -> Option<()> {
        let header = u64::from(take_byte(&mut self.src)?);
        let field = |src: &mut &[u8], value: u64, full: u64| match value {
            v if v < full => Some(v),
            _ => take_num(src)?.checked_add(full),
        };
        self.shape = field(&mut self.src, header & 7, 7)?;
        self.delta = field(&mut self.src, header >> 3 & 7, 7)?;
        self.left = field(&mut self.src, header >> 6, 3)?.checked_add(1)?;
        Some(())
    }

    /// What the annotation is whose place [`NotesReader::next_place`] has just told: without its text, and its number 0.
    #[inline]
    #[must_use]
    pub fn ahead(&self) -> Note<'static> {
        match self.shape {
            LINE => Note::Line(b""),
            TAIL => Note::Tail(b""),
            TEXT => Note::Text(b""),
            LARGE_NAG => Note::Nag(0),
            TERMINATOR => Note::Terminator(0),
            _ => Note::Brace(b""),
        }
    }

    /// Takes that annotation, appends its text, if it has one, and gives its number, or 0.
    ///
    /// # Errors
    /// [`BadNotes`]; what was appended then means nothing.
    #[inline]
    pub fn take_into(&mut self, text: &mut Vec<u8>) -> Result<u32, BadNotes> {
        self.place += self.delta;
        self.delta = 1;
        self.left = self.left.checked_sub(1).ok_or(BadNotes)?;
        self.take_fields(text).ok_or(BadNotes)
    }

    fn take_fields(&mut self, text: &mut Vec<u8>) -> Option<u32> {
        match self.shape {
            BRACE | LINE | TAIL | TEXT => text.extend_from_slice(take_str(&mut self.src)?),
            LARGE_NAG => return take_num(&mut self.src).filter(|n| LARGE_NAGS.contains(n))?.try_into().ok(),
            TERMINATOR => return take_byte(&mut self.src).filter(|&n| n < 5).map(u32::from),
            shape => {
                let shape = self.shapes.get(usize::try_from(shape - FIRST_SHAPE).ok()?)?;
                shape::take_comment(text, &mut self.src, shape, &mut self.seen)?;
            }
        }
        Some(0)
    }

    /// Takes that annotation.
    ///
    /// # Errors
    /// [`BadNotes`].
    pub fn take(&mut self) -> Result<Note<'_>, BadNotes> {
        let ahead = self.ahead();
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let number = self.take_into(&mut text)?;
        self.text = text;
        Ok(match ahead {
            Note::Brace(_) => Note::Brace(&self.text),
            Note::Line(_) => Note::Line(&self.text),
            Note::Tail(_) => Note::Tail(&self.text),
            Note::Text(_) => Note::Text(&self.text),
            Note::Nag(_) => Note::Nag(number),
            Note::Terminator(_) => Note::Terminator(u8::try_from(number).unwrap_or(0)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_spec() {
        let mut writer = NotesWriter::default();
        writer.put(1, Note::Brace(b"a"));
        writer.put(5, Note::Brace(b"b"));
        assert_eq!(writer.finish(), b"\x08\x01a\x20\x01b");
    }

    #[test]
    fn all_items_come_back() {
        let notes = [
            (0, Note::Brace(b"intro")),
            (1, Note::Brace(b"x")),
            (2, Note::Brace(b"")),
            (2, Note::Line(b"line")),
            (500, Note::Text(b"--")),
            (500, Note::Tail(b"Ke9 *")),
            (500, Note::Nag(300)),
            (501, Note::Nag(70_000)),
            (502, Note::Nag(256)),
            (503, Note::Nag(256)),
            (504, Note::Nag(256)),
            (600, Note::Terminator(3)),
        ];
        let mut writer = NotesWriter::default();
        for (place, note) in notes {
            writer.put(place, note);
        }
        let data = writer.finish().to_vec();
        let mut reader = NotesReader::new(&data, &[]);
        for (place, note) in notes {
            assert_eq!(reader.next_place(), Ok(Some(place)));
            assert_eq!(reader.take(), Ok(note));
        }
        assert_eq!(reader.next_place(), Ok(None));
        for end in 1..data.len() {
            let mut reader = NotesReader::new(&data[..end], &[]);
            while let Ok(Some(_)) = reader.next_place() {
                if reader.take().is_err() {
                    break;
                }
            }
        }
    }
}
