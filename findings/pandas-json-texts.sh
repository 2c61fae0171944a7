#!/bin/sh
# Games as JSON with every value in quotes: ids as Lichess gives them, rounds, results. read_json()
# of pandas 3.1.1 (PyPI, 2026) looks into the texts, and if all of a column can be numbers they
# become numbers: round 1.10 is 1.1, the id 00345678 loses its zeros, and 1234e567 is infinity. One
# other id in the column, and all stay text, so that the type depends on the games that a file
# happens to have. polars 2.1.0 leaves quoted values as they are, and so does duckdb 2.0.1 with
# ids, rounds and results (of dates and times it makes dates and times), and pandas with
# dtype=False.
#
# Output seen on 28 November 2026:
#| pandas: ids [345678.0, inf], rounds [1.1, 1.1], results ['1-0', '0-1']
#| pandas, a third game: ids ['00345678', '1234e567', 'q7ZvsdUF'], rounds ['1.1', '1.10', '?']
#| pandas, dtype=False: ids ['00345678', '1234e567'], rounds ['1.1', '1.10']
#| polars: ids ['00345678', '1234e567'], rounds ['1.1', '1.10']
#| duckdb: ids ['00345678', '1234e567'], rounds ['1.1', '1.10']
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pandas==3.1.1
cat > two.json <<'JSON'
[{"id": "00345678", "round": "1.1", "result": "1-0"},
 {"id": "1234e567", "round": "1.10", "result": "0-1"}]
JSON
sed '$s/]$/, {"id": "q7ZvsdUF", "round": "?", "result": "*"}]/' two.json > three.json
cat > seen.py <<'PY'
import duckdb, pandas, polars
def ids_and_rounds(frame):
    return f"ids {list(frame['id'])}, rounds {list(frame['round'])}"
two = pandas.read_json("two.json")
print(f"pandas: {ids_and_rounds(two)}, results {list(two['result'])}")
print("pandas, a third game:", ids_and_rounds(pandas.read_json("three.json")))
print("pandas, dtype=False:", ids_and_rounds(pandas.read_json("two.json", dtype=False)))
print("polars:", ids_and_rounds(polars.read_json("two.json")))
print("duckdb:", ids_and_rounds(duckdb.sql("from 'two.json'").df()))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
