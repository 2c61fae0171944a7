#!/bin/sh
# Two programs of PyPI that put PGN into SQLite. chess-to-sqlite 0.1.0 (2026) makes the key of a
# game from its players, date and time, if it has no GameId and no link as Site: of a match of two
# games on one day one is left, and the program says "2 games imported". pgn-to-sqlite 2.4.0 (2026)
# makes one row of each file in a folder: the row has the last value of each tag, so that a rating
# of the first game can stand with the players of the last, and of moves on several lines only the
# line with "1.".
#
# Output seen on 28 November 2026:
#| chess-to-sqlite says: 2 games imported, 2 games in games.db
#| chess-to-sqlite has: Adler-Baer: 1. d4 d5 0-1
#| pgn-to-sqlite has: Curie-Dahl, White's rating 2400: 1. c4 c5
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess-to-sqlite==0.1.0 pgn-to-sqlite==2.4.0
tags() { printf '[Event "Match"]\n[Date "2026.01.31"]\n[Round "%s"]\n[White "%s"]\n[Black "%s"]\n[Result "%s"]\n' "$@"; }
mkdir files
{ tags 1 Adler Baer 1-0; printf '\n1. e4 e5 1-0\n\n'; tags 2 Adler Baer 0-1; printf '\n1. d4 d5 0-1\n\n'; } > match.pgn
{ tags 1 Adler Baer 1-0; printf '[WhiteElo "2400"]\n\n1. e4 e5 1-0\n\n'; tags 1 Curie Dahl 0-1; printf '\n1. c4 c5\n2. g3 g6 0-1\n'; } > files/round.pgn
venv/bin/chess-to-sqlite match.pgn games.db > said 2>&1
venv/bin/pgn-to-sqlite -o rows.db save files > /dev/null 2>&1
cat > seen.py <<'PY'
import re, sqlite3
imported, there = re.search(r"(\d+ games imported).*?(\d+ games in games\.db)", open("said").read(), re.S).groups()
print(f"chess-to-sqlite says: {imported}, {there}")
for white, black, moves in sqlite3.connect("games.db").execute("select white, black, pgn_moves from games"):
    print(f"chess-to-sqlite has: {white}-{black}: {moves}")
for white, black, elo, moves in sqlite3.connect("rows.db").execute("select white, black, white_elo, moves from games"):
    print(f"pgn-to-sqlite has: {white}-{black}, White's rating {elo}: {moves}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
