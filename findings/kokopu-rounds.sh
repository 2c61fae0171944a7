#!/bin/sh
# kokopu 4.13.4 (npm) takes a Round for numbers with periods between and writes the numbers: 1.01, as
# some broadcasts have it for the first board of round 1, becomes 1.1, so that games of the rounds
# 1.01 and 1.1 are in one. A Round of another form is "?" in what it writes, the hyphen that PGN has
# for "does not apply" too.
#
# Output seen on 28 November 2026 with node 20.20.2:
#| 1.1: 1.1
#| 1.01: 1.1
#| 1.10: 1.10
#| 01: 1
#| -: ?
#| Final: ?
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund kokopu@4.13.4 > /dev/null
cat > seen.mjs <<'JS'
import { pgnRead, pgnWrite } from 'kokopu';
for (const round of ['1.1', '1.01', '1.10', '01', '-', 'Final']) {
  const written = pgnWrite(pgnRead(`[Round "${round}"]\n[Result "*"]\n\n1. e4 *\n`).game(0));
  console.log(`${round}: ${written.match(/Round "(.*)"/)[1]}`);
}
JS
node seen.mjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
