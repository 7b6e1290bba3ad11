"""The promise of the gate on right/wrong answers: its worst error over all shares that differ."""

import numpy as np
import pytest
from scipy import special

from evenfold.infer.one_test_set.tango_exact import null_tails, pvalues, score

pytestmark = pytest.mark.guarantee

LEVELS = (0.005, 0.01, 0.025, 0.05, 0.1)


def worst_errors(n: int, margin: float) -> list[float]:
    """By enumeration of all tables of n examples, at shares that the test did not look at."""
    fixed, broke = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0), indexing="ij")
    possible = fixed + broke <= n
    fixed, broke = fixed[possible], broke[possible]
    p = np.concatenate(
        [
            pvalues(
                fixed[i : i + 2000],
                broke[i : i + 2000],
                n,
                np.full(len(fixed[i : i + 2000]), -margin),
            )
            for i in range(0, len(fixed), 2000)
        ]
    )
    rest = n - fixed - broke
    ways = special.gammaln(n + 1) - special.gammaln(fixed + 1) - special.gammaln(broke + 1)
    ways = ways - special.gammaln(rest + 1)
    worst = np.zeros(len(LEVELS))
    for share in np.linspace(margin, 1.0, 211):
        logs = special.xlogy(fixed, (share - margin) / 2) + special.xlogy(
            broke, (share + margin) / 2
        )
        chance = np.exp(ways + logs + special.xlogy(rest, max(1 - share, 0.0)))
        worst = np.maximum(worst, [chance[p <= level].sum() for level in LEVELS])
    return worst.tolist()


@pytest.mark.parametrize("n", [10, 11, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128])
def test_the_worst_error_of_the_gate_is_at_most_its_level(n: int) -> None:
    for margin in sorted({1 / n, 2 / n, 0.02, 0.05, 0.1, 0.2}):
        if margin < 1 / n:
            continue
        for level, error in zip(LEVELS, worst_errors(n, margin), strict=True):
            assert error <= level + 1e-5, (n, margin, level)


@pytest.mark.parametrize(
    ("n", "margin"), [(50, 0.05), (100, 0.03), (100, 0.05), (200, 0.03), (200, 0.02), (500, 0.01)]
)
def test_power_is_within_four_points_of_that_of_tangos_normal_law(n: int, margin: float) -> None:
    fixed, broke = np.meshgrid(np.arange(30.0), np.arange(30.0), indexing="ij")
    fixed, broke = fixed.ravel(), broke.ravel()
    null = np.full(len(fixed), -margin)
    exact = pvalues(fixed, broke, n, null) <= 0.05
    normal = special.ndtr(-score(fixed, broke, n, null)) <= 0.05
    ways = special.gammaln(n + 1) - special.gammaln(fixed + 1) - special.gammaln(broke + 1)
    ways = ways - special.gammaln(n - fixed - broke + 1)
    # with 2% of answers that differ, as in docs/infer/holdout; elsewhere up to .05 where the normal
    # law errs .059
    for share, most in ((0.005, 0.06), (0.01, 0.06), (0.02, 0.04), (0.03, 0.06)):
        chance = np.exp(
            ways + (fixed + broke) * np.log(share / 2) + (n - fixed - broke) * np.log(1 - share)
        )
        assert chance[normal].sum() - chance[exact].sum() < most


def test_the_normal_law_errs_little_where_it_takes_over() -> None:
    z = np.array([-float(special.ndtri(0.05)) + 1e-9])
    for n in (2000, 5000):
        shares = np.linspace(1000 / n, 1.0, 40)[None]
        worst = max(
            float(null_tails(n, np.array([-0.01]), z, shares[:, [k]])[0, 0]) for k in range(40)
        )
        assert worst < 0.0525
