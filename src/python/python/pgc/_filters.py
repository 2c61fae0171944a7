"""Turns comparisons of columns into questions to the index of an archive.

A question has the name of an option of `pgc find`, values of which one must match, and a flag `exact`. If the flag is set, the answer is
exactly the rows that pass the filter; otherwise it may have further rows, and the reader must filter again.
"""

import datetime
import re
from typing import Any, NamedTuple


class EqualTo(NamedTuple):
    attribute: tuple[str, ...]
    value: Any


class In(NamedTuple):
    attribute: tuple[str, ...]
    value: Any


class GreaterThan(NamedTuple):
    attribute: tuple[str, ...]
    value: Any


class GreaterThanOrEqual(NamedTuple):
    attribute: tuple[str, ...]
    value: Any


class LessThan(NamedTuple):
    attribute: tuple[str, ...]
    value: Any


class LessThanOrEqual(NamedTuple):
    attribute: tuple[str, ...]
    value: Any


class IsValid(NamedTuple):
    attribute: tuple[str, ...]
    value: None = None


class Question(NamedTuple):
    # The name of an option; `None` for values that are a line of options.
    option: str | None
    values: list[str] | bool
    exact: bool


# The index cuts longer values (spec/index.md, 3).
_LONGEST = 1000
_RESULTS = {"1-0", "0-1", "1/2-1/2", "*"}
_NUMBERS = {"white_elo": (1, 65_535), "black_elo": (1, 65_535), "plies": (0, 2**31 - 1)}
_ECO = re.compile(r"[A-E][0-9][0-9]")
_ECO_PREFIX = re.compile(r"[A-E][0-9]?[0-9]?")
_DATE = re.compile(r"[0-9]{4}\.[0-9]{2}\.[0-9]{2}")
_RULES = {"chess", "chess960", "antichess", "atomic", "crazyhouse", "horde", "kingofthehill", "racingkings", "three-check", "other"}
# Columns that have values only in games that have these, by the flags of the index.
_PRESENT = {
    **dict.fromkeys(("clocks", "clock"), "clocks"),
    **dict.fromkeys(("evals", "mates", "depths", "eval", "mate", "depth"), "evals"),
    **dict.fromkeys(("first_comment", "comments", "comment", "before"), "comments"),
    "nags": "nags",
}
_FLAGS = {f"has_{name}": name for name in ("comments", "variations", "nags")}
# A board of FEN without pieces in hand and marks of promoted pieces, and the side to move.
_BOARD = re.compile(r"[1-8PNBRQKpnbrqk/]{15,71} [wb](?= )")


def _values(given: Any) -> list[Any] | None:
    """The values of which the column must have one; `None` if it is another kind of filter."""
    match type(given).__name__:
        case "EqualTo":
            return [given.value]
        case "In":
            # No row passes a comparison with null.
            return [value for value in given.value if value is not None]
    return None


def _bounds(given: Any, step: int) -> tuple[Any, Any] | None:
    """The least and the greatest value that pass the filter, `None` for an open end. With `step` 0 the bound of a strict comparison is
    included."""
    match type(given).__name__:
        case "GreaterThan":
            return (given.value + step if step else given.value, None)
        case "GreaterThanOrEqual":
            return (given.value, None)
        case "LessThan":
            return (None, given.value - step if step else given.value)
        case "LessThanOrEqual":
            return (None, given.value)
    return None


def _is(values: list[Any], kind: type) -> bool:
    return bool(values) and all(type(value) is kind for value in values)


def _text(option: str, given: Any) -> Question | None:
    values = _values(given)
    if values is None or not _is(values, str):
        return None
    # For "" and "?" the column is null, while the index has a value.
    if any(value in ("", "?") or len(value.encode()) > _LONGEST for value in values):
        return None
    return Question(option, [f"={value}" for value in values], True)


def _number(name: str, given: Any) -> Question | None:
    least, most = _NUMBERS[name]
    values = _values(given)
    if values is not None:
        if not _is(values, int):
            return None
        values = [value for value in values if least <= value <= most]
        return Question(name, [str(value) for value in values], True) if values else None
    if type(getattr(given, "value", None)) is not int:
        return None
    bounds = _bounds(given, 1)
    if bounds is None:
        return None
    low = least if bounds[0] is None else max(least, bounds[0])
    high = most if bounds[1] is None else min(most, bounds[1])
    return Question(name, [f"{low}..{high}"], True) if low <= high else None


def _result(given: Any) -> Question | None:
    values = _values(given)
    if values is None or not _is(values, str):
        return None
    values = [value for value in values if value in _RESULTS]
    return Question("result", values, True) if values else None


def _year(given: Any) -> Question | None:
    values = _values(given)
    if values is not None:
        known = [value for value in values if 0 <= value <= 9999] if _is(values, int) else []
        return Question("date", [f"{value:04}" for value in known], True) if known else None
    if type(getattr(given, "value", None)) is not int:
        return None
    # A range of dates also matches 199?, which lies in it, but has no value in the column `year`.
    bounds = _bounds(given, 1)
    if bounds is None:
        return None
    low, high = (0 if bounds[0] is None else bounds[0], 9999 if bounds[1] is None else bounds[1])
    low, high = max(low, 0), min(high, 9999)
    return Question("date", [f"{low:04}..{high:04}"], False) if low <= high else None


def _full_date(given: Any) -> Question | None:
    def written(value: datetime.date) -> str:
        return f"{value.year:04}.{value.month:02}.{value.day:02}"

    values = _values(given)
    if values is not None:
        return Question("date", [written(value) for value in values], True) if _is(values, datetime.date) else None
    bounds = _bounds(given, 0)
    if bounds is None or type(given.value) is not datetime.date:
        return None
    # A range also matches dates whose day or month is unknown, and dates such as 31 November, for which the column is null.
    low, high = ("" if bound is None else written(bound) for bound in bounds)
    return Question("date", [f"{low}..{high}"], False)


def _date(given: Any) -> Question | None:
    # The index knows a date by its digits, however it is spelled.
    values = _values(given)
    if values is not None:
        dates = _is(values, str) and all(_DATE.fullmatch(value) for value in values)
        return Question("date", values, False) if dates else None
    return None


def _eco(given: Any, exact: bool) -> Question | None:
    # The index has only the code that a value begins with, without its case: exactly the column `eco`, and less than `eco_tag`.
    values = _values(given)
    if values is not None:
        codes = _is(values, str) and all(_ECO.fullmatch(value) for value in values)
        return Question("eco", values, exact) if codes else None
    return None


def _eco_range(filters: list[Any]) -> Question | None:
    """`eco_tag between 'B30' and 'B39'` comes as two filters. Codes in small letters, which sort behind all others, pass the lower bound alone,
    and the index does not distinguish case: so only both bounds together make a question."""
    lows, highs = [], []
    for given in filters:
        if _column(given) == "eco_tag" and isinstance(value := getattr(given, "value", None), str) and _ECO_PREFIX.fullmatch(value):
            low, high = _bounds(given, 0) or (None, None)
            lows += [low] if low else []
            highs += [high] if high else []
    if not lows or not highs:
        return None
    low, high = max(lows), min(highs)
    # As a lower bound `B4` means B40; as an upper bound it means B49, which matches more than needed.
    if f"{low:0<3}" > f"{high:9<3}":
        return None
    return Question("eco", [f"{low}..{high}", "other"], False)


def _present(name: str | None) -> Question | None:
    if name == "fen":
        return Question("setup", True, False)
    return Question("has", [_PRESENT[name]], False) if name in _PRESENT else None


def _flag(name: str, given: Any) -> Question | None:
    values = _values(given)
    if values is None or len(values) != 1 or type(values[0]) is not bool:
        return None
    no = "" if values[0] else "not_"
    if name in _FLAGS:
        return Question(f"{no}has", [_FLAGS[name]], True)
    return Question(f"{no}setup" if name == "has_fen" else f"{no}result_mismatch", True, True)


def _known(option: str, given: Any, known: set[str] | None) -> Question | None:
    values = _values(given)
    if values is None or not _is(values, str) or known and not known.issuperset(values):
        return None
    return Question(option, values if known else [f"={value}" for value in values], known is not None)


def position_question(given: Any, nodes: bool) -> Question | None:
    """The question that finds the games in whose positions (or moves, `nodes`) a filter may find rows.

    >>> position_question(GreaterThan(("ply",), 80), False)
    Question(option='plies', values=['81..'], exact=False)
    """
    name, values = _column(given), _values(given)
    if type(given).__name__ == "IsValid":
        return _present(name) if name != "fen" else None
    if name == "ply" and not nodes:
        numbers = [getattr(given, "value", None)] if values is None else values
        if not _is(numbers, int):
            return None
        low, _ = _bounds(given, 1) or (min(numbers), None)
        return None if low is None or low < 1 else Question("plies", [f"{low}.."], False)
    boards = [_BOARD.match(value) for value in values] if name == "fen" and values and _is(values, str) else [None]
    if not all(boards):
        return None
    # Games that are kept as text have one row, and are not searched for positions.
    asked = " ".join(f"--fen '{board[0]}'" for board in boards if board)
    return Question(None, [f"{asked}{' --in-variations' if nodes else ''} --or --broken"], False)


def _column(given: Any) -> str | None:
    attribute = getattr(given, "attribute", ())
    return attribute[0] if len(attribute) == 1 else None


def question(given: Any) -> Question | None:
    """The question for a filter; `None` if the index cannot answer it.

    >>> question(EqualTo(("white",), "Tal, Mihail"))
    Question(option='white', values=['=Tal, Mihail'], exact=True)
    >>> question(GreaterThanOrEqual(("white_elo",), 2600))
    Question(option='white_elo', values=['2600..65535'], exact=True)
    >>> question(EqualTo(("eco_tag",), "B33"))
    Question(option='eco', values=['B33'], exact=False)
    >>> question(EqualTo(("opening_tag",), "Sicilian"))
    """
    name = _column(given)
    if type(given).__name__ == "IsValid":
        return _present(name)
    if name == "result":
        return _result(given)
    if name in ("white", "black", "event", "round"):
        return _text(name, given)
    if name == "variant":
        return _known(name, given, _RULES)
    if name == "opening":
        return _known(name, given, None)
    if name in _FLAGS or name in ("has_fen", "result_mismatch"):
        return _flag(name, given)
    if name in _NUMBERS:
        return _number(name, given)
    if name in ("eco", "eco_tag"):
        return _eco(given, exact=name == "eco")
    by_name = {"year": _year, "full_date": _full_date, "date": _date}
    return by_name[name](given) if name in by_name else None


def pushed(filters: list[Any]) -> tuple[list[Question], list[Any]]:
    """The questions for filters, all of which must match, and the filters that the reader must still apply."""
    questions, left = [], []
    for given in filters:
        asked = question(given)
        if asked:
            questions.append(asked)
        if not (asked and asked.exact):
            left.append(given)
    between = _eco_range(filters)
    return questions + ([between] if between else []), left


