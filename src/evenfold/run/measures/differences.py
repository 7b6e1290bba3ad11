"""Losses of numbers: squared, absolute, and the pinball loss of a quantile."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.checks import fraction
from evenfold.core.measure import Quantity
from evenfold.run.measures._base import MEASURES, Answer, Floats, Measure


@dataclass(frozen=True, kw_only=True)
class Difference(Measure):
    """A function of truth − prediction, example by example."""

    quantity: Quantity
    key: str
    function: Callable[[Floats], Floats]

    def examples(self, truth: Any, answer: Answer) -> Floats:
        """Subtract as floats: numpy refuses to subtract booleans."""
        return self.function(np.asarray(truth, dtype=float) - np.asarray(answer.values, dtype=float))


def _difference(name: str, words: str, function: Callable[[Floats], Floats]) -> Difference:
    quantity = Quantity(
        name=name, words=words, lower_is_better=True, low=0.0, target="numbers", per_example="values"
    )
    return Difference(quantity=quantity, key=name, function=function)


def pinball(quantile: float = 0.5) -> Difference:
    """
    Make the pinball loss of a quantile; ``"pinball"`` by name is that of the median.

    Examples
    --------
    >>> pinball(0.9).name
    'pinball(0.9)'
    """
    fraction("quantile", quantile)

    def function(error: Floats) -> Floats:
        return np.maximum(quantile * error, (quantile - 1) * error)

    return _difference(f"pinball({quantile})", f"pinball loss at {quantile:g}", function)


MEASURES.add("squared", _difference("squared", "squared error", np.square))
MEASURES.add("absolute", _difference("absolute", "absolute error", np.abs))
MEASURES.add("pinball", pinball().about(name="pinball", words="pinball loss"))
