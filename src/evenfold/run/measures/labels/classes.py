"""
Scores of all classes together: balanced accuracy, G-mean, MCC, and averages of precision, recall and F1.

All are functions of three counts of every class, how often it was right (h), true (t) and predicted (p): the
diagonal and the margins of the confusion matrix. :mod:`evenfold.core.scores` makes their influence values.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.scores import Score, over
from evenfold.run.measures._base import MEASURES, Answer, Floats, weighed
from evenfold.run.measures.labels._base import OfClasses, label_codes, score

OfCounts = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True, slots=True)
class OfMargins(Score):
    """A function of the hits, truths and predictions of every class, each of shape (..., K)."""

    function: OfCounts

    def of(self, sums: Any) -> Any:
        """Take the counts apart."""
        return self.function(*np.split(sums, 3, axis=-1))

    def rests_on(self, row: Any) -> int:
        """The examples of the rarest class that was true or predicted."""
        _, true, predicted = np.split(np.asarray(row), 3, axis=-1)
        seen = np.maximum(np.count_nonzero(true, axis=0), np.count_nonzero(predicted, axis=0))
        return int(seen[seen > 0].min())


@dataclass(frozen=True, kw_only=True)
class ClassScore(OfClasses):
    """A function of the diagonal and the margins of the confusion matrix."""

    score: OfMargins

    def outcomes(self, truth: Any, answer: Answer, weights: Floats | None) -> Floats:
        each = np.arange(len(self.classes))
        true, said = (label_codes(labels, self.classes)[:, None] == each for labels in (truth, answer.values))
        return weighed(np.concatenate([true & said, true, said], axis=1), weights)


def _mean(values: Any, among: Any) -> Any:
    """Mean over the classes that there are."""
    here = np.real(among) > 0
    return (values * here).sum(axis=-1) / np.maximum(here.sum(axis=-1), 1)


def _precision(h: Any, t: Any, p: Any) -> Any:  # noqa: ARG001  (one signature)
    return over(h, p)


def _recall(h: Any, t: Any, p: Any) -> Any:  # noqa: ARG001  (one signature)
    return over(h, t)


def _f1(h: Any, t: Any, p: Any) -> Any:
    return over(2 * h, t + p)


def _jaccard(h: Any, t: Any, p: Any) -> Any:
    return over(h, t + p - h)


@dataclass(frozen=True, slots=True)
class Average:
    """The mean over classes that were true or predicted, or with ``shares`` over the true ones by size."""

    each: OfCounts
    shares: bool

    def __call__(self, h: Any, t: Any, p: Any) -> Any:
        scores = self.each(h, t, p)
        return over((scores * t).sum(axis=-1), t.sum(axis=-1)) if self.shares else _mean(scores, t + p)


def _balanced_accuracy(h: Any, t: Any, p: Any) -> Any:
    return _mean(_recall(h, t, p), t)


def _g_mean(h: Any, t: Any, p: Any) -> Any:
    """Geometric mean of the recalls (Kubat and Matwin 1997); 0, with no slope, where one is 0."""
    recalls, there = _recall(h, t, p), np.real(t) > 0
    hit = np.where(there, recalls, 1.0)
    some = np.real(hit) > 0
    logs = np.log(np.where(some, hit, 1.0))
    return np.where(some.all(axis=-1), np.exp(_mean(logs, t)), 0.0)


def _mcc(h: Any, t: Any, p: Any) -> Any:
    """Matthews' correlation, of K classes as Gorodkin (2004) has it; 0 where either has one class only."""
    n = t.sum(axis=-1)
    shared = h.sum(axis=-1) * n - (t * p).sum(axis=-1)
    spread = (n**2 - (p**2).sum(axis=-1)) * (n**2 - (t**2).sum(axis=-1))
    some = np.real(spread) > 0
    return np.where(some, shared / np.sqrt(np.where(some, spread, 1.0)), 0.0)


def _add(name: str, words: str, function: OfCounts, *, low: float = 0.0, of_the_mix: bool = False) -> None:
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
