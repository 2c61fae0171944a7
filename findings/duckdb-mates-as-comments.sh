#!/bin/sh
# A CSV file whose first column is the evaluation, mates as #3 like in %eval. duckdb 2.0.1 (PyPI,
# 2026) tries for itself whether # begins comments, and takes it so if the other rows are then
# numbers: of 1,000 positions those with a mate are gone, without a word, also with
# all_varchar=true. comment='' brings them back, and so does another column in front. In a file of
# 3,000 rows nothing is missing, so that a trial with a large file does not show it. polars 2.1.0,
# pandas 3.1.1 and pyarrow 26.0.1 read every row.
#
# Output seen on 28 November 2026:
#| duckdb: 900 of 1000 rows, DOUBLE
#| duckdb, all_varchar: 900 of 1000 rows, VARCHAR
#| duckdb, comment='': 1000 of 1000 rows, VARCHAR
#| duckdb, ply first: 1000 of 1000 rows, VARCHAR
#| duckdb, longer file: 3000 of 3000 rows, VARCHAR
#| polars, pandas, pyarrow: 1000 1000 1000
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
evals() { awk -v n="$1" 'BEGIN { print "eval,ply"; for (i = 1; i <= n; i++) print (i % 10 ? i % 7 / 4 : "#" i % 4 + 1) "," i }'; }
evals 1000 > evals.csv
evals 3000 > longer.csv
awk -F, '{ print $2 "," $1 }' evals.csv > turned.csv
cat > seen.py <<'PY'
import duckdb, pandas, polars, pyarrow.csv
def seen(what, rows, source):
    count, kind = duckdb.sql(f"select count(*), any_value(typeof(eval)) from {source}").fetchall()[0]
    print(f"{what}: {count} of {rows} rows, {kind}")
seen("duckdb", 1000, "'evals.csv'")
seen("duckdb, all_varchar", 1000, "read_csv('evals.csv', all_varchar=true)")
seen("duckdb, comment=''", 1000, "read_csv('evals.csv', comment='')")
seen("duckdb, ply first", 1000, "'turned.csv'")
seen("duckdb, longer file", 3000, "'longer.csv'")
readers = (polars.read_csv, pandas.read_csv, pyarrow.csv.read_csv)
print("polars, pandas, pyarrow:", *(read("evals.csv").shape[0] for read in readers))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
