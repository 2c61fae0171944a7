#!/bin/sh
# csvkit 2.2.0 (PyPI) finds the types of columns itself. Points of 1 and 0 alone are booleans, so that
# csvjson writes true and false and csvstat has no sum of them; a single 0.5 in the file makes them
# numbers. A column of the players May and June is dates, in the year 1, the time controls 5m and 3m
# become durations, and the round 1.10 is 1.1. Results and moves stay text. With -I all do.
#
# Output seen on 28 November 2026:
#| points 1 0: true false
#| points 1 0 0.5: 1.0 0.0 0.5
#| player May June: "0001-05-01" "0001-06-01"
#| player May Junge: "May" "Junge"
#| control 5m 3m: "0:05:00" "0:03:00"
#| round 1.1 1.10: 1.1 1.1
#| result 1-0 0-1: "1-0" "0-1"
#| with -I, points 1 0: "1" "0"
#| csvstat --sum, points 1 0: None
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check csvkit==2.2.0
table() { printf 'game,%s\n' "$1"; shift; for value; do printf 'a game,%s\n' "$value"; done; }
values() { venv/bin/csvjson $flag games.csv | venv/bin/python -c 'import json, sys
print(*(json.dumps(list(row.values())[1]) for row in json.load(sys.stdin)))'; }
flag=
while read -r column; do
  table $column > games.csv
  echo "${column%% *} ${column#* }: $(values)"
done > seen <<'COLUMNS'
points 1 0
points 1 0 0.5
player May June
player May Junge
control 5m 3m
round 1.1 1.10
result 1-0 0-1
COLUMNS
table points 1 0 > games.csv
flag=-I
{
  echo "with -I, points 1 0: $(values)"
  echo "csvstat --sum, points 1 0: $(venv/bin/csvstat --sum -c points games.csv)"
} >> seen
grep '^#| ' "$me" | cut -c4- | diff - seen
