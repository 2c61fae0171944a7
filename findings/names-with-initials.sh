#!/bin/sh
# Players as PGN has them, "Topalov, V", taken apart by packages for names of people. A V or an I behind
# the comma is for some of them a number as in "Henry V": with humanparser 2.7.0, humanname 0.2.2 and
# another-name-parser 0.1.0 (npm) Topalov becomes the first name, there is no last name, and the initial
# is a suffix; with humanparser the player Ma, Qun has no last name either (Ma is a degree), with
# another-name-parser Do, Van. Of two initials, V V, nameparser 2.6.0 (PyPI) makes the second a suffix.
# With parse-full-name 1.2.7 (npm) nothing is lost. So a table of last names has no Topalov and no
# Ivanchuk in it, while Carlsen, M is right everywhere but in humanname, which takes a comma for a blank.
#
# Output seen on 29 November 2026 with node 20.20.2, as last name / first name / suffix:
#| humanparser: Carlsen/M/; /Topalov/V; /Ivanchuk/I; Smyslov/V/V; /Qun/Ma; Do/Van/
#| humanname: M/Carlsen/; /Topalov/V; /Ivanchuk/I; V/Smyslov/V; Qun/Ma/; Van/Do/
#| another-name-parser: Carlsen/M/; /Topalov/V; /Ivanchuk/I; /Smyslov/V V; Ma/Qun/; /Van/Do
#| parse-full-name: Carlsen/M/; Topalov/V/; Ivanchuk/I/; Smyslov/V V/; Ma/Qun/; Do/Van/
#| nameparser: Carlsen/M/; Topalov/V/; Ivanchuk/I/; Smyslov/V/V; Ma/Qun/; Do/Van/
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check nameparser==2.6.0
npm install --silent --no-fund humanparser@2.7.0 humanname@0.2.2 another-name-parser@0.1.0 parse-full-name@1.2.7 > /dev/null
cat > by_node.cjs <<'JS'
const { parseName } = require('humanparser');
const humanname = require('humanname');
const another = require('another-name-parser');
const { parseFullName } = require('parse-full-name');
const players = ['Carlsen, M', 'Topalov, V', 'Ivanchuk, I', 'Smyslov, V V', 'Ma, Qun', 'Do, Van'];
const seen = (name, parts) => {
  const shown = players.map(player => parts(player).map(part => part || '').join('/'));
  console.log(`${name}: ${shown.join('; ')}`);
};
seen('humanparser', player => (({ lastName, firstName, suffix }) => [lastName, firstName, suffix])(parseName(player)));
seen('humanname', player => (({ lastName, firstName, suffix }) => [lastName, firstName, suffix])(humanname.parse(player)));
seen('another-name-parser', player => (({ last, first, suffix }) => [last, first, suffix])(another(player)));
seen('parse-full-name', player => (({ last, first, middle, suffix }) =>
  [last, [first, middle].filter(Boolean).join(' '), suffix])(parseFullName(player)));
JS
cat > by_python.py <<'PY'
from nameparser import HumanName
names = map(HumanName, ["Carlsen, M", "Topalov, V", "Ivanchuk, I", "Smyslov, V V", "Ma, Qun", "Do, Van"])
print("nameparser:", "; ".join(f"{name.last}/{name.first}/{name.suffix}" for name in names))
PY
(node by_node.cjs; venv/bin/python by_python.py) > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
