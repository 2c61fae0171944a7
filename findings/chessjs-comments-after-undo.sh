#!/bin/sh
# chess.js 1.4.0 (npm) keeps comments by position, not by move. A comment on a move that undo()
# takes back comes back when the position does, also in another order of moves. Asking for the
# comments in between deletes it: getComments() leaves in the object only those whose positions the
# game has now.
#
# Output seen on 27 November 2026 with node 20.20.2:
#| not asked: 1. d4 d6 2. e4 {a fine order} *
#| asked in between (0 comments): 1. d4 d6 2. e4 *
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund chess.js@1.4.0 > /dev/null
cat > seen.mjs <<'JS'
import { Chess } from 'chess.js';
const other = ask => {
  const chess = new Chess();
  for (const san of ['e4', 'd6', 'd4']) chess.move(san);
  chess.setComment('a fine order');
  for (let i = 0; i < 3; i++) chess.undo();
  const asked = ask ? ` in between (${chess.getComments().length} comments)` : '';
  for (const san of ['d4', 'd6', 'e4']) chess.move(san);
  return `${asked}: ${chess.pgn().split('\n').pop()}`;
};
console.log(`not asked${other(false)}`);
console.log(`asked${other(true)}`);
JS
node seen.mjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
