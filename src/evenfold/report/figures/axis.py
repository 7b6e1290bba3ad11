"""The axis that figures of a difference share."""

from dataclasses import dataclass
from typing import Self

from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.words import short


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """
    The axis of a difference, or of a value.

    ``null`` and ``margin`` are what it is judged against (no null for one algorithm alone);
    ``low_side`` and ``high_side`` say who is better there.
    """

    label: str
    null: float | None
    margin: float
    low_side: str
    high_side: str

    @classmethod
    def of(cls, facts: Facts, pair: Pair | None = None) -> Self:
        """Return the axis of a pair, or of all pairs together."""
        words = short(facts.measure_words)
        a, b = ("A", "B") if pair is None else (short(pair.baseline or ""), short(pair.challenger))
        if pair is not None and pair.baseline is None:
            return cls(label=f"{words} of {b}", null=None, margin=0.0, low_side="", high_side="")
        sides = (f"{b} better", f"{a} better") if facts.lower_is_better else (f"{a} better", f"{b} better")
        return cls(
            label=f"{words}: {b} {'/' if facts.quantity.ratio else '−'} {a}",
            null=facts.quantity.neutral,
            margin=facts.margin,
            low_side=sides[0],
            high_side=sides[1],
        )
