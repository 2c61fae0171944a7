"""Archives in object stores, and in all else that fsspec knows: they are planned by a few ranges of bytes, and read from copies.

An archive and its index are mapped, so a task must have them as files. The driver does not: of the index it needs the frame, the segments and
the blocks, of the archive the heads and tails, against which the index is checked.
"""

import contextlib
import hashlib
import json
import os
import posixpath
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import pgc
from pgc.spark._cache import Cache, size_of

# Stores name by these what changes with an object; the first that is there counts.
_VERSIONS = ("ETag", "etag", "md5", "LastModified", "last_modified", "mtime", "modified", "updated", "created")
# spec/index.md, sections 1 and 2.
_MAGIC = b"\x89PGCI\r\n\x1a"
_PAGE, _TRAILER, _ENTRY, _SEGMENT = 16_384, 96, 32, 32
_SEGMENTS, _BLOCKS = 1, 2
# The head of a foreign stream, and more than is looked at to recognise any other.
_HEAD = 4096
# One request for bytes with such a gap between them is cheaper than two.
_GAP = 65_536
# More than these bytes of an archive are not read for planning: it is copied as a whole then.
_MOST = 64 << 20


class StoredFile(NamedTuple):
    """A file of a store, as it was when the query was planned."""

    path: str
    size: int
    version: str


class Stored(NamedTuple):
    """An archive of a store, and the index beside it if there is one."""

    address: str
    files: tuple[StoredFile, ...]

    @property
    def size(self) -> int:
        return self.files[0].size


class Store:
    """What the options of a reader say about stores."""

    def __init__(self, options: Any) -> None:
        try:
            self._options = json.loads(options.get("storageOptions") or "{}")
        except ValueError as error:
            raise ValueError(f"storageOptions: is no JSON: {error}") from None
        if not isinstance(self._options, dict):
            raise ValueError("storageOptions: is no object of JSON, such as {\"anon\": true}")
        self._folder = options.get("cache")
        limit = options.get("cacheBytes")
        self._limit = None if limit is None else size_of(limit)

    def archives(self, address: str) -> list[Stored]:
        """The archives of an address: the one that it names, or those under it, in the order of `pgc.archives_in`."""
        address = address if address.endswith("://") else address.rstrip("/")
        with _naming(address):
            files, root = self._files(address)
            found = files.find(root, detail=True)
            if list(found) == [root]:
                beside = _index_of(root)
                with contextlib.suppress(FileNotFoundError):
                    found[beside] = files.info(beside)
                names = [""]
            else:
                names = [path[len(root) :] for path in found if path.lower().endswith((".pgc", ".pgcz"))]
                # No hidden ones, nor those whose whole name is the ending.
                names = [name for name in names if "/." not in f"/{name.lstrip('/')}"]
                names.sort(key=lambda name: name.encode().split(b"/"))
        return [
            Stored(address + name, tuple(_file(path, found[path]) for path in (root + name, _index_of(root + name)) if path in found))
            for name in names
        ]

    @contextlib.contextmanager
    def copied(self, stored: Stored) -> Iterator[str]:
        """The path of a copy of an archive, with its index beside it, which stays as long as the context."""
        key = hashlib.sha256(json.dumps(stored).encode()).hexdigest()[:32]
        cache = Cache(self._folder, self._limit)
        with cache.copy(key, sum(file.size for file in stored.files), lambda folder: self._fetch(stored, folder)) as folder:
            path = os.path.join(folder, posixpath.basename(stored.files[0].path))
            try:
                yield path
            except Exception as error:
                if path not in str(error):
                    raise
                # The user knows the archive by its address. Arrow has exceptions of its own for what its streams tell.
                raise pgc.Error(str(error).replace(path, stored.address)) from None

    def _fetch(self, stored: Stored, folder: str) -> None:
        with _naming(stored.address):
            files, _ = self._files(stored.address)
            self._check(files, stored)
            for file in stored.files:
                files.get_file(file.path, os.path.join(folder, posixpath.basename(file.path)))
            # Each part of a long copy comes by a request of its own.
            self._check(files, stored)
            for file in stored.files:
                length = os.path.getsize(os.path.join(folder, posixpath.basename(file.path)))
                if length != file.size:
                    raise pgc.Error(f"{stored.address}: {length} bytes came instead of {file.size}")

    def _check(self, files: Any, stored: Stored) -> None:
        files.invalidate_cache()
        for file in stored.files:
            try:
                same = _file(file.path, files.info(file.path)) == file
            except FileNotFoundError:
                same = False
            if not same:
                raise pgc.Error(f"{stored.address}: has changed since the query was planned")

    def opened(self, stored: Stored, folder: str, partial: bool) -> pgc.Archive:
        """An archive for planning: it knows its blocks and games, but no game can be read. `folder` is an empty one."""
        with _naming(stored.address):
            files, _ = self._files(stored.address)
            path = _outline(files, stored, folder)
        if path:
            # What cannot be opened will be told by reading the whole.
            with contextlib.suppress(pgc.Error):
                archive = pgc.open(path, pass_damage=partial)
                # Each block is looked up: an index that turns out to be damaged is given up.
                for block in range(archive.blocks):
                    archive.games_of_blocks(block, block + 1)
                if archive.indexed:
                    return archive
        # Without a usable index the heads of all blocks are looked at, all over the archive. What is mapped stays, even if the copy is removed.
        with self.copied(stored) as path:
            archive = pgc.open(path, pass_damage=partial)
            archive.games_of_blocks(0, archive.blocks)
            return archive

    def _files(self, address: str) -> tuple[Any, str]:
        """The file system of an address, and the path there. It remembers nothing of earlier queries."""
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise pgc.Error(f"{address}: this needs fsspec: pip install 'pgc[stores]'") from None
        try:
            files, path = url_to_fs(address, **self._options)
        except ImportError as error:
            raise pgc.Error(f"{address}: {error} (for S3: pip install 'pgc[stores]')") from None
        files.invalidate_cache()
        return files, path


@contextlib.contextmanager
def _naming(address: str) -> Iterator[None]:
    """Errors name the address. Those of stores have types of many packages."""
    try:
        yield
    except pgc.Error:
        raise
    except FileNotFoundError:
        raise FileNotFoundError(f"{address}: there is no such file or folder") from None
    except Exception as error:
        raise pgc.Error(f"{address}: {type(error).__name__}: {error}") from error


def _file(path: str, info: dict[str, Any]) -> StoredFile:
    version = next((info[name] for name in _VERSIONS if info.get(name)), "")
    # Some listings have the time in seconds, where a file by itself has an object.
    return StoredFile(path, int(info["size"]), str(version.timestamp() if hasattr(version, "timestamp") else version))


def _index_of(path: str) -> str:
    return f"{path}i" if path.lower().endswith((".pgc", ".pgcz")) else f"{path}.pgci"


def _outline(files: Any, stored: Stored, folder: str) -> str | None:
    """An archive and an index in which most bytes are holes; `None` if the index is missing, or not as spec/index.md says."""
    if len(stored.files) < 2:
        return None
    file, beside = stored.files
    path = os.path.join(folder, posixpath.basename(file.path))
    index = _Holes(files, beside, _index_of(path))
    end = index.read([(beside.size - _TRAILER - _GAP, beside.size)])
    count, _, _, length = struct.unpack_from("<IIQQ", end, max(len(end) - _TRAILER, 0)) if len(end) >= _TRAILER else (0,) * 4
    (sums,) = struct.unpack_from("<Q", end, len(end) - 40) if count else (0,)
    table = beside.size - _TRAILER - count * _ENTRY
    if not end.endswith(_MAGIC[::-1]) or not 0 < sums <= table:
        return None
    # The sums, the table and the trailer follow each other.
    end = index.read([(sums, beside.size)])
    sections = {kind: (offset, size) for kind, _, offset, size, _ in struct.iter_unpack("<IIQQQ", end[table - sums : -_TRAILER])}
    if _SEGMENTS not in sections or _BLOCKS not in sections or max(map(sum, sections.values())) > sums:
        return None
    (offset, size), (_, last) = sections[_SEGMENTS], (0, sum(sections[_BLOCKS]))
    # Pages are checked as a whole. These sections are the first two.
    begin = index.read([(0, min(-(-last // _PAGE) * _PAGE, sums))])
    if offset + size > len(begin) or size % _SEGMENT:
        return None
    wanted = [(0, _HEAD), (length, length + _HEAD)]
    for head, tail, head_size, tail_size, _, _ in struct.iter_unpack("<QQIIII", begin[offset : offset + size]):
        wanted += [(head, head + head_size), (tail - tail_size, tail)]
    archive = _Holes(files, file, path)
    if sum(end - begin for begin, end in archive.merged(wanted)) > _MOST:
        return None
    archive.read(wanted)
    return path


class _Holes:
    """A file of the length of another, with the bytes that were read of that."""

    def __init__(self, files: Any, file: StoredFile, path: str) -> None:
        self._files, self._file, self._path = files, file, path
        with open(path, "wb") as holes:
            holes.truncate(file.size)

    def read(self, wanted: list[tuple[int, int]]) -> bytes:
        """Reads ranges into the file, and returns the bytes of the last."""
        ranges = self.merged(wanted)
        if not ranges:
            return b""
        begins, ends = zip(*ranges)
        found = self._files.cat_ranges([self._file.path] * len(ranges), list(begins), list(ends), on_error="raise")
        with open(self._path, "r+b") as holes:
            for begin, data in zip(begins, found):
                holes.seek(begin)
                holes.write(data)
        return found[-1]

    def merged(self, wanted: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The ranges to ask for, inside the file."""
        ranges: list[tuple[int, int]] = []
        for begin, end in sorted((max(begin, 0), min(end, self._file.size)) for begin, end in wanted):
            if ranges and begin <= ranges[-1][1] + _GAP:
                ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
            elif begin < end:
                ranges.append((begin, end))
        return ranges


__all__ = ["Store", "Stored", "StoredFile"]
