"""
Times and other positive measurements of two versions: the ratio of their geometric means.

Times are positive and skewed, and what changes them multiplies them. Their logarithms are close to
symmetric, so that the t-tests of this package hold there: the paired test where each run of the
candidate belongs to a run of the baseline, Welch's test where the runs are separate.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np

from evenfold.core.change import Change
from evenfold.core.checks import flag, fraction, number, refuse, refuse_value, short_repr
from evenfold.core.estimate import Floats, PivotEstimate
from evenfold.core.sharing import SharedLevel
from evenfold.infer._arrays import finite, refuse_shape
from evenfold.infer.max_t import MaxT
from evenfold.infer.one_test_set.unpaired import welch_t
from evenfold.infer.tables.tests import paired_t

FEWEST_RUNS = 3  # of each side: with fewer, their spread is unknown for all practical purposes
FEWEST_JOINT_PAIRS = 6  # with fewer, the correlations of the benchmarks are too uncertain to use


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class GeometricMeanRatio:
    """
    The ratio of the geometric means of B and of A, with its confidence interval.

    Attributes
    ----------
    value, low, high : float
        The ratio and its interval: 1.12 means that B takes 1.12 times as long as A.
    pvalue, adjusted_pvalue : float
        The two-sided p-value of "the ratio is 1", by itself and in its family. The adjusted
        p-value is at most the level of the family exactly where the interval excludes 1.
    level : float
        One minus the confidence of the interval by itself.
    paired : bool
        Whether each run of B belongs to a run of A.
    runs_a, runs_b : int
        How many runs there are of each.
    estimate : PivotEstimate
        The difference of the means of the logarithms, with its test.

    Examples
    --------
    See :func:`geometric_mean_ratio`.
    """

    value: float
    low: float
    high: float
    pvalue: float
    adjusted_pvalue: float
    level: float
    paired: bool
    runs_a: int
    runs_b: int
    estimate: PivotEstimate

    @property
    def log(self) -> float:
        """Return the logarithm of the ratio."""
        return float(self.estimate.value)

    @property
    def has_spread(self) -> bool:
        """Whether the runs differ at all; where they do not, no interval can be trusted."""
        return bool(self.estimate.standard_error > 0)

    def change(self, limit: float = 0.0) -> Change:
        """
        Return whether the measurement improved, got worse, or stayed the same.

        An absolute log ratio up to ``limit`` does not matter. The whole interval must lie beyond
        the limit for a regression or an improvement, and within it for no change.
        """
        limit = number("limit", limit, low=0.0)
        low, high = self.estimate.confidence_interval(1 - self.level)
        if low > limit:
            return Change.REGRESSION
        if high < -limit:
            return Change.IMPROVEMENT
        if -limit < low and high < limit:
            return Change.UNCHANGED
        return Change.UNDECIDED


def geometric_means(values: Any, blocks: Sequence[Hashable] | None = None) -> Floats:
    """
    Return the geometric mean of each block of repetitions, in the order of the blocks.

    Repetitions inside one process have more in common than processes do, so that only blocks count
    as runs.

    Parameters
    ----------
    values : array of shape (n,)
        Positive times or costs.
    blocks : sequence of n names, optional
        The process, or the interleaved block, of each value. By default each is a block.

    Returns
    -------
    array
        One value per block.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.geometric_means([1.0, 4.0, 3.0, 3.0], ["first", "first", "second", "second"])
    array([2., 3.])
    """
    logs = _logs("values", values)
    if blocks is None:
        return np.exp(logs)
    rule = f"blocks must have one name for each of the {len(logs)} values"
    try:
        names = list(blocks)
        places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    except TypeError:  # not a sequence, or entries that cannot be names
        refuse("blocks", f"{rule} but got {short_repr(blocks)}.")
    if len(names) != len(logs):
        refuse("blocks", f"{rule} but got {len(names)}.")
    codes = np.array([places[name] for name in names])
    return np.exp(np.bincount(codes, weights=logs) / np.bincount(codes))


def geometric_mean_ratio(
    a: Any, b: Any, *, paired: bool = False, level: float = 0.05
) -> GeometricMeanRatio:
    """
    Estimate how many times as long B takes as A: the ratio of their geometric means.

    Parameters
    ----------
    a, b : arrays of shape (n_A,) and (n_B,)
        Positive times or costs, one per run: see :func:`geometric_means` for repetitions inside a
        process. At least three of each.
    paired : bool, default False
        Whether the k-th runs of A and of B belong together, as they do where A and B are run in
        turns.
    level : float, default 0.05
        One minus the confidence of the interval.

    Returns
    -------
    GeometricMeanRatio

    Notes
    -----
    *Formula.* :func:`paired_t` of log b − log a where the runs are paired, else :func:`welch_t` of
    the logarithms; value and interval are exponentials of those.

    *Validity.* The logarithms of the runs must be close to Gaussian and the runs independent of one
    another. Where all runs of A come before all runs of B, a drift of the machine is part of the
    ratio, and no test can tell them apart.

    References
    ----------
    Kalibera, T., Jones, R. (2013). Rigorous benchmarking in reasonable time. ISMM 2013, for the
    levels of repetition.

    Examples
    --------
    >>> import evenfold as ef
    >>> ratio = ef.infer.geometric_mean_ratio([1.00, 1.02, 0.99, 1.01], [1.11, 1.14, 1.12, 1.13])
    >>> [round(x, 3) for x in (ratio.value, ratio.low, ratio.high)]
    [1.119, 1.096, 1.143]
    """
    return geometric_mean_ratios({"b": a}, {"b": b}, paired=paired, level=level)["b"]


def geometric_mean_ratios(
    a: Mapping[str, Any], b: Mapping[str, Any], *, paired: bool = False, level: float = 0.05
) -> dict[str, GeometricMeanRatio]:
    """
    Estimate the ratios of several benchmarks, whose intervals hold together.

    Parameters
    ----------
    a, b : mappings of str to array
        The runs of each benchmark, as for :func:`geometric_mean_ratio`.
    paired : bool, default False
        Whether the k-th runs of A and of B belong together, in every benchmark.
    level : float, default 0.05
        The probability that any of the intervals misses its ratio.

    Returns
    -------
    dict of str to GeometricMeanRatio
        In the order of the names of ``a``.

    Notes
    -----
    *Validity.* Where at least six pairs of runs are the same in all benchmarks, the level of each
    follows from the correlations of the benchmarks over the pairs (:class:`MaxT`). Otherwise each
    has an equal share of the level (Bonferroni).

    Examples
    --------
    >>> import evenfold as ef
    >>> base = {"parse": [1.00, 1.02, 0.99, 1.01], "print": [2.0, 2.1, 1.9, 2.0]}
    >>> head = {"parse": [1.11, 1.14, 1.12, 1.13], "print": [2.1, 1.9, 2.0, 2.0]}
    >>> ratios = ef.infer.geometric_mean_ratios(base, head)
    >>> {name: str(ratio.change()) for name, ratio in ratios.items()}
    {'parse': 'regression', 'print': 'undecided'}
    """
    level = fraction("level", level)
    for name, runs in (("a", a), ("b", b)):
        if not isinstance(runs, Mapping):
            refuse_value(name, runs, "a mapping of names to runs")
    if not a or set(a) != set(b):
        refuse(
            "b",
            "b must have the same benchmarks as a, at least one, but got "
            f"{', '.join(map(str, b)) or 'none'}.",
        )
    logs = {name: _runs(name, a[name], b[name], flag("paired", paired)) for name in a}
    shared = _shared_level(list(logs.values()), paired=paired)
    return {
        name: _ratio(logs_a, logs_b, paired=paired, level=level, shared=shared)
        for name, (logs_a, logs_b) in logs.items()
    }


def _logs(name: str, values: Any) -> Floats:
    array = finite(name, values)
    if array.ndim != 1 or not array.size:
        refuse_shape(name, array.shape, "a list of positive numbers")
    if array.min() <= 0:
        refuse_value(
            name, float(array.min()), "positive", "A time or cost of 0 or below is no measurement."
        )
    return np.log(array)


def _runs(name: str, a: Any, b: Any, paired: bool) -> tuple[Floats, Floats]:
    """Return the logarithms of the runs of a benchmark, or refuse too few of them."""
    logs = _logs(f"the times of {name!r}", a), _logs(f"the times of {name!r}", b)
    sizes = [len(side) for side in logs]
    if min(sizes) < FEWEST_RUNS:
        refuse(
            None,
            f"The times of {name!r} must be of at least {FEWEST_RUNS} runs of each version, but "
            f"there are {sizes[0]} and {sizes[1]} runs.",
            "Measure each version in more processes; repetitions inside one count as one run.",
        )
    if paired and sizes[0] != sizes[1]:
        refuse(
            None,
            f"Paired times of {name!r} must be of as many runs of one version as of the other, "
            f"but there are {sizes[0]} and {sizes[1]} runs.",
        )
    return logs


def _shared_level(logs: Sequence[tuple[Floats, Floats]], *, paired: bool) -> SharedLevel:
    """Return how the benchmarks share the level: by their correlations if these are known well."""
    pairs = {len(a) for a, _ in logs}
    if len(logs) > 1 and paired and len(pairs) == 1 and min(pairs) >= FEWEST_JOINT_PAIRS:
        return MaxT(values=np.array([b - a for a, b in logs])).shared
    return SharedLevel(count=len(logs))


def _ratio(
    a: Floats, b: Floats, *, paired: bool, level: float, shared: SharedLevel
) -> GeometricMeanRatio:
    estimate = paired_t(b - a) if paired else welch_t(a, b)
    per_test = shared.per_test(level)
    low, high = (float(end) for end in estimate.confidence_interval(1 - per_test))
    pvalue = float(estimate.pvalue)
    return GeometricMeanRatio(
        value=_exp(float(estimate.value)),
        low=_exp(low),
        high=_exp(high),
        pvalue=pvalue,
        adjusted_pvalue=shared.overall(pvalue),
        level=per_test,
        paired=paired,
        runs_a=len(a),
        runs_b=len(b),
        estimate=estimate,
    )


_LARGEST_LOG = log(np.finfo(float).max)


def _exp(x: float) -> float:
    """Return the exponential, or infinity where it is larger than any float."""
    return exp(x) if x < _LARGEST_LOG else float("inf")


# The noise floor: how much measurements of the same version differ.


FEWEST_AA_RUNS = 19  # a further run without a change exceeds the largest of 19 in 1 of 20


def noise_floor(log_ratios: Any) -> float:
    """
    Return the largest absolute log ratio of measurements of one version against itself.

    Parameters
    ----------
    log_ratios : array of shape (n,)
        The log ratios of n ≥ 19 comparisons of the baseline with itself.

    Returns
    -------
    float

    Notes
    -----
    *Validity.* If a further comparison without a change is like the n others, its absolute log
    ratio is above the floor with a probability of 1/(n + 1), whatever its distribution: all n + 1
    are equally likely to be the largest. That holds for each benchmark by itself.

    Examples
    --------
    >>> import evenfold as ef
    >>> import numpy as np
    >>> round(ef.infer.noise_floor(np.linspace(-0.02, 0.03, 19)), 3)
    0.03
    """
    array = finite("log_ratios", log_ratios)
    if array.ndim != 1 or len(array) < FEWEST_AA_RUNS:
        rule = f"of at least {FEWEST_AA_RUNS} runs of the baseline against itself"
        refuse_value("log_ratios", array.size, rule)
    return float(np.abs(array).max())
