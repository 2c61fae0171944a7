#!/bin/sh
# Chess in open-spiel 2.0.2 (PyPI, 2026; DeepMind's OpenSpiel): player 0 is Black, though White moves first. So
# current_player() is 1 at the start, and returns() of a game that White has won is [-1, 1]: who takes the
# first number for White's, as in a result, has every win for a loss, and draws hide nothing of it. Crazyhouse,
# Antichess and dark chess of the package count so too; in shogi, xiangqi, go, checkers and breakthrough player
# 0 is whoever moves first.
#
# Output seen on 29 November 2026:
#| who moves first: chess 1, crazyhouse 1, antichess 1, dark_chess 1
#| who moves first: shogi 0, xiangqi 0, go 0, checkers 0, breakthrough 0
#| White mates (1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#): returns [-1, 1]
#| Black mates (1. f3 e5 2. g4 Qh4#): returns [1, -1]
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check open-spiel==2.0.2
cat > seen.py <<'PY'
import pyspiel
def first(*names):
    players = (f"{name} {pyspiel.load_game(name).new_initial_state().current_player()}" for name in names)
    print("who moves first:", ", ".join(players))
first("chess", "crazyhouse", "antichess", "dark_chess")
first("shogi", "xiangqi", "go", "checkers", "breakthrough")
def returns(who, text):
    state = pyspiel.load_game("chess").new_initial_state()
    for move in (word for word in text.split() if not word.endswith(".")):
        state.apply_action(next(action for action in state.legal_actions() if state.action_to_string(action) == move))
    assert state.is_terminal()
    print(f"{who} mates ({text}): returns", [int(value) for value in state.returns()])
returns("White", "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#")
returns("Black", "1. f3 e5 2. g4 Qh4#")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
