#!/bin/sh
# FIDE's reports of tournaments (TRF16) have the title in the columns 11 to 13 of a player's line.
# caissify-pairings 0.5.0 (PyPI, May 2026), "full TRF16 round-trip", takes the columns 12 to 14: the
# first letter of WGM, WIM, WFM and WCM is lost, so that a woman grandmaster is read as grandmaster,
# without a word. It writes titles there too, and py4swiss 0.3.1, which has the columns of the
# standard, then refuses the file. Of the tournament the rate of play (122) is taken for the dates.
#
# Output seen on 28 November 2026:
#| py4swiss reads: gm wgm wim wfm wcm
#| caissify-pairings reads: GM GM IM FM CM
#| py4swiss reads what caissify-pairings writes: gm refused refused refused refused
#| caissify-pairings, round_dates: 90 min for the game
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check caissify-pairings==0.5.0 py4swiss==0.3.1
cat > seen.py <<'PY'
from caissify_pairings.trf import parse_trf, write_trf
from py4swiss.trf.sections import PlayerSection
TITLES = ["GM", "WGM", "WIM", "WFM", "WCM"]
lines = [
    f"001 {number:4} w{title:>3} {'Player':33} 2300 AUT {number:11} 1990/01/01  0.0 {number:4}"
    for number, title in enumerate(TITLES, 1)
]
def title(line):
    try:
        return PlayerSection.from_string(line).title.value
    except Exception:
        return "refused"
report = parse_trf("\n".join(["012 Open", "122 90 min for the game", *lines]))
players = [{**player, "title": title} for player, title in zip(report["players"], TITLES)]
written = [line for line in write_trf(report["tournament"], players, 5).split("\n") if line.startswith("001")]
print("py4swiss reads:", *map(title, lines))
print("caissify-pairings reads:", *(player["title"] for player in report["players"]))
print("py4swiss reads what caissify-pairings writes:", *map(title, written))
print("caissify-pairings, round_dates:", report["tournament"]["round_dates"])
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
