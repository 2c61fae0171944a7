"""Tests of the package, against python-chess. Run with `python tests/test_pgc.py SAMPLE.pgn`: no test runner is needed."""

import doctest
import io
import os
import sys
import tempfile
import threading

import chess.pgn
import pgc
import polars
import pyarrow


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
    except pgc.Error as error:
        assert "many.pgc" in str(error)
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


def main():
    pgn = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        assert pgc.pack(pgn, "sample.pgc")["bytes_in"] == os.path.getsize(pgn)
        check_games(pgn)
        check_places(pgc.open("sample.pgc"))
        check_questions(pgn)
        check_openings()
        check_pieces()
        check_tables()
        check_files(pgn)
        check_damage(pgn)
        check_threads()
        examples = doctest.testmod(pgc, extraglobs={"archive": pgc.open("sample.pgc")})
        assert examples.failed == 0 and examples.attempted > 10
        os.chdir("/")
    print(f"the package does what python-chess does; {examples.attempted} examples run")


if __name__ == "__main__":
    main()
