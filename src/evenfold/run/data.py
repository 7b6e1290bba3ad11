"""
The caller's X and y, checked once and sliced by indices.

They may be NumPy arrays, pandas objects, sparse matrices, texts or sequences.
"""

import re
from collections.abc import Mapping, Sequence, Set
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from numbers import Number
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import (
    is_missing,
    plain_numbers,
    refuse,
    refuse_value,
    require_writable,
    short_repr,
    vector,
)
from evenfold.core.environment import require
from evenfold.core.partition import Indices

Kind = Literal["number", "label", "sequence"]
Predicted = Literal["labels", "numbers", "sequences"]
Sequences = list[list[str]]


# Frames and columns of other libraries are read by narwhals; those of pandas stay as they are.


def _of_another_library(values: Any) -> bool:
    """Whether a value may be a frame or column of a library other than pandas."""
    home = type(values).__module__.partition(".")[0]
    return home not in ("builtins", "numpy", "pandas", "scipy", "array") and not hasattr(
        values, "iloc"
    )


def is_polars(values: Any) -> bool:
    """Whether a value is a frame of polars."""
    return type(values).__module__.startswith("polars.") and hasattr(values, "columns")


def as_rows(X: Any) -> Any:
    """Return X for estimators: frames of polars as they are (collected), others as pandas."""
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
    """Return a column of a library other than pandas as an array; gaps become None or NaN."""
    if not _of_another_library(values):
        return values
    import narwhals as nw

    series = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(series, (nw.DataFrame, nw.LazyFrame)):
        names = ", ".join(series.collect_schema().names())
        refuse(
            "y",
            f"y must be one value per example but got a frame with the columns {names}.",
            "Pass one column.",
        )
    # an array of pyarrow that is in no table, or no column at all
    if not isinstance(series, nw.Series):
        if hasattr(values, "to_pylist"):
            return np.array(values.to_pylist(), dtype=object)
        return values
    if (series.dtype.is_numeric() or series.dtype == nw.Boolean) and not series.null_count():
        return series.to_numpy()
    return np.array(series.to_list(), dtype=object)


_IMMUTABLE = (str, bytes, Number, date, type(None))
_LARGEST = 1e150  # number to predict; the square of a larger one may overflow


def take(values: Any, index: Indices) -> Any:
    """
    Return some rows of anything that holds one row per example.

    The rows are copied, but objects in the rows are not.
    """
    if isinstance(values, np.ndarray):
        return values.take(index, axis=0)
    if hasattr(values, "iloc"):
        return values.iloc[index]
    if hasattr(values, "tocsr") or is_polars(values):
        return values[index]
    return [values[i] for i in index]


def length(values: Any) -> int:
    """Return the number of examples in X."""
    shape = getattr(values, "shape", None)
    if shape:
        return int(shape[0])
    return len(values)


def independent_copy(value: Any) -> Any:
    """Return a copy that shares no mutable object with the value."""
    if isinstance(value, _IMMUTABLE):
        return value
    if type(value) in (list, tuple):
        return type(value)(map(independent_copy, value))
    return deepcopy(value)


@dataclass(frozen=True, eq=False, kw_only=True)
class Target:
    """What is to be predicted; ``y`` is an array, or a list of tag sequences."""

    y: NDArray[Any] | Sequences
    kind: Kind

    @property
    def n(self) -> int:
        """How many examples there are."""
        return len(self.y)

    def truth(self, index: Indices) -> Any:
        """Return the target of some examples; an algorithm may write into it."""
        if isinstance(self.y, list):
            return [self.y[i].copy() for i in index]
        return self.y.take(index)

    @cached_property
    def classes(self) -> NDArray[Any]:
        """Sorted labels; the columns of every array of probabilities."""
        return np.unique(np.asarray(self.y))

    @cached_property
    def is_continuous(self) -> bool:
        """Whether y holds numbers that cannot be class labels."""
        y = self.y
        if not isinstance(y, np.ndarray) or y.dtype.kind != "f":
            return False
        # beyond 2⁵³ every float64 is whole, and a class may have lost its last digits
        whole = (y == np.rint(y)) & (np.abs(y) <= 2 / np.finfo(y.dtype).eps)
        return not whole.all()


def exceeds_floats(labels: NDArray[Any]) -> bool:
    """
    Whether labels are integers beyond 2⁵³, which float64 cannot tell apart.

    Examples
    --------
    >>> exceeds_floats(np.array([0, 2**53])), exceeds_floats(np.array([0, 2**53 + 1]))
    (False, True)
    """
    if labels.dtype.kind not in "iu" or not labels.size:
        return False
    return max(abs(int(labels.min())), abs(int(labels.max()))) > 2**53


_TIMES = re.compile(
    r"(time|timestamp|date|datetime|day|week|month|quarter|year|hour)s?", re.IGNORECASE
)
_DATE = re.compile(r"\d{4}[-/.]?\d\d")  # as all texts of dates begin that sort as dates do


def _holds_times(name: Any, column: Any) -> bool:
    """
    Whether a column of a frame holds times.

    Its type shows it, or its dates are texts, or its name is that of a time.
    """
    ends = column.iloc[[0, -1]]
    if column.dtype.kind == "M" or ends.isna().any():
        return bool(column.dtype.kind == "M")
    first, last = ends
    if column.dtype.kind in "iuf":
        return bool(_TIMES.fullmatch(str(name)) and last > first)
    return all(isinstance(end, str) and _DATE.match(end) for end in ends) and bool(last > first)


@dataclass(frozen=True, eq=False, kw_only=True)
class Data(Target):
    """
    Examples: what is to be predicted, from what, and what else is known of each.

    Attributes
    ----------
    X
        One row, text or sequence per example.
    metadata : dict
        ``sample_weight`` and ``groups``, where given: what algorithms may ask for.
    features, order : array or None
        Level counts for balance; the time of each example, numbered 0, 1, 2, …, where that matters.
    predicts : {"labels", "numbers", "sequences"}
        What the algorithms are asked for, which y alone does not always tell.

    Examples
    --------
    >>> check_data([[0.0], [1.0], [2.0]], ["a", "b", "b"]).rarest
    1
    """

    X: Any
    metadata: dict[str, NDArray[Any]] = field(default_factory=dict)
    features: Any = None
    order: Any = None
    predicts: Predicted = "labels"

    @property
    def weights(self) -> NDArray[np.float64] | None:
        return self.metadata.get("sample_weight")

    @property
    def groups(self) -> NDArray[Any] | None:
        """The source of each example."""
        return self.metadata.get("groups")

    @property
    def class_sizes(self) -> NDArray[np.intp]:
        """How many examples each class has; empty for tag sequences."""
        if self.kind == "sequence":
            return np.empty(0, dtype=np.intp)
        return np.unique(np.asarray(self.y), return_counts=True)[1]

    @property
    def rarest(self) -> int:
        """Size of the smallest class."""
        return int(self.class_sizes.min())

    @property
    def timed(self) -> str:
        """
        How X shows that examples are ordered in time; empty if it does not.

        It may have an index of times, or a column of times that only rises.
        """
        if getattr(getattr(getattr(self.X, "index", None), "dtype", None), "kind", "") == "M":
            return "X is indexed by time"
        if not _is_pandas_frame(self.X):
            return ""
        for name, column in self.X.items():
            if _holds_times(name, column) and column.is_monotonic_increasing:
                return f"column {name!r} of X rises with time"
        return ""

    def only(self, index: Indices) -> "Data":
        """Return some of the examples, with what is known of each."""
        metadata = {name: values[index] for name, values in self.metadata.items()}
        features = None if self.features is None else take(self.features, index)
        order = None if self.order is None else take(self.order, index)
        return replace(
            self,
            X=take(self.X, index),
            y=self.truth(index),
            metadata=metadata,
            features=features,
            order=order,
        )

    def rows(self, index: Indices) -> Any:
        """
        Return rows of X that an algorithm may write into.

        Writing changes neither the rows of other fits nor those of the caller.
        """
        rows = take(self.X, index)
        if self._mutable_content == "nothing":
            return rows
        if self._mutable_content == "flat lists":
            return [row.copy() for row in rows]
        if hasattr(rows, "iloc"):
            return _copy_frame(rows)
        if isinstance(rows, list):
            return [independent_copy(row) for row in rows]
        return deepcopy(rows)

    @cached_property
    def _mutable_content(self) -> Literal["nothing", "flat lists", "objects"]:
        """
        The mutable objects in the rows.

        They are looked for only once, because most data have none.
        """
        X = self.X
        stays = True
        if hasattr(X, "iloc"):
            columns = (X.iloc[:, j] for j in range(X.shape[1])) if X.ndim == 2 else [X]
            stays = all(
                column.dtype.kind != "O" or _immutable(column.to_numpy()) for column in columns
            )
        elif isinstance(X, np.ndarray):
            stays = not X.dtype.hasobject or _immutable(X.ravel())
        elif isinstance(X, list):
            if all(type(row) is list and _immutable(row) for row in X):
                return "flat lists"
            stays = _immutable(X)
        if stays:
            return "nothing"
        return "objects"


def _copy_frame(rows: Any) -> Any:
    """Copy a frame or series with its objects, which pandas' own deep copy shares."""
    if rows.ndim == 1:
        return rows.map(independent_copy).astype(rows.dtype)
    copied = rows.copy()
    for j in range(rows.shape[1]):
        if rows.dtypes.iloc[j].kind == "O":
            copied.isetitem(j, rows.iloc[:, j].map(independent_copy).astype(rows.dtypes.iloc[j]))
    return copied


def _immutable(values: Any) -> bool:
    """Whether all values are immutable."""
    return all(isinstance(value, _IMMUTABLE) for value in values)


def check_data(X: Any, y: Any, *, sample_weight: Any = None, groups: Any = None) -> Data:
    """Check the caller's data, and return them in the form that fits use."""
    X = as_rows(X)
    if not _has_rows(X):
        refuse_value("X", X, "an array, a frame, a sparse matrix or a list")
    _require_names(X)
    rows = _indexable(_without_mask("X", X))
    target, kind = _checked_target(_align_to_index(X, "y", y))
    n = len(target)
    if length(X) != n:
        refuse("X", f"X must have as many rows as y ({n:,}) but has {length(X):,}.")
    metadata: dict[str, NDArray[Any]] = {}
    if sample_weight is not None:
        metadata["sample_weight"] = _weights(_align_to_index(X, "sample_weight", sample_weight), n)
    if groups is not None:
        metadata["groups"] = vector("groups", _align_to_index(X, "groups", groups), n=n)
    return Data(X=rows, y=target, kind=kind, metadata=metadata)


def _require_names(X: Any) -> None:
    """
    Refuse a frame in which several columns have one name.

    Code that selects such a name would get all of them.
    """
    if _is_pandas_frame(X) and not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        refuse("X", f"The name {twice!r} stands for several columns of X.", "Rename them.")


def _is_pandas_frame(X: Any) -> bool:
    return hasattr(X, "iloc") and hasattr(X, "columns")


def _has_rows(values: Any) -> bool:
    """Whether a value is a sequence of rows, not a text, a mapping or a scalar."""
    if isinstance(values, (str, bytes, Mapping, Set, type)):
        return False
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple):
        return len(shape) > 0
    return hasattr(values, "__len__")


def _without_mask(name: str, values: Any) -> Any:
    """Return a masked array without its mask, or refuse it if the mask hides values."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if hidden := int(np.ma.getmaskarray(values).sum()):
        refuse(
            name,
            f"{name} must not have masked values but has {hidden:,}.",
            "Fill them or leave their rows out.",
        )
    return values.data


def _align_to_index(X: Any, name: str, values: Any) -> Any:
    """
    Return values in the order of X, if both have an index.

    Values whose index has other labels are refused.
    """
    if not (hasattr(X, "iloc") and hasattr(values, "iloc")) or len(X) != len(values):
        return _without_mask(name, values)
    if X.index.equals(values.index):
        return values
    strange = int((~values.index.isin(X.index)).sum())
    if strange or not (X.index.is_unique and values.index.is_unique):
        difference = (
            f"{strange:,} labels that X does not have" if strange else "labels that occur twice"
        )
        refuse(
            name,
            f"{name} must have the same index as X but has {difference}.",
            "To pair by position, call reset_index(drop=True) on both.",
        )
    return values.loc[X.index]


def _indexable(X: Any) -> Any:
    if hasattr(X, "tocsr"):
        return X.tocsr()
    if hasattr(X, "iloc") or is_polars(X):
        return X
    if isinstance(X, (list, tuple)) and X and all(isinstance(row, (int, float)) for row in X[:1]):
        refuse(
            "X",
            "X must be two-dimensional, or a list of texts or sequences, but got a flat list of "
            "numbers.",
        )
    rows = np.asarray(X) if isinstance(X, np.ndarray) or _is_matrix(X) else list(X)
    if isinstance(rows, np.ndarray) and rows.dtype.kind in "cMm":
        refuse(
            "X",
            f"X must hold real numbers, texts or objects but has dtype {rows.dtype}.",
            "Turn X into columns of numbers.",
        )
    return rows


def _is_matrix(X: Any) -> bool:
    """Whether a list of lists is a table of numbers rather than a list of sequences."""
    if hasattr(X, "__array__"):
        return True
    return (
        len(X) > 0
        and isinstance(X[0], (list, tuple, np.ndarray))
        and all(isinstance(v, (int, float, np.number)) for row in X for v in row)
        and len({len(row) for row in X}) == 1
    )


def _weights(sample_weight: Any, n: int) -> NDArray[np.float64]:
    numbers = plain_numbers(vector("sample_weight", sample_weight, n=n))
    if numbers.dtype.kind not in "biuf":
        refuse("sample_weight", f"sample_weight must hold numbers but has dtype {numbers.dtype}.")
    weights: NDArray[np.float64] = numbers.astype(float)
    if (weights < 0).any() or not weights.any():
        refuse(
            "sample_weight",
            "sample_weight must be ≥ 0 and not all 0 but its smallest value is "
            f"{short_repr(weights.min())}.",
        )
    return weights


_ONE_BY_ONE = (
    "Compare one output at a time, as in y[:, 0], or pass a table with one value per example to "
    "ef.judge."
)
_WITHOUT_GAPS = "Leave those rows out: set known = pd.notna(y) and pass X[known] and y[known]."
_SURVIVAL = (
    "If these are survival times, compute one value per example and pass the table to ef.judge "
    "(docs: tasks, survival times)."
)


def _only_column(y: Any) -> Any:
    """Return the only column of a y of shape (n, 1) or of a frame; other values as they are."""
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == 1:
        return y[:, 0]
    columns = getattr(y, "columns", None)
    if columns is not None and len(columns) == 1 and hasattr(y, "__getitem__"):
        return y[columns[0]]
    return y


def as_target(y: Any) -> Target:
    """Return y as numbers, labels or tag sequences, or refuse it."""
    values, kind = _checked_target(y)
    return Target(y=values, kind=kind)


def _checked_target(y: Any) -> tuple[NDArray[Any] | Sequences, Kind]:
    y = as_column(_only_column(y))
    if hasattr(y, "tocsr") or not _has_rows(y):
        refuse_value("y", y, "an array or list of one value per example")
    if hasattr(y, "columns"):
        names = ", ".join(map(str, y.columns))
        refuse(
            "y",
            f"y must be one value per example but got a frame with the columns {names}.",
            _ONE_BY_ONE,
        )
    if len(y) == 0:
        refuse("y", "y must have at least one example but is empty.")
    if _is_sequences(y):
        return [[str(tag) for tag in tags] for tags in y], "sequence"
    values = _as_one_array(y)
    _require_values(values)
    return values, "label" if values.dtype.kind == "U" else "number"


def _require_values(values: NDArray[Any]) -> None:
    if values.ndim != 1:
        refuse(
            "y",
            f"y must be one value or one tag sequence per example but has shape {values.shape}.",
            _ONE_BY_ONE,
        )
    if values.dtype.names:
        names = ", ".join(values.dtype.names)
        refuse("y", f"y must be one value per example but has the fields {names}.", _SURVIVAL)
    if values.dtype.kind not in "biufU":
        refuse("y", f"y must hold numbers, strings or booleans but has dtype {values.dtype}.")
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            position = int((~np.isfinite(values)).argmax())
            refuse(
                "y",
                f"y must not have NaN or infinities but has {values[position]} at position "
                f"{position:,}.",
                _WITHOUT_GAPS,
            )
        _require_unit(values)
    if values.dtype.kind == "U" and _spells_numbers(np.unique(values).tolist()):
        refuse(
            "y",
            f"y must hold numbers or labels but has texts that spell numbers: {str(values[0])!r}.",
            "Pass y.astype(float).",
        )


def _require_unit(values: NDArray[Any]) -> None:
    """
    Refuse numbers whose squares overflow or underflow.

    Every mean of the squares would be infinite, or 0.
    """
    largest = float(np.abs(values).max())
    if largest > _LARGEST:
        refuse(
            "y",
            f"The values of y must be at most {_LARGEST:g} in size but the largest is {largest:g}.",
            "Use another unit.",
        )
    if 0 < largest < 1 / _LARGEST:
        refuse(
            "y",
            f"The largest value of y must be 0 or at least {1 / _LARGEST:g} in size but it is "
            f"{largest:g}.",
            "Use another unit.",
        )


def _spells_numbers(labels: list[str]) -> bool:
    """Whether texts are numbers with decimals; whole numbers may be names of classes."""
    try:
        return any(float(label) != int(float(label)) for label in labels)
    except (ValueError, OverflowError):  # a name, NaN or infinity
        return False


def _is_sequences(y: Any) -> bool:
    first = y.iloc[0] if hasattr(y, "iloc") else y[0]
    if isinstance(first, np.ndarray):
        return first.ndim == 1 and first.dtype.kind in "UO" and not hasattr(y, "dtype")
    return isinstance(first, (list, tuple)) and all(isinstance(tag, str) for tag in first)


def _as_one_array(y: Any) -> NDArray[Any]:
    """Return y as an array. Mixed types, which numpy would turn into texts, are refused."""
    if isinstance(y, np.ndarray) and y.dtype.kind != "O":
        return y
    objects: Sequence[Any] = list(y)
    strings = [value for value in objects if isinstance(value, str)]
    is_mixed = 0 < len(strings) < len(objects)
    for position, value in enumerate(objects):
        # NaN among numbers is refused where y is checked to be finite
        if is_missing(value) and (is_mixed or not isinstance(value, float)):
            refuse(
                "y",
                f"y must not have missing values but has {value} at position {position:,}.",
                _WITHOUT_GAPS,
            )
    if is_mixed:
        other = next(value for value in objects if not isinstance(value, str))
        refuse("y", f"y must hold values of one type but has both {strings[0]!r} and {other!r}.")
    if cut := next((label for label in strings if label.endswith("\0")), None):
        refuse(
            "y",
            f"Labels of y must not end with NUL, which numpy drops, but one is {cut!r}.",
            "Rename the label.",
        )
    require_writable("labels of y", strings)
    try:
        return np.asarray(objects)
    except ValueError:  # lists of several lengths
        refuse("y", "y must be one value per example but has lists of several lengths.")
