"""The share of wrong predictions, and that of right ones."""

from typing import Any

import numpy as np

from evenfold.core.measure import Quantity
from evenfold.run.measures._base import MEASURES, Answer, Floats, Measure

ZERO_ONE = "zero-one"


class ZeroOne(Measure):
    """1 where wrong; a tag sequence is wrong if any of its tags is."""

    quantity = Quantity(
        name=ZERO_ONE,
        words="error",
        lower_is_better=True,
        low=0.0,
        high=1.0,
        target="labels",
        per_example="values",
        counts_wrong=True,
    )
    key = ZERO_ONE
    takes_sequences = True

    def examples(self, truth: Any, answer: Answer) -> Floats:
        if isinstance(truth, list):
            return np.array([a != b for a, b in zip(truth, answer.values, strict=True)], dtype=float)
        wrong: Floats = np.asarray(truth != answer.values, dtype=float)
        return wrong


class Accuracy(Measure):
    """1 where a prediction is right, 0 where it is wrong; a tag sequence is right if all its tags are."""

    quantity = Quantity(
        name="accuracy",
        lower_is_better=False,
        low=0.0,
        high=1.0,
        target="labels",
        per_example="values",
    )
    key = "accuracy"
    takes_sequences = True

    def examples(self, truth: Any, answer: Answer) -> Floats:
        if isinstance(truth, list):
            return np.array([a == b for a, b in zip(truth, answer.values, strict=True)], dtype=float)
        right: Floats = np.asarray(truth == answer.values, dtype=float)
        return right


MEASURES.add(ZERO_ONE, ZeroOne())
MEASURES.add(Accuracy.quantity.name, Accuracy())
