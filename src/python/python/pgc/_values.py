"""Values of questions as Python has them: ranges, slices and dates."""

import datetime
import difflib
import operator
import re
import shlex

from pgc import _pgc

# The questions whose values may be ranges, also with `not_` before them.
_RANGES = {"date", "eco", "plies", "ply", "time", "clock", "eval_swing", "elo_difference"} | {
    f"{whose}elo" for whose in ("", "any_", "opponent_", "white_", "black_", "average_")
}


# The questions, and what each asks: the placeholder of its value, which is empty if that is `True` or `False`, and its meaning.
QUESTIONS = {name.replace("-", "_"): (value, help) for name, value, help in _pgc.questions()}
QUESTIONS["maybe"] = ("", "Also games that could match, but whose date or Elo is unknown or incomplete")
# What people may call them.
_OTHERS = {
    "year": "date", "rating": "elo", "speed": "time", "time_control": "time", "color": "white or black", "colour": "white or black", "name": "player",
    "ply_count": "plies", "position": "fen", "opponent": "vs", "title": "tag", "tournament": "event",
}  # fmt: skip


def in_python(text):
    """A text about options as one about keyword arguments."""
    text = re.sub("--([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), text)
    return re.sub("(?<!\\w)-p(?!\\w)", "player", text.replace("-p, -w or -b", "player, white or black"))


def asked(questions):
    """Keyword arguments as options of `pgc find`."""
    words = []
    for given, value in questions.items():
        name = given.rstrip("_")
        asks = name.removeprefix("not_")
        if name in ("then", "next", "or"):
            # Keyword arguments have no order, so they join nothing.
            raise TypeError(f"{given}: give the questions as one text of options, with --{name}")
        if asks not in QUESTIONS:
            near = _OTHERS.get(asks) or ", ".join(difflib.get_close_matches(asks, QUESTIONS))
            raise TypeError(f"there is no question {given}{near and f'; similar: {near}'}; help(pgc.Archive.find) lists all")
        if QUESTIONS[asks][0]:
            words += (f"--{name}={text}" for text in _texts(given, value))
        elif not isinstance(value, bool):
            raise TypeError(f"{given}: give True or False")
        elif value:
            words.append(f"--{name}")
        elif asks not in ("flip", "mirror", "in_variations", "maybe"):
            # `broken=False` asks for the opposite.
            words.append("--" + (asks if name != asks else f"not_{name}"))
    words = [shlex.quote(f"{option.replace('_', '-')}{equals}{value}") for option, equals, value in (word.partition("=") for word in words)]
    try:
        _pgc.check(" ".join(words))
    except ValueError as error:
        raise ValueError(in_python(str(error))) from None
    return " ".join(words)


def _texts(name, value):
    values = value if isinstance(value, (list, set, frozenset)) else [value]
    return [_one(name, each) for each in values]


def _one(name, value):
    if isinstance(value, datetime.date):
        return f"{value:%Y.%m.%d}" if value.year > 999 else f"{value.year:04}.{value:%m.%d}"
    if isinstance(value, str):
        return value
    # Numbers of numpy too.
    if hasattr(value, "__index__") and not isinstance(value, bool):
        return str(operator.index(value))
    if not isinstance(value, (tuple, range, slice)):
        raise TypeError(f"{name}: give a string, a number, a date, a range, or a list of these")
    if name.rstrip("_").removeprefix("not_") not in _RANGES:
        raise TypeError(f"{name}: {value!r} is a range; give a list for several values, of which one must match")
    if isinstance(value, range):
        if value.step != 1 or not value:
            raise ValueError(f"{name}: {value!r}: a range of questions has no gaps, and is not empty")
        return f"{value[0]}..{value[-1]}"
    ends = (value.start, value.stop) if isinstance(value, slice) else value
    if len(ends) != 2 or (isinstance(value, slice) and value.step is not None) or ends == (None, None):
        raise TypeError(f"{name}: {value!r}: a range is a pair (first, last), both included, of which one may be None")
    if not all(end is None or isinstance(end, (str, int, datetime.date)) and not isinstance(end, bool) for end in ends):
        raise TypeError(f"{name}: {value!r}: the ends of a range are numbers, dates or text")
    return "..".join("" if end is None else str(_one(name, end)) for end in ends)
