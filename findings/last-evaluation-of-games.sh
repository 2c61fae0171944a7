#!/bin/sh
# The evaluation at the end of each game, from a table of moves in which mates have none (null): a game
# that ends +0.1, +0.2, mate. Asked for the value at the highest ply, or the last one, some tools pass
# over nulls and give +0.2, the evaluation of an earlier move, without a word: last() of pandas 3.1.1
# (PyPI, 2026), "last" of pyarrow 26.0.1, arg_max() of duckdb 2.0.1, argMax() and anyLast() of ClickHouse
# (chdb 4.4.0). last() of duckdb and of polars 2.1.0, tail(1) of pandas and SQLite give null. The row that
# last() of pandas returns has the ply of the last move beside the evaluation of the move before.
#
# Output seen on 28 November 2026:
#| pandas: last() 0.2, its ply 3, tail(1) null
#| pyarrow: last 0.2
#| polars: last() null
#| duckdb: arg_max() 0.2, last() null, arg_max_null() null
#| clickhouse: argMax() 0.2, anyLast() 0.2, of a tuple null
#| sqlite: null
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pandas==3.1.1 pyarrow==26.0.1 polars==2.1.0 \
  duckdb==2.0.1 chdb==4.4.0 chdb-core==26.9.0
cat > seen.py <<'PY'
import chdb, duckdb, math, pandas, polars, pyarrow as pa, pyarrow.parquet, sqlite3
def shown(value):
    return "null" if value is None or value == "\\N" or math.isnan(float(value)) else f"{float(value):.1f}"
columns = {"game": [1, 1, 1], "ply": [1, 2, 3], "eval": [0.1, 0.2, None]}
moves = pa.table(columns)
frame = pandas.DataFrame(columns)
last, tail = frame.groupby("game").last(), frame.groupby("game").tail(1)
print(f"pandas: last() {shown(last['eval'][1])}, its ply {last['ply'][1]}, tail(1) {shown(tail['eval'].iloc[0])}")
[value] = moves.group_by("game", use_threads=False).aggregate([("eval", "last")])["eval_last"].to_pylist()
print("pyarrow: last", shown(value))
print("polars: last()", shown(polars.DataFrame(columns).group_by("game").agg(polars.col("eval").last())["eval"][0]))
query = "select arg_max(eval, ply), last(eval order by ply), arg_max_null(eval, ply) from moves group by game"
[values] = duckdb.sql(query).fetchall()
print("duckdb: arg_max() {}, last() {}, arg_max_null() {}".format(*map(shown, values)))
pyarrow.parquet.write_table(moves, "moves.parquet")
query = "select argMax(eval, ply), anyLast(eval), argMax(tuple(eval), ply).1 from file('moves.parquet') group by game"
values = str(chdb.query(query, "TSV")).split()
print("clickhouse: argMax() {}, anyLast() {}, of a tuple {}".format(*map(shown, values)))
table = sqlite3.connect(":memory:")
table.execute("create table moves (game, ply, eval)")
table.executemany("insert into moves values (?, ?, ?)", zip(*columns.values()))
print("sqlite:", shown(table.execute("select eval, max(ply) from moves group by game").fetchone()[0]))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
