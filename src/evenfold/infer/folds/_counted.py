"""Numbers of right predictions, and the large-sample condition of T15: at least 5 right and 5 wrong."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import position, refuse
from evenfold.core.errors import FoldsLeftOut, NotApplicable
from evenfold.core.estimate import Floats
from evenfold.infer._inputs import counts

LEAST = 5


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Folds:
    """Right predictions and sizes of the folds, both of shape (..., K), and which folds are kept."""

    right: Floats
    sizes: Floats
    kept: NDArray[np.bool_]

    @property
    def number(self) -> Floats:
        """Number of folds that are kept."""
        return kept_sum(np.ones_like(self.right), self.kept)

    @property
    def n(self) -> Floats:
        """Number of examples in the folds that are kept."""
        return kept_sum(self.sizes, self.kept)

    @property
    def correct(self) -> Floats:
        """Number of right predictions in the folds that are kept."""
        return kept_sum(self.right, self.kept)

    @property
    def accuracies(self) -> Floats:
        """Accuracy of each fold."""
        p: Floats = self.right / self.sizes
        return p


def folds(name: str, right: Floats, n_test: Any) -> Folds:
    """Check right predictions ``(..., K)`` against fold sizes, and mark the folds to be kept."""
    array, sizes = right, counts("n_test", n_test)
    if array.ndim < 1 or array.shape[-1] < 1:
        refuse(name, "of shape (..., K)", f"shape {array.shape}")
    if sizes.min(initial=1.0) < 1:
        refuse("n_test", "≥ 1", 0)
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
    left_out = sum(int(np.count_nonzero(~part.kept)) for part in parts)
    enough = min(part.kept.shape[-1] for part in parts) >= least
    if left_out == 0 and enough:
        return
    for part in parts:
        few = part.number < least
        if np.any(few):
            where = tuple(int(i) for i in np.argwhere(few)[0])
            raise NotApplicable(
                f"method {key!r} needs {least} or more folds with at least {LEAST} right and {LEAST} wrong "
                f"predictions but has {part.number[where]:g}{f' in data set {where}' if where else ''}; "
                "use fewer, larger folds, or a method on hold-out values"
            )
    warnings.warn(
        f"{left_out} of {sum(part.kept.size for part in parts)} folds have fewer than {LEAST} right or "
        f"{LEAST} wrong predictions and were left out: the estimate is drawn away from 0 and 1",
        FoldsLeftOut,
        stacklevel=3,
    )


def kept_sum(values: Floats, kept: NDArray[np.bool_]) -> Floats:
    """Sum over the entries of the last axis that are kept; matrix products are cheap on short axes."""
    ones = np.ones(values.shape[-1])
    total: Floats = (values if kept.all() else np.where(kept, values, 0.0)) @ ones
    return total


def mean_and_variance(values: Floats, kept: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """Number, mean and sample variance of the entries of the last axis that are kept."""
    number = kept_sum(np.ones_like(values), kept)
    mean = kept_sum(values, kept) / number
    return number, mean, kept_sum((values - mean[..., None]) ** 2, kept) / (number - 1)
