"""The checked data of a question, made of raw input once, at the door; nothing behind it looks again."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Target = Literal["labels", "numbers", "sequences"]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Task:
    """
    Examples, what is to be predicted, and what else is known of each example.

    Attributes
    ----------
    X, y
        One row, text or sequence per example, and what is to be predicted for it, in the same order.
    n : int
        Number of examples.
    target : {"labels", "numbers", "sequences"}
        What is to be predicted.
    groups, features, weights : array or None
        Source of each example, level counts for balance, sample weights.
    order : array or None
        The time of each example, numbered 0, 1, 2, …; None where examples have no order that matters.

    Examples
    --------
    >>> Task(X=[[0.0], [1.0], [2.0]], y=["a", "b", "b"], n=3, target="labels").rarest
    1
    """

    X: Any
    y: Any
    n: int
    target: Target
    groups: Any = None
    features: Any = None
    weights: Any = None
    order: Any = None

    @property
    def per_example(self) -> dict[str, Any]:
        """What a design may ask for; designs of ordered data keep together what happens at one time."""
        groups = self.groups if self.order is None else self.order
        return {"y": self.y, "groups": groups, "features": self.features}

    @property
    def class_sizes(self) -> "np.ndarray[Any, np.dtype[np.intp]]":
        """How many examples each class has; empty for tag sequences."""
        if self.target == "sequences":
            return np.empty(0, dtype=np.intp)
        return np.unique(np.asarray(self.y), return_counts=True)[1]

    @property
    def rarest(self) -> int:
        """Size of the smallest class."""
        return int(self.class_sizes.min())
