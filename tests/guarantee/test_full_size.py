"""
What "Which training size is the answer about?" claims, on populations that had no part in the formula.

Every figure is printed with its Monte Carlo standard error (``pytest -s`` shows them); many more are in
``benchmarks/sharp``.
"""

from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.design import FoldsAndHalves
from evenfold.lab import estimators
from evenfold.lab.draws import Wanted
from evenfold.lab.populations import SCla, SReg, W14Gaussians5d, W14Logistic
from evenfold.lab.studies._base import prepare

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
        population, algorithms=pair, measure=measure, n=200, replications=REPLICATIONS, random_state=SEED
    )
    (draws,) = setup.draw([Wanted(design=DESIGN, examples=True)])
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
