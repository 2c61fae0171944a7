#!/bin/sh
# Games from PGN as a data set: Dataset.from_generator() of datasets 5.2.0 (PyPI; Hugging Face), with a
# function that reads games.pgn with chess 1.11.2. datasets keeps the result on disk under a key made from
# the function and its arguments, not from what the function reads. When games are added to the file, a
# new process still gets the old data set, without a word. Under another name the file's new games are
# there, and from_text() has them too. map() with a function that looks at a file also keeps old answers.
#
# Output seen on 28 November 2026:
#| games.pgn has 2 games: from_generator 2, from_text 14 lines
#| games.pgn has 3 games: from_generator 2, from_text 21 lines
#| copy.pgn has 3 games: from_generator 3, from_text 21 lines
#| map, bytes of games.pgn: as with 2 games
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
export HF_HOME="$folder/cache" HF_DATASETS_OFFLINE=1 HF_DATASETS_DISABLE_PROGRESS_BARS=1
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check datasets==5.2.0 chess==1.11.2
cat > seen.py <<'PY'
import chess.pgn, os, sys
from datasets import Dataset
def games(path):
    with open(path) as file:
        while game := chess.pgn.read_game(file):
            yield {"white": game.headers["White"]}
def length(row):
    return {"length": os.path.getsize("games.pgn")}
[path] = sys.argv[1:]
made, text = Dataset.from_generator(games, gen_kwargs={"path": path}), Dataset.from_text(path)
with open(path) as file:
    count = file.read().count("[White ")
print(f"{path} has {count} games: from_generator {len(made)}, from_text {len(text)} lines")
with open("lengths", "a") as file:
    print(Dataset.from_text("fixed.txt").map(length)["length"][0], file=file)
PY
game() { printf '[Event "E"]\n[White "%s"]\n[Black "Baer"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n\n' "$1"; }
echo one > fixed.txt
(game Adler; game Curie) > games.pgn
venv/bin/python seen.py games.pgn > seen
game Dahl >> games.pgn
venv/bin/python seen.py games.pgn >> seen
cp games.pgn copy.pgn
venv/bin/python seen.py copy.pgn >> seen
[ "$(uniq lengths | wc -l)" = 1 ] && echo "map, bytes of games.pgn: as with 2 games" >> seen
grep '^#| ' "$me" | cut -c4- | diff - seen
