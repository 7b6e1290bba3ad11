"""
Several t-tests on the same splits: the chance that any of them errs, from how they hang together.

A t statistic on J values is the angle between the vector of values and the direction (1, ..., 1):
large where the angle is small. Under the null that direction is as good as a random one, so a test
at level p errs where a random direction falls into a cap of probability p around its vector (the
argument of rotation tests), and the chance that any test errs is that of the union of caps.
Bonferroni adds the caps up; algorithms that are compared on the same splits have vectors that lie
together, their caps overlap, and the union is smaller.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import fraction, number, refuse
from evenfold.core.estimate import Alternative, Floats, Normal, t_quantile
from evenfold.core.rng import stream
from evenfold.infer._arrays import hypothesis, splits
from evenfold.infer._base import ROUNDING

# beyond _MANY tests fewer draws do: their error is relative
_DRAWS = 2**14
_FEWER = 2**12
_MANY = 20
_DEPTHS = 512  # different depths in a cap, evenly spread
# log10, where the union is found
_LEVELS = np.concatenate([[-12.0, -10.0, -8.0], np.linspace(-6, 0, 25)])
_STEPS = 40


@dataclass(frozen=True, eq=False, kw_only=True)
class MaxT:
    """
    The joint law of several t-tests on the same splits.

    Parameters
    ----------
    values : array of shape (k, J)
        The hold-out differences of each of the k tests on the J splits, over whose spread it
        divides.
    df : float, optional
        Degrees of freedom of each test, J − 1 by default; infinity for tests that use the normal.
    alternative : {"two-sided", "greater", "less"}
        The side of a discovery.

    Notes
    -----
    The union of the k caps is found by drawing from the caps themselves and counting how many each
    draw lies in: k·p·E(1/count). So the answer is never above Bonferroni's k·p and never below p,
    tiny levels are as exact as large ones, and the relative Monte Carlo error is below .004 (.008
    beyond 20 tests). The draws are fixed, so the same data give the same answer.

    *Validity.* Exact up to that error where the values are Gaussian, equally correlated over the
    splits, and the correlation of the tests is known; it is estimated here from the same splits,
    which was not to be seen in simulations with 3 to 45 tests on 6 to 18 splits. Each test must
    itself hold its level: a liberal method stays liberal, a conservative one conservative.

    References
    ----------
    Langsrud (2005), Statistics and Computing 15, for rotation tests; Romano and Wolf (2005), JASA
    100, and Westfall and Young (1993), Resampling-Based Multiple Testing, for the steps; Naiman and
    Priebe (2001), J. Comput. Graph. Statist. 10, for the estimate of a union.

    Examples
    --------
    >>> import evenfold as ef
    >>> a = [0.10, 0.30, 0.20, 0.40, 0.15, 0.25]
    >>> b = [0.11, 0.29, 0.21, 0.41, 0.14, 0.24]
    >>> joint = ef.infer.MaxT(values=[a, b])
    >>> 0.01 < joint.overall(0.01) < 0.012
    True
    """

    values: Any
    df: float | None = None
    alternative: str = "two-sided"

    def __post_init__(self) -> None:
        values = splits("values", self.values)
        if values.ndim != 2:
            refuse("values", "of shape (tests, splits)", f"shape {values.shape}")
        if self.df is not None and self.df is not np.inf:
            number("df", self.df, low=1)
        hypothesis(0.0, self.alternative)

    @property
    def k(self) -> int:
        """Number of tests."""
        return len(np.asarray(self.values))

    def overall(self, per_test: float) -> float:
        """
        The chance that any of the tests errs where each has the level ``per_test``.

        The adjusted p-value of a test is this at its p-value.
        """
        if not 0 < per_test < 1:
            return float(min(max(per_test, 0.0), 1.0))
        place = np.log10(per_test)
        right = int(np.searchsorted(_LEVELS, place))
        if right == 0:
            return min(1.0, self.k * per_test)
        ends = [right - 1, right]
        tests = np.interp(place, _LEVELS[ends], [self._effective(i) for i in ends])
        return min(1.0, per_test * float(tests))

    def per_test(self, level: float) -> float:
        """The level that every test may have if any of them may err with chance ``level``."""
        level = fraction("level", level)
        low = level / self.k
        high = level
        for _ in range(_STEPS):
            middle = float(np.sqrt(low * high))
            low, high = (middle, high) if self.overall(middle) <= level else (low, middle)
        return low

    def stepwise(self, pvalues: Any) -> list[float]:
        """
        Step-down adjusted p-values (Romano and Wolf 2005; Westfall and Young 1993).

        The test with the smallest p-value is one of all; once it is rejected the next is one of
        those that are left, whose union is smaller. Never above the single step, :meth:`overall` of
        each.
        """
        p = np.asarray(pvalues, dtype=float)
        order = np.argsort(p, kind="stable")
        steps = [self._subset(order[i:]).overall(float(p[order[i]])) for i in range(len(p))]
        climbing = np.maximum.accumulate(steps)
        return [float(climbing[rank]) for rank in np.argsort(order, kind="stable")]

    def _subset(self, tests: NDArray[np.intp]) -> "MaxT":
        """The joint law of some of the tests."""
        if len(tests) == self.k:
            return self
        return replace(self, values=np.asarray(self.values)[tests])

    def _effective(self, i: int) -> float:
        """How many independent tests would err as often, at the i-th of the levels."""
        if i not in self._known_quantiles:
            caps, flat = self._caps
            last = i == len(_LEVELS) - 1  # at level 1 every test errs
            if caps is None:
                tests = 0.0
            elif last:
                tests = 1.0
            else:
                tests = caps.effective(10.0 ** float(_LEVELS[i]))
            self._known_quantiles[i] = tests + flat
        return self._known_quantiles[i]

    @cached_property
    def _known_quantiles(self) -> dict[int, float]:
        return {}

    @cached_property
    def _caps(self) -> "tuple[_Caps | None, int]":
        """
        The caps of the tests that show spread.

        Without it there is no direction: those are added up.
        """
        values = splits("values", self.values)
        residuals = values - values.mean(axis=1, keepdims=True)
        length = np.linalg.norm(residuals, axis=1)
        spread = length > ROUNDING * np.abs(values).max(axis=1) * np.sqrt(values.shape[1])
        flat = self.k - int(spread.sum())
        if flat == self.k:
            return None, flat
        if self.df is None:
            df = values.shape[1] - 1.0
        else:
            df = float(self.df)
        directions = _coordinates(residuals[spread] / length[spread, None])
        return _Caps.drawn(directions, df, hypothesis(0.0, self.alternative)[1]), flat


def _coordinates(unit: Floats) -> Floats:
    """The same unit vectors in as few dimensions as they span."""
    left, size, _ = np.linalg.svd(unit, full_matrices=False)
    rank = int((size > 1e-9 * size[0]).sum())
    return cast("Floats", left[:, :rank] * size[:rank])


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _Caps:
    """
    Random directions, drawn once.

    The test each belongs to, how deep in its cap, and the way aside.
    """

    directions: Floats  # (tests, dimensions), of length 1
    df: float
    two_sided: bool
    test: NDArray[np.intp]
    depth: NDArray[np.intp]
    aside: Floats

    @classmethod
    def drawn(cls, directions: Floats, df: float, side: Alternative) -> "_Caps":
        tests, dimensions = directions.shape
        if tests <= _MANY:
            n = _DRAWS
        else:
            n = _FEWER
        rng = stream(0, "max-t")
        test = np.arange(n) % tests
        own = directions[test]
        aside = rng.standard_normal((n, dimensions))
        aside -= np.einsum("nd,nd->n", aside, own)[:, None] * own
        if np.isfinite(df):
            # a uniform direction in the df dimensions at right angles to the cap's centre
            rest = rng.chisquare(df + 1 - dimensions, n) if df + 1 > dimensions else 0.0
            aside /= np.sqrt(np.einsum("nd,nd->n", aside, aside) + rest)[:, None]
        return cls(
            directions=directions,
            df=df,
            two_sided=side == "two-sided",
            test=test,
            depth=rng.permutation(n) % _DEPTHS,
            aside=aside,
        )

    def effective(self, per_test: float) -> float:
        """The number of independent tests that would err as often: tests·E(1/count)."""
        if self.two_sided:
            tail = per_test / 2
        else:
            tail = per_test
        along, across = self._length_along((np.arange(_DEPTHS) + 0.5) / _DEPTHS * tail)
        centre = along[self.depth, None] * self.directions[self.test]
        towards = (centre + across[self.depth, None] * self.aside) @ self.directions.T
        edge = self._length_along(np.array([tail]))[0][0]
        if self.two_sided:
            inside = np.abs(towards)
        else:
            inside = towards
        counts = np.maximum((inside >= edge - 1e-12).sum(axis=1), 1)
        return float(len(self.directions) * np.mean(1 / counts))

    def _length_along(self, tail: Floats) -> tuple[Floats, Floats]:
        """Length along the centre of a cap at a tail probability, and the width left aside."""
        if np.isinf(self.df):
            return Normal().isf(tail), np.ones_like(tail)
        t = t_quantile(self.df, tail)
        cosine: Floats = t / np.sqrt(self.df + t**2)
        return cosine, np.sqrt(1 - cosine**2)
