"""
Precision, recall and F1 with a variance that knows training sets and shared test examples (ours).

The published posteriors (:mod:`evenfold.infer.bayes_scores`) take counts as binomial and two
algorithms as independent. Here the run itself says how much a score moves with its examples: see
``docs/infer/influence-scores``.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import fraction, number, one_of, refuse_value
from evenfold.core.errors import HiddenVariance
from evenfold.core.estimate import Estimand, Floats, PosteriorEstimate, t_quantile, t_tail
from evenfold.core.losses import F1, PRECISION, RECALL, Score, safe_ratio
from evenfold.infer._arrays import ArrayLike, floats
from evenfold.infer._designs import SEVEN_BALANCED
from evenfold.infer._registry import METHODS
from evenfold.infer.bayes_scores import OfTwoScores, of_quantity
from evenfold.infer.halves.influence import influence_contrasts
from evenfold.infer.inputs import Outcomes, Question

Bools = NDArray[np.bool_]
ClassCounts = Literal["random", "fixed"]


# `docs/infer/influence-scores` derives the formulas below; the symbols are those of that page.


RATIOS = {"precision": PRECISION, "recall": RECALL, "f1": F1}  # of TP, FP, FN
_EVENNESS = 0.01  # how rarely random halves have labels as even as those
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
        ``contrasts[..., q, r]`` is half the difference, in repetition q, between the examples that
        the first and the second split of repetition r test.
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
        """Return D_r, the contrast of the halves of r in repetition r, where they also trained."""
        return np.diagonal(self.contrasts, axis1=-2, axis2=-1)

    @property
    def influence(self) -> Floats:
        """Return C_r = 2·G_r − D_r, where G_r is the mean of that contrast in other repetitions."""
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
    return _linearise(score, outcomes, signs, lambda counts: counts @ np.array(score.below))


def _linearise(
    score: Score, outcomes: Floats, signs: Floats, tries: Callable[[Floats], Floats]
) -> Linear:
    """Linearise a score at its pooled counts; ``tries`` is how many could have been missed."""
    m = len(signs)
    # one count each: no effect, except that no ratio is 0/0
    counts = outcomes.sum(axis=(-3, -2)) + 1
    slope = m * score.slopes(counts)
    contrasts = ((signs @ outcomes) @ slope[..., None, :, None])[..., 0]
    # Half the standard deviation of Be(D + 1, 1): nothing, or everything, was missed in D tries.
    # With the quantiles of t the interval of a perfect score is then about that of Be(D + 1, 1).
    return Linear(value=score(counts), contrasts=contrasts, least=0.5 / (tries(counts) / m + 2))


def unevenness(outcomes: Floats, signs: Floats) -> tuple[Floats, Bools]:
    """
    Return how unevenly positives fell into the halves of each repetition, and whether too evenly.

    Parameters
    ----------
    outcomes, signs : arrays
        As in :func:`linear`.

    Returns
    -------
    contrast : array of shape (..., m)
        L_r: positives tested by the first split of a repetition less those tested by the second.
    even : bool array
        Whether random halves are as even as this with probability below .01: the splits were
        balanced.
    """
    # TP + FN, the same in every repetition
    positives = outcomes[..., 0, :, 0] + outcomes[..., 0, :, 2]
    spread = ((positives - positives.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    varies = spread > _ROUNDING * (positives**2).sum(axis=-1)
    contrast: Floats = np.where(varies[..., None], positives @ signs.T, 0.0)
    even: Bools = varies & (
        (contrast**2).sum(axis=-1) < special.chdtri(len(signs), 1 - _EVENNESS) * spread
    )
    return contrast, even


def spread(score: Linear, contrast: Floats, even: Bools, *, fixed: bool) -> tuple[Floats, Floats]:
    """Return the standard error of a score and its degrees of freedom; see :func:`influence_f1`."""
    m = contrast.shape[-1]
    C = score.influence
    square: Floats = (C**2).mean(axis=-1)
    if fixed:
        total = (contrast**2).sum(axis=-1, keepdims=True)
        slope = safe_ratio((C * contrast).sum(axis=-1, keepdims=True), total)
        conditional = ((C - slope * contrast) ** 2).sum(axis=-1) / (m - 1)
        uneven = ~even & (total[..., 0] > 0)
        variance = np.where(uneven, conditional, square)
        df = np.where(uneven, m - 1, m)
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
        The value at the pooled counts, its standard error, and the degrees of freedom of that.
    """

    value: Floats
    standard_error: Floats
    df: Floats


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ScoreInfluence(Pooled):
    """Posterior of one algorithm's score: Student's t on the scale arcsin √score."""

    def _angle(self) -> tuple[Floats, Floats]:
        """Return centre and scale of the angle arcsin √score."""
        centre = np.arcsin(np.sqrt(self.value))
        return centre, self.standard_error / (2 * np.sqrt(self.value * (1 - self.value)))

    def _score(self, t: Floats) -> Floats:
        """Return the score whose angle lies t scales above the centre."""
        centre, scale = self._angle()
        return np.sin(np.clip(centre + t * scale, 0.0, np.pi / 2)) ** 2

    @property
    def mean(self) -> Floats:
        """Return the posterior mean."""
        weights = np.exp(-(_PROBITS**2) / 2)
        below = special.ndtr(_PROBITS).reshape(-1, *(1,) * np.ndim(self.value))
        scores = self._score(special.stdtrit(self.df, below))
        return np.tensordot(weights / weights.sum(), scores, axes=1)[()]

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Return the equal-tailed credible interval."""
        reach = t_quantile(self.df, self.error(confidence_level) / 2)
        return self._score(-reach), self._score(reach)

    def probability(self, null: float = 0.0) -> Floats:
        """Return the posterior probability that the score exceeds ``null``."""
        centre, scale = self._angle()
        at = np.arcsin(np.sqrt(number("null", null, low=0.0, high=1.0)))
        return t_tail(self.df, (at - centre) / scale)


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
        """Return the posterior mean of B − A, about which the posterior is symmetric."""
        return self.value

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Return the equal-tailed credible interval of B − A, within [−1, 1]."""
        reach = t_quantile(self.df, self.error(confidence_level) / 2) * self.standard_error
        return np.maximum(self.value - reach, -1.0), np.minimum(self.value + reach, 1.0)

    def probability(self, null: float = 0.0) -> Floats:
        """Return P(H1), the posterior probability that B − A exceeds ``null``."""
        null = fraction("null", null, low=-1.0, high=1.0)
        return t_tail(self.df, (null - self.value) / self.standard_error)


# Posteriors of any smooth score of the confusion table, such as F-beta, balanced accuracy and MCC,
# by the slopes of the score (ours).


_ABOUT = Estimand(quantity="score", size="n/2")
_KEY = "influence"


def smooth_score_posterior(
    score: Score, outcomes_a: Any, outcomes_b: Any, sides: Any
) -> DifferenceInfluence:
    """
    Return the posterior of the difference B − A of any smooth score of TP, FP, FN and TN.

    Parameters
    ----------
    score : Score
        A function of the four sums with values from 0 to 1, as ``ef.run.Smooth``; MCC as (1 +
        MCC)/2.
    outcomes_a, outcomes_b : arrays of shape (..., m, n, 3)
        TP, FP, FN of every example in each of m ≥ 2 repetitions; the rest are true negatives.
    sides : bool array of shape (m, n)
        Whether an example is tested by the first split of a repetition; the second split tests the
        others.

    Returns
    -------
    DifferenceInfluence
        With ``interval(confidence_level)``, ``probability(null)``, ``rope(margin)``; ``a`` and
        ``b`` are the posteriors of the two scores.

    Notes
    -----
    *Validity*: as :func:`influence_f1`, to first order in the counts, with class counts as they
    came. 95% intervals of F2, balanced accuracy and MCC of one algorithm cover 94–97% and equal
    algorithms are called different in 2–4% on populations with 50, 15 and 5% positives (n = 600, m
    = 7: ``docs/open-problems``). Splits balanced by labels hide what random class counts do.

    Examples
    --------
    >>> import numpy as np
    >>> import evenfold as ef
    >>> def balanced_accuracy(c):
    ...     tp, fp, fn, tn = np.moveaxis(c, -1, 0)
    ...     return (tp / (tp + fn) + tn / (tn + fp)) / 2
    >>> y, doubt = np.arange(300) % 3 == 0, np.random.default_rng(0).random((3, 300))
    >>> sides = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], dtype=bool).repeat(75, axis=1)
    >>> a, b = (doubt < np.where(y, hit, 0.3) for hit in (0.6, 0.7))
    >>> tables = [np.stack([y & said, ~y & said, y & ~said], axis=-1) for said in (a, b)]
    >>> d = ef.infer.smooth_score_posterior(ef.run.Smooth(balanced_accuracy), *tables, sides)
    >>> round(float(d.value), 3), round(float(d.probability()), 2)
    (0.041, 0.98)
    """
    if not isinstance(score, Score):
        refuse_value(
            "score", score, "a Score of TP, FP, FN and TN", "Wrap a function by ef.run.Smooth."
        )
    names = ("outcomes_a", "outcomes_b", "sides")
    a, b, first = Outcomes(_KEY).check(names, (outcomes_a, outcomes_b, sides))
    signs = np.where(first, 1.0, -1.0)
    linear_a = linear_score(score, a, signs)
    linear_b = linear_score(score, b, signs)
    labels = unevenness(a, signs)
    about: dict[str, Any] = {"method": _KEY, "estimand": _ABOUT, "card": None}
    return replace(_compare(linear_a, linear_b, labels, about, fixed=False), **about)


def linear_score(score: Score, outcomes: Floats, signs: Floats) -> Linear:
    """Linearise a score at its pooled counts, one added to each of the four."""
    table = np.concatenate([outcomes, 1 - outcomes.sum(axis=-1, keepdims=True)], axis=-1)
    linearised = _linearise(
        score, table, signs, lambda c: np.minimum(c[..., 0] + c[..., 2], c[..., 1] + c[..., 3])
    )
    if np.any((linearised.value < 0) | (linearised.value > 1)):
        refuse_value(
            "score", linearised.value, "from 0 to 1", "Shift and scale it; MCC as (1 + MCC)/2."
        )
    return linearised


_HIDDEN = (
    "The splits are balanced by labels, so they cannot show how a score varies with random class "
    "counts. Intervals of recall and F1 may cover 90% instead of 95%. Use splits that are not "
    "balanced."
)


def influence_score(
    measure: str, outcomes: Any, sides: Any, *, class_counts: ClassCounts = "random"
) -> ScoreInfluence:
    """
    Return the posterior of one algorithm's precision, recall or F1.

    Parameters
    ----------
    measure : {"precision", "recall", "f1"}
        The score.
    outcomes : array of shape (..., m, n, 3)
        TP, FP, FN of every example (or unit: a sentence has several) in each of m ≥ 2 repetitions;
        every example is tested once in each.
    sides : bool array of shape (m, n)
        Whether an example is tested by the first split of a repetition; the second split tests the
        others.
    class_counts : {"random", "fixed"}
        How the data were sampled: with as many positives as came, or with as many as the study
        wanted.

    Returns
    -------
    ScoreInfluence
        With ``mean``, ``interval(confidence_level)`` and ``probability(null)``.

    Notes
    -----
    See :func:`influence_f1` for what is computed and for its validity.

    Examples
    --------
    >>> import numpy as np
    >>> import evenfold as ef
    >>> rng = np.random.default_rng(0)
    >>> halves = ef.Mx2BCV(7, random_state=0).partition(300).test[::2]
    >>> sides = np.stack([np.isin(np.arange(300), half) for half in halves])
    >>> y, doubt = rng.random(300) < 0.4, rng.random((7, 300))
    >>> said = np.where(y, doubt < 0.7, doubt < 0.3)
    >>> outcomes = np.stack([y & said, ~y & said, y & ~said], axis=-1)
    >>> p = ef.infer.influence_score("f1", outcomes, sides)
    >>> [round(float(x), 3) for x in (p.mean, *p.interval())]
    [0.626, 0.513, 0.733]
    """
    measure = one_of("measure", measure, RATIOS)
    checked, first = Outcomes(measure).check(("outcomes", "sides"), (outcomes, sides))
    signs = np.where(first, 1.0, -1.0)
    labels = _labels(checked, signs, class_counts)
    fixed = class_counts == "fixed"
    return _alone(linear(measure, checked, signs), labels, _about_one(measure), fixed=fixed)


def _check_class_counts(class_counts: object = "random") -> None:
    one_of("class_counts", class_counts, ("random", "fixed"))


def _labels(outcomes: Floats, signs: Floats, class_counts: str) -> tuple[Floats, Bools]:
    """Return what :func:`unevenness` does; warn of halves that are too even."""
    _check_class_counts(class_counts)
    contrast, even = unevenness(outcomes, signs)
    if class_counts == "random" and even.any():
        warnings.warn(_HIDDEN, HiddenVariance, stacklevel=3)
    return contrast, even


def _about_one(measure: str) -> dict[str, Any]:
    """Return the method, the estimand and the card of the posterior of one score."""
    entry = METHODS[f"influence-{measure}"]
    return {"method": entry.key, "estimand": entry.about_one, "card": entry.card}


def _alone(
    score: Linear, labels: tuple[Floats, Bools], about: dict[str, Any], *, fixed: bool
) -> ScoreInfluence:
    error, df = spread(score, *labels, fixed=fixed)
    return ScoreInfluence(value=score.value, standard_error=error, df=df, **about)


def _compare(
    a: Linear, b: Linear, labels: tuple[Floats, Bools], about: dict[str, Any], *, fixed: bool
) -> DifferenceInfluence:
    """Return the posterior of a difference; ``about`` is about each of the two scores."""
    difference = b - a
    error, df = spread(difference, *labels, fixed=fixed)
    return DifferenceInfluence(
        value=difference.value,
        standard_error=error,
        df=df,
        a=_alone(a, labels, about, fixed=fixed),
        b=_alone(b, labels, about, fixed=fixed),
    )


def _compare_ratios(
    measure: str, a: ArrayLike, b: ArrayLike, sides: ArrayLike, class_counts: ClassCounts
) -> DifferenceInfluence:
    outcomes_a = floats(a)
    signs = np.where(np.asarray(sides, dtype=np.bool_), 1.0, -1.0)
    labels = _labels(outcomes_a, signs, class_counts)
    first = linear(measure, outcomes_a, signs)
    second = linear(measure, floats(b), signs)
    fixed = class_counts == "fixed"
    return _compare(first, second, labels, _about_one(measure), fixed=fixed)


def _answer_single(question: Question, measure: str) -> ScoreInfluence | None:
    """Return the posterior of one algorithm alone, or None for a question about two."""
    if question.a is not None:
        return None
    posterior = influence_score(measure, *Outcomes(measure).read(question))
    return replace(posterior, estimand=Estimand())  # the caller knows the training size


_score = partial(
    of_quantity,
    takes=Outcomes,
    alone=_answer_single,
    valid=SEVEN_BALANCED,
    check=_check_class_counts,
    conservative="It takes the noise of the contrasts as variance. It errs .00–.05 at .05 for "
    "differences on the populations studied, and its intervals for one algorithm cover 95–98%.",
    source="ours: docs/infer/influence-scores",
    recommended=True,
)


@_score("precision", name="the influence posterior of precision")
def influence_precision(
    outcomes_a: ArrayLike,
    outcomes_b: ArrayLike,
    sides: ArrayLike,
    *,
    class_counts: ClassCounts = "random",
) -> DifferenceInfluence:
    """
    Return the posterior of the difference of precision, and the probability that B beats A.

    Parameters
    ----------
    outcomes_a, outcomes_b : arrays of shape (..., m, n, 3)
        TP, FP, FN of every example (or unit: a sentence has several) in each of m ≥ 2 repetitions,
        for each algorithm; every example is tested once in each repetition.
    sides : bool array of shape (m, n)
        Whether an example is tested by the first split of a repetition; the second tests the
        others.
    class_counts : {"random", "fixed"}
        How the data were sampled: with as many positives as came, or as many as the study wanted.

    Returns
    -------
    DifferenceInfluence
        ``mean``, ``interval()`` and ``probability(null)``, P(H1); ``rope(margin)`` gives the three
        probabilities of a region of practical equivalence.

    Notes
    -----
    *Validity.* That of :func:`influence_f1`, which says how it is computed and measured. Where
    nothing is predicted positive there is no precision: the posterior is then one half, give or
    take nearly as much.

    *How it errs.* It is conservative. It takes the noise of the contrasts as variance. It errs
    .00–.05 at .05 for differences on the populations studied, and its intervals for one algorithm
    cover 95–98%. It estimates the difference of precision B − A at training size n/2.

    References
    ----------
    ours: docs/infer/influence-scores.

    Examples
    --------
    >>> import evenfold as ef
    >>> import numpy as np
    >>> sides = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], dtype=bool).repeat(25, axis=1)
    >>> all_right = np.tile([[1, 0, 0], [0, 0, 0]], (3, 50, 1))
    >>> float(ef.infer.influence_precision(all_right, all_right, sides).probability())
    0.5
    """
    return _compare_ratios("precision", outcomes_a, outcomes_b, sides, class_counts)


@_score("recall", name="the influence posterior of recall")
def influence_recall(
    outcomes_a: ArrayLike,
    outcomes_b: ArrayLike,
    sides: ArrayLike,
    *,
    class_counts: ClassCounts = "random",
) -> DifferenceInfluence:
    """
    Return the posterior of the difference of recall, and the probability that B beats A.

    Parameters
    ----------
    outcomes_a, outcomes_b : arrays of shape (..., m, n, 3)
        TP, FP, FN of every example (or unit: a sentence has several) in each of m ≥ 2 repetitions,
        for each algorithm; every example is tested once in each repetition.
    sides : bool array of shape (m, n)
        Whether an example is tested by the first split of a repetition; the second tests the
        others.
    class_counts : {"random", "fixed"}
        How the data were sampled: with as many positives as came, or as many as the study wanted.

    Returns
    -------
    DifferenceInfluence
        ``mean``, ``interval()`` and ``probability(null)``, P(H1); ``rope(margin)`` gives the three
        probabilities of a region of practical equivalence.

    Notes
    -----
    *Validity.* That of :func:`influence_f1`, which says how it is computed and measured. With
    random class counts it is recall that the published posterior misses most.

    *How it errs.* It is conservative. It takes the noise of the contrasts as variance. It errs
    .00–.05 at .05 for differences on the populations studied, and its intervals for one algorithm
    cover 95–98%. It estimates the difference of recall B − A at training size n/2.

    References
    ----------
    ours: docs/infer/influence-scores.

    Examples
    --------
    >>> import evenfold as ef
    >>> import numpy as np
    >>> sides = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], dtype=bool).repeat(25, axis=1)
    >>> none, all_right = (np.tile([hit, [0, 0, 0]], (3, 50, 1)) for hit in ([0, 0, 1], [1, 0, 0]))
    >>> round(float(ef.infer.influence_recall(none, all_right, sides).probability()), 3)
    1.0
    """
    return _compare_ratios("recall", outcomes_a, outcomes_b, sides, class_counts)


@_score("F1", name="the influence posterior of F1")
def influence_f1(
    outcomes_a: ArrayLike,
    outcomes_b: ArrayLike,
    sides: ArrayLike,
    *,
    class_counts: ClassCounts = "random",
) -> DifferenceInfluence:
    """
    Return the posterior of the difference of F1, and the probability that B beats A.

    Parameters
    ----------
    outcomes_a, outcomes_b : arrays of shape (..., m, n, 3)
        TP, FP, FN of every example (or unit: a sentence has several) in each of m ≥ 2 repetitions,
        for each algorithm; every example is tested once in each repetition.
    sides : bool array of shape (m, n)
        Whether an example is tested by the first split of a repetition; the second tests the
        others.
    class_counts : {"random", "fixed"}
        How the data were sampled: with as many positives as came, or with as many as the study
        wanted.

    Returns
    -------
    DifferenceInfluence
        ``mean``, ``interval()`` and ``probability(null)``, P(H1); ``rope(margin)`` gives the three
        probabilities of a region of practical equivalence.

    Notes
    -----
    The estimand is the score of the expected counts of a model trained on half as many examples. To
    first order it is a mean over examples, each of which counts as a test point and as training
    data. Let D_r be half the difference of the scores of the two halves of repetition r, and G_r
    the same contrast between the same examples in the other repetitions, where they have not
    trained the models in this way. Then the contrast C_r = 2·G_r − D_r varies over data sets as the
    pooled score does: the standard error is √(ΣC_r²/m) with m degrees of freedom, and the posterior
    Student's t (on the scale arcsin √score for one score). Scores of two algorithms are subtracted
    example by example, so that what they share cancels.

    *Validity.* Measured with n = 600, m = 7, 1500 data sets per setting (standard errors up to
    .008): nominal 95% intervals for one algorithm cover 95–98% on R19's example 6.1 with random
    labels and on populations with 15% and 5% positives, where the published posteriors cover
    69–99%. Tests between two equal algorithms erred .00–.05 at .05, where the published ones erred
    .01–.25. It is conservative for algorithms that are nearly the same. With
    ``class_counts="fixed"`` intervals cover 95–97%; fixed class counts that are said to be random
    make them too long (97–99.9%). **Splits balanced by labels** cannot show how a score moves with
    random class counts: the standard error is then at least √(ΣD_r²/m), intervals of recall and F1
    cover 90–92% on example 6.1, and a :class:`HiddenVariance` warning says so. Not for grouped
    data.

    *How it errs.* It is conservative. It takes the noise of the contrasts as variance. It errs
    .00–.05 at .05 for differences on the populations studied, and its intervals for one algorithm
    cover 95–98%. It estimates the difference of F1 B − A at training size n/2.

    References
    ----------
    ours: docs/infer/influence-scores.

    Examples
    --------
    >>> import evenfold as ef
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> halves = ef.Mx2BCV(7, random_state=0).partition(300).test[::2]
    >>> sides = np.stack([np.isin(np.arange(300), half) for half in halves])
    >>> y, doubt = rng.random(300) < 0.4, rng.random((7, 300))
    >>> a, b = (np.where(y, doubt < hit, doubt < 0.3) for hit in (0.7, 0.8))
    >>> tables = [np.stack([y & said, ~y & said, y & ~said], axis=-1) for said in (a, b)]
    >>> d = ef.infer.influence_f1(*tables, sides)
    >>> [round(float(x), 3) for x in (d.mean, *d.interval(), d.probability())]
    [0.06, 0.001, 0.119, 0.977]
    """
    return _compare_ratios("f1", outcomes_a, outcomes_b, sides, class_counts)
