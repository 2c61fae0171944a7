#!/bin/sh
# Engines of the XBoard protocol have no common number for a mate. chess 1.11.2 (PyPI; python-chess)
# takes 100000 and N for a mate in N. HoiChess 0.22.0 (Debian 12) counts down from 100000, Sjaak II
# 1.4.1 from 16000, Sjeng 11.2 from 1000000. For the first two a mate becomes an advantage of 999 or 159
# pawns, and is_mate() is False. With Sjeng a mate in one is a mate in 899,998 moves, and its
# score(mate_score=100000) is below zero for the side that mates. Scores without a mate are right.
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 28 November 2026:
#| hoichess: mate in 1 Cp(+99999), as a number 99999
#| hoichess: mate in 2 Cp(+99997), as a number 99997
#| sjaakii: mate in 1 Cp(+15999), as a number 15999
#| sjaakii: mate in 2 Cp(+15997), as a number 15997
#| sjeng: mate in 1 Mate(+899998), as a number -799998
#| sjeng: mate in 2 Mate(+899996), as a number -799996
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq hoichess=0.22.0-3 sjaakii=1.4.1-2 sjeng=11.2-8.2 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
cat > seen.py <<'PY'
import chess, chess.engine, logging
logging.disable(logging.CRITICAL)
mates = {1: "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", 2: "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"}
for name in ("hoichess", "sjaakii", "sjeng"):
    for moves, fen in mates.items():
        with chess.engine.SimpleEngine.popen_xboard(name, timeout=30) as engine:
            info = engine.analyse(chess.Board(fen), chess.engine.Limit(time=1))
        score = info["score"].white()
        print(f"{name}: mate in {moves} {score!r}, as a number {score.score(mate_score=100000)}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
