"""
Data in the order of time: what ``order`` may be, and the windows that such data get.

Without a design the first half of the times trains, and the second is tested in twenty windows that
grow: as many fits as halvings take, and nineteen degrees of freedom for a test that takes each
window for one value.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import ELLIPSIS, Advice, refuse, vector
from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Losses
from evenfold.design import Design, GrowingWindow, RollingWindow
from evenfold.infer import methods, recommended
from evenfold.infer.inputs import Question
from evenfold.infer.inputs.values import differences_by_time
from evenfold.read.tables import moments
from evenfold.run.data import Data

_WINDOWS = 20
_POINTS = 400  # of a line that a page can show


def number_times(X: Any, order: Any, n: int) -> NDArray[np.intp]:
    """Number the times of the examples 0, 1, 2, …."""
    if hasattr(order, "iloc") and hasattr(X, "iloc") and not order.index.equals(X.index):
        refuse(
            "order",
            "order must have the index of X but it has another one.",
            "Pass order=order.loc[X.index].",
        )
    times = vector("order", order, n=n)
    # as texts 9 comes after 10, and May before June
    if all(isinstance(time, str) for time in times[:2]):
        times = moments("order", times)
    try:
        labels, codes = np.unique(times, return_inverse=True)
    except TypeError:
        refuse("order", f"order must hold times that can be sorted but its dtype is {times.dtype}.")
    if len(labels) < 2:
        refuse(
            "order",
            "order must hold at least two different times but all times are the same.",
        )
    return codes.astype(np.intp)


def require_windows(design: Design | None, task: Data, groups: Any) -> Data:
    """
    Refuse a design that does not keep the order, and groups beside windows, which are cut by time.

    Windows on a frame that is indexed by time are cut by its index.
    """
    keeps = design is not None and design.kind.is_ordered
    if task.order is not None and design is not None and not keeps:
        refuse(
            "order",
            f"order must be left out with {design!r}, which does not keep the order of time.",
            "Use ef.design.GrowingWindow or RollingWindow, or leave order out.",
        )
    if groups is not None and (keeps or task.order is not None):
        refuse(
            "groups",
            "groups must be left out where data are cut by time.",
            Advice(
                "Pass only the times, as ",
                {"order": ELLIPSIS},
                ". Examples of one time are kept together and averaged.",
            ),
        )
    if not keeps:
        return task
    if task.order is None:
        task = replace(task, order=_times_of_index(task))
    if task.order is not None and not isinstance(design, (GrowingWindow, RollingWindow)):
        _require_rows_in_order(task)
    return task


def _times_of_index(task: Data) -> NDArray[np.intp] | None:
    """The times that a frame is indexed by, where it is."""
    index = getattr(task.X, "index", None)
    is_time = getattr(getattr(index, "dtype", None), "kind", "") == "M"
    if is_time:
        return number_times(task.X, index, task.n)
    return None


def _require_rows_in_order(task: Data) -> None:
    """Refuse a splitter, which cuts by row, where rows are unordered in time or share a time."""
    if not np.array_equal(task.order, np.arange(task.n)):
        refuse(
            "order",
            "order must be sorted, with a different time in each row, because a splitter cuts by "
            "row.",
            "Sort the rows, or use ef.design.GrowingWindow or RollingWindow, which cut by time.",
        )


def choose_windows(task: Data, method: str | None, measured: Any) -> tuple[Design, str]:
    """Return windows and a method for ordered data without a design."""
    key = method or recommended(GrowingWindow.kind, measure=measured)
    entry = methods()[key]
    kind = next((kind for kind in (GrowingWindow, RollingWindow) if entry.fits(kind.kind)), None)
    if kind is None:
        fitting = recommended(GrowingWindow.kind, measure=measured)
        raise NotApplicable(
            f"Method {key!r} is not valid for ordered data. Use {fitting!r}, or leave order out."
        )
    count = int(task.order.max()) + 1
    return kind(0.5, max((count - round(count / 2)) // _WINDOWS, 1)), key


def sums_along(losses: Losses, baseline: str, challenger: str) -> tuple[tuple[float, float], ...]:
    """
    Return how many times were tested, and the sum of B − A so far.

    At most some hundreds, for a figure.
    """
    asked = Question(losses, losses.index(challenger), losses.index(baseline), "")
    single = (
        losses.quantity.per_example == "values"
        and losses.examples is not None
        and losses.weights is None
    )
    sums = np.cumsum(differences_by_time(asked) if single else asked.differences())
    at = np.unique(np.linspace(0, len(sums) - 1, _POINTS).round().astype(int))
    return tuple(zip((at + 1.0).tolist(), sums[at].tolist(), strict=True))
