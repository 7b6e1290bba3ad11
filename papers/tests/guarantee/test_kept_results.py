"""Kept results, most of them made by a GPU: a sample of them measured again here, on the CPU."""

from collections.abc import Sequence
from math import hypot

import pytest
from papers import nb, pages, r19_designs, r19_printed, r19_tests, w14, w14_networks
from papers._table import Cell, Table, kept
from papers.r19_draws import Run

from evenfold.infer.theory.covariance import mx2_correlations
from evenfold_lab import estimators
from evenfold_lab.arrays import Place
from evenfold_lab.populations import TwoGaussians, W14Gaussians5d
from evenfold_lab.studies._base import share

FEW = Run(folder=None, scale=0.02, store=None)  # 200 data sets of 10 000


def stored(source: str, name: str) -> dict[tuple[str, str], Cell]:
    return {(c.row, c.column): c for c in kept(pages.RESULTS / source / f"{name}.json").cells}


def same(known: Cell, found: tuple[float, float]) -> None:
    value, se = found
    assert abs(value - known.ours) < 4 * hypot(se, known.se), (known.row, known.column, value, known.ours)


@pytest.mark.parametrize("n", [40, 200])
@pytest.mark.parametrize(("key", "data_sets"), [("nb", 5000), ("cr", 2000)])
def test_w14_table_4(key: str, data_sets: int, n: int) -> None:
    known = stored("w14", f"table-4-{key}")
    name, algorithm = w14.CLASSIFIERS[key]
    found = w14.correlations(W14Gaussians5d(), algorithm(), n, data_sets, None)
    for which, one in zip(("ρ1", "ρ2"), found, strict=True):
        same(known[f"{name}, n = {n}", which], one)


@pytest.mark.parametrize(("n", "data_sets"), [(40, 1000), (200, 400)])
def test_w14_table_4_network(n: int, data_sets: int) -> None:
    """Data sets that the GPU did not have."""
    known = stored("w14", "table-4-network")
    found = mx2_correlations(w14_networks._six(Place.of(None), n, data_sets, -1))
    for which, rho in zip(("ρ1", "ρ2"), found, strict=True):
        same(known[f"network, n = {n}", which], (float(rho.value), float(rho.standard_error)))


def test_w14_table_2() -> None:
    known = stored("w14", "table-2")
    (rho1, se1), (rho2, se2) = w14.correlations(W14Gaussians5d(), estimators.logistic(), 150, 1000, None)
    same(known["n = 150", "1 − 2ρ1"], (1 - 2 * rho1, 2 * se1))
    same(known["n = 150", "2ρ2"], (2 * rho2, 2 * se2))


def test_w14_table_6() -> None:
    known = stored("w14", "table-6")
    for test, found in w14.type1(TwoGaussians.setting(2), 200, 1000, None).items():
        same(known[test, "simulation 1"], found)


def _all(tables: Sequence[Table], source: str, rows: str) -> None:
    for table in tables:
        known = stored(source, table.name)
        for cell in table.cells:
            if rows in cell.row:
                same(known[cell.row, cell.column], (cell.ours, cell.se))


def test_r19_table_3_6(monkeypatch: pytest.MonkeyPatch) -> None:
    """Least squares on SREG alone: the lasso would take as long as all the rest."""
    printed = [row for row in r19_printed.TABLE_3_6.splitlines() if "+lm+" in row]
    monkeypatch.setattr(r19_printed, "TABLE_3_6", "\n".join(printed))
    _all(list(r19_designs.coefficients(FEW, "SREG")), "r19", "+lm+")


def test_r19_tables_2_9_to_2_11() -> None:
    _all(list(r19_designs.designs(FEW, "SREG+lm")), "r19", "+lm+")


def test_r19_table_5_6() -> None:
    _all(list(r19_tests.variance_estimates(FEW, only=("5.6",))), "r19", "")


def test_r19_table_5_8() -> None:
    """400 draws of each fit: a share that is 0 among so few says little, its error is that of one more."""
    _all(list(r19_tests.toy(FEW)), "r19", "")


def test_r19_example_6_1() -> None:
    _all(list(r19_tests.example(Run(folder=None, scale=0.2, store=None))), "r19", "")


def test_nb_table_2_and_its_sizes() -> None:
    """A tenth of the data sets; sizes of all tests of figures 1 to 3."""
    made = [table for table in nb.reproduce("regression", None, 0.1, None) if table.name != "table-2-exact"]
    assert any(table.cells for table in made)
    _all(made, "nb", "")


def test_w14_tables_8_and_9() -> None:
    """Networks on iris, 100 runs; scikit-learn's iris has two rows that are other than UCI's."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    for table, units, found in w14_networks.rejections(Place.of(None), X, y.astype(float), [3], 100):
        known = stored("w14", f"table-{table}")
        for test in w14.TESTS:
            same(known[f"iris, {units} units", test], share(found[test]))
