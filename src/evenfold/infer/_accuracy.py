"""Numbers of right predictions, and the large-sample condition of T15: at least 5 right and 5 wrong."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import position, refuse
from evenfold.core.errors import FoldsLeftOut, NotApplicable
from evenfold.core.estimate import Floats
from evenfold.infer._inputs import finite

LEAST = 5


def counts(name: str, values: Any) -> Floats:
    """Return ``values`` as an array of whole numbers ≥ 0, or refuse it."""
    array = finite(name, values)
    bad = (array < 0) | (array != np.rint(array))
    if np.any(bad):
        value = f"{array[bad].flat[0]:g} at position {position(bad)}"
        refuse(name, "whole numbers ≥ 0", value, "give numbers of right predictions, not rates")
    return array


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Folds:
    """Right predictions and sizes of the folds, both of shape (..., K), and which folds are kept."""

    right: Floats
    sizes: Floats
    kept: NDArray[np.bool_]

    @property
    def number(self) -> Floats:
        """Number of folds that are kept."""
        number: Floats = self.kept.sum(axis=-1, dtype=np.float64)
        return number

    @property
    def n(self) -> Floats:
        """Number of examples in the folds that are kept."""
        n: Floats = np.where(self.kept, self.sizes, 0.0).sum(axis=-1)
        return n

    @property
    def accuracy(self) -> Floats:
        """Share of right predictions in all folds that are kept: averaging at the level of the data set."""
        p: Floats = np.where(self.kept, self.right, 0.0).sum(axis=-1) / self.n
        return p

    @property
    def accuracies(self) -> Floats:
        """Accuracy of each fold."""
        p: Floats = self.right / self.sizes
        return p


def folds(name: str, right: Any, n_test: Any) -> Folds:
    """Check right predictions ``(..., K)`` against fold sizes, and mark the folds to be kept."""
    array, sizes = counts(name, right), counts("n_test", n_test)
    if array.ndim < 1 or array.shape[-1] < 1:
        refuse(name, "of shape (..., K)", f"shape {array.shape}")
    try:
        sizes = np.broadcast_to(sizes, array.shape)
    except ValueError:
        refuse("n_test", f"one size, or one per fold of {name} {array.shape}", f"shape {sizes.shape}")
    if np.any(array > sizes):
        where = position(array > sizes)
        value = f"{array[where]:g} of {sizes[where]:g} at position {where}"
        refuse(name, "at most the size of the fold", value)
    return Folds(right=array, sizes=sizes, kept=(array >= LEAST) & (sizes - array >= LEAST))


def require(key: str, *parts: Folds, least: int) -> None:
    """Refuse data with fewer than ``least`` folds kept, and say how many were left out otherwise."""
    for part in parts:
        if np.any(part.number < least):
            where = tuple(int(i) for i in np.argwhere(part.number < least)[0])
            raise NotApplicable(
                f"method {key!r} needs {least} or more folds with at least {LEAST} right and {LEAST} wrong "
                f"predictions but has {part.number[where]:g}{f' in data set {where}' if where else ''}; "
                "use fewer, larger folds, or a method on hold-out values"
            )
    left_out = sum(int(np.count_nonzero(~part.kept)) for part in parts)
    if left_out:
        total = sum(part.kept.size for part in parts)
        warnings.warn(
            f"{left_out} of {total} folds have fewer than {LEAST} right or {LEAST} wrong predictions and "
            "were left out: the estimate is drawn away from 0 and 1",
            FoldsLeftOut,
            stacklevel=3,
        )


def mean_and_variance(values: Floats, kept: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Mean and sample variance over the entries of the last axis that are kept."""
    number = kept.sum(axis=-1)
    mean = np.where(kept, values, 0.0).sum(axis=-1) / number
    deviations = np.where(kept, values - mean[..., None], 0.0)
    return mean, (deviations**2).sum(axis=-1) / (number - 1)
