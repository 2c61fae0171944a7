"""Tests of `pgc.spark` on archives in object stores: an S3 server on this machine, and fsspec's file system in memory.

Run with `python tests/test_stores.py SAMPLE.pgn`. Rows are compared with those of the same archives in a folder.
"""

import contextlib
import doctest
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import fsspec
import moto.server
import pgc
import pgc.spark
import werkzeug.serving
from pgc.spark import _cache, _stores
from pyspark.sql import functions
from test_spark import cluster, raises, typed_games

# Asks for a copy as a task does; each time that a copy is made, the log gets a line.
ASK = """
import os, sys, time
from pgc.spark._cache import Cache
def fetch(folder):
    with open(f"{folder}/data", "wb") as file:
        file.write(b"x" * 500)
        file.flush()
        with open("log", "a") as log:
            log.write("made\\n")
        time.sleep(float(sys.argv[1]))
        file.write(b"x" * 500)
with Cache("shared", 1500).copy(sys.argv[2], 1000, fetch) as folder:
    assert os.path.getsize(f"{folder}/data") == 1000
"""
COLUMNS = "archive,number,white,black,result,plies,year"


class Server:
    """An S3 server on loopback that counts: (method, object, range asked for, bytes of the answer)."""

    def __init__(self):
        self.log = []
        application = moto.server.DomainDispatcherApplication(moto.server.create_backend_app)

        def counted(environ, start_response):
            answer = list(application(environ, start_response))
            entry = (environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("HTTP_RANGE"), sum(map(len, answer)))
            self.log.append(entry)
            return answer

        class Quiet(werkzeug.serving.WSGIRequestHandler):
            def log(self, *_):
                pass

        self.server = werkzeug.serving.make_server("127.0.0.1", 0, counted, threaded=True, request_handler=Quiet)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.options = json.dumps({"endpoint_url": f"http://127.0.0.1:{self.server.server_port}"})

    def files(self):
        return fsspec.filesystem("s3", skip_instance_cache=True, use_listings_cache=False, **json.loads(self.options))

    def took(self):
        """The GET requests for objects since the last call: (object, whether a range, bytes)."""
        found = [(path, bool(wanted), size) for method, path, wanted, size in self.log if method == "GET" and path.count("/") > 1]
        self.log.clear()
        return found


def make_archives(pgn):
    """A folder with archives of both forms, in a folder of it too, one without an index, and files that are none."""
    os.makedirs("all/old")
    os.makedirs("all/.hidden")
    with open(pgn, "rb") as source:
        sample = source.read()
    with open("many.pgn", "wb") as dump:
        dump.write(sample * 1000)
    with open("typed.pgn", "w", encoding="utf-8") as dump:
        dump.writelines(typed_games(1000))
    pgc.pack("many.pgn", "all/many.pgc")
    pgc.pack("typed.pgn", "all/old/typed.pgcz")
    pgc.pack("typed.pgn", "all/bare.pgcz")
    os.remove("all/bare.pgczi")
    for name in ("all/.hidden/x.pgc", "all/notes.txt"):
        shutil.copy(pgn, name)


class Checks:
    def __init__(self, spark, server):
        self.spark, self.server = spark, server

    def load(self, path, **options):
        given = {"columns": COLUMNS, "storageOptions": self.server.options, "cache": os.path.abspath("cache"), **options}
        return self.spark.read.format("pgc").options(**given).load(path)

    def here(self, **options):
        """The rows of the folder, with the addresses that they have in the store."""
        frame = self.spark.read.format("pgc").options(**{"columns": COLUMNS, **options}).load(os.path.abspath("all"))
        name = functions.regexp_replace("archive", re.escape(os.path.abspath("all")), "s3://games/all")
        return frame.withColumn("archive", name)

    def check_rows(self):
        """The rows of an address are those of the folder, in its order; each archive is copied once, however many tasks ask."""
        expected = self.here().collect()
        assert len(expected) == 13 * 1000 + 2 * 1000 and expected[0].archive == "s3://games/all/bare.pgcz"
        self.server.took()
        frame = self.load("s3://games/all/", blocksPerPartition="1")
        assert frame.rdd.getNumPartitions() > 4
        assert frame.collect() == expected
        took = self.server.took()
        copies = sorted(path for path, is_range, _ in took if not is_range)
        assert copies == sorted(f"/games/all/{name}" for name in ("bare.pgcz", "many.pgc", "many.pgci", "old/typed.pgcz", "old/typed.pgczi")), copies
        # What planning takes of an archive and its index. (Spark plans as often as it likes.)
        ranges = [(path, size) for path, is_range, size in took if is_range]
        assert {path for path, _ in ranges} == set(copies) - {"/games/all/bare.pgcz"}
        assert max(size for path, size in ranges if path.endswith("many.pgc")) <= 2 * 4096 < os.path.getsize("all/many.pgc") / 10
        size = os.path.getsize("all/many.pgc") + os.path.getsize("all/many.pgci")
        print(f"  of an archive and an index of {size} bytes, all plannings read {sum(took for path, took in ranges if 'many' in path)}")
        # A second query copies nothing, from any kind of address.
        found = self.load("s3a://games/all/many.pgc,s3://games/all/old", find="--elo 2600.. --result 1-0").collect()
        expected = self.here(find="--elo 2600.. --result 1-0").filter("archive not like '%bare%'").collect()
        assert sorted(found) == sorted(expected) != []
        assert all(is_range or "many" in path for path, is_range, _ in self.server.took())
        positions = {"table": "positions", "columns": "archive,number,ply", "find": "--date 1992"}
        assert self.load("s3://games/all", **positions).collect() == self.here(**positions).collect() != []
        pushed = self.load("s3://games/all", find="--result white -d 1992")
        assert pushed.collect() == self.here().filter("result = '1-0' and year = 1992").collect() != []
        assert all(is_range for _, is_range, _ in self.server.took())

    def check_errors(self):
        """Errors of the store and of archives name the address."""
        with open("all/many.pgc", "rb") as archive:
            data = bytearray(archive.read())
        data[len(data) // 2] ^= 0x55
        files = self.server.files()
        files.pipe_file("games/damaged/x.pgc", bytes(data))
        files.put_file("all/many.pgci", "games/damaged/x.pgci")
        # The index has no column `eco_tag`, so that the blocks are read.
        with raises("s3://games/damaged/x.pgc", "byte "):
            self.load("s3://games/damaged", columns="white,eco_tag").collect()
        (gap,) = self.load("s3://games/damaged", table="gaps").collect()
        assert gap.archive == "s3://games/damaged/x.pgc" and gap.begin <= len(data) // 2 < gap.end
        # An index that belongs to another archive is not used; the heads of all blocks are read then.
        files.put_file("all/old/typed.pgczi", "games/damaged/x.pgci")
        assert 0 < self.load("s3://games/damaged", partial="true", columns="number").count() < 13 * 1000
        with raises("pack_folder reads and writes folders"):
            pgc.spark.pack_folder(self.spark, "s3://games/dumps", "packed")


def check_reader(server):
    """Without Spark: an archive that changes, stores of other kinds, what is missing, copies that do not fit."""
    files = server.files()
    files.put_file("all/many.pgc", "games/changing/x.pgc")
    files.put_file("all/many.pgci", "games/changing/x.pgci")
    options = {"path": "s3://games/changing", "columns": "archive,number", "storageOptions": server.options, "cache": "changing"}
    schema = pgc.spark.PgcDataSource(options).schema()

    def reader(**given):
        return pgc.spark.PgcReader({**options, **given}, schema)

    def count(given, partitions):
        return sum(batch.num_rows for partition in partitions for batch in given.read(partition))

    (planned,) = reader(partitions="1").partitions()
    # As long as it was, but other bytes.
    with open("all/many.pgc", "rb") as archive:
        files.pipe_file("games/changing/x.pgc", archive.read()[:-1] + b"\0")
    with raises("s3://games/changing/x.pgc: has changed since the query was planned"):
        count(reader(), [planned])
    files.rm("games/changing/x.pgc")
    with raises("s3://games/changing/x.pgc: has changed since"):
        count(reader(), [planned])
    assert not [name for name in os.listdir("changing") if not name.endswith(".lock")], "nothing is left of a copy that failed"

    def plan(path, **given):
        reader(path=path, **given).partitions()

    with raises("s3://games/none: no archives in this folder"):
        plan("s3://games/none")
    with raises("s3://nobody/x"):
        plan("s3://nobody/x")
    with raises("gopher://x", "Protocol not known"):
        plan("gopher://x")
    with raises("storageOptions: is no JSON"):
        plan("s3://games/all", storageOptions="anon")
    with raises("cacheBytes: '1 GB' is not a number"):
        plan("s3://games/all", cacheBytes="1 GB")
    files.put_file("all/many.pgc", "games/changing/x.pgc")
    with raises("is more than the limit of 1000 bytes (option cacheBytes)"):
        count(reader(cacheBytes="1000"), reader().partitions())

    memory = fsspec.filesystem("memory")
    memory.put("all/old", "/old", recursive=True)
    for path in ("memory://old", "memory://old/typed.pgcz", "memory://"):
        given = reader(path=path)
        assert count(given, given.partitions()) == 1000
    found = next(given.read(given.partitions()[0])).to_pylist()[0]
    assert found == {"archive": "memory:///old/typed.pgcz", "number": 1}
    with missing("fsspec", "fsspec.core"), raises("s3://games/changing: this needs fsspec: pip install 'pgc[stores]'"):
        reader().partitions()
    with missing("gcsfs"), raises("gs://games/other: ", "gcsfs"):
        reader(path="gs://games/other", storageOptions="{}").partitions()
    # A local file needs nothing of that.
    with missing("fsspec", "fsspec.core"):
        given = reader(path="file://" + os.path.abspath("all/old"))
        assert count(given, given.partitions()) == 1000


@contextlib.contextmanager
def missing(*modules):
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(dict.fromkeys(modules))
    try:
        yield
    finally:
        for name, module in before.items():
            sys.modules.pop(name, None)
            if module:
                sys.modules[name] = module


def ask(key, seconds):
    return subprocess.Popen([sys.executable, "-c", ASK, str(seconds), key])


def check_cache():
    """Tasks that ask at once get one copy; the bound holds; a task that is killed leaves no half of a copy."""

    def made():
        with open("log", encoding="utf-8") as log:
            return len(log.readlines())

    killed = ask("a", 60)
    while not os.path.exists("log"):
        time.sleep(0.02)
    assert os.listdir("shared/a.part") == ["data"] and not os.path.exists("shared/a")
    killed.kill()
    killed.wait()
    tasks = [ask("a", 0.3) for _ in range(4)]
    assert [task.wait() for task in tasks] == [0] * 4 and made() == 2
    assert sorted(os.listdir("shared")) == ["a", "a.lock", "all.lock"]
    # There is room for one copy: another waits for as long as the first is in use.
    cache = _cache.Cache("shared", 1500)
    with cache.copy("a", 1000, lambda _: None) as folder:
        other = ask("b", 0)
        time.sleep(1)
        assert other.poll() is None and os.listdir(folder) == ["data"]
    assert other.wait() == 0 and sorted(os.listdir("shared")) == ["all.lock", "b", "b.lock"]
    # The one used longest ago goes, not the one made first.
    cache = _cache.Cache("three", 2500)

    def use(key):
        with cache.copy(key, 1000, lambda folder: open(f"{folder}/{key}", "xb").close()):
            time.sleep(0.02)

    for key in "abac":
        use(key)
    assert sorted(os.listdir("three")) == ["a", "a.lock", "all.lock", "c", "c.lock"]
    # What was being copied when a task was killed is removed for others.
    os.mkdir("three/b.part")
    with open("three/b.lock", "w", encoding="utf-8") as lock:
        lock.write("2000")
    os.utime("three/b.lock", (0, 0))
    use("d")
    assert sorted(os.listdir("three")) == ["all.lock", "c", "c.lock", "d", "d.lock"]
    before = _cache._PATIENCE
    _cache._PATIENCE = 0.0
    with cache.copy("c", 1000, lambda _: None), cache.copy("d", 1000, lambda _: None):
        with raises("no room for 1000 bytes: of 2500 (option cacheBytes), 2000 are in use"):
            use("e")
    _cache._PATIENCE = before
    # Without a home, as in some clusters.
    environment = {"HOME": "/dev/null", "TMPDIR": os.getcwd()}
    os.environ.pop("XDG_CACHE_HOME", None)
    words = [sys.executable, "-c", "from pgc.spark._cache import Cache; print(Cache(None, None).folder)"]
    found = subprocess.run(words, env={**os.environ, **environment}, check=True, capture_output=True, text=True).stdout.strip()
    assert found == os.path.join(os.getcwd(), f"pgc-{os.getuid()}"), found
    assert doctest.testmod(_cache).failed == doctest.testmod(_stores).failed == 0


def main():
    pgn = os.path.abspath(sys.argv[1])
    began = time.monotonic()
    # Credentials come from the environment here, the address of the server from an option.
    os.environ.update(AWS_ACCESS_KEY_ID="tester", AWS_SECRET_ACCESS_KEY="secret", AWS_DEFAULT_REGION="us-east-1")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_archives(pgn)
        server = Server()
        server.files().mkdir("games")
        server.files().put("all", "games/all", recursive=True)
        check_cache()
        check_reader(server)
        spark = cluster("local-cluster[2,1,1024]")
        try:
            pgc.spark.register(spark)
            checks = Checks(spark, server)
            checks.check_rows()
            checks.check_errors()
        finally:
            spark.stop()
            os.chdir("/")
    print(f"Spark reads archives from a store as from a folder: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
