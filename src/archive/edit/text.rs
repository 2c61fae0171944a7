//! Makes changes to the text of a game.

use std::borrow::Cow;
use std::ops::Range;

use crate::edit::edits::{CHESS960, Edits, FieldChange, FieldPlace, GameTag};
use crate::join::boundary::newline_of;
use pgc_pgn::game::{Elem, ElemKind, ParsedGame, ParsedGames, TagSpan};
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::split::MAX_UNIT;
use pgc_pgn::tag::{BOM, is_newline, is_space, put_escaped, put_tag_pair};
use pgc_pgn::text::decoded;
use pgc_pgn::writer::Termination;

/// A game that is read to be edited; if it is kept as text, only its tag section is.
struct EditableGame<'t> {
    text: &'t [u8],
    /// The game is the last one.
    games: ParsedGames,
    /// The tag pairs, and where they stand.
    tags: Vec<GameTag<'t>>,
    spans: Vec<(Range<usize>, TagSpan)>,
}

impl<'t> EditableGame<'t> {
    /// Reads a game; `None` if the tag section has too many elements.
    fn read(
        text: &'t [u8],
        line_start: bool,
        letters: Option<&'static PieceLetters>,
    ) -> Option<EditableGame<'t>> {
        let mut games = ParsedGames::in_letters(letters);
        // A text of this length may be the first piece of a longer game.
        if text.len() >= MAX_UNIT || games.read_game(text, line_start).is_err() {
            games.read_tag_section(text, line_start).ok()?;
        }
        let game = games.last()?;
        let tags = game.elems.iter().filter(|elem| elem.kind == ElemKind::Tag);
        Some(EditableGame {
            text,
            tags: game.tag_pairs(text).collect(),
            spans: tags
                .map(Elem::span)
                .zip(game.tags.iter().cloned())
                .collect(),
            games,
        })
    }

    fn game(&self) -> ParsedGame<'_> {
        self.games.last().unwrap_or_default()
    }

    /// The elements that are no tag pairs.
    fn others(&self) -> impl Iterator<Item = &Elem> {
        let elems = self.game().elems.iter();
        elems.filter(|elem| elem.kind != ElemKind::Tag)
    }

    fn terminator(&self) -> Option<&Elem> {
        let last = self.game().elems.last();
        last.filter(|elem| elem.kind == ElemKind::Terminator)
    }
}

/// The text of a game with the changes that are asked for; `None` if there are none. `line_start`:
/// its first byte is the first of a line. `latin1`: new values are written in Latin-1 if it has
/// their characters. `letters`: the piece letters of its moves.
///
/// # Errors
/// The new text would not read as the game with these changes.
pub(super) fn edited(
    edits: &Edits,
    text: &[u8],
    line_start: bool,
    latin1: bool,
    letters: Option<&'static PieceLetters>,
) -> Result<Option<Vec<u8>>, &'static str> {
    const TOO_MANY: &str = "has more elements or tag pairs than a game may have";
    let game = EditableGame::read(text, line_start, letters).ok_or(TOO_MANY)?;
    let terminator = Termination::from_number(game.game().terminator());
    let edits = edits.of_game(&game.tags, game.game().main_line());
    let changes = edits.changes(&game.tags, terminator);
    if changes.is_empty() {
        return Ok(None);
    }
    let new = apply(&game, &changes, latin1);
    let again = EditableGame::read(&new, line_start, letters).ok_or(TOO_MANY)?;
    match is_as_asked(&game, &changes, &again) {
        true => Ok(Some(new)),
        false => Err("would not be read as it should be after the change"),
    }
}

/// Makes the changes: each replaces a range of the text.
fn apply(game: &EditableGame<'_>, changes: &[FieldChange], latin1: bool) -> Vec<u8> {
    let newline = newline_of(game.text).unwrap_or(b"\n");
    let mut splices: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    let first = game.spans.first();
    let first = first.map(|(span, _)| line_begin(game.text, span.start));
    let first = first.unwrap_or_else(|| beginning(game.text));
    for change in changes {
        let value = encoded(change.after.as_deref().unwrap_or_default(), latin1);
        let mut pair = Vec::new();
        let name = change.tag.as_deref().unwrap_or_default().as_bytes();
        put_tag_pair(&mut pair, name, &value);
        splices.push(match change.place {
            FieldPlace::Tag(nth) => {
                let (span, parts) = &game.spans[nth];
                if change.after.is_none() {
                    (with_its_line(game.text, span.clone()), Vec::new())
                } else if is_quoted(game.text, span, parts) {
                    let mut escaped = Vec::new();
                    put_escaped(&mut escaped, &value);
                    (parts.value.clone(), escaped)
                } else {
                    (span.clone(), pair)
                }
            }
            FieldPlace::Behind(nth) => {
                let at = line_end(game.text, game.spans[nth].0.end);
                (at..at, [newline, &pair].concat())
            }
            FieldPlace::First => (first..first, [&pair, newline].concat()),
            FieldPlace::Terminator => {
                let Some(span) = game.terminator().map(Elem::span) else {
                    continue;
                };
                let marker = apart(&game.text[..span.start], &value);
                (span, marker)
            }
        });
    }
    if game.spans.is_empty() {
        // An empty line stands between the tag section and the movetext.
        splices.push((first..first, newline.to_vec()));
    }
    let shared = shared_lines(game, changes).into_iter();
    splices.extend(shared.map(|at| (at..at, newline.to_vec())));
    // The stable sort keeps the order of pairs inserted at one place, and puts them before a pair
    // that is replaced there.
    splices.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut new, mut done) = (Vec::with_capacity(game.text.len() + 256), 0);
    for (range, bytes) in splices {
        // A new pair may be inserted into the line of a removed one: then the ranges overlap.
        new.extend_from_slice(game.text.get(done..range.start).unwrap_or_default());
        new.extend_from_slice(&bytes);
        done = done.max(range.end);
    }
    new.extend_from_slice(&game.text[done..]);
    new
}

/// Whether the changed text, read again, has the tag pairs that it should have, and every other
/// element as it was.
fn is_as_asked(old: &EditableGame<'_>, changes: &[FieldChange], new: &EditableGame<'_>) -> bool {
    let tags = new.tags.iter();
    let tags = tags.map(|(name, value)| (decoded(name), decoded(value)));
    let are_tags = tags.eq(tags_after(old, changes));
    let is_terminator = |change: &&FieldChange| change.place == FieldPlace::Terminator;
    let terminator = changes.iter().find(is_terminator);
    let terminator = terminator.and_then(|change| change.after.as_deref());
    let others = old.others().map(|was| {
        let text = match (was.kind, terminator) {
            (ElemKind::Terminator, Some(after)) => after.as_bytes(),
            _ => &old.text[was.span()],
        };
        (was.kind, was.ordinal, was.spelled, text)
    });
    let others = others.eq(new
        .others()
        .map(|is| (is.kind, is.ordinal, is.spelled, &new.text[is.span()])));
    // Under other rules text becomes moves.
    let is_played_anew = |change: &FieldChange| change.tag.as_deref() == Some(CHESS960.0);
    are_tags && (others || changes.iter().any(is_played_anew))
}

/// Name and value of each tag pair after the changes.
fn tags_after<'c>(
    game: &'c EditableGame<'_>,
    changes: &'c [FieldChange],
) -> Vec<(Cow<'c, str>, Cow<'c, str>)> {
    let at = |place: FieldPlace| {
        let here = changes.iter().filter(move |change| change.place == place);
        here.filter_map(|change| Some((change.tag.as_deref()?, change.after.as_deref()?)))
            .map(|(name, value)| (Cow::Borrowed(name), Cow::Borrowed(value)))
    };
    let mut tags: Vec<_> = at(FieldPlace::First).collect();
    for (nth, (name, value)) in game.tags.iter().enumerate() {
        let place = FieldPlace::Tag(nth);
        if changes.iter().any(|change| change.place == place) {
            tags.extend(at(place));
        } else {
            tags.push((decoded(name), decoded(value)));
        }
        tags.extend(at(FieldPlace::Behind(nth)));
    }
    tags
}

/// The termination marker, with a blank if it would stand right behind a move: `e5*` could be read,
/// `e51-0` could not.
fn apart(before: &[u8], marker: &[u8]) -> Vec<u8> {
    let is_glued = before.last().is_some_and(u8::is_ascii_alphanumeric);
    let blank: &[u8] = if is_glued { b" " } else { b"" };
    [blank, marker].concat()
}

/// Whether the value stands between quotes, with only white space before the closing bracket.
fn is_quoted(text: &[u8], span: &Range<usize>, parts: &TagSpan) -> bool {
    let before = &text[span.start..parts.value.start];
    let behind = &text[parts.value.end..span.end];
    let is_closed =
        matches!(behind, [b'"', blanks @ .., b']'] if blanks.iter().all(|&b| is_space(b)));
    before.ends_with(b"\"") && is_closed
}

/// The range with its whole line, if nothing else is on it.
fn with_its_line(text: &[u8], span: Range<usize>) -> Range<usize> {
    let start = line_begin(text, span.start);
    let is_first = is_line_begin(text, start);
    let end = line_end(text, span.end);
    match text[end..] {
        [b'\r', b'\n', ..] if is_first => start..end + 2,
        [b'\r' | b'\n', ..] if is_first => start..end + 1,
        _ => span,
    }
}

/// Where the line begins, if only blanks stand before this place; else the place.
fn line_begin(text: &[u8], at: usize) -> usize {
    let blanks = text[..at].iter().rev().take_while(|b| is_blank(b));
    let begin = at - blanks.count();
    match is_line_begin(text, begin) {
        true => begin,
        false => at,
    }
}

fn is_line_begin(text: &[u8], at: usize) -> bool {
    text[..at].last().is_none_or(|&byte| is_newline(byte)) || text[..at] == *BOM
}

/// Where the line ends, if only blanks stand behind this place; else the place.
fn line_end(text: &[u8], at: usize) -> usize {
    let end = at + text[at..].iter().take_while(|b| is_blank(b)).count();
    match text.get(end) {
        None => end,
        Some(&byte) if is_newline(byte) => end,
        Some(_) => at,
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The places behind new pairs that need a line end, since another pair follows on the same line
/// and stays.
fn shared_lines(game: &EditableGame<'_>, changes: &[FieldChange]) -> Vec<usize> {
    let goes = |nth: usize| {
        let mut changes = changes.iter();
        changes.any(|change| change.place == FieldPlace::Tag(nth) && change.after.is_none())
    };
    let shared = |change: &FieldChange| {
        let FieldPlace::Behind(nth) = change.place else {
            return None;
        };
        let end = game.spans[nth].0.end;
        let next = game.spans.get(nth + 1)?.0.start;
        let is_shared = game.text[end..next].iter().all(is_blank) && !goes(nth + 1);
        is_shared.then_some(end)
    };
    let mut places: Vec<usize> = changes.iter().filter_map(shared).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Where the first tag pair of a game without any goes: before everything but a byte order mark and
/// white space.
fn beginning(text: &[u8]) -> usize {
    let mark = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let blanks = text[mark..].iter().take_while(|&&byte| is_space(byte));
    mark + blanks.count()
}

/// A value in Latin-1, if that is asked for, has all its characters, and would not be taken for
/// UTF-8; else in UTF-8.
fn encoded(value: &str, latin1: bool) -> Cow<'_, [u8]> {
    let in_latin1 = || value.chars().map(|c| u8::try_from(c).ok()).collect();
    let bytes: Option<Vec<u8>> = latin1.then(in_latin1).flatten();
    let bytes = bytes.filter(|bytes| decoded(bytes) == value);
    bytes.map_or(value.as_bytes().into(), Cow::from)
}
