#!/bin/sh
# trueskill 0.4.5 (PyPI): the less likely draws are, the more a draw of two new players tells:
# sigma, the uncertainty, falls from 8.333 to 6.52, 6.46, 6.455 with a probability of draws of 0.5,
# 0.1, 0.001. With the probability 0 ("there are no draws here") a draw is no error, as the
# impossible might be: it raises sigma to 9.588, so that the two are less known than before their
# first game.
#
# Output seen on 27 November 2026:
#| no game: 8.333
#| 0.5: 6.519
#| 0.1: 6.458
#| 0.001: 6.455
#| 0: 9.588
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check trueskill==0.4.5
cat > seen.py <<'PY'
from trueskill import Rating, TrueSkill
print(f"no game: {Rating().sigma:.3f}")
for probability in (0.5, 0.1, 0.001, 0):
    rules = TrueSkill(draw_probability=probability)
    one, two = rules.rate_1vs1(Rating(), Rating(), drawn=True)
    print(f"{probability}: {one.sigma:.3f}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
