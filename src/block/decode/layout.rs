//! Renders a decoded game as the bytes of its source.

use crate::layout::{END, Short, Style, Walk, column_after, next_class, put_nag, sticky_tail};
use crate::num::{take_num, take_str};
use crate::pieces::put_pieces;
use pgc_chess::{PlayedFacts, Playing, start_position};
use pgc_pgn::epd::source::put_said;
use pgc_pgn::game::{Elem, ElemKind, Mark, TagSpan};
use pgc_pgn::piece_letters::PieceLetters;
use pgc_pgn::tag::put_tag_pair;

use crate::decode::game::{Decoded, RenderFault};
use crate::proof::spelling::{agrees, is_gap};
use crate::replay::{Play, Played};
use crate::tag_value::{SHORT, terminator_text};

/// The play of a game, with moves spelled as their squares if `squares`; `None` where its tags name
/// no start position that can be used.
fn play_of(game: &Decoded, squares: bool) -> Option<Play> {
    let mut play = Play::new(start_position(game.tag_pairs()).ok()?, false);
    play.branches = game.kinds.any(&[ElemKind::RavOpen]);
    play.squares = squares;
    Some(play)
}

/// Plays the moves of a game, if it has a start position.
struct Moves(Option<Play>);

impl Moves {
    /// Plays the move of this ordinal, if there is one; else [`Moves::refusal`] has the fault. A
    /// `Result` with the fault would pass each move through memory.
    #[inline(always)]
    fn play(&mut self, ordinal: u8) -> Option<Played> {
        self.0.as_mut()?.play(ordinal)
    }

    /// The play, unless a variation is open.
    fn in_main_line(&self) -> Option<&Play> {
        self.0.as_ref().filter(|play| play.lines.is_empty())
    }

    /// Why [`Moves::play`] returned nothing.
    #[cold]
    fn refusal(&self, ordinal: u8) -> RenderFault {
        let what = match self.0 {
            Some(_) => format!("0x{ordinal:02x}: there is no such move"),
            None => "the game has no start position".to_owned(),
        };
        ("move ordinal", what)
    }

    /// Begins a variation.
    fn open(&mut self) -> Result<(), RenderFault> {
        let what = "there is no move that the variation could replace";
        match self.0.as_mut().is_some_and(Play::rav_begin) {
            true => Ok(()),
            false => Err(("rav-begin", what.into())),
        }
    }

    /// Ends the variation.
    fn close(&mut self) -> Result<(), RenderFault> {
        if self.0.as_ref().is_some_and(|play| !play.moved) {
            return Err(("rav-end", "the variation has no move".into()));
        }
        match self.0.as_mut().is_some_and(Play::rav_end) {
            true => Ok(()),
            false => Err(("rav-end", "no variation is open".into())),
        }
    }
}

/// How to treat the spellings and gaps that a layout gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenText {
    /// Take them as the text.
    Believed,
    /// Take them as the text, but fail if they contradict the records. Moves may be written with
    /// these piece letters.
    Checked(Option<&'static PieceLetters>),
}

impl GivenText {
    fn is_checked(self) -> bool {
        self != GivenText::Believed
    }

    /// Whether the given spelling contradicts the element, whose usual spelling is `usual`.
    fn refuses(self, kind: ElemKind, usual: &[u8], given: &[u8]) -> bool {
        match self {
            GivenText::Believed => false,
            GivenText::Checked(letters) => !agrees(kind, usual, given, letters),
        }
    }
}

/// The slots whose bytes a layout gives, in order.
#[derive(Debug, Default)]
pub struct Slots<'a> {
    src: &'a [u8],
    /// The number and the bytes of the next one.
    pub next: Option<(u64, &'a [u8])>,
    last: u64,
}

impl<'a> Slots<'a> {
    /// Reads the slots of a layout.
    pub fn new(src: &'a [u8]) -> Result<Slots<'a>, RenderFault> {
        let (next, last) = (None, 0);
        let mut slots = Slots { src, next, last };
        slots.advance()?;
        Ok(slots)
    }

    /// Reads the next one.
    pub fn advance(&mut self) -> Result<(), RenderFault> {
        self.next = None;
        if self.src.is_empty() {
            return Ok(());
        }
        let bad = || ("layout (L)", "not well-formed".to_owned());
        let slot = take_num(&mut self.src).and_then(|n| n.checked_add(self.last));
        let slot = slot.ok_or_else(bad)?;
        let bytes = take_str(&mut self.src).ok_or_else(bad)?;
        self.last = slot;
        self.next = Some((slot, bytes));
        Ok(())
    }

    /// Whether the layout gives `slot` or the slot behind it.
    #[inline]
    fn are_near(&self, slot: u64) -> bool {
        self.next.is_some_and(|next| next.0 < slot + 2)
    }

    /// The bytes of this slot, if they are given.
    fn take(&mut self, slot: u64) -> Result<Option<&'a [u8]>, RenderFault> {
        let given = self.next.filter(|next| next.0 == slot);
        if given.is_some() {
            self.advance()?;
        }
        Ok(given.map(|given| given.1))
    }
}

/// Appends the line of a game of EPD (spec/epd.md 7). Fails if that makes `out` longer than
/// `limit` bytes.
fn render_line(
    out: &mut Vec<u8>,
    game: &Decoded,
    style: &Style,
    limit: usize,
) -> Result<(), RenderFault> {
    let is_tag = |kind| matches!(kind, ElemKind::Tag | ElemKind::Terminator);
    if !game.elems.iter().all(|elem| is_tag(elem.kind)) {
        return Err(("game", "of EPD has more than tag pairs".into()));
    }
    match game.layout.as_deref() {
        None => put_said(out, game.tag_pairs(), style.newline.bytes())
            .ok_or_else(|| ("game", "of EPD has no tags FEN and EPD".into()))?,
        Some([1, text @ ..]) => out.extend_from_slice(text),
        Some(_) => return Err(("layout (L)", "of an unknown kind".into())),
    }
    check_length(out, limit)
}

/// Fails if the text is too long.
#[inline(always)]
fn check_length(out: &[u8], limit: usize) -> Result<(), RenderFault> {
    if out.len() > limit {
        return Err(("block", "gives more text than its head says".into()));
    }
    Ok(())
}

/// What rendering works with, and what it tells.
#[derive(Debug, Default)]
pub struct Scratch {
    /// A spelling that does not go to the text at once.
    pub spelling: Vec<u8>,
    /// If there is one, rendering also tells what playing the game tells.
    pub playing: Option<Playing>,
    /// What it told of the last game, if it played the main line.
    pub played: Option<PlayedFacts>,
}

/// Appends the source of a game. Fails if that makes `out` longer than `limit` bytes.
pub fn render(
    out: &mut Vec<u8>,
    game: &Decoded,
    style: &Style,
    scratch: &mut Scratch,
    limit: usize,
    given: GivenText,
) -> Result<(), RenderFault> {
    scratch.played = None;
    if style.epd {
        return render_line(out, game, style, limit);
    }
    let mut moves = Moves(play_of(game, style.squares));
    let slots = match game.layout.as_deref() {
        None => Slots::default(),
        Some([0, slots @ ..]) => Slots::new(slots)?,
        Some([1, text @ ..]) => {
            out.extend_from_slice(text);
            return check_moves(game.play(), &mut moves);
        }
        Some(_) => return Err(("layout (L)", "of an unknown kind".into())),
    };
    let measured = (out.len(), 0);
    let mut text = GameText {
        out,
        game,
        walk: Walk::new(style),
        style,
        slots,
        slot: 0,
        scratch: &mut scratch.spelling,
        limit,
        measured,
        given,
    };
    let mut playing = scratch.playing.as_mut();
    if let (Some(playing), Some(play)) = (&mut playing, &moves.0) {
        playing.begin(&play.position);
    }
    let mut rest = game.elems.as_slice();
    while let Some((elem, behind)) = rest.split_first() {
        rest = behind;
        match elem.kind {
            ElemKind::Tag => text.put_tag(&game.tags[elem.num as usize], rest)?,
            ElemKind::Move => {
                let Some(played) = moves.play(elem.ordinal) else {
                    return Err(moves.refusal(elem.ordinal));
                };
                if let (Some(playing), Some(play)) = (&mut playing, moves.in_main_line()) {
                    playing.see(&play.position);
                }
                text.put_move(played, rest)?;
            }
            ElemKind::RavOpen => {
                moves.open()?;
                text.put_element(elem, rest)?;
            }
            ElemKind::RavClose => {
                moves.close()?;
                text.put_element(elem, rest)?;
            }
            ElemKind::Brace => text.put_comment(elem, rest)?,
            _ => text.put_element(elem, rest)?,
        }
    }
    text.end()?;
    if let (Some(playing), Some(play)) = (playing, moves.in_main_line()) {
        scratch.played = Some(playing.end(&play.position));
    }
    Ok(())
}

/// The text of a game as it grows.
struct GameText<'t, 's> {
    out: &'t mut Vec<u8>,
    game: &'t Decoded,
    walk: Walk<'s>,
    style: &'s Style,
    slots: Slots<'t>,
    /// The slot that comes next.
    slot: u64,
    scratch: &'t mut Vec<u8>,
    limit: usize,
    /// How far the text was searched for line ends, and the column there.
    measured: (usize, usize),
    given: GivenText,
}

impl GameText<'_, '_> {
    /// Appends a tag pair; `rest` are the elements behind it. [`GameText::measure`] later finds its
    /// column.
    fn put_tag(&mut self, tag: &TagSpan, rest: &[Elem]) -> Result<(), RenderFault> {
        let next = next_class(ElemKind::Tag, 0, None);
        let [name, value] = [&tag.name, &tag.value].map(|range| &self.game.text[range.clone()]);
        if let Some(gap) = self.plain_gap(next) {
            self.slot += 2;
            if put_short_pair(self.out, gap, self.game, tag).is_none() {
                gap.put(self.out);
                put_tag_pair(self.out, name, value);
            }
            self.walk.place.follow(ElemKind::Tag);
            return check_length(self.out, self.limit);
        }
        self.put(ElemKind::Tag, next, 0, rest, |out| {
            put_tag_pair(out, name, value)
        })
    }

    /// Finds the column behind tag pairs. Most of them end their line, so only the column of the
    /// last one counts.
    #[inline(always)]
    fn measure(&mut self) {
        if self.walk.is_behind_tag() && self.walk.wants_column() {
            let (from, column) = self.measured;
            let column = column_after(column, &self.out[from..]);
            self.walk.column = column;
            self.measured = (self.out.len(), column);
        }
    }

    /// The gap before an element of class `next` that has no number, if it depends neither on the
    /// layout nor on the element. The walk then stands behind it.
    #[inline(always)]
    fn plain_gap(&mut self, next: usize) -> Option<Short> {
        if self.walk.wants_word_of(next) || self.slots.are_near(self.slot) {
            return None;
        }
        self.walk.plain_gap(next, 0, 0)
    }

    /// Appends a move; `rest` are the elements behind it.
    #[inline(always)]
    fn put_move(&mut self, played: Played, rest: &[Elem]) -> Result<(), RenderFault> {
        let mut san = played.san;
        if played.check != Mark::None {
            let mark = self.style.marks.written(played.check).text();
            mark.iter().for_each(|&byte| san.push(byte));
        }
        let then = rest.first().map(|elem| elem.kind);
        let next = next_class(ElemKind::Move, played.num, then);
        if self.slots.are_near(self.slot) {
            return self.put(ElemKind::Move, next, played.num, rest, |out| san.put(out));
        }
        if let Some(letters) = self.style.letters {
            san = san.map(|byte| letters.local(byte));
        }
        self.measure();
        self.slot += 2;
        let mut word = 0;
        if self.walk.wants_word() {
            word = san.as_bytes().len() + sticky_tail(&self.walk, ElemKind::Move, rest);
        }
        self.walk.put_gap(self.out, next, played.num, word);
        san.put(self.out);
        self.walk.advance_move(san.as_bytes().len());
        check_length(self.out, self.limit)
    }

    /// Appends a comment in braces. Those that are short, in lines of any length, need few steps.
    #[inline]
    fn put_comment(&mut self, elem: &Elem, rest: &[Elem]) -> Result<(), RenderFault> {
        const SHORT_COMMENT: usize = 64;
        let (kind, span) = (elem.kind, elem.span());
        let text = self.game.text[span.start..].first_chunk::<SHORT_COMMENT>();
        if let Some(text) = text.filter(|text| span.len() <= text.len())
            && !self.walk.wants_column()
            && let Some(gap) = self.plain_gap(next_class(kind, 0, None))
        {
            self.slot += 2;
            put_pieces::<{ 8 + SHORT_COMMENT }, _>(self.out, |pieces| {
                pieces.put_word(gap.word());
                pieces.put(text, span.len());
                Some(())
            });
            self.walk.place.follow(kind);
            return check_length(self.out, self.limit);
        }
        self.put_element(elem, rest)
    }

    /// Appends any other element; `rest` are those behind it.
    #[inline]
    fn put_element(&mut self, elem: &Elem, rest: &[Elem]) -> Result<(), RenderFault> {
        let (kind, num, game) = (elem.kind, elem.num, self.game);
        let suffixes = self.style.suffixes;
        let next = next_class(kind, num, None);
        self.put(kind, next, num, rest, |out| match kind {
            ElemKind::RavOpen => out.push(b'('),
            ElemKind::RavClose => out.push(b')'),
            ElemKind::Nag => put_nag(out, suffixes, num),
            ElemKind::Terminator => out.extend_from_slice(terminator_text(num)),
            _ => out.extend_from_slice(&game.text[elem.span()]),
        })
    }

    /// Appends the gap before an element and its spelling, which `spell` appends; `rest` are the
    /// elements behind it.
    #[inline(always)]
    fn put(
        &mut self,
        kind: ElemKind,
        next: usize,
        num: u32,
        rest: &[Elem],
        spell: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), RenderFault> {
        self.measure();
        let slot = self.slot;
        self.slot += 2;
        let is_apart = self.walk.wants_word_of(next) || self.slots.are_near(slot);
        let to = if is_apart {
            self.scratch.clear();
            &mut *self.scratch
        } else {
            self.walk.put_gap(self.out, next, num, 0);
            &mut *self.out
        };
        let mut middle = to.len();
        spell(to);
        if is_apart {
            middle = self.put_spelled(kind, next, num, slot, rest)?;
        }
        self.walk.advance(&self.out[middle..], kind);
        // A text element can have any spelling, so the proof must refuse a comment that is stored
        // as one.
        if self.given.is_checked()
            && kind == ElemKind::Text
            && matches!(self.out.get(middle), Some(b'{' | b';'))
        {
            let what = "a comment stands as text that is not chess";
            return Err(("annotations (A)", what.into()));
        }
        check_length(self.out, self.limit)
    }

    /// Appends the gap and the spelling of an element where the layout gives one of them, or where
    /// the gap depends on the spelling, which is in `scratch`. Returns where the gap ends.
    fn put_spelled(
        &mut self,
        kind: ElemKind,
        next: usize,
        num: u32,
        slot: u64,
        rest: &[Elem],
    ) -> Result<usize, RenderFault> {
        let given = self.slots.take(slot)?;
        if given.is_some_and(|given| self.given.refuses(kind, self.scratch, given)) {
            let what = "gives a spelling that is not the element's";
            return Err(("layout (L)", what.into()));
        }
        if let (Some(letters), None, ElemKind::Move) = (self.style.letters, given, kind) {
            let bytes = self.scratch.iter_mut();
            bytes.for_each(|byte| *byte = letters.local(*byte));
        }
        let spelling = given.unwrap_or(self.scratch);
        match self.slots.take(slot + 1)? {
            Some(gap) => {
                if self.given.is_checked() && !is_gap(Some(kind), gap) {
                    let what = "gives a gap that holds more than a gap";
                    return Err(("layout (L)", what.into()));
                }
                self.out.extend_from_slice(gap);
                self.walk.pass(gap);
            }
            None => {
                let mut word = 0;
                if self.walk.wants_word() {
                    word = self.walk.word(kind, spelling) + sticky_tail(&self.walk, kind, rest);
                }
                self.walk.put_gap(self.out, next, num, word);
            }
        }
        let middle = self.out.len();
        self.out.extend_from_slice(spelling);
        Ok(middle)
    }

    /// Appends the gap at the end of the game.
    fn end(mut self) -> Result<(), RenderFault> {
        self.measure();
        match self.slots.take(self.slot)? {
            Some(gap) if self.given.is_checked() && !is_gap(None, gap) => {
                let what = "gives an end that holds more than a gap";
                return Err(("layout (L)", what.into()));
            }
            Some(gap) => self.out.extend_from_slice(gap),
            None => self.walk.put_gap(self.out, END, 0, 0),
        }
        match self.slots.next {
            None => Ok(()),
            Some(_) => Err(("layout (L)", "names a slot that is not there".into())),
        }
    }
}

/// Room for a short tag pair behind its gap, and some to spare.
const PAIR: usize = 8 + 2 * (SHORT + 2) + 8;

/// Appends a gap and a tag pair as [`put_tag_pair`] does, if it is short. Examines and copies a
/// fixed number of bytes, which is faster than to count them.
#[inline]
fn put_short_pair(out: &mut Vec<u8>, gap: Short, game: &Decoded, tag: &TagSpan) -> Option<()> {
    let [(name, name_len), (value, value_len)] = game.short_pair(tag)?;
    let is_escaped = |byte: &u8| matches!(byte, b'"' | b'\\');
    if value.iter().fold(false, |any, byte| any | is_escaped(byte)) {
        return None;
    }
    put_pieces::<PAIR, _>(out, |pieces| {
        pieces.put_word(gap.word());
        pieces.put(b"[", 1);
        pieces.put(name, name_len);
        pieces.put(b" \"", 2);
        pieces.put(value, value_len);
        pieces.put(b"\"]", 2);
        Some(())
    })
}

/// Fails if an ordinal is not legal. For games whose layout is their text, which does not depend on
/// the moves.
fn check_moves(play: &[Elem], moves: &mut Moves) -> Result<(), RenderFault> {
    for elem in play {
        match elem.kind {
            ElemKind::Move if moves.play(elem.ordinal).is_none() => {
                return Err(moves.refusal(elem.ordinal));
            }
            ElemKind::RavOpen => moves.open()?,
            ElemKind::RavClose => moves.close()?,
            _ => {}
        }
    }
    Ok(())
}
