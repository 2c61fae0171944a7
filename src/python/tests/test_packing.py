"""What comes out goes in again, calls stop, and tell how far they are: `python tests/test_packing.py SAMPLE.pgn`."""

import gzip
import io
import os
import pathlib
import pickle
import signal
import sys
import tempfile
import threading

import chess.pgn
import duckdb
import pgc
import polars
import pyarrow.csv
import pyarrow.parquet
from test_pgc import raised, read


def texts(path):
    return [game.pgn_bytes for game in pgc.open(path)]


def check_what_comes_out(pgn):
    """Each kind of games, packed, has the texts that its archive has."""
    archive = pgc.open("sample.pgc")
    pgc.pack(pgn, "other.pgcz")
    both = pgc.open(["sample.pgc", "other.pgcz"])
    games, found = list(archive), archive.find(white="anderssen")
    expected = [game.pgn_bytes for game in games]
    of = {number: text for number, text in enumerate(expected, 1)}
    backwards = archive.find(sort="plies", reverse=True)
    two = both.find(white="anderssen")
    sources = {
        "archive": lambda: (archive, expected),
        "games": lambda: (found, [of[n] for n in found.numbers]),
        "slice": lambda: (archive[2:9:3], [of[3], of[6], of[9]]),
        "sorted": lambda: (backwards, [of[n] for n in backwards.numbers]),
        "collection": lambda: (both, 2 * expected),
        "found in both": lambda: (two, [game.pgn_bytes for game in two]),
        "game": lambda: (games[4], [of[5]]),
        "list": lambda: ([games[4], games[2], games[4]], [of[5], of[3], of[5]]),
        "generator": lambda: ((game for game in both if game["Result"] == "1-0"), [game.pgn_bytes for game in both if game["Result"] == "1-0"]),
        "texts": lambda: ([game.pgn for game in games], expected),
        "bytes": lambda: ((text for text in expected), expected),
        "text": lambda: (b"".join(expected).decode(), expected),
        "lists of games": lambda: ([found, archive[3:4], pgn, both], [of[n] for n in found.numbers] + [of[4]] + 3 * expected),
        "path": lambda: ("sample.pgc", expected),
        "paths": lambda: ([pathlib.Path("sample.pgc"), "other.pgcz"], 2 * expected),
    }
    for name, make in sources.items():
        for ending in ("pgc", "pgcz"):
            source, wanted = make()
            packed = pgc.pack(source, f"packed.{ending}", force=True)
            assert packed["games"] == len(wanted), name
            # Between games that were no neighbours stands an empty line, as `pgc find -o` writes it.
            assert [text.rstrip() for text in texts(f"packed.{ending}")] == [text.rstrip() for text in wanted], name
            assert pgc.open(f"packed.{ending}").indexed
    # Whole archives keep their sources, to the byte.
    pgc.pack(both, "packed.pgc", force=True)
    assert [pathlib.Path(path).read_bytes() for path in pgc.unpack("packed.pgc", "unpacked")] == 2 * [pathlib.Path(pgn).read_bytes()]
    # Games of python-chess.
    for source in (chess.pgn.read_game(open(pgn)), [*read(pgn)][:3], read(pgn)):
        packed = pgc.pack(source, "packed.pgc", force=True)
        assert packed["games"] in (1, 3, 13)
        assert [game.uci for game in pgc.open("packed.pgc")] == [game.uci for game in games[: packed["games"]]]
    # A pipe.
    if hasattr(os, "mkfifo"):
        os.mkfifo("pipe.pgn")
        threading.Thread(target=lambda: pathlib.Path("pipe.pgn").write_bytes(pathlib.Path(pgn).read_bytes())).start()
        assert pgc.pack("pipe.pgn", "packed.pgc", force=True)["games"] == 13 and texts("packed.pgc") == expected
    one = chess.pgn.read_game(open(pgn)).end()
    assert pgc.pack([one, "1. e4 e5 *", b"1. d4", games[0], "[White \"A\"]"], "packed.pgc", force=True)["games"] == 5
    assert [game["White"] for game in pgc.open("packed.pgc").find(white="=A")] == ["A"]


def check_refusals(pgn):
    archive = pgc.open("sample.pgc")
    before = pathlib.Path("sample.pgc").read_bytes()
    for wrong in (3, object(), {"a": 1}, [3], [[archive]], iter([None]), [archive[0], {}], archive[0].moves):
        raised(TypeError, lambda: pgc.pack(wrong, "sample.pgc", force=True), "cannot be packed")
    nothing = archive.find(white="zzz")
    for wrong in (nothing, [], b"", io.BytesIO(b"no games"), "no game at all\n", [pgn, nothing], [b"text\n"]):
        raised(ValueError, lambda: pgc.pack(wrong, "sample.pgc", force=True), "allow_empty")
    raised(ValueError, lambda: nothing.save("sample.pgc", force=True), "allow_empty")
    raised(ValueError, lambda: pgc.pack("sample.pgci", "x.pgc"), "index")
    assert pathlib.Path("sample.pgc").read_bytes() == before and not os.path.exists("x.pgc")
    for source in (nothing, [], b""):
        assert pgc.pack(source, "none.pgc", force=True, allow_empty=True)["games"] == len(pgc.open("none.pgc")) == 0
    assert nothing.save("none.pgc", force=True, allow_empty=True) == 0
    assert not [name for name in os.listdir() if name.startswith("pgc-")]
    raised(TypeError, lambda: archive.stats("anderssen"), "stats(player='anderssen')")
    raised(TypeError, lambda: archive[:5].tree("1.e4"), "tree(moves='1.e4')")
    raised(ValueError, lambda: archive.find("tal"), "find(player='tal')")
    for ask in (pgc.schema, archive.to_arrow, archive.to_polars):
        raised(TypeError, lambda: ask("white"), "['white']")


def check_names(pgn):
    """An archive has the name, and the form, that the program would give it."""
    text = pathlib.Path(pgn).read_bytes()
    for source, archive in (("a.pgn", "a.pgc"), ("b.PGN.gz", "b.pgc"), ("games 2024.05", "games 2024.05.pgc")):
        pathlib.Path(source).write_bytes(gzip.compress(text) if source.endswith(".gz") else text)
        pgc.pack(source)
        assert len(pgc.open(archive)) == 13
        raised(FileExistsError, lambda: pgc.pack(pathlib.Path(source)), "force=True")
    for nameless in (text, text.decode(), pgc.open("a.pgc"), ["a.pgn"], io.BytesIO(text), "."):
        raised(TypeError, lambda: pgc.pack(nameless), "name the archive")
    for named in ("c.pgn", "c.EPD"):
        raised(ValueError, lambda: pgc.pack("a.pgn", named), "as text")
    # Any other name is that of an archive.
    pgc.pack("a.pgn", "c.txt")
    assert pathlib.Path("c.txt").read_bytes() == pathlib.Path("a.pgc").read_bytes()


def check_save(pgn):
    archive, both = pgc.open("sample.pgc"), pgc.open(["sample.pgc", "other.pgcz"])
    for games in (archive, archive.find(white="anderssen"), archive.find(sort="white", limit=4), both, both[5:20]):
        expected = [game.pgn_bytes.rstrip() for game in games]
        for ending in ("pgc", "pgcz", "pgn"):
            path = f"saved.{ending}"
            assert games.save(path, force=True) == len(games)
            raised(FileExistsError, lambda: games.save(path), "force")
            if ending == "pgn":
                assert [game.headers["White"] for game in read(path)] == [game["White"] for game in games]
                pgc.pack(path, "again.pgc", force=True)
                path = "again.pgc"
            assert [text.rstrip() for text in texts(path)] == expected
        assert games.save("saved.parquet", force=True) == len(games)
        check_parquet(games, "saved.parquet")
        assert games.save("saved.csv", columns=["number", "white", "plies"], force=True) == len(games)
        rows = pyarrow.csv.read_csv("saved.csv").to_pylist()
        assert [row["white"] for row in rows] == [game["White"] for game in games]
    assert archive.save("whole.pgn") == 13 and pathlib.Path("whole.pgn").read_bytes() == pathlib.Path(pgn).read_bytes()
    none = archive.find(white="zzz")
    assert none.save("none.parquet") == none.save("none.csv") == none.save("none.pgn") == 0
    table = pyarrow.parquet.read_table("none.parquet")
    assert table.num_rows == 0 and table.schema.equals(pyarrow.schema(archive.to_arrow()))
    assert "white" in pathlib.Path("none.csv").read_text() and pathlib.Path("none.pgn").read_bytes() == b""
    positions = archive[:2].save("positions.parquet", table="positions", columns=["ply", "fen"])
    assert positions == sum(len(game.moves) + 1 for game in archive[:2])
    raised(ValueError, lambda: archive.save("x.doc"), ".pgcz")
    raised(ValueError, lambda: archive.save("x.csv", columns=["san"]), "san")
    raised(ValueError, lambda: archive.save("x.parquet", columns=["colour"]), "colour")
    assert not [name for name in os.listdir() if name.startswith(("pgc-", "x."))]


def check_parquet(games, path):
    """A file of Parquet has the rows of the table, without the columns that nobody asked for and that are null throughout."""
    expected, found = pyarrow.table(games.to_arrow()), pyarrow.parquet.read_table(path)
    used = [name for name in expected.column_names if expected[name].null_count < len(expected)]
    assert found.column_names == used and len(used) < len(expected.column_names)
    assert found.to_pylist() == expected.select(used).to_pylist()
    columns = ", ".join(used)
    here = expected.select(used)
    assert duckdb.sql(f"select {columns} from '{path}'").fetchall() == duckdb.sql(f"select {columns} from here").fetchall()
    assert polars.read_parquet(path).select(used).rows() == polars.DataFrame(here).rows()
    # Readers skip by the least and greatest values of groups and pages, and by Bloom filters.
    group = pyarrow.parquet.read_metadata(path).row_group(0)
    chunks = {group.column(place).path_in_schema: group.column(place) for place in range(group.num_columns)}
    assert {"moves.list.element", "tags.key_value.key"} <= chunks.keys()
    assert all(chunk.is_stats_set for chunk in chunks.values())
    assert {path for path, chunk in chunks.items() if chunk.has_column_index} == {path for path in chunks if "." not in path} - {"tail", "first_comment"}
    assert "BYTE_STREAM_SPLIT" in chunks["clocks.list.element"].encodings if "clocks.list.element" in chunks else True


def check_tables():
    """Options of Parquet; folders by a column; all moves."""
    archive = pgc.open("sample.pgc")
    archive.save("groups.parquet", group_rows=5, zstd=1)
    groups = pyarrow.parquet.read_metadata("groups.parquet")
    assert [groups.row_group(place).num_rows for place in range(groups.num_row_groups)] == [5, 5, 3]
    check_parquet(archive, "groups.parquet")
    probe = duckdb.sql("from parquet_bloom_probe('groups.parquet', 'white', 'Nobody, N')").fetchall()
    assert len(probe) == 3 and all(row[-1] for row in probe), probe
    asked = ["number", "depths", "WhiteTeam"]
    archive.save("asked.parquet", columns=asked)
    assert pyarrow.parquet.read_table("asked.parquet").column_names == asked
    assert archive.save("by", partition="year") == archive.save("by.parquet", columns=["white", "year", "number"], partition="year") == len(archive)
    whole = duckdb.sql("select number, year from read_parquet('by/*/*.parquet', union_by_name = true) order by number").fetchall()
    assert whole == [(number, int(date[:4])) for number, date in enumerate((game["Date"] for game in archive), 1)]
    assert len(os.listdir("by")) == len({game["Date"][:4] for game in archive})
    found = polars.scan_parquet("by.parquet", hive_partitioning=True).filter(polars.col("year") == 1852).select("number", "white").collect()
    assert found.rows() == [(archive.find(date="1852").numbers[0], "Anderssen, Adolf")]
    raised(FileExistsError, lambda: archive.save("by", partition="year", force=True), "by")
    raised(ValueError, lambda: archive.save("x.csv", partition="year"), "Parquet")
    # A column more than usual; what is usual and null throughout is left out all the same.
    archive.save("usual.parquet")
    archive.save("more.parquet", columns=["+url", "+white"])
    assert pyarrow.parquet.read_schema("more.parquet").names == [*pyarrow.parquet.read_schema("usual.parquet").names, "url"]
    assert pgc.schema(["+url"]).columns == [*pgc.schema().columns, "url"]
    # Games without the column's value go into the folder that Hive has for them.
    archive.save("titles", columns=["number"], partition="white_title")
    raised(OSError, lambda: archive.save("x", partition="moves"), "text and whole numbers")
    raised(OSError, lambda: archive.save("x", partition="yaer"), "similar: year")
    assert not os.path.exists("x") and not [name for name in os.listdir() if name.startswith("pgc-")]
    # Of a collection, in another order, and in any number of archives.
    both = pgc.open(["sample.pgc", "sample.pgc"]).find(sort="date", reverse=True)
    assert both.save("both", columns=["date"], partition="eco") == 2 * len(archive)
    found = pyarrow.parquet.read_table("both/eco=C33/games.parquet")["date"].to_pylist()
    assert found == [game["Date"] for game in both if game.get("ECO") == "C33"] and len(found) > 1
    assert os.listdir("titles") == ["white_title=__HIVE_DEFAULT_PARTITION__"]
    moves = archive.to_pandas(["number", "parent", "node", "variation", "san"], table="nodes")
    assert len(moves) == archive.save("moves.parquet", table="nodes") == duckdb.sql("select count(*) from 'moves.parquet'").fetchall()[0][0]
    assert moves[moves.variation == 0].groupby("number").san.agg(list).tolist() == [game.san for game in archive if game.san]
    line = [(None, move) for game in archive for move in game.moves]
    for _, move in line:
        line.extend((move, other) for variation in move.variations for other in variation)
    assert len(moves) == len(line)


class Stopped(Exception):
    pass


def long_calls(archive, both):
    """Calls that may take long, each with the files that it would write."""
    return [
        (lambda progress: pgc.pack("many.pgn", "stopped.pgc", progress=progress)),
        (lambda progress: pgc.pack(archive, "stopped.pgcz", progress=progress)),
        (lambda progress: pgc.pack(archive.find(white="anderssen"), "stopped.pgc", progress=progress)),
        (lambda progress: archive.save("stopped.pgn", progress=progress)),
        (lambda progress: archive.find(sort="plies").save("stopped.pgn", progress=progress)),
        (lambda progress: archive.save("stopped.parquet", progress=progress)),
        (lambda progress: archive.edit("stopped.pgc", set={"Event": "Riga"}, progress=progress)),
        (lambda progress: archive.find(comment="*e*", progress=progress)),
        (lambda progress: archive.find(unique=True, progress=progress)),
        (lambda progress: both.find(has="comments", progress=progress)),
        (lambda progress: archive.dups(progress=progress)),
        (lambda progress: archive.stats(player="anderssen", progress=progress)),
        (lambda progress: both.stats(player="anderssen", progress=progress)),
        (lambda progress: archive.tree(depth=30, not_setup=True, progress=progress)),
        (lambda progress: archive.to_pandas(["san"], progress=progress)),
    ]


def check_progress(pgn):
    text = pathlib.Path(pgn).read_bytes()
    pathlib.Path("many.pgn").write_bytes(200 * text)
    pgc.pack("many.pgn", "many.pgc")
    archive, both = pgc.open("many.pgc"), pgc.open(["many.pgc", "sample.pgc"])
    present = set(os.listdir())
    for call in long_calls(archive, both):
        told = []
        call(lambda done, total: told.append((done, total)))
        assert told and told[-1][0] == told[-1][1] > 0 and all(0 <= done <= total for done, total in told), told
        for name in set(os.listdir()) - present:
            os.remove(name)

        def stop(done, total):
            raise Stopped

        try:
            call(stop)
            raise AssertionError("it was not stopped")
        except Stopped:
            pass
        # Nothing half written.
        assert set(os.listdir()) == present, set(os.listdir()) - present
        # The library is as before.
        assert len(archive.find(white="anderssen")) == 200 * len(pgc.open("sample.pgc").find(white="anderssen"))
    raised(TypeError, lambda: archive.find(progress=3), "progress")


def check_signals(pgn):
    """While a call goes on, handlers of signals run. If they did not, one run at the end of the call would be all: so a call that sees two
    proves it; the work grows until one does."""
    if not hasattr(signal, "setitimer"):
        return
    # In the background of a script SIGINT is ignored, and nothing could be interrupted.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    text, seen = pathlib.Path(pgn).read_bytes(), []

    def run(work):
        signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        try:
            seen.clear()
            work()
            return len(seen)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    copies = 100
    while True:
        pathlib.Path("grown.pgn").write_bytes(copies * text)
        if run(lambda: pgc.pack("grown.pgn", "grown.pgc", force=True)) > 2:
            break
        copies *= 2
    archive = pgc.open("grown.pgc")
    # An interruption ends a read by a library that knows nothing of signals of Python.
    stopped = []

    def interrupt(*_):
        stopped.append(1)
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        while True:
            archive.to_pandas(["san", "pgn"])
    except KeyboardInterrupt:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert stopped


def main():
    pgn = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pgc.pack(pgn, "sample.pgc")
        check_what_comes_out(pgn)
        check_refusals(pgn)
        check_names(pgn)
        check_save(pgn)
        check_tables()
        check_progress(pgn)
        check_signals(pgn)
        assert pickle.loads(pickle.dumps(pgc.open("sample.pgc")[3].moves)) == pgc.open("sample.pgc")[3].moves
        os.chdir("/")
    print("what comes out goes in again, and calls stop")


if __name__ == "__main__":
    main()
