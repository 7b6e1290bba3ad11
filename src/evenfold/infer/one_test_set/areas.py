"""DeLong's test of two areas under ROC curves: on one test set, or each on its own."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import integer, refuse, vector
from evenfold.core.estimate import Estimand, Floats, Normal, TestEstimate, open_interval_side
from evenfold.core.partition import HOLDOUT
from evenfold.core.ranking import placements
from evenfold.infer._arrays import broadcast_arrays, finite, mean_and_variance
from evenfold.infer._base import ROUNDING, Answer, Pivot, method, standardise
from evenfold.infer._registry import ONE_SPLIT
from evenfold.infer.inputs import OneTestSet, Question, Scores, TwoTestSets

# Tests and intervals read off sorted draws: of sign flips, of a bootstrap.


of_draws = partial(method, valid=ONE_SPLIT, takes=OneTestSet(means=True))

_FLAT = 1e-3  # BCa maps levels upwards only while 1 ∓ a·u stays positive
_AT_ONCE = 2**18  # weights that are held in memory together
_MOST_DRAWS = 10**7


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class OrderEstimate(TestEstimate):
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
        Draws beside these that equal the data themselves and so are extreme on both sides.
    shift, acceleration : array
        z0 and a of the BCa interval, 0 for plain percentiles.
    """

    units = MappingProxyType({"value": 1, "standard_error": 1, "draws": 1})

    draws: Floats
    identities: int
    shift: Floats
    acceleration: Floats

    @property
    def pvalue(self) -> Floats:
        """The p-value, in steps of 1/(B + 1)."""
        if self.alternative == "greater":
            return self._tail(1)
        if self.alternative == "less":
            return self._tail(-1)
        return cast("Floats", np.minimum(2 * np.minimum(self._tail(1), self._tail(-1)), 1.0))

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """
        Interval of all values that the test does not reject.

        Infinite where the draws are too few.
        """
        error = self.error_per_side(confidence_level)
        low = self._limit(error, 1)
        high = -self._limit(error, -1)
        if self.bounds is not None:
            alike = self.standard_error == 0  # all draws are: then what so many examples leave open
            left = self.bounds.limits(self.value, 0.0, Normal().isf(error))
            low = np.where(alike, left[0], np.maximum(low, self.bounds.low))[()]
            high = np.where(alike, left[1], np.minimum(high, self.bounds.high))[()]
        return open_interval_side(low, high, self.alternative)

    @property
    def _total(self) -> int:
        """B + 1: the draws and the data themselves."""
        return int(self.draws.shape[-1]) + self.identities + 1

    def _tail(self, sign: int) -> Floats:
        """One-sided p-value: against larger values of the estimate, or of its negative."""
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

    def _limit(self, error: float, sign: int) -> Floats:
        """Lower limit of the estimate, or of its negative."""
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
    Sorted means over drawn units, Σ w_g S_g/Σ w_g n_g, and how many draws held none.

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
    if len(parts) == 1:
        means = parts[0]
    else:
        means = np.concatenate(parts, axis=-1)
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
    draws: Floats,
    *,
    identities: int = 0,
    influence: Floats | None = None,
) -> Answer[OrderEstimate]:
    """
    Return the mean with its sorted draws.

    With the influence of single units the interval is BCa.
    """
    statistic, error, flat = standardise(mean, variance, null)
    z0 = a = np.zeros_like(mean)
    if influence is not None:
        z0 = bias_shift(draws, mean)
        a = acceleration(influence)
    return Answer(
        OrderEstimate,
        value=mean,
        standard_error=error,
        statistic=statistic,
        draws=draws,
        identities=identities,
        shift=z0,
        acceleration=a,
        flat=flat,
    )


def bias_shift(means: Floats, mean: Floats) -> Floats:
    """z0 of the BCa interval, from the share of resampled means below the estimate (Efron 1987)."""
    tied = ROUNDING * np.abs(means[..., [0, -1]]).max(axis=-1)
    below = (means < (mean - tied)[..., None]).mean(axis=-1)
    upto = (means <= (mean + tied)[..., None]).mean(axis=-1)
    half = 0.5 / means.shape[-1]  # keeps z0 finite
    return cast("Floats", special.ndtri(np.clip((below + upto) / 2, half, 1 - half)))


def acceleration(influence: Floats) -> Floats:
    """
    The a of the BCa interval.

    a sixth of the skewness of the influence of single units, their mean 0.
    """
    spread = np.sqrt((influence**2).sum(axis=-1))
    scaled = influence / np.where(spread > 0, spread, 1.0)[..., None]
    a: Floats = (scaled**3).sum(axis=-1) / 6
    return a


_area = partial(
    method,
    valid=ONE_SPLIT,
    estimand=Estimand(quantity="area under the ROC curve"),
    liberal="knows the spread of test points but not that of training sets; it is right for these "
    "two models",
)


def _from_placements(asked: Question) -> Pivot:
    """The same from what a ranking measure gives per example, whose mean has that variance."""
    (values,) = Scores().read(asked)
    mean, s2 = mean_and_variance(values)
    return Pivot(mean, s2 / values.shape[-1], Normal())


@_area(
    takes=Scores(),
    source="DeLong 1988; Sun 2014",
    default_for=(HOLDOUT,),
    no_card="the lab's worlds give losses and counts, not scores to rank by",
    run=_from_placements,
)
def delong(scores_a: Any, scores_b: Any, y: Any, *, positive: Any = None) -> Pivot:
    """
    Test the difference of two areas under the ROC curve on one test set.

    *Formula.* AUC_B − AUC_A, variance S²(D10)/m + S²(D01)/k, where D10 and D01 are the differences
    of the placement values of the m positive and the k negative examples, reference N(0, 1).

    *Validity.* Right for the two models at hand once both classes have 30 test points or so; for
    fewer, and for areas near 1, the normal reference is liberal. Liberal for the algorithms, as
    :func:`holdout_t` is: one training set says nothing about others. Placement values by midranks
    take n·log n steps.

    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> a, b = [1, 3, 2, 5, 4, 2, 6, 7], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> e = ef.infer.delong(a, b, y)
    >>> round(float(e.value), 5), round(float(e.pvalue), 4)
    (0.21875, 0.2299)

    Parameters
    ----------
    positive : label, optional
        The positive class; the larger label where none is given.
    """
    is_positive = _labels(y, positive)
    a, b = (
        _scores(name, s, len(is_positive))
        for name, s in (("scores_a", scores_a), ("scores_b", scores_b))
    )
    a, b = broadcast_arrays(scores_a=a, scores_b=b)
    parts = zip(placements(a, is_positive), placements(b, is_positive), strict=True)
    (value, positives), (_, negatives) = (
        mean_and_variance(theirs - ours) for ours, theirs in parts
    )
    m = int(is_positive.sum())
    variance = positives / m + negatives / (len(is_positive) - m)
    return Pivot(value, variance, Normal())


@_area(
    takes=TwoTestSets(),
    source="DeLong 1988",
    no_card="the lab's designs test both algorithms on the same examples",
)
def unpaired_delong(
    scores_a: Any, scores_b: Any, y_a: Any, y_b: Any, *, positive: Any = None
) -> Pivot:
    """
    Test the difference of two areas under the ROC curve, each from a test set of its own.

    *Formula.* AUC_B − AUC_A, variance the sum of DeLong's two, reference N(0, 1).

    *Validity.* Right for the two models at hand once each class of each test set has 30 points or
    so, and if no example is in both; liberal for fewer, and for the algorithms, as :func:`delong`
    is. R's pROC has the same statistic and takes a t for its reference. On one test set that both
    models met it is wasteful: use :func:`delong`.

    >>> a, b = [1, 3, 2, 5, 4, 2, 6, 7], [1, 2, 3, 4, 5, 6]
    >>> e = ef.infer.unpaired_delong(a, b, [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 0, 1, 1])
    >>> round(float(e.value), 5), round(float(e.pvalue), 4)
    (0.10764, 0.6546)

    Parameters
    ----------
    positive : label, optional
        The positive class; the larger label of each test set where none is given.
    """
    each = []
    for name, scores, y in (("a", scores_a, y_a), ("b", scores_b, y_b)):
        mask = _labels(y, positive, name=f"y_{name}")
        array = _scores(f"scores_{name}", scores, len(mask))
        each.append(
            [(*mean_and_variance(part), part.shape[-1]) for part in placements(array, mask)]
        )
    (a, _), (b, _) = (one[0][:2] for one in each)
    parts = broadcast_arrays(
        **{f"{i}{j}": s2 / m for i, one in enumerate(each) for j, (_, s2, m) in enumerate(one)}
    )
    return Pivot(b - a, np.sum(parts, axis=0), Normal())


def _labels(y: Any, positive: Any, *, name: str = "y") -> NDArray[np.bool_]:
    labels = _vector(y, name)
    try:
        classes = np.unique(labels)
    except TypeError:
        refuse(name, "labels of one kind", y)
    if len(classes) != 2:
        refuse(name, "labels of two classes", f"{len(classes)} classes")
    if positive is not None and not any(
        positive is one or positive == one for one in classes.tolist()
    ):
        refuse("positive", f"one of the labels {classes.tolist()}", positive)
    mask: NDArray[np.bool_] = labels == (classes[1] if positive is None else positive)
    if min(mask.sum(), (~mask).sum()) < 2:
        refuse(
            name,
            "at least two examples of each class",
            f"{int(mask.sum())} of {len(mask)} positive",
        )
    return mask


def _vector(y: Any, name: str) -> NDArray[Any]:
    try:
        return vector(name, y, n=len(y))
    except TypeError:
        refuse(name, "an array of labels", y)


def _scores(name: str, values: Any, n: int) -> Floats:
    array = finite(name, values)
    if array.ndim < 1 or array.shape[-1] != n:
        refuse(name, f"of shape (..., {n}) like y", f"shape {array.shape}")
    return array
