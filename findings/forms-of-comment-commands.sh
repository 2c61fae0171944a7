#!/bin/sh
# Commands in comments that differ from the usual ones in little. chess 1.11.2 (PyPI; python-chess) and
# chessops 0.15.1 (npm) know an evaluation with two decimals and none with three, shapes with a comma
# but not with a comma and a blank, and one colour that they do not know takes the other squares with
# it; what they do not know stays text, without an error. A clock with four decimals is one for
# python-chess alone. @mliebelt/pgn-parser 1.4.19 (npm) reads all of these, but an evaluation is a
# number there, or text if it has a sign, a depth or a mate, and null if the mate is written M3.
#
# Output seen on 28 November 2026:
#| [%eval 1.23]: python-chess 123, chessops 1.23, mliebelt 1.23
#| [%eval 1.234]: python-chess none, chessops none, mliebelt 1.234
#| [%eval +1.23]: python-chess 123, chessops 1.23, mliebelt "+1.23"
#| [%eval 1.23,18]: python-chess 123, chessops 1.23, mliebelt "1.23,18"
#| [%eval M3]: python-chess none, chessops none, mliebelt null
#| [%clk 0:00:05.1234]: python-chess 5.1234, chessops none, mliebelt "0:00:05.1234"
#| [%csl Ra1,Gb2]: python-chess 2, chessops 2, mliebelt ["Ra1","Gb2"]
#| [%csl Ra1, Gb2]: python-chess none, chessops none, mliebelt ["Ra1","Gb2"]
#| [%csl Ra1,Ob2]: python-chess none, chessops none, mliebelt ["Ra1","Ob2"]
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2
npm install --silent --no-fund chessops@0.15.1 @mliebelt/pgn-parser@1.4.19 > /dev/null
grep '^#| ' "$me" | sed 's/^#| //; s/: python.*//' > commands
cat > seen.py <<'PY'
import chess.pgn, io
for command in open("commands").read().splitlines():
    node = chess.pgn.read_game(io.StringIO(f"1. e4 {{{command}}} *")).next()
    score = node.eval()
    got = score.white().score() if score else node.clock() or len(node.arrows()) or "none"
    print(f"python-chess {got}")
PY
cat > seen.mjs <<'JS'
import { readFileSync } from 'fs';
import { parseComment } from 'chessops/pgn';
import mliebelt from '@mliebelt/pgn-parser';
for (const command of readFileSync('commands', 'utf8').trim().split('\n')) {
  const { evaluation, clock, shapes } = parseComment(command);
  const [move] = mliebelt.parse(`1. e4 {${command}} *`, { startRule: 'game' }).moves;
  const [read] = Object.values(move.commentDiag);
  console.log(`chessops ${evaluation?.pawns ?? clock ?? (shapes.length || 'none')}, mliebelt ${JSON.stringify(read)}`);
}
JS
venv/bin/python seen.py > by-python
node seen.mjs > by-node
paste -d '\t' commands by-python by-node | sed 's/\t/: /; s/\t/, /' > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
