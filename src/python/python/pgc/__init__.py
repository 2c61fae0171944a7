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

A table of games or positions (spec/tables.md) is an Arrow stream, which DuckDB, Polars, pandas and PyArrow read. The index answers
the question, and only the games that match are read:

>>> import polars
>>> polars.DataFrame(archive.to_arrow(["white", "plies"], date="1852")).rows()
[('Anderssen, Adolf', 47)]
>>> import duckdb
>>> openings = archive.to_arrow(["eco", "plies"], white="anderssen")
>>> duckdb.sql("select eco, plies from openings order by eco").fetchall()
[('C33', 45), ('C52', 47)]
"""

from pgc._pgc import (
    Archive,
    Error,
    Game,
    Games,
    Move,
    Table,
    TableSchema,
    __version__,
    archives_in,
    open,
    pack,
    pgn_files_in,
    schema,
    unpack,
)

__all__ = [
    "Archive",
    "Error",
    "Game",
    "Games",
    "Move",
    "Table",
    "TableSchema",
    "__version__",
    "archives_in",
    "open",
    "pack",
    "pgn_files_in",
    "schema",
    "unpack",
]
