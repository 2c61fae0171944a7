"""`pgc.pack`: files, file objects, bytes and games of python-chess become an archive."""

import os
import shutil
import tempfile

from pgc._pgc import _pack


def pack(source, archive, *, force=False, jobs=0, pieces=None):
    """Packs PGN or EPD into an archive, with its index. A path that ends in `.pgcz` gets the small form. Returns the numbers of games, of plies
    and of bytes.

    `source` is the path of a file, which may be compressed, or a zip file of several; PGN text as `bytes`; a file object; an iterable of
    `chess.pgn.Game` (or anything whose `str` is the PGN of one game); or a list of paths, each of which becomes a source of its own.

    Every block is decoded again and compared before it is written; the archive appears complete or not at all. `pieces` is the language of the
    piece letters of the moves, by code or name (`"de"`); the default is English.

    >>> import chess.pgn
    >>> pgc.pack([chess.pgn.Game({"White": "A"})], "made.pgc", force=True)["games"]
    1
    """
    options = {"force": force, "jobs": jobs, "pieces": pieces}
    if isinstance(source, (str, os.PathLike)):
        return _pack([source], archive, **options)
    if not isinstance(source, (bytes, bytearray, memoryview)) and not hasattr(source, "read"):
        source = iter(source)
        first = next(source, None)
        if isinstance(first, (str, os.PathLike)):
            return _pack([first, *source], archive, **options)
        source = _texts(first, source)
    if not force and os.path.exists(archive):
        # Before a long text is copied.
        raise FileExistsError(17, "already exists (replace it with force=True)", os.fspath(archive))
    with tempfile.TemporaryDirectory(prefix="pgc-", dir=os.path.dirname(os.path.abspath(archive))) as folder:
        name = getattr(source, "name", None)
        name = os.path.basename(name) if isinstance(name, str) and os.path.basename(name) else "games.pgn"
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            if isinstance(source, (bytes, bytearray, memoryview)):
                file.write(source)
            elif hasattr(source, "read"):
                start = source.read(0)
                shutil.copyfileobj(_Encoded(source) if isinstance(start, str) else source, file, 1 << 20)
            else:
                file.writelines(source)
        return _pack([path], archive, **options)


def _texts(first, games):
    """The PGN of each game, with an empty line behind it."""
    if first is not None:
        yield f"{str(first).rstrip()}\n\n".encode()
    for game in games:
        yield f"{str(game).rstrip()}\n\n".encode()


class _Encoded:
    """A file of text, read as bytes."""

    def __init__(self, file):
        self.file = file

    def read(self, length):
        return self.file.read(length).encode()
