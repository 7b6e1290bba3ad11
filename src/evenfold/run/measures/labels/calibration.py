"""
Expected calibration error.

It is the distance between the confidence of predictions and how often they are right.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.checks import integer
from evenfold.run.measures._base import (
    MEASURES,
    Evaluated,
    Floats,
    OfClasses,
    Predictions,
    loss,
)

_BINS = 15  # of Guo et al.
_MOST_BINS = 1000


@dataclass(frozen=True, kw_only=True)
class CalibrationError(OfClasses):
    """Mean over equal bins of confidence of |share right − mean confidence|, by examples."""

    bins: int
    responses = ("predict_proba",)

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        """Look at the most probable class of every example, the first of equal ones."""
        probabilities = np.asarray(answer.values, dtype=float)
        predicted = probabilities.argmax(axis=1)
        confidence = probabilities[np.arange(len(predicted)), predicted]
        right = np.asarray(self.classes[predicted] == truth)
        counted = np.ones(len(predicted)) if weights is None else weights
        # (0, 1/B], (1/B, 2/B], …: an example that is certain lies in the last
        place = np.clip(np.ceil(confidence * self.bins).astype(int) - 1, 0, self.bins - 1)
        gaps = np.bincount(place, counted * (right - confidence), minlength=self.bins)
        return Evaluated(float(np.abs(gaps).sum() / counted.sum()))


def calibration_error(bins: int = _BINS) -> CalibrationError:
    """
    Make the expected calibration error (ECE) with equally wide bins.

    Its name is ``"ece"`` or, for example, ``"ece:10"``.

    Parameters
    ----------
    bins : int, default 15
        Number of bins of the confidence, the probability of the predicted class.

    Returns
    -------
    Measure

    Notes
    -----
    *Validity.* It is biased upwards on few examples: it is above 0 even for a perfectly calibrated
    model. Two models are compared on the same examples, so most of the bias cancels. It is no mean
    over examples, so ``compare`` judges whole splits, and ``judge`` resamples examples. The type I
    error was measured to be .01 to .04 at the level .05.

    References
    ----------
    Naeini, Cooper, Hauskrecht (2015), AAAI; Guo, Pleiss, Sun, Weinberger (2017), ICML.

    Examples
    --------
    >>> calibration_error(10).name, calibration_error().quantity.words
    ('ece:10', 'calibration error')
    """
    integer("bins", bins, low=1, high=_MOST_BINS)
    name = "ece" if bins == _BINS else f"ece:{bins}"
    quantity = loss(name, "calibration error", high=1.0, target="labels", per_example="none")
    return CalibrationError(quantity=quantity, key=name, bins=bins)


MEASURES.add("ece", calibration_error().having(spell=calibration_error, setting_type=int))
