"""The Python package beside python-chess: games a second.

    python benches/python.py ARCHIVE.pgc SAME.pgn [GAMES]

GAMES is how many python-chess reads (1,500); it reads ten times as many headers.
"""

import sys
import time

import chess.pgn
import pgc
import pyarrow

TAGS = ["event", "site", "date", "round", "white", "black", "result", "eco", "white_elo", "black_elo"]


def measure(name, work):
    """Runs `work`, which returns how many games it read."""
    start = time.perf_counter()
    games = work()
    seconds = time.perf_counter() - start
    print(f"{name:36}{games:9,}{seconds:9.3f} s{games / seconds:12,.0f} games/s", flush=True)


def read(path, step, most):
    """How many games python-chess read with `step`."""
    with open(path, encoding="utf-8", errors="replace") as source:
        games = 0
        while games < most and step(source) is not None:
            games += 1
    return games


def main():
    path, pgn, *rest = sys.argv[1:]
    most = int(rest[0]) if rest else 1500
    archive = pgc.open(path)
    measure("python-chess: read_game", lambda: read(pgn, chess.pgn.read_game, most))
    measure("python-chess: read_headers", lambda: read(pgn, chess.pgn.read_headers, 10 * most))
    measure("for game in archive", lambda: sum(1 for _ in archive))
    measure("for game in archive: game.san", lambda: sum(1 for game in archive if game.san is not None))
    measure("for game in archive: game.to_chess()", lambda: sum(1 for game in archive[:most] if game.to_chess()))
    measure("for tags in archive.tags()", lambda: sum(1 for _ in archive.tags()))
    measure("to_arrow(), usual columns", lambda: pyarrow.table(archive.to_arrow()).num_rows)
    measure("to_arrow(), ten tags", lambda: pyarrow.table(archive.to_arrow(TAGS)).num_rows)
    measure("to_arrow(), moves", lambda: pyarrow.table(archive.to_arrow(["moves"])).num_rows)


if __name__ == "__main__":
    main()
