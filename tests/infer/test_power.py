"""Power: against the plain t-test, scipy's normal, and a simulation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.effects import (
    examples_needed,
    needed_noncentrality,
    sigma_from,
    t_power,
)


def test_power_of_a_t_test_agrees_with_statsmodels() -> None:
    from statsmodels.stats.power import TTestPower

    for effect, n in ((0.3, 20), (0.8, 10), (0.5, 40)):
        expected = TTestPower().power(effect, n, 0.05)
        threshold = float(stats.t.isf(0.025, n - 1))
        assert_allclose(t_power(effect * np.sqrt(n), threshold, n - 1), expected, rtol=1e-6)


def test_at_half_mx2_power_is_that_of_an_exact_t_test() -> None:
    m, sigma, difference = 5, 0.03, 0.06
    error = sigma * np.sqrt((m + 0.5) / (2 * m))  # Var μ̂ at ρ1 = ρ2 = ½
    expected = t_power(difference / error, float(stats.t.isf(0.025, 2 * m - 1)), 2 * m - 1)
    assert_allclose(ef.infer.mx2_power(difference, sigma=sigma, m=m), expected)


@pytest.mark.parametrize(("rho1", "rho2"), [(0.5, 0.5), (0.2, 0.2), (0.0, 0.2), (0.1, 0.5)])
def test_mx2_power_is_what_a_simulation_finds(rho1: float, rho2: float) -> None:
    rng, m, replications = np.random.default_rng(1), 5, 20_000
    same = np.kron(np.eye(m), np.ones((2, 2)))
    cov = rho2 + (rho1 - rho2) * same + (1 - rho1) * np.eye(2 * m)
    d = 1.6 + rng.multivariate_normal(np.zeros(2 * m), cov, size=replications)
    found = float((ef.infer.mx2_t(d.reshape(-1, m, 2)).pvalue < 0.05).mean())
    error = np.sqrt(found * (1 - found) / replications)
    expected = ef.infer.mx2_power(1.6, sigma=1.0, m=m, rho1=rho1, rho2=rho2)
    assert abs(found - expected) < 4 * error + 0.012, (
        "Satterthwaite's approximation is worth a percent"
    )


def test_power_grows_with_the_difference_and_stays_below_a_limit_as_m_grows() -> None:
    rising = [ef.infer.mx2_power(x, sigma=1.0, m=4) for x in (0.0, 0.5, 1.0, 2.0, 4.0)]
    assert rising == sorted(rising)
    assert_allclose(rising[0], 0.05, atol=1e-6)
    many = [ef.infer.mx2_power(1.0, sigma=1.0, m=m) for m in (3, 9, 31, 2000)]
    assert many == sorted(many)
    assert_allclose(many[-1], t_power(np.sqrt(2), 1.96, np.inf), atol=2e-3)
    assert ef.infer.mx2_power(1.0, sigma=1.0, m=9, alternative="greater") > many[1]
    assert ef.infer.mx2_power(1.0, sigma=0.0, m=9) == 1


def test_needed_noncentrality_inverts_power() -> None:
    for df in (3.0, 17.0, np.inf):
        threshold = float(stats.t.isf(0.01, df)) if np.isfinite(df) else 2.33
        needed = needed_noncentrality(0.8, threshold, df)
        assert_allclose(t_power(needed, threshold, df), 0.8, atol=1e-8)
    assert needed_noncentrality(0.01, 1.0, 5.0) == 0
    # nctdtr has no numbers for them; the limit joins what it has
    for df in (1.0, 9.0):
        below, above = (needed_noncentrality(0.8, 1e4 * one, df) for one in (0.999, 1.001))
        assert_allclose(above / below, 1.001 / 0.999, rtol=1e-6)
        assert np.isfinite(needed_noncentrality(0.8, 1e30, df))
    many = examples_needed(0.1, n=100, standard_error=0.1, reach=0.2, df=20.0)
    again = t_power(0.1 / (0.1 * np.sqrt(100 / many)), 2.0, 20.0)
    assert_allclose(again, 0.8, atol=1e-6)


def test_sigma_is_found_back_from_v2() -> None:
    m, rho1, rho2 = 4, 0.1, 0.3
    rng = np.random.default_rng(2)
    same = np.kron(np.eye(m), np.ones((2, 2)))
    cov = 2.5**2 * (rho2 + (rho1 - rho2) * same + (1 - rho1) * np.eye(2 * m))
    d = rng.multivariate_normal(np.zeros(2 * m), cov, size=40_000).reshape(-1, m, 2)
    v2 = float(ef.infer.mx2_v2(d).value.mean())
    assert_allclose(sigma_from(v2, m, rho1, rho2), 2.5, rtol=0.01)


def test_impossible_correlations_are_refused() -> None:
    with pytest.raises(InvalidInput, match="correlations"):
        ef.infer.mx2_power(1.0, sigma=1.0, m=3, rho1=0.0, rho2=0.7)
    with pytest.raises(InvalidInput, match="m must be"):
        ef.infer.mx2_power(1.0, sigma=1.0, m=1)


def test_the_chance_of_a_noncentral_t_is_a_number_everywhere() -> None:
    """SciPy's distribution function gives NaN at (3, −10.27, 8), where it is 1 to every digit."""
    for df in (2.0, 3.0, 9.0, 200.0):
        for threshold in np.linspace(1, 40, 12):
            chances = [t_power(float(x), float(threshold), df) for x in np.linspace(0, 45, 40)]
            assert np.isfinite(chances).all()
            assert (np.diff(chances) >= -1e-9).all()
