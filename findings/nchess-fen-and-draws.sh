#!/bin/sh
# nchess 1.3.1 (PyPI, December 2025): behind any double step of a pawn fen() has a digit where the
# en passant square should be (0 for the h file, 7 for the a file), which neither chess 1.11.2
# (PyPI; python-chess) nor nchess itself reads. is_insufficient_material has bishops the wrong way
# round: a bishop each on squares of different colours, where a mate is possible, is "insufficient",
# on the same colour it is not. is_threefold does not count the position before the first move.
#
# Output seen on 28 November 2026:
#| FEN after 1. e4: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq 3 0 1
#| nchess reads it: refused, python-chess: refused
#| bishops on different colours insufficient: nchess True, python-chess False
#| bishops on the same colour insufficient: nchess False, python-chess True
#| the start for the third time: nchess False, python-chess True
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check nchess==1.3.1 chess==1.11.2
cat > seen.py <<'PY'
import chess, nchess
def reads(board, fen):
    try:
        board(fen)
        return "read"
    except ValueError:
        return "refused"
board = nchess.Board()
board.step("e2e4")
fen = board.fen()
print(f"FEN after 1. e4: {fen}")
print(f"nchess reads it: {reads(nchess.Board, fen)}, python-chess: {reads(chess.Board, fen)}")
for what, fen in (("different colours", "4kb2/8/8/8/8/8/8/4KB2 w - - 0 1"), ("the same colour", "4k1b1/8/8/8/8/8/8/4KB2 w - - 0 1")):
    theirs, other = nchess.Board(fen).is_insufficient_material, chess.Board(fen).is_insufficient_material()
    print(f"bishops on {what} insufficient: nchess {theirs}, python-chess {other}")
board, other = nchess.Board(), chess.Board()
for move in ["g1f3", "g8f6", "f3g1", "f6g8"] * 2:
    board.step(move)
    other.push_uci(move)
print(f"the start for the third time: nchess {board.is_threefold}, python-chess {other.is_repetition(3)}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
