"""The scripts of the experiments, on tiny sizes and without the data folder; T15 exactly."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from papers import _blocks, _nb_claims, _nb_printed, nb, t15, w14
from papers._table import Cell, Claim, Table, printed, printed_interval, printed_share
from scipy import stats

import evenfold as ef
from evenfold.design import Blocked3x2, NestedRLT
from evenfold.infer.theory.covariance import mx2_correlations
from evenfold_lab import estimators
from evenfold_lab.populations import MeanLine, TwoGaussians, W14Gaussians5d


def _cell(text: str, ours: float, se: float = 0.0) -> Cell:
    return Cell(row="a", column="b", source=printed(text), ours=ours, se=se)


@pytest.mark.parametrize(
    ("cell", "agrees"),
    [
        (_cell("0.76", 0.7649), True),  # within the rounding
        (_cell("0.76", 0.766), False),
        (_cell("0.76", 0.79, se=0.009), True),  # .030 ≤ 3·.009 + .005
        (_cell("0.76", 0.80, se=0.009), False),
        (Cell(row="a", column="b", source=None, ours=0.1, se=0.01), None),
    ],
)
def test_a_value_agrees_within_three_errors_and_the_rounding(
    cell: Cell, agrees: bool | None
) -> None:
    assert cell.agrees is agrees


def test_printed_intervals_and_shares_know_their_errors() -> None:
    interval = printed_interval("0.225", "0.298")
    assert interval.value == pytest.approx(0.2615)
    assert interval.se == pytest.approx(0.073 / 2 / 1.96, rel=1e-4)
    assert printed_share("0.05", 1000).se == pytest.approx(np.sqrt(0.05 * 0.95 / 1000), rel=0.02)


def test_a_table_is_shown_with_its_claims() -> None:
    cells = [_cell("0.76", 0.5), _cell("0.5", 0.5)]
    claims = [Claim(says="x", holds=False, here="y")]
    text = Table(name="one", title="t", note="note", cells=cells, claims=claims).markdown()
    assert text.startswith("note\n\n|  | b |\n")
    assert "- **no**: x (y)" in text
    assert text.endswith("1 of 2 values agree. 0 of 1 claims hold.")


def test_t15_agrees_but_for_its_known_errors() -> None:
    cells = [*t15.example_1().cells, *t15.example_2().cells]
    differ = {cell.row: cell.ours for cell in cells if not cell.agrees}
    expected = {
        "accuracy by the first list, (32, 28, 30, 32, 28)": 0.75,
        "variance of the fold accuracies": 0.00175,
        "half-width over t, averaged over folds": np.sqrt(0.00175 / 5),
        "s² of y, counts (30, 44, 26) as printed": (56 - 100 * 0.04**2) / 99,
        "t, counts (30, 44, 26) as printed": -0.04 / np.sqrt((56 - 100 * 0.04**2) / 9900),
    }
    assert differ.keys() == expected.keys()
    for row, value in expected.items():
        assert differ[row] == pytest.approx(value, rel=1e-12)
    assert not any(claim.holds for claim in t15.formulas().claims)


def test_nb_tables_are_complete() -> None:
    for table, columns in (
        (_nb_printed.TABLE_2, 4),
        (_nb_printed.TABLE_3, 4),
        (_nb_printed.TABLE_4, 6),
    ):
        assert len(table) == 18
        assert all(len(row) == columns for row in table.values())
        assert all(float(low) <= float(high) for row in table.values() for low, high in row)


def test_nb_exact_errors_agree() -> None:
    assert all(cell.agrees for cell in nb.exact_errors().cells)


def test_nb_throws_data_away_before_it_splits() -> None:
    partition = nb.SplitsOfAPart(9, 0.5, 0.1, random_state=0).partition(40)
    assert (partition.n_train, partition.n_test) == (20, 4)
    # train and test use up the 24 examples that are kept, so any two test sets overlap as NB's ρ0
    # supposes
    assert all(sorted([*train, *test]) == list(range(24)) for train, test in partition)


def test_nb_runs_small(monkeypatch: pytest.MonkeyPatch) -> None:
    small = nb.Simulation(population=MeanLine.setting(1), n=40, columns={"simulation 1": 1})
    monkeypatch.setattr(nb, "simulations", lambda problem, folder=None: [small])  # noqa: ARG005 - one signature
    monkeypatch.setitem(nb.SIZES, ("regression", 40), nb.Size(splits=10, halvings=10, bootstrap=10))
    monkeypatch.setattr(nb, "HALVINGS", 2)
    monkeypatch.setattr(nb, "NESTED", NestedRLT(2, nb.TEST_J, 0.1))
    monkeypatch.setattr(nb, "RERUNS", 2)
    one = {name: row[:1] for name, row in _nb_printed.TABLE_2.items()}
    monkeypatch.setattr(_nb_printed, "TABLE_2", one)
    _, table, sizes, said = nb.reproduce("regression", None, 1.0, None)
    assert len(table.cells) == 18
    assert all(np.isfinite([cell.ours, cell.se]).all() for cell in [*table.cells, *sizes.cells])
    assert len(sizes.cells) == 3 * 8
    assert any("bootstrap" in claim.says for claim in said.claims)


def test_nb_claims_are_judged_by_the_sizes() -> None:
    def cell(test: str, size: float) -> Cell:
        return Cell(
            row=f"figure 2, B: {test}", column="simulation 1", source=None, ours=size, se=0.01
        )

    sizes = {"resampled t, n/10": 0.4, "resampled t, n/2": 0.3, "conservative Z, n/10": 0.25,
             "conservative Z, n/2": 0.05}  # fmt: skip
    found = _nb_claims.claims([cell(*item) for item in sizes.items()], {})
    assert [claim.holds for claim in found] == [True, False, True, True, False]
    near = _nb_claims.claims([cell(test, 0.125) for test in sizes], {})
    assert [claim.holds for claim in near] == [None, True, None, None, None]
    below = _nb_claims.claims([cell(test, 0.09) for test in sizes], {})
    assert below[2].says.endswith("at times liberal")
    assert below[2].holds is False


def test_w14_correlations_and_tables_run_small(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in w14.SIZES:
        monkeypatch.setitem(w14.SIZES, key, lambda n: 50)  # noqa: ARG005 - one signature
    monkeypatch.setattr(_blocks, "PART", 100)
    two = w14.table_2_or_3(2, None, 0.2, None, sizes=[150])
    four = w14.table_4("cr", 0.2, None, sizes=[40])
    assert len(two.cells) == 2
    assert len(four.cells) == 2
    assert all(np.isfinite([cell.ours, cell.se]).all() for cell in [*two.cells, *four.cells])
    assert all(claim.holds for claim in w14.arithmetic().claims)


def test_w14_tests_follow_its_formulas() -> None:
    found = w14.type1(TwoGaussians.setting(2), 40, 20, None)
    assert set(w14.TESTS) < set(found)
    d = np.array([[0.1, 0.3]])
    p = w14.pvalues(d, np.repeat(d, 5, axis=1), np.repeat(d, 3, axis=1))
    s2 = 0.02
    assert p["t_CCV"] == pytest.approx(2 * stats.t.sf(0.2 / np.sqrt(3 * s2), 1))
    assert p["t_CCV, 1.5·S²"] == pytest.approx(2 * stats.t.sf(0.2 / np.sqrt(1.5 * s2), 1))


def test_w14_replicability_counts_pairs_of_cuts() -> None:
    k: Any = np.array([0.0, 3.0, 10.0])
    value, se = w14.agreement(k, 10)
    assert value == pytest.approx((1 + (3 + 21) / 45 + 1) / 3)
    assert 0 < se < 0.2
    sample = W14Gaussians5d().draw(60, 1, np.random.default_rng(0))
    pair = {"bayes": estimators.naive_bayes(), "lda": estimators.lda()}
    found = w14.rejections(sample.X[0], sample.y[0], pair, 4)
    assert {test: len(hits) for test, hits in found["bayes", "lda"].items()} == dict.fromkeys(
        (*w14.TESTS, "t_CCV, 1.5·S²"), 4
    )


def test_w14_blocks_are_balanced_by_class() -> None:
    """Quarters of the order: all examples once, classes apart by at most one."""
    rng = np.random.default_rng(0)
    for n in (40, 150):
        y = (rng.random((30, n)) < 0.4).astype(float)
        order = _blocks.balanced_order(y, rng)
        assert (np.sort(order, axis=1) == np.arange(n)).all()
        quarters = np.take_along_axis(y, order, axis=1)[:, : n - n % 4].reshape(30, 4, -1)
        assert np.ptp(quarters.sum(axis=2), axis=1).max() <= 1
    splits = _blocks.shared_splits(40)
    assert splits.trains.shape == (6, 40)
    shared = splits.trains[::2].astype(int) @ splits.trains[::2].T.astype(int)
    assert shared.tolist() == [[20, 10, 10], [10, 20, 10], [10, 10, 20]]
    assert (splits.tests == ~splits.trains).all()


def test_w14_blocks_have_the_values_of_the_library_s_design(tmp_path: Path) -> None:
    """Naive Bayes, n = 40: ρ1 and ρ2 as with ``Blocked3x2(balance="labels")``, and kept parts."""
    world = W14Gaussians5d()
    made = estimators.naive_bayes()
    values = _blocks.holdout_values(world, made, 40, 5000, seed=1, store=tmp_path)
    assert len(list(tmp_path.glob("*.npy"))) == 1
    again = _blocks.holdout_values(world, made, 40, 3000, seed=1, store=tmp_path)
    assert (again == values[:3000]).all()
    design = Blocked3x2(balance="labels")
    study = ef.lab.variance(
        world, designs=[design], algorithms=[made], n=40, replications=500, random_state=1,
        progress=False,
    )  # fmt: skip
    drawn = study.draws[repr(design)].values[0].reshape(500, 3, 2)
    for ours, theirs in zip(mx2_correlations(values), mx2_correlations(drawn), strict=True):
        error = np.hypot(float(ours.standard_error), float(theirs.standard_error))
        assert abs(float(ours.value) - float(theirs.value)) < 4 * error
