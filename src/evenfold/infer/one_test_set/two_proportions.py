"""The test of two proportions on one test set, as if each model had its own: for comparison only."""

from evenfold.core.checks import integer
from evenfold.core.estimate import Floats
from evenfold.infer._base import Pivot
from evenfold.infer._valid import ONE_SPLIT
from evenfold.infer.folds.proportions import as_independent, pooled_z


@as_independent(valid=ONE_SPLIT, source="Dietterich 1998, section 3.2")
def two_proportion_z(right_a: Floats, right_b: Floats, *, n: int) -> Pivot:
    """
    z-test of two accuracies as independent proportions.

    *Formula.* p_B − p_A, variance 2p(1−p)/n with pooled p, reference N(0, 1).

    *Validity.* For comparison only. For the two models at hand it is conservative where they err on the same
    examples, as models of the same data do, and liberal where they err on different ones; :func:`mcnemar`
    counts who errs where, and is right. Liberal for the algorithms, as all tests of one split.

    >>> round(float(ef.infer.two_proportion_z(80, 84, n=100).statistic), 4)
    0.7362
    """
    return pooled_z("two-proportion-z", right_a, right_b, integer("n", n, low=2))
