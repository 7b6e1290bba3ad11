"""
What an algorithm costs: time of a fit, time of predictions, size of the fitted model.

Values are natural logarithms, so that a difference is a ratio: "takes 3.9 times as long". The
training sets are random, and so are the load, the caches and the clock of the machine.
"""

import math
import pickle
from dataclasses import dataclass
from typing import Any, Literal

from evenfold.core.losses import Quantity
from evenfold.run.cells import LIVE
from evenfold.run.measures._base import MEASURES, Evaluated, Floats, Measure, Predictions


def _cost(name: str, words: str, unit: str) -> Quantity:
    return Quantity(name=name, words=words, lower_is_better=True, ratio=True, unit=unit)


@dataclass(frozen=True, kw_only=True)
class Time(Measure):
    """
    The seconds that a fit or a prediction took when it was run.

    A function fits and predicts at once, so its time is that of both.
    """

    quantity: Quantity
    key: str
    part: Literal["fit_seconds", "predict_seconds"]
    of_estimators: bool
    takes_sequences = True

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        seconds = getattr(answer, self.part)
        if not seconds > 0:
            raise ValueError("the clock measured no time")
        return Evaluated(math.log(seconds))


def model_size(estimator: Any, X: Any, y: Any, **_: Any) -> float:  # noqa: ARG001  (a scorer)
    """Return the size of the pickle of a fitted estimator in bytes; NaN if it has none."""
    try:
        return float(len(pickle.dumps(estimator, protocol=5)))
    except Exception:
        # an estimator may raise whatever it likes, and the other measures of the fit stand
        return math.nan


class ModelSize(Measure):
    """The bytes of the fitted estimator, counted inside the fit."""

    quantity = _cost("model-size", "model size", "bytes")
    key = quantity.name
    responses = (f"{LIVE}model-size",)
    takes_sequences = True
    scorer = staticmethod(model_size)

    def evaluate(self, truth: Any, answer: Predictions, weights: Floats | None) -> Evaluated:
        size = float(answer.values[0])
        if math.isnan(size):
            raise ValueError("the fitted estimator cannot be pickled, so its size is not known")
        return Evaluated(math.log(size))


_FIT = _cost("fit-time", "fit time", "seconds")
_PREDICT = _cost("predict-time", "prediction time", "seconds")
for _time in (
    Time(quantity=_FIT, key=_FIT.name, part="fit_seconds", of_estimators=False),
    Time(quantity=_PREDICT, key=_PREDICT.name, part="predict_seconds", of_estimators=True),
    ModelSize(),
):
    MEASURES.add(_time.name, _time)
