"""Tests of `pgc.spark` on a local cluster of two workers, against the Parquet files that `pgc find` writes.

Run with `python tests/test_spark.py SAMPLE.pgn PGC`: PGC is the program, built with the feature `parquet`.
"""

import concurrent.futures
import contextlib
import datetime
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

import pgc
import pgc.spark
import pyarrow
from pgc.spark import _filters, _packing, _source
from pyspark.sql import SparkSession, functions
from pyspark.sql.types import StructType

# Tags as people write them: each list goes round at its own pace, so that the combinations differ.
DATES = ["1992.05.03", "1992.05.??", "1992.??.??", "199?.??.??", "????.05.03", "1992-5-3", "1992", "2011.19.11", "2011.11.31", "May 1992",
         "????.??.??", "", "1959.10.31", "1959.1", "1989.12.31", "1990.01.01", "0000.01.01", "19590"]  # fmt: skip
ECOS = ["B33", "b33", "B33a", "B3", "B30", "B39", "B40", "A00", "E99", "-", "?", "", "B29/07", "a00"]
ELOS = ["2700", "2600", "2599", " 2650 ", "2650 (FIDE)", "?", "-", "0", "65535", "65536", "1"]
RESULTS = ["1-0", "0-1", "1/2-1/2", "*", "1/2", "?", "1-0 ff"]
PLAYERS = ["Tal, Mihail", "Tal", "tal, mihail", "H\u00fcbner, Robert", "?", "", "=Tal", " Tal", "*", "x" * 1500, "x" * 1023 + "\u00fc"]
EVENTS = ["Candidates", "candidates", 'The "Open"', "?", "", "Tal"]

# Each with whether the index answers it exactly, so that Spark gets no row that the filter does not let through.
# `None`: it stays with Spark.
FILTERS = [
    ("result = '1-0'", True),
    ("result in ('1-0', '1/2-1/2')", True),
    ("result <> '*'", True),
    ("result not in ('*', '0-1')", True),
    ("result = '1/2'", None),
    ("white = 'Tal, Mihail'", True),
    ("white in ('Tal', 'H\u00fcbner, Robert', '=Tal', ' Tal', '*')", True),
    ("white = '?'", None),
    (f"white = '{'x' * 1500}'", None),
    (f"white = '{'x' * 1023}\u00fc'", None),
    ("white <> 'Tal'", None),
    ("white like 'Tal%'", None),
    ("black = 'Tal, Mihail' and white = 'Tal'", True),
    ("white <=> 'Tal'", True),
    ("event = 'The \"Open\"'", True),
    ("event in ('candidates', 'Tal')", True),
    ("white_elo >= 2600", True),
    ("white_elo > 2599 and black_elo < 2700", True),
    ("white_elo <= 1", True),
    ("black_elo in (2700, 65535, 65536, 0)", True),
    ("black_elo = 0", None),
    ("white_elo is null", None),
    ("plies = 1", True),
    ("plies between 2 and 100", True),
    ("year = 1992", True),
    ("year in (1992, 1959, 0)", True),
    ("year >= 1990", False),
    ("year between 1990 and 1999", False),
    ("year < 1990", False),
    ("month = 5", None),
    ("full_date = date '1992-05-03'", True),
    ("full_date >= date '1990-01-01'", False),
    ("full_date > date '1989-12-31' and full_date < date '1992-05-03'", False),
    ("date = '1992.05.03'", False),
    ("date like '1992%'", False),
    ("date like '1959.1%'", None),
    ("date >= '1992'", None),
    ("eco_tag = 'B33'", False),
    ("eco_tag in ('B33', 'A00')", False),
    ("eco_tag like 'B3%'", False),
    ("eco_tag between 'B30' and 'B39'", False),
    ("eco_tag > 'B3' and eco_tag < 'B40'", False),
    ("eco_tag >= 'B30'", None),
    ("eco = 'B33'", True),
    ("eco in ('B33', 'A00', null)", True),
    ("eco like 'B3%'", True),
    ("eco = 'b33'", None),
    ("eco is null", None),
    ("white = 'Tal' or black = 'Tal'", None),
    ("year = 1992 and eco_tag like 'B3%' and result = '1-0'", False),
]  # fmt: skip


def typed_games(count):
    """PGN with tags of all kinds."""

    def quoted(value):
        return value.replace("\\", "\\\\").replace('"', '\\"')

    for n in range(count):
        tags = {"Event": EVENTS[n % len(EVENTS)], "Date": DATES[n % len(DATES)], "White": PLAYERS[n % len(PLAYERS)]}
        tags["Black"] = PLAYERS[n // 3 % len(PLAYERS)]
        tags["Result"] = RESULTS[n % len(RESULTS)]
        if n % 5:
            tags["WhiteElo"], tags["BlackElo"] = ELOS[n // 2 % len(ELOS)], ELOS[n % len(ELOS)]
        if n % 7:
            tags["ECO"] = ECOS[n // 5 % len(ECOS)]
        if n % 11 == 0:
            tags["UTCDate"] = "1993.01.02"
        moves = ["1. e4 *", "1. e4 e5 2. Nf3 1-0", "*", "1. e4 e9 0-1", "1. d4 { [%clk 0:01:00] } d5 *"][n % 5]
        yield "".join(f'[{name} "{quoted(value)}"]\n' for name, value in tags.items()) + f"\n{moves}\n\n"


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
        columns = ",".join(pgc.schema().columns + ["san", "pgn"])
        expected = self.parquet("games.parquet", "--with", "tags,moves,san,clocks,evals,comments,nags,pgn")
        found = self.load(columns=columns, blocksPerPartition="1")
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
            ({"find": "--colour x"}, "--colour"),
            ({"table": "moves"}, "games or positions"),
        ]:
            with raises(says):
                self.load("all/one.pgcz", **options).collect()
        with raises("no archives in this folder"):
            self.load("dumps").collect()

    def check_filters(self):
        """Each kind of filter gives the rows that Spark finds in Parquet; the index leaves out the others where it can."""
        parquet = self.spark.read.parquet("games.parquet")
        answers = parquet.select("archive", "number", *(functions.expr(text) for text, _ in FILTERS)).collect()
        columns = "archive,number,date,year,month,full_date,event,white,black,result,white_elo,black_elo,eco_tag,eco,plies"
        everything = len(answers)

        def ask(filtered):
            frame = self.load(columns=columns, pushFilters="true").filter(filtered[0])
            return frame.collect(), metrics(frame)["BatchScan pgc", "numOutputRows"]

        # Most of the time of a query goes into starting it.
        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            found = list(threads.map(ask, FILTERS))
        for place, ((text, exact), (rows, read)) in enumerate(zip(FILTERS, found)):
            expected = {(row[0], row[1]) for row in answers if row[2 + place]}
            assert {(row.archive, row.number) for row in rows} == expected and len(rows) == len(expected), text
            match exact:
                case True:
                    assert read == len(expected), (text, read, len(expected))
                case False:
                    assert len(expected) <= read < everything, (text, read)
                case None:
                    assert read == everything, (text, read)
            print(f"  {text[:70]:70} {len(rows):5} rows; read {read} of {everything}")
        # The same without an index: each archive is one partition then.
        os.makedirs("bare", exist_ok=True)
        os.replace("all/many.pgczi", "many.pgczi")
        frame = self.load("all/many.pgcz", columns=columns, blocksPerPartition="1", pushFilters="true").filter("result = '1-0'")
        assert frame.count() == sum(row.result == "1-0" for row in self.load("all/one.pgcz", columns="result").collect()) * 400
        assert frame.rdd.getNumPartitions() == 1
        assert self.load("all/many.pgcz", columns=columns, blocksPerPartition="1").rdd.getNumPartitions() > 1
        os.replace("many.pgczi", "all/many.pgczi")
        question = "-p anderssen --not-result black --moves '1.e4 e5'"
        found = self.load(columns="archive,game", find=question).collect()
        words = [self.program, "find", os.path.abspath("all"), "-q", "--format", "addresses", *shlex.split(question)]
        lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
        assert found and [f"{row.archive}:{row.number}" for row in found] == lines
        # A session that does not push filters, as before Spark 4.1, gives the same.
        self.spark.conf.set("spark.sql.python.filterPushdown.enabled", "false")
        frame = self.load(columns=columns).filter("white_elo >= 2600 and year = 1992")
        unpushed = frame.collect()
        assert metrics(frame)["BatchScan pgc", "numOutputRows"] == everything
        self.spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
        asked = self.load(columns=columns, pushFilters="true").filter("white_elo >= 2600 and year = 1992")
        assert asked.collect() == unpushed != []
        # Spark keeps pushed filters with the table that was loaded: unless they are asked for, a frame answers one query after another.
        frame = self.load(columns=columns)
        assert frame.filter("result = '1-0'").count() < everything
        assert frame.count() == everything and len(frame.collect()) == everything

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
        passed = pgc.open(path, pass_damage=True)
        expected = [game.number for game in passed]
        assert 0 < len(expected) < 5200
        found = self.load("damaged", columns="number,eco_tag", partial="true", blocksPerPartition="1")
        assert [row.number for row in found.collect()] == expected
        # The index has the games of damaged blocks too.
        assert self.load("damaged", columns="number,white", blocksPerPartition="1").count() == 5200
        (gap,) = self.load("damaged", table="gaps", blocksPerPartition="1").collect()
        assert gap.archive == path and gap.begin <= half < gap.end
        assert sorted({*range(1, 5201)} - {*expected}) == [*range(gap.first_game, gap.first_game + gap.games)]
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
        results = [doctest.testmod(module, extraglobs=names) for module in (pgc.spark, _filters, _source, _packing)]
        assert sum(result.failed for result in results) == 0 and sum(result.attempted for result in results) >= 11
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
    options = {"path": os.path.abspath("all"), "columns": "archive,game"}
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
    asked = pgc.spark.PgcPushingReader(options, schema)
    assert asked.pushFilters([]) == [] and isinstance(source.reader(schema), pgc.spark.PgcReader)
    changed = asked.partitions()
    with open("all/plain.pgc", "ab") as archive:
        archive.write(b"\0")
    try:
        [*asked.read(changed[-1])]
        raise AssertionError("an archive that changed")
    except pgc.Error as error:
        assert "plain.pgc: has changed" in str(error)
    os.truncate("all/plain.pgc", os.path.getsize("all/plain.pgc") - 1)
    assert _filters.question(_Filter("year", datetime.date(1992, 1, 1))) is None


class _Filter:
    """A filter of a kind that there is not yet."""

    def __init__(self, name, value):
        self.attribute, self.value = (name,), value


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
            # What users do first: without `register`, filters are not pushed.
            spark.dataSource.register(pgc.spark.PgcDataSource)
            checks.check_rows()
            pgc.spark.register(spark)
            for check in (checks.check_schemas, checks.check_filters, checks.check_damage, checks.check_examples):
                check()
        finally:
            spark.stop()
            os.chdir("/")
    print(f"Spark reads archives as it reads Parquet: {len(FILTERS)} filters, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
