"""
The facts of a comparison: the numbers, names and notes from which its report is written.

A comparison passes :class:`Facts` to the package ``report``. The class holds only plain Python
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
from evenfold.core.facts.answers import Candidate, Flips, GatePower, Pair, Part
from evenfold.core.facts.plain import AS_WRITTEN, PlainFacts, shared_digits
from evenfold.core.losses import Failure, Quantity
from evenfold.core.note import Note
from evenfold.core.words import decimals


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """
    One algorithm over the splits on which the estimate is based.

    Attributes
    ----------
    name : str
        The algorithm.
    mean : float
        Mean hold-out value; NaN if a fit failed.
    low, high : float
        The smallest and the largest hold-out value of the fits that did not fail.
    seconds : float
        Mean time of a fit over all splits; NaN if no time is known.
    """

    name: str
    mean: float
    low: float
    high: float
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class MethodFacts:
    """The method that was used, as the registry describes it."""

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
        """The name of the method in a text; files of earlier versions have only its key."""
        return self.name or f"the method {self.key}"


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignFacts:
    """
    The splits: their sizes, their overlaps and their order.

    ``certificate`` maps the attributes of the certificate to their values, if there is one.
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
    The stability of a parameter that a search chose on every split.

    Attributes
    ----------
    name : str
        The parameter.
    most_frequent : object
        The value that was chosen most often; the first of them if there are ties.
    times, fits : int
        The number of fits in which this value was chosen, and the number of all fits.
    low, high : float or None
        The smallest and the largest value; None if some values are not numbers.
    """

    name: str
    most_frequent: Any
    times: int
    fits: int
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """
    The parameters that a searching algorithm chose on each split; empty if the fit failed.

    ``tuning_seconds`` is the time of the search in each fit; NaN if it is not known.
    """

    algorithm: str
    parameters: tuple[Mapping[str, Any], ...]
    tuning_seconds: tuple[float, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The parameters on each split as Python writes them."""
        return tuple(
            ", ".join(f"{name}={value!r}" for name, value in chosen.items())
            for chosen in self.parameters
        )

    @property
    def seconds_of_tuning(self) -> float:
        """The known time of the search on all splits together."""
        return sum(spent for spent in self.tuning_seconds if math.isfinite(spent))

    @property
    def stability(self) -> tuple[ChosenParameter, ...]:
        """The stability of each parameter, in the order of the search."""
        names = dict.fromkeys(name for chosen in self.parameters for name in chosen)
        return tuple(
            _stability(name, [chosen[name] for chosen in self.parameters if name in chosen])
            for name in names
        )


def _stability(name: str, values: list[Any]) -> ChosenParameter:
    written, times = Counter(map(repr, values)).most_common(1)[0]
    numbers = [
        value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    return ChosenParameter(
        name=name,
        most_frequent=next(value for value in values if repr(value) == written),
        times=times,
        fits=len(values),
        low=min(numbers) if len(numbers) == len(values) else None,
        high=max(numbers) if len(numbers) == len(values) else None,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts(PlainFacts):
    """
    The facts of a comparison, from which its report is written.

    Attributes
    ----------
    quantity : Quantity
        The measured quantity: its name, words, direction, range, class and weights.
    estimand : str
        A phrase for what is estimated, with the training size and the names of the algorithms.
    algorithms : tuple of str
        Names, the baseline first.
    values, fit_seconds : tuple of tuples
        Hold-out value and fitting time of each algorithm (outer) on each split (inner); NaN if the
        fit failed.
    seconds : float
        Total time of all fits.
    level, margin, alternative, adjust, baseline
        Arguments of the comparison.
    most_repetitions : int or None
        The largest number of repetitions of a run that may stop before.
    fits, reused, speculative : int
        Numbers of fits that were run now, that were read from the store, and that were run ahead
        without need.
    notes : tuple of Note
        Warnings that belong beside the verdict, for example about a weakness of the method.
    call : str
        The call that repeats this comparison.
    versions : mapping
        Version of each library that mattered.
    run_id : str or None
        The identifier of the run in the store.
    created : str
        The time of the comparison, in ISO form.
    candidates : tuple of Candidate
        Each algorithm if there are more than two, the best value first; else empty.
    others : tuple of Facts
        The facts about each additional measure.
    flips : tuple of Flips
        The examples that a challenger got right and its baseline wrong, and the reverse, if single
        examples were judged; else empty.
    power : tuple of GatePower
        What each gate would have caught and passed, if gates were requested; else empty.
    parts : tuple of Part
        The results on every task and slice of the examples; else empty.
    chosen : tuple of Chosen
        The parameters that each searching algorithm chose in each fit; else empty.
    goal : float or None
        The replicability at which a run stops; None if the run has a fixed size.
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
        """Every algorithm over the splits on which the estimate is based."""
        rows = zip(self.algorithms, self.values, self.fit_seconds, strict=False)
        return tuple(self._summary(name, values, seconds) for name, values, seconds in rows)

    def _summary(self, name: str, values: Sequence[float], seconds: Sequence[float]) -> Summary:
        marked = [repetition < 0 for repetition in self.design.repetition]
        about = marked if any(marked) else [True] * len(marked)
        estimated = [*compress(values, about)]
        finite = [*filter(math.isfinite, estimated)]
        spent = [*filter(math.isfinite, seconds)]
        if self.quantity.ratio:
            mean = np.exp(np.mean(np.log(estimated)))
        else:
            mean = np.mean(estimated)
        return Summary(
            name=name,
            mean=float(mean),
            low=min(finite, default=math.nan),
            high=max(finite, default=math.nan),
            seconds=float(np.mean(spent)) if spent else math.nan,
        )

    @property
    def shared(self) -> bool:
        """Whether the pairs share the significance level, so each interval has a smaller one."""
        return any(pair.level != self.level for pair in self.pairs)

    @property
    def digits(self) -> int:
        """The number of decimals in a table of all pairs, which the shortest interval decides."""
        return shared_digits(pair for pair in self.pairs if math.isfinite(pair.value))

    @property
    def value_digits(self) -> int:
        """The number of decimals of hold-out values, from their range over splits."""
        summaries = self.summaries
        ends = [summary.low for summary in summaries] + [summary.high for summary in summaries]
        finite = [end for end in ends if math.isfinite(end)]
        if finite:
            return decimals(max(finite) - min(finite))
        return 3

    def require_question(self, where: str) -> None:
        """Refuse a question that this quantity and these algorithms make impossible."""
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
    """Return the facts of a comparison; refuse any other object."""
    if not isinstance(facts, Facts):
        refuse(
            "facts",
            "facts must be the facts of a comparison, such as c.facts, but got "
            f"{short_repr(facts)}.",
        )
    return facts
