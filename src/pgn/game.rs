//! A game as the reader finds it: a flat list of elements, each with its place in the source.

use std::borrow::Cow;
use std::ops::Range;

use super::tag::unescape;
use crate::chess::Check;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A tag pair; `num` is its place among the tag pairs of the game.
    Tag,
    /// A `%` line.
    Escape,
    /// A move with an ordinal; `num` is twice the number of the full move, plus one for Black.
    Move,
    /// A numeric annotation glyph; `num` is its value.
    Nag,
    /// A comment in braces.
    Brace,
    /// A comment to the end of its line.
    Line,
    /// `(`
    RavOpen,
    /// `)`
    RavClose,
    /// Text that is not chess, as it stands.
    Text,
    /// `num` is 1 for `1-0`, 2 for `0-1`, 3 for `1/2-1/2`, 4 for `*`.
    Terminator,
}

/// How the check mark of a move is written, or should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// None.
    #[default]
    None,
    /// `+`
    Plus,
    /// `#`
    Hash,
    /// `++`
    Double,
    /// Something else.
    Other,
}

impl From<Check> for Mark {
    fn from(check: Check) -> Mark {
        match check {
            Check::None => Mark::None,
            Check::Check => Mark::Plus,
            Check::Mate => Mark::Hash,
        }
    }
}

impl Mark {
    /// Which these characters are.
    #[must_use]
    #[inline]
    pub fn of(text: &[u8]) -> Mark {
        match text {
            b"" => Mark::None,
            b"+" => Mark::Plus,
            b"#" => Mark::Hash,
            b"++" => Mark::Double,
            _ => Mark::Other,
        }
    }

    /// Its characters; of [`Mark::Other`], none.
    #[must_use]
    pub fn text(self) -> &'static [u8] {
        match self {
            Mark::None | Mark::Other => b"",
            Mark::Plus => b"+",
            Mark::Hash => b"#",
            Mark::Double => b"++",
        }
    }
}

/// How a move is written without its check mark; of a comment or another element, whether it is
/// closed as it should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As canonical SAN; closed.
    #[default]
    Canonical,
    /// As its squares.
    Squares,
    /// Otherwise.
    Other,
}

/// How an element is written: its form, the check mark of a move, and the check mark that belongs
/// there: none, `+` or `#`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spelled(u8);

impl Spelled {
    const FORMS: [Form; 3] = [Form::Canonical, Form::Squares, Form::Other];
    const MARKS: [Mark; 5] = [
        Mark::None,
        Mark::Plus,
        Mark::Hash,
        Mark::Double,
        Mark::Other,
    ];
    const CHECKS: [Mark; 3] = [Mark::None, Mark::Plus, Mark::Hash];

    /// In this way.
    #[must_use]
    #[inline]
    pub fn new(form: Form, mark: Mark, check: Mark) -> Spelled {
        debug_assert!(Spelled::CHECKS.contains(&check));
        Spelled(15 * form as u8 + 3 * mark as u8 + check as u8)
    }

    /// Its form.
    #[must_use]
    pub fn form(self) -> Form {
        Spelled::FORMS[usize::from(self.0 / 15)]
    }

    /// The check mark that is written.
    #[must_use]
    pub fn mark(self) -> Mark {
        Spelled::MARKS[usize::from(self.0 / 3 % 5)]
    }

    /// The check mark that belongs there.
    #[must_use]
    pub fn check(self) -> Mark {
        Spelled::CHECKS[usize::from(self.0 % 3)]
    }
}

/// A set of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spellings(u64);

impl Spellings {
    /// All.
    pub(crate) const ALL: Spellings = Spellings(u64::MAX);

    /// Those of which this is true.
    pub(crate) fn of(is_in: impl Fn(Spelled) -> bool) -> Spellings {
        Spellings((0..45).filter(|&n| is_in(Spelled(n))).map(|n| 1 << n).sum())
    }

    /// It is one of them.
    #[must_use]
    #[inline(always)]
    pub(crate) fn contains(self, spelled: Spelled) -> bool {
        self.0 >> (spelled.0 & 63) & 1 != 0
    }
}

/// `num` of a text element that is the rest of a line of play (D9); other texts have 0.
pub(crate) const TAIL: u32 = 1;

/// One element. Between two elements stands the *gap*: white space, move numbers, and whatever has
/// no meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elem {
    /// What it is.
    pub kind: Kind,
    /// The ordinal of a move.
    pub ordinal: u8,
    /// How it is written.
    pub spelled: Spelled,
    /// Offset of its first byte in the source.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// Depends on the kind.
    pub num: u32,
}

impl Elem {
    /// Where it stands.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text of a comment, or of a `%` line: without what encloses it.
    #[must_use]
    pub fn inner(&self) -> Range<usize> {
        let close = usize::from(self.kind == Kind::Brace && self.spelled == Spelled::default());
        self.start as usize + 1..self.end as usize - close
    }
}

/// Where the parts of a tag pair stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The name.
    pub name: Range<usize>,
    /// The value, backslashes not yet undone.
    pub value: Range<usize>,
}

/// P5's three kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wholeness {
    /// The main line is all ordinals.
    #[default]
    Whole,
    /// The main line ends in text.
    Tail,
    /// The main line is text from its first move.
    TextOnly,
}

/// Something that was not as the standard has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// What.
    pub what: What,
    /// Offset of its first byte in the source.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// It made the main line text.
    pub main: bool,
}

/// What a [`Note`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    BadStart,
    Illegal,
    Ambiguous,
    NotAMove,
    NullMove,
    NoOrdinal,
    RavText,
    RavUnclosed,
    CommentUnclosed,
    Spelling,
    Junk,
    TagForm,
    LongEscape,
    TooMany,
    TooLong,
    Unproved,
    Stray,
}

impl What {
    /// A short sentence.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            What::BadStart => "the start position or the rules cannot be used",
            What::Illegal => "illegal move",
            What::Ambiguous => "ambiguous move",
            What::NotAMove => "not a move",
            What::NullMove => "null move",
            What::NoOrdinal => "move without an ordinal (more than 256 moves are possible)",
            What::RavText => "variation without a usable move, or with nothing to replace",
            What::RavUnclosed => "variation is not closed",
            What::CommentUnclosed => "comment is not closed",
            What::Spelling => "unusual spelling of a move",
            What::Junk => "no meaning",
            What::TagForm => "tag pair out of form",
            What::LongEscape => "% line too long for a record",
            What::TooMany => "more elements than a game may have",
            What::TooLong => "longer than a game may be",
            What::Unproved => {
                "kept as text, because its records did not give it back: please report this"
            }
            What::Stray => "text outside games",
        }
    }
}

/// Games, read one after another. What they have stands in lists that they share: one more asks for
/// no memory of its own.
#[derive(Debug, Default)]
pub struct Games {
    pub(super) elems: Vec<Elem>,
    pub(super) tags: Vec<Tag>,
    pub(super) notes: Vec<Note>,
    pub(super) ordinals: Vec<u8>,
    pub(super) read: Vec<Read>,
}

/// A game that was read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Read {
    /// Where what it has in the lists ends; it begins where that of the game before does.
    pub elems: u32,
    pub tags: u32,
    pub notes: u32,
    pub ordinals: u32,
    pub tag_elems: u32,
    pub rav_texts: u32,
    pub kinds: Kinds,
    pub wholeness: Wholeness,
    pub odd_tags: bool,
    pub ascii_tags: bool,
}

/// At most so many bytes of source make an element, in most games, and a tag pair.
const BYTES_PER_ELEM: usize = 5;
const BYTES_PER_TAG: usize = 32;

impl Games {
    /// The games.
    pub fn iter(&self) -> impl Iterator<Item = Game<'_>> {
        let mut before = Read::default();
        self.read
            .iter()
            .map(move |read| self.game(std::mem::replace(&mut before, *read), read))
    }

    /// The game read last.
    #[must_use]
    pub fn last(&self) -> Option<Game<'_>> {
        let (read, before) = self.read.split_last()?;
        Some(self.game(before.last().copied().unwrap_or_default(), read))
    }

    fn game(&self, before: Read, read: &Read) -> Game<'_> {
        Game {
            elems: &self.elems[before.elems as usize..read.elems as usize],
            tags: &self.tags[before.tags as usize..read.tags as usize],
            notes: &self.notes[before.notes as usize..read.notes as usize],
            ordinals: &self.ordinals[before.ordinals as usize..read.ordinals as usize],
            tag_elems: read.tag_elems as usize,
            kinds: read.kinds,
            wholeness: read.wholeness,
            rav_texts: u64::from(read.rav_texts),
            odd_tags: read.odd_tags,
            ascii_tags: read.ascii_tags,
        }
    }

    /// Makes room for the games of a text of so many bytes, as most are.
    pub fn reserve(&mut self, bytes: usize) {
        self.elems.reserve(bytes / BYTES_PER_ELEM);
        self.ordinals.reserve(bytes / BYTES_PER_ELEM);
        self.tags.reserve(bytes / BYTES_PER_TAG);
    }

    /// Adds a text that is not read, perhaps for a reason.
    pub fn push_text(&mut self, note: Option<Note>) {
        self.notes.extend(note);
        let read = self.ends(Read {
            wholeness: Wholeness::TextOnly,
            ..Read::default()
        });
        self.read.push(read);
    }

    /// With the places where the lists end.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a block is hardly longer than a unit may be"
    )]
    pub(super) fn ends(&self, read: Read) -> Read {
        Read {
            elems: self.elems.len() as u32,
            tags: self.tags.len() as u32,
            notes: self.notes.len() as u32,
            ordinals: self.ordinals.len() as u32,
            ..read
        }
    }
}

/// One game of the source.
#[derive(Clone, Copy, Debug, Default)]
pub struct Game<'g> {
    /// The elements in source order: first the tag section, then the movetext.
    pub elems: &'g [Elem],
    /// The tag pairs.
    pub tags: &'g [Tag],
    /// What was not as it should be, in source order.
    pub notes: &'g [Note],
    /// Those of all moves, variations included.
    pub ordinals: &'g [u8],
    /// So many elements make up the tag section (tag pairs, and `%` lines before the last of them).
    pub tag_elems: usize,
    /// The kinds of elements behind it that are no moves.
    pub kinds: Kinds,
    /// Of its main line.
    pub wholeness: Wholeness,
    /// Variations, or ends of them, that are text.
    pub rav_texts: u64,
    /// Not all tag pairs are just as export format has them, with a name of letters and nothing in
    /// the value that a backslash belongs to.
    pub odd_tags: bool,
    /// The tag section is ASCII.
    pub ascii_tags: bool,
}

impl<'g> Game<'g> {
    /// Name and true value of each tag pair, in source order; `text` is what they stand in.
    pub fn tag_pairs<'t>(
        &self,
        text: &'t [u8],
    ) -> impl Iterator<Item = (&'t [u8], Cow<'t, [u8]>)> + Clone + use<'t, 'g> {
        let (tags, may_escape) = (self.tags, self.odd_tags);
        tags.iter().map(move |tag| {
            let value = &text[tag.value.clone()];
            let value = if may_escape {
                unescape(value)
            } else {
                Cow::Borrowed(value)
            };
            (&text[tag.name.clone()], value)
        })
    }

    /// The elements behind the tag section that are in no variation.
    pub fn main_elems(&self) -> impl Iterator<Item = &'g Elem> + use<'g> {
        let mut depth = 0_u32;
        self.elems[self.tag_elems..]
            .iter()
            .filter(move |elem| match elem.kind {
                Kind::RavOpen => {
                    depth += 1;
                    false
                }
                Kind::RavClose => {
                    depth = depth.saturating_sub(1);
                    false
                }
                _ => depth == 0,
            })
    }

    /// The ordinals of the main line.
    pub fn main_line(&self) -> impl Iterator<Item = u8> + use<'g> {
        self.main_elems()
            .filter(|elem| elem.kind == Kind::Move)
            .map(|elem| elem.ordinal)
    }

    /// So many they are.
    #[must_use]
    pub fn plies(&self) -> usize {
        if self.kinds.any(&[Kind::RavOpen]) {
            self.main_line().count()
        } else {
            self.ordinals.len()
        }
    }

    /// The text that the main line ends in.
    #[must_use]
    pub fn tail<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        self.main_elems()
            .find(|elem| elem.kind == Kind::Text && elem.num == TAIL)
            .map(|elem| &text[elem.span()])
    }

    /// The number of its terminator, as [`Kind::Terminator`] says; 0 if it has none.
    #[must_use]
    pub fn terminator(&self) -> u8 {
        self.elems
            .last()
            .filter(|elem| elem.kind == Kind::Terminator)
            .map_or(0, |elem| u8::try_from(elem.num).unwrap_or(0))
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u16);

impl Kinds {
    /// Adds one.
    #[inline]
    pub fn add(&mut self, kind: Kind) {
        self.0 |= 1 << kind as u16;
    }

    /// All of it is among these.
    #[must_use]
    pub fn are_among(self, kinds: &[Kind]) -> bool {
        kinds
            .iter()
            .fold(self.0, |rest, &kind| rest & !(1 << kind as u16))
            == 0
    }

    /// One of these is in it.
    #[must_use]
    #[inline]
    pub fn any(self, kinds: &[Kind]) -> bool {
        kinds.iter().any(|&kind| self.0 & 1 << kind as u16 != 0)
    }
}
