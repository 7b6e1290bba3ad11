"""The door: which losses without the example itself, and without one more, a learner gives from one fit."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.run.algorithms import check_algorithms
from evenfold.run.data import Data, check_data
from evenfold.run.leaving_out.forests import has_bags, outside_the_bag
from evenfold.run.leaving_out.smoothers import smoothed
from evenfold.run.measures import Answer, Measure
from evenfold.run.measures._base import Floats
from evenfold.run.measures.resolve import resolve_measures, usual_measure


@dataclass(frozen=True, eq=False, kw_only=True, repr=False, slots=True)
class LeftOut:
    """
    The losses of examples by models that did not see them.

    Attributes
    ----------
    losses : array of shape (n,)
        Of each example, left out.
    changes : array of shape (n,) or (2, n)
        For each example, by how much the mean loss of all others changes if it is left out, too; of a forest
        by each half of its trees.
    """

    losses: Floats
    changes: Floats

    def __repr__(self) -> str:
        return f"LeftOut({self.losses.size} examples, mean loss {self.losses.mean():.4g})"


def left_out(estimator: Any, X: Any, y: Any, *, measure: Any = None) -> LeftOut:
    """
    Return the losses of all examples, each left out, and without one more, from one fit.

    Linear smoothers (least squares, ridge, kernel ridge, the mean, k neighbours) give them in closed form,
    forests and bagged learners outside their bags.

    Parameters
    ----------
    estimator : estimator
        A regressor whose predictions are linear in y and whose leave-one-out residuals follow from its hat
        matrix; a regressor of k neighbours; or a forest or bagged learner with bootstrap samples. It is not
        changed. What is none of them is refused: the formula is tried on two examples.
    X, y
        The data, as in :func:`evenfold.compare`.
    measure : str, callable or Measure, optional
        One with values per example; ``"squared"`` for numbers and ``"zero-one"`` for classes by default.

    Returns
    -------
    LeftOut

    Notes
    -----
    For least squares with a fixed penalty the residuals of a set S, left out, are (I − H_SS)⁻¹·r_S, where H
    is the hat matrix and r the residuals: for one example e/(1 − h), for two a 2×2 system. Steps that learn
    from X first (a scaler in a pipeline) break this, and are refused; transform X before.

    *Validity.* Equal to refits to rounding; outside the bag an example is judged by the third of the trees
    that did not see it.

    Examples
    --------
    >>> import evenfold as ef
    >>> from sklearn.linear_model import Ridge
    >>> found = ef.run.left_out(Ridge(), [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 1.0, 2.5])
    >>> found
    LeftOut(4 examples, mean loss 0.5157)
    >>> found.losses.round(3).tolist()
    [0.25, 0.07, 0.381, 1.361]
    """
    from sklearn.base import is_classifier

    data, [known] = check_data(X, y), check_algorithms([estimator])
    if known.is_function:
        refuse("estimator", "an estimator", estimator)
    chosen = measure if measure is not None else usual_measure(numbers=not is_classifier(estimator))
    found = resolve_measures(chosen, data.target, positive=None, scheme="IOB2")[0]
    if found.quantity.per_example != "values":
        refuse("measure", "one with values per example", found.name)
    if has_bags(estimator):
        return LeftOut(**outside_the_bag(estimator, data, found))
    return _of_smoother(estimator, data, found)


def _of_smoother(estimator: Any, data: Data, measure: Measure) -> LeftOut:
    one, two = smoothed(estimator, data)
    truth, n = data.target.values, data.n
    losses = measure.examples(truth, Answer("predict", one))
    changes = np.array([measure.examples(truth, Answer("predict", row)) for row in two]) - losses
    np.fill_diagonal(changes, 0.0)
    return LeftOut(losses=losses, changes=changes.sum(axis=1) / (n - 1))
