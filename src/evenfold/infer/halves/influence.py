"""
The influence test on the per-example losses of an m×2 BCV (ours).

The orthogonal array makes the run a factorial experiment: what an example is worth as a test point, what it
is worth as training data, and how the two interact leave different traces in the losses. The page "The
influence test" of the documentation derives what each trace estimates, in the names used here.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import refuse
from evenfold.core.estimand import Estimand
from evenfold.core.estimate import Floats, StudentT
from evenfold.infer._base import Pivot, method
from evenfold.infer._inputs import finite, mask
from evenfold.infer._spread import mean_and_variance
from evenfold.infer._valid import BALANCED_HALVES
from evenfold.infer.feeds import AllTested
from evenfold.infer.halves._contrasts import influence_contrasts

_LEAST = 3  # repetitions: the contrast of one is compared with its mean over at least two others
_LARGE = 1e16  # R/T beyond which the df are those of R alone
_TRUST = 0.9  # quantile that the influence part must exceed before it overrules the other two


@method(
    "mx2-influence-t",
    valid=BALANCED_HALVES,
    takes=AllTested(),
    estimand=Estimand(size="n/2"),
    leaning="conservative",
    why="its error was below the level for the differences studied and near it for one algorithm",
    formula="μ̂, the mean of the 2m hold-out values; variance √(T·(T + 2R)) + R/m, where T = s²(ē)/n over the"
    " mean losses ē of the examples and R is the sample variance of the m repetition means, unless "
    "the influence part U is far larger; reference t with Satterthwaite's df.",
    source="ours: docs/infer/influence",
    recommended=True,
)
def mx2_influence_t(losses: Floats, sides: Floats) -> Pivot:
    """
    Test the mean of an m×2 BCV with a variance read off the losses of the single examples.

    R/m is what more repetitions of the same data would remove. Of what stays, T knows how test points vary;
    it is too small where training sets matter. T + R is right if training examples act in pairs and too large
    if they act in larger groups; √(T(T + 2R)) agrees with it where R is small and lies below it where R is
    large. U, the mean square of the m influence contrasts, also sees what single training examples do; it is
    noisy, so it is used (less what interactions add to it, and with at most m df) only where it exceeds what
    T and R allow with probability .9.

    *Validity.* Measured, not proved: see the page "The influence test" for errors, coverage and power. Wants
    independent examples (no groups), n above 100 or so, and losses with a finite fourth moment. Liberal where
    single training examples matter about as much as test points do: in the first-order Gaussian model up to
    .11 at the level .05 for m = 3, .08 for m = 7 and .06 for m = 15.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> sides = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], dtype=bool).repeat(25, axis=1)
    >>> losses = 0.3 + rng.normal(size=100) + 0.5 * rng.normal(size=(3, 100))
    >>> e = ef.infer.mx2_influence_t(losses, sides)
    >>> round(float(e.value), 3), round(float(e.standard_error), 3), round(float(e.pvalue), 4)
    (0.343, 0.105, 0.0016)
    """
    e, first = _inputs(losses, sides)
    mean, parts = _parts(e, first)
    variance, df = parts.variance()
    reference = StudentT(df)
    return Pivot(mean, variance, reference)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Parts:
    """
    What the losses of a run tell about Var μ̂.

    Attributes
    ----------
    m : int
        Number of repetitions.
    test : array
        T = s²(ē)/n: the test points.
    test_df : array
        Degrees of freedom of T, fewer where the losses have heavy tails.
    repetition : array
        R: sample variance of the m repetition means, which first-order effects leave equal.
    influence : array
        U: mean square of the m influence contrasts.
    """

    m: int
    test: Floats
    test_df: Floats
    repetition: Floats
    influence: Floats

    def variance(self) -> tuple[Floats, Floats]:
        """Return the variance of μ̂ and its degrees of freedom."""
        m, T, R = self.m, self.test, self.repetition
        variance = np.sqrt(T) * np.sqrt(T + 2 * R) + R / m
        df = self._df()
        # What interactions add to U, and F quantiles: U has m df; beside it T is nearly known, R has m − 1.
        noise = 2 * (m + 1) / (m - 1) * R
        allowed = special.chdtri(m, 1 - _TRUST) / m * variance + special.fdtri(m, m - 1, _TRUST) * noise
        overruled = self.influence > allowed
        larger = np.maximum(variance, self.influence - noise)
        return np.where(overruled, larger, variance)[()], np.where(overruled, np.minimum(df, m), df)[()]

    def _df(self) -> Floats:
        """Satterthwaite's df: V²/((∂V/∂T·T)²/df_T + (∂V/∂R·R)²/(m−1)), with x = R/T and V in units of T."""
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.where(self.repetition > 0, np.minimum(self.repetition / self.test, _LARGE), 0.0)
        root = np.sqrt(1 + 2 * x)
        of_test, of_repetition = (1 + x) / root, x * (1 / root + 1 / self.m)
        df: Floats = (root + x / self.m) ** 2 / (of_test**2 / self.test_df + of_repetition**2 / (self.m - 1))
        return df


def _parts(e: Floats, first: NDArray[np.bool_]) -> tuple[Floats, Parts]:
    """Return μ̂ and the parts of its variance."""
    m, n = first.shape
    up, down = (half / half.sum(axis=1, keepdims=True) for half in (first, ~first))
    of_repetition = np.einsum("...rn,rn->...r", e, (up + down) / 2)
    mean, repetition = mean_and_variance(of_repetition)
    test, test_df = _test_part(e.mean(axis=-2), n)
    # f[r, k]: half the difference, in repetition r, between the test points of the halves of repetition k.
    f = e @ ((up - down) / 2).T
    contrasts = influence_contrasts(f)
    influence = np.einsum("...k,...k->...", contrasts, contrasts) / m
    return mean, Parts(m=m, test=test, test_df=test_df, repetition=repetition, influence=influence)


def _test_part(e_bar: Floats, n: int) -> tuple[Floats, Floats]:
    """T = s²(ē)/n, and its df by the fourth moment: Var s² ≈ s⁴(κ−1)/n, at most those of normal data."""
    mean, s2 = mean_and_variance(e_bar)
    scale = np.sqrt(np.where(s2 > 0, s2, 1.0))
    squares = ((e_bar - mean[..., None]) / scale[..., None]) ** 2
    excess = np.einsum("...i,...i->...", squares, squares) / n - 1  # κ − 1
    df: Floats = 1 / np.maximum(excess / (2 * n), 1 / (n - 1))
    return s2 / n, df


def _inputs(losses: Any, sides: Any) -> tuple[Floats, NDArray[np.bool_]]:
    """Check both arguments."""
    e = finite("losses", losses)
    if e.ndim < 2 or e.shape[-2] < _LEAST or e.shape[-1] < 4:
        refuse("losses", f"of shape (..., m, n) with m ≥ {_LEAST} and n ≥ 4", f"shape {e.shape}")
    first = mask("sides", sides, shape=e.shape[-2:])
    if not (first.any(axis=1) & ~first.all(axis=1)).all():
        row = int(np.argmin(first.any(axis=1) & ~first.all(axis=1)))
        refuse("sides", "true for some examples and false for others in every repetition", f"row {row}")
    return e, first
