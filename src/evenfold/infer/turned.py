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

    def at(self, level: float, shared: SharedLevel | None = None) -> Self:
        """Return the same with another error level."""
        return replace(self, of=self.of.at(level, shared), level=level, shared=shared)

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

    def at(self, level: float, shared: SharedLevel | None = None) -> Self:
        """Return the same with another error level."""
        return replace(self, of=self.of.at(level, shared), level=level, shared=shared)

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Credible interval, turned."""
        low, high = self.of.interval(confidence_level)
        return -high, -low

    def probability(self, null: float = 0.0) -> Floats:
        """Posterior probability that the difference exceeds ``null``."""
        return 1 - self.of.probability(-null)


def turn_estimate(found: Estimate) -> Estimate:
    """Return an estimate of A − B; one that cannot be read stays as it is."""
    if isinstance(found, UnreadableEstimate):
        return found
    shared = {
        name: getattr(found, name) for name in ("method", "estimand", "card", "level", "shared")
    }
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
