"""
P(ν_B − ν_A > Δ) for two independent scores, by quadrature of the two densities on the logit scale.

A score is ν = expit(L + c) with expit(L) ~ Be(a, b): c = 0 for precision and recall; c = ln 2 for
F1, since F1 = 2/(2 + B') with B' = (1 − V)/V and V ~ Be(a, b) means logit F1 = logit V + ln 2.

On the logit scale every Beta density is analytic and log-concave with exponential tails, whatever
its shapes, so the only question is where to put the nodes: both densities give breakpoints that
follow their width and their tails, and between breakpoints a Gauss–Legendre rule is exact to
rounding. With Δ > 0 the variable is t = logit(ν_A/(1 − Δ)), in which both ends of the allowed range
are exponential tails again. Densities are taken relative to their peak and normalised by the same
rule: nothing of the order of the counts is ever subtracted.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.polynomial import legendre
from scipy import special

from evenfold.core.checks import fraction, integer, number, one_of, refuse, refuse_value, short_repr
from evenfold.core.estimate import Estimand, Floats, PosteriorEstimate
from evenfold.core.partition import KFOLD, MX2_BCV
from evenfold.core.sharing import SharedLevel
from evenfold.infer._arrays import ArrayLike, broadcast_arrays, floats, pair
from evenfold.infer._base import method
from evenfold.infer._designs import THREE_BALANCED
from evenfold.infer._registry import METHODS
from evenfold.infer.inputs import ConfusionCounts, Input, Question, three_counts

Measure = Literal["precision", "recall", "f1"]


_ORDER = 24  # nodes per panel
_REACH = np.array([3.0, 8.2])  # breakpoints, in standard deviations; exp(−8.2²/2) = 2.5e-15
_TAIL = np.array([2.0, 8.0, 20.0])  # breakpoints in a tail that falls like exp(−t)
_ROWS = 64  # tables in one pass; few, so that the working arrays stay in the cache
_LARGEST_EXPONENT = 700.0


def _rule(order: int) -> tuple[Floats, Floats, Floats]:
    """Return nodes and weights on [0, 2], and C with f·C·g = ∫ g(x) ∫_0^x f(y) dy dx."""
    x, w = legendre.leggauss(order)
    degrees = np.arange(order)
    values = legendre.legvander(x, order)
    integrals = np.empty((order, order))
    integrals[:, 0] = x + 1
    integrals[:, 1:] = (values[:, 2:] - values[:, : order - 1]) / (2 * degrees[1:] + 1)
    coefficients = (values[:, :order] * w[:, None] * (degrees + 0.5)).T
    return x + 1, w, (w[:, None] * (integrals @ coefficients)).T


_NODES, _WEIGHTS, _CUMULATE = _rule(_ORDER)


def exceedance(shapes: Floats, *, margin: Floats, shift: float) -> Floats:
    """
    Return P(ν_B − ν_A > margin), to an absolute error below 1e-10.

    Parameters
    ----------
    shapes : array of shape (2, 2, n)
        Shapes a (first) and b (second) of the Beta distributions of A (first) and B (second).
    margin : array of shape (n,)
        The Δ of each comparison, in (−1, 1).
    shift : float
        The c of the score: 0, or ln 2 for F1.
    """
    moved = bool(margin.any())
    if moved and margin.min() < 0:
        # P(ν_B − ν_A > −Δ) = 1 − P(ν_A − ν_B > Δ): exchange A and B, so that the margin is never
        # negative
        swap = margin < 0
        p = exceedance(np.where(swap, shapes[:, ::-1], shapes), margin=np.abs(margin), shift=shift)
        return np.where(swap, 1 - p, p)
    reach = _reach(_extra(shapes))
    p = np.empty(margin.shape)
    for start in range(0, len(margin), _ROWS):
        rows = slice(start, start + _ROWS)
        ab = shapes[..., rows, None]
        delta = margin[rows, None]
        if moved:
            p[rows] = _with_margin(ab, delta, shift, reach)
        else:
            p[rows] = _without_margin(ab, reach)
    return p


def mean(shapes: Floats, *, shift: float) -> Floats:
    """Return E ν of scores with shapes a (first) and b (second), of shape (2, n)."""
    ab = shapes[..., None]
    half, s = _panels(_breakpoints(ab, shift, _reach(_extra(shapes))))
    f = half * _curve(ab, s, shift)
    return _integral(f * special.expit(s)) / _integral(f)


def _extra(shapes: Floats) -> int:
    """Return how often the nearest breakpoint is halved, as a tail exp(−as) is 1/a wide."""
    return max(0, math.ceil(math.log2(_REACH[0] / (3 * math.sqrt(shapes.min(initial=1.0))))))


@cache
def _reach(extra: int) -> Floats:
    """Return distances of the breakpoints from the centre, in tails on each side and in bells."""
    right = np.concatenate([_REACH[0] * 0.5 ** np.arange(extra, 0, -1), _REACH])
    bell = np.concatenate([-right[::-1], [0.0], right])
    tail = 0.5 * bell * np.abs(bell)
    return np.stack([np.minimum(tail, 0.0), np.maximum(tail, 0.0), bell])


def _without_margin(ab: Floats, reach: Floats) -> Floats:
    """Return P(ν_B > ν_A) of one pass, where no shift matters; ab is (2, 2, rows, 1)."""
    points = _breakpoints(ab, 0.0, reach)
    half, s = _panels(np.sort(np.concatenate(points, axis=-1), axis=-1))
    f = half * _curve(ab, s, 0.0)
    masses = f @ _WEIGHTS
    return _joint(f, masses, masses.sum(axis=-1))


def _with_margin(ab: Floats, margin: Floats, shift: float, reach: Floats) -> Floats:
    """Return P(ν_B − ν_A > margin ≥ 0) of one pass; margin is of shape (rows, 1)."""
    points = _breakpoints(ab, shift, reach)
    half, s = _panels(points)  # both densities whole, since the margin may cut them off below
    total = _integral(half * _curve(ab, s, shift))
    with np.errstate(divide="ignore"):  # log 0 = −∞: no margin, or a breakpoint right at the end
        half, t = _panels(_edges(points, margin))
        s, slope = _logits_of_t(t, margin[..., None])
    f = half * _curve(ab, s, shift) * slope
    return _joint(f, f @ _WEIGHTS, total)


def _joint(f: Floats, masses: Floats, total: Floats) -> Floats:
    """Return ∫ f_B·F_A from the node values of both densities and their masses."""
    below = masses[0].cumsum(axis=-1) - masses[0]
    joint = (below * masses[1]).sum(axis=-1) + ((f[0] @ _CUMULATE) * f[1]).sum(axis=(-1, -2))
    return cast("Floats", np.minimum(np.maximum(joint / (total[0] * total[1]), 0.0), 1.0))


def _breakpoints(ab: Floats, shift: float, reach: Floats) -> Floats:
    """Return points on the logit scale between which a density bends little."""
    # The bend is where it would be with shapes of at least 1; below 1 only the tails exp(as),
    # exp(−bs) grow.
    a, b = np.maximum(ab, 1.0)
    ratio = a / b
    bells = np.log(ratio) + np.sqrt((1 + ratio) / a) * reach[2]
    points: Floats = bells + reach[0] / ab[0] + reach[1] / ab[1]
    return points + shift


def _edges(points: Floats, margin: Floats) -> Floats:
    """Return breakpoints on the t scale, where the ends of the range may cut densities off."""
    a_points = -_t_of_logit(-points[0], margin)
    b_points = _t_of_logit(points[1], margin)
    a_tail = a_points.max(axis=-1, keepdims=True) + _TAIL
    b_tail = b_points.min(axis=-1, keepdims=True) - _TAIL
    # F_A is 0 below the first point of A, and f_B is 0 above the last of B
    low = a_points[:, :1]
    high = b_points[:, -1:]
    overlap = low < high
    edges = np.sort(np.concatenate([a_points, b_points, a_tail, b_tail], axis=-1), axis=-1)
    edges = np.maximum(edges, np.where(overlap, low, 0.0))
    return cast("Floats", np.minimum(edges, np.where(overlap, high, 0.0)))


def _panels(edges: Floats) -> tuple[Floats, Floats]:
    """Return half the width of each panel, (..., panels, 1), and its nodes."""
    low = edges[..., :-1, None]
    half = 0.5 * (edges[..., 1:, None] - low)
    return half, low + half * _NODES


def _integral(f: Floats) -> Floats:
    """Return the integral of node values that contain the half width of their panel."""
    return cast("Floats", (f @ _WEIGHTS).sum(axis=-1))


def _t_of_logit(s: Floats, margin: Floats) -> Floats:
    """
    Return the t at which ν_B has logit s: e^t = |(1 − Δ)·e^s − Δ|.

    Without the bars it would be undefined for ν_B < Δ. A point beyond the end is reflected instead:
    a density that is cut off bends as near to the end inside as it does outside.
    """
    inner = s + np.log1p(-margin)
    outer = np.log(margin)
    return cast("Floats", np.maximum(inner, outer) + np.log(-np.expm1(-np.abs(inner - outer))))


def _logits_of_t(t: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """Return the logits of ν_A = (1 − Δ)·expit(t) and of ν_B = ν_A + Δ, with derivatives in t."""
    # logit ν_B = ln((e^t + Δ)/(1 − Δ)), and the mirror image for A
    both = np.stack([-t, t])
    log_margin = np.log(margin)
    s = np.logaddexp(both, log_margin) - np.log1p(-margin)
    s[0] *= -1
    return s, special.expit(both - log_margin)


def _curve(ab: Floats, s: Floats, shift: float) -> Floats:
    """Return the density over its peak at logits ``s``, which have one axis more than ``ab``."""
    # With d = s − mode and n = a + b, ln f(d) − ln f(0) = a·d − n·ln(1 + (a/n)(e^d − 1)), and the
    # same with −d and b. The form with the smaller shape c loses no digits when the larger one is
    # huge.
    a, b = ab[..., None]
    n = a + b
    c = np.minimum(a, b)
    d = (s - (np.log(a / b) + shift)) * np.copysign(1.0, b - a)
    near = np.minimum(d, _LARGEST_EXPONENT)
    log_f: Floats = c * d - n * (np.log1p(np.expm1(near) * (c / n)) + (d - near))
    return np.exp(log_f, out=log_f)


_TOLERANCE = 1e-9  # error of a limit on the probit scale
_RESOLUTION = 4 * float(np.finfo(np.float64).eps)  # error of the limit itself
_SMALLEST = 2.0**-53
_SECANT_STEPS = 12
_BISECTIONS = 52  # from a bracket of length 2 to the resolution


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ScorePosterior(PosteriorEstimate):
    """
    Posterior of one algorithm's precision, recall or F1.

    Attributes
    ----------
    a, b : array
        The score is expit(logit V + shift) with V ~ Be(a, b).
    shift : float
        0 for precision and recall, where the score is V itself; ln 2 for F1 = 2V/(1 + V).
    """

    a: Floats
    b: Floats
    shift: float

    @property
    def mean(self) -> Floats:
        """Return the posterior mean."""
        if self.shift == 0:
            return self.a / (self.a + self.b)
        shapes = np.array([np.ravel(self.a), np.ravel(self.b)])
        return mean(shapes, shift=self.shift).reshape(np.shape(self.a))[()]

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Return the equal-tailed credible interval."""
        tail = self.error(confidence_level) / 2
        return self._quantile(tail), self._quantile(1 - tail)

    def _quantile(self, q: float) -> Floats:
        odds_factor = np.exp(self.shift)
        v = special.betaincinv(self.a, self.b, q)
        return cast("Floats", odds_factor * v / (1 + (odds_factor - 1) * v))

    def probability(self, null: float = 0.0) -> Floats:
        """Return the posterior probability that the score exceeds ``null``."""
        x = number("null", null, low=0.0, high=1.0)
        odds_factor = np.exp(self.shift)
        v = x / (odds_factor + (1 - odds_factor) * x)
        return cast("Floats", special.betaincc(self.a, self.b, v))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Rope:
    """
    Three posterior probabilities that add up to 1.

    Attributes
    ----------
    worse, equivalent, better : array
        P(B − A < −margin), P(−margin ≤ B − A ≤ margin), P(B − A > margin).
    """

    worse: Floats
    equivalent: Floats
    better: Floats


class OfTwoScores(PosteriorEstimate):
    """The difference B − A of two scores; ``a`` and ``b`` are the posteriors of each alone."""

    __slots__ = ()

    a: PosteriorEstimate
    b: PosteriorEstimate

    def at(self, level: float, shared: SharedLevel | None = None) -> Self:
        """Return the same estimate with another level of its intervals, those of A and B too."""
        parts: dict[str, Any] = {"a": self.a.at(level, shared), "b": self.b.at(level, shared)}
        return replace(self, level=level, shared=shared, **parts)

    def rope(self, margin: float) -> Rope:
        """Return the probabilities that B is worse, equivalent within ±``margin``, and better."""
        margin = number("margin", margin, low=0.0, high=1.0)
        better = self.probability(margin)
        worse = 1 - self.probability(-margin)
        return Rope(worse=worse, equivalent=np.maximum(1 - worse - better, 0.0), better=better)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class DifferencePosterior(OfTwoScores):
    """
    Posterior of the difference B − A of two scores, taken as independent.

    Attributes
    ----------
    a, b : ScorePosterior
        The posteriors of the two algorithms.
    """

    a: ScorePosterior
    b: ScorePosterior

    @property
    def mean(self) -> Floats:
        """Return the posterior mean of B − A."""
        return self.b.mean - self.a.mean

    def probability(self, null: float = 0.0) -> Floats:
        """Return P(H1), the posterior probability that B − A exceeds ``null``, to 1e-10."""
        shapes, batch = self._shapes()
        margin = np.full(shapes.shape[-1], fraction("null", null, low=-1.0, high=1.0))
        return exceedance(shapes, margin=margin, shift=self.a.shift).reshape(batch)[()]

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Return the equal-tailed credible interval of B − A, by inverting :meth:`probability`."""
        tail = self.error(confidence_level) / 2
        shapes, batch = self._shapes()
        exceeded = np.repeat([1 - tail, tail], shapes.shape[-1])
        low, high = _limits(np.tile(shapes, 2), self.a.shift, exceeded).reshape(2, *batch)
        return low[()], high[()]

    def _shapes(self) -> tuple[Floats, tuple[int, ...]]:
        """Return the shapes a and b of A and B as a (2, 2, n) array, and the shape of the batch."""
        parts: tuple[Floats, ...] = (self.a.a, self.b.a, self.a.b, self.b.b)
        if self.a.a.shape != self.b.a.shape:
            parts = np.broadcast_arrays(*parts)
        return np.array(parts).reshape(2, 2, -1), parts[0].shape


def _limits(shapes: Floats, shift: float, exceeded: Floats) -> Floats:
    """Return the Δ with P(ν_B − ν_A > Δ) = ``exceeded``, by secant steps on probits."""
    target = special.ndtri(exceeded)
    low = np.full(target.shape, -1.0)
    high = np.full(target.shape, 1.0)
    x, slope = _normal_guess(shapes, shift, target)
    last_x = x.copy()
    last_f = np.zeros(target.shape)
    todo = np.arange(target.size)
    for step in range(_SECANT_STEPS + _BISECTIONS):
        p = exceedance(shapes[..., todo], margin=x[todo], shift=shift)
        f = special.ndtri(np.clip(p, _SMALLEST, 1 - _SMALLEST)) - target[todo]  # always finite
        low[todo] = np.where(f > 0, x[todo], low[todo])
        high[todo] = np.where(f > 0, high[todo], x[todo])
        slope[todo] = _secant(x[todo] - last_x[todo], f - last_f[todo], slope[todo])
        last_x[todo] = x[todo]
        last_f[todo] = f
        todo = todo[(np.abs(f) > _TOLERANCE) & (high[todo] - low[todo] > _RESOLUTION)]
        if todo.size == 0:
            break
        new = last_x[todo] - last_f[todo] / slope[todo]
        inside = (low[todo] < new) & (new < high[todo]) & (step < _SECANT_STEPS)
        x[todo] = np.where(inside, new, 0.5 * (low[todo] + high[todo]))
    return x


def _normal_guess(shapes: Floats, shift: float, target: Floats) -> tuple[Floats, Floats]:
    """Return a limit and the slope of the probit, as if both posteriors were normal."""
    a, b = shapes
    centre = special.expit(np.log(a / b) + shift)
    sd = np.sqrt(1 / a + 1 / b) * centre * (1 - centre)  # delta method on the logit scale
    spread = np.maximum(np.hypot(sd[0], sd[1]), np.finfo(np.float64).tiny)
    return np.clip(centre[1] - centre[0] - target * spread, -0.999, 0.999), -1 / spread


def _secant(dx: Floats, df: Floats, slope: Floats) -> Floats:
    """Return the slope of the last step, or the old one where the step is of no use."""
    useful = np.isfinite(df) & (df * dx < 0)
    return np.where(useful, df / np.where(useful, dx, 1.0), slope)


def of_quantity(
    quantity: str, *, takes: Callable[[str], Input], alone: Callable[..., Any], **claims: Any
) -> method:
    """Register a method about a score of an m×2 design; ``alone`` answers for one algorithm."""
    measure = quantity.lower()
    return method(
        takes=takes(measure),
        estimand=Estimand(quantity=quantity),
        run=partial(alone, measure=measure),
        **claims,
    )


Rho = tuple[float, float] | None

_DEPENDS = (
    "Its binomial model has no variance between training sets and labels: nominal 95% intervals of "
    "{} cover {} when labels are drawn at random, and more than 95% when the class counts are "
    "fixed. It takes A and B as independent, so it called equal algorithms different .00 to .25 of "
    "the time at .05."
)


def kappa(m: int, *, rho: Rho = None) -> float:
    """
    Return κ_m, the factor from summed to effective counts.

    The 2m hold-outs of an m×2 design test every example m times; their summed counts are worth only
    κ_m times as many independent ones.

    Parameters
    ----------
    m : int
        Repetitions.
    rho : pair of float, optional
        Correlations (ρ1, ρ2) of hold-out scores within and across repetitions. Without them κ is
        averaged over ρ1 ∈ [0, ½], ρ2 ∈ [¼, ½].

    Returns
    -------
    float
        1/(1 + ρ1 + 2(m − 1)ρ2), or its mean over that rectangle.

    Notes
    -----
    *Validity.* The range of ρ2 rests on R19 theorem 5.3, whose lower bound ¼ is false: ρ2 may be
    smaller (.10 for a full tree on pure noise). There κ_m is too small, the effective counts too
    few and intervals too long, by up to 1.4 times at m = 3 and ρ = (0, .1). Where ρ2 exceeds ½, as
    it does for recall, it is too large.

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
    # R19 eq. 6.25, g(m+½) − g(m) + g(½m+½) − g(½m+1) with g(x) = x·ln x, free of cancellation for
    # large m
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
            "rho",
            f"rho must satisfy 1 + ρ1 + 2(m − 1)ρ2 > 0 but got {short_repr((rho1, rho2))}.",
            "No m×2 design has these correlations.",
        )
    return factor


def score_posterior(
    measure: Measure, counts: Any, *, m: int | None, rho: Rho = None, prior: float = 1.0
) -> ScorePosterior:
    """
    Return the posterior of one algorithm's precision, recall or F1.

    Parameters
    ----------
    measure : {"precision", "recall", "f1"}
        The score.
    counts : array of shape (..., 3)
        (TP, FP, FN) summed over all 2m halves of an m×2 design.
    m : int or None
        Repetitions; None if the counts are effective already, or come from one hold-out or from
        folds, which test every example once.
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
    With effective counts: precision ~ Be(TP + λ, FP + λ), recall ~ Be(TP + λ, FN + λ) and F1 = 2/(2
    + B'), B' ~ BetaPrime(FP + FN + 2λ, TP + λ). With counts of zero the prior decides.

    *Validity.* See :func:`bayes_f1`: the interval is about right when the class counts of the data
    are fixed by design, and too short for recall and F1 when labels are drawn at random.

    References
    ----------
    Wang (2019), eq. 6.31–6.36 (whose exponents 6.31–6.32 are one too high); Goutte and Gaussier
    (2005).

    Examples
    --------
    >>> import evenfold as ef
    >>> p = ef.infer.score_posterior("f1", (1200, 300, 240), m=3)
    >>> [round(float(x), 4) for x in (p.mean, *p.interval())]
    [0.815, 0.7891, 0.8393]
    """
    measure = cast("Measure", one_of("measure", measure, SCORES))
    return _posterior_of_one(measure, _beta(measure, three_counts("counts", counts), m, rho, prior))


def _posterior_of_one(measure: str, fields: dict[str, Any]) -> ScorePosterior:
    entry = METHODS[SCORES[measure]]
    return ScorePosterior(method=entry.key, estimand=entry.about_one, card=entry.card, **fields)


SCORES = {"precision": "bayes-precision", "recall": "bayes-recall", "f1": "bayes-f1"}


def _effective_share(m: int | None, rho: Rho = None, prior: float = 1.0) -> float:
    """Return the effective share of summed counts, or refuse the options of a posterior."""
    if number("prior", prior, low=0.0, high=1e15) == 0:
        refuse_value("prior", prior, "a number > 0", "Use 0.5 for Jeffreys' prior.")
    if m is None and rho is not None:
        refuse(
            "m",
            "m must be given with rho but got None.",
            "Leave rho out if the counts are effective already.",
        )
    if m is None:
        return 1.0
    return kappa(m, rho=rho)


def _beta(measure: str, counts: Floats, m: int | None, rho: Rho, prior: float) -> dict[str, Any]:
    """Return shapes and shift of the posterior of a score, from summed counts."""
    effective = _effective_share(m, rho, prior) * counts
    tp, fp, fn = np.moveaxis(effective, -1, 0)
    misses = {"precision": fp, "recall": fn, "f1": fp + fn + prior}[measure]
    if measure == "f1":  # F1 = 2V/(1 + V) with V = 1/(1 + B') ~ Be(a, b)
        shift = math.log(2)
    else:
        shift = 0.0
    return {"a": tp + prior, "b": misses + prior, "shift": shift}


def _compare(
    measure: Measure, a: Floats, b: Floats, m: int | None, rho: Rho, prior: float
) -> DifferencePosterior:
    """Return the posterior of the difference of one score, from the counts of A and B."""
    broadcast_arrays(counts_a=a, counts_b=b)  # refuses shapes that do not fit each other
    return DifferencePosterior(
        a=_posterior_of_one(measure, _beta(measure, a, m, rho, prior)),
        b=_posterior_of_one(measure, _beta(measure, b, m, rho, prior)),
    )


def _answer_single(question: Question, measure: str) -> ScorePosterior | None:
    """Return the posterior of one algorithm alone, or None for a question about two."""
    if question.a is not None:
        return None
    takes = ConfusionCounts(measure)
    (counts,) = takes.read(question)
    m = takes.required_keywords(question)["m"]
    return ScorePosterior(**_beta(measure, counts, m, None, 1.0))


# R19's posteriors are about m×2 designs; on folds they are those of Goutte and Gaussier (2005)
_BALANCED_OR_FOLDS = replace(THREE_BALANCED, kinds=(MX2_BCV, KFOLD))
_score = partial(
    of_quantity,
    takes=ConfusionCounts,
    alone=_answer_single,
    valid=_BALANCED_OR_FOLDS,
    check=_effective_share,
)


@_score(
    "precision",
    name="the Bayesian test of precision",
    conservative="It treats A and B as independent although they see the same test points, so the "
    "interval of the difference is too wide.",
    source="R19 section 6.3, eq. 6.31, 6.34, 6.37",
    recommended=True,
)
def bayes_precision(
    counts_a: ArrayLike, counts_b: ArrayLike, *, m: int | None, rho: Rho = None, prior: float = 1.0
) -> DifferencePosterior:
    """
    Return the posterior of the difference of precision, and the probability that B beats A.

    Parameters
    ----------
    counts_a, counts_b : arrays of shape (..., 3)
        (TP, FP, FN) of each algorithm, summed over all 2m halves of an m×2 design; for chunks
        (named entities, words) they count chunks.
    m : int or None
        Repetitions; None if the counts are effective already, or come from one hold-out or from
        folds, which test every example once.
    rho : pair of float, optional
        Known correlations (ρ1, ρ2); see :func:`kappa`.
    prior : float, default 1
        λ of the prior Be(λ, λ).

    Returns
    -------
    DifferencePosterior
        ``mean``, ``interval()`` and ``probability(null)``, P(H1); ``rope(margin)`` gives the three
        probabilities of a region of practical equivalence.

    Notes
    -----
    *Validity.* The hold-out variance of precision is close to the binomial one, so each posterior
    is safe: on R19's example 6.1 nominal 95% intervals cover 99%, with fixed class counts and with
    random ones. The two are taken as independent although both algorithms see the same test points:
    where their errors are positively correlated, as they usually are, the difference is less
    certain here than it is: tests between equal algorithms erred .00–.03 at .05.
    :func:`influence_precision` is sharper where there are more than a few positives.

    *How it errs.* It is conservative. It treats A and B as independent although they see the same
    test points, so the interval of the difference is too wide. It estimates the difference of
    precision B − A at training size n/2.

    References
    ----------
    R19 section 6.3, eq. 6.31, 6.34, 6.37. Wang, R. (2019). Regularized cross-validation methods for
    comparing the predictive performance of supervised learning algorithms (in Chinese). Doctoral
    thesis, Shanxi University.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = ef.infer.bayes_precision((1200, 300, 240), (1230, 270, 230), m=3)
    >>> round(float(d.probability()), 6)
    0.801253
    >>> r = d.rope(0.01)
    >>> [round(float(p), 3) for p in (r.worse, r.equivalent, r.better)]
    [0.102, 0.235, 0.663]
    """
    return _compare("precision", floats(counts_a), floats(counts_b), m, rho, prior)


@_score(
    "recall",
    name="the Bayesian test of recall",
    depends=_DEPENDS.format("recall", "70–73%"),
    source="R19 section 6.3, eq. 6.32, 6.35, 6.37",
)
def bayes_recall(
    counts_a: ArrayLike, counts_b: ArrayLike, *, m: int | None, rho: Rho = None, prior: float = 1.0
) -> DifferencePosterior:
    """
    Return the posterior of the difference of recall, and the probability that B beats A.

    Parameters
    ----------
    counts_a, counts_b : arrays of shape (..., 3)
        (TP, FP, FN) of each algorithm, summed over all 2m halves of an m×2 design; for chunks
        (named entities, words) they count chunks.
    m : int or None
        Repetitions; None if the counts are effective already, or come from one hold-out or from
        folds, which test every example once.
    rho : pair of float, optional
        Known correlations (ρ1, ρ2); see :func:`kappa`.
    prior : float, default 1
        λ of the prior Be(λ, λ).

    Returns
    -------
    DifferencePosterior
        ``mean``, ``interval()`` and ``probability(null)``, P(H1); ``rope(margin)`` gives the three
        probabilities of a region of practical equivalence.

    Notes
    -----
    *Validity.* It was measured on R19's example 6.1 (logistic regression, n = 600, nominal 95%):
    coverage of recall is 98% when the class counts are fixed at n/2, but **70–73%** when labels are
    drawn at random. Random labels move the fitted intercept and so recall; the binomial model knows
    no variance between training sets (hold-out recall varies 2.5 to 3.9 times the binomial). A and
    B are taken as independent, although they see the same test points. :func:`influence_recall`
    covers.

    *How it errs.* Its binomial model has no variance between training sets and labels: nominal 95%
    intervals of recall cover 70–73% when labels are drawn at random, and more than 95% when the
    class counts are fixed. It takes A and B as independent, so it called equal algorithms different
    .00 to .25 of the time at .05. It estimates the difference of recall B − A at training size n/2.

    References
    ----------
    R19 section 6.3, eq. 6.32, 6.35, 6.37. Wang, R. (2019). Regularized cross-validation methods for
    comparing the predictive performance of supervised learning algorithms (in Chinese). Doctoral
    thesis, Shanxi University.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = ef.infer.bayes_recall((1200, 300, 240), (1230, 270, 230), m=3)
    >>> round(float(d.probability()), 6)
    0.657108
    """
    return _compare("recall", floats(counts_a), floats(counts_b), m, rho, prior)


@_score(
    "F1",
    name="the Bayesian test of F1",
    depends=_DEPENDS.format("F1", "80–83%"),
    source="R19 section 6.3, eq. 6.33, 6.36, 6.37",
)
def bayes_f1(
    counts_a: ArrayLike, counts_b: ArrayLike, *, m: int | None, rho: Rho = None, prior: float = 1.0
) -> DifferencePosterior:
    """
    Return the posterior of the difference of F1, and the probability that B beats A.

    Parameters
    ----------
    counts_a, counts_b : arrays of shape (..., 3)
        (TP, FP, FN) of each algorithm, summed over all 2m halves of an m×2 design; for chunks
        (named entities, words) they count chunks.
    m : int or None
        Repetitions; None if the counts are effective already, or come from one hold-out or from
        folds, which test every example once.
    rho : pair of float, optional
        Known correlations (ρ1, ρ2); see :func:`kappa`.
    prior : float, default 1
        λ of the prior Be(λ, λ).

    Returns
    -------
    DifferencePosterior
        ``mean``, ``interval()`` and ``probability(null)``, P(H1); ``rope(margin)`` gives the three
        probabilities of a region of practical equivalence.

    Notes
    -----
    *Validity.* It was measured on R19's example 6.1 (logistic regression, n = 600, nominal 95%):
    the claimed coverage holds when the class counts are fixed at n/2 (96%), but with labels drawn
    at random it is **80–83%**: random labels move the fitted intercept and so recall, and the
    binomial model has no variance between training sets. A and B are taken as independent, although
    they see the same test points. A probability of .95 from this method is therefore not a
    probability of .95; use :func:`influence_f1`.

    *How it errs.* Its binomial model has no variance between training sets and labels: nominal 95%
    intervals of F1 cover 80–83% when labels are drawn at random, and more than 95% when the class
    counts are fixed. It takes A and B as independent, so it called equal algorithms different .00
    to .25 of the time at .05. It estimates the difference of F1 B − A at training size n/2.

    References
    ----------
    R19 section 6.3, eq. 6.33, 6.36, 6.37. Wang, R. (2019). Regularized cross-validation methods for
    comparing the predictive performance of supervised learning algorithms (in Chinese). Doctoral
    thesis, Shanxi University.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = ef.infer.bayes_f1((1200, 300, 240), (1230, 270, 230), m=3)
    >>> round(float(d.probability()), 6)
    0.796709
    >>> low, high = d.interval(0.9)
    """
    return _compare("f1", floats(counts_a), floats(counts_b), m, rho, prior)
