#!/bin/sh
# A column of type uint64 compared with a number in Python: pyarrow 26.0.1 (PyPI) makes every int an
# int64 first. So a PolyGlot key of 2^63 or more is an OverflowError as a filter of Parquet files,
# in pandas 3.1.1 too, and a TypeError in pyarrow.compute; and a small key is an error of the
# column, if the column has a large one anywhere. With pyarrow.scalar(key, "uint64") it works;
# polars 2.1.0 and duckdb 2.0.1 take the number as it is.
#
# Output seen on 27 November 2026:
#| pyarrow, filters=, large: OverflowError
#| pandas, filters=, large: OverflowError
#| pyarrow.compute.equal, large: TypeError
#| pyarrow.compute.equal, small: ArrowInvalid
#| pyarrow, a scalar of uint64: 1
#| polars: 1
#| duckdb: 1
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
cat > seen.py <<'PY'
import duckdb, pandas, polars, pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq
KEY = 0x823C9B50FD114196  # 1.e4
table = pa.table({"key": pa.array([5, KEY], "uint64")})
pq.write_table(table, "keys.parquet")
def seen(what, count):
    try:
        got = count()
    except Exception as error:
        got = type(error).__name__
    print(f"{what}: {got}")
large = [("key", "==", KEY)]
seen("pyarrow, filters=, large", lambda: pq.read_table("keys.parquet", filters=large).num_rows)
seen("pandas, filters=, large", lambda: len(pandas.read_parquet("keys.parquet", filters=large)))
seen("pyarrow.compute.equal, large", lambda: pc.sum(pc.equal(table["key"], KEY)))
seen("pyarrow.compute.equal, small", lambda: pc.sum(pc.equal(table["key"], 5)))
seen("pyarrow, a scalar of uint64", lambda: pc.sum(pc.equal(table["key"], pa.scalar(KEY, "uint64"))))
seen("polars", lambda: polars.scan_parquet("keys.parquet").filter(polars.col("key") == KEY).collect().height)
seen("duckdb", lambda: duckdb.execute("select count(*) from 'keys.parquet' where key = ?", [KEY]).fetchone()[0])
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
