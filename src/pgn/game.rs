//! A parsed game: a flat list of elements, each with its place in the source.

use std::borrow::Cow;
use std::ops::Range;

use super::piece_letters::PieceLetters;
use super::tag::unescape;
use pgc_chess::{Check, PlayedFacts, Playing, named_enum};

/// The kind of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElemKind {
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
    /// A null move, which has no record (D35): only where a caller wants lines with null moves as
    /// moves. `num` as for a move.
    Null,
}

/// The check mark of a move, as it is written or as it should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// No check mark.
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
    /// The mark that has these characters.
    #[inline]
    pub fn from_text(text: &[u8]) -> Mark {
        match text {
            b"" => Mark::None,
            b"+" => Mark::Plus,
            b"#" => Mark::Hash,
            b"++" => Mark::Double,
            _ => Mark::Other,
        }
    }

    /// The characters; empty for [`Mark::Other`].
    pub fn text(self) -> &'static [u8] {
        match self {
            Mark::None | Mark::Other => b"",
            Mark::Plus => b"+",
            Mark::Hash => b"#",
            Mark::Double => b"++",
        }
    }
}

/// How a move is written, apart from its check mark. For a comment or a variation: whether it is
/// closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As canonical SAN; closed.
    #[default]
    Canonical,
    /// As its squares, `e2e4`.
    Squares,
    /// In another way; not closed.
    Other,
}

/// How an element is written: its form, the check mark that a move has, and the one that it should
/// have: none, `+` or `#`.
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

    /// Combines the form, the mark that is written and the mark that belongs there.
    #[inline]
    pub fn new(form: Form, mark: Mark, check: Mark) -> Spelled {
        debug_assert!(matches!(check, Mark::None | Mark::Plus | Mark::Hash));
        Spelled(15 * form as u8 + 3 * mark as u8 + check as u8)
    }

    /// The form.
    pub fn form(self) -> Form {
        Spelled::FORMS[usize::from(self.0 / 15)]
    }

    /// The check mark that is written.
    pub fn mark(self) -> Mark {
        Spelled::MARKS[usize::from(self.0 / 3 % 5)]
    }

    /// The check mark that belongs there.
    pub fn check(self) -> Mark {
        Spelled::MARKS[usize::from(self.0 % 3)]
    }
}

/// A set of spellings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spellings(u64);

impl Spellings {
    /// All spellings.
    pub const ALL: Spellings = Spellings(u64::MAX);

    /// The spellings for which `is_in` is true.
    pub fn matching(is_in: impl Fn(Spelled) -> bool) -> Spellings {
        Spellings((0..45).filter(|&n| is_in(Spelled(n))).map(|n| 1 << n).sum())
    }

    /// Whether the set has this spelling.
    #[inline(always)]
    pub fn contains(self, spelled: Spelled) -> bool {
        self.0 >> (spelled.0 & 63) & 1 != 0
    }
}

/// What the reader saw in the gap before an element: the usual ones, in which no line ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gap {
    /// Anything; only a closer look can tell.
    #[default]
    Any,
    /// One blank.
    Blank,
    /// A blank and the number of the move, as in ` 12.`
    Number,
    /// As in ` 12. `
    NumberBlank,
    /// As in ` 12... `
    PeriodsBlank,
}

impl Gap {
    /// The gap that this text stands for, in which `#` is the number of the move.
    pub fn from_template(text: &[u8]) -> Gap {
        match text {
            b" " => Gap::Blank,
            b" #." => Gap::Number,
            b" #. " => Gap::NumberBlank,
            b" #... " => Gap::PeriodsBlank,
            _ => Gap::Any,
        }
    }
}

/// `num` of a text element that is the rest of a line of play (D9); other texts have 0.
pub const TAIL: u32 = 1;

/// One element. Between two elements stands the *gap*: white space, move numbers, and whatever has
/// no meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elem {
    /// The kind.
    pub kind: ElemKind,
    /// The ordinal of a move.
    pub ordinal: u8,
    /// How it is written.
    pub spelled: Spelled,
    /// What stands between it and the element before.
    pub gap: Gap,
    /// Offset of its first byte in the source.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// A number whose meaning depends on the kind.
    pub num: u32,
}

impl Elem {
    /// The place in the source.
    pub fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The place of the text of a comment or of a `%` line, without the delimiters.
    pub fn inner(&self) -> Range<usize> {
        let close = usize::from(self.kind == ElemKind::Brace && self.spelled == Spelled::default());
        self.start as usize + 1..self.end as usize - close
    }
}

/// Where the parts of a tag pair stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagSpan {
    /// The name.
    pub name: Range<usize>,
    /// The value, still with its backslashes.
    pub value: Range<usize>,
}

named_enum! {
    /// How much of the main line is ordinals (P5).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Wholeness, name {
        /// The main line is all ordinals.
        #[default]
        Whole => "understood",
        /// The main line ends in text.
        Tail => "partly understood",
        /// The main line is text from its first move.
        TextOnly => "kept as text",
    }
}

/// A deviation from the standard, or a reason why text is kept as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The kind.
    pub what: IssueKind,
    /// Offset of its first byte in the source.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
    /// Because of it, the rest of the main line is text.
    pub main: bool,
}

named_enum! {
    /// The kind of an [`Issue`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the names say it")]
    pub enum IssueKind, text {
        BadStart => "the start position or the rules cannot be used",
        Illegal => "illegal move",
        NotChess960 => "castling that only Chess960 has, in a game without the tag Variant \"Chess960\" \
                 (pgc lint --fix adds it, and so does pgc edit --set Variant=Chess960)",
        Ambiguous => "ambiguous move",
        NotAMove => "not a move",
        NullMove => "null move",
        NoOrdinal => "move without an ordinal (more than 256 moves are possible)",
        RavText => "variation without a usable move, or with nothing to replace",
        RavUnclosed => "variation is not closed",
        CommentUnclosed => "comment is not closed",
        CommentNested => "comment in a comment: text behind its first closing brace",
        Number => "move number that contradicts the position",
        Spelling => "unusual spelling of a move",
        Junk => "characters without meaning",
        TagForm => "malformed tag pair",
        LongEscape => "% line too long for a record",
        TooMany => "more elements than a game may have",
        TooLong => "longer than a game may be",
        Unproved => "kept as text, because its records did not reproduce it: please report this",
        Stray => "text outside games",
    }
}

/// Games, read one after another. They share their lists, so that another game needs no allocation
/// of its own.
#[derive(Debug, Default)]
pub struct ParsedGames {
    pub(super) elems: Vec<Elem>,
    pub(super) tags: Vec<TagSpan>,
    pub(super) issues: Vec<Issue>,
    pub(super) ordinals: Vec<u8>,
    pub(super) read: Vec<GameMeta>,
    /// The letters that moves are written with, if not those of English.
    pub(super) letters: Option<&'static PieceLetters>,
    /// Null moves are elements, and the line of play goes on behind them.
    pub(super) has_nulls: bool,
    /// The main line that is being played, if what playing tells is wanted.
    pub(super) playing: Option<Playing>,
}

/// What the lists of [`ParsedGames`] do not hold of a game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GameMeta {
    /// Where its entries in the lists end; they begin where those of the game before end.
    pub elems: u32,
    pub tags: u32,
    pub issues: u32,
    pub ordinals: u32,
    pub tag_elems: u32,
    pub rav_texts: u32,
    pub kinds: Kinds,
    pub wholeness: Wholeness,
    pub odd_tags: bool,
    pub ascii_tags: bool,
    pub played: Option<PlayedFacts>,
}

/// The bytes of source that an element, and a tag pair, take in a typical game.
const BYTES_PER_ELEM: usize = 5;
const BYTES_PER_TAG: usize = 32;

impl ParsedGames {
    /// For games whose moves are written with these piece letters; `None` is English.
    pub fn in_letters(letters: Option<&'static PieceLetters>) -> ParsedGames {
        ParsedGames {
            letters,
            ..ParsedGames::default()
        }
    }

    /// Adds what playing the main lines tells, if `wanted`.
    pub fn with_play(self, wanted: bool) -> ParsedGames {
        ParsedGames {
            playing: wanted.then(Playing::default),
            ..self
        }
    }

    /// Reads null moves as elements, which make no text of a line of play.
    pub fn with_null_moves(letters: Option<&'static PieceLetters>) -> ParsedGames {
        ParsedGames {
            has_nulls: true,
            ..ParsedGames::in_letters(letters)
        }
    }

    /// The games.
    pub fn iter(&self) -> impl Iterator<Item = ParsedGame<'_>> {
        let mut before = GameMeta::default();
        self.read
            .iter()
            .map(move |read| self.game(std::mem::replace(&mut before, *read), read))
    }

    /// Reads one more game, which begins a line; `None` if it has too many elements.
    pub fn read_one(&mut self, src: &[u8]) -> Option<ParsedGame<'_>> {
        self.read_game(src, true).ok()?;
        self.last()
    }

    /// The game read last.
    pub fn last(&self) -> Option<ParsedGame<'_>> {
        let (read, before) = self.read.split_last()?;
        Some(self.game(before.last().copied().unwrap_or_default(), read))
    }

    fn game(&self, before: GameMeta, read: &GameMeta) -> ParsedGame<'_> {
        ParsedGame {
            elems: &self.elems[before.elems as usize..read.elems as usize],
            tags: &self.tags[before.tags as usize..read.tags as usize],
            issues: &self.issues[before.issues as usize..read.issues as usize],
            ordinals: &self.ordinals[before.ordinals as usize..read.ordinals as usize],
            tag_elems: read.tag_elems as usize,
            kinds: read.kinds,
            wholeness: read.wholeness,
            rav_texts: u64::from(read.rav_texts),
            odd_tags: read.odd_tags,
            ascii_tags: read.ascii_tags,
            played: read.played,
        }
    }

    /// Reserves room for the games of a typical source of `bytes` bytes.
    pub fn reserve(&mut self, bytes: usize) {
        self.elems.reserve(bytes / BYTES_PER_ELEM);
        self.ordinals.reserve(bytes / BYTES_PER_ELEM);
        self.tags.reserve(bytes / BYTES_PER_TAG);
    }

    /// Forgets all games, and keeps the memory.
    pub fn clear(&mut self) {
        self.elems.clear();
        self.tags.clear();
        self.issues.clear();
        self.ordinals.clear();
        self.read.clear();
    }

    /// Adds a text that is not read, with the issue that says why, if any.
    pub fn push_text(&mut self, issue: Option<Issue>) {
        self.issues.extend(issue);
        let read = self.ends(GameMeta {
            wholeness: Wholeness::TextOnly,
            ..GameMeta::default()
        });
        self.read.push(read);
    }

    /// `read`, with the places where the lists end now.
    #[expect(clippy::cast_possible_truncation, reason = "blocks are small")]
    pub(super) fn ends(&self, read: GameMeta) -> GameMeta {
        GameMeta {
            elems: self.elems.len() as u32,
            tags: self.tags.len() as u32,
            issues: self.issues.len() as u32,
            ordinals: self.ordinals.len() as u32,
            ..read
        }
    }
}

/// One game of the source.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParsedGame<'g> {
    /// The elements in source order: first the tag section, then the movetext.
    pub elems: &'g [Elem],
    /// The tag pairs.
    pub tags: &'g [TagSpan],
    /// The issues, in source order.
    pub issues: &'g [Issue],
    /// The ordinals of all moves, variations included.
    pub ordinals: &'g [u8],
    /// The number of elements of the tag section (tag pairs, and `%` lines before the last of
    /// them).
    pub tag_elems: usize,
    /// The kinds of the elements behind the tag section, without moves.
    pub kinds: Kinds,
    /// The wholeness of the main line.
    pub wholeness: Wholeness,
    /// The number of variations, or ends of variations, that are text.
    pub rav_texts: u64,
    /// Some tag pair is not exactly `[Name "value"]` with a name of letters and a value that needs
    /// no backslash.
    pub odd_tags: bool,
    /// The tag section is ASCII.
    pub ascii_tags: bool,
    /// What playing the main line told, if that was wanted, and there are moves to play.
    pub played: Option<PlayedFacts>,
}

impl<'g> ParsedGame<'g> {
    /// Name and unescaped value of each tag pair, in source order; `text` is the source of the
    /// game.
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

    /// Where the tag section ends.
    pub fn tags_end(&self) -> usize {
        let last = self.elems[..self.tag_elems].last();
        last.map_or(0, |elem| elem.end as usize)
    }

    /// The elements behind the tag section that are in no variation.
    pub fn main_elems(&self) -> impl Iterator<Item = &'g Elem> + use<'g> {
        let mut depth = 0_u32;
        self.elems[self.tag_elems..]
            .iter()
            .filter(move |elem| match elem.kind {
                ElemKind::RavOpen => {
                    depth += 1;
                    false
                }
                ElemKind::RavClose => {
                    depth = depth.saturating_sub(1);
                    false
                }
                _ => depth == 0,
            })
    }

    /// The ordinals of the main line.
    pub fn main_line(&self) -> impl Iterator<Item = u8> + use<'g> {
        self.main_elems()
            .filter(|elem| elem.kind == ElemKind::Move)
            .map(|elem| elem.ordinal)
    }

    /// The moves of the main line, null moves included, which have no ordinal.
    pub fn main_moves(&self) -> impl Iterator<Item = Option<u8>> + use<'g> {
        self.main_elems().filter_map(|elem| match elem.kind {
            ElemKind::Move => Some(Some(elem.ordinal)),
            ElemKind::Null => Some(None),
            _ => None,
        })
    }

    /// The number of moves in the main line.
    pub fn plies(&self) -> usize {
        if self.kinds.any(&[ElemKind::RavOpen]) {
            self.main_line().count()
        } else {
            self.ordinals.len()
        }
    }

    /// The text that ends the main line.
    pub fn tail<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        self.main_elems()
            .find(|elem| elem.kind == ElemKind::Text && elem.num == TAIL)
            .map(|elem| &text[elem.span()])
    }

    /// The number of its terminator, as in [`ElemKind::Terminator`]; 0 if it has none.
    pub fn terminator(&self) -> u8 {
        let last = self.elems.last();
        let last = last.filter(|elem| elem.kind == ElemKind::Terminator);
        last.map_or(0, |elem| u8::try_from(elem.num).unwrap_or(0))
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u16);

impl Kinds {
    /// Adds a kind.
    #[inline]
    pub fn add(&mut self, kind: ElemKind) {
        self.0 |= 1 << kind as u16;
    }

    /// Whether every kind of the set is among `kinds`.
    pub fn are_among(self, kinds: &[ElemKind]) -> bool {
        let without = |rest, &kind: &ElemKind| rest & !(1 << kind as u16);
        kinds.iter().fold(self.0, without) == 0
    }

    /// Whether the set has one of `kinds`.
    #[inline]
    pub fn any(self, kinds: &[ElemKind]) -> bool {
        kinds.iter().any(|&kind| self.0 & 1 << kind as u16 != 0)
    }
}
