"""The figures of an answer. Each is a value that a test can check, and that draws itself."""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.answers import Pair
from evenfold.core.facts.comparison import Facts, require_facts
from evenfold.report.figures import base, many
from evenfold.report.figures.critical import across_infos
from evenfold.report.figures.pair import DifferencesInfo, PathInfo, PosteriorInfo

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PAIRS_IN_DETAIL = 6
_PAIRS_IN_A_FOREST = 30  # more are read in a square
_MOST_SPLITS = 128  # of an overlap map that can still be read


def plot(facts: Facts | AcrossFacts) -> "Figure":
    """
    Draw the answer.

    Parameters
    ----------
    facts : Facts or AcrossFacts
        What a comparison found, or one over data sets.

    Returns
    -------
    matplotlib.figure.Figure
        The pictures that suit it, below each other: for two algorithms the path of a sequential
        test, the posteriors of both scores and the hold-out differences, as far as there are any;
        for more, a forest plot of all pairs and the groups that are tied; over data sets the
        critical-difference diagram, or for two algorithms every data set.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> figure = plot(sample())
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['error: forest − tree', 'error: forest − tree']
    """
    if isinstance(facts, AcrossFacts):
        return base.draw(*across_infos(facts))
    return base.draw(*infos(require_facts(facts)))


def infos(facts: Facts) -> tuple[base.Info, ...]:
    """
    Return the figures of an answer, the most informative first.

    Several pairs have the ranking, all pairs and learning curves. One pair has its path,
    posteriors, training sizes and differences.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> [type(info).__name__ for info in infos(sample())]
    ['PathInfo', 'DifferencesInfo']
    """
    if len(facts.pairs) > 1:
        many_pairs = len(facts.pairs) > _PAIRS_IN_A_FOREST
        pairs = (many_pairs and many.MatrixInfo.of(facts)) or many.ForestInfo.of(facts)
        several = (many.GroupsInfo.of(facts), pairs, many.LearningInfo.of(facts))
        return tuple(info for info in several if info is not None)
    return tuple(info for pair in facts.pairs for info in pair_infos(facts, pair))


def main_info(facts: Facts) -> base.Info | None:
    """Return the figure to show if there is room for only one."""
    shown = infos(facts)
    if not shown:
        return None
    if len(facts.pairs) > 1:
        return shown[0]
    return shown[-1]


def pair_infos(facts: Facts, pair: Pair) -> tuple[base.Info, ...]:
    """Return the figures of one pair."""
    kinds: tuple[Any, ...] = (
        PathInfo,
        PosteriorInfo,
        many.SizesInfo,
        many.LearningInfo,
        many.AlongInfo,
        DifferencesInfo,
    )
    infos = (kind.of(facts, pair) for kind in kinds)
    return tuple(info for info in infos if info is not None)


def infos_of_pairs(facts: Facts) -> tuple[tuple[str, tuple[base.Info, ...]], ...]:
    """Return the name and the figures of each pair; nothing if there are too many pairs."""
    if not 1 < len(facts.pairs) <= _PAIRS_IN_DETAIL:
        return ()
    return tuple((many.pair_label(pair), pair_infos(facts, pair)) for pair in facts.pairs)


# How even a design is.


@dataclass(frozen=True, kw_only=True, slots=True)
class OverlapInfo(base.Info):
    """The number of training examples that every two splits share."""

    overlaps: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, facts: Facts) -> Self | None:
        """Return the info, or None if there are too few or too many splits."""
        phi = facts.design.overlaps
        if not 2 <= len(phi) <= _MOST_SPLITS:
            return None
        apart = [phi[i][j] for i, j in combinations(range(len(phi)), 2)]
        return cls(
            title="Training examples that every two splits share",
            alt=f"Heat map of {len(phi)} by {len(phi)} splits; two training sets share "
            f"{min(apart)} to {max(apart)} of {facts.design.n_train} examples.",
            overlaps=phi,
        )

    @property
    def height(self) -> float:
        return 3.9

    def draw(self, ax: "Axes") -> None:
        image = ax.imshow(self.overlaps, cmap="cividis", interpolation="none", vmin=0)
        base.clean(ax, grid="both")
        ax.grid(visible=False)
        at = range(0, len(self.overlaps), math.ceil(len(self.overlaps) / 10))
        names = [str(j + 1) for j in at]
        ax.set_xticks(at, names)
        ax.set_yticks(at, names)
        ax.set_xlabel("split", **base.LABEL)
        ax.set_ylabel("split", **base.LABEL)
        legend = ax.figure.colorbar(image, ax=ax, shrink=0.9)
        legend.outline.set_visible(False)
        legend.ax.tick_params(length=0, labelsize=base.SMALL, labelcolor=base.MUTED)
        legend.set_label("shared examples", **base.LABEL)
