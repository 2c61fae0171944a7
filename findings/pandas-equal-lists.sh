#!/bin/sh
# Moves as a column of lists of Arrow in pandas 3.1.1 (PyPI, 2026; read_parquet() with
# dtype_backend="pyarrow"): == is False for every game, of a column with itself too, and != is True.
# It is no error: pyarrow 26.0.1 has no comparison of lists, and pandas takes that for "all differ".
# compare() of two equal tables so lists every game, while equals() says that they are equal. With
# Python lists in the column == compares them.
#
# Output seen on 28 November 2026:
#| lists of Arrow: == [False, False], != [True, True], compare() 2 games, equals() True
#| Python lists: == [True, True], != [False, False], compare() 0 games, equals() True
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pandas==3.1.1 pyarrow==26.0.1
cat > seen.py <<'PY'
import pandas, pyarrow as pa, pyarrow.parquet as pq
games = [["e4", "e5"], ["d4"]]
pq.write_table(pa.table({"moves": games}), "games.parquet")
def seen(what, one, other):
    equal, differ = (one == other).tolist(), (one != other).tolist()
    print(f"{what}: == {equal}, != {differ}, compare() {len(one.compare(other))} games, equals() {one.equals(other)}")
read = lambda: pandas.read_parquet("games.parquet", dtype_backend="pyarrow").moves
seen("lists of Arrow", read(), read())
seen("Python lists", pandas.Series(games), pandas.Series(games))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
