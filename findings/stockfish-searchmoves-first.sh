#!/bin/sh
# Stockfish 15.1-4 (Debian 12) takes every word behind "searchmoves" for a move, limits too. In "go
# searchmoves d2d4 depth 2" the limit is gone, and nothing says so: the search goes on beyond depth
# 2, until "stop". With the limit in front of the moves it ends there by itself. (The UCI protocol
# names no order of the parts of "go".)
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 27 November 2026:
#| go depth 2 searchmoves d2d4: ends at depth 2
#| go searchmoves d2d4 depth 2: goes on at depth 5
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq stockfish=15.1-4 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
cat > seen.py <<'PY'
import subprocess
for command in ("go depth 2 searchmoves d2d4", "go searchmoves d2d4 depth 2"):
    with subprocess.Popen(["stockfish"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as engine:
        engine.stdin.write(f"position startpos\n{command}\n")
        depth = 0
        for line in engine.stdout:
            if line.startswith("info depth"):
                depth = int(line.split()[2])
            if line.startswith("bestmove") or depth == 5:
                break
        print(f"{command}: {'ends' if line.startswith('bestmove') else 'goes on'} at depth {depth}")
        engine.stdin.write("stop\nquit\n")
PY
python3 seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
