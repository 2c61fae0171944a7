#!/bin/sh
# A mate ends the game even if it is the hundredth half-move without capture or pawn move (FIDE's Laws,
# 9.6.2 for the 75 moves). chess.js 1.4.0 (npm) then says both: isCheckmate() and isDraw() are true,
# so that a program that asks for the draw first writes 1/2-1/2. isDrawByFiftyMoves() goes by the
# counter alone. Its own pgn() has neither result: after any mate the Result stays "*". chess 1.11.2
# (PyPI; python-chess) and chessops 0.15.1 (npm) have a win for White.
#
# Output seen on 28 November 2026:
#| chess.js: isCheckmate() true, isDraw() true, isDrawByFiftyMoves() true
#| chess.js, pgn(): 120. Qg7# *
#| chessops: winner white
#| python-chess: is_fifty_moves() False, result 1-0
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
npm install --silent --no-fund chess.js@1.4.0 chessops@0.15.1 > /dev/null
FEN='7k/8/5KQ1/8/8/8/8/8 w - - 99 120'
export FEN
cat > seen.mjs <<'JS'
import { Chess } from 'chess.js';
import { Chess as Position } from 'chessops/chess';
import { parseFen } from 'chessops/fen';
import { parseSan } from 'chessops/san';
const chess = new Chess(process.env.FEN);
chess.move('Qg7#');
const said = ['isCheckmate', 'isDraw', 'isDrawByFiftyMoves'].map(name => `${name}() ${chess[name]()}`);
console.log(`chess.js: ${said.join(', ')}`);
console.log(`chess.js, pgn(): ${chess.pgn().split('\n').pop()}`);
const position = Position.fromSetup(parseFen(process.env.FEN).unwrap()).unwrap();
position.play(parseSan(position, 'Qg7#'));
console.log(`chessops: winner ${position.outcome().winner}`);
JS
cat > seen.py <<'PY'
import chess, os
board = chess.Board(os.environ["FEN"])
board.push_san("Qg7#")
print(f"python-chess: is_fifty_moves() {board.is_fifty_moves()}, result {board.result(claim_draw=True)}")
PY
node seen.mjs > seen
venv/bin/python seen.py >> seen
grep '^#| ' "$me" | cut -c4- | diff - seen
