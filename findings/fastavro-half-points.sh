#!/bin/sh
# Points of players in Avro, with a schema that says "long", since the first ones were 1 and 0. fastavro
# 1.13.1 (PyPI, 2026) writes 0.5 as 0 and 1.5 as 1, also in a list and with strict=True: draws are losses,
# without a word. If the field may be null ("null" and "long"), the same value is a ValueError, and with
# validator=True a ValidationError; without its compiled part, which is what runs where that is missing,
# fastavro has a TypeError. avro 1.12.2 (PyPI) refuses the value too.
#
# Output seen on 29 November 2026, of the points 1, 0.5 and 1.5:
#| fastavro, long: [1, 0, 1]
#| fastavro, long, strict=True: [1, 0, 1]
#| fastavro, list of long: [[1, 0, 1]]
#| fastavro, null or long: ValueError
#| fastavro, long, validator=True: ValidationError
#| fastavro, not compiled, long: TypeError
#| fastavro, double: [1.0, 0.5, 1.5]
#| avro, long: AvroTypeException
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check avro==1.12.2 fastavro==1.13.1
cat > seen.py <<'PY'
import io, json, avro.datafile, avro.io, avro.schema, fastavro, fastavro._write_py
POINTS = [1, 0.5, 1.5]
def schema(kind):
    return {"type": "record", "name": "Player", "fields": [{"name": "points", "type": kind}]}
def seen(name, write, kind, values=POINTS):
    file = io.BytesIO()
    try:
        write(file, schema(kind), [{"points": value} for value in values])
        file.seek(0)
        print(f"fastavro, {name}:", [row["points"] for row in fastavro.reader(file)])
    except Exception as error:
        print(f"fastavro, {name}:", type(error).__name__)
seen("long", fastavro.writer, "long")
seen("long, strict=True", lambda *given: fastavro.writer(*given, strict=True), "long")
seen("list of long", fastavro.writer, {"type": "array", "items": "long"}, [POINTS])
seen("null or long", fastavro.writer, ["null", "long"])
seen("long, validator=True", lambda *given: fastavro.writer(*given, validator=True), "long")
seen("not compiled, long", fastavro._write_py.writer, "long")
seen("double", fastavro.writer, "double")
try:
    writer = avro.datafile.DataFileWriter(io.BytesIO(), avro.io.DatumWriter(), avro.schema.parse(json.dumps(schema("long"))))
    for points in POINTS:
        writer.append({"points": points})
except Exception as error:
    print("avro, long:", type(error).__name__)
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
