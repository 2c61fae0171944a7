#!/bin/sh
# duckdb 2.0.1 (PyPI, 2026): counting the games of a table with execute(...).fetchone(), whose one row
# is the whole answer, leaves the connection in use. execute() may follow, but sql() on the same
# connection raises ResourceInUseException, until a further fetch has returned no row. With fetchall()
# for the same row nothing is left open. Relations, as sql() returns them, have no fetchone() any more.
#
# Output seen on 27 November 2026:
#| fetchone, then execute: 2
#| fetchone, then sql: ResourceInUseException
#| fetchone twice, then sql: 2
#| fetchall, then sql: 2
#| sql, then fetchone: AttributeError
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1
cat > seen.py <<'PY'
import duckdb
COUNT, NEXT = "select count(*) from games", "select max(plies) from games"
def seen(what, asked):
    connection = duckdb.connect()
    connection.execute("create table games as select 2 as plies")
    try:
        got = asked(connection)
    except Exception as error:
        got = type(error).__name__
    print(f"{what}: {got}")
def after(fetch, again):
    def asked(connection):
        fetch(connection.execute(COUNT))
        return again(connection).fetchall()[0][0]
    return asked
execute, sql = lambda c: c.execute(NEXT), lambda c: c.sql(NEXT)
seen("fetchone, then execute", after(lambda result: result.fetchone(), execute))
seen("fetchone, then sql", after(lambda result: result.fetchone(), sql))
seen("fetchone twice, then sql", after(lambda result: (result.fetchone(), result.fetchone()), sql))
seen("fetchall, then sql", after(lambda result: result.fetchall(), sql))
seen("sql, then fetchone", lambda connection: connection.sql(COUNT).fetchone()[0])
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
