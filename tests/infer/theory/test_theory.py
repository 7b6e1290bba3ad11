"""Theory helpers against the sources' tables, counting arguments and simulation."""

from typing import Any

import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.infer import covariance, theory

# R19 tables 5.2 and 5.3: m, ρ1, then C_m and f_m at ρ2 = 0, .1, ..., .5, rounded to two digits
R19_TABLE_5_2 = """
3 0.0 0.45 0.55 0.65 0.76 0.87 1.00 5.00 4.94 4.74 4.35 3.75 3.00
3 0.1 0.47 0.58 0.68 0.79 0.90 1.03 4.95 5.00 4.93 4.67 4.17 3.43
3 0.2 0.50 0.60 0.71 0.82 0.94 1.07 4.80 4.94 5.00 4.91 4.57 3.92
3 0.3 0.53 0.63 0.73 0.85 0.97 1.11 4.55 4.75 4.92 5.00 4.88 4.42
3 0.4 0.55 0.65 0.76 0.87 1.00 1.14 4.23 4.45 4.69 4.90 5.00 4.83
3 0.5 0.58 0.68 0.79 0.90 1.03 1.18 3.86 4.07 4.32 4.59 4.86 5.00
4 0.0 0.38 0.50 0.62 0.73 0.86 1.00 7.00 6.92 6.62 6.04 5.14 4.00
4 0.1 0.40 0.52 0.64 0.75 0.88 1.03 6.93 7.00 6.90 6.52 5.77 4.65
4 0.2 0.42 0.54 0.65 0.77 0.90 1.05 6.72 6.91 7.00 6.87 6.37 5.39
4 0.3 0.44 0.56 0.67 0.80 0.93 1.08 6.39 6.66 6.89 7.00 6.82 6.14
4 0.4 0.46 0.58 0.69 0.82 0.95 1.11 5.95 6.25 6.57 6.86 7.00 6.75
4 0.5 0.48 0.60 0.71 0.84 0.98 1.13 5.45 5.73 6.07 6.44 6.81 7.00
5 0.0 0.33 0.47 0.59 0.72 0.85 1.00 9.00 8.89 8.50 7.72 6.52 5.00
5 0.1 0.35 0.48 0.61 0.73 0.87 1.02 8.91 9.00 8.87 8.37 7.37 5.87
5 0.2 0.37 0.50 0.62 0.75 0.89 1.04 8.64 8.89 9.00 8.83 8.17 6.86
5 0.3 0.39 0.52 0.64 0.77 0.90 1.06 8.22 8.56 8.86 9.00 8.77 7.86
5 0.4 0.40 0.53 0.65 0.78 0.92 1.08 7.67 8.05 8.45 8.82 9.00 8.67
5 0.5 0.42 0.55 0.67 0.80 0.94 1.11 7.05 7.40 7.82 8.29 8.75 9.00
6 0.0 0.30 0.45 0.58 0.71 0.85 1.00 11.00 10.87 10.38 9.41 7.90 6.00
6 0.1 0.32 0.46 0.59 0.72 0.86 1.02 10.89 11.00 10.84 10.21 8.97 7.09
6 0.2 0.33 0.47 0.60 0.73 0.87 1.03 10.57 10.86 11.00 10.79 9.97 8.33
6 0.3 0.35 0.49 0.62 0.75 0.89 1.05 10.05 10.47 10.83 11.00 10.71 9.58
6 0.4 0.36 0.50 0.63 0.76 0.90 1.07 9.39 9.85 10.33 10.78 11.00 10.59
6 0.5 0.38 0.51 0.64 0.77 0.92 1.09 8.65 9.07 9.57 10.14 10.70 11.00
7 0.0 0.28 0.43 0.57 0.70 0.84 1.00 13.00 12.85 12.27 11.10 9.29 7.00
7 0.1 0.29 0.44 0.58 0.71 0.85 1.01 12.87 13.00 12.80 12.06 10.57 8.31
7 0.2 0.31 0.45 0.59 0.72 0.87 1.03 12.49 12.84 13.00 12.75 11.76 9.80
7 0.3 0.32 0.47 0.60 0.73 0.88 1.04 11.89 12.37 12.80 13.00 12.66 11.31
7 0.4 0.33 0.48 0.61 0.75 0.89 1.06 11.12 11.65 12.21 12.74 13.00 12.52
7 0.5 0.35 0.49 0.62 0.76 0.90 1.07 10.25 10.74 11.32 11.98 12.64 13.00
8 0.0 0.26 0.42 0.56 0.69 0.84 1.00 15.00 14.82 14.15 12.79 10.67 8.00
8 0.1 0.27 0.43 0.57 0.70 0.85 1.01 14.85 15.00 14.77 13.91 12.16 9.53
8 0.2 0.28 0.44 0.58 0.71 0.86 1.03 14.41 14.82 15.00 14.71 13.56 11.27
8 0.3 0.30 0.45 0.59 0.72 0.87 1.04 13.72 14.28 14.77 15.00 14.60 13.03
8 0.4 0.31 0.46 0.60 0.73 0.88 1.05 12.84 13.44 14.09 14.70 15.00 14.44
8 0.5 0.32 0.47 0.61 0.74 0.89 1.06 11.85 12.41 13.07 13.83 14.59 15.00
9 0.0 0.24 0.41 0.55 0.69 0.84 1.00 17.00 16.80 16.03 14.48 12.06 9.00
9 0.1 0.26 0.42 0.56 0.70 0.85 1.01 16.83 17.00 16.74 15.76 13.76 10.75
9 0.2 0.27 0.43 0.57 0.71 0.85 1.02 16.33 16.79 17.00 16.67 15.36 12.74
9 0.3 0.28 0.44 0.58 0.72 0.86 1.03 15.55 16.18 16.74 17.00 16.55 14.75
9 0.4 0.29 0.45 0.59 0.72 0.87 1.05 14.56 15.24 15.98 16.66 17.00 16.36
9 0.5 0.30 0.46 0.59 0.73 0.88 1.06 13.44 14.08 14.83 15.68 16.53 17.00
10 0.0 0.23 0.40 0.55 0.69 0.83 1.00 19.00 18.77 17.91 16.17 13.44 10.00
10 0.1 0.24 0.41 0.55 0.69 0.84 1.01 18.81 19.00 18.71 17.61 15.36 11.97
10 0.2 0.25 0.42 0.56 0.70 0.85 1.02 18.26 18.77 19.00 18.63 17.16 14.21
10 0.3 0.26 0.43 0.57 0.71 0.86 1.03 17.39 18.09 18.70 19.00 18.50 16.48
10 0.4 0.27 0.44 0.58 0.72 0.87 1.04 16.29 17.04 17.86 18.62 19.00 18.29
10 0.5 0.28 0.44 0.59 0.73 0.88 1.05 15.04 15.75 16.58 17.53 18.48 19.00
11 0.0 0.22 0.40 0.54 0.68 0.83 1.00 21.00 20.75 19.79 17.86 14.82 11.00
11 0.1 0.23 0.40 0.55 0.69 0.84 1.01 20.79 21.00 20.68 19.46 16.96 13.19
11 0.2 0.24 0.41 0.56 0.70 0.85 1.02 20.18 20.74 21.00 20.59 18.96 15.68
11 0.3 0.25 0.42 0.56 0.70 0.86 1.03 19.22 19.99 20.67 21.00 20.44 18.20
11 0.4 0.26 0.43 0.57 0.71 0.86 1.04 18.01 18.84 19.74 20.58 21.00 20.21
11 0.5 0.27 0.43 0.58 0.72 0.87 1.05 16.64 17.42 18.33 19.38 20.42 21.00
"""


def assert_allclose(actual: Any, expected: Any, *, rtol: float = 1e-12, atol: float = 0.0) -> None:
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize("row", R19_TABLE_5_2.split("\n")[1:-1])
def test_c_m_and_f_m_are_those_of_r19(row: str) -> None:
    m, rho1, *values = map(float, row.split())
    rho2 = np.arange(6) / 10
    assert_allclose(theory.c_m(m, rho1, rho2), values[:6], rtol=0, atol=0.00501)
    assert_allclose(theory.f_m(m, rho1, rho2), values[6:], rtol=0, atol=0.00501)


def test_moments_of_v2_by_the_covariance_matrix_itself() -> None:
    for m, rho1, rho2 in [(3, 0.1, 0.3), (5, 0.4, 0.2), (7, 0.0, 0.5), (4, 0.3, 0.3)]:
        sigma = np.full((2 * m, 2 * m), rho2)
        for i in range(0, 2 * m, 2):
            sigma[i : i + 2, i : i + 2] = rho1
        np.fill_diagonal(sigma, 1.0)
        centre = np.eye(2 * m) - 1 / (2 * m)
        # V2 = x'Cx/2m, so E V2 = tr and Var V2 = 2 tr of the square
        quadratic = centre @ sigma / (2 * m)
        mean, variance = np.trace(quadratic), 2 * np.trace(quadratic @ quadratic)
        of_mean = sigma.mean()
        assert_allclose(theory.variance_of_mean(m, rho1, rho2), of_mean)
        assert_allclose(theory.c_m(m, rho1, rho2) ** 2, of_mean / mean)
        assert_allclose(theory.f_m(m, rho1, rho2), 2 * mean**2 / variance)
        assert_allclose(theory.v_m(m, rho1, rho2) * theory.f_m(m, rho1, rho2) / (2 * m), mean)


def test_expected_sigma_hat_is_the_mean_of_the_root_of_v2() -> None:
    rng = np.random.default_rng(0)
    for m, rho1, rho2 in [(3, 0.5, 0.5), (5, 0.0, 0.0), (9, 0.0, 0.5)]:  # where f_m is exact
        draws = rng.standard_normal((200_000, 2 * m))
        chi2 = (1 - rho1) * np.sum(draws[:, :m] ** 2, axis=1)
        chi2 += (1 + rho1 - 2 * rho2) * np.sum(draws[:, m:-1] ** 2, axis=1)
        root = np.sqrt(chi2 / (2 * m))
        se = root.std() / len(root) ** 0.5
        assert abs(root.mean() - theory.expected_sigma_hat(m, rho1, rho2)) < 4 * se


def test_interval_shrinkage_has_the_corrected_values_of_table_5_4() -> None:
    # docs/infer/sequential
    right = {
        3: 0.0837,
        4: 0.0464,
        5: 0.0295,
        6: 0.0204,
        7: 0.0150,
        8: 0.0114,
        9: 0.0090,
        12: 0.0051,
    }
    for m, value in right.items():
        assert_allclose(theory.interval_shrinkage(m), value, rtol=0, atol=5.1e-5)
    assert [theory.recommended_repetitions(level=level) for level in (0.1, 0.05, 0.01)] == [
        8,
        9,
        11,
    ]


def test_variance_shrinkage_has_the_values_of_r19_table_3_5() -> None:
    right = {
        2: 0.1554,
        3: 0.0984,
        4: 0.0689,
        5: 0.0515,
        6: 0.0402,
        7: 0.0324,
        11: 0.0168,
        15: 0.0105,
        16: 0.0095,
    }
    for m, value in right.items():  # docs/infer/theory
        assert_allclose(theory.variance_shrinkage(m), value, rtol=0, atol=5.1e-5)
    printed = {
        2: 0.1552,
        3: 0.0984,
        4: 0.0688,
        5: 0.0516,
        6: 0.0404,
        7: 0.0324,
        11: 0.0168,
        15: 0.0105,
    }
    for m, value in printed.items():  # R19 table 3.5, off by up to two units in its last digit
        assert_allclose(theory.variance_shrinkage(m), value, rtol=0, atol=2.1e-4)


def test_political_ratios_of_nb_table_1() -> None:
    n2, J, rho, sigma0, sigma3 = 20, 15, 0.15, 2.0, 0.3
    assert_allclose(
        theory.political_ratio("holdout-t", n_test=n2, rho0=sigma3 / sigma0),
        (n2 * sigma3 + sigma0 - sigma3) / (sigma0 - sigma3),
    )
    naive = 1 + J * rho / (1 - rho)
    for key in ("resampled-t", "bootstrap"):
        assert_allclose(theory.political_ratio(key, J=J, rho=rho), naive)
    for key in ("corrected-resampled-t", "corrected-bootstrap"):
        ratio = theory.political_ratio(key, J=J, rho=rho, n_train=90, n_test=10)
        assert_allclose(ratio, naive / (1 + J * 10 / 90))
        assert_allclose(theory.political_ratio(key, J=J, rho=0.1, n_train=90, n_test=10), 1)
    assert_allclose(theory.political_ratio("5x2-t", rho1=0.2), 1 / 0.8)


def test_political_ratios_of_w14_table_5() -> None:
    r1, r2 = 0.2, 0.35
    assert_allclose(theory.political_ratio("kfold-t", K=2, rho=r1), (1 + r1) / (1 - r1))
    corrected = theory.political_ratio("corrected-kfold-t", K=2, rho=r1, rho_assumed=0.5)
    assert_allclose(corrected, (1 + r1) / (1 - r1) / 3)
    ratio = theory.political_ratio("blocked-3x2-t", rho1=r1, rho2=r2, lam=2 / 3)
    assert_allclose(ratio, (1 + r1 + 4 * r2) / (5 - r1 - 4 * r2))
    ratio = theory.political_ratio("blocked-3x2-t", rho1=r1, rho2=r2, lam=4 / 3)
    assert_allclose(ratio, (1 + r1 + 4 * r2) / (7 + r1 - 8 * r2))


def test_political_ratios_of_the_mx2_tests_hang_together() -> None:
    ratio, rho = theory.political_ratio, {"rho1": 0.2, "rho2": 0.35}
    assert_allclose(ratio("5x2-combined-t", **rho), ratio("mx2-combined-t", m=5, **rho))
    assert_allclose(ratio("5x2-t-mean", rho1=0.2), ratio("kfold-t", K=2, rho=0.2))
    assert_allclose(ratio("5x2-t-independent", rho1=0.2), ratio("mx2-paired-t", rho1=0.2))
    assert_allclose(ratio("mx2-block-t", m=3, **rho), ratio("blocked-3x2-t", lam=2 / 3, **rho))
    assert_allclose(ratio("mx2-t", m=9, rho1=0.5, rho2=0.5), 1)


def test_political_ratio_asks_for_what_it_needs() -> None:
    with pytest.raises(InvalidInput, match="parameters must be J, rho for 'resampled-t' but got"):
        theory.political_ratio("resampled-t", J=3)
    with pytest.raises(InvalidInput, match="Did you mean"):
        theory.political_ratio("resample-t", J=3)


@pytest.mark.parametrize(("n1", "n2"), [(6, 4), (5, 5), (8, 2), (9, 6)])
def test_f_counts_the_four_kinds_of_pairs(n1: int, n2: int) -> None:
    # R19 eq. 2.10 with α0 corrected: count, for i in test set 1 and j in test set 2, who trains
    # where
    sigma2, omega, gamma, tau = 1.3, 0.4, -0.2, 0.1
    f = covariance.OverlapCovariance.from_losses(
        n_train=n1, n_test=n2, sigma2=sigma2, omega=omega, gamma=gamma, tau=tau
    )
    n = n1 + n2
    for x in range(max(0, n1 - n2), n1 + 1):
        train1, train2 = set(range(n1)), set(range(n1 - x, 2 * n1 - x))
        total = 0.0
        for i in set(range(n)) - train1:
            for j in set(range(n)) - train2:
                crossings = (i in train2) + (j in train1)
                total += sigma2 if i == j else (omega, tau, gamma)[crossings]
        assert_allclose(f(x), total / n2**2, rtol=1e-10)


def test_g_is_symmetric_and_least_at_a_quarter() -> None:
    g = covariance.normal_mean(40).two_fold
    x = np.linspace(0, 20, 41)
    assert_allclose(g(x), g(20 - x))
    assert x[np.argmin(g(x))] == 10


def test_normal_mean_oracle_has_its_correlations_and_agrees_with_simulation() -> None:
    for n in (8, 40, 200):
        f = covariance.normal_mean(n, variance=2.0)
        assert_allclose([f.rho1, f.rho2], [8 / (n + 6), (n + 5) / (2 * n + 12)])
        assert_allclose(f(n / 2), 4 * (n + 6) * 4 / n**2)
    y = np.random.default_rng(1).standard_normal((300_000, 8))
    sides = [
        ([0, 1, 2, 3], [4, 5, 6, 7]),
        ([4, 5, 6, 7], [0, 1, 2, 3]),
        ([0, 1, 4, 5], [2, 3, 6, 7]),
    ]
    holdouts = [
        np.mean((y[:, test] - y[:, train].mean(axis=1, keepdims=True)) ** 2, axis=1)
        for train, test in sides
    ]
    f = covariance.normal_mean(8)
    for other, overlap in ((0, 4), (1, 0), (2, 2)):
        products = (holdouts[0] - 1.25) * (holdouts[other] - 1.25)  # μ(4) = 1 + 1/4
        se = products.std() / len(y) ** 0.5
        assert abs(products.mean() - f(overlap)) < 4 * se


def test_regression_oracle_agrees_with_simulation() -> None:
    rng = np.random.default_rng(2)
    n1, residual, slope, spread = 8, 2.0, 0.7, 1.5
    x = rng.normal(0.3, spread**0.5, size=(200_000, n1 + 1))
    y = 1 + slope * x + rng.normal(0, residual**0.5, size=x.shape)
    x_mean, y_mean = x[:, :n1].mean(axis=1), y[:, :n1].mean(axis=1)
    centred = x[:, :n1] - x_mean[:, None]
    b = np.sum(centred * y[:, :n1], axis=1) / np.sum(centred**2, axis=1)
    losses = (y[:, n1] - y_mean) ** 2, (y[:, n1] - y_mean - b * (x[:, n1] - x_mean)) ** 2
    exact = covariance.regression_errors(n1, residual=residual, slope=slope, spread=spread)
    for loss, truth in zip(losses, exact, strict=True):
        assert abs(loss.mean() - truth) < 4 * loss.std() / len(loss) ** 0.5


@pytest.mark.parametrize("m", [2, 3, 9])
@pytest.mark.parametrize("rho1", [-0.5, 0.0, 0.7])
def test_rho2_bounds_are_where_a_variance_becomes_negative(m: int, rho1: float) -> None:
    low, high = covariance.rho2_bounds(rho1, m=m)
    same = np.kron(np.eye(m), np.ones((2, 2)))
    for rho2, step in ((low, -1e-6), (high, 1e-6)):
        inside, outside = (
            np.where(same > 0, rho1, r) + (1 - rho1) * np.eye(2 * m)
            for r in (rho2 - step, rho2 + step)
        )
        assert np.linalg.eigvalsh(inside).min() > 0 > np.linalg.eigvalsh(outside).min()
    assert (
        covariance.normal_mean(40).rho2
        < covariance.rho2_bounds(covariance.normal_mean(40).rho1, m=m)[1]
    )


def _halves(rng: np.random.Generator, sets: int, m: int, rho1: float, rho2: float) -> np.ndarray:
    common, pair, single = (
        rng.standard_normal((sets, *shape)) for shape in ((1, 1), (m, 1), (m, 2))
    )
    values: np.ndarray = (
        rho2**0.5 * common + (rho1 - rho2) ** 0.5 * pair + (1 - rho1) ** 0.5 * single
    )
    return values


def test_correlations_from_many_data_sets_cover_the_truth() -> None:
    rng = np.random.default_rng(3)
    hits = np.zeros(3)
    for _ in range(400):
        values = 5 + 2 * _halves(rng, 300, 3, 0.4, 0.2)
        rho1, rho2 = covariance.mx2_correlations(values)
        pi = covariance.exchangeable_correlation(values[:, :, 0])
        for i, (estimate, truth) in enumerate(((rho1, 0.4), (rho2, 0.2), (pi, 0.2))):
            low, high = estimate.confidence_interval()
            hits[i] += low < truth < high
    assert np.all(np.abs(hits / 400 - 0.95) < 4 * (0.95 * 0.05 / 400) ** 0.5 + 0.01)


def test_exchangeable_correlation_solves_the_equations_of_nb_a3() -> None:
    T = np.random.default_rng(4).normal(size=(50, 4)) + np.random.default_rng(5).normal(
        size=(50, 1)
    )
    n, K = T.shape
    pi = covariance.exchangeable_correlation(T)
    beta, delta = T.mean(), np.mean((T - T.mean()) ** 2)
    means = T.mean(axis=1)
    g = np.column_stack([
        means - beta,
        np.sum((T - beta) ** 2 - delta, axis=1),
        (means - beta) ** 2 - delta * (pi.value + (1 - pi.value) / K),
    ])  # fmt: skip
    assert_allclose(g.sum(axis=0), 0, atol=1e-10)
    A = n * np.array(
        [[1, 0, 0], [0, K, 0], [0, pi.value + (1 - pi.value) / K, (K - 1) / K * delta]]
    )
    V = np.linalg.inv(A) @ (g.T @ g) @ np.linalg.inv(A).T
    assert_allclose(pi.standard_error, V[2, 2] ** 0.5, rtol=1e-10)


def test_correlations_refuse_other_shapes() -> None:
    with pytest.raises(InvalidInput, match="data sets, K"):
        covariance.exchangeable_correlation(np.zeros(5))
    with pytest.raises(InvalidInput, match="data sets, m, 2"):
        covariance.mx2_correlations(np.zeros((5, 2)))
