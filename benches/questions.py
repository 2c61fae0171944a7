#!/usr/bin/env python3
"""Asks pgc questions about real games, and python-chess the same: benches/questions.py PGC PGN [N [SEED]]

Takes the first 500 games of chess of a file (of N questions of each kind), compares the games that are
found and the plies that are shown, and prints each difference. Needs python-chess.
"""

import csv, io, itertools, random, subprocess, sys, tempfile

import chess, chess.pgn

PGC, PGN = sys.argv[1:3]
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 15
RANDOM = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
ROLES = {"P": 1, "N": 2, "B": 3, "R": 4, "Q": 5, "K": 6}
POINTS = [0, 1, 3, 3, 5, 9, 0]


def games():
    found = []
    with open(PGN, encoding="latin-1") as file:
        while len(found) < 500 and (game := chess.pgn.read_game(file)):
            if not game.errors and type(game.board()) is chess.Board and game.next():
                found.append(game)
    return found


class Played:
    """A game: its boards, the SAN of its moves, and where the pieces that a move moved have been."""

    def __init__(self, game):
        board = game.board()
        self.boards, self.sans, self.ways = [board.copy(stack=False)], [""], [[]]
        been = {square: [square] for square in board.piece_map()}
        for move in game.mainline_moves():
            moved = [(move.from_square, move.to_square)]
            if board.is_castling(move):
                rank = move.from_square & 56
                short = board.is_kingside_castling(move)
                moved.append((rank + (7 if short else 0), rank + (5 if short else 3)))
            self.sans.append(board.san(move).rstrip("+#"))
            board.push(move)
            for start, to in moved:
                way = been.pop(start)
                been[to] = [to] if move.promotion else way + [to]
            self.boards.append(board.copy(stack=False))
            self.ways.append([(board.piece_type_at(to), list(been[to])) for _, to in moved])


def runs(fits, lasting, first=0, last=10**9):
    """The first ply of the first run of positions that fit."""
    run = 0
    for ply, fit in enumerate(fits):
        run = run + 1 if fit and first <= ply <= last else 0
        if run == lasting:
            return ply + 1 - lasting
    return None


def bishops(all_games):
    same, none, lasting = RANDOM.random() < 0.5, RANDOM.random() < 0.3, RANDOM.choice([1, 1, 6, 30])
    first = RANDOM.choice([0, 0, 40, 80])

    def fits(board):
        sides = [list(board.pieces(chess.BISHOP, side)) for side in chess.COLORS]
        alike = len({(s >> 3) + s & 1 for side in sides for s in side}) == 1
        return (all(len(side) == 1 for side in sides) and alike == same) != none

    word = ("same" if same else "opposite") + "-bishops" + "0" * none
    query = ["--pattern", word, "--for", str(lasting), "--ply", f"{first}.."]
    return query, lambda game: runs(map(fits, game.boards), lasting, first)


def ways(all_games):
    routes = [w for game in RANDOM.sample(all_games, 5) for moved in game.ways for w in moved]
    role, way = RANDOM.choice([route for route in routes if len(route[1]) > 1])
    back = RANDOM.randint(1, min(5, len(way) - 1))
    start, to, most = way[-1 - back], way[-1], RANDOM.randint(back, back + 1)
    any_piece, side = RANDOM.random() < 0.3, RANDOM.choice([None, None, True, False])
    letter = "?" if any_piece else "" if role == 1 else " PNBRQK"[role]
    word = f"{letter}{chess.square_name(start)}-{chess.square_name(to)}/{most}"
    if side is not None:
        word = ("white:" if side else "black:") + word

    def find(game):
        for ply, moved in enumerate(game.ways):
            if side in (None, not game.boards[ply].turn):
                for of, been in moved:
                    before = been[-1 - most : -1] if len(been) > 1 else []
                    if been[-1] == to and start in before and (any_piece or of == role):
                        return ply
        return None

    return ["--move", word], find


def within(all_games):
    count, query, steps = RANDOM.randint(2, 3), [], []
    line = RANDOM.choice([game for game in all_games if len(game.sans) > 40]).sans
    at = RANDOM.randint(1, 20)
    for i in range(count):
        most = None if not i or RANDOM.random() < 0.2 else RANDOM.randint(1, 8)
        steps.append((line[at], most))
        query += ["--then"] * (i > 0) + ["--move", line[at]] + (["--within", str(most)] if most else [])
        at = min(at + RANDOM.randint(1, most or 6), len(line) - 1)

    def like(san, wanted):
        """As SAN is, or without what tells two pieces apart."""
        if san[:1] in ROLES:
            return wanted in (san, san[0] + "x" * ("x" in san) + san[-2:])
        return san == wanted

    def find(game):
        places = [[p for p, san in enumerate(game.sans) if like(san, s)] for s, _ in steps]
        chains = [(p, p) for p in places[0]]
        for (_, most), plies in zip(steps[1:], places[1:]):
            chains = [(b, q) for b, p in chains for q in plies if p < q <= p + (most or 10**9)]
        return min(((end, begin) for begin, end in chains), default=(0, None))[1]

    return query, find


def points(all_games):
    low = RANDOM.randint(-3, 6)
    high = low + RANDOM.randint(0, 3) if RANDOM.random() < 0.6 else 99
    side, lasting = RANDOM.choice([None, True, False]), RANDOM.choice([1, 2, 4, 10])
    word = f"{low}..{'' if high == 99 else high}"
    word = word if side is None else ("white:" if side else "black:") + word

    def fits(board):
        more = sum(POINTS[p.piece_type] * (1 if p.color else -1) for p in board.piece_map().values())
        signs = [1, -1] if side is None else [1 if side else -1]
        return any(low <= sign * more <= high for sign in signs)

    query = [f"--imbalance={word}", "--for", str(lasting)]
    return query, lambda game: runs(map(fits, game.boards), lasting)


def sights(all_games):
    def one(letters):
        letters = "".join(RANDOM.sample(letters, RANDOM.choice([1, 1, 1, 2])))
        square = RANDOM.choice(chess.SQUARES) if RANDOM.random() < 0.15 else None
        name = "" if square is None else chess.square_name(square)
        if name and RANDOM.random() < 0.5:
            name = RANDOM.choice([name[0] + "?", "?" + name[1]])
        squares = [
            s for s in chess.SQUARES if all(a in ("?", b) for a, b in zip(name, chess.square_name(s)))
        ]
        return (f"[{letters}]" if len(letters) > 1 else letters) + name, letters, set(squares)

    theirs = RANDOM.random() < 0.5
    own, other = ("pnbrqk", "PNBRQK") if theirs else ("PNBRQK", "pnbrqk")
    sliders = own[2:5]
    parts = [one(own), one(other)] if RANDOM.random() < 0.5 else [one(sliders), one(other), one(other)]
    if RANDOM.random() < 0.2:
        square = RANDOM.choice(chess.SQUARES)
        parts[1] = (chess.square_name(square), None, {square})

    def on(board, part):
        _, letters, squares = part
        if letters is None:
            return squares
        return {s for s, p in board.piece_map().items() if s in squares and p.symbol() in letters}

    def fits(board):
        for start in on(board, parts[0]):
            for at in on(board, parts[1]) & set(board.attacks(start)):
                if len(parts) == 2:
                    return True
                less = board.copy(stack=False)
                if less.remove_piece_at(at) is None:
                    continue
                new = set(less.attacks(start)) - set(board.attacks(start))
                if new & on(less, parts[2]):
                    return True
        return False

    last = RANDOM.choice([20, 40, 60])
    query = ["--pattern", ">".join(part[0] for part in parts), "--ply", f"..{last}"]
    return query, lambda game: runs(map(fits, game.boards[: last + 1]), 1)


def main():
    differences = 0
    with tempfile.TemporaryDirectory() as folder:
        taken = games()
        with open(f"{folder}/x.pgn", "w") as file:
            print(*taken, sep="\n\n", file=file)
        subprocess.run([PGC, "pack", "-q", f"{folder}/x.pgn", "-o", f"{folder}/x.pgc"], check=True)
        played = [Played(game) for game in taken]
        for kind in [bishops, ways, within, points, sights]:
            hits, wrong = 0, 0
            for _ in range(COUNT):
                query, find = kind(played)
                plies = ((number, find(game)) for number, game in enumerate(played, 1))
                expected = [(number, ply) for number, ply in plies if ply is not None]
                command = [PGC, "find", f"{folder}/x.pgc", *query, "--format", "csv"]
                command += ["--columns", "number,ply", "-q"]
                text = subprocess.run(command, capture_output=True, text=True).stdout
                rows = itertools.islice(csv.reader(io.StringIO(text)), 1, None)
                found = [(int(number), int(ply)) for number, ply in rows]
                hits += len(expected)
                if found != expected:
                    wrong += 1
                    print(query, sorted(set(found) ^ set(expected))[:6])
            print(f"{kind.__name__}: {COUNT} questions, {hits} games, {wrong} differences")
            differences += wrong
    sys.exit(differences > 0)


main()
