"""What became of a measured time or cost between two versions of a program."""

from enum import Enum


class Change(Enum):
    """
    Regression, improvement, unchanged, undecided, or unknown.

    It is about the candidate: a regression is a larger time or cost than that of the baseline.
    """

    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    UNCHANGED = "unchanged"
    UNDECIDED = "undecided"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return self.value
