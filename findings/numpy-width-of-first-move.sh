#!/bin/sh
# Moves in arrays of numpy 2.4.6 (PyPI, 2026) are as wide as the longest one that the array was made of, and
# what is put in later is cut off at that width, without a word: of e7e8q the promotion, of O-O-O two squares,
# so that both are another move. apply_along_axis() and vectorize() with a signature take the width from their
# first answer; insert(), full_like(), filled() of masked arrays and an assignment keep the width there was,
# and so do xarray 2026.9.0 and h5py 3.16.0 (HDF5), which sit on numpy. append(), where(), vectorize() without
# a signature, numpy's StringDType and pandas 3.1.1 have the whole move.
#
# Output seen on 29 November 2026:
#| apply_along_axis, castling: e1g1 O-O, e1c1 O-O
#| vectorize with a signature, castling: e1g1 O-O, e1c1 O-O
#| vectorize, castling: e1g1 O-O, e1c1 O-O-O
#| insert: e2e4 e7e8 e7e5
#| append: e2e4 e7e5 e7e8q
#| full_like: e7e8 e7e8
#| filled, masked array: e2e4 e7e8
#| where: e2e4 e7e8q
#| assignment: e2e4 e7e8
#| assignment, xarray: e2e4 e7e8
#| assignment, h5py: e2e4 e7e8
#| assignment, StringDType: e2e4 e7e8q
#| assignment, pandas: e2e4 e7e8q
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check h5py==3.16.0 numpy==2.4.6 pandas==3.1.1 xarray==2026.9.0
cat > seen.py <<'PY'
import h5py, numpy, pandas, xarray
def seen(name, moves):
    print(f"{name}:", *moves)
def castling(squares):
    return "O-O" if squares[1] == "g1" else "O-O-O"
kings = numpy.array([["e1", "g1"], ["e1", "c1"]])
by_row = numpy.vectorize(castling, signature="(n)->()")
by_square = numpy.vectorize(lambda square: castling(["e1", square]))
for name, sides in (("apply_along_axis", numpy.apply_along_axis(castling, 1, kings)),
                    ("vectorize with a signature", by_row(kings)), ("vectorize", by_square(kings[:, 1]))):
    print(f"{name}, castling:", ", ".join(f"{''.join(move)} {side}" for move, side in zip(kings, sides)))
moves = numpy.array(["e2e4", "e7e5"])
seen("insert", numpy.insert(moves, 1, "e7e8q"))
seen("append", numpy.append(moves, "e7e8q"))
seen("full_like", numpy.full_like(moves, "e7e8q"))
seen("filled, masked array", numpy.ma.array(moves, mask=[False, True]).filled("e7e8q"))
seen("where", numpy.where([False, True], "e7e8q", moves))
def assigned(moves):
    moves[1] = "e7e8q"
    return moves
seen("assignment", assigned(moves.copy()))
seen("assignment, xarray", assigned(xarray.DataArray(moves.copy())).values)
with h5py.File("moves.h5", "w") as file:
    seen("assignment, h5py", (move.decode() for move in assigned(file.create_dataset("moves", data=moves.astype("S")))))
seen("assignment, StringDType", assigned(moves.astype(numpy.dtypes.StringDType())))
seen("assignment, pandas", assigned(pandas.Series(moves)))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
