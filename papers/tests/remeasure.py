"""Whether what is measured again is what was kept."""

from collections.abc import Sequence
from math import hypot

from papers import pages
from papers._table import Cell, Table, kept
from papers.r19_draws import Run

FEW = Run(folder=None, scale=0.02, store=None)  # 200 data sets of 10 000


def stored(source: str, name: str) -> dict[tuple[str, str], Cell]:
    return {(c.row, c.column): c for c in kept(pages.RESULTS / source / f"{name}.json").cells}


def same(known: Cell, found: tuple[float, float]) -> None:
    value, se = found
    assert abs(value - known.ours) < 4 * hypot(se, known.se), (
        known.row,
        known.column,
        value,
        known.ours,
    )


def all_same(tables: Sequence[Table], source: str, rows: str) -> None:
    for table in tables:
        known = stored(source, table.name)
        for cell in table.cells:
            if rows in cell.row:
                same(known[cell.row, cell.column], (cell.ours, cell.se))
