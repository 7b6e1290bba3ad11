"""Files with columns as frames: texts with any separator, and Parquet."""

from pathlib import Path
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.errors import InvalidInput, in_a_line
from evenfold.core.extras import require
from evenfold.read.delimited import Dialect, read_delimited
from evenfold.read.plain_tables import PlainTable
from evenfold.read.unpack import MOST_FEATURES, check_cells, check_columns, check_unpacked, require_file

COLUMNAR = (".parquet", ".pq")
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", *COLUMNAR)
_BATCH = 256  # rows
_FOUND = Dialect()  # by a look at the file


def read_frame(
    path: Path, dialect: Dialect = _FOUND, *, verbatim: bool = False, most_columns: int = MOST_FEATURES
) -> Any:
    """
    Read a file into a frame with at least one row.

    Verbatim, what stands in a text stays text, so that ids and labels are what they are; only decimal commas
    become points. That needs no frame library: the frame is a :class:`PlainTable`.
    """
    require_file(path)
    if not path.name.lower().endswith(SUFFIXES):
        refuse("data", f"a file that ends in {', '.join(SUFFIXES)}", path.name)
    columnar = path.suffix.lower() in COLUMNAR
    if columnar:
        frame = _parquet(path, most_columns)
    else:
        frame = read_delimited(path, dialect, verbatim=verbatim, most_columns=most_columns)
    if not len(frame):
        raise InvalidInput(f"{path.name} has {len(frame.columns)} columns but no rows")
    return _without_row_numbers(frame)


def _without_row_numbers(frame: Any) -> Any:
    """Drop the row numbers that pandas writes as a first column without a name."""
    if isinstance(frame, PlainTable):
        first = frame.columns[0]
        counted = first == "Unnamed: 0" and np.array_equal(frame[first], np.arange(len(frame)).astype(str))
        return frame.without(first) if counted else frame
    frame.columns = [str(name) for name in frame.columns]
    first = frame.columns[0]
    counted = first == "Unnamed: 0" and np.array_equal(
        frame[first].astype(str), np.arange(len(frame)).astype(str)
    )
    return frame.drop(columns=first) if counted else frame


def _parquet(path: Path, most_columns: int) -> Any:
    for package in ("pandas", "pyarrow"):  # the latter reads it for the former
        require(package, f"reading {path.name}")
    import pandas as pd

    try:
        _check_parquet(path, most_columns)
        frame = pd.read_parquet(path).reset_index(drop=True)
        for name in frame.columns[frame.dtypes == "string"]:
            frame[name].to_numpy(dtype=object)  # texts are decoded only now: damaged ones must not pass
        return frame
    except InvalidInput:
        raise
    except Exception as error:  # damaged files make the reader raise whatever comes
        raise InvalidInput(f"{path.name} is no Parquet file: {in_a_line(error)}") from error


def _check_parquet(path: Path, most_columns: int) -> None:
    """Refuse a file that unpacks to far more than it holds, by its header and by the texts it repeats."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        header = file.metadata
        schema = file.schema_arrow
        check_columns(path, header.num_columns, most_columns)
        # what a header says of its parts is not asked: where it is damaged, the library ends the program
        check_cells(path, header.num_rows * header.num_columns)
        texts = [field.name for field in schema if _is_text(field.type)]
        # A text that stands in every row is written once: it is counted as it comes, a few rows at a time.
        size = 0
        for batch in file.iter_batches(batch_size=_BATCH, columns=texts) if texts else ():
            size += batch.nbytes
            check_unpacked(path, size)


def _is_text(kind: Any) -> bool:
    """Whether a column is of texts, lists or objects, whose size its number of rows does not tell."""
    import pyarrow as pa

    return not pa.types.is_primitive(kind) and not pa.types.is_boolean(kind)
