"""A test whose variance rests on a theorem: cross-validation in disjoint halves of the data."""

from evenfold.core.estimate import Floats, StudentT
from evenfold.core.partition import FOLDS_IN_HALVES
from evenfold.infer._arrays import mean_last
from evenfold.infer._base import Pivot, method
from evenfold.infer._registry import FOLDS_OF_HALVES


@method(
    valid=FOLDS_OF_HALVES,
    conservative="its variance is that of one halving, of which the mean of all has at most that "
    "(a theorem); the t distribution with m degrees of freedom is exact for linear Gaussian "
    "statistics only",
    source="ours: docs/infer/split-halves; Wang 2014",
    default_for=(FOLDS_IN_HALVES,),
)
def split_halves_t(halves: Floats) -> Pivot:
    """
    Test the mean of cross-validation in the two halves of m halvings of the data.

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

    >>> e = ef.infer.split_halves_t([[0.1, 0.3], [0.4, 0.2], [0.1, 0.1]])
    >>> round(float(e.value), 6), round(float(e.standard_error), 6)
    (0.2, 0.08165)
    """
    # Var of (D1 + D2)/2 for independent D1, D2 of one distribution: E(D1 − D2)²/4
    m = halves.shape[-2]
    differences = halves[..., 0] - halves[..., 1]
    variance = mean_last(differences**2) / 4
    return Pivot(halves.mean(axis=(-2, -1)), variance, StudentT(m))
