"""What a comparison of two algorithms can come out as."""

from enum import Enum


class Outcome(Enum):
    """
    Better, worse, not worse, equivalent, inconclusive, or not applicable.

    It is about the challenger B.
    """

    BETTER = "better"
    WORSE = "worse"
    NOT_WORSE = "not worse"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not applicable"

    def __str__(self) -> str:
        return self.value

    @property
    def decided(self) -> bool:
        """Whether one of them was shown to be better."""
        return self in (Outcome.BETTER, Outcome.WORSE)

    @property
    def is_open(self) -> bool:
        """Whether the question is left open."""
        return self in (Outcome.INCONCLUSIVE, Outcome.NOT_APPLICABLE)
