#!/bin/sh
# swiss-pairing 1.4.3 (npm): the id of a participant "may be any value" with a toString(), and the
# higher ranked side of a pair is home. With numbers as ids the pairs are those of the same ids as
# texts, but not the sides: the standings have every id as text, so that no number is found in them,
# and the order of the list of participants decides. The leader, 4, so is away (has Black).
#
# Output seen on 28 November 2026 with node 20.20.2:
#| ids as texts: standings 4 1 3 2, pairs 4-1, 3-2
#| ids as numbers: standings 4 1 3 2, pairs 1-4, 2-3
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
npm install --silent --no-fund swiss-pairing@1.4.3 > /dev/null
cat > seen.cjs <<'JS'
const swiss = require('swiss-pairing')();
for (const [what, id] of [['texts', String], ['numbers', Number]]) {
  const participants = [1, 2, 3, 4].map(seed => ({ id: id(seed), seed }));
  const game = (home, away, points) => ({
    round: 1, home: { id: id(home), points }, away: { id: id(away), points: 1 - points },
  });
  const games = [game(1, 3, 0.5), game(4, 2, 1)];
  const standings = swiss.getStandings(2, participants, games).map(({ id }) => id).join(' ');
  const pairs = swiss.getMatchups(2, participants, games).map(({ home, away }) => `${home}-${away}`).join(', ');
  console.log(`ids as ${what}: standings ${standings}, pairs ${pairs}`);
}
JS
node seen.cjs > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
