"""Tests that estimate the variance of a mean of J splits from further runs (NB methods 4, 5 and 7)."""

from evenfold.core.checks import integer
from evenfold.core.estimate import Floats, Normal, StudentT
from evenfold.core.partition import NESTED_RLT, RERUNS
from evenfold.infer._base import Pivot, method
from evenfold.infer._spread import mean_and_variance, mean_last, within
from evenfold.infer._valid import NESTED_HALVES, RUN_AGAIN
from evenfold.infer.theory import ratios


@method(
    valid=RUN_AGAIN,
    liberal="further runs on the same data show the spread of splits, not that of data sets",
    source="NB section 4, method 5",
    ratio=ratios.exchangeable,
)
def bootstrap(d: Floats, reruns: Floats) -> Pivot:
    """
    Test the mean of J splits with the variance of R more such means on the same data.

    *Formula.* Mean of J, variance of the R means, reference t with R − 1 df.

    *Validity.* Liberal, more than :func:`resampled_t` and at R + 1 times its cost: .13 to .45 at .05 on its
    card, where that errs .00 to .23. Runs of even splits, as ``Reruns`` makes them, vary less than NB's
    random ones. For comparison only. Its name is that of its source: nothing is drawn with replacement, see
    :func:`bootstrap_632` for that.

    >>> round(float(ef.infer.bootstrap([0.1, 0.3], [0.1, 0.2, 0.3]).statistic), 6)
    2.0
    """
    _, variance = mean_and_variance(reruns)
    reference = StudentT(reruns.shape[-1] - 1)
    return Pivot(mean_last(d), variance, reference)


@method(
    valid=RUN_AGAIN,
    depends="liberal where the correlation of two hold-out values exceeds n2/(n1+n2), conservative below, if "
    "splits are random; runs of even ones vary less, and it errs .02 to .20 at .05",
    source="NB section 4, method 7",
    recommended=False,
    default_for=(RERUNS,),
    ratio=ratios.corrected,
)
def corrected_bootstrap(d: Floats, reruns: Floats, *, n_train: int, n_test: int) -> Pivot:
    """
    Test the mean of J splits with the corrected variance of R more such means.

    *Formula.* Mean of J, (1 + J·n2/n1) times the variance of the R means, reference t with R − 1 df.

    *Validity.* As :func:`corrected_resampled_t` if splits are random; runs of even ones, as ``Reruns`` makes
    them, vary less, and it errs .02 to .20 at .05 on its card where that errs .00 to .09 with R + 1 times
    fewer fits. For comparison only.

    >>> e = ef.infer.corrected_bootstrap([0.1, 0.3], [0.1, 0.2, 0.3], n_train=20, n_test=10)
    >>> round(float(e.statistic), 6)
    1.414214
    """
    n1, n2 = integer("n_train", n_train, low=1), integer("n_test", n_test, low=1)
    variance = (1 + d.shape[-1] * n2 / n1) * mean_and_variance(reruns)[1]
    reference = StudentT(reruns.shape[-1] - 1)
    return Pivot(mean_last(d), variance, reference, n1)


@method(
    valid=NESTED_HALVES,
    depends="its variance, that of half as much data, is larger on average; the normal quantile does not "
    "know that it rests on few halvings: with five it erred up to .10 at .05 on the lab's populations",
    source="NB section 4, method 4, eqs. 11 and 17",
    default_for=(NESTED_RLT,),
)
def conservative_z(d: Floats, halves: Floats) -> Pivot:
    """
    Test the mean of J splits with a variance from independent halves of the data.

    *Formula.* Mean of J, variance (1/2M)·Σ(difference of the two halves)², reference N(0, 1).

    *Validity.* Its variance is conservative by a conjecture that simulations support, too much so at
    n2 = n/2, and more so the more halvings there are; but it rests on M halvings only, which the normal
    quantile does not know: with M = 5 it erred .02 to .10 at .05 on the lab's populations;
    :func:`conservative_t` does know it. It needs J + 2MJ fits; NB advise 5 ≤ M ≤ 10.

    >>> e = ef.infer.conservative_z([0.2, 0.4], [[0.1, 0.3], [0.4, 0.2]])
    >>> round(float(e.standard_error), 6), round(float(e.pvalue), 6)
    (0.141421, 0.033895)
    """
    return Pivot(mean_last(d), _of_halves(halves), Normal())


@method(
    valid=NESTED_HALVES,
    conservative="its variance is that of half as much data, and it takes M degrees of freedom for it",
    source="ours: docs/open-problems; variance of NB section 4, method 4",
    recommended=True,
)
def conservative_t(d: Floats, halves: Floats) -> Pivot:
    """
    Test as :func:`conservative_z` does, with Student's law in place of the normal one.

    *Formula.* Mean of J, variance (1/2M)·Σ(difference of the two halves)², reference t with M df.

    *Validity.* Conservative where it was measured, M = 5 and n2 = n/10: .021 to .034 at .05 on normal
    regression, .026 to .043 (± .008) on letters, where :func:`conservative_z` errs up to .10; .008 to .037
    (± .002) in its card. The squares of the M halvings are not independent, so M degrees of freedom are a
    choice that worked, not a theorem.

    >>> e = ef.infer.conservative_t([0.2, 0.4], [[0.1, 0.3], [0.4, 0.2]])
    >>> round(float(e.standard_error), 6), round(float(e.pvalue), 6)
    (0.141421, 0.16795)
    """
    return Pivot(mean_last(d), _of_halves(halves), StudentT(halves.shape[-2]))


def _of_halves(halves: Floats) -> Floats:
    variance: Floats = within(halves) / halves.shape[-2]  # NB eq. 11
    return variance
