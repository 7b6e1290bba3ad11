"""The estimate of a pair seen from the other side: A − B in place of B − A."""

from dataclasses import dataclass, replace
from typing import Any, Self

from evenfold.core.estimate import (
    Alternative,
    Estimate,
    Floats,
    PosteriorEstimate,
    TestEstimate,
    UnreadableEstimate,
)
from evenfold.core.sharing import SharedLevel

_OTHER: dict[Alternative, Alternative] = {
    "two-sided": "two-sided",
    "greater": "less",
    "less": "greater",
}


def _as_it_was(name: str) -> Any:
    """Return a property with the value that the original estimate has."""
    return property(lambda turned: getattr(turned.of, name))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TurnedTest(TestEstimate):
    """A test with all signs changed; ``of`` is the original test."""

    of: TestEstimate

    df = _as_it_was("df")
    pvalue = _as_it_was("pvalue")
    remark = _as_it_was("remark")
    undecided = _as_it_was("undecided")

    def at(self, level: float, shared: SharedLevel | None = None) -> Self:
        """Return the same estimate with another error level."""
        return replace(self, of=self.of.at(level, shared), level=level, shared=shared)

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Return the lower and upper limit of A − B."""
        low, high = self.of.confidence_interval(confidence_level)
        return -high, -low


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TurnedPosterior(PosteriorEstimate):
    """A posterior of the difference with its sign changed; ``of`` is the original posterior."""

    of: PosteriorEstimate

    @property
    def mean(self) -> Floats:
        """Return the posterior mean of A − B."""
        return -self.of.mean

    def at(self, level: float, shared: SharedLevel | None = None) -> Self:
        """Return the same estimate with another error level."""
        return replace(self, of=self.of.at(level, shared), level=level, shared=shared)

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Return the credible interval of A − B."""
        low, high = self.of.interval(confidence_level)
        return -high, -low

    def probability(self, null: float = 0.0) -> Floats:
        """Return the posterior probability that A − B exceeds ``null``."""
        return 1 - self.of.probability(-null)


def turn_estimate(estimate: Estimate) -> Estimate:
    """Return an estimate of A − B; one that cannot be read stays as it is."""
    if isinstance(estimate, UnreadableEstimate):
        return estimate
    shared = {
        name: getattr(estimate, name) for name in ("method", "estimand", "card", "level", "shared")
    }
    if isinstance(estimate, PosteriorEstimate):
        return TurnedPosterior(**shared, of=estimate)
    assert isinstance(estimate, TestEstimate)  # what decides is a test or a posterior
    return TurnedTest(
        **shared,
        value=-estimate.value,
        standard_error=estimate.standard_error,
        statistic=-estimate.statistic,
        null=-estimate.null,
        alternative=_OTHER[estimate.alternative],
        bounds=None,
        of=estimate,
    )
