"""A test whose variance rests on a theorem: cross-validation in disjoint halves of the data."""

from evenfold.core.estimate import Alternative, PivotEstimate, StudentT
from evenfold.core.partition import FOLDS_IN_HALVES
from evenfold.infer._arrays import ArrayLike, floats, mean_mx2, within_repetitions
from evenfold.infer._base import Pivot, method
from evenfold.infer._designs import FOLDS_OF_HALVES


@method(
    name="the t-test on cross-validation in both halves of repeated halvings",
    valid=FOLDS_OF_HALVES,
    conservative="Its variance is that of one halving, and a theorem says that the mean of all "
    "halvings has at most that variance. The t distribution with m degrees of freedom is exact "
    "for linear Gaussian statistics only.",
    source="ours: docs/infer/split-halves; Wang 2014",
    default_for=(FOLDS_IN_HALVES,),
)
def split_halves_t(
    halves: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of cross-validation in the two halves of m halvings of the data.

    Parameters
    ----------
    halves : array of shape (..., m, 2)
        Differences B − A, halving by halving: the mean over the folds of the first half, and over
        those of the second.
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
    The two halves of a halving are independent data sets, so that half of what they differ by is an
    honest measure of what their mean varies by.

    *Formula.* With D1, D2 the cross-validated differences of the two halves of a halving: mean of
    all, variance B, the mean over halvings of (D1 − D2)²/4, reference t with m df.

    *Validity.* E(B) ≥ Var of the estimate, for any algorithms, any measure and any n: a theorem, if
    examples are independent and identically distributed, halves are of equal size and treated
    alike, and nobody looked at the data to cut them. The page of this method has the proof. It is
    about the variance, not the level: m degrees of freedom are exact for linear Gaussian statistics
    only. The answer is about training sets of (K−1)n/(2K) examples, 40% of the data for K = 5, and
    has less power than the default of ``compare``.

    *How it errs.* It is conservative. Its variance is that of one halving, and a theorem says that
    the mean of all halvings has at most that variance. The t distribution with m degrees of freedom
    is exact for linear Gaussian statistics only. It estimates the expected difference B − A at
    training size (K−1)n/(2K).

    References
    ----------
    ours: docs/infer/split-halves; Wang 2014. Wang, Q., Lindsay, B. (2014). Variance estimation of a
    general U-statistic with application to cross-validation. Statistica Sinica 24.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.split_halves_t([[0.1, 0.3], [0.4, 0.2], [0.1, 0.1]])
    >>> round(float(e.value), 6), round(float(e.standard_error), 6)
    (0.2, 0.08165)
    """
    halves = floats(halves)
    m = halves.shape[-2]
    # Var of (D1 + D2)/2 for independent D1, D2 of one distribution: E(D1 − D2)²/4
    variance = within_repetitions(halves) / (2 * m)
    return Pivot(mean_mx2(halves), variance, StudentT(m)).test(null, alternative)
