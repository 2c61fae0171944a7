#!/bin/sh
# chesstree 2026.1 (PyPI) converts PGN to JSON, EDN and HTML. Of a file with several games it takes the
# first; it says that the conversion is done, ends with status 0, and neither stderr nor the JSON
# tells of the others. A comment in front of the first move becomes a tag, and goes back into PGN as
# one.
#
# Output seen on 28 November 2026:
#| games in the file: 2
#| status 0, said: Conversion to json done, written to games.json
#| JSON: White Adler, moves e4 e5
#| PGN again: [White "Adler"], games 1
#| PGN again: [Comment "a friendly game"], 1. e4 e5 1-0
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chesstree==2026.1
cat > games.pgn <<'PGN'
[White "Adler"]
[Black "Curie"]
[Result "1-0"]

{a friendly game} 1. e4 e5 1-0

[White "Baer"]
[Black "Dahl"]
[Result "0-1"]

1. d4 d5 0-1
PGN
cat > seen.py <<'PY'
import json
game = json.load(open("games.json"))
print(f"JSON: White {game['headers']['White']}, moves", *(move["san"] for move in game["moves"]))
PY
{
  echo "games in the file: $(grep -c White games.pgn)"
  if venv/bin/chesstree -i games.pgn -f json -o games.json 2> said; then status=0; else status=$?; fi
  echo "status $status, said: $(tail -n 1 said)"
  venv/bin/python seen.py
  venv/bin/chesstree -i games.json -f pgn > again.pgn 2> said
  echo "PGN again: $(grep White again.pgn), games $(grep -c White again.pgn)"
  echo "PGN again: $(grep Comment again.pgn), $(grep '^1\.' again.pgn)"
} > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
