#!/bin/sh
# The second best move is often asked for by leaving the best one out: analyse() of chess 1.11.2
# (PyPI; python-chess) with root_moves= the other moves. Where only one move is legal these are none,
# and Stockfish 15.1-4 (Debian 12), with no move to search, answers as if the game were over: in
# check with a mate, otherwise with a draw. Neither is an error, and both look like scores of the
# position. In the first one here the only move takes the queen; in the second a queen is lost
# against a pawn, and the score says draw.
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 28 November 2026:
#| legal e1e2: the others Mate(-0)
#| legal b3b4: the others Cp(0)
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq stockfish=15.1-4 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
cat > seen.py <<'PY'
import chess, chess.engine
with chess.engine.SimpleEngine.popen_uci("stockfish") as engine:
    for fen in ("4k3/8/8/8/8/8/4q3/4K3 w - - 0 1", "7k/8/8/8/8/1P6/2q5/K7 w - - 0 1"):
        board = chess.Board(fen)
        [only] = board.legal_moves
        limit = chess.engine.Limit(depth=5)
        best = engine.analyse(board, limit)["pv"][0]
        others = [move for move in board.legal_moves if move != best]
        score = engine.analyse(board, limit, root_moves=others)["score"].pov(board.turn)
        print(f"legal {only}: the others {score!r}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
