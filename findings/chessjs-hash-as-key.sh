#!/bin/sh
# hash() of chess.js 1.4.0 (npm), "a unique 64-bit hash" as hexadecimal text: leading zeros are left
# out. Of the 8,902 positions after three half-moves more than 500 have a text of 15 digits or fewer,
# which as a text neither sorts with the others nor joins with the same number in 16 digits. It is no
# PolyGlot key, of no position here (chess 1.11.2, PyPI). And it is not the hash of the FEN: where a
# double step may not be taken because of a pin, fen() has no en passant square, but the hash has one,
# so that the same FEN read again has another hash.
#
# Output seen on 28 November 2026:
#| positions: 8902
#| shorter than 16 digits: 562
#| equal to the PolyGlot key: 0
#| 1.e4 against a pinned pawn, read again: same FEN true, same hash false
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
npm install --silent --no-fund chess.js@1.4.0 > /dev/null
cat > hashes.mjs <<'JS'
import { Chess } from 'chess.js';
const chess = new Chess();
const walk = depth => {
  if (depth === 0) return console.log(`${chess.hash()},${chess.fen()}`);
  for (const san of chess.moves()) {
    chess.move(san);
    walk(depth - 1);
    chess.undo();
  }
};
walk(3);
JS
cat > pinned.mjs <<'JS'
import { Chess } from 'chess.js';
const played = new Chess('8/8/8/8/R2p3k/8/4P3/4K3 w - - 0 1');
played.move('e4');
const read = new Chess(played.fen());
const same = name => played[name]() === read[name]();
console.log(`1.e4 against a pinned pawn, read again: same FEN ${same('fen')}, same hash ${same('hash')}`);
JS
cat > seen.py <<'PY'
import chess, chess.polyglot
rows = [line.rstrip().split(",") for line in open("hashes.csv")]
print(f"positions: {len(rows)}")
print(f"shorter than 16 digits: {sum(len(text) < 16 for text, _ in rows)}")
keys = (chess.polyglot.zobrist_hash(chess.Board(fen)) for _, fen in rows)
print(f"equal to the PolyGlot key: {sum(int(text, 16) == key for (text, _), key in zip(rows, keys))}")
PY
node hashes.mjs > hashes.csv
{ venv/bin/python seen.py; node pinned.mjs; } > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
