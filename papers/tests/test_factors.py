"""A share of a standard error: intervals shrink by it and by nothing else."""

import numpy as np
from papers.bench.factors import FACTORS, RESULTS, name, one_run, shrunk_tests
from papers.bench.page import read

from evenfold_lab.bench import TESTS, families
from evenfold_lab.bench.material import Material


def _material(n: int) -> Material:
    rng = np.random.default_rng(3)
    halves = rng.normal(size=(20, 1, n)) + 0.2 * rng.normal(size=(20, 9, n))
    return Material(
        n=n,
        classes=True,
        single=False,
        measure="brier",
        values={},
        parts={"halvings": halves, "folds": halves.mean(axis=1)},
        whole=np.zeros(20),
        sizes={"folds": (n - n // 10, n // 10)},
    )


def test_intervals_shrink_by_their_factor() -> None:
    material = _material(100)
    usual = TESTS["full-size-t"].answer(material)
    for factor, test in zip(FACTORS, shrunk_tests(), strict=True):
        found = test.answer(material)
        np.testing.assert_allclose(found.high - found.low, factor * (usual.high - usual.low))
        np.testing.assert_array_equal(found.estimate, usual.estimate)
        assert found.fits == 28
        assert test.key == name(factor)


def test_one_run_tests_everybody_once() -> None:
    family = one_run(103, np.random.default_rng(4))
    assert (family.tests.sum(axis=0) == 1).all()
    assert len(family.tests) == families.FOLDS


def test_every_row_has_all_factors() -> None:
    rows = read(RESULTS)
    assert {row["test"] for row in rows} == {name(factor) for factor in FACTORS}
    assert all(int(row["data_sets"]) >= 300 for row in rows if row["error"] or row["coverage"])
