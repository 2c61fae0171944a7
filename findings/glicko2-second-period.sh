#!/bin/sh
# glicko2 1.2.2 (npm) with players that have ids of one's own, as addMatch() takes them. In a second
# rating period without games updateRatings() counts the games of the first again, and so does
# updateRatings([]), if the ids are names: the players are in an array, and cleanPreviousMatches()
# goes by its length, which names do not change. Numbers that leave a gap, as FIDE's do, are a
# TypeError there. With players of makePlayer() updateRatings([]) leaves the ratings as they are.
#
# Output seen on 28 November 2026 with node 20.20.2:
#| makePlayer, updateRatings([]): 1579, then 1579
#| makePlayer, updateRatings(): 1579, then 1633
#| ids are names, updateRatings([]): 1579, then 1633
#| ids are numbers, updateRatings([]): 1579, then TypeError
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund glicko2@1.2.2 > /dev/null
cat > seen.cjs <<'JS'
const { Glicko2 } = require('glicko2');
const start = { rating: 1500, rd: 200, vol: 0.06 };
const seen = (what, players, second) => {
  const ranking = new Glicko2();
  const [winner] = players(ranking);
  ranking.updateRatings();
  const first = winner.getRating().toFixed();
  let then;
  try { second(ranking); then = winner.getRating().toFixed(); } catch (error) { then = error.name; }
  console.log(`${what}: ${first}, then ${then}`);
};
const made = ranking => {
  const pair = [0, 1].map(() => ranking.makePlayer(1500, 200, 0.06));
  ranking.addResult(...pair, 1);
  return pair;
};
const named = (one, other) => ranking => Object.values(ranking.addMatch({ id: one, ...start }, { id: other, ...start }, 1));
seen('makePlayer, updateRatings([])', made, ranking => ranking.updateRatings([]));
seen('makePlayer, updateRatings()', made, ranking => ranking.updateRatings());
seen('ids are names, updateRatings([])', named('Adler', 'Baer'), ranking => ranking.updateRatings([]));
seen('ids are numbers, updateRatings([])', named(701, 702), ranking => ranking.updateRatings([]));
JS
node seen.cjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
