#!/usr/bin/env python3
"""A second writer of the index of an archive (`.pgci`), written from the text of the specification alone.

It follows index.md; archives are read by reader.py beside it. Its only purpose is to show that the text
suffices: everything is made in memory, in the plainest way.

    index.py ARCHIVE.pgc -o INDEX.pgci        the index (--no-lines without section 7)
    index.py --check ARCHIVE.pgc INDEX.pgci   frame, sums, whether it belongs, and whether it is what is built here
    index.py --dump INDEX.pgci                each entry in hex, and what it is
    index.py --vectors DIR                    the test vectors

This file is in the public domain (CC0).
"""

from __future__ import annotations

import argparse
import functools
import itertools
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import blake3
import chess

import reader
from reader import (
    GAME_BEGIN, GAME_END, LONG_MOVES, ROSTER, SHORT_MOVES, SIMPLE_GAME, TERMINATORS, GameRecords, PgcError, Record,
    to_text,
)

MAGIC = b"\x89PGCI\r\n\x1a"
MAJOR, MINOR = 1, 0
PAGE = 16_384
TRAILER = 96
MAX_VALUE = 1024
MAX_WORDS = 512
MAX_WIDTH, WORD = 57, 64
GROUP, CHUNK, LONG = 16, 256, 8

SEGMENTS, BLOCKS, DATE, EVENT, ROUND, WHITE, BLACK = 0x01, 0x02, 0x10, 0x11, 0x13, 0x14, 0x15
WHITE_ELO, BLACK_ELO, ECO, PLIES, FLAGS, OPENING, MATERIAL = 0x16, 0x17, 0x18, 0x19, 0x1A, 0x1B, 0x12
OPENING_LIST, OPENING_PLIES = 1, 40
LINE_SEGMENTS, LINE_GROUPS, LINES, LINE_GAMES = 0x80, 0x81, 0x82, 0x83
LINE, LINE_GROUP, LONG_LINE, MORE = 40, 1024, 15, 3
COLUMNS = {
    DATE: "Date", EVENT: "Event", MATERIAL: "material", ROUND: "Round", WHITE: "White", BLACK: "Black", WHITE_ELO: "WhiteElo",
    BLACK_ELO: "BlackElo", ECO: "ECO", PLIES: "plies", FLAGS: "flags", OPENING: "opening",
}  # fmt: skip
TABLES = {0x20: "Event", 0x30: "dates", 0x40: "Round", 0x50: "White and Black", 0x60: "material", 0x70: "openings"}
TABLE_OF = {DATE: 0x30, EVENT: 0x20, MATERIAL: 0x60, ROUND: 0x40, WHITE: 0x50, BLACK: 0x50, OPENING: 0x70}
POSTED, WORDED = (0x50,), (0x20, 0x50)
PARTS = ("groups of values", "values", "groups of postings", "postings", "words")

RESULTS = ("*", "0-1", "1-0", "1/2-1/2")
RULES = ("chess", "chess960", "antichess", "atomic", "crazyhouse", "horde", "kingofthehill", "racingkings", "three-check")
OTHER_RULES = 15
RESULT_DIFFERS, FEN, TEXT_TAIL, TEXT_ONLY, COMMENTS, VARIATIONS, NAGS, CLOCKS, EVALUATIONS = (1 << bit for bit in range(2, 11))
WHITE_CASTLES, BLACK_CASTLES, PROMOTES, UNDERPROMOTES, EN_PASSANT = (1 << bit for bit in range(11, 16))
ENDINGS = ("", "checkmate", "stalemate", "insufficient material", "fivefold", "75 moves", "threefold", "50 moves", "variant end")
FLAG_NAMES = {
    RESULT_DIFFERS: "Result and terminator differ", FEN: "FEN", TEXT_TAIL: "text tail", TEXT_ONLY: "text only",
    COMMENTS: "comments", VARIATIONS: "variations", NAGS: "NAGs", CLOCKS: "clocks", EVALUATIONS: "evaluations",
    WHITE_CASTLES: "White castles", BLACK_CASTLES: "Black castles", PROMOTES: "promotion",
    UNDERPROMOTES: "underpromotion", EN_PASSANT: "en passant",
}  # fmt: skip
UNKNOWN = {name: "?" for name in ROSTER} | {"Date": "????.??.??", "Result": "*"}


class IndexDamage(ValueError):
    """The index is not one, or not one of this archive."""


# ------------------------------------------------------------------------------------------------ games


@dataclass
class Game:
    """What the index wants to know of a game."""

    tags: list[tuple[str, str]] = field(default_factory=list)
    terminator: str | None = None
    ordinals: bytes = b""  # of the main line
    text: bytes | None = None  # that ends the main line
    flags: int = 0
    comments: list[str] = field(default_factory=list)
    material: str = "?"
    opening: str = "?"

    def tag(self, name: str) -> str | None:
        """Of tag pairs with one name the last counts (section 3)."""
        return next((value for other, value in reversed(self.tags) if other == name), None)

    def value(self, name: str) -> bytes:
        """A value (section 3): of whole characters, within 1,024 bytes."""
        value = {"Date": date_value(self), "material": self.material, "opening": self.opening}.get(name) or self.tag(name)
        return ("?" if value is None else value).encode("utf-8")[:MAX_VALUE].decode("utf-8", "ignore").encode("utf-8")

    @property
    def plies(self) -> int:
        return len(self.ordinals)


def simple_game(record: Record) -> Game:
    """Marker 0x01."""
    tags = [(name, value.decode("latin-1")) for name, value in zip(ROSTER, record.strings)]
    terminator = tags[-1][1] if tags[-1][1] in TERMINATORS else None
    return end(Game(tags, terminator, record.data))


def text_game(text: bytes) -> Game:
    """A game kept as text (section 3.2), of its first piece."""
    return Game(list(tags_of_text(text)), text=text, flags=TEXT_ONLY)


def full_game(records: GameRecords, style: reader.Style, shapes: list[bytes]) -> Game:
    """0x05 ... 0x06: the main line is followed by depth, without its play."""
    game = Game()
    game.tags, used, _ = reader.decode_tags(records.leading, records.private.get("T"), style.utf8)
    result = next((value for name, value in game.tags if name == "Result"), None)  # the first: ext. 8.4
    game.terminator = result if result in TERMINATORS else None
    parts: list[int | str] = []  # an ordinal, or what it is
    for record in records.leading[used:] + records.rest:
        moves = record.marker in (SHORT_MOVES, LONG_MOVES)
        parts += list(record.data) if moves else [{7: "nag", 8: "(", 9: ")"}.get(record.marker, "%")]
    placed: list[reader.Placed] = []
    if "A" in records.private:
        placed = reader.Annotations(records.private["A"], shapes, len(parts)).items()
    ordinals, depth = bytearray(), 0
    for place in range(len(parts) + 1):
        for note in (note for note in placed if note.place == place):
            if note.item is None:
                game.terminator = TERMINATORS[note.terminator - 1] if note.terminator else None
            elif isinstance(note.item, reader.Text):
                if depth == 0 and note.item.tail:
                    game.text = note.element.text
                    game.flags |= TEXT_TAIL if ordinals else TEXT_ONLY
            else:
                game.flags |= COMMENTS if isinstance(note.item, reader.Comment) else NAGS
                if isinstance(note.item, reader.Comment):
                    game.comments.append(note.item.text)
        if place < len(parts):
            part = parts[place]
            depth += (part == "(") - (part == ")")
            if isinstance(part, int):
                ordinals += bytes([part]) if depth == 0 else b""
            else:
                game.flags |= {"nag": NAGS, "(": VARIATIONS}.get(part, 0)
    game.ordinals = bytes(ordinals)
    return end(game)


def end(game: Game) -> Game:
    """Sections 3.2 and 3.3: what comments and playing tell."""
    for comment in game.comments:
        game.flags |= told(comment)
    if game.flags & TEXT_ONLY:
        return game
    try:
        board = reader.start_position(game.tags)
    except reader.UnknownRules:
        return game
    counters = [part for part in (game.tag("FEN") or "").split()[4:] if part.isdigit()]
    board.halfmove_clock = int(counters[0]) if counters else 0
    named = opening_names() if rules(game) == 0 else {}
    game.opening = named.get(identity(board), "?")
    for ply, ordinal in enumerate(game.ordinals, 1):
        move = reader.legal_moves(board)[ordinal][1]
        if board.is_castling(move):
            game.flags |= WHITE_CASTLES if board.turn else BLACK_CASTLES
        elif move.promotion:
            game.flags |= PROMOTES | (0 if move.promotion == chess.QUEEN else UNDERPROMOTES)
        elif board.is_en_passant(move):
            game.flags |= EN_PASSANT
        board.push(move)
        if move.drop == chess.PAWN:
            board.halfmove_clock = 0  # python-chess counts on
        if ply <= OPENING_PLIES:
            game.opening = named.get(identity(board), game.opening)
    game.material = ""
    for color in chess.COLORS:
        for kind, letter in zip(range(chess.KING, 0, -1), "KQRBNP" if color else "kqrbnp"):
            count = len(board.pieces(kind, color))
            game.material += (letter if count else "") + (str(count) if count > 1 else "")
    if not game.flags & TEXT_TAIL:
        game.flags |= ending(board) << 16
    return game


def identity(board: chess.Board) -> str:
    """Section 3.4: what identifies a position."""
    return board.epd(en_passant="legal")


@functools.cache
def opening_names() -> dict[str, str]:
    """Section 3.4: name and code by position, from openings.tsv beside this file."""
    names = {}
    for line in Path(__file__).with_name("openings.tsv").read_text("utf-8").splitlines()[1:]:
        eco, name, moves = line.split("\t")
        board = chess.Board()
        for word in moves.split():
            if not word.endswith("."):
                board.push_san(word)
        names[identity(board)] = f"{name} {eco}"
    return names


def told(comment: str) -> int:
    """Section 3.2: clocks and evaluations."""
    flags = CLOCKS if re.search(r"\[%clk[ \t\n\v\f\r]", comment) else 0
    flags |= EVALUATIONS if re.search(r"\[%eval[ \t\n\v\f\r]", comment) else 0
    if "wv=" in comment or "ev=" in comment:
        return flags | EVALUATIONS | (CLOCKS if "tl=" in comment else 0)
    score = re.match(r"[ \t\n\f\r]*[+-]?([0-9.M#\r\n]+)/[\r\n]*[0-9]", comment)
    return flags | (EVALUATIONS if score and set(score[1]) & set(".M#") else 0)


def ending(board: chess.Board) -> int:
    """Section 3.3."""
    times, earlier, key = 0, board.copy(), board._transposition_key()
    while True:
        times += earlier._transposition_key() == key
        if not earlier.move_stack or earlier.halfmove_clock == 0:
            break
        earlier.pop()
    for number, holds in (
        (8, board.is_variant_end()), (1, board.is_checkmate()), (2, board.is_stalemate()), (3, board.is_insufficient_material()),
        (4, times >= 5), (5, board.halfmove_clock >= 150), (6, times >= 3), (7, board.halfmove_clock >= 100),
    ):  # fmt: skip
        if holds:
            return number
    return 0


def rules(game: Game) -> int:
    """Bits 9..13 of the flags: rules by the Variant tag, as D8 reads it."""
    values = {value for name, value in game.tags if name == "Variant"} or {""}
    value = min(values)
    if len(values) > 1 or len(value) > 255 or not all(" " <= c <= "~" for c in value):
        return OTHER_RULES
    value = value.replace(" ", "").lower()
    if value in reader.CHESS960_NAMES:
        return RULES.index("chess960")
    if reader.RULES.get(value) is chess.Board:
        return 0
    return next((n for n, name in enumerate(RULES) if reader.RULES[name if n else ""] is reader.RULES.get(value)), OTHER_RULES)


# ------------------------------------------------------------------------------------------------ tags of text

SPACE = rb"[ \t\n\v\f\r]"
NAME = re.compile(rb'\[%s{0,64}([^\x00-\x20\x7f"\[\]{}();%%]{1,255})(%s{0,64})' % (SPACE, SPACE))
QUOTED = re.compile(rb'"((?:\\[^\n\r]|"(?!%s{0,64}\])|[^"\n\r])*?)"%s{0,64}\]' % (SPACE, SPACE))
QUOTES = b"(?:%s)" % b"|".join(c.encode() for c in "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u2033\uff02'`")
ANSI = rb"[\x82\x84\x91-\x94\xab\xbb%s]"
TYPOGRAPHIC = re.compile(rb'%s(.*)(?:%s|")|%s(.*)%s' % (QUOTES, QUOTES, ANSI % b"", ANSI % b'"'), re.DOTALL)
SKIPPED = re.compile(rb"(?:[ \t\v\f]|\n|\r|(?:(?<=[\n\r])|\A)%[^\n\r]{0,65531}(?=[\n\r]|\Z))*")


def tags_of_text(text: bytes) -> Iterator[tuple[str, str]]:
    """pgn-import.md 1 and 3: the tag section that a text begins with."""
    text = text.removeprefix(b"\xef\xbb\xbf")
    at = 0
    while found := tag_pair(text, SKIPPED.match(text, at).end()):
        name, value, at = found
        yield to_text(name), to_text(re.sub(rb'\\(["\\])', rb"\1", value))


def tag_pair(text: bytes, at: int) -> tuple[bytes, bytes, int] | None:
    """pgn-import.md 1: the name and the value of the tag pair at `at`, and where it ends."""
    window = text[at : at + 65_536]
    found = NAME.match(window)
    if not found:
        return None
    begin = found.end()
    line_end = re.compile(rb"[\n\r]").search(window, begin)
    line = window[: line_end.start() if line_end else None]
    if window[begin : begin + 1] == b'"':
        if quoted := QUOTED.match(window, begin):
            return found[1], quoted[1], at + quoted.end()
        if not line_end and at + len(window) < len(text):
            return None
        begin, end = begin + 1, line.rfind(b"]", begin + 1)
        value = line[begin : end if end >= 0 else None].rstrip(b" \t\v\f\n\r")
        end = end + 1 if end >= 0 else max(len(line.rstrip(b" \t\v\f")), begin)
        return found[1], re.sub(rb'(?:"|%s)\Z' % QUOTES, b"", value), at + end
    before = re.split(rb"[\n\r]", text[max(0, at - 65) : at])[-1]
    bare = len(before) <= 64 and not before.strip(b" \t") and found[1][:1].isupper() and found[2]
    line = line.rstrip(b" \t\v\f")
    if not bare or found[2][-1:] in b"\n\r" or not line.endswith(b"]") or len(line) <= begin:
        return None
    value = line[begin:-1].rstrip(b" \t\v\f")
    quoted = TYPOGRAPHIC.fullmatch(value)
    return found[1], (quoted[1] or quoted[2] or b"") if quoted else value, at + len(line)


# ------------------------------------------------------------------------------------------------ streams


@dataclass
class Segment:
    offset: int
    end: int
    head: int
    tail: int
    first_game: int
    first_block: int


@dataclass
class Block:
    offset: int
    first_game: int
    crc: int


@dataclass
class Stream:
    """An archive."""

    data: bytes
    length: int = 0
    segments: list[Segment] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    games: list[Game] = field(default_factory=list)

    def digest(self) -> bytes:
        """Section 2."""
        hasher = blake3.blake3()
        for segment in self.segments:
            hasher.update(self.data[segment.offset : segment.offset + segment.head])
            hasher.update(self.data[segment.end - segment.tail : segment.end])
        return hasher.digest()


def read_stream(data: bytes) -> Stream:
    stream = Stream(data)
    source = reader.Reader(data)
    at = source.skip_noops(0)
    while at < len(data) and not source.is_unfinished(at):
        at = source.skip_noops(read_segment(stream, source, at))
    stream.length = at
    return stream


def read_segment(stream: Stream, source: reader.Reader, at: int) -> int:
    """Ext. 3 to 6; returns where it ends."""
    _, cursor, end = source.head(at, "H")
    _, form = source.version_and_form(cursor)
    segment = Segment(at, 0, end - at, 0, len(stream.games), len(stream.blocks))
    while True:
        at = source.skip_noops(end)
        kind, cursor, end = source.head(at, "BE")
        if kind == "E":
            segment.end, segment.tail = end, end - at
            stream.segments.append(segment)
            return end
        head = source.block_head(cursor, form)
        stream.blocks.append(Block(at, len(stream.games), head.crc))
        data = source.records(end, head)
        if zlib.crc32(data) != head.crc:
            raise PgcError("checksum of the records of a block is wrong", at)
        records = reader.read_records(data, 0, len(data))
        stream.games += archive_games(reader.join_pieces(records), head, len(stream.games))
        end += head.stored()


def archive_games(units: Iterable[reader.Unit], head: reader.BlockHead, count: int) -> Iterator[Game]:
    """Ext. 5: the games of a block."""
    game: GameRecords | None = None
    for unit in units:
        if game is not None and isinstance(unit, Record) and unit.marker == GAME_END:
            yield full_game(game, head.style, head.shapes)
            game = None
        elif game is not None:
            game.add(unit, False)
        elif isinstance(unit, reader.Private):
            if unit.kind == "P" and unit.data[:1] == b"\0":
                yield text_game(unit.data[1:])
        elif unit.marker == SIMPLE_GAME:
            yield simple_game(unit)
        elif unit.marker == GAME_BEGIN:
            game = GameRecords(count, unit.offset)
        else:
            raise PgcError(f"marker 0x{unit.marker:02x} outside a game", unit.offset)


# ------------------------------------------------------------------------------------------------ columns (section 3)

DIGITS = "0123456789"
DAYS = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
MONTHS = "january february march april may june july august september october november december".split()
DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday".split()
TIME = re.compile(r"(.*?)(?:[ ,]+|(?<=[0-9])T)[0-9]{1,2}:[0-9]{2}(?![0-9])(.*)", re.DOTALL)
DATE_FORM = re.compile(r"([0-9?]{4})(?:[./-]([0-9?]{1,2})(?:[./-]([0-9?]{1,2}))?)?")


def date_of(game: Game) -> int:
    """Section 3.1."""
    value = game.tag("Date")
    if (value is None or not any(digit in value for digit in DIGITS)) and game.tag("UTCDate") is not None:
        value = game.tag("UTCDate")
    if value is None:
        return 0
    parts = None
    if timed := TIME.fullmatch(value):
        year = re.fullmatch(r".* ([0-9]{4}) *", timed[2], re.DOTALL)
        parts = parts_of(timed[1]) or (parts_of(f"{timed[1]} {year[1]}") if year else None)
    parts = parts or parts_of(value)
    if not parts:
        return 1 << 31
    year, *rest = parts
    month, day = ("??" if part == "?" else part.rjust(2, "0") for part in rest)
    eight = year + month + day
    known = len(eight) - len(eight.lstrip(DIGITS))
    last = 31 if "?" in month else DAYS.get(int(month), 31)
    odd = value != f"{year}.{month}.{day}"
    odd |= "?" not in month and not 1 <= int(month) <= 12
    odd |= "?" not in day and not 1 <= int(day) <= last
    return int(eight.replace("?", "0")) | known << 27 | odd << 31


def parts_of(value: str) -> tuple[str, str, str] | None:
    """Year, month and day of a value without a time."""
    found = DATE_FORM.fullmatch(value)
    return found.groups("?") if found else date_in_words(value)


def date_value(game: Game) -> str:
    """As table 0x30 has it."""
    date = date_of(game)
    return f"{date & (1 << 27) - 1:08}{date >> 27 & 15}" + ("!" if date >> 31 else "")


def date_in_words(value: str) -> tuple[str, str, str] | None:
    """Year, month and day of a value in another form."""
    fields = re.findall(r"[0-9?]+|[A-Za-z\x80-\U0010ffff]+", value)
    long = [field for field in fields if field[0] in DIGITS + "?" and len(field) > 3]
    if len(long) != 1 or len(long[0]) != 4 or long[0] == "????":
        return None
    rest = [field for field in fields if field is not long[0]]
    numbers = [field for field in rest if field[0] in DIGITS + "?"]
    months, seen = [], 0
    for field in rest:
        if field in numbers:
            seen += 1
            continue
        named = [month for month, name in enumerate(MONTHS, 1) if len(field) >= 3 and name.startswith(field.lower())]
        months += named[:1]
        is_day = len(field) >= 3 and any(name.startswith(field.lower()) for name in DAY_NAMES)
        if not named and not is_day and not (seen == 1 and field in ("st", "nd", "rd", "th")):
            return long[0], "?", "?"
    if any(len(number) == 3 for number in numbers):
        return long[0], "?", "?"
    readings: set[tuple[int, ...]] = set()
    if all(set(number) <= set(DIGITS) for number in numbers):
        found = [*months, *map(int, numbers)]
        if found and len(found) < 3 and len(months) < 2:
            readings.add(tuple(found))
        if len(numbers) == 2 and not months and fields.index(long[0]) > 0:
            readings.add(tuple(reversed(found)))
    fits = [r for r in readings if 1 <= r[0] <= 12 and 1 <= (*r, 1)[1] <= DAYS.get(r[0], 31)]
    return (long[0], *(*(f"{part:02}" for part in fits[0]), "?")[:2]) if len(fits) == 1 else (long[0], "?", "?")


def elo_of(value: str | None) -> int:
    value = (value or "").strip(" ")
    if not value or value.strip(DIGITS):
        return 0
    value = value.lstrip("0")
    return int(value) if value and len(value) < 6 and int(value) <= 65_535 else 0


def eco_of(value: str | None) -> int:
    if value in (None, "", "?", "-"):
        return 0
    found = re.match("[A-Ea-e][0-9][0-9]", value)
    return 1 + 100 * "ABCDE".index(found[0][0].upper()) + int(found[0][1:]) if found else 501


def result_of(game: Game) -> int:
    known = [result for result in (stated_result(game), game.terminator) if result not in (None, "*")]
    return RESULTS.index(known[0] if known else "*")


def stated_result(game: Game) -> str | None:
    """What the Result tag states, as one of the four (pgn-import.md 5.2)."""
    text = (game.tag("Result") or "").strip(" \t\n\x0c\r")
    if text in (*RESULTS, "1/2", "\xbd"):
        return "1/2-1/2" if text in ("1/2", "\xbd") else text
    half, dash = r"(?:1/2|0[.,]5|\xbd)", "[-\x96\x97\u2010-\u2015\u2212]"
    sign, between = rf" {{0,2}}(?::|{dash}) {{0,2}}", " {0,2}[:/]? {0,2}"
    words = ("", "f", "ff", "forfeit", "default", "wo", "walkover")
    for result, spellings in {
        "1-0": (f"1{sign}0", rf"\+{between}{dash}"), "0-1": (f"0{sign}1", rf"{dash}{between}\+"),
        "1/2-1/2": (half + sign + half,), "*": (f"0{sign}0", dash + between + dash),
    }.items():
        found = next(filter(None, (re.match(spelling, text) for spelling in spellings)), None)
        if found and re.sub(r"[\s().]", "", text[found.end():]).lower() in words:
            return result
    return None


def flags_of(game: Game) -> int:
    """Section 3.2."""
    stated = stated_result(game)
    differ = None not in (stated, game.terminator) and stated != game.terminator
    flags = result_of(game) | (RESULT_DIFFERS if differ else 0) | (FEN if game.tag("FEN") is not None else 0)
    return flags | game.flags | rules(game) << 20


# ------------------------------------------------------------------------------------------------ tables (section 4)

def read_folding(path: Path) -> dict[int, str]:
    """folding.txt: what each character becomes that has a line there."""
    table = {}
    for line in path.read_text("ascii").splitlines():
        if line.startswith("#"):
            continue
        span, rest = line.split(" ", 1)
        first, _, last = span.partition("..")
        for code in range(int(first, 16), int(last or first, 16) + 1):
            if rest.startswith("="):
                table[code] = "".join(chr(int(part, 16)) for part in rest[1:].split())
            else:
                table[code] = chr(code + int(rest))
    for code in range(0xAC00, 0xD7A4):
        vowel, final = divmod(code - 0xAC00, 28)
        initial, vowel = divmod(vowel, 21)
        table[code] = chr(0x1100 + initial) + chr(0x1161 + vowel) + (chr(0x11A7 + final) if final else "")
    table.update((code, chr(code + 32)) for code in range(ord("A"), ord("Z") + 1))
    return table


FOLDING = read_folding(Path(__file__).parent / "folding.txt")


def fold(value: bytes) -> str:
    """A value, folded character by character."""
    return value.decode("utf-8").translate(FOLDING)


def words_of(value: bytes) -> list[str]:
    """The words of a value, folded."""
    return re.findall(r"[0-9A-Za-z\u0080-\U0010ffff]+", fold(value))


def round_key(value: bytes) -> tuple[int, list[int], bytes]:
    """Section 5."""
    if value in (b"?", b"-"):
        return b"?-".index(value), [], b""
    if not value[:1].isdigit():
        return 3, [], value
    numbers = re.match(rb"[0-9]+(?:\.[0-9]+)*", value)[0]
    return 2, [int(number) for number in numbers.split(b".")], value[len(numbers) :]


def varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


class Bits:
    """Bits, the lowest of a byte first."""

    def __init__(self) -> None:
        self.bits: list[int] = []

    def put(self, number: int, width: int) -> None:
        self.bits += [number >> bit & 1 for bit in range(width)]

    def gamma(self, number: int) -> None:
        """The code of Elias."""
        further = number.bit_length() - 1
        self.put(1 << further, further + 1)
        self.put(number, further)

    def data(self) -> bytes:
        bits = self.bits + [0] * (-len(self.bits) % 8)
        return bytes(sum(bit << i for i, bit in enumerate(bits[at : at + 8])) for at in range(0, len(bits), 8))


class BitReader:
    """What `Bits` wrote."""

    def __init__(self, data: bytes) -> None:
        self.number, self.left = int.from_bytes(data, "little"), 8 * len(data)

    def get(self, width: int) -> int:
        demand(width <= self.left, "bits that end too early")
        value, self.number = self.number & (1 << width) - 1, self.number >> width
        self.left -= width
        return value

    def gamma(self) -> int:
        further = 0
        while not self.get(1):
            further += 1
        return 1 << further | self.get(further)


def parameter(gaps: list[int]) -> int:
    """Section 4.2: the parameter of a chunk of gaps."""

    def cost(k: int) -> int:
        return sum(k + 1 if gap.bit_length() <= k else 2 * gap.bit_length() - k - 1 for gap in gaps)

    return min(range(32), key=lambda k: (cost(k), k))


def width_of_first(games: int) -> int:
    return max(games - 1, 0).bit_length()


def postings(lists: list[list[int]], count: int) -> bytes:
    """Section 4.2: a group of lists of games, each once, in ascending order, of `count` games."""
    head, body = Bits(), Bits()
    for games in lists:
        own = Bits()
        own.put(games[0], width_of_first(count))
        gaps = [game - before - 1 for before, game in itertools.pairwise(games)]
        for at in range(0, len(gaps), CHUNK):
            chunk = gaps[at : at + CHUNK]
            k = parameter(chunk)
            own.put(k, 5)
            for gap in chunk:
                own.gamma((gap >> k) + 1)
                own.put(gap, k)
        head.gamma(len(games))
        if len(games) >= LONG:
            head.gamma(len(own.bits))
        body.bits += own.bits
    head.bits += body.bits
    return head.data()


def posted(data: bytes, values: int, count: int) -> list[list[int]]:
    """The games of each value of a group."""
    bits, counts, lists = BitReader(data), [], []
    for _ in range(values):
        counts.append(bits.gamma())
        if counts[-1] >= LONG:
            bits.gamma()
    for games in counts:
        found = [bits.get(width_of_first(count))]
        while len(found) < games:
            k = bits.get(5)
            for _ in range(min(CHUNK, games - len(found))):
                found.append(found[-1] + 1 + ((bits.gamma() - 1) << k | bits.get(k)))
        lists.append(found)
    return lists


def names(values: list[bytes]) -> bytes:
    """Section 4.1: a group of values."""
    out, before = bytearray(), b""
    for value in values:
        same = (a == b for a, b in zip(before, value))
        shared = sum(1 for _ in itertools.takewhile(bool, same))
        lengths = (shared, len(value) - shared)
        out.append(min(lengths[0], 15) << 4 | min(lengths[1], 15))
        for length in lengths:
            out += varint(length - 15) if length >= 15 else b""
        out += value[shared:]
        before = value
    return bytes(out)


def named(data: bytes) -> list[tuple[bytes, bytes]]:
    """The bytes of each value of a group, and the value."""
    found, at, before = [], 0, b""
    while at < len(data):
        begin, lengths = at, [data[at] >> 4, data[at] & 15]
        at += 1
        for i, length in enumerate(lengths):
            shift = 0
            while length == 15:
                lengths[i] += (data[at] & 0x7F) << shift
                shift, at = shift + 7, at + 1
                if data[at - 1] < 0x80:
                    break
        shared, own = lengths
        before = before[:shared] + data[at : at + own]
        at += own
        found.append((data[begin:at], before))
    return found


def grouped(items: list) -> list[list]:
    return [items[at : at + GROUP] for at in range(0, len(items), GROUP)]


@dataclass
class Section:
    """A section; `numbers` of one of integers."""

    kind: int
    data: bytes = b""
    width: int = 0
    count: int = 0
    numbers: list[int] = field(default_factory=list)

    @staticmethod
    def integers(kind: int, numbers: list[int], largest: int | None = None) -> Section:
        """Section 1; `largest` where it is not that of the numbers."""
        width = max(1, (max(numbers, default=0) if largest is None else largest).bit_length())
        width = width if width <= MAX_WIDTH else WORD
        bits = Bits()
        for number in numbers:
            bits.put(number, width)
        return Section(kind, bits.data(), width, len(numbers), numbers)

    @staticmethod
    def groups(kind: int, groups: list[bytes], count: int | None = None) -> Iterator[Section]:
        """Groups of bytes, and before them where each begins."""
        data = b"".join(groups)
        yield Section.integers(kind, [0, *itertools.accumulate(map(len, groups))][: len(groups)])
        yield Section(kind + 1, data, 0, len(data) if count is None else count)


def table(kind: int, columns: list[list[bytes]], values: list[bytes]) -> Iterator[Section]:
    """The table of values that the columns of games have."""
    yield from Section.groups(kind, [names(group) for group in grouped(values)], len(values))
    if kind in POSTED:
        games: dict[bytes, list[int]] = {value: [] for value in values}
        for number, row in enumerate(zip(*columns)):
            for value in set(row):
                games[value].append(number)
        lists = grouped([games[value] for value in values])
        yield from Section.groups(kind + 2, [postings(group, len(columns[0])) for group in lists])
    if kind not in WORDED:
        return
    words: list[tuple[bytes, int, int]] = []
    for place, value in enumerate(values):
        found: dict[str, int] = {}
        for number, word in enumerate(words_of(value)[:MAX_WORDS]):
            found.setdefault(word, number)
        words += [(word.encode("utf-8"), place, number) for word, number in found.items()]
    yield Section.integers(kind + 4, [number * len(values) + place for _, place, number in sorted(words)])


def lines_of(stream: Stream) -> Iterator[Section]:
    """Section 7."""
    bounds, groups, numbers = [0], [], []
    for segment, behind in itertools.zip_longest(stream.segments, stream.segments[1:]):
        here = range(segment.first_game, behind.first_game if behind else len(stream.games))
        flags = [(number, flags_of(stream.games[number])) for number in here]
        members = [number for number, bits in flags if not bits & (FEN | TEXT_ONLY) and not bits >> 20]
        entries = sorted((stream.games[number].ordinals[:LINE], number) for number in members)
        others = sorted({line for line, _ in entries})
        shares = [0, *(shared(a, b) for a, b in itertools.pairwise(others)), 0]
        keep = {line: max(shares[place : place + 2]) + MORE for place, line in enumerate(others)}
        kept = [line[: keep[line]] for line, _ in entries]
        for first in range(0, len(kept), LINE_GROUP):
            groups.append(b"".join(line_entries(kept[first : first + LINE_GROUP])))
        numbers += [number for _, number in entries]
        bounds.append(len(numbers))
    yield Section.integers(LINE_SEGMENTS, bounds)
    yield from Section.groups(LINE_GROUPS, groups, len(numbers))
    yield Section.integers(LINE_GAMES, numbers, max(len(stream.games) - 1, 0))


def shared(a: bytes, b: bytes) -> int:
    return next((place for place, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def line_entries(lines: list[bytes]) -> Iterator[bytes]:
    """A group of entries."""
    for last, line in itertools.pairwise([b"", *lines]):
        common = shared(last, line)
        halves = [len(last) - common, len(line) - common]
        head = bytes([min(halves[0], LONG_LINE) << 4 | min(halves[1], LONG_LINE)])
        yield head + b"".join(varint(half - LONG_LINE) for half in halves if half >= LONG_LINE) + line[common:]


# ------------------------------------------------------------------------------------------------ writing (section 1)


def u(width: int, *numbers: int) -> bytes:
    return b"".join(number.to_bytes(width, "little") for number in numbers)


def sections_of(stream: Stream, lines: bool, openings: bool) -> Iterator[Section]:
    """All sections, in ascending order of their kinds."""
    games = stream.games
    yield Section(
        SEGMENTS,
        b"".join(u(8, s.offset, s.end) + u(4, s.head, s.tail, s.first_game, s.first_block) for s in stream.segments),
        0,
        len(stream.segments),
    )
    blocks = b"".join(u(8, block.offset) + u(4, block.first_game, block.crc) for block in stream.blocks)
    yield Section(BLOCKS, blocks, 0, len(stream.blocks))

    values = {kind: [game.value(COLUMNS[kind]) for game in games] for kind in TABLE_OF if openings or kind != OPENING}
    tables: dict[int, list[bytes]] = {}
    for base in TABLES:
        columns = [values[kind] for kind in values if TABLE_OF[kind] == base]
        of_rounds = base == TABLE_OF[ROUND]
        tables[base] = sorted(set().union(*columns), key=(lambda value: (round_key(value), value)) if of_rounds else None)
    numbers: dict[int, Callable[[], list[int]]] = {
        WHITE_ELO: lambda: [elo_of(game.tag("WhiteElo")) for game in games],
        BLACK_ELO: lambda: [elo_of(game.tag("BlackElo")) for game in games],
        ECO: lambda: [eco_of(game.tag("ECO")) for game in games],
        PLIES: lambda: [game.plies for game in games],
        FLAGS: lambda: [flags_of(game) for game in games],
    }
    for kind in sorted(COLUMNS):
        if kind in values:
            places = {value: place for place, value in enumerate(tables[TABLE_OF[kind]])}
            yield Section.integers(kind, [places[value] for value in values[kind]], max(len(places) - 1, 0))
        elif kind in numbers:
            yield Section.integers(kind, numbers[kind]())
    for base in TABLES:
        if openings or base != TABLE_OF[OPENING]:
            yield from table(base, [values[kind] for kind in values if TABLE_OF[kind] == base], tables[base])
    if lines:
        yield from lines_of(stream)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)


def build(stream: Stream, lines: bool = True, listed: int = OPENING_LIST) -> bytes:
    begin = MAGIC + u(2, MAJOR, MINOR) + bytes(4)
    body, places, count = begin, b"", 0
    for section in sections_of(stream, lines, listed > 0):
        body = padded(body)
        places += u(4, section.kind, section.width) + u(8, len(body), len(section.data), section.count)
        body += section.data
        count += 1
    body = padded(body)
    sums = b"".join(u(4, zlib.crc32(body[at : at + PAGE])) for at in range(0, len(body), PAGE))
    length = len(body) + len(sums) + len(places) + TRAILER
    trailer = u(4, count, 0) + u(8, len(stream.games), stream.length) + stream.digest()
    trailer += u(8, len(body)) + u(4, zlib.crc32(sums), listed) + u(8, length)
    trailer += u(4, zlib.crc32(begin + places + trailer), 0) + MAGIC[::-1]
    return body + sums + places + trailer


# ------------------------------------------------------------------------------------------------ reading


@dataclass
class Index:
    """An index, as it stands."""

    data: bytes
    games: int = 0
    length: int = 0
    digest: bytes = b""
    listed: int = 0
    sums: int = 0
    table: int = 0
    sections: dict[int, Section] = field(default_factory=dict)
    places: dict[int, int] = field(default_factory=dict)


def number_at(data: bytes, at: int, width: int) -> int:
    return int.from_bytes(data[at : at + width], "little")


def demand(condition: object, what: str) -> None:
    if not condition:
        raise IndexDamage(what)


def read_index(data: bytes) -> Index:
    """Section 1: all that must hold of the frame; the sums too."""
    demand(len(data) >= 16 + TRAILER and data.startswith(MAGIC), "it does not begin as an index does")
    demand(number_at(data, 8, 2) == MAJOR, f"major version {number_at(data, 8, 2)}")
    demand(data[12:16] == bytes(4), "bytes 12 to 16 are not zero")
    trailer = data[-TRAILER:]
    demand(trailer.endswith(MAGIC[::-1]), "it does not end as an index does")
    demand(number_at(trailer, 72, 8) == len(data), "its length is not the one that the trailer says")
    demand(not any(trailer[84:88]), "zeros of the trailer are not zero")
    demand(not any(trailer[4:8]), "zeros of the trailer are not zero")
    count = number_at(trailer, 0, 4)
    index = Index(data, number_at(trailer, 8, 8), number_at(trailer, 16, 8), trailer[24:56])
    index.listed = number_at(trailer, 68, 4)
    index.sums, index.table = number_at(trailer, 56, 8), len(data) - TRAILER - 32 * count
    demand(index.sums % 8 == 0 and index.sums >= 16, "offset of the sums")
    demand(index.sums + 4 * -(-index.sums // PAGE) == index.table, "the sums do not reach from their offset to the table")
    places = data[index.table : -TRAILER]
    demand(zlib.crc32(data[:16] + places + trailer[:80]) == number_at(trailer, 80, 4), "CRC-32 of begin, table and trailer")
    demand(zlib.crc32(data[index.sums : index.table]) == number_at(trailer, 64, 4), "CRC-32 of the sums")
    for page, at in enumerate(range(0, index.sums, PAGE)):
        crc = number_at(data, index.sums + 4 * page, 4)
        demand(zlib.crc32(data[at : min(at + PAGE, index.sums)]) == crc, f"CRC-32 of page {page}")
    end, last = 16, 0
    for at in range(0, len(places), 32):
        kind, width = number_at(places, at, 4), number_at(places, at + 4, 4)
        offset, length, entries = (number_at(places, at + part, 8) for part in (8, 16, 24))
        begin = end + -end % 8
        demand(kind > last, f"section 0x{kind:02x} is not behind 0x{last:02x}")
        demand(offset == begin and offset + length <= index.sums, f"place of section 0x{kind:02x}")
        demand(not any(data[end:begin]), f"bytes before section 0x{kind:02x}")
        section = Section(kind, data[offset : offset + length], width, entries)
        demand(width in (*range(MAX_WIDTH + 1), WORD), f"width of section 0x{kind:02x}")
        each = {SEGMENTS: 256, BLOCKS: 128}.get(kind, width or 8)
        counted = width or kind in (SEGMENTS, BLOCKS) or kind & 15 == 3
        demand(not counted or length == (entries * each + 7) // 8, f"length of section 0x{kind:02x}")
        if width:
            bits = BitReader(section.data)
            section.numbers = [bits.get(width) for _ in range(entries)]
            demand(not bits.number, f"bits behind the last integer of section 0x{kind:02x}")
        demand(kind not in COLUMNS or entries == index.games, f"entries of section 0x{kind:02x}")
        index.sections[kind], index.places[kind] = section, offset
        end, last = offset + length, kind
    demand((OPENING in index.sections) == (index.listed > 0), "openings of no list")
    demand(end + -end % 8 == index.sums and not any(data[end : index.sums]), "what is before the sums")
    return index


def check(archive: bytes, data: bytes) -> str:
    """What is wrong with an index of an archive; empty if nothing is."""
    try:
        index = read_index(data)
        stream = read_stream(archive)
    except (IndexDamage, PgcError) as error:
        return f"damaged: {error}"
    if (index.length, index.digest) != (stream.length, stream.digest()):
        return "it does not belong: length or digest of the archive are others"
    if index.listed not in (0, OPENING_LIST):
        return f"its openings are those of the list {index.listed}, which is not here"
    own = build(stream, LINES in index.sections, index.listed)
    return "" if own == data else difference(read_index(own), index)


def difference(own: Index, other: Index) -> str:
    """The first difference of two indexes: of the trailer, then by section and entry."""
    if own.games != other.games:
        return f"{other.games} games, should be {own.games}"
    if list(own.sections) != list(other.sections):
        return f"sections {[*map(hex, other.sections)]}, should be {[*map(hex, own.sections)]}"
    for kind, section in own.sections.items():
        theirs = other.sections[kind]
        mine, yours = list(entries(own, kind)), list(entries(other, kind))
        for number, (a, b) in enumerate(itertools.zip_longest(mine, yours)):
            if a is None or b is None or a[0] != b[0]:
                what = [f"{pair[0][:40].hex(' ')} ({pair[1]})" if pair else "nothing" for pair in (b, a)]
                return f"section 0x{kind:02x} ({name_of(kind)}), entry {number}: {what[0]}, should be {what[1]}"
        if (section.width, section.data) != (theirs.width, theirs.data):
            return f"section 0x{kind:02x}: width {theirs.width}, should be {section.width}"
    return "the frame differs, the sections do not"


# ------------------------------------------------------------------------------------------------ dump


def name_of(kind: int) -> str:
    if kind in COLUMNS:
        return COLUMNS[kind]
    names = {SEGMENTS: "segments", BLOCKS: "blocks"}
    names |= {LINE_SEGMENTS: "lines before each segment", LINE_GROUPS: "groups of lines", LINES: "lines", LINE_GAMES: "games of lines"}
    return names.get(kind) or f"{TABLES.get(kind & 0xF0, 'unknown')}: {(*PARTS, 'unknown')[min(kind & 15, 5)]}"


def value_at(index: Index, base: int, place: int) -> bytes:
    begin = index.sections[base].numbers[place // GROUP]
    return named(index.sections[base + 1].data[begin:])[place % GROUP][1] if place >= 0 else b""


def shown(text: bytes | str) -> str:
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    text = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
    return f'"{text}"' if len(text) <= 80 else f'"{text[:20]}..." of {len(text)} characters'


def describe(index: Index, kind: int, number: int) -> str:
    """What an integer of a section says, if it says anything."""
    try:
        return meaning(index, kind, number)
    except (IndexError, ValueError):
        return f"{number}, which means nothing"


def meaning(index: Index, kind: int, number: int) -> str:
    if kind in TABLE_OF:
        return shown(value_at(index, TABLE_OF[kind], number))
    if kind == ECO:
        return {0: "none", 501: "other"}.get(number) or f"{'ABCDE'[(number - 1) // 100]}{(number - 1) % 100:02}"
    if kind == FLAGS:
        number_of_rules = number >> 20 & 15
        rule = RULES[number_of_rules] if number_of_rules < len(RULES) else "other rules"
        names = [name for bit, name in FLAG_NAMES.items() if number & bit]
        names += [ENDINGS[number >> 16 & 15]] if number >> 16 & 15 else []
        return ", ".join([RESULTS[number & 3], *names, *([rule] if number_of_rules else [])])
    if kind == LINE_GAMES:
        return f"game {number + 1}"
    if kind in (WHITE_ELO, BLACK_ELO) and not number:
        return "none"
    if kind in (WHITE_ELO, BLACK_ELO, PLIES):
        return str(number)
    if kind & 15 == 4:
        word, place = divmod(number, index.sections[kind - 3].count)
        value = value_at(index, kind - 4, place)
        return f"{shown(words_of(value)[word])}, word {word} of {shown(value)}"
    if kind == LINE_SEGMENTS:
        return f"{number} lines before"
    return f"begins at {number}"


def entries(index: Index, kind: int) -> Iterator[tuple[bytes, str]]:
    """The entries of a section: their bytes, and what they say."""
    section = index.sections[kind]
    data = section.data
    if kind == SEGMENTS:
        for at in range(0, len(data), 32):
            said = ("head at {}", "end at {}", "head of {} bytes", "tail of {} bytes", "first game {}", "first block {}")
            for what, (begin, width, add) in zip(said, ((0, 8, 0), (8, 8, 0), (16, 4, 0), (20, 4, 0), (24, 4, 1), (28, 4, 1))):
                yield data[at + begin : at + begin + width], what.format(number_at(data, at + begin, width) + add)
    elif kind == BLOCKS:
        for at in range(0, len(data), 16):
            yield data[at : at + 8], f"block at {number_at(data, at, 8)}"
            yield data[at + 8 : at + 12], f"first game {number_at(data, at + 8, 4) + 1}"
            yield data[at + 12 : at + 16], f"CRC-32 {number_at(data, at + 12, 4):08x}"
    elif section.width and section.width != WORD:
        yield data, f"{section.count} integers of {section.width} bits"
        # Of many, the first ones say what they are.
        for number in section.numbers[:64]:
            yield b"", describe(index, kind, number)
    elif section.width:
        for at, number in zip(range(0, len(data), 8), section.numbers):
            yield data[at : at + 8], describe(index, kind, number)
    elif kind == LINES:
        begins = [*index.sections[LINE_GROUPS].numbers, len(data)]
        for begin, end in itertools.pairwise(begins):
            line = b""
            while begin < end:
                first, (back, more) = begin, divmod(data[begin], 16)
                begin += 1
                if back == LONG_LINE:
                    back, begin = back + data[begin], begin + 1
                if more == LONG_LINE:
                    more, begin = more + data[begin], begin + 1
                line = line[: len(line) - back] + data[begin : begin + more]
                begin += more
                yield data[first:begin], line.hex(" ") or "no move"
    elif kind - 1 in index.sections and kind & 15 in (1, 3):
        begins = [*index.sections[kind - 1].numbers, len(data)]
        for number, (begin, end) in enumerate(itertools.pairwise(begins)):
            part = data[begin:end]
            if kind & 15 == 1:
                for each, value in named(part):
                    yield each, shown(value)
                continue
            values = index.sections[kind - 2].count - number * GROUP
            yield part, "postings of a group"
            for place, games in enumerate(posted(part, min(values, GROUP), index.games), number * GROUP):
                yield b"", f"{shown(value_at(index, kind - 3, place))}: {', '.join(str(game + 1) for game in games)}"
    else:
        yield data, "unknown"


def dump(data: bytes) -> Iterator[str]:
    """Hex as in the vectors, annotated."""

    def lines(part: bytes, what: str) -> Iterator[str]:
        if len(set(part)) == 1 and len(part) > 16:
            yield f"{part[:1].hex() + f'*{len(part)}':<36} # {what}"
            return
        for at in range(0, len(part), 16):
            text = part[at : at + 16].hex(" ")
            yield f"{text:<36} # {what}" if what and not at else text

    index = read_index(data)
    yield from lines(data[:8], "magic")
    yield from lines(data[8:12], f"version {number_at(data, 8, 2)}.{number_at(data, 10, 2)}")
    yield from lines(data[12:16], "zeros")
    end = 16
    for kind, section in index.sections.items():
        yield from lines(data[end : index.places[kind]], "zeros, to a multiple of 8")
        end = index.places[kind] + len(section.data)
        width = f", width {section.width}" if section.width else ""
        yield f"\n# section 0x{kind:02x} {name_of(kind)} at {index.places[kind]}: {section.count} entries{width}"
        for part, what in entries(index, kind):
            yield from lines(part, what) if part else [f"{'':<36} # {what}"]
    yield from lines(data[end : index.sums], "zeros, to a multiple of 8")
    yield f"\n# sums at {index.sums}"
    for at in range(index.sums, index.table, 4):
        yield from lines(data[at : at + 4], f"CRC-32 of page {(at - index.sums) // 4}: {number_at(data, at, 4):08x}")
    yield f"\n# table at {index.table}: kind, width, offset; length, entries"
    for at, kind in zip(range(index.table, len(data) - TRAILER, 32), index.sections):
        section = index.sections[kind]
        yield from lines(data[at : at + 16], f"0x{kind:02x} {name_of(kind)}, width {section.width}, at {index.places[kind]}")
        yield from lines(data[at + 16 : at + 32], f"{len(section.data)} bytes, {section.count} entries")
    at = len(data) - TRAILER
    yield f"\n# trailer at {at}"
    fields = (
        (4, f"sections: {len(index.sections)}"), (4, "zeros"), (8, f"games: {index.games}"),
        (8, f"length of the archive: {index.length}"), (32, "digest of the archive"), (8, f"offset of the sums: {index.sums}"),
        (4, "CRC-32 of the sums"), (4, f"list of openings: {index.listed}"), (8, f"length of the index: {len(data)}"),
        (4, "CRC-32 of begin, table and this trailer to here"), (4, "zeros"), (8, "the magic, from its end"),
    )  # fmt: skip
    for width, what in fields:
        yield from lines(data[at : at + width], what)
        at += width


# ------------------------------------------------------------------------------------------------ vectors


def run_vectors(folder: Path) -> int:
    """The vectors of kind `index`; the number that failed."""
    failed = run = 0
    for line in (folder / "MANIFEST").read_text("utf-8").splitlines():
        name, kind, *_ = [*line.split("\t"), ""]
        if line.startswith("#") or kind != "index":
            continue
        problem = check(reader.read_hex(folder / f"{name}.hex"), reader.read_hex(folder / f"{name}.index.hex"))
        run += 1
        if problem:
            failed += 1
            print(f"{name}: {problem}")
    print(f"{run} vectors of indexes, {failed} failed")
    return failed


# ------------------------------------------------------------------------------------------------ command line


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes and checks the index of a PGC archive, from the specification alone.")
    parser.add_argument("files", nargs="*", metavar="FILE", type=Path)
    parser.add_argument("-o", "--output", type=Path, metavar="INDEX", help="where to write the index")
    parser.add_argument("--no-lines", action="store_true", help="without the lines of section 7")
    parser.add_argument("--check", action="store_true", help="FILE.pgci is the index of FILE.pgc, to the byte")
    parser.add_argument("--dump", action="store_true", help="print FILE.pgci, readable")
    parser.add_argument("--vectors", type=Path, metavar="DIR", help="run the test vectors of DIR")
    options = parser.parse_args()
    if len(options.files) != (0 if options.vectors else 2 if options.check else 1):
        parser.error("wrong number of files")
    try:
        if options.vectors:
            return 1 if run_vectors(options.vectors) else 0
        files = [path.read_bytes() for path in options.files]
        if options.dump:
            print("\n".join(dump(files[0])))
            return 0
        if options.check:
            problem = check(*files)
            print(f"{options.files[1]}: {problem or 'as it should be'}")
            return 3 if problem else 0
        stream = read_stream(files[0])
        if not options.output:
            parser.error("-o INDEX is missing")
        options.output.write_bytes(build(stream, not options.no_lines))
    except (PgcError, IndexDamage) as error:
        print(f"{options.files[0]}: {error}", file=sys.stderr)
        return 3
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
