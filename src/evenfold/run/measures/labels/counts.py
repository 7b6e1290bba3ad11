"""Ratios of TP, FP, FN: precision, recall, F1 … of one class, or of the chunks of tag sequences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from evenfold.core.checks import fraction, one_of, refuse, refuse_value
from evenfold.core.losses import F1, PRECISION, RECALL, Quantity, Ratio, f_score
from evenfold.core.tags import READINGS, SCHEMES, Tags, chunks, require_legal
from evenfold.run.data import Target
from evenfold.run.measures._base import (
    MEASURES,
    Counts,
    Evaluated,
    Floats,
    Measure,
    Predictions,
    positive_class,
    score,
    weigh_counts,
)

# Chunks of tag sequences: one is right if its type, start and end all are.


def chunk_counts(
    true: Sequence[Tags], predicted: Sequence[Tags], *, scheme: str = "IOB2", illegal: str = "drop"
) -> tuple[int, int, int]:
    """
    Count right, invented and missed chunks over sequences of tags.

    Parameters
    ----------
    true, predicted : sequences of tag sequences
        One sequence of tags per sentence, such as ``["B-PER", "I-PER", "O"]``; the type may be left
        out (``["B", "M", "E"]``), as in word segmentation.
    scheme : {"IOB2", "IOB1", "IOE1", "IOE2", "IOBES", "BILOU", "BMES", "BB2B3MES"}
        How tags mark chunks.
    illegal : {"drop", "repair"}
        How tags that break the rules of the scheme are read, on both sides.

    Returns
    -------
    tp, fp, fn : int
        Chunks in both, only predicted, only true.

    Notes
    -----
    With ``"drop"`` the scheme is read strictly: in IOB2 an ``I-`` that follows no ``B-`` of its
    type makes no chunk, in IOBES and BMES a chunk without its end makes none. Equal to ``seqeval``
    with ``mode="strict"``. With ``"repair"`` a chunk goes on until an ``O``, a new type or a new
    beginning. Equal to conlleval, and to ``seqeval`` in its default mode.

    Examples
    --------
    >>> chunk_counts([["B-PER", "I-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "O", "B-ORG"]])
    (1, 1, 1)
    >>> chunk_counts([["O", "B-PER"]], [["O", "I-PER"]]), chunk_counts(
    ...     [["O", "B-PER"]], [["O", "I-PER"]], illegal="repair")
    ((0, 0, 1), (1, 0, 0))
    """
    one_of("scheme", scheme, SCHEMES)
    one_of("illegal", illegal, READINGS)
    true = _sequences("true", true)
    predicted = _sequences("predicted", predicted)
    if len(true) != len(predicted):
        refuse(
            "predicted",
            f"predicted must have as many sequences as true ({len(true):,}) but has "
            f"{len(predicted):,}.",
        )
    tp = n_true = n_predicted = 0
    for position, (a, b) in enumerate(zip(true, predicted, strict=True)):
        if len(a) != len(b):
            refuse(
                "predicted",
                f"predicted[{position}] must be as long as true[{position}] ({len(a)}) but has "
                f"length {len(b)}.",
            )
        true_chunks = set(chunks(a, scheme, illegal))
        predicted_chunks = set(chunks(b, scheme, illegal))
        tp += len(true_chunks & predicted_chunks)
        n_true += len(true_chunks)
        n_predicted += len(predicted_chunks)
    return tp, n_predicted - tp, n_true - tp


def _sequences(name: str, values: Any) -> list[list[str]]:
    """Return sequences of tags as lists, or refuse what is none."""
    if isinstance(values, str):
        refuse_value(name, values, "sequences of tags")
    try:
        sequences = [list(tags) for tags in values]
    except TypeError:
        refuse_value(name, values, "sequences of tags")
    for tags in sequences:
        if not all(isinstance(tag, str) for tag in tags):
            refuse_value(name, tags, "sequences of texts")
    return sequences


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

    Its name is, for example, ``"f-beta:0.5"``.

    Examples
    --------
    >>> f_beta(0.5).name, f_beta(0.5).quantity.words
    ('f-beta:0.5', 'F0.5')
    """
    fraction("beta", beta, high=1e6)
    return _make_confusion(f"f-beta:{beta:g}", f_score(beta), words=f"F{beta:g}", of_the_mix=True)


for _one in (
    _make_confusion("precision", PRECISION, of_the_mix=True),
    _make_confusion("recall", RECALL),
    _make_confusion("f1", F1, words="F1", of_the_mix=True),
    f_beta(2.0).about(name="f-beta").having(spell=f_beta, setting_type=float),
    _make_confusion(
        "jaccard", Ratio((1.0, 0.0, 0.0), (1.0, 1.0, 1.0)), words="Jaccard index", of_the_mix=True
    ),
):
    MEASURES.add(_one.name, _one)
