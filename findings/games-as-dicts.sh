#!/bin/sh
# The tags of games as dicts, one a game: which columns a table of them has. Table.from_pylist() of
# pyarrow 26.0.1 (PyPI) asks the first game alone, so that a title that only the second player has
# is not in the table, without a word; Dataset.from_list() of datasets 5.2.0 likewise. pyarrow's own
# array() of the same list has every key, as has pandas 3.1.1. A first game without some tag is
# enough to lose that tag of all games.
#
# Output seen on 28 November 2026:
#| pyarrow, from_pylist: White
#| datasets, from_list: White
#| pyarrow, array: White WhiteTitle
#| pandas: White WhiteTitle
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyarrow==26.0.1 datasets==5.2.0 pandas==3.1.1
cat > seen.py <<'PY'
import datasets, pandas, pyarrow as pa
games = [{"White": "A"}, {"White": "B", "WhiteTitle": "GM"}]
print("pyarrow, from_pylist:", *pa.Table.from_pylist(games).column_names)
print("datasets, from_list:", *datasets.Dataset.from_list(games).column_names)
print("pyarrow, array:", *(field.name for field in pa.array(games).type))
print("pandas:", *pandas.DataFrame(games).columns)
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
