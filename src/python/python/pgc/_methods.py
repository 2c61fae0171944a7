"""What the native classes do as Python's own classes do: methods written in Python, added to the classes when the package is imported."""

import bisect
import functools
import html
import itertools
import json
import os
import random
import re
from collections import Counter
from collections.abc import Mapping

from pgc import _pgc
from pgc._collection import Collection
from pgc._packing import save
from pgc._pgc import Archive, Game, Games, Move, Table
from pgc._pgc import open as open_archive
from pgc._progress import Progress
from pgc._values import QUESTIONS, asked, in_python

# The commands whose values a move gives as numbers (spec/manual/tables.md, 2.3).
_COMMAND = re.compile(r"\[%(?:clk|emt|eval)\s[^\[\]]*\]")
_POSITION = ("fen", "pattern", "material", "moves", "moves_to")
_PIECES = dict(zip("KQRBNPkqrbnp", "\u2654\u2655\u2656\u2657\u2658\u2659\u265a\u265b\u265c\u265d\u265e\u265f"))

_COORDINATES = "".join(
    f'<text x="-0.2" y="{8 - i - 0.4}" font-size="0.3" text-anchor="middle">{i + 1}</text>'
    f'<text x="{i + 0.5}" y="8.3" font-size="0.3" text-anchor="middle">{"abcdefgh"[i]}</text>'
    for i in range(8)
)


def find(self, text=None, /, *, sort=None, reverse=False, limit=None, sample=None, seed=0, unique=False, progress=None, **questions):
    """Finds games. The keyword arguments are the questions below, as `pgc find` has them; a list matches any of its values, and `not_player`
    is the opposite of `player`. Instead, one string may have the questions as they follow `pgc find ARCHIVE` on a command line.

    >>> len(archive.find(player="anderssen", date=["1851", "1852"], not_result="black"))
    2
    >>> len(archive.find("-p anderssen -d 1851..1852 --not-result black"))
    2

    Of dates, ratings and the like, a pair, a slice or a `range` is a range: `elo=(2700, None)`, `date=range(1990, 2000)`. `unique` leaves out
    all but the best copy of each game, `sample` takes so many games at random (`seed` says which), `sort` puts them in the order of a key of
    `pgc find --sort`, backwards with `reverse`, and `limit` keeps the first ones. `progress` is told how far the search is: a function of
    the games done and their total, or `True` for a bar of tqdm. Games of a collection come in the order of its archives."""
    if text is not None and questions:
        raise TypeError("ask by a string or by keyword arguments, not by both")
    if text is not None and text[:1].isalnum():
        raise ValueError(f"find: name what you ask for: find(player={text!r}), or options as on a command line: '-p tal'")
    for name, count in (("limit", limit), ("sample", sample)):
        if count is not None and count < 0:
            raise ValueError(f"{name}: {count} is below 0")
    with Progress(progress, len(self)):
        found = self._find(asked(questions) if text is None else text)
        if unique:
            found = _unique(found)
    if sample is not None and sample < len(found):
        found = found[sorted(random.Random(seed).sample(range(len(found)), sample))]
    if sort is not None or reverse:
        found = found.sorted(sort or "number", reverse=reverse)
    return found if limit is None else found[:limit]


# Without what joins questions, for which keyword arguments have no order.
_LISTED = [f"    {name:18} {value and value + '. '}{in_python(what)}" for name, (value, what) in QUESTIONS.items() if name not in ("then", "next", "or")]
find.__doc__ += "\n\n" + "\n".join(_LISTED)


def gaps(self):
    """The damage met so far, if the archive was opened with `pass_damage`: for each gap its bytes in the archive, the number of games missing,
    and the number of the first of them, from 1 (`None` where unknown)."""
    return [dict(zip(("begin", "end", "offset", "first_game", "games", "what"), gap)) for gap in self._gaps]


def in_order(self, key, *, reverse=False):
    """These games in another order: `date`, `white`, `elo` or another key of `pgc find --sort`."""
    found = _pgc.sorted_runs([self], key, reverse, len(self))
    return found[0] if found else self


def _unique(found):
    kept = _pgc.unique(found._parts)
    return Collection(kept) if isinstance(found, Collection) else kept[0]


def _narrowed(self, unique, questions=None):
    games = self.find(**questions) if questions else self
    return _unique(games) if unique else games


def tree(self, *, depth=1, unique=False, progress=None, **questions):
    """The moves that follow the position asked for, or else the usual start: a dict with `games`, the results (`white`, `draws`, `black`),
    White's `score`, the average `rating` of the players who moved, the first and the last of the `years`, and `moves`, a dict of the same
    for each move in SAN, most games first. `unique` counts copies of a game once.

    >>> tree = archive.tree(depth=2)
    >>> tree["games"], list(tree["moves"])[:2], tree["moves"]["e4"]["games"]
    (11, ['e4', 'd4'], 6)
    """
    if not any(name in questions for name in _POSITION):
        questions = {"not_setup": True, "variant": "chess", **questions}
    with Progress(progress, len(self)):
        return _pgc.tree(_narrowed(self, unique)._parts, depth, asked(questions))


def stats(self, *, all_names=False, unique=False, progress=None, **questions):
    """What a player scored, in total and with each colour: the games of those matching names that can be one person's. `other_names` has the
    others; `all_names=True` adds up all. `unique` counts copies of a game once.

    >>> archive.stats(player="anderssen")["wins"]
    2
    """
    with Progress(progress, len(self)):
        tallies, names, others = _pgc.stats(_narrowed(self, unique)._parts, all_names, asked(questions))
    keys = ("games", "wins", "draws", "losses", "score", "rating", "performance")
    total, white, black = (dict(zip(keys, (*counts, *rest))) for counts, *rest in tallies)
    return {**total, "white": white, "black": black, "names": names, "other_names": others}


def table(
    self, *, rounds=False, tiebreak=(), ratings=False, anchor=None, as_written=False, unique=False, progress=None, **questions
):
    """The standings of a tournament, or the result of a match: a dict with the keys of `pgc table --json` (spec/manual/json.md), whose options
    these are. `tiebreak` has codes of FIDE's tie-breaks, the first one first; `anchor` is a player and the rating that he is to have, for
    `ratings`. `copies` is the number of copies that `unique` left out.

    >>> first = archive.table(white="anderssen", tiebreak="WIN")["players"][0]
    >>> first["player"], first["points"], first["tie_breaks"]
    ('Anderssen, Adolf', 2.0, [{'code': 'WIN', 'value': 2.0}])
    """
    if anchor is not None and not ratings:
        raise ValueError("anchor: ask for ratings=True")
    codes = tiebreak.split(",") if isinstance(tiebreak, str) and tiebreak else list(tiebreak)
    with Progress(progress, len(self)):
        games = self.find(**questions) if questions else self
        kept = _unique(games) if unique else games
        asked = {"rounds": rounds, "as_written": as_written, "ratings": ratings}
        found = json.loads(_pgc.standings(kept._parts, **asked, tie_breaks=codes, anchor=anchor))
    return {**found, "copies": len(games) - len(kept) if unique else None}


def dups(self, *, progress=None, **questions):
    """The games that are there more than once, by the rules of `pgc dups`: for each a list of the numbers of its copies, the best first; of a
    collection, pairs of the path of the archive and the number."""
    games = self.find(**questions) if questions else self
    with Progress(progress, len(self)):
        found = _pgc.dups(games._parts)
    return found if isinstance(self, Collection) else [[number for _, number in group] for group in found]


def names(self, field="player"):
    """The names of a field (`player`, `event`, `round`, `site`, or any tag), each with its number of games, in byte order (rounds in
    theirs, of an archive).

    >>> archive.names("Annotator"), archive[:2].names()
    ({}, {'Anderssen, Adolf': 2, 'Dufresne, Jean': 1, 'Kieseritzky, Lionel': 1})
    """
    if isinstance(self, (Archive, Collection)):
        return self._names(field)
    # Refuses what is no field.
    self[:0]._names(field)
    tags = {"player": ("White", "Black"), "event": ("Event",), "round": ("Round",), "site": ("Site",)}.get(field, (field,))
    found = Counter(game[tag] for game in self.tags() for tag in tags if tag in game)
    return dict(sorted(found.items(), key=lambda pair: pair[0].encode()))


def _each(games, read):
    """What `read` gives for growing portions of games: the first game comes at once, and many games come fast."""
    begin, size = 0, 64
    while begin < len(games):
        yield from read(begin, begin + size)
        begin, size = begin + size, min(2 * size, 4096)


def each_game(self):
    return _each(self, self._games)


def tags(self, **questions):
    """The tags of each game as a dict, without reading moves."""
    games = self.find(**questions) if questions else self
    parts = games.parts if isinstance(games, Collection) else [games]
    return itertools.chain.from_iterable(_each(part, part._tags) for part in parts)


def edit(self, output, *, set=None, unset=None, rename_player=None, delete=False, force=False, progress=None, **questions):
    """Writes an archive with changed games, and its index; this archive stays as it is. A collection writes each of its archives into the
    folder `output`. Returns the number of games that changed: of these games, those that match the questions.

    `set` gives tags a value, `unset` takes tags away, `rename_player` maps old names to new ones, and `delete` leaves games out. Everything
    else of the games stays, to the byte."""
    changes = (dict(set or {}), list(unset or ()), dict(rename_player or {}))
    if not (any(changes) or delete):
        raise ValueError("nothing to do: give set, unset, rename_player or delete")
    if isinstance(self, Games) and os.path.splitext(self.path)[1] != os.path.splitext(output)[1]:
        raise ValueError("the output has another form: give it the ending of the archive")
    with Progress(progress, len(self)):
        return self._edit(output, changes, delete, force, asked(questions) if questions else None)


def schema(columns=None, *, table="games"):
    """The columns of the tables of `to_arrow`, without an archive, as a table without rows: those with these names, or the default columns
    (spec/manual/tables.md); `["*"]` are all.

    >>> import pgc
    >>> pgc.schema(["plies", "white"]).columns
    ['plies', 'white']
    """
    return _table([], columns, table)


def _table(parts, columns, table):
    if isinstance(columns, str):
        raise TypeError(f"columns: give a list of names: [{columns!r}]")
    return _pgc.table(parts, columns, table)


def to_arrow(self, columns=None, *, table="games", unique=False, **questions):
    """A table of games (or `table="positions"`) for any reader of Arrow streams; see spec/manual/tables.md for the columns, of which
    `["+utc_time"]` is one more than usual. Each time that the table is read, pgc reads the archive; or only its index, if that has all columns,
    and then damage in the archive stays unnoticed."""
    games = _narrowed(self, unique, questions)
    return _table(games._parts, columns, table)


def to_pandas(self, columns=None, *, table="games", categories=(), unique=False, progress=None, **questions):
    """A frame of pandas with these games (or `table="positions"`). The columns in `categories` become categories: `True` for those that have
    few different values, such as `result` and `eco`; needs pyarrow.

    >>> archive.to_pandas(["white", "plies"], date="1852")
                  white  plies
    0  Anderssen, Adolf     47
    """
    from pgc import _frames

    games = _narrowed(self, unique, questions)
    found = _frames.arrow_table(games, columns, table, progress)
    return found.to_pandas(categories=_frames.categories_of(categories, found.column_names))


def to_polars(self, columns=None, *, table="games", categories=(), unique=False, progress=None, **questions):
    """A frame of Polars, as `to_pandas` makes it."""
    import polars

    from pgc import _frames

    games = _narrowed(self, unique, questions)
    frame = polars.DataFrame(_frames.arrow_table(games, columns, table, progress))
    return frame.with_columns(polars.col(_frames.categories_of(categories, frame.columns)).cast(polars.Categorical))


def games_html(self, shown=10):
    """The first games as a table."""
    names = ("White", "Black", "Result", "Date", "Event")
    head = "".join(f"<th>{name}</th>" for name in names)
    rows = []
    for tags in self[:shown].tags():
        cells = "".join(f"<td>{html.escape(tags.get(name, '?'))}</td>" for name in names)
        rows.append(f"<tr>{cells}</tr>")
    more = f"<p>{len(self)} games</p>" if len(self) > shown else ""
    return f"<div><b>{html.escape(repr(self))}</b><table><tr>{head}</tr>{''.join(rows)}</table>{more}</div>"


def opening(self):
    """The opening that the game reached, found by its positions: a dict with the ECO code, the name in the list of Lichess, and the number of
    half moves before the position with this name; or `None`."""
    return self._opening and dict(zip(("eco", "name", "ply"), self._opening))


def keys(self):
    """The names of the tags."""
    return self.tags.keys()


def items(self):
    """The tags with their values."""
    return self.tags.items()


def values(self):
    """The values of the tags."""
    return self.tags.values()


def is_same_game(self, other):
    """Two games are equal if they are the same game of the same archive."""
    return (self.number, self.path) == (other.number, other.path) if isinstance(other, Game) else NotImplemented


def position(self, ply=None):
    """The position after so many half moves for python-chess, by default the last one.

    >>> archive[0].position(2).fen()
    'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'
    """
    import chess

    board = self.to_chess().board()
    board.set_fen(self.fen(ply, ep="always"))
    return board


def svg(self, ply=None, size=280):
    """The position after so many half moves as SVG, by default the last one."""
    squares = [_COORDINATES]
    placement = re.sub(r"\d", lambda found: " " * int(found[0]), re.sub(r"\[.*|~", "", self.fen(ply).split(" ")[0]))
    for row, rank in enumerate(placement.split("/")[:8]):
        for file, piece in enumerate(rank[:8]):
            colour = "#b58863" if (row + file) % 2 else "#f0d9b5"
            squares.append(f'<rect x="{file}" y="{row}" width="1" height="1" fill="{colour}"/>')
            if piece != " ":
                squares.append(f'<text x="{file + 0.5}" y="{row + 0.82}" font-size="0.9" text-anchor="middle">{_PIECES.get(piece, piece)}</text>')
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-0.4 0 8.4 8.4" width="{size}" height="{size}">{"".join(squares)}</svg>'


def game_html(self):
    def tag(name):
        return html.escape(self.get(name, "?"))

    start = (self.start or "w w").split(" ")
    number, black = int(start[5]) if len(start) > 5 else 1, start[1] == "b"
    words = []
    for place, san in enumerate(self.san):
        ply = place + black
        if ply % 2 == 0 or place == 0:
            words.append(f"{number + ply // 2}{'...' if ply % 2 else '.'}")
        words.append(html.escape(san))
    try:
        board = self.svg()
    except IndexError:
        # The start position is not usable.
        board = ""
    if self.tail:
        words.append(html.escape(self.tail))
    players = f"<b>{tag('White')} \u2013 {tag('Black')}</b> {tag('Result')}<br>{tag('Event')}, {tag('Date')}"
    return f"<div>{players}<br>{board}<p>{' '.join(words)} {self.termination or ''}</p></div>"


def comments(self):
    """The comments after the move, without the commands whose values are `clock`, `elapsed`, `eval` and `mate`."""
    parts = (" ".join(_COMMAND.sub(" ", comment).split()) if "[%" in comment else comment.strip() for comment in self.raw_comments)
    return [part for part in parts if part]


def _move(parts):
    return Move._of(parts)


def _reduced(move):
    """A move as values by their names, which other versions read too (test_pgc.py has one that is kept)."""
    names = "san uci nags nags_before raw_comments before clock elapsed mate depth variations".split()
    return _move, ({"pawns": move._pawns, **{name: getattr(move, name) for name in names}},)


def rows(self):
    """The rows as dicts, for `pandas.DataFrame(table)` and loops; needs pyarrow. Other readers take the columns, which is faster."""
    import pyarrow

    for batch in pyarrow.RecordBatchReader.from_stream(self):
        yield from batch.to_pylist()


def _opened(path, pass_damage, jobs):
    return open_archive(path, pass_damage=pass_damage, jobs=jobs)


def _chosen(archive, numbers):
    """The games with these numbers."""
    known = archive[:].numbers
    return archive[[bisect.bisect_left(known, number) for number in numbers]]


def _one(path, number):
    return _chosen(open_archive(path), [number])[0]


def _archive_of(self):
    return _opened(self.path, *self._options)


def _asked_by_name(method, usual):
    """The method, with an error that says how to ask if the question has no name."""

    @functools.wraps(method)
    def call(self, *unnamed, **questions):
        if unnamed:
            name = method.__name__
            raise TypeError(f"{name}: name what you ask for: {name}({usual}={unnamed[0]!r})")
        return method(self, **questions)

    return call


def add_methods():
    """Adds the methods of this file to the native classes."""
    Mapping.register(Game)
    for name, method in {
        "get": Mapping.get,
        "keys": keys,
        "values": values,
        "items": items,
        "__iter__": lambda self: iter(self.tags),
        "__len__": lambda self: len(self.tags),
        "__contains__": lambda self, name: name in self.tags,
        "__eq__": is_same_game,
        "__hash__": lambda self: hash((self.number, self.path)),
        "__reduce__": lambda self: (_one, (self.path, self.number)),
        "position": position,
        "svg": svg,
        "_repr_html_": game_html,
    }.items():
        setattr(Game, name, method)
    Game.opening = property(opening, doc=opening.__doc__)
    Move.comments = property(comments, doc=comments.__doc__)
    Move.__hash__ = lambda self: hash((self.san, self.uci))
    Move.__reduce__ = _reduced
    Table.__iter__ = rows
    Games.__iter__ = each_game
    Games._parts = property(lambda self: [self])
    for kind in (Games, Collection):
        for method in (find, dups, edit, names, tags, to_arrow, to_pandas, to_polars, save):
            setattr(kind, method.__name__, method)
        for method, usual in ((tree, "moves"), (stats, "player"), (table, "event")):
            setattr(kind, method.__name__, _asked_by_name(method, usual))
        kind._repr_html_ = games_html
        kind.__enter__ = lambda self: self
        kind.__exit__ = lambda self, *raised: None
    Games.__reduce__ = lambda self: (_chosen, (_archive_of(self), self.numbers))
    Archive.__reduce__ = lambda self: (_opened, (self.path, *self._options))
    Games.__repr__ = lambda self: f"<pgc.Games: {len(self)} of {self.path}>"
    Archive.__repr__ = lambda self: f"<pgc.Archive {self.path}: {len(self)} games>"
    Table.__repr__ = lambda self: f"<pgc.Table of {self.games} games: {', '.join(self.columns[:5])}{', ...' if self.columns[5:] else ''}>"
    Games.sorted, Games.gaps = in_order, property(gaps)
