//! The elements of a game behind its tag section: what its records say, and the annotations in
//! their places among that.

use crate::block::annotations::{Note, NotesReader};
use crate::block::num::put_word;
use crate::block::shape::Pattern;
use crate::pgn::game::{Kind, Kinds, Wholeness};
use crate::pgn::reader::{MAX_ELEMS, TAIL};

use crate::block::decode::block::{Damage, Decoded, Item};
use crate::run::Breakdown;

/// An element; its text is still where it was kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub kind: Kind,
    /// Of a move.
    pub ordinal: u8,
    /// Value of a NAG, number of a terminator, [`TAIL`].
    pub num: u32,
}

/// Elements, one after another.
pub(crate) trait Elements {
    /// The next one.
    fn next(&mut self) -> Option<Element>;

    /// The next one, if it is a move: its ordinal, and the kind of the element behind it.
    fn next_move(&mut self) -> Option<(u8, Option<Kind>)>;

    /// Appends the text of the element given last. To be asked once, or not at all.
    fn put_text(&mut self, out: &mut Vec<u8>);

    /// Gives the next one, which is a comment in braces as [`Elements::next_move`] has told, and
    /// appends it with them behind `lead`, the low bytes of a word and how many they are.
    fn put_brace(&mut self, out: &mut Vec<u8>, lead: (u64, usize)) {
        if self.next().is_some() {
            put_word(out, lead.0, lead.1);
            out.push(b'{');
            self.put_text(out);
            out.push(b'}');
        }
    }

    /// Kinds and numbers of the elements behind that, once its text was asked for: at least those
    /// up to the next annotation.
    fn rest(&self) -> impl Iterator<Item = (Kind, u32)>;
}

/// The elements of a game that was decoded before.
pub(crate) struct Kept<'d> {
    unit: &'d Decoded,
    item: Option<&'d Item>,
    rest: &'d [Item],
}

impl<'d> Kept<'d> {
    pub(crate) fn new(unit: &'d Decoded) -> Kept<'d> {
        Kept {
            unit,
            item: None,
            rest: &unit.items[unit.tag_items..],
        }
    }
}

impl Elements for Kept<'_> {
    fn next(&mut self) -> Option<Element> {
        let (item, rest) = self.rest.split_first()?;
        (self.item, self.rest) = (Some(item), rest);
        Some(Element {
            kind: item.kind,
            ordinal: item.ordinal,
            num: item.num,
        })
    }

    fn next_move(&mut self) -> Option<(u8, Option<Kind>)> {
        let (item, rest) = self
            .rest
            .split_first()
            .filter(|next| next.0.kind == Kind::Move)?;
        self.rest = rest;
        Some((item.ordinal, rest.first().map(|item| item.kind)))
    }

    fn put_text(&mut self, out: &mut Vec<u8>) {
        if let Some(item) = self.item {
            out.extend_from_slice(self.unit.text(item));
        }
    }

    fn rest(&self) -> impl Iterator<Item = (Kind, u32)> {
        self.rest.iter().map(|item| (item.kind, item.num))
    }
}

/// An element that has a record of its own, or a share in one: small, because most elements are
/// such.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Played {
    pub kind: Kind,
    /// Ordinal of a move, value of a NAG.
    pub value: u8,
}

/// What a game has behind its tag section.
#[derive(Debug)]
pub(crate) struct Play<'d> {
    pub played: &'d [Played],
    /// The `%` lines among these.
    pub lines: &'d [&'d [u8]],
    /// The data of `A`.
    pub notes: &'d [u8],
    pub shapes: &'d [Pattern],
    /// The terminator, where no annotation tells it.
    pub terminator: u8,
    /// Elements of the tag section.
    pub tag_items: usize,
    /// Bytes of text in the game so far, and how many there may be.
    pub texts: usize,
    pub max_texts: usize,
    /// Where the game begins, where its annotations stand, its number.
    pub begin: u64,
    pub notes_at: u64,
    pub game: u64,
}

/// Joins the elements of a game with its annotations, which are taken from their data one by one.
/// Whether all is well-formed only [`Joined::finish`] tells.
pub(crate) struct Joined<'d> {
    play: Play<'d>,
    /// Elements before the annotation ahead, and those behind.
    run: &'d [Played],
    rest: &'d [Played],
    notes: NotesReader<'d>,
    /// What the annotation ahead is, in the words of [`Element`]; the number of a NAG or terminator
    /// is not known yet.
    ahead: Option<(Kind, u32)>,
    /// It is the element given last, and has not been taken.
    pending: bool,
    /// Behind so many elements with records a line of play has ended in text.
    tail_at: Option<usize>,
    /// The text of one for which that was never asked.
    skipped: Vec<u8>,
    line: &'d [u8],
    /// Annotations that are elements, so far.
    given: usize,
    /// What the annotations tell of the terminator.
    told: Option<u8>,
    ended: bool,
    bad: bool,
    wholeness: Wholeness,
    /// For that: so many elements were looked at, so many variations are open behind them, the main
    /// line has a move.
    looked_at: usize,
    depth: u32,
    moved: bool,
    /// Bytes of text that is no comment.
    kept: u64,
    notes_are: Annotations,
    breakdown: &'d mut Breakdown,
}

/// What the groups of a game's annotations tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Annotations {
    pub kinds: Kinds,
    /// Some have shapes of the block.
    pub shaped: bool,
    /// Behind so many elements with records stands the first that is no terminator.
    pub first: usize,
}

/// What is known of a game behind its last element.
pub(crate) struct Ending {
    /// P5's kind of it.
    pub wholeness: Wholeness,
    /// The number of its terminator; 0 where it has none.
    pub terminator: u8,
    pub annotations: Annotations,
}

impl<'d> Joined<'d> {
    pub(crate) fn new(play: Play<'d>, breakdown: &'d mut Breakdown) -> Joined<'d> {
        let mut joined = Joined {
            run: &[],
            rest: play.played,
            notes: NotesReader::new(play.notes, play.shapes),
            play,
            ahead: None,
            pending: false,
            tail_at: None,
            skipped: Vec::new(),
            line: &[],
            given: 0,
            told: None,
            ended: false,
            bad: false,
            wholeness: Wholeness::Whole,
            looked_at: 0,
            depth: 0,
            moved: false,
            kept: 0,
            notes_are: Annotations {
                kinds: Kinds::default(),
                shaped: false,
                first: usize::MAX,
            },
            breakdown,
        };
        joined.look_ahead();
        joined
    }

    /// Goes on to the next annotation.
    #[inline(always)]
    fn look_ahead(&mut self) {
        match self.notes.distance_in_group() {
            Some(distance) => self.come_to(distance),
            None => self.look_at_group(),
        }
    }

    /// The same where another group begins.
    #[inline(never)]
    fn look_at_group(&mut self) {
        match self.notes.next_place() {
            Ok(None) => {
                self.ahead = None;
                self.run = std::mem::take(&mut self.rest);
            }
            Ok(Some(_)) => {
                self.ahead = Some(match self.notes.ahead() {
                    Note::Brace(_) => (Kind::Brace, 0),
                    Note::Line(_) => (Kind::Line, 0),
                    Note::Tail(_) => (Kind::Text, TAIL),
                    Note::Text(_) => (Kind::Text, 0),
                    Note::Nag(_) => (Kind::Nag, 0),
                    Note::Terminator(_) => (Kind::Terminator, 0),
                });
                self.come_to(self.notes.distance_in_group().unwrap_or(0));
                self.note_group();
            }
            Err(_) => self.fail(),
        }
    }

    /// The annotation ahead begins a group.
    fn note_group(&mut self) {
        let Some((kind, _)) = self.ahead else { return };
        let notes = &mut self.notes_are;
        notes.kinds.add(kind);
        notes.shaped |= self.notes.is_shaped();
        if kind != Kind::Terminator {
            notes.first = notes.first.min(self.play.played.len() - self.rest.len());
        }
    }

    /// So many elements stand before the annotation ahead.
    #[inline(always)]
    fn come_to(&mut self, distance: u64) {
        let parts = usize::try_from(distance)
            .ok()
            .and_then(|distance| self.rest.split_at_checked(distance));
        match parts {
            Some((run, rest)) => (self.run, self.rest) = (run, rest),
            None => self.fail(),
        }
    }

    /// Another annotation may come.
    #[inline(always)]
    fn may_go_on(&self) -> bool {
        self.told.is_none() && self.given <= MAX_ELEMS && self.play.texts <= self.play.max_texts
    }

    /// The annotations are not well-formed: nothing follows.
    #[cold]
    fn fail(&mut self) {
        self.bad = true;
        (self.run, self.rest, self.ahead, self.ended) = (&[], &[], None, true);
    }

    /// The annotation ahead, or the end.
    #[inline(never)]
    fn annotation(&mut self) -> Option<Element> {
        let Some((kind, mut num)) = self.ahead else {
            return self.end();
        };
        let ended = kind != Kind::Terminator && self.tail_at == Some(self.done());
        if !self.may_go_on() || ended {
            self.fail();
            return None;
        }
        match kind {
            Kind::Terminator => return self.terminator(),
            Kind::Nag => num = self.take(&mut Vec::new())?,
            _ => self.pending = true,
        }
        if num == TAIL && kind == Kind::Text && !self.tail() {
            self.fail();
            return None;
        }
        self.given += 1;
        Some(Element {
            kind,
            ordinal: 0,
            num,
        })
    }

    #[inline(never)]
    fn terminator(&mut self) -> Option<Element> {
        let last = self.rest.is_empty();
        let number = self.take(&mut Vec::new())?;
        if !last {
            self.fail();
            return None;
        }
        self.told = u8::try_from(number).ok();
        self.next()
    }

    /// The terminator is the last of the elements.
    fn end(&mut self) -> Option<Element> {
        if std::mem::replace(&mut self.ended, true) {
            return None;
        }
        let number = self.told.unwrap_or(self.play.terminator);
        self.given += usize::from(number > 0);
        (number > 0).then(|| Element {
            kind: Kind::Terminator,
            ordinal: 0,
            num: u32::from(number),
        })
    }

    /// Takes the annotation that was given, appends its text and gives its number.
    #[inline]
    fn take(&mut self, out: &mut Vec<u8>) -> Option<u32> {
        self.pending = false;
        let before = out.len();
        let Ok(number) = self.notes.take_into(out) else {
            self.fail();
            return None;
        };
        let len = out.len() - before;
        self.play.texts += len;
        if matches!(self.ahead, Some((Kind::Text, _))) {
            self.kept += len as u64;
        }
        self.look_ahead();
        Some(number)
    }

    /// Takes the annotation that was given, whose text was not asked for.
    #[cold]
    fn skip(&mut self) {
        let mut skipped = std::mem::take(&mut self.skipped);
        skipped.clear();
        self.take(&mut skipped);
        self.skipped = skipped;
    }

    /// Elements with records before the annotation at hand.
    fn done(&self) -> usize {
        self.play.played.len() - self.rest.len()
    }

    /// A line of play ends in text here; if it is the main line, that is P5's kind of the game.
    /// `false`: the line goes on.
    #[inline(never)]
    fn tail(&mut self) -> bool {
        let done = self.done();
        self.tail_at = Some(done);
        for played in &self.play.played[self.looked_at..done] {
            match played.kind {
                Kind::RavOpen => self.depth += 1,
                Kind::RavClose => self.depth = self.depth.saturating_sub(1),
                Kind::Move if self.depth == 0 => self.moved = true,
                _ => {}
            }
        }
        self.looked_at = done;
        if self.depth == 0 && self.wholeness == Wholeness::Whole {
            self.wholeness = if self.moved {
                Wholeness::Tail
            } else {
                Wholeness::TextOnly
            };
        }
        match self.rest.first() {
            Some(next) => self.depth > 0 && next.kind == Kind::RavClose,
            None => self.depth == 0,
        }
    }

    /// Passes over what is left.
    pub(crate) fn finish(mut self) -> Result<Ending, Damage> {
        while self.next().is_some() {}
        let play = &self.play;
        let damage = |offset, item, what: &str| Damage {
            offset,
            game: play.game,
            item,
            what: what.into(),
        };
        if self.bad {
            return Err(damage(play.notes_at, "annotations (A)", "not well-formed"));
        }
        if play.tag_items + play.played.len() + self.given > MAX_ELEMS {
            return Err(damage(
                play.begin,
                "game",
                "more elements than a game may have",
            ));
        }
        // Of the bytes counted as comments.
        self.breakdown.text_kept += self.kept;
        self.breakdown.comments = self.breakdown.comments.saturating_sub(self.kept);
        Ok(Ending {
            wholeness: self.wholeness,
            terminator: self.told.unwrap_or(play.terminator),
            annotations: self.notes_are,
        })
    }

    /// Adds the elements to those of the tag section.
    pub(crate) fn collect(mut self, unit: &mut Decoded) -> Result<(), Damage> {
        while let Some(element) = self.next() {
            let start = unit.arena.len();
            self.put_text(&mut unit.arena);
            unit.push_element(element, start);
        }
        self.finish().map(drop)
    }
}

impl Elements for Joined<'_> {
    #[inline]
    fn next(&mut self) -> Option<Element> {
        if let Some((ordinal, _)) = self.next_move() {
            return Some(Element {
                kind: Kind::Move,
                ordinal,
                num: 0,
            });
        }
        let Some((&Played { kind, value }, run)) = self.run.split_first() else {
            return self.annotation();
        };
        self.run = run;
        if kind == Kind::Escape
            && let Some((line, lines)) = self.play.lines.split_first()
        {
            (self.line, self.play.lines) = (line, lines);
        }
        Some(Element {
            kind,
            ordinal: 0,
            num: u32::from(value),
        })
    }

    #[inline(always)]
    fn next_move(&mut self) -> Option<(u8, Option<Kind>)> {
        if self.pending {
            self.skip();
        }
        let (played, run) = self
            .run
            .split_first()
            .filter(|next| next.0.kind == Kind::Move)?;
        self.run = run;
        let then = match run.first() {
            Some(played) => Some(played.kind),
            None => self.ahead.map(|ahead| ahead.0),
        };
        Some((played.value, then))
    }

    #[inline(always)]
    fn put_text(&mut self, out: &mut Vec<u8>) {
        if self.pending {
            self.take(out);
        } else {
            out.extend_from_slice(std::mem::take(&mut self.line));
        }
    }

    #[inline(always)]
    fn put_brace(&mut self, out: &mut Vec<u8>, lead: (u64, usize)) {
        let before = out.len();
        if !self.may_go_on() || self.notes.take_braced(out, lead).is_err() {
            return self.fail();
        }
        self.given += 1;
        self.play.texts += out.len() - before;
        self.look_ahead();
    }

    fn rest(&self) -> impl Iterator<Item = (Kind, u32)> {
        // An annotation that stands between has a gap of its own: nothing sticks across it.
        self.run
            .iter()
            .map(|played| (played.kind, u32::from(played.value)))
    }
}
