"""Values of questions as Python has them: ranges, slices and dates."""

import datetime
import operator

# The questions whose values may be ranges, also with `not_` before them.
_RANGES = {"date", "eco", "plies", "ply", "time", "clock", "eval_swing", "elo_difference"} | {
    f"{whose}elo" for whose in ("", "any_", "opponent_", "white_", "black_", "average_")
}


def asked(questions):
    """Keyword arguments as the native part knows them: a truth, or a list of texts."""
    return {name: value if isinstance(value, bool) else _texts(name, value) for name, value in questions.items()}


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
