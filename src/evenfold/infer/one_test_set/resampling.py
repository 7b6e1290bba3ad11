"""Tests that draw: permutations of signs, and the bootstrap of examples."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import cast

import numpy as np
from scipy import special

from evenfold.core.checks import integer, one_of
from evenfold.core.estimate import Alternative, Floats, Normal
from evenfold.core.losses import safe_ratio
from evenfold.core.rng import stream
from evenfold.infer._arrays import (
    ROUNDING,
    ArrayLike,
    fields_of_test,
    floats,
    mean_and_variance,
    warn_degenerate,
)
from evenfold.infer._base import OneSidedTests, method
from evenfold.infer._designs import ONE_SPLIT
from evenfold.infer.inputs import OneTestSet

# Tests and intervals read off sorted draws: of sign flips, of a bootstrap.


of_draws = partial(method, valid=ONE_SPLIT, takes=OneTestSet(means=True))

_FLAT = 1e-3  # BCa maps levels upwards only while 1 ∓ a·u stays positive
_AT_ONCE = 2**18  # weights that are held in memory together
_MOST_DRAWS = 10**7


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class OrderEstimate(OneSidedTests):
    """
    A test whose p-value counts draws, and whose interval ends at one of them.

    With t_1 ≤ … ≤ t_B sorted, the one-sided p-value of Δ against larger values is (1 + #{t ≤ Δ})/(B
    + 1), and the lower limit at level α is t_k, k = ⌊α(B + 1)⌋: the test rejects exactly the values
    below it.

    Attributes
    ----------
    draws : array of shape (..., B)
        Sorted draws of the estimate.
    identities : int
        Further draws that equal the data themselves and so are extreme on both sides.
    shift, acceleration : array
        z0 and a of the BCa interval, 0 for plain percentiles.
    """

    units = MappingProxyType({"value": 1, "standard_error": 1, "draws": 1})

    draws: Floats
    identities: int
    shift: Floats
    acceleration: Floats

    @property
    def _total(self) -> int:
        """B + 1: the draws and the data themselves."""
        return int(self.draws.shape[-1]) + self.identities + 1

    def _pvalue_against(self, *, larger: bool) -> Floats:
        """Return the p-value of one side, in steps of 1/(B + 1)."""
        sign = 1 if larger else -1
        tied = ROUNDING * np.abs(self.draws[..., [0, -1]]).max(axis=-1)
        edge = np.asarray(self.null + sign * tied)[..., None]
        beyond = (self.draws <= edge if sign > 0 else self.draws >= edge).sum(axis=-1)
        p = (1 + self.identities + beyond) / self._total
        z0 = sign * self.shift
        a = sign * self.acceleration
        if np.any(z0) or np.any(a):
            u = special.ndtri(np.where(p < 1, p, 0.5)) - z0
            p = np.where(p < 1, special.ndtr(u / np.maximum(1 + a * u, _FLAT) - z0), 1.0)
        return cast("Floats", p[()])

    def _limits(self, error: float) -> tuple[Floats, Floats]:
        """Return limits that are infinite if there are too few draws."""
        low = self._lower_limit(error, 1)
        high = -self._lower_limit(error, -1)
        if self.bounds is None:
            return low, high
        alike = self.standard_error == 0  # all draws are: then what so many examples leave open
        left = self.bounds.limits(self.value, 0.0, Normal().isf(error))
        low = np.where(alike, left[0], np.maximum(low, self.bounds.low))[()]
        high = np.where(alike, left[1], np.minimum(high, self.bounds.high))[()]
        return low, high

    def _lower_limit(self, error: float, sign: int) -> Floats:
        """Return the lower limit of the estimate, or of its negative."""
        z0 = sign * self.shift
        a = sign * self.acceleration
        u = z0 + special.ndtri(error)
        level = special.ndtr(
            z0 + u / np.maximum(1 - a * u, _FLAT)
        )  # Efron 1987; plain percentiles for z0 = a = 0
        k = np.floor(level * self._total + 1e-9).astype(np.intp) - self.identities
        if sign > 0:
            ordered = self.draws
        else:
            ordered = -self.draws[..., ::-1]
        place = np.clip(k - 1, 0, ordered.shape[-1] - 1)
        limit = np.take_along_axis(
            ordered, np.broadcast_to(place, self.value.shape)[..., None], axis=-1
        )
        return cast("Floats", np.where(k >= 1, limit[..., 0], -np.inf)[()])


def draw_means(sums: Floats, sizes: Floats, draws: Iterable[Floats]) -> tuple[Floats, int]:
    """
    Return sorted means over drawn units, Σ w_g S_g/Σ w_g n_g, and how many draws held none.

    ``sums`` are (..., G) and ``sizes`` (G,), those of single examples or of clusters; the weights
    of every draw come in parcels of rows (rows, G).
    """
    parts = []
    empty = 0
    for rows in draws:
        totals = rows @ sizes  # 0 where a draw holds none
        if not totals.all():
            empty += int((totals == 0).sum())
            rows = rows[totals > 0]
            totals = totals[totals > 0]
        means = sums @ rows.T
        means /= totals
        parts.append(means)
    means = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1)
    means.sort(axis=-1)
    return means, empty


def weight_batches(draws: int, n: int, make: Callable[[int], Floats]) -> Iterator[Floats]:
    """Make ``draws`` rows of n weights, some at a time."""
    rows = max(1, _AT_ONCE // n)
    for start in range(0, draws, rows):
        yield make(min(rows, draws - start))


def subsets(draws: int, n: int, make: Callable[[int], Floats]) -> Iterator[Floats]:
    """All subsets of n units but the empty one where at most ``draws``, else random ones."""
    if 2**n - 1 > draws:
        return weight_batches(draws, n, make)
    codes = np.arange(1, 2**n)[:, None]
    return iter([(codes >> np.arange(n) & 1).astype(float)])


def check_draws(draws: object) -> int:
    """Return a number of draws from which p-values can be read, or refuse it."""
    return integer("draws", draws, low=19, high=_MOST_DRAWS)


def answer_from_draws(
    mean: Floats,
    variance: Floats,
    null: float,
    alternative: Alternative,
    draws: Floats,
    *,
    identities: int = 0,
    influence: Floats | None = None,
) -> OrderEstimate:
    """
    Return the mean with its sorted draws.

    If the influence of single units is known, the interval is BCa.
    """
    fields = fields_of_test(mean, variance, null, alternative)
    warn_degenerate(fields["standard_error"] == 0, stacklevel=6)
    z0 = a = np.zeros_like(mean)
    if influence is not None:
        z0 = bias_shift(draws, mean)
        a = acceleration(influence)
    return OrderEstimate(draws=draws, identities=identities, shift=z0, acceleration=a, **fields)


def bias_shift(means: Floats, mean: Floats) -> Floats:
    """Return z0 of the BCa interval, by the share of resampled means below the estimate."""
    tied = ROUNDING * np.abs(means[..., [0, -1]]).max(axis=-1)
    below = (means < (mean - tied)[..., None]).mean(axis=-1)
    upto = (means <= (mean + tied)[..., None]).mean(axis=-1)
    half = 0.5 / means.shape[-1]  # keeps z0 finite
    return cast("Floats", special.ndtri(np.clip((below + upto) / 2, half, 1 - half)))


def acceleration(influence: Floats) -> Floats:
    """
    Return the a of the BCa interval.

    It is a sixth of the skewness of the influences of single units, whose mean is 0.
    """
    spread = np.sqrt((influence**2).sum(axis=-1, keepdims=True))
    scaled = safe_ratio(influence, spread)
    return cast("Floats", (scaled**3).sum(axis=-1) / 6)


def _draws_and_seed(draws: object = 9999, random_state: object = 0) -> tuple[int, int]:
    return check_draws(draws), integer("random_state", random_state, low=0)


@of_draws(
    name="the permutation test",
    liberal="It is exact for these two models only.",
    source="Hartigan 1969; Phipson 2010",
    check=_draws_and_seed,
)
def permutation(
    losses: ArrayLike,
    *,
    draws: int = 9999,
    random_state: int = 0,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> OrderEstimate:
    """
    Test the mean of the loss differences on one test set by swapping A and B at random.

    Parameters
    ----------
    losses : array of shape (..., n2)
        Loss of B less loss of A at each test point.
    draws : int, default 9999
        Random swaps; all 2^n2 are taken where there are no more.
    random_state : int, default 0
        Seed of the draws. It is fixed, so that the same data give the same p-value.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    OrderEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    Swapping A and B on some points changes the sign of their differences. The swapped mean is at
    least the observed one if, and only if, the mean over the swapped points is at most Δ. So the
    means over random subsets, computed once, give the p-value of every Δ and the interval. They are
    Hartigan's typical values.

    *Formula.* Mean; p-value (1 + number of swaps at least as extreme)/(draws + 1); interval by
    inversion. The statistic and the standard error are those of :func:`holdout_t`, for information.

    *Validity.* It is never above its level for the two models at hand if the differences are
    symmetric about Δ (for 0-1 losses: always, and it is the exact McNemar test). It is liberal for
    the algorithms, as :func:`holdout_t` is, because one training set says nothing about others.
    Where n2 is below 6 nothing can be significant at .05.

    *How it errs.* It is liberal. It is exact for these two models only. It estimates the expected
    difference B − A at training size n1.

    References
    ----------
    Hartigan 1969; Phipson 2010. Hartigan, J. A. (1969). Using subsample values as typical values.
    Journal of the American Statistical Association 64. Phipson, B., Smyth, G. K. (2010).
    Permutation p-values should never be zero. Statistical Applications in Genetics and Molecular
    Biology 9.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.permutation([0.3, 0.1, 0.4, -0.1, 0.2, 0.3, 0.1, 0.2])
    >>> float(e.pvalue), [round(float(x), 4) for x in e.confidence_interval(0.95)]
    (0.03125, [0.05, 0.3])
    """
    losses = floats(losses)
    draws, seed = _draws_and_seed(draws, random_state)
    n = losses.shape[-1]
    mean, s2 = mean_and_variance(losses)
    rng = stream(seed, "permutation", n)
    swaps = subsets(draws, n, lambda count: _members(rng, count, n))
    means, empty = draw_means(losses, np.ones(n), swaps)
    return answer_from_draws(mean, s2 / n, null, alternative, means, identities=empty)


def _members(rng: np.random.Generator, count: int, n: int) -> Floats:
    """Return rows of random bits."""
    octets = np.frombuffer(rng.bytes(count * -(-n // 8)), dtype=np.uint8).reshape(count, -1)
    return np.unpackbits(octets, axis=1, count=n).astype(float)


_INTERVALS = ("bca", "percentile")
_MANY = 4  # data sets from which one matrix product is quicker than gathering each


def _bootstrap_draws(
    variant: object = "bca", draws: object = 9999, random_state: object = 0
) -> tuple[int, int]:
    one_of("variant", variant, _INTERVALS)
    return _draws_and_seed(draws, random_state)


@of_draws(
    name="the paired bootstrap",
    liberal="It resamples test points only, so it is about right for these two models only.",
    source="Efron 1987",
    check=_bootstrap_draws,
)
def paired_bootstrap(
    losses: ArrayLike,
    *,
    variant: str = "bca",
    draws: int = 9999,
    random_state: int = 0,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> OrderEstimate:
    """
    Test the mean of the loss differences on one test set by resampling the test points.

    Parameters
    ----------
    losses : array of shape (..., n2)
        Loss of B less loss of A at each test point.
    variant : {"bca", "percentile"}
        Bias-corrected and accelerated percentiles, or plain ones.
    draws : int, default 9999
        Resamples.
    random_state : int, default 0
        Seed of the draws. It is fixed, so that the same data give the same p-value.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    OrderEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Mean; interval between two resampled means; the p-value is the level at which the
    interval would end at ``null``. The statistic and the standard error are those of
    :func:`holdout_t`, for information.

    *Validity.* For the two models at hand the error is near its level for n2 above 50 or so and
    somewhat above it for fewer; BCa is better than plain percentiles where differences are skewed.
    It is liberal for the algorithms: test points are resampled, training sets are not. A pair of
    examples that agree everywhere has no spread, and a bootstrap of few differing points is coarse.

    *How it errs.* It is liberal. It resamples test points only, so it is about right for these two
    models only. It estimates the expected difference B − A at training size n1.

    References
    ----------
    Efron 1987. Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American
    Statistical Association 82.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.paired_bootstrap([0.3, 0.1, 0.4, -0.1, 0.2, 0.3, 0.1, 0.2, 0.0, 0.1])
    >>> low, high = e.confidence_interval(0.95)
    >>> print(f"{float(e.value):.2f}, {low:.2f} to {high:.2f}")
    0.16, 0.07 to 0.25
    """
    losses = floats(losses)
    draws, seed = _bootstrap_draws(variant, draws, random_state)
    n = losses.shape[-1]
    mean, s2 = mean_and_variance(losses)
    rng = stream(seed, "bootstrap", n)
    batches = weight_batches(draws, n, lambda count: _resample_means(losses, rng, count))
    means = np.concatenate(list(batches), axis=-1)
    means.sort(axis=-1)
    if variant == "bca":
        influence = losses - mean[..., None]
    else:
        influence = None
    return answer_from_draws(mean, s2 / n, null, alternative, means, influence=influence)


def _resample_means(d: Floats, rng: np.random.Generator, count: int) -> Floats:
    """
    Return the means of ``count`` resamples.

    They are gathered one by one, or by one matrix product for many data sets.
    """
    n = d.shape[-1]
    drawn = rng.integers(n, size=(count, n), dtype=np.uint16 if n <= 2**16 else np.uint32)
    if d.size < _MANY * n:
        return cast("Floats", d[..., drawn].sum(axis=-1) / n)
    places = drawn + n * np.arange(count)[:, None]
    times = np.bincount(places.ravel(), minlength=count * n).reshape(count, n)
    return cast("Floats", d @ (times.T / n))
