"""Frames and columns of other libraries, by narwhals; pandas' own are left as they are."""

from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.extras import require


def _of_another_library(values: Any) -> bool:
    """Whether it may be a frame or a column of polars, pyarrow or another library than pandas."""
    home = type(values).__module__.partition(".")[0]
    return home not in ("builtins", "numpy", "pandas", "scipy", "array") and not hasattr(values, "iloc")


def is_polars(values: Any) -> bool:
    """Whether it is a polars frame: sliced by rows, and known to scikit-learn by its columns."""
    return type(values).__module__.startswith("polars.") and hasattr(values, "columns")


def as_rows(X: Any) -> Any:
    """Return X as estimators know it: polars as it is (collected), other frames as pandas."""
    if not _of_another_library(X):
        return X
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        return X
    if frame.implementation.is_polars():
        return frame.to_native()
    require("pandas", f"X in a {type(X).__name__} of {type(X).__module__.partition('.')[0]}")
    return frame.to_pandas()


def as_column(values: Any) -> Any:
    """Return a column of another library as an array; texts stay texts, gaps are None or NaN."""
    if not _of_another_library(values):
        return values
    import narwhals as nw

    series = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(series, (nw.DataFrame, nw.LazyFrame)):
        names = ", ".join(series.collect_schema().names())
        refuse("y", "one value per example", f"a frame with columns {names}", "pass one column")
    if not isinstance(series, nw.Series):  # an array of pyarrow that is in no table, or no column at all
        return np.array(values.to_pylist(), dtype=object) if hasattr(values, "to_pylist") else values
    if (series.dtype.is_numeric() or series.dtype == nw.Boolean) and not series.null_count():
        return series.to_numpy()
    return np.array(series.to_list(), dtype=object)
