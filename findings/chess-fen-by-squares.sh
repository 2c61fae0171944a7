#!/bin/sh
# fromFEN() of chess 1.5.1 (npm) reads where the pieces stand and who moves; castling rights and the en passant
# square are left aside, and every piece counts as one that has not moved. So castling is offered where the FEN
# says that nobody may castle, a pawn goes two squares from e4 to e6 or from b6 to b8, en passant is missing,
# and move() plays such moves. The example of its README, the first position of a game, does not show it.
# getFen() has the pieces alone. chess.js 1.4.0 (npm) has the legal moves.
#
# Output seen on 29 November 2026 with node 20.20.2, moves of the one and not of the other:
#| 4k3/8/8/8/8/8/8/R3K2R w - - 0 1: chess O-O O-O-O, chess.js none
#| 4k3/8/8/8/4P3/8/8/4K3 w - - 0 1: chess e6, chess.js none
#| 4k3/8/1P6/8/8/8/8/4K3 w - - 0 1: chess b8=B b8=N b8=Q b8=R, chess.js none
#| 4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1: chess e7, chess.js exd6
#| 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1: chess none, chess.js none
#| played by chess: 4k3/8/8/8/8/8/8/R4RK1, 4k3/8/4P3/8/8/8/8/4K3
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund chess@1.5.1 chess.js@1.4.0 > /dev/null
cat > seen.cjs <<'JS'
const chess = require('chess');
const { Chess } = require('chess.js');
// chess writes 0-0 and b8Q, and neither + nor #
const same = move => move.replace(/0/g, 'O').replace(/[+#]$/, '').replace(/^([a-h]\d|[a-h]x[a-h]\d)([QRBN])$/, '$1=$2');
const only = (ones, others) => ones.filter(move => !others.includes(move)).sort().join(' ') || 'none';
for (const fen of ['4k3/8/8/8/8/8/8/R3K2R w - - 0 1', '4k3/8/8/8/4P3/8/8/4K3 w - - 0 1', '4k3/8/1P6/8/8/8/8/4K3 w - - 0 1',
  '4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1', '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1']) {
  const ours = Object.keys(chess.fromFEN(fen).getStatus().notatedMoves).map(same);
  const theirs = new Chess(fen).moves().map(same);
  console.log(`${fen}: chess ${only(ours, theirs)}, chess.js ${only(theirs, ours)}`);
}
const played = (fen, move) => {
  const game = chess.fromFEN(fen);
  game.move(move);
  return game.getFen();
};
console.log(`played by chess: ${played('4k3/8/8/8/8/8/8/R3K2R w - - 0 1', '0-0')}, ${played('4k3/8/8/8/4P3/8/8/4K3 w - - 0 1', 'e6')}`);
JS
node seen.cjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
