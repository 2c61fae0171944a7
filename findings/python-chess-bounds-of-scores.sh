#!/bin/sh
# A UCI engine says lowerbound or upperbound where a score is only a bound. analyse() of chess 1.11.2
# (PyPI; python-chess) collects all lines of a search in one dict and takes nothing out again: the word
# of an early line stands beside a later, exact score, often both words at once. A program that skips
# bounds then skips exact scores. The variation of an older line stays beside the score of a line without
# one. analysis() gives each line as it was. The engine here is a script with fixed answers. Stockfish
# 15.1 sends bounds in searches of more than three seconds, so that short trials do not show it.
#
# Output seen on 28 November 2026:
#| lines: 30 e2e4, 55 lowerbound d2d4, 60 d2d4, 10 upperbound, 12
#| analyse(): 12 lowerbound upperbound d2d4
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
cat > engine.py <<'PY'
import sys
answers = {"uci": ["id name fixed", "uciok"], "isready": ["readyok"], "go": [
    "info depth 1 score cp 30 pv e2e4",
    "info depth 2 score cp 55 lowerbound pv d2d4",
    "info depth 2 score cp 60 pv d2d4",
    "info depth 3 score cp 10 upperbound",
    "info depth 3 score cp 12",
    "bestmove d2d4"]}
for line in sys.stdin:
    word = line.split()[0]
    if word == "quit":
        break
    for answer in answers.get(word, []):
        print(answer, flush=True)
PY
cat > seen.py <<'PY'
import chess, chess.engine, sys
def seen(info):
    bounds = [word for word in ("lowerbound", "upperbound") if info.get(word)]
    return " ".join([str(info["score"].white().score()), *bounds, *map(str, info.get("pv", []))])
board, limit = chess.Board(), chess.engine.Limit(depth=3)
with chess.engine.SimpleEngine.popen_uci([sys.executable, "engine.py"]) as engine:
    with engine.analysis(board, limit) as lines:
        print("lines:", ", ".join(seen(info) for info in lines if "score" in info))
    print("analyse():", seen(engine.analyse(board, limit)))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
