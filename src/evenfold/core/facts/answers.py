"""What was found of one pair, one algorithm or one part of the examples, as plain values."""

import math
import re
from dataclasses import dataclass
from typing import Any

from evenfold.core.note import Note, note
from evenfold.core.words import precision


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """
    One look at a run that grows: the estimate after m repetitions and its interval.

    ``replicability`` is that of the verdict it would have given, if it is known.
    """

    m: int
    value: float
    low: float
    high: float
    replicability: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Curve:
    """The posterior density of one algorithm's score on a grid, with mean and credible interval."""

    name: str
    x: tuple[float, ...]
    density: tuple[float, ...]
    mean: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AtSize:
    """
    One question at one training size: B − A, or one algorithm's value, with interval and outcome.

    ``means`` are the values of A and of B, or of the one algorithm: points of their learning
    curves.
    """

    n_train: int
    value: float
    low: float
    high: float
    outcome: str | None
    means: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """
    The change of B − A, or of one algorithm's value, from one training size to a larger one.

    Attributes
    ----------
    sizes : tuple of int
        Both.
    value, low, high : float
        The change, with an interval of its own: it is paired on the same examples.
    decided : bool
        Whether it changes beyond chance.
    """

    sizes: tuple[int, int]
    value: float
    low: float
    high: float
    decided: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """
    One question at two training sizes or more, and what changes between them.

    Attributes
    ----------
    at : tuple of AtSize
        The smallest size first.
    value, low, high : float
        The change of B − A (or of the value) from the smallest to the largest, with an interval of
        its own.
    decided : bool
        Whether it changes beyond chance.
    differs : bool
        Whether sign or verdict differ between the sizes.
    sentence : str
        The same in words.
    steps : tuple of Step
        The changes from each size to the next, where there are more than two sizes.
    """

    at: tuple[AtSize, ...]
    value: float
    low: float
    high: float
    decided: bool
    differs: bool
    sentence: str
    steps: tuple[Step, ...] = ()

    @property
    def digits(self) -> int:
        """Decimals that the interval of the change gives its numbers."""
        return precision(self.value, self.low, self.high)


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """
    One question: a challenger against a baseline, or one algorithm alone.

    Attributes
    ----------
    baseline : str or None
        A; None where one algorithm is estimated alone.
    challenger : str
        B, or the single algorithm.
    outcome, sentence : str or None, str
        The verdict; no outcome where one algorithm is estimated alone.
    value, low, high : float
        B − A in the measure's own units (or the algorithm's own value) and its interval; NaN where
        the method was not applicable, infinite limits where the alternative is one-sided.
    level : float
        Error level of the interval, after adjustment for several pairs.
    standard_error, statistic, df, pvalue, adjusted_pvalue : float or None
        Of the test, where the method is one.
    probability : float or None
        Posterior probability that B is better by more than the margin, where the method has a
        posterior: P(H1).
    null_probability : float or None
        Posterior probability that B is not: P(H0) = 1 − P(H1).
    accepted : {"H0", "H1"} or None
        The more probable of the two hypotheses, H0 where they are equally probable (R19 algorithm
        6.1). It says nothing of how sure that is.
    replicability : float or None
        The probability that the same data, partitioned anew at random, give the same verdict; None
        if it cannot be known.
    differences : tuple of float
        B − A (or the value) on every split.
    path : tuple of Look
        The looks of a run that may stop early, else empty.
    curves : tuple of Curve
        Posterior densities of both scores, else empty.
    sizes : Sizes or None
        What changes with the training size, where the run had several.
    along : tuple of (float, float)
        Of ordered data: how many times were tested, and the sum of B − A up to there; else empty.
    cohen_d, cohen_d_low, cohen_d_high : float or None
        Difference and interval over the standard deviation of the differences on single examples,
        where the measure has values per example.
    a12, a12_low, a12_high : float or None
        Chance that the value of B is above that of A on an example, ties counted half, as
        :func:`evenfold.infer.a12` says it; its interval reaches as many standard errors over
        examples as that of the difference.
    direction : {"better", "worse"} or None
        On which side of 0 the interval lies; None if it holds 0.
    """

    baseline: str | None
    challenger: str
    outcome: str | None = None
    sentence: str = ""
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    level: float
    standard_error: float | None = None
    statistic: float | None = None
    df: float | None = None
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    probability: float | None = None
    null_probability: float | None = None
    accepted: str | None = None
    replicability: float | None = None
    differences: tuple[float, ...] = ()
    path: tuple[Look, ...] = ()
    curves: tuple[Curve, ...] = ()
    sizes: Sizes | None = None
    along: tuple[tuple[float, ...], ...] = ()
    cohen_d: float | None = None
    cohen_d_low: float | None = None
    cohen_d_high: float | None = None
    a12: float | None = None
    a12_low: float | None = None
    a12_high: float | None = None
    direction: str | None = None

    @property
    def digits(self) -> int:
        """Decimals that the interval of this pair gives its numbers."""
        return precision(self.value, self.low, self.high)


@dataclass(frozen=True, kw_only=True, slots=True)
class Flips:
    """
    Right and wrong of B against A.

    Attributes
    ----------
    baseline, challenger : str
        A and B.
    fixed, broke : tuple
        The ids of examples that A gets wrong and B right, and of those that A gets right and B
        wrong.

    Examples
    --------
    >>> print(Flips(baseline="a", challenger="b", fixed=(3, 5), broke=(9,)))
    fixed 2, broke 1
    """

    baseline: str
    challenger: str
    fixed: tuple[Any, ...]
    broke: tuple[Any, ...]

    def __str__(self) -> str:
        return str(note("flips", fixed=len(self.fixed), broke=len(self.broke)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """
    One of more than two algorithms, by itself.

    Attributes
    ----------
    name : str
        The algorithm.
    value, low, high : float
        Its own value, and its own interval at 1 − ``level``; infinite limits where the method only
        compares.
    level : float
        Error level of this interval.
    pvalue : float or None
        Of the hypothesis that no other is better: the smallest adjusted one of the pairs in which
        it is behind; None where the method has none.
    among_best : bool or None
        Whether it is in the confidence set of the best: whether the ranks it may truly have hold 1.
    rank : int
        Its rank by value, 1 for the best.
    first, last : int or None
        The ranks that it may truly have; these intervals of all algorithms hold together. None
        where the method has no test.
    ties : str
        Letters: two algorithms share one exactly if they are tied: neither was shown to be better.
    """

    name: str
    value: float
    low: float
    high: float
    level: float
    pvalue: float | None
    among_best: bool | None
    rank: int = 0
    first: int | None = None
    last: int | None = None
    ties: str = ""

    @property
    def letters(self) -> frozenset[str]:
        """The letters of ``ties``, one by one."""
        return letters_of(self.ties)


def letters_of(ties: str) -> frozenset[str]:
    """Return the letters of a text such as ``"ab(27)"``, one by one."""
    return frozenset(re.findall(r"[a-z]|\(\d+\)", ties))


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """
    One question on one part of the examples.

    Attributes
    ----------
    column, label : str
        The column that makes the parts, and which of its values this part has.
    baseline, challenger : str
        A and B.
    n : int
        Examples of the part.
    fixed, broke : int or None
        Answers that B got right and A wrong, and the other way round, where answers are right or
        wrong.
    value, low, high : float
        B − A in the measure's own units, and its interval at 1 − ``level``; NaN where it has none.
    level : float
        Error level of the interval, after adjustment for the number of parts.
    pvalue, adjusted_pvalue : float or None
        Of no difference.
    outcome : str
        What the interval decides.
    adjust : str
        How the parts share the level.
    """

    column: str
    label: str
    baseline: str
    challenger: str
    n: int
    fixed: int | None
    broke: int | None
    value: float
    low: float
    high: float
    level: float
    pvalue: float | None
    adjusted_pvalue: float | None
    outcome: str
    adjust: str = "holm"


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
        The chance that a B whose true difference is 0 would be called not worse; None where that
        was not asked.
    differ : float or None
        The share of answers that differ, where they are right or wrong: what was seen, and at least
        the drop.
    enough_margin, enough_examples : float or None
        Where less than half of the candidates without a difference would pass: the margin with
        which 80% of them pass, and how many times as many examples would do the same; None where no
        number in sight does.

    Examples
    --------
    >>> print(
    ...     GatePower(
    ...         baseline="a", challenger="b", drop=0.04, caught=0.83, passed=0.97, differ=0.04
    ...     )
    ... )
    a candidate that is worse by 0.04 would have been caught with probability 83% (if 4% of the
    answers differ), and one whose true difference is 0 would have passed with probability 97%
    """

    baseline: str
    challenger: str
    drop: float
    caught: float
    passed: float | None = None
    differ: float | None = None
    enough_margin: float | None = None
    enough_examples: float | None = None

    def __str__(self) -> str:
        shown = ("drop", "caught", "passed", "differ")
        return str(note("gate-power", **{name: getattr(self, name) for name in shown}))

    @property
    def warning(self) -> Note | None:
        """What is said first of a gate that stops most candidates whose true difference is 0."""
        if self.passed is None or self.passed >= _MOST:
            return None
        return note(
            "gate-stops",
            passed=self.passed,
            enough_margin=self.enough_margin,
            enough_examples=self.enough_examples,
        )


_MOST = 0.5  # of the candidates whose true difference is 0
