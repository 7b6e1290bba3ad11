"""Ratios of TP, FP, FN: precision, recall and F1 of one class, or of the chunks of tag sequences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from evenfold.core.measure import Quantity
from evenfold.core.tags import require_legal
from evenfold.run.data import Target
from evenfold.run.measures._base import MEASURES, Answer, Counts, Evaluated, Floats, Measure
from evenfold.run.measures._positive import positive_class
from evenfold.run.measures.chunks import chunk_counts


@dataclass(frozen=True, kw_only=True)
class Confusion(Measure):
    """A ratio of TP, FP, FN: ``ratio`` gives what stands above and below the line."""

    quantity: Quantity
    ratio: Callable[[Any, Any, Any], tuple[Any, Any]]
    positive: Any = None  # this or the scheme is set when bound, and the key with it
    scheme: str = ""
    key: str | None = None
    takes_sequences = True

    def bind(self, target: Target, *, positive: Any, scheme: str) -> "Confusion":
        if target.kind == "sequence":
            require_legal(cast("Sequence[Sequence[str]]", target.values), scheme, name="y")
            return replace(self, scheme=scheme, key=f"{self.name}({scheme})")
        label = positive_class(positive, target)
        return replace(self, positive=label, key=f"{self.name}({label!r})").about(positive=str(label))

    def weighable(self, target: Target) -> bool:
        return target.kind != "sequence"

    def evaluate(self, truth: Any, answer: Answer, weights: Floats | None) -> Evaluated:
        counts = self._counts(truth, answer.values, weights)
        above, below = self.ratio(*counts)
        return Evaluated(above / below if below else 0.0, counts)  # 0/0 is 0, as everywhere in the field

    def _counts(self, truth: Any, predicted: Any, weights: Floats | None) -> Counts:
        """TP, FP, FN: of chunks where the truth is a list of tag sequences."""
        if isinstance(truth, list):
            return chunk_counts(truth, predicted, scheme=self.scheme)
        cells = self._cells(truth, predicted)
        tp, fp, fn = (np.count_nonzero(cell) if weights is None else weights @ cell for cell in cells)
        return float(tp), float(fp), float(fn)

    def outcomes(self, truth: Any, answer: Answer, weights: Floats | None) -> Floats:
        if isinstance(truth, list):
            pairs = zip(truth, answer.values, strict=True)
            return np.array([chunk_counts([a], [b], scheme=self.scheme) for a, b in pairs], dtype=float)
        cells = np.stack(self._cells(truth, answer.values), axis=-1).astype(float)
        return cells if weights is None else cells * weights[:, None]

    def _cells(self, truth: Any, predicted: Any) -> tuple[Any, Any, Any]:
        is_true, is_predicted = truth == self.positive, predicted == self.positive
        return is_true & is_predicted, is_predicted > is_true, is_true > is_predicted


def _add(name: str, ratio: Callable[[Any, Any, Any], tuple[Any, Any]], **facts: Any) -> None:
    quantity = Quantity(
        name=name,
        lower_is_better=False,
        low=0.0,
        high=1.0,
        target="labels",
        per_example="outcomes",
        **facts,
    )
    MEASURES.add(name, Confusion(quantity=quantity, ratio=ratio))


_add("precision", lambda tp, fp, fn: (tp, tp + fp), of_the_mix=True)  # noqa: ARG005  (one signature)
_add("recall", lambda tp, fp, fn: (tp, tp + fn))  # noqa: ARG005  (one signature)
_add("f1", lambda tp, fp, fn: (2 * tp, 2 * tp + fp + fn), words="F1", of_the_mix=True)
