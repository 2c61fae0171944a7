"""PPMd variant H as small.md section 8.1 uses it: a decoder in plain Python, slow and straight.

The model is Dmitry Shkarin's "PPM with information inheritance", variant H (2001); memory and range coder are those of 7-Zip's
*PPMd7*. A context holds the symbols that followed it, each with a frequency and a successor: the context that is one symbol longer, or
only a place in the text behind which that context would stand, until it is needed. Addresses matter to nothing but the moment when
memory is full and the model begins anew; so contexts and states are objects here, and `Units` keeps the books of the memory.

    ppmd.py CODED LENGTH > PLAIN      decodes a file

This file is in the public domain (CC0).
"""

from __future__ import annotations

import sys
from pathlib import Path

ORDER = 6
MEMORY = 2 << 20

UNIT = 12  # bytes of memory in a unit: a context, or two states
MAX_FREQ = 124
INT_BITS = PERIOD_BITS = 7
BIN_SCALE = 1 << (INT_BITS + PERIOD_BITS)
INIT_BIN_ESC = (0x3CDD, 0x1F3F, 0x59BF, 0x48F3, 0x64A1, 0x5ABC, 0x6632, 0x6051)
EXP_ESCAPE = (25, 14, 9, 7, 5, 5, 4, 4, 4, 3, 3, 3, 2, 2, 2, 2)

# Blocks have one of 38 sizes: 1 to 4 units, 6 to 12 by twos, 15 to 24 by threes, 28 to 128 by fours.
SIZES = [*range(1, 5), *range(6, 13, 2), *range(15, 25, 3), *range(28, 129, 4)]
SIZE_OF = [next(i for i, size in enumerate(SIZES) if size >= units) for units in range(1, 129)]

# How many states a context has, in classes: for the binary contexts, and for the escapes.
CLASS_OF_PARENT = [0, 2, *[4] * 9, *[6] * 245]
CLASS_OF_LEFT = [0, 1, 2]
while len(CLASS_OF_LEFT) < 256:
    CLASS_OF_LEFT += [CLASS_OF_LEFT[-1] + 1] * (CLASS_OF_LEFT[-1] - 1)
del CLASS_OF_LEFT[256:]


class PpmdError(ValueError):
    """The stream is damaged."""


class Full(Exception):
    """There is no memory left: the model begins anew."""


class Units:
    """Which units of the memory are in use."""

    def __init__(self) -> None:
        self.free: list[list[int]] = [[] for _ in SIZES]
        self.text = 0
        end = MEMORY
        self.start = self.low = end - MEMORY // 8 // UNIT * 7 * UNIT
        self.high = end
        self.until_glue = 0

    def context(self) -> int:
        """A unit for a context: they are taken from the end."""
        if self.high != self.low:
            self.high -= UNIT
            return self.high
        if self.free[0]:
            return self.free[0].pop()
        return self.rare(0)

    def block(self, index: int) -> int:
        """A block of this size."""
        if self.free[index]:
            return self.free[index].pop()
        length = SIZES[index] * UNIT
        if self.high - self.low >= length:
            self.low += length
            return self.low - length
        return self.rare(index)

    def rare(self, index: int) -> int:
        if self.until_glue == 0:
            self.glue()
            if self.free[index]:
                return self.free[index].pop()
        larger = next((i for i in range(index + 1, len(SIZES)) if self.free[i]), None)
        if larger is None:
            self.until_glue -= 1
            length = SIZES[index] * UNIT
            if self.start - self.text <= length:
                raise Full
            self.start -= length
            return self.start
        address = self.free[larger].pop()
        self.split(address, larger, index)
        return address

    def give(self, address: int, units: int) -> None:
        """Frees as many units as there are, in one block or two."""
        index = SIZE_OF[units - 1]
        if SIZES[index] != units:
            index -= 1
            rest = units - SIZES[index]
            self.free[rest - 1].append(address + SIZES[index] * UNIT)
        self.free[index].append(address)

    def split(self, address: int, old: int, new: int) -> None:
        """Frees the end of a block that shrinks to another size."""
        self.give(address + SIZES[new] * UNIT, SIZES[old] - SIZES[new])

    def glue(self) -> None:
        """Joins free blocks that are neighbours."""
        self.until_glue = 255
        blocks = {address: SIZES[i] for i, free in enumerate(self.free) for address in reversed(free)}
        for free in self.free:
            free.clear()
        order = [*reversed(blocks)]
        gone = set()
        for address in order:
            if address in gone:
                continue
            units = blocks[address]
            while True:
                behind = address + units * UNIT
                # At `low` nothing begins, unless no unit is left between there and the contexts.
                if behind not in blocks or behind in gone or units + blocks[behind] >= 0x10000:
                    break
                units += blocks[behind]
                gone.add(behind)
            blocks[address] = units
        for address in order:
            if address in gone:
                continue
            units = blocks[address]
            while units > 128:
                self.free[-1].append(address)
                units -= 128
                address += 128 * UNIT
            self.give(address, units)


class State:
    """A symbol of a context."""

    __slots__ = ("symbol", "freq", "successor")

    def __init__(self, symbol: int, freq: int, successor: Context | int | None) -> None:
        self.symbol, self.freq = symbol, freq
        # A context; or a place in the text; or nothing yet, in the context of order 0.
        self.successor = successor


class Context:
    __slots__ = ("states", "sum", "suffix", "address")

    def __init__(self, states: list[State], suffix: Context | None) -> None:
        self.states, self.suffix = states, suffix
        self.sum = 0  # of the frequencies, and that of the escape; of no meaning with one state
        self.address = 0  # of the states, unless there is one

    def find(self, symbol: int) -> int:
        return next(i for i, state in enumerate(self.states) if state.symbol == symbol)


class See:
    """An estimate of the frequency of escapes."""

    __slots__ = ("sum", "shift", "count")

    def __init__(self, total: int, shift: int, count: int) -> None:
        self.sum, self.shift, self.count = total, shift, count

    def hit(self) -> None:
        if self.shift < PERIOD_BITS:
            self.count -= 1
            if self.count == 0:
                self.sum = self.sum << 1 & 0xFFFF
                self.count = 3 << self.shift & 0xFF
                self.shift += 1


class RangeDecoder:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 5
        if len(data) < 5 or data[0] != 0:
            raise PpmdError("its beginning is wrong")
        self.range, self.code = 0xFFFFFFFF, int.from_bytes(data[1:5], "big")
        if self.code == 0xFFFFFFFF:
            raise PpmdError("its beginning is wrong")

    def threshold(self, total: int) -> int:
        self.range //= total
        return self.code // self.range

    def take(self, start: int, size: int) -> None:
        self.code -= start * self.range
        self.range *= size

    def normalize(self) -> None:
        while self.range < 1 << 24:
            if self.at == len(self.data):
                raise PpmdError("it ends early")
            self.code = (self.code << 8 | self.data[self.at]) & 0xFFFFFFFF
            self.range = self.range << 8 & 0xFFFFFFFF
            self.at += 1


class Model:
    """The model, and the coder that it decodes with."""

    def __init__(self, data: bytes) -> None:
        self.coder = RangeDecoder(data)
        self.restart()

    def restart(self) -> None:
        self.units = Units()
        self.text = bytearray()
        self.order_fall = ORDER
        self.run_start = self.run = -min(ORDER, 12) - 1
        self.before_hit = 0
        self.escape = 0
        self.high_bits = 0
        self.units.context()
        root = Context([State(symbol, 1, None) for symbol in range(256)], None)
        root.address = self.units.low
        self.units.low += 128 * UNIT
        root.sum = 257
        self.least = self.greatest = root
        self.found = root.states[0]
        self.binary = [[BIN_SCALE - INIT_BIN_ESC[k % 8] // (i + 2) for k in range(64)] for i in range(128)]
        self.see = [[See((5 * i + 10) << 3, 3, 4) for _ in range(16)] for i in range(25)]
        self.no_see = See(0, PERIOD_BITS, 64)

    def byte(self) -> int:
        """The next byte of the text."""
        coder, context = self.coder, self.least
        states = context.states
        if len(states) > 1:
            count = coder.threshold(context.sum)
            low = 0
            for place, state in enumerate(states):
                if count < low + state.freq:
                    coder.take(low, state.freq)
                    coder.normalize()
                    self.hit(context, place)
                    return self.symbol
                low += state.freq
                self.before_hit = 0
            if count >= context.sum:
                raise PpmdError("it is not well-formed")
            coder.take(low, context.sum - low)
            self.high_bits = 8 * (self.found.symbol >= 0x40)
        else:
            state = states[0]
            row, column = self.place_of_binary(context, state)
            chance = self.binary[row][column]
            size = (coder.range >> 14) * chance
            left = chance - (chance + 32 >> PERIOD_BITS)
            if coder.code < size:
                self.binary[row][column] = left + (1 << INT_BITS)
                coder.range = size
                coder.normalize()
                state.freq += state.freq < 128
                self.found, self.before_hit = state, 1
                self.run += 1
                self.symbol = state.symbol
                self.next_context()
                return self.symbol
            self.binary[row][column] = left
            self.escape = EXP_ESCAPE[left >> 10]
            coder.code -= size
            coder.range -= size
            self.before_hit = 0
        return self.after_escape({state.symbol for state in states})

    def place_of_binary(self, context: Context, state: State) -> tuple[int, int]:
        self.high_bits = 8 * (self.found.symbol >= 0x40)
        column = self.before_hit + (32 if self.run < 0 else 0)
        column += CLASS_OF_PARENT[len(context.suffix.states) - 1]
        column += 16 * (state.symbol >= 0x40) + self.high_bits
        return state.freq - 1, column

    def after_escape(self, masked: set[int]) -> int:
        """A symbol of a shorter context, but none of these."""
        coder = self.coder
        while True:
            coder.normalize()
            context = self.least
            while True:
                self.order_fall += 1
                context = context.suffix
                if context is None:
                    raise PpmdError("it is not well-formed")
                if len(context.states) != len(masked):
                    break
            self.least = context
            left = [state for state in context.states if state.symbol not in masked]
            see, escape = self.see_of(context, len(masked))
            all_left = sum(state.freq for state in left)
            total = all_left + escape
            count = coder.threshold(total)
            if count < all_left:
                low = 0
                for state in left:
                    if count < low + state.freq:
                        break
                    low += state.freq
                coder.take(low, state.freq)
                coder.normalize()
                see.hit()
                self.found = state
                self.run = self.run_start
                context.sum += 4
                state.freq += 4
                self.symbol = state.symbol
                if state.freq > MAX_FREQ:
                    self.rescale()
                self.update()
                return self.symbol
            if count >= total:
                raise PpmdError("it is not well-formed")
            coder.take(all_left, escape)
            see.sum = see.sum + total & 0xFFFF
            masked.update(state.symbol for state in context.states)

    def see_of(self, context: Context, masked: int) -> tuple[See, int]:
        count = len(context.states)
        if count == 256:
            return self.no_see, 1
        left = count - masked
        column = int(left < len(context.suffix.states) - count)
        column += 2 * (context.sum < 11 * count) + 4 * (masked > left) + self.high_bits
        see = self.see[CLASS_OF_LEFT[left - 1]][column]
        freq = see.sum >> see.shift
        see.sum -= freq
        return see, freq or 1

    def hit(self, context: Context, place: int) -> None:
        """A symbol of a context with several."""
        states = context.states
        state = self.found = states[place]
        self.symbol = state.symbol
        if place == 0:
            self.before_hit = int(2 * state.freq > context.sum)
            self.run += self.before_hit
        context.sum += 4
        state.freq += 4
        if place > 0 and state.freq > states[place - 1].freq:
            states[place - 1], states[place] = state, states[place - 1]
            if state.freq > MAX_FREQ:
                self.rescale()
        elif place == 0 and state.freq > MAX_FREQ:
            self.rescale()
        self.next_context()

    def next_context(self) -> None:
        if self.order_fall == 0 and isinstance(self.found.successor, Context):
            self.least = self.greatest = self.found.successor
        else:
            self.update()

    def rescale(self) -> None:
        """Halves the frequencies of the least context."""
        context, units = self.least, self.units
        states = context.states
        states.remove(self.found)
        states.insert(0, self.found)
        adder = int(self.order_fall != 0)
        escape = context.sum - sum(state.freq for state in states)
        # The first gets 4 more; the others are sorted in as they come.
        states[0].freq = states[0].freq + 4 + adder >> 1
        for place in range(1, len(states)):
            state = states[place]
            state.freq = state.freq + adder >> 1
            to = place
            while to > 0 and state.freq > states[to - 1].freq:
                to -= 1
            states.insert(to, states.pop(place))
        total = sum(state.freq for state in states)
        count = len(states)
        while states[-1].freq == 0:
            states.pop()
            escape += 1
        old, new = count + 1 >> 1, len(states) + 1 >> 1
        self.found = states[0]
        if len(states) == 1 and count > 1:
            state = states[0]
            while True:
                escape >>= 1
                state.freq = state.freq + 1 >> 1
                if escape <= 1:
                    break
            units.free[SIZE_OF[old - 1]].append(context.address)
            return
        i, j = SIZE_OF[old - 1], SIZE_OF[new - 1]
        if i != j:
            if units.free[j]:
                address = units.free[j].pop()
                units.free[i].append(context.address)
                context.address = address
            else:
                units.split(context.address, i, j)
        context.sum = total + escape - (escape >> 1)

    def update(self) -> None:
        """Makes the contexts that the last symbol has led to."""
        try:
            self.grow()
        except Full:
            self.restart()

    def grow(self) -> None:
        context, found = self.least, self.found
        symbol, freq, suffix = found.symbol, found.freq, context.suffix
        if freq < MAX_FREQ // 4 and suffix is not None:
            if len(suffix.states) == 1:
                state = suffix.states[0]
                state.freq += state.freq < 32
            else:
                place = suffix.find(symbol)
                state = suffix.states[place]
                if place > 0 and state.freq >= suffix.states[place - 1].freq:
                    suffix.states[place] = suffix.states[place - 1]
                    suffix.states[place - 1] = state
                if state.freq < MAX_FREQ - 9:
                    state.freq += 2
                    suffix.sum += 2
        if self.order_fall == 0:
            self.least = self.greatest = found.successor = self.successors()
            return
        self.text.append(symbol)
        self.units.text += 1
        if self.units.text >= self.units.start:
            raise Full
        raw: Context | int = len(self.text)
        following = found.successor
        if following is None:
            found.successor, following = raw, context
        else:
            if isinstance(following, int):
                following = self.successors()
            self.order_fall -= 1
            if self.order_fall == 0:
                raw = following
                if self.greatest is not context:
                    self.text.pop()
                    self.units.text -= 1
        longest, self.least, self.greatest = self.greatest, following, following
        self.add(longest, context, found, raw)

    def add(self, longer: Context, context: Context, found: State, raw: Context | int) -> None:
        """Adds the symbol to the contexts that did not have it."""
        if longer is context:
            return
        count = len(context.states)
        # With one state the sum is not there; but then no longer context was left by an escape.
        others = context.sum - count - (found.freq - 1)
        while longer is not context:
            states = longer.states
            here = len(states)
            if here > 1:
                if here % 2 == 0:
                    i, j = SIZE_OF[(here >> 1) - 1], SIZE_OF[here >> 1]
                    if i != j:
                        address = self.units.block(i + 1)
                        self.units.free[i].append(longer.address)
                        longer.address = address
                total = longer.sum
                total += (2 * here < count) + 2 * (4 * here <= count and total <= 8 * here)
            else:
                longer.address = self.units.block(0)
                state = states[0]
                # A new object: whoever holds the state of the context with one keeps that.
                freq = 2 * state.freq if state.freq < MAX_FREQ // 4 - 1 else MAX_FREQ - 4
                state.freq = freq
                total = freq + self.escape + (count > 3)
            chance, limit = 2 * (total + 6) * found.freq, others + total
            if chance < 6 * limit:
                freq = 1 + (chance > limit) + (chance >= 4 * limit)
                total += 3
            else:
                freq = 4 + (chance >= 9 * limit) + (chance >= 12 * limit) + (chance >= 15 * limit)
                total += freq
            longer.sum = total
            states.append(State(found.symbol, freq, raw))
            longer = longer.suffix

    def successors(self) -> Context:
        """Makes the contexts behind the last symbol, from the text up to the one that is there already."""
        context, raw = self.least, self.found.successor
        waiting = [] if self.order_fall == 0 else [self.found]
        while context.suffix is not None:
            context = context.suffix
            state = context.states[0 if len(context.states) == 1 else context.find(self.found.symbol)]
            if state.successor is not raw and state.successor != raw:
                context = state.successor
                if not waiting:
                    return context
                break
            waiting.append(state)
        symbol = self.text[raw]
        if len(context.states) == 1:
            freq = context.states[0].freq
        else:
            found = context.states[context.find(symbol)].freq - 1
            others = context.sum - len(context.states) - found
            if 2 * found <= others:
                freq = 1 + (5 * found > others)
            else:
                freq = 2 + (2 * found + others - 1) // (2 * others)
        for state in reversed(waiting):
            self.units.context()
            context = Context([State(symbol, freq, raw + 1)], context)
            state.successor = context
        return context


def decode(data: bytes, length: int) -> bytes:
    """The bytes that a stream stands for, `length` of them; raises PpmdError."""
    model = Model(data)
    out = bytes(model.byte() for _ in range(length))
    if model.coder.at != len(data):
        raise PpmdError("bytes stand behind its end")
    return out


if __name__ == "__main__":
    sys.stdout.buffer.write(decode(Path(sys.argv[1]).read_bytes(), int(sys.argv[2])))
