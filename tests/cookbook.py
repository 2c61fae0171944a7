#!/usr/bin/env python3
"""Runs the recipes of spec/manual/cookbook.md, and the session of README.md: cookbook.py PROGRAM [--write] [WORDS OF A TITLE]

Each recipe (a heading of the second level) runs in a folder of its own, with the files that it needs, which are made here: games
of random legal moves. A block ```sh or ```python runs; a block ```text behind it is what it prints, where `[..]` stands for
anything in a line. With --write, what was printed takes the place of such a block.
A recipe whose Python packages or programs are missing is skipped, with a message.

The session of README.md is the lines behind `$ ` in its blocks, and what stands below them, times aside. Its masters.pgn is the files
of ../shared/corpora/masters, one behind the other; without them the session is skipped.
"""

import functools
import glob
import importlib.util
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

import chess
import chess.pgn

HERE = os.path.dirname(os.path.abspath(__file__))
COOKBOOK = os.path.join(HERE, "..", "spec", "manual", "cookbook.md")

# What is printed does not depend on the terminal, and Spark talks to this machine only.
SURROUNDINGS = {"NO_COLOR": "1", "COLUMNS": "110", "SPARK_LOCAL_IP": "127.0.0.1"}

PLAYERS = {"Berg, Anna": 2610, "Costa, Rui": 2540, "Dahl, Erik": 2455, "Ek, Maja": 2380, "Fodor, Pal": 2290, "Gallo, Ugo": 2105}
OPENINGS = [("B90", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6"), ("C65", "e4 e5 Nf3 Nc6 Bb5 Nf6"), ("D37", "d4 d5 c4 e6 Nc3 Nf6 Nf3 Be7"),
            ("A13", "c4 e6 Nf3 d5"), ("C02", "e4 e6 d4 d5 e5 c5")]


@functools.cache
def moves(seed):
    """An opening and random moves behind it."""
    chance = random.Random(seed)
    eco, line = OPENINGS[seed % len(OPENINGS)]
    board = chess.Board()
    for san in line.split():
        board.push_san(san)
    for _ in range(chance.randrange(20, 60)):
        if board.is_game_over():
            break
        board.push(chance.choice(sorted(board.legal_moves, key=chess.Move.uci)))
    return eco, board


def game(seed, clocks=False, **tags):
    chance = random.Random(seed)
    white, black = chance.sample(sorted(PLAYERS), 2)
    eco, board = moves(seed)
    year = 2001 + seed % 20
    elo = {player: PLAYERS[player] + 6 * (year - 2010) + chance.randrange(-20, 20) for player in (white, black)}
    headers = {"Event": "Open", "Site": "Oslo NOR", "Date": f"{year}.05.{1 + seed % 28:02}", "Round": str(1 + seed % 9),
               "White": white, "Black": black, "Result": chance.choice(["1-0", "1-0", "0-1", "1/2-1/2"]),
               "WhiteElo": str(elo[white]), "BlackElo": str(elo[black]), "ECO": eco, **tags}
    text = "".join(f'[{name} "{value}"]\n' for name, value in headers.items()) + "\n"
    walk, words = chess.Board(), []
    for ply, move in enumerate(board.move_stack):
        number = f"{walk.fullmove_number}." if walk.turn else f"{walk.fullmove_number}..."
        if clocks:
            words.append(f"{number} {walk.san(move)} {{ [%clk 0:{max(0, 179 - ply) // 60:02}:{max(0, 179 - ply) % 60:02}] }}")
        else:
            words.append(f"{number} {walk.san(move)}" if walk.turn else walk.san(move))
        walk.push(move)
    return text + " ".join(words + [headers["Result"]]) + "\n\n"


def games(*seeds, **tags):
    return "".join(game(seed, **tags) for seed in seeds)


def put(name, text):
    with open(name, "w", encoding="ascii", newline="\n") as file:
        file.write(text)


def zstd(text):
    """A Zstandard frame whose blocks are not compressed (RFC 8878)."""
    data, frame = text.encode("ascii"), bytearray(b"\x28\xb5\x2f\xfd\x00\x58")
    pieces = [data[at:at + 65536] for at in range(0, len(data), 65536)] or [b""]
    for at, piece in enumerate(pieces):
        frame += struct.pack("<I", len(piece) << 3 | (at == len(pieces) - 1))[:3] + piece
    return bytes(frame)


def month():
    lichess = dict(Event="Rated Blitz game", Site="https://lichess.org/x", TimeControl="180+0", clocks=True)
    with open("lichess_db_standard_rated_2013-01.pgn.zst", "wb") as file:
        file.write(zstd("".join(game(seed, **lichess) for seed in range(400))))


def collection():
    put("masters.pgn", games(*range(400)))


def analysed():
    """A collection, and games to the end with clocks and evaluations at random."""
    collection()
    chance, text = random.Random(7), ""
    for seed in range(60):
        board, words = chess.Board(), []
        while not board.is_game_over() and board.ply() < 240:
            captures = sorted(board.generate_legal_captures(), key=chess.Move.uci)
            move = chance.choice(captures or sorted(board.legal_moves, key=chess.Move.uci))
            left, value = 180 - 3 * (board.ply() // 4), chance.gauss(0.3, 0.8)
            words.append(f"{board.san_and_push(move)} {{ [%eval {value:.2f}] [%clk 0:{left // 60:02}:{left % 60:02}] }}")
        text += game(seed).split("\n\n")[0] + "\n\n" + " ".join(words) + "\n\n"
    put("analysed.pgn", text)


def tournament():
    for number in range(1, 5):
        put(f"round{number}.pgn", games(*range(10 * number, 10 * number + 5), Event="Club Chamionship", Date=f"2026.03.{number:02}", Round=str(number)))


def magazine():
    for number, seeds in ((920, range(0, 40)), (921, range(30, 70)), (922, range(70, 90))):
        with zipfile.ZipFile(f"twic{number}g.zip", "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(f"twic{number}.pgn", games(*seeds))
    with zipfile.ZipFile("twic923g.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("twic923.pgn", games(*range(80, 100)))


def disk():
    put("games.pgn", games(*range(3000)))


def folder():
    os.makedirs("dumps")
    for part in range(4):
        put(f"dumps/part{part}.pgn", games(*range(100 * part, 100 * part + 100)))


# Words of the title of a recipe: what makes its files, and the Python packages and programs that it needs.
NEEDS = {
    "Lichess month": (month, []),
    "opening book": (collection, []),
    "tournament archive": (tournament, []),
    "preparation": (collection, []),
    "TWIC": (magazine, []),
    "repertoire": (collection, ["duckdb", "pgc"]),
    "DuckDB": (analysed, ["duckdb", "pgc"]),
    "Spark": (folder, ["pyspark", "pgc", "java"]),
    "broken disk": (disk, []),
}


def recipes(lines):
    """The recipes: a title, and its blocks as (language, first line, line behind the last, lines)."""
    title, blocks, start = None, [], None
    for at, line in enumerate(lines):
        if line.startswith("## "):
            if title:
                yield title, blocks
            title, blocks = line[3:].strip(), []
        elif line.startswith("```"):
            if start is None:
                start = at
            else:
                blocks.append((lines[start][3:].strip(), start + 1, at, lines[start + 1:at]))
                start = None
    if title:
        yield title, blocks


def absent(needed):
    return [name for name in needed if importlib.util.find_spec(name) is None and not shutil.which(name)]


def run(language, code, program):
    path = os.pathsep.join([os.path.dirname(program), os.path.dirname(sys.executable), os.environ["PATH"]])
    command = ["bash", "-euo", "pipefail", "-c"] if language == "sh" else [sys.executable, "-c"]
    # Spark tells much about itself on standard error.
    errors = subprocess.STDOUT if language == "sh" else subprocess.PIPE
    done = subprocess.run(command + ["\n".join(code)], env={**os.environ, **SURROUNDINGS, "PATH": path}, text=True,
                          stdout=subprocess.PIPE, stderr=errors, check=False, timeout=600)
    printed = done.stdout if done.returncode == 0 else done.stdout + (done.stderr or "")
    # DuckDB prints a bar for a query of more than two seconds, to files and pipes too.
    printed = re.sub(r"\n[^\n]*% ▕[^\n]*\n", "", printed)
    return done.returncode, printed.rstrip("\n").split("\n")


def agrees(shown, printed):
    pattern = "\n".join(".*".join(map(re.escape, line.rstrip().split("[..]"))) for line in shown)
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in printed)) is not None


def cook(title, blocks, program, written):
    """Runs a recipe; collects what was printed, for --write."""
    for (language, _, _, code), behind in zip(blocks, blocks[1:] + [("", 0, 0, [])]):
        if language == "text":
            continue
        status, printed = run(language, code, program)
        # A block that ends with an exit code other than 0 says so.
        expected = int(next((line.split("exit code ")[1] for line in code if "# exit code " in line), "0"))
        if status != expected:
            sys.exit(f"{title}: exit code {status}\n" + "\n".join(code + ["---"] + printed))
        if behind[0] == "text":
            if written is not None:
                written.append((behind[1], behind[2], printed))
            elif not agrees(behind[3], printed):
                sys.exit(f"{title}: printed otherwise\n" + "\n".join(code + ["--- the cookbook"] + behind[3] + ["--- now"] + printed))


def timeless(lines):
    return [re.sub(r"[\d.]+ s, [\d.]+ MB/s", "", line) for line in lines]


def session(program):
    """Runs the commands of README.md in one folder, and compares what they print."""
    with open(os.path.join(HERE, "..", "README.md"), encoding="utf-8") as file:
        text = file.read()
    masters = sorted(glob.glob(os.path.join(HERE, "..", "..", "shared", "corpora", "masters", "*.pgn")))
    if not masters:
        print("skipped: README: there is no ../shared/corpora/masters")
        return
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        with open("masters.pgn", "wb") as all_games:
            for name in masters:
                with open(name, "rb") as file:
                    all_games.write(file.read())
        for block in re.findall(r"^```text\n(\$ .*?)^```$", text, re.MULTILINE | re.DOTALL):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, *shown = part.rstrip("\n").split("\n")
                # `head` may end before its input, which is no failure.
                _, printed = run("sh", ["set +o pipefail", command], program)
                if timeless(shown) != timeless(printed):
                    sys.exit("\n".join(["README: printed otherwise", command, "--- README", *shown, "--- now", *printed]))
        os.chdir(HERE)
    print("README: as it should", flush=True)


def main():
    arguments = sys.argv[1:]
    written = [] if "--write" in arguments else None
    program, *words = [each for each in arguments if each != "--write"]
    program = os.path.abspath(program)
    with open(COOKBOOK, encoding="utf-8") as file:
        lines = file.read().split("\n")
    known = set()
    if not words or "README" in words:
        session(program)
    for title, blocks in recipes(lines):
        key = next((key for key in NEEDS if key in title), None)
        if key is None:
            sys.exit(f"{title}: tests/cookbook.py does not know which files this recipe needs")
        known.add(key)
        make, needed = NEEDS[key]
        if any(word not in title for word in words):
            continue
        if absent(needed):
            print(f"skipped: {title}: there is no {', no '.join(absent(needed))}")
            continue
        with tempfile.TemporaryDirectory() as place:
            os.chdir(place)
            make()
            cook(title, blocks, program, written)
            os.chdir(HERE)
        print(f"{title}: as it should", flush=True)
    if known != set(NEEDS):
        sys.exit(f"the cookbook has no recipe for: {', '.join(set(NEEDS) - known)}")
    for start, end, printed in reversed(written or []):
        lines[start:end] = printed
    if written:
        with open(COOKBOOK, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))


if __name__ == "__main__":
    main()
