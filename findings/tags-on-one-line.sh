#!/bin/sh
# In PGN for import several tag pairs may share a line, and one may go over two lines (PGN 1994,
# section 8.1). chess 1.11.2 (PyPI; python-chess) takes the first name and the last quote of a line:
# with two pairs on it the Event holds the text of the second, and the Site is unknown. A pair over
# two lines makes two games of one, in chessops 0.15.1 (npm) too: the first has no moves, the second
# no players. None of this is among the game's errors.
#
# Output seen on 28 November 2026:
#| python-chess, one line: Event 'E"] [Site "S', Site '?', errors 0
#| python-chess, two lines: games 2, moves 0 and 1
#| chessops, one line: Event 'E', Site 'S'
#| chessops, two lines: games 2, moves 0 and 1
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
npm install --silent --no-fund chessops@0.15.1 > /dev/null
printf '[Event "E"] [Site "S"]\n[Result "*"]\n\n1. e4 *\n' > one.pgn
printf '[Event "E"]\n[Site\n"S"]\n[Result "*"]\n\n1. e4 *\n' > two.pgn
cat > seen.py <<'PY'
import chess.pgn
def games(name):
    with open(name) as file:
        return list(iter(lambda: chess.pgn.read_game(file), None))
[game] = games("one.pgn")
print(f"python-chess, one line: Event {game.headers['Event']!r}, Site {game.headers['Site']!r}, errors {len(game.errors)}")
moves = [len(list(game.mainline_moves())) for game in games("two.pgn")]
print(f"python-chess, two lines: games {len(moves)}, moves {' and '.join(map(str, moves))}")
PY
cat > seen.mjs <<'JS'
import { readFileSync } from 'fs';
import { parsePgn } from 'chessops/pgn';
const games = name => parsePgn(readFileSync(name, 'utf8'));
const tag = name => `${name} '${games('one.pgn')[0].headers.get(name)}'`;
console.log(`chessops, one line: ${tag('Event')}, ${tag('Site')}`);
const moves = games('two.pgn').map(game => [...game.moves.mainline()].length);
console.log(`chessops, two lines: games ${moves.length}, moves ${moves.join(' and ')}`);
JS
venv/bin/python seen.py > seen
node seen.mjs >> seen
grep '^#| ' "$me" | cut -c4- | diff - seen
