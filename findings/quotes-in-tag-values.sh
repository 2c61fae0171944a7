#!/bin/sh
# A quote in a tag value stands behind a backslash (PGN 1994, section 7). Three packages of npm do
# not do so. chess.js 1.4.0 refuses the whole game, and writes such a value without a backslash, so
# that it cannot read its own pgn(). pgn-parser 2.2.1 refuses it too. cm-pgn 5.0.0 ends the value at
# the quote, and keeps the backslash.
#
# Output seen on 27 November 2026 with node 20.20.2:
#| chess.js reads it: refused
#| chess.js writes: [Event "Open "Bosi""]
#| chess.js reads what it wrote: refused
#| pgn-parser reads it: refused
#| cm-pgn reads it: Open \
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund chess.js@1.4.0 pgn-parser@2.2.1 cm-pgn@5.0.0 > /dev/null
cat > seen.mjs <<'JS'
import { Chess } from 'chess.js';
import parser from 'pgn-parser';
import { Pgn } from 'cm-pgn/src/Pgn.js';
const game = '[Event "Open \\"Bosi\\""]\n[Result "*"]\n\n1. e4 e5 *\n';
const seen = (what, read) => { let got; try { got = read(); } catch { got = 'refused'; } console.log(`${what}: ${got}`); };
const event = text => { const chess = new Chess(); chess.loadPgn(text); return chess.getHeaders().Event; };
seen('chess.js reads it', () => event(game));
const chess = new Chess();
chess.setHeader('Event', 'Open "Bosi"');
chess.move('e4');
seen('chess.js writes', () => chess.pgn().split('\n')[0]);
seen('chess.js reads what it wrote', () => event(chess.pgn()));
seen('pgn-parser reads it', () => parser.parse(game)[0].headers[0].value);
seen('cm-pgn reads it', () => new Pgn(game).header.tags.Event);
JS
node seen.mjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
