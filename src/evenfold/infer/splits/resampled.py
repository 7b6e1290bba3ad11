"""Tests on the hold-out values of J random splits (NB sections 3–4)."""

from functools import partial

from evenfold.core.checks import integer
from evenfold.core.estimate import Floats
from evenfold.core.partition import BRLT, REPEATED_KFOLD, RLT
from evenfold.infer._base import Pivot, mean_t, method
from evenfold.infer._valid import SPLITS_OR_REPEATED
from evenfold.infer.theory import ratios

_splits = partial(method, valid=SPLITS_OR_REPEATED, joint="t")


@_splits(
    liberal="treats hold-out values that share training and test examples as independent",
    source="NB section 3, method 2 (Dietterich 1998)",
    ratio=ratios.exchangeable,
)
def resampled_t(d: Floats) -> Pivot:
    """
    Test the mean of J random splits as if they were independent.

    *Formula.* Mean of J, variance S²/J, reference t with J − 1 df.

    *Validity.* Liberal, grossly so for many splits: the variance goes to 0 as J grows while the variance of
    the mean does not. For comparison only; use :func:`corrected_resampled_t`.

    >>> round(float(ef.infer.resampled_t([0.1, 0.3, 0.2, 0.4]).statistic), 6)
    3.872983
    """
    return mean_t(d)


@_splits(
    depends="liberal where the correlation of two hold-out values exceeds n2/(n1+n2), conservative below",
    source="NB section 4, method 6",
    default_for=(RLT, BRLT, REPEATED_KFOLD),
    ratio=ratios.corrected,
)
def corrected_resampled_t(d: Floats, *, n_train: int, n_test: int) -> Pivot:
    """
    Test the mean of J random splits with Nadeau and Bengio's corrected variance.

    *Formula.* Mean of J, variance (1/J + n2/n1)·S², reference t with J − 1 df.

    *Validity.* The correction assumes that two hold-out values are correlated by ρ0 = n2/(n1+n2), as if a
    model did not depend on its training examples but on their number. Where the true ρ is larger the test
    is liberal, where it is smaller conservative (NB 5.2 says the first the wrong way round). NB advise
    J ≥ 10, where 15 is enough, and n2 ≈ n/10. Of r repetitions of K folds J = K·r values are taken as if they
    were random splits: liberal where they are correlated more, which was not seen (.030 ± .009 at .05).

    >>> e = ef.infer.corrected_resampled_t([0.1, 0.3, 0.2, 0.4], n_train=90, n_test=10)
    >>> e.estimand
    'expected difference B − A at training size 90'
    >>> round(float(e.pvalue), 6)
    0.048491
    """
    n1, n2 = integer("n_train", n_train, low=1), integer("n_test", n_test, low=1)
    return mean_t(d, 1 / d.shape[-1] + n2 / n1, n_train=n1)
