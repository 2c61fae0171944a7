#!/bin/sh
# What is left on the clock, in a CSV file as players say it: 3:00 for three minutes. duckdb 2.0.1
# (PyPI, 2026) finds times of day, hours first: three o'clock, sixty times too much, and of that type
# there is no sum or mean. One clock of an hour and more in this form, 61:30, and the column is text.
# polars 2.1.0 does the same where dates are asked for (try_parse_dates). pyarrow 26.0.1 takes
# 00:03:00 for a time of day, and 0:03:00, the form of %clk, for text; pandas 3.1.1 has text.
#
# Output seen on 28 November 2026:
#| 3:00 2:59: duckdb TIME, polars Time, pyarrow string, pandas str
#| 3:00 61:30: duckdb VARCHAR, polars String, pyarrow string, pandas str
#| 0:03:00 0:02:59: duckdb TIME, polars Time, pyarrow string, pandas str
#| 00:03:00 00:02:59: duckdb TIME, polars Time, pyarrow time32[s], pandas str
#| 3:00 in minutes: duckdb 180.0, polars 180.0
#| duckdb, sum: BinderException
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
cat > seen.py <<'PY'
import duckdb, pandas, polars, pyarrow.csv
def write(*clocks):
    with open("clocks.csv", "w") as file:
        print("clock", *clocks, sep="\n", file=file)
for clocks in (["3:00", "2:59"], ["3:00", "61:30"], ["0:03:00", "0:02:59"], ["00:03:00", "00:02:59"]):
    write(*clocks)
    [(kind,)] = duckdb.sql("select any_value(typeof(clock)) from 'clocks.csv'").fetchall()
    times = polars.read_csv("clocks.csv", try_parse_dates=True)["clock"].dtype
    arrow, plain = pyarrow.csv.read_csv("clocks.csv")["clock"].type, pandas.read_csv("clocks.csv")["clock"].dtype
    print(f"{' '.join(clocks)}: duckdb {kind}, polars {times}, pyarrow {arrow}, pandas {plain}")
write("3:00")
[(first,)] = duckdb.sql("select clock from 'clocks.csv'").fetchall()
second = polars.read_csv("clocks.csv", try_parse_dates=True)["clock"][0]
minutes = lambda time: time.hour * 60 + time.minute + time.second / 60
print(f"3:00 in minutes: duckdb {minutes(first)}, polars {minutes(second)}")
try:
    duckdb.sql("select sum(clock) from 'clocks.csv'").fetchall()
except duckdb.Error as error:
    print("duckdb, sum:", type(error).__name__)
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
