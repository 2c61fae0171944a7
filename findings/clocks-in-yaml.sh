#!/bin/sh
# Clocks as %clk has them, h:mm:ss, in a YAML file without quotes. PyYAML 6.0.4 (PyPI) takes digits with
# colons for numbers to the base 60, but only if they don't begin with 0: 1:00:00 is the number 3600,
# 0:59:59 a text, so that a clock changes its type when less than an hour is left (3:00 and 0:59 likewise).
# With a fraction, 0:03:00.5, it is a number again. yaml 2.9.1 (npm) makes numbers of all of them if it is
# told version 1.1; as it comes, and with js-yaml 5.5.0 (npm) and ruamel.yaml 0.19.1 (PyPI), clocks are
# texts. An id of Lichess such as 12345e67 is a number for all but PyYAML.
#
# Output seen on 28 November 2026 with node 20.20.2:
#| PyYAML: 3600, "0:59:59", 180, "0:59", 180.5, "12345e67"
#| ruamel.yaml: "1:00:00", "0:59:59", "3:00", "0:59", "0:03:00.5", 1.2345e+71
#| js-yaml: "1:00:00", "0:59:59", "3:00", "0:59", "0:03:00.5", 1.2345e+71
#| yaml: "1:00:00", "0:59:59", "3:00", "0:59", "0:03:00.5", 1.2345e+71
#| yaml, version 1.1: 3600, 3599, 180, 59, 180.5, 1.2345e+71
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pyyaml==6.0.4 ruamel.yaml==0.19.1
npm install --silent --no-fund js-yaml@5.5.0 yaml@2.9.1 > /dev/null
printf '%s\n' '- 1:00:00' '- 0:59:59' '- 3:00' '- 0:59' '- 0:03:00.5' '- 12345e67' > games.yaml
cat > by_python.py <<'PY'
import json, ruamel.yaml, yaml
with open("games.yaml") as file:
    text = file.read()
for name, values in ("PyYAML", yaml.safe_load(text)), ("ruamel.yaml", ruamel.yaml.YAML(typ="safe").load(text)):
    print(f"{name}:", ", ".join(map(json.dumps, values)))
PY
cat > by_node.mjs <<'JS'
import { readFileSync } from 'fs';
import { load } from 'js-yaml';
import { parse } from 'yaml';
const text = readFileSync('games.yaml', 'utf8');
const seen = (name, values) => console.log(`${name}: ${values.map(value => JSON.stringify(value)).join(', ')}`);
seen('js-yaml', load(text));
seen('yaml', parse(text));
seen('yaml, version 1.1', parse(text, { version: '1.1' }));
JS
(venv/bin/python by_python.py; node by_node.mjs) > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
