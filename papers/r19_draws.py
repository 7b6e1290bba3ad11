"""What the experiments of R19 share: draws of the lab, data from the folder, printed rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from evenfold.design import Design
from evenfold_lab import Algorithm, Population
from evenfold_lab.algorithm import Floats
from evenfold_lab.cuts import CHUNK
from evenfold_lab.draws import DesignRequest, Draws, Effort, draw
from evenfold_lab.fast import SVM
from evenfold_lab.populations import Resampled
from evenfold_lab.populations.resampled import read_table
from evenfold_lab.world import World
from papers._table import Cell, Printed, machine, printed

SEED = 2019


@dataclass(frozen=True, kw_only=True)
class Run:
    """What the command line says: where the data are, how much to do, where draws are kept."""

    folder: str | None
    scale: float
    store: str | None

    def count(self, usual: int) -> int:
        """
        Return how many data sets to draw instead of the usual number.

        The number is one of whole chunks, because a part of a chunk costs as much as all of
        it.
        """
        return CHUNK * max(1, round(self.scale * usual / CHUNK))

    def draws(
        self, world: World, design: Design, replications: int, *, examples: bool = False
    ) -> Draws:
        """Run one design on the data sets of a world."""
        effort = Effort(store=self.store, **machine().effort())
        return draw(world, [DesignRequest(design=design, examples=examples)], replications, effort)[
            0
        ]

    def values(self, world: World, design: Design, replications: int) -> Floats:
        """Hold-out values (algorithms, data sets, splits)."""
        return self.draws(world, design, replications).losses.values


def world_of(
    population: Population, algorithms: tuple[Algorithm, ...], n: int, recut: int = 0
) -> World:
    """The world of a set-up of R19."""
    return World(
        population=population.at(n),
        algorithms=algorithms,
        measure=population.measure,
        n=n,
        seed=SEED,
        recut=recut,
    )


def rows_of(table: str) -> Iterator[tuple[str, float, list[str]]]:
    """Name, unit and numbers of each printed row."""
    for line in table.split("\n"):
        if line:
            first, *numbers = line.split()
            name, _, unit = first.partition("(")
            yield name, float(unit.rstrip(")") or 1), numbers


def cell(
    row: str, column: str, text: str, ours: tuple[float, float], ratio: float, unit: float = 1.0
) -> Cell:
    """
    A cell in the unit of the source.

    ``ratio`` is the number of our data sets over the number of the source's: its own Monte Carlo
    error is taken as what ours would be with as many, or as 0 where ``ratio`` is 0.
    """
    value, se = (float(x) / unit for x in ours)
    source: Printed = printed(text, se * sqrt(ratio))
    return Cell(row=row, column=column, source=source, ours=value, se=se)


def variance_of(values: Floats) -> tuple[float, float]:
    """Variance over data sets and its standard error."""
    squares = (values - values.mean()) ** 2 * len(values) / (len(values) - 1)
    return float(squares.mean()), float(squares.std() / sqrt(len(values)))


def reduction_of(first: Floats, second: Floats) -> tuple[float, float]:
    """By what percentage the variance of ``second`` is below that of ``first``, same data sets."""
    squares = [(values - values.mean()) ** 2 for values in (first, second)]
    return ratio_of_means(*squares)


def ratio_of_means(first: Floats, second: Floats) -> tuple[float, float]:
    """100·(1 − mean second / mean first), with its error by the delta method."""
    ratio = second.sum() / first.sum()
    se = sqrt(float(np.sum((second - ratio * first) ** 2))) / float(first.sum())
    return 100 * float(1 - ratio), 100 * se


def read(
    folder: str | None, file: str, keep: Callable[[list[str]], bool] = lambda _: True
) -> Resampled:
    """A data set as the population, drawn from with replacement (R19 2.3)."""
    table = [row for row in read_table(folder, f"{file}.csv.gz") if keep(row)]
    X = np.column_stack(
        [_coded(np.array(column)) for column in list(zip(*table, strict=True))[:-1]]
    )
    return Resampled(X=X, y=np.array([row[-1] for row in table]), replacement=True)


def _coded(column: np.ndarray) -> Floats:
    """Numbers as they are; categories as indicators without the first, as in R's formulas."""
    try:
        numbers: Floats = column.astype(float)[:, None]
        return numbers
    except ValueError:
        indicators: Floats = (column[:, None] == np.unique(column)[None, 1:]).astype(float)
        return indicators


def indicator_svm() -> Algorithm:
    """SVM of e1071 on indicators of categories, which it does not scale."""
    return SVM(scaled=False)
