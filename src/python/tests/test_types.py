"""The Python of the README and of the cookbook passes `mypy --strict`, and pyright where that is installed: `python tests/test_types.py`."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
PAGES = [HERE.parent / "README.md", HERE.parents[2] / "spec" / "manual" / "cookbook.md"]
SPARK = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"

# What is returned, as far as people use it.
USES = """
import datetime, pathlib
import chess, chess.pgn, pandas, polars, pgc

def uses(archive: pgc.Archive, both: pgc.Collection, board: chess.pgn.Game) -> None:
    found: pgc.Games = archive.find(elo=(2700, None), date=datetime.date(1960, 1, 1), white=["tal", "smyslov"], unique=True)
    together: pgc.Collection = pgc.open([pathlib.Path("a.pgc")]).find(plies=range(3), progress=True)
    for games in (archive, found, both, together):
        games.tree(depth=3, date=slice("1960", "1970"))["moves"]["e4"]["games"] + 1
        games.stats(player="tal")["white"]["games"] + 1
        standings = games.table(tiebreak=["SB"], ratings=True, anchor=("Tal", 2700), event="Bled")
        standings["players"][0]["points"] + standings["unfinished"]
        frames: tuple[pandas.DataFrame, polars.DataFrame] = games.to_pandas(["white"]), games.to_polars(["white"], categories=True)
        games.save("x.pgn", force=True, progress=lambda done, total: print(done / total)) + len(frames)
        pgc.pack(games, "x.pgc")["games"] + games.names("event")["Riga"]
    pgc.pack([archive[0], "1. e4 *", board, pathlib.Path("x.pgn")], pathlib.Path("x.pgc"), allow_empty=True)
    pgc.pack((game for game in archive if game["White"] == "Tal"), "x.pgc")
    one: list[list[int]] = archive.dups()
    two: str = str(both.dups()[0][0][0]) + archive[0].moves[0].san
    for game in archive[2:5]:
        print(game.number, game.get("White", "?"), one, two)
"""


def check(tool, *arguments):
    if importlib.util.find_spec(tool) is None:
        print(f"{tool} is not installed")
        return False
    done = subprocess.run([sys.executable, "-m", tool, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return True


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("uses.py").write_text(USES)
        names = ["uses.py"]
        for page in PAGES:
            for number, part in enumerate(re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)):
                code = "\n".join(re.findall(r"```python\n(.*?)```", part, re.DOTALL))
                if not code:
                    continue
                names.append(f"{page.stem.lower()}_{number}.py")
                begin = SPARK if "(spark)" in code and "SparkSession" not in code else ""
                pathlib.Path(names[-1]).write_text(begin + code)
        # Other packages may have no types of their own.
        checked = check("mypy", "--strict", "--follow-imports=silent", "--ignore-missing-imports", *names)
        pathlib.Path("pyrightconfig.json").write_text('{"reportUnusedExpression": false, "reportMissingImports": "warning"}')
        checked |= check("pyright", "--pythonpath", sys.executable)
        os.chdir("/")
    print(f"{len(names)} files have the right types" if checked else "types were not checked")


if __name__ == "__main__":
    main()
