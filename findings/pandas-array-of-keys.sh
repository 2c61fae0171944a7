#!/bin/sh
# PolyGlot keys as a list of Python's ints, put into a column of pandas 3.1.1 (PyPI, 2026).
# Series(dtype="uint64") keeps them; array() with the same list and the same dtype goes through double
# and changes a key above 2^63 if a smaller one stands beside it, without a warning: 1.e4 is then not
# found in its own column. With the dtype "UInt64" array() is exact. An outer merge of uint64 keys with
# int64 ones (a table whose keys all happen to be small) makes double of both, where an inner merge
# leaves uint64.
#
# Output seen on 28 November 2026:
#| Series, uint64: kept
#| array, uint64: 9384546495678726144 for 9384546495678726550
#| array, UInt64: kept
#| array, uint64, is the key in it: False
#| merge of uint64 and int64, inner: uint64
#| merge of uint64 and int64, outer: float64
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pandas==3.1.1 numpy==2.4.6
cat > seen.py <<'PY'
import pandas
KEY = 0x823C9B50FD114196  # 1.e4
keys = [KEY, 5]
def seen(what, column):
    got = int(column[0])
    print(f"{what}: {'kept' if got == KEY else f'{got} for {KEY}'}")
seen("Series, uint64", pandas.Series(keys, dtype="uint64"))
seen("array, uint64", pandas.array(keys, dtype="uint64"))
seen("array, UInt64", pandas.array(keys, dtype="UInt64"))
frame = pandas.DataFrame({"key": pandas.array(keys, dtype="uint64")})
print(f"array, uint64, is the key in it: {(frame.key == KEY).any()}")
large = pandas.DataFrame({"key": pandas.Series(keys, dtype="uint64")})
small = pandas.DataFrame({"key": pandas.Series([5, 7], dtype="int64")})
for how in ("inner", "outer"):
    print(f"merge of uint64 and int64, {how}: {large.merge(small, on='key', how=how).key.dtype}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
