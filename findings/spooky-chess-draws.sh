#!/bin/sh
# spooky-chess 1.1.0 (PyPI, April 2026) has is_threefold_repetition() of an outcome, but no game
# ends so: with knights out and home 37 times there is no outcome, where chess 1.11.2 (PyPI;
# python-chess) has a threefold repetition to claim and ends the game at the fifth. What
# spooky-chess then calls "fifty_move_rule" comes after 150 moves without capture or pawn move, 75
# of each side, at which the game ends by itself; a draw that could be claimed after 50 is none for
# it.
#
# Output seen on 28 November 2026:
#| python-chess, claimed: THREEFOLD_REPETITION at ply 7
#| python-chess, by itself: FIVEFOLD_REPETITION at ply 16
#| spooky-chess: fifty_move_rule at ply 150, is_fifty_move_rule() True
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check spooky-chess==1.1.0 chess==1.11.2
cat > seen.py <<'PY'
import chess, itertools, spooky_chess
def first(what, play, ended):
    for ply, san in enumerate(itertools.cycle(["Nf3", "Nf6", "Ng1", "Ng8"]), 1):
        play(san)
        if outcome := ended():
            print(f"{what}: {outcome[0]} at ply {ply}{outcome[1]}")
            return
def by_python_chess(board, claim):
    outcome = board.outcome(claim_draw=claim)
    return outcome and (outcome.termination.name, "")
def by_spooky_chess(game):
    outcome = game.outcome()
    return outcome and (outcome, f", is_fifty_move_rule() {outcome.is_fifty_move_rule()}")
for what, claim in (("claimed", True), ("by itself", False)):
    board = chess.Board()
    first(f"python-chess, {what}", board.push_san, lambda: by_python_chess(board, claim))
game = spooky_chess.Game.standard()
first("spooky-chess", game.make_move_from_san, lambda: by_spooky_chess(game))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
