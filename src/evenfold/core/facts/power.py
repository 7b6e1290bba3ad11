"""How surely a gate would have caught a drop, and passed a model that did not change."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class GatePower:
    """
    The power of a gate, for the examples that there were.

    Attributes
    ----------
    baseline, challenger : str
        A and B.
    drop : float
        How much worse B would be, in the measure's own units.
    caught : float
        The chance that B would then be called worse, by more than the margin where there is one.
    passed : float or None
        The chance that a B without a change would be called not worse; None where there is no margin.
    differ : float or None
        The share of answers that differ, where they are right or wrong: what was seen, and at least the drop.

    Examples
    --------
    >>> print(GatePower(baseline="a", challenger="b", drop=0.04, caught=0.83, passed=0.97, differ=0.04))
    would have caught a drop of 0.04 with 83 % (if 4 % of answers differ), and passed a model without a change
    with 97 %
    """

    baseline: str
    challenger: str
    drop: float
    caught: float
    passed: float | None = None
    differ: float | None = None

    def __str__(self) -> str:
        said = f"would have caught a drop of {self.drop:.3g} with {_chance(self.caught)}"
        if self.differ is not None:
            said += f" (if {100 * self.differ:.2g} % of answers differ)"
        if self.passed is not None:
            said += f", and passed a model without a change with {_chance(self.passed)}"
        return said


def _chance(share: float) -> str:
    """A chance in per cent that is never said to be certain."""
    if share > 0.995:
        return "more than 99 %"
    if share < 0.005:
        return "less than 1 %"
    return f"{100 * share:.0f} %"
