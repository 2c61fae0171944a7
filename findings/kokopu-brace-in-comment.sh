#!/bin/sh
# A closing brace cannot stand in a comment of PGN; kokopu 4.13.4 (npm) writes one behind a
# backslash, which the format does not have there (PGN 1994, section 5: backslashes have no meaning
# in comments). kokopu reads it back; other programs end the comment there. What follows is refused
# by chess.js 1.4.0 and @mliebelt/pgn-parser 1.4.19 (npm), and lost in chess 1.11.2 (PyPI;
# python-chess).
#
# Output seen on 27 November 2026:
#| kokopu writes: 1. e4 {see {3\} above} 1... e5 *
#| kokopu reads it: see {3} above
#| chess.js: refused
#| @mliebelt/pgn-parser: refused
#| python-chess: 'see {3\\', errors 0
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
npm install --silent --no-fund kokopu@4.13.4 chess.js@1.4.0 @mliebelt/pgn-parser@1.4.19 > /dev/null
cat > seen.mjs <<'JS'
import { writeFileSync } from 'fs';
import { Chess } from 'chess.js';
import { Game, pgnRead, pgnWrite } from 'kokopu';
import mliebelt from '@mliebelt/pgn-parser';
const seen = (what, read) => { let got; try { got = read(); } catch { got = 'refused'; } console.log(`${what}: ${got}`); };
const game = new Game();
const node = game.mainVariation().play('e4');
node.comment('see {3} above');
node.play('e5');
const text = pgnWrite(game);
writeFileSync('game.pgn', text);
seen('kokopu writes', () => text.trim().split('\n').pop());
seen('kokopu reads it', () => pgnRead(text).game(0).mainVariation().nodes()[0].comment());
seen('chess.js', () => { const chess = new Chess(); chess.loadPgn(text); return 'read'; });
seen('@mliebelt/pgn-parser', () => { mliebelt.parse(text, { startRule: 'game' }); return 'read'; });
JS
cat > seen.py <<'PY'
import chess.pgn
game = chess.pgn.read_game(open("game.pgn"))
print(f"python-chess: {game.next().comment!r}, errors {len(game.errors)}")
PY
node seen.mjs > seen
venv/bin/python seen.py >> seen
grep '^#| ' "$me" | cut -c4- | diff - seen
