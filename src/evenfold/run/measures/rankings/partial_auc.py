"""The part of the area under the ROC curve at small false positive rates (McClish 1989)."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import fraction
from evenfold.core.ranking import midranks, placements
from evenfold.run.data import Target
from evenfold.run.measures._base import (
    MEASURES,
    Evaluated,
    Floats,
    Measure,
    Predictions,
)
from evenfold.run.measures.rankings.auc import Contest, Ranking, area, distance_from_mean


class CurvePart(NamedTuple):
    """Scores, which examples are positive, and the false positive rate f where the part ends."""

    scores: Floats
    positive: NDArray[np.bool_]
    f: float

    def standardise(self, raw: Any) -> Any:
        """McClish: ½ for a curve on the diagonal, 1 for a perfect one."""
        least = self.f**2 / 2
        return (1 + (raw - least) / (self.f - least)) / 2

    def _curve(self) -> tuple[Floats, Floats]:
        """False and true positive rates at every threshold, from (0, 0)."""
        order = np.argsort(-self.scores, kind="stable")
        last = np.append(np.diff(self.scores[order]) != 0, True)
        up = np.cumsum(self.positive[order])[last]
        down = np.flatnonzero(last) + 1 - up
        return np.append(0, down) / down[-1], np.append(0, up) / up[-1]

    def raw(self) -> float:
        """Return the area left of f, with straight lines between thresholds."""
        fpr, tpr = self._curve()
        inside = fpr <= self.f  # a vertical step at f ends the area with its lower end
        x = np.append(fpr[inside], self.f)
        y = np.append(tpr[inside], np.interp(self.f, fpr, tpr))
        return float(np.trapezoid(y, x))

    def values(self) -> Floats:
        """
        Values whose mean is the area, and whose variance over their number is that of the area.

        A positive example is worth the share of negative ones it beats of those that count, f −
        min(f, S(x)). A negative one y that counts is worth TPR(y) − TPR(f): it also moves the
        threshold at f.
        """
        fpr, tpr = self._curve()
        of_positive, of_negative = placements(self.scores, self.positive)
        beaten = self.f - np.minimum(self.f, 1 - of_positive)
        k = int((~self.positive).sum())
        counts = np.clip(self.f * k + 1 - midranks(-self.scores[~self.positive]), 0.0, 1.0)
        missed = counts * (of_negative - np.interp(self.f, fpr, tpr))
        values = np.full(len(self.scores), self.standardise(self.raw()))
        scale = self.standardise(1.0) - self.standardise(0.0)
        for part, who in ((beaten, self.positive), (missed, ~self.positive)):
            values[who] += distance_from_mean(len(part), len(values)) * scale * (part - part.mean())
        return values


@dataclass(frozen=True, kw_only=True)
class PartialRanking(Ranking):
    """The standardised area up to a false positive rate ``f``."""

    f: float
    symmetric = False

    def weighable(self, target: Target) -> bool:
        return False

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        part = self._part(self._contest(truth, answer, weights), smallest=1)
        return Evaluated(float(part.standardise(part.raw())))

    def placements(self, truth: Any, answer: Predictions, weights: Floats | None) -> Floats:
        return self._part(self._contest(truth, answer, weights), smallest=2).values()

    def _part(self, contest: Contest, *, smallest: int) -> CurvePart:
        contest.require(smallest)
        return CurvePart(contest.scores, contest.positive, self.f)


def partial_auc(f: float) -> Measure:
    """
    Make the partial area under the ROC curve up to the false positive rate ``f``.

    It is written ``"partial-auc:0.1"`` and standardised as in scikit-learn (``max_fpr``; McClish,
    1989), so it is ½ for chance and 1 for a perfect ranking.

    Examples
    --------
    >>> partial_auc(0.1).name, partial_auc(0.1).quantity.words
    ('partial-auc:0.1', 'AUC up to a false positive rate of 0.1')
    """
    fraction("f", f)
    words = f"AUC up to a false positive rate of {f:g}"
    return PartialRanking(quantity=area(f"partial-auc:{f:g}", words), f=f)


_UP_TO_A_TENTH = partial_auc(0.1).about(name="partial-auc")
MEASURES.add("partial-auc", _UP_TO_A_TENTH.having(spell=partial_auc, setting_type=float))
