"""`pgc.pack` and `save`: files, bytes and games become an archive, PGN or a table."""

import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Mapping

from pgc import _pgc
from pgc._collection import Collection
from pgc._pgc import Archive, Game, Games, Joiner, _pack, save_pgn
from pgc._progress import Progress

# Text of PGN and no path: it has a line end, begins with a tag pair, or ends as games do.
_PGN = re.compile(r'[\r\n]|^\s*\[\w+\s+"|(^|\s)(1-0|0-1|1/2-1/2|\*)\s*$')
_COMPRESSED = (".gz", ".gzip", ".bz2", ".xz", ".zst", ".zstd", ".zip")
# So many games of a generator become one source: their places are held in memory until their texts are fetched.
_PORTION = 100_000


def pack(source, archive=None, *, force=False, jobs=0, pieces=None, allow_empty=False, progress=None):
    """Packs games into an archive, with its index. A path that ends in `.pgcz` gets the small form; without a path, the archive of one file
    stands beside it (`games.pgc` beside `games.pgn`). Returns the numbers of games, of plies and of bytes.

    `source` is the path of a file of PGN or EPD, which may be compressed, a zip file of several, or an archive; games that pgc opened or
    found (`Archive`, `Collection`, `Games`, `Game`); `chess.pgn.Game`; PGN as `bytes` or `str`; a file object; or an iterable of all these.
    Each path, archive and file object becomes a source of its own. Games of archives are packed as they are written there; a whole
    archive keeps its sources. A source without a game is an error, unless `allow_empty` is set.

    Every block is decoded again and compared before it is written; the archive appears complete or not at all. `pieces` is the language of the
    piece letters of the moves, by code or name (`"de"`); the default is English. `progress` is a function that is told what is done, and of
    how much; or `True` for a bar of tqdm.

    >>> pgc.pack(archive.find(white="anderssen"), "made.pgc", force=True)["games"]
    2
    >>> import chess.pgn
    >>> pgc.pack([chess.pgn.Game({"White": "A"}), "1. e4 e5 *", archive[3]], "made.pgc", force=True)["games"]
    3
    """
    archive = _beside(source) if archive is None else os.fspath(archive)
    if os.path.splitext(archive)[1].lower() in (".pgn", ".epd"):
        raise ValueError(f"{archive}: is named as text, and pack writes an archive: name it .pgc or .pgcz")
    if not force and os.path.exists(archive):
        # Before a long text is copied.
        raise FileExistsError(17, "already exists (replace it with force=True)", archive)
    with _Inputs(archive) as inputs:
        inputs.all(source, progress)
        if not inputs.paths:
            if not allow_empty:
                raise ValueError("there is nothing to pack (allow it with allow_empty=True)")
            inputs.all(b"", None)
        sizes = (os.path.getsize(path) for path in inputs.paths if os.path.exists(path))
        with Progress(progress, sum(sizes), "B"):
            try:
                packed = _pack(inputs.paths, archive, force=force, jobs=jobs, allow_empty=allow_empty, pieces=pieces)
                return dict(zip(("games", "plies", "bytes_in", "bytes_out"), packed))
            except ValueError as error:
                raise ValueError(inputs.named(str(error))) from None


def _beside(source):
    """The path of the archive of a file, as the program names it."""
    is_path = isinstance(source, os.PathLike) or isinstance(source, str) and (os.path.exists(source) or not _PGN.search(source))
    if not is_path or os.path.isdir(source):
        raise TypeError("pack: name the archive: pgc.pack(games, 'games.pgc')")
    path = os.fspath(source)
    for endings in (_COMPRESSED, (".pgn", ".epd", ".txt", ".pgc", ".pgcz")):
        begin, ending = os.path.splitext(path)
        path = begin if ending.lower() in endings else path
    return path + ".pgc"


class _Inputs:
    """The files to pack. What is no file becomes one, in a folder beside the archive."""

    def __init__(self, archive):
        self.name = os.path.splitext(os.path.basename(archive))[0] + ".pgn"
        self.beside = os.path.dirname(os.path.abspath(archive))
        self.paths, self.made, self.stack = [], [], contextlib.ExitStack()
        # The file that texts of games are written to, and games of archives, whose texts are fetched later.
        self.text = self.joiner = None
        self.games = []

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.stack.close()

    def all(self, source, progress):
        if not self._add(source, progress):
            if isinstance(source, Mapping) or not isinstance(source, Iterable):
                raise TypeError(_wrong(source))
            for item in source:
                if not self._add(item, progress):
                    raise TypeError(_wrong(item))
        self._end()

    def _add(self, source, progress):
        """Adds a source that is no iterable of others; `False` if it is one, or nothing that can be packed."""
        chess_pgn = sys.modules.get("chess.pgn")
        if isinstance(source, Game):
            if self.text is not None or len(self.games) == _PORTION:
                self._end()
            self.games.append(source._alone)
        elif isinstance(source, (Games, Collection)):
            self._add_found(source, progress)
        elif isinstance(source, (bytes, bytearray, memoryview)):
            self._write(bytes(source))
        elif chess_pgn and isinstance(source, chess_pgn.GameNode):
            self._write(f"{str(source.game()).rstrip()}\n\n".encode())
        elif isinstance(source, str) and _PGN.search(source) and not os.path.exists(source):
            self._write(source.encode())
        elif isinstance(source, (str, os.PathLike)):
            self._end()
            path = os.fspath(source)
            # Python waits for a pipe so that signals are seen.
            if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
                with open(path, "rb") as file:
                    self._copy(file)
            else:
                self.paths.append(path)
        elif hasattr(source, "read"):
            self._copy(source)
        else:
            return False
        return True

    def _add_found(self, source, progress):
        self._end()
        parts = source.parts if isinstance(source, Collection) else [source]
        if parts and all(isinstance(part, Archive) and not part._options[0] for part in parts):
            # Copied as they are, with their sources.
            self.paths.extend(os.fspath(part.path) for part in parts)
            return
        with Progress(progress, len(source)):
            self._save(parts)

    def _save(self, parts):
        path = self._path(self.name)
        save_pgn(parts, path, True)
        self.paths.append(path)

    def _copy(self, source):
        self._end()
        name = getattr(source, "name", None)
        path = self._path(os.path.basename(name) if isinstance(name, str) and os.path.basename(name) else self.name)
        with open(path, "wb") as file:
            source = _Encoded(source) if isinstance(source.read(0), str) else source
            shutil.copyfileobj(source, file, 1 << 20)
        self.paths.append(path)

    def _write(self, text):
        if self.text is None:
            self._end()
            path = self._path(self.name)
            self.text, self.joiner = self.stack.enter_context(open(path, "wb")), Joiner()
            self.paths.append(path)
        self.text.write(self.joiner.next(text))

    def _end(self):
        """The next source is another file."""
        if self.games:
            self._save(self.games)
            self.games = []
        if self.text is not None:
            self.text.close()
            self.text = None

    def named(self, text):
        """A message without the folders of this class."""
        for path in self.made:
            text = text.replace(path, os.path.basename(path))
        return text

    def _path(self, name):
        folder = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="pgc-", dir=self.beside))
        self.made.append(os.path.join(folder, name))
        return self.made[-1]


def _wrong(source):
    return (
        f"{type(source).__module__}.{type(source).__qualname__} cannot be packed: give paths, archives, games of pgc or python-chess, PGN as"
        " bytes or str, a file, or an iterable of these"
    )


class _Encoded:
    """A file of text, read as bytes."""

    def __init__(self, file):
        self.file = file

    def read(self, length):
        return self.file.read(length).encode()


def unpack(archive, folder, *, force=False, jobs=0, progress=None):
    """Unpacks an archive into a folder, and returns the paths of the files. They are the files that were packed, byte for byte."""
    with Progress(progress, os.path.getsize(archive) if os.path.exists(archive) else 0, "B"):
        return _pgc.unpack(archive, folder, force=force, jobs=jobs)


def save(
    self, path, *, columns=None, table="games", force=False, allow_empty=False, progress=None, group_rows=None, zstd=None, partition=None
):
    """Writes these games to a file: `.pgc` and `.pgcz` an archive, `.pgn` their text as it is written, `.parquet` and `.csv` a table (with
    `columns`, by default the usual ones: in Parquet those with a value, in CSV those without lists, which needs pyarrow; `"+url"` is one more
    of them). The file appears complete or not at all. Returns the number of games, or of rows.

    Of Parquet, `group_rows` is the most rows of a row group, `zstd` the level of compression from 1 to 22, and `partition` a column of games
    (`"year"`) by whose values the games go into folders `year=1992`, which DuckDB, Polars and Spark read as one table.

    >>> archive.find(white="anderssen").save("anderssen.pgn", force=True)
    2
    """
    path = os.fspath(path)
    ending = os.path.splitext(path)[1].lower()
    if ending in (".pgc", ".pgcz"):
        return pack(self, path, force=force, allow_empty=allow_empty, progress=progress)["games"]
    if ending == ".pgn":
        with Progress(progress, len(self)):
            return save_pgn(self._parts, path, force)
    if ending not in (".parquet", ".csv") and partition is None:
        raise ValueError(f"{path}: the ending names no format: use .pgc, .pgcz, .pgn, .parquet or .csv")
    if partition is not None and (ending == ".csv" or table != "games"):
        raise ValueError("partition divides tables of games, as Parquet")
    if os.path.lexists(path) and (not force or partition is not None):
        hint = "replace it with force=True" if partition is None else "partition makes a new folder"
        raise FileExistsError(17, f"already exists ({hint})", path)
    if ending == ".csv" or partition is not None:
        return _save_beside(self, path, columns, table, progress, (group_rows, zstd), partition)
    with Progress(progress, len(self)):
        return _pgc.save_parquet(self._parts, (columns, table), (path, force), (group_rows, zstd), None)


def _save_beside(self, path, columns, table, progress, options, partition):
    with tempfile.TemporaryDirectory(prefix="pgc-", dir=os.path.dirname(os.path.abspath(path))) as folder:
        written = os.path.join(folder, "table")
        if partition is None:
            from pgc import _frames

            rows = _frames.write_csv(self, written, columns, table, progress)
        else:
            with Progress(progress, len(self)):
                rows = _pgc.save_parquet(self._parts, (columns, table), (written, False), options, partition)
        os.replace(written, path)
    return rows
