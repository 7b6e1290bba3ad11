"""
Two models on examples of their own.

The score test of two proportions, and Welch's t of graded answers.
"""

from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.estimate import Alternative, Floats, Normal, PivotEstimate
from evenfold.core.partition import HOLDOUT, TWO_TEST_SETS, TWO_TEST_SETS_RIGHT
from evenfold.infer._arrays import ArrayLike, floats, mean_last
from evenfold.infer._base import OneSidedTests, mean_z, method, welch
from evenfold.infer._designs import ONE_SPLIT, TWO_SETS, TWO_SETS_RIGHT
from evenfold.infer.bounded import crossing
from evenfold.infer.folds.proportions import as_independent, pooled_z, require_predictions
from evenfold.infer.theory import gaussian

# The test on the losses of one hold-out set (NB section 4, method 1).


@method(
    name="the paired t-test on the examples of one test set",
    valid=ONE_SPLIT,
    liberal="It knows the spread of test points, but not that of training sets, so it is right "
    "for this one model.",
    source="NB section 4, method 1, eq. 14",
    default_for=(HOLDOUT,),
    joint="normal",
    ratio=lambda n_test, rho0: gaussian.exchangeable(n_test, rho0),
)
def holdout_t(
    losses: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of the loss differences on one test set.

    Parameters
    ----------
    losses : array of shape (..., n2)
        Loss of B less loss of A at each test point.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Mean, variance S²/n2, reference N(0, 1).

    *Validity.* It is liberal for the algorithms, because another training set would give another
    model and that is not in the variance; the more so the larger the test set. It is right for the
    two models at hand. The normal reference wants n2 above 50 or so. Use it where one split is all
    there is.

    *How it errs.* It is liberal. It knows the spread of test points, but not that of training sets,
    so it is right for this one model. It estimates the expected difference B − A at training size
    n1.

    References
    ----------
    NB section 4, method 1, eq. 14. Nadeau, C., Bengio, Y. (1999). Inference for the generalization
    error. CIRANO Scientific Series 99s-25.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.holdout_t([0, 1, 0, -1, 1, 1, 0, 1])
    >>> round(float(e.statistic), 6), round(float(e.pvalue), 6)
    (1.425573, 0.153992)
    """
    return mean_z(floats(losses)).test(null, alternative)


# The test of two proportions on one test set, as if each model had its own: for comparison only.


_check_predictions = partial(require_predictions, "two-proportion-z", low=2)


@as_independent(
    name="the z-test of two proportions",
    valid=ONE_SPLIT,
    source="Dietterich 1998, section 3.2",
    check=_check_predictions,
)
def two_proportion_z(
    right_a: ArrayLike,
    right_b: ArrayLike,
    *,
    n: int,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    z-test of two accuracies as independent proportions.

    Parameters
    ----------
    right_a, right_b : int or arrays
        Number of right predictions of each algorithm.
    n : int
        Tested examples, all folds together.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* p_B − p_A, variance 2p(1−p)/n with pooled p, reference N(0, 1).

    *Validity.* It is here for comparison only. For the two models at hand it is conservative where
    they err on the same examples, as models of the same data do, and liberal where they err on
    different ones; :func:`mcnemar` counts who errs where, and is right. It is liberal for the
    algorithms, as all tests of one split.

    *How it errs.* It ignores the variance over training sets, but also that A and B err on the same
    examples. It estimates the difference of error B − A at training size n1.

    References
    ----------
    Dietterich 1998, section 3.2. Dietterich, T. G. (1998). Approximate statistical tests for
    comparing supervised classification learning algorithms. Neural Computation 10.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.two_proportion_z(80, 84, n=100).statistic), 4)
    0.7362
    """
    n = _check_predictions(n)
    return pooled_z("two-proportion-z", floats(right_a), floats(right_b), n).test(null, alternative)


_EXACT = 1e-15  # of a limit
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TwoProportionsEstimate(OneSidedTests):
    """
    A difference of two independent proportions, with the score test of either side.

    Attributes
    ----------
    right_a, right_b : array
        How many answers of A and of B are right.
    n_a, n_b : int
        Of how many.
    """

    right_a: Floats
    right_b: Floats
    n_a: int
    n_b: int

    def _pvalue_against(self, *, larger: bool) -> Floats:
        return Normal().sf(self.statistic if larger else -self.statistic)

    def _limits(self, error: float) -> tuple[Floats, Floats]:
        z = float(Normal().isf(error))
        ends = np.full(self.value.shape, -1.0), np.full(self.value.shape, 1.0)
        low = crossing(lambda delta: z - self.score(delta), *ends, _EXACT)
        high = crossing(lambda delta: z + self.score(delta), *ends[::-1], _EXACT)
        return low[()], high[()]

    def score(self, delta: Floats) -> Floats:
        """Return the score statistic of a difference, which falls as the difference rises."""
        return score_statistic(self.right_a, self.n_a, self.right_b, self.n_b, delta)


def score_statistic(right_a: Floats, n_a: int, right_b: Floats, n_b: int, delta: Floats) -> Floats:
    """
    Return (p̂_B − p̂_A − δ)/√Ṽ, Ṽ with the most likely proportions that differ by δ.

    They solve a cubic (Miettinen and Nurminen 1985, appendix I; Farrington and Manning 1990).

    Examples
    --------
    >>> round(
    ...     float(score_statistic(np.asarray(48.0), 80, np.asarray(56.0), 70, np.asarray(0.0))), 4
    ... )
    2.6413
    """
    N = n_a + n_b
    x = right_a + right_b
    L2 = (n_b + 2 * n_a) * delta - N - x
    L1 = (n_a * delta - N - 2 * right_a) * delta + x
    L0 = right_a * delta * (1 - delta)
    q = (L2 / (3 * N)) ** 3 - L1 * L2 / (6 * N**2) + L0 / (2 * N)
    root = np.sqrt(np.maximum((L2 / (3 * N)) ** 2 - L1 / (3 * N), 0.0))
    p = np.where(q >= 0, root, -root)
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = (np.pi + np.arccos(np.clip(np.where(p == 0, 0.0, q / p**3), -1.0, 1.0))) / 3
    p_a = np.clip(
        2 * p * np.cos(angle) - L2 / (3 * N), np.maximum(0.0, -delta), np.minimum(1.0, 1 - delta)
    )
    p_b = np.clip(p_a + delta, 0.0, 1.0)
    variance = (p_a * (1 - p_a) / n_a + p_b * (1 - p_b) / n_b) * N / (N - 1)
    off = right_b / n_b - right_a / n_a - delta
    with np.errstate(divide="ignore", invalid="ignore"):
        z = off / np.sqrt(variance)
    return cast("Floats", np.where(np.abs(off) < _ROUNDING, 0.0, z)[()])


@method(
    name="the score test of Miettinen and Nurminen",
    valid=TWO_SETS_RIGHT,
    depends="It is near its level: one-sided at .05 it errs at most .060 with 20 to 200 examples "
    "of each, and .072 with 50 and 25.",
    source="Miettinen 1985",
    default_for=(TWO_TEST_SETS_RIGHT,),
)
def miettinen_nurminen(
    a: ArrayLike, b: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> TwoProportionsEstimate:
    """
    Test the difference of two shares of right answers, of A and of B on examples of their own.

    Parameters
    ----------
    a : array of shape (..., n_A)
        1 where A is right and 0 where it is wrong, n_A ≥ 2.
    b : array of shape (..., n_B)
        The same of B.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    TwoProportionsEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* The score statistic (p̂_B − p̂_A − Δ)/√Ṽ, where Ṽ has the most likely proportions
    that differ by Δ, times N/(N − 1); reference N(0, 1). The interval inverts it.

    *Validity.* The answer is about these two models on new examples of the kinds that each was
    asked. Where both were asked the same examples a paired test is much sharper. By enumeration a
    gate at .05 errs .060, .055, .058 and .057 at most with 20, 50, 100 and 200 examples of each,
    .072 with 50 and 25.

    *How it errs.* It is near its level: one-sided at .05 it errs at most .060 with 20 to 200
    examples of each, and .072 with 50 and 25. It estimates the expected difference B − A of these
    models, each on new examples like its own.

    References
    ----------
    Miettinen 1985.

    Examples
    --------
    >>> import evenfold as ef
    >>> a, b = [1] * 48 + [0] * 32, [1] * 56 + [0] * 14
    >>> [round(float(x), 4) for x in ef.infer.miettinen_nurminen(a, b).confidence_interval()]
    [0.0528, 0.3382]
    """
    a = floats(a)
    b = floats(b)
    for name, values in (("a", a), ("b", b)):
        if not np.isin(values, (0.0, 1.0)).all():
            odd = float(values[~np.isin(values, (0.0, 1.0))][0])
            refuse(
                name,
                f"{name} must be 0 where wrong and 1 where right but got {odd:g}.",
                "Use welch_t for graded answers.",
            )
    right_a = a.sum(axis=-1)
    right_b = b.sum(axis=-1)
    n_a = a.shape[-1]
    n_b = b.shape[-1]
    p_a = mean_last(a)
    p_b = mean_last(b)
    error = np.sqrt(p_a * (1 - p_a) / n_a + p_b * (1 - p_b) / n_b)
    z = score_statistic(right_a, n_a, right_b, n_b, np.clip(np.asarray(null), -1.0, 1.0))
    return TwoProportionsEstimate(
        value=p_b - p_a,
        standard_error=error,
        statistic=z,
        right_a=right_a,
        right_b=right_b,
        n_a=n_a,
        n_b=n_b,
        null=null,
        alternative=alternative,
    )


@method(
    name="Welch's t-test",
    valid=TWO_SETS,
    depends="It is near its level unless one of the two has rare large values, of which most "
    "tables show too few.",
    source="Welch 1947",
    default_for=(TWO_TEST_SETS,),
)
def welch_t(
    a: ArrayLike, b: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the difference of two means, of A and of B on examples of their own.

    Parameters
    ----------
    a : array of shape (..., n_A)
        Values of A, n_A ≥ 2.
    b : array of shape (..., n_B)
        Values of B.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Difference of means, variance s²_A/n_A + s²_B/n_B, reference t with Welch's df.

    *Validity.* The answer is about these two models on new examples of the kinds that each was
    asked. Where both were asked the same examples a paired test is much sharper.

    *How it errs.* It is near its level unless one of the two has rare large values, of which most
    tables show too few. It estimates the expected difference B − A of these models, each on new
    examples like its own.

    References
    ----------
    Welch 1947. Welch, B. L. (1947). The generalization of Student's problem when several different
    population variances are involved. Biometrika 34.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.welch_t([0.71, 0.74, 0.70], [0.78, 0.75, 0.77, 0.79])
    >>> round(float(e.value), 4), round(float(e.df), 3), round(float(e.pvalue), 4)
    (0.0558, 3.871, 0.0205)
    """
    return welch(floats(a), floats(b)).test(null, alternative)
