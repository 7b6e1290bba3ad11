"""The paired bootstrap on one test set: percentile and BCa intervals, and the p-value they invert to."""

import numpy as np

from evenfold.core.checks import integer, one_of
from evenfold.core.estimate import Floats
from evenfold.core.rng import stream
from evenfold.infer._base import Answer
from evenfold.infer._spread import mean_and_variance
from evenfold.infer.one_test_set._order import OrderEstimate, by_draws, enough, in_parcels, of_draws

_VARIANTS = ("bca", "percentile")
_MANY = 4  # data sets from which one matrix product is quicker than gathering each


@of_draws(
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
    """
    variant = one_of("variant", variant, _VARIANTS)
    draws, seed = enough(draws), integer("random_state", random_state, low=0)
    n = losses.shape[-1]
    mean, s2 = mean_and_variance(losses)
    rng = stream(seed, "bootstrap", n)
    means = np.concatenate(list(in_parcels(draws, n, lambda count: _resampled(losses, rng, count))), axis=-1)
    means.sort(axis=-1)
    influence = losses - mean[..., None] if variant == "bca" else None
    return by_draws(mean, s2 / n, null, means, influence=influence)


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
