"""Equal forecasters: the moments of their differences, and what studies say of tests on them."""

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold_lab import check_population
from evenfold_lab.populations import Forecasters


@pytest.mark.parametrize(
    "population",
    [
        Forecasters(),
        Forecasters(horizon=4, shared=0.5),
        Forecasters(horizon=3, ar=0.5, wilder=2.0, turn=1.0),
    ],
)
def test_the_moments_are_as_said(population: Forecasters) -> None:
    check_population(population)
    d = population.draw_path(40, 20_000, np.random.default_rng(0))
    assert d.shape == (20_000, 40)
    means = d.mean(axis=-1)
    variance = population.variance_of_mean(40)
    assert abs(means.mean()) < 4 * np.sqrt(variance / len(d))
    # four errors of a variance of skewed means
    assert means.var() == pytest.approx(variance, rel=0.06)


def test_differences_are_correlated_below_the_horizon_and_no_further() -> None:
    d = Forecasters(horizon=3).draw_path(60, 4000, np.random.default_rng(1))
    lagged = [float((d[:, k:] * d[:, : 60 - k]).mean() / (d**2).mean()) for k in range(5)]
    assert lagged == pytest.approx([1.0, (2 / 3) ** 2, (1 / 3) ** 2, 0.0, 0.0], abs=0.03)


def test_a_study_of_tests_along_a_path() -> None:
    path = ef.design.RollingWindow(20, 1, gap=3)
    population = ef.lab.population("forecasters", horizon=4)
    study = ef.lab.type1(
        population, methods={"diebold-mariano": path, "giacomini-white": path}, n=420,
        replications=600,
        random_state=0,
    )  # fmt: skip
    size = study.to_frame().set_index("method")["size"]
    assert 0.02 < size["diebold-mariano"] <= size["giacomini-white"] < 0.10
    usual = ef.lab.type1("forecasters", n=100, replications=50, random_state=0).to_frame()
    assert set(usual["method"]) == {"diebold-mariano", "diebold-mariano-fixed-b", "giacomini-white"}
    with pytest.raises(InvalidInput, match="design must be growing or rolling windows"):
        ef.lab.type1(
            "forecasters", methods={"diebold-mariano": ef.KFold(5)}, n=100, replications=50
        )
