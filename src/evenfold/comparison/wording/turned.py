"""A pair asked the other way round: A − B where B − A was estimated. Nothing is computed anew."""

from dataclasses import dataclass, replace
from typing import Any, Self

from evenfold.comparison.answer import PairResult, with_verdict
from evenfold.core.estimate import Alternative, Estimate, Floats, PosteriorEstimate, TestEstimate
from evenfold.core.losses import Quantity
from evenfold.verdict import Verdict, outcome

_OTHER: dict[Alternative, Alternative] = {
    "two-sided": "two-sided",
    "greater": "less",
    "less": "greater",
}


def _as_it_was(name: str) -> Any:
    """Return a property that has the value of the estimate itself."""
    return property(lambda turned: getattr(turned.of, name))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TurnedTest(TestEstimate):
    """A test with the sign of everything turned; ``of`` is the test itself."""

    of: TestEstimate

    df = _as_it_was("df")
    pvalue = _as_it_was("pvalue")
    remark = _as_it_was("remark")
    undecided = _as_it_was("undecided")

    def at(self, level: float) -> Self:
        """Return the same with another error level."""
        return replace(self, of=self.of.at(level), level=level)

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Lower and upper limit, turned."""
        low, high = self.of.confidence_interval(confidence_level)
        return -high, -low


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TurnedPosterior(PosteriorEstimate):
    """A posterior of the difference with its sign turned; ``of`` is the posterior itself."""

    of: PosteriorEstimate

    @property
    def mean(self) -> Floats:
        """Posterior mean, turned."""
        return -self.of.mean

    def at(self, level: float) -> Self:
        """Return the same with another error level."""
        return replace(self, of=self.of.at(level), level=level)

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Credible interval, turned."""
        low, high = self.of.interval(confidence_level)
        return -high, -low

    def probability(self, null: float = 0.0) -> Floats:
        """Posterior probability that the difference exceeds ``null``."""
        return 1 - self.of.probability(-null)


def turn_pair(pair: PairResult, quantity: Quantity, *, one_sided: bool) -> PairResult:
    """Return a pair with A and B exchanged; its sentence, which names both, stays."""
    assert pair.baseline is not None  # of two algorithms
    pair = replace(
        pair,
        baseline=pair.challenger,
        challenger=pair.baseline,
        sizes=None,
        **_turned_numbers(pair),
    )
    if pair.estimate is None or pair.verdict is None:
        return pair
    estimate = _turn_estimate(pair.estimate)
    verdict = _verdict(
        pair.verdict, pair, quantity, one_sided=one_sided, only_same=bool(estimate.undecided)
    )
    return with_verdict(replace(pair, estimate=estimate), verdict)


def _turned_numbers(pair: PairResult) -> dict[str, Any]:
    """Everything that has a sign or a side, seen from the other one."""
    return {
        "value": -pair.value,
        "low": -pair.high,
        "high": -pair.low,
        "statistic": None if pair.statistic is None else -pair.statistic,
        "probability": None,  # that A is better by more than the margin is not 1 less that B is
        "differences": tuple(-one for one in pair.differences),
        "path": tuple(
            replace(one, value=-one.value, low=-one.high, high=-one.low) for one in pair.path
        ),
        "curves": pair.curves[::-1],
        "along": tuple((times, -total) for times, total in pair.along),
        "cohen_d": _negative(pair.cohen_d),
        "cohen_d_low": _negative(pair.cohen_d_high),
        "cohen_d_high": _negative(pair.cohen_d_low),
        "a12": _complement(pair.a12),
        "a12_low": _complement(pair.a12_high),
        "a12_high": _complement(pair.a12_low),
    }


def _negative(value: float | None) -> float | None:
    if value is None:
        return None
    return -value


def _complement(value: float | None) -> float | None:
    if value is None:
        return None
    return 1 - value


def _turn_estimate(found: Estimate) -> Estimate:
    shared = {name: getattr(found, name) for name in ("method", "estimand", "card", "level")}
    if isinstance(found, PosteriorEstimate):
        return TurnedPosterior(**shared, of=found)
    assert isinstance(found, TestEstimate)  # what decides is a test or a posterior
    return TurnedTest(
        **shared,
        value=-found.value,
        standard_error=found.standard_error,
        statistic=-found.statistic,
        null=-found.null,
        alternative=_OTHER[found.alternative],
        bounds=None,
        of=found,
    )


def _verdict(
    before: Verdict, pair: PairResult, quantity: Quantity, *, one_sided: bool, only_same: bool
) -> Verdict:
    worst, best = quantity.improvements(pair.low, pair.high)
    now = outcome(worst, best, before.margin, one_sided=one_sided, only_same=only_same)
    if not one_sided:
        same = before.sentence
    else:
        same = f"asked the other way round {now}: {before.sentence}"
    return replace(before, outcome=now, sentence=same)
