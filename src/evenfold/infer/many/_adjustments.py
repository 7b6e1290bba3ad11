"""What an adjustment is: from p-values to adjusted ones, and the level of simultaneous intervals."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.estimate import Floats
from evenfold.core.registry import Registry


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Adjustment:
    """
    One way in which several tests share an error level.

    Attributes
    ----------
    key, words : str
        Its name, and what people call it.
    why : str
        When the chance of any false rejection is at most the level.
    rule : callable
        From p-values (..., k) to adjusted ones.
    share_of : callable
        From the number of tests and the level of the family to the level that each test may have whatever
        the others say: that of simultaneous intervals.
    all_pairs : bool
        Whether it rests on what the equality of some algorithms says of others, so that all pairs are needed.
    most : int, optional
        Algorithms that it can do at most, for which ``why_most`` has the reason.
    joint : bool
        Whether it needs the joint law of the tests, not only p-values.
    shares : bool
        Whether tests share the level at all.
    """

    key: str
    words: str
    why: str
    rule: Callable[[Floats], Floats]
    share_of: Callable[[int, float], float] = lambda k, level: level / k
    all_pairs: bool = False
    most: int | None = None
    why_most: str = ""
    joint: bool = False
    shares: bool = True

    def check(self, name: str, algorithms: int, *, baseline: object = None) -> None:
        """Refuse too many algorithms, and comparisons with one of them where all pairs are needed."""
        if self.all_pairs and baseline is not None:
            rule = f"one that needs no pairs but those with {baseline!r}"
            refuse(name, rule, self.key, "use 'holm', or leave the baseline out")
        if self.most is not None and algorithms > self.most:
            rule = f"one that can do {algorithms} algorithms"
            refuse(name, rule, self.key, f"{self.why_most}; use 'shaffer'")


ADJUSTMENTS: Registry[Adjustment] = Registry("adjustment", "evenfold.adjustments")


def step_down(p: Floats, each: Callable[[Floats], Floats]) -> Floats:
    """Adjusted p-values that never fall from the smallest p-value on; ``each`` takes sorted ones."""
    return _in_steps(p, lambda q: np.maximum.accumulate(each(q), axis=-1))


def step_up(p: Floats, each: Callable[[Floats], Floats]) -> Floats:
    """Adjusted p-values that never rise from the largest p-value on."""
    return _in_steps(p, lambda q: np.minimum.accumulate(each(q)[..., ::-1], axis=-1)[..., ::-1])


def _in_steps(p: Floats, steps: Callable[[Floats], Floats]) -> Floats:
    order = np.argsort(p, axis=-1, kind="stable")
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(steps(np.take_along_axis(p, order, axis=-1)), 1.0), axis=-1)
    return adjusted


def stepping_down(
    key: str, words: str, why: str, factors: Callable[[Floats], Floats], **known: Any
) -> Adjustment:
    """A step-down adjustment that multiplies sorted p-values by factors."""
    return Adjustment(
        key=key,
        words=words,
        why=why,
        rule=lambda p: step_down(p, lambda q: q * factors(q)),
        **known,
    )
