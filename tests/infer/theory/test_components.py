"""R19's family of variance estimators, correlations of a difference, and NB's estimable parts."""

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.theory.components import (
    difference_correlation,
    estimable,
    variance_of_splits,
    weighted_variance,
    weighted_variance_mean,
)

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("m", [2, 3, 7])
def test_the_family_holds_v1_v2_and_v3(m: int) -> None:
    d = RNG.normal(size=(50, m, 2))
    methods = {ef.infer.mx2_v1: 0.0, ef.infer.mx2_v2: (m - 1) / m, ef.infer.mx2_v3: (m + 1) / m}
    for method, lam2 in methods.items():
        np.testing.assert_allclose(weighted_variance(d, lam1=m / 2, lam2=lam2), method(d).value)


@pytest.mark.parametrize(("rho1", "rho2"), [(0.0, 0.5), (0.2, 0.3)])
def test_its_mean_is_r19s(rho1: float, rho2: float) -> None:
    of_one_repetition = np.kron(np.eye(4), np.ones((2, 2)))
    covariance = (1 - rho1) * np.eye(8) + (rho1 - rho2) * of_one_repetition + rho2
    d = (
        np.random.default_rng(1)
        .multivariate_normal(np.zeros(8), covariance, 20_000)
        .reshape(-1, 4, 2)
    )
    for lam1, lam2 in ((1.0, 0.0), (0.0, 1.0), (2.0, 0.7)):
        each = weighted_variance(d, lam1=lam1, lam2=lam2)
        exact = weighted_variance_mean(4, rho1, rho2, lam1=lam1, lam2=lam2)
        assert abs(each.mean() - exact) < 4 * each.std() / np.sqrt(len(each)) + 1e-12


def test_a_difference_correlates_at_most_as_the_larger_where_lemma_5_4_says_so() -> None:
    rho_a, rho_b = RNG.uniform(0, 0.6, size=(2, 2000))
    va, vb = RNG.uniform(0.5, 2, size=(2, 2000))
    c = RNG.uniform(0, 0.9, size=2000) * np.sqrt(va * vb) * np.minimum(rho_a, rho_b)
    found = difference_correlation(rho_a, rho_b, same=c, other=c, variance_a=va, variance_b=vb)
    assert (found <= np.maximum(rho_a, rho_b) + 1e-12).all()
    plain = difference_correlation(rho_a, rho_b, same=0, other=0, variance_a=va, variance_b=vb)
    assert (plain >= np.minimum(rho_a, rho_b) - 1e-12).all()
    # Its assumption matters: two algorithms that err alike on the same examples.
    assert difference_correlation(0.3, 0.3, same=0.8, other=0.2) > 0.3
    with pytest.raises(InvalidInput, match="same must be"):
        difference_correlation(0.3, 0.3, same=1.0, other=0.2)


def test_what_one_data_set_tells_is_unbiased() -> None:
    """Losses with σ2 = 1, σ3 = 1.5, σ0 = 4, drawn as nested normal effects."""
    R, J, n2 = 4000, 5, 8
    parts = ((1.0, (R, 1, 1)), (0.5, (R, J, 1)), (2.5, (R, J, n2)))
    losses = sum(np.sqrt(variance) * RNG.normal(size=shape) for variance, shape in parts)
    for found, exact in zip(estimable(losses), (2.5, 0.5), strict=True):
        assert abs(found.mean() - exact) < 4 * found.std() / np.sqrt(R)
    with pytest.raises(InvalidInput, match="losses must be"):
        estimable(np.zeros((1, 3)))


def test_shapes_are_checked() -> None:
    with pytest.raises(InvalidInput, match="d must be"):
        weighted_variance(np.zeros((3, 3)), lam1=1.0, lam2=1.0)


def test_impossible_correlations_and_weights_that_overflow_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^rho1 and rho2 must be possible correlations"):
        weighted_variance_mean(3, 1e9, 0.5, lam1=1.5, lam2=0.5)
    with pytest.raises(
        InvalidInput, match=r"^lam1 must be a finite number ≥ -1e\+06 ≤ 1e\+06 but got 1e\+300\.$"
    ):
        weighted_variance(np.ones((3, 2)), lam1=1e300, lam2=0.5)


def test_the_mean_of_splits_varies_as_nb_say() -> None:
    """Eq. 8 against the covariance matrix itself; one split has σ1, very many ρσ1."""
    for J, rho in ((1, 0.3), (2, 0.3), (15, 0.1), (4, -0.2)):
        matrix = 2.5 * (rho * np.ones((J, J)) + (1 - rho) * np.eye(J))
        assert variance_of_splits(J, rho, sigma1=2.5) == pytest.approx(matrix.mean())
    with pytest.raises(InvalidInput, match="rho must be a correlation"):
        variance_of_splits(3, 1.5)
    with pytest.raises(InvalidInput, match="sigma1 must be a variance"):
        variance_of_splits(3, 0.5, sigma1=-1.0)
