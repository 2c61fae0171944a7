#!/bin/sh
# Games in Parquet, one folder for each value of a tag, whose column then stands in the names of the folders
# alone. Rounds that were text: polars 2.1.0 (PyPI, 2026) makes numbers of the names, so that the rounds 1.1
# and 1.10, and 1 and 01, are one each, without a word; a round "?" among them, and all stay text. From its own
# folders it reads texts, since it leaves the column in the files too. duckdb 2.0.1, pyarrow 26.0.1 and pandas
# 3.1.1 keep the rounds apart. Titles, one of them unknown: pandas cannot read the folders that it has just
# written, an error about dictionaries, unless the column is left out; pyarrow, duckdb and polars read them.
#
# Output seen on 29 November 2026:
#| rounds, folders of duckdb: round=01 round=1 round=1.1 round=1.10
#| rounds, polars: 1.0 2 games, 1.1 2 games
#| rounds and "?", polars: 01 1 games, 1 1 games, 1.1 1 games, 1.10 1 games, ? 1 games
#| rounds, polars with hive_schema: 01 1 games, 1 1 games, 1.1 1 games, 1.10 1 games
#| rounds, polars from its own: 01 1 games, 1 1 games, 1.1 1 games, 1.10 1 games
#| rounds, duckdb: 01, 1, 1.1, 1.10
#| rounds, pyarrow: 01, 1, 1.1, 1.10
#| rounds, pandas: 01, 1, 1.1, 1.10
#| titles of pandas, pandas: ArrowInvalid
#| titles of pandas, pandas, the players alone: 3
#| titles of pandas, pyarrow: ['GM', 'IM', None]
#| titles of pandas, duckdb: ['GM', 'IM', None]
#| titles of pandas, polars: ['GM', 'IM', None]
#| titles of pandas, all known, pandas: ['GM', 'IM', 'WGM']
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1
cat > seen.py <<'PY'
import os, duckdb, pandas, polars, pyarrow, pyarrow.dataset as ds
ROUNDS, PLAYERS = ["1", "1.10", "1.1", "01"], ["Adler", "Baer", "Curie", "Dahl"]
games = pyarrow.table({"round": ROUNDS, "white": PLAYERS})
with_unknown = pyarrow.table({"round": [*ROUNDS, "?"], "white": [*PLAYERS, "Euwe"]})
duckdb.sql("copy (from games) to 'games' (format parquet, partition_by (round))")
duckdb.sql("copy (from with_unknown) to 'more' (format parquet, partition_by (round))")
print("rounds, folders of duckdb:", *sorted(os.listdir("games")))
def by_polars(name, folder, **options):
    counts = polars.scan_parquet(folder, **options).group_by("round").len().sort("round").collect()
    print(f"{name}:", ", ".join(f"{number} {count} games" for number, count in counts.rows()))
by_polars("rounds, polars", "games")
by_polars('rounds and "?", polars', "more")
by_polars("rounds, polars with hive_schema", "games", hive_schema={"round": polars.String})
polars.from_arrow(games).write_parquet("own", partition_by="round")
by_polars("rounds, polars from its own", "own")
def by_duckdb(folder, column):
    rows = duckdb.sql(f"select {column} from read_parquet('{folder}/**/*.parquet', hive_partitioning=true)").fetchall()
    return [value for value, in rows]
def by_pyarrow(folder, column):
    return ds.dataset(folder, partitioning="hive").to_table()[column].to_pylist()
print("rounds, duckdb:", ", ".join(sorted(by_duckdb("games", "round"))))
print("rounds, pyarrow:", ", ".join(sorted(by_pyarrow("games", "round"))))
print("rounds, pandas:", ", ".join(sorted(pandas.read_parquet("games")["round"])))
def known_first(titles):
    return sorted(titles, key=lambda title: (title is None, title))
pandas.DataFrame({"title": ["GM", None, "IM"], "white": PLAYERS[:3]}).to_parquet("titles", partition_cols=["title"])
try:
    print("titles of pandas, pandas:", known_first(pandas.read_parquet("titles")["title"]))
except pyarrow.ArrowInvalid as error:
    print("titles of pandas, pandas:", type(error).__name__)
print("titles of pandas, pandas, the players alone:", len(pandas.read_parquet("titles", columns=["white"])))
print("titles of pandas, pyarrow:", known_first(by_pyarrow("titles", "title")))
print("titles of pandas, duckdb:", known_first(by_duckdb("titles", "title")))
print("titles of pandas, polars:", known_first(polars.scan_parquet("titles").collect()["title"]))
pandas.DataFrame({"title": ["GM", "WGM", "IM"], "white": PLAYERS[:3]}).to_parquet("known", partition_cols=["title"])
print("titles of pandas, all known, pandas:", known_first(pandas.read_parquet("known")["title"]))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
