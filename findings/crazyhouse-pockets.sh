#!/bin/sh
# A FEN of Crazyhouse has the captured pieces of both sides in brackets. Libraries write them in two
# orders: chess 1.11.2 (PyPI; python-chess) and pyffish 0.0.90 (PyPI) from the queen to the pawn,
# chessops 0.15.1 (npm; the library of Lichess' pages) from the pawn to the queen. Each reads both,
# but as texts the same positions differ: tables of FENs do not join, and a position that is looked
# up so is not found.
#
# Output seen on 28 November 2026:
#| python-chess: r3k2r/8/8/8/8/8/8/R3K2R[QRNPqbnp] w KQkq - 0 1
#| pyffish: r3k2r/8/8/8/8/8/8/R3K2R[QRNPqbnp] w KQkq - 0 1
#| chessops: r3k2r/8/8/8/8/8/8/R3K2R[PNRQpnbq] w KQkq - 0 1
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2 pyffish==0.0.90
npm install --silent --no-fund chessops@0.15.1 > /dev/null
echo 'r3k2r/8/8/8/8/8/8/R3K2R[QRNPqbnp] w KQkq - 0 1' > fen
cat > seen.py <<'PY'
import chess.variant, pyffish
fen = open("fen").read().strip()
print("python-chess:", chess.variant.CrazyhouseBoard(fen).fen())
print("pyffish:", pyffish.get_fen("crazyhouse", fen, []))
PY
cat > seen.mjs <<'JS'
import { readFileSync } from 'fs';
import { makeFen, parseFen } from 'chessops/fen';
import { setupPosition } from 'chessops/variant';
const setup = parseFen(readFileSync('fen', 'utf8').trim()).unwrap();
console.log(`chessops: ${makeFen(setupPosition('crazyhouse', setup).unwrap().toSetup())}`);
JS
venv/bin/python seen.py > seen
node seen.mjs >> seen
grep '^#| ' "$me" | cut -c4- | diff - seen
