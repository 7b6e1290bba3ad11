"""One of more than two algorithms in a ranking, as one plain value."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """
    One of more than two algorithms, by itself.

    Attributes
    ----------
    name : str
        The algorithm.
    value, low, high : float
        Its own value, and an interval that holds together with those of all others; infinite limits where
        the method only compares.
    level : float
        Error level of this interval.
    pvalue : float or None
        Of the hypothesis that no other is better: the smallest adjusted one of the pairs in which it is
        behind; None where the method has none.
    among_best : bool or None
        Whether it is in the confidence set of the best: whether the ranks it may truly have hold 1.
    rank : int
        Its rank by value, 1 for the best.
    first, last : int or None
        The ranks that it may truly have; these intervals of all algorithms hold together. None where the
        method has no test.
    ties : str
        Letters: two algorithms share one exactly if they were not told apart.
    left_after : int or None
        The repetitions after which a race left it out; None where it was run to the end.
    """

    name: str
    value: float
    low: float
    high: float
    level: float
    pvalue: float | None
    among_best: bool | None
    rank: int = 0
    first: int | None = None
    last: int | None = None
    ties: str = ""
    left_after: int | None = None

    @property
    def letters(self) -> frozenset[str]:
        """The letters of ``ties``, one by one."""
        return frozenset(re.findall(r"[a-z]|\(\d+\)", self.ties))
