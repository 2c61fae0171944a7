//! A decoded game back to the bytes of its source.

use crate::chess::{SanText, start_position};
use crate::pgc::extension::{take_num, take_str};
use crate::pgn::game::Kind;
use crate::pgn::layout::{END, Style, Walk, next_class, put_nag, sticky_tail};
use crate::pgn::tag::put_tag_pair;

use super::decode::{Decoded, Item};
use super::play::{Play, Played};
use super::tags::terminator_text;

/// Why a game cannot be rendered: the item and what is wrong.
pub(super) type Fault = (&'static str, String);

/// The play of a game; `None` where its tags name no start position that can be used.
pub(super) fn play_of(unit: &Decoded) -> Option<Play> {
    let play = start_position(unit.tags()).ok().map(|start| Play::new(start, false))?;
    let branches = unit.items.iter().any(|item| item.kind == Kind::RavOpen);
    Some(if branches { play } else { play.main_line_only() })
}

fn play_move(play: &mut Option<Play>, ordinal: u8) -> Result<Played, Fault> {
    let play = play.as_mut().ok_or_else(|| ("move ordinal", "the game has no start position".to_owned()))?;
    play.play(ordinal).ok_or_else(|| ("move ordinal", format!("0x{ordinal:02x}: there is no such move")))
}

fn open(play: &mut Option<Play>) -> Result<(), Fault> {
    let opened = play.as_mut().is_some_and(Play::rav_begin);
    if opened { Ok(()) } else { Err(("rav-begin", "there is no move that the variation could replace".into())) }
}

fn close(play: &mut Option<Play>) -> Result<(), Fault> {
    if play.as_ref().is_some_and(|play| !play.has_moved()) {
        return Err(("rav-end", "the variation has no move".into()));
    }
    let closed = play.as_mut().is_some_and(Play::rav_end);
    if closed { Ok(()) } else { Err(("rav-end", "no variation is open".into())) }
}

/// The slots that a layout gives itself, in order.
struct Slots<'a> {
    src: &'a [u8],
    next: Option<(u64, &'a [u8])>,
    last: u64,
}

impl<'a> Slots<'a> {
    fn new(src: &'a [u8]) -> Result<Slots<'a>, Fault> {
        let mut slots = Slots { src, next: None, last: 0 };
        slots.advance()?;
        Ok(slots)
    }

    fn advance(&mut self) -> Result<(), Fault> {
        self.next = None;
        if self.src.is_empty() {
            return Ok(());
        }
        let bad = || ("layout (L)", "not well-formed".to_owned());
        let slot = take_num(&mut self.src).and_then(|n| n.checked_add(self.last)).ok_or_else(bad)?;
        let bytes = take_str(&mut self.src).ok_or_else(bad)?;
        self.last = slot;
        self.next = Some((slot, bytes));
        Ok(())
    }

    /// The bytes of this slot, if they are given.
    fn take(&mut self, slot: u64) -> Result<Option<&'a [u8]>, Fault> {
        match self.next {
            Some((s, bytes)) if s == slot => {
                self.advance()?;
                Ok(Some(bytes))
            }
            _ => Ok(None),
        }
    }
}

/// Appends the source of a game, which makes `out` at most `limit` bytes long.
pub(super) fn render(
    out: &mut Vec<u8>,
    unit: &Decoded,
    style: &Style,
    spelling: &mut Vec<u8>,
    limit: usize,
) -> Result<(), Fault> {
    let mut play = play_of(unit).map(|play| play.in_squares(style.squares));
    let layout = match unit.layout.as_deref() {
        None => &[],
        Some([0, slots @ ..]) => slots,
        Some([1, text @ ..]) => {
            out.extend_from_slice(text);
            return check_moves(unit, &mut play);
        }
        Some(_) => return Err(("layout (L)", "of an unknown kind".into())),
    };
    let mut slots = Slots::new(layout)?;
    let mut walk = Walk::new(style);
    let mut slot = 0;
    for (i, item) in unit.items.iter().enumerate() {
        let (san, num) = play_item(&mut play, item, style)?;
        let given = slots.take(slot)?;
        let at = out.len();
        match slots.take(slot + 1)? {
            Some(gap) => out.extend_from_slice(gap),
            None => {
                let mut word = 0;
                if walk.wants_word() {
                    spelling.clear();
                    put_spelling(spelling, unit, item, style, &san);
                    let rest = unit.items[i + 1..].iter().map(|e| (e.kind, e.num));
                    word = walk.word(item.kind, given.unwrap_or(spelling)) + sticky_tail(&walk, item.kind, rest);
                }
                let next = next_class(item.kind, num, unit.items.get(i + 1).map(|e| e.kind));
                walk.put_gap(out, next, num, word);
            }
        }
        let middle = out.len();
        match given {
            Some(given) => out.extend_from_slice(given),
            None => put_spelling(out, unit, item, style, &san),
        }
        if out.len() > limit {
            return Err(("block", "gives more text than its head says".into()));
        }
        walk.advance(&out[at..middle], &out[middle..], item.kind);
        slot += 2;
    }
    match slots.take(slot)? {
        Some(gap) => out.extend_from_slice(gap),
        None => walk.put_gap(out, END, 0, 0),
    }
    match slots.next {
        None => Ok(()),
        Some(_) => Err(("layout (L)", "names a slot that is not there".into())),
    }
}

/// Plays what the item says; gives the spelling of a move, and the number that the gap before may need.
#[inline]
fn play_item(play: &mut Option<Play>, item: &Item, style: &Style) -> Result<(SanText, u32), Fault> {
    let mut text = SanText::default();
    match item.kind {
        Kind::Move => {
            let played = play_move(play, item.ordinal)?;
            text = played.san;
            style.marks.of(played.check).text().iter().for_each(|&byte| text.push(byte));
            return Ok((text, played.num));
        }
        Kind::RavOpen => open(play)?,
        Kind::RavClose => close(play)?,
        _ => {}
    }
    Ok((text, item.num))
}

/// Appends the spelling that the style predicts; `san` is that of a move.
#[inline]
fn put_spelling(out: &mut Vec<u8>, unit: &Decoded, item: &Item, style: &Style, san: &SanText) {
    let text = unit.text(item);
    match item.kind {
        Kind::Move => san.put(out),
        Kind::RavOpen => out.push(b'('),
        Kind::RavClose => out.push(b')'),
        Kind::Tag => put_tag_pair(out, unit.name(item), text),
        Kind::Escape => {
            out.push(b'%');
            out.extend_from_slice(text);
        }
        Kind::Nag => put_nag(out, style.suffixes, item.num),
        Kind::Brace => {
            out.push(b'{');
            out.extend_from_slice(text);
            out.push(b'}');
        }
        Kind::Line => {
            out.push(b';');
            out.extend_from_slice(text);
        }
        Kind::Text => out.extend_from_slice(text),
        Kind::Terminator => out.extend_from_slice(terminator_text(u8::try_from(item.num).unwrap_or(0))),
    }
}

/// Every ordinal must be legal, also where the text does not need it.
fn check_moves(unit: &Decoded, play: &mut Option<Play>) -> Result<(), Fault> {
    for item in &unit.items {
        match item.kind {
            Kind::Move => drop(play_move(play, item.ordinal)?),
            Kind::RavOpen => open(play)?,
            Kind::RavClose => close(play)?,
            _ => {}
        }
    }
    Ok(())
}
