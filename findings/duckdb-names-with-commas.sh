#!/bin/sh
# Pairings as "Carlsen, Magnus;Caruana, Fabiano", a CSV file with semicolons, as spreadsheets write it in
# half of Europe. duckdb 2.0.1 (PyPI, 2026) tries separators and takes the one that gives more columns, and
# two names have two commas and one semicolon: three columns of pieces of names. The heading White;Black has
# no comma, so that it is left out as a line in front of the table, and the first game becomes the heading;
# header=true does not change that. A column of results behind the names is enough for the right answer,
# a comma in the name of an event for a wrong one again. One name without a comma in a short file makes it
# right. Nothing is said in any of these. pandas 3.1.1 with sep=None and papaparse 5.7.1 (npm), which look
# for the separator too, are right as long as there is a heading; sep=';' is right in duckdb.
#
# Output seen on 29 November 2026 with node 20.20.2, columns and rows of three games:
#| White;Black: duckdb Carlsen | Magnus;Caruana | Fabiano, rows 2
#| White;Black: pandas White | Black, rows 3
#| White;Black: papaparse White | Black, rows 3
#| White;Black, header=true: duckdb Carlsen | Magnus;Caruana | Fabiano, rows 2
#| White;Black, sep=';': duckdb White | Black, rows 3
#| White;Black;Result: duckdb White | Black | Result, rows 3
#| Event;White;Black: duckdb Wijk aan Zee | A;Carlsen | Magnus;Caruana | Fabiano, rows 2
#| Event;White;Black: pandas Event | White | Black, rows 3
#| Event;White;Black: papaparse Event | White | Black, rows 3
#| and Ju Wenjun;Lei Tingjie: duckdb White | Black, rows 4
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 pandas==3.1.1
npm install --silent --no-fund papaparse@5.7.1 > /dev/null
cat > names.mjs <<'JS'
import { readFileSync } from 'fs';
import Papa from 'papaparse';
const { data, meta } = Papa.parse(readFileSync('games.csv', 'utf8'), { header: true, skipEmptyLines: true });
console.log(`papaparse ${meta.fields.join(' | ')}, rows ${data.length}`);
JS
cat > seen.py <<'PY'
import subprocess, duckdb, pandas
PAIRS = ["Carlsen, Magnus;Caruana, Fabiano", "Anand, Viswanathan;Kramnik, Vladimir", "Adams, Michael;Short, Nigel"]
def shown(columns, rows):
    return f"{' | '.join(columns)}, rows {rows}"
def seen(name, lines, others=False, option=""):
    with open("games.csv", "w") as file:
        file.write("\n".join(lines) + "\n")
    games = duckdb.sql(f"from read_csv('games.csv'{option})")
    print(f"{name}: duckdb", shown(games.columns, len(games.fetchall())), flush=True)
    if others:
        frame = pandas.read_csv("games.csv", sep=None, engine="python")
        print(f"{name}: pandas", shown(frame.columns, len(frame)))
        print(f"{name}:", subprocess.check_output(["node", "names.mjs"], text=True).strip())
pairings = ["White;Black", *PAIRS]
seen("White;Black", pairings, others=True)
seen("White;Black, header=true", pairings, option=", header=true")
seen("White;Black, sep=';'", pairings, option=", sep=';'")
seen("White;Black;Result", ["White;Black;Result", *(f"{pair};1-0" for pair in PAIRS)])
seen("Event;White;Black", ["Event;White;Black", *(f"Wijk aan Zee, A;{pair}" for pair in PAIRS)], others=True)
seen("and Ju Wenjun;Lei Tingjie", [*pairings, "Ju Wenjun;Lei Tingjie"])
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
