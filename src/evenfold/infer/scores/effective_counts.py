"""Precision, recall and F1: posteriors from effective counts, and P(B beats A) (R19 chapter 6)."""

import math
from functools import partial
from typing import Any, Literal, cast

import numpy as np

from evenfold.core.checks import integer, number, one_of, refuse
from evenfold.core.estimate import Floats
from evenfold.infer._base import Answer
from evenfold.infer._inputs import pair
from evenfold.infer._registry import METHODS
from evenfold.infer._valid import THREE_BALANCED
from evenfold.infer.inputs import Confusion, Question, three_counts
from evenfold.infer.scores._posterior import DifferencePosterior, ScorePosterior, of_quantity, of_score

Measure = Literal["precision", "recall", "f1"]
Rho = tuple[float, float] | None

_DEPENDS = (
    "the binomial model has no variance between training sets and labels: nominal 95 % intervals of {} cover "
    "{} when labels are drawn at random, though more than 95 % when the class counts are fixed; but A and B "
    "are taken as independent, so that equal algorithms are told apart .00 to .25 of the time at .05"
)


def kappa(m: int, *, rho: Rho = None) -> float:
    """
    κ_m, the factor from summed to effective counts.

    The 2m hold-outs of an m×2 design test every example m times; their summed counts are worth only κ_m
    times as many independent ones.

    Parameters
    ----------
    m : int
        Repetitions.
    rho : pair of float, optional
        Correlations (ρ1, ρ2) of hold-out scores within and across repetitions. Without them κ is averaged
        over ρ1 ∈ [0, ½], ρ2 ∈ [¼, ½].

    Returns
    -------
    float
        1/(1 + ρ1 + 2(m − 1)ρ2), or its mean over that rectangle.

    Notes
    -----
    *Validity.* The range of ρ2 rests on R19 theorem 5.3, whose lower bound ¼ is false: ρ2 may be smaller (.10
    for a full tree on pure noise). There κ_m is too small, the effective counts too few and intervals too
    long, by up to 1.4 times at m = 3 and ρ = (0, .1). Where ρ2 exceeds ½, as it does for recall, it is too
    large.

    References
    ----------
    Wang (2019), eq. 6.19–6.25. ρ1 = ρ2 = 1 gives 1/2m, the average counts of Wang et al. (2016).

    Examples
    --------
    >>> import evenfold as ef
    >>> round(ef.infer.kappa(3), 4)
    0.3688
    >>> ef.infer.kappa(3, rho=(1.0, 1.0)) == 1 / 6
    True
    """
    m = integer("m", m, low=1)
    if rho is not None:
        return 1 / _variance_factor(m, rho)
    if m == 1:
        return 2 * math.log(1.5)  # the mean of 1/(1 + ρ1) over ρ1 ∈ [0, ½]
    # R19 eq. 6.25, g(m+½) − g(m) + g(½m+½) − g(½m+1) with g(x) = x·ln x, free of cancellation for large m
    bracket = (
        0.5 * math.log((m + 0.5) / (0.5 * m + 1))
        + m * math.log1p(0.5 / m)
        - (0.5 * m + 0.5) * math.log1p(1 / (m + 1))
    )
    return 4 / (m - 1) * bracket


def _variance_factor(m: int, rho: tuple[float, float]) -> float:
    """Return 1 + ρ1 + 2(m − 1)ρ2, which is 2m·Var μ̂/σ² and so positive."""
    rho1, rho2 = (number("rho", r, low=-1.0, high=1.0) for r in pair("rho", rho))
    factor = 1 + rho1 + 2 * (m - 1) * rho2
    if factor <= 0:
        refuse(
            "rho", "such that 1 + ρ1 + 2(m − 1)ρ2 > 0", (rho1, rho2), "no m×2 design has these correlations"
        )
    return factor


@of_score
def score_posterior(
    measure: Measure,
    counts: Any,
    *,
    m: int | None,
    rho: Rho = None,
    prior: float = 1.0,
) -> ScorePosterior:
    """
    Return the posterior of one algorithm's precision, recall or F1.

    Parameters
    ----------
    counts : array of shape (..., 3)
        (TP, FP, FN) summed over all 2m halves of an m×2 design.
    m : int or None
        Repetitions; None if the counts are effective already, or come from one hold-out.
    rho : pair of float, optional
        Known correlations (ρ1, ρ2); see :func:`kappa`.
    prior : float, default 1
        λ of the prior Be(λ, λ) of precision and of recall.

    Returns
    -------
    ScorePosterior
        With ``mean``, ``interval(confidence_level)`` and ``probability(null)``.

    Notes
    -----
    With effective counts: precision ~ Be(TP + λ, FP + λ), recall ~ Be(TP + λ, FN + λ) and
    F1 = 2/(2 + B'), B' ~ BetaPrime(FP + FN + 2λ, TP + λ). Counts of zero are no problem: the prior speaks.

    *Validity.* See :func:`bayes_f1`: the interval is about right when the class counts of the data are fixed
    by design, and too short for recall and F1 when labels are drawn at random.

    References
    ----------
    Wang (2019), eq. 6.31–6.36 (whose exponents 6.31–6.32 are one too high); Goutte and Gaussier (2005).

    Examples
    --------
    >>> import evenfold as ef
    >>> p = ef.infer.score_posterior("f1", (1200, 300, 240), m=3)
    >>> [round(float(x), 4) for x in (p.mean, *p.interval())]
    [0.815, 0.7891, 0.8393]
    """
    measure = cast("Measure", one_of("measure", measure, SCORES))
    return _of_one(measure, _beta(measure, three_counts("counts", counts), m, rho, prior))


def _of_one(measure: str, fields: dict[str, Any]) -> ScorePosterior:
    entry = METHODS[SCORES[measure]]
    return ScorePosterior(method=entry.key, estimand=entry.about_one, card=entry.card, **fields)


SCORES = {"precision": "bayes-precision", "recall": "bayes-recall", "f1": "bayes-f1"}


def _beta(measure: str, counts: Floats, m: int | None, rho: Rho, prior: float) -> dict[str, Any]:
    """Shapes and shift of the posterior of a score, from summed counts."""
    if number("prior", prior, low=0.0, high=1e15) == 0:
        refuse("prior", "a number > 0", prior, "use 0.5 for Jeffreys' prior")
    if m is None and rho is not None:
        refuse("m", "given with rho", m, "effective counts need no correlations")
    effective = counts if m is None else kappa(m, rho=rho) * counts
    tp, fp, fn = effective[..., 0], effective[..., 1], effective[..., 2]
    misses = {"precision": fp, "recall": fn, "f1": fp + fn + prior}[measure]
    shift = math.log(2) if measure == "f1" else 0.0  # F1 = 2V/(1 + V) with V = 1/(1 + B') ~ Be(a, b)
    return {"a": tp + prior, "b": misses + prior, "shift": shift}


def _compare(
    measure: Measure, a: Floats, b: Floats, m: int | None, rho: Rho, prior: float
) -> Answer[DifferencePosterior]:
    """Return the posterior of the difference of one score, from the counts of A and B."""
    first, second = (_of_one(measure, _beta(measure, counts, m, rho, prior)) for counts in (a, b))
    try:
        np.broadcast(first.a, second.a)
    except ValueError:
        refuse("counts_b", f"of a shape that fits counts_a {np.shape(a)}", f"shape {np.shape(b)}")
    return Answer(DifferencePosterior, a=first, b=second)


def _one(asked: Question, measure: str) -> Answer[ScorePosterior] | None:
    """The posterior of one algorithm alone."""
    if asked.a is not None:
        return None
    (counts,) = Confusion(measure).read(asked)
    return Answer(ScorePosterior, **_beta(measure, counts, len(asked.partition) // 2, None, 1.0))


_score = partial(of_quantity, takes=Confusion, alone=_one, valid=THREE_BALANCED)


@_score(
    "precision",
    conservative="treats A and B as independent although they see the same test points, which widens the "
    "difference",
    source="R19 section 6.3, eq. 6.31, 6.34, 6.37",
    recommended=True,
)
def bayes_precision(
    counts_a: Floats, counts_b: Floats, *, m: int | None, rho: Rho = None, prior: float = 1.0
) -> Answer[DifferencePosterior]:
    """
    Return the posterior of the difference of precision, and the probability that B beats A.

    *Validity.* The hold-out variance of precision is close to the binomial one, so each posterior is safe: on
    R19's example 6.1 nominal 95 % intervals cover 99 %, with fixed class counts and with random ones. The two
    are taken as independent although both algorithms see the same test points: where their errors are
    positively correlated, as they usually are, the difference is less certain here than it is:
    tests between equal algorithms erred .00–.03 at .05. :func:`influence_precision` is sharper where there
    are more than a few positives.

    >>> d = ef.infer.bayes_precision((1200, 300, 240), (1230, 270, 230), m=3)
    >>> round(float(d.probability()), 6)
    0.801253
    >>> r = d.rope(0.01)
    >>> [round(float(p), 3) for p in (r.worse, r.equivalent, r.better)]
    [0.102, 0.235, 0.663]
    """
    return _compare("precision", counts_a, counts_b, m, rho, prior)


@_score(
    "recall",
    depends=_DEPENDS.format("recall", "70–73 %"),
    source="R19 section 6.3, eq. 6.32, 6.35, 6.37",
)
def bayes_recall(
    counts_a: Floats, counts_b: Floats, *, m: int | None, rho: Rho = None, prior: float = 1.0
) -> Answer[DifferencePosterior]:
    """
    Return the posterior of the difference of recall, and the probability that B beats A.

    *Validity.* Measured on R19's example 6.1 (logistic regression, n = 600, nominal 95 %): coverage of recall
    is 98 % when the class counts are fixed at n/2, but **70–73 %** when labels are drawn at random. Random
    labels move the fitted intercept and so recall; the binomial model knows no variance between training
    sets (hold-out recall varies 2.5 to 3.9 times the binomial). A and B are taken as independent, although
    they see the same test points. :func:`influence_recall` covers.

    >>> d = ef.infer.bayes_recall((1200, 300, 240), (1230, 270, 230), m=3)
    >>> round(float(d.probability()), 6)
    0.657108
    """
    return _compare("recall", counts_a, counts_b, m, rho, prior)


@_score(
    "F1",
    depends=_DEPENDS.format("F1", "80–83 %"),
    source="R19 section 6.3, eq. 6.33, 6.36, 6.37",
)
def bayes_f1(
    counts_a: Floats, counts_b: Floats, *, m: int | None, rho: Rho = None, prior: float = 1.0
) -> Answer[DifferencePosterior]:
    """
    Return the posterior of the difference of F1, and the probability that B beats A.

    *Validity.* Measured on R19's example 6.1 (logistic regression, n = 600, nominal 95 %): the claimed
    coverage holds when the class counts are fixed at n/2 (96 %), but with labels drawn at random it is
    **80–83 %**: random labels move the fitted intercept and so recall, and the binomial model has no variance
    between training sets. A and B are taken as independent, although they see the same test
    points. A probability of .95 from this method is therefore not a probability of .95; use
    :func:`influence_f1`.

    >>> d = ef.infer.bayes_f1((1200, 300, 240), (1230, 270, 230), m=3)
    >>> round(float(d.probability()), 6)
    0.796709
    >>> low, high = d.interval(0.9)
    """
    return _compare("f1", counts_a, counts_b, m, rho, prior)
