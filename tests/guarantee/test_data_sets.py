"""Over several data sets: what blocks must be, sizes of rank tests, coverage of the mean."""

import numpy as np
import pytest

import evenfold as ef

pytestmark = pytest.mark.guarantee

LEVEL = 0.05


def _error(size: float, replications: int) -> float:
    return float(np.sqrt(max(size, LEVEL) * (1 - LEVEL) / replications))


def _folds(
    rng: np.random.Generator, *, n: int = 200, K: int = 3, repetitions: int = 10
) -> np.ndarray:
    """
    Errors of K equal algorithms on 10-fold splits, repeated: (folds, algorithms).

    Each algorithm sees one of K features that are alike in law, and goes by the nearest class mean:
    by symmetry no algorithm is better than another.
    """
    y = rng.permutation(np.repeat([0, 1], n // 2))
    X = rng.normal(size=(n, K)) + 1.0 * y[:, None]
    rows = []
    for _ in range(repetitions):
        fold = rng.permutation(n) % 10
        for k in range(10):
            train = fold != k
            low, high = X[train & (y == 0)].mean(axis=0), X[train & (y == 1)].mean(axis=0)
            test = X[~train]
            guess = np.abs(test - high) < np.abs(test - low)
            rows.append((guess != (y[~train] == 1)[:, None]).mean(axis=0))
    return np.array(rows)


def test_folds_as_blocks_find_differences_between_equal_algorithms() -> None:
    """The reason for refusing them: beside it the same number of data sets, one value each."""
    rng, replications = np.random.default_rng(0), 300
    wrong = np.mean([ef.infer.friedman(_folds(rng)).f_pvalue < LEVEL for _ in range(replications)])
    assert wrong > 0.4, f"{wrong:.3f} ± {np.sqrt(wrong * (1 - wrong) / replications):.3f}"
    pairs = np.mean(
        [ef.infer.wilcoxon_holm(_folds(rng)).adjusted.min() < LEVEL for _ in range(replications)]
    )
    assert pairs > 0.4


def test_one_value_per_data_set_holds_the_level() -> None:
    rng, replications, N = np.random.default_rng(1), 200, 10
    sets = np.array(
        [[_folds(rng, repetitions=1).mean(axis=0) for _ in range(N)] for _ in range(replications)]
    )
    friedman = np.mean([ef.infer.friedman(values).f_pvalue < LEVEL for values in sets])
    nemenyi = np.mean([ef.infer.nemenyi(values).adjusted.min() < LEVEL for values in sets])
    wilcoxon = np.mean([ef.infer.wilcoxon_holm(values).adjusted.min() < LEVEL for values in sets])
    for size in (friedman, nemenyi, wilcoxon):
        assert size <= LEVEL + 3 * _error(LEVEL, replications)


@pytest.mark.parametrize("K", [3, 6])
@pytest.mark.parametrize("N", [8, 20])
def test_sizes_on_independent_values(N: int, K: int) -> None:
    rng, replications = np.random.default_rng([N, K]), 2000
    tables = rng.normal(size=(replications, N, K)) + rng.normal(size=(replications, N, 1))
    sizes = {
        "friedman": np.mean([ef.infer.friedman(v).f_pvalue < LEVEL for v in tables]),
        "nemenyi": np.mean([ef.infer.nemenyi(v).adjusted.min() < LEVEL for v in tables]),
        "friedman-holm": np.mean(
            [ef.infer.friedman_holm(v).adjusted.min() < LEVEL for v in tables]
        ),
        "wilcoxon-holm": np.mean(
            [ef.infer.wilcoxon_holm(v).adjusted.min() < LEVEL for v in tables]
        ),
    }
    error = _error(LEVEL, replications)
    assert abs(sizes["friedman"] - LEVEL) <= 3 * error + 0.006, sizes  # F is nearly exact
    for name in ("nemenyi", "friedman-holm", "wilcoxon-holm"):
        assert sizes[name] <= LEVEL + 3 * error, sizes


@pytest.mark.parametrize("tau", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("inflated", [1.0, 4.0])
def test_the_mean_over_data_sets_is_covered(tau: float, inflated: float) -> None:
    """Variances right, or four times too large as those of a conservative method are."""
    rng, replications, k = np.random.default_rng([int(10 * tau), int(inflated)]), 4000, 8
    covered = predicted = 0
    for _ in range(replications):
        v = rng.uniform(0.3, 2.0, size=k)
        d = 1.0 + rng.normal(0, tau, size=k) + rng.normal(0, np.sqrt(v))
        e = ef.infer.random_effects(d, inflated * v)
        low, high = e.confidence_interval()
        covered += low <= 1.0 <= high
        low, high = e.measured_interval()
        v_new = rng.uniform(0.3, 2.0)
        predicted += low <= 1.0 + rng.normal(0, tau) + rng.normal(0, np.sqrt(v_new)) <= high
    error = _error(LEVEL, replications)
    assert covered / replications >= 0.95 - 3 * error - 0.015, covered / replications
    assert abs(predicted / replications - 0.95) <= 3 * error + 0.01, predicted / replications
