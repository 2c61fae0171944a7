"""What the native classes do as Python's own classes do: methods written in Python, added to the classes when the package is imported."""

import bisect
import html
import random
import re
from collections.abc import Mapping

from pgc._collection import Collection
from pgc._pgc import Archive, Game, Games, Move, Table
from pgc._pgc import open as open_archive

# The commands whose values a move gives as numbers (spec/tables.md, 2.3).
_COMMAND = re.compile(r"\[%(?:clk|emt|eval)\s[^\[\]]*\]")
_POSITION = ("fen", "pattern", "material", "moves", "moves_to")
_PIECES = dict(zip("KQRBNPkqrbnp", "\u2654\u2655\u2656\u2657\u2658\u2659\u265a\u265b\u265c\u265d\u265e\u265f"))


def _find(native):
    def find(self, text=None, /, *, sort=None, reverse=False, limit=None, sample=None, seed=0, **questions):
        for name, count in (("limit", limit), ("sample", sample)):
            if count is not None and count < 0:
                raise ValueError(f"{name}: {count} is below 0")
        found = native(self, text, **questions)
        if sample is not None and sample < len(found):
            found = found[sorted(random.Random(seed).sample(range(len(found)), sample))]
        if sort is not None or reverse:
            found = found.sorted(sort or "number", reverse=reverse)
        return found if limit is None else found[:limit]

    find.__doc__ = (native.__doc__ or "") + (
        "\n\n`sample` takes so many games at random (`seed` says which), `sort` puts them in the order of a key of `pgc find --sort`,"
        " backwards with `reverse`, and `limit` keeps the first ones."
    )
    return find


def tree(self, *, depth=1, **questions):
    """The moves that follow the position asked for, or else the usual start: a dict with `games`, the results (`white`, `draws`, `black`),
    White's `score`, the average `rating` of the players who moved, the first and the last of the `years`, and `moves`, a dict of the same
    for each move in SAN, most games first.

    >>> tree = archive.tree(depth=2)
    >>> tree["games"], list(tree["moves"])[:2], tree["moves"]["e4"]["games"]
    (11, ['e4', 'd4'], 6)
    """
    if not any(name in questions for name in _POSITION):
        questions = {"not_setup": True, "variant": "chess", **questions}
    return self._tree(depth=depth, **questions)


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
    squares = []
    placement = re.sub(r"\d", lambda found: " " * int(found[0]), re.sub(r"\[.*|~", "", self.fen(ply).split(" ")[0]))
    for row, rank in enumerate(placement.split("/")[:8]):
        for file, piece in enumerate(rank[:8]):
            colour = "#b58863" if (row + file) % 2 else "#f0d9b5"
            squares.append(f'<rect x="{file}" y="{row}" width="1" height="1" fill="{colour}"/>')
            if piece != " ":
                squares.append(f'<text x="{file + 0.5}" y="{row + 0.82}" font-size="0.9" text-anchor="middle">{_PIECES.get(piece, piece)}</text>')
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8" width="{size}" height="{size}">{"".join(squares)}</svg>'


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


def rows(self):
    """The rows as dicts, for `pandas.DataFrame(table)` and loops; needs pyarrow. Other readers take the columns, which is faster."""
    import pyarrow

    for batch in pyarrow.RecordBatchReader.from_stream(self):
        yield from batch.to_pylist()


def _opened(path, options):
    return open_archive(path, **options)


def _chosen(archive, numbers):
    """The games with these numbers."""
    known = archive[:].numbers
    return archive[[bisect.bisect_left(known, number) for number in numbers]]


def _one(path, number):
    return _chosen(open_archive(path), [number])[0]


def _archive_of(self):
    return _opened(self.path, self._options)


def add_methods():
    """Adds the methods of this file to the native classes."""
    Mapping.register(Game)
    for name, method in {
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
    Move.comments = property(comments, doc=comments.__doc__)
    Table.__iter__ = rows
    for kind in (Archive, Games, Collection):
        kind.find = _find(kind.find)
    Games.__reduce__ = lambda self: (_chosen, (_archive_of(self), self.numbers))
    Archive.tree = tree
    Archive.__enter__ = lambda self: self
    Archive.__exit__ = lambda self, *raised: None
    Archive.__reduce__ = lambda self: (_opened, (self.path, self._options))
