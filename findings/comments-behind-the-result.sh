#!/bin/sh
# A comment in braces behind the termination of a game, 1-0 {Black resigns}: PGN lets a comment stand
# anywhere (PGN 1994, section 5). Of a file with two such games kokopu 4.13.4 (npm) makes three: the
# comment begins a game of its own, and the tags of the next game are then an error, so that this game
# cannot be read. @mliebelt/pgn-parser 1.4.19 (npm) refuses the file. pgn-extract 19.04-1 (Debian 12)
# reads two games and drops the comments without a word. chess 1.11.2 (PyPI; python-chess), chessops
# 0.15.1 (npm) and, of the first game, chess.js 1.4.0 (npm) keep them with the last move.
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 28 November 2026:
#| python-chess: Adler e4 e5 {Black resigns} | Curie d4 d5 {on time}
#| chessops: Adler e4 e5 {Black resigns} | Curie d4 d5 {on time}
#| kokopu: Adler e4 e5 | refused | undefined {on time}
#| @mliebelt/pgn-parser: refused
#| chess.js, first game: 1. e4 e5 {Black resigns} 1-0
#| pgn-extract: 1. e4 e5 1-0 | 1. d4 d5 1-0
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq pgn-extract=19.04-1 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
npm install --silent --no-fund chessops@0.15.1 kokopu@4.13.4 chess.js@1.4.0 @mliebelt/pgn-parser@1.4.19 > /dev/null
tags='[Event "E"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[White "%s"]\n[Black "Baer"]\n[Result "1-0"]\n\n'
printf "${tags}1. e4 e5 1-0 {Black resigns}\n\n" Adler > first.pgn
printf "${tags}1. d4 d5 1-0 {on time}\n" Curie | cat first.pgn - > games.pgn
cat > by_python.py <<'PY'
import chess.pgn
with open("games.pgn") as file:
    games = list(iter(lambda: chess.pgn.read_game(file), None))
print("python-chess:", " | ".join(
    " ".join([game.headers["White"], *(node.san() for node in game.mainline()), f"{{{game.end().comment}}}"])
    for game in games))
PY
cat > by_node.mjs <<'JS'
import { readFileSync } from 'fs';
import { Chess } from 'chess.js';
import { parsePgn } from 'chessops/pgn';
import { pgnRead } from 'kokopu';
import parser from '@mliebelt/pgn-parser';
const text = readFileSync('games.pgn', 'utf8');
const or_refused = read => { try { return read(); } catch { return 'refused'; } };
const braces = comment => comment === undefined ? [] : [`{${comment}}`];
const chessops = game => {
  const moves = [...game.moves.mainline()];
  return [game.headers.get('White'), ...moves.map(move => move.san), ...moves.at(-1).comments.flatMap(braces)];
};
console.log(`chessops: ${parsePgn(text).map(game => chessops(game).join(' ')).join(' | ')}`);
const database = pgnRead(text);
const kokopu = i => {
  const game = database.game(i), line = game.mainVariation(), nodes = line.nodes();
  const comment = (nodes.at(-1) ?? line).comment();
  return [String(game.playerName('w')), ...nodes.map(node => node.notation()), ...braces(comment)].join(' ');
};
const games = Array.from({ length: database.gameCount() }, (_, i) => or_refused(() => kokopu(i)));
console.log(`kokopu: ${games.join(' | ')}`);
console.log(`@mliebelt/pgn-parser: ${or_refused(() => `${parser.parse(text, { startRule: 'games' }).length} games`)}`);
const chess = new Chess();
chess.loadPgn(readFileSync('first.pgn', 'utf8'));
console.log(`chess.js, first game: ${chess.pgn().split('\n\n')[1]}`);
JS
venv/bin/python by_python.py > seen
node by_node.mjs >> seen
echo "pgn-extract: $(pgn-extract -s games.pgn | grep '^1\.' | paste -sd '|' | sed 's/|/ | /g')" >> seen
grep '^#| ' "$me" | cut -c4- | diff - seen
