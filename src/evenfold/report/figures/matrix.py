"""Every two of many algorithms in one square: who was told to be better than whom."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from evenfold.core.facts.comparison import Facts
from evenfold.core.words import count, one_line
from evenfold.report.figures import ink
from evenfold.report.figures._base import Info, labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 40  # algorithms whose square can still be read
_REVERSE = {"better": "worse", "worse": "better", "not worse": None}


@dataclass(frozen=True, kw_only=True, slots=True)
class MatrixInfo(Info):
    """``outcomes[i][j]`` is what was said of algorithm i against j; None where they were not compared."""

    names: tuple[str, ...]
    outcomes: tuple[tuple[str | None, ...], ...]

    @classmethod
    def of(cls, facts: Facts) -> Self | None:
        """Return the info of ranked algorithms, the best first, or None where there is nothing to read."""
        order = [one.name for one in facts.candidates]
        if not 3 <= len(order) <= _MOST:
            return None
        said: dict[tuple[str, str], str | None] = {}
        for pair in facts.pairs:
            a, b = pair.baseline or "", pair.challenger
            said[b, a], said[a, b] = pair.outcome, _REVERSE.get(pair.outcome or "", pair.outcome)
        won = [(a, b) for (a, b), outcome in said.items() if outcome == "better"]
        shown = labels(order, 18)
        return cls(
            title="Row against column, numbered as in the ranking: filled circle better, square worse, "
            "ring not told apart",
            alt=f"Square of {len(order)} algorithms, {count(len(won), 'pair')} decided. "
            + "; ".join(f"{one_line(a)} better than {one_line(b)}" for a, b in won),
            names=tuple(shown[name] for name in order),
            outcomes=tuple(tuple(said.get((a, b)) for b in order) for a in order),
        )

    @property
    def height(self) -> float:
        return 0.5 + 0.2 * len(self.names)

    def draw(self, ax: "Axes") -> None:
        """Draw one mark for each cell; the diagonal stays empty."""
        K = len(self.names)
        ax.set_xlim(-0.6, K - 0.4)
        ax.set_ylim(K - 0.4, -0.6)
        ink.clean(ax, grid="both")
        for i, row in enumerate(self.outcomes):
            for j, outcome in enumerate(row):
                if outcome is not None:
                    size = 5.5 if outcome in ("better", "worse") else 3
                    ax.plot(j, i, markersize=size, linestyle="none", **ink.look(outcome))
        ax.xaxis.tick_top()
        ax.set_xticks(range(K), [str(j + 1) for j in range(K)], fontsize=ink.SMALL - (2.5 if K > 12 else 0))
        ax.set_yticks(range(K), [ink.verbatim(name) for name in self.names])
        ax.tick_params(axis="y", labelcolor=ink.INK)
