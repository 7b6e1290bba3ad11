"""A t-test of your own: K folds with the factor that Nadeau and Bengio give random splits."""

from evenfold.extend import Estimand, Floats, Kind, Pivot, StudentT, Valid, method

FOLDS = Valid(
    kinds=(Kind("kfold", shape="folds"),), shapes=("folds",), estimand=Estimand(size="(K−1)n/K")
)


@method(
    valid=FOLDS,
    depends="the factor was derived for random splits, not for folds",
    source="Nadeau and Bengio (2003), eq. 6, with n2/n1 = 1/(K − 1)",
)
def cautious_kfold_t(d: Floats) -> Pivot:
    """
    Test the mean of K folds with the variance of random splits.

    *Formula.* Mean of K, variance S²·(1/K + 1/(K − 1)), reference t with K − 1 df.

    *Validity.* Nobody has proved it for folds.

    >>> float(cautious_kfold_t([0.1, 0.3, 0.2]).value)
    0.2
    """
    K = d.shape[-1]
    variance = d.var(axis=-1, ddof=1) * (1 / K + 1 / (K - 1))
    return Pivot(d.mean(axis=-1), variance, StudentT(K - 1))
