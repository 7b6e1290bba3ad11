"""Accuracies of leave-one-out cross-validation as proportions (T15 section 5): for comparison only."""

import numpy as np

from evenfold.core.checks import integer, refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Floats, StudentT
from evenfold.infer._base import Pivot
from evenfold.infer._valid import LEFT_ONE_OUT
from evenfold.infer.folds._counted import LEAST
from evenfold.infer.folds.proportions import as_independent, on_counts, pooled_z
from evenfold.infer.inputs import Discordant


@on_counts(
    valid=LEFT_ONE_OUT,
    takes=Discordant(),
    liberal="treats the predictions of n models trained on nearly the same examples as independent",
    source="T15 theorem 4, with the square it lacks in s_y²",
)
def wong_loo_matched_t(n10: Floats, n01: Floats, *, n: int) -> Pivot:
    """
    Matched t-test on y ∈ {−1, 0, 1}, the difference of two predictions being right.

    *Formula.* Mean of y, variance s_y²/n, reference t with n − 1 df.

    *Validity.* Liberal where the algorithms are unstable, for comparison only: it knows the variance over
    test points, not over training sets, and takes predictions as independent. Nearly McNemar's test.

    >>> e = ef.infer.wong_loo_matched_t(10, 6, n=100)
    >>> round(float(e.value), 6), round(float(e.statistic), 6)
    (0.04, 1.0)

    Raises
    ------
    NotApplicable
        If y takes one of its three values fewer than 5 times.
    """
    n = integer("n", n, low=3 * LEAST)
    up, down = n10, n01
    if np.any(up + down > n):
        refuse("n10 + n01", f"at most n = {n}", float((up + down).max()))
    fewest = np.minimum(np.minimum(up, down), n - up - down)
    if np.any(fewest < LEAST):
        raise NotApplicable(
            f"method 'wong-loo-matched-t' needs each of y = −1, 0, 1 at least {LEAST} times but has one only "
            f"{fewest.min():g} times; use 'mcnemar', exact"
        )
    mean = (up - down) / n
    s2 = (up + down - n * mean**2) / (n - 1)
    return Pivot(mean, s2 / n, StudentT(n - 1))


@as_independent(valid=LEFT_ONE_OUT, source="T15 section 5.2")
def wong_loo_independent_z(right_a: Floats, right_b: Floats, *, n: int) -> Pivot:
    """
    z-test of the two accuracies as independent proportions.

    *Formula.* p_B − p_A, variance 2p(1−p)/n with pooled p, reference N(0, 1).

    *Validity.* For comparison only. Liberal where the algorithms are unstable, since nothing accounts for the
    variance over training sets; wasteful where A and B err on the same examples, which it takes as
    independent.

    >>> round(float(ef.infer.wong_loo_independent_z(80, 84, n=100).statistic), 4)
    0.7362

    Raises
    ------
    NotApplicable
        If an algorithm has fewer than 5 right or 5 wrong predictions.
    """
    return pooled_z("wong-loo-independent-z", right_a, right_b, integer("n", n, low=2 * LEAST))
