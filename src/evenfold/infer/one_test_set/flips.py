"""Tests on who is right where: McNemar's of two models, Cochran's of several."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy import special

from evenfold.core.checks import one_of
from evenfold.core.estimate import Alternative, Estimand, Estimate, Floats, Normal
from evenfold.infer._arrays import ArrayLike, bisect, floats, warn_degenerate
from evenfold.infer._base import OneSidedTests, method
from evenfold.infer._designs import ONE_SPLIT
from evenfold.infer.inputs import Answers, Discordant

_VARIANTS = ("asymptotic", "corrected", "exact", "mid-p")
_SHARES = {"exact": 1.0, "mid-p": 0.5}  # of the observed table that a tail holds
_TAIL_BISECTIONS = 60
ONLY_WRONG = "P(only B wrong) − P(only A wrong), given that one of them is,"
PART = "error where they differ"
ONLY_RIGHT = "P(only B right) − P(only A right), given that one of them is,"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class McNemarEstimate(OneSidedTests):
    """
    The outcome of McNemar's test.

    Attributes
    ----------
    only_b, only_a : array
        Examples that count for B only, and for A only: those that it gets right if the function was
        called with its counts, those that it gets wrong if the estimate comes from losses.
    variant : str
        Which of the four p-values and intervals.
    """

    only_b: Floats
    only_a: Floats
    variant: str

    def _pvalue_against(self, *, larger: bool) -> Floats:
        k, other = (self.only_b, self.only_a) if larger else (self.only_a, self.only_b)
        if self.variant in _SHARES:
            p = _tail(k, other, 0.5, _SHARES[self.variant])
        else:
            p = Normal().sf(self.statistic if larger else -self.statistic)
        return cast("Floats", np.where(k + other == 0, 1.0, p)[()])

    def _smaller_pvalue(self) -> Floats:
        p = OneSidedTests._smaller_pvalue(self)  # not super(): a dataclass with slots is made anew
        if self.variant != "mid-p":
            return p
        # at equal counts the observed table counts once, not on each side (Fagerland 2013, eq. 8)
        equal = (self.only_b == self.only_a) & (self.only_b > 0)
        at_equal = 1.5 - _tail(self.only_b, self.only_a, 0.5, 1.0)
        return np.where(equal, at_equal / 2, p)

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """
        Return the interval of the same variant, inside the range from −1 to 1.

        It is Wilson's score interval, the exact interval, or that of the mid-p.
        """
        low, high = OneSidedTests.confidence_interval(self, confidence_level)
        return np.maximum(low, -1.0), np.minimum(high, 1.0)

    def _limits(self, error: float) -> tuple[Floats, Floats]:
        low = self._lower(self.only_b, self.only_a, error)
        high = self._lower(self.only_a, self.only_b, error)
        return (2 * low - 1)[()], (1 - 2 * high)[()]

    def _lower(self, k: Floats, other: Floats, error: float) -> Floats:
        """Return the lower limit of the probability behind k of n = k + other."""
        limits = {
            "asymptotic": _wilson,
            "corrected": _wilson_corrected,
            "exact": _clopper,
            "mid-p": _mid_p,
        }
        with np.errstate(divide="ignore", invalid="ignore"):
            low = limits[self.variant](k, k + other, error)
        return np.where(k == 0, 0.0, low)  # includes n = 0, where nothing is known


def _tail(k: Floats, other: Floats, p: float | Floats, share: float) -> Floats:
    """Return P(X > k) + share·P(X = k) for X ~ Bin(k + other, p)."""
    at_least = np.where(k > 0, special.betainc(np.maximum(k, 1), other + 1, p), 1.0)
    if share == 1:
        return at_least
    above = np.where(other > 0, special.betainc(k + 1, np.maximum(other, 1), p), 0.0)
    return share * at_least + (1 - share) * above


def _wilson(k: Floats, n: Floats, error: float) -> Floats:
    z = float(Normal().isf(error))
    return (2 * k + z**2 - z * np.sqrt(z**2 + 4 * k * (n - k) / n)) / (2 * (n + z**2))


def _wilson_corrected(k: Floats, n: Floats, error: float) -> Floats:
    """Return the lower limit of method 4 of Newcombe (1998), Statistics in Medicine 17."""
    z = float(Normal().isf(error))
    root = np.sqrt(z**2 - 2 - 1 / n + 4 * k / n * (n - k + 1))
    return (2 * k + z**2 - 1 - z * root) / (2 * (n + z**2))


def _clopper(k: Floats, n: Floats, error: float) -> Floats:
    return cast("Floats", special.betaincinv(np.maximum(k, 1), n - k + 1, error))


def _mid_p(k: Floats, n: Floats, error: float) -> Floats:
    """Solve P(X > k) + ½P(X = k) = error for the probability, by bisection."""
    ends = np.zeros(np.shape(k)), np.ones(np.shape(k))
    return bisect(lambda p: _tail(k, n - k, p, 0.5) < error, *ends, steps=_TAIL_BISECTIONS)[0]


def exact_pvalue(only_b: Floats, only_a: Floats) -> Floats:
    """Return the two-sided p-value of the exact variant, 1 where no answer differs."""
    # the larger count has the smaller tail, as p = ½ is symmetric
    larger = np.maximum(only_b, only_a)
    smaller = np.minimum(only_b, only_a)
    return cast("Floats", np.minimum(2 * _tail(larger, smaller, 0.5, 1.0), 1.0)[()])


def _statistic(difference: Floats, n: Floats, variant: str) -> Floats:
    """Return z, with a continuity correction or not; for the exact variants the difference."""
    if variant in ("exact", "mid-p"):
        return difference
    if variant == "corrected":
        difference = np.sign(difference) * np.maximum(np.abs(difference) - 1, 0)
    return difference / np.sqrt(n)


def _check_variant(variant: object = "asymptotic") -> str:
    return one_of("variant", variant, _VARIANTS)


@method(
    name="McNemar's test",
    valid=ONE_SPLIT,
    takes=Discordant(),
    estimand=Estimand(words=ONLY_WRONG, quantity=PART),
    check=_check_variant,
    liberal="It is right for these two models only.",
    source="NB footnote 5 (McNemar 1947)",
    nulls=False,
    instead="holdout-t",
    counted=ONLY_RIGHT,
)
def mcnemar(
    n10: ArrayLike,
    n01: ArrayLike,
    *,
    variant: str = "asymptotic",
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> McNemarEstimate:
    """
    Test whether two classifiers are right equally often, from the examples on which they disagree.

    Parameters
    ----------
    n10, n01 : int or array of shape (...)
        Number of test points that A gets wrong and B right, and that A gets right and B wrong.
    variant : {"asymptotic", "corrected", "exact", "mid-p"}
        Normal reference, the same with continuity correction, binomial, or binomial with half the
        weight on the observed count.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    McNemarEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* The value is (n10 − n01)/(n10 + n01), a positive one favours B; z = (n10 − n01)/√(n10
    + n01). Where no example is discordant the value is 0, the p-value 1, and the interval (−1, 1):
    nothing is known of the discordant examples there are not.

    *Validity.* For the two models at hand the exact variant never exceeds its level, mid-p hardly
    ever, the asymptotic one by little. For the algorithms all are liberal, as :func:`holdout_t` is.

    *How it errs.* It is liberal. It is right for these two models only. It estimates P(only B
    wrong) − P(only A wrong), given that one of them is, at training size n1.

    References
    ----------
    NB footnote 5 (McNemar 1947). Nadeau, C., Bengio, Y. (1999). Inference for the generalization
    error. CIRANO Scientific Series 99s-25. McNemar, Q. (1947). Note on the sampling error of the
    difference between correlated proportions or percentages. Psychometrika 12.

    Examples
    --------
    >>> import evenfold as ef
    >>> [
    ...     round(float(ef.infer.mcnemar(15, 5, variant=v).pvalue), 4)
    ...     for v in ("asymptotic", "exact", "mid-p")
    ... ]
    [0.0253, 0.0414, 0.0266]
    """
    return discordant(floats(n10), floats(n01), _check_variant(variant), null, alternative)


def discordant(
    only_b: Floats, only_a: Floats, variant: str, null: float, alternative: Alternative
) -> McNemarEstimate:
    """Return what the examples say that count for B only, and for A only."""
    n = only_b + only_a
    warn_degenerate(n == 0, stacklevel=6)
    n = np.maximum(n, 1.0)
    return McNemarEstimate(
        value=((only_b - only_a) / n)[()],
        standard_error=(1 / np.sqrt(n))[()],
        statistic=_statistic(only_b - only_a, n, variant)[()],
        only_b=only_b,
        only_a=only_a,
        variant=variant,
        null=null,
        alternative=alternative,
    )


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class OmnibusEstimate(Estimate):
    """
    A test of all algorithms at once: it says whether they differ, not which do.

    Attributes
    ----------
    statistic : array
        The statistic, χ² under the hypothesis that all are equal.
    df : int
        Its degrees of freedom.
    """

    statistic: Floats
    df: int

    @property
    def pvalue(self) -> Floats:
        """The p-value, computed when asked for."""
        return special.chdtrc(self.df, self.statistic)


@method(
    name="Cochran's Q test",
    valid=ONE_SPLIT,
    takes=Answers(),
    estimand=Estimand(words="whether all error rates are equal"),
    liberal="In large samples it is right for these models only.",
    source="Cochran 1950",
)
def cochran_q(answers: ArrayLike) -> OmnibusEstimate:
    """
    Test whether k classifiers are right equally often on one test set.

    Parameters
    ----------
    answers : array of shape (..., k, n2)
        1 where a classifier is right, 0 where it is wrong, or the other way round; k ≥ 2.

    Returns
    -------
    OmnibusEstimate
        The statistic and its p-value.

    Notes
    -----
    *Formula.* Q and its p-value, from χ² with k − 1 degrees of freedom. Where all classifiers agree
    on every example Q is 0 and the p-value 1.

    *Validity.* It is right for the k models at hand once some 24/k or more examples are not
    unanimous; for two it is McNemar's asymptotic test. It needs the k classifiers to be
    interchangeable under the hypothesis: equal error rates with unequal correlations make it wrong.
    It is liberal for the algorithms, like every test on one split. It says that some differ, not
    which: compare pairs for that.

    *How it errs.* It is liberal. In large samples it is right for these models only. It tells
    whether all error rates are equal at training size n1.

    References
    ----------
    Cochran 1950. Cochran, W. G. (1950). The comparison of percentages in matched samples.
    Biometrika 37.

    Examples
    --------
    >>> import evenfold as ef
    >>> right = [[1, 1, 1, 0, 1, 1, 0, 1], [1, 0, 1, 0, 0, 1, 0, 0], [1, 1, 1, 0, 1, 0, 0, 1]]
    >>> q = ef.infer.cochran_q(right)
    >>> round(float(q.statistic), 4), q.df, round(float(q.pvalue), 4)
    (3.5, 2, 0.1738)
    """
    x = floats(answers)
    k = x.shape[-2]
    of_classifier = x.sum(axis=-1)
    of_example = x.sum(axis=-2)
    spread = k * ((of_classifier - of_classifier.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    below = (of_example * (k - of_example)).sum(axis=-1)
    unanimous = below == 0
    statistic = np.where(unanimous, 0.0, (k - 1) * spread / np.where(unanimous, 1.0, below))[()]
    warn_degenerate(unanimous)
    return OmnibusEstimate(statistic=statistic, df=k - 1)
