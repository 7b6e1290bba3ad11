"""Which figures an answer is worth; each is a value that a test can check, and draws itself."""

from typing import Any

from evenfold.core.facts.comparison import Facts, Pair
from evenfold.report.figures._base import Info
from evenfold.report.figures.many import (
    AlongInfo,
    ForestInfo,
    GroupsInfo,
    LearningInfo,
    MatrixInfo,
    SizesInfo,
    pair_label,
)
from evenfold.report.figures.pair import DifferencesInfo, PathInfo, PosteriorInfo

_PAIRS_IN_DETAIL = 6
_PAIRS_IN_A_FOREST = 30  # more are read in a square


def infos(facts: Facts) -> tuple[Info, ...]:
    """
    Return what is worth drawing for an answer, the most telling first.

    Best to worst, all pairs and learning curves where there are several, else path, posteriors,
    what training sizes do, and differences.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> [type(info).__name__ for info in infos(sample())]
    ['PathInfo', 'DifferencesInfo']
    """
    if len(facts.pairs) > 1:
        if len(facts.pairs) > _PAIRS_IN_A_FOREST:
            square = MatrixInfo.of(facts)
        else:
            square = None
        several = (GroupsInfo.of(facts), square or ForestInfo.of(facts), LearningInfo.of(facts))
        return tuple(info for info in several if info is not None)
    return tuple(info for pair in facts.pairs for info in pair_infos(facts, pair))


def pair_infos(facts: Facts, pair: Pair) -> tuple[Info, ...]:
    """Return what is worth drawing for one pair."""
    kinds: tuple[Any, ...] = (
        PathInfo,
        PosteriorInfo,
        SizesInfo,
        LearningInfo,
        AlongInfo,
        DifferencesInfo,
    )
    found = (kind.of(facts, pair) for kind in kinds)
    return tuple(info for info in found if info is not None)


def infos_of_pairs(facts: Facts) -> tuple[tuple[str, tuple[Info, ...]], ...]:
    """Return name and infos of each pair, where pairs are few enough to look at each."""
    if not 1 < len(facts.pairs) <= _PAIRS_IN_DETAIL:
        return ()
    return tuple((pair_label(pair), pair_infos(facts, pair)) for pair in facts.pairs)
