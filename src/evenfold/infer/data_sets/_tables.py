"""What tests over several data sets ask for: one value per data set, never the splits of one."""

from typing import Any, NoReturn

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Floats
from evenfold.core.losses import Losses
from evenfold.core.numpydoc import with_parameters
from evenfold.infer._inputs import finite

of_table = with_parameters(
    values=("array (data sets, algorithms)", "One value per data set and algorithm."),
    baseline=(
        "int, optional",
        "Position of the algorithm that all others are compared with; all pairs if not given.",
    ),
    lower_is_better=("bool, default True", "Whether small values are good."),
)


def table(name: str, values: Any, *, algorithms: int = 2, data_sets: int = 2, holes: bool = False) -> Floats:
    """Return ``values`` as (data sets, algorithms), or refuse it; splits are refused with the reason."""
    if isinstance(values, Losses) or hasattr(values, "losses"):
        _not_splits(name)
    array = _with_holes(name, values) if holes else finite(name, values)
    if array.ndim == 3:
        _not_splits(name)
    if array.ndim != 2 or array.shape[0] < data_sets or array.shape[1] < algorithms:
        rule = f"of shape (data sets ≥ {data_sets}, algorithms ≥ {algorithms})"
        refuse(name, rule, f"shape {array.shape}")
    return array


def column(name: str, values: Any, *, data_sets: int = 2) -> Floats:
    """Return ``values`` as one number per data set, or refuse it; splits are refused with the reason."""
    if isinstance(values, Losses) or hasattr(values, "losses"):
        _not_splits(name)
    array = finite(name, values)
    if array.ndim == 2:
        _not_splits(name)
    if array.ndim != 1 or len(array) < data_sets:
        refuse(name, f"one value per data set, for {data_sets} data sets or more", f"shape {array.shape}")
    return array


def measured(variance: Floats) -> Floats:
    """
    Return variances in which 0, of a data set that shows no spread, is the smallest that another shows.

    Two algorithms that agree on all examples of an easy data set do not differ by exactly 0 on such data:
    with no variance that data set would outweigh all others.
    """
    some = variance > 0
    return np.where(some, variance, variance[some].min()) if some.any() else variance


def _with_holes(name: str, values: Any) -> Floats:
    """Return ``values`` with NaN where there is none; infinities, masks and what is no number are refused."""
    try:
        array = np.asarray(values)
    except ValueError:
        return finite(name, values)  # which says what is wrong
    if array.dtype.kind != "f" or isinstance(values, np.ma.MaskedArray):
        return finite(name, values)
    missing = np.isnan(array)
    return np.where(missing, np.nan, finite(name, np.where(missing, 0.0, array)))


def _not_splits(name: str) -> NoReturn:
    raise NotApplicable(
        f"{name} must have one value per data set, not the splits of one: splits share examples, and a test "
        "that takes them for independent blocks found a difference between equal algorithms 62 % of the time "
        "at level 5 %; use ef.compare on one data set, ef.across on several"
    )
