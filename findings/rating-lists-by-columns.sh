#!/bin/sh
# Rating lists of federations are files of fixed columns. read_fwf() of pandas 3.1.1 (PyPI, 2026)
# finds the columns itself, by where the first 100 lines have blanks, and cuts out what stands there
# in later lines, without a word, in the middle of a name too: of "Fischer, Robert James" it keeps
# "Fische" and, in a column of its own, a comma. A list that begins with short names is enough, and the
# heading of the column is no help. With the columns given as colspecs every name is whole.
#
# Output seen on 28 November 2026:
#| Name: 'Fische', 'Bogolj'
#| Unnamed: 2: ',', 'b'
#| Elo: 2785, 2640
#| colspecs, Name: 'Fischer, Robert James', 'Bogoljubov, Efim'
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pandas==3.1.1
cat > seen.py <<'PY'
import io, pandas
players = [("Adler, A", 2000 + number) for number in range(100)]
players += [("Fischer, Robert James", 2785), ("Bogoljubov, Efim", 2640)]
lines = [f"{'ID':8}{'Name':25}Elo"]
lines += [f"{1000 + number:<8}{name:25}{elo}" for number, (name, elo) in enumerate(players)]
def last(**options):
    return pandas.read_fwf(io.StringIO("\n".join(lines)), **options).tail(2)
for column in ("Name", "Unnamed: 2", "Elo"):
    print(f"{column}:", ", ".join(map(repr, last()[column].tolist())))
given = last(colspecs=[(0, 8), (8, 33), (33, 37)])
print("colspecs, Name:", ", ".join(map(repr, given["Name"])))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
