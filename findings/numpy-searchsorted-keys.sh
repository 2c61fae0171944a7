#!/bin/sh
# A PolyGlot book is sorted by keys of 64 bits. numpy 2.4.6 (PyPI, 2026) with the keys as uint64, and a key
# below 2^63 as Python's int: keys == key is exact, but searchsorted() compares as double, so that the
# range from "left" to "right" holds the neighbours' entries too, without a warning. A key above 2^63, the
# same key as numpy.uint64 and Python's bisect are right. intersect1d() with a list of that one key gives three
# numbers, as double; isin() is exact. (The three neighbouring keys are made up.)
#
# Output seen on 29 November 2026:
#| keys == key: 1 entry
#| searchsorted, int: entries 0 to 3
#| searchsorted, uint64: entries 1 to 2
#| searchsorted, int above 2^63: entries 3 to 4
#| bisect: entries 1 to 2
#| isin: 1 entry
#| intersect1d: 3 of float64
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check numpy==2.4.6
cat > seen.py <<'PY'
import bisect, numpy
start = 0x463B96181691FC9C  # the key of the usual start
after_e4 = 0x823C9B50FD114196
keys = numpy.array([start - 1, start, start + 1, after_e4], dtype="uint64")
def found(key):
    return f"entries {numpy.searchsorted(keys, key, 'left')} to {numpy.searchsorted(keys, key, 'right')}"
print("keys == key:", (keys == start).sum(), "entry")
print("searchsorted, int:", found(start))
print("searchsorted, uint64:", found(numpy.uint64(start)))
print("searchsorted, int above 2^63:", found(after_e4))
whole = keys.tolist()
print("bisect: entries", bisect.bisect_left(whole, start), "to", bisect.bisect_right(whole, start))
print("isin:", numpy.isin(keys, [start]).sum(), "entry")
both = numpy.intersect1d(keys, [start])
print("intersect1d:", len(both), "of", both.dtype)
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
