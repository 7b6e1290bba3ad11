"""pass@k and pass^k by name: measures of repeated trials of an item, not of one prediction."""

import re
from dataclasses import dataclass
from typing import Any

from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Quantity
from evenfold.run.data import Target
from evenfold.run.measures._base import Measure

_SPELLED = re.compile(r"pass([@^])([1-9][0-9]{0,5})")


@dataclass(frozen=True, kw_only=True)
class RepeatedTrials(Measure):
    """The chance that one of k trials of an item succeeds, or that all k do."""

    quantity: Quantity
    k: int
    all_succeed: bool

    def check(self, target: Target) -> None:
        """Refuse any target: one prediction per example is no trial."""
        raise NotApplicable(
            f"measure {self.name!r} is about repeated trials of each example; use judge on a "
            "table with a "
            "column 'run'"
        )


def by_trials(name: str) -> RepeatedTrials | None:
    """
    Return the measure that a name such as "pass@3" or "pass^3" spells; None where it spells none.

    Examples
    --------
    >>> by_trials("pass^3").k, by_trials("pass^3").all_succeed, by_trials("passed")
    (3, True, None)
    """
    found = _SPELLED.fullmatch(name)
    if found is None:
        return None
    sign, k = found.groups()
    quantity = Quantity(
        name=name, words=name, lower_is_better=False, low=0.0, high=1.0, per_example="values"
    )
    return RepeatedTrials(quantity=quantity, k=int(k), all_succeed=sign == "^")


def as_trials(measure: Any) -> RepeatedTrials | None:
    """Return a measure of repeated trials, by name or itself; None for any other."""
    if isinstance(measure, str):
        return by_trials(measure)
    return measure if isinstance(measure, RepeatedTrials) else None
