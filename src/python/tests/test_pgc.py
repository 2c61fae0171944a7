"""Tests of the package, against python-chess. Run with `python tests/test_pgc.py SAMPLE.pgn [PROGRAM]`, the program being `pgc`: no
test runner is needed."""

import datetime
import doctest
import gzip
import io
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping

import chess.pgn
import numpy
import pandas
import pgc
import pgc._collection
import pgc._filters
import pgc._methods
import pgc._packing
import pgc._values
import polars
import pyarrow


PROGRAM = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None


def read(path):
    """The games as python-chess reads them."""
    with open(path, encoding="utf-8") as source:
        while (game := chess.pgn.read_game(source)) is not None:
            yield game


def same_lines(ours, theirs):
    """Two games have the same tree of moves, comments and NAGs."""
    pairs = [(ours, theirs)]
    while pairs:
        a, b = pairs.pop()
        assert (a.comment or "").split() == (b.comment or "").split(), (a, b)
        assert a.nags == b.nags
        assert len(a.variations) == len(b.variations), (a, b)
        for x, y in zip(a.variations, b.variations):
            assert x.move == y.move
            pairs.append((x, y))


def check_games(pgn):
    archive = pgc.open("sample.pgc")
    games = list(read(pgn))
    assert len(archive) == len(games) and archive.indexed
    for number, (game, expected) in enumerate(zip(archive, games), 1):
        assert game.number == number
        assert {**dict(expected.headers), **game.tags} == dict(expected.headers)
        nodes = list(expected.mainline())
        assert game.uci == [node.move.uci() for node in nodes]
        assert game.san == [node.san() for node in nodes]
        assert [sorted(move.nags) for move in game.moves] == [sorted(node.nags) for node in nodes]
        assert game.clocks == [node.clock() for node in nodes]
        same_lines(game.to_chess(), expected)
        assert dict(game.to_chess().headers) == dict(expected.headers)
        same_lines(chess.pgn.read_game(io.StringIO(game.pgn)), expected)
        assert game.pgn.encode() == game.pgn_bytes
        assert game["White"] == expected.headers["White"] and game.get("NoSuchTag") is None
    assert "".join(game.pgn for game in archive).encode() == open(pgn, "rb").read()
    assert [dict(tags) for tags in archive.tags()] == [game.tags for game in archive]


def check_places(archive):
    assert archive[-1].number == len(archive)
    assert [game.number for game in archive[2:9:3]] == [3, 6, 9] and archive[2:9:3].numbers == [3, 6, 9]
    assert archive[2:9][1:3].numbers == [4, 5]
    for wrong, error in [(len(archive), IndexError), (-len(archive) - 1, IndexError), ("x", TypeError)]:
        try:
            archive[wrong]
            raise AssertionError(wrong)
        except error:
            pass
    try:
        archive[::-1]
        raise AssertionError("backwards")
    except ValueError:
        pass


def check_questions(pgn):
    archive = pgc.open("sample.pgc")
    games = list(read(pgn))
    white = [i for i, game in enumerate(games, 1) if "Anderssen" in game.headers["White"]]
    assert archive.find(white="anderssen").numbers == white
    others = [i for i in range(1, len(games) + 1) if i not in white]
    assert archive.find(not_white="anderssen").numbers == others
    assert archive.find().numbers == list(range(1, len(games) + 1))
    # Questions without a value: yes or no.
    assert archive.find(broken=False).numbers == archive.find(not_broken=True).numbers == archive.find().numbers
    assert archive.find(broken=True).numbers == archive.find(not_broken=False).numbers == []
    # The words of `pgc find`, and questions about what was found.
    assert archive.find("--white anderssen").numbers == archive[:].find(white="anderssen").numbers == white
    assert archive[3:9].find("-w anderssen").numbers == [i for i in white if 4 <= i <= 9]
    assert archive.find(not_white="anderssen").find("-w anderssen").numbers == []
    for wrong, error in [(("--colour x",), ValueError), (("--white x", "y"), TypeError)]:
        try:
            archive.find(*wrong)
            raise AssertionError(wrong)
        except error:
            pass
    wins = [i for i in white if games[i - 1].headers["Result"] == "1-0"]
    assert archive.find(white="anderssen", result=["white", "unknown"]).numbers == wins
    stats = archive.stats(player="anderssen", result=["white", "black", "draw"])
    assert stats["games"] == stats["white"]["games"] + stats["black"]["games"] > 0
    # One person at a time, unless all names are asked for.
    everybody = archive.stats(player="*", all_names=True)
    one = archive.stats(player="*")
    assert everybody["games"] == 2 * len(games) and everybody["other_names"] == {}
    assert one["games"] == sum(one["names"].values()) < everybody["games"]
    assert {**one["names"], **one["other_names"]} == everybody["names"]
    for wrong, error in [({"colour": "x"}, TypeError), ({"date": "x"}, ValueError), ({"date": None}, TypeError)]:
        try:
            archive.find(**wrong)
            raise AssertionError(wrong)
        except error:
            pass


def check_changes():
    """Copies of games, and an archive with changed games, as python-chess and the text itself have them."""
    game = '[White "{}"]\n[Black "B"]\n[Date "1999.01.01"]\n[Result "1-0"]\n\n1. {} e5 2. Nf3 {{kept  as it is}} 1-0\n\n'
    text = "".join(game.format(*each) for each in [("Tal, M", "e4"), ("Smyslov", "d3"), ("Tal,M", "e4"), ("Tal, M", "e3")])
    with open("changes.pgn", "w") as file:
        file.write(text)
    pgc.pack("changes.pgn", "changes.pgc")
    archive = pgc.open("changes.pgc")
    assert archive.dups() == [[1, 3]] and archive.dups(white="smyslov") == []
    assert archive.edit("edited.pgc", set={"Event": "Riga"}, rename_player={"Tal, M": "Tal, Mihail"}, white="=Tal, M") == 2
    edited = pgc.open("edited.pgc")
    assert edited.find(white="=Tal, Mihail").numbers == edited.find(event="riga").numbers == [1, 4]
    assert edited[1].pgn == archive[1].pgn and edited[2].pgn == archive[2].pgn
    assert "{kept  as it is}" in edited[0].pgn and edited.indexed
    assert archive.edit("less.pgc", delete=True, white="smyslov") == 1 and len(pgc.open("less.pgc")) == 3
    for wrong, error in [
        (dict(output="x.pgc"), ValueError), (dict(output="x.pgc", delete=True), ValueError), (dict(output="x.pgcz", unset=["ECO"]), ValueError),
        (dict(output="x.pgc", set={"Date": "next May"}), ValueError), (dict(output="edited.pgc", unset=["White"]), FileExistsError),
    ]:
        try:
            archive.edit(**wrong)
            raise AssertionError(wrong)
        except error:
            assert not os.path.exists("x.pgc") and not os.path.exists("x.pgcz")


def check_openings():
    with open("openings.pgn", "w") as file:
        file.write('1. Nf3 Nc6 2. e4 e5 3. Bb5 Kf8 *\n\n[Variant "Atomic"]\n\n1. e4 *\n')
    pgc.pack("openings.pgn", "openings.pgc")
    archive = pgc.open("openings.pgc")
    assert [game.opening for game in archive] == [{"eco": "C60", "name": "Ruy Lopez", "ply": 5}, None]
    assert archive.find(opening="ruy").numbers == [1]


def check_pieces():
    with open("french.pgn", "w") as file:
        file.write("1. e4 e5 2. Cf3 Cc6 3. Re2 *\n")
    pgc.pack("french.pgn", "french.pgc", pieces="fr")
    game = pgc.open("french.pgc")[0]
    assert game.san == ["e4", "e5", "Nf3", "Nc6", "Ke2"]
    assert game.pgn == "1. e4 e5 2. Nf3 Nc6 3. Ke2 *\n"
    try:
        pgc.pack("french.pgn", "klingon.pgc", pieces="Klingon")
        raise AssertionError
    except ValueError as error:
        assert "Klingon" in str(error)


def raised(kind, call, *words):
    try:
        call()
    except kind as error:
        assert all(word in str(error) for word in words), error
        return
    raise AssertionError(f"no {kind.__name__}")


def check_classes(pgn):
    """Games are mappings of their tags; archives are context managers and pickle; moves are without commands."""
    games = list(read(pgn))
    with pgc.open("sample.pgc") as archive:
        game = archive[3]
    assert isinstance(game, Mapping) and dict(game) == game.tags and len(game) == len(game.tags) and "White" in game and "X" not in game
    assert game == archive[3] == pgc.open("sample.pgc")[3] and game != archive[4] and game != 3
    assert len({*archive, *archive}) == len(archive)
    for whole in (archive, archive.find(white="anderssen"), game):
        again = pickle.loads(pickle.dumps(whole))
        assert again == game if whole is game else [*again] == [*whole]
    assert pickle.loads(pickle.dumps(pgc.open("sample.pgc", pass_damage=True, jobs=3)))._options == (True, 3)
    for game, expected in zip(archive, games):
        board = expected.board()
        for ply, move in enumerate([*expected.mainline_moves(), None]):
            assert game.fen(ply) == board.fen() == game.position(ply).fen() and game.fen(ply, ep="always") == board.fen(en_passant="fen")
            if move:
                board.push(move)
        assert game.fen() == game.fen(-1) == board.fen()
        raised(ValueError, lambda: game.fen(ep="fen"))
        raised(IndexError, lambda: game.fen(len(game.moves) + 1))
        # Squares, a letter for each piece, and the names of files and ranks.
        assert game.svg(0).count("<rect") == 64 and game.svg(0).count("<text") == len(game.position(0).piece_map()) + 16
        assert game._repr_html_().count(f"{game.san[0]}") >= 1 and "<script" not in game._repr_html_()
    with open("commands.pgn", "w") as file:
        file.write('[White "<script>"]\n\n1. e4 {[%clk 0:01:00] good [%csl Gd4]} {[%eval 0.3]} e5 { x } *\n')
    pgc.pack("commands.pgn", "commands.pgc")
    game = pgc.open("commands.pgc")[0]
    assert game.moves[0].comments == ["good [%csl Gd4]"] and game.moves[1].comments == ["x"]
    assert game.moves[0].raw_comments == ["[%clk 0:01:00] good [%csl Gd4]", "[%eval 0.3]"] and game.moves[0].clock == 60
    assert "<script>" not in game._repr_html_()
    # A piece of text in another order, some of it, some at random.
    elos = archive.find(sort="white", limit=4)
    assert [g["White"] for g in elos] == sorted(g["White"] for g in archive)[:4] and elos.numbers != sorted(elos.numbers)
    assert [tags["White"] for tags in elos.tags()] == [g["White"] for g in elos]
    assert elos.find(white="anderssen").numbers == [n for n in elos.numbers if "Anderssen" in archive[n - 1]["White"]]
    assert pyarrow.table(elos.to_arrow(["number", "tail"]))["number"].to_pylist() == elos.numbers
    backwards = archive.find(sort="plies", reverse=True)
    assert [len(g.moves) for g in backwards] == sorted((len(g.moves) for g in archive), reverse=True)
    some = archive.find(sample=5)
    assert len(some) == 5 and some.numbers == archive.find(sample=5).numbers == sorted(some.numbers) != archive.find(sample=5, seed=1).numbers
    raised(ValueError, lambda: archive.find(sort="colour"), "white-elo")
    raised(ValueError, lambda: archive.find(limit=-1), "limit")
    raised(ValueError, lambda: archive[[3, 2, 3]], "once")
    raised(IndexError, lambda: archive[[99]], "13")
    assert [g.number for g in archive[[5, 3, 9]]] == archive[[5, 3, 9]].numbers == [6, 4, 10]
    # Names and moves, against python-chess.
    players = Counter(name for game in games for name in (game.headers["White"], game.headers["Black"]))
    assert archive.names() == players and archive.names("Annotator") == {}
    first = Counter(game.next().san() for game in games if game.next() and "FEN" not in game.headers and "Variant" not in game.headers)
    assert {san: node["games"] for san, node in archive.tree()["moves"].items()} == first
    assert archive.tree(moves="1.e4")["games"] == first["e4"]


def check_collections(pgn):
    os.makedirs("folder/below", exist_ok=True)
    pgc.pack(pgn, "folder/a.pgc")
    pgc.pack(pgn, "folder/below/b.pgcz")
    both = pgc.open("folder")
    assert len(both) == 26 and [g.number for g in both] == [*range(1, 14)] * 2 and both[-1] == both.parts[1][12]
    for cut in (slice(None), slice(3, 20, 4), slice(13, None), slice(20, 5), slice(None, None, 5)):
        assert [(g.path, g.number) for g in both[cut]] == [(g.path, g.number) for g in list(both)[cut]], cut
    assert len(both.find(white="anderssen")) == 4 and len(both.find(white="anderssen", limit=3)) == 3
    table = pyarrow.table(both.to_arrow(["archive", "number"]))
    assert table["number"].to_pylist() == [*range(1, 14)] * 2 and len(set(table["archive"].to_pylist())) == 2
    assert both.names()["Anderssen, Adolf"] == 2 * both.parts[0].names()["Anderssen, Adolf"]
    raised(IndexError, lambda: both[26])
    assert len(pgc.open([])) == 0
    os.makedirs("empty", exist_ok=True)
    raised(FileNotFoundError, lambda: pgc.open("empty"), "no archives")
    assert [g.path for g in pgc.open(["folder/below", "folder"])[::13]] == [both.parts[place].path for place in (1, 0, 1)]


def check_sorted_collections():
    """Games of several archives in one order, as Python's own `sorted` has them: equal ones stay in the order of the archives."""
    both = pgc.open("folder")
    place = {(g.path, g.number): at for at, g in enumerate(both)}
    for key, value in (("white", lambda g: g["White"]), ("plies", lambda g: len(g.moves)), ("date", lambda g: g["Date"])):
        expected = sorted(both, key=value)
        for reverse in (False, True):
            found = both.find(sort=key, reverse=reverse)
            wanted = expected[::-1] if reverse else expected
            assert [(g.path, g.number) for g in found] == [(g.path, g.number) for g in wanted], key
            rows = pyarrow.table(found.to_arrow(["archive", "number", "san"])).to_pylist()
            assert [(row["archive"], row["number"], row["san"]) for row in rows] == [(os.fspath(g.path), g.number, g.san) for g in wanted], key
            assert list(both.find(sort=key, reverse=reverse, limit=5)) == wanted[:5] == list(found[:5]) and found[7] == wanted[7]
    assert [g["White"] for g in found.find(white="anderssen")] == ["Anderssen, Adolf"] * 4
    assert [g.number for g in both.find(reverse=True)] == [*range(13, 0, -1)] * 2
    some = both.find(sample=9)
    places = [place[g.path, g.number] for g in some]
    assert len(some) == 9 and places == sorted(set(places)) and list(some) == list(both.find(sample=9)) != list(both.find(sample=9, seed=1))
    assert len(both.find(sample=99)) == 26
    raised(ValueError, lambda: both.find(sort="beauty"), "beauty")
    twice = pgc.Collection([both.parts[0], both.parts[0][3:5], both.parts[1]])
    assert pyarrow.table(twice.to_arrow(["number"]))["number"].to_pylist() == [*range(1, 14), 4, 5, *range(1, 14)]


def check_readme(pgn):
    """Each example of the README runs."""
    game = '[White "Tal, Mihail"]\n[Black "?"]\n[Date "{}.??.??"]\n[Event "Linares"]\n[Result "*"]\n\n' + "1. Nf3 Nf6 2. Ng1 Ng8 " * 6 + "*\n\n"
    pgc.pack("".join(map(game.format, (1960, 1999))).encode(), "masters.pgc")
    shutil.copy(pgn, "a.pgn")
    with open(pgn, "rb") as text, gzip.open("b.pgn.gz", "wb") as file:
        file.write(text.read())
    with open(os.path.join(os.path.dirname(__file__), "..", "README.md"), encoding="utf-8") as file:
        before_spark = file.read().split("## Spark")[0]
    names = {}
    for block in re.findall(r"```python\n(.*?)```", before_spark, re.DOTALL):
        exec(block, names)
    assert names["game"]["White"] == "Tal, Mihail" and pgc.open("new.pgc")[1]["Event"] == "Linares 1999"
    assert [path.read_bytes() for path in map(pathlib.Path, ("folder/a.pgn", "folder/b.pgn"))] == [pathlib.Path(pgn).read_bytes()] * 2


def check_sources(pgn):
    """Whatever is packed, the same games come back."""
    text = open(pgn, "rb").read()
    with open(pgn, encoding="utf-8") as chars, open(pgn, "rb") as stream:
        for source in (text, chars, stream, io.BytesIO(text), io.StringIO(text.decode())):
            assert pgc.pack(source, "source.pgc", force=True)["games"] == 13
            assert "".join(game.pgn for game in pgc.open("source.pgc")).encode() == text
    assert pgc.pack(read(pgn), "source.pgc", force=True)["games"] == 13
    assert [game.uci for game in pgc.open("source.pgc")] == [game.uci for game in pgc.open("sample.pgc")]
    assert pgc.pack([pgn, pgn], "source.pgc", force=True)["games"] == 26
    raised(FileExistsError, lambda: pgc.pack(text, "source.pgc"), "source.pgc", "force")
    raised(FileExistsError, lambda: pgc.pack(pgn, "source.pgc"), "source.pgc", "force")
    raised(FileNotFoundError, lambda: pgc.pack("missing.pgn", "source.pgc", force=True), "missing.pgn")
    raised(FileNotFoundError, lambda: pgc.open(["missing.pgc"]), "missing.pgc")
    raised(TypeError, lambda: pgc.pack(3, "source.pgc", force=True))
    assert not [name for name in os.listdir() if name.startswith("pgc-")]


def check_tables():
    archive = pgc.open("sample.pgc")
    for wrong in ([], ["white", "colour"]):
        try:
            archive.to_arrow(wrong)
            raise AssertionError(wrong)
        except ValueError:
            pass
    table = pyarrow.table(archive.to_arrow())
    assert table.num_rows == len(archive)
    frame = polars.DataFrame(archive.to_arrow(["number", "white", "san"], white="anderssen"))
    assert frame["number"].to_list() == archive.find(white="anderssen").numbers
    assert frame["san"].to_list() == [game.san for game in archive.find(white="anderssen")]
    lazily = archive.to_arrow(["plies"])
    # A table can be read again.
    assert pyarrow.table(lazily).equals(pyarrow.table(lazily)) and lazily.columns == ["plies"]
    # From the index, and from the games.
    known = ["event", "year", "white", "result", "white_elo", "eco", "plies"]
    assert pyarrow.table(archive.to_arrow(known)).equals(pyarrow.table(archive.to_arrow(known + ["tail"])).select(known))
    positions = pyarrow.table(archive[:2].to_arrow(["number", "ply"], table="positions"))
    assert positions.num_rows == sum(len(game.moves) + 1 for game in archive[:2])
    assert pyarrow.schema(archive.to_arrow()).metadata == {b"pgc.table": b"games 1"}
    try:
        archive.to_arrow(["nonsense"])
        raise AssertionError("a column that there is not")
    except ValueError as error:
        assert "nonsense" in str(error)
    # Columns come as asked for; pandas takes the rows.
    asked = archive.to_arrow(["result", "white", "year", "WhiteTeam"])
    assert pyarrow.table(asked).column_names == ["result", "white", "year", "WhiteTeam"]
    frame = pandas.DataFrame(asked)
    assert [*frame.columns] == ["result", "white", "year", "WhiteTeam"] and [*frame["result"]] == [game["Result"] for game in archive]
    # A reader that stops early leaves no thread behind that waits for it.
    reader = pyarrow.RecordBatchReader.from_stream(archive.to_arrow())
    reader.read_next_batch()
    reader.close()


def check_files(pgn):
    assert pgc.pack(pgn, "again.pgcz")["games"] == len(pgc.open("again.pgcz"))
    try:
        pgc.pack(pgn, "again.pgcz")
        raise AssertionError("replaced")
    except OSError:
        pass
    (path,) = pgc.unpack("again.pgcz", "out")
    assert open(path, "rb").read() == open(pgn, "rb").read()
    try:
        pgc.open("missing.pgc")
        raise AssertionError("missing")
    except FileNotFoundError:
        pass


def check_values(pgn):
    """Ranges, dates and several values, as they are written in Python; what has no meaning is an error."""
    archive = pgc.open("sample.pgc")
    games = list(read(pgn))
    lengths = [len(list(game.mainline_moves())) for game in games]
    for value, inside in [
        ((30, 47), range(30, 48)), (range(30, 48), range(30, 48)), (slice(30, 47), range(30, 48)), ((None, 40), range(41)), ((40, None), range(40, 999)),
        (45, [45]), ([45, 47], [45, 47]), ({45, 47}, [45, 47]), (slice(46, None), range(46, 999)),
    ]:  # fmt: skip
        assert archive.find(plies=value).numbers == [n for n, plies in enumerate(lengths, 1) if plies in inside], value
        assert archive.find(not_plies=value).numbers == [n for n, plies in enumerate(lengths, 1) if plies not in inside], value
    day = datetime.date(1912, 10, 29)
    assert [game["Date"] for game in archive.find(date=day)] == ["1912.10.29"]
    years = (datetime.date(1912, 1, 1), datetime.date(1920, 12, 31))
    expected = [n for n, game in enumerate(games, 1) if "1912" <= game.headers["Date"][:4] <= "1920"]
    for value in (years, (1912, 1920), ("1912", "1920"), range(1912, 1921), slice("1912", "1920"), (datetime.datetime(1912, 1, 1), "1920")):
        assert archive.find(date=value).numbers == expected, value
        assert archive.stats(player="*", date=value)["games"] == archive.stats(player="*", date="1912..1920")["games"]
        assert pyarrow.table(archive.to_arrow(["number"], date=value))["number"].to_pylist() == expected
    for name, value in [
        ("white", ("tal", "anderssen")), ("white", range(3)), ("elo", (1, 2, 3)), ("elo", range(1, 9, 2)), ("elo", range(0)), ("elo", (True, 3)),
        ("elo", (None, None)), ("elo", slice(None)), ("elo", slice(1, 9, 2)), ("elo", (2.5, 3)), ("date", None), ("white", 2.5), ("white", [None]),
        ("elo", object()), ("setup", 3),
    ]:  # fmt: skip
        raised((TypeError, ValueError), lambda: archive.find(**{name: value}), name if name != "setup" else "")
    # What is wrong is said in words of Python, and what is like it.
    for questions, words in [
        ({"palyer": "tal"}, "player"), ({"year": 1992}, "date"), ({"not_colour": "w"}, "white"), ({"elo": ">2700"}, "elo: "),
        ({"result": "win"}, "result needs a player: player, white or black"), ({"opponent_elo": 3}, "opponent_elo needs"), ({"then": True}, "text"),
    ]:  # fmt: skip
        raised((TypeError, ValueError), lambda: archive.find(**questions), words)
    assert archive.find(event="O'Neill \"x\" = --y").numbers == archive.find(player=numpy.int64(3)).numbers == []
    assert "\n    elo " in archive.find.__doc__ and "\n    in_variations " in archive.find.__doc__
    raised(OSError, lambda: pgc.open(pgn), "pgc.pack(")
    raised(ValueError, lambda: archive.names("nofield"), "nofield")
    raised(ValueError, lambda: archive[:2].names("nofield"), "nofield")
    # Moves are values.
    move = archive[0].moves[0]
    assert move == archive[0].moves[0] != archive[0].moves[1] and move != "e4" and len({move, archive[0].moves[0]}) == 1
    with open("noted.pgn", "w") as file:
        file.write("1. e4 {[%clk 0:10:00] a} $1 (1. d4 $3 {b} (1. {c} c4) d5) e5 2. Nf3 {[%clk 0:09:00][%eval -1.5]} *\n")
    pgc.pack("noted.pgn", "noted.pgc")
    moves = pgc.open("noted.pgc")[0].moves
    again = pickle.loads(pickle.dumps(moves))
    assert again == moves and again[0] != moves[1] and again[0].variations[0][0].variations[0][0].before == ["c"]
    assert [(m.clock, m.elapsed, m.eval, m.nags, m.comments) for m in again] == [(m.clock, m.elapsed, m.eval, m.nags, m.comments) for m in moves]
    # A move that another version pickled, by the names of its values; it also has a value that this version does not know.
    parts = {
        "san": "Nf3", "uci": "g1f3", "nags": [1], "nags_before": [], "raw_comments": ["[%clk 0:09:00][%eval -1.234]"], "before": [], "clock": 540.0,
        "elapsed": None, "pawns": -1.234, "mate": None, "depth": 12, "variations": [], "colour": "white",
    }  # fmt: skip
    kept = pickle.loads(b"cpgc._methods\n_move\n" + pickle.dumps(parts, 0)[:-1] + b"\x85R.")
    assert (kept.san, kept.uci, kept.nags, kept.clock, kept.eval, kept.depth, kept.comments) == ("Nf3", "g1f3", [1], 540.0, -123, 12, [])
    assert pickle.loads(pickle.dumps(kept)) == kept
    # What is printed is short and true.
    both = pgc.open(["sample.pgc", "sample.pgc"])
    shown = {
        archive: "<pgc.Archive sample.pgc: 13 games>", archive[:2]: "<pgc.Games: 2 of sample.pgc>", both: "<pgc.Collection: 26 games of 1 archives>",
        archive.to_arrow(["white"]): "<pgc.Table of 13 games: white>",
    }  # fmt: skip
    for thing, text in shown.items():
        assert repr(thing) == text, repr(thing)
    for thing in (archive, archive.find(white="anderssen"), both, archive[:0]):
        page = thing._repr_html_()
        assert page.count("<tr>") == 1 + min(10, len(thing)) and ("Anderssen" in page) == (len(thing) > 0)


def check_same_methods():
    """A collection answers as its archives do together, and some games as an archive of these."""
    archive, both = pgc.open("sample.pgc"), pgc.open([pathlib.Path("sample.pgc"), pathlib.Path("folder/below/b.pgcz")])
    assert pgc.open(iter(["sample.pgc"])).names() == archive.names()
    for name in ("player", "event", "round", "site", "ECO", "Variant"):
        one = archive.names(name)
        assert (list(one) == sorted(one, key=str.encode) or name == "round") and archive[::1].names(name) == one == archive.find(reverse=True).names(name), name
        assert both.names(name) == {each: 2 * games for each, games in one.items()} == both[:].names(name)
    tree, twice = archive.tree(depth=3), both.tree(depth=3)
    assert twice["games"] == 2 * tree["games"] and twice["moves"].keys() == tree["moves"].keys()
    assert both.tree(depth=3, unique=True) == tree == archive.find(sort="white").tree(depth=3)
    part = archive.find(white="anderssen")
    assert part.tree()["games"] == len(part) and part.tree(moves="1.e4")["games"] == archive.tree(moves="1.e4", white="anderssen")["games"]
    one, two = archive.stats(player="anderssen"), both.stats(player="anderssen")
    assert two["games"] == 2 * one["games"] and two["names"] == {name: 2 * games for name, games in one["names"].items()}
    assert both.stats(player="anderssen", unique=True)["games"] == one["games"] == part.stats(player="anderssen")["games"]
    assert part[:1].stats(player="anderssen")["games"] == 1
    groups = both.dups()
    assert sorted(number for group in groups for _, number in group) == sorted([*range(1, 14)] * 2) and all(len(group) == 2 for group in groups)
    assert archive.dups() == part.dups() == []
    assert len(both.find(unique=True)) == 13 and len(both.find(white="anderssen", unique=True)) == 2
    assert pyarrow.table(both.to_arrow(["number"], unique=True)).num_rows == 13
    assert both.find(sort="date", reverse=True, unique=True)[0]["Date"] == "1996.06.19"
    assert [dict(tags) for tags in both.tags(white="anderssen")] == [dict(game) for game in both.find(white="anderssen")]
    assert both.edit("edited", set={"Event": "Riga"}, white="anderssen") == 4 and pgc.open("edited").names("event")["Riga"] == 4
    assert part.edit("part.pgc", set={"Event": "Riga"}) == 2 and pgc.open("part.pgc").find(event="riga").numbers == part.numbers
    assert part.edit("rest.pgc", delete=True) == 2 and len(pgc.open("rest.pgc")) == 11
    raised(ValueError, lambda: archive.edit("x.pgc", delete=True), "question")
    for kind in (pgc.Archive, pgc.Games, pgc.Collection):
        for name in "find tree stats dups table names edit tags to_arrow to_pandas to_polars save sorted check_blocks indexed gaps".split():
            assert hasattr(kind, name), (kind, name)


def check_frames():
    archive, both = pgc.open("sample.pgc"), pgc.open(["sample.pgc", "sample.pgc"])
    for games in (archive, archive.find(white="anderssen"), both, archive[:0]):
        for table in ("games", "positions"):
            expected = pyarrow.table(games.to_arrow(table=table))
            assert games.to_pandas(table=table).equals(expected.to_pandas())
            assert games.to_polars(table=table).equals(polars.DataFrame(expected))
    frame = archive.to_pandas(["white", "result", "eco"], categories=True, date="1912..1924")
    assert frame["result"].dtype == "category" and frame["eco"].dtype == "category" and frame["white"].dtype != "category"
    assert list(frame["result"]) == [game["Result"] for game in archive.find(date="1912..1924")]
    other = archive.to_polars(["white", "result"], categories=["white"])
    assert other["white"].dtype == polars.Categorical and other["white"].to_list() == [game["White"] for game in archive]


def check_damage(pgn):
    text = open(pgn, "rb").read()
    open("many.pgn", "wb").write(text * 200)
    pgc.pack("many.pgn", "many.pgc")
    data = bytearray(open("many.pgc", "rb").read())
    data[len(data) // 2] ^= 0x55
    open("many.pgc", "wb").write(data)
    try:
        list(pgc.open("many.pgc"))
        raise AssertionError("damage")
    except pgc.DamagedError as error:
        assert "many.pgc" in str(error) and "byte" in str(error) and isinstance(error, pgc.Error)
    try:
        pyarrow.table(pgc.open("many.pgc").to_arrow())
        raise AssertionError("damage")
    except (OSError, pyarrow.ArrowException) as error:
        assert "many.pgc" in str(error), error
    archive = pgc.open("many.pgc", pass_damage=True)
    left = [game.number for game in archive]
    # Blocks divide the games; the damaged one is told.
    bounds = [archive.games_of_blocks(block, block + 1) for block in range(archive.blocks)]
    assert [first for first, _ in bounds[1:]] == [last for _, last in bounds[:-1]] and archive.blocks > 1
    assert (bounds[0][0], bounds[-1][1]) == archive.games_of_blocks(0, archive.blocks + 5) == (0, len(archive))
    (gap,) = archive.gaps
    assert (gap["first_game"] - 1, gap["first_game"] - 1 + gap["games"]) in bounds and gap["begin"] <= len(data) // 2 < gap["end"]
    assert 0 < len(left) < len(archive)
    assert pyarrow.table(archive.to_arrow(["number", "tail"]))["number"].to_pylist() == left
    # The index has the games of damaged blocks too.
    assert pyarrow.table(archive.to_arrow(["number"]))["number"].to_pylist() == [*range(1, len(archive) + 1)]


def check_threads():
    """Several threads read one archive; the lock of the interpreter is free meanwhile."""
    archive = pgc.open("sample.pgc")
    found = []
    threads = [threading.Thread(target=lambda: found.append(sum(len(g.moves) for g in archive))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1 and len(found) == 8


def check_standings(pgn):
    """Points by python-chess; all the rest as the program prints it."""
    archive, both = pgc.open("sample.pgc"), pgc.open(["sample.pgc", "sample.pgc"])
    points = Counter()
    for game in read(pgn):
        for side, value in zip(("White", "Black"), {"1-0": (1, 0), "0-1": (0, 1), "1/2-1/2": (0.5, 0.5)}.get(game.headers["Result"], ())):
            points[game.headers[side]] += value
    found = archive.table(as_written=True)
    assert {row["player"]: row["points"] for row in found["players"]} == {name: each for name, each in points.items() if name not in ("?", "NN")}
    assert found["copies"] is found["rounds"] is found["ratings"] is None
    assert both.table(unique=True) == {**archive.table(unique=True), "copies": 13}
    assert both.table()["players"][0]["games"] == 2 * archive.table()["players"][0]["games"]
    names = [row["player"] for row in archive.table(white="anderssen")["players"]]
    assert names == [row["player"] for row in archive.find(white="anderssen").table()["players"]] and len(names) == 3
    raised(ValueError, lambda: archive.table(tiebreak="BH,XX"), "XX")
    raised(ValueError, lambda: archive.table(ratings=True, anchor=("Nobody", 1)), "Nobody")
    raised(ValueError, lambda: archive.table(anchor=("Anderssen, Adolf", 1)), "ratings")
    if PROGRAM is None:
        print("without the program as second argument, standings are not compared with its own")
        return
    event = "".join(
        f'[Round "{number}"]\n[White "{white}"]\n[Black "{black}"]\n[WhiteElo "2400"]\n[Result "{result}"]\n\n1. e4 e5 2. Nf3 {result}\n\n'
        for number, white, black, result in [(2, "A", "B", "1-0"), (1, "B", "A", "1/2-1/2"), (1, "A", "C", "0-1"), (3, "C", "B", "0-1"), (4, "A", "C", "*")]
    )
    pgc.pack(event.encode(), "event.pgc")
    for path in ("sample.pgc", "event.pgc"):
        for options in ({}, {"rounds": True, "tiebreak": "BH-C1,DE"}, {"as_written": True}, {"ratings": True, "anchor": ("A", 2400.5)}):
            if path == "sample.pgc" and "anchor" in options:
                options = {"ratings": True}
            words = [PROGRAM, "table", path, "--json", "--unique", "-q"]
            for name, value in options.items():
                words += ["--" + name.replace("_", "-"), *([] if value is True else ["=".join(map(str, value)) if name == "anchor" else value])]
            printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            assert pgc.open(path).table(unique=True, **options) == json.loads(printed), (path, options)


def main():
    pgn = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        assert pgc.pack(pgn, "sample.pgc")["bytes_in"] == os.path.getsize(pgn)
        check_games(pgn)
        check_places(pgc.open("sample.pgc"))
        check_questions(pgn)
        check_openings()
        check_changes()
        check_pieces()
        check_classes(pgn)
        check_readme(pgn)
        check_collections(pgn)
        check_sorted_collections()
        check_sources(pgn)
        check_tables()
        check_files(pgn)
        check_values(pgn)
        check_same_methods()
        check_standings(pgn)
        check_frames()
        check_damage(pgn)
        check_threads()
        known = {"archive": pgc.open("sample.pgc"), "pgc": pgc}
        modules = (pgc, pgc._collection, pgc._filters, pgc._methods, pgc._packing)
        found = [doctest.testmod(module, extraglobs=known) for module in modules]
        attempted = sum(each.attempted for each in found)
        assert sum(each.failed for each in found) == 0 and attempted > 25
        os.chdir("/")
    print(f"the package does what python-chess does; {attempted} examples run")


if __name__ == "__main__":
    main()
