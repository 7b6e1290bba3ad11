"""
Everything a report says, as one plain value: numbers, names and sentences, nothing to compute.

:class:`Facts` is what a comparison hands to the room ``report``. It holds only plain Python values, so it can
be written as JSON and read back.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evenfold.core.checks import refuse
from evenfold.core.facts._written import Written
from evenfold.core.facts.candidate import Candidate as Candidate  # one of the facts
from evenfold.core.facts.flips import Flips
from evenfold.core.facts.parts import Part
from evenfold.core.facts.power import GatePower
from evenfold.core.losses import Failure
from evenfold.core.measure import Quantity
from evenfold.core.words import decimals, precision


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """One look of a sequential test: the estimate after m repetitions and its interval."""

    m: int
    value: float
    low: float
    high: float


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

    ``means`` are the values of A and of B, or of the one algorithm: points of their learning curves.
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
        The change of B − A (or of the value) from the smallest to the largest, with an interval of its own.
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
        B − A in the measure's own units (or the algorithm's own value) and its interval; NaN where the
        method was not applicable, infinite limits where the alternative is one-sided.
    level : float
        Error level of the interval, after adjustment for several pairs.
    standard_error, statistic, df, pvalue, adjusted_pvalue : float or None
        Of the test, where the method is one.
    probability : float or None
        Posterior probability that B is better by more than the margin, where the method has a posterior.
    differences : tuple of float
        B − A (or the value) on every split.
    path : tuple of Look
        The looks of a sequential test, else empty.
    curves : tuple of Curve
        Posterior densities of both scores, else empty.
    sizes : Sizes or None
        What changes with the training size, where the run had several.
    along : tuple of (float, float)
        Of ordered data: how many times were tested, and the sum of B − A up to there; else empty.
    cohen_d, cohen_d_low, cohen_d_high : float or None
        Difference and interval over the standard deviation of the differences on single examples, where the
        measure has values per example.
    a12, a12_low, a12_high : float or None
        Chance that the value of B is above that of A on an example, ties counted half, as
        :func:`evenfold.infer.a12` says it; its interval reaches as many standard errors over examples as that
        of the difference.
    """

    baseline: str | None
    challenger: str
    outcome: str | None
    sentence: str
    value: float
    low: float
    high: float
    level: float
    standard_error: float | None = None
    statistic: float | None = None
    df: float | None = None
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    probability: float | None = None
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

    @property
    def digits(self) -> int:
        """Decimals that the interval of this pair gives its numbers."""
        return precision(self.value, self.low, self.high)


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """
    One algorithm over the splits that the estimate is about.

    Mean hold-out value (NaN where a cell failed), the smallest and largest of the cells that did not fail,
    and the mean time of a fit over all splits; NaN where there is none.
    """

    name: str
    mean: float
    low: float
    high: float
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class MethodFacts:
    """What the registry says of the method that was used."""

    key: str
    estimand: str
    leaning: str
    why: str
    source: str
    recommended: bool
    card: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignFacts:
    """Who trained and who was tested; ``certificate`` maps the certificate's attributes, if there is one."""

    name: str
    kind: str
    seed: int | None
    n: int
    n_train: int
    n_test: int
    repetition: tuple[int, ...]
    fold: tuple[int, ...]
    train_sizes: tuple[int, ...]
    test_sizes: tuple[int, ...]
    overlaps: tuple[tuple[int, ...], ...]
    certificate: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """What one algorithm that searches chose on each split; nothing where the cell failed."""

    algorithm: str
    parameters: tuple[Mapping[str, Any], ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The parameters on each split as they are written in Python."""
        return tuple(", ".join(f"{name}={value!r}" for name, value in one.items()) for one in self.parameters)


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts(Written):
    """
    Everything a report says.

    Attributes
    ----------
    quantity : Quantity
        What was measured: name, words, direction, range, class and weights.
    estimand : str
        What the numbers are about, with the training size, in the names of this comparison.
    algorithms : tuple of str
        Names, the baseline first.
    summaries : tuple of Summary
        Every algorithm over the splits that the estimate is about.
    values, fit_seconds : tuple of tuples
        Hold-out value and cost of each algorithm (outer) on each split (inner); NaN where the cell failed.
    seconds : float
        All fitting together.
    level, margin, alternative, adjust, baseline, question
        As asked for.
    most_repetitions : int or None
        M of a sequential test.
    fits, reused, speculative : int
        Cells run now, found in the store, and run ahead without need.
    notes : tuple of str
        Warnings that belong beside the verdict, for example what is wrong with a method.
    call : str
        The call that gives this result again.
    versions : mapping
        Version of each library that mattered.
    run_id : str or None
        Under which the store knows the run.
    created : str
        When, in ISO form.
    candidates : tuple of Candidate
        More than two algorithms one by one, the best value first; else empty.
    others : tuple of Facts
        The same about each further measure that was asked for.
    flips : tuple of Flips
        What each challenger got right that its baseline got wrong, and the other way round, where single
        examples were judged; else empty.
    power : tuple of GatePower
        What each gate would have caught and passed, where one was asked for; else empty.
    parts : tuple of Part
        What was found on every task and slice of the examples; else empty.
    chosen : tuple of Chosen
        The parameters that each algorithm that searches chose, fit by fit; else empty.
    """

    schema = 2

    quantity: Quantity
    estimand: str
    algorithms: tuple[str, ...]
    summaries: tuple[Summary, ...]
    values: tuple[tuple[float, ...], ...]
    fit_seconds: tuple[tuple[float, ...], ...]
    seconds: float
    level: float
    margin: float
    alternative: str
    adjust: str
    method: MethodFacts
    design: DesignFacts
    pairs: tuple[Pair, ...]
    most_repetitions: int | None
    fits: int
    reused: int
    speculative: int
    failures: tuple[Failure, ...]
    notes: tuple[str, ...]
    call: str
    versions: Mapping[str, str]
    run_id: str | None
    created: str
    candidates: tuple[Candidate, ...] = ()
    others: "tuple[Facts, ...]" = ()
    flips: tuple[Flips, ...] = ()
    power: tuple[GatePower, ...] = ()
    parts: tuple[Part, ...] = ()
    chosen: tuple[Chosen, ...] = ()
    baseline: str | None = None
    question: str = "pairs"

    @property
    def shared(self) -> bool:
        """Whether the pairs share the level, so that the interval of each has less of it."""
        return any(pair.level != self.level for pair in self.pairs)

    @property
    def digits(self) -> int:
        """Decimals of a table of all pairs: those of the shortest interval."""
        return max((pair.digits for pair in self.pairs if math.isfinite(pair.value)), default=3)

    @property
    def value_digits(self) -> int:
        """Decimals of hold-out values: those that their spread over splits and algorithms gives them."""
        ends = [end for one in self.summaries for end in (one.low, one.high) if math.isfinite(end)]
        return decimals(max(ends) - min(ends)) if ends else 3


def require_facts(facts: object) -> Facts:
    """Return what is known of a comparison, or refuse what is something else."""
    if not isinstance(facts, Facts):
        refuse("facts", "the facts of a comparison, such as c.facts", facts)
    return facts
