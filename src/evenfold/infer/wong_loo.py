"""Accuracies of leave-one-out cross-validation as proportions (T15 section 5): for comparison only."""

from typing import Any

import numpy as np

from evenfold.core.checks import integer, refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Normal, PivotEstimate, StudentT
from evenfold.infer._accuracy import LEAST, counts, folds, of_accuracy, require
from evenfold.infer._inputs import together
from evenfold.infer._registry import method
from evenfold.infer._result import pivot
from evenfold.infer.wong_kfold import two_proportions

_DIFFERENCE = "difference of error B − A"


@method(
    "wong-loo-matched-t",
    designs=("loo",),
    inputs=("discordant",),
    arguments=("n",),
    estimand=_DIFFERENCE,
    training_size="n − 1",
    leaning="liberal",
    why="treats the predictions of n models trained on nearly the same examples as independent",
    source="T15 theorem 4, with the square it lacks in s_y²",
    recommended=False,
)
def wong_loo_matched_t(
    n10: Any, n01: Any, *, n: int, null: float = 0.0, alternative: str = "two-sided"
) -> PivotEstimate:
    """
    Matched t-test on y ∈ {−1, 0, 1}, the difference of two predictions being right.

    Parameters
    ----------
    n10, n01 : arrays
        Examples that only B gets right (y = 1), and examples that only A gets right (y = −1).
    n : int
        All examples.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean of y, variance s_y²/n, reference t with n − 1 df.

    Raises
    ------
    NotApplicable
        If y takes one of its three values fewer than 5 times.

    Notes
    -----
    *Validity.* Liberal where the algorithms are unstable, for comparison only: it knows the variance over
    test points, not over training sets, and takes predictions as independent. Nearly McNemar's test.

    References
    ----------
    Wong (2015), theorem 4 and example 2, whose s² = .16 belongs to the counts (10, 84, 6).

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.wong_loo_matched_t(10, 6, n=100)
    >>> round(float(e.value), 6), round(float(e.statistic), 6)
    (0.04, 1.0)
    """
    n = integer("n", n, low=3 * LEAST)
    up, down = together(n10=counts("n10", n10), n01=counts("n01", n01))
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
    found = pivot("wong-loo-matched-t", mean, s2 / n, StudentT(n - 1), null=null, alternative=alternative)
    return of_accuracy(found)


@method(
    "wong-loo-independent-z",
    designs=("loo",),
    inputs=("correct",),
    arguments=("n",),
    estimand=_DIFFERENCE,
    training_size="n − 1",
    leaning="depends",
    why="ignores the variance over training sets, but also that A and B err on the same examples",
    source="T15 section 5.2",
    recommended=False,
)
def wong_loo_independent_z(
    right_a: Any, right_b: Any, *, n: int, null: float = 0.0, alternative: str = "two-sided"
) -> PivotEstimate:
    """
    z-test of the two accuracies as independent proportions.

    Parameters
    ----------
    right_a, right_b : arrays
        Number of right predictions of each algorithm.
    n : int
        All examples.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        p_B − p_A, variance 2p(1−p)/n with pooled p, reference N(0, 1).

    Raises
    ------
    NotApplicable
        If an algorithm has fewer than 5 right or 5 wrong predictions.

    Notes
    -----
    *Validity.* For comparison only. Liberal where the algorithms are unstable, since nothing accounts for the
    variance over training sets; wasteful where A and B err on the same examples, which it takes as
    independent.

    References
    ----------
    Wong (2015), section 5.2 and example 2.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.wong_loo_independent_z(80, 84, n=100).statistic), 4)
    0.7362
    """
    key, n = "wong-loo-independent-z", integer("n", n, low=2 * LEAST)
    right_a, right_b = together(right_a=counts("right_a", right_a), right_b=counts("right_b", right_b))
    a, b = folds("right_a", right_a[..., None], n), folds("right_b", right_b[..., None], n)
    require(key, a, b, least=1)
    found = pivot(key, *two_proportions(a, b), Normal(), null=null, alternative=alternative)
    return of_accuracy(found)
