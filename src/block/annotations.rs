//! The annotations of a game: comments, text and terminators, each with its place among the
//! elements (spec/extension.md section 8).

use std::ops::Range;

use crate::num::{put_num, take_byte, take_num, take_str};
use crate::shape::{self, Pattern, Predictions, Value};
use pgc_pgn::records::private::{EscapeKind, begin_private, end_private, stuff};

/// The number of the first of the block's own shapes.
pub(crate) const FIRST_SHAPE: u64 = 6;

/// The most shapes of a block.
pub(crate) const MAX_SHAPES: usize = 250;

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

/// Annotations of one shape, each but the first one element behind the one before.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    shape: u64,
    delta: u64,
    count: u64,
    /// Where their fields end.
    end: usize,
}

impl Group {
    /// The number of its shape, if that is one of the block's.
    fn number(&self) -> Option<usize> {
        usize::try_from(self.shape.checked_sub(FIRST_SHAPE)?).ok()
    }
}

/// Appends the header of a group: `count` items of a shape, the first `delta` elements behind the
/// item before.
fn put_group(out: &mut Vec<u8>, shape: u64, delta: u64, count: u64) {
    let fields = [(shape, 0, 7), (delta, 3, 7), (count - 1, 6, 3)];
    let header = fields.map(|(value, shift, full)| value.min(full) << shift);
    out.push(u8::try_from(header.iter().sum::<u64>()).unwrap_or(0));
    for (value, _, full) in fields {
        if let Some(rest) = value.checked_sub(full) {
            put_num(out, rest);
        }
    }
}

/// Takes the header of a group: its shape, the distance of its first item, and their number.
pub(crate) fn take_group(src: &mut &[u8]) -> Option<(u64, u64, u64)> {
    let header = u64::from(take_byte(src)?);
    let mut field = |value: u64, full: u64| match value < full {
        true => Some(value),
        false => take_num(src)?.checked_add(full),
    };
    let (shape, delta) = (field(header & 7, 7)?, field(header >> 3 & 7, 7)?);
    Some((shape, delta, field(header >> 6, 3)?.checked_add(1)?))
}

/// The place of a game's annotations in a [`NotesWriter`]: its groups, and the first of their texts
/// and fields.
#[derive(Clone, Debug, Default)]
pub struct GameNotes {
    groups: Range<usize>,
    texts: usize,
    fields: usize,
}

/// Gathers the annotations of one game after another, and writes them once the numbers of all
/// shapes are known.
#[derive(Debug, Default)]
pub struct NotesWriter<'a> {
    groups: Vec<Group>,
    pub(crate) fields: Vec<u8>,
    /// Texts, and where in `fields` they belong: this way they are copied only once.
    texts: Vec<(usize, &'a [u8])>,
    /// Where the current game begins.
    game: GameNotes,
    /// The last group, to which more may be added; if it has no items, there is none.
    open: Group,
    place: u64,
    seen: Predictions,
    /// The header of a group; a buffer.
    header: Vec<u8>,
}

impl<'a> NotesWriter<'a> {
    /// Begins a game.
    pub fn begin_game(&mut self) {
        let groups = self.groups.len();
        self.game = GameNotes {
            groups: groups..groups,
            texts: self.texts.len(),
            fields: self.fields.len(),
        };
        (self.place, self.seen) = (0, Predictions::default());
    }

    /// Ends the game; returns what the other methods need to find its annotations.
    pub fn end_game(&mut self) -> GameNotes {
        self.close();
        self.game.groups.end = self.groups.len();
        self.game.clone()
    }

    /// Counts the item whose fields were appended last.
    #[inline]
    pub(crate) fn item(&mut self, place: u64, shape: u64) {
        let delta = place - self.place;
        self.place = place;
        if self.open.shape != shape || delta != 1 || self.open.count == 0 {
            self.close();
            (self.open.shape, self.open.delta) = (shape, delta);
        }
        self.open.count += 1;
        self.open.end = self.fields.len();
    }

    fn close(&mut self) {
        if self.open.count > 0 {
            self.groups.push(self.open);
            self.open.count = 0;
        }
    }

    /// Adds an annotation behind `place` elements.
    pub fn put(&mut self, place: u64, note: Note<'a>) {
        let (shape, text) = match note {
            Note::Brace(text) => (BRACE, text),
            Note::Line(text) => (LINE, text),
            Note::Tail(text) => (TAIL, text),
            Note::Text(text) => (TEXT, text),
            Note::Nag(value) => {
                put_num(&mut self.fields, u64::from(value));
                return self.item(place, LARGE_NAG);
            }
            Note::Terminator(number) => {
                self.fields.push(number);
                return self.item(place, TERMINATOR);
            }
        };
        put_num(&mut self.fields, text.len() as u64);
        self.texts.push((self.fields.len(), text));
        self.item(place, shape);
    }

    /// Adds a comment of the shape that the caller gave this number.
    pub fn put_shaped(
        &mut self,
        place: u64,
        number: usize,
        comment: &[u8],
        shape: &[u8],
        values: &[Value],
    ) {
        shape::put_fields(&mut self.fields, comment, shape, values, &mut self.seen);
        self.item(place, FIRST_SHAPE + number as u64);
    }

    /// Adds the comment in the first `len` bytes of `src`, if the fast path finds that it has this
    /// shape.
    #[inline]
    pub fn put_fitting(
        &mut self,
        place: u64,
        number: usize,
        pattern: &Pattern,
        src: &[u8],
        len: usize,
    ) -> bool {
        let fits = pattern.take_fields(src, len, &mut self.fields, &mut self.seen);
        if fits {
            self.item(place, FIRST_SHAPE + number as u64);
        }
        fits
    }

    /// The numbers of the shapes of a game's comments, each with a count of comments; the same
    /// number may come again.
    pub(crate) fn shapes(&self, notes: &GameNotes) -> impl Iterator<Item = (usize, u64)> {
        let groups = self.groups[notes.groups.clone()].iter();
        groups.filter_map(|group| Some((group.number()?, group.count)))
    }

    /// Appends the escape `A` of a game, if it has annotations; `rank` as in [`NotesWriter::give`].
    pub(crate) fn put_escape(
        &mut self,
        out: &mut Vec<u8>,
        notes: &GameNotes,
        rank: impl Fn(usize) -> u64,
    ) {
        if !notes.groups.is_empty() {
            let begin = begin_private(out, EscapeKind::Annotations);
            self.give(notes, rank, |part| stuff(out, part));
            end_private(out, EscapeKind::Annotations, begin);
        }
    }

    /// Passes the data of a game to `put` part by part. `rank` returns the rank of a shape among
    /// the block's.
    pub fn give(
        &mut self,
        notes: &GameNotes,
        rank: impl Fn(usize) -> u64,
        mut put: impl FnMut(&[u8]),
    ) {
        let (mut begin, header) = (notes.fields, &mut self.header);
        let mut texts = self.texts[notes.texts..].iter().peekable();
        for group in &self.groups[notes.groups.clone()] {
            header.clear();
            let own = group.number().map(|number| FIRST_SHAPE + rank(number));
            let shape = own.unwrap_or(group.shape);
            put_group(header, shape, group.delta, group.count);
            put(header);
            while let Some(&(at, text)) = texts.next_if(|text| text.0 <= group.end) {
                put(&self.fields[begin..at]);
                put(text);
                begin = at;
            }
            put(&self.fields[begin..group.end]);
            begin = group.end;
        }
    }
}

/// Reads the annotations of a game.
#[derive(Debug, Default)]
pub struct NotesReader<'a> {
    src: &'a [u8],
    shapes: &'a [Pattern],
    /// The shape of the current group, and its pattern if it is one of the block's own.
    shape: u64,
    pattern: Option<&'a Pattern>,
    /// Items of the group still to come.
    left: u64,
    /// How many elements behind the last annotation the next one stands.
    delta: u64,
    seen: Predictions,
}

/// The data are not well-formed annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("annotations are not well-formed")]
pub struct BadNotes;

impl<'a> NotesReader<'a> {
    /// Begins with the data of a game, in a block with these shapes.
    pub fn new(src: &'a [u8], shapes: &'a [Pattern]) -> Self {
        NotesReader {
            src,
            shapes,
            ..NotesReader::default()
        }
    }

    /// How many elements stand between the annotation taken last, or the beginning, and the next;
    /// `None` at the end.
    ///
    /// # Errors
    /// [`BadNotes`].
    #[inline]
    pub fn next_distance(&mut self) -> Result<Option<u64>, BadNotes> {
        if self.left == 0 {
            if self.src.is_empty() {
                return Ok(None);
            }
            self.group().ok_or(BadNotes)?;
        }
        Ok(Some(self.delta))
    }

    #[inline(never)]
    fn group(&mut self) -> Option<()> {
        (self.shape, self.delta, self.left) = take_group(&mut self.src)?;
        self.pattern = match self.shape.checked_sub(FIRST_SHAPE) {
            Some(number) => Some(self.shapes.get(usize::try_from(number).ok()?)?),
            None => None,
        };
        Some(())
    }

    /// The kind of the annotation whose distance [`NotesReader::next_distance`] has just returned:
    /// its text is empty, its number 0.
    #[inline]
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

    /// Takes the next annotation, appends its text, if it has one, and returns its number, or 0.
    ///
    /// # Errors
    /// [`BadNotes`]; what was appended then means nothing.
    #[inline]
    pub fn take_into(&mut self, text: &mut Vec<u8>) -> Result<u32, BadNotes> {
        // Counts it as taken.
        self.left = self.left.checked_sub(1).ok_or(BadNotes)?;
        self.delta = 1;
        self.take_fields(text).ok_or(BadNotes)
    }

    #[inline]
    fn take_fields(&mut self, text: &mut Vec<u8>) -> Option<u32> {
        match self.shape {
            BRACE | LINE | TAIL | TEXT => {
                let part = take_str(&mut self.src)?;
                // And the brace that closes it: a comment may have 16 MiB, which would double.
                text.reserve(part.len() + 1);
                text.extend_from_slice(part);
            }
            LARGE_NAG => {
                let number = take_num(&mut self.src).filter(|n| LARGE_NAGS.contains(n))?;
                return u32::try_from(number).ok();
            }
            TERMINATOR => return take_byte(&mut self.src).filter(|&n| n < 5).map(u32::from),
            _ => shape::take_comment(text, &mut self.src, self.pattern?, &mut self.seen)?,
        }
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::discriminant;

    fn written(notes: &[(u64, Note<'_>)]) -> Vec<u8> {
        let (mut writer, mut data) = (NotesWriter::default(), Vec::new());
        writer.begin_game();
        for &(place, note) in notes {
            writer.put(place, note);
        }
        let game = writer.end_game();
        writer.give(&game, |_| 0, |part| data.extend_from_slice(part));
        data
    }

    #[test]
    fn the_example_of_the_spec() {
        assert_eq!(
            written(&[(1, Note::Brace(b"a")), (5, Note::Brace(b"b"))]),
            b"\x08\x01a\x20\x01b"
        );
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
        let data = written(&notes);
        let mut reader = NotesReader::new(&data, &[]);
        let mut before = 0;
        for (place, note) in notes {
            assert_eq!(reader.next_distance(), Ok(Some(place - before)));
            assert_eq!(discriminant(&reader.ahead()), discriminant(&note));
            let (expected, number) = match note {
                Note::Brace(text) | Note::Line(text) | Note::Tail(text) | Note::Text(text) => {
                    (text, 0)
                }
                Note::Nag(number) => (&b""[..], number),
                Note::Terminator(number) => (&b""[..], number.into()),
            };
            let mut text = Vec::new();
            assert_eq!(reader.take_into(&mut text), Ok(number));
            assert_eq!(text, expected);
            before = place;
        }
        assert_eq!(reader.next_distance(), Ok(None));
        for end in 1..data.len() {
            let mut reader = NotesReader::new(&data[..end], &[]);
            while let Ok(Some(_)) = reader.next_distance() {
                if reader.take_into(&mut Vec::new()).is_err() {
                    break;
                }
            }
        }
    }
}
