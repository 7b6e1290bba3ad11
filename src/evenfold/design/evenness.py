"""How even a partition is: overlaps of training sets, χ² of features, and the choice of m."""

from dataclasses import replace
from math import ceil, comb, floor, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from evenfold.core.checks import integer, number, refuse, refuse_value, short_repr, size, vector
from evenfold.core.partition import Partition, require_partition

_MOST_EXAMPLES = 10**9
_MAX_CELLS = 2 * 10**8  # a table of features larger than this is refused, not swapped to disk

_MAX_COUNT = 1e15  # whole numbers are exact up to here


def random_overlap(n: int, n_train: float = 0.5) -> Any:
    """
    Return the exact distribution of the overlap of two independent random training sets.

    Parameters
    ----------
    n : int
        Number of examples.
    n_train : int or float, default 0.5
        Training set size, a count or a fraction.

    Returns
    -------
    frozen scipy distribution
        Hypergeometric: mean n1²/n, variance n1²(n−n1)²/(n²(n−1)); it has ``pmf``, ``mean``,
        ``var``.

    Examples
    --------
    >>> phi = random_overlap(400)
    >>> float(phi.mean()), round(float(phi.var()), 4)
    (100.0, 25.0627)

    References
    ----------
    R19 eq. 2.7.
    """
    from scipy.stats import hypergeom

    n1 = size("n_train", n_train, n=integer("n", n, low=2, high=_MOST_EXAMPLES))
    return hypergeom(n, n1, n1)


def random_overlap_error(n: int, n_train: float = 0.5) -> float:
    """
    Return E|φ − E φ| of random splits, which a designed partition must not reach (R19 eq. 3.2).

    Examples
    --------
    >>> round(random_overlap_error(400), 2)
    3.98
    """
    phi = random_overlap(n, n_train)
    n1 = size("n_train", n_train, n=n)
    mean = n1**2 / n
    spread = n1 * (n - n1) / (n * sqrt(n - 1))
    reach = 12 * spread + 1  # beyond twelve standard deviations nothing counts in double precision
    x = np.arange(max(phi.support()[0], floor(mean - reach)), ceil(mean + reach) + 1)
    return float(phi.pmf(x) @ np.abs(x - mean))


def ideal_overlap(n: int, n_train: float, n_splits: int) -> float:
    """
    Return φ*, the mean overlap of J training sets when all examples train equally often.

    No partition has a smaller mean overlap (R19 eqs. 2.2 and 2.18), so the largest overlap is at
    least ⌈φ*⌉; a block-regularized partition has all overlaps in {⌊φ*⌋, ⌈φ*⌉}.

    Examples
    --------
    >>> ideal_overlap(60, 40, 20)
    26.0
    """
    J = integer("n_splits", n_splits, low=2)
    integer("n", n, low=2, high=_MOST_EXAMPLES)
    low, high = divmod(J * size("n_train", n_train, n=n), n)
    total = comb(low, 2) * (n - high) + comb(low + 1, 2) * high
    return total / comb(J, 2)


def rounding_error(target: float) -> float:
    """Return the smallest worst |φ − φ*| that integers φ with mean φ* can have."""
    part = target - floor(target)
    if part == 0:
        return 0.0
    return max(part, 1 - part)


def chi_square(features: Any, train: ArrayLike, test: ArrayLike) -> float:
    """
    Return χ², how differently a split distributes the levels of the units' features.

    Parameters
    ----------
    features : array or sparse matrix, shape (units, levels)
        How often each unit (sentence, document, ...) carries each level (tag, word, ...).
    train, test : index arrays
        The units of either side.

    Returns
    -------
    float
        χ² of R19 eq. 4.5: Pearson's statistic of the table of sides by levels.

    See Also
    --------
    chi_square_ratio : χ² divided by the number of levels, which is at most 1 for a balanced split.

    Examples
    --------
    >>> chi_square([[2, 0], [0, 2], [2, 0], [0, 2]], [0, 2], [1, 3])
    8.0
    """
    return _chi_square_and_levels(features, train, test)[0]


def chi_square_ratio(features: Any, train: ArrayLike, test: ArrayLike) -> float:
    """
    Return χ²/L: χ² of a split, divided by the number of levels that occur.

    Parameters
    ----------
    features, train, test
        As in :func:`chi_square`.

    Returns
    -------
    float
        At most 1 is the usual condition for a balanced split.

    See Also
    --------
    chi_square : the statistic itself.

    Examples
    --------
    >>> chi_square_ratio([[2, 0], [0, 2], [2, 0], [0, 2]], [0, 2], [1, 3])
    4.0
    """
    chi, levels = _chi_square_and_levels(features, train, test)
    return chi / levels


def _chi_square_and_levels(features: Any, train: ArrayLike, test: ArrayLike) -> tuple[float, int]:
    table = feature_table(features)
    sides = [_side(name, index, len(table)) for name, index in (("train", train), ("test", test))]
    return float(_chi_square(table, sides[:1], sides[1:])[0]), table.shape[1]


def regular_repetitions(
    partition: Partition, features: Any, *, threshold: float = 1.0, distance: str = "pearson"
) -> NDArray[np.bool_]:
    """
    Return which repetitions meet R19's condition χ²/L ≤ c on the units' features (eq. 4.4, 4.1.4).

    R19 draws candidates and takes the first m that pass. :class:`Mx2BCV` with
    ``balance="features"`` searches instead, and reaches far smaller values.

    Parameters
    ----------
    partition : Partition
        Candidates, for example of ``Mx2BCV(31)``.
    features : array or sparse matrix, shape (units, levels)
        As in :func:`chi_square`.
    threshold : float
        The bound c; R19 advises at most 1.
    distance : "pearson", "likelihood", "freeman-tukey" or "cressie-read"
        The distance between counts and expected counts. R19 uses Pearson's χ². The others are
        twice the Kullback-Leibler divergence, four times the squared Hellinger distance, and a
        distance between them. All belong to one family and have the same scale, so a threshold
        keeps its meaning; they differ in the weight of rare levels (Cressie and Read 1984).

    Returns
    -------
    bool array
        For each repetition, whether all of its splits pass. :func:`screened` takes the first
        repetitions that do.

    Examples
    --------
    >>> import evenfold as ef
    >>> rng = np.random.default_rng(0)
    >>> words = rng.poisson(1.0, size=(100, 8))
    >>> candidates = ef.Mx2BCV(7, random_state=0).partition(100)
    >>> regular_repetitions(candidates, words, threshold=0.8).tolist()
    [False, True, False, True, False, False, True]
    """
    c = number("threshold", threshold, low=0.0)
    require_partition(partition)
    trains, tests = zip(*partition, strict=True)
    table = feature_table(features, partition.n)
    passed = _chi_square(table, trains, tests, _power(distance)) / table.shape[1] <= c
    return np.array(
        [passed[partition.repetition == r].all() for r in np.unique(partition.repetition)]
    )


def screened(
    partition: Partition,
    features: Any,
    m: int,
    *,
    threshold: float = 1.0,
    distance: str = "pearson",
) -> Partition:
    """
    Return the first m repetitions that meet R19's condition, as a partition (R19 4.1.4).

    Parameters
    ----------
    partition : Partition
        Candidates, for example of ``Mx2BCV(31)``. Every two of their halvings overlap evenly, so
        the chosen ones do too, and every method for m×2 BCV accepts them.
    features, threshold, distance
        As in :func:`regular_repetitions`.
    m : int
        Repetitions.

    Examples
    --------
    >>> import evenfold as ef
    >>> words = np.random.default_rng(0).poisson(1.0, size=(100, 8))
    >>> candidates = ef.Mx2BCV(15, random_state=0).partition(100)
    >>> three = ef.design.screened(candidates, words, 3, threshold=0.8)
    >>> len(three), three.kind  # give it to compare(..., design=three, method="bayes-f1")
    (6, 'mx2-bcv')
    """
    wanted = integer("m", m, low=1)
    passed = regular_repetitions(partition, features, threshold=threshold, distance=distance)
    chosen = np.unique(partition.repetition)[passed][:wanted]
    if len(chosen) < wanted:
        refuse(
            "threshold",
            f"threshold must be so large that {wanted} repetitions pass but only "
            f"{int(passed.sum())} of {len(passed)} do.",
            "Draw more candidates or raise the threshold.",
        )
    splits = np.flatnonzero(np.isin(partition.repetition, chosen))
    kept = partition.only(splits)
    return replace(kept, repetition=np.searchsorted(chosen, kept.repetition))


# Powers λ of Cressie and Read's family, 2/(λ(λ + 1))·Σ O((O/E)^λ − 1); 0 stands for its limit.
_POWERS = {"pearson": 1.0, "likelihood": 0.0, "freeman-tukey": -0.5, "cressie-read": 2 / 3}


def _power(distance: str) -> float:
    if distance not in _POWERS:
        refuse_value("distance", distance, f"one of {', '.join(_POWERS)}")
    return _POWERS[distance]


def _side(name: str, index: ArrayLike, n: int) -> NDArray[np.intp]:
    positions = vector(name, index)
    if (
        positions.dtype.kind not in "iu"
        or not len(positions)
        or positions.min() < 0
        or positions.max() >= n
    ):
        refuse(name, f"{name} must hold positions from 0 to {n - 1} but got {short_repr(index)}.")
    return positions.astype(np.intp)


def worst_chi_square(table: NDArray[np.float64], pairs: Any) -> float:
    """Return the largest χ²/L over (train, test) pairs."""
    trains, tests = zip(*pairs, strict=True)
    return float(_chi_square(table, trains, tests).max() / table.shape[1])


def _chi_square(
    table: NDArray[np.float64], trains: Any, tests: Any, power: float = 1.0
) -> NDArray[np.float64]:
    r = table.sum(axis=0) / table.sum()
    chi = np.zeros(len(trains))
    for side in (trains, tests):
        counts = np.stack([table[index].sum(axis=0) for index in side])
        total = counts.sum(axis=1, keepdims=True)
        chi += _divergence(counts, np.maximum(total * r, np.finfo(float).tiny), power)
    return chi


def _divergence(
    counts: NDArray[np.float64], expected: NDArray[np.float64], power: float
) -> NDArray[np.float64]:
    """Return the divergence of each row of counts from expected counts with the same sum."""
    distance: NDArray[np.float64]
    if power == 1:
        distance = ((counts - expected) ** 2 / expected).sum(axis=1)
    elif power == 0:
        distance = 2 * special.xlogy(counts, counts / expected).sum(axis=1)
    elif power == -0.5:
        distance = 4 * ((np.sqrt(counts) - np.sqrt(expected)) ** 2).sum(axis=1)
    else:
        excess = counts * ((counts / expected) ** power - 1)
        distance = 2 / (power * (power + 1)) * excess.sum(axis=1)
    return distance


def feature_table(features: Any, n: int | None = None) -> NDArray[np.float64]:
    """Return features as a dense table of counts, without the levels that never occur."""
    table = _dense(features)
    if table.ndim != 2 or (n is not None and len(table) != n):
        units = "units" if n is None else n
        refuse(
            "features",
            f"features must be a table of {units} × levels but got shape {table.shape}.",
        )
    if table.dtype.kind == "c" or not np.isfinite(table).all() or (table < 0).any():
        refuse(
            "features",
            "features must be counts ≥ 0 but got negative, complex, NaN or infinite entries.",
        )
    if (table > _MAX_COUNT).any():
        refuse(
            "features",
            f"features must be counts up to {_MAX_COUNT:g} but got {table.max():g}.",
        )
    if not table.any():
        refuse("features", "features must have counts above 0 but all are 0.")
    return table[:, table.any(axis=0)]


def _dense(features: Any) -> NDArray[Any]:
    """Return features as an array of floats, or of complex numbers if some are complex."""
    if hasattr(features, "toarray"):
        rows, levels = features.shape
        if rows * levels > _MAX_CELLS:
            refuse(
                "features",
                f"features must have at most {_MAX_CELLS:,} entries but got shape "
                f"{features.shape}.",
                "Keep the frequent levels only.",
            )
        features = features.toarray()
    try:
        table = np.asarray(features)
        if table.dtype.kind == "c":
            return table
        return table.astype(float)
    except (ValueError, TypeError, OverflowError):
        refuse(
            "features",
            "features must be a table of counts but has entries that are not numbers, or rows of "
            "unequal lengths.",
        )


def variance_drop(m: int, *, rho1: float | None = None, rho2: float | None = None) -> float:
    """
    Return the relative drop of Var μ̂ when an m×2 BCV gets one more repetition.

    Parameters
    ----------
    m : int
        Repetitions before the step.
    rho1, rho2 : float, optional
        Correlations of the two halves of one repetition and across repetitions. Give both or
        neither. Without them the drop is averaged over ρ1, ρ2 ∈ (0, ½).

    Examples
    --------
    >>> [round(variance_drop(m), 4) for m in (3, 5, 6, 16)]
    [0.0984, 0.0515, 0.0402, 0.0095]

    References
    ----------
    R19 eqs. 3.31-3.32 and table 3.5 (which is off by up to .0002).
    """
    integer("m", m, low=1, high=_MOST_EXAMPLES)
    if (rho1 is None) != (rho2 is None):
        refuse(None, f"rho1 and rho2 must be given together but got {rho1} and {rho2}.")
    if rho1 is not None and rho2 is not None:
        rhos = [number(name, rho, low=-1, high=1) for name, rho in (("rho1", rho1), ("rho2", rho2))]
        return float(_drop(m, *map(np.asarray, rhos)))
    nodes, weights = np.polynomial.legendre.leggauss(48)
    rho = (nodes + 1) / 4
    return float((weights / 2) @ _drop(m, rho[:, None], rho[None, :]) @ (weights / 2))


def _drop(m: int, rho1: NDArray[Any], rho2: NDArray[Any]) -> NDArray[Any]:
    drop: NDArray[Any] = (1 + rho1 - 2 * rho2) / (
        (m + 1) * (1 + rho1) + 2 * (m**2 - 1) * rho2
    )  # R19 eq. 3.31
    return drop


def repetitions_needed(drop: float) -> int:
    """
    Return the smallest m after which one more repetition lowers Var μ̂ by less than ``drop``.

    Examples
    --------
    >>> repetitions_needed(0.05), repetitions_needed(0.01)
    (6, 16)
    """
    if not 1e-5 <= number("drop", drop) < 1:
        refuse_value("drop", drop, "between 0.00001 and 1")
    m = 1
    while variance_drop(m) >= drop:
        m += 1
    return m
