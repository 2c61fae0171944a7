"""Tests of `pgc.spark` on a local cluster of two workers, against the Parquet files that `pgc find` writes.

Run with `python tests/test_spark.py SAMPLE.pgn PGC`: PGC is the program, built with the feature `parquet`.
"""

import concurrent.futures
import contextlib
import doctest
import gzip
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable

import duckdb
import pgc
import pgc.spark
import pyarrow
from pgc.spark import _packing, _source
from pyspark.sql import SparkSession, functions
from pyspark.sql.types import StructType
from typed_games import typed_games

def cluster(master):
    builder = SparkSession.builder.master(master).config("spark.driver.host", "127.0.0.1")
    settings = {"ui.enabled": "false", "ui.showConsoleProgress": "false", "log.level": "OFF", "sql.shuffle.partitions": "2"}
    for name, value in settings.items():
        builder = builder.config(f"spark.{name}", value)
    return builder.getOrCreate()


def metrics(frame):
    """The metrics of the nodes of a plan that ran, by name."""
    found, nodes = {}, [frame._jdf.queryExecution().executedPlan()]
    while nodes:
        node = nodes.pop()
        if node.nodeName().startswith("Adaptive"):
            nodes.append(node.executedPlan())
            continue
        values = node.metrics().iterator()
        while values.hasNext():
            entry = values.next()
            found[node.nodeName(), entry._1()] = entry._2().value()
        children = node.children().iterator()
        while children.hasNext():
            nodes.append(children.next())
    return found


class Checks:
    def __init__(self, spark, pgn, program):
        self.spark, self.pgn, self.program = spark, pgn, program

    def load(self, path="all", **options):
        return self.spark.read.format("pgc").options(**options).load(os.path.abspath(path))

    def parquet(self, name, *options):
        subprocess.run([self.program, "find", os.path.abspath("all"), "-qf", *options, "-o", name], check=True)
        return self.spark.read.parquet(name)

    def check_packing(self):
        """Four dumps become four archives; one that is cut short is named, and leaves nothing."""
        os.makedirs("dumps/old")
        with open(self.pgn, "rb") as source:
            sample = source.read()
        typed = "".join(typed_games(4000)).encode()
        files = {"dumps/many.pgn": sample * 400, "dumps/old/typed.pgn.gz": gzip.compress(typed), "dumps/one.pgn": sample}
        for name, data in files.items():
            with open(name, "wb") as dump:
                dump.write(data)
        dumps, folder = os.path.abspath("dumps"), os.path.abspath("all")
        packed = pgc.spark.pack_folder(self.spark, dumps, folder)
        assert [os.path.relpath(file.archive, folder) for file in packed] == ["many.pgcz", "old/typed.pgcz", "one.pgcz"]
        assert [file.games for file in packed] == [5200, 4000, 13]
        assert [os.fspath(path) for path in pgc.archives_in(folder)] == [file.archive for file in packed]
        for file, (name, data) in zip(packed, sorted(files.items())):
            assert file.source == os.path.join(os.path.dirname(dumps), name) and pgc.open(file.archive).indexed
            (text,) = pgc.unpack(file.archive, "out", force=True)
            with open(text, "rb") as unpacked:
                assert unpacked.read() == (gzip.decompress(data) if name.endswith(".gz") else data)
        again = pgc.spark.pack_folder(self.spark, dumps, folder, existing="skip")
        assert [(file.games, file.bytes_in) for file in again] == [(5200, 0), (4000, 0), (13, 0)]
        # An archive whose index is missing was not finished.
        os.remove(os.path.join(folder, "one.pgczi"))
        again = pgc.spark.pack_folder(self.spark, dumps, folder, existing="skip")
        assert [file.bytes_in for file in again] == [0, 0, len(sample)]
        with open("cut.pgn.gz", "wb") as cut:
            cut.write(gzip.compress(typed)[:-1000])
        try:
            pgc.spark.pack_folder(self.spark, ["cut.pgn.gz", "dumps/one.pgn"], os.path.abspath("cut"), small=False)
            raise AssertionError("a dump that is cut short")
        except pgc.spark.PackError as error:
            assert "1 of 2 files" in str(error) and "cut.pgn.gz" in str(error)
            assert [file.error is None for file in error.files] == [False, True]
        assert sorted(os.listdir("cut")) == ["one.pgc", "one.pgci"]
        with open("dumps/one.pgn.gz", "wb") as same:
            same.write(gzip.compress(sample))
        try:
            pgc.spark.pack_folder(self.spark, dumps, "elsewhere")
            raise AssertionError("two dumps with one name")
        except ValueError as error:
            assert "one.pgcz" in str(error)
        # A plain archive in the collection too.
        pgc.pack(self.pgn, "all/plain.pgc")

    def check_rows(self):
        """All columns of all games and positions are what Spark reads from Parquet, whatever the partitions."""
        expected = self.parquet("games.parquet", "--with", "tags,moves,san,clocks,evals,comments,nags,pgn")
        found = self.load(columns=",".join(expected.columns), blocksPerPartition="1")
        assert found.schema.simpleString() == expected.schema.simpleString()
        assert found.rdd.getNumPartitions() > 5
        expected = sorted(expected.collect(), key=lambda row: (row.archive, row.number))
        assert len(expected) == 5200 + 4000 + 13 + 13
        assert found.collect() == expected, "rows, in the order of the archives"
        for partitions in (1, 3, 1000):
            some = self.load(columns="archive,number,plies", partitions=str(partitions))
            assert some.rdd.getNumPartitions() <= partitions
            assert some.collect() == [(row.archive, row.number, row.plies) for row in expected]
        positions = self.load("all/one.pgcz", table="positions")
        theirs = self.parquet("positions.parquet", "--table", "positions")
        theirs = theirs.filter(functions.col("archive") == os.path.abspath("all/one.pgcz"))
        assert positions.schema.simpleString() == theirs.schema.simpleString()
        assert positions.collect() == theirs.orderBy("number", "ply").collect()

    def check_one_table(self):
        """A folder, or a list, is one table everywhere: the same archives, numbers and order in the program, Python, DuckDB, Polars and Spark."""
        folder = [("all/many.pgcz", 5200), ("all/old/typed.pgcz", 4000), ("all/one.pgcz", 13), ("all/plain.pgc", 13)]
        columns = ["archive", "number", "plies"]
        plies = {path: [len(game.moves) for game in pgc.open(path)] for path, _ in folder}
        for paths, archives in ((["all"], folder), (["all/plain.pgc", "all", "all/one.pgcz"], [folder[3], *folder, folder[2]])):
            expected = [(path, number, plies[path][number - 1]) for path, games in archives for number in range(1, games + 1)]
            find = [self.program, "find", *paths, "-q", "--columns", ",".join(columns)]
            subprocess.run([*find, "-f", "-o", "one.parquet"], check=True)
            lines = subprocess.run([*find, "--format", "csv"], check=True, capture_output=True, text=True).stdout.splitlines()
            assert lines[1:] == [",".join(map(str, row)) for row in expected]
            games = pgc.open(paths if len(paths) > 1 else paths[0])
            scan = pgc.scan(paths)
            frame = self.spark.read.format("pgc").option("columns", ",".join(columns)).load(paths)
            for found in (
                [(os.fspath(game.path), game.number, len(game.moves)) for game in games],
                duckdb.sql("from 'one.parquet'").fetchall(),
                duckdb.sql("select archive, number, plies from scan").fetchall(),
                duckdb.from_arrow(pyarrow.table(games.to_arrow(columns))).fetchall(),
                scan.polars().select(columns).collect().rows(),
                list(map(tuple, frame.collect())),
            ):
                assert found == expected, paths

    def check_schemas(self):
        """A schema chooses columns, in its order; so do several paths and options."""
        frame = self.spark.read.format("pgc").schema("plies bigint, white string").load(os.path.abspath("all/one.pgcz"))
        archive = pgc.open("all/one.pgcz")
        assert frame.collect() == [(len(game.moves), game["White"]) for game in archive]
        both = f"{os.path.abspath('all/one.pgcz')},file://{os.path.abspath('all/plain.pgc')}"
        frame = self.spark.read.format("pgc").option("columns", "number").load(both)
        assert frame.count() == 26
        paths = [os.path.abspath("all/one.pgcz"), os.path.abspath("all/plain.pgc")]
        assert self.spark.read.format("pgc").option("columns", "number").load(paths).count() == 26
        for options, says in [
            ({"columns": "whit"}, "no column is called whit"),
            ({"colums": "white"}, "there is no option colums"),
            ({"partitions": "0"}, "from 1 on"),
            ({"find": "--colour x"}, "find: "),
            ({"table": "moves"}, "games, positions or nodes"),
        ]:
            with raises(says):
                self.load("all/one.pgcz", **options).collect()
        with raises("no archives in this folder"):
            self.load("dumps").collect()

    def check_filters(self):
        """Filters never change later answers of a frame, and the option `find` asks the index."""
        columns = "archive,number,date,year,white,result,white_elo"
        frame = self.load(columns=columns)
        everything = frame.count()
        for text in ("result = '1-0'", "year = 1992", "white_elo >= 2600"):
            some = frame.filter(text).count()
            assert 0 < some < everything and frame.count() == everything and frame.filter(text).count() == some
        with raises("pushFilters", "find"):
            self.load(columns=columns, pushFilters="true").count()
        asked = self.load(columns=columns, find="--white-elo 2600.. -d 1992")
        assert sorted(asked.collect()) == sorted(frame.filter("white_elo >= 2600 and year = 1992").collect()) != []
        assert metrics(asked)["BatchScan pgc", "numOutputRows"] < everything
        # Patterns, and the columns of an index without the option.
        assert self.spark.read.format("pgc").load("all/ma*.pgc*").count() == self.spark.read.format("pgc").load("all/many.pgcz").count()
        with raises("matches no archive"):
            self.spark.read.format("pgc").load("all/nothing*.pgc").count()
        names = self.spark.read.format("pgc").load("all/many.pgcz").columns
        assert "moves" not in names and {"white", "eco", "plies"} <= {*names}
        # The same without an index: each archive is one partition then.
        os.makedirs("bare", exist_ok=True)
        os.replace("all/many.pgczi", "many.pgczi")
        frame = self.load("all/many.pgcz", columns=columns, blocksPerPartition="1", find="--result white")
        assert frame.count() == sum(row.result == "1-0" for row in self.load("all/one.pgcz", columns="result").collect()) * 400
        assert frame.rdd.getNumPartitions() == 1
        assert self.load("all/many.pgcz", columns=columns, blocksPerPartition="1").rdd.getNumPartitions() > 1
        os.replace("many.pgczi", "all/many.pgczi")
        question = "-p anderssen --not-result black --moves '1.e4 e5'"
        found = self.load(columns="archive,number", find=question).collect()
        words = [self.program, "find", os.path.abspath("all"), "-q", "--format", "addresses", *shlex.split(question)]
        lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
        assert found and [f"{row.archive}:{row.number}" for row in found] == lines

    def check_damage(self):
        """Damage is an error with file and byte; or what is missing is told, and all other games are there."""
        os.makedirs("damaged", exist_ok=True)
        pgc.pack("dumps/many.pgn", "damaged/many.pgc", force=True)
        with open("damaged/many.pgc", "r+b") as archive:
            half = os.path.getsize("damaged/many.pgc") // 2
            archive.seek(half)
            byte = archive.read(1)[0]
            archive.seek(half)
            archive.write(bytes([byte ^ 0x55]))
        path = os.path.abspath("damaged/many.pgc")
        with raises(path, "byte "):
            self.load("damaged", columns="white,eco_tag").collect()
        passed_games = [*pgc.open(path, pass_damage=True)]
        expected = [game.number for game in passed_games]
        assert 0 < len(expected) < 5200
        found = self.load("damaged", columns="number,eco_tag", partial="true", blocksPerPartition="1")
        assert [row.number for row in found.collect()] == expected
        # The index has the games of damaged blocks too, but the damage is told.
        for columns in ("number,white", "result", ",".join(_source._CHEAP)):
            with raises(path, "byte "):
                self.load("damaged", columns=columns).collect()
            passed = self.load("damaged", columns=columns, partial="true", blocksPerPartition="1")
            assert passed.count() == len(expected)
        questions = {"columns": "number", "partial": "true", "find": "-w anderssen"}
        found = self.load("damaged", **questions).collect()
        assert [row.number for row in found] == [game.number for game in passed_games if "Anderssen" in game["White"]] != []
        (gap,) = self.load("damaged", table="gaps", blocksPerPartition="1").collect()
        assert gap.archive == path and gap.begin <= half < gap.end
        assert sorted({*range(1, 5201)} - {*expected}) == [*range(gap.first_game, gap.first_game + gap.games)]
        shutil.copytree("damaged", "half")
        os.truncate("half/many.pgc", half)
        with raises("half/many.pgc"):
            self.load("half", columns="white").collect()
        os.remove("damaged/many.pgci")
        assert self.load("damaged", table="gaps").collect() == [gap]
        assert self.load(table="gaps").collect() == []
        os.truncate("damaged/many.pgc", half)
        with raises(path):
            self.load("damaged", columns="white").collect()

    def check_examples(self):
        # As a user would have it: a folder of archives, and one of dumps.
        os.makedirs("examples/dumps")
        os.chdir("examples")
        for name in ("dumps/a.pgn", "dumps/b.pgn"):
            shutil.copy(self.pgn, name)
        names = {"spark": self.spark, "folder": os.path.abspath("../all/one.pgcz"), "dumps": "dumps", "pgc": pgc}
        results = [doctest.testmod(module, extraglobs=names) for module in (pgc.spark, _source, _packing)]
        assert sum(result.failed for result in results) == 0 and sum(result.attempted for result in results) >= 6
        os.chdir("..")


@contextlib.contextmanager
def raises(*says):
    try:
        yield
    except Exception as error:
        assert all(text in str(error) for text in says), (says, str(error)[-2000:])
        return
    raise AssertionError(f"no error that says {says}")


def check_reader():
    """What Spark does with a reader, without Spark: partitions are about equal, and each game is in one of them."""
    options = {"path": os.path.abspath("all"), "columns": "archive,number"}
    source = pgc.spark.PgcDataSource(options)
    schema = source.schema()
    assert isinstance(schema, StructType)
    blocks = sum(pgc.open(path).blocks for path in pgc.archives_in("all"))
    for count in (1, 2, 3, 4, blocks, 10 * blocks):
        reader = pgc.spark.PgcReader({**options, "partitions": str(count)}, schema)
        partitions = reader.partitions()
        assert len(partitions) <= min(count, blocks)
        found = [row for partition in partitions for batch in reader.read(partition) for row in batch.to_pylist()]
        assert len(found) == len({(row["archive"], row["number"]) for row in found}) == 9226
    # All tasks of a cluster get work.
    for tasks in (1, 4, 10 * blocks):
        assert len(pgc.spark.PgcReader(options, schema, tasks).partitions()) == min(tasks, blocks)
    asked = pgc.spark.PgcReader(options, schema)
    assert isinstance(source.reader(schema), pgc.spark.PgcReader)
    changed = asked.partitions()
    with open("all/plain.pgc", "ab") as archive:
        archive.write(b"\0")
    try:
        [*asked.read(changed[-1])]
        raise AssertionError("an archive that changed")
    except pgc.Error as error:
        assert "plain.pgc: has changed" in str(error)
    os.truncate("all/plain.pgc", os.path.getsize("all/plain.pgc") - 1)


def main():
    pgn, program = (os.path.abspath(path) for path in sys.argv[1:3])
    master = sys.argv[3] if len(sys.argv) > 3 else "local-cluster[2,1,1024]"
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        spark = cluster(master)
        print(f"Spark {spark.version}, {master}: up after {time.monotonic() - began:.0f} s")
        checks = Checks(spark, pgn, program)
        try:
            checks.check_packing()
            check_reader()
            spark.dataSource.register(pgc.spark.PgcDataSource)
            checks.check_rows()
            checks.check_one_table()
            frame = pgc.spark.read(spark, ["all/one.pgcz", "all/many.pgcz"], ["white", "plies"], find="-w anderssen", partial=True)
            assert frame.columns == ["white", "plies"] and frame.count() == 2 * 401
            tasks = spark.sparkContext.defaultParallelism
            assert pgc.spark.read(spark, "all/many.pgcz").rdd.getNumPartitions() >= min(tasks, pgc.open("all/many.pgcz").blocks)
            for check in (checks.check_schemas, checks.check_filters, checks.check_damage, checks.check_examples):
                check()
        finally:
            spark.stop()
            os.chdir("/")
    print(f"Spark reads archives as it reads Parquet: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
