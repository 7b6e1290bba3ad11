"""Losses of probabilities: log loss and Brier score."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.run.measures._base import MEASURES, Floats, OfClasses, Predictions, loss

Columns = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class ProbabilityLoss(OfClasses):
    """A value per test example, computed from the probabilities of all classes."""

    function: Callable[[Columns, Floats], Floats]  # column of the true class, probabilities
    responses = ("predict_proba",)

    def examples(self, truth: Any, answer: Predictions) -> Floats:
        return self.function(np.searchsorted(self.classes, truth), answer.values)


def _log(column: Columns, probabilities: Floats) -> Floats:
    p = probabilities[np.arange(len(column)), column]
    # as log_loss does: finite, but large
    losses: Floats = -np.log(np.maximum(p, np.finfo(float).eps))
    return losses


def _brier(column: Columns, probabilities: Floats) -> Floats:
    """
    Sum over classes of (p − [class is true])², in [0, 2].

    For two classes it is twice the one-column form.
    """
    p = probabilities[np.arange(len(column)), column]
    losses: Floats = (probabilities**2).sum(axis=1) - 2 * p + 1
    return losses


def _one_column(column: Columns, probabilities: Floats) -> Floats:
    """The Brier score as scikit-learn has it: of two classes that of one column."""
    return _brier(column, probabilities) / (2 if probabilities.shape[1] == 2 else 1)


def _make_probability_loss(
    name: str, words: str, high: float, function: Callable[[Columns, Floats], Floats]
) -> ProbabilityLoss:
    quantity = loss(name, words, high=high, target="labels")
    return ProbabilityLoss(quantity=quantity, key=name, function=function)


MEASURES.add("log", _make_probability_loss("log", "log loss", np.inf, _log))
MEASURES.add("brier", _make_probability_loss("brier", "multiclass Brier score", 2.0, _brier))
BRIER_LOSS = _make_probability_loss("brier_score", "Brier score", 2.0, _one_column)
