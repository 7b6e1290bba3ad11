"""Losses of left-out examples that some learners give from a single fit."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse, refuse_value, short_repr
from evenfold.core.inputs import Estimator, OneMeasure
from evenfold.run.algorithms import check_algorithms
from evenfold.run.data import Data, check_data, take
from evenfold.run.measures import Measure, Predictions
from evenfold.run.measures._base import Floats
from evenfold.run.measures.resolve import default_measure, resolve_measures

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False, slots=True)
class LeftOut:
    """
    The losses of examples by models that did not see them.

    Attributes
    ----------
    losses : array of shape (n,)
        Of each example, left out.
    changes : array of shape (n,) or (2, n)
        For each example, by how much the mean loss of all others changes if it is left out, too; of
        a forest by each half of its trees.
    """

    losses: Floats
    changes: Floats

    def __repr__(self) -> str:
        return f"LeftOut({self.losses.size} examples, mean loss {self.losses.mean():.4g})"


# Forests and bagged learners: predictions outside the bag, and by trees that saw neither of two
# examples.


def outside_the_bag(estimator: Any, data: Data, measure: Measure) -> LeftOut:
    """Losses of all examples outside the bag, and the others' mean changes by half of the trees."""
    from sklearn.base import clone

    if not getattr(estimator, "bootstrap", False):
        refuse(
            "estimator",
            "estimator must be a forest with bootstrap=True, because otherwise every tree sees "
            f"every example, but got {short_repr(estimator)}.",
        )
    forest = clone(estimator).fit(data.X, data.y)
    trees = _Trees(*_tree_predictions(forest, data), data, measure)
    half = len(trees.out) // 2
    return LeftOut(
        losses=trees.losses(np.ones(len(trees.out))),
        changes=np.array([trees.changes(part) for part in (slice(half), slice(half, None))]),
    )


class _Trees:
    """Predictions of B trees for n examples, (B, n, k), and which examples each did not see."""

    def __init__(self, predictions: Floats, out: Booleans, data: Data, measure: Measure) -> None:
        self.out = out.astype(float)
        self.shape = predictions.shape[1:]
        self.predictions = (predictions * self.out[..., None]).reshape(len(predictions), -1)
        self.data = data
        self.measure = measure

    def losses(self, kept: Floats) -> Floats:
        """Return the loss of every example by the kept trees that did not see it."""
        count = kept @ self.out
        if not count.all():
            refuse(
                "estimator",
                "n_estimators must be so large that some trees saw neither of any two examples "
                f"but got {len(self.out)}.",
                "Use 300 trees or more.",
            )
        mean = (kept @ self.predictions).reshape(self.shape) / count[:, None]
        return self.measure.examples(self.data.y, self._answer(mean))

    def changes(self, part: slice) -> Floats:
        """Return how the mean loss of the others changes without the trees that saw an example."""
        kept = np.zeros(len(self.out))
        kept[part] = 1.0
        losses_of_all = self.losses(kept)
        n = self.shape[0]
        changes = np.empty(n)
        for j, unseen in enumerate(self.out.T):
            change = self.losses(kept * unseen) - losses_of_all
            changes[j] = (change.sum() - change[j]) / (n - 1)
        return changes

    def _answer(self, mean: Floats) -> Predictions:
        if self.measure.responses[0] == "predict_proba":
            return Predictions("predict_proba", mean)
        known = mean.shape[1] > 1
        return Predictions(
            "predict", self.data.classes[mean.argmax(axis=1)] if known else mean[:, 0]
        )


def _tree_predictions(forest: Any, data: Data) -> tuple[Floats, Booleans]:
    """Predictions of every tree for every example, and which examples it did not see."""
    X = data.X if hasattr(data.X, "tocsr") else np.asarray(data.X)
    columns = getattr(forest, "estimators_features_", [slice(None)] * len(forest.estimators_))
    classes = len(getattr(forest, "classes_", ()))
    predictions = [
        _of_tree(tree, X[:, features], classes)
        for tree, features in zip(forest.estimators_, columns, strict=True)
    ]
    out = np.ones((len(predictions), data.n), dtype=bool)
    for row, drawn in zip(out, forest.estimators_samples_, strict=True):
        row[drawn] = False
    return np.array(predictions), out


def _of_tree(tree: Any, X: Any, classes: int) -> Floats:
    if not classes:
        return np.asarray(tree.predict(X), dtype=float)[:, None]
    known = np.asarray(tree.classes_, dtype=int)  # forests number their classes
    predictions = np.zeros((X.shape[0], classes))
    if hasattr(tree, "predict_proba"):
        predictions[:, known] = tree.predict_proba(X)
    else:
        predictions[np.arange(len(predictions)), np.asarray(tree.predict(X), dtype=int)] = 1.0
    return predictions


# Linear smoothers: predictions without one example and without two, in closed form.


_WHOLE = 1e-9  # 1 − h below which an example is fitted whatever the others are
_ROUNDING = 1e-6  # of the spread of y: what a refit may differ by
_RULE = "a linear smoother, a forest or a bagged learner"


def smoother_predictions(estimator: Any, data: Data) -> tuple[Floats, Floats]:
    """
    Predictions of i without i, (n,), and without i and j, ``[j, i]``.

    The formula is checked on two examples by a refit.
    """
    y = np.asarray(data.y, dtype=float)
    by_neighbours = hasattr(estimator, "kneighbors") and hasattr(estimator, "n_neighbors")
    predict = _predict_by_neighbours if by_neighbours else _predict_by_hat_matrix
    without_one, without_two = predict(estimator, data.X, y)
    np.fill_diagonal(without_two, without_one)
    _require_exact(estimator, data.X, y, without_one, without_two)
    return without_one, without_two


def _predict_by_hat_matrix(estimator: Any, X: Any, y: Floats) -> tuple[Floats, Floats]:
    """
    Residuals of S left out are (I − H_SS)⁻¹·r_S.

    The hat matrix is the fit to the columns of I.
    """
    from sklearn.base import clone

    try:
        H = np.asarray(clone(estimator).fit(X, np.eye(len(y))).predict(X), dtype=float)
    except (TypeError, ValueError):
        refuse(
            "estimator",
            f"estimator must be {_RULE}, and a smoother must fit several targets at once, but got "
            f"{short_repr(estimator)}.",
        )
    h = H.diagonal()
    r = y - H @ y
    if (1 - h).min() < _WHOLE:
        refuse(
            "X",
            "Some example has leverage 1: the estimator fits it exactly, whatever the other "
            "examples are.",
            "Use a less flexible estimator.",
        )
    of_left_out = (1 - h)[None, :]
    other = (1 - h)[:, None]
    both: Floats = (other * r[None, :] + H.T * r[:, None]) / (of_left_out * other - H * H.T)
    return y - r / (1 - h), y - both


def _predict_by_neighbours(estimator: Any, X: Any, y: Floats) -> tuple[Floats, Floats]:
    """Predict with the next neighbour in the place of one that is left out."""
    from sklearn.base import clone

    k = estimator.n_neighbors
    n = len(y)
    if estimator.get_params().get("weights") != "uniform" or k + 2 > n:
        refuse(
            "estimator",
            "estimator must use neighbours of equal weight, at most n − 2 of them, but got "
            f"{short_repr(estimator)}.",
        )
    nearest = clone(estimator).fit(X, y).kneighbors(X, n_neighbors=k + 2, return_distance=False)
    itself = nearest == np.arange(n)[:, None]
    # of k + 2 copies of an example it may not be the nearest
    itself[~itself.any(axis=1), -1] = True
    others = nearest[~itself].reshape(n, k + 1)
    without_one = y[others[:, :k]].mean(axis=1)
    without_two = np.tile(without_one, (n, 1))
    without_two[others[:, :k].T, np.arange(n)] = (
        without_one + (y[others[:, k]] - y[others[:, :k].T]) / k
    )
    return without_one, without_two


def _require_exact(
    estimator: Any, X: Any, y: Floats, without_one: Floats, without_two: Floats
) -> None:
    """
    Refuse an estimator for which the formula is wrong.

    A refit leaves out the two examples whose influence on each other is largest.
    """
    from sklearn.base import clone

    pair = np.array(np.unravel_index(np.abs(without_two - without_one).argmax(), without_two.shape))
    rest = np.setdiff1d(np.arange(len(y)), pair)
    refitted = clone(estimator).fit(take(X, rest), y[rest]).predict(take(X, pair))
    known = without_two[pair[::-1], pair]
    rounding = _ROUNDING * max(np.ptp(y), np.abs(known).max())
    if not np.allclose(np.ravel(refitted), known, rtol=0, atol=rounding):
        refuse(
            "estimator",
            f"estimator must be {_RULE}, but a refit of {short_repr(estimator)} without two "
            "examples differs from the formula.",
            "Transform X before the call if a step learns from X; for any other estimator call "
            "ef.compare with at='full'.",
        )


def left_out(estimator: Estimator, X: Any, y: Any, *, measure: OneMeasure | None = None) -> LeftOut:
    """
    Return the losses of all examples, each left out, from one fit, and without one more example.

    Linear smoothers (least squares, ridge, kernel ridge, the mean, k neighbours) give them in
    closed form, forests and bagged learners outside their bags.

    Parameters
    ----------
    estimator : estimator
        A regressor whose predictions are linear in y and whose leave-one-out residuals follow from
        its hat matrix; a regressor of k neighbours; or a forest or bagged learner with bootstrap
        samples. It is not changed. What is none of them is refused: the formula is tried on two
        examples.
    X, y
        The data, as in :func:`evenfold.compare`.
    measure : str, callable or Measure, optional
        One with values per example; ``"squared"`` for numbers and ``"zero-one"`` for classes by
        default.

    Returns
    -------
    LeftOut

    Notes
    -----
    For least squares with a fixed penalty the residuals of a set S, left out, are (I − H_SS)⁻¹·r_S,
    where H is the hat matrix and r the residuals: for one example e/(1 − h), for two a 2×2 system.
    Steps that learn from X first (a scaler in a pipeline) break this, and are refused; transform X
    before.

    *Validity.* Equal to refits to rounding; outside the bag an example is judged by the third of
    the trees that did not see it.

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

    data = check_data(X, y)
    [known] = check_algorithms([estimator])
    if known.is_function:
        refuse_value("estimator", estimator, "an estimator")
    if measure is None:
        measure = default_measure(numbers=not is_classifier(estimator))
    resolved = resolve_measures(measure, data, positive=None, scheme="IOB2")[0]
    if resolved.quantity.per_example != "values":
        refuse(
            "measure",
            f"measure must have values per example but {resolved.name!r} has none.",
        )
    if hasattr(type(estimator), "estimators_samples_"):  # models of bootstrap samples
        return outside_the_bag(estimator, data, resolved)
    return _of_smoother(estimator, data, resolved)


def _of_smoother(estimator: Any, data: Data, measure: Measure) -> LeftOut:
    without_one, without_two = smoother_predictions(estimator, data)
    losses = measure.examples(data.y, Predictions("predict", without_one))
    others = [measure.examples(data.y, Predictions("predict", row)) for row in without_two]
    changes = np.array(others) - losses
    np.fill_diagonal(changes, 0.0)
    return LeftOut(losses=losses, changes=changes.sum(axis=1) / (data.n - 1))
