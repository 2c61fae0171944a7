#!/bin/sh
# pgn-extract 19.04-1 (Debian 12) compares dates in a file of criteria (-t) by the year alone. Its
# help shows Date < "1962"; with a whole date, as the tag has one, it says nothing and takes the
# year of it: < "1984.06.01" leaves out January of 1984, = "1984.06.01" finds the whole year, and >=
# too. The same for -Tdb and -Tda (before, after).
#
# Takes Debian's packages, so it runs on Debian 12. Output seen on 28 November 2026:
#| Date < "1984.06.01": 1983.12.31
#| Date = "1984.06.01": 1984.01.01 1984.06.01 1984.12.31
#| Date >= "1984.06.01": 1984.01.01 1984.06.01 1984.12.31 1985.01.01
#| -Tdb1984.06.01: 1983.12.31
#| -Tda1984.06.01: 1985.01.01
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
apt-get download -qq pgn-extract=19.04-1 2> /dev/null
for package in *.deb; do dpkg-deb --extract "$package" debian; done
PATH=$PWD/debian/usr/games:$PATH
for date in 1983.12.31 1984.01.01 1984.06.01 1984.12.31 1985.01.01; do
  printf '[Event "?"]\n[Site "?"]\n[Date "%s"]\n[Round "?"]\n[White "?"]\n[Black "?"]\n[Result "*"]\n\n1. e4 *\n\n' "$date"
done > games.pgn
dates() { pgn-extract -s "$1" games.pgn 2> said | sed -n 's/^.Date "\(.*\)".$/\1/p' | paste -sd ' '; }
{
  for operator in '<' '=' '>='; do
    echo "Date $operator \"1984.06.01\"" > criteria
    echo "$(cat criteria): $(dates -tcriteria)"
  done
  for flag in -Tdb1984.06.01 -Tda1984.06.01; do echo "$flag: $(dates "$flag")"; done
} > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
