#!/bin/sh
# Moves as lists in Parquet are arrays of numpy in pandas 3.1.1 (PyPI, 2026), and to_csv() writes them as
# ['e4' 'e5' 'Nf3'], without commas. ast.literal_eval(), by which lists are read from CSV files again,
# takes texts side by side for one text, as Python does: every game has one move, e4e5Nf3, and nothing is
# an error. The same moves as Python's lists come back whole. In longer games numpy breaks the line within
# the field, and literal_eval() reads over that too. In the frame itself moves + ["Nc6"] adds Nc6 to the
# text of each move, where a list would get one move more.
#
# Output seen on 29 November 2026:
#| from Parquet, in the file: ['e4' 'e5' 'Nf3']
#| from Parquet, read again: ['e4e5Nf3']
#| from Parquet, game of 60 moves, read again: 1
#| from Python, in the file: ['e4', 'e5', 'Nf3']
#| from Python, read again: ['e4', 'e5', 'Nf3']
#| by polars, to pandas, read again: ['e4e5Nf3']
#| by duckdb, to pandas, read again: ['e4e5Nf3']
#| one more move, from Parquet: ['e4Nc6', 'e5Nc6', 'Nf3Nc6']
#| one more move, from Python: ['e4', 'e5', 'Nf3', 'Nc6']
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 numpy==2.4.6 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1
cat > seen.py <<'PY'
import ast, duckdb, pandas, polars
made = pandas.DataFrame({"moves": [["e4", "e5", "Nf3"], ["Nf3", "Nf6", "Ng1", "Ng8"] * 15]})
made.to_parquet("games.parquet")
stored = pandas.read_parquet("games.parquet")
def again(frame, game=0):
    frame.to_csv("games.csv", index=False)
    return ast.literal_eval(pandas.read_csv("games.csv")["moves"][game])
for name, frame in ("Parquet", stored), ("Python", made):
    print(f"from {name}, in the file:", frame["moves"][:1].to_csv(index=False, header=False).strip().strip('"'))
    print(f"from {name}, read again:", again(frame))
    if name == "Parquet":
        print("from Parquet, game of 60 moves, read again:", len(again(frame, 1)))
print("by polars, to pandas, read again:", again(polars.read_parquet("games.parquet").to_pandas()))
print("by duckdb, to pandas, read again:", again(duckdb.sql("from 'games.parquet'").df()))
for name, frame in ("Parquet", stored), ("Python", made):
    print(f"one more move, from {name}:", list(frame["moves"][0] + ["Nc6"]))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
