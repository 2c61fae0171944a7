#!/usr/bin/env python3
"""A second reader of PGC archives, written from the text of the specification alone (ppmd.py from that of the model).

It reads the binary form of section 20 of the 1994 PGN standard and the private escapes of extension.md ("ext." below;
D1 ... D13 are the decisions about the 1994 text). Its only purpose is to show that the text suffices: it takes the
straight road everywhere and leaves all questions of chess to python-chess (`pip install chess`). It gives tags, moves,
NAGs, variations, comments and the terminator of each game, and the source as it was, to the byte (ext. 9).

    reader.py FILE.pgc                        one JSON object a game
    reader.py --pgn FILE.pgc                  movetext for eyes
    reader.py --unpack FILE.pgc               the sources, one after another
    reader.py --compare FILE.pgc FILE.pgn     against python-chess's own reading of the source
    reader.py --vectors DIR                   the test vectors

This file is in the public domain (CC0).
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import logging
import re
import sys
import textwrap
import zlib
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import NoReturn

import chess
import chess.pgn
import chess.variant
import small

try:
    import blake3
except ImportError:
    blake3 = None

# ------------------------------------------------------------------------------------------------ constants

NOOP, SIMPLE_GAME, TAG_PAIR, SHORT_MOVES, LONG_MOVES = 0x00, 0x01, 0x02, 0x03, 0x04
GAME_BEGIN, GAME_END, NAG, RAV_BEGIN, RAV_END, ESCAPE = 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A
UNFINISHED = b"\xff" * 8

ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
TERMINATORS = ("1-0", "0-1", "1/2-1/2", "*")

PREFIX = b"pgc"
CONTINUED_KINDS = "TALSP"
WHOLE_KINDS = "HBEQ"
PGN_VERSION, VERSION = 1, 3
PGN, EPD, FIRST_LANGUAGE = 0, 1, 16  # texts of sources
PLAIN, TRIAL, SMALL = range(3)  # forms of segments
SYNC = bytes.fromhex("9d706763b7c5a9e3")
MAX_NAME = 4096
MAX_BLOCK_SOURCE = 33_554_432
MAX_BLOCK_RECORDS = 134_217_728
MAX_SHAPES = 250
MAX_STREAMS = 16
MAX_CODED_RECORDS = 33_554_432
MAX_DEPTH = 1024
MAX_ELEMENTS = 1_048_576
MAX_TAG_PAIRS = 65_536
NUM_LIMIT = 1 << 63


class PgcError(ValueError):
    """The stream is damaged, or is not PGC. Says where."""

    def __init__(self, what: str, offset: int | None = None, game: int | None = None) -> None:
        places = (("byte", offset), ("game", game))
        super().__init__("".join(f"{name} {at}: " for name, at in places if at is not None) + what)


# ------------------------------------------------------------------------------------------------ what is read


@dataclass
class Move:
    """A move; `san` is canonical (8.2.3), with its check suffix."""

    san: str
    move: chess.Move


@dataclass
class Nag:
    value: int


@dataclass
class Comment:
    """A comment, without its braces or its semicolon."""

    text: str
    rest_of_line: bool = False


@dataclass
class Text:
    """Text of the source that is not chess; `tail`: the rest of a line of play (D9)."""

    text: str
    tail: bool = False


@dataclass
class PercentLine:
    """A `%` line in movetext, without the `%`."""

    text: str


@dataclass
class Undecoded:
    """Ordinals under rules that this reader does not know (D8; foreign streams only)."""

    ordinals: bytes


@dataclass
class Rav:
    line: list[Item] = field(default_factory=list)


Item = Move | Nag | Comment | Text | PercentLine | Undecoded | Rav


@dataclass
class Element:
    """An element of a game as a piece of its text (ext. 5.1 and 9); `kind` is its class before a gap (ext. 9.3)."""

    kind: int
    text: bytes = b""
    squares: bytes = b""
    check: str = ""
    black: bool = False
    number: int = 0
    tail: bool = False

    @property
    def behind(self) -> int:
        """Its class behind a gap, whatever follows it (NOTED: see class_behind)."""
        if self.kind <= PERCENT:
            return self.kind
        return 2 + self.black if self.kind == MOVE else self.kind + 1


TAG, PERCENT, MOVE, GLYPH, BRACE, REST, OPEN, CLOSE, TEXT, TERMINATOR, START = range(11)
WHITE, BLACK, CLOSE_BEHIND, END, NOTED = 2, 3, 8, 11, 12


@dataclass
class Game:
    """A game. `plies` counts move ordinals, those of variations included (ext. 4)."""

    number: int
    tags: list[tuple[str, str]] = field(default_factory=list)
    line: list[Item] = field(default_factory=list)
    result: str | None = None
    plies: int = 0
    kept_as_text: bytes | None = None
    has_text: bool = False
    elements: list[Element] = field(default_factory=list)
    source: bytes = b""


@dataclass
class Segment:
    """What head and tail say of one source file (ext. 3 and 6)."""

    name: str
    games: int = 0
    source: int = 0
    digest: bytes = b""
    encoding: str | None = None


def to_text(data: bytes) -> str:
    """UTF-8 where the bytes are that, else Latin-1: decided value by value (D6)."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


# Ext. 3.2: the encodings of the Encoding Standard, and the codecs of Python that are nearest to them.
ENCODINGS = {
    **{f"windows-125{n}": f"cp125{n}" for n in range(9)},
    **{f"ISO-8859-{n}": f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{name: name for name in ("GBK", "gb18030", "EUC-JP", "KOI8-R", "KOI8-U", "UTF-16LE", "UTF-16BE")},
    **{f"IBM{n}": f"cp{n}" for n in (437, 850, 852)},
    **{"IBM866": "cp866", "ISO-8859-8-I": "iso8859-8", "macintosh": "mac-roman", "windows-874": "cp874"},
    **{"x-mac-cyrillic": "mac-cyrillic", "Big5": "big5hkscs", "Shift_JIS": "cp932", "EUC-KR": "cp949"},
}


def encoded(text: bytes, encoding: str | None) -> bytes:
    """Ext. 3.2: the file whose text is this."""
    if encoding is None:
        return text
    out, at = bytearray(), 0
    while at < len(text):
        if text[at] & 0xFC == 0xF8 and text[at + 1 : at + 2] and text[at + 1] & 0xC0 == 0x80:
            out.append((text[at] & 3) << 6 | text[at + 1] & 0x3F)
            at += 2
            continue
        length = next((n for n in range(1, 5) if is_utf8(text[at : at + n])), 1)
        piece = text[at : at + length]
        try:
            out += piece.decode("utf-8").encode(ENCODINGS[encoding])
        except UnicodeEncodeError:  # the standard has the controls 0x80 to 0x9f where Python has nothing
            out += bytes([ord(piece.decode())]) if 0x80 <= ord(piece.decode()) < 0xA0 else piece
        except UnicodeDecodeError:
            out += piece
        at += length
    return bytes(out)


def is_utf8(data: bytes) -> bool:
    """Whether these bytes are UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


# ------------------------------------------------------------------------------------------------ records (20.1-20.4)


@dataclass
class Record:
    """One record: `strings` are its string items, `data` its ordinals, its NAG or its escaped string."""

    marker: int
    offset: int
    end: int
    strings: list[bytes] = field(default_factory=list)
    data: bytes = b""


def read_record(data: bytes, offset: int, end: int) -> Record:
    """Sections 20.3 and 20.4: the record at `offset`, which must be over at `end`."""
    at = offset + 1
    record = Record(data[offset], offset, at)

    def take(size: int, what: str) -> bytes:
        nonlocal at
        if size > end - at:
            raise PgcError(f"{what} of {size} bytes does not fit in the {end - at} left", offset)
        at += size
        return data[at - size : at]

    def counted(width: int, what: str) -> bytes:
        return take(int.from_bytes(take(width, f"length of {what}"), "little"), what)

    marker = record.marker
    if marker == SIMPLE_GAME:
        record.strings = [counted(1, name) for name in ROSTER]
        record.data = counted(2, "moves")
    elif marker == TAG_PAIR:
        record.strings = [counted(1, "tag name"), counted(1, "tag value")]
    elif marker == SHORT_MOVES:
        record.data = counted(1, "moves")
    elif marker == LONG_MOVES:
        record.data = counted(2, "moves")
    elif marker == NAG:
        record.data = take(1, "NAG")
    elif marker == ESCAPE:
        record.data = counted(2, "escape-string")
    elif marker not in (NOOP, GAME_BEGIN, GAME_END, RAV_BEGIN, RAV_END):
        raise PgcError(f"unknown marker 0x{marker:02x}", offset)  # D10
    record.end = at
    return record


def read_records(data: bytes, offset: int, end: int) -> Iterator[Record]:
    """All records, noops too (D10)."""
    while offset < end:
        record = read_record(data, offset, end)
        offset = record.end
        yield record


# ------------------------------------------------------------------------------------------------ private escapes


@dataclass
class Private:
    """A private escape (ext. 1), its pieces joined and its data unstuffed."""

    kind: str
    data: bytes
    offset: int


Unit = Record | Private


def unstuff(data: bytes, offset: int) -> bytes:
    """Ext. 1.1."""
    if b"\n" in data or b"\r" in data:
        raise PgcError("line end inside a private escape", offset)
    out = bytearray()
    plain = {0xFA: 0x0A, 0xFD: 0x0D}
    codes = {0: 0xFA, 1: 0xFD, 2: 0xFE}
    values = iter(data)
    for value in values:
        if value == 0xFE:
            code = next(values, None)
            if code not in codes:
                raise PgcError("0xfe before a byte that it cannot precede", offset)
            out.append(codes[code])
        else:
            out.append(plain.get(value, value))
    return bytes(out)


def private_kind(record: Record) -> str | None:
    """Ext. 1: the kind of a private escape as it stands, None for any other record."""
    if record.marker != ESCAPE or not record.data.startswith(PREFIX):
        return None
    kind = record.data[3:4].decode("latin-1")
    if not kind or kind.upper() not in CONTINUED_KINDS + WHOLE_KINDS:
        raise PgcError(f"unknown kind of private escape {record.data[:4]!r}", record.offset)
    if kind.islower() and kind.upper() in WHOLE_KINDS:
        raise PgcError(f"a private escape {kind.upper()} is never continued", record.offset)
    return kind


def join_pieces(records: Iterable[Record]) -> Iterator[Unit]:
    """Ext. 1, Continuation, and ext. 5.4: private escapes as units; `Q` becomes the `%` line that it stands for."""
    open_kind, start = "", 0
    pieces: list[bytes] = []
    for record in records:
        kind = private_kind(record)
        if open_kind and (kind is None or kind.upper() != open_kind):
            raise PgcError(f"escape {open_kind} ends without its last piece", record.offset)
        if kind is None or kind == "Q":
            line = record.data[4:] if kind else record.data
            if record.marker == ESCAPE and (b"\n" in line or b"\r" in line):
                raise PgcError("line end inside a % line", record.offset)
            yield Record(ESCAPE, record.offset, record.end, data=line) if kind else record
        else:
            if not open_kind:
                open_kind, pieces, start = kind.upper(), [], record.offset
            pieces.append(record.data[4:])
            if kind.isupper():
                yield Private(kind, unstuff(b"".join(pieces), start), start)
                open_kind = ""
    if open_kind:
        raise PgcError(f"escape {open_kind} ends without its last piece", start)


class Cursor:
    """Ext. 2: numbers and strings in private data."""

    def __init__(self, data: bytes, offset: int) -> None:
        self.data, self.offset, self.at = data, offset, 0

    def fail(self, what: str) -> NoReturn:
        raise PgcError(f"{what} (byte {self.at} of the private data)", self.offset)

    def more(self) -> bool:
        return self.at < len(self.data)

    def take(self, size: int) -> bytes:
        if size > len(self.data) - self.at:
            self.fail(f"{size} bytes wanted, {len(self.data) - self.at} left")
        self.at += size
        return self.data[self.at - size : self.at]

    def byte(self) -> int:
        return self.take(1)[0]

    def num(self) -> int:
        first = self.byte()
        if first < 0xF0:
            return first
        if first < 0xFF:
            return 240 + 256 * (first - 0xF0) + self.byte()
        value = 0
        for index in range(9):
            part = self.byte()
            value |= (part & 0x7F) << (7 * index)
            if part < 0x80:
                break
        else:
            self.fail("number of more than nine bytes")
        if value + 4080 >= NUM_LIMIT:
            self.fail("number of 2^63 or more")
        return value + 4080

    def snum(self) -> int:
        return zigzag(self.num())

    def string(self) -> bytes:
        return self.take(self.num())

    def crc(self, prefix: bytes, what: str) -> None:
        """The last field of a head: the checksum of all before it, from the prefix on."""
        wanted = zlib.crc32(prefix + self.data[: self.at])
        if int.from_bytes(self.take(4), "little") != wanted:
            self.fail(f"checksum of the {what} is wrong")
        if self.more():
            self.fail(f"data after the checksum of the {what}")


def zigzag(value: int) -> int:
    """Ext. 2, snum: 0, -1, 1, -2, 2 ... from 0, 1, 2, 3, 4 ..."""
    return -(value + 1) // 2 if value & 1 else value // 2


# ------------------------------------------------------------------------------------------------ the rules (D1, D8)

CHESS960_NAMES = (
    *("chess960", "chess-960", "fischerandom", "fischerrandom", "fischerrandomchess", "frc"),
    *("freestyle", "freestylechess", "960"),
)
ANTICHESS_NAMES = ("antichess", "anti", "giveaway", "giveawaychess", "suicide", "suicidechess")
THREE_CHECK_NAMES = ("three-check", "threecheck", "threecheckchess", "3check", "3-check")
RULES: dict[str, type[chess.Board]] = {
    "": chess.Board,
    "?": chess.Board,
    "standard": chess.Board,
    "normal": chess.Board,
    "chess": chess.Board,
    "fromposition": chess.Board,
    "regular": chess.Board,
    "classical": chess.Board,
    **{name: chess.Board for name in CHESS960_NAMES},
    **{f"wild/{name}": chess.Board for name in (*"012345678", "8a")},
    **{name: chess.variant.AntichessBoard for name in ANTICHESS_NAMES},
    **{name: chess.variant.AtomicBoard for name in ("atomic", "atom", "atomicchess")},
    **{name: chess.variant.CrazyhouseBoard for name in ("crazyhouse", "zh", "house")},
    **{name: chess.variant.HordeBoard for name in ("horde", "hordechess")},
    **{name: chess.variant.KingOfTheHillBoard for name in ("kingofthehill", "koth")},
    **{name: chess.variant.RacingKingsBoard for name in ("racingkings", "racing", "race")},
    **{name: chess.variant.ThreeCheckBoard for name in THREE_CHECK_NAMES},
}
MAX_MOVE_NUMBER = 999_999_999


class UnknownRules(Exception):
    """The tags name rules or a position from which nothing can be played."""


def start_position(tags: Iterable[tuple[str, str]]) -> chess.Board:
    """D8: rules from the Variant tag, start from the FEN tag, repairs where the position allows them."""
    variant = fen = None
    for name, value in tags:
        if name not in ("Variant", "FEN"):
            continue
        if len(value) > 255 or not all(" " <= c <= "~" for c in value):
            raise UnknownRules(f"{name} tag that is not plain")
        before = variant if name == "Variant" else fen
        if before is not None and before != value:
            raise UnknownRules(f"two {name} tags that differ")
        if name == "Variant":
            variant = value
        else:
            fen = value
    variant = "".join((variant or "").split()).lower()
    if variant not in RULES:
        raise UnknownRules(f"unknown variant {variant!r}")
    rules = RULES[variant]
    chess960 = variant in CHESS960_NAMES
    if fen is None or fen.strip(" ") in ("", "?", "-"):
        return rules(chess960=chess960)
    try:
        board = fen_position(fen, rules, chess960)
    except ValueError as error:
        raise UnknownRules(str(error)) from error
    if what := unplayable(board):
        raise UnknownRules(f"position that cannot be played: {what}")
    return board


def fen_position(fen: str, rules: type[chess.Board], chess960: bool) -> chess.Board:
    """pgn-import.md 3.2: the fields of a FEN; python-chess reads the board, the side and the checks."""
    if "_" in fen:
        raise ValueError("`_` in a FEN")
    fields = without_operations(fen) if ";" in fen else fen.split()
    checks = ""
    for place in (4, 6):
        if place < len(fields) and re.fullmatch(r"\+?[0-3]\+[0-3]", fields[place]) and not checks:
            checks = fields.pop(place)
    if checks and rules is chess.Board:
        raise ValueError("checks in chess")
    for default in ("", "w", "-", "-", "0", "1")[len(fields) :]:
        fields.append(default)
    pieces, side, castling, en_passant, clock, number = fields
    if not re.fullmatch(r"\d+", clock) or not re.fullmatch(r"\d+", number) or int(number) > MAX_MOVE_NUMBER:
        raise ValueError("impossible clock or number")
    if en_passant != "-" and en_passant not in chess.SQUARE_NAMES:
        raise ValueError("impossible en passant square")
    if side + en_passant[-1] in ("b4", "w5"):  # the pawn's own square
        en_passant = en_passant[0] + ("3" if side == "b" else "6")
    if rules is not chess.variant.CrazyhouseBoard and rules is not chess.Board:
        pieces = re.sub(r"\[[A-Za-z]{0,64}\]$", "", pieces)
        if pieces.count("/") == 8:
            pieces = pieces.rpartition("/")[0]
    while re.search(r"\d\d", pieces):  # python-chess wants one number for empty squares in a row
        pieces = re.sub(r"(\d)(\d)", lambda two: str(int(two[1]) + int(two[2])), pieces, count=1)
    if checks and rules is chess.variant.ThreeCheckBoard:
        left = checks if checks[0] != "+" else "+".join(str(3 - int(given)) for given in checks[1:].split("+"))
        en_passant += f" {left}"
    board = rules(f"{pieces} {side} - {en_passant} 0 {max(int(number), 1)}", chess960=chess960)
    board.castling_rights = castling_rooks(board, castling)
    board.castling_rights = 0 if rules is chess.variant.AntichessBoard else board.clean_castling_rights()
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        board.ep_square = None
    return board


def without_operations(fen: str) -> list[str]:
    """pgn-import.md 3.2: the fields of a FEN with operations of EPD, which give its counters."""
    parts = [part.split(" ") for part in re.findall(r'(?:"[^"]*(?:"|\Z)|[^";])+', fen)]
    parts = [[word for word in part if word] for part in parts]
    fields, first = parts[0][:4], parts[0][4:]
    if len(fields) < 4 or fen.lstrip().startswith(";"):
        raise ValueError("operations without a position")
    behind = 0
    while behind < min(3, len(first)) and re.fullmatch(r"[0-9+]+", first[behind]):
        behind += 1
    counters, first = first[:behind], first[behind:]
    checks = [field for field in counters if "+" in field][:1]
    for field in checks:
        counters.remove(field)
    half, full = (counters + ["0", "1"][len(counters) :])[:2]
    for operation in [first, *parts[1:]]:
        if len(operation) == 2 and operation[0] in ("hmvc", "fmvn"):
            half, full = (operation[1], full) if operation[0] == "hmvc" else (half, operation[1])
    return [*fields, *checks, half, full]


def castling_rooks(board: chess.Board, letters: str) -> chess.Bitboard:
    """pgn-import.md 3.2: the squares that a castling field names."""
    rooks = 0
    for letter in "" if letters == "-" else letters:
        colour = letter.isupper()
        rank = chess.BB_RANK_1 if colour else chess.BB_RANK_8
        own = list(chess.scan_forward((board.kings | board.rooks) & board.occupied_co[colour] & rank))
        name = letter.lower()
        if name == "k":
            square = own[-1] if own and board.rooks >> own[-1] & 1 else chess.msb(rank)
        elif name == "q":
            square = own[0] if own and board.rooks >> own[0] & 1 else chess.lsb(rank)
        elif name in "abcdefgh":
            square = chess.square("abcdefgh".index(name), 0 if colour else 7)
        else:
            raise ValueError("impossible castling rights")
        rooks |= chess.BB_SQUARES[square]
    if any((rooks & rank).bit_count() > 2 for rank in (chess.BB_RANK_1, chess.BB_RANK_8)):
        raise ValueError("more than two castling rights a side")
    return rooks


def unplayable(board: chess.Board) -> str | None:
    """pgn-import.md 3.2: why no game starts from here."""
    white, black = ((board.kings & board.occupied_co[side]).bit_count() for side in (chess.WHITE, chess.BLACK))
    antichess, horde = isinstance(board, chess.variant.AntichessBoard), isinstance(board, chess.variant.HordeBoard)
    racing = isinstance(board, chess.variant.RacingKingsBoard)
    mine, theirs = (white, black) if board.turn else (black, white)
    exploded = isinstance(board, chess.variant.AtomicBoard) and (mine, theirs) == (0, 1)
    kings = antichess or exploded or (white, black) in (((0, 1), (1, 0)) if horde else ((1, 1),))
    if not board.occupied or not kings:
        return "pieces or kings"
    if not board.occupied_co[not board.turn]:
        return "a side without pieces that has just moved"
    other = board.copy(stack=False)
    other.turn = not board.turn
    if not antichess and not exploded and other.is_check():
        return "check of the side that is not to move"
    ends = board.pawns & chess.BB_BACKRANKS
    if horde:
        first = chess.BB_RANK_8 if white else chess.BB_RANK_1
        ends &= ~(board.occupied_co[not white] & first)
    if ends or racing and board.pawns:
        return "pawns"
    if racing and not board.turn and board.is_variant_draw():
        return "a race that is over"
    if isinstance(board, chess.variant.CrazyhouseBoard):
        pockets = [str(board.pockets[side]) for side in (chess.WHITE, chess.BLACK)]
        if "k" in "".join(pockets) or board.occupied.bit_count() + sum(map(len, pockets)) > 64:
            return "pockets"
    if isinstance(board, chess.variant.ThreeCheckBoard) and board.remaining_checks == [0, 0]:
        return "no checks left"
    return None


class Rules:
    """What small.py needs of the rules."""

    @staticmethod
    def start_position(tags: list[tuple[str, str]]) -> chess.Board:
        return start_position(tags)

    @staticmethod
    def legal_moves(board: chess.Board) -> list[tuple[str, chess.Move]]:
        return legal_moves(board)

    @staticmethod
    def is_chess(board: chess.Board) -> bool:
        return type(board) is chess.Board


def legal_moves(board: chess.Board) -> list[tuple[str, chess.Move]]:
    """D1 and section 20.2: the legal moves with their SAN (no suffix), sorted bytewise by it."""
    if type(board) is chess.Board:
        moves = san_of_all(board)
    else:
        moves = [(board.san(move).rstrip("+#"), move) for move in board.legal_moves]
    moves.sort(key=itemgetter(0))
    return moves


def san_of_all(board: chess.Board) -> list[tuple[str, chess.Move]]:
    """Section 8.2.3 for all legal moves at once: disambiguation among legal moves of a kind to a square."""
    theirs = board.occupied_co[not board.turn]
    out: list[tuple[str, chess.Move]] = []
    groups: dict[tuple[int, int], list[chess.Move]] = {}
    for move in board.legal_moves:
        origin, target = move.from_square, move.to_square
        piece = board.piece_type_at(origin)
        assert piece is not None
        if piece == chess.PAWN:
            san = chess.SQUARE_NAMES[target]
            if chess.square_file(origin) != chess.square_file(target):
                san = f"{chess.FILE_NAMES[chess.square_file(origin)]}x{san}"
            if move.promotion:
                san += "=" + chess.piece_symbol(move.promotion).upper()
            out.append((san, move))
        elif piece == chess.KING and board.is_castling(move):
            kingside = chess.square_file(target) > chess.square_file(origin)
            out.append(("O-O" if kingside else "O-O-O", move))
        else:
            groups.setdefault((piece, target), []).append(move)
    for (piece, target), moves in groups.items():
        capture = "x" if theirs >> target & 1 else ""
        letter = chess.piece_symbol(piece).upper()
        for move in moves:
            name = chess.SQUARE_NAMES[move.from_square]
            others = [chess.SQUARE_NAMES[m.from_square] for m in moves if m is not move]
            if not others:
                mark = ""
            elif all(other[0] != name[0] for other in others):
                mark = name[0]
            elif all(other[1] != name[1] for other in others):
                mark = name[1]
            else:
                mark = name
            out.append((letter + mark + capture + chess.SQUARE_NAMES[target], move))
    return out


def check_suffix(board: chess.Board) -> str:
    """The suffix of the move that led to this position (8.2.3.5; no part of an ordinal)."""
    check = board.is_check()
    if check and board.is_checkmate() or board.is_variant_loss() or board.is_variant_win():
        return "#"
    return "+" if check else ""


# ------------------------------------------------------------------------------------------------ tags (ext. 7)


def record_value(true_value: bytes) -> bytes:
    """Ext. 7: what a tag pair record holds for a true value."""
    try:
        value = true_value.decode("utf-8").encode("latin-1", "replace")
    except UnicodeDecodeError:
        value = true_value
    return bytes(0x3F if b < 0x20 or 0x7F <= b < 0xA0 else b for b in value)[:255]


def decode_tags(
    leading: list[Record], escape: Private | None, utf8: bool
) -> tuple[list[tuple[str, str]], int, list[Element]]:
    """Ext. 7: the tags with their true values, and how many of the leading records the tag section takes.

    `leading` are the tag pairs and `%` lines before anything else. A record without entry is Latin-1 for the block's
    UTF-8 and Latin-1 alike: the charset of the layout decides bytes, not characters.
    """
    tags: list[tuple[str, str]] = []
    elements: list[Element] = []
    at = 0

    def walk(count: int, cursor: Cursor | None) -> None:
        nonlocal at
        for _ in range(count):
            if at == len(leading):
                assert cursor is not None
                cursor.fail("place after the end of the tag section")
            if leading[at].marker == TAG_PAIR:
                name, value = (item.decode("latin-1") for item in leading[at].strings)
                tags.append((name, value))
                true_value = value.encode("utf-8") if utf8 else leading[at].strings[1]
                elements.append(Element(TAG, tag_text(leading[at].strings[0], true_value)))
            else:
                elements.append(Element(PERCENT, b"%" + leading[at].data))
            at += 1

    if escape is not None:
        cursor = Cursor(escape.data, escape.offset)
        while cursor.more():
            walk(min(cursor.num(), len(leading) + 1), cursor)
            what = cursor.byte()
            if what == 0:
                walk(1, cursor)
                record = leading[at - 1]
                if record.marker != TAG_PAIR:
                    cursor.fail("true value for what is no tag pair")
                true_value = cursor.string()
                if record_value(true_value) != record.strings[1]:
                    cursor.fail("true value that the record's value was not made from")
                tags[-1] = (tags[-1][0], to_text(true_value))
                elements[-1] = Element(TAG, tag_text(record.strings[0], true_value))
            elif what == 1:
                name, value = cursor.string(), cursor.string()
                tags.append((to_text(name), to_text(value)))
                elements.append(Element(TAG, tag_text(name, value)))
            else:
                cursor.fail(f"unknown entry {what}")
    last_pair = max((i + 1 for i, record in enumerate(leading) if record.marker == TAG_PAIR), default=0)
    walk(max(last_pair - at, 0), None)
    return tags, at, elements


def tag_text(name: bytes, value: bytes) -> bytes:
    """Ext. 9.5."""
    return b'[%s "%s"]' % (name, re.sub(rb'(["\\\\])', rb"\\\1", value))


# ------------------------------------------------------------------------------------------------ annotations (ext. 8)

FIRST_SHAPE = 6
HOLES = re.compile(rb"([\x01-\x05])")


@dataclass
class Placed:
    """An item of `A`; `item` is None for a terminator, which `terminator` then gives."""

    place: int
    item: Item | None
    terminator: int = 0
    element: Element | None = None


class Annotations:
    """Ext. 8: decodes the `A` of one game, whose last place is `last`."""

    def __init__(self, escape: Private, shapes: list[bytes], last: int) -> None:
        self.cursor = Cursor(escape.data, escape.offset)
        self.shapes = shapes
        self.last = last
        self.clocks: list[tuple[int, bool]] = []
        self.evaluation = 0

    def items(self) -> list[Placed]:
        """The groups, laid out flat."""
        cursor, place = self.cursor, 0
        out: list[Placed] = []
        while cursor.more():
            header = cursor.byte()
            shape, delta, count = header & 7, header >> 3 & 7, (header >> 6) + 1
            shape += cursor.num() if shape == 7 else 0
            delta += cursor.num() if delta == 7 else 0
            count += cursor.num() if count == 4 else 0
            place += delta - 1
            while count > 0:
                place, count = place + 1, count - 1
                if place > self.last:
                    cursor.fail(f"annotation at place {place} of {self.last}")
                if out and out[-1].item is None:
                    cursor.fail("item after the terminator")
                out.append(self.item(place, shape))
                if shape == 4 and count:
                    cursor.fail("more than one terminator")
        return out

    def item(self, place: int, shape: int) -> Placed:
        """Ext. 8.1."""
        cursor = self.cursor
        if shape == 0:
            text = cursor.string()
            return Placed(place, Comment(to_text(text)), element=Element(BRACE, b"{%s}" % text))
        if shape == 1:
            text = cursor.string()
            return Placed(place, Comment(to_text(text), rest_of_line=True), element=Element(REST, b";" + text))
        if shape in (2, 5):
            text = cursor.string()
            element = Element(TEXT, text, tail=shape == 2)
            return Placed(place, Text(to_text(text), tail=shape == 2), element=element)
        if shape == 3:
            nag = cursor.num()
            if not 256 <= nag < 1 << 31:
                cursor.fail(f"NAG {nag} cannot be here")
            return Placed(place, Nag(nag), element=Element(GLYPH, number=nag))
        if shape == 4:
            code = cursor.byte()
            if code > len(TERMINATORS):
                cursor.fail(f"unknown terminator {code}")
            if place != self.last:
                cursor.fail("terminator before the last element")
            return Placed(place, None, code)
        if shape - FIRST_SHAPE >= len(self.shapes):
            cursor.fail(f"shape {shape} is not in the block head")
        text = self.fill(self.shapes[shape - FIRST_SHAPE])
        return Placed(place, Comment(to_text(text)), element=Element(BRACE, b"{%s}" % text))

    def fill(self, shape: bytes) -> bytes:
        """Ext. 8.2: a shape with its holes filled."""
        tenths = shape.startswith(b"\x06")
        holes: dict[bytes, Callable[[], bytes]] = {
            b"\x01": lambda: self.clock(tenths),
            b"\x02": self.evaluate,
            b"\x03": lambda: clock_text(self.bounded(self.cursor.num()), 0),
            b"\x04": self.decimal,
            b"\x05": self.cursor.string,
        }
        parts = HOLES.split(shape[1:] if tenths else shape)
        return b"".join(holes[part]() if part in holes else part for part in parts)

    def clock(self, tenths: bool) -> bytes:
        """Ext. 8.2, hole 0x01."""
        prediction, unit = self.clocks[-2:][0] if self.clocks else (0, tenths)
        if unit != tenths:
            prediction = prediction * 10 if tenths else prediction // 10
        value = prediction + self.cursor.snum()
        if value < 0:
            self.cursor.fail("clock below zero")
        self.bounded(value)
        self.clocks.append((value, tenths))
        return clock_text(value // 10, value % 10) if tenths else clock_text(value, 0)

    def bounded(self, value: int) -> int:
        if value >= 1 << 44:
            self.cursor.fail(f"{value} is beyond all clocks and evaluations")
        return value

    def evaluate(self) -> bytes:
        """Ext. 8.2, hole 0x02."""
        value = self.cursor.num()
        if value == 0:
            return b"#%d" % self.cursor.snum()
        self.evaluation += zigzag(value - 1)
        self.bounded(abs(self.evaluation))
        pawns, hundredths = divmod(abs(self.evaluation), 100)
        digits = b"%02d" % hundredths
        return b"%s%d.%s" % (b"-" * (self.evaluation < 0), pawns, digits[: 1 if digits[1:] == b"0" else 2])

    def decimal(self) -> bytes:
        """Ext. 8.2, hole 0x04."""
        units, thousandths = divmod(self.cursor.num(), 1000)
        digits = b"%03d" % thousandths
        return b"%d.%s" % (units, digits[:1] + digits[1:].rstrip(b"0"))


def clock_text(seconds: int, tenths: int) -> bytes:
    """Ext. 8.2: `H:MM:SS` or `H:MM:SS.T`."""
    text = b"%d:%02d:%02d" % (seconds // 3600, seconds // 60 % 60, seconds % 60)
    return text + b".%d" % tenths if tenths else text


# ------------------------------------------------------------------------------------------------ one game


@dataclass
class Line:
    """A line of play while it is read."""

    board: chess.Board | None
    items: list[Item]
    moves: int = 0
    ordinals: int = 0


ODD_NAME = frozenset(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


@dataclass
class GameRecords:
    """The records of a game, before anything in them is understood.

    `leading` are the tag pairs and `%` lines before play, `rest` is what follows them, `private` the escapes T, A, L.
    """

    number: int
    offset: int
    leading: list[Record] = field(default_factory=list)
    rest: list[Record] = field(default_factory=list)
    private: dict[str, Private] = field(default_factory=dict)

    def add(self, unit: Unit, foreign: bool) -> None:
        """D10 and ext. 5.1: takes the next record, if it may stand here."""
        if isinstance(unit, Private):
            if unit.kind not in "TAL" or any("TAL".index(unit.kind) <= "TAL".index(kind) for kind in self.private):
                raise PgcError(f"escape {unit.kind} cannot stand here", unit.offset, self.number)
            self.private[unit.kind] = unit
        elif unit.marker in (SIMPLE_GAME, GAME_BEGIN):
            raise PgcError("game inside a game", unit.offset, self.number)
        elif self.private:
            raise PgcError("record after the private escapes of its game", unit.offset, self.number)
        elif unit.marker in (SHORT_MOVES, LONG_MOVES) and not unit.data:
            pass  # no element
        elif unit.marker == TAG_PAIR and self.rest:
            played = any(record.marker in (SHORT_MOVES, LONG_MOVES, RAV_BEGIN) for record in self.rest)
            if not foreign or played and unit.strings[0] in (b"FEN", b"Variant"):
                raise PgcError("tag pair after play", unit.offset, self.number)
            self.leading.append(unit)
            if not ODD_NAME.isdisjoint(unit.strings[0]):
                self.rest.append(unit)  # a comment in its place (pgc.md 6)
        elif unit.marker == TAG_PAIR or unit.marker == ESCAPE and not self.rest:
            self.leading.append(unit)
        else:
            self.rest.append(unit)


def read_simple_game(record: Record, number: int, style: Style | None) -> Game:
    """Section 20.4.1: marker 0x01. The source's order of the tags is in the layout."""
    tags = [(name, value.decode("latin-1")) for name, value in zip(ROSTER, record.strings)]
    game = Game(number, tags, result=tags[-1][1] if tags[-1][1] in TERMINATORS else None)
    if style:
        pairs = [(ROSTER[i], record.strings[i]) for i in style.roster]
        values = [(name, value.decode("latin-1").encode("utf-8") if style.utf8 else value) for name, value in pairs]
        game.elements = [Element(TAG, tag_text(name.encode(), value)) for name, value in values]
    line = Line(chess.Board(), game.line)
    play(line, record, game)
    if style:
        finish(game, style, None)
    return game


def finish(game: Game, style: Style, layout: Private | None) -> None:
    """The terminator as the last element, and the text of the game."""
    if game.result is not None:
        game.elements.append(Element(TERMINATOR, game.result.encode()))
    if len(game.elements) > MAX_ELEMENTS:
        raise PgcError(f"{len(game.elements)} elements", None, game.number)
    if sum(element.kind == TAG for element in game.elements) > MAX_TAG_PAIRS:
        raise PgcError("too many tag pairs", None, game.number)
    game.source = epd_line(game, style, layout) if style.epd else restore(game.elements, style, layout)


def read_game(records: GameRecords, shapes: list[bytes], foreign: bool, style: Style | None) -> Game:
    """Sections 20.4.5 to 20.4.9 and ext. 5.1, 7, 8: a game between 0x05 and 0x06."""
    game = Game(records.number)
    utf8 = style is not None and style.utf8
    game.tags, used, game.elements = decode_tags(records.leading, records.private.get("T"), utf8)
    elements = records.leading[used:] + records.rest
    result = next((value for name, value in game.tags if name == "Result"), None)
    game.result = result if result in TERMINATORS else None

    placed: deque[Placed] = deque()
    if "A" in records.private:
        places = sum(len(e.data) if e.marker in (SHORT_MOVES, LONG_MOVES) else 1 for e in elements)
        placed.extend(Annotations(records.private["A"], shapes, places).items())
        if placed and placed[-1].item is None:
            code = placed.pop().terminator
            game.result = TERMINATORS[code - 1] if code else None

    # Ext. 7: the tags of T have a say too; of the others the records have what counts, or no play has ordinals.
    board: chess.Board | None
    try:
        board = start_position(game.tags)
    except UnknownRules as error:
        board = None
        if not foreign and any(e.marker in (SHORT_MOVES, LONG_MOVES) and e.data for e in elements):
            raise PgcError(f"ordinals, but {error}", records.offset, game.number) from error

    stack = [Line(board, game.line)]
    place = 0

    def annotate() -> None:
        while placed and placed[0].place == place:
            note = placed.popleft()
            item = note.item
            assert item is not None and note.element is not None
            if game.elements and game.elements[-1].tail:
                raise PgcError("an annotation behind the text that ends its line", records.offset, game.number)
            stack[-1].items.append(item)
            game.elements.append(note.element)
            game.has_text |= isinstance(item, Text)

    def line_goes_on(record: Record) -> None:
        """Ext. 8.1: what follows an item of shape 2."""
        last = game.elements[-1] if game.elements else None
        if last is not None and last.tail and (record.marker != RAV_END or len(stack) == 1):
            raise PgcError("a line of play goes on behind its text", record.offset, game.number)

    annotate()
    for record in elements:
        if record.marker in (SHORT_MOVES, LONG_MOVES):
            for index in range(len(record.data)):
                line_goes_on(record)
                play(stack[-1], record, game, index)
                place += 1
                annotate()
            continue
        line_goes_on(record)
        if record.marker == NAG:
            stack[-1].items.append(Nag(record.data[0]))
            game.elements.append(Element(GLYPH, number=record.data[0]))
        elif record.marker == ESCAPE:
            stack[-1].items.append(PercentLine(to_text(record.data)))
            game.elements.append(Element(PERCENT, b"%" + record.data))
        elif record.marker == TAG_PAIR:
            name, value = (text.decode("latin-1") for text in record.strings)
            stack[-1].items.append(Comment(f'[{name} "{value}"]'))
        elif record.marker == RAV_BEGIN:
            stack.append(begin_variation(stack[-1], len(stack), record, game))
            game.elements.append(Element(OPEN, b"("))
        elif record.marker == RAV_END:
            if len(stack) == 1:
                raise PgcError("end of a variation that has not begun", record.offset, game.number)
            if not foreign and not stack[-1].ordinals:
                raise PgcError("variation without a move", record.offset, game.number)
            stack.pop()
            game.elements.append(Element(CLOSE, b")"))
        place += 1
        annotate()
    if len(stack) > 1:
        raise PgcError("end of the game inside a variation", records.offset, game.number)
    if style:
        finish(game, style, records.private.get("L"))
    return game


def begin_variation(line: Line, depth: int, record: Record, game: Game) -> Line:
    """D5: a variation replaces the last move of the line that it stands in."""
    if not line.ordinals:
        raise PgcError("variation without a move to replace", record.offset, game.number)
    if depth > MAX_DEPTH:
        raise PgcError(f"variations nested deeper than {MAX_DEPTH}", record.offset, game.number)
    board = line.board.copy(stack=1) if line.board is not None else None
    if board is not None:
        board.pop()
    rav = Rav()
    line.items.append(rav)
    return Line(board, rav.line)


def play(line: Line, record: Record, game: Game, index: int | None = None) -> None:
    """Section 20.2: plays one ordinal of a move sequence, or all of them."""
    ordinals = record.data if index is None else record.data[index : index + 1]
    for ordinal in ordinals:
        line.ordinals += 1
        game.plies += 1
        if line.board is None:
            if line.items and isinstance(line.items[-1], Undecoded):
                line.items[-1].ordinals += bytes([ordinal])
            else:
                line.items.append(Undecoded(bytes([ordinal])))
            continue
        moves = legal_moves(line.board)
        if ordinal >= len(moves):
            what = f"ordinal {ordinal} at ply {game.plies}, but {len(moves)} legal moves"
            raise PgcError(what, record.offset, game.number)
        san, move = moves[ordinal]
        element = Element(
            MOVE,
            san.encode(),
            squares_of(line.board, move),
            black=not line.board.turn,
            number=line.board.fullmove_number,
        )
        line.board.push(move)
        element.check = check_suffix(line.board)
        line.items.append(Move(san + element.check, move))
        game.elements.append(element)


def squares_of(board: chess.Board, move: chess.Move) -> bytes:
    """Ext. 9.5: a move as its squares; of a drop, the one where the piece lands."""
    to = move.to_square
    if move.drop:
        return chess.square_name(to).encode()
    if board.is_castling(move):
        file = 6 if chess.square_file(to) > chess.square_file(move.from_square) else 2
        to = chess.square(file, chess.square_rank(move.from_square))
    promotion = chess.piece_symbol(move.promotion) if move.promotion else ""
    return (chess.square_name(move.from_square) + chess.square_name(to) + promotion).encode()


def kind_of(game: Game) -> int:
    """Ext. 6: 0 whole, 1 with a text tail, 2 text only."""
    if game.kept_as_text is not None:
        return 2
    depth = 0
    moves = False
    for element in game.elements:
        depth += (element.kind == OPEN) - (element.kind == CLOSE)
        if depth == 0 and element.kind == TEXT and element.tail:
            return 1 if moves else 2
        moves |= depth == 0 and element.kind == MOVE
    return 0


# ------------------------------------------------------------------------------------------------ layout (ext. 9)

SUFFIXES = {1: b"!", 2: b"?", 3: b"!!", 4: b"??", 5: b"!?", 6: b"?!"}
NEWLINES = (b"\n", b"\r\n", b"\r")


# Ext. 9.5: the letters of section 17 for pawn, knight, bishop, rook, queen and king, by the number of the language.
LANGUAGES = (
    b"PJSVDK BSLTDK OPLTDK PNBRQK PROVLK PRLTDK PCFTDR BSLTDK GHFBVK PRBHDK PCATDR BSLTDK PSGWHK PCBTDR PCNTDR PCATDR BSLTDK"
)
ENGLISH = b"PNBRQK"
LETTERS = {
    number: bytes.maketrans(ENGLISH, letters)
    for number, letters in enumerate(LANGUAGES.split())
    if letters != ENGLISH
}


def default_template(before: int, behind: int) -> bytes:
    """The table of ext. 9.3, row by row; class 12 is as class 3 there."""
    behind = BLACK if behind == NOTED else behind
    number = {WHITE: b"#. ", BLACK: b"#... "}.get(behind, b"")
    if before == START:
        return number
    if before == OPEN and number:
        return number
    if behind == END:
        return b"\n\n"
    if before <= PERCENT and behind <= PERCENT:
        return b"\n"
    if before == TAG:
        return b"\n\n" + number
    if before in (PERCENT, REST):
        return b"\n" + number
    if behind == PERCENT:
        return b"\n"
    if before == OPEN or behind == CLOSE_BEHIND:
        return b""
    return b" " if before == MOVE and behind == BLACK else b" " + number


class Style:
    """Ext. 9.1: the layout in a block head."""

    def __init__(self, cursor: Cursor) -> None:
        newline = cursor.byte()
        if newline > 2:
            cursor.fail("unknown newline")
        self.newline = NEWLINES[newline]
        flags = cursor.byte()
        self.epd = bool(flags & 0x40)
        self.squares = bool(flags & 0x20)
        self.utf8, self.suffixes, self.marks = bool(flags & 1), bool(flags & 2), flags >> 2 & 3
        self.roster = cursor.take(7) if flags & 0x10 else bytes(range(7))
        if sorted(self.roster) != list(range(7)):
            cursor.fail("the roster is not one")
        self.language = cursor.byte() if flags & 0x80 else None
        if self.language is not None and (self.epd or self.language not in LETTERS):
            cursor.fail("EPD in other letters, or a language without a number")
        self.rule, self.number, details = cursor.byte(), cursor.num(), cursor.byte()
        if self.rule > 3 or self.number > 0xFFFF or details & 0xC0:
            cursor.fail("unknown line breaking")
        self.first_word, self.bare_close = bool(details & 1), bool(details & 2)
        self.sticky, self.trailing = bool(details & 4), bool(details & 8)
        self.bare_number, self.if_room = bool(details & 0x10), bool(details & 0x20)
        self.templates: dict[tuple[int, int], bytes] = {}
        for _ in range(cursor.num()):
            pair = cursor.byte()
            before, behind = divmod(pair, 12) if pair < 132 else (pair - 132, NOTED)
            template = cursor.string()
            if before > START or len(template) > 15:
                cursor.fail("impossible template")
            self.templates[before, behind] = template
        if cursor.more():
            cursor.fail("data after the layout")

    def template(self, before: int, behind: int) -> bytes:
        found = self.templates.get((before, behind))
        return default_template(before, behind) if found is None else found

    def line_break(self, room: bool) -> bytes:
        """Ext. 9.4: a break; `room`: whether a blank fits on the line."""
        blank = self.trailing and (room or not self.if_room)
        return b" " * blank + self.newline

    def spelling(self, element: Element) -> bytes:
        """Ext. 9.5."""
        if element.kind == MOVE:
            check = element.check
            mate = {2: "+", 3: "++"}.get(self.marks, "#")
            san = element.text if self.language is None else element.text.translate(LETTERS[self.language])
            move = element.squares if self.squares else san
            return move + ("" if self.marks == 1 else mate if check == "#" else check).encode()
        if element.kind == GLYPH:
            suffix = SUFFIXES.get(element.number) if self.suffixes else None
            return suffix or b"$%d" % element.number
        return element.text


def restore(elements: list[Element], style: Style, layout: Private | None) -> bytes:
    """Ext. 9: the text of a game."""
    slots: dict[int, bytes] = {}
    if layout is not None:
        cursor = Cursor(layout.data, layout.offset)
        kind = cursor.byte()
        if kind == 1:
            return layout.data[1:]
        if kind != 0:
            cursor.fail("layout of an unknown kind")
        slot = 0
        while cursor.more():
            skip = cursor.num()
            if slots and skip == 0:
                cursor.fail("a slot that comes twice")
            slot += skip
            slots[slot] = cursor.string()
        if slot > 2 * len(elements):
            cursor.fail("a slot that is not there")
    out: list[bytes] = []
    column, before = 0, START
    for index, element in enumerate([*elements, None]):
        spelled = b""
        behind, number, word = END, 0, 0
        if element is not None:
            spelled = slots.get(2 * index, style.spelling(element))
            behind, number = class_behind(elements, index), element.number if element.kind == MOVE else 0
            word = word_length(elements, index, spelled, style)
        gap = slots.get(2 * index + (element is not None))
        if gap is None:
            gap = predict_gap(style, before, behind, number, column, word)
        for piece in (gap, spelled):
            line_end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
            column = len(piece) - line_end - 1 if line_end >= 0 else column + len(piece)
        out += [gap, spelled]
        before = element.kind if element is not None else before
    return b"".join(out)


def epd_line(game: Game, style: Style, layout: Private | None) -> bytes:
    """Ext. 9.6: the line of EPD that a game is."""
    if any(element.kind not in (TAG, TERMINATOR) for element in game.elements):
        raise PgcError("a line of EPD with more than tags", None, game.number)
    if layout is not None:
        if layout.data[:1] != b"\1":
            raise PgcError("layout of an unknown kind", layout.offset, game.number)
        return layout.data[1:]
    tags: dict[bytes, bytes] = {}
    for element in game.elements:
        if found := re.fullmatch(rb'\[(.*?) "(.*)"\]', element.text, re.DOTALL):
            tags.setdefault(found[1], re.sub(rb"\\(.)", rb"\1", found[2], flags=re.DOTALL))
    fields = tags.get(b"FEN", b"").split(b" ")
    if len(fields) < 5 or b"EPD" not in tags:
        raise PgcError("a line of EPD without its two tags", None, game.number)
    operations = [tags[b"EPD"]] if tags[b"EPD"] else []
    return b" ".join(fields[:4] + operations) + style.newline


def class_behind(elements: list[Element], index: int) -> int:
    """Ext. 9.3: the class of an element behind a gap, which for a move of Black depends on what follows it."""
    behind = elements[index].behind
    noted = behind == BLACK and any(e.kind in (GLYPH, BRACE) for e in elements[index + 1 : index + 2])
    return NOTED if noted else behind


def word_length(elements: list[Element], index: int, spelled: bytes, style: Style) -> int:
    """Ext. 9.4: what of an element must fit on its line."""
    element = elements[index]
    length = len(spelled)
    if element.kind in (BRACE, TEXT):
        ends = rb"[ \n\r]" if style.first_word and element.kind == BRACE else rb"[\n\r]"
        if found := re.search(ends, spelled):
            length = found.start()
    if style.sticky:
        for other in elements[index + 1 : index + 17]:
            if style.template(element.kind, WHITE if other.kind == MOVE else other.behind):
                break
            if other.kind == CLOSE and not style.bare_close:
                length += 1
            elif other.kind == GLYPH and style.suffixes and other.number in SUFFIXES:
                length += len(SUFFIXES[other.number])
            else:
                break
            element = other
    return length


def predict_gap(style: Style, before: int, behind: int, number: int, column: int, word: int) -> bytes:
    """Ext. 9.3 and 9.4."""
    template = style.template(before, behind)
    raw = b"".join(
        style.newline if b == 0x0A else b"%d" % number if b == 0x23 else bytes([b]) for b in template
    )
    if style.rule == 1 and b"\n" not in template:
        if not raw and style.bare_close and behind == CLOSE_BEHIND and column + 1 > style.number:
            return style.newline
        bare = style.bare_number and raw.endswith(b".")
        gap = b""
        for at, byte in enumerate(raw):
            if byte != 0x20:
                gap, column = gap + bytes([byte]), column + 1
                continue
            blank = raw.find(b" ", at + 1)
            token = blank - at - 1 if blank >= 0 else len(raw) - at - 1 + (0 if bare else word)
            if column + 1 + token > style.number:
                gap, column = gap + style.line_break(room=column < style.number), 0
            else:
                gap, column = gap + b" ", column + 1
        if bare and column + word > style.number:
            gap += style.newline
        return gap
    if behind == WHITE and raw.startswith(b" "):
        done = number - 1
        if style.rule == 2 and column >= style.number:
            return style.line_break(room=True) + raw[1:]
        if style.rule == 3 and done > 0 and done % max(style.number, 1) == 0 and before not in (TAG, START):
            return style.line_break(room=True) + raw[1:]
    return raw


# ------------------------------------------------------------------------------------------------ archives (ext. 3-6)


@dataclass
class Stream:
    """A coded stream of a block (small.md 1.2)."""

    kind: str
    length: int
    crc: int


@dataclass
class BlockHead:
    """Ext. 4."""

    number: int
    games: int
    plies: int
    source: int
    records: int
    style: Style
    shapes: list[bytes]
    streams: list[Stream]
    crc: int

    def stored(self) -> int:
        """The bytes that stand behind the head."""
        return sum(stream.length for stream in self.streams) if self.streams else self.records


def is_frame(data: bytes) -> bool:
    """Ext. 10: whether an escape of a stream without heads can only be a head, a block head or a tail."""
    if data.startswith(b"pgcE"):
        try:
            cursor = Cursor(unstuff(data[4:], 0), 0)
            for _ in range(7):
                cursor.num()
            cursor.take(32)
            cursor.crc(b"pgcE", "tail")
        except PgcError:
            return False
        return True
    return data.startswith((b"pgcH", b"pgcB" + SYNC))


class Reader:
    """Reads a stream: segments of blocks where it begins with a head, plain records of 1994 otherwise."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.segments: list[Segment] = []
        self.count = 0
        self.source = bytearray()
        self.sources: list[bytes] = []

    def games(self) -> Iterator[Game]:
        """All games, in order; raises PgcError where the stream is damaged."""
        at = self.skip_noops(0)
        if not self.begins_segment(at):
            yield from self.foreign()
            return
        while at < len(self.data):
            if not self.begins_segment(at):
                raise PgcError("only noops may stand between segments", at)
            at = yield from self.segment(at)
            at = self.skip_noops(at)
            if self.is_unfinished(at):
                print(f"an unfinished addition of {len(self.data) - at} bytes is ignored", file=sys.stderr)
                return

    def skip_noops(self, at: int) -> int:
        while at < len(self.data) and self.data[at] == NOOP:
            at += 1
        return at

    def is_unfinished(self, at: int) -> bool:
        """Ext. 3.1: whether the mark of an unfinished addition stands here, or its beginning at the end of the data."""
        rest = self.data[at : at + len(UNFINISHED)]
        return bool(rest) and UNFINISHED.startswith(rest)

    def begins_segment(self, at: int) -> bool:
        """Ext. 3: whether a head stands here (which may then turn out to be damaged)."""
        length = int.from_bytes(self.data[at + 1 : at + 3], "little")
        return self.data[at : at + 1] == b"\x0a" and length >= 4 and self.data[at + 3 : at + 7] == PREFIX + b"H"

    def head(self, at: int, kinds: str) -> tuple[str, Cursor, int]:
        """The private escape at `at`, which must be of one of `kinds`."""
        if at >= len(self.data):
            raise PgcError(f"end of the data where one of {', '.join(kinds)} must stand", at)
        record = read_record(self.data, at, len(self.data))
        kind = private_kind(record)
        if kind is None or kind not in kinds:
            raise PgcError(f"one of {', '.join(kinds)} must stand here", at)
        return kind, Cursor(unstuff(record.data[4:], at), at), record.end

    def version_and_form(self, cursor: Cursor) -> tuple[int, int]:
        """Ext. 3: what a reader looks at before all else."""
        version = cursor.byte()
        if not PGN_VERSION <= version <= VERSION:
            sums = {zlib.crc32(b"pgcH" + bytes([known]) + cursor.data[1:-4]) for known in range(PGN_VERSION, VERSION + 1)}
            if int.from_bytes(cursor.data[-4:], "little") in sums:
                cursor.fail("checksum of the head is wrong: its version was changed")
            cursor.fail(f"archive of version {version}; this reader knows versions up to {VERSION}")
        form = cursor.byte()
        if form == TRIAL and int.from_bytes(cursor.data[-4:], "little") == zlib.crc32(b"pgcH" + cursor.data[:-4]):
            cursor.fail("archive in the small form of a trial version before 0.1.0: unpack it with the pgc that wrote it, and pack it again")
        if form not in (PLAIN, SMALL):
            cursor.fail(f"segment of form {form}; this reader knows {PLAIN} and {SMALL}")
        return version, form

    def segment(self, at: int) -> Generator[Game, None, int]:
        """Ext. 3 and 6: head, blocks and tail; returns where it ends."""
        _, cursor, at = self.head(at, "H")
        version, form = self.version_and_form(cursor)
        text = PGN if version == PGN_VERSION else cursor.byte()
        if text not in (PGN, EPD) and text - FIRST_LANGUAGE not in LETTERS:
            cursor.fail(f"source of unknown text {text}")
        encoding = cursor.string().decode("latin-1") if version == VERSION else None
        if encoding is not None and encoding not in ENCODINGS:
            cursor.fail(f"source in the encoding {encoding!r}")
        name = cursor.string()
        if len(name) > MAX_NAME:
            cursor.fail(f"source name of {len(name)} bytes")
        try:
            segment = Segment(name.decode("utf-8"), encoding=encoding)
        except UnicodeDecodeError:
            cursor.fail("source name that is not UTF-8")
        cursor.crc(b"pgcH", "head")
        self.segments.append(segment)
        self.source.clear()

        blocks = games = plies = source = 0
        kinds = [0, 0, 0]
        held: Game | None = None  # a game kept as text, which the next block may continue
        stray = False
        while True:
            kind, cursor, at = self.head(self.skip_noops(at), "BE")
            if kind == "E":
                break
            block = self.block_head(cursor, form)
            language = None if text in (PGN, EPD) else text - FIRST_LANGUAGE
            if block.style.epd != (text == EPD) or block.style.language != language:
                cursor.fail("block of another text than its head says")
            if block.number != blocks:
                cursor.fail(f"block {block.number} where block {blocks} must stand")
            if len(self.data) < at + block.stored():
                cursor.fail(f"block of {block.stored()} bytes, of which {len(self.data) - at} are there")
            records = self.records(at, block)
            if zlib.crc32(records) != block.crc:
                cursor.fail(f"checksum of the records of block {block.number} is wrong")
            begun, played = 0, 0
            for part in self.block(records, block):
                self.source += part.source if isinstance(part, Game) else part.data[1:]
                if isinstance(part, Game):
                    kinds[kind_of(part)] += 1
                    begun, played = begun + 1, played + part.plies
                    if held:
                        yield held
                    held, stray = None, False
                    if part.kept_as_text is None:
                        yield part
                    else:
                        held = part
                elif part.kind == "P":
                    if held is None or held.kept_as_text is None:
                        raise PgcError("piece of a game of which nothing stands before", part.offset)
                    held.kept_as_text += part.data[1:]
                else:
                    if part.data[0] == 1 and not stray:
                        raise PgcError("text that continues none", part.offset)
                    if held:
                        yield held
                    held, stray = None, True
            at += block.stored()
            if (begun, played) != (block.games, block.plies):
                cursor.fail(
                    f"block {block.number} holds {begun} games and {played} plies, its head says "
                    f"{block.games} and {block.plies}"
                )
            blocks, games, plies, source = blocks + 1, games + begun, plies + played, source + block.source
            if len(self.source) != source:
                cursor.fail(f"the blocks give {len(self.source)} bytes of source, their heads say {source}")
        if held:
            yield held
        self.tail(cursor, segment, (blocks, games, plies, source), kinds)
        self.sources.append(encoded(bytes(self.source), segment.encoding))
        return at

    def records(self, at: int, block: BlockHead) -> bytes:
        """The records of a block, decoded (small.md)."""
        if not block.streams:
            return self.data[at : at + block.records]
        coded = []
        for stream in block.streams:
            coded.append(self.data[at : at + stream.length])
            if zlib.crc32(coded[-1]) != stream.crc:
                raise PgcError(f"checksum of stream {stream.kind} is wrong", at)
            at += stream.length
        kinds = [stream.kind for stream in block.streams]
        if kinds != [kind for kind in small.KINDS if kind in kinds]:
            raise PgcError("streams that no block has", at)
        bounds = block.records, block.plies, block.source, block.games
        try:
            records = small.Block(dict(zip(kinds, coded)), block.shapes, *bounds, Rules).records()
        except (ValueError, UnknownRules) as error:
            raise PgcError(f"streams: {error}", at) from error
        if len(records) != block.records:
            raise PgcError(f"streams of {len(records)} bytes of records", at)
        return records

    def streams(self, cursor: Cursor, records: int) -> list[Stream]:
        """Small.md 1.2: the list of streams."""
        count = cursor.num()
        if count > MAX_STREAMS:
            cursor.fail(f"{count} streams")
        streams = []
        for _ in range(count):
            kind = cursor.take(1).decode("latin-1")
            stream = Stream(kind, cursor.num(), int.from_bytes(cursor.take(4), "little"))
            if not (kind.isascii() and kind.isalpha()) or stream.length == 0:
                cursor.fail(f"stream {kind!r} of {stream.length} bytes")
            streams.append(stream)
        if len({stream.kind for stream in streams}) != count:
            cursor.fail("two streams of one kind")
        if streams and (records > MAX_CODED_RECORDS or sum(s.length for s in streams) >= records):
            cursor.fail(f"{records} bytes of records in streams that are not shorter, or too many")
        return streams

    def block_head(self, cursor: Cursor, form: int) -> BlockHead:
        """Ext. 4: the data of `B`."""
        if cursor.take(8) != SYNC:
            cursor.fail("sync pattern of a block head is wrong")
        number, games, plies, source, records = (cursor.num() for _ in range(5))
        if records > MAX_BLOCK_RECORDS:
            cursor.fail(f"block of {records} bytes")
        if source > MAX_BLOCK_SOURCE or source < max(games, plies):
            cursor.fail(f"block of {source} bytes of source, {games} games and {plies} plies")
        style = Style(Cursor(cursor.string(), cursor.offset))
        count = cursor.num()
        if count > MAX_SHAPES:
            cursor.fail(f"{count} shapes")
        shapes = [cursor.string() for _ in range(count)]
        streams = self.streams(cursor, records) if form == SMALL else []
        crc = int.from_bytes(cursor.take(4), "little")
        cursor.crc(b"pgcB", "block head")
        return BlockHead(number, games, plies, source, records, style, shapes, streams, crc)

    def tail(self, cursor: Cursor, segment: Segment, found: tuple[int, int, int, int], kinds: list[int]) -> None:
        """Ext. 6: the data of `E`, against what was found; the digest only where there is a module for it."""
        blocks, games, whole, tails, text, plies, source = (cursor.num() for _ in range(7))
        segment.digest = cursor.take(32)
        file = encoded(bytes(self.source), segment.encoding)
        if segment.encoding is not None and cursor.num() != len(file):
            cursor.fail(f"tail with another length of the file than {len(file)}")
        cursor.crc(b"pgcE", "tail")
        for what, said, real in zip(("blocks", "games", "plies", "bytes"), (blocks, games, plies, source), found):
            if said != real:
                cursor.fail(f"tail says {said} {what}, the blocks hold {real}")
        if [whole, tails, text] != kinds:
            cursor.fail(f"{whole} whole games, {tails} with a text tail and {text} as text, where there are {kinds}")
        if blake3 is not None and blake3.blake3(file).digest() != segment.digest:
            cursor.fail("the digest of the source is another")
        segment.games, segment.source = games, source

    def block(self, records: bytes, head: BlockHead) -> Iterator[Game | Private]:
        """Ext. 5: games, and the escapes S and P that are none."""
        for part in self.parts(join_pieces(read_records(records, 0, len(records))), head, False):
            if isinstance(part, Private):
                if part.kind not in "SP":
                    raise PgcError(f"escape {part.kind} outside a game", part.offset)
                if part.data[:1] not in (b"\0", b"\1"):
                    raise PgcError(f"escape {part.kind} without its first byte", part.offset)
                if part.kind == "P" and part.data[0] == 0:
                    self.count += 1
                    yield Game(self.count, kept_as_text=part.data[1:], source=part.data[1:])
                    continue
            yield part

    def foreign(self) -> Iterator[Game]:
        """A stream without heads (ext. 10): all escapes are `%` lines, unless they are what is left of an archive."""
        records = self.theirs(read_records(self.data, 0, len(self.data)))
        for part in self.parts(records, None, True):
            assert isinstance(part, Game)
            yield part

    def theirs(self, records: Iterator[Record]) -> Iterator[Record]:
        """Ext. 10: refuses heads, block heads and tails."""
        for record in records:
            if record.marker == ESCAPE and is_frame(record.data):
                raise PgcError("part of an archive whose beginning is not there", record.offset)
            yield record

    def parts(self, units: Iterable[Unit], head: BlockHead | None, foreign: bool) -> Iterator[Game | Private]:
        """D10 and section 20.4.5: gathers the records of each game; escapes outside games as they are."""
        style, shapes = (head.style, head.shapes) if head else (None, [])
        game: GameRecords | None = None
        for unit in units:
            if isinstance(unit, Record) and unit.marker == NOOP:
                continue
            if game is not None:
                if isinstance(unit, Record) and unit.marker == GAME_END:
                    yield read_game(game, shapes, foreign, style)
                    game = None
                else:
                    game.add(unit, foreign)
            elif isinstance(unit, Private):
                yield unit
            elif unit.marker == SIMPLE_GAME:
                self.count += 1
                yield read_simple_game(unit, self.count, style)
            elif unit.marker == GAME_BEGIN:
                self.count += 1
                game = GameRecords(self.count, unit.offset)
            elif unit.marker != ESCAPE or not foreign:
                raise PgcError(f"marker 0x{unit.marker:02x} outside a game", unit.offset)
        if game is not None:
            raise PgcError("game without end", game.offset, game.number)


# ------------------------------------------------------------------------------------------------ output


def item_json(item: Item) -> dict[str, object]:
    """An item as JSON; `style` marks a rest-of-line comment."""
    if isinstance(item, Move):
        return {"san": item.san}
    if isinstance(item, Nag):
        return {"nag": item.value}
    if isinstance(item, Comment):
        return {"comment": item.text, "style": ";"} if item.rest_of_line else {"comment": item.text}
    if isinstance(item, Text):
        return {"text": item.text}
    if isinstance(item, PercentLine):
        return {"escape": item.text}
    if isinstance(item, Undecoded):
        return {"ordinals": list(item.ordinals)}
    return {"rav": [item_json(inner) for inner in item.line]}


def game_json(game: Game) -> str:
    items = game.line if game.kept_as_text is None else [Text(to_text(game.kept_as_text))]
    line = [item_json(item) for item in items]
    whole = {"tags": game.tags, "result": game.result, "plies": game.plies, "line": line}
    return json.dumps(whole, ensure_ascii=False)


def game_pgn(game: Game) -> str:
    """Tags and movetext for eyes; not export format."""
    if game.kept_as_text is not None:
        return to_text(game.kept_as_text)
    tags = [f'[{name} "{value}"]' for name, value in game.tags]
    words = list(line_words(game.line)) + ([game.result] if game.result else [])
    return "\n".join([*tags, "", *textwrap.wrap(" ".join(words), 79), ""])


def line_words(line: list[Item]) -> Iterator[str]:
    for item in line:
        if isinstance(item, Move):
            yield item.san
        elif isinstance(item, Nag):
            yield f"${item.value}"
        elif isinstance(item, Comment):
            yield "{" + item.text + "}"
        elif isinstance(item, Text):
            yield f"<{item.text}>"
        elif isinstance(item, PercentLine):
            yield f"<%{item.text}>"
        elif isinstance(item, Undecoded):
            yield f"<ordinals {item.ordinals.hex(' ')}>"
        else:
            yield "(" + " ".join(line_words(item.line)) + ")"


# ------------------------------------------------------------------------------------------------ against python-chess

LOOK_AHEAD = 40
UNREAD_DEFAULTS = {name: "?" for name in ROSTER} | {"Date": "????.??.??", "Result": "*"}


@dataclass
class Theirs:
    """A game as python-chess read it from the source; the values as the archive would give them."""

    game: chess.pgn.Game
    decode: Callable[[str], str]

    def tags(self) -> dict[str, str]:
        undone = ((name, re.sub(r"\\([\"\\])", r"\1", value)) for name, value in self.game.headers.items())
        return {name: self.decode(value) for name, value in undone}


def read_pgn(data: bytes) -> Iterator[Theirs]:
    """The games of a source, through python-chess; the file as UTF-8, else as Latin-1."""
    text = to_text(data)
    utf8 = text.encode("utf-8", "replace") == data
    decode: Callable[[str], str] = (lambda s: s) if utf8 else (lambda s: to_text(s.encode("latin-1", "replace")))
    handle = io.StringIO(text, newline=None)
    while (game := chess.pgn.read_game(handle)) is not None:
        yield Theirs(game, decode)


def blanks(text: str) -> str:
    return " ".join(text.split())


def our_tree(game: Game) -> chess.pgn.Game:
    """Our game through python-chess's own builder, so that both sides join and place comments in one way."""
    builder: chess.pgn.GameBuilder[chess.pgn.Game] = chess.pgn.GameBuilder()
    builder.begin_game()
    unused = chess.Board()
    stack = [iter(game.line)]
    while stack:
        item = next(stack[-1], None)
        if item is None:
            stack.pop()
            if stack:
                builder.end_variation()
        elif isinstance(item, Move):
            builder.visit_move(unused, item.move)
        elif isinstance(item, Nag):
            builder.visit_nag(item.value)
        elif isinstance(item, Comment) and not item.rest_of_line:
            builder.visit_comment(blanks(item.text))
        elif isinstance(item, Rav):
            builder.begin_variation()
            stack.append(iter(item.line))
    return builder.result()


def same_move(ours: chess.pgn.ChildNode, theirs: chess.pgn.ChildNode) -> bool:
    """Whether two moves from one position are the same, castling spelled by the king's or by the rook's square."""
    if ours.move == theirs.move:
        return True
    board = theirs.parent.board()
    return any(
        all(test(node.move) for node in (ours, theirs))
        for test in (board.is_kingside_castling, board.is_queenside_castling)
    )


def tree_difference(ours: chess.pgn.Game, theirs: Theirs) -> str | None:
    """The first difference of two games in moves, variations, NAGs or comments."""
    todo: list[tuple[chess.pgn.GameNode, chess.pgn.GameNode]] = [(ours, theirs.game)]
    while todo:
        a, b = todo.pop()
        where = f"ply {a.ply()}"
        if a.nags != b.nags:
            return f"{where}: NAGs {sorted(a.nags)}, python-chess {sorted(b.nags)}"
        for mine, other in ((a.starting_comment, b.starting_comment), (a.comment, b.comment)):
            other = blanks(theirs.decode(other))
            if blanks(mine) != other:
                return f"{where}: comment {blanks(mine)!r}, python-chess {other!r}"
        for index, (x, y) in enumerate(itertools.zip_longest(a.variations, b.variations)):
            if x is None or y is None or not same_move(x, y):
                moves = [node.move.uci() if node else "nothing" for node in (x, y)]
                return f"after {where}, line {index}: {moves[0]}, python-chess {moves[1]}"
        todo.extend(zip(reversed(a.variations), reversed(b.variations)))
    return None


def tag_difference(ours: Game, theirs: Theirs) -> str | None:
    """The first difference in tags. python-chess keeps the last of a name, and supplies the roster."""
    mine = dict(ours.tags)
    other = theirs.tags()
    for name, value in other.items():
        if name == "Result" and mine.get(name, "*") == "*":
            continue  # python-chess puts the terminator here
        if name not in mine and UNREAD_DEFAULTS.get(name) == value:
            continue
        if mine.get(name) != value:
            return f"tag {name}: {mine.get(name)!r}, python-chess {value!r}"
    for name, value in mine.items():
        if name not in other and chess.pgn.TAG_NAME_REGEX.match(name):
            return f"tag {name}: {value!r}, python-chess has none"
    return None


def roster_key(tags: dict[str, str]) -> tuple[str, ...]:
    return tuple(tags.get(name, UNREAD_DEFAULTS[name]) for name in ROSTER if name != "Result")


def our_key(game: Game) -> tuple[str, ...]:
    if game.kept_as_text is None:
        return roster_key(dict(game.tags))
    return roster_key(dict(chess.pgn.read_headers(io.StringIO(to_text(game.kept_as_text))) or {}))


def align(ours: Iterator[Game], theirs: Iterator[Theirs]) -> Iterator[tuple[Game | None, Theirs | None]]:
    """Pairs of games with the same roster; where only one side sees a game, it stands alone."""
    left: deque[tuple[tuple[str, ...], Game]] = deque()
    right: deque[tuple[tuple[str, ...], Theirs]] = deque()

    def refill() -> None:
        left.extend((our_key(g), g) for g in itertools.islice(ours, LOOK_AHEAD + 1 - len(left)))
        right.extend((roster_key(t.tags()), t) for t in itertools.islice(theirs, LOOK_AHEAD + 1 - len(right)))

    refill()
    while left or right:
        steps = (
            (i, total - i)
            for total in range(len(left) + len(right) - 1)
            for i in range(max(0, total - len(right) + 1), min(total + 1, len(left)))
        )
        i, j = next(((i, j) for i, j in steps if left[i][0] == right[j][0]), (len(left), len(right)))
        for _ in range(min(i, j)):
            yield left.popleft()[1], right.popleft()[1]
        for _ in range(i - min(i, j)):
            yield left.popleft()[1], None
        for _ in range(j - min(i, j)):
            yield None, right.popleft()[1]
        if left and right:
            yield left.popleft()[1], right.popleft()[1]
        refill()


@dataclass
class Comparison:
    agreed: int = 0
    differences: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    just_differed: bool = False

    def add(self, ours: Game | None, theirs: Theirs | None) -> None:
        """Compares one pair; a game without tags after one that differs is the rest of it, after an empty line."""
        differences = len(self.differences)
        if ours is None:
            assert theirs is not None
            self.skipped["only python-chess sees a game"] += 1
            if self.just_differed and theirs.tags() | UNREAD_DEFAULTS == UNREAD_DEFAULTS:
                self.differences.pop()
                self.skipped["python-chess ends the game at an empty line"] += 1
        elif ours.kept_as_text is not None:
            self.skipped["kept as text"] += 1
        elif theirs is None:
            self.skipped["python-chess sees no game"] += 1
        elif theirs.game.errors:
            self.skipped[f"python-chess: {type(theirs.game.errors[0]).__name__}"] += 1
        else:
            tags, tree = tag_difference(ours, theirs), tree_difference(our_tree(ours), theirs)
            if tags is None and tree is None:
                self.agreed += 1
            elif tags is None and ours.has_text:
                self.skipped["play that is not chess is text"] += 1
            else:
                self.differences.append(f"game {ours.number}: {tags or tree}")
        self.just_differed = len(self.differences) > differences

    def summary(self) -> str:
        reasons = ", ".join(f"{reason}: {count}" for reason, count in sorted(self.skipped.items()))
        skipped = f"skipped {self.skipped.total()}" + (f" ({reasons})" if reasons else "")
        return f"agreed {self.agreed}, differed {len(self.differences)}, {skipped}"


def compare(archive: bytes, source: bytes, limit: int | None = None) -> Comparison:
    """The games of an archive against python-chess's reading of its source."""
    result = Comparison()
    reader = Reader(archive)
    for pair in itertools.islice(align(reader.games(), read_pgn(source)), limit):
        result.add(*pair)
    if limit is None and reader.segments:
        said = sum(segment.source for segment in reader.segments)
        if said != len(source):
            result.differences.append(f"the archive stands for {said} bytes, the source has {len(source)}")
    return result


# ------------------------------------------------------------------------------------------------ vectors


def read_hex(path: Path) -> bytes:
    """The bytes of a vector."""
    return hex_bytes(path.read_text("utf-8"))


def hex_bytes(text: str) -> bytes:
    """Hex digits; `61*300` is a byte three hundred times, and `#` begins a comment."""
    words = (word for line in text.splitlines() for word in line.split("#")[0].split())
    split = (word.partition("*") for word in words)
    return b"".join(bytes.fromhex(byte) * int(times or "1") for byte, _, times in split)


def run_vectors(folder: Path) -> int:
    """Every vector of DIR/MANIFEST; the number that failed."""
    failed = run = 0
    for line in (folder / "MANIFEST").read_text("utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, kind, *_ = line.split("\t")
        if kind in ("index", "recovery"):
            continue  # these are for index.py and recovery.py
        problem = run_vector(folder, name, kind)
        run += 1
        if problem:
            failed += 1
            print(f"{name}: {problem}")
    print(f"{run} vectors, {failed} failed")
    return failed


def run_vector(folder: Path, name: str, kind: str) -> str | None:
    """One vector; what is wrong with it, if anything."""
    if kind not in ("ok", "small", "epd", "letters", "encoded", "read", "foreign", "error"):
        return f"kind {kind!r} is unknown"
    data = read_hex(folder / f"{name}.hex")
    try:
        sources = b"".join(unpack(data))
    except PgcError as error:
        return None if kind == "error" else f"should be read, but: {error}"
    except Exception as error:  # noqa: BLE001 - anything else that is raised is a fault of this program
        return f"this reader fails: {error!r}"
    if kind == "error":
        if blake3 is None and "digest" in name:
            return None
        return "should be an error, but is read"
    wanted = (folder / f"{name}.{'epd' if kind == 'epd' else 'pgn'}").read_bytes()
    if kind != "foreign":
        return None if sources == wanted else f"gives {sources!r}"
    wanted = re.sub(rb'\[FEN " *[?-]? *"\]\n', b"", wanted)  # python-chess takes these for positions
    pairs = align(Reader(data).games(), read_pgn(wanted))
    known = ((a, b) for a, b in pairs if a and b and not any(isinstance(item, Undecoded) for item in a.line))
    return next((problem for a, b in known if (problem := tree_difference(our_tree(a), b))), None)


def unpack(data: bytes) -> Iterator[bytes]:
    """The sources of an archive, one after another."""
    reader = Reader(data)
    for _ in reader.games():
        pass
    yield from reader.sources


# ------------------------------------------------------------------------------------------------ command line


def main() -> int:
    parser = argparse.ArgumentParser(description="Reads PGC archives, from the specification alone.")
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--pgn", action="store_true", help="movetext for eyes instead of JSON")
    parser.add_argument("--unpack", action="store_true", help="the source, as it was")
    parser.add_argument("--compare", action="store_true", help="FILE.pgc against python-chess's reading of FILE.pgn")
    parser.add_argument("--limit", type=int, help="with --compare: stop after this many games")
    parser.add_argument("--vectors", type=Path, metavar="DIR", help="run the test vectors of DIR")
    options = parser.parse_args()
    if len(options.files) != (0 if options.vectors else 2 if options.compare else 1):
        parser.error("wrong number of files")
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    sys.setrecursionlimit(20 * MAX_DEPTH)  # for the output of nested variations
    try:
        if options.vectors:
            return 1 if run_vectors(options.vectors) else 0
        files = [Path(name).read_bytes() for name in options.files]
        if options.compare:
            result = compare(files[0], files[1], options.limit)
            print(result.summary())
            for difference in result.differences[:20]:
                print(f"  {difference}")
            return 1 if result.differences else 0
        if options.unpack:
            for source in unpack(files[0]):
                sys.stdout.buffer.write(source)
            return 0
        for game in Reader(files[0]).games():
            print(game_pgn(game) if options.pgn else game_json(game))
    except PgcError as error:
        print(f"{options.files[0]}: {error}", file=sys.stderr)
        return 3
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
