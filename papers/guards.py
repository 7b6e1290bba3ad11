"""
Whether a kept table could hold the source's own numbers.

A copy agrees better than two draws ever do.
"""

from math import hypot

from papers._table import Cell, Table

CLOSE = 0.1  # of a combined error; two draws are that near in one of thirteen cells


def gap(cell: Cell) -> float | None:
    """
    Return |ours − source| in combined errors beyond the rounding.

    The result is None for what is exact or has no source.
    """
    if cell.source is None or cell.se == 0:
        return None
    error = hypot(cell.se, cell.source.se)
    return max(0.0, abs(cell.ours - cell.source.value) - cell.source.half) / error


def has_copies(table: Table) -> bool:
    """
    A measured value is the printed one to the last digit.

    Ours have many more digits than a print, unless they are shares of a thousand data sets, which
    meet each other by chance: of those ask :func:`is_copy`.
    """
    return any(c.source is not None and c.se > 0 and c.ours == c.source.value for c in table.cells)


def is_copy(table: Table) -> bool:
    """More than half of at least four measured values within .1 error of the source's."""
    measured = [
        (cell, gap_)
        for cell, gap_ in ((cell, gap(cell)) for cell in table.cells)
        if gap_ is not None
    ]
    if len(measured) < 4:
        return False
    exactly = sum(
        cell.source is not None and cell.ours == cell.source.value for cell, _ in measured
    )
    coarse = sum(
        cell.source is not None and cell.source.half > CLOSE * hypot(cell.se, cell.source.se)
        for cell, _ in measured
    )
    near = sum(gap_ < CLOSE for _, gap_ in measured)
    return 2 * exactly > len(measured) or 2 * (near - coarse) > len(measured)
