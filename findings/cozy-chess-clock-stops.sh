#!/bin/sh
# cozy-chess-py 0.1.1 (PyPI, March 2026), the crate cozy-chess for Python: the half-move clock goes up
# to 100 and stays there, so that FENs of a game that goes on say 100 for 101 and more, and a game of
# 75 moves without a capture, which is over, looks like one of 50. A FEN of such a game, as other
# programs write it, is refused. So is a move number above 65,535. A position at 100 is "Drawn" at
# once, where the draw has to be claimed. chess 1.11.2 (PyPI; python-chess) counts on and reads all.
#
# Output seen on 28 November 2026:
#| python-chess: 98 99 100 101 102 103
#| cozy-chess-py: 98 99 100 100 100 100
#| cozy-chess-py: Ongoing Ongoing Drawn Drawn Drawn Drawn
#| clock 101: python-chess read, cozy-chess-py refused
#| move 65536: python-chess read, cozy-chess-py refused
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check cozy-chess-py==0.1.1 chess==1.11.2
cat > seen.py <<'PY'
import chess, cozy_chess
FEN = "4k3/8/8/8/8/8/R7/4K3 w - - {} {}"
other, board = chess.Board(FEN.format(98, 160)), cozy_chess.Board.from_fen(FEN.format(98, 160))
clocks, counted, status = [other.halfmove_clock], [board.halfmove_clock], [board.status()]
for move in ("a2a3", "e8e7", "a3a2", "e7e8", "a2a3"):
    other.push_uci(move)
    board.play(cozy_chess.Move.from_str(move))
    clocks.append(other.halfmove_clock)
    counted.append(board.halfmove_clock)
    status.append(board.status())
print("python-chess:", *clocks)
print("cozy-chess-py:", *counted)
print("cozy-chess-py:", *status)
def reads(read, *counters):
    try:
        read(FEN.format(*counters))
        return "read"
    except ValueError:
        return "refused"
for what, counters in (("clock 101", (101, 161)), ("move 65536", (0, 65536))):
    print(f"{what}: python-chess {reads(chess.Board, *counters)}, cozy-chess-py {reads(cozy_chess.Board.from_fen, *counters)}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
