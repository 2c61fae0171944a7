#!/bin/sh
# Dates of PGN for SQLite: the question marks cut off, hyphens for periods, so that 1984.??.?? is 1984. The
# date functions of SQLite take a number for a count of days since 4714 BC, if it is a text too, and so
# strftime('%Y', ...) has the game in the year -4707 and date() in April of it; a table of games by year
# begins with years before chess. 1984.06, with its period, is in April of -4707 likewise. 1984-06 is null, and
# only a whole date has its year. That holds for SQLite 3.54.1 in apsw 3.54.1.0 (PyPI, 2026) and in sql.js
# 1.17.0 (npm). duckdb 2.0.1 raises an error, or has null with try_cast.
#
# Output seen on 29 November 2026 with node 20.20.2:
#| 1984.06.15, as 1984-06-15: apsw 1984 1984-06-15, duckdb 1984
#| 1984.06.??, as 1984-06: apsw None None, duckdb None
#| 1984.??.??, as 1984: apsw -4707 -4707-04-30, duckdb None
#| 1851.??.??, as 1851: apsw -4708 -4708-12-18, duckdb None
#| games before 1900: 2 of 4
#| duckdb, cast of 1984: ConversionException
#| sql.js, SQLite 3.54.1: 1984 -4707, 1984.06 -4707, 1984-06-15 1984
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check apsw==3.54.1.0 duckdb==2.0.1
npm install --silent --no-fund sql.js@1.17.0 > /dev/null
cat > by_python.py <<'PY'
import apsw, duckdb
sqlite = apsw.Connection(":memory:")
sqlite.execute("create table games (date text)")
for date in "1984.06.15", "1984.06.??", "1984.??.??", "1851.??.??":
    sqlite.execute("insert into games values (replace(replace(?, '.??', ''), '.', '-'))", (date,))
    stored, year, day = next(sqlite.execute("select date, strftime('%Y', date), date(date) from games where rowid = last_insert_rowid()"))
    other = duckdb.execute("select year(try_cast(? as date))", [stored]).fetchall()[0][0]
    print(f"{date}, as {stored}: apsw {year} {day}, duckdb {other}")
print("games before 1900: {} of {}".format(*next(sqlite.execute(
    "select count(*) filter (where cast(strftime('%Y', date) as int) < 1900), count(*) from games"))))
try:
    duckdb.execute("select '1984'::date")
except duckdb.Error as error:
    print("duckdb, cast of 1984:", type(error).__name__)
PY
cat > by_node.cjs <<'JS'
require('sql.js')().then(SQL => {
  const database = new SQL.Database();
  const asked = text => database.exec(text)[0].values[0][0];
  const years = ['1984', '1984.06', '1984-06-15'].map(date => `${date} ${asked(`select strftime('%Y', '${date}')`)}`);
  console.log(`sql.js, SQLite ${asked('select sqlite_version()')}: ${years.join(', ')}`);
});
JS
(venv/bin/python by_python.py; node by_node.cjs) > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
