"""
Accuracies of K-fold cross-validation as independent proportions (T15 section 4): for comparison only.

T15 assumes that predictions in different folds are independent. They are not: any two training sets share
(K−2)/(K−1) of their examples (Bengio and Grandvalet 2004, Nadeau and Bengio 2003), so all of these are
liberal. The large-sample condition leaves out folds with fewer than 5 right or 5 wrong predictions, which
selects on the outcome: with true accuracy .95 and folds of 100 the estimate is .935 on average.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from evenfold.core.checks import one_of, refuse
from evenfold.core.estimate import Estimand, Floats, Normal, StudentT
from evenfold.infer._base import Pivot, method
from evenfold.infer._spread import welch_df
from evenfold.infer._valid import FOLDS, LARGE_FOLDS
from evenfold.infer.folds._counted import Folds, folds, mean_and_variance, require
from evenfold.infer.inputs import Correct, CorrectAlone, CorrectInAll

_WHY = "treats predictions of models with overlapping training sets as independent"
_WASTEFUL = "liberal for test sets of their own, wasteful where A and B see the same examples"

on_counts = partial(method, estimand=Estimand(quantity="error"), counted="accuracy")
as_independent = partial(
    on_counts,
    takes=CorrectInAll(),
    depends="ignores the variance over training sets, but also that A and B err on the same examples",
)
_folds = partial(on_counts, valid=LARGE_FOLDS, takes=Correct())


@on_counts(
    valid=FOLDS,
    takes=CorrectAlone(),
    estimand=Estimand(quantity="error", form="value"),
    liberal=_WHY,
    source="T15 theorem 1, sections 4.1, 4.3.3, 5.1",
    no_card="cards are about the difference of two algorithms",
)
def wong_proportion(right: Floats, *, n_test: Any, averaging: str = "data-set") -> Pivot:
    """
    Accuracy of one algorithm as a proportion, or as a mean of fold accuracies.

    *Formula.* The accuracy, with its standard error and interval.

    *Validity.* Liberal, for comparison only: predictions are taken as independent, although models share
    training examples, and nothing accounts for the variance over training sets. Folds with fewer than 5 right
    or 5 wrong predictions are left out with a warning; that selects on the outcome (true accuracy .95 with
    folds of 100 is estimated .935).

    >>> e = ef.infer.wong_proportion([32, 28, 30, 30, 32], n_test=40)
    >>> round(float(e.value), 6), round(float(e.standard_error**2), 6)
    (0.76, 0.000912)

    Parameters
    ----------
    averaging : {"data-set", "fold"}
        Normal with variance p(1−p)/n, or t with K − 1 df on the fold accuracies.
    """
    one_of("averaging", averaging, ("data-set", "fold"))
    part = folds("right", right, n_test)
    require("wong-proportion", part, least=1 if averaging == "data-set" else 2)
    if averaging == "data-set":
        n = part.n
        p = part.correct / n
        return Pivot(p, p * (1 - p) / n, Normal())
    k, p, s2 = mean_and_variance(part.accuracies, part.kept)
    return Pivot(p, s2 / k, StudentT(k - 1))


@_folds(liberal=_WHY, source="T15 theorem 2")
def wong_kfold_matched_t(right_a: Floats, right_b: Floats, *, n_test: Any) -> Pivot:
    """
    Matched t-test on the differences of fold accuracies.

    *Formula.* Mean of d_j, variance S²/k, reference t with k − 1 df, over the k folds that are kept.

    *Validity.* Liberal, for comparison only: this is ``kfold-t`` with a condition. A fold in which either
    algorithm has fewer than 5 right or 5 wrong predictions is left out with a warning, which selects on the
    outcome. T15's "scheme-independence" of A and B is not needed for a matched test.

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
    return Pivot(mean, s2 / k, StudentT(k - 1))


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


def pooled_z(key: str, right_a: Floats, right_b: Floats, n: int) -> Pivot:
    """The z-test of two proportions of n predictions each."""
    a, b = folds("right_a", right_a[..., None], n), folds("right_b", right_b[..., None], n)
    require(key, a, b, least=1)
    return Pivot(*two_proportions(a, b), Normal())


@_folds(depends=_WASTEFUL, source="T15 theorem 3")
def wong_kfold_independent_z(right_a: Floats, right_b: Floats, *, n_test: Any, n_test_b: Any = None) -> Pivot:
    """
    z-test of two proportions from different folds.

    *Formula.* p_B − p_A, variance p(1−p)(1/n_A + 1/n_B) with pooled p, reference N(0, 1).

    *Validity.* For comparison only: all predictions are taken as independent. Liberal where A and B have test
    sets of their own; where both see the same examples and err alike, those of A and B are taken as
    independent, too, and it is wasteful (it errs .00 to .02 on its card). The pooled variance also makes
    the interval, which so agrees with the test; it is meant for a null near 0. Folds with fewer than 5 right
    or 5 wrong predictions are left out with a warning, which selects on the outcome.

    >>> e = ef.infer.wong_kfold_independent_z([16, 17, 16, 16, 15], [17, 17, 17, 16, 17], n_test=[22] * 5)
    >>> round(float(e.statistic), 6)
    0.619092
    """
    key = "wong-kfold-independent-z"
    a, b = _two_samples(right_a, right_b, n_test, n_test_b)
    require(key, a, b, least=1)
    return Pivot(*two_proportions(a, b), Normal())


@_folds(depends=_WASTEFUL, source="T15 section 4.2, with the square root it lacks")
def wong_kfold_independent_t(right_a: Floats, right_b: Floats, *, n_test: Any, n_test_b: Any = None) -> Pivot:
    """
    Welch's t-test on the fold accuracies of two algorithms from different folds.

    *Formula.* Difference of the mean accuracies, variance s_A²/k + s_B²/q, reference t with Welch's df.

    *Validity.* For comparison only: fold accuracies are taken as independent. Liberal like ``kfold-t`` where
    A and B have folds of their own, wasteful where both see the same examples (.00 to .04 on its card). Folds
    with fewer than 5 right or 5 wrong predictions are left out with a warning, which selects on the outcome.
    T15 prints the statistic without the square root and no df; these are Welch's.

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
    return Pivot(mean_b - mean_a, v_a + v_b, StudentT(welch_df(v_a, k - 1, v_b, q - 1)))
