#!/bin/sh
# A date of PGN without its question marks, 1984.06, in python-dateutil 4.0.0 (PyPI). parse() takes it
# for a number with decimals, and the year of it: June is lost, month and day are those of the
# default, which is today. 1984.06.15, 1984-06 and 1984/06 keep their month. pandas 3.1.1, whose
# to_datetime() goes back to dateutil, has June.
#
# Output seen on 28 November 2026, with the second of January 2000 as default:
#| 1984.06: 1984-01-02, pandas 1984-06-01
#| 1984.12: 1984-01-02, pandas 1984-12-01
#| 1984-06: 1984-06-02, pandas 1984-06-01
#| 1984/06: 1984-06-02, pandas 1984-06-01
#| 1984.06.15: 1984-06-15, pandas 1984-06-15
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check python-dateutil==4.0.0 pandas==3.1.1
cat > seen.py <<'PY'
import datetime, pandas
from dateutil.parser import parse
for date in ("1984.06", "1984.12", "1984-06", "1984/06", "1984.06.15"):
    read = parse(date, default=datetime.datetime(2000, 1, 2))
    print(f"{date}: {read:%Y-%m-%d}, pandas {pandas.to_datetime(date):%Y-%m-%d}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
