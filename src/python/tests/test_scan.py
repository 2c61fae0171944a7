"""Tests of `pgc.scan`: each reader gives the rows that it gives for a table in memory, and pgc decodes only what the query needs.

Run with `python tests/test_scan.py`.
"""

import datetime
import doctest
import os
import re
import tempfile
import threading

import duckdb
import pgc
import pgc._scan
import polars
import pyarrow
import pyarrow.compute
from pgc._scan import Scan
from typed_games import FILTERS, typed_games

COLUMNS = """number date year month full_date event round white black result white_elo black_elo eco_tag eco plies san clocks evals comments nags fen
variant opening speed has_fen has_comments has_variations has_nags""".split()
READ = []


def recorded(self, games, names):
    READ.append((len(games), names))
    return ROWS(self, games, names)


ROWS, Scan._rows = Scan._rows, recorded


def read():
    """How many games the last query read, and which columns."""
    assert len(READ) == 1, READ
    return READ.pop()


def check_filters():
    """Whatever is asked, the rows are those of a table in memory; and the index leaves out games where it can."""
    games, whole = pgc.scan("typed.pgc"), pyarrow.table(pgc.open("typed.pgc").to_arrow([*COLUMNS, "pgn"]))
    lazy = games.polars()
    narrowed = {"DuckDB": 0, "Polars": 0}
    for text, exact in FILTERS:
        if "<=>" in text:
            continue
        expected = duckdb.sql(f"select number from whole where {text} order by number").fetchall()
        assert duckdb.sql(f"select number from games where {text} order by number").fetchall() == expected, text
        count, names = read()
        assert "san" not in names and count >= len(expected), text
        if exact and count == len(expected) < len(whole):
            narrowed["DuckDB"] += 1
        if "date '" in text or " null" in text:
            # Polars' SQL reads these in its own way.
            continue
        frame = polars.SQLContext(games=lazy).execute(f"select number from games where {text} order by number").collect()
        assert frame.rows() == expected, text
        count, names = read()
        assert "san" not in names and count >= len(expected), text
        if exact and count == len(expected) < len(whole):
            narrowed["Polars"] += 1
    # Not all filters reach the index in each reader: `<>` and lists, for example.
    assert narrowed["DuckDB"] > 14 and narrowed["Polars"] > 8, narrowed
    return narrowed


def check_readers():
    """The same answers and the same reading in four readers."""
    games = pgc.scan("typed.pgc")
    field = pyarrow.compute.field
    archive = pgc.open("typed.pgc")
    expected = archive.find(white_elo="2650..").numbers
    asked = (len(expected), ["number", "white_elo"])
    assert duckdb.sql("select number from games where white_elo >= 2650").fetchall() == [(n,) for n in expected]
    assert read()[0] == asked[0]
    assert games.polars().filter(polars.col("white_elo") >= 2650).select("number").collect()["number"].to_list() == expected
    assert read() == asked
    assert games.to_table(columns=["number"], filter=field("white_elo") >= 2650)["number"].to_pylist() == expected
    assert read() == asked
    assert [*games.to_pandas(["number"], field("white_elo") >= 2650)["number"]] == expected
    assert read() == asked
    # Counting reads one column, and that from the index.
    assert duckdb.sql("select count(*) from games").fetchall() == [(len(archive),)]
    assert read() == (len(archive), ["archive"])
    assert games.count_rows() == len(archive) and read() == (len(archive), ["archive"])
    assert games.count_rows(filter=field("year") == 1992) == len(archive.find(date="1992"))
    assert read() == (len(archive.find(date="1992")), ["year"])
    assert games.polars().select(polars.len()).collect().item() == len(archive)
    READ.clear()
    frame = games.polars().filter(polars.col("year").is_between(1990, 1995), polars.col("result") == "1-0").select("san").head(3).collect()
    assert len(frame) == 3 and read()[0] < len(archive)
    assert games.to_table(columns={"more": field("plies") + 1})["more"].to_pylist() == [1 + len(game.moves) for game in archive]
    assert read() == (len(archive), ["plies"])
    # Values that look like expressions.
    for odd in ['Tal") and (black == "Tal', "a and b", 'x"y\\', "(", "is_in(white", "\u00fc\n"]:
        for found in (
            games.to_table(columns=["number"], filter=(field("white") == odd) & (field("year") == 1992)),
            games.polars().filter((polars.col("white") == odd) & (polars.col("year") == 1992)).select("number").collect(),
        ):
            assert len(found) == 0, odd
    READ.clear()
    positions = pgc.scan(archive[:5], table="positions")
    assert duckdb.sql("select count(*) from positions where ply = 0").fetchall() == [(5,)]
    assert read()[1] in (["ply"], ["archive", "ply"])
    # The number of a game chooses it in both tables, and the archive is chosen by its path.
    for table in ("games", "positions"):
        numbered = pgc.scan("typed.pgc", table=table)
        for text, low, high in [
            ("number = 7", 7, 7), ("number between 5 and 9", 5, 9), ("number > 40 and number <= 42", 41, 42), ("number < 3", 1, 2), ("number > 99999", 1, 0),
        ]:  # fmt: skip
            found = duckdb.sql(f"select distinct number from numbered where {text} order by number").fetchall()
            assert found == [(n,) for n in range(low, high + 1)] and read()[0] == len(found), text
    check_positions()
    pgc.pack("typed.pgn", "folder/a.pgc")
    pgc.pack("typed.pgn", "folder/b.pgcz")
    twice = pgc.scan("folder")
    assert duckdb.sql("select archive, count(*) from twice where year = 1992 group by all order by all").fetchall() == [
        (f"folder/{name}", len(archive.find(date="1992"))) for name in ("a.pgc", "b.pgcz")
    ]
    assert read()[0] == 2 * len(archive.find(date="1992"))
    beside = pgc.scan("folder", table="positions")
    assert duckdb.sql("select distinct archive, number from beside where archive = 'folder/b.pgcz' and number = 3").fetchall() == [("folder/b.pgcz", 3)]
    assert read()[0] == 1


def check_positions():
    """What the index says of games chooses them for their positions and moves too."""
    archive = pgc.open("typed.pgc")
    after = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1"
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    for table in ("positions", "nodes"):
        scanned, whole = pgc.scan("typed.pgc", table=table), pyarrow.table(archive.to_arrow(["*"], table=table))
        lazy = scanned.polars()
        for text, narrows in [
            ("clock is not null", True), ("eval is not null", True), ("comment is not null and ply = 0", True), ("nags is not null", True),
            (f"fen = '{after}'", True), (f"fen in ('{after}', '{start}')", False), (f"fen = '{start}' and move is null", False),
            ("fen = 'nonsense'", False), ("ply >= 2", table == "positions"), ("ply in (1, 3)", table == "positions"), ("ply < 1", False),
        ]:  # fmt: skip
            expected = duckdb.sql(f"select number, ply from whole where {text} order by all").fetchall()
            assert duckdb.sql(f"select number, ply from scanned where {text} order by all").fetchall() == expected, text
            count = read()[0]
            assert count < len(archive) if narrows else count <= len(archive), (table, text, count)
            found = polars.SQLContext(t=lazy).execute(f"select number, ply from t where {text} order by number, ply").collect()
            assert found.rows() == expected, text
            read()


def check_damage():
    """A block that the query does not need is not decoded, so that its damage stays unnoticed."""
    text = "".join(f'[White "W{n % 9}"]\n[WhiteElo "{2000 + n // 300}"]\n[Result "1-0"]\n\n1. e4 {{{"x" * 200}{n}}} e5 1-0\n\n' for n in range(30_000))
    pgc.pack(text.encode(), "damaged.pgc")
    data = bytearray(open("damaged.pgc", "rb").read())
    data[len(data) // 2] ^= 0x55
    open("damaged.pgc", "wb").write(data)
    games = pgc.scan("damaged.pgc")
    assert duckdb.sql("select count(*), max(white_elo) from games where white = 'W3'").fetchall() == [(3333, 2099)]
    first = duckdb.sql("select sum(len(moves)) from games where white_elo <= 2005").fetchall()
    assert first == [(2 * 1800,)], first
    found = games.polars().filter(polars.col("white_elo") <= 2005).select(polars.col("moves").list.len().sum()).collect().item()
    assert found == 2 * 1800
    try:
        duckdb.sql("select sum(len(moves)) from games").fetchall()
        raise AssertionError("damage")
    except Exception as error:
        assert re.search(r"damaged\.pgc.*byte", str(error), re.DOTALL), error
    READ.clear()


def check_thread():
    """The rows come in the thread that asks for them, where Python sees signals; with a filter too."""
    scan, seen = pgc.scan("typed.pgc"), set()
    for given in (None, pyarrow.compute.field("year") == 1992):
        scanner = scan.scanner(columns=["white", "moves"], filter=given)
        scanner._rows = (seen.add(threading.get_ident()) or batch for batch in scanner._rows)
        rows = scanner.to_reader().read_all()
        assert rows.equals(scan.to_table(columns=["white", "moves"], filter=given)) and rows.num_rows
    assert seen == {threading.get_ident()}


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("folder")
        with open("typed.pgn", "w", encoding="utf-8") as file:
            file.writelines(typed_games(3000))
        pgc.pack("typed.pgn", "typed.pgc")
        narrowed = check_filters()
        check_readers()
        check_thread()
        check_damage()
        assert doctest.testmod(pgc._scan).failed == 0
        os.chdir("/")
    told = ", ".join(f"{count} of {len(FILTERS)} filters in {name}" for name, count in narrowed.items())
    print(f"scans give the rows of tables; the index alone chooses the games for {told}")


if __name__ == "__main__":
    main()
