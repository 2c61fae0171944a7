#!/bin/sh
# Games by decade, dates of 1851, 1858, 1862, 1972 and 1981. resample("10YS") of pandas 3.1.1 (PyPI, 2026),
# and groupby() with such a Grouper, begins with the year of the first game: 1851 to 1860, and so on. A
# file whose first game is of 1858 has other decades, so that the tables of two files do not match row by
# row; origin= only causes a warning. Periods of "10Y" join nothing: each year stays a group of its own.
# polars 2.1.0, duckdb 2.0.1 and pyarrow 26.0.1 begin with 1850.
#
# Output seen on 28 November 2026:
#| pandas, resample: 1851 2, 1861 1, 1971 1, 1981 1
#| pandas, without 1851: 1858 2, 1968 1, 1978 1
#| pandas, origin 1850: 1851 2, 1861 1, 1971 1, 1981 1
#| pandas, periods of 10Y: 1851 1, 1858 1, 1862 1, 1972 1, 1981 1
#| polars: 1850 2, 1860 1, 1970 1, 1980 1
#| duckdb: 1850 2, 1860 1, 1970 1, 1980 1
#| pyarrow: 1850 2, 1860 1, 1970 1, 1980 1
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pandas==3.1.1 polars==2.1.0 duckdb==2.0.1 pyarrow==26.0.1
cat > seen.py <<'PY'
import collections, datetime, duckdb, pandas, polars, pyarrow as pa, pyarrow.compute as pc, warnings
days = [(1851, 6, 21), (1858, 11, 2), (1862, 6, 16), (1972, 7, 11), (1981, 10, 1)]
dates = [datetime.date(*day) for day in days]
def seen(what, starts):
    counts = collections.Counter(start.year for start in starts)
    print(f"{what}:", ", ".join(f"{year} {count}" for year, count in sorted(counts.items())))
games = pandas.Series(1, index=pandas.to_datetime(dates))
def resampled(games, **options):
    counts = games.resample("10YS", **options).sum()
    return counts.index.repeat(counts)
seen("pandas, resample", resampled(games))
seen("pandas, without 1851", resampled(games.iloc[1:]))
with warnings.catch_warnings(action="ignore"):
    seen("pandas, origin 1850", resampled(games, origin="1850-01-01"))
seen("pandas, periods of 10Y", games.index.to_period("10Y"))
frame = polars.DataFrame({"date": dates})
seen("polars", frame["date"].dt.truncate("10y"))
seen("duckdb", [start for start, in duckdb.sql("select time_bucket(interval 10 years, date) from frame").fetchall()])
seen("pyarrow", pc.floor_temporal(pa.array(dates), 10, "year").to_pylist())
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
