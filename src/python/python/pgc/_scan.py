"""`pgc.scan`: archives as a table whose reader says which columns and rows it needs, so that only these are decoded."""

import contextlib
import datetime
import json
import os
import re
import warnings

import pyarrow
import pyarrow.dataset

from pgc._collection import Collection
from pgc._filters import (
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsValid,
    LessThan,
    LessThanOrEqual,
    _bounds,
    _values,
    position_question,
    pushed,
)
from pgc._pgc import Archive
from pgc._pgc import table as table_of

_OPERATORS = {
    **{"==": EqualTo, ">": GreaterThan, ">=": GreaterThanOrEqual, "<": LessThan, "<=": LessThanOrEqual},
    **{"Eq": EqualTo, "Gt": GreaterThan, "GtEq": GreaterThanOrEqual, "Lt": LessThan, "LtEq": LessThanOrEqual},
}
_COMPARISON = re.compile(r"(\w+) (==|>=?|<=?) (.*)", re.DOTALL)
_AMONG = re.compile(r"is_in\((\w+), \{value_set=(?:(?:large_)?string|u?int\d+):\[(.*)\], null_matching_behavior=(?:MATCH|SKIP)\}\)", re.DOTALL)
_GUARDED = re.compile(r"if_else\(is_valid\(\w+\), (is_in\(.*\)), null\[bool\]\)", re.DOTALL)
_VALID = re.compile(r"is_valid\((\w+)\)")
_NAME = re.compile(r"[A-Za-z_]\w*")


class Scan(pyarrow.dataset.Dataset):
    """The games (or positions, or nodes) of archives as a dataset of pyarrow, which DuckDB and pyarrow read; `polars()` gives a lazy frame.

    Only the columns that a query uses are decoded, and comparisons of columns that the index answers choose the games before any is read.
    """

    def __init__(self, archive, table, columns):
        self._archive, self._table = archive, table
        self._columns = pgc_schema(columns or ["*"], table)

    @property
    def schema(self):
        return self._columns

    def scanner(self, columns=None, filter=None, **options):
        """A scanner of pyarrow for some columns and rows."""
        options = {name: options[name] for name in ("batch_size", "use_threads", "memory_pool") if options.get(name) is not None}
        text = "" if filter is None else str(filter)
        if columns is None:
            asked = self.schema.names
        elif isinstance(columns, dict):
            # Columns that are computed from others.
            text += " ".join(map(str, columns.values()))
            asked = []
        else:
            asked = list(columns)
        # A name in a text of the filter reads a column too many, and nothing worse.
        used = set(_NAME.findall(text))
        names = [name for name in self.schema.names if name in asked or name in used]
        reader = self._reader(names or [self.schema.names[0]], list(_terms(filter)) if filter is not None else [])
        scanner = pyarrow.dataset.Scanner.from_batches(reader, columns=columns, filter=filter, **options)
        return scanner if isinstance(columns, dict) else _Scanner(scanner, reader, asked, filter)

    def _reader(self, names, filters):
        """The rows of the games that the index leaves for some filters."""
        games = _placed(self._archive, filters)
        if self._table == "games":
            questions = pushed(filters)[0]
        else:
            asked = (position_question(given, self._table == "nodes") for given in filters)
            questions = [question for question in asked if question]
        for option, values, _ in questions:
            # An opening that no list has, for example: the reader finds no row itself.
            with contextlib.suppress(ValueError):
                games = games.find(*values) if option is None else games.find(**{option: values})
        return self._rows(games, names)

    def _rows(self, games, names):
        return pyarrow.RecordBatchReader.from_stream(games.to_arrow(names, table=self._table))

    def count_rows(self, filter=None, **options):
        return self.scanner(columns=[], filter=filter, **options).count_rows()

    def head(self, num_rows, **options):
        return self.scanner(**options).head(num_rows)

    def polars(self):
        """A lazy frame of Polars."""
        import polars
        from polars.io.plugins import register_io_source

        def read(with_columns, predicate, n_rows, batch_size):
            del batch_size
            names = list(with_columns if with_columns is not None else self.schema.names)
            needed = set(names) | set(predicate.meta.root_names() if predicate is not None else [])
            reader = self._reader([name for name in self.schema.names if name in needed], _polars_terms(predicate))
            left = n_rows
            for batch in reader:
                frame = polars.DataFrame(batch)
                if predicate is not None:
                    frame = frame.filter(predicate)
                if left is not None:
                    frame = frame.head(left)
                    left -= len(frame)
                yield frame.select(names)
                if left == 0:
                    return

        schema = polars.DataFrame(self.schema.empty_table()).schema
        return register_io_source(read, schema=schema)

    def to_pandas(self, columns=None, filter=None):
        """A frame of pandas with some columns and rows; `filter` is an expression of pyarrow."""
        return self.to_table(columns=columns, filter=filter).to_pandas()

    def __repr__(self):
        return f"<pgc.Scan of {self._table} of {self._archive!r}>"

    def __reduce__(self):
        return Scan, (self._archive, self._table, self.schema.names)


class _Scanner:
    """A scanner of pyarrow whose reader gets its rows in the thread that asks for them, as DuckDB does: only that can be interrupted."""

    def __init__(self, scanner, reader, names, filter):
        self._scanner, self._rows, self._names, self._filter = scanner, reader, names, filter

    def to_reader(self):
        return pyarrow.RecordBatchReader.from_batches(self._scanner.projected_schema, self._batches())

    def _batches(self):
        for batch in self._rows:
            table = pyarrow.Table.from_batches([batch])
            yield from (table if self._filter is None else table.filter(self._filter)).select(self._names).to_batches()

    def __getattr__(self, name):
        return getattr(self._scanner, name)


def _placed(games, filters):
    """The games that filters of the columns `archive` and `number` may leave."""
    first, last = 1, None
    for given in filters:
        values = _values(given)
        if given.attribute == ("archive",) and values is not None:
            games = _parts_where(games, lambda part, values=values: part if os.fspath(part.path) in values else part[:0])
        elif given.attribute == ("number",):
            ends = [getattr(given, "value", None)] if values is None else values
            if not ends or not all(type(end) is int for end in ends):
                continue
            low, high = _bounds(given, 1) or (min(ends), max(ends))
            first = first if low is None else max(first, low)
            last = last if high is None else min(high, high if last is None else last)
    if (first, last) == (1, None):
        return games
    return _parts_where(games, lambda part: _numbered(part, first, last))


def _parts_where(games, change):
    return Collection(map(change, games.parts)) if isinstance(games, Collection) else change(games)


def _numbered(games, first, last):
    # Damage may leave out numbers, and other games than those of a whole archive may be in any order.
    if not isinstance(games, Archive) or games[-1:].numbers != [len(games)]:
        return games
    return games[first - 1 : None if last is None else max(last, 0)]


def pgc_schema(columns, table):
    return pyarrow.schema(table_of([], columns, table))


def _terms(expression):
    """The comparisons of which an expression of pyarrow is made, if it asks for all of them together. Others are left out."""
    yield from _conjuncts(str(expression))


def _conjuncts(text):
    text = text.strip()
    guarded = _GUARDED.fullmatch(text)
    if guarded:
        text = guarded[1]
    if found := _AMONG.fullmatch(text):
        try:
            values = json.loads(f"[{found[2]}]")
        except ValueError:
            return
        if all(isinstance(value, (str, int)) for value in values):
            yield In((found[1],), values)
        return
    if found := _VALID.fullmatch(text):
        yield IsValid((found[1],))
        return
    if not text.startswith("(") or _end(text, 0) != len(text) - 1:
        return
    inside = text[1:-1]
    parts = _split(inside)
    if len(parts) > 1:
        for part in parts:
            yield from _conjuncts(part)
    elif inside.startswith("(") and _end(inside, 0) == len(inside) - 1:
        yield from _conjuncts(inside)
    elif found := _COMPARISON.fullmatch(inside):
        name, operator, literal = found.groups()
        value = _value(literal)
        if value is not None:
            yield _OPERATORS[operator]((name,), value)


def _value(literal):
    if literal in ("true", "false"):
        return literal == "true"
    if re.fullmatch(r"-?\d+", literal):
        return int(literal)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", literal):
        return datetime.date.fromisoformat(literal)
    if literal.startswith('"'):
        try:
            value = json.loads(literal, strict=False)
        except ValueError:
            return None
        return value if isinstance(value, str) else None
    return None


def _end(text, begin):
    """The place of the parenthesis that closes the one at `begin`; parentheses in strings do not count."""
    depth, quoted, place = 0, False, begin
    while place < len(text):
        c = text[place]
        if quoted:
            if c == "\\":
                place += 1
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return place
        place += 1
    return -1


def _split(text):
    """Parts between ` and ` outside parentheses and strings."""
    parts, begin, place = [], 0, 0
    while place < len(text):
        if text[place] in "([{":
            place = _end(text, place)
            if place < 0:
                return [text]
        elif text[place] == '"':
            # A string alone: skip it.
            place += 1
            while place < len(text) and text[place] != '"':
                place += 2 if text[place] == "\\" else 1
        elif text.startswith(" and ", place):
            parts.append(text[begin:place])
            begin = place + 5
            place += 4
        place += 1
    return [*parts, text[begin:]]


def _polars_terms(predicate):
    """The comparisons of which an expression of Polars is made, if it asks for all of them together."""
    if predicate is None:
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(_of_tree(json.loads(predicate.meta.serialize(format="json"))))
    except (KeyError, TypeError, ValueError, AttributeError):
        return []


def _of_tree(tree):
    if "Column" in tree:
        yield EqualTo((tree["Column"],), True)
    if between := tree.get("Function"):
        kind = between["function"].get("Boolean", {}) if isinstance(between["function"], dict) else {}
        if isinstance(kind, str) and "Column" in between["input"][0]:
            name = (between["input"][0]["Column"],)
            yield from {"IsNotNull": [IsValid(name)], "Not": [EqualTo(name, False)]}.get(kind, [])
        if isinstance(kind, dict) and kind.get("IsBetween", {}).get("closed") == "Both":
            column, low, high = between["input"]
            low, high = _literal(low), _literal(high)
            if "Column" in column and low is not None and high is not None:
                yield GreaterThanOrEqual((column["Column"],), low)
                yield LessThanOrEqual((column["Column"],), high)
        return
    if "BinaryExpr" not in tree:
        return
    tree = tree["BinaryExpr"]
    if tree["op"] == "And":
        yield from _of_tree(tree["left"])
        yield from _of_tree(tree["right"])
    elif tree["op"] in _OPERATORS and "Column" in tree["left"]:
        value = _literal(tree["right"])
        if value is not None:
            yield _OPERATORS[tree["op"]]((tree["left"]["Column"],), value)


def _literal(tree):
    tree = tree.get("Literal", {})
    (kind, value), *_ = (tree.get("Scalar") or tree.get("Dyn") or {"": None}).items()
    if kind == "Date":
        return datetime.date(1970, 1, 1) + datetime.timedelta(value)
    return value if isinstance(value, (int, str)) and not isinstance(value, bool) else None
