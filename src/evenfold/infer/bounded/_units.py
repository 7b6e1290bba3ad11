"""
Bounds for the mean of bounded values, from one sample of fixed size (Gaffke 2005).

Give the n values, and one more at the end of the range, the random weights of a flat Dirichlet distribution.
The share of weighted means below m is the p-value of "the mean is m or less" against larger ones; the value
at the end of the range stands for what was not seen. With right and wrong answers this is the exact binomial
test and Clopper and Pearson's limit. That it never errs above its level is proved for two-valued
data and conjectured for all bounded ones (Learned-Miller and Thomas, arXiv 1905.06208; Phan, Thomas and
Learned-Miller, arXiv 2106.03163); no exception is known.

Weighted means Σ w_j y_j/Σ w_j n_j, with sizes n_j, serve clusters as well.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy import special

from evenfold.core.estimate import Floats

_HALVINGS = 60  # of the interval that holds the saddle point: to the last digits
_STEP = 0.0625  # of the trapezoidal rule, whose error falls exponentially in 1/step: below 1e-13 here
_NODES = 192  # the last is 80 000 spreads away, where two terms alone have fallen below 1e-15
_SMALLEST = 1e-13  # of the largest term: a positive one below it has no share that could be seen
_NEGLIGIBLE = -40.0  # natural logarithm of a term that adds nothing
_ROUNDS = 100  # of the search for a limit, which ends after ten or so
_EXACT = 1e-13  # of the range: how well a limit is known
_SURE = 1e-300  # a smaller share counts as this
ROUNDING = 1e-16


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Units:
    """
    What a bounded mean is taken over: examples, or clusters of them.

    Attributes
    ----------
    sums, sizes, times : array (..., k)
        The sum and the size of each unit, and how often it occurs.
    low, high : float
        The range of a single value.
    largest : float
        The size of the unit that was not seen: as large as the largest that was.
    """

    sums: Floats
    sizes: Floats
    times: Floats
    low: float
    high: float
    largest: float = 1.0

    @property
    def mean(self) -> Floats:
        """Σ sums / Σ sizes."""
        total = (self.times * self.sizes).sum(axis=-1)
        return cast("Floats", (self.times * self.sums).sum(axis=-1) / total)

    def share(self, mean: Floats, *, below: bool) -> Floats:
        """
        Return the share of weighted means that lie on one side of ``mean``: a one-sided p-value.

        Examples
        --------
        >>> alike = Units(sums=np.zeros(1), sizes=np.ones(1), times=np.full(1, 100.0), low=-1.0, high=1.0)
        >>> round(float(alike.share(np.asarray(-0.03), below=True)), 6), round(0.97**100, 6)
        (0.047553, 0.047553)
        """
        m = np.asarray(mean, dtype=float)[..., None]
        end = self.low if below else self.high
        unseen = np.broadcast_to((end - m) * self.largest, (*m.shape[:-1], 1))
        centred = self.sums - m * self.sizes
        batch = np.broadcast_shapes(centred.shape[:-1], unseen.shape[:-1])
        parts = [np.broadcast_to(part, (*batch, part.shape[-1])) for part in (centred, unseen)]
        terms = np.concatenate(parts, axis=-1)
        times = np.broadcast_to(self.times, (*batch, self.times.shape[-1]))
        times = np.concatenate([times, np.ones((*batch, 1))], axis=-1)
        return positive_share(-terms if below else terms, times)

    def limit(self, error: float, *, lower: bool) -> Floats:
        """
        Return the mean whose one-sided p-value is ``error``.

        Normal quantiles of the p-value are nearly a straight line, so that few steps are needed.
        """
        target = special.ndtri(error)
        shape = self.mean.shape
        ends = np.full(shape, self.low), np.full(shape, self.high)

        def excess(mean: Floats) -> Floats:
            share = np.clip(self.share(mean, below=lower), _SURE, 1 - ROUNDING)
            return special.ndtri(share) - target

        return crossing(excess, *(ends if lower else ends[::-1]), _EXACT * (self.high - self.low))


def crossing(f: Callable[[Floats], Floats], a: Floats, b: Floats, tolerance: float) -> Floats:
    """
    Return where a function that rises from a to b is 0, nearer to a than the tolerance (Chandrupatla 1997).

    Examples
    --------
    >>> round(float(crossing(lambda x: x**3 - 2, np.asarray(0.0), np.asarray(2.0), 1e-12)), 9)
    1.25992105
    """
    start = a
    f_a, f_b = f(a), f(b)
    never = f_a >= 0  # already at the start: there is no limit before it
    t = np.full(a.shape, 0.5)
    for _ in range(_ROUNDS):
        x = a + t * (b - a)
        f_x = f(x)
        same = np.sign(f_x) == np.sign(f_a)
        c, f_c = np.where(same, a, b), np.where(same, f_a, f_b)
        b, f_b = np.where(same, b, a), np.where(same, f_b, f_a)
        a, f_a = x, f_x
        with np.errstate(divide="ignore", invalid="ignore"):
            least = np.minimum(tolerance / np.abs(b - a), 0.5)
            xi, phi = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
            inverse = f_a / (f_b - f_a) * f_c / (f_b - f_c)
            inverse = inverse + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
        if np.all((least >= 0.5) | (f_a == 0) | never):
            break
        smooth = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi) & np.isfinite(inverse)
        t = np.clip(np.where(smooth, inverse, 0.5), least, 1 - least)
    below = np.where(f_a <= 0, a, b)  # the side on which the mean is rejected
    return np.where(never, start, below)


def examples(d: Floats, low: float, high: float) -> Units:
    """
    Return single examples as units; equal ones are counted, in a batch of tables those that are 0.

    Examples
    --------
    >>> examples(np.array([0.0, 0.0, 1.0]), -1.0, 1.0).times.tolist()
    [2.0, 1.0]
    >>> examples(np.array([[0.0, 0.0, 0.5], [0.0, 1.0, 0.0]]), -1.0, 1.0).sums.tolist()
    [[0.5, 0.0], [1.0, 0.0]]
    """
    if d.ndim == 1:
        values, counts = np.unique(d, return_counts=True)
        times = counts.astype(float)
    else:
        n = d.shape[-1]
        k = int((d != 0).sum(axis=-1).max(initial=1))
        largest = np.argsort(-np.abs(d), axis=-1)[..., :k]
        values = np.concatenate([np.take_along_axis(d, largest, axis=-1), np.zeros((*d.shape[:-1], 1))], -1)
        times = np.append(np.ones(k), float(n - k))
    return Units(sums=values, sizes=np.ones(values.shape[-1]), times=times, low=low, high=high)


def positive_share(terms: Floats, times: Floats) -> Floats:
    """
    Return P(Σ c_j G_j ≥ 0) with independent G_j of the gamma distribution with shapes ``times``.

    The contour integral of exp(K(s))/s, K(s) = −Σ times·log(1 − c_j s), along the vertical line through its
    saddle point, where nothing oscillates.

    Examples
    --------
    >>> round(float(positive_share(np.array([1.0, -2.0]), np.ones(2))), 12)  # of two exponentials: 1/(1 + 2)
    0.333333333333
    """
    terms = np.where(times > 0, terms, 0.0)  # what is there no times has no say
    # a share of signs has no unit: with the largest term 1 nothing overflows
    largest = np.abs(terms).max(axis=-1)
    terms = terms / np.where(largest > 0, largest, 1.0)[..., None]
    likely = (times * terms).sum(axis=-1) > 0  # then the other side has the small share
    small = _upper(np.where(likely[..., None], -terms, terms), times)
    nothing = largest == 0
    share = np.where(likely, 1 - small, small)
    return cast("Floats", np.where(nothing, 1.0, share)[()])


def _upper(terms: Floats, times: Floats) -> Floats:
    """P(Σ c_j G_j > 0) where the sum has a mean of 0 or less."""
    top = terms.max(axis=-1)
    some = top > _SMALLEST
    c = np.where(some[..., None], terms, -1.0)  # where no term is positive the share is 0: see the end
    s = _saddle_point(c, times, 1 / np.where(some, top, 1.0))
    room = 1 - s[..., None] * c
    ratio = c / room
    spread = 1 / np.sqrt((times * ratio**2).sum(axis=-1) + 1 / s**2)
    height = -(times * np.log(room)).sum(axis=-1) - np.log(s)
    total = np.zeros_like(s)
    for node in range(_NODES):
        u = node * _STEP
        t = spread * np.sinh(u)
        # |1 − itx| and its angle: real logarithms are three times as fast as a complex one
        x = t[..., None] * ratio
        size = -0.5 * ((times * np.log1p(x**2)).sum(axis=-1) + np.log1p((t / s) ** 2))
        angle = (times * np.arctan(x)).sum(axis=-1) - np.arctan(t / s)
        weight = 0.5 if node == 0 else np.cosh(u)
        total += weight * np.exp(size) * np.cos(angle)
        if np.all(size + u < _NEGLIGIBLE):
            break
    share = np.exp(height) * total * spread * _STEP / np.pi
    return np.where(some, np.clip(share, 0.0, 1.0), 0.0)


def _saddle_point(c: Floats, times: Floats, end: Floats) -> Floats:
    """The s in (0, end) at which K(s) − log s, which is convex, has its minimum."""
    low = np.zeros_like(end)
    high = end
    for _ in range(_HALVINGS):
        s = (low + high) / 2
        with np.errstate(divide="ignore", over="ignore"):
            rising = (times * c / (1 - s[..., None] * c)).sum(axis=-1) > 1 / s
        low = np.where(rising, low, s)
        high = np.where(rising, s, high)
    return (low + high) / 2
