"""The test of two proportions on one test set, as if each model had its own: for comparison only."""

from evenfold.core.checks import integer
from evenfold.core.estimand import Estimand
from evenfold.core.estimate import Floats, Normal
from evenfold.infer._base import Pivot, method
from evenfold.infer._valid import ONE_SPLIT
from evenfold.infer.feeds import CorrectInAll
from evenfold.infer.folds._counted import folds, require
from evenfold.infer.folds.proportions import two_proportions


@method(
    valid=ONE_SPLIT,
    takes=CorrectInAll(),
    estimand=Estimand(quantity="error"),
    counted="accuracy",
    depends="ignores the variance over training sets, but also that A and B err on the same examples",
    source="Dietterich 1998, section 3.2",
)
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
    n = integer("n", n, low=2)
    a, b = folds("right_a", right_a[..., None], n), folds("right_b", right_b[..., None], n)
    for part in (a, b):
        require("two-proportion-z", part, least=1)
    return Pivot(*two_proportions(a, b), Normal())
