#!/bin/sh
# A table of standings on a page, points with a comma as half of Europe has them. read_html() of
# pandas 3.1.1 (PyPI, 2026) takes a comma for a separator of thousands, wherever it stands: 6,5
# points are 65, a column of integers, and whoever has a half point is first. decimal="," alone does
# not change that, with thousands=None it does. read_csv() of the same table has text.
#
# Output seen on 28 November 2026:
#| read_html: Adler 65, Baer 7, Curie 6
#| read_html, decimal=",": Adler 65, Baer 7, Curie 6
#| read_html, decimal="," and thousands=None: Adler 6.5, Baer 7.0, Curie 6.0
#| read_csv: Adler '6,5', Baer '7', Curie '6'
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pandas==3.1.1 lxml==6.1.3
cat > seen.py <<'PY'
import io, pandas
rows = [("player", "points"), ("Adler", "6,5"), ("Baer", "7"), ("Curie", "6")]
page = "<table>" + "".join(f"<tr><td>{player}<td>{points}" for player, points in rows) + "</table>"
def seen(what, table):
    pairs = zip(table["player"], table["points"].tolist())
    print(f"{what}:", ", ".join(f"{player} {points!r}" for player, points in pairs))
def read(**options):
    return pandas.read_html(io.StringIO(page), header=0, **options)[0]
seen("read_html", read())
seen('read_html, decimal=","', read(decimal=","))
seen('read_html, decimal="," and thousands=None', read(decimal=",", thousands=None))
seen("read_csv", pandas.read_csv(io.StringIO("\n".join(map(";".join, rows))), sep=";"))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
