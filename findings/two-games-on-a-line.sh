#!/bin/sh
# A termination ends a game of PGN, and the tags of the next may be missing (PGN 1994, section 8.1: zero
# or more tag pairs), so that two games can stand on one line. chess 1.11.2 (PyPI; python-chess) and
# chessops 0.15.1 (npm) read on behind the termination, as long as the line goes: one game with the
# moves of both, without an error. They differ in its result, the first or the last one. kokopu 4.13.4
# and @mliebelt/pgn-parser 1.4.19 (npm), pgn-read 2.7.3 (PyPI) and pgn-extract 19.04-1 (Debian 12) read
# two games.
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 28 November 2026:
#| python-chess: e4 e5 d4 d5 1-0, errors 0
#| pgn-read: e4 e5 1-0 | d4 d5 0-1
#| chessops: e4 e5 d4 d5 0-1
#| kokopu: e4 e5 1-0 | d4 d5 0-1
#| @mliebelt/pgn-parser: e4 e5 1-0 | d4 d5 0-1
#| pgn-extract: 1. e4 e5 1-0 | 1. d4 d5 0-1
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq pgn-extract=19.04-1 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2 pgn-read==2.7.3
npm install --silent --no-fund chessops@0.15.1 kokopu@4.13.4 @mliebelt/pgn-parser@1.4.19 > /dev/null
echo '1. e4 e5 1-0 1. d4 d5 0-1' > games.pgn
cat > seen.py <<'PY'
import chess.pgn
from pgn_read.core.parser import PGN
with open("games.pgn") as file:
    [game] = iter(lambda: chess.pgn.read_game(file), None)
print("python-chess:", *(node.san() for node in game.mainline()), f"{game.headers['Result']}, errors {len(game.errors)}")
with open("games.pgn") as file:
    print("pgn-read:", " | ".join(" ".join(game._text) for game in PGN().read_games(file)))
PY
cat > seen.mjs <<'JS'
import { readFileSync } from 'fs';
import { parsePgn } from 'chessops/pgn';
import { pgnRead } from 'kokopu';
import mliebelt from '@mliebelt/pgn-parser';
const text = readFileSync('games.pgn', 'utf8');
const said = (name, games) => console.log(`${name}: ${games.map(words => words.join(' ')).join(' | ')}`);
said('chessops', parsePgn(text).map(({ moves, headers }) => [...moves.mainline()].map(node => node.san).concat(headers.get('Result'))));
const read = pgnRead(text);
said('kokopu', [...Array(read.gameCount()).keys()].map(i => read.game(i)).map(game =>
  game.mainVariation().nodes().map(node => node.notation()).concat(game.result())));
said('@mliebelt/pgn-parser', mliebelt.parse(text, { startRule: 'games' }).map(({ moves, tags }) =>
  moves.map(move => move.notation.notation).concat(tags.Result)));
JS
venv/bin/python seen.py > seen
node seen.mjs >> seen
echo "pgn-extract: $(pgn-extract -s games.pgn 2> said | grep '^1\.' | paste -sd '|' | sed 's/|/ | /')" >> seen
grep '^#| ' "$me" | cut -c4- | diff - seen
