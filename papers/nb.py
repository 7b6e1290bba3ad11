"""
NB's tables 2, 3, 4 and the sizes behind its figures 1–8: ``python -m papers.nb FOLDER``.

FOLDER holds ``letter.csv.gz``; without it the letters are left out. NB has 1000 data sets
everywhere; the numbers here are those of ``SIZES``, times ``--scale``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import evenfold as ef
from evenfold.core.partition import IndexCut, Partition
from evenfold.core.rng import stream
from evenfold.design import RLT, Design, Holdout, Mx2, NestedRLT
from evenfold.infer.theory.covariance import exchangeable_correlation
from evenfold_lab.algorithm import Algorithm, Floats
from evenfold_lab.draws import DesignRequest, Draws
from evenfold_lab.estimators import classification_tree, nearest_neighbour
from evenfold_lab.populations import DISTORTIONS, MeanLine, TwoGaussians, letters
from evenfold_lab.populations._base import Population
from evenfold_lab.populations.resampled import distorted_weights
from evenfold_lab.studies._base import prepare, share
from papers import _nb_claims as claims
from papers import _nb_printed as nb
from papers._table import (
    Cell,
    Table,
    arguments,
    degenerate_too,
    machine,
    printed,
    printed_interval,
    publish,
    scaled,
)

SEED = 2003
TABLE_J, TEST_J, HALVINGS, RERUNS, LEVEL = 25, 15, 10, 15, 0.1  # NB 5 and 5.1


@dataclass(frozen=True, kw_only=True)
class Size:
    """Data sets for hold-out values, the halvings (300 fits each) and the bootstrap (240)."""

    splits: int
    halvings: int
    bootstrap: int = 0

    def times(self, scale: float) -> "Size":
        """A share of them."""
        return Size(
            splits=scaled(self.splits, scale),
            halvings=scaled(self.halvings, scale),
            bootstrap=scaled(self.bootstrap, scale),
        )


SIZES = {  # by problem and n; NB has 1000 of each
    ("regression", 200): Size(splits=1000, halvings=500),
    ("regression", 2000): Size(splits=400, halvings=200),
    ("gaussians", 200): Size(splits=300, halvings=50, bootstrap=50),
    ("gaussians", 2000): Size(splits=100, halvings=0),
    ("letters", 300): Size(splits=150, halvings=50),
}
FULL = Size(splits=1000, halvings=1000, bootstrap=1000)


@dataclass(frozen=True, eq=False, repr=False)
class SplitsOfAPart(Design):
    """
    Draw random splits of the first n1 + n2 examples and leave out the others.

    These are NB's (n1, n2) = (n/2, n/10). Only so is n2/(n1 + n2) NB's approximation of ρ.
    Examples of the lab are exchangeable, so the first will do.
    """

    kind = RLT.kind

    n_splits: int
    train_size: float
    test_size: float

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002 - one signature
        return self.n_splits

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:  # noqa: ARG002 - one signature
        n1, n2 = round(self.train_size * n), round(self.test_size * n)
        orders = [stream(seed, "part", j).permutation(n1 + n2) for j in range(self.n_splits)]
        trains, tests = (
            tuple(np.sort(o[part]) for o in orders) for part in (slice(n1), slice(n1, None))
        )
        numbers = np.arange(self.n_splits)
        cut = IndexCut(n=n, trains=trains, tests=tests)
        return Partition(kind=self.kind, seed=seed, cut=cut, repetition=numbers, fold=0 * numbers)


HALF, TENTH, USUAL = RLT(TABLE_J, 0.5), SplitsOfAPart(TABLE_J, 0.5, 0.1), RLT(TABLE_J, 0.9)
NESTED = NestedRLT(HALVINGS, TEST_J, 0.1)


@dataclass(frozen=True, eq=False, kw_only=True)
class Simulation:
    """
    One simulation of NB.

    Attributes
    ----------
    population, n
        What is drawn; its algorithms are A first.
    columns : mapping of str to int
        The column of each B in the table, and its place among the algorithms.
    """

    population: Population
    n: int
    columns: Mapping[str, int]

    def quantities(self, values: Floats, column: str) -> dict[str, Floats]:
        """A, B and A − B of a column, from an array with the algorithms first."""
        a, b = values[0], values[self.columns[column]]
        return {"A": a, "B": b, "A−B": a - b}

    def nulls(self, table: int, column: str) -> dict[str, float]:
        """μ(n/2) of A, B and A − B, in closed form or, where NB read the sizes, from NB's table."""
        if table == 2:
            a, b = (
                ef.lab.truth(self.population, algorithm, self.n // 2).value
                for algorithm in self.population.algorithms()
            )
            return {"A": a, "B": b, "A−B": a - b}
        rows = nb.TABLE_3 if table == 3 else nb.TABLE_4
        place = int(column.split()[1]) - 1 if table == 3 else self.columns[column] - 1
        return {
            name: printed_interval(*rows[f"μ_{name}(n/2)"][place]).value
            for name in ("A", "B", "A−B")
        }


def simulations(problem: str, folder: str | None = None) -> list[Simulation]:
    """The simulations of a problem, as in tables 2, 3 and 4."""
    if problem == "letters":
        w = {f"w = {w:g}": i for i, w in enumerate(DISTORTIONS, start=1)}
        one_nn = (nearest_neighbour(distorted_weights(w)) for w in DISTORTIONS)
        pair: tuple[Algorithm, ...] = (classification_tree(), *one_nn)
        return [
            Simulation(population=letters(folder, pair=pair, replacement=False), n=300, columns=w)
        ]
    kind = MeanLine if problem == "regression" else TwoGaussians
    return [
        Simulation(population=kind.setting(i), n=n, columns={f"simulation {i}": 1})
        for i, n in enumerate(kind.sizes, start=1)
    ]


@dataclass(frozen=True, eq=False, kw_only=True)
class Drawn:
    """
    The hold-out values of a simulation, (algorithms, data sets, splits), by design.

    Besides, ``halves`` has the means inside each half of each halving, and ``losses`` the
    losses of the examples of one split. ``once`` and ``reruns`` are the values of J splits for
    the bootstrap, or None.
    """

    half: Floats
    tenth: Floats
    usual: Floats
    five: Floats
    halves: Floats | None
    losses: Floats
    once: Floats | None
    reruns: Floats | None


def draw(simulation: Simulation, size: Size, store: str | None) -> Drawn:
    """Draw everything that tables and figures are made of; the same data sets for all designs."""

    def drawn(replications: int, *wanted: DesignRequest) -> list[Draws]:
        setup = prepare(
            simulation.population, n=simulation.n, replications=replications, random_state=SEED,
            store=store,
            **machine().effort(),
        )  # fmt: skip
        return setup.draw(wanted)

    many = drawn(
        size.splits, *(DesignRequest(design=design) for design in (HALF, TENTH, USUAL, Mx2(5)))
    )
    (holdouts,) = drawn(size.splits, DesignRequest(design=Holdout(0.5), examples=True))
    few = drawn(size.halvings, DesignRequest(design=NESTED))[0] if size.halvings else None
    again = (
        drawn(size.bootstrap, DesignRequest(design=RLT(TEST_J, 0.5), reruns=RERUNS))[0]
        if size.bootstrap
        else None
    )
    half, tenth, usual, five = (each.losses.values for each in many)
    return Drawn(
        half=half, tenth=tenth, usual=usual, five=five,
        halves=None if few is None else _halves(few.losses.values),
        losses=np.stack([np.asarray(rows[0]) for rows in holdouts.losses.examples or ()]),
        once=None if again is None else again.losses.values,
        reruns=None if again is None else again.reruns,
    )  # fmt: skip


def _halves(values: Floats) -> Floats:
    """
    Means inside each half, (algorithms, data sets, M, 2).

    Splits of the whole data come first.
    """
    means: Floats = _nested(values, HALVINGS, TEST_J).mean(axis=-1)
    return means


def _nested(values: Floats, M: int, J: int) -> Floats:
    """The splits inside each half: (algorithms, data sets, M, 2, J)."""
    return values[..., J:].reshape(*values.shape[:2], M, 2, J)


def measured(simulation: Simulation, drawn: Drawn, column: str) -> dict[str, tuple[float, float]]:
    """μ, ρ and r of a column with their standard errors (NB appendix A.3)."""
    estimates: dict[str, tuple[float, float]] = {}
    for sizes, values in (
        ("n/2;n/2", drawn.half),
        ("n/2;n/10", drawn.tenth),
        ("9n/10;n/10", drawn.usual),
    ):
        for name, v in simulation.quantities(values, column).items():
            if sizes != "n/2;n/10":  # NB has μ(n/2) from the larger test sets
                means = v.mean(axis=1)
                se = float(means.std(ddof=1) / np.sqrt(len(means)))
                estimates[f"μ_{name}({sizes.partition(';')[0]})"] = float(means.mean()), se
            rho = exchangeable_correlation(v)
            estimates[f"ρ_{name}({sizes})"] = float(rho.value), float(rho.standard_error)
    if drawn.halves is None:
        return estimates
    for name, v in simulation.quantities(drawn.halves, column).items():
        r = exchangeable_correlation((v[..., 0] - v[..., 1]) ** 2)
        estimates[f"r_{name}"] = float(r.value), float(r.standard_error)
    return estimates


def table_cells(
    rows: Mapping[str, Sequence[tuple[str, str]]],
    columns: Mapping[str, Mapping[str, tuple[float, float]]],
) -> list[Cell]:
    """The cells of table 2, 3 or 4, row by row."""
    return [
        Cell(
            row=name,
            column=column,
            source=printed_interval(*ends),
            ours=numbers[name][0],
            se=numbers[name][1],
        )
        for name, all_ends in rows.items()
        for (column, numbers), ends in zip(columns.items(), all_ends, strict=True)
        if name in numbers
    ]


def exact_errors() -> Table:
    """NB's closed forms against ours."""
    cells = []
    for i, (population, n) in enumerate(
        (MeanLine.setting(k), n) for k, n in enumerate(MeanLine.sizes, start=1)
    ):
        for size, n1 in (("n/2", n // 2), ("9n/10", 9 * n // 10)):
            a, b = (
                ef.lab.truth(population, algorithm, n1).value
                for algorithm in population.algorithms()
            )
            for name, value in (("A", a), ("B", b), ("A−B", a - b)):
                row = f"μ_{name}({size})"
                source = printed(nb.EXACT_2[row][i])
                cells.append(
                    Cell(row=row, column=f"simulation {i + 1}", source=source, ours=value, se=0.0)
                )
    note = "NB eq. 18 and 19; no Monte Carlo error, only the rounding of the source."
    return Table(name="table-2-exact", title="NB table 2, exact errors", note=note, cells=cells)


def sizes_of_tests(
    simulation: Simulation, drawn: Drawn, column: str, nulls: Mapping[str, float]
) -> dict[str, dict[str, tuple[float, float]]]:
    """Size at level .1 and its error, by quantity and test; the nulls are true."""
    sizes, n1, tenth_of_n = {}, simulation.n // 2, simulation.n // 10
    parts = {
        field: simulation.quantities(getattr(drawn, field), column)
        for field in ("half", "tenth", "five", "halves", "losses")
        if getattr(drawn, field) is not None
    }
    for name, null in nulls.items():
        half, tenth = (parts[field][name][:, :TEST_J] for field in ("half", "tenth"))
        answers = {
            "t": ef.infer.holdout_t(parts["losses"][name], null=null),
            "5×2 t": ef.infer.five_by_two_t(
                parts["five"][name].reshape(len(half), 5, 2), null=null
            ),
            "resampled t, n/10": ef.infer.resampled_t(tenth, null=null),
            "resampled t, n/2": ef.infer.resampled_t(half, null=null),
            "corrected, n/10": ef.infer.corrected_resampled_t(
                tenth, n_train=n1, n_test=tenth_of_n, null=null
            ),
            "corrected, n/2": ef.infer.corrected_resampled_t(
                half, n_train=n1, n_test=n1, null=null
            ),
        }
        if "halves" in parts:
            halves = parts["halves"][name]
            for label, d in (("n/10", tenth), ("n/2", half)):
                answers[f"conservative Z, {label}"] = ef.infer.conservative_z(
                    d[: len(halves)], halves, null=null
                )
        sizes[name] = {test: share(e.pvalue < LEVEL) for test, e in answers.items()}
    return sizes


def bootstrap_sizes(
    simulation: Simulation, drawn: Drawn, column: str, nulls: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """Sizes of the bootstrap for A and A − B beside the resampled t, same data (figures 4, 6)."""
    assert drawn.once is not None
    assert drawn.reruns is not None
    sizes = {}
    once, again = (simulation.quantities(values, column) for values in (drawn.once, drawn.reruns))
    for name in ("A", "A−B"):
        null = nulls[name]
        sizes[f"bootstrap, {name}"] = share(
            ef.infer.bootstrap(once[name], again[name], null=null).pvalue < LEVEL
        )
        sizes[f"resampled-t, {name}"] = share(
            ef.infer.resampled_t(once[name], null=null).pvalue < LEVEL
        )
    return sizes


def reproduce(problem: str, folder: str | None, scale: float, store: str | None) -> list[Table]:
    """The table of a problem, the sizes behind its figures, and what NB say of them."""
    number, rows, figures = {
        "regression": (2, nb.TABLE_2, {"A": 1, "B": 2, "A−B": 3}),
        "gaussians": (3, nb.TABLE_3, {"A": 4, "B": 5, "A−B": 6}),
        "letters": (4, nb.TABLE_4, {"B": 7, "A−B": 8}),
    }[problem]
    columns, cells, counts, boot = {}, [], [], {}
    for simulation in simulations(problem, folder):
        size = (FULL if machine().full else SIZES[problem, simulation.n]).times(scale)
        drawn = draw(simulation, size, store)
        counts.append(f"n = {simulation.n}: {size.splits} and {size.halvings}")
        for column in simulation.columns:
            columns[column] = measured(simulation, drawn, column)
            nulls = simulation.nulls(number, column)
            with degenerate_too():
                if drawn.reruns is not None:
                    boot[column] = bootstrap_sizes(simulation, drawn, column, nulls)
                sizes = sizes_of_tests(simulation, drawn, column, nulls)
            for name, tests in sizes.items():
                if name in figures:
                    row = f"figure {figures[name]}, {name}"
                    cells += [
                        Cell(row=f"{row}: {test}", column=column, source=None, ours=p, se=se)
                        for test, (p, se) in tests.items()
                    ]
    effort = (
        f"Data sets for splits and for halvings: {'; '.join(dict.fromkeys(counts))}; NB have 1000."
    )
    exact = [exact_errors()] if problem == "regression" else []
    note = f"Sizes at level .1, null at the truth, J = {TEST_J}, M = {HALVINGS}. {effort}"
    title = f"sizes behind figures {', '.join(map(str, figures.values()))}"
    return [
        *exact,
        Table(
            name=f"table-{number}",
            title=f"NB table {number}",
            note=effort,
            cells=table_cells(rows, columns),
        ),
        Table(name=f"sizes-{number}", title=f"NB, {title}", note=note, cells=cells),
        Table(
            name=f"claims-{number}",
            title=f"NB, in words, on {title}",
            note="",
            claims=claims.claims(cells, boot),
        ),
    ]


def main() -> None:
    options = arguments(str(__doc__), ["regression", "gaussians", "letters", "curves"])
    for problem in options.parts:
        if problem == "curves":
            figures = {2: (10, 11, 12, 19, 20, 21), 3: (13, 14, 15, 22, 23, 24)}
            publish([claims.of_curves(number, some) for number, some in figures.items()])
            continue
        if problem == "letters" and options.folder is None:
            print("letters left out: give the folder that holds letter.csv.gz")
            continue
        publish(reproduce(problem, options.folder, options.scale, options.store))


if __name__ == "__main__":
    main()
