#!/bin/sh
# A game of PGN ends with its termination, not with a blank line (PGN 1994, section 8.2). chess 1.11.2
# (PyPI; python-chess) and chessops 0.15.1 (npm) end the game at a blank line in the movetext: the
# moves behind it become a second game without players, played from the usual start, and since 2. Nf3
# is legal there too, nothing is an error. For python-chess two blank lines between tags and moves are
# enough, so that the game with the tags has no moves. pgn-extract 19.04-1 (Debian 12), chess.js
# 1.4.0 and kokopu 4.13.4 (npm) read one game.
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 28 November 2026:
#| within the moves
#| python-chess: e4 e5 | Nf3 Nc6, errors 0
#| chessops: e4 e5 | Nf3 Nc6
#| kokopu: e4 e5 Nf3 Nc6
#| chess.js: e4 e5 Nf3 Nc6
#| pgn-extract: 1. e4 e5 2. Nf3 Nc6 1-0
#| two above the moves
#| python-chess: no moves | e4 e5 Nf3 Nc6, errors 0
#| chessops: e4 e5 Nf3 Nc6
#| kokopu: e4 e5 Nf3 Nc6
#| chess.js: e4 e5 Nf3 Nc6
#| pgn-extract: 1. e4 e5 2. Nf3 Nc6 1-0
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq pgn-extract=19.04-1 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
npm install --silent --no-fund chessops@0.15.1 kokopu@4.13.4 chess.js@1.4.0 > /dev/null
cat > by_python.py <<'PY'
import chess.pgn
with open("game.pgn") as file:
    games = list(iter(lambda: chess.pgn.read_game(file), None))
lines = (" ".join(node.san() for node in game.mainline()) or "no moves" for game in games)
print(f"python-chess: {' | '.join(lines)}, errors {sum(len(game.errors) for game in games)}")
PY
cat > by_node.mjs <<'JS'
import { readFileSync } from 'fs';
import { Chess } from 'chess.js';
import { parsePgn } from 'chessops/pgn';
import { pgnRead } from 'kokopu';
const text = readFileSync('game.pgn', 'utf8');
const said = (name, games) => console.log(`${name}: ${games.map(moves => moves.join(' ')).join(' | ')}`);
said('chessops', parsePgn(text).map(game => [...game.moves.mainline()].map(node => node.san)));
const read = pgnRead(text);
const nodes = Array.from({ length: read.gameCount() }, (_, i) => read.game(i).mainVariation().nodes());
said('kokopu', nodes.map(moves => moves.map(node => node.notation())));
const chess = new Chess();
chess.loadPgn(text);
said('chess.js', [chess.history()]);
JS
tags='[Event "E"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n'
while read -r what format; do
  printf "$tags$format" > game.pgn
  echo "$what" | tr _ ' '
  venv/bin/python by_python.py
  node by_node.mjs
  echo "pgn-extract: $(pgn-extract -s game.pgn 2> said | grep '^1\.' | paste -sd '|')"
done > seen <<'GAMES'
within_the_moves 1. e4 e5\n\n2. Nf3 Nc6 1-0\n
two_above_the_moves \n1. e4 e5 2. Nf3 Nc6 1-0\n
GAMES
grep '^#| ' "$me" | cut -c4- | diff - seen
