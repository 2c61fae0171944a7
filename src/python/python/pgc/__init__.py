"""Chess archives: games from PGN, packed without losing a byte, found by an index.

>>> import pgc
>>> archive = pgc.open("sample.pgc")
>>> len(archive)
13
>>> archive[0]["White"]
'Anderssen, Adolf'
>>> [game["Black"] for game in archive.find(white="anderssen", date="1851..1853")]
['Kieseritzky, Lionel', 'Dufresne, Jean']
>>> game = archive.find(white="anderssen", black="dufresne")[0]
>>> game.san[:4], game.uci[:4]
(['e4', 'e5', 'Nf3', 'Nc6'], ['e2e4', 'e7e5', 'g1f3', 'b8c6'])
>>> game.to_chess().end().board().is_checkmate()
True

A table of games or positions (spec/manual/tables.md) becomes a frame of pandas or Polars, or an Arrow stream, which DuckDB reads too. The index
answers the question, and only the games that match are read:

>>> archive.to_polars(["white", "plies"], date="1852").rows()
[('Anderssen, Adolf', 47)]
>>> import duckdb
>>> openings = archive.to_arrow(["eco", "plies"], white="anderssen")
>>> duckdb.sql("select eco, plies from openings order by eco").fetchall()
[('C33', 45), ('C52', 47)]
"""

import os as _os

from pgc._collection import Collection, archives_in, pgn_files_in
from pgc._collection import archives_of as _archives_of
from pgc._methods import add_methods as _add_methods
from pgc._methods import schema
from pgc._packing import pack, unpack
from pgc._pgc import (
    Archive,
    DamagedError,
    Error,
    Game,
    Games,
    Move,
    Table,
    __version__,
)
from pgc._pgc import open as _open

_add_methods()


def open(path, *, pass_damage=False, jobs=0):
    """Opens an archive; or a folder of archives, or a list of both, as one `Collection`. With `pass_damage`, games in damaged blocks are left
    out; otherwise damage is an error. `jobs` is the number of threads; 0 is one for each processor.

    >>> import pgc
    >>> with pgc.open("sample.pgc") as archive:
    ...     len(archive)
    13
    """
    options = {"pass_damage": pass_damage, "jobs": jobs}
    several = not isinstance(path, (str, _os.PathLike))
    if several or _os.path.isdir(path):
        paths = path if several else [path]
        return Collection(_open(each, **options) for each in _archives_of(paths))
    try:
        return _open(path, **options)
    except OSError as error:
        if "`pgc pack" not in str(error):
            raise
        raise OSError(f"{path}: is no archive: pack it first (pgc.pack({str(path)!r}, 'games.pgc'))") from None


def scan(path, *, table="games", columns=None, pass_damage=False, jobs=0):
    """Archives (a path, a folder, or a list) as a dataset for DuckDB, pyarrow and Polars, which then read only the columns and games that a query
    needs; needs pyarrow. The columns are those of spec/manual/tables.md, by default all of them.

    >>> import duckdb, pgc, polars
    >>> games = pgc.scan("sample.pgc")
    >>> duckdb.sql("select plies from games where white = 'Anderssen, Adolf' and year = 1852").fetchall()
    [(47,)]
    >>> games.polars().filter(polars.col("year") == 1852).select("plies").collect().rows()
    [(47,)]
    """
    from pgc._scan import Scan

    known = isinstance(path, (Archive, Collection, Games))
    return Scan(path if known else open(path, pass_damage=pass_damage, jobs=jobs), table, columns)


__all__ = [
    "Archive",
    "Collection",
    "DamagedError",
    "Error",
    "Game",
    "Games",
    "Move",
    "Table",
    "__version__",
    "archives_in",
    "open",
    "pack",
    "pgn_files_in",
    "scan",
    "schema",
    "unpack",
]
