"""
How even ``BRLT`` is over the whole grid, as the Markdown table of docs/design/grid.md.

Run it alone, ``python -m papers.studies.brlt_grid``: it takes about ten minutes.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evenfold.design import BRLT
from evenfold.design.search.patterns import pattern_table

SIZES = (40, 60, 100, 200, 300, 1000)
FRACTIONS = {
    "1/2": 1 / 2,
    "0.6": 0.6,
    "2/3": 2 / 3,
    "0.7": 0.7,
    "0.75": 0.75,
    "0.8": 0.8,
    "0.9": 0.9,
}
SPLITS = range(2, 31)


@dataclass(frozen=True)
class Cell:
    """One design of the grid: its overlap spread, and the processor time of the first call."""

    n: int
    fraction: str
    J: int
    spread: int
    seconds: float


def measure() -> Iterator[Cell]:
    """Make every design of the grid once, with nothing cached."""
    for n in SIZES:
        for name, fraction in FRACTIONS.items():
            for J in SPLITS:
                pattern_table.cache_clear()
                start = time.process_time()
                partition = BRLT(J, fraction, random_state=0).partition(n)
                seconds = time.process_time() - start
                spread = int(np.ptp(partition.overlaps()[np.triu_indices(J, 1)]))
                yield Cell(n, name, J, spread, seconds)


def main() -> None:
    """Print the share of designs with an overlap spread of at most 1, by n and n1/n."""
    cells = list(measure())
    print("| n | " + " | ".join(FRACTIONS) + " | all | worst spread | slowest |")
    print("|---" * (len(FRACTIONS) + 4) + "|")
    for n in SIZES:
        row = [cell for cell in cells if cell.n == n]
        shares = [_share([cell for cell in row if cell.fraction == name]) for name in FRACTIONS]
        worst, slowest = max(cell.spread for cell in row), max(cell.seconds for cell in row)
        print(f"| {n} | {' | '.join(shares)} | {_share(row)} | {worst} | {slowest:.1f} s |")
    print(f"\nall {len(cells)} designs: {_share(cells)} within 1")


def _share(cells: list[Cell]) -> str:
    return f"{np.mean([cell.spread <= 1 for cell in cells]):.1%}"


if __name__ == "__main__":
    main()
