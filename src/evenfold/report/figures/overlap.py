"""How even a design is: the training examples that every two splits share."""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Self

from evenfold.core.facts.comparison import Facts
from evenfold.report.figures import _base as ink
from evenfold.report.figures._base import Info

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_SPLITS = 128  # of an overlap map that can still be read


@dataclass(frozen=True, kw_only=True, slots=True)
class OverlapInfo(Info):
    """How many training examples every two splits share."""

    overlaps: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, facts: Facts) -> Self | None:
        """Return the info, or None where there are too few or too many splits to look at."""
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
        ink.clean(ax, grid="both")
        ax.grid(visible=False)
        size = len(self.overlaps)
        at = range(0, size, math.ceil(size / 10))
        ax.set_xticks(at, [str(j + 1) for j in at])
        ax.set_yticks(at, [str(j + 1) for j in at])
        ax.set_xlabel("split", **ink.LABEL)
        ax.set_ylabel("split", **ink.LABEL)
        legend = ax.figure.colorbar(image, ax=ax, shrink=0.9)
        legend.outline.set_visible(False)
        legend.ax.tick_params(length=0, labelsize=ink.SMALL, labelcolor=ink.MUTED)
        legend.set_label("shared examples", fontsize=ink.TEXT, color=ink.INK)
