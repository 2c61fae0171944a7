#!/bin/sh
# Points of players from duckdb 2.0.1 (PyPI, 2026) to a page in JavaScript, as a table of Arrow. A sum of 1
# and 0.5 is a decimal with one place there. apache-arrow 21.2.0 (npm) hands out the digits without the
# point: 1.5 is 15 and 1.0 is 10, as text, as number and in JSON alike, and nothing says so; the scale
# stands in the type of the column. hyparquet 1.33.0 (npm) with the same table in Parquet and pyarrow
# 26.0.1 (PyPI) have 1.5 and 1. Cast to double in duckdb it is right in apache-arrow too.
#
# Output seen on 28 November 2026 with node 20.20.2:
#| duckdb: decimal128(38, 1)
#| pyarrow: Adler 1.5, Baer 1.0
#| apache-arrow, text: Adler 15, Baer 10
#| apache-arrow, number: Adler 15, Baer 10
#| apache-arrow, scale of the type: 1
#| apache-arrow, as double: Adler 1.5, Baer 1
#| hyparquet: Adler 1.5, Baer 1
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 pyarrow==26.0.1
npm install --silent --no-fund apache-arrow@21.2.0 hyparquet@1.33.0 > /dev/null
cat > written.py <<'PY'
import duckdb, pyarrow as pa, pyarrow.parquet
duckdb.sql("create table results as select * from (values ('Adler', '1-0'), ('Adler', '1/2-1/2'), "
           "('Baer', '1/2-1/2'), ('Baer', '1/2-1/2')) games (player, result)")
def table(kind):
    points = "case result when '1-0' then 1 when '1/2-1/2' then 0.5 else 0 end"
    query = f"select player, sum({points}){kind} as points from results group by player order by player"
    duckdb.sql(f"copy ({query}) to 'points.parquet'")
    return pyarrow.parquet.read_table("points.parquet")
for name, kind in ("double", "::double"), ("decimal", ""):
    points = table(kind)
    with pa.OSFile(f"{name}.arrow", "wb") as file, pa.ipc.new_file(file, points.schema) as writer:
        writer.write_table(points)
print("duckdb:", points.schema.field("points").type)
print("pyarrow:", ", ".join(f"{row['player']} {row['points']}" for row in points.to_pylist()))
PY
cat > seen.mjs <<'JS'
import { readFileSync } from 'fs';
import { tableFromIPC } from 'apache-arrow';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
const seen = (what, rows) => console.log(`${what}: ${rows.map(({ player, points }) => `${player} ${points}`).join(', ')}`);
const table = tableFromIPC(readFileSync('decimal.arrow'));
const rows = table.toArray();
seen('apache-arrow, text', rows);
seen('apache-arrow, number', rows.map(({ player, points }) => ({ player, points: Number(points) })));
console.log(`apache-arrow, scale of the type: ${table.schema.fields[1].type.scale}`);
seen('apache-arrow, as double', tableFromIPC(readFileSync('double.arrow')).toArray());
seen('hyparquet', await parquetReadObjects({ file: await asyncBufferFromFile('points.parquet') }));
JS
(venv/bin/python written.py; node seen.mjs) > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
