#!/bin/sh
# A date of PGN whose day or month is not known, 1984.06.?? or 1984.??.??, in dateparser 1.5.0 (PyPI):
# parse() takes it for a date and fills in what is missing from today, so that games get the day and
# month on which the program happens to run, other ones tomorrow. ????.06.15 is today at a quarter past
# six. Only a date without any number is None. STRICT_PARSING makes None of all of them. Next to it
# pendulum 3.3.0, with strict=False, gives 1984.06 the month of today in place of June, and 1984 the
# first of January; with question marks it raises an error.
#
# Output seen on 28 November 2026, with the second of March 2000 as the day of the run for dateparser:
#| 1984.06.15: 1984-06-15 00:00, strict 1984-06-15
#| 1984.06.??: 1984-06-02 00:00, strict None
#| 1984.??.??: 1984-03-02 00:00, strict None
#| ????.06.15: 2000-03-02 06:15, strict None
#| ????.??.??: None, strict None
#| pendulum, 1984.06: day and month of today
#| pendulum, 1984: 1984-01-01
#| pendulum, 1984.06.??: ParserError
set -eu
me=$(realpath "$0"); folder=$(mktemp -d); trap 'rm -r "$folder"' EXIT; cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check dateparser==1.5.0 pendulum==3.3.0
cat > seen.py <<'PY'
import dateparser, datetime, pendulum
run = datetime.datetime(2000, 3, 2)
for text in ("1984.06.15", "1984.06.??", "1984.??.??", "????.06.15", "????.??.??"):
    date = dateparser.parse(text, settings={"RELATIVE_BASE": run})
    strict = dateparser.parse(text, settings={"STRICT_PARSING": True})
    print(f"{text}: {date and date.strftime('%Y-%m-%d %H:%M')}, strict {strict and strict.date()}")
for text in ("1984.06", "1984", "1984.06.??"):
    try:
        date, today = pendulum.parse(text, strict=False).date(), pendulum.now("UTC").date()
        shown = "day and month of today" if (date.month, date.day) == (today.month, today.day) else date
    except ValueError as error:
        shown = type(error).__name__
    print(f"pendulum, {text}: {shown}")
PY
venv/bin/python seen.py > seen
grep '^#| ' "$me" | cut -c4- | diff - seen
