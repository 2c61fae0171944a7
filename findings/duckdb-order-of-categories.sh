#!/bin/sh
# A column of ECO codes that is a dictionary in Parquet becomes categories in pandas 3.1.1, in the
# order in which the codes appear. duckdb 2.0.1 (PyPI, 2026) reads such a frame as an ENUM: order by,
# min() and max() follow that order, but a comparison with a text in where is alphabetical. The same
# data from the table of pyarrow 26.0.1, without pandas between, is VARCHAR and alphabetical
# throughout; polars 2.1.0 sorts the frame of pandas alphabetically too.
#
# Output seen on 28 November 2026:
#| frame, order by: C65 B90 E60 A00
#| frame, min and max: C65 A00
#| frame, where eco >= 'C00': C65 E60
#| table, order by: A00 B90 C65 E60
#| table, min and max: A00 E60
#| polars, sort: A00 B90 C65 E60
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
cat > seen.py <<'PY'
import duckdb, pandas, polars, pyarrow as pa, pyarrow.parquet as pq
pq.write_table(pa.table({"eco": pa.array(["C65", "B90", "E60", "A00"]).dictionary_encode()}), "games.parquet")
codes, frame = pq.read_table("games.parquet"), pandas.read_parquet("games.parquet")
def seen(what, question):
    print(f"{what}:", *(value for row in duckdb.sql(question).fetchall() for value in row))
seen("frame, order by", "select eco from frame order by eco")
seen("frame, min and max", "select min(eco), max(eco) from frame")
seen("frame, where eco >= 'C00'", "select eco from frame where eco >= 'C00'")
seen("table, order by", "select eco from codes order by eco")
seen("table, min and max", "select min(eco), max(eco) from codes")
print("polars, sort:", *polars.from_pandas(frame).sort("eco")["eco"])
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
