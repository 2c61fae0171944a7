"""How long Spark takes to answer a question over archives, by the number of partitions, and over PGN text with python-chess.

python benches/spark.py ARCHIVE [--text PGN] [--runs N]

One cluster of two workers with one core each, on this machine. The question: how many games there are by result, and how long they are on average. PGN
is a text file with the games of the archive, or with some of them. Needs pyspark 4, pgc (the Python package), chess.
"""

import argparse
import io
import os
import statistics
import sys
import time

os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = sys.executable

import chess.pgn
import pgc
import pgc.spark
from pyspark.sql import SparkSession, datasource, functions


def answer(frame):
    return sorted(map(tuple, frame.groupBy("result").agg(functions.count("*"), functions.sum("plies")).collect()))


def over_archives(spark, path, partitions, where=None):
    # A schema reads these columns alone: counting plies needs the moves to be decoded, but not their text.
    games = spark.read.format("pgc").option("columns", "result,plies,white_elo").option("partitions", str(partitions)).load(path)
    return answer(games.filter(where) if where else games)


def over_text(spark, path):
    """Games by the empty line before a tag Event, read by python-chess."""

    def read(rows):
        import io

        import chess.pgn

        for row in rows:
            game = chess.pgn.read_game(io.StringIO("[Event " + row.value.removeprefix("[Event ")))
            yield game.headers["Result"], game.end().ply() - game.ply()

    texts = spark.read.text(path, lineSep="\n\n[Event ").repartition(8)
    return answer(texts.rdd.mapPartitions(read).toDF("result string, plies int"))


def read_texts(texts):
    for text in texts:
        game = chess.pgn.read_game(io.StringIO("[Event " + text.removeprefix("[Event ")))
        yield game.headers["Result"], game.end().ply() - game.ply()


def processor(path, partitions, filters):
    """The seconds of one processor that the tasks of a query take without Spark's own: planning, reading, and the games read."""
    source = pgc.spark.PgcDataSource({"path": path, "columns": "result,plies,white_elo", "partitions": str(partitions)})
    began = time.process_time()
    reader = pgc.spark.PgcPushingReader(source.options, source.schema())
    reader.pushFilters(filters)
    planned = reader.partitions()
    middle = time.process_time()
    games = sum(batch.num_rows for partition in planned for batch in reader.read(partition))
    return middle - began, time.process_time() - middle, games


def of_processor(path, text, runs):
    strong = [datasource.GreaterThanOrEqual(("white_elo",), 2700)]
    print("seconds of one processor, medians: planning, reading, games; the same for white_elo >= 2700")
    for partitions in (1, 2, 4, 8, 16, 64, 256):
        columns = [partitions]
        for filters in ([], strong):
            found = [processor(path, partitions, filters) for _ in range(runs)]
            columns += [statistics.median(each) for each in zip(*found)]
        print("partitions {:3}: {:.3f} {:.2f} {:,} | {:.3f} {:.2f} {:,}".format(*columns), flush=True)
    if text:
        with open(text, encoding="latin-1") as source:
            texts = source.read().split("\n\n[Event ")[:2000]
        began = time.process_time()
        games = list(read_texts(texts))
        seconds = time.process_time() - began
        print(f"python-chess: {len(games):,} games, {sum(plies for _, plies in games):,} plies, {seconds:.1f} s", flush=True)


def timed(runs, work):
    """The median, and what was answered."""
    times, found = [], None
    for _ in range(runs):
        began = time.monotonic()
        found = work()
        times.append(time.monotonic() - began)
    return statistics.median(times), found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("archive", type=os.path.abspath)
    parser.add_argument("--text", type=os.path.abspath)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-cluster", action="store_true", help="only count seconds of the processor")
    args = parser.parse_args()
    of_processor(args.archive, args.text, args.runs)
    if args.no_cluster:
        return
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.driver.host", "127.0.0.1")
    for name, value in {"ui.enabled": "false", "ui.showConsoleProgress": "false", "log.level": "ERROR", "sql.shuffle.partitions": "2"}.items():
        builder = builder.config(f"spark.{name}", value)
    spark = builder.getOrCreate()
    pgc.spark.register(spark)
    archive = pgc.open(args.archive)
    print(f"{args.archive}: {len(archive):,} games, {archive.blocks:,} blocks, {os.path.getsize(args.archive):,} bytes", flush=True)
    over_archives(spark, args.archive, 2)
    expected = None
    for partitions in (1, 2, 4, 8, 16):
        seconds, found = timed(args.runs, lambda: over_archives(spark, args.archive, partitions))
        expected = expected or found
        assert found == expected, (found, expected)
        filtered, few = timed(args.runs, lambda: over_archives(spark, args.archive, partitions, "white_elo >= 2700"))
        games = sum(row[1] for row in few)
        print(f"partitions {partitions:2}: {seconds:6.2f} s; with white_elo >= 2700, {games:,} games: {filtered:6.2f} s", flush=True)
    if args.text:
        seconds, found = timed(1, lambda: over_text(spark, args.text))
        games = sum(row[1] for row in found)
        print(f"python-chess over text: {games:,} games, {seconds:.1f} s", flush=True)
        print(found, expected, sep="\n")
    spark.stop()


if __name__ == "__main__":
    main()
