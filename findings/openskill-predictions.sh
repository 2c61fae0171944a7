#!/bin/sh
# openskill 6.2.0 (PyPI): of one game of two players, predict_win() gives the chances of each to
# win, predict_draw() that of a draw. They do not add up to 1: two new players win half of their
# games each, and draw a quarter of them besides.
#
# Output seen on 27 November 2026:
#| wins 0.500 and 0.500, draw 0.237, together 1.237
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check openskill==6.2.0
cat > seen.py <<'PY'
from openskill.models import PlackettLuce
model = PlackettLuce()
players = [[model.rating()], [model.rating()]]
wins, draw = model.predict_win(players), model.predict_draw(players)
print(f"wins {wins[0]:.3f} and {wins[1]:.3f}, draw {draw:.3f}, together {sum(wins) + draw:.3f}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
