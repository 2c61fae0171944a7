#!/bin/sh
# cm-pgn 5.0.0 (npm) reads a game whose FEN tag has Black to move at move 7, and plays it by that
# FEN. render() writes the moves as if White had begun at move 1, beside the same FEN, and without
# the termination: what was 7... Kd7 8. e4 comes out as 1. Kd7 1... e4. Other programs that follow
# the FEN find other move numbers, and no end of the game.
#
# Output seen on 27 November 2026 with node 20.20.2:
#| read: 7... Kd7 {ready} 8. e4 *
#| written: 1. Kd7 {ready} 1... e4
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund cm-pgn@5.0.0 > /dev/null
cat > seen.mjs <<'JS'
import { Pgn } from 'cm-pgn/src/Pgn.js';
const text = '[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 7"]\n\n7... Kd7 {ready} 8. e4 *';
const moves = pgn => pgn.trim().split('\n').pop();
console.log(`read: ${moves(text)}`);
console.log(`written: ${moves(new Pgn(text).render())}`);
JS
node seen.mjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
