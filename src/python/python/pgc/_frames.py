"""Tables for pandas, Polars and files; needs pyarrow."""

import pyarrow

from pgc import _pgc
from pgc._progress import Progress

# The columns of text with few different values.
FEW = ("archive", "source", "result", "eco", "variant", "speed", "termination", "wholeness", "side", "phase")


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


def write_csv(games, path, columns, table, progress):
    """Writes CSV; returns the number of rows."""
    import pyarrow.csv

    kinds, found = batches(games, flat(columns, table), table, progress)
    rows = 0
    with pyarrow.csv.CSVWriter(path, kinds) as writer:
        for batch in found:
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows
