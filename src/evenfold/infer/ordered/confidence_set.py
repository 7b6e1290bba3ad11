"""The model confidence set: the forecasters that may be the best, by a block bootstrap."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import fraction, integer, one_of
from evenfold.core.estimate import Estimand, Estimate, Floats
from evenfold.core.rng import stream
from evenfold.infer._base import Answer, method
from evenfold.infer._registry import WINDOWS
from evenfold.infer.inputs import AllAlongPath
from evenfold.infer.ordered.diebold_mariano import horizon_within

STATISTICS = ("max", "range")
_BLOCKS = 3  # times the lags of the correlation: shorter blocks cut off more of it
_MOST_DRAWS = 100_000
_AT_ONCE = 2_000_000  # numbers of a table of who was drawn: 32 megabytes


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ModelConfidenceSet(Estimate):
    """
    Which of k forecasters may be the best.

    Attributes
    ----------
    pvalues : array (..., k)
        The MCS p-value of each: it is in the set at every level up to that. That of the last is 1.
    order : array (..., k)
        The forecasters in the order in which they were eliminated, the last first to stay.
    """

    pvalues: Floats
    order: NDArray[np.intp]

    def inside(self, level: float = 0.05) -> NDArray[np.bool_]:
        """Return who is in the set that holds the best with probability 1 − ``level`` or more."""
        kept: NDArray[np.bool_] = self.pvalues >= fraction("level", level)
        return kept


@method(
    valid=WINDOWS,
    takes=AllAlongPath(),
    estimand=Estimand(words="which forecasters may be the best along this path"),
    depends="a bootstrap of blocks: it errs above the level where blocks are short for the "
    "correlation, "
    "below it where many forecasters are clearly worse",
    source="Hansen 2011",
    recommended=True,
)
def model_confidence_set(
    losses: Floats,
    *,
    horizon: int = 1,
    statistic: str = "max",
    block: int | None = None,
    draws: int = 1999,
    random_state: int = 0,
) -> Answer[ModelConfidenceSet]:
    """
    Find the set of forecasters that holds the best one, as an interval holds a number.

    *Formula.* Forecasters are eliminated one by one, the worst by its t first, while all that are
    left being equal is refuted; the p-value of each is the largest so far.

    *Validity.* Along this path, for T that is long for the blocks; losses must be stationary. The
    set is large where data say little: that a forecaster is in it does not make it good. Measured
    at .05 (docs, "Ordered data"): of three to eight equal ones ``"max"`` loses one in .03 to .06 of
    1000 tables, ``"range"`` in .06 to .24, the last with eight of them on a path of 100 times at
    horizon 4.

    >>> rng = np.random.default_rng(0)
    >>> losses = rng.normal(size=(3, 200)) ** 2 + np.array([[0.0], [0.0], [1.5]])
    >>> found = ef.infer.model_confidence_set(losses)
    >>> found.inside(0.05)
    array([ True,  True, False])

    Parameters
    ----------
    statistic : {"max", "range"}
        T_max, the largest t of one against the mean of all, or T_R, the largest t of a pair.
    block : int, optional
        Length of the blocks; if not given the cube root of T, or three times the horizon less one
        where that is more.
    draws : int, default 1999
        Resamples.
    random_state : int, default 0
        Seed of the resamples. It is fixed, so that the same data give the same answer.
    """
    one_of("statistic", statistic, STATISTICS)
    T = losses.shape[-1]
    usual = min(max(_BLOCKS * (horizon_within(horizon, T) - 1), round(T ** (1 / 3))), T)
    length = integer("block", usual if block is None else block, low=1, high=T)
    B = integer("draws", draws, low=99, high=_MOST_DRAWS)
    resampled = _resample_block_means(losses, length, B, random_state)
    batch = losses.shape[:-2]
    k = losses.shape[-2]
    mean = losses.mean(axis=-1).reshape(-1, k)
    sets = [
        _eliminate_models(*pair, statistic)
        for pair in zip(mean, resampled.reshape(-1, k, B), strict=True)
    ]
    pvalues, order = (np.array(part).reshape(*batch, k) for part in zip(*sets, strict=True))
    return Answer(ModelConfidenceSet, pvalues=pvalues, order=order.astype(np.intp))


def _resample_block_means(losses: Floats, length: int, draws: int, seed: int) -> Floats:
    """
    Means of circular blocks put together, less the mean.

    (..., k, draws), the same blocks for all.
    """
    T = losses.shape[-1]
    rng = stream(integer("random_state", seed, low=0), "blocks")
    many, rest = divmod(T, length)
    lengths = [length] * many + [rest] * bool(rest)
    starts = np.stack([rng.integers(T, size=draws) for _ in lengths])
    centred = (losses - losses.mean(axis=-1, keepdims=True)).reshape(-1, T)
    step = max(1, _AT_ONCE // T)
    parts = [
        centred @ _resample_counts(T, starts[:, of : of + step], lengths).T
        for of in range(0, draws, step)
    ]
    moved: Floats = np.concatenate(parts, axis=-1) / T
    return moved.reshape(*losses.shape[:-1], draws)


def _resample_counts(T: int, starts: NDArray[np.int64], lengths: list[int]) -> Floats:
    """
    How often each of T times is in each resample, (draws, T).

    One product then serves all data sets.
    """
    edges = np.zeros((starts.shape[1], 2 * T + 1))
    draw = np.arange(starts.shape[1])
    for first, length in zip(starts, lengths, strict=True):
        edges[draw, first] += 1
        edges[draw, first + length] -= 1
    around = edges.cumsum(axis=1)
    return np.asarray(around[:, :T] + around[:, T:-1])


class _Step(NamedTuple):
    """Who is worst among those that are left, and how often chance makes one look so bad."""

    worst: int
    pvalue: float


def _eliminate_models(mean: Floats, resampled: Floats, statistic: str) -> tuple[Floats, Floats]:
    """MCS p-values of one data set, and the order of elimination (Hansen 2011, section 3)."""
    k = len(mean)
    if statistic == "max":
        step = _worst_of_all
    else:
        step = _worst_of_pairs
    left = np.arange(k)
    pvalues = np.ones(k)
    order = []
    largest = 0.0
    while len(left) > 1:
        found = step(mean[left], resampled[left])
        largest = max(largest, found.pvalue)
        order.append(left[found.worst])
        pvalues[order[-1]] = largest
        left = np.delete(left, found.worst)
    return pvalues, np.array([*order, left[0]])


def _worst_of_all(mean: Floats, resampled: Floats) -> _Step:
    """T_max: each against the mean of all."""
    d = mean - mean.mean()
    drawn = resampled - resampled.mean(axis=0)
    t, null = _standardise_draws(d, drawn)
    return _Step(int(np.argmax(t)), _share(null.max(axis=0), t.max()))


def _worst_of_pairs(mean: Floats, resampled: Floats) -> _Step:
    """T_R: each against each."""
    i, j = np.triu_indices(len(mean), 1)
    t, null = _standardise_draws(mean[i] - mean[j], resampled[i] - resampled[j])
    table = np.zeros((len(mean), len(mean)))
    table[i, j] = t
    table[j, i] = -t
    return _Step(
        int(np.argmax(table.max(axis=1))), _share(np.abs(null).max(axis=0), np.abs(t).max())
    )


def _standardise_draws(d: Floats, drawn: Floats) -> tuple[Floats, Floats]:
    error = np.sqrt((drawn**2).mean(axis=-1))
    safe = np.where(error > 0, error, 1.0)
    return np.where(error > 0, d / safe, 0.0), drawn / safe[:, None]


def _share(null: Floats, seen: Floats) -> float:
    return float((1 + np.count_nonzero(null >= seen)) / (1 + len(null)))
