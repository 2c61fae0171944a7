#!/bin/sh
# PGN allows digits in the name of a tag (PGN 1994, section 7), and in what is imported move numbers
# without a period (8.2.2.1). chess.js 1.4.0 (npm) refuses a game for either, kokopu 4.13.4 for the
# second. chessops 0.15.1 and @mliebelt/pgn-parser 1.4.19 read both. The "-" of an unrated player
# (9.1.2) is the number 0 in @mliebelt/pgn-parser.
#
# Output seen on 28 November 2026 with node 20.20.2:
#| chess.js: tag with a digit refused, 1 e4 refused
#| kokopu: tag with a digit read, 1 e4 refused
#| chessops: tag with a digit read, 1 e4 read
#| @mliebelt/pgn-parser: tag with a digit read, 1 e4 read
#| @mliebelt/pgn-parser, rating -: 0
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund chess.js@1.4.0 kokopu@4.13.4 chessops@0.15.1 @mliebelt/pgn-parser@1.4.19 > /dev/null
cat > seen.mjs <<'JS'
import { Chess } from 'chess.js';
import { parsePgn } from 'chessops/pgn';
import { pgnRead } from 'kokopu';
import mliebelt from '@mliebelt/pgn-parser';
const mliebelts = text => mliebelt.parse(text, { startRule: 'game' });
const plies = {
  'chess.js': text => { const chess = new Chess(); chess.loadPgn(text); return chess.history().length; },
  'kokopu': text => pgnRead(text).game(0).mainVariation().nodes().length,
  'chessops': text => [...parsePgn(text)[0].moves.mainline()].length,
  '@mliebelt/pgn-parser': text => mliebelts(text).moves.length,
};
const games = {
  'tag with a digit': '[Event "E"]\n[Source2 "S"]\n\n1. e4 e5 *\n',
  '1 e4': '[Event "E"]\n\n1 e4 e5 *\n',
};
for (const [name, read] of Object.entries(plies)) {
  const got = Object.entries(games).map(([what, text]) => {
    try { return `${what} ${read(text) === 2 ? 'read' : 'lost'}`; } catch { return `${what} refused`; }
  });
  console.log(`${name}: ${got.join(', ')}`);
}
console.log(`@mliebelt/pgn-parser, rating -: ${mliebelts('[WhiteElo "-"]\n\n1. e4 *\n').tags.WhiteElo}`);
JS
node seen.mjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
