#!/bin/sh
# A game whose FEN tag has a half-move clock of 97, three half-moves from the fifty moves. kokopu 4.13.4
# (npm) reads the clock as 0 and keeps the move number: it counts from there, so that the last position,
# 101 half-moves without a capture or a pawn's move, has a clock of 4, and pgnWrite() puts the changed FEN
# into the tag. fen() of a position, which is no game, has 0 and 1 for both counters whatever it was made
# from. chess 1.11.2 (PyPI; python-chess), chess.js 1.4.0 and chessops 0.15.1 (npm) keep both.
#
# Output seen on 28 November 2026 with node 20.20.2:
#| python-chess: 8/3k4/8/8/8/R7/8/4K3 w - - 101 82
#| chess.js: 8/3k4/8/8/8/R7/8/4K3 w - - 101 82
#| chessops: 8/3k4/8/8/8/R7/8/4K3 w - - 101 82
#| kokopu: 8/3k4/8/8/8/R7/8/4K3 w - - 4 82
#| kokopu writes: [FEN "4k3/8/8/8/8/8/8/R3K3 w - - 0 80"]
#| kokopu, a position: 4k3/8/8/8/8/8/8/R3K3 w - - 0 1
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
npm install --silent --no-fund kokopu@4.13.4 chess.js@1.4.0 chessops@0.15.1 > /dev/null
cat > game.pgn <<'PGN'
[Event "E"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "A"]
[Black "B"]
[Result "*"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/8/R3K3 w - - 97 80"]

80. Ra2 Ke7 81. Ra3 Kd7 *
PGN
cat > by_python.py <<'PY'
import chess.pgn
with open("game.pgn") as file:
    print("python-chess:", chess.pgn.read_game(file).end().board().fen())
PY
cat > by_node.mjs <<'JS'
import { readFileSync } from 'fs';
import { Chess } from 'chess.js';
import { makeFen } from 'chessops/fen';
import { parsePgn, startingPosition } from 'chessops/pgn';
import { parseSan } from 'chessops/san';
import { pgnRead, pgnWrite, Position } from 'kokopu';
const text = readFileSync('game.pgn', 'utf8');
const chess = new Chess();
chess.loadPgn(text);
console.log(`chess.js: ${chess.fen()}`);
const [parsed] = parsePgn(text);
const position = startingPosition(parsed.headers).unwrap();
for (const node of parsed.moves.mainline()) position.play(parseSan(position, node.san));
console.log(`chessops: ${makeFen(position.toSetup())}`);
const game = pgnRead(text, 0);
console.log(`kokopu: ${game.finalFEN()}`);
console.log(`kokopu writes: ${pgnWrite(game).split('\n').find(line => line.startsWith('[FEN'))}`);
console.log(`kokopu, a position: ${new Position(parsed.headers.get('FEN')).fen()}`);
JS
(venv/bin/python by_python.py; node by_node.mjs) > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
