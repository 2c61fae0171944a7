#!/usr/bin/env python3
"""The move model of moves.md, written from its text: slow, and as plain as it can be.

    moves.py TABLES VECTORS     checks vectors/moves.txt

python-chess (`pip install chess`) knows the rules. This file is in the public domain (CC0).
"""

import struct
import sys

import chess

LEAST = {0: 0, chess.PAWN: 1, chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 3, chess.QUEEN: 4, chess.KING: 5}


class Tables:
    """Section 6."""

    def __init__(self, data):
        if len(data) != 233_256:
            raise ValueError("tables are 233,256 bytes long")
        rows = [data[64 * i : 64 * i + 64] for i in range(3248)]
        rows = [[byte - 256 if byte > 127 else byte for byte in row] for row in rows]
        self.inputs, self.moves = rows[:2048], rows[2048:]
        numbers = struct.unpack_from("<12436h256H", data, 3248 * 64)
        self.bias, self.exp = numbers[:64], numbers[12436:]
        self.small = []
        at = 64
        for length in (2592, 864, 576, 8100, 192, 48):
            self.small.append(numbers[at : at + length])
            at += length


class Line:
    """A position, and the last two plies: piece, origin, destination, whether it captured."""

    def __init__(self, board, theirs=None, ours=None):
        self.board, self.theirs, self.ours = board, theirs, ours

    def after(self, move):
        board = self.board.copy(stack=False)
        played = (board.piece_type_at(move.from_square), move.from_square, destination(board, move), captured(board, move) > 0)
        board.push(move)
        return Line(board, played, self.theirs)


def destination(board, move):
    if not board.is_castling(move):
        return move.to_square
    return chess.square(6 if board.is_kingside_castling(move) else 2, chess.square_rank(move.from_square))


def captured(board, move):
    """0, or 1 to 5 for P to Q."""
    if board.is_castling(move):
        return 0
    return chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square) or 0


def ordered(board):
    """Section 1."""
    def key(move):
        kind = 7 if board.is_castling(move) else board.piece_type_at(move.from_square)
        squares = chess.square_name(move.from_square), chess.square_name(destination(board, move))
        return kind, squares, move.promotion or 0

    return sorted(board.legal_moves, key=key)


def features(line, moves):
    """Sections 2 to 4: the inputs of the position; rows and table entries of each move."""
    board, us, them = line.board, line.board.turn, not line.board.turn
    mirror = 0 if us else 56
    without_king = board.occupied & ~chess.BB_SQUARES[board.king(us)]

    def by_us(square):
        return chess.SquareSet(board.attackers_mask(us, square))

    def by_them(square):
        return chess.SquareSet(board.attackers_mask(them, square, without_king))

    def least(squares):
        return min((LEAST[board.piece_type_at(square)] for square in squares), default=0)

    def at(square):
        return square ^ mirror

    inputs = []
    for square, piece in board.piece_map().items():
        place = 64 * (piece.piece_type - 1) + at(square)
        inputs.append(place + (0 if piece.color == us else 384))
        pawn, king = piece.piece_type == chess.PAWN, piece.piece_type == chess.KING
        if piece.color == us:
            enemy = least(by_them(square))
            hanging = enemy and not by_us(square)
            hanging = hanging or enemy == 1 and not pawn
            hanging = hanging or enemy == 2 and piece.piece_type in (chess.ROOK, chess.QUEEN)
            hanging = hanging or enemy == 3 and piece.piece_type == chess.QUEEN
            if hanging and not king:
                inputs.append(1280 + place)
        else:
            hanging = by_us(square) and not by_them(square)
            if (hanging or least(by_us(square)) == 1 and not pawn) and not king:
                inputs.append(1664 + place)
    moved_attacks = 0
    if line.theirs:
        piece, origin, last, was_capture = line.theirs
        inputs += [768 + at(last), 896 + 64 * (piece - 1) + at(origin)]
        moved = board.copy(stack=False)
        moved.remove_piece_at(board.king(us))
        moved_attacks = moved.attacks_mask(last)
    if line.ours:
        inputs.append(832 + at(line.ours[2]))

    men = chess.popcount(board.occupied)
    phase = 0 if men >= 30 else 1 if men >= 22 else 2 if men >= 12 else 3
    found = []
    for move in moves:
        origin, to = move.from_square, destination(board, move)
        pc, cap = board.piece_type_at(origin) - 1, captured(board, move)
        captures = int(cap > 0)
        ta, fa = least(by_them(to)), least(by_them(origin))
        defended = int(len(by_us(to)) >= (1 if pc == 0 and not cap else 2))
        fd, newatt = int(bool(by_us(origin))), moved_attacks >> origin & 1
        recap = 1 + line.theirs[3] if line.theirs and cap and to == line.theirs[2] else 0
        checkers = line.after(move).board.checkers()
        direct = int(to in checkers)
        discovered = int(len(checkers) > direct)
        check = direct | discovered
        row = ((pc * 6 + cap) * 6 + ta) * 2 + defended
        entries = [
            (0, (row * 3 + recap) * 2 + (phase >= 2)),
            (1, ((((pc * 6 + fa) * 2 + fd) * 2 + newatt) * 3 + min(ta, 2)) * 2 + captures),
        ]
        if check:
            entries.append((2, ((((pc * 2 + direct) * 2 + discovered) * 6 + ta) * 2 + defended) * 2 + captures))
        if line.theirs:
            dx = (at(to) & 7) - (at(line.theirs[2]) & 7)
            dy = (at(to) >> 3) - (at(line.theirs[2]) >> 3)
            entries.append((3, ((line.theirs[0] - 1) * 6 + pc) * 225 + dx + 7 + 15 * (dy + 7)))
        if line.ours:
            same, back = int(origin == line.ours[2]), int(to == line.ours[1])
            entries.append((4, (((pc * 2 + same) * 2 + back) * 2 + captures) * 4 + phase))
        if move.promotion:
            entries.append((5, ((move.promotion - 1) * 2 + captures) * 2 + check))
        elif board.is_castling(move):
            entries.append((5, 40 + 4 * board.is_kingside_castling(move) + phase))
        found.append(((64 * pc + at(to), 384 + 64 * pc + at(origin), 768 + row), entries))
    return inputs, found


def frequencies(tables, line, moves):
    """Section 5."""
    inputs, found = features(line, moves)
    sums = map(sum, zip(*(tables.inputs[row] for row in inputs)))
    active = [min(max(bias + 4 * total, 0), 256) >> 1 for bias, total in zip(tables.bias, sums)]
    scores = []
    for rows, entries in found:
        dot = sum(a * (x + y + z) for a, x, y, z in zip(active, *(tables.moves[row] for row in rows)) if a)
        scores.append((dot >> 4) + sum(tables.small[table][entry] for table, entry in entries))
    return [max(1, tables.exp[max(scores) - score & 255] >> (max(scores) - score >> 8)) for score in scores]


def choices(tables, line):
    """Section 1: the moves that can be coded, and their frequencies (none are needed for one move)."""
    moves = ordered(line.board)
    if len(moves) <= 256:
        return moves, frequencies(tables, line, moves) if len(moves) > 1 else []
    ordinals = sorted(moves, key=lambda move: line.board.san(move).rstrip("+#"))
    return ordinals[:256], [1] * 256


class Decoder:
    """Section 7."""

    def __init__(self, data):
        self.data, self.read, self.window, self.code, self.range = data, 0, 0, 0, 0xFFFFFFFF
        for _ in range(4):
            self.shift()

    def shift(self):
        byte = self.data[self.read] if self.read < len(self.data) else 0
        self.read += 1
        self.window = self.window << 8 & 0xFFFFFFFF | byte
        self.code = self.code << 8 & 0xFFFFFFFF | byte

    def decode(self, freqs):
        total = sum(freqs)
        unit = self.range // total
        number = self.code // unit
        if number >= total:
            raise ValueError("no symbol has this code")
        place = below = 0
        while number >= below + freqs[place]:
            below += freqs[place]
            place += 1
        self.code -= unit * below
        self.range = unit * freqs[place]
        while self.range < 1 << 24:
            self.range <<= 8
            self.shift()
        return place

    def end(self):
        if self.data and self.data[-1] == 0 or len(self.data) > self.read:
            raise ValueError("bytes behind the end")
        step = self.window & -self.window
        if step and not (self.code < step and self.range - self.code <= step):
            raise ValueError("a shorter end exists")


def encode(symbols):
    """Section 7, with numbers as long as they get; symbols are (below, frequency, total)."""
    low, width, places = 0, 0xFFFFFFFF, 32
    for below, frequency, total in symbols:
        unit = width // total
        low += unit * below
        width = unit * frequency
        while width < 1 << 24:
            low, width, places = low << 8, width << 8, places + 8
    for bits in range(places, -1, -1):
        number = -(-low >> bits) << bits
        if number < low + width:
            return number.to_bytes(places // 8, "big").rstrip(b"\0")
    raise AssertionError


def decode_move(tables, line, decoder):
    moves, freqs = choices(tables, line)
    if not moves:
        raise ValueError("no legal move")
    return moves[decoder.decode(freqs)] if freqs else moves[0]


def check(tables, lines):
    """Goes through the vectors; each run is evaluated, encoded, and decoded without its moves."""
    counts = {"ply": 0, "coded": 0, "damaged": 0}
    for text in lines:
        kind, *rest = text.split()
        counts[kind] = counts.get(kind, 0) + 1
        if kind == "run":
            games, symbols = [], []
        elif kind == "game":
            line = before = Line(chess.Board(" ".join(rest[1:]), chess960=rest[0] == "chess960"))
            stack = []
            games.append((line, items := []))
        elif kind == "open":
            stack.append((line, before))
            line = before
            items.append(kind)
        elif kind == "close":
            line, before = stack.pop()
            items.append(kind)
        elif kind == "ply":
            moves, freqs = choices(tables, line)
            move = line.board.parse_uci(rest[0])
            place = int(rest[1])
            assert moves[place] == move, text
            if freqs:
                symbols.append((sum(freqs[:place]), freqs[place], sum(freqs)))
                assert list(symbols[-1]) == [int(number) for number in rest[2:]], (text, symbols[-1])
            else:
                assert rest[2:] == ["-"] * 3, text
            before, line = line, line.after(move)
            items.append(move)
        elif kind == "coded":
            data = bytes.fromhex(rest[0].strip("-"))
            assert encode(symbols) == data, text
            decoder = Decoder(data)
            for line, items in games:
                before, stack = line, []
                for item in items:
                    if item == "open":
                        stack.append((line, before))
                        line = before
                    elif item == "close":
                        line, before = stack.pop()
                    else:
                        move = decode_move(tables, line, decoder)
                        assert move == item
                        before, line = line, line.after(move)
            decoder.end()
        elif kind == "damaged":
            try:
                decoder, line = Decoder(bytes.fromhex(rest[0])), Line(chess.Board())
                for _ in range(int(rest[1])):
                    line = line.after(decode_move(tables, line, decoder))
                decoder.end()
            except ValueError:
                continue
            raise AssertionError(text)
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        shipped = Tables(file.read())
    with open(sys.argv[2], encoding="ascii") as file:
        check(shipped, [text for text in file.read().splitlines() if text and text[0] != "#"])
