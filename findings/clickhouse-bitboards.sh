#!/bin/sh
# Squares as bits of 64 in ClickHouse (chdb 4.4.0, PyPI, 2026). A shift has the type of what is shifted,
# and a 1 in a query is eight bits wide: bitShiftLeft(1, square) is right for a1 to h1 and 0 for every
# other square. A query for boards with a pawn on e2 finds none, and there is no error. With toUInt64(1)
# it is right. duckdb 2.0.1 raises an error for 1 << 60, and SQLite (Python's sqlite3) has 64 bits.
#
# Output seen on 28 November 2026:
#| e1: 16, right
#| a2: 0, wrong
#| e4: 0, wrong
#| white pawns on e2 at the start: 0 of 1 boards, with toUInt64 1
#| duckdb, e8: OutOfRangeException
#| sqlite, e8: 1152921504606846976
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chdb==4.4.0 chdb-core==26.9.0 duckdb==2.0.1 chess==1.11.2
cat > seen.py <<'PY'
import chdb, chess, duckdb, sqlite3
def asked(expression):
    return int(str(chdb.query(f"select {expression}", "TSV")))
for square in (chess.E1, chess.A2, chess.E4):
    bit = asked(f"bitShiftLeft(1, {square})")
    print(f"{chess.square_name(square)}: {bit}, {'right' if bit == chess.BB_SQUARES[square] else 'wrong'}")
pawns = int(chess.Board().pieces(chess.PAWN, chess.WHITE))
def boards(one):
    return asked(f"countIf(bitAnd(toUInt64({pawns}), bitShiftLeft({one}, {chess.E2})) != 0)")
print(f"white pawns on e2 at the start: {boards('1')} of 1 boards, with toUInt64 {boards('toUInt64(1)')}")
try:
    print("duckdb, e8:", duckdb.sql(f"select 1 << {chess.E8}").fetchall()[0][0])
except duckdb.Error as error:
    print("duckdb, e8:", type(error).__name__)
print("sqlite, e8:", sqlite3.connect(":memory:").execute(f"select 1 << {chess.E8}").fetchone()[0])
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
