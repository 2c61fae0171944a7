//! The model of comments that are words, numbers and moves (spec/small.md sections 7.4 to 7.6).

use crate::small::bits::{BitCoder, Chances, Context, Mixer, Read, context};
use crate::small::known::Known;
use crate::small::note::{LEAST_LARGE, MAX_PLIES, MoveForm, NumberForm};
use crate::small::numbers::size;
use pgc_chess::BadCode;

/// The next part of a comment.
#[derive(Clone, Copy)]
pub(crate) enum NextPart<W> {
    /// No more parts. A reader passes this too.
    End,
    Text,
    /// A word as it is, before it is coded; then by its number.
    Word(W),
    Number(NumberForm, i64),
    /// The number of plies.
    Moves(MoveForm, usize),
}

/// The symbols: kinds of parts, then the known words.
pub(crate) const END: u32 = 0;
const TEXT: u32 = 1;
const NEW_WORD: u32 = 2;
const NUMBERS: u32 = 3;
const MOVES: u32 = NUMBERS + NumberForm::COUNT;
const WORDS: u32 = MOVES + MoveForm::COUNT;
/// The number of bits of a symbol.
const BITS: u32 = 12;

/// What followed a place last.
#[derive(Clone, Copy, Debug, Default)]
struct Follower {
    symbol: u32,
    /// For each of the last times, whether the same symbol followed as before; the latest in the
    /// lowest bit.
    history: u32,
}

/// What the model knows of the numbers at one place.
#[derive(Clone, Copy, Debug, Default)]
struct NumberPlace {
    /// The last number of each side, and whether there is one.
    last: [i64; 2],
    has: [bool; 2],
    /// For each of the last times, whether the number was that before it; the latest in the lowest
    /// bit.
    same: [u32; 2],
    rest: [i64; 2],
    /// By how much the last number exceeded the number of this side before it, less the number
    /// before it in the comment.
    more: [i64; 2],
    /// The power of ten that brings a product of earlier numbers nearest to it.
    scale: Option<i32>,
    cost: [i32; BASES],
}

/// The number of bases: a number may be coded as its difference to one.
const BASES: usize = 5;

/// The model of the comments of a block.
pub(crate) struct Notes {
    words: Known,
    /// For each word: the last comment that had it, and how often it came again there.
    counts: Vec<(u64, u32)>,
    chances: Chances,
    numbers: Mixer<2>,
    followers: Vec<Follower>,
    places: Vec<NumberPlace>,
    notes: u64,
    side: usize,
    /// The last two words of this comment (their numbers + 1), how often the last of them came
    /// again, and the number of parts since.
    last: [u32; 2],
    count: u32,
    parts: u32,
    /// The last numbers of this comment.
    before: [i64; 3],
}

const FOLLOWER_BITS: u32 = 13;
const PLACE_BITS: u32 = 12;

fn index(context: Context, bits: u32) -> usize {
    ((context ^ context >> 15).wrapping_mul(0x9e37_79b1) >> (32 - bits)) as usize
}

fn bits(number: i64) -> i32 {
    (64 - number.unsigned_abs().leading_zeros()).cast_signed()
}

impl Default for Notes {
    fn default() -> Notes {
        Notes {
            words: Known::default(),
            counts: Vec::new(),
            chances: Chances::new(16),
            numbers: Mixer::new(16, 64, 3, 255),
            followers: vec![Follower::default(); 1 << FOLLOWER_BITS],
            places: vec![NumberPlace::default(); 1 << PLACE_BITS],
            notes: 0,
            side: 0,
            last: [0; 2],
            count: 0,
            parts: 0,
            before: [0; 3],
        }
    }
}

impl Notes {
    /// Begins a comment behind `plies` plies.
    pub(crate) fn begin(&mut self, plies: u64) {
        self.notes += 1;
        self.side = usize::from(plies % 2 == 1);
        (self.last, self.count, self.parts) = ([0; 2], 0, 0);
        self.before = [0; 3];
    }

    pub(crate) fn word(&self, word: u32) -> &[u8] {
        self.words.get(word)
    }

    /// Codes the next part.
    pub(crate) fn part(
        &mut self,
        coder: &mut impl BitCoder,
        part: NextPart<&[u8]>,
    ) -> Read<NextPart<u32>> {
        let (mut spelled, mut value) = (&b""[..], 0);
        let symbol = match part {
            NextPart::End => END,
            NextPart::Text => TEXT,
            NextPart::Word(word) => {
                spelled = word;
                match self.words.find(word) {
                    Some(number) => WORDS + number,
                    None if WORDS + self.words.len() < 1 << BITS => NEW_WORD,
                    None => return Err(BadCode),
                }
            }
            NextPart::Number(form, number) => {
                value = number;
                NUMBERS + form.number()
            }
            NextPart::Moves(form, plies) => {
                value = plies as i64;
                MOVES + form.number()
            }
        };
        let place = context(context(self.last[0], self.parts), self.count);
        let found = self.symbol(coder, place, symbol, part);
        self.parts += 1;
        Ok(match found {
            END => NextPart::End,
            TEXT => NextPart::Text,
            NEW_WORD => NextPart::Word(self.new_word(coder, spelled)?),
            NUMBERS..MOVES => {
                let form = NumberForm::new(found - NUMBERS);
                let number = self.number(coder, context(place, found), value)?;
                self.before = [number, self.before[0], self.before[1]];
                NextPart::Number(form, number)
            }
            MOVES..WORDS => {
                let form = MoveForm::new(found - MOVES);
                let plies = self.number(coder, context(place, 0x70), value)?;
                let plies = usize::try_from(plies).map_err(|_| BadCode)?;
                if !(1..=MAX_PLIES).contains(&plies) {
                    return Err(BadCode);
                }
                NextPart::Moves(form, plies)
            }
            _ => {
                let word = found - WORDS;
                if word >= self.words.len() {
                    return Err(BadCode);
                }
                self.see_word(word);
                NextPart::Word(word)
            }
        })
    }

    /// Codes what follows a place.
    fn symbol(
        &mut self,
        coder: &mut impl BitCoder,
        place: Context,
        symbol: u32,
        part: NextPart<&[u8]>,
    ) -> u32 {
        let side = self.side as u32;
        let ats = [
            index(context(place, side), FOLLOWER_BITS),
            index(context(context(place, self.last[1]), 7), FOLLOWER_BITS),
        ];
        let [first, second] = ats.map(|at| self.followers[at]);
        // A number below 0 has no `+` to tell its form by.
        let symbol = match part {
            NextPart::Number(NumberForm::Plain(decimals), ..0)
                if first.symbol == NUMBERS + NumberForm::Signed(decimals).number() =>
            {
                first.symbol
            }
            _ => symbol,
        };
        let state = first.history << 1 | u32::from(first.symbol == second.symbol) | 0x100;
        let at = context(context(self.last[0], self.parts.min(7)), state);
        let mut found = None;
        if self.chances.bit(coder, at, 0, symbol == first.symbol) {
            found = Some(first.symbol);
        } else if second.symbol != first.symbol {
            let at = context(second.history, 0x201);
            if self.chances.bit(coder, at, 1, symbol == second.symbol) {
                found = Some(second.symbol);
            }
        }
        let found = found.unwrap_or_else(|| {
            let at = context(self.last[0], 0x202);
            self.chances.symbol(coder, at, BITS, symbol)
        });
        for at in ats {
            let follower = &mut self.followers[at];
            let hit = u32::from(follower.symbol == found);
            follower.history = follower.history << 1 & 7 | hit;
            follower.symbol = found;
        }
        found
    }

    fn new_word(&mut self, coder: &mut impl BitCoder, word: &[u8]) -> Read<u32> {
        let len = self.chances.symbol(coder, 0x203, 6, word.len() as u32) as usize;
        let (mut spelled, mut before) = (Vec::with_capacity(len), 0);
        for at in 0..len {
            let letter = u32::from(word.get(at).copied().unwrap_or(0));
            let at = context(before, 0x204);
            before = self.chances.symbol(coder, at, 8, letter);
            spelled.push(before.to_le_bytes()[0]);
        }
        if spelled.is_empty()
            || self.words.find(&spelled).is_some()
            || WORDS + self.words.len() >= 1 << BITS
        {
            return Err(BadCode);
        }
        let number = self.words.add(&spelled);
        self.counts.push((0, 0));
        self.see_word(number);
        Ok(number)
    }

    fn see_word(&mut self, word: u32) {
        let count = &mut self.counts[word as usize];
        let is_again = count.0 == self.notes;
        *count = (self.notes, if is_again { count.1 + 1 } else { 0 });
        self.count = count.1.min(7);
        self.last = [word + 1, self.last[0]];
        self.parts = 0;
    }

    /// Codes a number.
    fn number(&mut self, coder: &mut impl BitCoder, place: Context, number: i64) -> Read<i64> {
        let side = self.side;
        let known = self.places[index(place, PLACE_BITS)];
        let other = known.last[1 - side];
        let own = known.last[if known.has[side] { side } else { 1 - side }];
        let repeated = self.repeated(coder, place, [own, other], number);
        let mut next = known;
        let found = match repeated {
            Some(number) => number,
            None => self.told(coder, place, &mut next, [own, other], number)?,
        };
        next.more[side] = found - (own - self.before[0]);
        next.scale = scale(self.before, found).or(known.scale);
        (next.last[side], next.has[side]) = (found, true);
        next.same[side] = known.same[side] << 1 & 7 | u32::from(found == own);
        self.places[index(place, PLACE_BITS)] = next;
        Ok(found)
    }

    /// Codes the difference of a number to the base that was best so far.
    fn told(
        &mut self,
        coder: &mut impl BitCoder,
        place: Context,
        known: &mut NumberPlace,
        [own, other]: [i64; 2],
        number: i64,
    ) -> Read<i64> {
        let rest = known.rest[self.side];
        let bases = self.bases(known, own, other);
        let base = (0..BASES).min_by_key(|&base| known.cost[base]).unwrap_or(0);
        let at = context(place, base as u32);
        let contexts = [context(at, 0x300), context(at, size(rest) | 0x1000)];
        let difference = number.wrapping_sub(bases[base]);
        let set = place as usize & 63;
        let difference = self.numbers.signed(coder, &contexts, set, difference)?;
        let number = bases[base].checked_add(difference).ok_or(BadCode)?;
        if number.unsigned_abs() >= LEAST_LARGE {
            return Err(BadCode);
        }
        known.rest[self.side] = difference;
        for (cost, base) in known.cost.iter_mut().zip(bases) {
            *cost += ((bits(number - base) << 8) - *cost) >> 3;
        }
        Ok(number)
    }

    /// Codes whether a number is the last one of its side, or of the other; returns it if it is.
    fn repeated(
        &mut self,
        coder: &mut impl BitCoder,
        place: Context,
        known: [i64; 2],
        number: i64,
    ) -> Option<i64> {
        let same = self.places[index(place, PLACE_BITS)].same[self.side];
        let [own, other] = known;
        let at = context(place, same << 1 | u32::from(own == other) | 0x400);
        if self.chances.bit(coder, at, 0, number == own) {
            return Some(own);
        }
        if own != other && self.chances.bit(coder, at, 1, number == other) {
            return Some(other);
        }
        None
    }

    fn bases(&self, known: &NumberPlace, own: i64, other: i64) -> [i64; BASES] {
        let more = known.more[self.side];
        let product = known.scale.map_or(0, |scale| scaled(self.before, scale));
        [0, own, other, own - self.before[0] + more, product]
    }
}

/// The product of the last number and the last but two, times a power of ten.
fn scaled(before: [i64; 3], scale: i32) -> i64 {
    let product = i128::from(before[0]) * i128::from(before[2]);
    let power = 10_i128.pow(scale.unsigned_abs());
    let scaled = match scale < 0 {
        true => product / power,
        false => product.saturating_mul(power),
    };
    let scaled = i64::try_from(scaled).unwrap_or(0);
    let is_small = scaled.unsigned_abs() < 1 << 60;
    if is_small { scaled } else { 0 }
}

/// The power of ten that brings a product nearest to a number, from -6 to 6.
fn scale(before: [i64; 3], number: i64) -> Option<i32> {
    if before[0] == 0 || before[2] == 0 || number == 0 {
        return None;
    }
    (-6..=6).min_by_key(|&power| number.abs_diff(scaled(before, power)))
}
