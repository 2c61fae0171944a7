#!/bin/sh
# A file of criteria (-t) for pgn-extract 19.04-1 (Debian 12) may have an operator behind the tag, as
# its help shows for Date and Elo: WhiteElo >= "2500". With other tags every operator is accepted and
# none is obeyed. The value is what the tag begins with: Result <> "1-0" gives the games that White won
# and no others, PlyCount < "80" those of 80 (and 800) half-moves, ECO >= "B9" B90 without C65, and
# Round = "1" the rounds 10 and 1.2 with round 1. stderr says nothing.
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 28 November 2026:
#| WhiteElo >= "2500": round 2
#| Result <> "1-0": rounds 1 10
#| Result = "1-0": rounds 1 10
#| PlyCount < "80": round 10
#| ECO >= "B9": rounds 1 1.2
#| Round = "1": rounds 1 1.2 10
#| Round <> "1": rounds 1 1.2 10
#| said on stderr: 0 lines
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq pgn-extract=19.04-1 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
while read -r round result plies eco elo move; do
  printf '[Event "E"]\n[Site "?"]\n[Date "2024.01.31"]\n[Round "%s"]\n[White "A"]\n[Black "B"]\n[Result "%s"]\n' \
    "$round" "$result"
  printf '[WhiteElo "%s"]\n[ECO "%s"]\n[PlyCount "%s"]\n\n1. %s %s\n\n' "$elo" "$eco" "$plies" "$move" "$result"
done > games.pgn <<'GAMES'
1 1-0 75 B90 2400 e4
10 1-0 80 A00 2400 d4
1.2 0-1 90 B92 2400 c4
2 1/2-1/2 40 C65 2600 Nf3
GAMES
while read -r criterion; do
  echo "$criterion" > criterion
  rounds=$(pgn-extract -s -tcriterion games.pgn 2>> said | sed -n 's/^\[Round "\(.*\)"\]$/\1/p' | sort | paste -sd ' ')
  case $rounds in *' '*) echo "$criterion: rounds $rounds" ;; *) echo "$criterion: round $rounds" ;; esac
done > seen <<'CRITERIA'
WhiteElo >= "2500"
Result <> "1-0"
Result = "1-0"
PlyCount < "80"
ECO >= "B9"
Round = "1"
Round <> "1"
CRITERIA
echo "said on stderr: $(grep -c . said || true) lines" >> seen
grep '^#| ' "$me" | cut -c4- | diff - seen
