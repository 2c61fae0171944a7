#!/bin/sh
# Lists of moves are counted from 1 in DuckDB and from 0 in Spark. sqlglot 30.30.0 (PyPI, 2026)
# translates moves[3] into moves[2], and the other way; but a ply that is a column or a sum keeps its
# number, so that the same query gives the next move or the one before, in a join of positions and
# games for every row. The last move, moves[-1], becomes the one before it. Spark's element_at(),
# counted from 1, and its brackets, from 0, come out alike. duckdb 2.0.1 runs what comes out.
#
# Output seen on 28 November 2026:
#| duckdb to spark: moves[3] -> moves[2], moves[-1] -> moves[-2]
#| duckdb to spark: moves[ply] -> moves[ply], moves[ply + 1] -> moves[ply + 1]
#| spark to duckdb: moves[0] -> moves[1], moves[ply] -> moves[ply]
#| spark to duckdb: element_at(moves, ply) -> moves[ply]
#| spark to duckdb, the first move: written moves[0] e4, written moves[ply] with ply 0 None
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check sqlglot==30.30.0 duckdb==2.0.1
cat > seen.py <<'PY'
import duckdb, logging, sqlglot
logging.disable()
def translated(expression, read, write):
    return sqlglot.transpile(f"SELECT {expression}", read=read, write=write)[0].removeprefix("SELECT ")
def seen(read, write, *expressions):
    pairs = (f"{expression} -> {translated(expression, read, write)}" for expression in expressions)
    print(f"{read} to {write}:", ", ".join(pairs))
seen("duckdb", "spark", "moves[3]", "moves[-1]")
seen("duckdb", "spark", "moves[ply]", "moves[ply + 1]")
seen("spark", "duckdb", "moves[0]", "moves[ply]")
seen("spark", "duckdb", "element_at(moves, ply)")
duckdb.sql("create table game as select ['e4', 'e5', 'Nf3'] as moves, 0 as ply")
def run(expression):
    return duckdb.sql(f"select {translated(expression, 'spark', 'duckdb')} from game").fetchall()[0][0]
print("spark to duckdb, the first move: written moves[0]", run("moves[0]") + ",",
      "written moves[ply] with ply 0", run("moves[ply]"))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
