"""
Accuracies of K-fold cross-validation as independent proportions (T15 section 4).

These methods are here for comparison only.

T15 assumes that predictions in different folds are independent. They are not: any two training sets
share (K−2)/(K−1) of their examples (Bengio and Grandvalet 2004, Nadeau and Bengio 2003), so all of
these are liberal. The large-sample condition leaves out folds with fewer than 5 right or 5 wrong
predictions, which selects on the outcome: with true accuracy .95 and folds of 100 the estimate is
.935 on average.
"""

import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import integer, one_of, position, refuse, short_repr
from evenfold.core.errors import FoldsLeftOut, NotApplicable
from evenfold.core.estimate import Alternative, Estimand, Floats, Normal, PivotEstimate, StudentT
from evenfold.core.partition import FOLDS_APART, KFOLD
from evenfold.infer._arrays import ArrayLike, counts, floats, refuse_shape, require_shape, welch_df
from evenfold.infer._base import Pivot, method
from evenfold.infer._designs import FOLDS, LARGE_FOLDS, LEFT_ONE_OUT
from evenfold.infer.inputs import Correct, CorrectAlone, CorrectInAll, Discordant

# Numbers of right predictions, and the large-sample condition of T15: at least 5 right and 5
# wrong.


LEAST = 5


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Folds:
    """Right predictions and sizes of the folds, both (..., K), and which folds are kept."""

    right: Floats
    sizes: Floats
    kept: NDArray[np.bool_]

    @property
    def number(self) -> Floats:
        """Number of folds that are kept."""
        return sum_kept(np.ones_like(self.right), self.kept)

    @property
    def n(self) -> Floats:
        """Number of examples in the folds that are kept."""
        return sum_kept(self.sizes, self.kept)

    @property
    def correct(self) -> Floats:
        """Number of right predictions in the folds that are kept."""
        return sum_kept(self.right, self.kept)

    @property
    def accuracies(self) -> Floats:
        """Accuracy of each fold."""
        return self.right / self.sizes


def folds(name: str, right: Floats, n_test: Any) -> Folds:
    """Check right predictions ``(..., K)`` against fold sizes, and mark the folds to be kept."""
    array = right
    sizes = counts("n_test", n_test)
    fits = array.ndim >= 1 and array.shape[-1] >= 1
    require_shape(name, array.shape, "(..., K)", fits=fits)
    if sizes.min(initial=1.0) < 1:
        refuse("n_test", "n_test must be ≥ 1 but got 0.")
    try:
        sizes = np.broadcast_to(sizes, array.shape)
    except ValueError:
        refuse_shape("n_test", sizes.shape, f"one size, or one per fold of {name} {array.shape},")
    if np.any(array > sizes):
        where = position(array > sizes)
        value = f"{array[where]:g} of {sizes[where]:g} at position {where}"
        refuse(name, f"{name} must be at most the size of the fold but got {value}.")
    return Folds(right=array, sizes=sizes, kept=(array >= LEAST) & (sizes - array >= LEAST))


def require(key: str, *parts: Folds, least: int) -> None:
    """Refuse data with fewer than ``least`` folds kept; else say how many were left out."""
    left_out = sum(int(np.count_nonzero(~part.kept)) for part in parts)
    enough = min(part.kept.shape[-1] for part in parts) >= least
    if left_out == 0 and enough:
        return
    for part in parts:
        _require_kept(key, part.number, least)
    warnings.warn(
        f"{left_out} of {sum(part.kept.size for part in parts)} folds have fewer than {LEAST} "
        f"right or {LEAST} wrong predictions and were left out, so the estimate is biased towards "
        "½.",
        FoldsLeftOut,
        stacklevel=3,
    )


def _require_kept(key: str, number: Any, least: int) -> None:
    """Refuse numbers of folds that are kept, one for each data set, below ``least``."""
    few = np.asarray(number) < least
    if np.any(few):
        where = tuple(int(i) for i in np.argwhere(few)[0])
        raise NotApplicable(
            f"method {key!r} needs {least} or more folds with at least {LEAST} right and "
            f"{LEAST} wrong predictions but has "
            f"{np.asarray(number)[where]:g}{f' in data set {where}' if where else ''}. Use fewer, "
            "larger folds, or a method on hold-out values."
        )


def _require_large_folds(key: str, *, n_test: Any, least: int) -> None:
    """Refuse designs of which fewer folds than ``least`` are large enough to be kept."""
    _require_kept(key, int(np.count_nonzero(np.asarray(n_test) >= 2 * LEAST)), least)


def require_predictions(key: str, n: object, *, low: int) -> int:
    """Return a number of predictions of which 5 can be right and 5 wrong, or refuse it."""
    n = integer("n", n, low=low)
    _require_large_folds(key, n_test=[n], least=1)
    return n


def sum_kept(values: Floats, kept: NDArray[np.bool_]) -> Floats:
    """
    Sum over the entries of the last axis that are kept.

    Matrix products are cheap on short axes.
    """
    ones = np.ones(values.shape[-1])
    return (values if kept.all() else np.where(kept, values, 0.0)) @ ones


def counted_mean_and_variance(
    values: Floats, kept: NDArray[np.bool_]
) -> tuple[Floats, Floats, Floats]:
    """Return number, mean and sample variance of the entries of the last axis that are kept."""
    number = sum_kept(np.ones_like(values), kept)
    mean = sum_kept(values, kept) / number
    return number, mean, sum_kept((values - mean[..., None]) ** 2, kept) / (number - 1)


_WHY = "It treats the predictions of models with overlapping training sets as independent."
_WASTEFUL = (
    "It is liberal if A and B have test sets of their own, and wasteful if they see the same "
    "examples."
)

on_counts = partial(method, estimand=Estimand(quantity="error"), counted="accuracy")
as_independent = partial(
    on_counts,
    takes=CorrectInAll(),
    depends="It ignores the variance over training sets, but also that A and B err on the same "
    "examples.",
)
_folds = partial(on_counts, valid=LARGE_FOLDS, takes=Correct())
_own_folds = partial(_folds, valid=replace(LARGE_FOLDS, kinds=(KFOLD, FOLDS_APART)))


def _fewest_folds(averaging: str) -> int:
    return 1 if one_of("averaging", averaging, ("data-set", "fold")) == "data-set" else 2


def _require_averaging(n_test: Any, averaging: str = "data-set") -> None:
    _require_large_folds("wong-proportion", n_test=n_test, least=_fewest_folds(averaging))


@on_counts(
    name="Wong's test of one proportion",
    valid=FOLDS,
    takes=CorrectAlone(),
    check=_require_averaging,
    estimand=Estimand(quantity="error", form="value"),
    liberal=_WHY,
    source="T15 theorem 1, sections 4.1, 4.3.3, 5.1",
    no_card="cards are about the difference of two algorithms",
)
def wong_proportion(
    right: ArrayLike,
    *,
    n_test: Any,
    averaging: str = "data-set",
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Accuracy of one algorithm as a proportion, or as a mean of fold accuracies.

    Parameters
    ----------
    right : array of shape (..., K)
        Number of right predictions in each fold; K = 1 for leave-one-out, with all right
        predictions.
    n_test : int or array
        Size of the folds, one for all or one per fold.
    averaging : {"data-set", "fold"}
        Normal with variance p(1−p)/n, or t with K − 1 df on the fold accuracies.
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
    *Formula.* The accuracy, with its standard error and interval.

    *Validity.* It is liberal and here for comparison only: predictions are taken as independent,
    although models share training examples, and nothing accounts for the variance over training
    sets. Folds with fewer than 5 right or 5 wrong predictions are left out with a warning; that
    selects on the outcome (true accuracy .95 with folds of 100 is estimated .935).

    *How it errs.* It is liberal. It treats the predictions of models with overlapping training sets
    as independent. It estimates the error at training size (K−1)n/K.

    References
    ----------
    T15 theorem 1, sections 4.1, 4.3.3, 5.1. Wong, T.-T. (2015). Performance evaluation of
    classification algorithms by k-fold and leave-one-out cross validation. Pattern Recognition.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.wong_proportion([32, 28, 30, 30, 32], n_test=40)
    >>> round(float(e.value), 6), round(float(e.standard_error**2), 6)
    (0.76, 0.000912)
    """
    least = _fewest_folds(averaging)
    part = folds("right", floats(right), n_test)
    require("wong-proportion", part, least=least)
    if averaging == "data-set":
        n = part.n
        p = part.correct / n
        return Pivot(p, p * (1 - p) / n, Normal()).test(null, alternative)
    k, p, s2 = counted_mean_and_variance(part.accuracies, part.kept)
    return Pivot(p, s2 / k, StudentT(k - 1)).test(null, alternative)


@_folds(
    name="Wong's matched t-test on folds",
    liberal=_WHY,
    source="T15 theorem 2",
    check=partial(_require_large_folds, "wong-kfold-matched-t", least=2),
)
def wong_kfold_matched_t(
    right_a: ArrayLike,
    right_b: ArrayLike,
    *,
    n_test: Any,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Matched t-test on the differences of fold accuracies.

    Parameters
    ----------
    right_a, right_b : arrays of shape (..., K)
        Number of right predictions of each algorithm in each fold, on the same folds.
    n_test : int or array
        Size of the folds, one for all or one per fold.
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
    *Formula.* Mean of d_j, variance S²/k, reference t with k − 1 df, over the k folds that are
    kept.

    *Validity.* It is liberal and here for comparison only: this is ``kfold-t`` with a condition. A
    fold in which either algorithm has fewer than 5 right or 5 wrong predictions is left out with a
    warning, which selects on the outcome. T15's "scheme-independence" of A and B is not needed for
    a matched test.

    *How it errs.* It is liberal. It treats the predictions of models with overlapping training sets
    as independent. It estimates the difference of error B − A at training size (K−1)n/K.

    References
    ----------
    T15 theorem 2. Wong, T.-T. (2015). Performance evaluation of classification algorithms by k-fold
    and leave-one-out cross validation. Pattern Recognition.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.wong_kfold_matched_t([32, 28, 30, 30, 32], [33, 30, 30, 31, 33], n_test=40)
    >>> round(float(e.value), 6), round(float(e.pvalue), 6)
    (0.025, 0.034109)
    """
    a = folds("right_a", floats(right_a), n_test)
    b = folds("right_b", floats(right_b), n_test)
    if a.right.shape != b.right.shape:
        refuse_shape("right_b", b.right.shape, f"of the shape {a.right.shape} of right_a")
    both = replace(a, kept=a.kept & b.kept)
    require("wong-kfold-matched-t", both, least=2)
    k, mean, s2 = counted_mean_and_variance((b.right - a.right) / a.sizes, both.kept)
    return Pivot(mean, s2 / k, StudentT(k - 1)).test(null, alternative)


def _two_samples(right_a: Any, right_b: Any, n_test: Any, n_test_b: Any) -> tuple[Folds, Folds]:
    a = folds("right_a", right_a, n_test)
    b = folds("right_b", right_b, n_test if n_test_b is None else n_test_b)
    if a.right.shape[:-1] != b.right.shape[:-1]:
        refuse_shape("right_b", b.right.shape, f"of the batch {a.right.shape[:-1]} of right_a")
    return a, b


def two_proportions(a: Folds, b: Folds) -> tuple[Floats, Floats]:
    """Return the difference of two independent proportions, and its variance if they are equal."""
    p = (a.correct + b.correct) / (a.n + b.n)
    return b.correct / b.n - a.correct / a.n, p * (1 - p) * (1 / a.n + 1 / b.n)


def pooled_z(key: str, right_a: Floats, right_b: Floats, n: int) -> Pivot:
    """Return the pivot of the z-test of two proportions of n predictions each."""
    a = folds("right_a", right_a[..., None], n)
    b = folds("right_b", right_b[..., None], n)
    require(key, a, b, least=1)
    return Pivot(*two_proportions(a, b), Normal())


@_own_folds(
    name="Wong's z-test on independent folds",
    depends=_WASTEFUL,
    source="T15 theorem 3",
    check=partial(_require_large_folds, "wong-kfold-independent-z", least=1),
    default_for=(FOLDS_APART,),
    recommended=False,
)
def wong_kfold_independent_z(
    right_a: ArrayLike,
    right_b: ArrayLike,
    *,
    n_test: Any,
    n_test_b: Any = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    z-test of two proportions from different folds.

    Parameters
    ----------
    right_a, right_b : arrays of shape (..., K)
        Number of right predictions of each algorithm in each fold, on the same folds.
    n_test : int or array
        Size of the folds, one for all or one per fold.
    n_test_b : int or array, optional
        Size of the folds of B, if they differ from those of A.
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
    *Formula.* p_B − p_A, variance p(1−p)(1/n_A + 1/n_B) with pooled p, reference N(0, 1).

    *Validity.* It is here for comparison only: all predictions are taken as independent. It is
    liberal where A and B have test sets of their own; where both see the same examples and err
    alike, those of A and B are taken as independent, too, and it is wasteful (it errs .00 to .02 on
    its card). The pooled variance also makes the interval, which so agrees with the test; it is
    meant for a null near 0. Folds with fewer than 5 right or 5 wrong predictions are left out with
    a warning, which selects on the outcome.

    *How it errs.* It is liberal if A and B have test sets of their own, and wasteful if they see
    the same examples. It estimates the difference of error B − A at training size (K−1)n/K.

    References
    ----------
    T15 theorem 3. Wong, T.-T. (2015). Performance evaluation of classification algorithms by k-fold
    and leave-one-out cross validation. Pattern Recognition.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.wong_kfold_independent_z(
    ...     [16, 17, 16, 16, 15], [17, 17, 17, 16, 17], n_test=[22] * 5
    ... )
    >>> round(float(e.statistic), 6)
    0.619092
    """
    a, b = _two_samples(floats(right_a), floats(right_b), n_test, n_test_b)
    require("wong-kfold-independent-z", a, b, least=1)
    return Pivot(*two_proportions(a, b), Normal()).test(null, alternative)


@_own_folds(
    name="Wong's t-test on independent folds",
    depends=_WASTEFUL,
    source="T15 section 4.2, with the square root it lacks",
    check=partial(_require_large_folds, "wong-kfold-independent-t", least=2),
)
def wong_kfold_independent_t(
    right_a: ArrayLike,
    right_b: ArrayLike,
    *,
    n_test: Any,
    n_test_b: Any = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Welch's t-test on the fold accuracies of two algorithms from different folds.

    Parameters
    ----------
    right_a, right_b : arrays of shape (..., K)
        Number of right predictions of each algorithm in each fold, on the same folds.
    n_test : int or array
        Size of the folds, one for all or one per fold.
    n_test_b : int or array, optional
        Size of the folds of B, if they differ from those of A.
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
    *Formula.* Difference of the mean accuracies, variance s_A²/k + s_B²/q, reference t with Welch's
    df.

    *Validity.* It is here for comparison only: fold accuracies are taken as independent. It is
    liberal like ``kfold-t`` where A and B have folds of their own, wasteful where both see the same
    examples (.00 to .04 on its card). Folds with fewer than 5 right or 5 wrong predictions are left
    out with a warning, which selects on the outcome. T15 prints the statistic without the square
    root and no df; these are Welch's.

    *How it errs.* It is liberal if A and B have test sets of their own, and wasteful if they see
    the same examples. It estimates the difference of error B − A at training size (K−1)n/K.

    References
    ----------
    T15 section 4.2, with the square root it lacks. Wong, T.-T. (2015). Performance evaluation of
    classification algorithms by k-fold and leave-one-out cross validation. Pattern Recognition.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.wong_kfold_independent_t([32, 28, 30, 30, 32], [33, 30, 30, 31, 33], n_test=40)
    >>> round(float(e.statistic), 6), round(float(e.df), 6)
    (0.990148, 7.923839)
    """
    a, b = _two_samples(floats(right_a), floats(right_b), n_test, n_test_b)
    require("wong-kfold-independent-t", a, b, least=2)
    k, mean_a, s2_a = counted_mean_and_variance(a.accuracies, a.kept)
    q, mean_b, s2_b = counted_mean_and_variance(b.accuracies, b.kept)
    v_a = s2_a / k
    v_b = s2_b / q
    df = welch_df(v_a, k - 1, v_b, q - 1)
    return Pivot(mean_b - mean_a, v_a + v_b, StudentT(df)).test(null, alternative)


# Accuracies of leave-one-out cross-validation as proportions (T15 section 5): for comparison only.


def _require_examples(n: object) -> int:
    """Return a number of examples of which 5 can have each of three signs, or refuse it."""
    return integer("n", n, low=3 * LEAST)


@on_counts(
    name="Wong's matched t-test on leave-one-out predictions",
    valid=LEFT_ONE_OUT,
    takes=Discordant(),
    check=_require_examples,
    liberal="It treats the predictions of n models as independent although they were trained on "
    "nearly the same examples.",
    source="T15 theorem 4, with the square it lacks in s_y²",
)
def wong_loo_matched_t(
    n10: ArrayLike,
    n01: ArrayLike,
    *,
    n: int,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Matched t-test on y ∈ {−1, 0, 1}, the difference of two predictions being right.

    Parameters
    ----------
    n10, n01 : int or array of shape (...)
        Number of test points that A gets wrong and B right, and that A gets right and B wrong.
    n : int
        All examples.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Raises
    ------
    NotApplicable
        If y takes one of its three values fewer than 5 times.

    Notes
    -----
    *Formula.* Mean of y, variance s_y²/n, reference t with n − 1 df.

    *Validity.* It is here for comparison only. It is liberal where the algorithms are unstable: it
    knows the variance over test points, not over training sets, and takes predictions as
    independent. It is nearly McNemar's test.

    *How it errs.* It is liberal. It treats the predictions of n models as independent although they
    were trained on nearly the same examples. It estimates the difference of error B − A at training
    size n − 1.

    References
    ----------
    T15 theorem 4, with the square it lacks in s_y². Wong, T.-T. (2015). Performance evaluation of
    classification algorithms by k-fold and leave-one-out cross validation. Pattern Recognition.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.wong_loo_matched_t(10, 6, n=100)
    >>> round(float(e.value), 6), round(float(e.statistic), 6)
    (0.04, 1.0)
    """
    n = _require_examples(n)
    up = floats(n10)
    down = floats(n01)
    if np.any(up + down > n):
        refuse(
            None,
            f"n10 + n01 must be at most n = {n} but got {short_repr(float((up + down).max()))}.",
        )
    fewest = np.minimum(np.minimum(up, down), n - up - down)
    if np.any(fewest < LEAST):
        raise NotApplicable(
            f"method 'wong-loo-matched-t' needs each of y = −1, 0, 1 at least {LEAST} times but "
            f"has one only {fewest.min():g} times. Use the method 'mcnemar' with variant='exact'."
        )
    mean = (up - down) / n
    s2 = (up + down - n * mean**2) / (n - 1)
    return Pivot(mean, s2 / n, StudentT(n - 1)).test(null, alternative)


_LOO_PREDICTIONS = partial(require_predictions, "wong-loo-independent-z", low=2 * LEAST)


@as_independent(
    name="Wong's z-test on independent leave-one-out predictions",
    valid=LEFT_ONE_OUT,
    source="T15 section 5.2",
    check=_LOO_PREDICTIONS,
)
def wong_loo_independent_z(
    right_a: ArrayLike,
    right_b: ArrayLike,
    *,
    n: int,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    z-test of the two accuracies as independent proportions.

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

    Raises
    ------
    NotApplicable
        If an algorithm has fewer than 5 right or 5 wrong predictions.

    Notes
    -----
    *Formula.* p_B − p_A, variance 2p(1−p)/n with pooled p, reference N(0, 1).

    *Validity.* It is here for comparison only. It is liberal where the algorithms are unstable,
    since nothing accounts for the variance over training sets. It is wasteful where A and B err on
    the same examples, which it takes as independent.

    *How it errs.* It ignores the variance over training sets, but also that A and B err on the same
    examples. It estimates the difference of error B − A at training size n − 1.

    References
    ----------
    T15 section 5.2. Wong, T.-T. (2015). Performance evaluation of classification algorithms by
    k-fold and leave-one-out cross validation. Pattern Recognition.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.wong_loo_independent_z(80, 84, n=100).statistic), 4)
    0.7362
    """
    n = _LOO_PREDICTIONS(n)
    pivot = pooled_z("wong-loo-independent-z", floats(right_a), floats(right_b), n)
    return pivot.test(null, alternative)
