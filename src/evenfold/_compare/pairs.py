"""Every question of a comparison: which pairs, at which level, with which estimate and verdict."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations

from evenfold._compare.phrases import about, judged, more, units
from evenfold.core.checks import one_of, refuse
from evenfold.core.errors import DegenerateData, EvenfoldWarning, NotApplicable
from evenfold.core.estimate import ALTERNATIVES, Estimate, PosteriorEstimate, TestEstimate
from evenfold.core.intervals import Bounds
from evenfold.core.losses import Losses
from evenfold.core.verdict import Verdict
from evenfold.infer import MaxT, estimate, jointly, methods
from evenfold.infer.many.adjust import ADJUSTMENTS, adjustment
from evenfold.verdict import Finding, alone, judge, not_applicable

_NOTES: dict[type[Warning], str] = {
    DegenerateData: "the differences show no spread at all: p-value and interval are conventions here"
}


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class PairResult:
    """
    One question and its answer.

    Attributes
    ----------
    baseline, challenger : str or None, str
        A and B; no baseline where one algorithm is estimated alone.
    estimate : Estimate or None
        What inference says; None where it was not applicable.
    verdict : Verdict or None
        The verdict; None where one algorithm is estimated alone.
    sentence : str
        The answer in words.
    level : float
        Error level that the adjustment left for this pair.
    pvalue, adjusted_pvalue : float or None
        Of a test.
    """

    baseline: str | None
    challenger: str
    estimate: Estimate | None
    verdict: Verdict | None
    sentence: str
    level: float
    pvalue: float | None = None
    adjusted_pvalue: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Asked:
    """What the user asked of every pair."""

    method: str
    margin: float
    level: float
    alternative: str
    adjust: str
    most: int | None
    baseline: str | None

    def __post_init__(self) -> None:
        one_of("adjust", self.adjust, ADJUSTMENTS)
        one_of("alternative", self.alternative, ALTERNATIVES)
        if not self.margin >= 0:
            refuse("margin", "≥ 0", self.margin)
        if not 0 < self.level < 0.5:
            refuse("level", "between 0 and 0.5", self.level)

    def share(self, pairs: int) -> float:
        """Return a level at which a pair may be decided whatever the others are."""
        return self.level if self.adjust == "none" else self.level / pairs


@contextmanager
def without_warnings() -> Iterator[None]:
    """Look at data that may show no spread without saying so each time; the answer says it once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvenfoldWarning)
        yield


def which_pairs(algorithms: Sequence[str], baseline: str | None) -> list[tuple[str | None, str]]:
    """Return the pairs (A, B): all, or all against a baseline; one algorithm alone has no A."""
    if len(algorithms) == 1:
        return [(None, algorithms[0])]
    if baseline is None:
        return list(combinations(algorithms, 2))
    one_of("baseline", baseline, algorithms)
    return [(baseline, other) for other in algorithms if other != baseline]


def answer(
    losses: Losses, pairs: Sequence[tuple[str | None, str]], asked: Asked, *, cost: str
) -> tuple[list[PairResult], list[str]]:
    """Return the answers to all pairs, and warnings that belong beside them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", EvenfoldWarning)
        first = [_estimate(losses, pair, asked, asked.share(len(pairs))) for pair in pairs]
        pvalues = [float(e.pvalue) if isinstance(e, TestEstimate) else None for e in first]
        joint = _joint(losses, pairs, first, asked)
        adjusted, levels = adjustment(pvalues, asked.level, asked.adjust, joint=joint)
        if asked.margin > 0 and joint is None:  # Holm's steps are about 0, not a margin: share equally
            levels = [asked.share(len(pairs))] * len(pairs)
        results = [
            _result(losses, pair, asked, _estimate(losses, pair, asked, level), level, p, q, cost)
            for pair, level, p, q in zip(pairs, levels, pvalues, adjusted, strict=True)
        ]
    notes = {_NOTES.get(w.category, str(w.message)) for w in caught}
    if len(pairs) > 1 and any(isinstance(e, PosteriorEstimate) for e in first):
        notes.add("posterior intervals and probabilities are not adjusted for the number of pairs")
    return results, sorted(notes)


def _joint(
    losses: Losses,
    pairs: Sequence[tuple[str | None, str]],
    found: Sequence[Estimate | NotApplicable],
    asked: Asked,
) -> MaxT | None:
    """Return the joint law of the pairs that have an estimate, where max-t was asked for."""
    usable = [pair for pair, one in zip(pairs, found, strict=True) if isinstance(one, Estimate)]
    if asked.adjust != "max-t" or not usable:
        return None
    return jointly(losses, asked.method, usable, alternative=asked.alternative)


def _estimate(
    losses: Losses, pair: tuple[str | None, str], asked: Asked, level: float
) -> Estimate | NotApplicable:
    a, b = pair
    try:
        found = estimate(
            losses,
            asked.method,
            challenger=b,
            baseline=a,
            alternative=asked.alternative,
            level=level,
            most=asked.most,
        )
    except NotApplicable as reason:
        if not losses.failures:
            raise
        return reason
    if not isinstance(found, (TestEstimate, PosteriorEstimate)):
        what = {
            "variance": f"estimates a variance and decides nothing; {_tests(losses)}",
            "omnibus": "is about all algorithms at once and decides no pair; use ef.infer.estimate",
        }[methods()[asked.method].family]
        raise NotApplicable(f"method {asked.method!r} {what}")
    return within(found, losses, alone=a is None)


def within(found: Estimate, losses: Losses, *, alone: bool) -> Estimate:
    """Tell a test the range of what it is about, so that its intervals stay inside."""
    if not isinstance(found, TestEstimate):
        return found
    quantity, partition = losses.quantity, losses.partition
    if not alone:
        return replace(found, bounds=Bounds(low=-quantity.width, high=quantity.width))
    return replace(found, bounds=Bounds(low=quantity.low, high=quantity.high, units=units(partition)))


def _tests(losses: Losses) -> str:
    """Name the tests that the design may have."""
    kind = losses.partition.kind
    fitting = [
        m.key for m in methods().values() if kind in m.designs and m.family == "test" and m.recommended
    ]
    return f"use {' or '.join(map(repr, fitting))}" if fitting else "use a test"


def _result(
    losses: Losses, pair: tuple[str | None, str], asked: Asked, found: Estimate | NotApplicable,
    level: float, pvalue: float | None, adjusted: float | None, cost: str,
) -> PairResult:  # fmt: skip
    a, b = pair
    if isinstance(found, NotApplicable):
        none = not_applicable(str(found), margin=asked.margin, level=level)
        return PairResult(
            baseline=a, challenger=b, estimate=None, verdict=none, sentence=str(none), level=level
        )
    finding = _finding(losses, pair, asked, found, level, cost)
    verdict = None if a is None else judge(finding, margin=asked.margin)
    sentence = alone(finding) if verdict is None else str(verdict)
    return PairResult(
        baseline=a, challenger=b, estimate=found, verdict=verdict, sentence=sentence, level=level,
        pvalue=None if a is None else pvalue, adjusted_pvalue=None if a is None else adjusted,
    )  # fmt: skip


def limits(found: Estimate) -> tuple[float, float, float]:
    """Return value, low and high of a test or a posterior."""
    if isinstance(found, PosteriorEstimate):
        low, high = found.interval()
        return float(found.mean), float(low), float(high)
    assert isinstance(found, TestEstimate)
    low, high = found.confidence_interval()
    return float(found.value), float(low), float(high)


def probability_better(found: Estimate, losses: Losses, margin: float) -> float | None:
    """Return the posterior probability that B is better than A by more than the margin."""
    if not isinstance(found, PosteriorEstimate):
        return None
    if losses.lower_is_better:
        return float(1 - found.probability(-margin))
    return float(found.probability(margin))


def _finding(
    losses: Losses, pair: tuple[str | None, str], asked: Asked, found: Estimate, level: float, cost: str
) -> Finding:
    value, low, high = limits(found)
    return Finding(
        baseline=pair[0], challenger=pair[1], quantity=judged(losses, asked.method),
        value=value, low=low, high=high, level=level,
        about=about(losses.partition, methods()[asked.method], alone=pair[0] is None), cost=cost,
        more=more(found, (value, low, high), asked.margin, losses.partition, asked.method),
        credible=isinstance(found, PosteriorEstimate),
        probability=None if pair[0] is None else probability_better(found, losses, asked.margin),
    )  # fmt: skip


def caveats(method: str) -> list[str]:
    """Return what must be said of a method that is for comparison only."""
    entry = methods()[method]
    return [] if entry.recommended else [f"{method} is for comparison only ({entry.leaning}): {entry.why}"]
