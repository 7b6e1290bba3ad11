"""
The quartic of ``papers.r19_gains`` between its overlaps: ``python -m papers.r19_between``.

What BRHS saves in table 2.11 rests on f at an overlap between those that eight blocks have. Halves
of twenty blocks overlap as six balanced halves do, d = 4φ/n − 1 = −.2, so that f is measured where
it is needed. Of least squares on SREG, the one row where BRHS varies more than RHS.
"""

from dataclasses import dataclass
from math import hypot, sqrt
from typing import Any

import numpy as np

from evenfold.core.partition import IndexCut, Kind, Partition
from evenfold.design import Design
from evenfold_lab.algorithm import Floats
from papers import r19_printed
from papers._table import Cell, Table, arguments, printed, publish
from papers.r19_designs import setup
from papers.r19_draws import SEED, Run, rows_of
from papers.r19_gains import LEAST_SE, _kept_variances

ROW = "SREG+lm+500+100"
BLOCKS, HALVES, J = 20, 60, 6
DATA_SETS = 5000


def halves() -> list[Floats]:
    """Sixty random halves of twenty blocks, the same for all data sets."""
    rng = np.random.default_rng(5)
    return [np.sort(rng.permutation(BLOCKS)[: BLOCKS // 2]) for _ in range(HALVES)]


@dataclass(frozen=True, eq=False, repr=False)
class TwentyBlocks(Design):
    """Random halves of twenty blocks of examples."""

    kind = Kind("twenty-blocks", shape="splits")

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002 - one signature
        return HALVES

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:  # noqa: ARG002 - one signature
        blocks = np.arange(n).reshape(BLOCKS, -1)  # examples of the lab are exchangeable
        others = [np.setdiff1d(np.arange(BLOCKS), half) for half in halves()]
        cut = IndexCut(
            n=n,
            trains=tuple(np.sort(blocks[half].ravel()) for half in halves()),
            tests=tuple(np.sort(blocks[other].ravel()) for other in others),
        )
        numbers = np.arange(HALVES)
        return Partition(
            kind=self.kind, seed=seed, cut=cut, repetition=numbers // 2, fold=numbers % 2
        )


def saved(values: Floats, n: int) -> Floats:
    """By how much six balanced halves vary less than random ones, for each data set."""
    centred = values - values.mean(axis=1, keepdims=True)
    shared = np.array([[len(np.intersect1d(a, b)) for b in halves()] for a in halves()])
    np.fill_diagonal(shared, -1)

    def f(blocks: int) -> Floats:
        pairs = (shared == blocks).astype(float)
        covariance: Floats = np.einsum("ri,ij,rj->r", centred, pairs, centred) / pairs.sum()
        return covariance

    # Random halves have E d = 0 and E d² = 1/(n − 1); d is −.2, 0 and .2 with 4, 5 and 6 blocks.
    bend = (f(4) + f(6) - 2 * f(5)) / 0.2**2
    gained: Floats = (J - 1) / J * (f(5) + bend / 2 / (n - 1) - f(4))
    return gained


def between(run: Run) -> Table:
    """The first cell of a row of table 2.11, without a quartic."""
    R = run.count(DATA_SETS)
    n = int(ROW.split("+")[2])
    each = saved(run.values(setup(ROW, run.folder), TwentyBlocks(), R)[0], n)
    total, error = _kept_variances(ROW)[f"RHS J={J}"]
    value, se = each.mean() / total, each.std(ddof=1) / sqrt(R) / total
    text = next(texts[0] for name, _, texts in rows_of(r19_printed.TABLE_2_11) if name == ROW)
    cell = Cell(
        row=ROW,
        column=f"% RHS J={J}",
        source=printed(text, LEAST_SE),
        ours=100 * float(value),
        se=100 * float(hypot(se, value * error / total)),
    )
    note = f"{R} data sets with {HALVES} halves of {BLOCKS} blocks each; seed {SEED}."
    return Table(name="2.11-between", title="R19 table 2.11, f in between", note=note, cells=[cell])


def main() -> None:
    options = arguments(str(__doc__), ["between"])
    run = Run(folder=options.folder, scale=options.scale, store=options.store)
    publish([between(run)])


if __name__ == "__main__":
    main()
