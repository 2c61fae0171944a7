#!/bin/sh
# Tags of games are texts, ratings and dates too. alasql 4.19.1 (npm), SQL over objects of JavaScript, with
# such a table: avg(WhiteElo) joins the ratings to one long number and divides that by the count of games,
# 8 thousand million for 2400, 900 and 2500. sum(), min() and max() of texts leave their column out of the
# answer, so that there is no latest date either. One rating that is a text among numbers is enough for
# avg(), and sum() then leaves it and the rating in front of it out. A comparison with a number and a cast
# to int are right. There is no error.
#
# Output seen on 28 November 2026 with node 20.20.2:
#| avg(WhiteElo): {"answer":8003000833.333333}
#| sum(WhiteElo): {}
#| max(WhiteElo): {}
#| max(Date): {}
#| avg(cast(WhiteElo as int)): {"answer":1933.3333333333333}
#| WhiteElo > 1000: 2 games
#| 2400, text 2500, 2600: {"mean":80008334200,"sum":2600,"highest":2600}
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund alasql@4.19.1 > /dev/null
cat > seen.mjs <<'JS'
import alasql from 'alasql';
const games = [
  { WhiteElo: '2400', Date: '1984.06.15' },
  { WhiteElo: '900', Date: '2024.01.31' },
  { WhiteElo: '2500', Date: '1972.07.11' },
];
for (const value of ['avg(WhiteElo)', 'sum(WhiteElo)', 'max(WhiteElo)', 'max(Date)', 'avg(cast(WhiteElo as int))']) {
  console.log(`${value}: ${JSON.stringify(alasql(`select ${value} as answer from ?`, [games])[0])}`);
}
console.log(`WhiteElo > 1000: ${alasql('select * from ? where WhiteElo > 1000', [games]).length} games`);
const mixed = [{ elo: 2400 }, { elo: '2500' }, { elo: 2600 }];
const query = 'select avg(elo) as mean, sum(elo) as [sum], max(elo) as highest from ?';
console.log(`2400, text 2500, 2600: ${JSON.stringify(alasql(query, [mixed])[0])}`);
JS
node seen.mjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
