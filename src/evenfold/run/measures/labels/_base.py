"""
What measures of labels share.

Labels as numbers, the positive class, and what scores are about.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.losses import Quantity
from evenfold.run.data import Target
from evenfold.run.measures._base import Measure

Codes = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class OfClasses(Measure):
    """A measure that must know the classes of its target."""

    quantity: Quantity
    key: str
    classes: NDArray[Any] = field(default_factory=lambda: np.empty(0))  # set when bound

    def bind(self, target: Target, *, positive: Any, scheme: str) -> Self:
        return replace(self, classes=target.classes)


def score(name: str, words: str = "", **facts: Any) -> Quantity:
    """What a score of labels is about; unless said otherwise it has outcomes and is from 0 to 1."""
    usual: dict[str, Any] = {"low": 0.0, "high": 1.0, "per_example": "outcomes"}
    return Quantity(
        name=name, words=words, lower_is_better=False, target="labels", **(usual | facts)
    )


def label_codes(labels: Any, classes: NDArray[Any]) -> Codes:
    """
    Return the place of each label among the sorted classes; one more than the last for a stranger.

    Examples
    --------
    >>> label_codes(np.array(["b", "a", "z"]), np.array(["a", "b"])).tolist()
    [1, 0, 2]
    """
    given = np.asarray(labels)
    places = np.minimum(np.searchsorted(classes, given), len(classes) - 1)
    codes: Codes = np.where(classes[places] == given, places, len(classes)).astype(np.intp)
    return codes


def positive_class(positive: Any, target: Target) -> Any:
    """
    Return the class that counts as positive.

    The one given, or the larger of 0/1, −1/1, False/True.
    """
    labels = target.classes.tolist()
    if positive is not None:
        if positive not in labels:
            refuse("positive", f"one of the labels {labels[:10]}", positive)
        return labels[labels.index(positive)]
    if labels in ([0, 1], [-1, 1], [False, True]):
        return labels[1]
    remedy = "say which class the measure is about"
    if len(labels) > 2:
        remedy += ", or take one that averages over classes"
    if any(re.match("[BIMES]-", str(label)) for label in labels):
        # tokens are no units: see docs
        remedy = "tags of tokens? pass one sequence of tags per sentence"
    refuse("positive", f"one of the labels {labels[:10]}", None, remedy)
