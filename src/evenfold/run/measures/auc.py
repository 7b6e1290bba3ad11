"""The area under the ROC curve of one class against the others."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.measure import Quantity
from evenfold.core.ranking import placements
from evenfold.run.data import Target
from evenfold.run.measures._base import MEASURES, Answer, Evaluated, Floats, Measure
from evenfold.run.measures._positive import positive_class


@dataclass(frozen=True, kw_only=True)
class Ranking(Measure):
    """How often a positive example scores above a negative one; it has no weighted form."""

    quantity: Quantity
    positive: Any = None  # all three are set when bound
    classes: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    key: str | None = None
    responses = ("decision_function", "predict_proba")

    def bind(self, target: Target, *, positive: Any, scheme: str) -> "Ranking":  # noqa: ARG002  (one signature)
        label = positive_class(positive, target)
        bound = replace(self, positive=label, classes=target.classes, key=f"{self.name}({label!r})")
        return bound.about(positive=str(label))

    def weighable(self, target: Target) -> bool:  # noqa: ARG002  (one signature)
        return False

    def evaluate(self, truth: Any, answer: Answer, weights: Floats | None) -> Evaluated:  # noqa: ARG002  (one signature)
        return Evaluated(float(self._placements(truth, answer, smallest=1)[0].mean()))

    def examples(self, truth: Any, answer: Answer) -> Floats:
        """
        Values whose mean is the area, and whose variance over their number is DeLong's.

        Placement values are moved away from their mean by √(n(n−1)/(m(m−1))) for a class of m of the n.
        """
        parts = self._placements(truth, answer, smallest=2)
        n, area = len(truth), parts[0].mean()
        values, mine = np.empty(n), truth == self.positive
        for part, who in zip(parts, (mine, ~mine), strict=True):
            m = len(part)
            values[who] = area + np.sqrt(n * (n - 1) / (m * (m - 1))) * (part - area)
        return values

    def _placements(self, truth: Any, answer: Answer, *, smallest: int) -> tuple[Floats, Floats]:
        mine = np.asarray(truth == self.positive)
        m = int(mine.sum())
        if min(m, len(mine) - m) < smallest:
            raise ValueError(
                f"{m} of {len(mine)} test examples are positive; {smallest} of either are needed"
            )
        column = self.classes.tolist().index(self.positive)
        scores = np.asarray(answer.values, dtype=float)
        if scores.ndim == 1:  # that of the second of two classes
            scores = scores if column == len(self.classes) - 1 else -scores
        else:
            scores = scores[:, column]
        return placements(scores, mine)


_AREA = Quantity(
    name="auc",
    words="AUC",
    lower_is_better=False,
    low=0.0,
    high=1.0,
    target="labels",
    per_example="placements",
)
MEASURES.add(_AREA.name, Ranking(quantity=_AREA))
