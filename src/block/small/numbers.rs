//! The numbers of comments: clocks, evaluations, times (spec/small.md section 7).

use crate::num::{unzigzag, zigzag};
use crate::small::bits::{BitCoder, Mixer, Read, context};
use crate::small::parts::{CLOCK, DECIMAL, DURATION, EVAL, LARGE_NAG, MATE, TERMINATOR};

/// The model of the numbers of a block.
pub(crate) struct Numbers {
    clocks: Mixer<2>,
    evals: Mixer<2>,
    others: Mixer<2>,
    /// A number for the value of TimeControl, the seconds at the beginning, and those that each
    /// move adds.
    control: u32,
    start: u64,
    increment: i64,
    /// The last two clocks of this game, the latest last, in the unit of its fields.
    clock: [i64; 2],
    /// How long the last moves took, the latest first.
    thinks: [i64; 4],
    seen: u32,
    eval: i64,
    steps: [i64; 2],
    last: i64,
}

/// The size of a number, in four steps for each power of two from 8 on, and its sign.
pub(crate) fn size(number: i64) -> u32 {
    let n = number.unsigned_abs();
    let size = match n.checked_ilog2() {
        Some(len @ 3..) => len * 4 - 4 + (n >> (len - 2) & 3) as u32,
        _ => n as u32,
    };
    size << 1 | u32::from(number < 0)
}

impl Numbers {
    pub(crate) fn new() -> Numbers {
        Numbers {
            clocks: Mixer::new(16, 64, 3, 255),
            evals: Mixer::new(16, 64, 3, 255),
            others: Mixer::new(16, 16, 3, 255),
            control: 0,
            start: 0,
            increment: 0,
            clock: [0; 2],
            thinks: [0; 4],
            seen: 0,
            eval: 0,
            steps: [0; 2],
            last: 0,
        }
    }

    /// Begins a game; `control`: the value of its TimeControl tag, and a number for it.
    pub(crate) fn begin_game(&mut self, control: &[u8], number: u32) {
        let text = std::str::from_utf8(control).unwrap_or("");
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        self.start = base.parse::<u32>().unwrap_or(0).into();
        self.increment = increment.parse::<u16>().unwrap_or(0).into();
        self.control = number;
        (self.clock, self.thinks, self.seen) = ([0; 2], [0; 4], 0);
        (self.eval, self.steps, self.last) = (0, [0; 2], 0);
    }

    /// Codes the number of a field; `tenths`: its clocks count tenths of a second.
    pub(crate) fn number(
        &mut self,
        coder: &mut impl BitCoder,
        kind: u8,
        tenths: bool,
        number: u64,
    ) -> Read<u64> {
        let as_is = match kind {
            CLOCK => return Ok(zigzag(self.clock(coder, tenths, unzigzag(number))?)),
            EVAL => return self.eval(coder, number),
            MATE => return Ok(zigzag(self.other(coder, 1, unzigzag(number))?)),
            DURATION => 2,
            DECIMAL => 3,
            LARGE_NAG => 4,
            TERMINATOR => 5,
            _ => 6,
        };
        let number = self.other(coder, as_is, number.cast_signed())?;
        Ok(number.cast_unsigned())
    }

    /// Codes the difference of a clock to the one before the last.
    fn clock(&mut self, coder: &mut impl BitCoder, tenths: bool, difference: i64) -> Read<i64> {
        let unit = if tenths { 10 } else { 1 };
        let predicted = if self.seen == 0 { 0 } else { self.clock[0] };
        let base = match self.seen {
            0 => self.start.cast_signed() * unit,
            1 => 0,
            _ => self.increment * unit,
        };
        let seen = self.seen.min(3);
        let left = size(predicted / unit);
        let [_, own, _, own_before] = self.thinks;
        let at = self.control << 3 | seen << 1 | u32::from(tenths);
        let contexts = [
            context(context(at, left), 0x20),
            context(context(at & 7, size(own)), context(size(own_before), 0x21)),
        ];
        let think = base.wrapping_sub(difference);
        let think = self.clocks.signed(coder, &contexts, seen as usize, think)?;
        let difference = base.wrapping_sub(think);
        let clock = predicted.wrapping_add(difference);
        self.clock = [if self.seen == 0 { clock } else { self.clock[1] }, clock];
        self.seen += 1;
        self.thinks = [think, self.thinks[0], self.thinks[1], self.thinks[2]];
        Ok(difference)
    }

    fn eval(&mut self, coder: &mut impl BitCoder, number: u64) -> Read<u64> {
        let contexts = [
            context(context(size(self.steps[0]), size(self.steps[1])), 0x30),
            context(size(self.eval), 0x32),
        ];
        if self.evals.bit(coder, &contexts, 1, 3, number == 0) {
            return Ok(0);
        }
        let step = unzigzag(number.wrapping_sub(1));
        let step = self.evals.signed(coder, &contexts, 2, step)?;
        self.eval = self.eval.wrapping_add(step);
        self.steps = [step, self.steps[0]];
        Ok(zigzag(step).wrapping_add(1))
    }

    fn other(&mut self, coder: &mut impl BitCoder, kind: u32, number: i64) -> Read<i64> {
        let state = kind | size(self.last) << 4;
        let (contexts, set) = ([context(kind, 0x40), context(state, 0x41)], kind as usize);
        self.last = self.others.signed(coder, &contexts, set, number)?;
        Ok(self.last)
    }
}
