"""Tables for pandas, Polars and files; needs pyarrow."""

import pyarrow

from pgc import _pgc
from pgc._progress import Progress

# The columns of text with few different values.
FEW = ("archive", "source", "result", "eco", "variant", "speed", "termination", "wholeness", "side", "phase")

# A row group of Parquet ends with so many rows or bytes, as those of `pgc find` do.
_GROUP, _GROUP_BYTES = 122_880, 64 << 20


def batches(games, columns, table, progress=None):
    """The schema of a table of games, and its record batches."""
    reader = pyarrow.RecordBatchReader.from_stream(games.to_arrow(columns, table=table))

    def read():
        rows = 0
        try:
            with Progress(progress, len(games)) as telling:
                for batch in reader:
                    yield batch
                    rows += batch.num_rows
                    if table == "games":
                        telling.tell(rows)
        except OSError:
            # If a signal stopped the reader, Python raises here what its handler raised.
            str()
            raise

    return reader.schema, read()


def arrow_table(games, columns, table, progress):
    kinds, found = batches(games, columns, table, progress)
    return pyarrow.Table.from_batches(found, kinds)


def categories_of(given, names):
    """The columns to give as categories: those named, or with `True` those of few values."""
    wanted = FEW if given is True else given or ()
    return [name for name in names if name in wanted]


def flat(columns, table):
    """The columns without lists and maps, by default of the usual ones."""
    fields = pyarrow.schema(_pgc.table([], columns, table))
    nested = [field.name for field in fields if pyarrow.types.is_nested(field.type)]
    if columns is not None and nested:
        raise ValueError(f"columns: CSV has no lists: leave out {', '.join(nested)}")
    return [field.name for field in fields if field.name not in nested]


def write(games, path, ending, columns, table, progress):
    """Writes Parquet or CSV; returns the number of rows."""
    kinds, found = batches(games, columns, table, progress)
    rows, waiting = 0, []
    with _writer(path, ending, kinds) as writer:
        for batch in found:
            waiting.append(batch)
            rows += batch.num_rows
            if sum(each.num_rows for each in waiting) >= _GROUP or sum(each.nbytes for each in waiting) >= _GROUP_BYTES:
                writer.write_table(pyarrow.Table.from_batches(waiting, kinds))
                waiting = []
        if waiting or not rows:
            writer.write_table(pyarrow.Table.from_batches(waiting, kinds))
    return rows


def _writer(path, ending, kinds):
    if ending == ".csv":
        import pyarrow.csv

        return pyarrow.csv.CSVWriter(path, kinds)
    import pyarrow.parquet

    return pyarrow.parquet.ParquetWriter(path, kinds, compression="zstd", compression_level=9)
