#!/bin/sh
# SAN of the same moves in variants, by three libraries. chess 1.11.2 (PyPI; python-chess) and chessops
# 0.15.1 (npm) put # behind each move that wins by the rules of the variant: the king on the hill, the
# race, the last piece given away, the exploded king. pyffish 0.0.90 (PyPI; Fairy-Stockfish) does so for
# the third check, and not in those. A pawn's drop in Crazyhouse is @e4 for the first two, P@e4 for
# pyffish. So move texts of the two kinds neither join nor count alike; python-chess reads both.
#
# Output seen on 28 November 2026:
#| kingofthehill d3d4: python-chess Kd4#, chessops Kd4#, pyffish Kd4
#| racingkings a7a8: python-chess Ka8#, chessops Ka8#, pyffish Ka8
#| antichess b1a3: python-chess Nxa3#, chessops Nxa3#, pyffish Nxa3
#| 3check d2e2: python-chess Qe2#, chessops Qe2#, pyffish Qe2#
#| atomic d1d7: python-chess Qxd7#, chessops Qxd7#, pyffish Qxd7
#| crazyhouse P@e4: python-chess @e4, chessops @e4, pyffish P@e4
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2 pyffish==0.0.90
npm install --silent --no-fund chessops@0.15.1 > /dev/null
cat > moves <<'MOVES'
kingofthehill,d3d4,7k/8/8/8/8/3K4/8/8 w - - 0 1
racingkings,a7a8,8/K7/8/8/8/8/8/7k w - - 0 1
antichess,b1a3,8/8/8/8/8/p7/8/1N6 w - - 0 1
3check,d2e2,4k3/8/8/8/8/8/3Q4/4K3 w - - 1+3 0 1
atomic,d1d7,4k3/3p4/8/8/8/8/8/3QK3 w - - 0 1
crazyhouse,P@e4,4k3/8/8/8/8/8/8/4K3[P] w - - 0 1
MOVES
cat > seen.mjs <<'JS'
import { readFileSync } from 'fs';
import { parseFen } from 'chessops/fen';
import { makeSan } from 'chessops/san';
import { parseUci } from 'chessops/util';
import { setupPosition } from 'chessops/variant';
for (const line of readFileSync('moves', 'utf8').trim().split('\n')) {
  const [variant, uci, fen] = line.split(',');
  console.log(makeSan(setupPosition(variant, parseFen(fen).unwrap()).unwrap(), parseUci(uci)));
}
JS
node seen.mjs > by-chessops
cat > seen.py <<'PY'
import chess, chess.variant, pyffish
for line, chessops in zip(open("moves"), open("by-chessops")):
    variant, uci, fen = line.rstrip().split(",")
    board = chess.variant.find_variant(variant)(fen)
    mine, theirs = board.san(chess.Move.from_uci(uci)), pyffish.get_san(variant, fen, uci)
    assert board.parse_san(mine) == board.parse_san(theirs)
    print(f"{variant} {uci}: python-chess {mine}, chessops {chessops.rstrip()}, pyffish {theirs}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
