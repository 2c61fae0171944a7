#!/bin/sh
# chessops 0.15.1 (npm) writes castling in UCI notation as the king's move to the rook, e1h1, in
# games of usual chess too, where the UCI protocol has e1g1. Stockfish 15.1-4 (Debian 12), which has
# not been told that the game is Chess960, says nothing to such a move: it leaves it and all moves
# behind it out, and goes on from the position before. So an engine that is given "position startpos
# moves ..." with moves of makeUci() thinks about another position.
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 27 November 2026:
#| makeUci: e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1 d7d6
#| Stockfish is at: rnbqk2r/pppp1ppp/5n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4
#| after e1g1: rnbqk2r/ppp2ppp/3p1n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 w kq - 0 5
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq stockfish=15.1-4 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
npm install --silent --no-fund chessops@0.15.1 > /dev/null
cat > moves.mjs <<'JS'
import { Chess } from 'chessops/chess';
import { parseSan } from 'chessops/san';
import { makeUci } from 'chessops/util';
const position = Chess.default();
const moves = 'e4 e5 Nf3 Nf6 Bc4 Bc5 O-O d6'.split(' ').map(san => {
  const move = parseSan(position, san);
  position.play(move);
  return makeUci(move);
});
console.log(moves.join(' '));
JS
moves=$(node moves.mjs)
reached() { printf 'position startpos moves %s\nd\nquit\n' "$1" | stockfish | sed -n 's/^Fen: //p'; }
{
  echo "makeUci: $moves"
  echo "Stockfish is at: $(reached "$moves")"
  echo "after e1g1: $(reached "$(echo "$moves" | sed s/e1h1/e1g1/)")"
} > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
