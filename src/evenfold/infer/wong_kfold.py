"""
Accuracies of K-fold cross-validation as independent proportions (T15 section 4): for comparison only.

T15 assumes that predictions in different folds are independent. They are not: any two training sets share
(K−2)/(K−1) of their examples (Bengio and Grandvalet 2004, Nadeau and Bengio 2003), so all of these are
liberal. The large-sample condition leaves out folds with fewer than 5 right or 5 wrong predictions, which
selects on the outcome: with true accuracy .95 and folds of 100 the estimate is .935 on average.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from evenfold.core.checks import one_of, refuse
from evenfold.core.estimate import Floats, Normal, PivotEstimate, StudentT
from evenfold.infer._accuracy import Folds, folds, mean_and_variance, of_accuracy, require
from evenfold.infer._registry import FOLDS, method
from evenfold.infer._result import pivot

_DIFFERENCE = "difference of error B − A"
_WHY = "treats predictions of models with overlapping training sets as independent"
_SIZE = "(K−1)n/K"


@method(
    "wong-proportion",
    designs=FOLDS,
    inputs=("correct",),
    arguments=("n_test",),
    estimand="error",
    training_size=_SIZE,
    leaning="liberal",
    why=_WHY,
    source="T15 theorem 1, sections 4.1, 4.3.3, 5.1",
    recommended=False,
)
def wong_proportion(
    right: Any, *, n_test: Any, averaging: str = "data-set", null: float = 0.0, alternative: str = "two-sided"
) -> PivotEstimate:
    """
    Accuracy of one algorithm as a proportion, or as a mean of fold accuracies.

    Parameters
    ----------
    right : array of shape (..., K)
        Number of right predictions in each fold; K = 1 for leave-one-out, with all right predictions.
    n_test : int or array
        Size of the folds, one for all or one per fold.
    averaging : {"data-set", "fold"}
        Normal with variance p(1−p)/n, or t with K − 1 df on the fold accuracies.
    null, alternative
        The accuracy that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        The accuracy, with its standard error and interval.

    Notes
    -----
    *Validity.* Liberal, for comparison only: predictions are taken as independent, although models share
    training examples, and nothing accounts for the variance over training sets. Folds with fewer than 5 right
    or 5 wrong predictions are left out with a warning; that selects on the outcome (true accuracy .95 with
    folds of 100 is estimated .935).

    References
    ----------
    Wong (2015), theorem 1 and example 1, where the fold-level variance is .00175, not .0007.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.wong_proportion([32, 28, 30, 30, 32], n_test=40)
    >>> round(float(e.value), 6), round(float(e.standard_error**2), 6)
    (0.76, 0.000912)
    """
    one_of("averaging", averaging, ("data-set", "fold"))
    part = folds("right", right, n_test)
    require("wong-proportion", part, least=1 if averaging == "data-set" else 2)
    if averaging == "data-set":
        n = part.n
        p = part.correct / n
        found = pivot("wong-proportion", p, p * (1 - p) / n, Normal(), null=null, alternative=alternative)
        return of_accuracy(found)
    k, p, s2 = mean_and_variance(part.accuracies, part.kept)
    found = pivot("wong-proportion", p, s2 / k, StudentT(k - 1), null=null, alternative=alternative)
    return of_accuracy(found)


@method(
    "wong-kfold-matched-t",
    designs=("kfold",),
    inputs=("correct",),
    arguments=("n_test",),
    estimand=_DIFFERENCE,
    training_size=_SIZE,
    leaning="liberal",
    why=_WHY,
    source="T15 theorem 2",
    recommended=False,
)
def wong_kfold_matched_t(
    right_a: Any, right_b: Any, *, n_test: Any, null: float = 0.0, alternative: str = "two-sided"
) -> PivotEstimate:
    """
    Matched t-test on the differences of fold accuracies.

    Parameters
    ----------
    right_a, right_b : arrays of shape (..., K)
        Number of right predictions of each algorithm in each fold, on the same folds.
    n_test : int or array
        Size of the folds, one for all or one per fold.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean of d_j, variance S²/k, reference t with k − 1 df, over the k folds that are kept.

    Notes
    -----
    *Validity.* Liberal, for comparison only: this is ``kfold-t`` with a condition. A fold in which either
    algorithm has fewer than 5 right or 5 wrong predictions is left out with a warning, which selects on the
    outcome. T15's "scheme-independence" of A and B is not needed for a matched test.

    References
    ----------
    Wong (2015), theorem 2.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.wong_kfold_matched_t([32, 28, 30, 30, 32], [33, 30, 30, 31, 33], n_test=40)
    >>> round(float(e.value), 6), round(float(e.pvalue), 6)
    (0.025, 0.034109)
    """
    a, b = folds("right_a", right_a, n_test), folds("right_b", right_b, n_test)
    if a.right.shape != b.right.shape:
        refuse("right_b", f"of the shape {a.right.shape} of right_a", f"shape {b.right.shape}")
    both = replace(a, kept=a.kept & b.kept)
    require("wong-kfold-matched-t", both, least=2)
    k, mean, s2 = mean_and_variance((b.right - a.right) / a.sizes, both.kept)
    found = pivot("wong-kfold-matched-t", mean, s2 / k, StudentT(k - 1), null=null, alternative=alternative)
    return of_accuracy(found)


def _two_samples(right_a: Any, right_b: Any, n_test: Any, n_test_b: Any) -> tuple[Folds, Folds]:
    a = folds("right_a", right_a, n_test)
    b = folds("right_b", right_b, n_test if n_test_b is None else n_test_b)
    if a.right.shape[:-1] != b.right.shape[:-1]:
        refuse("right_b", f"of the batch {a.right.shape[:-1]} of right_a", f"shape {b.right.shape}")
    return a, b


def two_proportions(a: Folds, b: Folds) -> tuple[Floats, Floats]:
    """Difference B − A of two independent proportions, and its variance if they are equal."""
    n_a, n_b, right_a, right_b = a.n, b.n, a.correct, b.correct
    p = (right_a + right_b) / (n_a + n_b)
    return right_b / n_b - right_a / n_a, p * (1 - p) * (1 / n_a + 1 / n_b)


@method(
    "wong-kfold-independent-z",
    designs=("kfold",),
    inputs=("correct",),
    arguments=("n_test",),
    estimand=_DIFFERENCE,
    training_size=_SIZE,
    leaning="liberal",
    why=_WHY + ", and ignores the variance over training sets",
    source="T15 theorem 3",
    recommended=False,
)
def wong_kfold_independent_z(
    right_a: Any,
    right_b: Any,
    *,
    n_test: Any,
    n_test_b: Any = None,
    null: float = 0.0,
    alternative: str = "two-sided",
) -> PivotEstimate:
    """
    z-test of two proportions from different folds.

    Parameters
    ----------
    right_a, right_b : arrays of shape (..., k) and (..., q)
        Number of right predictions of each algorithm in each of its folds.
    n_test : int or array
        Size of the folds, one for all or one per fold.
    n_test_b : int or array, optional
        Size of the folds of B, if they differ from those of A.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        p_B − p_A, variance p(1−p)(1/n_A + 1/n_B) with pooled p, reference N(0, 1).

    Notes
    -----
    *Validity.* Liberal, for comparison only: all predictions are taken as independent, those of A and B, too;
    where A and B see the same examples and err alike that makes it wasteful instead. The pooled variance also
    makes the interval, which so agrees with the test; it is meant for a null near 0. Folds with fewer than 5
    right or 5 wrong predictions are left out with a warning, which selects on the outcome.

    References
    ----------
    Wong (2015), theorem 3.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.wong_kfold_independent_z([16, 17, 16, 16, 15], [17, 17, 17, 16, 17], n_test=[22] * 5)
    >>> round(float(e.statistic), 6)
    0.619092
    """
    key = "wong-kfold-independent-z"
    a, b = _two_samples(right_a, right_b, n_test, n_test_b)
    require(key, a, b, least=1)
    found = pivot(key, *two_proportions(a, b), Normal(), null=null, alternative=alternative)
    return of_accuracy(found)


@method(
    "wong-kfold-independent-t",
    designs=("kfold",),
    inputs=("correct",),
    arguments=("n_test",),
    estimand=_DIFFERENCE,
    training_size=_SIZE,
    leaning="liberal",
    why=_WHY,
    source="T15 section 4.2, with the square root it lacks",
    recommended=False,
)
def wong_kfold_independent_t(
    right_a: Any,
    right_b: Any,
    *,
    n_test: Any,
    n_test_b: Any = None,
    null: float = 0.0,
    alternative: str = "two-sided",
) -> PivotEstimate:
    """
    Welch's t-test on the fold accuracies of two algorithms from different folds.

    Parameters
    ----------
    right_a, right_b, n_test, n_test_b, null, alternative
        As in :func:`wong_kfold_independent_z`.

    Returns
    -------
    PivotEstimate
        Difference of the mean accuracies, variance s_A²/k + s_B²/q, reference t with Welch's df.

    Notes
    -----
    *Validity.* Liberal, for comparison only, like ``kfold-t``: fold accuracies are taken as independent.
    Folds with fewer than 5 right or 5 wrong predictions are left out with a warning, which selects on the
    outcome.
    T15 prints the statistic without the square root and no df; these are Welch's.

    References
    ----------
    Wong (2015), section 4.2.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.wong_kfold_independent_t([32, 28, 30, 30, 32], [33, 30, 30, 31, 33], n_test=40)
    >>> round(float(e.statistic), 6), round(float(e.df), 6)
    (0.990148, 7.923839)
    """
    key = "wong-kfold-independent-t"
    a, b = _two_samples(right_a, right_b, n_test, n_test_b)
    require(key, a, b, least=2)
    k, mean_a, s2_a = mean_and_variance(a.accuracies, a.kept)
    q, mean_b, s2_b = mean_and_variance(b.accuracies, b.kept)
    v_a, v_b = s2_a / k, s2_b / q
    reference = StudentT(_welch_df(v_a, k - 1, v_b, q - 1))
    found = pivot(key, mean_b - mean_a, v_a + v_b, reference, null=null, alternative=alternative)
    return of_accuracy(found)


def _welch_df(v_a: Floats, df_a: Floats, v_b: Floats, df_b: Floats) -> Floats:
    """Welch and Satterthwaite's degrees of freedom; those of the pooled test where there is no spread."""
    total = v_a + v_b
    share = np.divide(v_a, total, out=np.full_like(total, 0.5), where=total > 0)
    df: Floats = 1 / (share**2 / df_a + (1 - share) ** 2 / df_b)
    return df
