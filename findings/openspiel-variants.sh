#!/bin/sh
# Antichess and Crazyhouse of open-spiel 2.0.2 (PyPI, 2026; DeepMind's OpenSpiel). In Antichess who can capture
# must, and for chess 1.11.2, pyffish 0.0.90 (PyPI) and chessops 0.15.1 (npm) en passant is a capture too. For
# OpenSpiel it is not: where it is the only one any move may be played, and beside another one it is left out,
# so that games of the others cannot be played there, and its games are refused by them. In Crazyhouse a
# promoted piece has a letter of its own, E for a queen, C, A and H for rook, bishop and knight, in FEN and in
# the texts of moves, where others have Q~ and Q; python-chess does not read that FEN.
#
# Output seen on 29 November 2026 with node 20.20.2:
#| Antichess, 8/5p2/8/8/4pP2/8/8/8 b - f3 0 1
#|   python-chess: e4f3
#|   pyffish: e4f3
#|   OpenSpiel: e4e3 e4f3 f7f5 f7f6
#|   chessops: e4f3
#| Antichess, 8/8/8/8/5Pp1/7N/8/8 b - f3 0 1
#|   python-chess: g4f3 g4h3
#|   pyffish: g4f3 g4h3
#|   OpenSpiel: g4h3
#|   chessops: g4f3 g4h3
#| Crazyhouse, a8=Q Kd7
#|   python-chess: Q~7/3k4/8/8/8/8/8/4K3[] w - - 1 2
#|   pyffish: Q~7/3k4/8/8/8/8/8/4K3[] w - - 1 2
#|   OpenSpiel: E7/3k4/8/8/8/8/8/4K3 w - - 0 2
#| the queen to b8: python-chess Qb8, OpenSpiel Eb8
#| FEN of OpenSpiel: python-chess ValueError
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check chess==1.11.2 open-spiel==2.0.2 pyffish==0.0.90
npm install --silent --no-fund chessops@0.15.1 > /dev/null
cat > moves.mjs <<'JS'
import { parseFen } from 'chessops/fen';
import { makeUci } from 'chessops/util';
import { setupPosition } from 'chessops/variant';
const position = setupPosition('antichess', parseFen(process.argv[2]).unwrap()).unwrap();
const moves = [...position.allDests()].flatMap(([from, dests]) => [...dests].map(to => makeUci({ from, to })));
console.log(`  chessops: ${moves.sort().join(' ')}`);
JS
cat > seen.py <<'PY'
import subprocess, chess, chess.variant, pyffish, pyspiel
def open_spiel(game, fen, *moves):
    state = pyspiel.load_game(game).new_initial_state(fen)
    for move in moves:
        state.apply_action(next(action for action in state.legal_actions() if state.action_to_string(action).rstrip("+#") == move))
    return state, [state.action_to_string(action) for action in state.legal_actions()]
for fen in "8/5p2/8/8/4pP2/8/8/8 b - f3 0 1", "8/8/8/8/5Pp1/7N/8/8 b - f3 0 1":
    print(f"Antichess, {fen}")
    print("  python-chess:", *sorted(map(str, chess.variant.AntichessBoard(fen).legal_moves)))
    print("  pyffish:", *sorted(pyffish.legal_moves("antichess", fen, [])))
    free = chess.Board(fen)  # only to make squares of what OpenSpiel writes; nobody has a king
    print("  OpenSpiel:", *sorted(str(free.parse_san(move)) for move in open_spiel("antichess", fen)[1]), flush=True)
    subprocess.run(["node", "moves.mjs", fen], check=True)
START = "4k3/P7/8/8/8/8/8/4K3[] w - - 5 1"
board = chess.variant.CrazyhouseBoard(START)
for move in "a8=Q", "Kd7":
    board.push_san(move)
state, moves = open_spiel("crazyhouse", START, "a8=Q", "Kd7")
print("Crazyhouse, a8=Q Kd7")
print("  python-chess:", board.fen())
print("  pyffish:", pyffish.get_fen("crazyhouse", START, ["a7a8q", "e8d7"]))
print("  OpenSpiel:", state)
print(f"the queen to b8: python-chess {board.san(chess.Move.from_uci('a8b8'))}, OpenSpiel", next(move for move in moves if move.endswith("b8")))
try:
    chess.variant.CrazyhouseBoard(str(state))
except ValueError as error:
    print("FEN of OpenSpiel: python-chess", type(error).__name__)
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
