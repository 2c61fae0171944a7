#!/bin/sh
# Dates of old games in ClickHouse (chdb 4.4.0, PyPI, 2026). A date column of Parquet is read as
# Date32, which has them, and toYear() and date_trunc() are right. toStartOfYear() gives 1970 for
# every game before 1970, toStartOfInterval() with 10 years some day of the next hundred years, and so
# does toDate(), where the same date as a text becomes 1970. So three games of 1851 to 1924 are counted
# as games since 2000 by countIf(), and not in where. There is no error.
#
# Output seen on 28 November 2026:
#| toYear: 1851 1883 1924 1972
#| date_trunc: 1851-01-01 1883-01-01 1924-01-01 1972-01-01
#| toStartOfYear: 1970-01-01 1970-01-01 1970-01-01 1972-01-01
#| toStartOfInterval, 10 years: 2029-06-07 2059-06-07 2099-06-06 1970-01-01
#| toDate: 2030-11-25 2062-10-05 2103-08-21 1972-07-11
#| toDate of texts: 1970-01-01 1970-01-01 1970-01-01 1972-07-11
#| games since 2000, where: 0
#| games since 2000, countIf: 3
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chdb==4.4.0 chdb-core==26.9.0 pyarrow==26.0.1
cat > seen.py <<'PY'
import chdb, datetime, pyarrow as pa, pyarrow.parquet as pq
days = [(1851, 6, 21), (1883, 5, 1), (1924, 3, 16), (1972, 7, 11)]
column = pa.array([datetime.date(*day) for day in days])
pq.write_table(pa.table({"game": [1, 2, 3, 4], "date": column}), "games.parquet")
def seen(what, expression, rest="order by game"):
    query = f"select {expression} from file('games.parquet') {rest}"
    print(f"{what}:", *str(chdb.query(query, "TSV")).split())
seen("toYear", "toYear(date)")
seen("date_trunc", "date_trunc('year', date)")
seen("toStartOfYear", "toStartOfYear(date)")
seen("toStartOfInterval, 10 years", "toStartOfInterval(date, interval 10 year)")
seen("toDate", "toDate(date)")
seen("toDate of texts", "toDate(toString(date))")
seen("games since 2000, where", "count()", "where toDate(date) >= '2000-01-01'")
seen("games since 2000, countIf", "countIf(toDate(date) >= '2000-01-01')", "")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
