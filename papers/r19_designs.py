"""R19 tables 2.9–2.12 and 3.6–3.10: variances of designs, and what they are made of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from evenfold.design import BRLT, RLT, Blocked3x2, KFold, Mx2, Mx2BCV
from evenfold.infer.theory.covariance import mx2_correlations
from evenfold_lab import Population, estimators, population
from evenfold_lab.algorithm import Floats
from evenfold_lab.populations import Resampled
from evenfold_lab.populations.resampled import read_table
from evenfold_lab.studies.moments import _components
from evenfold_lab.world import World
from papers import r19_printed as tables
from papers._table import Cell, Table, machine
from papers.r19_draws import (
    SEED,
    Run,
    cell,
    indicator_svm,
    ratio_of_means,
    read,
    reduction_of,
    rows_of,
    variance_of,
    world_of,
)

SOURCE = 10_000  # data sets of R19, each with 1000 partitions
SIZES = (6, 10, 14)
REPETITIONS = (3, 5, 7, 9)
FILES = {"krvskp": "kr-vs-kp", "wave": "waveform-5000", "pageblock": "page-blocks"}
SLOWER = 10  # algorithms that are refitted split by split get this part of the data sets
_ALGORITHMS = {
    "lm": estimators.ols,
    "rid": estimators.ridge,
    "ridge": estimators.ridge,
    "lso": estimators.lasso,
    "lasso": estimators.lasso,
    "svm": estimators.svm,
    "knn": estimators.triangular_knn,
}


def setup(name: str, folder: str | None, recut: int = 0) -> World:
    """The world of a configuration "data+algorithm+n+p" of R19."""
    data, algorithm, n, p = name.split("+")
    chosen, kind = _population(data, int(p), folder), _ALGORITHMS[algorithm]()
    if algorithm == "svm" and data in ("krvskp", "CON"):
        kind = indicator_svm()
    return world_of(chosen, (kind,), int(n), recut)


@cache
def _population(data: str, p: int, folder: str | None) -> Population:
    if data in ("SREG", "SCLA"):
        return _simulated(data.lower(), p)
    if data.lower() == "letter":
        return _letters(folder)
    if data in ("WQ", "AQ"):
        return _regression(data, folder)
    if data == "CON":
        return _two_of_three(read(folder, "connect-4"))
    if data == "ADULT":
        return _adult(folder)
    return read(folder, FILES.get(data, data))


def _simulated(name: str, p: int) -> Population:
    made = population(name, p=p)
    assert isinstance(made, Population)
    return made


def _letters(folder: str | None) -> Population:
    made = population("letters", folder=folder, classes=2, replacement=True)
    assert isinstance(made, Population)
    return made


def _regression(data: str, folder: str | None) -> Population:
    """White wine quality as a number; absolute humidity without dates, NMHC and missing values."""
    if data == "WQ":
        table = read(folder, "winequality-white")
        return replace(
            table, y=table.y + 3, measure_name="squared"
        )  # the classes 0 to 6 are the scores 3 to 9
    return _air(folder)


def _air(folder: str | None) -> Population:
    """Air quality: the columns are date, time, 11 measurements, humidity, and benzene last."""
    rows = read_table(folder, "airquality.csv.gz")
    table = np.array([row[2:] for row in rows], dtype=float)
    table = np.delete(table, _NMHC, axis=1)
    table = table[(table != _MISSING).all(axis=1)]
    features = np.delete(table, _HUMIDITY, axis=1)
    return Resampled(X=features, y=table[:, _HUMIDITY], measure_name="squared", replacement=True)


_MISSING = -200.0
_NMHC, _HUMIDITY = 2, 10  # columns after date and time, the second after NMHC is gone


def _two_of_three(table: Resampled) -> Resampled:
    """R19 speaks of two classes, the data have three: won by the first player, or not."""
    return replace(table, y=(table.y == 2).astype(float))


def _adult(folder: str | None) -> Resampled:
    """The 30 162 rows without missing values among the first 32 561 of the file."""
    table = read(folder, "adult", keep=lambda row: "?" not in [value.strip() for value in row])
    rows = slice(0, 30_162)
    return replace(table, X=table.X[rows], y=table.y[rows])


def replications(run: Run, name: str) -> int:
    """
    Return the number of data sets for a configuration.

    It is R19's 10 000 times the scale, and a tenth of it for slow algorithms.
    """
    fast = machine().full or _ALGORITHMS[name.split("+")[1]]().fast
    return run.count(SOURCE if fast else SOURCE // SLOWER)


def _note(run: Run, names: Sequence[str], partitions_: str) -> str:
    counts = sorted({replications(run, name) for name in names}, reverse=True)
    sizes = " or ".join(str(R) for R in counts)
    if len(counts) > 1:
        sizes += " (slow algorithms)"
    return f"{sizes} data sets with {partitions_} each (R19: {SOURCE} with 1000 each); seed {SEED}."


class Means:
    """
    Means over the splits of the designs of chapter 2, on the same data sets.

    Each design is run once.
    """

    def __init__(self, run: Run, name: str) -> None:
        R = replications(run, name)
        world = setup(name, run.folder)
        self.ratio, n = R / SOURCE, world.n
        rhs, mx2, bcv = (run.values(world, d, R)[0] for d in (RLT(14, n // 2), Mx2(7), Mx2BCV(7)))
        # The first splits of each are a design of their own: all are exchangeable.
        self.chapter_2 = {
            (key, J): values[:, :J].mean(axis=1)
            for key, values in (("RHS", rhs), ("m×2", mx2), ("BCV", bcv))
            for J in SIZES
        } | {("BRHS", J): run.values(world, BRLT(J, n // 2), R)[0].mean(axis=1) for J in SIZES}
        self.folds = {("RLT", 2): rhs[:, :2].mean(axis=1), ("K-fold", 2): mx2[:, :2].mean(axis=1)}
        for K in (5, 10):
            self.folds["RLT", K] = run.values(world, RLT(K, n - n // K), R)[0].mean(axis=1)
            self.folds["K-fold", K] = run.values(world, KFold(K), R)[0].mean(axis=1)


def data_sets(table: str) -> list[str]:
    """The data sets of a printed table."""
    return list(dict.fromkeys(name.split("+")[0] for name, *_ in rows_of(table)))


def designs(run: Run, data: str) -> Iterator[Table]:
    """
    Yield tables 2.9–2.12 for the configurations with one data set, or one algorithm on it.

    ``data`` is a data set such as "SREG", or both such as "SREG+lm".
    """
    names = [name for name, *_ in rows_of(tables.TABLE_2_9) if name.startswith(f"{data}+")]
    means = {name: Means(run, name) for name in names}
    cells: dict[str, list[Cell]] = {
        "2.9": _table_2_9(means), "2.10": _table_2_10(means),
        "2.11": _table_2_11(means), "2.12": _table_2_12(means),
    }  # fmt: skip
    note = _note(run, names, "one partition")
    for number, made in cells.items():
        if made:
            yield Table(
                name=f"{number}-{data}", title=f"R19 table {number}, {data}", note=note, cells=made
            )


def _table_2_9(means: Mapping[str, Means]) -> list[Cell]:
    cells = []
    for name, unit, texts in rows_of(tables.TABLE_2_9):
        if name not in means:
            continue
        folds, ratio = means[name].folds, means[name].ratio
        row = f"{name} ({unit:g})"
        keys = [(design, K) for design in ("RLT", "K-fold") for K in (2, 5, 10)]
        for key, text in zip(keys, texts[:6], strict=True):
            cells.append(
                cell(row, f"{key[0]} J={key[1]}", text, variance_of(folds[key]), ratio, unit)
            )
        for K, text in zip((2, 5, 10), texts[6:], strict=True):
            ours = reduction_of(folds["RLT", K], folds["K-fold", K])
            cells.append(cell(row, f"% J={K}", text, ours, ratio))
    return cells


def _table_2_10(means: Mapping[str, Means]) -> list[Cell]:
    return [
        cell(
            f"{name} ({unit:g})",
            f"{key[0]} J={key[1]}",
            text,
            variance_of(values),
            means[name].ratio,
            unit,
        )
        for name, unit, texts in rows_of(tables.TABLE_2_10)
        if name in means
        for (key, values), text in zip(means[name].chapter_2.items(), texts, strict=True)
    ]


def _table_2_11(means: Mapping[str, Means]) -> list[Cell]:
    keys = [(design, J) for design in ("RHS", "m×2", "BCV") for J in SIZES]
    return [
        cell(
            name, f"% {key[0]} J={key[1]}", text, _against_brhs(means[name], key), means[name].ratio
        )
        for name, _, texts in rows_of(tables.TABLE_2_11)
        if name in means
        for key, text in zip(keys, texts, strict=True)
    ]


def _against_brhs(means: Means, key: tuple[str, int]) -> tuple[float, float]:
    return reduction_of(means.chapter_2[key], means.chapter_2["BRHS", key[1]])


def _table_2_12(means: Mapping[str, Means]) -> list[Cell]:
    cells = []
    for name, _, (J, *texts) in rows_of(tables.TABLE_2_12):
        if name in means:
            for design, mean, se in zip(
                ("RHS", "m×2", "BCV", "BRHS"), texts[::2], texts[1::2], strict=True
            ):
                ours = variance_of(means[name].chapter_2[design, int(J)])
                made = cell(f"{name} J={J}", design, mean, ours, 0.0, 1e-4)
                source = made.source
                assert source is not None
                cells.append(replace(made, source=replace(source, se=float(se))))
    return cells


def coefficients(run: Run, data: str) -> Iterator[Table]:
    """Table 3.6 for one data set: ρ2 and the coefficients of f(x)."""
    cells = []
    printed = {
        name: texts for name, _, texts in rows_of(tables.TABLE_3_6) if name.split("+")[0] == data
    }
    for name, texts in printed.items():
        world, R = setup(name, run.folder), replications(run, name)
        drawn = run.draws(world, Blocked3x2(), R, examples=True)
        values = drawn.losses.values[0]
        _, rho2 = mx2_correlations(values.reshape(len(values), -1, 2))
        ours = [(rho2.value, rho2.standard_error), *_coefficients(_components(drawn), world.n)]
        for column, text, value in zip(_COLUMNS_3_6, texts, ours, strict=True):
            cells.append(cell(name, column, text, value, R / SOURCE))
    note = _note(run, list(printed), "one partition")
    yield Table(name=f"3.6-{data}", title=f"R19 table 3.6, {data}", note=note, cells=cells)


_COLUMNS_3_6 = ("ρ2", "ω+γ−2τ", "σ²−ω−nγ+nτ", "γ")


def _coefficients(part: Mapping[str, Floats], n: int) -> list[tuple[float, float]]:
    sigma2, omega, gamma, tau = (part[key] for key in ("sigma2", "omega", "gamma", "tau"))
    each = [omega + gamma - 2 * tau, sigma2 - omega - n * gamma + n * tau, gamma]
    return [(float(x.mean()), float(x.std() / np.sqrt(len(x)))) for x in each]


def partitions(run: Run, data: str) -> Iterator[Table]:
    """
    Yield tables 3.7–3.10, read in two ways.

    One is that of R19, the other is the variance over partitions of one data set. R19 says that
    they are variances over data sets and partitions, but prints numbers that fall exactly as
    1/m: those of Var(μ̂ | data set), which is σ²(1 + ρ1 − 2ρ2)/(2m) for random partitions.
    """
    simulated = data in ("SREG", "SCLA")
    values, rates = (
        (tables.TABLE_3_7, tables.TABLE_3_8) if simulated else (tables.TABLE_3_9, tables.TABLE_3_10)
    )
    percentages = {name: texts for name, _, texts in rows_of(rates)}
    mine = [row for row in rows_of(values) if row[0].split("+")[0] == data]
    cells, reductions, totals = [], [], []
    for name, unit, texts in mine:
        R = replications(run, name)
        within, total = _both(run, name, R)
        keys = [(design, m) for design in ("BCV", "m×2") for m in REPETITIONS]
        for key, text in zip(keys, texts, strict=True):
            row, column = f"{name} ({unit:g})", f"{key[0]} m={key[1]}"
            cells.append(cell(row, column, text, _mean(within[key]), 0.0, unit))
            totals.append(cell(row, column, text, variance_of(total[key]), R / SOURCE, unit))
        for m, text in zip(REPETITIONS, percentages[name], strict=True):
            ours = ratio_of_means(within["m×2", m], within["BCV", m])
            reductions.append(cell(name, f"% m={m}", text, ours, 0.0))
    note = _note(run, [name for name, *_ in mine], "two partitions")
    first, second = ("3.7", "3.8") if simulated else ("3.9", "3.10")
    for name, title, made in (
        (f"{first}-{data}", f"{first}, {data}: over partitions of one data set", cells),
        (f"{first}-{data}-total", f"{first}, {data}: over data sets and partitions", totals),
        (
            f"{second}-{data}",
            f"{second}, {data}: reduction over partitions of one data set",
            reductions,
        ),
    ):
        yield Table(name=name, title=f"R19 table {title}", note=note, cells=made)


Series = dict[tuple[str, int], Floats]


def _both(run: Run, name: str, R: int) -> tuple[Series, Series]:
    """By design and m: variance within data sets from two partitions, and mean of the first."""
    within, total = {}, {}
    for key, design in (("BCV", Mx2BCV(9)), ("m×2", Mx2(9))):
        runs = [run.values(setup(name, run.folder, recut), design, R)[0] for recut in (0, 1)]
        for m in REPETITIONS:
            first, second = (values[:, : 2 * m].mean(axis=1) for values in runs)
            within[key, m], total[key, m] = (first - second) ** 2 / 2, first
    return within, total


def _mean(values: Floats) -> tuple[float, float]:
    return float(values.mean()), float(values.std() / np.sqrt(len(values)))
