"""
Kept results, most of them made by a GPU: a quick sample of them measured again.

Guarantee/ has more.
"""

import numpy as np
import pytest
from papers import curves_nb, nb, pages, r19_designs, r19_gains, r19_printed, r19_tests, w14
from papers.r19_draws import Run, rows_of
from papers.tests.remeasure import FEW, all_same, same, stored

from evenfold_lab.populations import TwoGaussians, W14Gaussians5d


def test_w14_table_6() -> None:
    known = stored("w14", "table-6")
    for test, found in w14.type1(TwoGaussians.setting(2), 200, 1000, None).items():
        same(known[test, "simulation 1"], found)


def test_r19_table_5_8() -> None:
    """400 draws of each cell: a share of 0 among so few says little; its error is of one more."""
    all_same(list(r19_tests.toy(FEW)), "r19", "")


def test_r19_example_6_1() -> None:
    all_same(list(r19_tests.example(Run(folder=None, scale=0.05, store=None))), "r19", "")


def test_r19_table_5_6() -> None:
    all_same(list(r19_tests.variance_estimates(FEW, only=("5.6",))), "r19", "")


def test_r19_table_3_6(monkeypatch: pytest.MonkeyPatch) -> None:
    """Least squares on SREG alone: the lasso would take as long as all the rest."""
    printed = [row for row in r19_printed.TABLE_3_6.splitlines() if "+lm+" in row]
    monkeypatch.setattr(r19_printed, "TABLE_3_6", "\n".join(printed))
    all_same(list(r19_designs.coefficients(FEW, "SREG")), "r19", "+lm+")


def test_w14_table_4() -> None:
    """Naive Bayes, 2000 data sets that the GPU did not have."""
    known = stored("w14", "table-4-nb")
    name, algorithm = w14.CLASSIFIERS["nb"]
    found = w14.correlations(W14Gaussians5d(), algorithm(), 40, 2000, None)
    for which, one in zip(("ρ1", "ρ2"), found, strict=True):
        same(known[f"{name}, n = 40", which], one)


@pytest.mark.parametrize("name", ["SREG+lm+500+100"])
def test_r19_table_2_11(name: str) -> None:
    """What even halves save within data sets, from 50 data sets in place of 400."""
    known = stored("r19", "2.11-SREG-gain")
    world = r19_designs.setup(name.replace("+500+", "+496+"), None)
    found = r19_gains.covariances(FEW.values(world, r19_gains.EightBlocks(), 50)[0])
    variances = r19_gains._kept_variances(name)
    for design in ("RHS", "m×2", "BCV"):
        for J in (6, 10, 14):
            saved = (
                100
                * (found @ r19_gains.contrasts(500, J)[design])
                / variances[f"{design} J={J}"][0]
            )
            se = float(saved.std(ddof=1) / np.sqrt(len(saved)))
            same(known[name, f"% {design} J={J}"], (float(saved.mean()), se))


def test_r19_table_3_8() -> None:
    known = stored("r19", "3.8-SREG-gain")
    for name, _, _ in rows_of(r19_printed.TABLE_3_8):
        if "+lm+" in name:
            values = FEW.values(r19_designs.setup(name, None), r19_gains.EightBlocks(), 50)[0]
            for m in (3, 9):
                same(known[name, f"% m={m}"], r19_gains.gain(values, 1000, m))


def test_nb_bootstrap(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Simulation 1 of the Gaussians, 100 data sets in place of 1000.

    All four tests at all nulls drawn.
    """
    first = nb.simulations("gaussians")[:1]
    monkeypatch.setattr(nb, "simulations", lambda problem: first)  # noqa: ARG005 - one signature
    for made in curves_nb.nb_bootstrap(2.0):
        known = pages.read(pages.RESULTS / "nb" / f"{made.name}.json")["panels"]["simulation 1"]
        for test, points in made.panels["simulation 1"].items():
            for (_, share, se), (_, kept_share, kept_se) in zip(points, known[test], strict=True):
                assert abs(share - kept_share) < 4 * np.hypot(se, kept_se) + 0.01
