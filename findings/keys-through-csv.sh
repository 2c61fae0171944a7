#!/bin/sh
# PolyGlot keys fill 64 bits without a sign. Where a CSV file has some above 2^63, three libraries
# (PyPI, 2026) choose three types. pyarrow 26.0.1 takes double, so that different keys become equal.
# duckdb 2.0.1 takes HUGEINT, which is exact, but its own Parquet writer turns that into double
# without a word. polars 2.1.0 takes a 128-bit integer and writes it to Parquet as such: pyarrow
# cannot open the file, and duckdb gives each key as 16 bytes, the lowest first. pandas 3.1.1 has
# uint64.
#
# Output seen on 27 November 2026:
#| pyarrow: double, 1 of 2 keys left
#| duckdb: HUGEINT, in Parquet double, 1 of 2 keys left
#| polars: Int128
#| pyarrow on Parquet of polars: ArrowNotImplementedError
#| duckdb on Parquet of polars: BLOB
#| pandas: uint64
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
cat > seen.py <<'PY'
import duckdb, pandas, polars, pyarrow.csv, pyarrow.parquet
open("keys.csv", "w").write("key\n1\n18446744073709551614\n18446744073709551615\n")
large = lambda column: len({key for key in column.to_pylist() if key > 1})
def of_duckdb(file):
    return duckdb.execute(f"select any_value(typeof(key)) from '{file}'").fetchall()[0][0]
column = pyarrow.csv.read_csv("keys.csv")["key"]
print(f"pyarrow: {column.type}, {large(column)} of 2 keys left")
kind = of_duckdb("keys.csv")
duckdb.sql("copy (from 'keys.csv') to 'duckdb.parquet'")
column = pyarrow.parquet.read_table("duckdb.parquet")["key"]
print(f"duckdb: {kind}, in Parquet {column.type}, {large(column)} of 2 keys left")
frame = polars.read_csv("keys.csv")
frame.write_parquet("polars.parquet")
print(f"polars: {frame['key'].dtype}")
try:
    seen = pyarrow.parquet.read_table("polars.parquet").schema.field("key").type
except Exception as error:
    seen = type(error).__name__
print(f"pyarrow on Parquet of polars: {seen}")
print(f"duckdb on Parquet of polars: {of_duckdb('polars.parquet')}")
print(f"pandas: {pandas.read_csv('keys.csv').key.dtype}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
