"""
The area under the ROC curve.

It is that of one class against the others, or the mean over classes or pairs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from evenfold.core.losses import Quantity
from evenfold.core.ranking import placements
from evenfold.run.data import Target
from evenfold.run.measures._base import (
    MEASURES,
    Evaluated,
    Floats,
    Measure,
    OfClasses,
    Predictions,
    positive_class,
    score,
    weighted_mean,
    weights_of,
)

Mask = NDArray[np.bool_]


class Contest(NamedTuple):
    """Scores of some examples, which of the examples are positive, and the weights."""

    scores: Floats
    positive: Mask
    weights: Floats | None

    def area(self) -> float:
        """Return how often a positive example scores above a negative one."""
        of_positive, _ = self._placements(smallest=1)
        return weighted_mean(of_positive, weights_of(self.positive, self.weights))

    def values(self) -> Floats:
        """
        Return values whose mean is the area, and whose variance over their number is DeLong's.

        Placement values are moved away from their mean by √(n(n−1)/(m(m−1))) for a class of m of
        the n, and by their weight over the mean weight of the class.
        """
        parts = self._placements(smallest=2)
        area = self.area()
        values = np.empty(len(self.scores))
        for part, who in zip(parts, (self.positive, ~self.positive), strict=True):
            share = _relative(weights_of(who, self.weights))
            values[who] = area + distance_from_mean(len(part), len(values)) * share * (part - area)
        return values

    def require(self, smallest: int) -> None:
        """Raise where a class has too few examples."""
        counted = self.positive
        if self.weights is not None:
            counted = counted[self.weights > 0]
        m = int(counted.sum())
        n = len(counted)
        if min(m, n - m) < smallest:
            raise ValueError(
                f"the test set has {m} positive and {n - m} negative examples, but at least "
                f"{smallest} of each are needed"
            )

    def _placements(self, *, smallest: int) -> tuple[Floats, Floats]:
        self.require(smallest)
        return placements(self.scores, self.positive, self.weights)


def _relative(weights: Floats | None) -> Any:
    """Weights over their mean."""
    return 1.0 if weights is None else weights / weights.mean()


def distance_from_mean(m: int, n: int) -> float:
    """Return the factor by which values of m of n examples move away from their mean."""
    return float(np.sqrt(n * (n - 1) / (m * (m - 1))))


@dataclass(frozen=True, kw_only=True)
class Ranking(Measure):
    """The area of one class against the others."""

    quantity: Quantity
    positive: Any = None  # all three are set when bound
    classes: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    key: str | None = None
    responses = ("decision_function", "predict_proba")
    symmetric = True  # for two classes the area is the same for either

    def bind(self, target: Target, *, positive: Any, scheme: str) -> Self:
        either = self.symmetric and positive is None and len(target.classes) == 2
        label = target.classes.tolist()[-1] if either else positive_class(positive, target)
        bound = replace(self, positive=label, classes=target.classes, key=f"{self.name}({label!r})")
        return bound if either else bound.about(positive=str(label))

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        return Evaluated(self._contest(truth, answer, weights).area())

    def placements(self, truth: Any, answer: Predictions, weights: Floats | None) -> Floats:
        return self._contest(truth, answer, weights).values()

    def _contest(self, truth: Any, answer: Predictions, weights: Floats | None) -> Contest:
        column = self.classes.tolist().index(self.positive)
        scores = np.asarray(answer.values, dtype=float)
        if scores.ndim == 1:  # that of the second of two classes
            if column != len(self.classes) - 1:
                scores = -scores
        else:
            scores = scores[:, column]
        return Contest(scores, np.asarray(truth == self.positive), weights)


@dataclass(frozen=True, kw_only=True)
class Rankings(OfClasses):
    """
    The mean area of all classes, each against the rest, or of all pairs (Hand and Till 2001).

    With ``shares`` a class, or a pair, counts as much as it has examples.
    """

    pairs: bool
    shares: bool
    responses = ("predict_proba",)

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        each = list(self._contests(truth, answer, weights))
        areas = np.array([contest.area() for _, _, contest in each])
        return Evaluated(weighted_mean(areas, self._counts(each, weights)))

    def placements(self, truth: Any, answer: Predictions, weights: Floats | None) -> Floats:
        """Add up the value of an example in every contest, and its effect on the shares."""
        n = len(truth)
        each = list(self._contests(truth, answer, weights))
        area = self.evaluate(truth, answer, weights).value
        counts = self._counts(each, weights)
        values = np.full(n, area)
        relative_weights = _relative(weights)
        for (among, whole, contest), count in zip(each, counts / counts.sum(), strict=True):
            away = contest.values() - contest.area()
            values[among] += count * n / len(away) * away
            if self.shares:  # ∂/∂π of Σ π·A/Σ π
                share = np.average(whole, weights=weights)
                values += (contest.area() - area) * count * relative_weights * (whole / share - 1)
        return values

    def _counts(self, each: list[tuple[Mask, Mask, Contest]], weights: Floats | None) -> Floats:
        """Return the weight of every contest: the same for all, or its share of the examples."""
        shares = [
            np.average(whole, weights=weights) if self.shares else 1.0 for _, whole, _ in each
        ]
        return np.array(shares)

    def _contests(
        self, truth: Any, answer: Predictions, weights: Floats | None
    ) -> Iterator[tuple[Mask, Mask, Contest]]:
        """Yield the examples that take part, those whose share counts, and the contest."""
        is_of = np.asarray(truth)[:, None] == self.classes
        everybody = np.ones(len(truth), dtype=bool)
        members = combinations(range(len(self.classes)), 2) if self.pairs else ()
        for pair in members:
            among = is_of[:, pair].any(axis=1)
            weights_among = weights_of(among, weights)
            for k, _ in permutations(pair):
                yield among, among, Contest(answer.values[among, k], is_of[among, k], weights_among)
        for k in () if self.pairs else range(len(self.classes)):
            yield everybody, is_of[:, k], Contest(answer.values[:, k], is_of[:, k], weights)


def area(name: str, words: str) -> Quantity:
    """Return what an area under a curve is about."""
    return score(name, words, per_example="placements")


MEASURES.add("auc", Ranking(quantity=area("auc", "AUC")))
for _pairs, _how in ((False, "ovr"), (True, "ovo")):
    for _shares, _end, _more in ((False, "", ""), (True, "-weighted", ", classes by their share")):
        _name = f"auc-{_how}{_end}"
        _words = f"mean AUC of {'pairs of classes' if _pairs else 'classes'}{_more}"
        MEASURES.add(
            _name, Rankings(quantity=area(_name, _words), key=_name, pairs=_pairs, shares=_shares)
        )
