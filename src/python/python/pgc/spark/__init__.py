"""Archives in Spark: a data source for PySpark 4, and a job that packs many PGN files at once.

`register` makes the format `pgc` known to a session. A folder of archives is one table:

>>> pgc.spark.register(spark)
>>> games = spark.read.format("pgc").option("columns", "white,black,year,eco,plies").load(folder)
>>> games.filter("white = 'Anderssen, Adolf'").groupBy("year").count().orderBy("year").collect()
[Row(year=1851, count=1), Row(year=1852, count=1)]

The option `find` takes any question of `pgc find`, also those that no column answers:

>>> spark.read.format("pgc").option("columns", "white").option("find", "--moves '1.e4 e5 2.f4' --player kieser").load(folder).collect()
[Row(white='Anderssen, Adolf')]

The package must be installed where the workers run, and they must see the archives under the same paths, or addresses
(`s3://bucket/games/`). See README.md for the options.
"""

from pgc.spark._packing import PackError, PackedFile, pack_folder
from pgc.spark._source import PgcDataSource, PgcPartition, PgcReader, read, register

__all__ = [
    "PackError",
    "PackedFile",
    "PgcDataSource",
    "PgcPartition",
    "PgcReader",
    "pack_folder",
    "read",
    "register",
]
