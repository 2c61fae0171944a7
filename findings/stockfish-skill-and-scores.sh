#!/bin/sh
# With a Skill Level below 20, Stockfish 15.1-4 (Debian 12) often plays another move than the one at
# the head of the variation that it reports: it searches several moves, reports the best one, and
# chooses by skill afterwards. So the score and the variation that play() of chess 1.11.2 (PyPI;
# python-chess) gives with the move are those of a move that is not played; as %eval of the game
# they are wrong. With Skill Level 20 both are the same move.
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 28 November 2026 (the choice is
# random, 14 to 17 of 20 moves differed):
#| Skill Level 0: some moves played are not those of the scores
#| Skill Level 20: all moves played are those of the scores
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq stockfish=15.1-4 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
cat > seen.py <<'PY'
import chess, chess.engine
board = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4")
with chess.engine.SimpleEngine.popen_uci("stockfish") as engine:
    for level in (0, 20):
        engine.configure({"Skill Level": level})
        other = 0
        for _ in range(20):
            result = engine.play(board, chess.engine.Limit(depth=6), info=chess.engine.INFO_ALL)
            other += result.move != result.info["pv"][0]
        moves = "some moves played are not" if other else "all moves played are"
        print(f"Skill Level {level}: {moves} those of the scores")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
