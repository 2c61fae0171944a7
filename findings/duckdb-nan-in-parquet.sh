#!/bin/sh
# Evaluations of positions in Parquet, NaN where the engine has none, as a column of numpy has it. duckdb
# 2.0.1 (PyPI, 2026) goes by the lowest and the highest value that stand in the file for each group of
# rows, and these don't count NaN. If a condition holds for both, it takes it to hold for every row: the
# position without an evaluation is between 0 and 5, and isnan() finds none. The same table in memory, the
# file written without statistics or by duckdb itself, and a group in which only some values are below 5
# give other counts, so that the answer depends on who wrote the file and how its rows are grouped.
# polars 2.1.0 and pyarrow 26.0.1 count the same with and without a file.
#
# Output seen on 29 November 2026, of 0.1, 0.2, NaN and 3.0:
#| duckdb, file of pyarrow: below 5 4, between 0 and 5 4, above 5 0, isnan 0
#| duckdb, file of polars: below 5 4, between 0 and 5 4, above 5 0, isnan 0
#| duckdb, file of duckdb: below 5 3, between 0 and 5 3, above 5 1, isnan 1
#| duckdb, file without statistics: below 5 3, between 0 and 5 3, above 5 1, isnan 1
#| duckdb, table in memory: below 5 3, between 0 and 5 3, above 5 1, isnan 1
#| duckdb, file of pyarrow, below 2: 2 of 0.1, 0.2, NaN, 3.0, and 4 of 0.1, 0.2, NaN, 1.0
#| polars: below 5 3 and 3, isnan 1 and 1
#| pyarrow: below 5 3 and 3, isnan 1 and 1
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 numpy==2.4.6 polars==2.1.0 pyarrow==26.0.1
cat > seen.py <<'PY'
import duckdb, polars, pyarrow, pyarrow.compute as pc, pyarrow.dataset as ds, pyarrow.parquet as pq
games = pyarrow.table({"eval": [0.1, 0.2, float("nan"), 3.0]})
pq.write_table(games, "pyarrow.parquet")
pq.write_table(games, "without.parquet", write_statistics=False)
frame = polars.from_arrow(games)
frame.write_parquet("polars.parquet")
duckdb.sql("copy (from games) to 'duckdb.parquet'")
asked = {"below 5": "eval < 5", "between 0 and 5": "eval between 0 and 5", "above 5": "eval > 5", "isnan": "isnan(eval)"}
def count(source, condition):
    return duckdb.sql(f"select count(*) from {source} where {condition}").fetchall()[0][0]
sources = {"file of pyarrow": "'pyarrow.parquet'", "file of polars": "'polars.parquet'", "file of duckdb": "'duckdb.parquet'",
           "file without statistics": "'without.parquet'", "table in memory": "games"}
for name, source in sources.items():
    print(f"duckdb, {name}:", ", ".join(f"{what} {count(source, condition)}" for what, condition in asked.items()))
pq.write_table(pyarrow.table({"eval": [0.1, 0.2, float("nan"), 1.0]}), "lower.parquet")
print("duckdb, file of pyarrow, below 2: {} of 0.1, 0.2, NaN, 3.0, and {} of 0.1, 0.2, NaN, 1.0".format(
    count("'pyarrow.parquet'", "eval < 2"), count("'lower.parquet'", "eval < 2")))
value = polars.col("eval")
counts = [part.filter(test).collect().height for test in (value < 5, value.is_nan())
          for part in (polars.scan_parquet("pyarrow.parquet"), frame.lazy())]
print("polars: below 5 {} and {}, isnan {} and {}".format(*counts))
value = ds.field("eval")
counts = [part.to_table(filter=test).num_rows for test in (value < 5, pc.is_nan(value))
          for part in (ds.dataset("pyarrow.parquet"), ds.dataset(games))]
print("pyarrow: below 5 {} and {}, isnan {} and {}".format(*counts))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
