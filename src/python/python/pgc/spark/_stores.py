"""Archives in object stores, and in any other file system of fsspec. The driver plans from a few ranges of bytes; tasks read copies.

A task maps an archive and its index, so it needs them as files. The driver needs only parts: the frame, the segments and the blocks of the
index, and the heads and tails of the archive, against which it checks the index.
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

# The names that stores have for the version or the time of an object; the first one present counts.
_VERSIONS = ("ETag", "etag", "md5", "LastModified", "last_modified", "mtime", "modified", "updated", "created")
# spec/index.md, sections 1 and 2.
_MAGIC = b"\x89PGCI\r\n\x1a"
_PAGE, _TRAILER, _ENTRY, _SEGMENT = 16_384, 96, 32, 32
_SEGMENTS, _BLOCKS = 1, 2
# The number of bytes read at the beginning of an archive: enough to recognise any kind of stream.
_HEAD = 4096
# Ranges with at most this many bytes between them are read by one request, which is cheaper than two.
_GAP = 65_536
# The most bytes of an archive that are read for planning; if more are needed, the archive is copied.
_MOST = 64 << 20


class StoredFile(NamedTuple):
    """A file of a store: its path, length and version when the query was planned."""

    path: str
    size: int
    version: str


class Stored(NamedTuple):
    """An archive of a store, and the index beside it, if there is one."""

    address: str
    files: tuple[StoredFile, ...]

    @property
    def size(self) -> int:
        return self.files[0].size


class Store:
    """Lists, plans and copies archives of stores, as the options of a reader say."""

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
        """The archive that an address names, or the archives under it, in the order of `pgc.archives_in`."""
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
                # Without hidden files; a file named `.pgc` is one.
                names = [name for name in names if "/." not in f"/{name.lstrip('/')}"]
                names.sort(key=lambda name: name.encode().split(b"/"))
        return [
            Stored(address + name, tuple(_file(path, found[path]) for path in (root + name, _index_of(root + name)) if path in found))
            for name in names
        ]

    @contextlib.contextmanager
    def copied(self, stored: Stored) -> Iterator[str]:
        """The path of a copy of an archive, with its index beside it; the copy is not removed while the context lasts."""
        key = hashlib.sha256(json.dumps(stored).encode()).hexdigest()[:32]
        cache = Cache(self._folder, self._limit)
        with cache.copy(key, sum(file.size for file in stored.files), lambda folder: self._fetch(stored, folder)) as folder:
            path = os.path.join(folder, posixpath.basename(stored.files[0].path))
            try:
                yield path
            except Exception as error:
                if path not in str(error):
                    raise
                # The user knows the archive by its address, so the message must name that. The exception may be one of Arrow's.
                raise pgc.Error(str(error).replace(path, stored.address)) from None

    def _fetch(self, stored: Stored, folder: str) -> None:
        with _naming(stored.address):
            files, _ = self._files(stored.address)
            self._check(files, stored)
            for file in stored.files:
                files.get_file(file.path, os.path.join(folder, posixpath.basename(file.path)))
            # Checked again, since a long copy takes several requests and the object may change between them.
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
        """An archive for planning, made in the empty folder `folder`: it knows its blocks and games, but no game can be read."""
        with _naming(stored.address):
            files, _ = self._files(stored.address)
            path = _outline(files, stored, folder)
        if path:
            # If this fails, opening the copy below reports the error.
            with contextlib.suppress(pgc.Error):
                archive = pgc.open(path, pass_damage=partial)
                # Look up each block: if the index turns out to be damaged, the archive drops it.
                for block in range(archive.blocks):
                    archive.games_of_blocks(block, block + 1)
                if archive.indexed:
                    return archive
        # Without a usable index, planning reads the head of every block, all over the archive. The map stays valid, even if the copy is removed.
        with self.copied(stored) as path:
            archive = pgc.open(path, pass_damage=partial)
            archive.games_of_blocks(0, archive.blocks)
            return archive

    def _files(self, address: str) -> tuple[Any, str]:
        """The file system of an address, without cached listings, and the path in it."""
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
    """Makes errors name the address. Stores raise exceptions of many packages, which become `pgc.Error`."""
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
    # Some file systems give the time in seconds in listings, but a datetime for a single file.
    return StoredFile(path, int(info["size"]), str(version.timestamp() if hasattr(version, "timestamp") else version))


def _index_of(path: str) -> str:
    return f"{path}i" if path.lower().endswith((".pgc", ".pgcz")) else f"{path}.pgci"


def _outline(files: Any, stored: Stored, folder: str) -> str | None:
    """The path of an archive that has only the bytes for planning, and holes elsewhere, with its index beside it. `None` if the index is missing,
    or not as spec/index.md says."""
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
    # The sums, the table of sections and the trailer follow each other at the end.
    end = index.read([(sums, beside.size)])
    sections = {kind: (offset, size) for kind, _, offset, size, _ in struct.iter_unpack("<IIQQQ", end[table - sums : -_TRAILER])}
    if _SEGMENTS not in sections or _BLOCKS not in sections or max(map(sum, sections.values())) > sums:
        return None
    (offset, size), (_, last) = sections[_SEGMENTS], (0, sum(sections[_BLOCKS]))
    # Whole pages, since each is verified as a whole. Segments and blocks are the first two sections.
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
    """A local file with the length of a file in a store. It has the bytes that were read, and holes elsewhere."""

    def __init__(self, files: Any, file: StoredFile, path: str) -> None:
        self._files, self._file, self._path = files, file, path
        with open(path, "wb") as holes:
            holes.truncate(file.size)

    def read(self, wanted: list[tuple[int, int]]) -> bytes:
        """Reads ranges into the local file, and returns the bytes of the last range."""
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
        """The ranges, cut to the file and merged where they are close."""
        ranges: list[tuple[int, int]] = []
        for begin, end in sorted((max(begin, 0), min(end, self._file.size)) for begin, end in wanted):
            if ranges and begin <= ranges[-1][1] + _GAP:
                ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
            elif begin < end:
                ranges.append((begin, end))
        return ranges


__all__ = ["Store", "Stored", "StoredFile"]
