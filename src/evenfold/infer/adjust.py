"""Several tests at once: how they share an error level."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb, isqrt, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import integer, one_of, refuse, refuse_value
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Floats
from evenfold.core.losses import Losses
from evenfold.core.registry import Registry
from evenfold.infer._arrays import finite, of_losses
from evenfold.infer._registry import Method, methods, select
from evenfold.infer.inputs import Question
from evenfold.infer.max_t import MaxT


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Adjustment:
    """
    One way in which several tests share an error level.

    Attributes
    ----------
    key, words : str
        Its key and its name in words.
    why : str
        When the chance of any false rejection is at most the level.
    rule : callable, optional
        From p-values (..., k) to adjusted ones; None if the intervals' own level decides.
    all_pairs : bool
        Whether it rests on what the equality of some algorithms says of others, so that all pairs
        are needed.
    most : int, optional
        Algorithms that it can do at most, for which ``why_most`` has the reason.
    single_step : bool
        Whether every test has the level of its interval, so that both decide alike.
    joint : bool
        Whether it uses the joint distribution of the tests where that is known.
    shares : bool
        Whether tests share the level at all.

    Notes
    -----
    Intervals hold simultaneously. Those of ``"max-t"`` allow for the correlation of the tests; with
    all others that share the level they are Bonferroni's, because there are no simultaneous
    intervals that decide as the steps do and say more than the sign (Strassburger and Bretz 2008;
    Guilbaud 2008).
    """

    key: str
    words: str
    why: str
    rule: Callable[[Floats], Floats] | None = None
    all_pairs: bool = False
    most: int | None = None
    why_most: str = ""
    single_step: bool = False
    joint: bool = False
    shares: bool = True

    def check(self, name: str, algorithms: int, *, baseline: object = None) -> None:
        """Refuse too many algorithms, and comparisons with one where all pairs are needed."""
        if self.all_pairs and baseline is not None:
            rule = f"one that needs no pairs but those with {baseline!r}"
            refuse_value(name, self.key, rule, "Use 'holm', or leave the baseline out.")
        if self.most is not None and algorithms > self.most:
            rule = f"one that can do {algorithms} algorithms"
            refuse_value(name, self.key, rule, f"{self.why_most}; use 'shaffer'.")


ADJUSTMENTS: Registry[Adjustment] = Registry("adjustment", "evenfold.adjustments")


def _add(**known: Any) -> Adjustment:
    """Register an adjustment."""
    adjustment = Adjustment(**known)
    ADJUSTMENTS.add(adjustment.key, adjustment)
    return adjustment


def step_down(p: Floats, each: Callable[[Floats], Floats]) -> Floats:
    """
    Return adjusted p-values that never fall from the smallest p-value on.

    The function ``each`` takes the sorted p-values.
    """
    return _adjust_stepwise(p, lambda q: np.maximum.accumulate(each(q), axis=-1))


def step_up(p: Floats, each: Callable[[Floats], Floats]) -> Floats:
    """Return adjusted p-values that never rise from the largest p-value on."""
    return _adjust_stepwise(
        p, lambda q: np.minimum.accumulate(each(q)[..., ::-1], axis=-1)[..., ::-1]
    )


def _adjust_stepwise(p: Floats, steps: Callable[[Floats], Floats]) -> Floats:
    order = np.argsort(p, axis=-1, kind="stable")
    stepped = steps(np.take_along_axis(p, order, axis=-1))
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(stepped, 1.0), axis=-1)
    return adjusted


# Adjustments for all pairs of algorithms, which use that equality is transitive.
#
# If A = B and B = C then A = C, so not every set of pairs can be the set of true hypotheses: only
# those can that hold all pairs inside the blocks of a partition of the algorithms (exhaustive
# sets).


_MOST = 9  # algorithms, 21 147 partitions


def algorithms_of(pairs: int) -> int:
    """Return how many algorithms have so many pairs, or refuse the number."""
    K = (1 + isqrt(1 + 8 * pairs)) // 2
    if comb(K, 2) != pairs:
        refuse(
            "pvalues",
            "pvalues must be those of all pairs of some algorithms (1, 3, 6, 10, …) but "
            f"got {pairs} of them.",
        )
    return K


@cache
def true_counts(K: int) -> frozenset[int]:
    """
    Return how many of all pairs of K algorithms may be equal: S(K) of Shaffer (1986).

    Examples
    --------
    >>> sorted(true_counts(5))
    [0, 1, 2, 3, 4, 6, 10]
    """
    if K < 2:
        return frozenset({0})
    return frozenset(comb(j, 2) + rest for j in range(1, K + 1) for rest in true_counts(K - j))


def _factors(pairs: int) -> Floats:
    """Return t_i of Shaffer's static procedure: how many can be true when i − 1 are false."""
    possible = np.array(sorted(true_counts(algorithms_of(pairs))))
    return possible[np.searchsorted(possible, np.arange(pairs, 0, -1), side="right") - 1]


def partitions(K: int) -> Iterator[tuple[int, ...]]:
    """
    Yield all ways to put K algorithms into blocks, each as the block of every algorithm.

    Examples
    --------
    >>> list(partitions(3))
    [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    """
    if K == 0:
        yield ()
        return
    for before in partitions(K - 1):
        for block in range(max(before, default=-1) + 2):
            yield (*before, block)


@cache
def _exhaustive(K: int) -> NDArray[np.bool_]:
    """Return every exhaustive set as a row of pairs, those of ``combinations(range(K), 2)``."""
    blocks = np.array(list(partitions(K)))
    first, second = np.array(list(combinations(range(K), 2))).T
    sets: NDArray[np.bool_] = blocks[:, first] == blocks[:, second]
    return np.asarray(sets[sets.any(axis=1)])


def _bergmann_hommel(p: Floats) -> Floats:
    """Return the largest |I|·min{p of I} over the exhaustive sets I that hold a pair."""
    K = algorithms_of(p.shape[-1])
    BERGMANN_HOMMEL.check("how", K)
    sets = _exhaustive(K)
    size = sets.sum(axis=1)
    adjusted = np.empty_like(p)
    for place in np.ndindex(p.shape[:-1]):
        smallest = np.where(sets, p[place], np.inf).min(axis=1)
        adjusted[place] = np.where(sets, (size * smallest)[:, None], 0.0).max(axis=0)
    return np.minimum(adjusted, 1.0)


_ALL_PAIRS = (
    "whatever the dependence of the tests, where all pairs are compared; never worse than Holm's"
)
_add(
    key="shaffer",
    words="Shaffer's adjustment",
    why=_ALL_PAIRS,
    rule=lambda p: step_down(p, lambda q: q * _factors(q.shape[-1])),
    all_pairs=True,
)
BERGMANN_HOMMEL = _add(
    key="bergmann-hommel",
    words="Bergmann and Hommel's adjustment",
    why=_ALL_PAIRS,
    rule=_bergmann_hommel,
    all_pairs=True,
    most=_MOST,
    why_most=f"it goes through all partitions of them, 21147 for {_MOST} and 115975 for "
    f"{_MOST + 1}",
)


# Adjustments that use the order of the p-values only.


_ALWAYS = "whatever the dependence of the tests"
_POSITIVE = (
    "if the p-values are independent or positively dependent; with negative dependence, as "
    "differences of several algorithms may have, it is liberal at worst by a small amount"
)


def _remaining_tests(p: Floats) -> Floats:
    """Return how many tests are left at each step: k, k − 1, …, 1."""
    return np.arange(p.shape[-1], 0, -1, dtype=float)


def _step_ratios(p: Floats) -> Floats:
    """Return k/i, Finner's exponents and Benjamini and Hochberg's factors."""
    k = p.shape[-1]
    return np.asarray(k / np.arange(1, k + 1))


def _finner(p: Floats) -> Floats:
    # 1 − (1 − p)^(k/i), without loss of digits where p is small
    with np.errstate(divide="ignore"):
        return step_down(p, lambda q: -np.expm1(_step_ratios(q) * np.log1p(-q)))


def _hommel(q: Floats) -> Floats:
    """
    Return Hommel's adjusted p-values of sorted ones, which may exceed 1.

    They close Simes' test over all intersections. Wright's algorithm (1992) computes, for every
    size s, the smallest Simes p-value of an intersection of that size that holds p_i.
    """
    k = q.shape[-1]
    rank = np.arange(1, k + 1)
    adjusted = np.broadcast_to((k * q / rank).min(axis=-1, keepdims=True), q.shape).copy()
    floor = adjusted.copy()
    for s in range(k - 1, 1, -1):
        first = k - s + 1  # how many tests are not among the s − 1 largest
        among = (s * q[..., first:] / np.arange(2, s + 1)).min(axis=-1, keepdims=True)
        floor[..., :first] = np.minimum(s * q[..., :first], among)
        floor[..., first:] = floor[..., first - 1 : first]
        adjusted = np.maximum(adjusted, floor)
    return np.asarray(np.maximum(adjusted, q))


_add(
    key="holm",
    words="Holm's adjustment",
    why=_ALWAYS,
    rule=lambda p: step_down(p, lambda q: q * _remaining_tests(q)),
)
BONFERRONI = _add(
    key="bonferroni",
    words="Bonferroni's adjustment",
    why=_ALWAYS,
    rule=lambda p: np.minimum(p * p.shape[-1], 1.0),
    single_step=True,
)
_add(
    key="hochberg",
    words="Hochberg's adjustment",
    why=_POSITIVE,
    rule=lambda p: step_up(p, lambda q: q * _remaining_tests(q)),
)
_add(
    key="hommel",
    words="Hommel's adjustment",
    why=_POSITIVE,
    rule=lambda p: _adjust_stepwise(p, _hommel),
)
_add(key="finner", words="Finner's adjustment", why=_POSITIVE, rule=_finner)
UNADJUSTED = _add(
    key="none",
    words="no adjustment",
    why="for each test by itself, not for the family",
    rule=np.copy,
    single_step=True,
    shares=False,
)


_add(
    key="benjamini-hochberg",
    words="Benjamini and Hochberg's false discovery rate",
    why="the expected share of false rejections is at most the level if the p-values are "
    "independent or positively dependent",
    rule=lambda p: step_up(p, lambda q: q * _step_ratios(q)),
)
_add(
    key="benjamini-yekutieli",
    words="Benjamini and Yekutieli's false discovery rate",
    why="the expected share of false rejections is at most the level whatever the dependence of "
    "the tests",
    # the ratios k, k/2, …, 1 add up to k times 1 + 1/2 + … + 1/k, which allows for any dependence
    rule=lambda p: step_up(p, lambda q: q * _step_ratios(q) * _step_ratios(q).mean()),
)


def jointly(
    losses: Losses,
    method: str,
    pairs: Sequence[tuple[str | None, str]],
    *,
    alternative: str = "two-sided",
) -> MaxT:
    """
    Return the joint law of the tests of several pairs on the same splits.

    Parameters
    ----------
    losses : Losses
        One measure of every algorithm on every split.
    method : str
        A key of :func:`methods` whose statistic is a mean over the spread of all its values.
    pairs : sequence of (baseline, challenger)
        The questions; no baseline where an algorithm is estimated alone.
    alternative : {"two-sided", "greater", "less"}
        The side of a discovery, about B − A in the measure's own units.

    Raises
    ------
    NotApplicable
        If the method is not of that kind, or a fit failed.

    Examples
    --------
    >>> import evenfold as ef
    >>> from evenfold.run.sample import sample
    >>> losses = sample(ef.Mx2BCV(3, random_state=0).partition(150))
    >>> joint = ef.infer.jointly(losses, "mx2-t", [("a", "b"), ("a", "c")])
    >>> joint.k, 0.025 < joint.per_test(0.05) < 0.05
    (2, True)
    """
    entry = select(method, design=of_losses(losses).partition.kind)
    if not entry.joint:
        kind = losses.partition.kind
        fitting = " or ".join(
            repr(other.key) for other in methods().values() if other.joint and other.fits(kind)
        )
        if fitting:
            remedy = f"Use the method {fitting}, or adjust='bonferroni'."
        else:
            remedy = "Use adjust='bonferroni'."
        raise NotApplicable(
            f"The statistics of method {method!r} on several pairs have no known joint "
            f"distribution, which max-t needs. {remedy}"
        )
    return joint_law(losses, entry, _check_pairs(pairs), alternative)


def joint_law(
    losses: Losses, entry: Method, pairs: Sequence[tuple[str | None, str]], alternative: str
) -> MaxT:
    """Return the joint law of the tests, by the values whose mean each statistic is about."""
    questions = [Question.of(losses, b, a, entry.key) for a, b in pairs]
    return MaxT(
        values=[entry.takes.jointly(question) for question in questions],
        df=np.inf if entry.joint == "normal" else None,
        alternative=alternative,
    )


def _check_pairs(pairs: object) -> list[tuple[str | None, str]]:
    questions = [
        pair
        for pair in (pairs if isinstance(pairs, (list, tuple)) else [])
        if isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[1], (str, int))
    ]
    if not questions or len(questions) != len(pairs):  # type: ignore[arg-type]  # a sequence: it has questions
        refuse_value("pairs", pairs, "a list of pairs (baseline, challenger)")
    return [(pair[0], pair[1]) for pair in questions]


_add(
    key="max-t",
    words="the joint distribution of the tests",
    why="where the correlations of the tests are those that were seen; else as Bonferroni's",
    single_step=True,
    joint=True,
)


def adjustment(pvalues: Any, how: str = "holm") -> Floats:
    """
    Adjust p-values for their number, so that each may be compared with the family's level.

    Parameters
    ----------
    pvalues : array of shape (..., k)
        One p-value per test. For ``"shaffer"`` and ``"bergmann-hommel"`` those of all pairs of
        algorithms, in the order (1, 2), (1, 3), …, (2, 3), ….
    how : {"holm", "bonferroni", "hochberg", "hommel", "finner", "shaffer", "bergmann-hommel", …}
        Holm's steps are never larger than Bonferroni's factor k, Hochberg's never larger than
        Holm's, Hommel's never larger than Hochberg's. Shaffer's are never larger than Holm's, and
        Bergmann and Hommel's never larger than Shaffer's; the last is for nine algorithms at most.
        ``"none"`` leaves them as they are. ``"benjamini-hochberg"`` and ``"benjamini-yekutieli"``
        bound the expected share of false rejections among all, not the chance of any. ``"max-t"``
        needs the data, not only p-values: see :func:`evenfold.infer.jointly`.

    Returns
    -------
    array of shape (..., k)

    Notes
    -----
    *Validity.* The chance of any false rejection is at most the level, if each p-value keeps its
    own: for Bonferroni, Holm, Shaffer and Bergmann–Hommel whatever the dependence of the tests, for
    Hochberg, Hommel (Simes' test, closed) and Finner if they are independent or positively
    dependent (else liberal, if by little). Benjamini and Hochberg's rate holds for independent or
    positively dependent p-values, that of Benjamini and Yekutieli for any.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6; Hochberg (1988), Biometrika 75; Hommel
    (1988), Biometrika 75; Wright (1992), Biometrics 48; Finner (1993), JASA 88; Shaffer (1986),
    JASA 81; Bergmann and Hommel (1988), Multiple Hypotheses Testing; García and Herrera (2008),
    JMLR 9; Benjamini and Hochberg (1995), JRSS B 57; Benjamini and Yekutieli (2001), Annals of
    Statistics 29, and (2005), JASA 100.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.adjustment([0.01, 0.04, 0.03], "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> ef.infer.adjustment([0.01, 0.04, 0.03], "shaffer").round(3).tolist()
    [0.03, 0.04, 0.03]
    """
    p = finite("pvalues", pvalues)
    if p.ndim < 1 or not p.size or p.min() < 0 or p.max() > 1:
        refuse_value("pvalues", pvalues, "one or more numbers from 0 to 1")
    rules = {key: entry.rule for key, entry in ADJUSTMENTS.items() if entry.rule is not None}
    return rules[one_of("how", how, rules)](p)


# Several proposals come one after another on the same items. These are the levels of each that
# keep α for all of them together.

# share of the level of histories without a keep; each further keep multiplies it by a fifth
_BEFORE_THE_FIRST_KEEP = 0.8


def spending_weight(j: int, horizon: int | None = None) -> float:
    """
    Return the share of the level that the j-th proposal may spend; all shares sum to 1.

    Without a horizon it is 6/(π²j²), which never runs out. With a horizon J it is 1/J for each of J
    proposals, and 0 beyond.

    Examples
    --------
    >>> round(spending_weight(1), 4), spending_weight(7, horizon=200)
    (0.6079, 0.005)
    """
    integer("j", j, low=1)
    if horizon is None:
        return 6 / (pi * j) ** 2
    if j <= horizon:
        return 1 / horizon
    return 0.0


def remaining_weight(j: int, horizon: int | None = None) -> float:
    """Return the share of the level that is left after j proposals."""
    return max(0.0, 1 - sum(spending_weight(i, horizon) for i in range(1, j + 1)))


def history_weight(before: int, keeps: int) -> float:
    """
    Return the share of a proposal's level if its proposer saw all decisions before it.

    What is proposed next is then one of finitely many fixed proposals, one for each history of
    decisions. The histories with k keeps among ``before`` proposals are C(before, k); they share
    4/5·(1/5)^k of the level evenly, so that all histories together spend no more than all of it (a
    union bound over the tree).

    Examples
    --------
    >>> history_weight(20, 0), round(history_weight(20, 1), 4)
    (0.8, 0.008)
    """
    share = _BEFORE_THE_FIRST_KEEP * (1 - _BEFORE_THE_FIRST_KEEP) ** keeps
    return share / comb(before, keeps)


def lond_level(j: int, keeps: int, level: float, horizon: int | None = None) -> float:
    """
    Return the level of the j-th proposal that bounds the expected share of false keeps.

    This is reshaped LOND (Zrnic, Ramdas and Jordan 2021): γ_j·α·β_j(keeps + 1) with β_j(r) = r / (1
    + 1/2 + … + 1/j). The expected share is at most ``level`` whatever the dependence of the
    p-values, as each is valid for its hypothesis.

    Examples
    --------
    >>> round(lond_level(2, 1, 0.05, horizon=10), 6)  # 0.05 / 10 · 2 / 1.5
    0.006667
    """
    harmonic = sum(1 / i for i in range(1, j + 1))
    return level * spending_weight(j, horizon) * (keeps + 1) / harmonic
