#!/bin/sh
# "Nf3!" of a column of moves made into "Nf3 $1", as PGN for export has it (PGN 1994, section 8.2.3.8), by
# a function that replaces. For polars 2.1.0 and datafusion 55.0.0 (PyPI, 2026) $1 in the new text means what
# the first pair of parentheses found, also where the pattern has none, and then it is nothing: the NAG
# vanishes, and the symbol with it, without an error; so do $14 and all others. str.replace_many() and
# literal=True of polars keep it, and so do duckdb 2.0.1, pandas 3.1.1, pyarrow 26.0.1 and ClickHouse (chdb
# 4.4.0), which write \1 for the pair. narwhals 2.29.0, one interface to all of these frames, has one answer
# for polars and another one for pandas and pyarrow.
#
# Output seen on 29 November 2026:
#| polars, replace_all: "Nf3 "
#| polars, replace_all, $14: "Nf3 "
#| polars, replace_all, literal: "Nf3 $1"
#| polars, replace_many: "Nf3 $1"
#| datafusion: "Nf3 "
#| duckdb: "Nf3 $1"
#| pandas: "Nf3 $1"
#| pyarrow: "Nf3 $1"
#| ClickHouse: "Nf3 $1"
#| narwhals with polars: "Nf3 "
#| narwhals with pandas: "Nf3 $1"
#| narwhals with pyarrow: "Nf3 $1"
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chdb==4.4.0 datafusion==55.0.0 duckdb==2.0.1 \
  narwhals==2.29.0 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1
cat > seen.py <<'PY'
import chdb, datafusion, duckdb, narwhals, pandas, polars, pyarrow, pyarrow.compute
def seen(name, moves):
    print(f'{name}: "{moves[0]}"')
moves = polars.Series(["Nf3!"])
seen("polars, replace_all", moves.str.replace_all("!", " $1"))
seen("polars, replace_all, $14", moves.str.replace_all("!", " $14"))
seen("polars, replace_all, literal", moves.str.replace_all("!", " $1", literal=True))
seen("polars, replace_many", moves.str.replace_many(["!", "?"], [" $1", " $2"]))
context = datafusion.SessionContext()
seen("datafusion", context.sql("select regexp_replace('Nf3!', '!', ' $1') as move").to_pydict()["move"])
seen("duckdb", duckdb.sql("select regexp_replace('Nf3!', '!', ' $1')").fetchall()[0])
seen("pandas", pandas.Series(["Nf3!"]).str.replace("!", " $1", regex=True))
seen("pyarrow", pyarrow.compute.replace_substring_regex(pyarrow.array(["Nf3!"]), "!", " $1"))
seen("ClickHouse", [str(chdb.query("select replaceRegexpAll('Nf3!', '!', ' $1')", "TSVRaw")).strip()])
for name, native in ("polars", moves), ("pandas", pandas.Series(["Nf3!"])), ("pyarrow", pyarrow.chunked_array([["Nf3!"]])):
    seen(f"narwhals with {name}", narwhals.from_native(native, series_only=True).str.replace_all("!", " $1"))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
