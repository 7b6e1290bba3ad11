"""The answer to one question, as data: its outcome, its verdict, and the pair that it is about."""

from dataclasses import dataclass, field, fields
from enum import Enum

from evenfold.core.estimate import Estimate
from evenfold.core.facts.answers import Pair
from evenfold.core.json import BEHIND
from evenfold.core.note import Note
from evenfold.core.words import escape_control_text


class Outcome(Enum):
    """What a comparison of two algorithms can come out as; it is about the challenger B."""

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
        """Whether one of the two was shown to be better."""
        return self in (Outcome.BETTER, Outcome.WORSE)

    @property
    def is_open(self) -> bool:
        """Whether the question is left open."""
        return self in (Outcome.INCONCLUSIVE, Outcome.NOT_APPLICABLE)


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
        """The verdict in words, with size, interval, training size and cost."""
        return str(self.said)

    def __str__(self) -> str:
        return escape_control_text(self.sentence)

    def __repr__(self) -> str:
        return f"<Verdict {self.outcome.value!r}: {self}>"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class PairResult(Pair):
    """
    One question and its answer: what a report says of it, and what is behind.

    Attributes
    ----------
    estimate : Estimate or None
        What inference says; None where it was not applicable.
    verdict : Verdict or None
        The verdict; None where one algorithm is estimated alone.

    Notes
    -----
    The other attributes are those of :class:`evenfold.core.facts.answers.Pair`: ``baseline``,
    ``challenger``, ``outcome``, ``sentence``, ``value``, ``low``, ``high``, ``level``, ``pvalue``,
    ``adjusted_pvalue``, the ``differences`` on every split, the ``path`` of looks, effect sizes,
    ``sizes``.
    """

    estimate: Estimate | None = field(default=None, metadata={BEHIND: True})
    verdict: Verdict | None = field(default=None, metadata={BEHIND: True})

    def __eq__(self, other: object) -> bool:
        """Whether a report would say the same of both."""
        if not isinstance(other, Pair):
            return NotImplemented
        names = [field.name for field in fields(Pair)]
        return [getattr(self, name) for name in names] == [getattr(other, name) for name in names]

    __hash__ = Pair.__hash__

    def __repr__(self) -> str:
        return f"<PairResult: {self.sentence}>"
