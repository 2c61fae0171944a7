"""The data source: archives as a table, divided into runs of blocks."""

import concurrent.futures
import dataclasses
import glob
import itertools
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as spark_types
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.utils import is_remote

import pgc
from pgc._collection import archives_of
from pgc.spark._stores import Store, Stored

_OPTIONS = {
    *("path", "paths", "table", "columns", "find", "partitions", "blocksperpartition", "partial", "jobs"),
    *("storageoptions", "cache", "cachebytes"),
}
# The number of archives of a store that are planned at the same time; most of that time is waiting.
_PLANNED_AT_ONCE = 16
# The number of blocks of a partition, about 16 MiB of PGN; more if there would be over 10,000 partitions, too many for a driver.
_BLOCKS = 64
_MOST_PARTITIONS = 10_000
_GAPS = "archive string, begin long, end long, first_game long, games long, what string"
# The columns without the option `columns`: those that an index has, so that no block is read. Indexes leave out many different sites.
_CHEAP = (
    "archive,number,source,event,date,year,month,day,full_date,round,white,black,result,white_elo,black_elo,eco,variant,plies,wholeness"
).split(",")


def register(spark: SparkSession) -> None:
    """Makes the format `pgc` known to a session."""

    class Here(PgcDataSource):
        # Partitions are planned where there is no session to ask. A session of Spark Connect does not tell.
        parallelism = 1 if is_remote() else spark.sparkContext.defaultParallelism

    spark.dataSource.register(Here)


def read(
    spark: SparkSession,
    path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    columns: Sequence[str] | None = None,
    **options: str | int | bool,
) -> DataFrame:
    """Archives as a frame, with only these columns, which Spark cannot tell a source written in Python. The options are those of the format.

    >>> pgc.spark.read(spark, folder, ["white"], find="-d 1852").collect()
    [Row(white='Anderssen, Adolf')]
    """
    register(spark)
    given = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}
    if columns is not None:
        given["columns"] = ",".join(columns)
    paths = [path] if isinstance(path, (str, os.PathLike)) else path
    return spark.read.format("pgc").options(**given).load([os.fspath(each) for each in paths])


@dataclasses.dataclass(frozen=True)
class Run:
    """Consecutive games of an archive, from `first` up to `last` (exclusive), numbered from 0."""

    # As it was given; workers may have another working directory.
    path: str
    file: str
    first: int
    last: int
    # The length of the file in bytes when the query was planned.
    size: int
    # The archive, if it is in a store; `path` is then its address.
    stored: Stored | None = None


class PgcPartition(InputPartition):
    """The games that one task reads."""

    def __init__(self, runs: list[Run]) -> None:
        super().__init__(runs)


class PgcDataSource(DataSource):
    """Archives as a table of games or of positions (spec/manual/tables.md), for `spark.read.format("pgc")`."""

    # The number of tasks that the cluster runs at the same time.
    parallelism = 1

    @classmethod
    def name(cls) -> str:
        return "pgc"

    def schema(self) -> spark_types.StructType | str:
        table = self.options.get("table", "games")
        if table == "gaps":
            return _GAPS
        columns = self.options.get("columns")
        usual = _CHEAP if table == "games" else None
        names = [name.strip() for name in columns.split(",")] if columns else usual
        try:
            schema = pyarrow.schema(pgc.schema(names, table=table))
        except ValueError as error:
            # The error names the table itself.
            raise ValueError(str(error) if str(error).startswith("table") else f"columns: {error}") from None
        return spark_types.StructType([spark_types.StructField(field.name, _spark_type(field.type)) for field in schema])

    def reader(self, schema: spark_types.StructType) -> "PgcReader":
        return PgcReader(self.options, schema, self.parallelism)


class PgcReader(DataSourceReader):
    """Reads the columns of a schema."""

    def __init__(self, options: Any, schema: spark_types.StructType, parallelism: int = 1) -> None:
        self.parallelism = parallelism
        self.paths = _paths(options)
        self.table = options.get("table", "games")
        self.names = schema.fieldNames()
        if self.table != "gaps":
            # Fails now if a column does not exist.
            pgc.schema(self.names, table=self.table)
        self.target = to_arrow_schema(schema)
        self.find = options.get("find")
        self.count = _number(options, "partitions")
        self.blocks = _number(options, "blocksPerPartition")
        self.partial = options.get("partial", "false").lower() == "true" or self.table == "gaps"
        self.jobs = _number(options, "jobs") or 1
        self.store = Store(options)
        if self.count and self.blocks:
            raise ValueError("partitions, blocksPerPartition: give one of them")

    def partitions(self) -> Sequence[InputPartition]:
        found = _archives(self.paths, self.store)
        with concurrent.futures.ThreadPoolExecutor(_PLANNED_AT_ONCE) as threads:
            stored = any(isinstance(archive, Stored) for archive in found)
            archives = list(threads.map(self._opened, found) if stored else map(self._opened, found))
        if self.find:
            # Fails now if the question cannot be parsed; searching in an empty slice reads nothing.
            try:
                archives[0][-1][:0].find(self.find)
            except ValueError as error:
                raise ValueError(f"find: {error}") from None
        sizes = [archive.blocks for *_, archive in archives]
        total = sum(sizes)
        # A cluster has work for all its tasks, if there are blocks enough.
        usual = -(-total // self.blocks) if self.blocks else min(max(-(-total // _BLOCKS), self.parallelism), _MOST_PARTITIONS)
        count = self.count or usual
        found: list[list[Run]] = [[] for _ in range(min(count, total))]
        before = 0
        for (path, size, stored, archive), blocks in zip(archives, sizes):
            for number, first, last in _cuts(before, blocks, total, len(found), self._is_whole(archive)):
                games = archive.games_of_blocks(first, last)
                if games[0] < games[1]:
                    file = path if stored else os.path.abspath(path)
                    found[number].append(Run(path, file, *games, size, stored))
            before += blocks
        return [PgcPartition(runs) for runs in found if runs]

    def _opened(self, archive: str | Stored) -> tuple[str, int, Stored | None, pgc.Archive]:
        """The path or address of an archive, its length, the archive in the store, and the archive opened for planning."""
        if isinstance(archive, str):
            return archive, os.path.getsize(archive), None, pgc.open(archive, pass_damage=self.partial)
        with tempfile.TemporaryDirectory(prefix="pgc-") as folder:
            return archive.address, archive.size, archive, self.store.opened(archive, folder, self.partial)

    def _is_whole(self, archive: pgc.Archive) -> bool:
        """Whether one task must read a whole archive. Without an index, each of several tasks would make a temporary index of the whole archive to
        answer a question, and would report damage between blocks."""
        return not archive.indexed and bool(self.find or self.partial)

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        # If there are no partitions, Spark passes one without a value.
        for run in partition.value or []:
            if run.stored:
                with self.store.copied(run.stored) as path:
                    yield from self._read(run, path)
                continue
            if os.path.getsize(run.file) != run.size:
                raise pgc.Error(f"{run.file}: has changed since the query was planned")
            yield from self._read(run, run.file)

    def _read(self, run: Run, path: str) -> Iterator[pyarrow.RecordBatch]:
        archive = pgc.open(path, pass_damage=self.partial, jobs=self.jobs)
        games = archive[run.first : run.last]
        if self.find:
            games = games.find(self.find)
        if self.table == "gaps":
            games.check_blocks()
            rows = [{"archive": run.path, **gap} for gap in _gaps_of(archive, run)]
            if rows:
                yield pyarrow.RecordBatch.from_pylist(rows, schema=self.target)
            return
        if self.table == "games":
            # The index may have all columns; then nothing else would read the blocks.
            games.check_blocks()
            games = _readable(games, archive)
        for batch in pyarrow.RecordBatchReader.from_stream(games.to_arrow(self.names, table=self.table)):
            yield _fitted(_addressed(batch, run) if path != run.path else batch, self.target)
        for gap in _gaps_of(archive, run) if self.partial else []:
            print(
                f"pgc: {run.path}: bytes {gap['begin']} to {gap['end']}: {gap['what']}; missing: "
                f"{gap['games']} games from {gap['first_game']}",
                file=sys.stderr,
            )


def _spark_type(kind: pyarrow.DataType) -> spark_types.DataType:
    """The type with which Spark reads the same column from a Parquet file. Spark has no unsigned integers."""
    if pyarrow.types.is_list(kind):
        return spark_types.ArrayType(_spark_type(kind.value_type))
    if pyarrow.types.is_timestamp(kind):
        return spark_types.TimestampType()
    if pyarrow.types.is_map(kind):
        return spark_types.MapType(_spark_type(kind.key_type), _spark_type(kind.item_type))
    return {
        pyarrow.string(): spark_types.StringType(),
        pyarrow.bool_(): spark_types.BooleanType(),
        pyarrow.int8(): spark_types.ByteType(),
        pyarrow.int16(): spark_types.ShortType(),
        pyarrow.int32(): spark_types.IntegerType(),
        pyarrow.int64(): spark_types.LongType(),
        pyarrow.uint16(): spark_types.IntegerType(),
        pyarrow.uint64(): spark_types.DecimalType(20, 0),
        pyarrow.float64(): spark_types.DoubleType(),
        pyarrow.date32(): spark_types.DateType(),
    }[kind]


def _addressed(batch: pyarrow.RecordBatch, run: Run) -> pyarrow.RecordBatch:
    """The rows with the path or address of an archive as it was given."""
    if "archive" not in batch.schema.names:
        return batch
    place = batch.schema.get_field_index("archive")
    addresses = pyarrow.repeat(pyarrow.scalar(run.path, batch.schema.field(place).type), batch.num_rows)
    return batch.set_column(place, batch.schema.field(place), addresses)


def _fitted(batch: pyarrow.RecordBatch, target: pyarrow.Schema) -> pyarrow.RecordBatch:
    """The columns of a batch in the order and with the types of the target."""
    columns = [batch.column(field.name) for field in target]
    columns = [column if column.type.equals(field.type) else column.cast(field.type) for column, field in zip(columns, target)]
    return pyarrow.RecordBatch.from_arrays(columns, schema=target)


def _readable(games: pgc.Games, archive: pgc.Archive) -> pgc.Games:
    """The games that are not in damaged blocks, so that the number of rows does not depend on the columns: the index has rows for all."""
    lost = [range(gap["first_game"], gap["first_game"] + gap["games"]) for gap in archive.gaps if gap["first_game"] and gap["games"]]
    if not lost:
        return games
    return games[[place for place, number in enumerate(games.numbers) if not any(number in numbers for numbers in lost)]]


def _gaps_of(archive: pgc.Archive, run: Run) -> list[dict[str, Any]]:
    """The gaps that this run reports: those whose first lost game is in it. Gaps whose first game is unknown belong to the first run."""
    names = ("begin", "end", "first_game", "games", "what")
    found = ({name: gap[name] for name in names} for gap in archive.gaps)
    return [gap for gap in found if run.first <= (gap["first_game"] or 1) - 1 < max(run.last, 1)]


def _number(options: Any, name: str) -> int | None:
    given = options.get(name)
    if given is None:
        return None
    if not given.isdecimal() or int(given) == 0:
        raise ValueError(f"{name}: {given!r} is not a number from 1 on")
    return int(given)


def _paths(options: Any) -> list[str]:
    """The paths given to `load`: one, several, or several with commas between them."""
    for name in options:
        if name.lower() == "pushfilters":
            raise ValueError(
                "pushFilters: Spark would give the filters of one query to later queries of the same frame too, which would miss rows;"
                " the option find asks the index: --white-elo 2600.."
            )
        if name.lower() not in _OPTIONS:
            raise ValueError(f"there is no option {name}: {', '.join(sorted(_OPTIONS - {'paths'}))}")
    given = json.loads(options["paths"]) if "paths" in options else [options.get("path", "")]
    paths = [path for each in given for path in ([each] if os.path.exists(each) else each.split(",")) if path]
    if not paths:
        raise ValueError("load() needs the path of an archive, or of a folder of archives")
    return [_local(path) for path in paths]


def _local(path: str) -> str:
    scheme, colon, rest = path.strip().partition(":")
    return "/" + rest.lstrip("/") if scheme == "file" and colon else path.strip()


def _matching(path: str) -> list[str]:
    if "://" in path or os.path.exists(path) or not glob.has_magic(path):
        return [path]
    found = sorted(glob.glob(path, recursive=True))
    # A pattern may also match the files beside the archives.
    found = [each for each in found if os.path.isdir(each) or each.endswith((".pgc", ".pgcz"))]
    if not found:
        raise FileNotFoundError(f"{path}: matches no archive (.pgc, .pgcz) and no folder")
    return found


def _archives(paths: list[str], store: Store) -> list[str | Stored]:
    """The archives of the paths; a folder stands for the archives in it, and a pattern (`*.pgc`) for the files and folders that match."""
    found: list[str | Stored] = []
    for path in itertools.chain.from_iterable(map(_matching, paths)):
        within: list[str] | list[Stored]
        if "://" in path:
            within = store.archives(path)
        else:
            within = [str(each) for each in archives_of([path])]
        if not within:
            raise FileNotFoundError(f"{path}: no archives in this folder (.pgc, .pgcz)")
        found.extend(within)
    return found


def _cuts(before: int, blocks: int, total: int, count: int, whole: bool) -> Iterator[tuple[int, int, int]]:
    """Divides the blocks of an archive among `count` partitions; `before` of the `total` blocks belong to earlier archives. Yields the number of
    a partition, its first block in the archive, and the block after its last one.

    >>> list(_cuts(0, 5, 8, 4, False)), list(_cuts(5, 3, 8, 4, False))
    ([(0, 0, 2), (1, 2, 4), (2, 4, 5)], [(2, 0, 1), (3, 1, 3)])
    >>> list(_cuts(5, 3, 8, 4, True))
    [(2, 0, 3)]
    """
    if blocks and whole:
        yield before * count // total, 0, blocks
        return
    first = before
    while first < before + blocks:
        # Partition n has the blocks from n * total / count on, rounded up.
        number = first * count // total
        last = min(-(-(number + 1) * total // count), before + blocks)
        yield number, first - before, last - before
        first = last


__all__ = ["PgcDataSource", "PgcPartition", "PgcReader", "read", "register"]
