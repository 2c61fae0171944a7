"""The Python package beside python-chess, and beside a Parquet file with DuckDB and Polars.

    python benches/python.py ARCHIVE.pgc SAME.pgn [GAMES]

GAMES is how many python-chess reads (1,500); it reads ten times as many headers. Of three runs (of python-chess one) it prints the one that took
the least time of processors: this time, and how long it took. A line is a question, the games, both times, and games for a second of a processor.
"""

import os
import sys
import tempfile
import time

import chess.pgn
import duckdb
import pgc
import polars
import pyarrow

TAGS = ["event", "site", "date", "round", "white", "black", "result", "eco", "white_elo", "black_elo"]
LENGTH = "select avg(len(moves)) from games"


def measure(name, work, runs=3):
    """Runs `work`, which returns how many games it read."""
    times = []
    for _ in range(runs):
        start, spent = time.perf_counter(), time.process_time()
        games = work()
        times.append((time.process_time() - spent, time.perf_counter() - start))
    spent, passed = min(times)
    print(f"{name:48}{games:9,}{spent:9.3f} s{passed:9.3f} s{games / spent:12,.0f}", flush=True)


def read(path, step, most):
    """How many games python-chess read with `step`."""
    with open(path, encoding="utf-8", errors="replace") as source:
        games = 0
        while games < most and step(source) is not None:
            games += 1
    return games


def asked(sql, games, count):
    """Asks DuckDB; `games` is what the question calls so."""
    return duckdb.sql(sql).fetchall() and count


def main():
    path, pgn, *rest = sys.argv[1:]
    most = int(rest[0]) if rest else 1500
    archive = pgc.open(path)
    count = len(archive)
    measure("python-chess: read_game", lambda: read(pgn, chess.pgn.read_game, most), 1)
    measure("python-chess: read_headers", lambda: read(pgn, chess.pgn.read_headers, 10 * most), 1)
    measure("for game in archive", lambda: sum(1 for _ in archive))
    measure("for game in archive: game.san", lambda: sum(1 for game in archive if game.san is not None))
    measure("for game in archive: game.to_chess()", lambda: sum(1 for game in archive[:most] if game.to_chess()))
    measure("for tags in archive.tags()", lambda: sum(1 for _ in archive.tags()))
    measure("to_arrow(), usual columns", lambda: pyarrow.table(archive.to_arrow()).num_rows)
    for what, columns in {"ten tags": TAGS, "moves": ["moves"]}.items():
        measure(f"to_arrow(), {what}", lambda: pyarrow.table(archive.to_arrow(columns)).num_rows)
        measure(f"pyarrow.table(to_arrow()).to_pandas(), {what}", lambda: len(pyarrow.table(archive.to_arrow(columns)).to_pandas()))
        measure(f"to_pandas(), {what}", lambda: len(archive.to_pandas(columns)))
        measure(f"to_polars(), {what}", lambda: len(archive.to_polars(columns)))
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "games.parquet")
        archive.save(file)
        for what, games in {"pgc.scan": pgc.scan(archive), "Parquet": duckdb.read_parquet(file)}.items():
            measure(f"DuckDB, {what}: avg(len(moves))", lambda: asked(LENGTH, games, count))
            strong = "select count(*) from games where white_elo > 2700"
            measure(f"DuckDB, {what}: white_elo > 2700", lambda: asked(strong, games, count))
        for what, frame in {"pgc.scan": pgc.scan(archive).polars(), "Parquet": polars.scan_parquet(file)}.items():
            lengths = frame.select(polars.col("moves").list.len().mean())
            measure(f"Polars, {what}: moves.list.len().mean()", lambda: len(lengths.collect()) * count)
            strong = frame.filter(polars.col("white_elo") > 2700).select(polars.len())
            measure(f"Polars, {what}: white_elo > 2700", lambda: len(strong.collect()) * count)


if __name__ == "__main__":
    main()
