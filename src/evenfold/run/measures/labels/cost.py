"""What mistakes cost, by a matrix of costs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse, refuse_value
from evenfold.run.data import Target
from evenfold.run.measures._base import MEASURES, Floats, OfClasses, Predictions, label_codes, loss

_RULE = (
    "a square matrix of finite numbers with a row per true class and a column per predicted class,"
)


@dataclass(frozen=True, kw_only=True)
class Cost(OfClasses):
    """
    The cost of the predicted class for the true one.

    A class that the data do not have costs the most.
    """

    matrix: Floats | None  # None: every mistake costs 1

    def bind(self, target: Target, *, positive: Any, scheme: str) -> Self:
        K = len(target.classes)
        if self.matrix is not None and len(self.matrix) != K:
            labels = ", ".join(map(str, target.classes[:10]))
            refuse(
                "costs",
                f"costs must have a row and a column for each of the {K} classes {labels} but has "
                f"{len(self.matrix)}.",
            )
        bound = super().bind(target, positive=positive, scheme=scheme)
        if self.matrix is not None:
            return bound
        return replace(bound, matrix=1 - np.eye(K))

    def examples(self, truth: Any, answer: Predictions) -> Floats:
        assert self.matrix is not None  # it is bound
        costs = np.column_stack([self.matrix, self.matrix.max(axis=1)])
        true, predicted = (label_codes(labels, self.classes) for labels in (truth, answer.values))
        values: Floats = costs[true, predicted]
        return values


def cost(costs: Sequence[Sequence[float]] | NDArray[Any]) -> Cost:
    """
    Make the mean cost of predictions; on the command line ``"cost:0,5/1,0"``, row after row.

    Parameters
    ----------
    costs : matrix (K, K)
        ``costs[i][j]`` is what it costs to predict class j where class i is true, classes in sorted
        order.

    Examples
    --------
    >>> cost([[0, 5], [1, 0]]).name
    'cost:0,5/1,0'
    """
    try:
        matrix = np.array(costs, dtype=float)
    except (TypeError, ValueError, OverflowError):
        refuse_value("costs", costs, _RULE)
    is_square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] > 1
    if not is_square or not np.isfinite(matrix).all():
        refuse_value("costs", costs, _RULE)
    name = "cost:" + "/".join(",".join(f"{number:g}" for number in row) for row in matrix)
    return _make_cost(name, matrix)


def _make_cost(name: str, matrix: Floats | None) -> Cost:
    low, high = (0.0, 1.0) if matrix is None else (float(matrix.min()), float(matrix.max()))
    quantity = loss(name, "cost", low=low, high=high, target="labels")
    return Cost(quantity=quantity, key=name, matrix=matrix)


def _cost_of(text: str) -> Cost:
    try:
        rows = [[float(number) for number in row.split(",")] for row in text.split("/")]
    except ValueError:
        refuse(
            "costs",
            f"costs must be spelled row after row, as in cost:0,5/1,0, but got {text!r}.",
        )
    return cost(rows)


MEASURES.add("cost", _make_cost("cost", None).having(spell=_cost_of))
