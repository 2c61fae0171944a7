#!/bin/sh
# Time controls and results of games, given to to_timedelta() of pandas 3.1.1 (PyPI, 2026) with
# errors="coerce", which makes NaT of what is no duration. The digits on both sides of a sign or a
# blank are joined to one number: 180+2 is 1,802 nanoseconds, 15 0 is 150. The results 1-0 and 0-1
# are durations below zero. What has a slash or a colon too few is NaT, as one would expect of all.
#
# Output seen on 28 November 2026, in nanoseconds:
#| 0:03:00: 180000000000
#| 180+2: 1802
#| 5400+30: 540030
#| 15 0: 150
#| 1-0: -10
#| 0-1: -1
#| 1/2-1/2: NaT
#| 40/7200: NaT
#| 3:00: NaT
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pandas==3.1.1
cat > seen.py <<'PY'
import pandas
texts = ["0:03:00", "180+2", "5400+30", "15 0", "1-0", "0-1", "1/2-1/2", "40/7200", "3:00"]
for text, value in zip(texts, pandas.to_timedelta(pandas.Series(texts), errors="coerce")):
    print(f"{text}:", "NaT" if pandas.isna(value) else value.as_unit("ns").value)
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
