"""Where a loop of proposals stands, and how that is said."""

from dataclasses import dataclass

from evenfold.comparison.keep.ledger import Ledger, Proposal
from evenfold.comparison.result import Comparison
from evenfold.core.words import format_number
from evenfold.infer.adjust import remaining_weight


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Improvement:
    """
    How much better the running best is than the first baseline; positive is better.

    Attributes
    ----------
    observed : float
        On the items that chose it: optimistic, because it was chosen for being high there.
    bound : float
        A lower bound that holds although it was chosen: at the level that the best had as a
        proposal.
    held_back : tuple of float or None
        Value, low and high on the items that no decision looked at; None where none were held back.
    """

    observed: float
    bound: float
    held_back: tuple[float, float, float] | None = None

    @property
    def optimism(self) -> float | None:
        """What the items that chose it promise beyond those that did not."""
        if self.held_back is None:
            return None
        return self.observed - self.held_back[0]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class KeepResult:
    """
    Where a loop stands, and what became of the proposal that was just made.

    Attributes
    ----------
    proposal : Proposal or None
        The one just judged; None where the loop was started or only looked at.
    comparison : Comparison or None
        Its comparison with the best of that time.
    ledger : Ledger
        Everything the file remembers.
    improvement : Improvement or None
        Of the best over the first baseline; None while nothing was kept.
    guarantee : str
        What holds for the whole loop, in a sentence, and why.
    """

    proposal: Proposal | None
    comparison: Comparison | None
    ledger: Ledger
    improvement: Improvement | None
    guarantee: str

    @property
    def kept(self) -> bool | None:
        """Whether the proposal was kept; None where none was made."""
        if self.proposal is None:
            return None
        return self.proposal.kept

    @property
    def best(self) -> str:
        """The name of the running best."""
        return self.ledger.best

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """All proposals so far."""
        return self.ledger.proposals

    @property
    def level_left(self) -> float:
        """What is left of the level for proposals to come."""
        return self.ledger.level * remaining_weight(len(self.proposals), self.ledger.horizon)

    def __str__(self) -> str:
        return "\n".join(
            filter(None, [self._decision(), self._standing_sentence(), self.guarantee])
        )

    __repr__ = __str__

    def _decision(self) -> str:
        one = self.proposal
        if one is None:
            return ""
        if one.kept:
            word = "kept"
        else:
            word = "discarded"
        by = (
            f"improvement over {one.against} {format_number(one.value)}, lower bound "
            f"{format_number(one.bound)}"
        )
        return (
            f"{one.name} is {word}: {by} at its level of {one.level:.2g} (one-sided p = "
            f"{one.pvalue:.2g})."
        )

    def _standing_sentence(self) -> str:
        count = len(self.proposals)
        made = f"{count} proposal{'' if count == 1 else 's'}, {self.ledger.kept} kept"
        best = f"the best is {self.best}"
        left = f"{self.level_left:.2g} of the level of {self.ledger.level:g} is left"
        return f"{made}; {best}{self._better()}; {left}."

    def _better(self) -> str:
        found = self.improvement
        if found is None:
            return ""
        bound = f", better than {self.ledger.first} by at least {format_number(found.bound)}"
        words = f"{bound} ({format_number(found.observed)} on the items that chose it)"
        if found.held_back is None:
            return words
        value, low, high = found.held_back
        interval = f"95% CI {format_number(low)} to {format_number(high)}"
        return f"{words}, on held-back items by {format_number(value)} ({interval})"
