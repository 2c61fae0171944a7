#!/bin/sh
# Seconds left on the clock fit a column of uint16, and the time used is the difference of two. In
# pandas 3.1.1 (PyPI, 2026) diff() of such a column computes in 16 bits and turns 180, 177 into
# 65533.0, as if 18 hours had been added; groupby(game).diff() of the same column gives -3.0. The
# nullable UInt16 wraps too, also by groups; of Arrow's type it is an error. polars 2.1.0 widens to
# Int32 in diff(), but not in a subtraction of shift().
#
# Output seen on 28 November 2026:
#| pandas, uint16: diff() 65533.0, groupby().diff() -3.0
#| pandas, UInt16: diff() 65533, groupby().diff() 65533
#| pandas, uint16[pyarrow]: diff() ArrowInvalid, groupby().diff() ArrowInvalid
#| polars: diff() -3, minus shift() 65533
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
cat > seen.py <<'PY'
import pandas, polars
CLOCKS, GAME = [180, 177], [1, 1]
def second(differences):
    try:
        return differences().tolist()[1]
    except Exception as error:
        return type(error).__name__
for dtype in ("uint16", "UInt16", "uint16[pyarrow]"):
    left = pandas.Series(CLOCKS, dtype=dtype)
    print(f"pandas, {dtype}: diff() {second(left.diff)}, groupby().diff() {second(left.groupby(GAME).diff)}")
left = polars.Series(CLOCKS, dtype=polars.UInt16)
print(f"polars: diff() {left.diff()[1]}, minus shift() {(left - left.shift())[1]}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
