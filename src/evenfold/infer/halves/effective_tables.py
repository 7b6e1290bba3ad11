"""McNemar's test on the effective table of a block-regularized 5×2 cross-validation (Yang 2023)."""

from evenfold.core.checks import one_of
from evenfold.core.estimate import Estimand, Floats
from evenfold.infer._base import Answer, method
from evenfold.infer._valid import FIVE_BALANCED
from evenfold.infer.inputs import Tables
from evenfold.infer.one_test_set.discordant import (
    ONLY_RIGHT,
    ONLY_WRONG,
    PART,
    McNemarEstimate,
    discordant,
)
from evenfold.infer.scores.effective_counts import kappa

_VARIANTS = ("asymptotic", "corrected")


@method(
    valid=FIVE_BALANCED,
    takes=Tables(),
    estimand=Estimand(words=ONLY_WRONG, quantity=PART),
    depends="liberal where counts of hold-outs are correlated by more than ½, or vary more than binomial "
    "ones",
    source="Yang 2023; R19 section 6.2 for the effective counts",
    nulls=False,
    instead="mx2-t",
    counted=ONLY_RIGHT,
)
def five_by_two_mcnemar(
    n10: Floats, n01: Floats, *, rho: tuple[float, float] = (0.5, 0.5), variant: str = "asymptotic"
) -> Answer[McNemarEstimate]:
    """
    Test whether two classifiers err equally often, from ten correlated tables of disagreement.

    *Formula.* Of the effective counts: the sums over all ten tables times 1/(1 + ρ1 + 8ρ2), by default 2/11,
    which is 20/11 times the mean table. Everything else as in :func:`mcnemar`.

    *Validity.* The ten tables test every example five times; at ρ1 = ρ2 = ½, the largest correlations that
    are expected, they are worth 10/11 of n independent examples. Like all effective counts it takes the
    variance *within* a table for binomial, so it does not know how the difference of error rates moves with
    the training set (:func:`bayes_f1` has the same gap). The factor is
    that of the paper; whether the paper's statistic is continuity-corrected is not settled here, so both
    variants exist. About training on n/2 examples.

    >>> n10 = [[9, 12], [10, 11], [8, 12], [11, 9], [10, 10]]
    >>> n01 = [[4, 6], [5, 5], [3, 6], [4, 4], [5, 6]]
    >>> e = ef.infer.five_by_two_mcnemar(n10, n01)
    >>> round(float(e.only_b), 4), round(float(e.statistic), 4), round(float(e.pvalue), 4)
    (18.5455, 1.88, 0.0601)

    Parameters
    ----------
    rho : pair of float, default (½, ½)
        Assumed correlations (ρ1, ρ2) of the counts within and across repetitions.
    variant : {"asymptotic", "corrected"}
        Normal reference, plain or with continuity correction; counts that are no integers have no binomial.
    """
    variant = one_of("variant", variant, _VARIANTS)
    factor = kappa(n10.shape[-2], rho=rho)
    only_b, only_a = (factor * table.sum(axis=(-2, -1)) for table in (n10, n01))
    return discordant(only_b, only_a, variant)
