"""
Proposals that come one after another on the same items.

The level of each, so that all together keep α.
"""

from math import comb, pi

from evenfold.core.checks import integer

# share of the level for histories without a keep; each further keep has a fifth
_BEFORE_THE_FIRST_KEEP = 0.8


def spending_weight(j: int, horizon: int | None = None) -> float:
    """
    Share of the level that the j-th proposal may spend; over all proposals they sum to 1.

    Without a horizon 6/(π²j²), which never runs out; with one 1/J for each of J proposals, 0
    beyond.

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
    """Share of the level that is left after j proposals."""
    return max(0.0, 1 - sum(spending_weight(i, horizon) for i in range(1, j + 1)))


def history_weight(before: int, keeps: int) -> float:
    """
    Share of a proposal's level where the proposer saw keep or discard of all proposals before it.

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
    Level of the j-th proposal for which the expected share of false keeps is at most ``level``.

    Reshaped LOND (Zrnic, Ramdas and Jordan 2021): γ_j·α·β_j(keeps + 1) with β_j(r) = r / (1 + 1/2 +
    … + 1/j), valid whatever the dependence of the p-values, as each is valid for its own
    hypothesis.

    Examples
    --------
    >>> round(lond_level(2, 1, 0.05, horizon=10), 6)  # 0.05 / 10 · 2 / 1.5
    0.006667
    """
    harmonic = sum(1 / i for i in range(1, j + 1))
    return level * spending_weight(j, horizon) * (keeps + 1) / harmonic
