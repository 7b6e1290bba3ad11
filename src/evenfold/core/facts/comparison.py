"""
Everything a report says, as one plain value: numbers, names and sentences, nothing to compute.

:class:`Facts` is what a comparison hands to the package ``report``. It holds only plain Python
values, so it can be written as JSON and read back.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from evenfold.core.checks import refuse, short_repr
from evenfold.core.facts.answers import Candidate, GatePower, Pair, Part
from evenfold.core.facts.flips import Flips
from evenfold.core.facts.plain import AS_WRITTEN, PlainFacts
from evenfold.core.losses import Failure, Quantity
from evenfold.core.note import Note
from evenfold.core.words import decimals


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """
    One algorithm over the splits that the estimate is about.

    Mean hold-out value (NaN where a fit failed), the smallest and largest of those that did not
    fail, and the mean time of a fit over all splits; NaN where there is none.
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
    name: str = ""

    @property
    def called(self) -> str:
        """What the method is called in a text; files of earlier versions know only its key."""
        return self.name or f"the method {self.key}"


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignFacts:
    """
    Who trained and who was tested.

    ``certificate`` maps the certificate's attributes, if there is one.
    """

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
class ChosenParameter:
    """
    How stable one parameter is that a search chose on every split.

    Attributes
    ----------
    name : str
        The parameter.
    usual : object
        The value that was chosen most often, the first of several.
    times, fits : int
        In how many fits it was chosen, and of how many.
    low, high : float or None
        The smallest and the largest value; None where not all values are numbers.
    """

    name: str
    usual: Any
    times: int
    fits: int
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """
    What one algorithm that searches chose on each split; nothing where the fit failed.

    ``tuning_seconds`` are what the choice took of each fit, NaN where nobody knows.
    """

    algorithm: str
    parameters: tuple[Mapping[str, Any], ...]
    tuning_seconds: tuple[float, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The parameters on each split as they are written in Python."""
        return tuple(
            ", ".join(f"{name}={value!r}" for name, value in one.items()) for one in self.parameters
        )

    @property
    def seconds_of_tuning(self) -> float:
        """What the choice took on all splits together, as far as that is known."""
        return sum(spent for spent in self.tuning_seconds if math.isfinite(spent))

    @property
    def stability(self) -> tuple[ChosenParameter, ...]:
        """How often each parameter was chosen alike, in the order of the search."""
        names = dict.fromkeys(name for one in self.parameters for name in one)
        return tuple(
            _stability(name, [one[name] for one in self.parameters if name in one])
            for name in names
        )


def _stability(name: str, values: list[Any]) -> ChosenParameter:
    written, times = Counter(map(repr, values)).most_common(1)[0]
    numbers = [
        value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    return ChosenParameter(
        name=name,
        usual=next(value for value in values if repr(value) == written),
        times=times,
        fits=len(values),
        low=min(numbers) if len(numbers) == len(values) else None,
        high=max(numbers) if len(numbers) == len(values) else None,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts(PlainFacts):
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
    values, fit_seconds : tuple of tuples
        Hold-out value and cost of each algorithm (outer) on each split (inner); NaN where the fit
        failed.
    seconds : float
        All fitting together.
    level, margin, alternative, adjust, baseline
        As asked for.
    most_repetitions : int or None
        M of a sequential test.
    fits, reused, speculative : int
        Fits run now, found in the store, and run ahead without need.
    notes : tuple of Note
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
        What each challenger got right that its baseline got wrong, and the other way round, where
        single examples were judged; else empty.
    power : tuple of GatePower
        What each gate would have caught and passed, where one was asked for; else empty.
    parts : tuple of Part
        What was found on every task and slice of the examples; else empty.
    chosen : tuple of Chosen
        The parameters that each algorithm that searches chose, fit by fit; else empty.
    goal : float or None
        The replicability that a run which stops by itself was to reach; None for other runs.
    """

    schema = 3
    earlier = (2,)
    derived = ("summaries",)

    quantity: Quantity
    estimand: str
    algorithms: tuple[str, ...]
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
    notes: tuple[Note, ...]
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
    goal: float | None = None

    @property
    def summaries(self) -> tuple[Summary, ...]:
        """Every algorithm over the splits that the estimate is about."""
        each = zip(self.algorithms, self.values, self.fit_seconds, strict=False)
        return tuple(self._summary(*one) for one in each)

    def _summary(self, name: str, values: Sequence[float], seconds: Sequence[float]) -> Summary:
        marked = [repetition < 0 for repetition in self.design.repetition]
        about = marked if any(marked) else [True] * len(marked)
        own = [*compress(values, about)]
        finite = [*filter(math.isfinite, own)]
        spent = [*filter(math.isfinite, seconds)]
        mean = np.exp(np.mean(np.log(own))) if self.quantity.ratio else np.mean(own)
        return Summary(
            name=name,
            mean=float(mean),
            low=min(finite, default=math.nan),
            high=max(finite, default=math.nan),
            seconds=float(np.mean(spent)) if spent else math.nan,
        )

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
        """
        Decimals of hold-out values.

        Those that their spread over splits and algorithms gives them.
        """
        ends = [end for one in self.summaries for end in (one.low, one.high) if math.isfinite(end)]
        if ends:
            return decimals(max(ends) - min(ends))
        return 3

    def require_question(self, where: str) -> None:
        """Refuse a question that cannot have been asked of this quantity and these algorithms."""
        if self.margin and self.margin >= self.quantity.width:
            refuse(
                f"{where}.margin",
                f"{where}.margin must be below {self.quantity.width:g}, the range of its measure, "
                f"but got {short_repr(self.margin)}.",
                AS_WRITTEN,
            )
        if self.baseline is not None and self.baseline not in self.algorithms:
            refuse(
                f"{where}.baseline",
                f"{where}.baseline must be one of its algorithms but got "
                f"{short_repr(self.baseline)}.",
            )


def require_facts(facts: object) -> Facts:
    """Return what is known of a comparison, or refuse what is something else."""
    if not isinstance(facts, Facts):
        refuse(
            "facts",
            "facts must be the facts of a comparison, such as c.facts, but got "
            f"{short_repr(facts)}.",
        )
    return facts
