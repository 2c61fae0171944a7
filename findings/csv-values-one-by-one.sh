#!/bin/sh
# Players and ids of Lichess (eight letters and digits) in a CSV file, read by three packages of npm
# that turn texts into numbers if asked to: d3-dsv 3.0.2 (autoType), papaparse 5.7.1 (dynamicTyping),
# csv-parse 7.0.3 (cast). Each judges a value alone, not its column, so that the player 1e4 is 10000
# beside Adler. Ids that begin with 0x or 0b are numbers for d3-dsv, and all 0 for csv-parse, so that
# different games are one; 12345e67 is 1.2345e+71 for both.
#
# Output seen on 28 November 2026 with node 20.20.2:
#| d3-dsv: 10000 1.2345e+71, "Adler" 42, "Baer" 1193131
#| papaparse: 10000 "12345e67", "Adler" "0b101010", "Baer" "0x1234ab"
#| csv-parse: 10000 1.2345e+71, "Adler" 0, "Baer" 0
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund d3-dsv@3.0.2 papaparse@5.7.1 csv-parse@7.0.3 > /dev/null
cat > seen.mjs <<'JS'
import { csvParse, autoType } from 'd3-dsv';
import Papa from 'papaparse';
import { parse } from 'csv-parse/sync';
const csv = 'player,id\n1e4,12345e67\nAdler,0b101010\nBaer,0x1234ab';
const seen = (what, games) => {
  const values = games.map(({ player, id }) => `${JSON.stringify(player)} ${JSON.stringify(id)}`);
  console.log(`${what}: ${values.join(', ')}`);
};
seen('d3-dsv', csvParse(csv, autoType));
seen('papaparse', Papa.parse(csv, { header: true, dynamicTyping: true }).data);
seen('csv-parse', parse(csv, { columns: true, cast: true }));
JS
node seen.mjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
