"""McNemar's test on the effective table of a block-regularized 5×2 cross-validation (Yang 2023)."""

from typing import Any

from evenfold.core.checks import one_of
from evenfold.infer._inputs import repetitions, together
from evenfold.infer._registry import method
from evenfold.infer.bayes import kappa
from evenfold.infer.mcnemar import McNemarEstimate, counts, discordant_estimate

_VARIANTS = ("asymptotic", "corrected")


@method(
    "5x2-mcnemar",
    designs=("mx2-bcv",),
    inputs=("tables",),
    estimand="P(only B wrong) − P(only A wrong), given that one of them is,",
    training_size="n/2",
    leaning="depends",
    why="liberal where counts of hold-outs are correlated by more than ½, or vary more than binomial ones",
    source="Yang 2023; R19 section 6.2 for the effective counts",
    recommended=False,
)
def five_by_two_mcnemar(
    n10: Any,
    n01: Any,
    *,
    rho: tuple[float, float] = (0.5, 0.5),
    variant: str = "asymptotic",
    null: float = 0.0,
    alternative: str = "two-sided",
) -> McNemarEstimate:
    """
    Test whether two classifiers err equally often, from ten correlated tables of disagreement.

    Parameters
    ----------
    n10, n01 : arrays of shape (..., 5, 2)
        On each half of a 5×2 BCV: test points that A gets wrong and B right, and that A gets right and B
        wrong.
    rho : pair of float, default (½, ½)
        Assumed correlations (ρ1, ρ2) of the counts within and across repetitions.
    variant : {"asymptotic", "corrected"}
        Normal reference, plain or with continuity correction; counts that are no integers have no binomial.
    null : 0
        The test knows no other null; ``mx2_t`` does.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: B is right more often.

    Returns
    -------
    McNemarEstimate
        Of the effective counts: the sums over all ten tables times 1/(1 + ρ1 + 8ρ2), by default 2/11,
        which is 20/11 times the mean table. Everything else as in :func:`mcnemar`.

    Notes
    -----
    *Validity.* The ten tables test every example five times; at ρ1 = ρ2 = ½, the largest correlations that
    are expected, they are worth 10/11 of n independent examples. Like all effective counts it takes the
    variance *within* a table for binomial, so it does not know how the difference of error rates moves with
    the training set (:func:`bayes_f1` has the same gap). The factor is
    that of the paper; whether the paper's statistic is continuity-corrected is not settled here, so both
    variants exist. About training on n/2 examples.

    References
    ----------
    Yang, Wang, Song and Li (2023), Block-regularized 5×2 cross-validated McNemar's test, arXiv 2304.03990.

    Examples
    --------
    >>> import evenfold as ef
    >>> n10 = [[9, 12], [10, 11], [8, 12], [11, 9], [10, 10]]
    >>> n01 = [[4, 6], [5, 5], [3, 6], [4, 4], [5, 6]]
    >>> e = ef.infer.five_by_two_mcnemar(n10, n01)
    >>> round(float(e.only_b), 4), round(float(e.statistic), 4), round(float(e.pvalue), 4)
    (18.5455, 1.88, 0.0601)
    """
    variant = one_of("variant", variant, _VARIANTS)
    factor = kappa(5, rho=rho)
    only_b, only_a = (
        factor * repetitions(name, counts(name, table), exactly=5).sum(axis=(-2, -1))
        for name, table in (("n10", n10), ("n01", n01))
    )
    only_b, only_a = together(n10=only_b, n01=only_a)
    return discordant_estimate(
        "5x2-mcnemar", only_b, only_a, variant=variant, null=null, alternative=alternative
    )
