"""
What "Which training size is the answer about?" claims, on populations unknown to the formula.

Every figure is printed with its Monte Carlo standard error (``pytest -s`` shows them); many more
are in ``papers/sharp``.
"""

from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.partition import Partition
from evenfold.core.ranking import placements
from evenfold.core.rng import stream
from evenfold.design import FoldsAndHalves
from evenfold_lab import estimators
from evenfold_lab.draws import DesignRequest
from evenfold_lab.populations import SCla, SReg, W14Gaussians5d, W14Logistic
from evenfold_lab.studies._base import prepare

pytestmark = pytest.mark.guarantee

REPLICATIONS = 1000
SEED = 18
DESIGN = FoldsAndHalves(10, 9)


def _se(p: float, R: int = REPLICATIONS) -> float:
    return float(np.sqrt(max(p, 0.01) * (1 - p) / R))


def _cases() -> list[Any]:
    e = estimators
    found = {
        "LDA/NB": (SCla(p=20), (e.lda(), e.naive_bayes()), "zero-one"),
        "1-NN/NB": (W14Gaussians5d(), (e.nearest_neighbour(), e.naive_bayes()), "zero-one"),
        "LDA/1-NN": (W14Logistic(), (e.lda(), e.nearest_neighbour()), "zero-one"),
        "OLS/ridge": (SReg(p=20), (e.ols(), e.ridge(5.0)), "squared"),
    }
    return [pytest.param(*case, id=name) for name, case in found.items()]


@pytest.mark.parametrize(("population", "pair", "measure"), _cases())
def test_error_of_differences_and_of_changes_and_coverage_for_one(
    population: Any, pair: Any, measure: str
) -> None:
    setup = prepare(
        population,
        algorithms=pair,
        measure=measure,
        n=200,
        replications=REPLICATIONS,
        random_state=SEED,
    )
    (draws,) = setup.draw([DesignRequest(design=DESIGN, examples=True)])
    found = ef.infer.size_change(draws.losses)
    for name, e in (("difference", found.large), ("change", found.change)):
        low, high = e.confidence_interval()
        true = np.mean(e.value)
        error = float(np.mean((low > true) | (high < true)))
        print(f"{name}: error {error:.4f} ± {_se(error):.4f}")
        assert error <= 0.06 + 2 * _se(0.06)
    for i, one in enumerate(pair):
        low, high = ef.infer.size_change(
            draws.losses, challenger=i, baseline=None
        ).large.confidence_interval()
        true = draws.losses.means()[i].mean()
        covered = float(np.mean((low <= true) & (true <= high)))
        print(f"{one.name}: covers {covered:.4f} ± {_se(covered):.4f}")
        assert 0.93 - 2 * _se(0.93) <= covered <= 0.985 + 2 * _se(0.98)


def test_power_beside_nested_cross_validation_with_a_fifth_of_its_fits() -> None:
    """At one difference, not at 2.8 sd of each: the mean of ten runs of folds varies less."""
    options: dict[str, Any] = {
        "n": 200, "replications": 300, "random_state": SEED, "progress": False,
        "algorithms": (estimators.lda(), estimators.naive_bayes()),
        "methods": {"full-size-t": DESIGN, "nested-cv": ef.design.NestedKFold(5, 10)},
        "differences": [0.06, 0.08, 0.10],
    }  # fmt: skip
    frame = ef.lab.power(SCla(p=20), **options).to_frame()
    power = frame.groupby("method")["power"].mean()
    print(power.round(3).to_string())
    assert power["full-size-t"] > 0.75 * power["nested-cv"] - 2 * _se(0.5, 300)


def _error(values: np.ndarray, partition: Partition, **options: Any) -> float:
    """Error at the true mean; of values (R, 10, n), those of the folds last."""
    sides = np.zeros((9, partition.n), dtype=bool)
    for side, test in zip(sides, partition.test[:18:2], strict=True):
        side[test] = True
    e = ef.infer.full_size_t(values[:, 9:], values[:, :9], sides=sides, **options)
    low, high = e.confidence_interval()
    true = np.mean(e.value)
    return float(np.mean((low > true) | (high < true)))


def _centroid(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    direction: np.ndarray = x[y == 1].mean(axis=0) - x[y == 0].mean(axis=0)
    return direction


def _discriminant(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    within = x - np.where(y[:, None] == 1, x[y == 1].mean(axis=0), x[y == 0].mean(axis=0))
    direction: np.ndarray = np.linalg.solve(within.T @ within / len(x), _centroid(x, y))
    return direction


def _of_two_features(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    direction: np.ndarray = _centroid(x, y) * (np.arange(x.shape[1]) < 2)
    return direction


def test_groups_count_as_one() -> None:
    """
    Fifty groups of four that share a shift.

    Two linear rules, cut at the middle of the classes.
    """
    R = 500
    groups = np.repeat(np.arange(50), 4)
    partition = FoldsAndHalves(10, 9, balance="groups", random_state=0).partition(
        200, groups=groups
    )
    rng = stream(SEED, "groups")
    found = np.empty((R, 10, 200))
    for one in found:
        y = (rng.random(200) < 0.5).astype(int)
        x = rng.normal(size=(200, 5)) + 0.8 * rng.normal(size=(50, 5))[groups] + 0.7 * y[:, None]
        for j, (train, test) in enumerate(partition):
            middle = (
                x[train][y[train] == 1].mean(axis=0) + x[train][y[train] == 0].mean(axis=0)
            ) / 2
            wrong = [
                ((x[test] - middle) @ rule(x[train], y[train]) > 0) != y[test]
                for rule in (_centroid, _of_two_features)
            ]
            one[min(j // 2, 9), test] = wrong[1] * 1.0 - wrong[0]
    error = _error(found, partition, clusters=groups)
    print(f"error {error:.4f} ± {_se(error, R):.4f}")
    assert error <= 0.06 + 2 * _se(0.06, R)


def test_areas_under_the_curve() -> None:
    """Two linear rankings of 200 examples, by values whose mean is the area of a test set."""
    R = 500
    y = np.repeat([0, 1], 100)
    partition = FoldsAndHalves(10, 9, balance="labels", random_state=0).partition(200, y=y)
    rng = stream(SEED, "areas")
    found = np.empty((R, 10, 200))
    for one in found:
        x = rng.normal(size=(200, 8))
        x = x + 0.5 * np.roll(x, 1, axis=1) + 0.4 * y[:, None] * (np.arange(8) < 3)
        for j, (train, test) in enumerate(partition):
            a, b = (
                _area_values(x[test] @ rule(x[train], y[train]), y[test])
                for rule in (_centroid, _discriminant)
            )
            one[min(j // 2, 9), test] = b - a
    error = _error(found, partition, zeros=False)
    print(f"error {error:.4f} ± {_se(error, R):.4f}")
    assert error <= 0.06 + 2 * _se(0.06, R)


def _area_values(scores: np.ndarray, y: np.ndarray) -> np.ndarray:
    parts = placements(scores, y == 1)
    n = len(y)
    values = np.empty(n)
    for part, mine in zip(parts, (y == 1, y == 0), strict=True):
        m = len(part)
        area = part.mean()
        values[mine] = area + np.sqrt(n * (n - 1) / (m * (m - 1))) * (part - area)
    return values
