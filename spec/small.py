#!/usr/bin/env python3
"""The coded blocks of small.md, written from its text: a decoder, slow, and as plain as it can be.

reader.py uses it. It needs python-chess, ppmd.py (section 8.1), moves.py and moves-1.bin (section 6), and a module that knows the rules of
pgn-import.md, which reader.py is. This file is in the public domain (CC0).
"""

from __future__ import annotations

import zlib
from pathlib import Path

import chess
import moves
import ppmd

WORD = 0xFFFFFFFF
KINDS = "TSMNXCLK"
RUN = 4  # games in a run of moves
MAX_ELEMENTS = 1_048_576
MAX_DEPTH = 1_024
MAX_SOURCE_LINE = 65_531
MAX_PAYLOAD = 65_535
NUM_LIMIT = 1 << 63

# Section 2: units, tokens, kinds of fields.
END_OF_BLOCK, REDUCED, FULL, STRAY, MORE_STRAY, PIECE, MORE_PIECE = range(7)
END, PLY, NAG, OPEN, CLOSE, LINE, SHAPES = range(7)
CLOCK, EVALUATION, DURATION, DECIMAL, TEXT, LARGE_NAG, TERMINATOR, MATE = range(1, 9)
FIXED_SHAPES = ((TEXT,), (TEXT,), (TEXT,), (LARGE_NAG,), (TERMINATOR,), (TEXT,))
ROSTER = (b"Event", b"Site", b"Date", b"Round", b"White", b"Black", b"Result")


class SmallError(ValueError):
    """The streams are damaged."""


# ------------------------------------------------------------------------------------------------ bits (section 3)


class Bits(moves.Decoder):
    """Section 3.1: the coder of moves.md, which also decodes bits."""

    def bit(self, one: int) -> int:
        bound = (self.range >> 16) * one
        bit = int(self.code < bound)
        if bit:
            self.range = bound
        else:
            self.code -= bound
            self.range -= bound
        if self.code >= self.range:
            raise SmallError("no bit has this code")
        while self.range < 1 << 24:
            self.range <<= 8
            self.shift()
        return bit

    def below(self, total: int) -> int:
        """Section 3.4: an even choice, as of moves.md, section 7, with frequencies of 1."""
        unit = self.range // total
        place = self.code // unit
        if place >= total:
            raise SmallError("a place in no choice")
        self.code -= unit * place
        self.range = unit
        while self.range < 1 << 24:
            self.range <<= 8
            self.shift()
        return place

    def even(self, count: int) -> int:
        """Section 3.4: a number of so many bits."""
        number = 0
        while count:
            some = min(count, 16)
            count -= some
            number = number << some | self.below(1 << some)
        return number


def context(a: int, b: int) -> int:
    """Section 3.2. Negative numbers are taken modulo 2^32."""
    a, b = a & WORD, b & WORD
    return ((a ^ a >> 15) * 0x2C1B3C6D + b * 0x9E3779B1 & WORD) ^ b >> 13


class Chances:
    """Section 3.3: 2^bits chances, found by context and node."""

    def __init__(self, bits: int, limit: int = 255) -> None:
        self.shift, self.limit = 32 - bits, limit
        self.cells: dict[int, tuple[int, int]] = {}

    def place(self, at: int, node: int) -> int:
        mixed = (at ^ (node >> 4) * 0x85EBCA6B & WORD) * 0x9E3779B1 & WORD
        return ((mixed ^ mixed >> 15) * 0x2C1B3C6D & WORD) >> self.shift ^ node & 15

    def one(self, place: int) -> int:
        return max(self.cells.get(place, (1 << 21, 0))[0] >> 6, 1)

    def learn(self, place: int, bit: int) -> None:
        chance, seen = self.cells.get(place, (1 << 21, 0))
        target = (1 << 22) - 1 if bit else 0
        chance += (target - chance) * ((1 << 17) // (2 * seen + 3)) >> 16
        self.cells[place] = chance, min(seen + 1, self.limit)

    def bit(self, coder: Bits, at: int, node: int) -> int:
        place = self.place(at, node)
        bit = coder.bit(self.one(place))
        self.learn(place, bit)
        return bit

    def symbol(self, coder: Bits, at: int, bits: int) -> int:
        read = 1
        for place in range(bits):
            read = read << 1 | self.bit(coder, at, symbol_node(read, place % 4))
        return read - (1 << bits)


def symbol_node(read: int, r: int) -> int:
    return 16 * (read >> r) + (1 << r) + read % (1 << r)


STEPS = (
    22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743, 32768,
    40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514,
)  # fmt: skip


def squash(odds: int) -> int:
    low, part = divmod(min(max(odds, -2047), 2047) + 2048, 128)
    return STEPS[low] * (128 - part) + STEPS[low + 1] * part >> 7


def stretch_table() -> list[int]:
    table, odds = [], -2047
    for at in range(4096):
        while odds < 2047 and squash(odds) < 16 * at + 8:
            odds += 1
        table.append(odds)
    return table


STRETCH = stretch_table()


class Mixer:
    """Section 3.5."""

    def __init__(self, inputs: int, bits: int, rate: int, limit: int = 255) -> None:
        self.chances = Chances(bits, limit)
        self.rate, self.first = rate, [81_920 // inputs] * inputs
        self.sets: dict[int, list[int]] = {}

    def bit(self, coder: Bits, contexts: list[int], which: int, node: int) -> int:
        weights = self.sets.setdefault(which, list(self.first))
        places = [self.chances.place(at, node + (i << 24) & WORD) for i, at in enumerate(contexts)]
        odds = [STRETCH[self.chances.one(place) >> 4] for place in places]
        one = squash(sum(a * b for a, b in zip(odds, weights)) >> 16)
        bit = coder.bit(one)
        error = (65_535 if bit else 0) - one
        for i, place in enumerate(places):
            weight = weights[i] + (odds[i] * self.rate * (error >> 4) >> 14)
            weights[i] = max(-(1 << 24), min(1 << 24, weight))
            self.chances.learn(place, bit)
        return bit

    def number(self, coder: Bits, contexts: list[int], which: int, base: int = 0) -> int:
        length = 0
        while self.bit(coder, contexts, which, base + 2 * length + 2):
            length += 1
            if length == 63:
                raise SmallError("a number of more than 63 bits")
        if length == 0:
            return 0
        number = 2 + self.bit(coder, contexts, which, base + 2 * length + 3)
        return (number << length - 1 | coder.even(length - 1)) - 1

    def signed(self, coder: Bits, contexts: list[int], which: int) -> int:
        if self.bit(coder, contexts, which, 0):
            return 0
        negative = self.bit(coder, contexts, which, 1)
        size = self.number(coder, contexts, which, 128 * negative) + 1
        return -size if negative else size

    def byte(self, coder: Bits, contexts: list[int], which: int) -> int:
        read = 1
        for place in range(8):
            read = read << 1 | self.bit(coder, contexts, which, symbol_node(read, place % 4))
        return read - 256


# ------------------------------------------------------------------------------------------------ tags (section 4)

NAMES = (
    b"Event Site Date Round White Black Result UTCDate UTCTime WhiteElo BlackElo WhiteRatingDiff BlackRatingDiff ECO "
    b"Opening TimeControl Termination EventDate PlyCount Variant"
).split()
NO_TEXT, NAME_END, NAME_LINE = 0, 1, 2
FIRST = {name: 3 + i for i, name in enumerate(NAMES)}
DATE, WHITE, BLACK, RESULT = (FIRST[name] for name in (b"Date", b"White", b"Black", b"Result"))
WHITE_ELO, BLACK_ELO = FIRST[b"WhiteElo"], FIRST[b"BlackElo"]
WHITE_DIFF, BLACK_DIFF = FIRST[b"WhiteRatingDiff"], FIRST[b"BlackRatingDiff"]
TIME_CONTROL, PLY_COUNT = FIRST[b"TimeControl"], FIRST[b"PlyCount"]
KNOWN, LETTERS, NUMBER, SIGNED, TIME_OF_DAY, CALENDAR, SITE = range(7)
BASE_62 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Texts:
    """Section 4.2: names and values, each with a number."""

    def __init__(self) -> None:
        self.texts = [b"", None, None, *NAMES]
        self.numbers = {name: 3 + i for i, name in enumerate(NAMES)}

    def add(self, text: bytes) -> int:
        if text not in self.numbers:
            self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return self.numbers[text]


class Column:
    """Section 4.4: what is remembered of the tags of a name."""

    def __init__(self, group: int, side: bytes) -> None:
        self.group, self.side = group, side
        self.last = self.told = NO_TEXT
        self.history = 0


class Tags:
    def __init__(self) -> None:
        self.known = Texts()
        self.columns: dict[int, Column] = {}
        self.groups: dict[int, list[int]] = {}
        self.players = (NO_TEXT, NO_TEXT)
        self.followers: dict[int, tuple[int, int]] = {}
        self.names = list(range(3, 23))
        self.memory: dict[int, int] = {}
        self.chances = Chances(16)
        self.letters = Mixer(3, 18, 6, 127)
        self.numbers = Mixer(2, 16, 4)
        self.game: list[tuple[int, int]] = []
        self.before = NO_TEXT
        self.plies = 0

    def begin(self, plies: int) -> None:
        self.players = self.value_of(WHITE), self.value_of(BLACK)
        self.game, self.before, self.plies = [], NO_TEXT, plies

    def text(self, number: int) -> bytes:
        return self.known.texts[number]

    def value_of(self, name: int) -> int:
        return next((value for given, value in self.game if given == name), NO_TEXT)

    def name(self, coder: Bits) -> int:
        """Section 4.3."""
        at = context(self.before, 1)
        guesses = self.followers.get(self.before, (NO_TEXT, NO_TEXT))
        for i, guess in enumerate(guesses):
            if guess != NO_TEXT and self.chances.bit(coder, at, i):
                found = guess
                break
        else:
            if self.chances.bit(coder, at, 2):
                found = [NAME_END, NAME_LINE, *self.names][coder.below(2 + len(self.names))]
            else:
                text = self.spell(coder, 0, b"")
                if not text:
                    raise SmallError("a tag without a name")
                found = self.known.add(text)
                self.names.append(found)
        if guesses[0] != found:
            self.followers[self.before] = found, guesses[0]
        self.before = found
        return found

    def column(self, name: int) -> Column:
        if name not in self.columns:
            text, group, side = self.text(name), name, b""
            for side_name in (b"White", b"Black"):
                if text.startswith(side_name):
                    group, side = self.known.add(b"White" + text[5:]), side_name
            self.columns[name] = Column(group, side)
        return self.columns[name]

    def value(self, coder: Bits, name: int) -> int:
        """Section 4.4."""
        column = self.column(name)
        player = NO_TEXT
        if column.side == b"White" and name != WHITE:
            player = self.value_of(WHITE)
        elif column.side == b"Black" and name != BLACK:
            player = self.value_of(BLACK)
        tag_before = self.game[-1][1] if self.game else NO_TEXT
        slots = [
            slot(0, column.group, player),
            slot(1, name, column.last),
            slot(2, name, tag_before),
            slot(3, name, self.value_of(RESULT)),
        ]
        remembered = [self.memory.get(place, NO_TEXT) for place in slots]
        if player == NO_TEXT:
            remembered[0] = NO_TEXT
        if name == WHITE:
            copy = self.players[1]
        elif name == BLACK:
            copy = self.players[0]
        elif name == PLY_COUNT:
            copy = self.known.add(b"%d" % self.plies)
        else:
            copy = self.value_of(DATE)
        offers = [*remembered[:3], column.last, remembered[3], copy]
        found = outcome = None
        tried: list[int] = []
        for i, offer in enumerate(offers):
            if offer == NO_TEXT or offer in tried:
                continue
            agree = min(offers[i:].count(offer), 3)
            at = context(context(name, column.history), i | agree << 4 | len(tried) << 8)
            tried.append(offer)
            if self.chances.bit(coder, at, 0):
                found, outcome = offer, len(tried)
                break
        if found is None:
            found, outcome = self.told(coder, name, column, remembered[0]), 7
            column.told = found
        if len(self.text(found)) > 255:
            raise SmallError("a value of more than 255 bytes")
        for place in slots[player == NO_TEXT :]:
            self.memory[place] = found
        column.last = found
        column.history = column.history << 3 & 0x1FF | outcome
        self.game.append((name, found))
        return found

    def told(self, coder: Bits, name: int, column: Column, of_player: int) -> int:
        """Section 4.5: a value that is no candidate."""
        last = self.text(column.told or column.last)
        way = self.chances.symbol(coder, context(name, 2), 3)

        def step(kind: int, which: int) -> int:
            return self.numbers.signed(coder, [context(context(name, kind + i), 3) for i in (0, 1)], which)

        if way == KNOWN:
            group = self.groups.get(column.group)
            if group is None:
                raise SmallError("no value of this group is known")
            return group[coder.below(len(group))]
        if way == LETTERS:
            text = self.known.add(self.spell(coder, column.group, last))
            group = self.groups.setdefault(column.group, [])
            if text not in group:
                group.append(text)
            return text
        if way == NUMBER:
            kind, base = self.base(name, column, of_player)
            contexts = [context(context(name, k), 3) for k in (kind, 8)]
            number = base + self.numbers.signed(coder, contexts, kind)
            text = b"%d" % self.counting(number)
        elif way == SIGNED:
            text = b"%+d" % self.numbers.signed(coder, self.difference_contexts(name), 8)
        elif way == TIME_OF_DAY:
            text = spell_time((time_of(last) or 0) + step(9, 9))
        elif way == CALENDAR:
            text = spell_date((date_of(last) or 0) + step(11, 10))
        elif way > SITE:
            raise SmallError("a value told in no way")
        else:
            text = site_head(last) + b"".join(site_pair(coder.below(62 * 62)) for _ in range(4))
        return self.known.add(text)

    def counting(self, number: int) -> int:
        if number < 0:
            raise SmallError("a number below 0")
        return number

    def base(self, name: int, column: Column, of_player: int) -> tuple[int, int]:
        own = number_of(self.text(of_player))
        if own is not None:
            return 0, own
        other = number_of(self.text(self.value_of(WHITE_ELO)))
        if name == BLACK_ELO and other is not None:
            return 1, other
        return 2, number_of(self.text(column.last)) or 0

    def difference_contexts(self, name: int) -> list[int]:
        white, black = (number_of(self.text(self.value_of(elo))) or 0 for elo in (WHITE_ELO, BLACK_ELO))
        ahead = min(max(white - black, -600), 600)
        ahead = ahead // 20 if ahead >= 0 else -(-ahead // 20)
        result = self.value_of(RESULT)
        other = signed_number(self.text(self.value_of(WHITE_DIFF))) if name == BLACK_DIFF else None
        if other is None:
            other = 99
        return [
            context(context(context(name, result), ahead), 4),
            context(context(name, other), result),
        ]

    def spell(self, coder: Bits, group: int, last: bytes) -> bytes:
        """Section 4.6."""
        done = bytearray()
        fits = True
        while True:
            at = len(done)
            guess = last[at] + 1 if fits and at < len(last) else 0
            a, b, c = (done[at - back] if at >= back else 0 for back in range(1, 4))
            contexts = [
                context(context(group, a), 0x10),
                context(a << 16 | b << 8 | c, 0x12),
                context(context(group, guess), min(at, 30) << 8 | 0x14),
            ]
            byte = self.letters.byte(coder, contexts, a)
            if byte == 0:
                return bytes(done)
            if at == 255:
                raise SmallError("a text of more than 255 letters")
            fits = fits and guess == byte + 1
            done.append(byte)


def slot(kind: int, a: int, b: int) -> int:
    return (context(context(a, b), kind) * 0x9E3779B1 & WORD) >> 16


def is_digits(text: bytes) -> bool:
    return all(0x30 <= byte <= 0x39 for byte in text)


def number_of(text: bytes) -> int | None:
    plain = 1 <= len(text) <= 9 and is_digits(text) and (text[:1] != b"0" or text == b"0")
    return int(text) if plain else None


def signed_number(text: bytes) -> int | None:
    number = number_of(text[1:])
    if number is None or text[:1] not in (b"+", b"-") or text == b"-0":
        return None
    return number if text[:1] == b"+" else -number


def time_of(text: bytes) -> int | None:
    parts = text.split(b":")
    if [len(part) for part in parts] != [2, 2, 2] or not all(map(is_digits, parts)):
        return None
    hours, minutes, seconds = map(int, parts)
    return hours * 3600 + minutes * 60 + seconds if hours < 24 and minutes < 60 and seconds < 60 else None


def spell_time(time: int) -> bytes:
    if not 0 <= time < 86_400:
        raise SmallError("no time of day")
    return b"%02d:%02d:%02d" % (time // 3600, time // 60 % 60, time % 60)


def date_of(text: bytes) -> int | None:
    parts = text.split(b".")
    if [len(part) for part in parts] != [4, 2, 2] or not all(map(is_digits, parts)):
        return None
    year, month, day = map(int, parts)
    return year * 372 + (month - 1) * 31 + day - 1 if 1 <= month <= 12 and 1 <= day <= 31 else None


def spell_date(date: int) -> bytes:
    if not 0 <= date < 3_720_000:
        raise SmallError("no date")
    return b"%04d.%02d.%02d" % (date // 372, date // 31 % 12 + 1, date % 31 + 1)


def site_head(text: bytes) -> bytes:
    if len(text) < 8 or any(byte not in BASE_62 for byte in text[-8:]):
        raise SmallError("the value before ends in no eight letters and digits")
    return text[:-8]


def site_pair(pair: int) -> bytes:
    return bytes([BASE_62[pair // 62], BASE_62[pair % 62]])


# ------------------------------------------------------------------------------------------------ tokens (section 5)


class Tokens:
    def __init__(self) -> None:
        self.foreseen: dict[int, int] = {}
        self.chances = Chances(16)
        self.last = self.depth = self.nag = 0

    def begin(self) -> None:
        self.last = self.depth = 0

    def token(self, coder: Bits, left: int) -> int:
        state = min(self.depth, 2) << 1 | (left > 0)
        at = context(self.last, state)
        place = (at * 0x9E3779B1 & WORD) >> 20
        token = self.foreseen.get(place, END)
        if self.chances.bit(coder, at, token):
            pass
        elif left > 0 and token != PLY and self.chances.bit(coder, at, SHAPES + 256):
            token = PLY
        else:
            token = self.chances.symbol(coder, context(self.last & 0x3FFFF, state) ^ 0x5555, 9)
        self.foreseen[place] = token
        if token == PLY and left == 0 or token == END and (left > 0 or self.depth > 0) or token >= SHAPES + 256:
            raise SmallError("an end or a ply where none can be, or no token")
        self.depth += (token == OPEN) - (token == CLOSE)
        if not 0 <= self.depth <= MAX_DEPTH:
            raise SmallError("an end of no variation, or variations that are too deep")
        self.last = (self.last << 9 | token) & WORD
        return token

    def glyph(self, coder: Bits) -> int:
        self.nag = self.chances.symbol(coder, context(self.nag, 0x7A6), 8)
        return self.nag


# ------------------------------------------------------------------------------------------------ moves (section 6)


class Moves:
    def __init__(self, data: bytes, rules: object) -> None:
        self.data, self.rules = data, rules
        self.at = self.games = 0
        self.run: Bits | None = None

    tables: moves.Tables | None = None

    def game(self, tags: list[tuple[bytes, bytes]], tokens: list[int]) -> bytes:
        """The ordinals of the next game."""
        if self.games % RUN == 0:
            if self.run:
                self.run.end()
            length, self.at = take_num(self.data, self.at)
            if length > len(self.data) - self.at:
                raise SmallError("a run is cut off")
            self.run = Bits(self.data[self.at : self.at + length])
            self.at += length
        self.games += 1
        if PLY not in tokens:
            return b""
        first = [next((value for given, value in tags if given == name), None) for name in (b"Variant", b"FEN")]
        named = zip(("Variant", "FEN"), first)
        board = self.rules.start_position([(name, value.decode("latin-1")) for name, value in named if value is not None])
        line, before, open_lines = moves.Line(board), None, []
        ordinals = bytearray()
        for token in tokens:
            if token == PLY:
                before = line
                ordinal, line = self.ply(line)
                ordinals.append(ordinal)
            elif token == OPEN:
                if before is None:
                    raise SmallError("a variation without a move to replace")
                open_lines.append((line, before))
                line, before = before, None
            elif token == CLOSE:
                line, before = open_lines.pop()
        return bytes(ordinals)

    def ply(self, line: moves.Line) -> tuple[int, moves.Line]:
        legal = [move for _, move in self.rules.legal_moves(line.board)]
        if not legal:
            raise SmallError("no legal move")
        if self.rules.is_chess(line.board) and len(legal) <= 256:
            if Moves.tables is None:
                Moves.tables = moves.Tables(Path(__file__).with_name("moves-1.bin").read_bytes())
            move = moves.decode_move(Moves.tables, line, self.run)
        else:
            move = legal[self.run.decode([1] * min(len(legal), 256))]
        if legal.index(move) > 255:
            raise SmallError("a move without an ordinal")
        return legal.index(move), self.after(line, move)

    def after(self, line: moves.Line, move: object) -> moves.Line:
        if self.rules.is_chess(line.board):
            return line.after(move)
        board = line.board.copy(stack=False)
        board.push(move)
        return moves.Line(board)

    def end(self) -> None:
        if self.run:
            self.run.end()
        if self.at != len(self.data):
            raise SmallError("bytes behind the last run")


# ------------------------------------------------------------------------------------------------ numbers (section 7)


def size(number: int) -> int:
    n = abs(number)
    if n >= 8:
        length = n.bit_length() - 1
        n = 4 * length - 4 + (n >> length - 2 & 3)
    return n << 1 | (number < 0)


def wrapped(number: int) -> int:
    """Modulo 2^64, from -2^63 on."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def divided(number: int, unit: int) -> int:
    return number // unit if number >= 0 else -(-number // unit)


def seconds(text: bytes, limit: int) -> int:
    """A number as section 7.1 takes it from a TimeControl."""
    digits = text[1:] if text[:1] == b"+" else text
    return int(digits) if digits and is_digits(digits) and int(digits) < limit else 0


class Numbers:
    def __init__(self) -> None:
        self.clocks, self.evals, self.others = Mixer(2, 16, 3), Mixer(2, 16, 3), Mixer(2, 16, 3)
        self.begin(b"", 0)

    def begin(self, control: bytes, number: int) -> None:
        try:
            control.decode("utf-8")
        except UnicodeDecodeError:
            control = b""
        start, plus, increment = control.partition(b"+")
        self.start, self.increment = seconds(start, 1 << 32), seconds(increment, 1 << 16) if plus else 0
        self.control = number
        self.clock, self.thinks, self.seen = [0, 0], [0] * 4, 0
        self.eval, self.steps, self.last = 0, [0, 0], 0

    def number(self, coder: Bits, kind: int, tenths: bool) -> int:
        """The number of a field, as `A` holds it."""
        if kind == CLOCK:
            number = zigzag(self.difference(coder, 10 if tenths else 1))
        elif kind == EVALUATION:
            number = self.evaluation(coder)
        elif kind == MATE:
            number = zigzag(self.other(coder, 1))
        else:
            number = self.other(coder, {DURATION: 2, DECIMAL: 3, LARGE_NAG: 4, TERMINATOR: 5}[kind])
        if not 0 <= number < (256 if kind == TERMINATOR else NUM_LIMIT):
            raise SmallError("a number that no field holds")
        return number

    def difference(self, coder: Bits, unit: int) -> int:
        predicted = self.clock[0]
        base = (self.start * unit, 0, self.increment * unit)[min(self.seen, 2)]
        seen = min(self.seen, 3)
        left = size(divided(predicted, unit))
        _, own, _, own_before = (size(think) for think in self.thinks)
        at = self.control << 3 | seen << 1 | (unit == 10)
        contexts = [
            context(context(at, left), 0x20),
            context(context(at & 7, own), context(own_before, 0x21)),
        ]
        think = self.clocks.signed(coder, contexts, seen)
        difference = wrapped(base - think)
        clock = wrapped(predicted + difference)
        self.clock = [clock if self.seen == 0 else self.clock[1], clock]
        self.thinks = [think, *self.thinks[:3]]
        self.seen += 1
        return difference

    def evaluation(self, coder: Bits) -> int:
        one, two = map(size, self.steps)
        contexts = [
            context(context(one, two), 0x30),
            context(size(self.eval), 0x32),
        ]
        if self.evals.bit(coder, contexts, 1, 3):
            return 0
        step = self.evals.signed(coder, contexts, 2)
        self.eval = wrapped(self.eval + step)
        self.steps = [step, self.steps[0]]
        return zigzag(step) + 1

    def other(self, coder: Bits, kind: int) -> int:
        contexts = [context(kind, 0x40), context(kind | size(self.last) << 4, 0x41)]
        self.last = self.others.signed(coder, contexts, kind)
        return self.last


def zigzag(number: int) -> int:
    return 2 * number if number >= 0 else -2 * number - 1


# ------------------------------------------------------------------------------------------------ comments (sections 7.4 to 7.7)

# Section 7.4: symbols of parts.
PART_END, PART_TEXT, PART_NEW_WORD, PART_NUMBER, PART_TIME, PART_MOVES, PART_WORD = 0, 1, 2, 3, 11, 13, 23
LARGEST = 10**15
MOST_PLIES = 1_024


class Part:
    """Moves in a comment, which are still to come."""

    def __init__(self, symbol: int, plies: int) -> None:
        self.is_before, self.spelling, self.plies = symbol - PART_MOVES & 1, symbol - PART_MOVES >> 1, plies
        self.text = b""


def spell_number(symbol: int, number: int) -> bytes:
    if symbol >= PART_TIME:
        if not 0 <= number < (360_000 if symbol == PART_TIME else 36_000):
            raise SmallError("a time that is none")
        hours = b"%02d" if symbol == PART_TIME else b"%d"
        return hours % (number // 3600) + b":%02d:%02d" % (number // 60 % 60, number % 60)
    signed, decimals = divmod(symbol - PART_NUMBER, 4)
    whole, part = divmod(abs(number), 10**decimals)
    text = b"-" if number < 0 else b"+" if signed else b""
    text += b"%d" % whole
    return text + b".%0*d" % (decimals, part) if decimals else text


def fold(at: int) -> int:
    """F of section 7.5, before its shift."""
    return (at ^ at >> 15) * 0x9E3779B1 & WORD


class Memo:
    """Section 7.6: what is known of the numbers at a slot."""

    def __init__(self) -> None:
        self.last: list[int | None] = [None, None]
        self.same, self.rest, self.more = [0, 0], [0, 0], [0, 0]
        self.scale: int | None = None
        self.costs = [0] * 5


class Comments:
    def __init__(self) -> None:
        self.words: list[bytes] = []
        self.chances, self.values = Chances(16), Mixer(2, 16, 3)
        self.followers: dict[int, tuple[int, int]] = {}
        self.memos: dict[int, Memo] = {}

    def begin(self, side: int) -> None:
        self.side = side
        self.last = [0, 0]
        self.counts: dict[int, int] = {}
        self.count = self.parts = 0
        self.before = [0, 0, 0]

    def part(self, coder: Bits) -> tuple[int, bytes | Part | None]:
        """The symbol of the next part, and its text or moves."""
        place = context(context(self.last[0], self.parts), self.count)
        symbol = self.symbol(coder, place)
        self.parts += 1
        if symbol in (PART_END, PART_TEXT):
            return symbol, None
        if symbol == PART_NEW_WORD:
            return symbol, self.new_word(coder)
        if symbol < PART_MOVES:
            number = self.number(coder, context(place, symbol))
            self.before = [number, *self.before[:2]]
            return symbol, spell_number(symbol, number)
        if symbol < PART_WORD:
            plies = self.number(coder, context(place, 0x70))
            if not 0 < plies <= MOST_PLIES:
                raise SmallError("so many plies are no moves")
            return symbol, Part(symbol, plies)
        if symbol - PART_WORD >= len(self.words):
            raise SmallError("a word that is not known")
        return symbol, self.word(symbol - PART_WORD)

    def symbol(self, coder: Bits, place: int) -> int:
        places = [fold(context(place, self.side)) >> 19, fold(context(context(place, self.last[1]), 7)) >> 19]
        first, second = (self.followers.get(at, (0, 0)) for at in places)
        equal = int(first[0] == second[0])
        at = context(context(self.last[0], min(self.parts, 7)), 256 + 2 * first[1] + equal)
        if self.chances.bit(coder, at, 0):
            found = first[0]
        elif not equal and self.chances.bit(coder, context(second[1], 0x201), 1):
            found = second[0]
        else:
            found = self.chances.symbol(coder, context(self.last[0], 0x202), 12)
        for at in places:
            symbol, history = self.followers.get(at, (0, 0))
            self.followers[at] = found, (2 * history + (symbol == found)) % 8
        return found

    def new_word(self, coder: Bits) -> bytes:
        word = bytearray()
        for _ in range(self.chances.symbol(coder, 0x203, 6)):
            word.append(self.chances.symbol(coder, context(word[-1] if word else 0, 0x204), 8))
        if not word or bytes(word) in self.words or len(self.words) == 4_073:
            raise SmallError("a word of no letters, that is known, or one too many")
        self.words.append(bytes(word))
        return self.word(len(self.words) - 1)

    def word(self, number: int) -> bytes:
        self.count = min(self.counts.get(number, 0), 7)
        self.counts[number] = self.counts.get(number, 0) + 1
        self.last, self.parts = [number + 1, self.last[0]], 0
        return self.words[number]

    def number(self, coder: Bits, slot: int) -> int:
        """Section 7.6."""
        memo = self.memos.setdefault(fold(slot) >> 20, Memo())
        side, (q1, _, q3) = self.side, self.before
        other = memo.last[1 - side] or 0
        own = other if memo.last[side] is None else memo.last[side]
        at = context(slot, 2 * memo.same[side] + (own == other) + 0x400)
        if self.chances.bit(coder, at, 0):
            found = own
        elif own != other and self.chances.bit(coder, at, 1):
            found = other
        else:
            product = 0 if memo.scale is None else self.product(memo.scale)
            bases = [0, own, other, own - q1 + memo.more[side], product]
            i = memo.costs.index(min(memo.costs))
            at = context(slot, i)
            contexts = [
                context(at, 0x300),
                context(at, size(memo.rest[side]) | 0x1000),
            ]
            rest = self.values.signed(coder, contexts, slot & 63)
            found = bases[i] + rest
            if abs(found) >= LARGEST:
                raise SmallError("a number of more than 15 digits")
            memo.rest[side] = rest
            for i, base in enumerate(bases):
                memo.costs[i] += 256 * abs(found - base).bit_length() - memo.costs[i] >> 3
        memo.more[side] = found - (own - q1)
        memo.last[side] = found
        memo.same[side] = (2 * memo.same[side] + (found == own)) % 8
        if q1 and q3 and found:
            memo.scale = min(range(-6, 7), key=lambda scale: abs(found - self.product(scale)))
        return found

    def product(self, scale: int) -> int:
        product = self.before[0] * self.before[2]
        scaled = abs(product) * 10**scale if scale >= 0 else abs(product) // 10**-scale
        if scaled >= 1 << 60:
            return 0
        return -scaled if product < 0 else scaled


class Foretold:
    """Section 7.7: the moves in comments."""

    def __init__(self, data: bytes, rules: object) -> None:
        self.data, self.rules, self.at = data, rules, 0

    def game(self, tags: list[tuple[bytes, bytes]], tokens: list[int], ordinals: bytes, comments: list[list[list]]) -> None:
        """Fills in the moves of a game; `comments` are those of each item, in order."""
        length, self.at = take_num(self.data, self.at)
        if length > len(self.data) - self.at:
            raise SmallError("a run is cut off")
        self.run = Bits(self.data[self.at : self.at + length])
        self.at += length
        self.table: dict[int, dict] = {}
        self.guesses = Mixer(3, 12, 3)
        for walk, ordinal in self.walk(tags, tokens, ordinals):
            if ordinal is not None:
                if not self.rules.is_chess(walk[0].board):
                    raise SmallError("moves in comments of a variant")
                self.place(walk[0].board)[1]["played"] = ordinal
        items = iter(comments)
        for walk, ordinal in self.walk(tags, tokens, ordinals):
            if ordinal is None:
                for comment in next(items):
                    for part in comment:
                        if isinstance(part, Part):
                            self.moves(part, *walk)
        self.run.end()

    def walk(self, tags: list[tuple[bytes, bytes]], tokens: list[int], ordinals: bytes) -> object:
        """Gives the line before each ply, and at each item with comments the line, the one before its last ply, and that."""
        first = [next((value for given, value in tags if given == name), None) for name in (b"Variant", b"FEN")]
        named = zip(("Variant", "FEN"), first)
        board = self.rules.start_position([(name, value.decode("latin-1")) for name, value in named if value is not None])
        line, before, last, open_lines = moves.Line(board), None, 0, []
        plies = iter(ordinals)
        for token in tokens:
            if token == PLY:
                last = next(plies)
                yield (line, None, 0), last
                before, line = line, line.after(self.legal(line)[last])
            elif token == OPEN:
                open_lines.append((line, before, last))
                line, before = before, None
            elif token == CLOSE:
                line, before, last = open_lines.pop()
            elif token >= SHAPES:
                yield (line, before, last), None

    def legal(self, line: moves.Line) -> list:
        return [move for _, move in self.rules.legal_moves(line.board)]

    def place(self, board: chess.Board) -> tuple[int, dict]:
        def bits(squares: int) -> int:
            return sum(1 << 8 * chess.square_file(at) + chess.square_rank(at) for at in chess.SquareSet(squares))

        kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        key = 0 if board.turn else 1
        for squares in (*kinds, board.occupied_co[board.turn]):
            key = (key ^ bits(squares)) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
            key ^= key >> 32
        check = key >> 19 & WORD | 1
        entry = self.table.get(key >> 51)
        if entry is None or entry["check"] != check:
            entry = {"check": check, "latest": None, "former": None, "played": None, "count": 0}
            self.table[key >> 51] = entry
        return key, entry

    def moves(self, part: Part, line: moves.Line, before: moves.Line | None, last: int) -> None:
        if part.is_before and before is None:
            raise SmallError("moves before a ply that is not there")
        line = before if part.is_before else line
        if not self.rules.is_chess(line.board):
            raise SmallError("moves in comments of a variant")
        history, texts = 0, []
        for j in range(part.plies):
            _, entry = self.place(line.board)
            first = last if part.is_before and j == 0 else None
            asked = (first, entry["latest"], entry["former"], entry["played"])
            ordinal, hit, move = self.ply(line, asked, entry, history + 256 * min(j, 3))
            history = 4 * history + hit & 63
            if entry["latest"] == ordinal:
                entry["count"] = min(entry["count"] + 1, 3)
            else:
                entry["latest"], entry["former"], entry["count"] = ordinal, entry["latest"], 0
            texts.append(self.spell(line.board, move, part.spelling))
            line = line.after(move)
        part.text = b" ".join(texts)

    def ply(self, line: moves.Line, asked: tuple, entry: dict, state: int) -> tuple[int, int, object]:
        legal = self.legal(line)
        wrong: list[chess.Move] = []
        for i, ordinal in enumerate(asked):
            move = legal[ordinal] if ordinal is not None and ordinal < len(legal) else None
            if move is None or move in wrong:
                continue
            n = entry["count"] if i == 1 else 0
            g = i + 4 * len(wrong) + 16 * (ordinal == entry["played"])
            contexts = [
                context(g, 256 * n | 0x1000),
                context(g, state | 0x2000),
                context(g + 256 * n, state & 0x30F | 0x3000),
            ]
            if self.guesses.bit(self.run, contexts, i, 0):
                return ordinal, int(bool(wrong)), move
            wrong.append(move)
        if Moves.tables is None:
            Moves.tables = moves.Tables(Path(__file__).with_name("moves-1.bin").read_bytes())
        order, shares = moves.choices(Moves.tables, line)
        if len(order) == 1:
            shares = [1]
        left = {move: share for move, share in zip(order, shares) if move not in wrong}
        if not left:
            raise SmallError("no move is left")
        move = list(left)[self.run.decode(list(left.values()))]
        if legal.index(move) > 255:
            raise SmallError("a move without an ordinal")
        return legal.index(move), 2, move

    def spell(self, board: chess.Board, move: chess.Move, spelling: int) -> bytes:
        if spelling == 2:
            to = moves.destination(board, move)
            promotion = chess.piece_symbol(move.promotion) if move.promotion else ""
            return (chess.square_name(move.from_square) + chess.square_name(to) + promotion).encode()
        san = next(san for san, found in self.rules.legal_moves(board) if found == move)
        if spelling >= 3:
            san = san.replace("O", "0") if board.is_castling(move) else san
        if spelling in (0, 3):
            after = board.copy(stack=False)
            after.push(move)
            san += "#" if after.is_checkmate() else "+" if after.is_check() else ""
        return san.encode()

    def end(self) -> None:
        if self.at != len(self.data):
            raise SmallError("bytes behind the last run")


# ------------------------------------------------------------------------------------------------ texts (section 8)


def take_num(data: bytes, at: int) -> tuple[int, int]:
    """Ext. 2: a num, and where it ends."""
    head = data[at : at + 11]
    if not head or 0xF0 <= head[0] < 0xFF and len(head) < 2:
        raise SmallError("a number is cut off")
    if head[0] < 0xF0:
        return head[0], at + 1
    if head[0] < 0xFF:
        return 240 + 256 * (head[0] - 0xF0) + head[1], at + 2
    value = 4080
    for place, byte in enumerate(head[1:10]):
        value += (byte & 0x7F) << 7 * place
        if byte < 0x80 and value < NUM_LIMIT:
            return value, at + place + 2
    raise SmallError("a number is cut off or too large")


class TextStream:
    def __init__(self, data: bytes, records: int) -> None:
        self.data, self.room = data, 2 * records
        self.at = self.texts = 0
        self.chunk, self.place = b"", 0

    def text(self) -> bytes:
        if self.texts == 0:
            self.begin()
        self.texts -= 1
        out = bytearray()
        while True:
            byte = self.byte()
            if byte == 0:
                return bytes(out)
            if byte == 1:
                byte = self.byte()
                if byte > 1:
                    raise SmallError("a 1 before another byte than 0 and 1")
            out.append(byte)

    def byte(self) -> int:
        if self.place == len(self.chunk):
            raise SmallError("a chunk ends in a text")
        self.place += 1
        return self.chunk[self.place - 1]

    def begin(self) -> None:
        if self.place < len(self.chunk):
            raise SmallError("bytes behind the last text of a chunk")
        self.texts, self.at = take_num(self.data, self.at)
        length, self.at = take_num(self.data, self.at)
        coded, self.at = take_num(self.data, self.at)
        self.room -= length
        if self.texts == 0 or self.room < 0 or coded > len(self.data) - self.at:
            raise SmallError("a chunk without texts, or of too many bytes")
        try:
            self.chunk, self.place = ppmd.decode(self.data[self.at : self.at + coded], length), 0
        except ppmd.PpmdError as error:
            raise SmallError(f"a chunk: {error}") from error
        self.at += coded

    def end(self) -> None:
        if self.at < len(self.data) or self.texts or self.place < len(self.chunk):
            raise SmallError("texts are left over")


# ------------------------------------------------------------------------------------------------ records (section 2)


def num(value: int) -> bytes:
    """Ext. 2."""
    if value < 0xF0:
        return bytes([value])
    if value < 4080:
        return bytes([0xF0 + (value - 240 >> 8), value - 240 & 0xFF])
    value -= 4080
    out = b"\xff"
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def private(kind: bytes, data: bytes) -> bytes:
    """Ext. 1: an escape, in as many pieces as it takes."""
    stuffed = bytearray()
    for byte in data:
        stuffed += {0x0A: b"\xfa", 0x0D: b"\xfd", 0xFA: b"\xfe\0", 0xFD: b"\xfe\1", 0xFE: b"\xfe\2"}.get(byte) or bytes([byte])
    pieces = [bytes(stuffed[i : i + 65_531]) for i in range(0, len(stuffed), 65_531)] or [b""]
    kinds = [kind.lower()] * (len(pieces) - 1) + [kind]
    return b"".join(escape(b"pgc" + letter + piece) for letter, piece in zip(kinds, pieces))


def escape(payload: bytes) -> bytes:
    assert len(payload) <= MAX_PAYLOAD
    return b"\x0a" + len(payload).to_bytes(2, "little") + payload


def source_line(line: bytes) -> bytes:
    if len(line) > MAX_SOURCE_LINE:
        raise SmallError("a % line that no record holds")
    return escape(b"pgcQ" + line if line.startswith(b"pgc") else line)


def play(ordinals: bytes) -> bytes:
    """The records 0x03 and 0x04 of some ordinals."""
    out = bytearray()
    for at in range(0, len(ordinals), 65_535):
        run = ordinals[at : at + 65_535]
        out += b"\x03" + bytes([len(run)]) if len(run) < 256 else b"\x04" + len(run).to_bytes(2, "little")
        out += run
    return bytes(out)


class Game:
    """A game in its components."""

    def __init__(self) -> None:
        self.tags: list[tuple[bytes, bytes] | bytes] = []  # a pair, or a % line
        self.tokens: list[int] = []
        self.nags: list[int] = []
        self.lines: list[bytes] = []
        self.fields: list[list] = []  # of each item: as `A` has them, or the parts of a comment
        self.items: list[bytes] = []  # the fields of each item, as `A` has them
        self.tag_data: bytes | None = None
        self.layout: bytes | None = None
        self.ordinals = b""

    def pairs(self) -> list[tuple[bytes, bytes]]:
        return [tag for tag in self.tags if isinstance(tag, tuple)]

    def reduced(self) -> bytes:
        if len(self.ordinals) > 65_535:
            raise SmallError("a reduced game of too many plies")
        values = b"".join(bytes([len(value)]) + value for _, value in self.pairs())
        return b"\x01" + values + len(self.ordinals).to_bytes(2, "little") + self.ordinals

    def records(self) -> bytes:
        out = bytearray(b"\x05")
        for tag in self.tags:
            if isinstance(tag, bytes):
                out += source_line(tag)
            else:
                out += b"\x02" + b"".join(bytes([len(text)]) + text for text in tag)
        nags, lines = iter(self.nags), iter(self.lines)
        begin = end = 0
        for token in self.tokens:
            if token == PLY:
                end += 1
            elif token < SHAPES:
                out += play(self.ordinals[begin:end])
                begin = end
                if token == NAG:
                    out += bytes([7, next(nags)])
                elif token == LINE:
                    out += source_line(next(lines))
                else:
                    out += b"\x08" if token == OPEN else b"\x09"
        out += play(self.ordinals[begin:end])
        if self.tag_data is not None:
            out += private(b"T", self.tag_data)
        if self.items:
            out += private(b"A", self.annotations())
        if self.layout is not None:
            out += private(b"L", self.layout)
        return bytes(out) + b"\x06"

    def annotations(self) -> bytes:
        """Ext. 8: items in as few groups as they fit."""
        groups: list[list] = []  # shape, delta, fields of each item
        delta, items = 0, iter(self.items)
        for token in self.tokens:
            if token < SHAPES:
                delta += 1
                continue
            shape = token - SHAPES
            if not groups or groups[-1][0] != shape or delta != 1:
                groups.append([shape, delta, []])
            groups[-1][2].append(next(items))
            delta = 0
        out = bytearray()
        for shape, delta, fields in groups:
            count = len(fields) - 1
            out.append(min(shape, 7) | min(delta, 7) << 3 | min(count, 3) << 6)
            for value, full in ((shape, 7), (delta, 7), (count, 3)):
                if value >= full:
                    out += num(value - full)
            out += b"".join(fields)
        return bytes(out)


class Block:
    """Decodes the streams of a block. `rules` has start_position, legal_moves and is_chess."""

    def __init__(
        self, streams: dict[str, bytes], shapes: list[bytes], records: int, plies: int, source: int, games: int, rules: object
    ) -> None:
        tags, tokens, played, numbers, texts, foretold, layouts, _ = (streams.get(kind, b"") for kind in KINDS)
        self.shapes = shapes
        self.most_records, self.most_plies = records, plies
        self.elements = 2 * source + games
        self.t, self.s, self.n = Bits(tags), Bits(tokens), Bits(numbers)
        self.x, self.l = TextStream(texts, records), TextStream(layouts, records)
        self.moves, self.foretold, self.comments = Moves(played, rules), Foretold(foretold, rules), Comments()
        self.units, self.unit_before, self.had = Chances(10), 0, [0, 0, 0]
        self.plies, self.tags, self.tokens, self.numbers = Mixer(1, 12, 2), Tags(), Tokens(), Numbers()
        self.games, self.sums = games, streams.get("K", b"")

    def records(self) -> bytes:
        out = bytearray()
        games, begins = 0, []  # section 2.4: where groups begin
        size = RUN * self.sums[0] if self.sums else 0
        while True:
            unit = self.unit()
            if size and unit != MORE_PIECE and games < self.games and games == size * len(begins):
                begins.append(len(out))
            games += unit in (REDUCED, FULL, PIECE)
            if unit == END_OF_BLOCK:
                break
            if unit == REDUCED:
                out += self.reduced()
            elif unit == FULL:
                out += self.full()
            else:
                flag = bytes([unit in (MORE_STRAY, MORE_PIECE)])
                out += private(b"S" if unit in (STRAY, MORE_STRAY) else b"P", flag + self.x.text())
            if len(out) > self.most_records:
                raise SmallError("more records than the block has")
        for stream in (self.t, self.s, self.n, self.moves, self.foretold, self.x, self.l):
            stream.end()
        self.check_sums(bytes(out), begins)
        return bytes(out)

    def check_sums(self, records: bytes, begins: list[int]) -> None:
        """Section 2.4."""
        if not self.sums:
            return
        ends = [*begins[1:], len(records)]
        sums = [zlib.crc32(records[begin:end]) & 0xFFFF for begin, end in zip(begins, ends)]
        if len(begins) < 2 or self.sums[1:] != b"".join(value.to_bytes(2, "little") for value in sums):
            raise SmallError("checksums of other groups")

    def unit(self) -> int:
        self.unit_before = self.units.symbol(self.t, context(self.unit_before, 1), 3)
        if self.unit_before > MORE_PIECE:
            raise SmallError("a unit that is none")
        return self.unit_before

    def has(self, which: int) -> bool:
        self.had[which] = self.units.bit(self.n if which == 2 else self.t, context(4 + self.had[2] if which == 2 else self.had[which] << 1 | which, 2), 0)
        return bool(self.had[which])

    def begin(self) -> int:
        plies = self.plies.byte(self.t, [0], 0)
        if plies == 255:
            plies += self.plies.number(self.t, [0], 0)
        self.most_plies -= plies
        if self.most_plies < 0:
            raise SmallError("more plies than the block has")
        self.tags.begin(plies)
        return plies

    def reduced(self) -> bytes:
        game, plies = Game(), self.begin()
        for name in ROSTER:
            game.tags.append((name, self.tags.text(self.tags.value(self.t, FIRST[name]))))
        game.ordinals = self.moves.game(game.pairs(), [PLY] * plies)
        return game.reduced()

    def full(self) -> bytes:
        game, plies = Game(), self.begin()
        while (name := self.tags.name(self.t)) != NAME_END:
            if name == NAME_LINE:
                game.tags.append(self.x.text())
            else:
                value = self.tags.value(self.t, name)
                game.tags.append((self.tags.text(name), self.tags.text(value)))
        has_tag_data, has_layout = self.has(0), self.has(1)
        self.movetext(game, plies)
        if has_tag_data:
            game.tag_data = self.x.text()
        if has_layout:
            game.layout = self.l.text()
        game.ordinals = self.moves.game(game.pairs(), game.tokens)
        comments = [[field for field in item if isinstance(field, list)] for item in game.fields]
        if any(isinstance(part, Part) for item in comments for comment in item for part in comment):
            self.foretold.game(game.pairs(), game.tokens, game.ordinals, comments)
        game.items = [b"".join(map(field_bytes, item)) for item in game.fields]
        return game.records()

    def one_more(self) -> None:
        self.elements -= 1
        if self.elements < 0:
            raise SmallError("more elements than the block has")

    def movetext(self, game: Game, left: int) -> None:
        self.tokens.begin()
        control = self.tags.value_of(TIME_CONTROL)
        self.numbers.begin(self.tags.text(control), control)
        plies, self.apart = left, None
        while (token := self.tokens.token(self.s, left)) != END:
            self.one_more()
            game.tokens.append(token)
            if len(game.tokens) > MAX_ELEMENTS:
                raise SmallError("more elements than a game may have")
            if token == PLY:
                left -= 1
            elif token == NAG:
                game.nags.append(self.tokens.glyph(self.s))
            elif token == LINE:
                game.lines.append(self.x.text())
            elif token >= SHAPES:
                game.fields.append(self.item(token - SHAPES, plies - left))

    def item(self, shape: int, plies: int) -> list:
        """The fields of an item, as `A` has them; of comments, their parts."""
        tenths = False
        if shape < len(FIXED_SHAPES):
            kinds = FIXED_SHAPES[shape]
        elif shape - len(FIXED_SHAPES) < len(self.shapes):
            own = self.shapes[shape - len(FIXED_SHAPES)]
            kinds, tenths = [byte for byte in own if CLOCK <= byte <= TEXT], own[:1] == b"\x06"
        else:
            raise SmallError("a shape that the block does not have")
        out: list = []
        is_comment = shape < 2 or shape >= len(FIXED_SHAPES)
        if is_comment and TEXT in kinds and self.apart is None:
            self.apart = self.has(2)
        for kind in kinds:
            if kind == TEXT and is_comment and self.apart:
                out.append(self.comment(plies))
                continue
            if kind == TEXT:
                text = self.x.text()
                out.append(num(len(text)) + text)
                continue
            number = self.numbers.number(self.n, kind, tenths)
            out.append(bytes([number]) if kind == TERMINATOR else num(number))
            if kind == EVALUATION and number == 0:
                out.append(num(self.numbers.number(self.n, MATE, tenths)))
        return out

    def comment(self, plies: int) -> list:
        """Section 7.4."""
        self.comments.begin(plies % 2)
        parts: list = []
        while True:
            symbol, part = self.comments.part(self.n)
            if symbol == PART_END:
                return parts
            if symbol == PART_TEXT:
                part = self.x.text()
                if not part:
                    raise SmallError("a part of no letters")
            parts.append(part)


def field_bytes(field: bytes | list) -> bytes:
    """A field as `A` has it, when its moves are known."""
    if isinstance(field, bytes):
        return field
    text = b"".join(part.text if isinstance(part, Part) else part for part in field)
    return num(len(text)) + text
