"""Packs many PGN files into a folder of archives, each in a task of its own."""

import os
import time
from collections.abc import Iterable
from typing import Literal, NamedTuple

from pyspark.sql import SparkSession

import pgc

_ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".pgn", ".epd", ".zip")


class PackedFile(NamedTuple):
    """What became of a PGN file."""

    source: str
    archive: str
    games: int
    plies: int
    bytes_in: int
    bytes_out: int
    seconds: float
    # Why the file was not packed; `None` if it was packed, or skipped since its archive exists.
    error: str | None


class PackError(pgc.Error):
    """Some files could not be packed. All others were: `files` says what became of each."""

    def __init__(self, files: list[PackedFile]) -> None:
        failed = [file for file in files if file.error is not None]
        lines = "".join(f"\n  {file.error}" for file in failed[:10])
        super().__init__(f"{len(failed)} of {len(files)} files were not packed:{lines}")
        self.files = files


class _Task(NamedTuple):
    source: str
    archive: str
    skip: bool
    jobs: int


def pack_folder(
    spark: SparkSession,
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output_folder: str | os.PathLike[str],
    *,
    small: bool = True,
    existing: Literal["error", "skip", "replace"] = "error",
    jobs: int = 1,
) -> list[PackedFile]:
    """Packs PGN files (`inputs`: files, which may be compressed, or folders of files) into a folder of archives with their indexes. Each file
    becomes one archive, in the same subfolder, and is packed by one task; the largest files come first. All workers must see the folders
    under the same paths.

    Each archive appears complete or not at all, whatever happens to a task. `existing` says what to do if an archive exists: with "skip",
    the job goes on where an earlier one stopped. A file that cannot be packed does not stop the others; `PackError` names it at the end.
    `small` chooses the small form (.pgcz), which takes less space, but of which each query decodes the blocks five times as long; with
    `small=False` the archives are plain (.pgc). `jobs` is the number of threads of a task: set `spark.task.cpus` to the same number.

    >>> [file.games for file in pgc.spark.pack_folder(spark, dumps, "packed")]
    [13, 13]
    >>> pgc.spark.pack_folder(spark, dumps, "packed")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    FileExistsError: .../packed/a.pgcz: already exists (existing="skip" keeps it, "replace" packs again)
    """
    if existing not in ("error", "skip", "replace"):
        raise ValueError(f"existing: {existing!r} is not error, skip or replace")
    given = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    for path in map(os.fspath, [*given, output_folder]):
        if "://" in path:
            raise ValueError(f"{path}: pack_folder reads and writes folders that all workers have mounted; copy the archives to the store afterwards")
    # Absolute paths, since workers have other current folders.
    pairs = _pairs([os.path.abspath(path) for path in given], os.path.abspath(output_folder), ".pgcz" if small else ".pgc")
    if existing == "error":
        for _, archive in pairs:
            if os.path.exists(archive):
                raise FileExistsError(f'{archive}: already exists (existing="skip" keeps it, "replace" packs again)')
    # Spark may run a task again, or twice at the same time: each run packs the file again and replaces the archive as a whole.
    tasks = [_Task(source, archive, existing == "skip", jobs) for source, archive in pairs]
    if not tasks:
        return []
    tasks.sort(key=lambda task: os.path.getsize(task.source), reverse=True)
    files = spark.sparkContext.parallelize(tasks, len(tasks)).map(_pack).collect()
    files.sort(key=lambda file: file.archive)
    if any(file.error is not None for file in files):
        raise PackError(files)
    return files


def _pairs(inputs: list[str], output: str, ending: str) -> list[tuple[str, str]]:
    """The PGN files, each with the archive to make of it."""
    pairs: dict[str, str] = {}
    for path in inputs:
        within = [os.fspath(file) for file in pgc.pgn_files_in(path)] if os.path.isdir(path) else [path]
        for source in within:
            name = os.path.relpath(source, path) if os.path.isdir(path) else os.path.basename(source)
            archive = os.path.join(output, _without_endings(name) + ending)
            if pairs.setdefault(archive, source) != source:
                raise ValueError(f"{pairs[archive]} and {source} would both become {archive}")
    return [(source, archive) for archive, source in pairs.items()]


def _without_endings(name: str) -> str:
    """
    >>> [_without_endings(name) for name in ["a/b.pgn.zst", "B.PGN", "suite.epd", "2024.01.zip", "x"]]
    ['a/b', 'B', 'suite', '2024.01', 'x']
    """
    while name.lower().endswith(_ENDINGS):
        name = name[: name.rindex(".")]
    return name


def _pack(task: _Task) -> PackedFile:
    began = time.monotonic()
    failed = PackedFile(task.source, task.archive, 0, 0, 0, 0, 0.0, None)
    try:
        os.makedirs(os.path.dirname(task.archive) or ".", exist_ok=True)
        if task.skip and os.path.exists(task.archive):
            archive = pgc.open(task.archive)
            # The index is written after its archive: if it is missing, the earlier task was stopped in between.
            if archive.indexed:
                return failed._replace(games=len(archive), bytes_out=os.path.getsize(task.archive))
        packed = pgc.pack(task.source, task.archive, force=True, jobs=task.jobs, allow_empty=True)
        return PackedFile(task.source, task.archive, **packed, seconds=time.monotonic() - began, error=None)
    except (pgc.Error, OSError) as error:
        return failed._replace(seconds=time.monotonic() - began, error=_named(error, task.source))


def _named(error: Exception, source: str) -> str:
    return str(error) if source in str(error) else f"{source}: {error}"


__all__ = ["PackError", "PackedFile", "pack_folder"]
