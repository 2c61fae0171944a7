#!/bin/sh
# Games as JSON, one a line, as Lichess' API gives them: which keys a table of them has. polars 2.1.0
# (PyPI, 2026) decides by the first 100 games, and a title that game 101 is the first to have is left
# out of the table, without a word; infer_schema_length=None looks at all. duckdb 2.0.1 decides by
# some 20,000 and is as silent about later ones. pyarrow 26.0.1 and pandas 3.1.1 have the column
# wherever it begins. (A key that is there but holds another type is an error in polars.)
#
# Output seen on 28 November 2026:
#| title in game 100: polars yes, polars all yes, duckdb yes, pyarrow yes, pandas yes
#| title in game 101: polars no, polars all yes, duckdb yes, pyarrow yes, pandas yes
#| title in game 30000: polars no, polars all yes, duckdb no, pyarrow yes, pandas yes
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
cat > seen.py <<'PY'
import duckdb, json, pandas, polars, pyarrow.json
readers = {
    "polars": lambda file: polars.read_ndjson(file).columns,
    "polars all": lambda file: polars.read_ndjson(file, infer_schema_length=None).columns,
    "duckdb": lambda file: duckdb.sql(f"from '{file}'").columns,
    "pyarrow": lambda file: pyarrow.json.read_json(file).column_names,
    "pandas": lambda file: pandas.read_json(file, lines=True).columns,
}
for first in (100, 101, 30000):
    with open("games.ndjson", "w") as games:
        for number in range(1, first + 1):
            game = {"white": "Adler", "moves": "e4 e5"}
            if number == first:
                game["whiteTitle"] = "GM"
            print(json.dumps(game), file=games)
    have = (f"{name} {'yes' if 'whiteTitle' in columns('games.ndjson') else 'no'}" for name, columns in readers.items())
    print(f"title in game {first}: {', '.join(have)}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
