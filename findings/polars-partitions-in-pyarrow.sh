#!/bin/sh
# Games in one folder for each Result: polars 2.1.0, duckdb 2.0.1 and pyarrow 26.0.1 (PyPI, 2026) name
# the folders alike (Result=1%2F2-1%2F2 for a draw), but polars also leaves the column in the files,
# as large_string. pyarrow, and pandas 3.1.1 with it, take the column from the names of the folders
# as a dictionary or as string, find the other in the files, and read nothing. duckdb reads all three.
#
# Output seen on 28 November 2026:
#| written by polars: duckdb reads 3 games, pyarrow ArrowTypeError, pandas ArrowTypeError
#| written by duckdb: duckdb reads 3 games, pyarrow reads 3 games, pandas reads 3 games
#| written by pyarrow: duckdb reads 3 games, pyarrow reads 3 games, pandas reads 3 games
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
cat > seen.py <<'PY'
import duckdb, pandas, polars, pyarrow as pa, pyarrow.parquet as pq
games = pa.table({"Result": ["1-0", "1/2-1/2", "0-1"], "White": ["A", "B", "C"]})
polars.from_arrow(games).write_parquet("polars", partition_by=["Result"])
duckdb.execute("copy (from games) to 'duckdb' (format parquet, partition_by (Result))")
pq.write_to_dataset(games, "pyarrow", partition_cols=["Result"])
def tried(what, count):
    try:
        return f"{what} reads {count()} games"
    except Exception as error:
        return f"{what} {type(error).__name__}"
for writer in ("polars", "duckdb", "pyarrow"):
    print(f"written by {writer}:", ", ".join((
        tried("duckdb", lambda: len(duckdb.sql(f"select Result from '{writer}/*/*.parquet'").fetchall())),
        tried("pyarrow", lambda: pq.read_table(writer).num_rows),
        tried("pandas", lambda: len(pandas.read_parquet(writer))),
    )))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
