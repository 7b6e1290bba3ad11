"""The paired bootstrap on one test set: percentile and BCa intervals, and the p-value they invert to."""

import numpy as np

from evenfold.core.checks import integer, one_of
from evenfold.core.estimate import Floats
from evenfold.core.rng import stream
from evenfold.infer._base import Answer, method, standardise
from evenfold.infer._spread import mean_and_variance
from evenfold.infer._valid import ONE_SPLIT
from evenfold.infer.feeds import OneTestSet
from evenfold.infer.one_test_set._order import (
    MOST_DRAWS,
    OrderEstimate,
    acceleration,
    bias_shift,
    in_parcels,
)

_VARIANTS = ("bca", "percentile")
_MANY = 4  # data sets from which one matrix product is quicker than gathering each


@method(
    valid=ONE_SPLIT,
    takes=OneTestSet(means=True),
    liberal="resamples test points only: for these two models it is about right, not for other training sets",
    source="Efron 1987",
)
def paired_bootstrap(
    losses: Floats, *, null: float, variant: str = "bca", draws: int = 9999, random_state: int = 0
) -> Answer[OrderEstimate]:
    """
    Test the mean of the loss differences on one test set by resampling the test points.

    *Formula.* Mean; interval between two resampled means; the p-value is the level at which the interval
    would end at ``null``. The statistic and the standard error are those of :func:`holdout_t`, for
    information.

    *Validity.* For the two models at hand the error is near its level for n2 above 50 or so and somewhat
    above it for fewer; BCa is better than plain percentiles where differences are skewed. Liberal for the
    algorithms: test points are resampled, training sets are not. A pair of examples that agree everywhere
    has no spread, and a bootstrap of few differing points is coarse.

    >>> e = ef.infer.paired_bootstrap([0.3, 0.1, 0.4, -0.1, 0.2, 0.3, 0.1, 0.2, 0.0, 0.1])
    >>> low, high = e.confidence_interval(0.95)
    >>> print(f"{float(e.value):.2f}, {low:.2f} to {high:.2f}")
    0.16, 0.07 to 0.25

    Parameters
    ----------
    variant : {"bca", "percentile"}
        Bias-corrected and accelerated percentiles, or plain ones.
    draws : int, default 9999
        Resamples.
    random_state : int, default 0
        Seed of the resamples. It is fixed, so that the same data give the same p-value.
    """
    variant = one_of("variant", variant, _VARIANTS)
    draws = integer("draws", draws, low=19, high=MOST_DRAWS)
    seed = integer("random_state", random_state, low=0)
    n = losses.shape[-1]
    mean, s2 = mean_and_variance(losses)
    statistic, error, flat = standardise(mean, s2 / n, null)
    rng = stream(seed, "bootstrap", n)
    parcels = in_parcels(draws, n, lambda count: _resampled(losses, rng, count))
    means = np.concatenate(list(parcels), axis=-1)
    means.sort(axis=-1)
    nothing = np.zeros_like(mean)
    z0, a = nothing, nothing
    if variant == "bca":
        z0, a = bias_shift(means, mean), acceleration(losses - mean[..., None])
    return Answer(
        OrderEstimate,
        value=mean,
        standard_error=error,
        statistic=statistic,
        draws=means,
        identities=0,
        shift=z0,
        acceleration=a,
        flat=flat,
    )


def _resampled(d: Floats, rng: np.random.Generator, count: int) -> Floats:
    """Means of ``count`` resamples: gathered one by one, or for many data sets by one matrix product."""
    n = d.shape[-1]
    drawn = rng.integers(n, size=(count, n), dtype=np.uint16 if n <= 2**16 else np.uint32)
    if d.size < _MANY * n:
        gathered: Floats = d[..., drawn].sum(axis=-1) / n
        return gathered
    places = drawn + n * np.arange(count)[:, None]
    times = np.bincount(places.ravel(), minlength=count * n).reshape(count, n)
    means: Floats = d @ (times.T / n)
    return means
