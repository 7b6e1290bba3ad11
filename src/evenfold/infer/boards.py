"""
Leaderboards: the ranks that each of many models may truly have, from the tasks they were run on.

A task is a block: if two models are alike, their difference on a further task is as likely to have
either sign. So the differences of every task are multiplied by a random sign, the same for all
pairs of models, and the largest of all standardised mean differences shows how large one must be.
This needs no normal distribution, allows for correlated pairs, and is exact for symmetric
differences.
"""

from collections.abc import Callable
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import flag, fraction, integer, number, one_of, refuse, refuse_value
from evenfold.core.estimate import Floats
from evenfold.core.losses import difference, rounding, safe_ratio
from evenfold.core.ranking import cliques, midranks
from evenfold.core.rng import stream
from evenfold.infer._arrays import finite, require_shape
from evenfold.infer.data_sets._tables import table

Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]

_DRAWS = 4000  # draws of signs, which keep a level of .05 to ± .003
_FEWER = 2000  # draws for many models, for which a draw takes long
_MANY = 100  # models
FEWEST_TASKS = 6  # with fewer no two models can be shown to differ at .05
_ALL_SIGNS = 12  # up to so many tasks all signs are taken, 2¹² = 4096 at most
_STEPS = 4  # further steps were never seen to decide another pair
_RESAMPLES_PER_TASK = 25  # for an aggregate that is a function
_TOUCH = 1e-9  # relative difference below which a drawn statistic equals the observed one


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class RankSets:
    """
    The ranks that each of several models may truly have.

    Attributes
    ----------
    value : array (models,)
        What the models are ranked by.
    low, high : arrays (models,)
        Intervals of the values, which hold together with confidence 1 − level.
    better : bool array (models, models)
        ``better[i, j]``: i was shown to be better than j; all of these hold together.
    pvalue : array (models, models)
        Adjusted p-value of "i is no better than j".
    first, last : arrays (models,)
        The ranks that each model may have; those of all models hold together.
    marginal_first, marginal_last : arrays (models,)
        The same for a model that was chosen before the board was seen, each by itself.
    level : float
        One minus the confidence.
    lower_is_better : bool
        Whether small values are good.

    Examples
    --------
    See :func:`rank_sets`.
    """

    value: Floats
    low: Floats
    high: Floats
    better: Bools
    pvalue: Floats
    first: Ints
    last: Ints
    marginal_first: Ints
    marginal_last: Ints
    level: float
    lower_is_better: bool

    @property
    def order(self) -> Ints:
        """Return the models, the best value first."""
        return np.argsort(self.value if self.lower_is_better else -self.value, kind="stable")

    @property
    def resolved(self) -> int:
        """Return how many neighbours in the order of values were shown to differ."""
        order = self.order
        return int(self.better[order[:-1], order[1:]].sum())

    @property
    def tiers(self) -> Ints:
        """
        Return the tier of each model: 1 if none was shown to be better, 2 if only tier 1 was, etc.

        Two models of one tier are tied.
        """
        tier = np.zeros(len(self.value), dtype=np.intp)
        left = np.ones(len(self.value), dtype=bool)
        while left.any():
            beaten = self.better[left].any(axis=0)
            top = left & ~beaten
            if not top.any():  # models that beat each other in a circle share a tier
                top = left.copy()
            tier[top] = tier.max() + 1
            left &= ~top
        return tier


def rank_sets(
    values: Any,
    *,
    lower_is_better: bool = True,
    weights: Any = None,
    level: float = 0.05,
    random_state: int = 0,
) -> RankSets:
    """
    Say which ranks each of several models may truly have, from one value per task and model.

    Parameters
    ----------
    values : array (tasks, models)
        One value per task and model; NaN where a model was not run on a task. Models are ranked by
        their mean over tasks; see :func:`on_each_task` for mean ranks and win rates.
    lower_is_better : bool, default True
        Whether small values are good.
    weights : array (tasks,), optional
        What each task counts.
    level : float, default 0.05
        The chance that any rank set of the board misses the true rank.
    random_state : int, default 0
        The seed of the signs; up to 12 tasks all of them are taken.

    Returns
    -------
    RankSets

    Notes
    -----
    *Formula.* For models i, j with differences d_t on T tasks S_ij = Σd_t / √Σd_t²; under random
    signs ε_t, the same for all pairs, S*_ij = Σε_t·d_t / √Σd_t². "i is no better than j" is
    rejected where S_ij is above the 1 − α quantile of the largest S* among all ordered pairs; then
    those are left out and the rest is looked at again (Romano and Wolf's steps). Rank sets count
    the rejections for and against a model. A marginal set looks only at the pairs of one model.

    *Validity.* The answer is about new tasks of the kind that these are a sample of. It is exact
    for differences that are symmetric about their mean, as far as they may be large; for others it
    holds for many tasks. Five tasks cannot tell any two models apart at .05 (of 32 signs the two
    best have 1/16), six can. With holes a pair is compared on the tasks that both have, and values
    are those of an additive model.

    References
    ----------
    Mogstad, Romano, Shaikh, Wilhelm (2024), Review of Economic Studies 91; Romano and Wolf (2005),
    JASA 100; Al Mohamad, van Zwet, Solari, Goeman (2021), Biometrical Journal 63.

    Examples
    --------
    >>> import numpy as np, evenfold as ef
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal([0.70, 0.70, 0.60], 0.03, size=(20, 3))
    >>> sets = ef.infer.rank_sets(values, lower_is_better=False)
    >>> sets.first.tolist(), sets.last.tolist(), sets.resolved
    ([1, 1, 3], [2, 2, 3], 1)
    """
    scores = table("values", values, holes=True)
    weight = _weights(weights, len(scores))
    level = fraction("level", level)
    lower_is_better = flag("lower_is_better", lower_is_better)
    filled = _fill_holes(scores, weight)
    mean = np.asarray(weight @ filled / weight.sum())
    count = (~np.isnan(scores) & (weight[:, None] > 0)).sum(axis=0)
    limits = _own_intervals(weight[:, None] * (filled - mean), weight, mean, count, level)
    gains = -scores if lower_is_better else scores
    law = _signs_law(gains, weight, integer("random_state", random_state, low=0))
    return _sets(law, mean, limits, level=level, lower_is_better=lower_is_better)


def rank_sets_of(
    estimates: Any,
    covariance: Any,
    *,
    lower_is_better: bool = True,
    level: float = 0.05,
    df: float = np.inf,
    random_state: int = 0,
) -> RankSets:
    """
    Say which ranks each of several models may truly have, from estimates and their covariance.

    Parameters
    ----------
    estimates : array (models,)
        One estimate per model: strengths of Bradley and Terry, means over the examples of fixed
        tasks.
    covariance : array (models, models)
        The covariance of the estimates, from any method.
    lower_is_better : bool, default True
        Whether small estimates are good.
    level : float, default 0.05
        The chance that any rank set of the board misses the true rank.
    df : float, default infinity
        Degrees of freedom of the covariance.
    random_state : int, default 0
        The seed of the draws.

    Returns
    -------
    RankSets

    Notes
    -----
    *Validity.* It is as good as the normal law (the t law with these df) of the estimates: for many
    battles or examples.

    Examples
    --------
    >>> import numpy as np, evenfold as ef
    >>> sets = ef.infer.rank_sets_of([1.0, 1.1, 2.0], 0.01 * np.eye(3))
    >>> sets.first.tolist(), sets.last.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    mean = finite("estimates", estimates)
    spread = finite("covariance", covariance)
    if mean.ndim != 1 or len(mean) < 2:
        refuse(
            "estimates",
            "estimates must have one number per model, for at least two models, but got shape "
            f"{mean.shape}.",
        )
    square = (len(mean), len(mean))
    require_shape("covariance", spread.shape, f"{square}", fits=spread.shape == square)
    level = fraction("level", level)
    degrees: object = df
    if not isinstance(degrees, float) or degrees != np.inf:
        df = number("df", degrees, low=1e-6)
    lower_is_better = flag("lower_is_better", lower_is_better)
    gains = -mean if lower_is_better else mean
    drawn = _draw_estimates(spread, df, integer("random_state", random_state, low=0))
    error = np.sqrt(np.maximum(np.diag(spread), 0.0))
    law = _drawn_law(gains, spread, drawn)
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = np.nanmax(np.where(error > 0, np.abs(drawn) / error, 0.0), axis=1)
    reach = _critical(largest, level) * error
    limits = mean - reach, mean + reach
    return _sets(law, mean, limits, level=level, lower_is_better=lower_is_better)


def further_ranks(
    values: Any, *, lower_is_better: bool = True, level: float = 0.05
) -> tuple[Floats, Floats]:
    """
    Return the ranks between which each model will lie on a further task.

    Parameters
    ----------
    values : array (tasks, models)
        One value per task and model.
    lower_is_better : bool, default True
        Whether small values are good.
    level : float, default 0.05
        The chance that a model's rank on the further task lies outside of its interval.

    Returns
    -------
    low, high : arrays (models,)

    Notes
    -----
    *Formula.* With k = ⌊(T + 1)·α/2⌋ the k-th smallest and the k-th largest of the model's ranks on
    T tasks; 1 to the number of models where k = 0, below 39 tasks at .05.

    *Validity.* This is a conformal interval. For each model by itself it is right with chance at
    least 1 − α, whatever the law of the ranks, if the further task is one more of the same kind.

    References
    ----------
    Vovk, Gammerman, Shafer (2005), Algorithmic Learning in a Random World; Neuhof and Benjamini,
    arXiv 2606.08679, for boards.

    Examples
    --------
    >>> import numpy as np, evenfold as ef
    >>> values = np.tile([[0.9, 0.8, 0.7], [0.9, 0.7, 0.8]], (20, 1))
    >>> low, high = ef.infer.further_ranks(values, lower_is_better=False)
    >>> low.tolist(), high.tolist()
    ([1.0, 2.0, 2.0], [1.0, 3.0, 3.0])
    """
    scores = table("values", values)
    level = fraction("level", level)
    lower_is_better = flag("lower_is_better", lower_is_better)
    T, K = scores.shape
    ranks = np.sort(_ranks(scores, lower_is_better=lower_is_better), axis=0)
    k = int((T + 1) * level / 2 + _TOUCH)
    if k == 0:
        return np.ones(K), np.full(K, float(K))
    return ranks[k - 1], ranks[T - k]


# What a model gets from one task.


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Aggregate:
    """
    A score of a model over all tasks: the mean of what each task gives it.

    Attributes
    ----------
    key, words : str
        The key of the aggregate and its name in words.
    on_each : callable
        Turns values (tasks, models), NaN where there is none, and whether small values are good
        into what each task gives each model.
    lower_is_better : bool or None
        Whether small scores are good; None if they are good where small values are.
    ends : callable
        Turns the number of models into the range of the scores.
    """

    key: str
    words: str
    on_each: Callable[[Floats, bool], Floats]
    lower_is_better: bool | None
    ends: Callable[[int], tuple[float, float]] = lambda _: (-np.inf, np.inf)


def on_each_task(values: Any, aggregate: str = "mean", *, lower_is_better: bool = True) -> Floats:
    """
    Return what every task gives every model, whose mean over tasks is the aggregate.

    Parameters
    ----------
    values : array (tasks, models)
        One value per task and model; NaN where a model was not run on a task.
    aggregate : {"mean", "mean-rank", "borda", "win-rate", "z-score"}
        The value itself; the rank among the models; the number of models that it beats, ties
        counted half; their share; the value less the mean of the models over their standard
        deviation. Where models are missing, ranks are what they would be if those that are there
        were a sample of all.
    lower_is_better : bool, default True
        Whether small values are good.

    Returns
    -------
    array (tasks, models)

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.on_each_task([[0.9, 0.8, 0.8]], "win-rate", lower_is_better=False).tolist()
    [[1.0, 0.25, 0.25]]
    """
    scores = table("values", values, data_sets=1, holes=True)
    entry = AGGREGATES[one_of("aggregate", aggregate, AGGREGATES)]
    return entry.on_each(scores, flag("lower_is_better", lower_is_better))


def pseudo_values(values: Any, function: Callable[[Floats], Any]) -> Floats:
    """
    Return what each task gives each model in any aggregate, whose mean over tasks is the aggregate.

    Parameters
    ----------
    values : array (tasks, models)
        One value per task and model.
    function : callable
        Turns values (tasks, models) into one number per model. The tasks come in any order, some of
        them several times.

    Returns
    -------
    array (tasks, models)

    Notes
    -----
    *Formula.* The aggregate of 25·T resamples of the T tasks is regressed on how often each task
    was drawn; the slopes are the influence of the tasks (Efron 2014), exact for a mean. They are
    stretched by what the line leaves out of the variance of differences of models: little for
    geometric means, much for medians. The jackknife, which leaves one task out, fails for
    medians, because they jump.

    *Validity.* It is as valid as :func:`rank_sets` of a mean, for many tasks. On boards of 6 and 20
    equal models and 8 to 40 tasks some pair was found to differ with chance .01 to .05 by medians
    and by geometric means, .02 to .04 by trimmed means (150 boards each, ± .018 at most; the
    jackknife: up to .96).

    References
    ----------
    Efron (2014), Estimation and accuracy after model selection, JASA 109.

    Examples
    --------
    >>> import numpy as np
    >>> pseudo_values([[0.5, 0.8], [0.25, 0.2]], lambda x: x.mean(axis=0)).round(9).tolist()
    [[0.5, 0.8], [0.25, 0.2]]
    """
    scores = table("values", values)
    T = len(scores)
    whole = _aggregate(function, scores)
    count = _RESAMPLES_PER_TASK * T
    # over all resamples, every task is drawn equally often
    every = stream(0, "board", "resampled").permutation(np.repeat(np.arange(T), count))
    drawn = every.reshape(count, T)
    resampled = np.array([_aggregate(function, scores[tasks]) for tasks in drawn])
    resampled -= resampled.mean(axis=0)
    share = np.array([np.bincount(tasks, minlength=T) for tasks in drawn]) / T - 1 / T
    influence = np.linalg.lstsq(share, resampled, rcond=None)[0]
    line = share @ influence
    total = np.square(resampled - resampled.mean(axis=1, keepdims=True)).sum()
    explained = np.square(line - line.mean(axis=1, keepdims=True)).sum()
    stretch = np.sqrt(total / explained) if explained > 0 else 1.0
    return np.asarray(whole + stretch * influence)


def _aggregate(function: Callable[[Floats], Any], values: Floats) -> Floats:
    models = values.shape[1]
    scores = np.asarray(function(values), dtype=float)
    if scores.shape != (models,) or not np.isfinite(scores).all():
        refuse_value(
            "aggregate", scores, f"a function that returns {models} finite numbers, one per model,"
        )
    return scores


def _ranks(values: Floats, *, lower_is_better: bool) -> Floats:
    """Rank models within each task; differences by rounding are ties, missing models are last."""
    there = ~np.isnan(values)
    turned = np.where(there, values if lower_is_better else -values, np.inf)
    tolerance = rounding(np.where(there, values, 0.0)).max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):  # missing models have infinite values
        return midranks(turned, tolerance)


def _win_rate(values: Floats, lower_is_better: bool) -> Floats:
    there = ~np.isnan(values)
    others = there.sum(axis=1, keepdims=True) - 1
    ranks = _ranks(values, lower_is_better=lower_is_better)
    rate = (others + 1 - ranks) / np.maximum(others, 1)
    return np.where(there & (others > 0), rate, np.nan)


def _mean_rank(values: Floats, lower_is_better: bool) -> Floats:
    return np.asarray(1 + (values.shape[1] - 1) * (1 - _win_rate(values, lower_is_better)))


def _borda(values: Floats, lower_is_better: bool) -> Floats:
    """Return how many models each of them beats on each task, ties counted half."""
    return np.asarray((values.shape[1] - 1) * _win_rate(values, lower_is_better))


def _z_score(values: Floats, lower_is_better: bool) -> Floats:
    there = ~np.isnan(values)
    count = np.maximum(there.sum(axis=1, keepdims=True), 1)
    known = np.where(there, values, 0.0)
    centre = known.sum(axis=1, keepdims=True) / count
    apart = np.where(there, values - centre, 0.0)
    spread = np.sqrt(np.square(apart).sum(axis=1, keepdims=True) / count)
    some = spread > rounding(centre)
    above = np.where(some, apart / np.where(some, spread, 1.0), 0.0)
    return np.where(there, -above if lower_is_better else above, np.nan)


AGGREGATES: dict[str, Aggregate] = {
    aggregate.key: aggregate
    for aggregate in (
        Aggregate(key="mean", words="mean", on_each=lambda x, _: x, lower_is_better=None),
        Aggregate(
            key="mean-rank",
            words="mean rank",
            on_each=_mean_rank,
            lower_is_better=True,
            ends=lambda K: (1.0, float(K)),
        ),
        Aggregate(
            key="borda",
            words="mean Borda count",
            on_each=_borda,
            lower_is_better=False,
            ends=lambda K: (0.0, K - 1.0),
        ),
        Aggregate(
            key="win-rate",
            words="mean win rate",
            on_each=_win_rate,
            lower_is_better=False,
            ends=lambda _: (0.0, 1.0),
        ),
        Aggregate(key="z-score", words="mean z-score", on_each=_z_score, lower_is_better=False),
    )
}


# The values of the models, and their intervals.


def _weights(weights: Any, tasks: int) -> Floats:
    """Return the weights of the tasks, scaled to a mean of 1."""
    if weights is None:
        return np.ones(tasks)
    array = finite("weights", weights)
    if array.shape != (tasks,) or array.min() < 0 or (array > 0).sum() < 2:
        refuse_value(
            "weights",
            weights,
            f"{tasks} numbers ≥ 0, one per task, of which at least two are above 0,",
        )
    return np.asarray(array / array.mean())


def _fill_holes(scores: Floats, weight: Floats) -> Floats:
    """Fill the holes of a table by the least-squares fit of an additive model, task + model."""
    there = ~np.isnan(scores)
    if there.all():
        return scores
    used = there * weight[:, None]
    known = np.where(there, scores, 0.0)
    per_task = used.sum(axis=1)
    some = per_task > 0
    share = used[some] / per_task[some, None]
    # normal equations of the models after tasks are eliminated
    laplacian = np.diag(used.sum(axis=0)) - used[some].T @ share
    right = (used * known).sum(axis=0) - share.T @ (used * known).sum(axis=1)[some]
    rank = np.linalg.matrix_rank(laplacian, tol=1e-9 * max(1.0, float(laplacian.max())))
    if rank < len(laplacian) - 1:
        refuse(
            "values",
            "values must connect all models by tasks that they share but got groups of models "
            "that share no task.",
            "Leave some of the models out.",
        )
    model = np.linalg.pinv(laplacian) @ right
    task = (np.where(there, known - model, 0.0)).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    return np.where(there, scores, task[:, None] + model)


def _own_intervals(
    residuals: Floats, weight: Floats, mean: Floats, count: Ints, level: float
) -> tuple[Floats, Floats]:
    """
    Return intervals of the models' means over new tasks that hold together.

    They use the joint distribution of the t statistics. ``residuals`` are weighted (tasks, models),
    and ``count`` tasks of each model are not missing.
    """
    share = _joint_share(residuals, level)
    df = np.maximum(count - 1, 1)
    variance = np.square(residuals).sum(axis=0) / weight.sum() ** 2 * len(residuals) / df
    reach = -special.stdtrit(df, share / 2) * np.sqrt(variance)
    reach = np.where(count > 1, reach, np.inf)
    return mean - reach, mean + reach


def _joint_share(residuals: Floats, level: float) -> float:
    """
    Return the level of each t interval at which the chance that any of them misses is ``level``.

    Under the null hypothesis a t statistic is the angle of its vector (tasks,) to a random
    direction, as in :class:`evenfold.infer.MaxT`. Here there is only one level, but many vectors.
    """
    T = len(residuals)
    length = np.sqrt(np.square(residuals).sum(axis=0))
    unit = safe_ratio(residuals, length)
    direction = stream(0, "board", "values").standard_normal((_DRAWS, T))
    direction /= np.sqrt(np.square(direction).sum(axis=1, keepdims=True))
    cosine = min(_critical(np.abs(direction @ unit).max(axis=1), level), 1 - 1e-12)
    t = np.sqrt(T - 1) * cosine / np.sqrt(1 - cosine**2)
    share = 2 * float(special.stdtr(T - 1, -t))
    return float(min(max(share, level / residuals.shape[1]), level))


# The distribution of the largest standardised difference of all pairs.


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _PairLaw:
    """
    Standardised differences of all ordered pairs, and draws of them for models that are alike.

    Attributes
    ----------
    statistic : array (models, models)
        The observed differences; ``[i, j]`` is large where i is better, and 0 without spread.
    row : callable
        Draws of the pairs of model i with all behind it, (draws, models − i − 1).
    draws : int
        The number of draws.
    exact : bool
        Whether the draws are all that are possible, the observed one among them.
    """

    statistic: Floats
    row: Callable[[int], Floats]
    draws: int
    exact: bool = False

    def row_maxima(self) -> Floats:
        """Return the largest of all pairs of each model, on either side, (draws, models)."""
        K = len(self.statistic)
        largest = np.zeros((self.draws, K))
        for i in range(K - 1):
            size = np.abs(self.row(i))
            np.maximum(largest[:, i], size.max(axis=1), out=largest[:, i])
            np.maximum(largest[:, i + 1 :], size, out=largest[:, i + 1 :])
        return largest

    def maxima(self, active: Bools) -> Floats:
        """Return the largest of the active ordered pairs, by draw."""
        largest = np.zeros(self.draws)
        for i in range(len(active) - 1):
            row = self.row(i)
            # as ``[j, i]`` the same draw counts with the other sign
            for sign, among in ((1.0, active[i, i + 1 :]), (-1.0, active[i + 1 :, i])):
                if among.any():
                    np.maximum(largest, (sign * row[:, among]).max(axis=1), out=largest)
        return largest


def _inverse_root(total: Floats, parts: Floats) -> Floats:
    """Return 1 / √total, or 0 where a total is only the rounding of its parts."""
    some = total > 1e-13 * parts
    return np.where(some, 1 / np.sqrt(np.where(some, total, 1.0)), 0.0)


def _signs_law(gains: Floats, weight: Floats, seed: int) -> _PairLaw:
    """Return the distribution under random signs of the tasks."""
    there = ~np.isnan(gains) & (weight[:, None] > 0)
    # centring a task changes no difference, and makes rounding small
    known = np.where(there, gains, 0.0)
    centre = known.sum(axis=1, keepdims=True) / np.maximum(there.sum(axis=1, keepdims=True), 1)
    weighted = np.where(there, weight[:, None] * (known - centre), 0.0)
    T, K = gains.shape
    exact = T <= _ALL_SIGNS
    if exact:
        signs = 1.0 - 2.0 * ((np.arange(2**T)[:, None] >> np.arange(T)) & 1)
    else:
        draws = _DRAWS if K <= _MANY else _FEWER
        signs = 1.0 - 2.0 * stream(seed, "board").integers(0, 2, size=(draws, T))
    present = there.astype(float)
    squares = np.square(weighted)
    parts = squares.T @ present + present.T @ squares
    # 1 / √Σd² of every pair over the tasks that both have; 0 where they never differ
    inverse = _inverse_root(parts - 2 * weighted.T @ weighted, parts)
    sums = weighted.T @ present
    drawn = signs @ weighted

    def row(i: int) -> Floats:
        if there.all():
            return np.asarray((drawn[:, i : i + 1] - drawn[:, i + 1 :]) * inverse[i, i + 1 :])
        both = there[:, i : i + 1] & there[:, i + 1 :]
        apart = np.where(both, weighted[:, i : i + 1] - weighted[:, i + 1 :], 0.0)
        return np.asarray(signs @ (apart * inverse[i, i + 1 :]))

    statistic = difference(sums, sums.T) * inverse
    return _PairLaw(statistic=statistic, row=row, draws=len(signs), exact=exact)


def _drawn_law(gains: Floats, covariance: Floats, drawn: Floats) -> _PairLaw:
    """Return the normal distribution of estimates, given draws of them (draws, models)."""
    variance = np.diag(covariance)
    total = variance[:, None] + variance
    inverse = _inverse_root(total - 2 * covariance, total)
    return _PairLaw(
        statistic=difference(gains[:, None], gains) * inverse,
        row=lambda i: (drawn[:, i : i + 1] - drawn[:, i + 1 :]) * inverse[i, i + 1 :],
        draws=len(drawn),
    )


def _draw_estimates(covariance: Floats, df: float, seed: int) -> Floats:
    """Draw deviations of the estimates from their means; the covariance may be singular."""
    size, axes = np.linalg.eigh((covariance + covariance.T) / 2)
    root = axes * np.sqrt(np.maximum(size, 0.0))
    rng = stream(seed, "board")
    models = len(size)
    draws = rng.standard_normal((_DRAWS if models <= _MANY else _FEWER, models)) @ root.T
    if np.isfinite(df):
        draws /= np.sqrt(rng.chisquare(df, len(draws)) / df)[:, None]
    return np.asarray(draws)


def _critical(maxima: Floats, level: float) -> float:
    """Return the value that a drawn maximum reaches with chance ``level``."""
    place = min(len(maxima) - 1, int(np.ceil((1 - level) * (len(maxima) + 1))) - 1)
    return float(np.sort(maxima)[place])


def _sets(
    law: _PairLaw,
    mean: Floats,
    limits: tuple[Floats, Floats],
    *,
    level: float,
    lower_is_better: bool,
) -> RankSets:
    maxima = law.row_maxima()
    better, pvalue = _steps(law, maxima.max(axis=1), level)
    first, last = rank_intervals(better)
    statistic = law.statistic
    rows = zip(np.abs(statistic), maxima.T, strict=True)
    apart = np.array([_chances(row, drawn, exact=law.exact) <= level for row, drawn in rows])
    return RankSets(
        value=mean,
        low=limits[0],
        high=limits[1],
        better=better,
        pvalue=pvalue,
        first=first,
        last=last,
        marginal_first=1 + (apart & (statistic < 0)).sum(axis=1),
        marginal_last=len(mean) - (apart & (statistic > 0)).sum(axis=1),
        level=level,
        lower_is_better=lower_is_better,
    )


def _chances(observed: Floats, maxima: Floats, *, exact: bool) -> Floats:
    """Return the chance that a drawn maximum is as large as the observed statistic."""
    ordered = np.sort(maxima)
    edge = observed - _TOUCH * np.abs(observed)
    above = len(ordered) - np.searchsorted(ordered, edge, side="left")
    return np.asarray(above / len(ordered)) if exact else (1 + above) / (1 + len(ordered))


def _steps(law: _PairLaw, largest: Floats, level: float) -> tuple[Bools, Floats]:
    """
    Take Romano and Wolf's steps over all ordered pairs.

    The result says who is better than whom, with adjusted p-values. ``largest`` are the maxima of
    all pairs, with which the steps begin. Stopping early is conservative.
    """
    statistic = law.statistic
    active = ~np.eye(len(statistic), dtype=bool)
    pvalue = np.ones(statistic.shape)
    floor = 0.0
    for _ in range(_STEPS):
        p = np.maximum(_chances(statistic, largest, exact=law.exact), floor)
        pvalue[active] = p[active]
        rejected = active & (p <= level)
        if not rejected.any():
            break
        floor = float(p[rejected].max())
        active &= ~rejected
        largest = law.maxima(active)
    better: Bools = (pvalue <= level) & (statistic > 0)
    return better, pvalue


def rank_intervals(better: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """
    Return the lowest and the highest rank of each algorithm.

    Where the decisions about all pairs hold together with confidence 1 − α, so do these intervals:
    an algorithm has at least as many before it as are better than it, and at least as many behind
    it as are worse (Al Mohamad, van Zwet, Solari and Goeman 2021).

    Parameters
    ----------
    better : bool array (k, k)
        ``better[i, j]``: i was shown to be better than j.

    Examples
    --------
    >>> first, last = rank_intervals(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    >>> first.tolist(), last.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    k = len(better)
    return 1 + better.sum(axis=0), k - better.sum(axis=1)


def tie_groups(
    values: Floats, better: NDArray[np.bool_], *, lower_is_better: bool
) -> tuple[str, ...]:
    """
    Return letters: two algorithms share one exactly if they are tied.

    A letter stands for a largest set of algorithms that are tied with each other (a compact
    letter display: Piepho 2004), those of the best first.

    Examples
    --------
    >>> better = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> tie_groups(np.array([0.9, 0.8, 0.7]), better, lower_is_better=False)
    ('a', 'ab', 'b')
    """
    order = np.argsort(values if lower_is_better else -values, kind="stable")
    apart = (better | better.T)[np.ix_(order, order)]
    joined = [set(np.flatnonzero(~row).tolist()) - {place} for place, row in enumerate(apart)]
    letters = [""] * len(order)
    for g, group in enumerate(sorted(cliques(joined))):
        for place in group:
            letters[order[place]] += ascii_lowercase[g] if g < 26 else f"({g + 1})"
    return tuple(letters)
