"""Compares tables that pgc wrote with python-chess, and the answers of four readers with each other.

    pgc pack games.pgn -o games.pgc
    pgc find games.pgc --with tags,moves,san,clocks,evals,comments,nags,pgn -o games.parquet
    pgc find games.pgc --table positions --with key,fen,moves,san -o positions.parquet
    pgc find games.pgc --table nodes --columns number,node,parent,variation,ply,fen,san,uci,before,comment,nags -o nodes.parquet
    python tests/tables.py games.pgn games.parquet positions.parquet nodes.parquet

Needs chess, duckdb, pandas, polars and pyarrow; with pyspark, Spark reads too. Written from spec/manual/tables.md alone.
The PGN file has legal chess only, in UTF-8, and a tag section in each game.
"""

import datetime
import os
import pathlib
import re
import sys

import chess.pgn
import chess.polyglot
import duckdb
import pandas
import polars
import pyarrow.parquet

# Columns with the value of a tag, unless it is unknown.
TEXTS = {
    "event": "Event", "site": "Site", "round": "Round", "white": "White", "black": "Black",
    "white_title": "WhiteTitle", "black_title": "BlackTitle", "eco_tag": "ECO", "opening_tag": "Opening",
    "variation": "Variation", "time_control": "TimeControl", "termination": "Termination",
    "fen": "FEN",
}
COMMAND = re.compile(r"\[%(clk|emt|eval)\s+([^\]]*?)\s*\]")


def packed(board, move):
    """A move in 16 bits."""
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


def check_macros():
    """The macros of spec/moves.sql name every move and every drop as python-chess does."""
    duckdb.sql(pathlib.Path(__file__).parents[1].joinpath("spec/moves.sql").read_text())
    squares = chess.SQUARES
    moves = [chess.Move(a, b, piece or None) for a in squares for b in squares if a != b for piece in (0, 2, 3, 4, 5, 6)]
    drops = [chess.Move(a, a, drop=piece) for a in squares for piece in range(1, 6)]
    rows = [(packed(None, move) | (move.drop or 0) << 12, move.uci()) for move in moves + drops]
    moves = pandas.DataFrame(rows, columns=["move", "uci"]).astype({"move": "uint16"})
    assert duckdb.sql("select count(*) from moves where pgc_uci(move) = uci").fetchall()[0][0] == len(rows)
    print(f"moves.sql: {len(rows)} moves named as by python-chess")


def seconds(text):
    total = 0.0
    for part in text.split(":"):
        total = 60 * total + float(part)
    return total


def commands(comment):
    """The values in a comment, and what is left of it."""
    values, left, end = {}, [], 0
    for found in COMMAND.finditer(comment):
        name, value = found.groups()
        if name in values:
            continue
        if name == "eval":
            value, _, depth = value.partition(",")
            if depth.strip().isdigit():
                values["depth"] = ("depths", int(depth))
            values[name] = ("mates", int(value[1:])) if value[0] == "#" else ("evals", round(100 * float(value)))
        else:
            values[name] = ("clocks" if name == "clk" else "elapsed", seconds(value))
        left.append(comment[end:found.start()])
        end = found.end()
    left.append(comment[end:])
    return dict(values.values()), " ".join(part.strip() for part in left if part.strip())


def date_parts(text):
    """Year, month and day as far as they are known in order, and the date if it is complete."""
    found = re.fullmatch(r"(\d{4})\.(\d\d|\?\?)\.(\d\d|\?\?)", text or "")
    if not found:
        return [None] * 4
    year, month, day = (int(part) if part.isdigit() else None for part in found.groups())
    month = month if month and month <= 12 else None
    day = day if month and day and day <= 31 else None
    try:
        full = datetime.date(year, month, day)
    except (TypeError, ValueError):
        full = None
    return [year, month, day, full]


def row_of(game, tags):
    """The row of the table of games that python-chess's reading gives."""
    row = {name: value if (value := tags.get(tag)) not in (None, "", "?") else None for name, tag in TEXTS.items()}
    date = tags.get("Date", "")
    if not re.search(r"\d", date):
        date = tags.get("UTCDate", "")
    code = re.match(r"[A-Ea-e]\d\d", tags.get("ECO", ""), re.ASCII)
    row["eco"] = code[0].upper() if code else None
    row["date"] = date if re.search(r"\d", date) else None
    row["year"], row["month"], row["day"], row["full_date"] = date_parts(date)
    for side in ("White", "Black"):
        elo = tags.get(side + "Elo", "")
        row[side.lower() + "_elo"] = int(elo) if elo.isdigit() and 0 < int(elo) < 65536 else None
    control = re.fullmatch(r"(\d+)(?:\+(\d+))?", tags.get("TimeControl", ""))
    row["base_seconds"] = int(control[1]) if control else None
    row["increment_seconds"] = int(control[2] or 0) if control else None
    # Lichess's estimate: the base, and the increment for 40 moves.
    estimate = control and row["base_seconds"] + 40 * row["increment_seconds"]
    speeds = [(180, "bullet"), (480, "blitz"), (1500, "rapid"), (float("inf"), "classical")]
    row["speed"] = next(name for most, name in speeds if estimate < most) if control else {"-": "unlimited"}.get(tags.get("TimeControl"))
    # python-chess names the same rules in its own way.
    rules = {"giveaway": "antichess", "3check": "three-check"}.get(game.board().uci_variant, game.board().uci_variant)
    row["variant"] = "chess960" if game.board().chess960 and rules == "chess" else rules
    result = tags.get("Result")
    row["result"] = result if result in ("1-0", "0-1", "1/2-1/2") else game.headers.get("Result", "*")
    nodes = list(game.mainline())
    row["plies"] = len(nodes)
    row["wholeness"] = "understood"
    row["moves"] = [packed(node.parent.board(), node.move) for node in nodes]
    row["san"] = [node.san() for node in nodes]
    lists = {name: [None] * len(nodes) for name in ("clocks", "elapsed", "evals", "mates", "depths", "comments", "nags")}
    for ply, node in enumerate(nodes):
        values, comment = commands(node.comment)
        for name, value in values.items():
            lists[name][ply] = value
        lists["comments"][ply] = " ".join(comment.split()) or None
        lists["nags"][ply] = sorted(node.nags) or None
    for name, values in lists.items():
        row[name] = values if any(value is not None for value in values) else None
    return row


def plain(value):
    """The same value without what differs between two readings: white space in comments, the order of NAGs."""
    return " ".join(value.split()) if isinstance(value, str) else value


def check_games(pgn, path):
    """Compares each game, and returns how many there are."""
    rows = pyarrow.parquet.read_table(path).to_pylist()
    known = set(TEXTS.values()) | {"Date", "Result", "WhiteElo", "BlackElo"}
    with open(pgn, encoding="utf-8") as source:
        count = 0
        while (game := chess.pgn.read_game(source)) is not None:
            actual = rows[count]
            count += 1
            assert not game.errors, f"game {count}: {game.errors}"
            # python-chess adds tags of the roster that are missing, with unknown values.
            expected = row_of(game, dict(game.headers))
            for name, value in expected.items():
                found = actual[name]
                if name == "nags" and found:
                    found = [sorted(nags) if nags else None for nags in found]
                if name == "comments" and found:
                    found = [plain(comment) for comment in found]
                assert found == value, f"game {count}, {name}: {found!r}, python-chess says {value!r}"
            others = {name: value for name, value in game.headers.items() if name not in known}
            kept = {name: value for name, value in actual["tags"] if name not in known}
            assert kept == others, f"game {count}: {kept} {others}"
            assert plain(actual["first_comment"]) == (plain(game.comment) or None), f"game {count}"
            assert actual["number"] == count and actual["tail"] is None
            assert chess.pgn.read_game(__import__("io").StringIO(actual["pgn"])).headers == game.headers
    assert count == len(rows), f"{len(rows)} rows, {count} games"
    return count


def check_positions(pgn, path):
    """Compares each position, and returns how many there are."""
    table = pyarrow.parquet.read_table(path)
    names = ("number", "ply", "key", "fen", "move", "san")
    rows = zip(*(table.column(name).to_pylist() for name in names))
    count = number = 0
    with open(pgn, encoding="utf-8") as source:
        while (game := chess.pgn.read_game(source)) is not None:
            number += 1
            board, moves = game.board(), list(game.mainline_moves())
            for ply, move in enumerate(moves + [None]):
                count += 1
                # PolyGlot knows no other rules.
                key = chess.polyglot.zobrist_hash(board) if board.uci_variant == "chess" else None
                expected = (
                    number, ply, key, board.fen(),
                    move and packed(board, move), move and board.san(move),
                )
                assert next(rows) == expected, expected
                if move:
                    board.push(move)
    assert next(rows, None) is None
    return count


def check_nodes(pgn, path):
    """Compares each move of all lines, and returns how many there are."""
    found, count, number = pyarrow.parquet.read_table(path).to_pylist(), 0, 0
    with open(pgn, encoding="utf-8") as source:
        while (game := chess.pgn.read_game(source)) is not None:
            number += 1
            rows = iter(row for row in found if row["number"] == number)
            # In the order of the text: a move, what replaces it, what follows.
            waiting = [(game.variations[0], 0)] if game.variations else []
            at = {game: 0}
            while waiting:
                node, around = waiting.pop()
                row, board = next(rows), node.parent.board()
                count += 1
                at[node] = row["node"]
                assert row["parent"] == at[node.parent] and row["variation"] == around, (number, row)
                assert (row["san"], row["uci"], row["ply"], row["fen"]) == (node.san(), node.uci(), board.ply() - game.board().ply(), board.fen()), (number, row)
                assert sorted(row["nags"] or []) == sorted(node.nags), (number, row)
                before = node.starting_comment or (game.comment if node.parent is game and around == 0 else "")
                assert plain(row["before"] or "") == plain(before), (number, row)
                assert plain(row["comment"] or "") == " ".join(commands(node.comment)[1].split()), (number, row)
                if node.variations:
                    waiting.append((node.variations[0], around))
                if node.parent.variations[0] is node:
                    waiting.extend((other, around + 1) for other in reversed(node.parent.variations[1:]))
            assert next(rows, None) is None, number
    assert count == len(found)
    return count


def check_readers(path):
    """Asks four readers the same questions."""
    table = pyarrow.parquet.read_table(path)
    moves = sum(len(moves) for moves in table.column("moves").to_pylist())
    white = sum(1 for result in table.column("result").to_pylist() if result == "1-0")
    expected = (table.num_rows, moves, white)
    query = f"select count(*), sum(len(moves)), count(*) filter (result = '1-0') from '{path}'"
    frame = polars.read_parquet(path)
    other = pandas.read_parquet(path)
    readers = {
        "DuckDB": duckdb.sql(query).fetchall()[0],
        "Polars": (len(frame), frame["moves"].list.len().sum(), (frame["result"] == "1-0").sum()),
        "pandas": (len(other), sum(map(len, other["moves"])), (other["result"] == "1-0").sum()),
    }
    # Lists of values that may be null, maps and lists of lists: the types that readers differ about.
    clocks = [row for row in table.column("clocks").to_pylist() if row]
    tags = [dict(row) for row in table.column("tags").to_pylist()]
    nags = sum(len(nags) for row in table.column("nags").to_pylist() if row for nags in row if nags)
    assert [row[0] for row in duckdb.sql(f"select clocks from '{path}' where clocks is not null").fetchall()] == clocks
    assert frame["clocks"].drop_nulls().to_list() == clocks
    assert [row[0] for row in duckdb.sql(f"select tags from '{path}'").fetchall()] == tags
    counted = duckdb.sql(f"select sum(len(flatten(list_filter(nags, lambda n: n is not null)))) from '{path}'").fetchall()[0][0]
    assert (counted or 0) == nags
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        pass
    else:
        # Spark talks to this machine only.
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        spark.read.parquet(path).createOrReplaceTempView("games")
        row = spark.sql("select count(*), sum(size(moves)), count_if(result = '1-0') from games").first()
        readers["Spark"] = tuple(row)
        found = [row.tags for row in spark.sql("select number, tags from games order by number").collect()]
        assert found == tags
        found = [list(row.clocks) for row in spark.sql("select number, clocks from games order by number").collect() if row.clocks]
        assert found == clocks
    for name, answer in readers.items():
        assert tuple(answer) == expected, f"{name}: {answer}, expected {expected}"
    return list(readers)


def main():
    pgn, games, positions, nodes = sys.argv[1:]
    count = check_games(pgn, games)
    places = check_positions(pgn, positions)
    moves = check_nodes(pgn, nodes)
    readers = ", ".join(check_readers(games))
    print(f"{count} games, {places} positions and {moves} moves of all lines are as python-chess reads them; the same in {readers}")


if __name__ == "__main__":
    check_macros()
    main()
