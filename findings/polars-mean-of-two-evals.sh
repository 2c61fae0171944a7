#!/bin/sh
# Evaluations of two engines in columns of 16 bits, mates as 32,000 and less: mean_horizontal() of
# polars 2.1.0 (PyPI, 2026) adds them up in 16 bits before it divides. Of 32,000 and 31,000, a win
# for both, it makes -1268, a win for the other side, as Float64 and without an error. list.mean()
# and arr.mean() of the same two, and mean() of one column, do not add in 16 bits.
#
# Output seen on 28 November 2026:
#| mean_horizontal: Float64 [-1268.0, 25.0]
#| list.mean: Float64 [31500.0, 25.0]
#| arr.mean: Float64 [31500.0, 25.0]
#| mean of one column: 31500.0
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check polars==2.1.0
cat > seen.py <<'PY'
import polars
evals = polars.DataFrame({"one": [32000, 20], "other": [31000, 30]}, schema={"one": polars.Int16, "other": polars.Int16})
def seen(what, expression):
    [column] = evals.select(expression)
    print(f"{what}: {column.dtype} {column.to_list()}")
seen("mean_horizontal", polars.mean_horizontal("one", "other"))
seen("list.mean", polars.concat_list("one", "other").list.mean())
seen("arr.mean", polars.concat_arr("one", "other").arr.mean())
print("mean of one column:", polars.Series([32000, 31000], dtype=polars.Int16).mean())
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
