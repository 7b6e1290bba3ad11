"""
The room of designs at work: how evenly seven halvings of the breast cancer data overlap.

Run it with ``make demo``. It prints the overlaps of a designed and of a random 7×2 cross-validation side by
side, says what they mean, and saves a heat map of both as ``demo/overlaps.png`` (or where the first argument
says).
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer

from evenfold.design import Design, Mx2, Mx2BCV, Partition, random_overlap_error

M = 7
SEED = 1


@dataclass(frozen=True, kw_only=True)
class Evenness:
    """What the table, the words and the picture are made from."""

    title: str
    overlaps: NDArray[np.int64]  # of all 2m training sets
    target: float  # n/4
    across: NDArray[np.bool_]  # pairs of training sets from two different repetitions
    malignant: tuple[int, int]  # fewest and most malignant cases in a training set

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest overlap of two training sets from different repetitions."""
        shared = self.overlaps[self.across]
        return int(shared.min()), int(shared.max())

    @property
    def worst(self) -> float:
        """Largest distance of such an overlap from n/4."""
        return float(np.abs(self.overlaps[self.across] - self.target).max())


def evenness(title: str, partition: Partition, y: NDArray[np.int64]) -> Evenness:
    """Count overlaps and labels of one partition."""
    malignant = [int((y[train] == 0).sum()) for train in partition.train]
    return Evenness(
        title=title,
        overlaps=partition.overlaps(),
        target=partition.n / 4,
        across=partition.repetition[:, None] != partition.repetition[None, :],
        malignant=(min(malignant), max(malignant)),
    )


def overlap_table(facts: Evenness) -> Table:
    """Overlaps of the first halves, repetition by repetition."""
    table = Table(title=facts.title, title_style="bold", title_justify="left", pad_edge=False)
    table.add_column("", justify="right")
    for j in range(1, M):
        table.add_column(str(j + 1), justify="right")
    first = facts.overlaps[::2, ::2]
    for i in range(M - 1):
        table.add_row(str(i + 1), *[str(first[i, j]) if j > i else "" for j in range(1, M)])
    return table


def words(designed: Evenness, drawn: Evenness, partition: Partition) -> str:
    """Say what the two tables show."""
    sure = partition.certificate
    assert sure is not None
    chance = random_overlap_error(partition.n)
    return "\n\n".join(
        (
            f"[bold]Designed.[/] Any two training sets of different repetitions share {span(designed.range)} "
            f"examples; n/4 is {designed.target:g}. The worst overlap is off by {designed.worst:g}, and the "
            f"certificate says that no halvings of {partition.n} examples stay below {sure.overlap_bound:g}. "
            f"A training set holds {span(designed.malignant)} malignant cases.",
            f"[bold]Random.[/] They share {span(drawn.range)} examples. The worst overlap is off by "
            f"{drawn.worst:g}; chance is off by {chance:.2f} on average. "
            f"A training set holds {span(drawn.malignant)} malignant cases.",
            "[bold]Why it matters.[/] Two halves that share more than n/4 repeat each other. The mean of all "
            f"{2 * M} results then varies more than it has to; by how much is the luck of the seed. "
            "It varies least when every overlap is n/4.",
        )
    )


def span(ends: tuple[int, int]) -> str:
    """Write a range in words."""
    return f"{ends[0]} to {ends[1]}"


def draw(pair: tuple[Evenness, Evenness], path: Path) -> None:
    """Save the heat maps of both designs on one scale of colours."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MultipleLocator

    with plt.rc_context({"font.family": "DejaVu Sans", "font.size": 9}):
        figure, axes = plt.subplots(1, 2, figsize=(10.4, 5.6), layout="constrained")
        limit = max(facts.worst for facts in pair)
        for axis, facts in zip(axes, pair, strict=True):
            image = draw_one(axis, facts, limit)
        bar = figure.colorbar(image, ax=axes, shrink=0.72, aspect=28, pad=0.015, format="{x:+.0f}")
        bar.locator = MultipleLocator(5)
        bar.outline.set_visible(False)
        bar.set_label(f"difference from n/4 = {pair[0].target:g}")
        title = {"ha": "left", "fontsize": 13, "fontweight": "bold"}
        figure.suptitle("How many examples do two training sets share?", x=0.006, **title)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110)
        plt.close(figure)


def draw_one(axis: Any, facts: Evenness, limit: float) -> Any:
    """Draw one heat map: colour is the distance from n/4, the number is the overlap itself."""
    deviation = np.ma.masked_where(~facts.across, facts.overlaps - facts.target)
    axis.set_facecolor("#e4e4e4")
    image = axis.imshow(deviation, cmap="PuOr_r", vmin=-limit, vmax=limit)
    for i, j in np.argwhere(facts.across):
        ink = "white" if abs(deviation[i, j]) > 0.6 * limit else "#222222"
        axis.text(j, i, facts.overlaps[i, j], ha="center", va="center", fontsize=7, color=ink)
    heading = f"{facts.title}\noverlaps {span(facts.range)}"
    axis.set_title(heading, loc="left", fontsize=10, linespacing=1.5)
    middles = np.arange(M) * 2 + 0.5
    axis.set_xticks(middles, range(1, M + 1))
    axis.set_yticks(middles, range(1, M + 1))
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    for edge in np.arange(1.5, 2 * M - 1, 2):
        axis.axhline(edge, color="white", linewidth=1.6)
        axis.axvline(edge, color="white", linewidth=1.6)
    axis.set_xlabel("repetition, two training sets each (grey: the same repetition)")
    axis.set_ylabel("repetition")
    return image


def main(path: Path) -> None:
    """Cut, count, print, draw."""
    X, y = load_breast_cancer(return_X_y=True)
    design: Design = Mx2BCV(M, balance="labels", random_state=SEED)
    partition = design.partition(len(X), y=y)
    designed = evenness(f"{M}×2 BCV, balanced on labels", partition, y)
    drawn = evenness(f"random {M}×2", Mx2(M, random_state=SEED).partition(len(X)), y)
    console = Console(width=90, highlight=False)
    console.print(f"{design} on the breast cancer data, {len(X)} examples")
    console.print(f"Examples shared by the first training sets of repetitions 1 to {M}:\n")
    grid = Table.grid(padding=(0, 4))
    grid.add_row(overlap_table(designed), overlap_table(drawn))
    console.print(grid)
    console.print()
    console.print(words(designed, drawn, partition))
    draw((designed, drawn), path)
    console.print(f"\nHeat map of all {2 * M} training sets: {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("demo/overlaps.png"))
