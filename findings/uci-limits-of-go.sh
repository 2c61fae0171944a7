#!/bin/sh
# Two limits that the UCI protocol has for "go", in engines of Debian 12. "nodes 1000": stockfish
# 15.1-4 and glaurung 2.2-4 end there; ethereal-chess 12.00+ds1-1 ends after depth 1, with fewer
# than a hundred nodes, and toga2 3.0.0.1SE1-2 goes on until "stop". "searchmoves a2a3 h2h3": the
# latter two search and play other moves. Neither says a word, so that a table of such evaluations
# holds those of depth 1, or of all moves.
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 28 November 2026:
#| stockfish: nodes 1000 ends near 1000, searchmoves obeyed
#| glaurung: nodes 1000 ends near 1000, searchmoves obeyed
#| ethereal-chess: nodes 1000 ends below 100, searchmoves ignored
#| toga2: nodes 1000 goes on beyond 100000, searchmoves ignored
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq stockfish=15.1-4 glaurung=2.2-4 ethereal-chess=12.00+ds1-1 toga2=3.0.0.1SE1-2+b1 libfathom1=1.0+git.20190811.97fb5c-1 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
export LD_LIBRARY_PATH=$(dirname "$PWD"/debian/usr/lib/*/libfathom.so.1)
cat > seen.py <<'PY'
import re, subprocess
def go(name, command):
    with subprocess.Popen([name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as engine:
        engine.stdin.write(f"uci\nposition startpos\n{command}\n")
        nodes = 0
        for line in engine.stdout:
            if found := re.search(r"\bnodes (\d+)", line):
                nodes = int(found[1])
            if nodes > 100000:
                engine.stdin.write("stop\nquit\n")
                return nodes, None
            if line.startswith("bestmove"):
                engine.stdin.write("quit\n")
                return nodes, line.split()[1]
for name in ("stockfish", "glaurung", "ethereal-chess", "toga2"):
    nodes, move = go(name, "go nodes 1000")
    ends = "goes on beyond 100000" if move is None else "ends below 100" if nodes < 100 else "ends near 1000"
    _, move = go(name, "go depth 3 searchmoves a2a3 h2h3")
    print(f"{name}: nodes 1000 {ends}, searchmoves {'obeyed' if move in ('a2a3', 'h2h3') else 'ignored'}")
PY
python3 seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
