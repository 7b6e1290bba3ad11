"""
What single examples are worth to precision, recall and F1, as test points and as training data.

``docs/infer/influence-scores`` derives what is computed here; the symbols are those of that page.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import fraction, number
from evenfold.core.estimate import Floats, PosteriorEstimate, StudentT
from evenfold.core.scores import F1, PRECISION, RECALL
from evenfold.infer.halves._parts import influence_contrasts
from evenfold.infer.scores._posterior import OfTwoScores

Bools = NDArray[np.bool_]

RATIOS = {"precision": PRECISION, "recall": RECALL, "f1": F1}  # of TP, FP, FN
_EVENNESS = 0.01  # so rarely are the labels of random halves as even as this
_ROUNDING = 1e-12
_PROBITS = np.linspace(-8.0, 8.0, 401)  # nodes of the posterior mean


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Linear:
    """
    A score, or a difference of scores, to first order in its counts.

    Attributes
    ----------
    value : array
        The score of the pooled counts.
    contrasts : array of shape (..., m, m)
        ``contrasts[..., q, r]`` is half the difference, in repetition q, between the examples that the first
        and the second split of repetition r test.
    least : array
        The smallest standard error: what one more hit or miss would change.
    """

    value: Floats
    contrasts: Floats
    least: Floats

    def __sub__(self, other: "Linear") -> "Linear":
        return Linear(
            value=self.value - other.value,
            contrasts=self.contrasts - other.contrasts,
            least=np.maximum(self.least, other.least),
        )

    @property
    def own(self) -> Floats:
        """D_r: the contrast of the halves of r in repetition r itself, where they also trained the models."""
        own: Floats = np.diagonal(self.contrasts, axis1=-2, axis2=-1)
        return own

    @property
    def influence(self) -> Floats:
        """C_r = 2·G_r − D_r, where G_r is the mean of the same contrast in the other repetitions."""
        return influence_contrasts(self.contrasts)


def linear(measure: str, outcomes: Floats, signs: Floats) -> Linear:
    """
    Linearise a score at its pooled counts.

    Parameters
    ----------
    measure : {"precision", "recall", "f1"}
        The score.
    outcomes : array of shape (..., m, n, 3)
        TP, FP, FN of every example in every repetition.
    signs : array of shape (m, n)
        1 where the first split of a repetition tests an example, −1 where the second does.
    """
    score = RATIOS[measure]
    m = len(signs)
    counts = outcomes.sum(axis=(-3, -2)) + 1  # one count each: no effect, except that no ratio is 0/0
    denominator = counts @ np.array(score.below)
    value, slope = score(counts), m * score.slopes(counts)
    contrasts = ((signs @ outcomes) @ slope[..., None, :, None])[..., 0]
    # Half the standard deviation of Be(D + 1, 1): nothing, or everything, was missed in D tries. With the
    # quantiles of t the interval of a perfect score is then about that of Be(D + 1, 1).
    return Linear(value=value, contrasts=contrasts, least=0.5 / (denominator / m + 2))


def unevenness(outcomes: Floats, signs: Floats) -> tuple[Floats, Bools]:
    """
    Return how unevenly the positives fell into the halves of every repetition, and whether too evenly.

    Parameters
    ----------
    outcomes, signs : arrays
        As in :func:`linear`.

    Returns
    -------
    contrast : array of shape (..., m)
        L_r: positives tested by the first split of a repetition less those tested by the second.
    even : bool array
        Whether random halves are as even as this with probability below .01: the splits were balanced.
    """
    positives = outcomes[..., 0, :, 0] + outcomes[..., 0, :, 2]  # TP + FN, the same in every repetition
    spread = ((positives - positives.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    varies = spread > _ROUNDING * (positives**2).sum(axis=-1)
    contrast: Floats = np.where(varies[..., None], positives @ signs.T, 0.0)
    even: Bools = varies & ((contrast**2).sum(axis=-1) < special.chdtri(len(signs), 1 - _EVENNESS) * spread)
    return contrast, even


def spread(score: Linear, contrast: Floats, even: Bools, *, fixed: bool) -> tuple[Floats, Floats]:
    """Return the standard error of a score and its degrees of freedom; see :func:`influence_f1`."""
    m = contrast.shape[-1]
    C = score.influence
    square: Floats = (C**2).mean(axis=-1)
    if fixed:
        total = (contrast**2).sum(axis=-1, keepdims=True)
        slope = (C * contrast).sum(axis=-1, keepdims=True) / np.where(total > 0, total, 1.0)
        conditional = ((C - slope * contrast) ** 2).sum(axis=-1) / (m - 1)
        uneven = ~even & (total[..., 0] > 0)
        variance, df = np.where(uneven, conditional, square), np.where(uneven, m - 1, m)
    else:
        variance = np.where(even, np.maximum(square, (score.own**2).mean(axis=-1)), square)
        df = np.full(variance.shape, m)
    return np.maximum(np.sqrt(variance), score.least)[()], df.astype(np.float64)[()]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Pooled(PosteriorEstimate):
    """
    Posterior of a score, or of a difference of scores, by Student's t.

    Attributes
    ----------
    value, standard_error, df : array
        That of the pooled counts, its standard error, and the degrees of freedom of that.
    """

    value: Floats
    standard_error: Floats
    df: Floats


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ScoreInfluence(Pooled):
    """Posterior of one algorithm's score: Student's t on the scale arcsin √score."""

    def _angle(self) -> tuple[Floats, Floats]:
        """Centre and scale of the angle arcsin √score."""
        return np.arcsin(np.sqrt(self.value)), self.standard_error / (
            2 * np.sqrt(self.value * (1 - self.value))
        )

    def _score(self, t: Floats) -> Floats:
        """The score whose angle lies t scales above the centre."""
        centre, scale = self._angle()
        score: Floats = np.sin(np.clip(centre + t * scale, 0.0, np.pi / 2)) ** 2
        return score

    @property
    def mean(self) -> Floats:
        """Posterior mean."""
        weights = np.exp(-(_PROBITS**2) / 2)
        below = special.ndtr(_PROBITS).reshape(-1, *(1,) * np.ndim(self.value))
        scores = self._score(special.stdtrit(self.df, below))
        return np.tensordot(weights / weights.sum(), scores, axes=1)[()]

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Equal-tailed credible interval: the two quantiles."""
        reach = StudentT(self.df).isf(self.error(confidence_level) / 2)
        return self._score(-reach), self._score(reach)

    def probability(self, null: float = 0.0) -> Floats:
        """Posterior probability that the score exceeds ``null``."""
        centre, scale = self._angle()
        at = np.arcsin(np.sqrt(number("null", null, low=0.0, high=1.0)))
        return StudentT(self.df).sf((at - centre) / scale)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class DifferenceInfluence(OfTwoScores, Pooled):
    """
    Posterior of the difference B − A of two scores on shared test examples: Student's t.

    Attributes
    ----------
    a, b : ScoreInfluence
        The posteriors of the two scores by themselves.
    """

    a: ScoreInfluence
    b: ScoreInfluence

    @property
    def mean(self) -> Floats:
        """Posterior mean of B − A, about which the posterior is symmetric."""
        return self.value

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Equal-tailed credible interval of B − A, within [−1, 1]."""
        reach = StudentT(self.df).isf(self.error(confidence_level) / 2) * self.standard_error
        return np.maximum(self.value - reach, -1.0), np.minimum(self.value + reach, 1.0)

    def probability(self, null: float = 0.0) -> Floats:
        """P(H1): the posterior probability that B − A exceeds ``null``."""
        null = fraction("null", null, low=-1.0, high=1.0)
        return StudentT(self.df).sf((null - self.value) / self.standard_error)
