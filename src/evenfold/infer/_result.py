"""From value, variance and reference distribution to the estimate that is handed over."""

import warnings

import numpy as np
from numpy.typing import NDArray

from evenfold.core.errors import DegenerateData
from evenfold.core.estimate import Floats, PivotEstimate, Reference
from evenfold.infer._inputs import hypothesis
from evenfold.infer._registry import methods

# A mean of J equal numbers, and their deviations from it, are off by a few units in the last place.
ROUNDING = 16 * float(np.finfo(np.float64).eps)


def pivot(
    key: str,
    value: Floats,
    variance: Floats,
    reference: Reference,
    *,
    null: float,
    alternative: str,
    n_train: int | None = None,
    data: Floats | None = None,
) -> PivotEstimate:
    """
    Return the estimate of method ``key`` whose statistic is (value − null)/√variance.

    ``data`` are the hold-out values (..., m, 2) of a method whose variance looks at part of them only: where
    it is 0 although they differ, the method knows nothing.
    """
    null, side = hypothesis(null, alternative)
    statistic, error, flat = standardise(value, variance, null)
    if np.any(flat):
        if data is not None:
            blind = flat & (np.ptp(data, axis=(-2, -1)) > ROUNDING * np.abs(data).max(axis=(-2, -1)))
            statistic, error = np.where(blind, 0.0, statistic)[()], np.where(blind, np.inf, error)[()]
        warn_degenerate(flat, stacklevel=4)
    entry = methods()[key]
    return PivotEstimate(
        method=key,
        estimand=entry.about(n_train),
        card=entry.card,
        value=value,
        standard_error=error,
        statistic=statistic,
        null=null,
        alternative=side,
        reference=reference,
    )


def standardise(value: Floats, variance: Floats, null: float) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """
    Return statistic, standard error, and where the data have no spread.

    There the standard error is 0 and the statistic 0 at the null, else infinite.
    """
    error = np.sqrt(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = (value - null) / error
    flat = error <= ROUNDING * np.abs(value)
    if np.any(flat):
        at_null = np.abs(value - null) <= ROUNDING * np.maximum(np.abs(value), abs(null))
        limit = np.where(at_null, 0.0, np.copysign(np.inf, value - null))
        statistic, error = np.where(flat, limit, statistic)[()], np.where(flat, 0.0, error)[()]
    return statistic, error, flat


def warn_degenerate(flat: NDArray[np.bool_], *, stacklevel: int = 3) -> None:
    """Say that some data sets have no spread."""
    warnings.warn(
        f"{np.count_nonzero(flat)} of {np.size(flat)} data sets have no spread where the method looks: "
        "by convention p is 1 where the estimate equals the null, else 0 (1 on the wrong side), and "
        "the statistic 0 where other values differ",
        DegenerateData,
        stacklevel=stacklevel,
    )
