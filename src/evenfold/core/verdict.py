"""The answer to one question, as data."""

from dataclasses import dataclass

from evenfold.core.note import Note
from evenfold.core.outcome import Outcome
from evenfold.core.words import escape_control_text


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Verdict:
    """
    The answer to one question.

    Attributes
    ----------
    outcome : Outcome
        What the interval of the improvement of B over A says, given the margin.
    margin : float
        Differences up to this size do not matter. "Equivalent" is TOST (two one-sided tests) at
        level/2 each, because the two-sided interval at 1 − level lies inside ±margin.
    level : float
        Error level of this verdict; of several pairs, that of all verdicts together.
    direction : {"better", "worse"} or None
        On which side of 0 the interval lies; None if it holds 0.
    replicability : float or None
        The probability that the same data, partitioned anew at random, give the same verdict; None
        if it cannot be known.
    said : Note
        What the sentence says, as data: names, size, interval, training size and cost.
    """

    outcome: Outcome
    margin: float
    level: float
    direction: str | None = None
    replicability: float | None = None
    said: Note

    @property
    def sentence(self) -> str:
        """The same in words, with size, interval, training size and cost."""
        return str(self.said)

    def __str__(self) -> str:
        return escape_control_text(self.sentence)

    def __repr__(self) -> str:
        return f"<Verdict {self.outcome.value!r}: {self}>"
