#!/bin/sh
# Evaluations of a game as a list in which mates are null. df() of duckdb 2.0.1 (PyPI, 2026) makes masked
# arrays of numpy of lists of numbers that have a null. Few readers of such a frame know a mask, and what
# lies under it is 0: pyarrow 26.0.1 and polars 2.1.0, to_parquet() and to_json() of pandas 3.1.1 and
# numpy.asarray() turn the null into the evaluation 0.0, a draw, without a word. duckdb itself, read from
# the frame, and numpy.mean() see the mask. By to_arrow_table() and pl() of duckdb nulls stay nulls, and so
# they do from pyarrow to pandas and back. Lists without a null are plain arrays, so that a trial with a few
# games may not show it.
#
# Output seen on 29 November 2026:
#| in the frame: MaskedArray, mean 0.2
#| pyarrow from the frame: [0.1, 0.0, 0.3]
#| polars from the frame: [0.1, 0.0, 0.3]
#| pandas, to Parquet: [0.1, 0.0, 0.3]
#| pandas, to JSON: [0.1, 0.0, 0.3]
#| numpy.asarray: [0.1, 0.0, 0.3]
#| whole numbers, pyarrow from the frame: [10, 0, 30]
#| duckdb from the frame: [0.1, None, 0.3]
#| duckdb to Arrow: [0.1, None, 0.3]
#| duckdb to polars: [0.1, None, 0.3]
#| pyarrow to pandas and back: [0.1, None, 0.3]
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 numpy==2.4.6 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1
cat > seen.py <<'PY'
import json, duckdb, numpy, polars, pyarrow, pyarrow.parquet
games = duckdb.sql("select [0.1::double, null, 0.3] as evals, [10, null, 30] as centipawns")
frame = games.df()
evals = frame["evals"][0]
print(f"in the frame: {type(evals).__name__}, mean {numpy.mean(evals):.1f}")
print("pyarrow from the frame:", pyarrow.Table.from_pandas(frame)["evals"][0].as_py())
print("polars from the frame:", polars.from_pandas(frame)["evals"][0].to_list())
frame.to_parquet("games.parquet")
print("pandas, to Parquet:", pyarrow.parquet.read_table("games.parquet")["evals"][0].as_py())
print("pandas, to JSON:", json.loads(frame.to_json(orient="records"))[0]["evals"])
print("numpy.asarray:", numpy.asarray(evals).tolist())
print("whole numbers, pyarrow from the frame:", pyarrow.Table.from_pandas(frame)["centipawns"][0].as_py())
print("duckdb from the frame:", duckdb.sql("select evals from frame").fetchall()[0][0])
table = games.to_arrow_table()
print("duckdb to Arrow:", table["evals"][0].as_py())
print("duckdb to polars:", games.pl()["evals"][0].to_list())
print("pyarrow to pandas and back:", pyarrow.Table.from_pandas(table.to_pandas())["evals"][0].as_py())
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
