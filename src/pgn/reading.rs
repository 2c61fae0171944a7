//! A game that is being read: its elements go into the lists of [`ParsedGames`]. Also reads its tag
//! section.

use crate::blanks::blank_at;
use crate::game::{
    Elem, ElemKind, Form, GameMeta, Gap, Issue, IssueKind, Kinds, Mark, ParsedGames, Spelled,
    TagSpan,
};
use crate::tag::{
    BOM, MAX_INDENT, TagPair, in_mail, is_newline, is_space, plain_pair, tag_pair, unescape,
};
use pgc_chess::{Position, is_start_tag, known_start, lacks_chess960};

/// A game with more elements is kept as text.
pub const MAX_ELEMS: usize = 1 << 20;

/// A game with more tag pairs is kept as text: whoever reads a game keeps much about each of them.
pub const MAX_TAG_PAIRS: usize = 1 << 16;

/// A `%` line with more bytes after the `%` has no record.
pub const MAX_ESCAPE: usize = 65_531;

/// The game has more than [`MAX_ELEMS`] elements or issues, or more than [`MAX_TAG_PAIRS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

/// An offset in a game as 32 bits: at most [`super::split::MAX_UNIT`].
#[expect(clippy::cast_possible_truncation, reason = "at most 16 MiB")]
pub(super) fn at32(at: usize) -> u32 {
    at as u32
}

/// A game that is being read.
#[derive(Debug)]
pub(super) struct Reading<'g> {
    pub games: &'g mut ParsedGames,
    /// Where the lists ended before this game.
    begin: GameMeta,
    pub facts: GameMeta,
}

impl<'g> Reading<'g> {
    pub(super) fn new(games: &'g mut ParsedGames) -> Reading<'g> {
        Reading {
            begin: games.ends(GameMeta::default()),
            games,
            facts: GameMeta::default(),
        }
    }

    pub(super) fn end(self, done: Result<(), TooMany>) -> Result<(), TooMany> {
        let (games, begin) = (self.games, self.begin);
        match done {
            Ok(()) => games.read.push(games.ends(self.facts)),
            Err(TooMany) => {
                games.elems.truncate(begin.elems as usize);
                games.tags.truncate(begin.tags as usize);
                games.issues.truncate(begin.issues as usize);
                games.ordinals.truncate(begin.ordinals as usize);
            }
        }
        done
    }

    /// The number of elements of this game so far.
    fn len(&self) -> usize {
        self.games.elems.len() - self.begin.elems as usize
    }

    /// Whether an element of this game ends at `at`.
    #[inline(always)]
    pub(super) fn ends_at(&self, at: usize) -> bool {
        self.last().is_some_and(|last| last.end as usize == at)
    }

    /// The last element of this game so far.
    #[inline(always)]
    pub(super) fn last(&self) -> Option<&Elem> {
        self.games.elems[self.begin.elems as usize..].last()
    }

    /// Makes sure that the game has not too many elements or issues.
    #[inline]
    pub(super) fn count(&self) -> Result<(), TooMany> {
        let issues = self.games.issues.len() - self.begin.issues as usize;
        let is_small = self.len() <= MAX_ELEMS && issues <= MAX_ELEMS;
        is_small.then_some(()).ok_or(TooMany)
    }

    /// The tag pairs of this game so far.
    fn tags(&self) -> &[TagSpan] {
        &self.games.tags[self.begin.tags as usize..]
    }

    /// Reads the tag section; returns where the movetext begins.
    pub(super) fn read_tags(&mut self, src: &[u8], line_start: bool) -> Result<usize, TooMany> {
        let mut at = if src.starts_with(BOM) { 3 } else { 0 };
        let mut movetext = 0;
        // Whether only blanks were read since `line`, where a line begins.
        let (mut fresh, mut line) = (line_start, at);
        loop {
            while at < src.len() && is_space(src[at]) {
                let is_newline = is_newline(src[at]);
                fresh = is_newline || (fresh && matches!(src[at], b' ' | b'\t'));
                at += 1;
                if is_newline {
                    line = at;
                }
            }
            self.count()?;
            if self.tags().len() > MAX_TAG_PAIRS {
                return Err(TooMany);
            }
            match src.get(at) {
                Some(b'%') if is_line_start(src, at, line_start) => {
                    let end = line_end(src, at);
                    if end - at - 1 > MAX_ESCAPE {
                        break;
                    }
                    self.push(ElemKind::Escape, at, end, 0);
                    at = end;
                }
                Some(b'[') => {
                    let pair = match plain_pair(src, at) {
                        Some(pair) => pair,
                        None => {
                            let is_first = fresh && at - line <= MAX_INDENT;
                            let Ok(Some(pair)) = tag_pair(src, at, is_first, true) else {
                                break;
                            };
                            self.facts.odd_tags = true;
                            if !pair.quoted {
                                self.issue(IssueKind::TagForm, at, pair.end);
                            }
                            pair
                        }
                    };
                    at = self.push_tag(at, pair);
                    movetext = at;
                }
                Some(0 | 0x1a | 0x80..) => match blank_at(&src[at..]) {
                    0 => break,
                    n => {
                        at += n;
                        continue;
                    }
                },
                Some(b'>') if fresh => match in_mail(src, at, true) {
                    Ok(Some(tag)) => at = tag,
                    _ => break,
                },
                _ => break,
            }
            fresh = false;
        }
        // `%` lines after the last tag pair are movetext.
        self.games
            .elems
            .truncate((self.begin.elems + self.facts.tag_elems) as usize);
        if self.tags().is_empty() && src.starts_with(BOM) {
            movetext = 3;
        }
        self.facts.ascii_tags = src[..movetext].is_ascii();
        // `kinds` is about the movetext alone.
        self.facts.kinds = Kinds::default();
        Ok(movetext)
    }

    /// Adds a tag pair; returns where it ends.
    #[inline]
    fn push_tag(&mut self, start: usize, pair: TagPair) -> usize {
        let TagPair {
            name, value, end, ..
        } = pair;
        self.push(ElemKind::Tag, start, end, at32(self.tags().len()));
        self.games.tags.push(TagSpan { name, value });
        self.facts.tag_elems = at32(self.len());
        end
    }

    /// Whether the rules of Chess960 are wanted, and no tag says so.
    pub(super) fn lacks_chess960(&self, src: &[u8]) -> bool {
        let tags = self.tags().iter();
        lacks_chess960(tags.map(|tag| (&src[tag.name.clone()], &src[tag.value.clone()])))
    }

    /// The start position that the tags name (D8). `None`: the play is text.
    pub(super) fn start(&mut self, src: &[u8]) -> Option<Position> {
        // Most games have neither tag, so compare the names before unescaping any value.
        let named = || {
            self.tags()
                .iter()
                .filter(|t| is_start_tag(&src[t.name.clone()]))
        };
        let tags: Vec<_> = named()
            .map(|t| (&src[t.name.clone()], unescape(&src[t.value.clone()])))
            .collect();
        let pairs = tags.iter().map(|(name, value)| (*name, &**value));
        let start = known_start(pairs);
        match start {
            Ok(position) => Some(position),
            Err(i) => {
                // Where the case of the name is the fault, the name is shown too.
                let place = named().nth(i).map_or(0..0, |t| match &src[t.name.clone()] {
                    b"FEN" | b"Variant" => t.value.clone(),
                    _ => t.name.start..t.value.end,
                });
                self.issue(IssueKind::BadStart, place.start, place.end);
                None
            }
        }
    }

    /// The value of the last tag of this name, with its backslashes.
    pub(super) fn tag<'t>(&self, src: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
        let mut tags = self.tags().iter();
        let tag = tags.rfind(|tag| &src[tag.name.clone()] == name)?;
        Some(&src[tag.value.clone()])
    }

    #[inline]
    pub(super) fn push(&mut self, kind: ElemKind, start: usize, end: usize, num: u32) {
        self.facts.kinds.add(kind);
        self.games.elems.push(Elem {
            kind,
            ordinal: 0,
            spelled: Spelled::default(),
            gap: Gap::Any,
            start: at32(start),
            end: at32(end),
            num,
        });
    }

    /// Says of the last element what stands before it, and marks it as not closed, unless
    /// `is_closed`.
    pub(super) fn closed(&mut self, is_closed: bool, gap: Gap) {
        if let Some(elem) = self.games.elems.last_mut() {
            elem.gap = gap;
            if !is_closed {
                elem.spelled = Spelled::new(Form::Other, Mark::None, Mark::None);
            }
        }
    }

    pub(super) fn issue(&mut self, what: IssueKind, start: usize, end: usize) {
        self.games.issues.push(Issue {
            what,
            start: at32(start),
            end: at32(end),
            main: false,
        });
    }
}

/// Whether `at` is the first byte of a line; a byte order mark before it does not count.
pub(super) fn is_line_start(src: &[u8], at: usize, line_start: bool) -> bool {
    match at {
        0 => line_start,
        3 if src.starts_with(BOM) => true,
        _ => is_newline(src[at - 1]),
    }
}

/// The end of the line of `at` (before its newline).
pub(super) fn line_end(src: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\n', b'\r', &src[at..]).map_or(src.len(), |n| at + n)
}
