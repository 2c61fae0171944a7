//! A game as its records give it: the same elements and tag pairs that the reader of text finds,
//! and a text in which they have their places.

use std::borrow::Cow;
use std::ops::Range;

use crate::num::at32;
use crate::tag_value::{SHORT, guess_value};
use pgc_pgn::game::{Elem, ElemKind, Gap, Kinds, ParsedGame, Spelled, TagSpan, Wholeness};

/// Why a game cannot be rendered: the item and what is wrong.
pub type RenderFault = (&'static str, String);

/// A decoded game, or text. It is reused for the next unit, to save allocations.
#[derive(Debug, Default)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Decoded {
    /// The text in which elements and tag pairs have their places. The values of tags are without
    /// backslashes.
    pub text: Vec<u8>,
    pub elems: Vec<Elem>,
    pub tags: Vec<TagSpan>,
    /// The number of elements in the tag section.
    pub tag_elems: usize,
    /// The ordinals of all moves, variations included.
    pub ordinals: Vec<u8>,
    /// The kinds of the elements behind the tag section, without moves.
    pub kinds: Kinds,
    pub wholeness: Wholeness,
    /// Whether it is a 0x01.
    pub is_reduced: bool,
    /// The data of its escapes `T`, `A` and `L`, unstuffed.
    pub(crate) tag_data: Option<Vec<u8>>,
    pub(crate) notes: Vec<u8>,
    pub layout: Option<Vec<u8>>,
    /// Text outside games, or a piece of a game kept as text.
    pub raw: Vec<u8>,
}

/// An element that has no place in the text.
#[inline]
pub(crate) fn element(kind: ElemKind, num: u32) -> Elem {
    Elem {
        kind,
        ordinal: 0,
        spelled: Spelled::default(),
        gap: Gap::Any,
        start: 0,
        end: 0,
        num,
    }
}

impl Decoded {
    /// Empties all lists, and keeps their memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.elems.clear();
        self.tags.clear();
        self.tag_elems = 0;
        self.ordinals.clear();
        self.kinds = Kinds::default();
        self.wholeness = Wholeness::Whole;
        self.is_reduced = false;
        self.tag_data = None;
        self.notes.clear();
        self.layout = None;
        self.raw.clear();
    }

    /// The game as the reader of text would give it; places are those in [`Decoded::text`].
    pub fn game(&self) -> ParsedGame<'_> {
        ParsedGame {
            elems: &self.elems,
            tags: &self.tags,
            ordinals: &self.ordinals,
            tag_elems: self.tag_elems,
            kinds: self.kinds,
            wholeness: self.wholeness,
            ..ParsedGame::default()
        }
    }

    /// Name and unescaped value of each tag pair, in source order.
    pub fn tag_pairs(&self) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
        let text = |range: &Range<usize>| &self.text[range.clone()];
        self.tags
            .iter()
            .map(move |tag| (text(&tag.name), text(&tag.value)))
    }

    /// The elements behind the tag section.
    pub(crate) fn play(&self) -> &[Elem] {
        &self.elems[self.tag_elems..]
    }

    /// Ends the tag section behind the last tag pair among the first `section` elements.
    pub(crate) fn end_tags(&mut self, section: usize) {
        let mut elems = self.elems[..section].iter();
        let last = elems.rposition(|elem| elem.kind == ElemKind::Tag);
        self.tag_elems = last.map_or(0, |last| last + 1);
    }

    /// Adds an element whose spelling is what the text has from `start` on.
    #[inline]
    pub fn push(&mut self, kind: ElemKind, num: u32, start: usize) {
        self.elems.push(Elem {
            start: at32(start),
            end: at32(self.text.len()),
            ..element(kind, num)
        });
        self.kinds.add(kind);
    }

    /// Adds moves.
    pub fn push_moves(&mut self, moves: &[u8]) {
        self.elems.extend(moves.iter().map(|&ordinal| Elem {
            ordinal,
            ..element(ElemKind::Move, 0)
        }));
        self.ordinals.extend_from_slice(moves);
    }

    /// Adds a `%` line.
    pub(crate) fn push_line(&mut self, line: &[u8]) {
        let start = self.text.len();
        self.text.push(b'%');
        self.text.extend_from_slice(line);
        self.push(ElemKind::Escape, 0, start);
    }

    /// Adds a tag pair.
    pub fn push_tag(&mut self, name: &[u8], value: &[u8]) {
        let start = self.text.len();
        self.text.extend_from_slice(name);
        self.text.extend_from_slice(value);
        let middle = start + name.len();
        self.push_tag_at(start..middle, middle..self.text.len());
    }

    /// Adds a tag pair that the text has already.
    #[inline]
    pub(crate) fn push_tag_at(&mut self, name: Range<usize>, value: Range<usize>) {
        let number = at32(self.tags.len());
        self.elems.push(element(ElemKind::Tag, number));
        self.tags.push(TagSpan { name, value });
    }

    /// Converts the values of the tags from `first` on to UTF-8.
    #[cold]
    pub(crate) fn guess_values(&mut self, first: usize) {
        for tag in &mut self.tags[first..] {
            if let Cow::Owned(value) = guess_value(&self.text[tag.value.clone()], true) {
                tag.value = self.text.len()..self.text.len() + value.len();
                self.text.extend_from_slice(&value);
            }
        }
    }

    /// For name and value of a tag pair: [`SHORT`] bytes that begin with it, and its length. `None`
    /// if one of them is longer, or the text ends before that.
    #[inline]
    pub(crate) fn short_pair(&self, tag: &TagSpan) -> Option<[(&[u8; SHORT], usize); 2]> {
        let chunk = |range: &Range<usize>| {
            let bytes = self.text.get(range.start..)?.first_chunk();
            bytes
                .filter(|_| range.len() <= SHORT)
                .map(|chunk| (chunk, range.len()))
        };
        Some([chunk(&tag.name)?, chunk(&tag.value)?])
    }
}
