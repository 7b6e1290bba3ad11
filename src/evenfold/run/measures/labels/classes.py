"""
Scores of all classes together.

They are balanced accuracy, G-mean, MCC, and averages of precision, recall and F1.

All are functions of three counts of every class, how often it was right (h), true (t) and predicted
(p): the diagonal and the margins of the confusion matrix. :mod:`evenfold.core.losses` makes their
influence values.

As in scikit-learn the classes are those of the truth and of the predictions: a predicted label that
no example has is a class of its own, whose precision, recall and F1 are 0. A model that answers
"idk" pays for it in every macro average, and MCC counts these predictions, too. Averages weighted
by class leave it out, for it has no share, and so does balanced accuracy, which is about the true
classes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.losses import Score, safe_ratio
from evenfold.run.measures._base import (
    MEASURES,
    Floats,
    OfClasses,
    Predictions,
    label_codes,
    score,
    weigh_counts,
)

OfCounts = Callable[[Any, Any, Any], Any]

_MOST_UNKNOWN = 200  # labels that only predictions have; if there are more, they are free texts


@dataclass(frozen=True, slots=True)
class OfMargins(Score):
    """A function of the hits, truths and predictions of every class, each of shape (..., K)."""

    function: OfCounts

    def of(self, sums: Any) -> Any:
        """Take the counts apart."""
        return self.function(*np.split(sums, 3, axis=-1))

    def values(self, rows: Sequence[Any]) -> list[Floats]:
        """
        Add empty columns to test sets that have fewer unknown labels than others.

        Unknown labels of several test sets are matched by their place in sorted order.
        """
        most = max(np.shape(row)[-1] for row in rows) // 3
        return Score.values(self, [_add_missing_classes(row, most) for row in rows])

    def rests_on(self, row: Any) -> int:
        """The examples of the rarest class that was true or predicted."""
        _, true, predicted = np.split(np.asarray(row), 3, axis=-1)
        seen = np.maximum(np.count_nonzero(true, axis=0), np.count_nonzero(predicted, axis=0))
        return int(seen[seen > 0].min())


@dataclass(frozen=True, kw_only=True)
class ClassScore(OfClasses):
    """A function of the diagonal and the margins of the confusion matrix."""

    score: OfMargins

    def outcomes(self, truth: Any, answer: Predictions, weights: Floats | None) -> Floats:
        """
        Return hits, truths and predictions of every class.

        The last columns are those of labels that only the predictions have.
        """
        known = len(self.classes)
        predicted_codes = label_codes(answer.values, self.classes)
        unknown = np.asarray(answer.values)[predicted_codes == known]
        unknown_labels = np.unique(unknown)
        if len(unknown_labels) > _MOST_UNKNOWN:
            raise ValueError(
                f"{len(unknown_labels):,} predicted labels are not labels of y; predict one label, "
                "such as 'other', in their place"
            )
        predicted_codes[predicted_codes == known] += np.searchsorted(unknown_labels, unknown)
        each = np.arange(known + len(unknown_labels))
        true = label_codes(truth, self.classes)[:, None] == each
        predicted = predicted_codes[:, None] == each
        return weigh_counts(np.concatenate([true & predicted, true, predicted], axis=1), weights)


def _add_missing_classes(row: Any, classes: int) -> Any:
    """Add empty columns for classes that these examples do not have."""
    lacking = classes - np.shape(row)[-1] // 3
    if not lacking:
        return row
    empty = np.zeros((*np.shape(row)[:-1], lacking))
    return np.concatenate(
        [part for counts in np.split(row, 3, axis=-1) for part in (counts, empty)], axis=-1
    )


def _mean(values: Any, among: Any) -> Any:
    """Mean over the classes that there are."""
    here = np.real(among) > 0
    return (values * here).sum(axis=-1) / np.maximum(here.sum(axis=-1), 1)


def _precision(h: Any, t: Any, p: Any) -> Any:  # noqa: ARG001  (one signature)
    return safe_ratio(h, p)


def _recall(h: Any, t: Any, p: Any) -> Any:  # noqa: ARG001  (one signature)
    return safe_ratio(h, t)


def _f1(h: Any, t: Any, p: Any) -> Any:
    return safe_ratio(2 * h, t + p)


def _jaccard(h: Any, t: Any, p: Any) -> Any:
    return safe_ratio(h, t + p - h)


@dataclass(frozen=True, slots=True)
class Average:
    """The mean over true or predicted classes, or with ``shares`` over the true ones by size."""

    each: OfCounts
    shares: bool

    def __call__(self, h: Any, t: Any, p: Any) -> Any:
        scores = self.each(h, t, p)
        if self.shares:
            return safe_ratio((scores * t).sum(axis=-1), t.sum(axis=-1))
        return _mean(scores, t + p)


def _balanced_accuracy(h: Any, t: Any, p: Any) -> Any:
    return _mean(_recall(h, t, p), t)


def _g_mean(h: Any, t: Any, p: Any) -> Any:
    """Geometric mean of the recalls (Kubat and Matwin 1997); 0, with no slope, where one is 0."""
    recalls = _recall(h, t, p)
    there = np.real(t) > 0
    hit = np.where(there, recalls, 1.0)
    some = np.real(hit) > 0
    logs = np.log(np.where(some, hit, 1.0))
    return np.where(some.all(axis=-1), np.exp(_mean(logs, t)), 0.0)


def _mcc(h: Any, t: Any, p: Any) -> Any:
    """
    Matthews' correlation, of K classes as Gorodkin (2004) has it.

    It is 0 if truth or prediction has only one class.
    """
    n = t.sum(axis=-1)
    shared = h.sum(axis=-1) * n - (t * p).sum(axis=-1)
    spread = (n**2 - (p**2).sum(axis=-1)) * (n**2 - (t**2).sum(axis=-1))
    some = np.real(spread) > 0
    return np.where(some, shared / np.sqrt(np.where(some, spread, 1.0)), 0.0)


def _add(
    name: str, words: str, function: OfCounts, *, low: float = 0.0, of_the_mix: bool = False
) -> None:
    quantity = score(name, words, low=low, of_the_mix=of_the_mix)
    MEASURES.add(name, ClassScore(quantity=quantity, key=name, score=OfMargins(function)))


_add("balanced-accuracy", "balanced accuracy", _balanced_accuracy)
_add("g-mean", "G-mean", _g_mean)
_add("mcc", "MCC", _mcc, low=-1.0, of_the_mix=True)
for _name, _words, _each in (
    ("precision", "precision", _precision),
    ("recall", "recall", _recall),
    ("f1", "F1", _f1),
    ("jaccard", "Jaccard index", _jaccard),
):
    _mixed = _each is not _recall
    _add(f"macro-{_name}", f"macro {_words}", Average(_each, shares=False), of_the_mix=_mixed)
    if _mixed:  # the recalls of all classes, by their shares, are the accuracy
        _by_share = Average(_each, shares=True)
        _add(f"class-weighted-{_name}", f"class-weighted {_words}", _by_share, of_the_mix=True)
