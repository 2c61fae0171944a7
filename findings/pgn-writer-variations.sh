#!/bin/sh
# @mliebelt/pgn-writer 1.0.5 (npm) is made to write what @mliebelt/pgn-parser reads. With the
# parser's newest version, 1.4.19, a game without variations is written (a NAG without a blank
# before it), and any game with a variation ends in a TypeError.
#
# Output seen on 27 November 2026 with node 20.20.2:
#| 1. e4 {best} *: 1. e4 {best} *
#| 1. e4 $1 *: 1. e4$1 *
#| 1. e4 (1. d4) *: TypeError
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund @mliebelt/pgn-parser@1.4.19 @mliebelt/pgn-writer@1.0.5 > /dev/null
cat > seen.cjs <<'JS'
const { parse } = require('@mliebelt/pgn-parser');
const { writeGame } = require('@mliebelt/pgn-writer');
for (const text of ['1. e4 {best} *', '1. e4 $1 *', '1. e4 (1. d4) *']) {
  let got;
  try { got = writeGame(parse(text, { startRule: 'game' })).split('\n').pop(); } catch (error) { got = error.name; }
  console.log(`${text}: ${got}`);
}
JS
node seen.cjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
