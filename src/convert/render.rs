//! A decoded game back to the bytes of its source.

use crate::chess::{Check, Position, start_position};
use crate::pgc::extension::{take_num, take_str};
use crate::pgn::game::{Kind, Mark};
use crate::pgn::layout::{END, Style, Walk, next_class, put_nag, sticky_tail};
use crate::pgn::tag::put_tag_pair;

use super::decode::{Decoded, Item};
use super::tags::terminator_text;

/// Why a game cannot be rendered: the item and what is wrong.
pub(super) type Fault = (&'static str, String);

/// Plays the moves of a game, in and out of its variations.
pub(super) struct Play {
    /// `None` where the game has no start position that can be used.
    line: Option<Line>,
    outer: Vec<Line>,
}

struct Line {
    now: Position,
    /// Before the last move; meaningless before the first.
    before: Position,
    moves: bool,
}

/// A move, played.
pub(super) struct Played {
    /// Its canonical SAN, without check mark.
    pub san: crate::chess::SanText,
    /// Twice the number of its full move, plus one for Black.
    pub num: u32,
    pub check: Mark,
}

impl Play {
    pub(super) fn new(unit: &Decoded) -> Play {
        let start = start_position(unit.tags()).ok();
        Play { line: start.map(|now| Line { before: now.clone(), now, moves: false }), outer: Vec::new() }
    }

    pub(super) fn play(&mut self, ordinal: u8) -> Result<Played, Fault> {
        let bad = |what: &str| ("move ordinal", format!("{ordinal}: {what}"));
        let line = self.line.as_mut().ok_or_else(|| bad("the game has no start position"))?;
        let m = line.now.select(ordinal).ok_or_else(|| bad("no such move"))?;
        let san = line.now.san(m);
        let num = line.now.fullmoves() << 1 | u32::from(!line.now.white_to_move());
        line.before.clone_from(&line.now);
        line.now.play(m);
        line.moves = true;
        let check = match line.now.check() {
            Check::None => Mark::None,
            Check::Check => Mark::Plus,
            Check::Mate => Mark::Hash,
        };
        Ok(Played { san, num, check })
    }

    pub(super) fn open(&mut self) -> Result<(), Fault> {
        let line = self.line.as_mut().ok_or_else(|| ("rav-begin", "the game has no start position".into()))?;
        if !line.moves {
            return Err(("rav-begin", "there is no move to replace".into()));
        }
        let now = line.before.clone();
        let inner = Line { before: now.clone(), now, moves: false };
        self.outer.push(std::mem::replace(line, inner));
        Ok(())
    }

    pub(super) fn close(&mut self) -> Result<(), Fault> {
        if let Some(outer) = self.outer.pop()
            && self.line.replace(outer).is_some_and(|inner| !inner.moves)
        {
            return Err(("rav-end", "the variation has no move".into()));
        }
        Ok(())
    }
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

/// Appends the source of a game.
pub(super) fn render(out: &mut Vec<u8>, unit: &Decoded, style: &Style, spelling: &mut Vec<u8>) -> Result<(), Fault> {
    let mut play = Play::new(unit);
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
        spelling.clear();
        let num = spell(spelling, unit, item, style, &mut play)?;
        let given = slots.take(slot)?;
        let spelled = given.unwrap_or(spelling);
        let gap = match slots.take(slot + 1)? {
            Some(gap) => gap,
            None => {
                let mut word = 0;
                if walk.wants_word() {
                    let rest = unit.items[i + 1..].iter().map(|e| (e.kind, e.num));
                    word = walk.word(item.kind, spelled) + sticky_tail(&walk, item.kind, rest);
                }
                walk.gap(next_class(item.kind, num), num, word)
            }
        };
        let at = out.len();
        out.extend_from_slice(gap);
        let middle = out.len();
        out.extend_from_slice(spelled);
        walk.advance(&out[at..middle], &out[middle..], item.kind);
        slot += 2;
    }
    let gap = match slots.take(slot)? {
        Some(gap) => gap,
        None => walk.gap(END, 0, 0),
    };
    out.extend_from_slice(gap);
    match slots.next {
        None => Ok(()),
        Some(_) => Err(("layout (L)", "names a slot that is not there".into())),
    }
}

/// Appends the spelling that the style predicts; plays the move. Returns the number that the gap before may need.
fn spell(out: &mut Vec<u8>, unit: &Decoded, item: &Item, style: &Style, play: &mut Play) -> Result<u32, Fault> {
    let text = unit.text(item);
    match item.kind {
        Kind::Move => {
            let played = play.play(item.ordinal)?;
            out.extend_from_slice(played.san.as_bytes());
            out.extend_from_slice(match style.marks.of(played.check) {
                Mark::None | Mark::Other => b"",
                Mark::Plus => b"+",
                Mark::Hash => b"#",
                Mark::Double => b"++",
            });
            return Ok(played.num);
        }
        Kind::RavOpen => {
            play.open()?;
            out.push(b'(');
        }
        Kind::RavClose => {
            play.close()?;
            out.push(b')');
        }
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
    Ok(item.num)
}

/// Every ordinal must be legal, also where the text does not need it.
fn check_moves(unit: &Decoded, play: &mut Play) -> Result<(), Fault> {
    for item in &unit.items {
        match item.kind {
            Kind::Move => drop(play.play(item.ordinal)?),
            Kind::RavOpen => play.open()?,
            Kind::RavClose => play.close()?,
            _ => {}
        }
    }
    Ok(())
}
