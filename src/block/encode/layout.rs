//! What the layout escapes of a block hold: the slots that its style predicts wrongly
//! (spec/extension.md section 9).

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::block::encode::gaps::Check;
use crate::block::layout::{Style, put_nag};
use crate::block::num::{put_num, put_str};
use crate::block::tag_value::terminator_text;
use crate::pgn::game::{Elem, Form, Game, Kind, Spelled, Spellings};
use crate::pgn::guess::Guess;
use crate::pgn::tag::{put_tag_pair, unescape};

/// The style of the block before, most likely that of the next.
#[derive(Debug, Default)]
pub(crate) struct LastStyle(Mutex<Arc<Style>>);

impl LastStyle {
    pub(crate) fn get(&self) -> Arc<Style> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set(&self, style: &Arc<Style>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(style);
    }
}

/// The layouts of the games of a block: gathered when they are asked for, or ahead, with a style
/// that may turn out not to be the block's.
#[derive(Debug)]
pub(crate) struct Layouts {
    pub style: Arc<Style>,
    pub guess: Option<Guess>,
    /// The games were read with the same guess.
    is_guessed: bool,
    plain: Plain,
    /// The slots of the game asked for last; or those of all games, one behind another.
    slots: Vec<u8>,
    /// Gathered ahead: where those of each game end, and how many games were asked for.
    ends: Option<Vec<usize>>,
    given: usize,
    /// A buffer, kept for its memory.
    spelling: Vec<u8>,
}

/// With so many bytes of slots gathered ahead the guess was hardly right.
const MAX_AHEAD: usize = 16 * 1024;

impl Layouts {
    /// Guesses the style, if finding it anew costs more than to try.
    pub(crate) fn ahead(guess: Arc<Style>) -> Layouts {
        let (ends, plain) = (guess.is_usual().then(Vec::new), Plain::of(&guess));
        let foreseen = Guess::of(&guess);
        Layouts {
            style: guess,
            guess: foreseen,
            is_guessed: true,
            plain,
            slots: Vec::new(),
            ends,
            given: 0,
            spelling: Vec::new(),
        }
    }

    /// Gathers those of a game that was just read, unless the guess was wrong.
    pub(crate) fn see(&mut self, src: &[u8], game: &Game<'_>) {
        if let Some(ends) = &mut self.ends {
            gather(
                &mut self.slots,
                &self.style,
                self.plain,
                src,
                game,
                game.runs,
                &mut self.spelling,
            );
            ends.push(self.slots.len());
        }
        if self.slots.len() > MAX_AHEAD {
            self.slots.clear();
            self.ends = None;
        }
    }

    /// The style, if it predicted all.
    pub(crate) fn fitting(&self) -> Option<&Style> {
        (self.ends.is_some() && self.slots.is_empty()).then_some(&*self.style)
    }

    /// Those that have this style. What was gathered ahead is kept if it was with one that predicts
    /// the same.
    pub(crate) fn of(style: Style, ahead: Option<Layouts>) -> Layouts {
        match ahead {
            Some(ahead) if ahead.ends.is_some() && ahead.style.predicts_as(&style) => Layouts {
                style: Arc::new(style),
                ..ahead
            },
            ahead => {
                let layouts = Layouts::ahead(Arc::new(style));
                let is_guessed = ahead.is_some_and(|ahead| ahead.guess == layouts.guess);
                Layouts {
                    ends: None,
                    is_guessed,
                    ..layouts
                }
            }
        }
    }

    /// The slots of the next game.
    pub(crate) fn take(&mut self, src: &[u8], game: &Game<'_>) -> &[u8] {
        match &self.ends {
            Some(ends) => {
                let begin = self.given.checked_sub(1).map_or(0, |before| ends[before]);
                self.given += 1;
                &self.slots[begin..ends[self.given - 1]]
            }
            None => {
                self.slots.clear();
                let known = if self.is_guessed { game.runs } else { &[] };
                gather(
                    &mut self.slots,
                    &self.style,
                    self.plain,
                    src,
                    game,
                    known,
                    &mut self.spelling,
                );
                &self.slots
            }
        }
    }
}

/// Appends the slots of a game that the style predicts wrongly; `known` are elements in a row that
/// it predicts.
fn gather(
    slots: &mut Vec<u8>,
    style: &Style,
    plain: Plain,
    src: &[u8],
    game: &Game<'_>,
    known: &[Range<u32>],
    buffer: &mut Vec<u8>,
) {
    let mut last_slot = 0;
    let mut add = |slot: usize, bytes: &[u8]| {
        put_num(slots, (slot - last_slot) as u64);
        put_str(slots, bytes);
        last_slot = slot;
    };
    let mut check = Check::new(style, src);
    let mut spelling = Spelling {
        style,
        src,
        game,
        plain: plain.without_tags(game.odd_tags),
        buffer,
    };
    let (mut i, mut known) = (0, known.iter());
    let mut run = known.next();
    loop {
        if let Some(Range { start, end }) = run
            && i == *start as usize
        {
            i = *end as usize;
            check.pass(&game.elems[i - 1]);
            run = known.next();
        }
        let to = run.map_or(usize::MAX, |run| run.start as usize);
        i = check.skip(game.elems, i, to, |elem| spelling.plain.contains(elem));
        if i == to {
            continue;
        }
        let Some(elem) = game.elems.get(i) else { break };
        let at = check.at();
        if !spelling.is_predicted(elem) {
            add(2 * i, &src[elem.span()]);
        }
        i += 1;
        if !check.gap(elem, &game.elems[i..]) {
            add(2 * i - 1, &src[at..elem.start as usize]);
        }
    }
    if !check.end() {
        add(2 * i, &src[check.at()..]);
    }
}

/// The spellings that are seen at once to be as a style predicts them, by kind.
#[derive(Clone, Copy, Debug)]
struct Plain([Spellings; 10]);

impl Plain {
    fn of(style: &Style) -> Plain {
        let form = if style.squares {
            Form::Squares
        } else {
            Form::Canonical
        };
        let mut plain = Plain([Spellings::ALL; 10]);
        plain.0[Kind::Move as usize] =
            Spellings::of(|s| s.form() == form && s.mark() == style.marks.of(s.check()));
        for kind in [Kind::Brace, Kind::RavClose] {
            plain.0[kind as usize] = Spellings::of(|spelled| spelled == Spelled::default());
        }
        for kind in [Kind::Terminator, Kind::Nag] {
            plain.0[kind as usize] = Spellings::default();
        }
        plain
    }

    /// In a game whose tag pairs are odd they are not seen at once to be so.
    fn without_tags(mut self, is_odd: bool) -> Plain {
        if is_odd {
            self.0[Kind::Tag as usize] = Spellings::default();
        }
        self
    }

    #[inline(always)]
    fn contains(&self, elem: &Elem) -> bool {
        self.0[elem.kind as usize].contains(elem.spelled)
    }
}

/// Compares the elements of a game with how the style spells them.
struct Spelling<'a> {
    style: &'a Style,
    src: &'a [u8],
    game: &'a Game<'a>,
    plain: Plain,
    buffer: &'a mut Vec<u8>,
}

impl Spelling<'_> {
    fn is_predicted(&mut self, elem: &Elem) -> bool {
        self.plain.contains(elem)
            || (matches!(elem.kind, Kind::Tag | Kind::Terminator | Kind::Nag) && self.is_made(elem))
    }

    fn is_made(&mut self, elem: &Elem) -> bool {
        let (src, buffer) = (self.src, &mut *self.buffer);
        buffer.clear();
        match elem.kind {
            Kind::Tag => {
                let tag = &self.game.tags[elem.num as usize];
                put_tag_pair(
                    buffer,
                    &src[tag.name.clone()],
                    &unescape(&src[tag.value.clone()]),
                );
            }
            Kind::Nag => put_nag(buffer, self.style.suffixes, elem.num),
            _ => buffer.extend_from_slice(terminator_text(u8::try_from(elem.num).unwrap_or(0))),
        }
        *buffer == src[elem.span()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::layout::{Newline, Rule, Walk, next_class};
    use crate::chess::{Check as Checks, Position, start_position};
    use crate::pgn::game::Games;

    /// A generator of numbers below `n` (Knuth's constants).
    fn random(state: &mut u64, n: u64) -> usize {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((*state >> 33) % n).unwrap()
    }

    /// Any legal move, with its SAN and check mark.
    fn play(position: &mut Position, state: &mut u64) -> Option<Vec<u8>> {
        let any = u8::try_from(random(state, 40)).ok()?;
        let ordinal = (0..=any)
            .rev()
            .find(|&ordinal| position.select(ordinal).is_some())?;
        let mut san = position.play_ordinal(ordinal)?.as_bytes().to_vec();
        match position.check() {
            Checks::None => {}
            Checks::Check => san.push(b'+'),
            Checks::Mate => san.push(b'#'),
        }
        Some(san)
    }

    /// Movetext as the style has it, but for what chance puts in: `noise` times in a hundred.
    fn made_up(style: &Style, state: &mut u64, noise: usize) -> Vec<u8> {
        const NOISE: [&[u8]; 14] = [
            b"!",
            b" $1",
            b" ( e4",
            b")",
            b" x",
            b"\n",
            b" e.p.",
            b" 1.",
            b" Z0",
            b" ;to the end\n",
            b"+",
            b" --",
            b" O-O",
            b"{",
        ];
        const COMMENTS: [&[u8]; 3] = [b"{}", b"{ [%eval 0.17] [%clk 0:00:30] }", b"{two\nlines}"];
        let mut position = start_position(std::iter::empty::<(&[u8], &[u8])>()).unwrap();
        let (mut out, mut walk) = (Vec::new(), Walk::new(style));
        let has_comments = random(state, 3) > 0;
        for _ in 0..random(state, 400) {
            let (num, Some(san)) = (position.num(), play(&mut position, state)) else {
                break;
            };
            let comment =
                (has_comments && random(state, 4) > 0).then(|| COMMENTS[random(state, 3)]);
            walk.put_gap(
                &mut out,
                next_class(Kind::Move, num, comment.map(|_| Kind::Brace)),
                num,
                san.len(),
            );
            out.extend_from_slice(&san);
            walk.advance(&san, Kind::Move);
            if let Some(comment) = comment {
                walk.put_gap(&mut out, next_class(Kind::Brace, 0, None), 0, comment.len());
                out.extend_from_slice(comment);
                walk.advance(comment, Kind::Brace);
            }
            if random(state, 100) < noise {
                out.extend_from_slice(NOISE[random(state, 14)]);
            }
        }
        out.extend_from_slice(b" *");
        out
    }

    #[test]
    fn what_was_foreseen_is_what_is_read_and_predicted() {
        let (mut state, mut foreseen, mut all) = (1, 0, 0);
        let rules = [
            Rule::None,
            Rule::Beyond(72),
            Rule::Beyond(0),
            Rule::Beyond(9),
            Rule::Width(40),
            Rule::Every(3),
        ];
        for round in 0..600 {
            let newline = [Newline::Lf, Newline::CrLf, Newline::Cr][random(&mut state, 3)];
            let mut style = Style::new(newline);
            style.wrap.rule = rules[round % rules.len()];
            if random(&mut state, 4) == 0 {
                style.set_template(2, 2, b" #.").unwrap();
            }
            if random(&mut state, 8) == 0 {
                style.set_template(2, 3, b"  ").unwrap();
            }
            let src = made_up(&style, &mut state, [0, 1, 10][round / rules.len() % 3]);
            let [usual, mut other] = [newline; 2].map(Style::new);
            other.wrap.rule = Rule::Beyond(30);
            for style in [&style, &usual, &other] {
                let guess = Guess::of(style);
                let [mut plain, mut guessed] = [Games::default(), Games::default()];
                plain.read_game(&src, true, None).unwrap();
                guessed.read_game(&src, true, guess.as_ref()).unwrap();
                let (plain, guessed) = (plain.last().unwrap(), guessed.last().unwrap());
                let text = || src.escape_ascii().to_string();
                assert_eq!(
                    (plain.elems, plain.notes),
                    (guessed.elems, guessed.notes),
                    "{}",
                    text()
                );
                assert_eq!(
                    format!("{plain:?}"),
                    format!(
                        "{:?}",
                        Game {
                            runs: &[],
                            ..guessed
                        }
                    )
                );
                let slots = |game: &Game<'_>, known| {
                    let mut slots = Vec::new();
                    gather(
                        &mut slots,
                        style,
                        Plain::of(style),
                        &src,
                        game,
                        known,
                        &mut Vec::new(),
                    );
                    slots
                };
                assert_eq!(
                    slots(&plain, &[]),
                    slots(&guessed, guessed.runs),
                    "{:?} {}",
                    style.wrap,
                    text()
                );
                foreseen += guessed.runs.iter().map(|run| run.len()).sum::<usize>();
                all += guessed.elems.len();
            }
        }
        assert!(2 * foreseen > all && foreseen < all, "{foreseen} of {all}");
    }
}
