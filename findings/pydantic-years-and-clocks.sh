#!/bin/sh
# Tags of games as fields of pydantic 2.14.4 (PyPI). A datetime from a text of digits counts seconds since
# 1970, so that a game of 1984, or of 1984.06, is one of the first of January 1970 at 00:33; 1984-06 and
# 1984.06.15 are errors, and so is the year as a date. Behind a clock a timedelta expects hours: 10:00,
# ten minutes left, is ten hours, and 61:30 two and a half days, while 3:00 is an error and 0:03:00 three
# minutes. msgspec 0.22.0 refuses each of these texts. In pydantic strict=True refuses the years as well.
#
# Output seen on 28 November 2026:
#| datetime 1984: pydantic 1970-01-01 00:33:04+00:00, msgspec ValidationError
#| datetime 1984.06: pydantic 1970-01-01 00:33:04.060000+00:00, msgspec ValidationError
#| datetime 19840615: pydantic 1970-08-18 15:16:55+00:00, msgspec ValidationError
#| datetime 1984-06: pydantic ValidationError, msgspec ValidationError
#| date 1984: pydantic ValidationError, msgspec ValidationError
#| timedelta 10:00: pydantic 10:00:00, msgspec ValidationError
#| timedelta 61:30: pydantic 2 days, 13:30:00, msgspec ValidationError
#| timedelta 3:00: pydantic ValidationError, msgspec ValidationError
#| timedelta 0:03:00: pydantic 0:03:00, msgspec ValidationError
#| strict, datetime 1984: ValidationError
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pydantic==2.14.4 msgspec==0.22.0
cat > seen.py <<'PY'
import msgspec
from datetime import date, datetime, timedelta
from pydantic import TypeAdapter
def made(make):
    try:
        return str(make())
    except ValueError as error:
        return type(error).__name__
texts = {datetime: ("1984", "1984.06", "19840615", "1984-06"), date: ("1984",),
         timedelta: ("10:00", "61:30", "3:00", "0:03:00")}
for kind, of_kind in texts.items():
    for text in of_kind:
        pydantic = made(lambda: TypeAdapter(kind).validate_python(text))
        print(f"{kind.__name__} {text}: pydantic {pydantic}, msgspec {made(lambda: msgspec.convert(text, kind))}")
print("strict, datetime 1984:", made(lambda: TypeAdapter(datetime).validate_python("1984", strict=True)))
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
