#!/bin/sh
# Points of games, 1 and 0, and only behind the first 30,000 rows a draw, 0.5. duckdb 2.0.1 (PyPI, 2026)
# looks at about 20,000 rows, takes the column for whole numbers and rounds what comes later, without a
# word: ten draws in CSV are ten wins more, the same ten in JSON, one a line, are ten losses. A round 1.10
# of a later row is 1, and behind 30,000 dates a date with its time loses the time. A late text that is no
# number ("?") is an error. sample_size=-1 looks at all rows. polars 2.1.0 raises an error at the first
# draw, pandas 3.1.1 and pyarrow 26.0.1 are right.
#
# Output seen on 28 November 2026:
#| duckdb, CSV: 15010
#| duckdb, JSON: 15000
#| duckdb, CSV, sample_size=-1: 15005.0
#| polars: ComputeError
#| pandas, pyarrow: 15005.0 15005.0
#| duckdb, last of the rounds: 1
#| duckdb, last of the dates: 2024-02-01
#| duckdb, last rating ?: ConversionException
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
cat > seen.py <<'PY'
import duckdb, pandas, polars, pyarrow.compute, pyarrow.csv
points = [game % 2 for game in range(30_000)] + [0.5] * 10
with open("points.csv", "w") as csv, open("points.ndjson", "w") as json:
    print("points", file=csv)
    for value in points:
        print(value, file=csv)
        print(f'{{"points": {value}}}', file=json)
def asked(query):
    try:
        return duckdb.sql(query).fetchall()[0][0]
    except duckdb.Error as error:
        return type(error).__name__
print("duckdb, CSV:", asked("select sum(points) from 'points.csv'"))
print("duckdb, JSON:", asked("select sum(points) from 'points.ndjson'"))
print("duckdb, CSV, sample_size=-1:", asked("select sum(points) from read_csv('points.csv', sample_size=-1)"))
try:
    print("polars:", polars.read_csv("points.csv")["points"].sum())
except polars.exceptions.ComputeError as error:
    print("polars:", type(error).__name__)
table = pyarrow.csv.read_csv("points.csv")
print("pandas, pyarrow:", pandas.read_csv("points.csv")["points"].sum(), pyarrow.compute.sum(table["points"]))
late = {"of the rounds": ("1", "1.10"), "of the dates": ("2024-01-31", "2024-02-01 18:30:00"), "rating ?": ("2400", "?")}
for what, (first, last) in late.items():
    with open("late.csv", "w") as csv:
        csv.write("value,game\n" + f"{first},1\n" * 30_000 + f"{last},2\n")
    print(f"duckdb, last {what}:", asked("select value from 'late.csv' where game = 2"))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
