"""Ratios of TP, FP, FN: precision, recall, F1 … of one class, or of the chunks of tag sequences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from evenfold.core.checks import fraction
from evenfold.core.losses import F1, PRECISION, RECALL, Quantity, Ratio, f_score
from evenfold.core.tags import require_legal
from evenfold.run.data import Target
from evenfold.run.measures._base import (
    MEASURES,
    Counts,
    Evaluated,
    Floats,
    Measure,
    Predictions,
    parse_spelled_number,
    weigh_counts,
)
from evenfold.run.measures.labels._base import positive_class, score
from evenfold.run.measures.labels.chunks import chunk_counts


@dataclass(frozen=True, kw_only=True)
class Confusion(Measure):
    """A ratio of TP, FP, FN."""

    quantity: Quantity
    score: Ratio
    positive: Any = None  # this or the scheme is set when bound, and the key with it
    scheme: str = ""
    key: str | None = None
    takes_sequences = True

    def bind(self, target: Target, *, positive: Any, scheme: str) -> "Confusion":
        if target.kind == "sequence":
            require_legal(cast("Sequence[Sequence[str]]", target.y), scheme, name="y")
            return replace(self, scheme=scheme, key=f"{self.name}({scheme})")
        label = positive_class(positive, target)
        return replace(self, positive=label, key=f"{self.name}({label!r})").about(
            positive=str(label)
        )

    def weighable(self, target: Target) -> bool:
        return target.kind != "sequence"

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        counts = self._counts(truth, answer.values, weights)
        return Evaluated(self.score.once(counts), counts)

    def _counts(self, truth: Any, predicted: Any, weights: Floats | None) -> Counts:
        """TP, FP, FN: of chunks where the truth is a list of tag sequences."""
        if isinstance(truth, list):
            return chunk_counts(truth, predicted, scheme=self.scheme)
        cells = self._cells(truth, predicted)
        tp, fp, fn = (
            np.count_nonzero(cell) if weights is None else weights @ cell for cell in cells
        )
        return float(tp), float(fp), float(fn)

    def outcomes(self, truth: Any, answer: Predictions, weights: Floats | None) -> Floats:
        if isinstance(truth, list):
            pairs = zip(truth, answer.values, strict=True)
            return np.array(
                [chunk_counts([a], [b], scheme=self.scheme) for a, b in pairs], dtype=float
            )
        return weigh_counts(np.stack(self._cells(truth, answer.values), axis=-1), weights)

    def _cells(self, truth: Any, predicted: Any) -> tuple[Any, Any, Any]:
        is_true = truth == self.positive
        is_predicted = predicted == self.positive
        return is_true & is_predicted, is_predicted > is_true, is_true > is_predicted


def _make_confusion(name: str, ratio: Ratio, **facts: Any) -> Confusion:
    return Confusion(quantity=score(name, **facts), score=ratio)


def f_beta(beta: float) -> Measure:
    """
    Make F-beta, in which recall counts ``beta`` times as much as precision.

    By name ``"f-beta:0.5"``.

    Examples
    --------
    >>> f_beta(0.5).name, f_beta(0.5).quantity.words
    ('f-beta:0.5', 'F0.5')
    """
    fraction("beta", beta, high=1e6)
    return _make_confusion(f"f-beta:{beta:g}", f_score(beta), words=f"F{beta:g}", of_the_mix=True)


def _f_beta_of(text: str) -> Measure:
    return f_beta(parse_spelled_number(text))


for _one in (
    _make_confusion("precision", PRECISION, of_the_mix=True),
    _make_confusion("recall", RECALL),
    _make_confusion("f1", F1, words="F1", of_the_mix=True),
    f_beta(2.0).about(name="f-beta").having(spell=_f_beta_of),
    _make_confusion(
        "jaccard", Ratio((1.0, 0.0, 0.0), (1.0, 1.0, 1.0)), words="Jaccard index", of_the_mix=True
    ),
):
    MEASURES.add(_one.name, _one)
