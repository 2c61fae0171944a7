#!/bin/sh
# Verdicts as books print them (=, =+, +=) in a spreadsheet. to_excel() of pandas 3.1.1 (PyPI, 2026)
# takes a text that begins with = for a formula, and read_excel() then has another value for it.
# Which one depends on the package that writes: XlsxWriter 3.3.1 makes 0 of = and of =+, openpyxl
# 3.1.5 keeps = and loses =+. Results, += and -+ stay as they are. write_excel() of polars 2.1.0
# writes texts as texts.
#
# Output seen on 28 November 2026:
#| written: ['=', '=+', '+=', '-+', '1-0']
#| pandas, openpyxl: ['=', nan, '+=', '-+', '1-0']
#| pandas, xlsxwriter: [0, 0, '+=', '-+', '1-0']
#| polars: ['=', '=+', '+=', '-+', '1-0']
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pandas==3.1.1 polars==2.1.0 openpyxl==3.1.5 XlsxWriter==3.3.1
cat > seen.py <<'PY'
import pandas, polars
verdicts = {"verdict": ["=", "=+", "+=", "-+", "1-0"]}
def seen(what, file):
    print(f"{what}: {pandas.read_excel(file, engine='openpyxl')['verdict'].tolist()}")
print("written:", verdicts["verdict"])
for engine in ("openpyxl", "xlsxwriter"):
    pandas.DataFrame(verdicts).to_excel(f"{engine}.xlsx", index=False, engine=engine)
    seen(f"pandas, {engine}", f"{engine}.xlsx")
polars.DataFrame(verdicts).write_excel("polars.xlsx")
seen("polars", "polars.xlsx")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
