"""The share of wrong predictions, and that of right ones."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.losses import Quantity
from evenfold.run.measures._base import MEASURES, Floats, Measure, Predictions, loss, score

ZERO_ONE = "zero-one"


@dataclass(frozen=True, kw_only=True)
class Share(Measure):
    """
    1 where ``each`` is true of truth and prediction.

    A tag sequence is right if all its tags are.
    """

    quantity: Quantity
    key: str
    each: Callable[[Any, Any], Any]
    takes_sequences = True

    def examples(self, truth: Any, answer: Predictions) -> Floats:
        if isinstance(truth, list):
            pairs = zip(truth, answer.values, strict=True)
            return np.array([self.each(*pair) for pair in pairs], dtype=float)
        counted: Floats = np.asarray(self.each(truth, answer.values), dtype=float)
        return counted


_ERROR = loss(ZERO_ONE, "error", high=1.0, target="labels", counts_wrong=True, right_or_wrong=True)
MEASURES.add(ZERO_ONE, Share(quantity=_ERROR, key=ZERO_ONE, each=operator.ne))
_RIGHT = score("accuracy", per_example="values", right_or_wrong=True)
MEASURES.add("accuracy", Share(quantity=_RIGHT, key="accuracy", each=operator.eq))
