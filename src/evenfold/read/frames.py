"""Files with columns as frames: texts with any separator, and Parquet."""

from pathlib import Path
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.errors import InvalidInput, in_a_line
from evenfold.read.delimited import Dialect, read_delimited
from evenfold.read.unpack import check_cells, require_file

COLUMNAR = (".parquet", ".pq")
SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", *COLUMNAR)
_FOUND = Dialect()  # by a look at the file


def read_frame(path: Path, dialect: Dialect = _FOUND, *, verbatim: bool = False) -> Any:
    """
    Read a file into a frame with at least one row.

    Verbatim, what stands in a text stays text, so that ids and labels are what they are; only decimal commas
    become points.
    """
    require_file(path)
    if not path.name.lower().endswith(SUFFIXES):
        refuse("data", f"a file that ends in {', '.join(SUFFIXES)}", path.name)
    columnar = path.suffix.lower() in COLUMNAR
    frame = _parquet(path) if columnar else read_delimited(path, dialect, verbatim=verbatim)
    if not len(frame):
        raise InvalidInput(f"{path.name} has {len(frame.columns)} columns but no rows")
    frame.columns = [str(name) for name in frame.columns]
    first = frame.columns[0]
    if first == "Unnamed: 0" and np.array_equal(frame[first].astype(str), np.arange(len(frame)).astype(str)):
        return frame.drop(columns=first)  # the row numbers that pandas writes
    return frame


def _parquet(path: Path) -> Any:
    import pandas as pd

    try:
        from pyarrow import parquet
    except ImportError as error:
        raise InvalidInput(f"reading {path.name} needs pyarrow; say pip install pyarrow") from error
    try:
        header = parquet.read_metadata(path)
        check_cells(path, header.num_rows * header.num_columns)
        frame = pd.read_parquet(path).reset_index(drop=True)
        for name in frame.columns[frame.dtypes == "string"]:
            frame[name].to_numpy(dtype=object)  # texts are decoded only now: damaged ones must not pass
        return frame
    except InvalidInput:
        raise
    except Exception as error:  # damaged files make the reader raise whatever comes
        raise InvalidInput(f"{path.name} is no Parquet file: {in_a_line(error)}") from error
