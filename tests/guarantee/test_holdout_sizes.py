"""
Sizes and coverages of the tests on hold-out values under the Gaussian model they are made for.

Every figure is printed with its Monte Carlo standard error (``pytest -s`` shows them). The same
draws serve all correlations: with standard normals G, R_i, E_i the halves of repetition i are √ρ2·G
+ √(λ2/2)·R_i ± √(λ1/2)·E_i, λ1 = 1 − ρ1, λ2 = 1 + ρ1 − 2ρ2.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.estimate import Alternative
from evenfold.core.rng import stream
from evenfold.infer.halves import sequential as _boundary

pytestmark = pytest.mark.guarantee

N = 200_000
GRID = [(i / 20, j / 20) for i in range(11) for j in range(11)]
COARSE = [(i / 10, j / 10) for i in range(6) for j in range(6)]


@cache
def _normals(m: int, n: int = N) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = stream(1, "guarantee", m)
    return (
        rng.standard_normal((n, 1, 1)),
        rng.standard_normal((n, m, 1)),
        rng.standard_normal((n, m, 1)),
    )


def halves(m: int, rho1: float, rho2: float, n: int = N) -> np.ndarray:
    """Gaussian hold-out values (n, m, 2) with mean 0 and variance 1."""
    G, R, E = _normals(m, n)
    lambda1, lambda2 = 1 - rho1, 1 + rho1 - 2 * rho2
    signs = np.array([1.0, -1.0])
    values: np.ndarray = rho2**0.5 * G + (lambda2 / 2) ** 0.5 * R + (lambda1 / 2) ** 0.5 * E * signs
    return values


def se(p: float, n: int = N) -> float:
    return float((p * (1 - p) / n) ** 0.5)


def test_the_draws_have_the_correlations_they_should() -> None:
    d = halves(4, 0.3, 0.45).reshape(N, 8)
    expected = np.full((8, 8), 0.45)
    for i in range(0, 8, 2):
        expected[i : i + 2, i : i + 2] = 0.3
    np.fill_diagonal(expected, 1.0)
    assert np.abs(np.cov(d.T) - expected).max() < 5 * (2 / N) ** 0.5


@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_calibrated_errs_at_most_at_its_level_on_the_whole_grid(alternative: Alternative) -> None:
    levels = (0.1, 0.05, 0.01)
    sizes = np.empty((len(GRID), len(levels)))
    for i, (rho1, rho2) in enumerate(GRID):
        # Planned at .001 the test goes on to M unless p ≤ .001, so its p-value tells who rejects at
        # any level
        p = ef.infer.mx2_sequential_t(
            halves(9, rho1, rho2), alternative=alternative, level=0.001
        ).pvalue
        sizes[i] = [(p <= level).mean() for level in levels]
    for j, level in enumerate(levels):
        worst = int(sizes[:, j].argmax())
        print(
            f"{alternative} {level}: worst {sizes[worst, j]:.5f} ± {se(level):.5f} at {GRID[worst]}"
        )
        assert sizes[:, j].max() <= level + 2 * se(level)
        # and the calibration wastes nothing at its worst case
        assert sizes[:, j].max() >= 0.95 * level


@pytest.mark.parametrize("level", [0.1, 0.05, 0.01])
def test_planning_at_the_level_rejects_as_the_pvalue_says(level: float) -> None:
    d = halves(9, 0.0, 0.5)[:50_000]
    e, f = ef.infer.mx2_sequential_t(d, level=level), ef.infer.mx2_sequential_t(d, level=0.001)
    np.testing.assert_array_equal(e.rejected, f.pvalue <= level)


@pytest.mark.parametrize(("start", "M"), [(2, 3), (2, 9), (3, 20), (3, 31), (5, 7), (12, 31)])
def test_calibrated_holds_for_other_plans(
    start: int, M: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    n = 100_000
    for alternative in ("greater", "two-sided"):
        for rho in ((0.0, 0.5), (0.05, 0.5), (0.25, 0.5), (0.5, 0.5), (0.0, 0.4), (0.5, 0.4)):
            d = halves(M, *rho, n)
            p = ef.infer.mx2_sequential_t(
                d, alternative=alternative, level=0.001, start=start
            ).pvalue
            for level in (0.2, 0.05, 0.01, 0.001):
                size = (p <= level).mean()
                if rho in ((0.0, 0.5), (0.5, 0.5)):
                    print(
                        f"{start}..{M} {alternative} {rho} {level}: {size:.5f} ± {se(level, n):.5f}"
                    )
                assert size <= level + 3 * se(level, n)


@pytest.mark.parametrize(("start", "M"), [(2, 5), (3, 9), (10, 15)])
def test_the_worst_case_is_a_corner(start: int, M: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim behind the calibration, on a 21 × 21 grid with exact conditional probabilities."""
    grid = [(i / 40, j / 40) for i in range(21) for j in range(21)]
    monkeypatch.setattr(_boundary, "_CORNERS", grid)
    monkeypatch.setattr(_boundary, "_OTHERS", [])
    monkeypatch.setattr(_boundary, "NODES", np.array([3e-4, 0.005, 0.03, 0.1, 0.15]))
    batches = [_boundary._errors(paths, start, M) for paths in _boundary._paths(start, M, 32)]
    errors = np.mean(batches, axis=0)  # grid × sides × levels
    noise = np.std(batches, axis=0).max(axis=0) / 32**0.5
    corners = np.maximum(errors[grid.index((0.0, 0.5))], errors[grid.index((0.5, 0.5))])
    worst = errors.max(axis=0)
    print(f"{start}..{M}: worst / corner {np.array2string(worst / corners, precision=5)}")
    inside = worst <= corners + noise
    assert np.all(inside[0])  # one-sided levels up to .2
    assert np.all(inside[1] | (corners[1] > 0.2))
    # in ρ2, from the first ρ2 > 0 on
    rising = np.diff(errors.reshape(21, 21, 2, -1)[:, 1:], axis=1)
    assert np.all((rising >= -2 * noise) | (corners > 0.2))


@pytest.mark.parametrize(("start", "M"), [(2, 3), (3, 9), (3, 31), (5, 7), (12, 31)])
def test_an_independent_simulation_finds_the_errors_just_below_their_levels(
    start: int, M: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other draws, exact conditional probabilities: ten times sharper than counting rejections."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    levels = np.array([0.2, 0.1, 0.05, 0.01, 0.001])
    plan = _boundary.calibrated_errors(start, M)
    for sides in (1, 2):
        nodes = np.array([plan.per_look(level, sides=sides) for level in levels])
        with monkeypatch.context() as patch:
            patch.setattr(_boundary, "NODES", nodes)
            patch.setattr(_boundary, "stream", lambda _, *address: stream(99, *address))
            paths = _boundary._paths(start, M, 128)
            batches = np.array([_boundary._errors(path, start, M)[:, sides - 1] for path in paths])
        ratios = batches.mean(axis=0).max(axis=0) / levels
        error = batches.std(axis=0).max(axis=0) / 128**0.5 / levels
        print(
            f"{start}..{M}, {sides}-sided: error / level {np.round(ratios, 4)} ± "
            f"{np.round(error, 4)}"
        )
        assert np.all(ratios <= 1 + 2 * error)
        assert np.all(ratios >= 0.95)


def test_calibrated_interval_covers_at_the_stop() -> None:
    for rho in ((0.0, 0.5), (0.25, 0.5), (0.5, 0.5), (0.2, 0.2)):
        # the truth; the test is against 0 and so stops earlier the larger it is
        for mu in (0.0, 1.0, 3.0):
            d = halves(9, *rho) + mu
            low, high = ef.infer.mx2_sequential_t(d).confidence_interval()
            covered = ((low <= mu) & (mu <= high)).mean()
            bound = ef.infer.mx2_sequential_t(d, alternative="greater").confidence_interval()[0]
            below = (bound <= mu).mean()
            print(f"{rho} μ={mu}: interval {covered:.4f}, bound {below:.4f} ± {se(0.05):.4f}")
            assert min(covered, below) >= 0.95 - 2 * se(0.05)


def test_the_interval_of_r19_at_the_stop_covers_92_percent() -> None:
    # docs/infer/sequential: .92 at nominal .95 for M = 9 and ρ = (0, ½), where the stop is that of
    # the one-sided test
    d = halves(9, 0.0, 0.5)
    e = ef.infer.mx2_sequential_t(d, alternative="greater", boundary="thesis")
    reach = e.value - e.confidence_interval()[0]
    covered = (np.abs(e.value) <= reach).mean()
    print(f"coverage {covered:.4f} ± {se(0.08):.4f}")
    assert 0.91 < covered < 0.93


def test_sizes_of_the_sources_boundaries_are_as_bad_as_measured() -> None:
    # docs/infer/sequential, M = 12, α = .05
    def size(boundary: str, alternative: Alternative, rho1: float, rho2: float) -> float:
        e = ef.infer.mx2_sequential_t(
            halves(12, rho1, rho2), boundary=boundary, alternative=alternative
        )
        print(
            f"{boundary} {alternative} ({rho1}, {rho2}): {e.rejected.mean():.4f} ± {se(0.05):.4f}"
        )
        return float(e.rejected.mean())

    for rho1 in (0.0, 0.25, 0.5):
        assert 0.08 < size("per-look", "greater", rho1, 0.5) < 0.105
    assert 0.055 < size("thesis", "greater", 0.0, 0.5) < 0.061
    for rho1 in (0.0, 0.5):
        assert 0.09 < size("thesis", "two-sided", rho1, 0.5) < 0.115


def test_a_constant_per_look_level_with_r19s_df_would_be_about_023() -> None:
    e = ef.infer.mx2_sequential_t(
        halves(9, 0.0, 0.5), boundary="per-look", alternative="greater", level=0.023
    )
    print(f"overall error at per-look level .023: {e.rejected.mean():.4f} ± {se(0.05):.4f}")
    assert abs(e.rejected.mean() - 0.05) < 0.001 + 3 * se(0.05)


# R19 table 5.8 (1000 replications each): rows ρ1 = 0, .1, ..., .5, columns ρ2 = 0, .1, ..., .5
PAIRED = """
    .047 .051 .037 .039 .052 .041  .059 .048 .058 .043 .060 .057  .055 .056 .066 .057 .068 .048
    .079 .079 .064 .087 .074 .078  .091 .087 .092 .089 .080 .095  .115 .120 .109 .104 .099 .112
"""
BMX2 = """
    .000 .000 .000 .012 .023 .048  .000 .000 .001 .001 .022 .047  .000 .000 .001 .006 .026 .045
    .000 .000 .002 .013 .019 .054  .000 .000 .003 .004 .020 .051  .000 .000 .005 .012 .021 .054
"""


def _misfit(table: str, test: Callable[[np.ndarray], np.ndarray], name: str) -> tuple[float, float]:
    """χ² of the 36 published sizes given ours, and their mean difference."""
    published, n = np.array([float(x) for x in table.split()]), 50_000
    ours = np.array([test(halves(12, *rho, n)).mean() for rho in COARSE])
    error = np.maximum(np.sqrt(ours * (1 - ours) * (1 / 1000 + 1 / n)), 1e-3)
    chi2, difference = (
        float(np.sum(((published - ours) / error) ** 2)),
        float(np.mean(published - ours)),
    )
    print(f"{name}: χ² = {chi2:.1f} on 36 df, mean difference {difference:+.4f}")
    return chi2, difference


def _paired_sequence(d: np.ndarray) -> np.ndarray:
    """R19's comparator: ``mx2-paired-t`` at each look 3..12 with t_{α/2}."""
    looks = [
        ef.infer.mx2_paired_t(d[:, :m], alternative="greater").pvalue < 0.025 for m in range(3, 13)
    ]
    rejected: np.ndarray = np.any(looks, axis=0)
    return rejected


def _thesis(d: np.ndarray) -> np.ndarray:
    return ef.infer.mx2_sequential_t(d, alternative="greater", boundary="thesis").rejected


def _one_look(d: np.ndarray) -> np.ndarray:
    return ef.infer.mx2_t(d, alternative="greater").pvalue < 0.05


def test_r19_table_5_8_shows_the_sequential_comparator_but_one_look_of_its_own_test() -> None:
    # 1% of χ²_36
    assert _misfit(PAIRED, _paired_sequence, "98paired, looks 3..12 with t_{α/2}")[0] < 60
    # The column "bmx2" is near what the sequential test with t_{α/2} does, and closer than with t_α
    # ...
    chi2, difference = _misfit(BMX2, _thesis, "bmx2, looks 3..12 with t_{α/2}")
    assert abs(difference) < 0.005
    # ... but significantly below it where ρ2 < ½; what fits is a single look at m = 12 with t_α.
    assert chi2 > 70
    assert _misfit(BMX2, _one_look, "bmx2, one look at m = 12 with t_α")[0] < 60


@pytest.mark.parametrize("m", [3, 5, 9])
def test_oracle_has_its_size(m: int) -> None:
    for rho1, rho2 in COARSE:
        e = ef.infer.mx2_oracle_t(halves(m, rho1, rho2), rho1=rho1, rho2=rho2)
        size = (e.pvalue < 0.05).mean()
        exact = rho1 == rho2 or rho2 == (1 + rho1) / 2
        assert abs(size - 0.05) < 4 * se(0.05) + (0 if exact else 0.006), (rho1, rho2, size)
    if m == 3:
        size = (ef.infer.mx2_oracle_t(halves(3, 0.5, 0.1), rho1=0.5, rho2=0.1).pvalue < 0.05).mean()
        print(f"m = 3, (.5, .1): {size:.4f} ± {se(0.05):.4f}")
        assert abs(size - 0.045) < 0.0005 + 4 * se(0.05)


@pytest.mark.parametrize("m", [3, 9])
def test_mx2_t_is_conservative_but_for_the_corner(m: int) -> None:
    sizes = {rho: (ef.infer.mx2_t(halves(m, *rho)).pvalue < 0.05).mean() for rho in COARSE}
    worst = max(sizes, key=lambda rho: sizes[rho])
    print(
        f"m = {m}: worst {sizes[worst]:.4f} ± {se(0.05):.4f} at {worst}; at (.2, .2) "
        f"{sizes[0.2, 0.2]:.5f}"
    )
    assert worst == (0.0, 0.5)
    assert sizes[worst] < 0.058
    assert max(size for (_, rho2), size in sizes.items() if rho2 < 0.5) < 0.05


def test_sizes_on_independent_values() -> None:
    # docs/infer/five-by-two: even on iid Gaussian values 5x2-t is not t_5 nor 5x2-f F_{10,5}; the
    # three others are exact
    d = halves(5, 0.0, 0.0)
    expected = {
        "five_by_two_t": 0.028,
        "five_by_two_f": 0.0175,
        "five_by_two_t_independent": 0.05,
        "five_by_two_t_mean": 0.05,
        "five_by_two_t_others": 0.05,
        "five_by_two_combined_t": 0.05,
    }
    for name, size in expected.items():
        got = (getattr(ef.infer, name)(d).pvalue < 0.05).mean()
        print(f"{name}: {got:.4f} ± {se(size):.4f}")
        assert abs(got - size) < 0.0005 + 4 * se(size)


def test_corrected_tests_are_exact_where_their_correlation_is_right() -> None:
    rng = stream(1, "guarantee", "exchangeable")
    J, rho = 10, 0.1
    common, own = rng.standard_normal((N, 1)), rng.standard_normal((N, J))
    d = rho**0.5 * common + (1 - rho) ** 0.5 * own
    corrected = ef.infer.corrected_resampled_t(d, n_train=90, n_test=10).pvalue
    folds = ef.infer.corrected_kfold_t(d).pvalue
    naive = ef.infer.resampled_t(d).pvalue
    for name, p in (("corrected-resampled-t", corrected), ("corrected-kfold-t", folds)):
        print(f"{name}: {(p < 0.05).mean():.4f} ± {se(0.05):.4f}")
        assert abs((p < 0.05).mean() - 0.05) < 4 * se(0.05)
    # t over the root of the political ratio 1 + Jρ/(1−ρ)
    ratio = float(ef.infer.theory.political_ratio("resampled-t", J=J, rho=rho))
    print(f"resampled-t: {(naive < 0.05).mean():.4f}, political ratio {ratio:.3f}")
    assert (naive < 0.05).mean() > 0.1
    means, variances = d.mean(axis=1), d.var(axis=1, ddof=1) / J
    assert abs(means.var() / variances.mean() - ratio) < 0.03


def test_political_ratios_of_the_mx2_tests_by_simulation() -> None:
    m, rho1, rho2 = 5, 0.15, 0.3
    d = halves(m, rho1, rho2)
    ratio = ef.infer.theory.political_ratio
    cases = [
        (ef.infer.mx2_t(d), ratio("mx2-t", m=m, rho1=rho1, rho2=rho2)),
        (ef.infer.mx2_combined_t(d), ratio("mx2-combined-t", m=m, rho1=rho1, rho2=rho2)),
        (ef.infer.five_by_two_t(d), ratio("5x2-t", rho1=rho1)),
        (ef.infer.five_by_two_t_mean(d), ratio("5x2-t-mean", rho1=rho1)),
        (ef.infer.five_by_two_t_others(d), ratio("5x2-t-others", rho1=rho1, rho2=rho2)),
        (
            ef.infer.blocked_3x2_t(d[:, :3], lam=1.0),
            ratio("blocked-3x2-t", rho1=rho1, rho2=rho2, lam=1.0),
        ),
    ]
    for e, expected in cases:
        got = e.value.var() / np.mean(e.standard_error**2)
        print(f"{e.method}: {got:.4f}, theory {float(expected):.4f}")
        assert abs(got / expected - 1) < 0.02
    biases = (
        (ef.infer.mx2_v1(d).value, (m * (1 - rho1) - (1 + rho1 + 2 * (m - 1) * rho2)) / (2 * m)),
        (ef.infer.mx2_v2(d).value, (m - (1 + rho1 + 2 * (m - 1) * rho2)) / m),
        (ef.infer.mx2_v3(d).value, 1 - 2 * rho2),
    )
    truth = float(ef.infer.theory.variance_of_mean(m, rho1, rho2))
    for value, bias in biases:
        assert abs(value.mean() - truth - bias) < 4 * value.std() / N**0.5


def test_futility_costs_little_power() -> None:
    for rho in ((0.0, 0.5), (0.2, 0.2)):
        for mu in (0.5, 1.0, 2.0):
            d = halves(9, *rho)[:50_000] + mu
            plain, saving = (ef.infer.mx2_sequential_t(d, futility=f) for f in (False, True))
            print(
                f"{rho} μ={mu}: power {plain.rejected.mean():.3f} → {saving.rejected.mean():.3f}, "
                f"repetitions {plain.stopped_at.mean():.2f} → {saving.stopped_at.mean():.2f}"
            )
            assert saving.rejected.mean() <= plain.rejected.mean()
            assert saving.stopped_at.mean() <= plain.stopped_at.mean()
