"""A measure of your own: the absolute error, but no error counts more than 1."""

from typing import Any

import numpy as np

from evenfold.extend import Measure, Quantity


class Capped(Measure):
    """min(|truth − prediction|, 1), one value per example, so every method may use it."""

    quantity = Quantity(
        name="capped",
        words="capped error",
        lower_is_better=True,
        low=0.0,
        high=1.0,
        target="numbers",
        per_example="values",
    )
    key = "capped"

    def examples(self, truth: Any, answer: Any) -> Any:
        """Return the value of every test example."""
        return np.minimum(np.abs(truth - answer.values), 1.0)


CAPPED = Capped()
