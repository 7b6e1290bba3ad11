"""
R19's tables 2.11, 3.8 and 3.10 by what they are made of: ``python -m papers.r19_gains FOLDER``.

What even halvings save over random ones is about (m − 1)/(n − 2) of the variance over the
partitions of one data set. Two partitions of each of 10 000 data sets leave an error of many times
that. It follows from the covariance g of two two-fold estimates of one data set as well, which even
in d = 4φ/n − 1 is

    g = w0 + w2·d² + w4·d⁴ + …,  gain = (m − 1)·(E g − g(n/4)) / (g(n/2) − E g),

the mean over the overlaps φ of random halvings. All 35 halvings of eight blocks overlap with d = 0,
±½ or ±1, each as often as any other, so that every data set has a w2 and a w4 of its own, free of
what data sets differ by. Sixth powers are left out: they would lower w2 by a quarter of their own
weight.

Table 2.11 is about single hold-outs, of covariance f(φ): designs with the same training size have
the same mean given the data set, so that their variances differ by what they differ within data
sets. f at any overlap is the quartic through the five that pairs of the 70 hold-outs have.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import hypot, sqrt
from typing import Any

import numpy as np

from evenfold.core.partition import IndexCut, Kind, Partition
from evenfold.design import Design, Mx2BCV, ideal_overlap, random_overlap
from evenfold_lab.algorithm import Floats
from papers import pages, r19_printed
from papers._table import Cell, Table, arguments, kept, printed, publish
from papers.r19_designs import REPETITIONS, SIZES, data_sets, setup
from papers.r19_draws import SEED, Run, rows_of

BLOCKS = 8
DATA_SETS = 200
# Of two variances, each from 1000 partitions of 10 000 data sets, in per cent of one of them.
LEAST_SE = 100 * sqrt(2 * 2 / (10_000 * 1000))
HALVINGS = [half for half in combinations(range(BLOCKS), BLOCKS // 2) if 0 in half]


@dataclass(frozen=True, eq=False, repr=False)
class EightBlocks(Design):
    """All 35 ways to halve eight blocks of examples, both halves of each: 70 splits."""

    kind = Kind("eight-blocks", shape="splits")

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002 - one signature
        return 2 * len(HALVINGS)

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:  # noqa: ARG002 - one signature
        blocks = np.arange(n).reshape(BLOCKS, -1)  # examples of the lab are exchangeable
        trains, tests = [], []
        for half in HALVINGS:
            other = _other(half)
            for train, test in ((half, other), (other, half)):
                trains.append(np.sort(blocks[list(train)].ravel()))
                tests.append(np.sort(blocks[list(test)].ravel()))
        numbers = np.arange(len(trains))
        cut = IndexCut(n=n, trains=tuple(trains), tests=tuple(tests))
        return Partition(
            kind=self.kind, seed=seed, cut=cut, repetition=numbers // 2, fold=numbers % 2
        )


def _other(half: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(block for block in range(BLOCKS) if block not in half)


def alike() -> Floats:
    """|d| of every two of the 35 halvings."""
    signs = np.array([[1 if block in half else -1 for block in range(BLOCKS)] for half in HALVINGS])
    distances: Floats = np.abs(signs @ signs.T) / BLOCKS
    return distances


def weights(values: Floats) -> tuple[Floats, Floats]:
    """w2 and w4 of each data set from the hold-out values (data sets, 70)."""
    means = values.reshape(len(values), len(HALVINGS), 2).mean(axis=2)
    # cancels below; kept small for the arithmetic
    centred = means - means.mean(axis=1, keepdims=True)
    d = alike()
    at = {}
    for distance in (0.0, 0.5, 1.0):
        pairs = np.isclose(d, distance).astype(float)
        at[distance] = np.einsum("ri,ij,rj->r", centred, pairs, centred) / pairs.sum()
    half, whole = at[0.5] - at[0.0], at[1.0] - at[0.0]
    return (16 * half - whole) / 3, (4 * whole - 16 * half) / 3


def moments(n: int, m: int) -> tuple[float, float]:
    """By how much E d² and E d⁴ of random halvings exceed those of every two of m even ones."""
    law = random_overlap(n, n // 2)
    overlaps = np.arange(n // 2 + 1)
    share, d = law.pmf(overlaps), 4 * overlaps / n - 1
    first = [set(train.tolist()) for train in Mx2BCV(m, random_state=0).partition(n).train[::2]]
    # 0 where 4k divides n
    even = np.array([4 * len(a & b) / n - 1 for a, b in combinations(first, 2)])
    return float(share @ d**2 - np.mean(even**2)), float(share @ d**4 - np.mean(even**4))


def gain(values: Floats, n: int, m: int) -> tuple[float, float]:
    """What m even halvings save over m random ones, in per cent, with its error over data sets."""
    w2, w4 = weights(values)
    second, fourth = moments(n, m)
    saved = (m - 1) * (second * w2 + fourth * w4)
    law = random_overlap(n, n // 2)
    overlaps = np.arange(n // 2 + 1)
    share, d = law.pmf(overlaps), 4 * overlaps / n - 1
    spread = (1 - float(share @ d**2)) * w2 + (1 - float(share @ d**4)) * w4  # g(n/2) − E g
    ratio = saved.sum() / spread.sum()
    se = sqrt(float(np.sum((saved - ratio * spread) ** 2))) / float(spread.sum())
    return 100 * float(ratio), 100 * se


def scatter(texts: list[str]) -> float:
    """
    Return the error of a printed row.

    It is the spread of the row around the line through 0 in m − 1 that it must follow.
    """
    steps = np.array(REPETITIONS) - 1
    values = np.array([float(text) for text in texts])
    off = values - steps * (steps @ values) / (steps @ steps)
    return max(LEAST_SE, sqrt(float(off @ off) / (len(values) - 1)))


def gains(run: Run, data: str) -> Iterator[Table]:
    """Table 3.8 or 3.10 for the configurations with one data set."""
    number = "3.8" if data in ("SREG", "SCLA") else "3.10"
    rows = r19_printed.TABLE_3_8 if number == "3.8" else r19_printed.TABLE_3_10
    R = run.count(DATA_SETS)
    cells = []
    for name, _, texts in rows_of(rows):
        kind, algorithm, n, p = name.split("+")
        if kind != data:
            continue
        whole = BLOCKS * (int(n) // BLOCKS)  # 496 of 500, 96 of 100
        world = setup(f"{kind}+{algorithm}+{whole}+{p}", run.folder)
        values = run.values(world, EightBlocks(), R)[0]
        for m, text in zip(REPETITIONS, texts, strict=True):
            value, se = gain(values, int(n), m)
            source = printed(text, LEAST_SE)
            cells.append(Cell(row=name, column=f"% m={m}", source=source, ours=value, se=se))
    drawn = f"{R} data sets with all 35 halvings of eight blocks each; seed {SEED}."
    note = f"{drawn} {GAIN_NOTE} {second_reading(cells)}"
    title = f"R19 table {number}, {data}: from covariances within data sets"
    yield Table(name=f"{number}-{data}-gain", title=title, note=note, cells=cells)


DISTANCES = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])


def covariances(values: Floats) -> Floats:
    """Values of f at the five distances, but for what is common to all: (data sets, 5)."""
    centred = values - values.mean(axis=1, keepdims=True)
    halves = [half for first in HALVINGS for half in (first, _other(first))]
    signs = np.array([[1 if block in half else -1 for block in range(BLOCKS)] for half in halves])
    d = signs @ signs.T / BLOCKS
    each = []
    for distance in DISTANCES:
        pairs = np.isclose(d, distance).astype(float)
        each.append(np.einsum("ri,ij,rj->r", centred, pairs, centred) / pairs.sum())
    return np.stack(each, axis=1)


def contrasts(n: int, J: int) -> dict[str, Floats]:
    """By how much BRHS varies less than three other designs with J halves, as five weights."""

    def at(distance: float) -> Floats:
        lagrange: Floats = np.linalg.solve(np.vander(DISTANCES, 5).T, np.vander([distance], 5)[0])
        return lagrange

    overlaps = np.arange(n // 2 + 1)
    random: Floats = random_overlap(n, n // 2).pmf(overlaps) @ [at(4 * x / n - 1) for x in overlaps]
    least = (J - 1) * at(4 * ideal_overlap(n, n // 2, J) / n - 1)
    return {
        "RHS": ((J - 1) * random - least) / J,
        "m×2": (at(-1) + (J - 2) * random - least) / J,
        "BCV": (at(-1) + (J - 2) * at(0) - least) / J,
    }


def reductions(run: Run, data: str) -> Iterator[Table]:
    """Table 2.11 for the configurations with one data set."""
    R = run.count(2 * DATA_SETS)
    cells = []
    for name, _, texts in rows_of(r19_printed.TABLE_2_11):
        kind, algorithm, n, p = name.split("+")
        if kind != data:
            continue
        whole = BLOCKS * (int(n) // BLOCKS)
        world = setup(f"{kind}+{algorithm}+{whole}+{p}", run.folder)
        blocks = covariances(run.values(world, EightBlocks(), R)[0])
        variances = _kept_variances(name)
        printed_ = iter(texts)
        row = []
        for design in ("RHS", "m×2", "BCV"):
            for J in SIZES:
                saved = blocks @ contrasts(int(n), J)[design]
                total, error = variances[f"{design} J={J}"]
                value, se = saved.mean() / total, saved.std(ddof=1) / sqrt(R) / total
                both = 100 * hypot(se, value * error / total)
                column = f"% {design} J={J}"
                source = printed(next(printed_), LEAST_SE)
                row.append(Cell(row=name, column=column, source=source, ours=100 * value, se=both))
        cells += row
    drawn = f"{R} data sets with all 35 halvings of eight blocks each, both halves; seed {SEED}."
    note = f"{drawn} {REDUCTION_NOTE} {second_reading(cells)}"
    title = f"R19 table 2.11, {data}: from covariances within data sets"
    yield Table(name=f"2.11-{data}-gain", title=title, note=note, cells=cells)


GAIN_NOTE = (
    "What is saved follows from the covariances at three overlaps; the error of R19 is what 1000 "
    "partitions "
    "of 10 000 data sets leave."
)
REDUCTION_NOTE = (
    "What BRHS saves follows from the covariances at five overlaps, as a share of the variances "
    "of table "
    "2.10 here; the error of R19 is what 1000 partitions of 10 000 data sets leave."
)


def second_reading(cells: Sequence[Cell]) -> str:
    """How many values agree if R19's error is the scatter of its rows (a later reading)."""
    again: list[Cell] = []
    for name in dict.fromkeys(cell.row for cell in cells):
        row = [cell for cell in cells if cell.row == name]
        if any("BCV" in cell.column for cell in row):
            again += with_scatter(row)
            continue
        se = scatter([cell.source.text for cell in row if cell.source is not None])
        again += [
            replace(cell, source=replace(cell.source, se=se))
            for cell in row
            if cell.source is not None
        ]
    met = sum(cell.agrees is True for cell in again)
    return (
        f"A second reading, with the scatter of its own rows as its error: {met} of {len(again)}."
    )


def with_scatter(row: list[Cell]) -> list[Cell]:
    """
    Return a row of table 2.11 with the error of R19.

    Random and even m×2 hardly differ, but in its print they may. Their difference here is known
    to a hundredth of a per cent, so what the printed one is off by is R19's error, as if both
    had the same.
    """
    off = []
    for J in SIZES:
        random, even = (
            next(cell for cell in row if cell.column == f"% {design} J={J}")
            for design in ("m×2", "BCV")
        )
        assert random.source is not None
        assert even.source is not None
        off.append((random.source.value - even.source.value) - (random.ours - even.ours))
    se = max(LEAST_SE, sqrt(float(np.mean(np.square(off))) / 2))
    return [
        replace(cell, source=replace(cell.source, se=se)) for cell in row if cell.source is not None
    ]


def _kept_variances(name: str) -> dict[str, tuple[float, float]]:
    """The variances of a row of table 2.10 that were kept, in the units of the losses."""
    variances = {}
    for file in sorted((pages.RESULTS / "r19").glob(f"2.10-{name.split('+')[0]}*.json")):
        for cell_of_row in kept(file).cells:
            row, _, unit = cell_of_row.row.partition(" (")
            if row == name:
                scale = float(unit.rstrip(")"))
                variances[cell_of_row.column] = (cell_of_row.ours * scale, cell_of_row.se * scale)
    return variances


DATA = ("SREG", "SCLA", "LETTER", "WQ", "AQ", "CON", "ADULT")  # of tables 3.8 and 3.10
PARTS = {
    **{f"gain-{data}": partial(gains, data=data) for data in DATA},
    **{
        f"reduction-{data}": partial(reductions, data=data)
        for data in data_sets(r19_printed.TABLE_2_11)
    },
}


def main() -> None:
    options = arguments(str(__doc__), list(PARTS))
    run = Run(folder=options.folder, scale=options.scale, store=options.store)
    for part in options.parts:
        publish(list(PARTS[part](run)))


if __name__ == "__main__":
    main()
