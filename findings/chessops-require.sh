#!/bin/sh
# chessops 0.15.1 (npm) has a CommonJS build, and a "require" condition in its package.json that
# leads to it; but the package says "type": "module" and the folder dist/cjs has no package.json of
# its own, so node takes these files for ES modules too. require() fails in every module of the
# package (node 20.20: "ReferenceError: exports is not defined in ES module scope"); import works.
#
# Output seen on 27 November 2026 with node 20.20.2:
#| require chessops: fails
#| require chessops/pgn: fails
#| import chessops/pgn: works
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund chessops@0.15.1 > /dev/null
cat > seen.cjs <<'JS'
const tried = (how, what) => console.log(`${how}: ${what}`);
for (const name of ['chessops', 'chessops/pgn']) {
  try { require(name); tried(`require ${name}`, 'works'); } catch { tried(`require ${name}`, 'fails'); }
}
import('chessops/pgn').then(m => tried('import chessops/pgn', m.parsePgn ? 'works' : 'is empty'));
JS
node seen.cjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
