"""The Bayesian correlated t-test: a Student posterior whose correlation comes from the design."""

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from evenfold.core.checks import integer, number
from evenfold.core.estimate import Floats, PosteriorEstimate, StudentT
from evenfold.infer._base import Answer, method, standardise
from evenfold.infer._spread import mean_and_variance
from evenfold.infer._valid import SPLITS_OR_FOLDS


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Region:
    """
    Posterior probabilities to the left of, inside and to the right of ±margin; they add up to 1.

    Attributes
    ----------
    left, rope, right : array
        P(B − A < −margin), P(−margin ≤ B − A ≤ margin), P(B − A > margin). Whether left or right is the good
        side depends on the measure: for a loss B is better on the left.
    """

    left: Floats
    rope: Floats
    right: Floats


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class StudentPosterior(PosteriorEstimate):
    """
    A Student t posterior of a mean.

    Attributes
    ----------
    location, scale : array
        Centre and scale; where the scale is 0 the posterior is a point, which counts half to either side of
        a limit that it lies on.
    df : float
        Degrees of freedom.
    """

    units = MappingProxyType({"location": 1, "scale": 1})

    location: Floats
    scale: Floats
    df: float

    @property
    def mean(self) -> Floats:
        """Posterior mean (the median, for one degree of freedom)."""
        return self.location

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Equal-tailed credible interval."""
        reach = StudentT(self.df).isf(self.error(confidence_level) / 2) * self.scale
        return self.location - reach, self.location + reach

    def probability(self, null: float = 0.0) -> Floats:
        """Posterior probability that the quantity exceeds ``null``."""
        statistic, _, _ = standardise(self.location, self.scale**2, number("null", null))
        return StudentT(self.df).sf(-statistic)

    def rope(self, margin: float) -> Region:
        """Probabilities of the three regions that ±``margin`` makes."""
        margin = number("margin", margin, low=0.0)
        right, left = self.probability(margin), 1 - self.probability(-margin)
        return Region(left=left, rope=np.maximum(1 - left - right, 0.0), right=right)


@method(
    valid=SPLITS_OR_FOLDS,
    depends="liberal where the correlation of two hold-out values exceeds n2/(n1+n2), conservative below",
    source="Corani 2015, with ρ from the design (NB section 4)",
    recommended=True,
)
def bayes_correlated_t(d: Floats, *, n_train: int, n_test: int) -> Answer[StudentPosterior]:
    """
    Return the posterior of the mean difference of J correlated hold-out values.

    *Formula.* Centre: the mean of J. Squared scale: (1/J + n2/n1)·S². J − 1 degrees of freedom.
    ``rope(margin)`` gives the three probabilities of a region of practical equivalence, ``probability(null)``
    and ``interval(confidence_level)`` the rest.

    *Validity.* Under the matching prior p(μ, σ) ∝ 1/σ this is the corrected resampled t-test
    (:func:`corrected_resampled_t`) read as a posterior: its intervals are the same, and so are its errors. ρ
    is a guess, not an estimate: where hold-out values are correlated more strongly it is too sure, elsewhere
    too timid. Implementations that put ρ = 1/J, as for J folds, are right for J folds only: at J = 10 random
    splits of 70/30 they assume .1 where n2/(n1+n2) is .3, and decide for one of two equal algorithms far too
    often. The answer is about training sets of n1.

    >>> posterior = ef.infer.bayes_correlated_t([0.01, 0.03, 0.02, 0.04, 0.01], n_train=80, n_test=20)
    >>> region = posterior.rope(0.01)
    >>> [round(float(p), 3) for p in (region.left, region.rope, region.right)]
    [0.011, 0.11, 0.879]
    """
    n1, n2 = integer("n_train", n_train, low=1), integer("n_test", n_test, low=1)
    J = d.shape[-1]
    mean, s2 = mean_and_variance(d)
    _, scale, flat = standardise(mean, (1 / J + n2 / n1) * s2, 0.0)
    return Answer(StudentPosterior, location=mean, scale=scale, df=J - 1, flat=flat, n_train=n1)
