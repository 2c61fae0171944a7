#!/bin/sh
# "The third move of each game", from a column of lists of moves in which some games are shorter. In
# duckdb 2.0.1 it is null for them. polars 2.1.0 and pyarrow 26.0.1 (PyPI, 2026) stop with an error
# for the whole column because of one short game; in pandas 3.1.1 it depends on the column's type:
# Python lists give NaN, lists of Arrow an error.
#
# Output seen on 27 November 2026:
#| duckdb: ['Nf3', None, None]
#| polars: ComputeError
#| pyarrow: ArrowInvalid
#| pandas, lists: ['Nf3', nan, nan]
#| pandas, lists of Arrow: ArrowInvalid
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
cat > seen.py <<'PY'
import duckdb, pandas, polars, pyarrow as pa, pyarrow.compute as pc
games = pa.table({"moves": [["e4", "e5", "Nf3"], ["d4", "d5"], []]})
def seen(what, third):
    try:
        got = third()
    except Exception as error:
        got = type(error).__name__
    print(f"{what}: {got}")
seen("duckdb", lambda: [row[0] for row in duckdb.sql("select moves[3] from games").fetchall()])
seen("polars", lambda: polars.from_arrow(games)["moves"].list.get(2).to_list())
seen("pyarrow", lambda: pc.list_element(games["moves"], 2).to_pylist())
seen("pandas, lists", lambda: games.to_pandas().moves.str[2].tolist())
seen("pandas, lists of Arrow", lambda: games.to_pandas(types_mapper=pandas.ArrowDtype).moves.list[2].tolist())
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
