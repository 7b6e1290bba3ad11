"""What the answer comes down to: one of six outcomes and a sentence that can be quoted."""

from dataclasses import dataclass
from enum import Enum

from evenfold.core.words import escape_control_text


class Outcome(Enum):
    """
    Better, worse, not worse, equivalent, inconclusive, or not applicable.

    About the challenger B.
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


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Verdict:
    """
    The answer to one question.

    Attributes
    ----------
    outcome : Outcome
        What the interval of the improvement of B over A says, given the margin.
    sentence : str
        The same in words, with size, interval, training size and cost.
    margin : float
        Differences up to this size do not matter. "Equivalent" is TOST (two one-sided tests) at
        level/2 each, because the two-sided interval at 1 − level lies inside ±margin.
    level : float
        Error level of this verdict; of several pairs, that of all verdicts together.
    """

    outcome: Outcome
    sentence: str
    margin: float
    level: float

    def __str__(self) -> str:
        return escape_control_text(self.sentence)

    def __repr__(self) -> str:
        return f"<Verdict {self.outcome.value!r}: {escape_control_text(self.sentence)}>"
