#!/bin/sh
# Nodes that an engine searched, two moves of three and two thousand million, as uint32. sum() of polars
# 2.1.0 (PyPI, 2026) widens columns of 8 and 16 bits, but not of 32: the sum is 705,032,704, in
# group_by() and cum_sum() too, without a word, while mean() is right. sum_horizontal() does not widen
# 16 bits either: seconds of both players, 40,000 each, are 14,464. cumulative_sum() of pyarrow 26.0.1
# turns over as well, at 16 bits already. duckdb 2.0.1, pandas 3.1.1 and the sum() of pyarrow are right.
#
# Output seen on 28 November 2026:
#| polars: sum 705032704, by game 705032704, running 705032704, mean 2500000000.0
#| duckdb, pandas, pyarrow: 5000000000 5000000000 5000000000
#| both players: polars 14464, pandas 80000
#| polars, 16 bits: sum 80000, running 80000
#| running, 16 bits: pyarrow 14464, pandas 80000
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check polars==2.1.0 pyarrow==26.0.1 duckdb==2.0.1 pandas==3.1.1
cat > seen.py <<'PY'
import duckdb, polars as pl, pyarrow as pa, pyarrow.compute as pc
nodes = pa.array([3_000_000_000, 2_000_000_000], pa.uint32())
seconds = pa.array([40_000, 40_000], pa.uint16())
table = pa.table({"game": [1, 1], "nodes": nodes, "white": seconds, "black": seconds})
moves, frame, games = pl.from_arrow(table), table.to_pandas(), table
by_game = moves.group_by("game").agg(pl.col("nodes").sum())["nodes"][0]
nodes_of = moves["nodes"]
print(f"polars: sum {nodes_of.sum()}, by game {by_game}, running {nodes_of.cum_sum()[-1]}, mean {nodes_of.mean()}")
[(total,)] = duckdb.sql("select sum(nodes) from games").fetchall()
print("duckdb, pandas, pyarrow:", total, frame["nodes"].sum(), pc.sum(nodes))
both = moves.select(pl.sum_horizontal("white", "black"))["white"][0]
print(f"both players: polars {both}, pandas {frame[['white', 'black']].sum(axis=1)[0]}")
print(f"polars, 16 bits: sum {moves['white'].sum()}, running {moves['white'].cum_sum()[-1]}")
print(f"running, 16 bits: pyarrow {pc.cumulative_sum(seconds)[-1]}, pandas {frame['white'].cumsum().iloc[-1]}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
