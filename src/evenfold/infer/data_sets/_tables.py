"""The tables of tests over several data sets: one value per data set, never splits."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np

from evenfold.core.checks import flag, integer, one_of, refuse, refuse_value
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Floats
from evenfold.core.losses import Losses
from evenfold.core.registry import Registry
from evenfold.infer._arrays import finite, refuse_shape
from evenfold.infer._registry import ErrorBehaviour
from evenfold.infer.adjust import ADJUSTMENTS, adjustment

Pairs = tuple[tuple[int, int], ...]


def table(
    name: str, values: Any, *, algorithms: int = 2, data_sets: int = 2, holes: bool = False
) -> Floats:
    """
    Return ``values`` as (data sets, algorithms), or refuse it.

    Splits are refused with the reason.
    """
    read = _mask_missing if holes else finite
    array = _of_data_sets(name, values, read, axes=2)
    if array.ndim != 2 or array.shape[0] < data_sets or array.shape[1] < algorithms:
        refuse_shape(
            name, array.shape, f"of shape (data sets ≥ {data_sets}, algorithms ≥ {algorithms})"
        )
    if np.isnan(array).all():
        refuse(name, f"{name} must hold at least one value, but all of them are missing.")
    return array


def column(name: str, values: Any, *, data_sets: int = 2) -> Floats:
    """
    Return ``values`` as one number per data set, or refuse it.

    Splits are refused with the reason.
    """
    array = _of_data_sets(name, values, finite, axes=1)
    if array.ndim != 1 or len(array) < data_sets:
        refuse(
            name,
            f"{name} must have one value per data set, for at least {data_sets} data sets, but got "
            f"shape {array.shape}.",
        )
    return array


def positive_variances(variance: Floats) -> Floats:
    """
    Return variances in which 0, of a data set without spread, is the smallest of the others.

    Two algorithms that agree on all examples of an easy data set do not differ by exactly 0 on such
    data: with no variance that data set would outweigh all others.
    """
    some = variance > 0
    if some.any():
        return np.where(some, variance, variance[some].min())
    return variance


def _mask_missing(name: str, values: Any) -> Floats:
    """
    Return ``values`` with NaN where there is none.

    Infinities, masks and what is no number are refused.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        return finite(name, values)  # which says what is wrong
    if array.dtype.kind != "f" or isinstance(values, np.ma.MaskedArray):
        return finite(name, values)
    missing = np.isnan(array)
    return np.where(missing, np.nan, finite(name, np.where(missing, 0.0, array)))


def _of_data_sets(
    name: str, values: Any, read: Callable[[str, Any], Floats], *, axes: int
) -> Floats:
    """Read values of so many axes; refuse one more, which are the splits of one data set."""
    if not isinstance(values, Losses) and not hasattr(values, "losses"):
        array = read(name, values)
        if array.ndim != axes + 1:
            return array
    raise NotApplicable(
        f"{name} must have one value per data set but got the splits of one data set. Splits share "
        "examples: a test that took them for independent blocks found a difference between equal "
        "algorithms 62% of the time at level 5%. Use ef.compare on one data set, or ef.across on "
        "several."
    )


_DEFAULT_ADJUSTMENT = "holm"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class RankPairs:
    """
    Pairs of algorithms over several data sets.

    Attributes
    ----------
    method : str
        The test and its adjustment, such as ``"wilcoxon-holm"``; ``"nemenyi"`` allows for all pairs
        itself.
    pairs : tuple of (int, int)
        Positions of A and B.
    difference : array
        Mean rank of B less that of A (negative: B ranks better); for tests of signs and signed
        ranks the median difference B − A in the measure's own units.
    gain : array
        The statistic of the test, above 0 where it is B that does better.
    pvalue, adjusted : arrays
        Two-sided p-values, and the same adjusted for the number of pairs.
    """

    method: str
    pairs: Pairs
    difference: Floats
    gain: Floats
    pvalue: Floats
    adjusted: Floats


class PairTestResult(NamedTuple):
    """
    The result of a test of pairs.

    The fields are those of :class:`RankPairs`; ``adjusted`` is None unless the test adjusts by
    itself.
    """

    difference: Floats
    gain: Floats
    pvalue: Floats
    adjusted: Floats | None = None


class DataSetTable(NamedTuple):
    """Values (data sets, algorithms) with NaN for missing ones, and whether small ones are good."""

    values: Floats
    lower_is_better: bool


Compare = Callable[[DataSetTable, Pairs], PairTestResult]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class PairTest(ErrorBehaviour):
    """
    A test of pairs of algorithms over data sets, with how it errs.

    Attributes
    ----------
    key, words, source : str
        Its key, its name in words, and where it comes from.
    compare : callable
        From a table and pairs to a :class:`PairTestResult`.
    adjusts : bool
        Whether the p-values must be adjusted. A test that allows for all pairs itself needs no
        adjustment.
    holes : bool
        Whether algorithms may be missing on some data sets. Each pair is then compared on the data
        sets on which both were run.
    """

    key: str
    words: str
    source: str
    compare: Compare
    adjusts: bool = True
    holes: bool = False
    why_no_card: ClassVar[str] = "cards are about one data set; its error is on the page about many"


PAIR_TESTS: Registry[PairTest] = Registry("test", "evenfold.pair_tests")


def pair_test(words: str, **known: Any) -> Callable[[Compare], Compare]:
    """Register a test of pairs under the name of its function."""

    def add(compare: Compare) -> Compare:
        key = compare.__name__.strip("_")
        PAIR_TESTS.add(key, PairTest(key=key, words=words, compare=compare, **known))
        return compare

    return add


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class AdjustedPairTest:
    """A test of pairs with its adjustment; ``str`` gives the way in which it is written."""

    entry: PairTest
    adjust: str

    @property
    def words(self) -> str:
        """Return its name in words."""
        if not self.entry.adjusts:
            return self.entry.words
        return f"{self.entry.words} with {ADJUSTMENTS[self.adjust].words}"

    def __str__(self) -> str:
        if self.entry.adjusts:
            return f"{self.entry.key}-{self.adjust}"
        return self.entry.key

    def check(self, algorithms: int, baseline: Any = None) -> None:
        """Refuse a baseline where all pairs are needed, and too many algorithms."""
        if not self.entry.adjusts and baseline is not None:
            refuse_value(
                "baseline",
                baseline,
                f"None with {self.entry.key!r}, which is about all pairs,",
                "Use the test 'friedman-holm'.",
            )
        ADJUSTMENTS[self.adjust].check("adjust", algorithms, baseline=baseline)


def parse_test_spelling(test: object, adjust: object = None) -> AdjustedPairTest:
    """
    Read ``"wilcoxon"``, or ``"wilcoxon-holm"`` with the adjustment behind the test.

    Examples
    --------
    >>> (
    ...     str(parse_test_spelling("wilcoxon")),
    ...     str(parse_test_spelling("conover-shaffer")),
    ...     str(parse_test_spelling("sign", "finner")),
    ... )
    ('wilcoxon-holm', 'conover-shaffer', 'sign-finner')
    """
    known = [key for key, entry in ADJUSTMENTS.items() if not entry.joint]
    adjusting = [key for key, entry in PAIR_TESTS.items() if entry.adjusts]
    both = {f"{key}-{how}": (key, how) for key in adjusting for how in known}
    key, behind = both[test] if isinstance(test, str) and test in both else (test, None)
    key = one_of("test", key, PAIR_TESTS)
    if adjust is not None and behind not in (None, one_of("adjust", adjust, known)):
        refuse_value("adjust", adjust, f"left out, or be {behind!r} as the test says,")
    if adjust is not None and not PAIR_TESTS[key].adjusts:
        refuse_value("adjust", adjust, f"left out with {key!r}, which allows for all pairs itself,")
    return AdjustedPairTest(
        entry=PAIR_TESTS[key], adjust=str(behind or adjust or _DEFAULT_ADJUSTMENT)
    )


def rank_pairs(
    values: Any,
    test: str = "wilcoxon",
    *,
    adjust: str | None = None,
    baseline: int | None = None,
    lower_is_better: bool = True,
) -> RankPairs:
    """
    Compare algorithms pair by pair over data sets, against a baseline or all pairs.

    Parameters
    ----------
    values : array (data sets, algorithms)
        One value per data set and algorithm; NaN, for ``"wilcoxon"`` and ``"sign"``, where an
        algorithm was not run: each pair is then compared on the data sets that both have.
    test : {"wilcoxon", "sign", "friedman", "nemenyi", "conover", "quade", "aligned"}
        The adjustment may follow the name: ``"wilcoxon-shaffer"``.
    adjust : str, optional
        As in :func:`adjustment`, ``"holm"`` by default.
    baseline : int, optional
        Position of the algorithm that all others are compared with; all pairs if not given.
    lower_is_better : bool, default True
        Whether small values are good.

    Returns
    -------
    RankPairs

    Notes
    -----
    *Validity.* ``"wilcoxon"`` and ``"sign"`` are exact, and what they say of two algorithms does
    not depend on the others. Of the others, Conover's is liberal (if a third algorithm is
    clearly worse, it errs .24 about two that are alike, with eight data sets at .05), Quade's less
    so (.08), and Friedman's, Nemenyi's and aligned ranks conservative there. The page about many
    data sets has all measured errors.

    References
    ----------
    Demšar (2006), JMLR 7; García, Fernández, Luengo, Herrera (2010), Information Sciences 180;
    Conover (1999), Practical Nonparametric Statistics, section 5.8; Quade (1979), JASA 74; Hodges
    and Lehmann (1962), Annals of Mathematical Statistics 33.

    Examples
    --------
    >>> import evenfold as ef
    >>> values = [[0.10, 0.12, 0.20], [0.31, 0.30, 0.40], [0.05, 0.06, 0.09], [0.2, 0.21, 0.3]]
    >>> ef.infer.rank_pairs(values, "conover-shaffer").adjusted.round(4).tolist()
    [0.207, 0.0077, 0.0123]
    """
    requested = parse_test_spelling(test, adjust)
    lower = flag("lower_is_better", lower_is_better)
    array = table("values", values, holes=requested.entry.holes)
    requested.check(array.shape[1], baseline)
    pairs = pairs_of(array.shape[1], baseline)
    result = requested.entry.compare(DataSetTable(array, lower), pairs)._asdict()
    if result["adjusted"] is None:
        result["adjusted"] = adjustment(result["pvalue"], requested.adjust)
    return RankPairs(method=str(requested), pairs=pairs, **result)


def pairs_of(K: int, baseline: int | None) -> Pairs:
    """Return all pairs of K algorithms, or those with the baseline, which comes first."""
    if baseline is None:
        return tuple(combinations(range(K), 2))
    chosen = integer("baseline", baseline, low=0, high=K - 1)
    return tuple((chosen, b) for b in range(K) if b != chosen)
