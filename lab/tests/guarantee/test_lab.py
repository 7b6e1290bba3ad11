"""
What the lab finds, where the answer is known.

Exact oracles, the order of designs and its exceptions.
"""

from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.infer.theory.covariance import normal_mean
from evenfold_lab.estimators import nearest_neighbour
from evenfold_lab.populations import Digits
from evenfold_lab.studies.battery import BATTERY, SEED

pytestmark = pytest.mark.guarantee

HALVES: list[Any] = [ef.design.RLT(4, 0.5), ef.design.Mx2(2), ef.Mx2BCV(2)]


@pytest.mark.parametrize("n", [16, 40, 100])
def test_exact_correlations(n: int) -> None:
    found = ef.lab.correlations("normal-mean", n=n, m=3, replications=20_000, random_state=n)
    exact = normal_mean(n)
    assert abs(found.rho1 - exact.rho1) < 4 * found.rho1_se < 0.05
    assert abs(found.rho2 - exact.rho2) < 4 * found.rho2_se < 0.05


def test_random_halves_vary_most_where_the_theorem_holds() -> None:
    """R19 theorem 2.3: f is convex for the sample mean, so RHS ≥ m×2 ≥ m×2 BCV at equal cost."""
    study = ef.lab.variance(
        "normal-mean", designs=HALVES, n=16, replications=20_000, random_state=0
    )
    _, random, designed = study.rows
    assert random["reduction"] > 3 * random["reduction_se"]
    assert designed["reduction"] > random["reduction"]


def test_and_do_not_where_complementary_halves_go_together() -> None:
    """
    1-NN on ten digits with 20 training examples.

    ρ1 above ρ2, so m×2 loses against random halves.
    """
    one = [nearest_neighbour()]
    found = ef.lab.correlations(Digits(), algorithms=one, n=40, replications=5000, random_state=0)
    assert found.rho1 - found.rho2 > 3 * np.hypot(found.rho1_se, found.rho2_se)
    study = ef.lab.variance(
        Digits(), algorithms=one, designs=HALVES, n=40, replications=10_000, random_state=0
    )
    assert study.rows[1]["reduction"] < -3 * study.rows[1]["reduction_se"]


def test_a_card_can_be_measured_again() -> None:
    """Other seeds find the sizes that the card of ``5x2-combined-t`` has on Gaussian hold-outs."""
    item = BATTERY[0]
    card = ef.infer.methods()["5x2-combined-t"].card
    assert card is not None
    known = next(row for row in card["measured"] if row["population"] == item.title)
    study = ef.lab.type1(
        item.population, methods=["5x2-combined-t"], replications=20_000, random_state=SEED + 1
    )
    assert abs(study.rows[0]["size"] - known["size"]) < 4 * known["size_se"]
