"""The caller's X and y, checked once and sliced by indices: numpy, pandas, sparse, texts, sequences."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse, vector
from evenfold.core.partition import Indices

Kind = Literal["number", "label", "sequence"]
Sequences = list[list[str]]


def take(values: Any, index: Indices) -> Any:
    """Rows ``index`` of anything that holds one row per example; always a copy."""
    if isinstance(values, np.ndarray):
        return values.take(index, axis=0)
    if hasattr(values, "iloc"):
        return values.iloc[index]
    if hasattr(values, "tocsr"):
        return values[index]
    return [values[i] for i in index]


def length(values: Any) -> int:
    """Number of examples in X of any kind."""
    shape = getattr(values, "shape", None)
    return int(shape[0]) if shape else len(values)


@dataclass(frozen=True, eq=False, kw_only=True)
class Target:
    """What is to be predicted; ``values`` is an array, or a list of tag sequences."""

    values: NDArray[Any] | Sequences
    kind: Kind

    def take(self, index: Indices) -> Any:
        return take(self.values, index)

    @cached_property
    def classes(self) -> NDArray[Any]:
        """Sorted labels; the columns of every array of probabilities."""
        return np.unique(np.asarray(self.values))

    @cached_property
    def is_continuous(self) -> bool:
        """Whether y holds numbers that cannot be class labels."""
        y = self.values
        return isinstance(y, np.ndarray) and y.dtype.kind == "f" and bool((y != np.rint(y)).any())


@dataclass(frozen=True, eq=False, kw_only=True)
class Data:
    """Everything that is sliced by examples; ``metadata`` holds sample_weight and groups where given."""

    X: Any
    target: Target
    metadata: dict[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def weights(self) -> NDArray[np.float64] | None:
        return self.metadata.get("sample_weight")


def check_data(X: Any, y: Any, *, n: int, sample_weight: Any = None, groups: Any = None) -> Data:
    """Bring the caller's data into the forms that cells use, or refuse it in one line."""
    if X is None or isinstance(X, (str, bytes)) or not (hasattr(X, "shape") or hasattr(X, "__len__")):
        refuse("X", "an array, a frame, a sparse matrix or a list", X)
    target = as_target(y)
    count = len(target.values)
    if length(X) != count:
        refuse("X", f"as long as y ({count})", length(X))
    if count != n:
        refuse("partition", f"made for the {count} examples of X", f"a partition of {n}")
    metadata: dict[str, NDArray[Any]] = {}
    if sample_weight is not None:
        metadata["sample_weight"] = _weights(sample_weight, n)
    if groups is not None:
        metadata["groups"] = vector("groups", groups, n=n)
    return Data(X=_indexable(X), target=target, metadata=metadata)


def _indexable(X: Any) -> Any:
    if hasattr(X, "tocsr"):
        return X.tocsr()
    if isinstance(X, np.ndarray) or hasattr(X, "iloc"):
        return X
    if isinstance(X, (list, tuple)) and X and all(isinstance(row, (int, float)) for row in X[:1]):
        refuse("X", "two-dimensional, or a list of texts or sequences", "a flat list of numbers")
    return np.asarray(X) if _is_matrix(X) else list(X)


def _is_matrix(X: Any) -> bool:
    """Whether a list of lists is a table of numbers rather than a list of sequences."""
    if hasattr(X, "__array__"):
        return True
    first = X[0]
    return (
        isinstance(first, (list, tuple, np.ndarray))
        and all(isinstance(v, (int, float, np.number)) for row in X for v in row)
        and len({len(row) for row in X}) == 1
    )


def _weights(sample_weight: Any, n: int) -> NDArray[np.float64]:
    weights = vector("sample_weight", sample_weight, n=n).astype(float)
    if (weights < 0).any() or not weights.any():
        refuse("sample_weight", "≥ 0 and not all 0", weights.min())
    return weights


def as_target(y: Any) -> Target:
    """Classify y as numbers, labels or tag sequences, and refuse what is none of them."""
    if isinstance(y, (str, bytes)) or hasattr(y, "tocsr") or not hasattr(y, "__len__"):
        refuse("y", "an array or list of one value per example", y)
    if hasattr(y, "columns"):
        names = ", ".join(map(str, y.columns))
        refuse("y", "one value per example", f"a frame with columns {names}", "pass one column, y[name]")
    if len(y) == 0:
        refuse("y", "non-empty", "no examples")
    if _is_sequences(y):
        return Target(values=[[str(tag) for tag in tags] for tags in y], kind="sequence")
    values = _flat(y)
    if values.ndim != 1:
        refuse("y", "one value or one tag sequence per example", f"shape {values.shape}")
    if values.dtype.kind not in "biufU":
        refuse("y", "numbers, strings or booleans", f"dtype {values.dtype}")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        refuse("y", "free of NaN and infinities", f"one at position {int((~np.isfinite(values)).argmax())}")
    return Target(values=values, kind="label" if values.dtype.kind == "U" else "number")


def _is_sequences(y: Any) -> bool:
    first = y.iloc[0] if hasattr(y, "iloc") else y[0]
    if isinstance(first, np.ndarray):
        return first.ndim == 1 and first.dtype.kind in "UO" and not hasattr(y, "dtype")
    return isinstance(first, (list, tuple)) and all(isinstance(tag, str) for tag in first)


def _flat(y: Any) -> NDArray[Any]:
    """Turn y into an array, without numpy's silent change of [1, "a"] into two strings."""
    if isinstance(y, np.ndarray) and y.dtype.kind != "O":
        return y
    objects: Sequence[Any] = list(y)
    strings = sum(isinstance(value, str) for value in objects)
    if 0 < strings < len(objects):
        other = next(value for value in objects if not isinstance(value, str))
        rule = "free of missing values" if other is None or other != other else "of one type"
        refuse("y", rule, f"both {next(v for v in objects if isinstance(v, str))!r} and {other!r}")
    if any(value is None for value in objects):
        refuse("y", "free of missing values", None)
    return np.asarray(objects)
