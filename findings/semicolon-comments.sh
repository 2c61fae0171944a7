#!/bin/sh
# PGN has two kinds of comments (PGN 1994, section 5): between braces, and from a semicolon to the
# end of the line. Of six programs two know the second kind. chess 1.11.2 (PyPI; python-chess) and
# chessops 0.15.1 (npm) drop it without a word; kokopu 4.13.4 (npm) refuses the game, and
# pgn-extract 19.04-1 (Debian 12) makes two of it, of which the first has no moves, and says so on
# stderr with exit status 0. chess.js 1.4.0 and @mliebelt/pgn-parser 1.4.19 (npm) read it.
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 27 November 2026:
#| python-chess: 1. e4 e5 *
#| chessops: 1. e4 e5 *
#| kokopu: refused
#| chess.js: king pawn
#| @mliebelt/pgn-parser: king pawn
#| pgn-extract: games 1, moves 0
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq pgn-extract=19.04-1 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
npm install --silent --no-fund chessops@0.15.1 kokopu@4.13.4 chess.js@1.4.0 @mliebelt/pgn-parser@1.4.19 > /dev/null
cat > game.pgn <<'PGN'
[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "?"]
[Black "?"]
[Result "*"]

1. e4 ; king pawn
1... e5 *

PGN
cat > seen.py <<'PY'
import chess.pgn
print("python-chess:", str(chess.pgn.read_game(open("game.pgn"))).splitlines()[-1])
PY
cat > seen.mjs <<'JS'
import { readFileSync } from 'fs';
import { Chess } from 'chess.js';
import { makePgn, parsePgn } from 'chessops/pgn';
import { pgnRead, pgnWrite } from 'kokopu';
import mliebelt from '@mliebelt/pgn-parser';
const game = readFileSync('game.pgn', 'utf8');
const seen = (what, read) => { let got; try { got = read(); } catch { got = 'refused'; } console.log(`${what}: ${got}`); };
seen('chessops', () => makePgn(parsePgn(game)[0]).trim().split('\n').pop());
seen('kokopu', () => pgnWrite(pgnRead(game).game(0)).trim().split('\n').pop());
seen('chess.js', () => { const chess = new Chess(); chess.loadPgn(game); return chess.getComments()[0].comment; });
seen('@mliebelt/pgn-parser', () => mliebelt.parse(game, { startRule: 'game' }).moves[0].commentAfter.trim());
JS
venv/bin/python seen.py > seen
node seen.mjs >> seen
pgn-extract -s game.pgn > extracted 2> said
echo "pgn-extract: games $(grep -c '^.Event ' extracted), moves $(grep -c '^1\.' extracted || true)" >> seen
grep '^#| ' "$me" | cut -c4- | diff - seen
