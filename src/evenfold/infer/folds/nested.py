"""
Nested cross-validation: an interval from how far inner estimates are from outer ones (Bates 2023).

A K-fold estimate made inside K−1 folds can be compared with the fold left out, which it has not seen: the
mean square of that difference, less the noise of the fold, estimates the mean squared error of K-fold.
"""

import numpy as np
from numpy.typing import NDArray

from evenfold.core.estimate import Floats, Normal
from evenfold.core.partition import NESTED_KFOLD
from evenfold.infer._base import Pivot, method
from evenfold.infer._valid import NESTED_FOLDS


@method(
    valid=NESTED_FOLDS,
    depends="the estimate of the mean squared error is noisy, and is cut off at both ends; below its level "
    "on most data, above it where single training examples matter or a learner collapses",
    source="Bates 2023, algorithm 1",
    default_for=(NESTED_KFOLD,),
)
def nested_cv(losses: Floats, folds: NDArray[np.intp]) -> Pivot:
    """
    Test the error at training size n, with a mean squared error from nested cross-validation.

    *Formula.* Value: mean inner loss Err_ncv less the bias (1 + (K−2)/K)·(Err_ncv − Err_cv), with the mean
    outer loss Err_cv. Variance: (K−1)/K times the mean over repetitions and folds of (inner mean − outer
    mean)² − S²(outer)/M, cut off at S²(inner)/n and K times that. Reference N(0, 1).

    *Validity.* Of the intervals that a large benchmark compared (Schulz-Kümpel and others 2024) this one,
    the corrected t and the conservative Z covered best; no theorem says that it does. With few repetitions
    the variance is noisy (the authors use 200), and for n below 100 or so it is mostly cut off.

    *The bias term* carries the estimate from training sets of (K−2)n/K to n. As published it is
    1 + (K−2)/K, which is exact where the error falls like a + b/n (then Err_ncv − Err(n) is 2(K−1)/K times
    Err_ncv − Err_cv). The authors' own program raises (K−2)/K to the power 1.5 instead, which corrects less;
    no reason is given, and other programs follow either. Here it is as published. It is an extrapolation: the
    answer is about training on all n examples, though no model was.

    Programs that drop the remainder where K does not divide n leave some examples untested; here every
    example is tested in every repetition, and folds may differ in size.

    >>> import numpy as np
    >>> folds = np.array([[0, 0, 1, 1, 2, 2]])
    >>> losses = np.array([[[3, 1, 2, 4, 1, 3], [4, 1, 2, 3, 2, 3], [3, 2, 3, 4, 1, 2]]]) / 10
    >>> e = ef.infer.nested_cv(losses, folds)
    >>> round(float(e.value), 6), round(float(e.standard_error), 6)
    (0.177778, 0.04714)
    """
    L, (K, n) = losses, losses.shape[-2:]
    own = members(folds, K)
    M = own.sum(axis=-1)
    outer = np.where(own, L, 0.0).sum(axis=-1)
    inner = np.where(own, 0.0, L).sum(axis=-1)
    centred = np.where(own, L - (outer / M)[..., None], 0.0)
    b = np.einsum("...i,...i->...", centred, centred) / (M * (M - 1))
    a = (inner / (n - M) - outer / M) ** 2
    mse = (a - b).mean(axis=(-2, -1))
    R = len(own)
    err_cv = outer.sum(axis=(-2, -1)) / (R * n)
    err_ncv = inner.sum(axis=(-2, -1)) / (R * n * (K - 1))
    floor = _inner_variance(L, own, err_ncv) / n
    variance = np.clip((K - 1) / K * mse, floor, K * floor)
    value = err_ncv - (1 + (K - 2) / K) * (err_ncv - err_cv)
    return Pivot(value, variance, Normal(), n)


def _inner_variance(L: Floats, own: NDArray[np.bool_], mean: Floats) -> Floats:
    """Sample variance of all inner losses."""
    centred = np.where(own, 0.0, L - mean[..., None, None, None])
    squares: Floats = np.einsum("...rki,...rki->...", centred, centred) / (np.count_nonzero(~own) - 1)
    return squares


def members(folds: NDArray[np.intp], K: int) -> NDArray[np.bool_]:
    """Who belongs to each of the K folds of each repetition, (R, K, n)."""
    return np.asarray(folds[:, None, :] == np.arange(K)[:, None])
