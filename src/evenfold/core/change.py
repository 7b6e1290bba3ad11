"""What became of a measured time or cost between two versions of a program."""

from enum import StrEnum
from typing import Any

from evenfold.core.checks import one_of


class Change(StrEnum):
    """
    Regression, improvement, unchanged, undecided, or unknown.

    It is about the candidate: a regression is a larger time or cost than that of the baseline.
    """

    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    UNCHANGED = "unchanged"
    UNDECIDED = "undecided"
    UNKNOWN = "unknown"

    @classmethod
    def from_plain(cls, plain: Any, where: str) -> "Change":
        """Read what a file says."""
        return cls(one_of(where, plain, list(cls)))
