#!/bin/sh
# Tags of games in a CSV file, read by xlsx 0.18.5 (npm; SheetJS). It asks of each cell alone whether
# node can make a date of it, and so the results differ: 0-1 is the first of January 2000, 1-0 and
# 1/2-1/2 are texts, and a count of Black's wins finds none. A date of PGN with an unknown day is the
# first of the month, one with an unknown month text; days before 1900 are text too. Only raw:true
# leaves the cells as they are; without cellDates the dates are numbers of days.
#
# Output seen on 28 November 2026 with node 20.20.2:
#| results: text 1-0, date 2000-01-01, text 1/2-1/2
#| 2024.01.31: date 2024-01-31
#| 1984.06.??: date 1984-06-01
#| 1984.??.??: text 1984.??.??
#| 1851.06.21: text 1851.06.21
#| raw:true, results: text 1-0, text 0-1, text 1/2-1/2
#| raw:true, 1984.06.??: text 1984.06.??
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund xlsx@0.18.5 > /dev/null
cat > seen.cjs <<'JS'
const XLSX = require('xlsx');
const csv = 'date,result\n2024.01.31,1-0\n1984.06.??,0-1\n1984.??.??,1/2-1/2\n1851.06.21,1-0\n';
const kind = value => value instanceof Date ? `date ${value.toISOString().slice(0, 10)}` : `text ${value}`;
const rows = options => {
  const { Sheets } = XLSX.read(csv, { type: 'string', cellDates: true, ...options });
  return XLSX.utils.sheet_to_json(Sheets.Sheet1);
};
const read = rows({}), raw = rows({ raw: true });
const results = table => table.slice(0, 3).map(({ result }) => kind(result)).join(', ');
console.log(`results: ${results(read)}`);
read.forEach(({ date }, at) => console.log(`${raw[at].date}: ${kind(date)}`));
console.log(`raw:true, results: ${results(raw)}`);
console.log(`raw:true, 1984.06.??: ${kind(raw[1].date)}`);
JS
TZ=UTC node seen.cjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
