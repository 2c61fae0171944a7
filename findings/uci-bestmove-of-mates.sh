#!/bin/sh
# What engines of Debian 12 answer to "go" when the game is over, in a mate and in a stalemate
# alike: stockfish 15.1-4 and glaurung 2.2-4 "bestmove (none)", ethereal-chess 12.00+ds1-1 and toga2
# 3.0.0.1SE1-2 "bestmove a1a1". The UCI protocol has a null move 0000, and no word for none. play()
# of chess 1.11.2 (PyPI; python-chess) gives None for the first, and an EngineError for a1a1: a run
# over the last positions of games ends with the first mate.
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 28 November 2026:
#| stockfish: (none) (none), play(): None
#| glaurung: (none) (none), play(): None
#| ethereal-chess: a1a1 a1a1, play(): EngineError
#| toga2: a1a1 a1a1, play(): EngineError
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq stockfish=15.1-4 glaurung=2.2-4 ethereal-chess=12.00+ds1-1 toga2=3.0.0.1SE1-2+b1 libfathom1=1.0+git.20190811.97fb5c-1 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
export LD_LIBRARY_PATH=$(dirname "$PWD"/debian/usr/lib/*/libfathom.so.1)
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
cat > seen.py <<'PY'
import chess, chess.engine, logging, subprocess
logging.disable()
MATE, STALEMATE = "7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
def best(name, fen):
    with subprocess.Popen([name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as engine:
        engine.stdin.write(f"uci\nposition fen {fen}\ngo depth 2\n")
        line = next(line for line in engine.stdout if line.startswith("bestmove"))
        engine.stdin.write("quit\n")
        return line.split()[1]
def play(name):
    engine = chess.engine.SimpleEngine.popen_uci(name)
    try:
        return engine.play(chess.Board(MATE), chess.engine.Limit(depth=2)).move
    except chess.engine.EngineError as error:
        return type(error).__name__
    finally:
        engine.close()
for name in ("stockfish", "glaurung", "ethereal-chess", "toga2"):
    print(f"{name}: {best(name, MATE)} {best(name, STALEMATE)}, play(): {play(name)}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
