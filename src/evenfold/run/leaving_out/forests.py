"""Forests and bagged learners: predictions outside the bag, and by trees that saw neither of two examples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.run.data import Data
from evenfold.run.measures import Answer, Measure
from evenfold.run.measures._base import Floats

Booleans = NDArray[np.bool_]


def has_bags(estimator: Any) -> bool:
    """Whether it is made of models of bootstrap samples that it remembers."""
    return hasattr(type(estimator), "estimators_samples_")


def outside_the_bag(estimator: Any, data: Data, measure: Measure) -> dict[str, Floats]:
    """Losses of all examples outside the bag, and mean changes of the others' by each half of the trees."""
    from sklearn.base import clone

    if not getattr(estimator, "bootstrap", False):
        refuse("estimator", "a forest with bootstrap=True: else every tree sees all", estimator)
    forest = clone(estimator).fit(data.X, data.target.values)
    trees = _Trees(*_said(forest, data), data, measure)
    half = len(trees.out) // 2
    return {
        "losses": trees.losses(np.ones(len(trees.out))),
        "changes": np.array([trees.changes(part) for part in (slice(half), slice(half, None))]),
    }


class _Trees:
    """What each of B trees says of n examples, an array (B, n, k), and whether it saw none of it, (B, n)."""

    def __init__(self, said: Floats, out: Booleans, data: Data, measure: Measure) -> None:
        self.out, self.shape = out.astype(float), said.shape[1:]
        self.said = (said * self.out[..., None]).reshape(len(said), -1)
        self.data, self.measure = data, measure

    def losses(self, kept: Floats) -> Floats:
        """Of every example, by those of the kept trees that did not see it."""
        count = kept @ self.out
        if not count.all():
            remedy = "300 trees and more are mostly enough"
            refuse(
                "n_estimators", "so many that some trees saw neither of any two examples", len(kept), remedy
            )
        mean = (kept @ self.said).reshape(self.shape) / count[:, None]
        return self.measure.examples(self.data.target.values, self._answer(mean))

    def changes(self, part: slice) -> Floats:
        """Of every example, what the mean loss of the others changes by without the trees that saw it."""
        kept = np.zeros(len(self.out))
        kept[part] = 1.0
        own, n = self.losses(kept), self.shape[0]
        found = np.empty(n)
        for j, unseen in enumerate(self.out.T):
            change = self.losses(kept * unseen) - own
            found[j] = (change.sum() - change[j]) / (n - 1)
        return found

    def _answer(self, mean: Floats) -> Answer:
        if self.measure.responses[0] == "predict_proba":
            return Answer("predict_proba", mean)
        known = mean.shape[1] > 1
        return Answer("predict", self.data.target.classes[mean.argmax(axis=1)] if known else mean[:, 0])


def _said(forest: Any, data: Data) -> tuple[Floats, Booleans]:
    """Predictions of every tree for every example, and which examples it did not see."""
    X = data.X if hasattr(data.X, "tocsr") else np.asarray(data.X)
    columns = getattr(forest, "estimators_features_", [slice(None)] * len(forest.estimators_))
    classes = len(getattr(forest, "classes_", ()))
    said = [_of_tree(tree, X[:, own], classes) for tree, own in zip(forest.estimators_, columns, strict=True)]
    out = np.ones((len(said), data.n), dtype=bool)
    for row, drawn in zip(out, forest.estimators_samples_, strict=True):
        row[drawn] = False
    return np.array(said), out


def _of_tree(tree: Any, X: Any, classes: int) -> Floats:
    if not classes:
        return np.asarray(tree.predict(X), dtype=float)[:, None]
    known = np.asarray(tree.classes_, dtype=int)  # forests number their classes
    said = np.zeros((X.shape[0], classes))
    if hasattr(tree, "predict_proba"):
        said[:, known] = tree.predict_proba(X)
    else:
        said[np.arange(len(said)), np.asarray(tree.predict(X), dtype=int)] = 1.0
    return said
