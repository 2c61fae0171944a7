#!/bin/sh
# Evaluations as engines' tables have them, with a sign: +0.25, or +25 in centipawns. In a CSV file
# each reader takes other ones for numbers. duckdb 2.0.1 (PyPI, 2026) leaves any column with a plus
# as text, though a cast to DOUBLE reads it; polars 2.1.0 reads +0.25 and leaves +25 as text;
# pyarrow 26.0.1 makes double of whole centipawns; pandas 3.1.1 alone has float and int. As text
# +9 is more than +10, and max() says so.
#
# Output seen on 28 November 2026:
#| pawns: duckdb VARCHAR, polars Float64, pyarrow double, pandas float64
#| centipawns: duckdb VARCHAR, polars String, pyarrow double, pandas int64
#| without a plus: duckdb BIGINT, polars Int64, pyarrow int64, pandas int64
#| highest of +9 and +10: duckdb +9, polars +9
#| duckdb, cast: 0.25
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
printf 'eval\n+0.25\n-1.50\n' > pawns.csv
printf 'eval\n+9\n+10\n' > centipawns.csv
printf 'eval\n9\n-10\n' > plain.csv
cat > seen.py <<'PY'
import duckdb, pandas, polars, pyarrow.csv
for what, file in (("pawns", "pawns.csv"), ("centipawns", "centipawns.csv"), ("without a plus", "plain.csv")):
    kinds = {
        "duckdb": duckdb.sql(f"select typeof(eval) from '{file}'").fetchall()[0][0],
        "polars": polars.read_csv(file)["eval"].dtype,
        "pyarrow": pyarrow.csv.read_csv(file)["eval"].type,
        "pandas": pandas.read_csv(file)["eval"].dtype,
    }
    print(f"{what}:", ", ".join(f"{name} {kind}" for name, kind in kinds.items()))
highest = duckdb.sql("select max(eval) from 'centipawns.csv'").fetchall()[0][0]
print(f"highest of +9 and +10: duckdb {highest}, polars {polars.read_csv('centipawns.csv')['eval'].max()}")
print("duckdb, cast:", duckdb.sql("select max(eval::double) from 'pawns.csv'").fetchall()[0][0])
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
