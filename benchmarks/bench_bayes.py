"""
P(H1) by quadrature beside 10⁶ draws.

Variances of blocks and accuracies beside their bare formulas.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

import evenfold as ef
from benchmarks._timing import seconds

DRAWS = 1_000_000
TABLES = 2_000
BATCH = 200_000
N_TEST = 4_000
COUNTS = (1200, 300, 240), (1230, 270, 230)


def draws() -> float:
    """R19 algorithm 6.1 for F1: 10⁶ draws of both posteriors."""
    rng, kappa = np.random.default_rng(0), ef.infer.kappa(3)
    nu = []
    for tp, fp, fn in COUNTS:
        a, b = kappa * (fp + fn) + 2, kappa * tp + 1
        v = rng.beta(b, a, size=DRAWS)
        nu.append(2 * v / (1 + v))
    return float(np.mean(nu[1] > nu[0]))


def bayes() -> None:
    by_draws = seconds(draws)
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 2000, size=(TABLES, 3)) for _ in range(2))
    single, many = ef.infer.bayes_f1(*COUNTS, m=3), ef.infer.bayes_f1(a, b, m=3)
    number = 200
    rows: list[tuple[str, Callable[[], Any], int]] = [
        ("one table, P(H1)", lambda: [single.probability() for _ in range(number)], number),
        (
            "one table, counts to P(H1)",
            lambda: [ef.infer.bayes_f1(*COUNTS, m=3).probability() for _ in range(number)],
            number,
        ),
        (
            "one table, with a margin",
            lambda: [single.probability(0.01) for _ in range(number)],
            number,
        ),
        ("one table, interval", lambda: [single.interval() for _ in range(20)], 20),
        ("batch, P(H1)", many.probability, TABLES),
        ("batch, with a margin", lambda: many.probability(0.01), TABLES),
        ("batch, interval", many.interval, TABLES),
    ]
    print(f"P(H1) of F1: 10⁶ draws take {1e3 * by_draws:.0f} ms\n")
    print(f"{'quadrature':<32}{'µs per table':>14}{'× faster':>12}")
    for name, function, size in rows:
        each = seconds(function) / size
        print(f"{name:<32}{1e6 * each:>14.1f}{by_draws / each:>12.0f}")


def bare_theta5(losses: np.ndarray) -> np.ndarray:
    """θ5 of equal folds (K, batch, M) by its formula: no checks, no result."""
    K, _, M = losses.shape
    means = losses.mean(axis=-1)
    centred = losses - means[..., None]
    within = np.einsum("kbm,kbm->b", centred, centred) / ((M - 1) * M * K**2)
    value: np.ndarray = (1 + 1 / K) * means.var(axis=0, ddof=1) - K * within
    return value


def bare_matched_t(right_a: np.ndarray, right_b: np.ndarray, n_test: int) -> np.ndarray:
    """Matched t on fold accuracies with its p-value, no condition."""
    d = (right_b - right_a) / n_test
    K = d.shape[-1]
    statistic = d.mean(axis=-1) / np.sqrt(d.var(axis=-1, ddof=1) / K)
    p: np.ndarray = 2 * special.stdtr(K - 1, -np.abs(statistic))
    return p


def bare_z(right_a: np.ndarray, right_b: np.ndarray, n_test: int) -> np.ndarray:
    """Test of two proportions with its p-value, no condition."""
    n = n_test * right_a.shape[-1]
    a, b = right_a.sum(axis=-1) / n, right_b.sum(axis=-1) / n
    pooled = (a + b) / 2
    p: np.ndarray = 2 * special.ndtr(-np.abs(b - a) / np.sqrt(2 * pooled * (1 - pooled) / n))
    return p


def blocks_and_accuracies() -> None:
    rng = np.random.default_rng(0)
    losses = rng.normal(size=(5, BATCH, 20))
    blocks = list(losses)
    a, b = rng.integers(2500, 3500, size=(2, BATCH, 5)).astype(float)
    rows: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
        ("cv-theta5", lambda: ef.infer.cv_theta5(blocks), lambda: bare_theta5(losses)),
        ("sources-theta-b", lambda: ef.infer.sources_theta_b(blocks), lambda: bare_theta5(losses)),
        (
            "wong-kfold-matched-t",
            lambda: ef.infer.wong_kfold_matched_t(a, b, n_test=N_TEST).pvalue,
            lambda: bare_matched_t(a, b, N_TEST),
        ),
        (
            "wong-kfold-independent-z",
            lambda: ef.infer.wong_kfold_independent_z(a, b, n_test=N_TEST).pvalue,
            lambda: bare_z(a, b, N_TEST),
        ),
    ]
    print(f"\n{'method, 5 folds':<28}{'µs per data set':>16}{'bare formula':>14}{'ratio':>8}")
    for name, ours, bare in rows:
        mine, floor = seconds(ours), seconds(bare)
        print(
            f"{name:<28}{1e6 * mine / BATCH:>16.3f}{1e6 * floor / BATCH:>14.3f}{mine / floor:>8.2f}"
        )


def main() -> None:
    bayes()
    blocks_and_accuracies()


if __name__ == "__main__":
    main()
